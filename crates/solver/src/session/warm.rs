//! The bit-blaster kept from check to check: levels and assumptions without writing anything twice.

use labrys_term::{Store, TermId};

use crate::bitblast::{IncrementalBitBlaster, IncrementalVerdict};
use crate::portfolio::{Import, evaluated};
use crate::prepare::{PrepareConfig, State, prepare_term};
use crate::{Budget, Core, FloatOutcome, Why};

/// Assertions that have been prepared and written, level by level.
pub(super) struct Warm {
    import: Import,
    state: State,
    blaster: IncrementalBitBlaster,
    /// What was asserted on each level but is not read by the engines: level and part.
    unsupported: Vec<(usize, String)>,
    levels: usize,
}

impl Warm {
    /// Nothing asserted.
    pub fn new(seed: u64) -> Warm {
        Warm {
            import: Import::default(),
            state: State::new(PrepareConfig::default()),
            blaster: IncrementalBitBlaster::new(seed),
            unsupported: Vec::new(),
            levels: 0,
        }
    }

    /// Opens a level.
    pub fn push(&mut self) {
        self.blaster.push();
        self.levels += 1;
    }

    /// Closes a level.
    pub fn pop(&mut self) {
        if self.blaster.pop() {
            self.levels -= 1;
            let levels = self.levels;
            self.unsupported.retain(|(level, _)| *level <= levels);
        }
    }

    /// Asserts a term on the innermost level.
    pub fn assert(&mut self, store: &Store, term: TermId) {
        self.state.stop_at(None);
        match self.prepared(store, term) {
            Ok(term) => self.blaster.assert(term),
            Err(part) => self.unsupported.push((self.levels, part)),
        }
    }

    /// The prepared term; what its new variables stand for holds on every level.
    fn prepared(&mut self, store: &Store, term: TermId) -> Result<TermId, String> {
        let copy = self.import.copy(store, &[term]);
        let mut last = None;
        for copy in copy {
            let prepared = prepare_term(&mut self.import.store, &mut self.state, copy)?;
            for constraint in prepared.constraints {
                self.blaster.assert_for_good(constraint);
            }
            last = Some(prepared.term);
        }
        last.ok_or_else(|| "nothing".to_owned())
    }

    /// Decides the assertions, of which there are `asserted`, and the assumptions behind them in `terms`.
    pub fn check(&mut self, store: &Store, terms: &[TermId], asserted: usize, budget: &Budget) -> FloatOutcome {
        if let Some((_, part)) = self.unsupported.last() {
            return FloatOutcome::Unknown(Why::Unsupported(part.clone()));
        }
        let mut assumptions = Vec::new();
        self.state.stop_at(budget.deadline);
        for &term in &terms[asserted..] {
            match self.prepared(store, term) {
                Ok(term) => assumptions.push(term),
                Err(part) => return FloatOutcome::Unknown(Why::Unsupported(part)),
            }
        }
        match self.blaster.check(&self.import.store, &assumptions, budget) {
            IncrementalVerdict::Unknown(why) => FloatOutcome::Unknown(why),
            IncrementalVerdict::Unsat { core } => {
                let failed = core.into_iter().map(|place| asserted + place);
                FloatOutcome::Unsat(Core((0..asserted).chain(failed).collect()))
            }
            IncrementalVerdict::Sat(model) => {
                let of_copies = self.state.reconstruction().model(&self.import.store, model);
                evaluated(store, terms, self.import.model_of_originals(&of_copies))
                    .unwrap_or_else(FloatOutcome::Unknown)
            }
        }
    }

    /// What the blaster has done: names and counts.
    pub fn statistics(&self) -> Vec<(String, String)> {
        let counts = self.blaster.counts();
        [
            ("gates", counts.gates),
            ("variables", counts.variables),
            ("clauses", counts.clauses),
            ("conflicts", counts.conflicts),
        ]
        .map(|(name, count)| (format!("incremental {name}"), count.to_string()))
        .to_vec()
    }
}
