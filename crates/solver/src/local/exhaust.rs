//! All assignments one after the other, where there are few enough: the only way here to Unsat.
//!
//! **Claim.** Unsat is answered only if every assignment of the inputs within the facts violates an assertion.
//!
//! **Argument.** The inputs are ordered; the last one's values go through the lanes of batches, the others' through an odometer
//! around them. A register is computed when the last of the inputs it depends on has changed, so that at a check all that the assertion
//! depends on is current. An assignment is passed over only when an assertion whose inputs are all set was false, whatever
//! the inputs inside are. Values are the exact evaluator's (`run`, tested against it), facts hold in every model.

use super::allowed::Allowed;
use super::batch::{Column, LANES};
use super::program::{Operation, Program, Register};
use super::segments::Segments;
use crate::{Budget, Why};

/// More instructions than this have no columns: 2 KiB each.
const MAX_REGISTERS: usize = 20_000;
/// Lanes computed between two looks at the clock.
const BETWEEN_LOOKS: u64 = 1 << 20;

/// What going through the assignments showed.
#[derive(Clone, Debug)]
pub(super) enum Outcome {
    /// The inputs' values that satisfy all assertions.
    Found(Vec<u64>),
    /// There are none.
    None,
    /// Not finished; the next run goes on.
    Paused,
    /// Not finished.
    Stopped(Why),
}

/// Something to do once an input has a new value.
#[derive(Clone, Copy, Debug)]
enum Step {
    Compute(Register),
    /// Pass over what violates this assertion.
    Check(Register),
}

/// The order in which assignments are gone through.
pub(super) struct Exhaust<'a> {
    program: &'a Program,
    /// Inputs by level, outermost first, with their values.
    levels: Vec<(usize, Segments)>,
    /// What to do at each level.
    steps: Vec<Vec<Step>>,
    columns: Vec<Column>,
    /// The level to enter next, each outer level's place, and the innermost one's.
    level: usize,
    places: Vec<u128>,
    inner: u128,
    /// Lanes computed, times instructions.
    pub computed: u64,
    next_look: u64,
}

impl<'a> Exhaust<'a> {
    /// Prepares; `None` if that needs too much memory, there are no inputs, or vectors of more than 64 bits, for which
    /// there are no columns.
    pub fn new(program: &'a Program, domains: &[Allowed]) -> Option<Exhaust<'a>> {
        if program.instructions.len() > MAX_REGISTERS || program.inputs.is_empty() || program.is_wide() {
            return None;
        }
        let segments: Option<Vec<Segments>> = domains
            .iter()
            .map(|allowed| match allowed {
                Allowed::Word(bounds) => Some(Segments::of(bounds)),
                Allowed::Wide(_) => None,
            })
            .collect();
        let mut levels: Vec<(usize, Segments)> = segments?.into_iter().enumerate().collect();
        levels.sort_by_key(|(input, segments)| (segments.count(), *input));
        let mut exhaust = Exhaust {
            program,
            steps: vec![Vec::new(); levels.len()],
            level: 0,
            places: vec![0; levels.len() - 1],
            inner: 0,
            levels,
            columns: program.initial.iter().map(|value| [*value; LANES]).collect(),
            computed: 0,
            next_look: BETWEEN_LOOKS,
        };
        exhaust.schedule();
        Some(exhaust)
    }

    /// Lanes times instructions at most, without what checks pass over.
    pub fn estimate(&self) -> u128 {
        let (_, inner) = &self.levels[self.levels.len() - 1];
        let outer = self.levels[..self.levels.len() - 1]
            .iter()
            .fold(1u128, |product, (_, segments)| product.saturating_mul(segments.count()));
        // A batch is computed whole.
        let lanes = inner.count().div_ceil(LANES as u128).saturating_mul(LANES as u128);
        let length = self.steps.last().map_or(0, Vec::len);
        outer.saturating_mul(lanes).saturating_mul(length as u128 + 1)
    }

    /// Orders registers and checks: an assertion is checked as soon as its last input is set, short ones first.
    fn schedule(&mut self) {
        let program = self.program;
        let mut level_of: Vec<Option<usize>> = vec![None; program.instructions.len()];
        for (level, (input, _)) in self.levels.iter().enumerate() {
            level_of[program.inputs[*input].1 as usize] = Some(level);
        }
        let mut known = vec![false; program.instructions.len()];
        for register in 0..program.instructions.len() {
            match program.instructions[register].operation {
                Operation::Input | Operation::Constant => known[register] = true,
                _ => {
                    let arguments = program.arguments(register as Register).iter();
                    level_of[register] = arguments.filter_map(|argument| level_of[*argument as usize]).max();
                }
            }
        }
        let mut assertions: Vec<(usize, Vec<Register>)> = program
            .assertions
            .iter()
            .map(|root| (level_of[*root as usize].unwrap_or(0), cone(program, *root)))
            .collect();
        assertions.sort_by_key(|(level, cone)| (*level, cone.len()));
        for (level, cone) in assertions {
            for &register in &cone {
                // Registers without inputs are computed at the outermost level, which is entered first.
                let own = level_of[register as usize].unwrap_or(0);
                if !std::mem::replace(&mut known[register as usize], true) {
                    self.steps[own].push(Step::Compute(register));
                }
            }
            if let Some(root) = cone.last() {
                self.steps[level].push(Step::Check(*root));
            }
        }
    }

    /// Goes through the assignments until so much has been computed in all, or to the end.
    pub fn run(&mut self, budget: &Budget, until: u64) -> Outcome {
        let last = self.levels.len() - 1;
        if self.levels.iter().any(|(_, segments)| segments.count() == 0) {
            return Outcome::None;
        }
        // Each turn enters a level with its present place, or leaves it for the next place of the one around it.
        loop {
            if let Some(outcome) = self.stop(budget, until) {
                return outcome;
            }
            let inside = if self.level == last {
                match self.batches(budget, until) {
                    Some(outcome) => return outcome,
                    None => false,
                }
            } else {
                self.enter(self.level, self.places[self.level])
            };
            if inside {
                self.level += 1;
            } else if !self.advance() {
                return Outcome::None;
            }
        }
    }

    /// The next place, of this level or of the nearest around it that has one; false if none has.
    fn advance(&mut self) -> bool {
        let last = self.levels.len() - 1;
        loop {
            if self.level < last {
                self.places[self.level] += 1;
                if self.places[self.level] < self.levels[self.level].1.count() {
                    return true;
                }
                self.places[self.level] = 0;
            }
            if self.level == 0 {
                return false;
            }
            self.level -= 1;
        }
    }

    fn stop(&mut self, budget: &Budget, until: u64) -> Option<Outcome> {
        if self.computed >= until {
            return Some(Outcome::Paused);
        }
        if self.computed >= self.next_look {
            self.next_look = self.computed + BETWEEN_LOOKS;
            return budget.exhausted().map(Outcome::Stopped);
        }
        None
    }

    /// Sets an outer input; whether no assertion is violated yet.
    fn enter(&mut self, level: usize, place: u128) -> bool {
        let (input, segments) = &self.levels[level];
        let value = segments.at(place);
        let register = self.program.inputs[*input].1;
        self.columns[register as usize].fill(value);
        for index in 0..self.steps[level].len() {
            match self.steps[level][index] {
                Step::Compute(register) => {
                    self.computed += LANES as u64;
                    self.program.compute_batch(register, &mut self.columns);
                }
                Step::Check(register) => {
                    if self.columns[register as usize][0] == 0 {
                        return false;
                    }
                }
            }
        }
        true
    }

    /// Goes through the innermost input's values; `None` if none of them satisfies all assertions.
    fn batches(&mut self, budget: &Budget, until: u64) -> Option<Outcome> {
        let level = self.levels.len() - 1;
        let count = self.levels[level].1.count();
        while self.inner < count {
            let (input, segments) = &self.levels[level];
            let register = self.program.inputs[*input].1 as usize;
            let new = segments.fill(self.inner, &mut self.columns[register]);
            self.inner += new.max(1) as u128;
            if let Some(lane) = self.batch(level) {
                return Some(Outcome::Found(self.assignment(lane)));
            }
            if let Some(outcome) = self.stop(budget, until) {
                return Some(outcome);
            }
        }
        self.inner = 0;
        None
    }

    /// One batch: a lane in which all checks hold.
    fn batch(&mut self, level: usize) -> Option<usize> {
        let mut alive = [1u64; LANES];
        for index in 0..self.steps[level].len() {
            match self.steps[level][index] {
                Step::Compute(register) => {
                    self.computed += LANES as u64;
                    self.program.compute_batch(register, &mut self.columns);
                }
                Step::Check(register) => {
                    let mut any = 0;
                    for (alive, truth) in alive.iter_mut().zip(&self.columns[register as usize]) {
                        *alive &= truth;
                        any |= *alive;
                    }
                    if any == 0 {
                        return None;
                    }
                }
            }
        }
        alive.iter().position(|lane| *lane != 0)
    }

    /// The inputs' values in a lane.
    fn assignment(&self, lane: usize) -> Vec<u64> {
        self.program.inputs.iter().map(|(_, register)| self.columns[*register as usize][lane]).collect()
    }
}

/// The registers that a register depends on, itself last.
fn cone(program: &Program, root: Register) -> Vec<Register> {
    let mut pending = vec![root];
    let mut seen = rustc_hash::FxHashSet::default();
    while let Some(register) = pending.pop() {
        if seen.insert(register) {
            pending.extend_from_slice(program.arguments(register));
        }
    }
    let mut cone: Vec<Register> = seen.into_iter().collect();
    cone.sort_unstable();
    cone
}
