//! The search: try proposals, take the best, learn weights where none helps, start again where that does not.
//!
//! A step takes one violated assertion, proposes changes of single variables (inverse values along random paths, and
//! perturbations), evaluates each and keeps the best if the weighted distance falls; a change that helps is carried further in the same
//! direction. At a local minimum the violated assertions gain weight (Fröhlich, Biere, Wintersteiger, Hamadi,
//! "Stochastic local search for satisfiability modulo theories", AAAI 2015, section 5), and half the time an inverse value is
//! taken whatever it costs, which is how propagation-based search escapes.

use rustc_hash::FxHashMap;

use super::allowed::Allowed;
use super::descend::{Descent, Move};
use super::perturb::{Pool, further, leap};
use super::program::{Program, Register};
use super::random::Random;
use super::state::State;
use super::wide::Table;
use crate::{Budget, Why};

/// Inverse values tried in a step.
const DESCENTS: usize = 6;
/// Perturbations tried in a step.
const PERTURBATIONS: usize = 10;
/// Steps without improvement before the first restart; Luby's sequence scales it.
const PATIENCE: u64 = 50;
/// Repairs in a row.
const CHAIN: usize = 3;
/// Inverse values tried for one repair.
const REPAIRS: usize = 4;
/// Instructions computed between two looks at the clock.
const BETWEEN_LOOKS: u64 = 200_000;

/// What the search did.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Counts {
    pub steps: u64,
    pub tried: u64,
    pub restarts: u64,
    pub computed: u64,
}

/// A search over one program.
pub(super) struct Search<'a> {
    program: &'a Program,
    state: State<'a>,
    bounds: &'a FxHashMap<Register, Allowed>,
    input_of: &'a FxHashMap<Register, usize>,
    /// Each input's values.
    domains: Vec<Allowed>,
    pool: Pool,
    /// The inputs each assertion depends on, once they were asked for.
    supports: Vec<Option<Vec<u32>>>,
    random: Random,
    /// The least cost without weights since the last restart, and the steps since it was reached.
    record: f64,
    stagnant: u64,
    /// Local minima met.
    minima: u64,
    next_look: u64,
    pub counts: Counts,
}

impl<'a> Search<'a> {
    pub fn new(
        program: &'a Program,
        bounds: &'a FxHashMap<Register, Allowed>,
        domains: &[Allowed],
        input_of: &'a FxHashMap<Register, usize>,
        seed: u64,
    ) -> Search<'a> {
        Search {
            program,
            state: State::new(program),
            bounds,
            input_of,
            domains: domains.to_vec(),
            pool: Pool::new(program),
            supports: vec![None; program.assertions.len()],
            random: Random::new(seed),
            record: f64::INFINITY,
            stagnant: 0,
            minima: 0,
            next_look: 0,
            counts: Counts::default(),
        }
    }

    /// The inputs' values.
    pub fn assignment(&self) -> Vec<u64> {
        self.program.inputs.iter().map(|(_, register)| self.state.values[*register as usize]).collect()
    }

    /// The wide vectors of the assignment.
    pub fn table(&self) -> &Table {
        &self.state.table
    }

    /// Whether a Bool register is true.
    pub fn holds(&self, register: Register) -> bool {
        self.state.values[register as usize] != 0
    }

    /// Searches until all assertions hold; else why it stopped.
    pub fn run(&mut self, budget: &Budget) -> Result<(), Why> {
        if self.counts.restarts == 0 {
            self.restart();
        }
        loop {
            if self.state.violated().is_empty() {
                return Ok(());
            }
            let computed = self.state.computed();
            self.counts.computed = computed;
            if computed >= self.next_look {
                self.next_look = computed + BETWEEN_LOOKS;
                if let Some(why) = budget.exhausted() {
                    return Err(why);
                }
            }
            if budget.work != 0 && computed >= budget.work {
                return Err(Why::Work);
            }
            self.state.tidy();
            self.step();
            self.stagnant += 1;
            if self.state.plain_cost < self.record {
                (self.record, self.stagnant) = (self.state.plain_cost, 0);
            }
            if self.stagnant > PATIENCE * luby(self.counts.restarts) {
                self.restart();
            }
        }
    }

    /// Starts again after an assignment that turned out not to be a model.
    pub fn reject(&mut self) {
        self.restart();
    }

    /// A new assignment: the first of zeros and ones where they are allowed, later ones random.
    fn restart(&mut self) {
        let first = self.counts.restarts == 0;
        self.counts.restarts += 1;
        (self.record, self.stagnant) = (f64::INFINITY, 0);
        let keep = !first && self.random.once_in(2);
        for (input, (_, register)) in self.program.inputs.iter().enumerate() {
            if keep && !self.random.once_in(3) {
                continue;
            }
            let (allowed, table) = (&self.domains[input], &mut self.state.table);
            let value =
                if first { allowed.first(table, &mut self.random) } else { allowed.sample(table, &mut self.random) };
            self.state.values[*register as usize] = value;
        }
        self.state.weights.fill(1.0);
        self.state.refresh();
    }

    /// A violated assertion, each as likely; there is one.
    fn violated(&mut self) -> usize {
        self.random.pick(self.state.violated()).unwrap_or(0) as usize
    }

    fn propose(&mut self, assertion: usize) -> Option<Move> {
        let descent = Descent { program: self.program, bounds: self.bounds, input_of: self.input_of };
        descent.propose(&mut self.state, self.program.assertions[assertion], 1, &mut self.random)
    }

    /// A change of a variable that the assertion depends on, whatever its effect.
    fn perturbation(&mut self, assertion: usize) -> Option<Move> {
        let program = self.program;
        let support = self.supports[assertion]
            .get_or_insert_with(|| support(program, program.assertions[assertion], self.input_of));
        let input = self.random.pick(support)? as usize;
        let register = program.inputs[input].1;
        let kind = &program.kinds[register as usize];
        let now = self.state.values[register as usize];
        let (allowed, table) = (&self.domains[input], &mut self.state.table);
        let value = allowed.perturb(kind, now, &self.pool, table, &mut self.random);
        let value = if self.random.once_in(16) { value } else { allowed.clip(value, table, &mut self.random) };
        (value != now).then_some(Move { input, value })
    }

    /// Makes a change for good.
    fn take(&mut self, change: Move) {
        self.state.set(change.input, change.value);
        self.state.commit();
    }

    /// The cost after a change, which is taken back.
    fn cost_after(&mut self, change: Move) -> f64 {
        self.counts.tried += 1;
        let mark = self.state.mark();
        self.state.set(change.input, change.value);
        let cost = self.state.cost;
        self.state.undo(mark);
        cost
    }

    fn step(&mut self) {
        self.counts.steps += 1;
        let assertion = self.violated();
        let mut best: Option<(Move, f64)> = None;
        let mut walk = None;
        for turn in 0..DESCENTS + PERTURBATIONS {
            let change = if turn < DESCENTS { self.propose(assertion) } else { self.perturbation(assertion) };
            let Some(change) = change else { continue };
            if turn < DESCENTS && (walk.is_none() || self.random.once_in(2)) {
                walk = Some(change);
            }
            let cost = self.cost_after(change);
            if best.is_none_or(|(_, least)| cost < least) {
                best = Some((change, cost));
            }
        }
        match best {
            Some((change, cost)) if cost < self.state.cost => self.improve(change),
            _ => self.escape(best, walk),
        }
    }

    /// Takes a change that helps, and goes on in its direction in doubled steps while that helps.
    fn improve(&mut self, change: Move) {
        let register = self.program.inputs[change.input].1;
        let kind = self.program.kinds[register as usize];
        let before = self.state.values[register as usize];
        self.take(change);
        loop {
            let now = self.state.values[register as usize];
            let Some(value) = further(&kind, before, now, &mut self.state.table) else { return };
            let further = Move { input: change.input, value };
            if value == now || self.cost_after(further) >= self.state.cost {
                return;
            }
            self.take(further);
        }
    }

    /// Leaves a local minimum.
    fn escape(&mut self, best: Option<(Move, f64)>, walk: Option<Move>) {
        self.minima += 1;
        if self.minima % 8 == 1 && self.sweep() {
            return;
        }
        if self.program.inputs.len() > 1 {
            let assertion = self.violated();
            let firsts = [walk, self.perturbation(assertion), self.perturbation(assertion)];
            if firsts.into_iter().flatten().any(|first| self.chain(first)) {
                return;
            }
        }
        self.reweigh();
        match (walk, best) {
            (Some(change), _) if self.random.once_in(2) => self.take(change),
            (_, Some((change, cost))) if cost <= self.state.cost || self.random.once_in(20) => self.take(change),
            _ => {}
        }
    }

    /// Violated assertions gain weight; now and then the others lose some.
    fn reweigh(&mut self) {
        for place in 0..self.state.violated().len() {
            let assertion = self.state.violated()[place];
            self.state.weights[assertion as usize] += 1.0;
        }
        if self.random.once_in(8) {
            for assertion in 0..self.program.assertions.len() {
                if self.state.holds(assertion) && self.state.weights[assertion] > 1.0 {
                    self.state.weights[assertion] -= 1.0;
                }
            }
        }
        self.state.weigh();
    }

    /// A change and repairs of what it breaks, each of another variable: the way along a narrow valley. Kept if the
    /// cost falls in the end.
    fn chain(&mut self, first: Move) -> bool {
        let (mark, start) = (self.state.mark(), self.state.cost);
        let mut changed = vec![first.input];
        self.state.set(first.input, first.value);
        for _ in 0..CHAIN {
            if self.state.cost < start {
                self.state.commit();
                return true;
            }
            let Some(repair) = self.repair(&changed) else { break };
            changed.push(repair.input);
            self.state.set(repair.input, repair.value);
        }
        if self.state.cost < start {
            self.state.commit();
            return true;
        }
        self.state.undo(mark);
        false
    }

    /// The best of a few inverse values for the assertion that broke last, of variables not yet changed.
    fn repair(&mut self, changed: &[usize]) -> Option<Move> {
        let broken = *self.state.violated().last()? as usize;
        let mut best: Option<(Move, f64)> = None;
        for _ in 0..REPAIRS {
            let Some(change) = self.propose(broken) else { continue };
            if changed.contains(&change.input) {
                continue;
            }
            let cost = self.cost_after(change);
            if best.is_none_or(|(_, least)| cost < least) {
                best = Some((change, cost));
            }
        }
        best.map(|(change, _)| change)
    }

    /// Pattern search: steps of every power of two, both ways, of one variable that a violated assertion depends on. Whether one helped.
    fn sweep(&mut self) -> bool {
        let assertion = self.violated();
        let Some(Move { input, .. }) = self.perturbation(assertion) else { return false };
        let register = self.program.inputs[input].1;
        let kind = self.program.kinds[register as usize];
        let now = self.state.values[register as usize];
        let mut best = None;
        let mut least = self.state.cost;
        for power in 0..kind.width() {
            for back in [false, true] {
                let change = Move { input, value: leap(&kind, now, power, back, &mut self.state.table) };
                let cost = self.cost_after(change);
                if cost < least {
                    (best, least) = (Some(change), cost);
                }
            }
        }
        if let Some(change) = best {
            self.improve(change);
        }
        best.is_some()
    }
}

/// The inputs that a register depends on.
fn support(program: &Program, root: Register, input_of: &FxHashMap<Register, usize>) -> Vec<u32> {
    let mut pending = vec![root];
    let mut seen = rustc_hash::FxHashSet::default();
    let mut inputs = Vec::new();
    while let Some(register) = pending.pop() {
        if !program.free[register as usize] || !seen.insert(register) {
            continue;
        }
        if let Some(input) = input_of.get(&register) {
            inputs.push(*input as u32);
        }
        pending.extend_from_slice(program.arguments(register));
    }
    inputs.sort_unstable();
    inputs
}

/// Luby, Sinclair, Zuckerman's sequence ("Optimal speedup of Las Vegas algorithms", 1993): 1 1 2 1 1 2 4 …, from index 1.
fn luby(index: u64) -> u64 {
    let mut index = index.max(1);
    loop {
        let bits = 64 - index.leading_zeros();
        if index == (1 << bits) - 1 {
            return 1 << (bits - 1);
        }
        index -= (1 << (bits - 1)) - 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn luby_s_sequence() {
        let start: Vec<u64> = (1..=15).map(luby).collect();
        assert_eq!(start, [1, 1, 2, 1, 1, 2, 4, 1, 1, 2, 1, 1, 2, 4, 8]);
    }
}
