//! A compiled query and a search of it that can stop and go on.

use labrys_term::Evaluator;
use rustc_hash::FxHashMap;

use super::allowed::Allowed;
use super::compile::{Compiled, compile};
use super::exhaust::{Exhaust, Outcome};
use super::model::model;
use super::program::{Program, Register};
use super::ranges;
use super::search::Search;
use crate::{Budget, Engine, Query, Verdict, Why};

/// Assignments that the evaluator may reject before the engine gives up: it has an error then.
const MAX_REJECTED: u64 = 8;
/// Instructions of the search between two slices of going through all assignments, doubled up to the longest.
const FIRST_SLICE: u64 = 1_000_000;
const LONGEST_SLICE: u64 = 64_000_000;
/// Lanes computed in the time of one instruction of the search.
const LANES_AN_INSTRUCTION: u64 = 32;
/// Few: lanes times instructions at most, of which a second has about a thousand millions.
const FEW: u128 = 1 << 37;
/// So few that nobody waits for another engine: some seconds. They are gone through once the search has had its first slices.
const VERY_FEW: u128 = 1 << 33;
const FIRST_SLICES: u64 = 3;

/// A query ready for local search.
#[derive(Clone, Debug)]
pub struct LocalQuery {
    program: Program,
    /// What facts and single assertions say of registers.
    bounds: FxHashMap<Register, Allowed>,
    /// Each input's values.
    domains: Vec<Allowed>,
    /// The place of each register that is an input.
    input_of: FxHashMap<Register, usize>,
}

impl LocalQuery {
    /// Compiles a query.
    ///
    /// # Errors
    ///
    /// [`Why::Unsupported`], with the part that no register can hold or no instruction can do.
    pub fn new(query: &Query<'_>) -> Result<LocalQuery, Why> {
        let Compiled { program, registers } = compile(query.store, query.assertions).map_err(Why::Unsupported)?;
        let mut bounds = FxHashMap::default();
        for (term, domain) in &query.facts.domains {
            if let Some(&register) = registers.get(term)
                && let Some(fact) = Allowed::of(&program.kinds[register as usize], domain)
            {
                bounds.insert(register, fact);
            }
        }
        ranges::narrow(&program, &mut bounds);
        let domain = |register: &Register| match bounds.get(register) {
            Some(bounds) => bounds.clone(),
            None => Allowed::top(&program.kinds[*register as usize]),
        };
        let domains = program.inputs.iter().map(|(_, register)| domain(register)).collect();
        let input_of = program.inputs.iter().enumerate().map(|(input, (_, register))| (*register, input)).collect();
        Ok(LocalQuery { program, bounds, domains, input_of })
    }

    /// A search that has not begun.
    pub fn run(&self, seed: u64) -> LocalRun<'_> {
        let exhaust = Exhaust::new(&self.program, &self.domains).filter(|exhaust| exhaust.estimate() <= FEW);
        LocalRun {
            compiled: self,
            search: Search::new(&self.program, &self.bounds, &self.domains, &self.input_of, seed),
            exhaust,
            slice: FIRST_SLICE,
            turn: FIRST_SLICE,
            rejected: 0,
        }
    }
}

/// A search of one query. As an engine it goes on where its last check stopped, with the seed it was made with; each check must
/// be given the query that was compiled, and counts its work from its own beginning.
pub struct LocalRun<'a> {
    compiled: &'a LocalQuery,
    search: Search<'a>,
    /// Going through all assignments, where they are few.
    exhaust: Option<Exhaust<'a>>,
    /// The search's instructions in a slice, and their count when the next turn of `exhaust` comes.
    slice: u64,
    turn: u64,
    rejected: u64,
}

impl LocalRun<'_> {
    /// Whether it goes through all assignments in some seconds, if it is not interrupted.
    pub fn ends_soon(&self) -> bool {
        self.exhaust.as_ref().is_some_and(|exhaust| exhaust.estimate() <= VERY_FEW)
    }

    /// Whether an assertion without variables is false.
    fn is_hopeless(&self) -> bool {
        let program = &self.compiled.program;
        program.assertions.iter().any(|root| !program.free[*root as usize] && !self.search.holds(*root))
    }

    /// Goes through some more assignments; `None` if the search may have its turn again.
    fn exhaust(&mut self, budget: &Budget) -> Option<Result<Vec<u64>, Verdict>> {
        let is_last = self.ends_soon() && self.slice >= FIRST_SLICE << FIRST_SLICES;
        let exhaust = self.exhaust.as_mut()?;
        let until = if is_last { u64::MAX } else { exhaust.computed + LANES_AN_INSTRUCTION * self.slice };
        self.slice = (2 * self.slice).min(LONGEST_SLICE);
        match exhaust.run(budget, until) {
            Outcome::Found(values) => Some(Ok(values)),
            // After a rejected assignment the rest of its batch was passed over.
            Outcome::None if self.rejected > 0 => Some(Err(Verdict::Unknown(Why::WrongModel))),
            Outcome::None => Some(Err(Verdict::Unsat)),
            Outcome::Paused => {
                self.turn = self.search.counts.computed + self.slice;
                None
            }
            Outcome::Stopped(why) => Some(Err(Verdict::Unknown(why))),
        }
    }
}

impl Engine for LocalRun<'_> {
    fn name(&self) -> &'static str {
        "local"
    }

    fn check(&mut self, query: &Query<'_>, budget: &Budget) -> Verdict {
        if self.is_hopeless() {
            return Verdict::Unknown(Why::Incomplete("an assertion without variables is false".into()));
        }
        let end = match budget.work {
            0 => u64::MAX,
            work => self.search.counts.computed + work,
        };
        loop {
            let turn = if self.exhaust.is_some() { self.turn } else { u64::MAX };
            let values = match self.search.run(&Budget { work: end.min(turn), ..budget.clone() }) {
                Ok(()) => self.search.assignment(),
                Err(Why::Work) if turn < end => match self.exhaust(budget) {
                    Some(Ok(values)) => values,
                    Some(Err(verdict)) => return verdict,
                    None => continue,
                },
                Err(why) => return Verdict::Unknown(why),
            };
            let model = model(&self.compiled.program, &values, self.search.table());
            let mut evaluator = Evaluator::new(query.store, &model);
            if query.assertions.iter().all(|assertion| evaluator.holds(*assertion) == Ok(true)) {
                return Verdict::Sat(model);
            }
            self.rejected += 1;
            if self.rejected > MAX_REJECTED {
                return Verdict::Unknown(Why::WrongModel);
            }
            self.search.reject();
        }
    }

    fn statistics(&self) -> Vec<(&'static str, u64)> {
        let counts = self.search.counts;
        vec![
            ("steps", counts.steps),
            ("tried", counts.tried),
            ("restarts", counts.restarts),
            ("instructions", counts.computed),
            ("lanes", self.exhaust.as_ref().map_or(0, |exhaust| exhaust.computed)),
            ("rejected", self.rejected),
        ]
    }
}
