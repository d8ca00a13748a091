//! An assignment with everything computed from it, changed one variable at a time.
//!
//! A change recomputes what depends on the variable, in order, and skips instructions none of whose arguments changed. A
//! trail of old values takes tried changes back, the last first.

use super::distance::Distance;
use super::program::{Kind, Operation, Program, Register};
use super::wide::Table;

/// Registers that all cones together may list before they are no longer kept.
const MAX_CONES: usize = 40_000_000;

/// Wide vectors beside four for each register before those in no register are forgotten: a megabyte or two.
const MANY_VECTORS: usize = 10_000;

/// Stands for no assertion.
const NONE: u32 = u32::MAX;

/// An overwritten register.
#[derive(Clone, Copy, Debug)]
struct Old {
    register: Register,
    value: u64,
    distance: Distance,
}

/// A point of the trail to go back to.
#[derive(Clone, Copy, Debug)]
pub(super) struct Mark {
    trail: usize,
    cost: f64,
    plain_cost: f64,
}

/// The values of all registers under an assignment of the inputs.
pub(super) struct State<'a> {
    pub program: &'a Program,
    pub values: Vec<u64>,
    /// The vectors of more than 64 bits.
    pub table: Table,
    /// Meaningful for Bool registers.
    pub distances: Vec<Distance>,
    /// One for each assertion, positive.
    pub weights: Vec<f64>,
    /// The weighted sum of the assertions' distances to true.
    pub cost: f64,
    /// The sum without weights.
    pub plain_cost: f64,
    /// Instructions computed so far, [`Operation::Exact`] as cheap as the others.
    computed: u64,
    /// Users of each register: `users[starts[r]..starts[r + 1]]`.
    users: Vec<Register>,
    starts: Vec<usize>,
    /// The registers that depend on an input, in order, once they were asked for.
    cones: Vec<Option<Vec<Register>>>,
    /// The assertion that a register is, `NONE` for others.
    asserted: Vec<u32>,
    kept: usize,
    /// The change that last touched a register.
    touched: Vec<u64>,
    change: u64,
    trail: Vec<Old>,
    /// The assertions that do not hold, in no order.
    violated: Vec<u32>,
    /// Where in `violated` an assertion is, `NONE` for those that hold.
    place: Vec<u32>,
}

impl<'a> State<'a> {
    /// All inputs zero.
    pub fn new(program: &'a Program) -> State<'a> {
        let count = program.instructions.len();
        let (users, starts) = users(program);
        let mut asserted = vec![NONE; count];
        for (assertion, register) in program.assertions.iter().enumerate() {
            asserted[*register as usize] = assertion as u32;
        }
        let mut state = State {
            program,
            values: program.initial.clone(),
            table: Table::new(&program.literals),
            distances: vec![[0.0; 2]; count],
            weights: vec![1.0; program.assertions.len()],
            cost: 0.0,
            plain_cost: 0.0,
            computed: 0,
            users,
            starts,
            cones: vec![None; program.inputs.len()],
            asserted,
            kept: 0,
            touched: vec![0; count],
            change: 0,
            trail: Vec::new(),
            violated: Vec::new(),
            place: vec![NONE; program.assertions.len()],
        };
        state.refresh();
        state
    }

    /// Computes everything anew from the inputs' values.
    pub fn refresh(&mut self) {
        for register in 0..self.values.len() {
            self.compute(register as Register);
        }
        self.computed += self.values.len() as u64;
        self.trail.clear();
        self.violated.clear();
        self.place.fill(NONE);
        for assertion in 0..self.program.assertions.len() as u32 {
            if self.values[self.program.assertions[assertion as usize] as usize] == 0 {
                self.note(assertion, false);
            }
        }
        self.weigh();
    }

    /// Computes the cost anew, after changes of weights and against rounding errors.
    pub fn weigh(&mut self) {
        let terms = self.program.assertions.iter().zip(&self.weights);
        let distances = terms.map(|(register, weight)| (weight, self.distances[*register as usize][0]));
        (self.cost, self.plain_cost) = distances
            .fold((0.0, 0.0), |(cost, plain), (weight, distance)| (cost + weight * distance, plain + distance));
    }

    fn compute(&mut self, register: Register) {
        let value = self.program.compute(register, &self.values, &mut self.table);
        self.values[register as usize] = value;
        if self.program.kinds[register as usize] == Kind::Bool {
            self.distances[register as usize] =
                self.program.distance(register, &self.values, &self.distances, &self.table);
        }
    }

    /// The work done so far, in instructions on machine integers.
    pub fn computed(&self) -> u64 {
        self.computed + self.table.work
    }

    /// Forgets the wide vectors that no register holds, if there are many. Between two steps, when there is nothing to take back
    /// and no proposal.
    pub fn tidy(&mut self) {
        if self.table.len() < MANY_VECTORS + 4 * self.values.len() || !self.trail.is_empty() {
            return;
        }
        let mut kept = self.table.without(&self.program.literals);
        for (value, kind) in self.values.iter_mut().zip(&self.program.kinds) {
            if matches!(kind, Kind::Wide(_))
                && let Some(vector) = self.table.get(*value)
            {
                *value = kept.insert(vector.clone());
            }
        }
        self.table = kept;
    }

    /// Whether an assertion holds.
    pub fn holds(&self, assertion: usize) -> bool {
        self.place[assertion] == NONE
    }

    /// The assertions that do not hold; those that broke last are last.
    pub fn violated(&self) -> &[u32] {
        &self.violated
    }

    /// Keeps the list of violated assertions.
    fn note(&mut self, assertion: u32, holds: bool) {
        let place = self.place[assertion as usize];
        if !holds && place == NONE {
            self.place[assertion as usize] = self.violated.len() as u32;
            self.violated.push(assertion);
        } else if holds && place != NONE {
            self.violated.swap_remove(place as usize);
            self.place[assertion as usize] = NONE;
            if let Some(&moved) = self.violated.get(place as usize) {
                self.place[moved as usize] = place;
            }
        }
    }

    /// Where the trail is now.
    pub fn mark(&self) -> Mark {
        Mark { trail: self.trail.len(), cost: self.cost, plain_cost: self.plain_cost }
    }

    /// Forgets how to go back.
    pub fn commit(&mut self) {
        self.trail.clear();
    }

    /// Gives an input, named by its place, a value.
    pub fn set(&mut self, input: usize, value: u64) {
        let cone = match self.cones[input].take() {
            Some(cone) => cone,
            None => self.cone(input),
        };
        self.change += 1;
        let register = self.program.inputs[input].1;
        self.overwrite(register, value);
        for &register in &cone {
            let touched = |argument: &Register| self.touched[*argument as usize] == self.change;
            if self.program.arguments(register).iter().any(touched) {
                self.computed += 1;
                let value = self.program.compute(register, &self.values, &mut self.table);
                self.overwrite(register, value);
            }
        }
        if self.kept <= MAX_CONES {
            self.cones[input] = Some(cone);
        }
    }

    /// Writes a register and notes its old value, if anything about it changes.
    fn overwrite(&mut self, register: Register, value: u64) {
        let place = register as usize;
        let old = Old { register, value: self.values[place], distance: self.distances[place] };
        self.values[place] = value;
        let mut changed = old.value != value;
        if self.program.kinds[place] == Kind::Bool {
            self.distances[place] = self.program.distance(register, &self.values, &self.distances, &self.table);
            changed |= self.distances[place] != old.distance;
        }
        if changed {
            self.touched[place] = self.change;
            self.trail.push(old);
            let assertion = self.asserted[place];
            if assertion != NONE {
                let weight = self.weights[assertion as usize];
                let change = self.distances[place][0] - old.distance[0];
                self.cost += weight * change;
                self.plain_cost += change;
                self.note(assertion, value != 0);
            }
        }
    }

    /// Takes back all changes since a mark, of which there was no commit since.
    pub fn undo(&mut self, mark: Mark) {
        while self.trail.len() > mark.trail {
            let Some(old) = self.trail.pop() else { break };
            self.values[old.register as usize] = old.value;
            self.distances[old.register as usize] = old.distance;
            let assertion = self.asserted[old.register as usize];
            if assertion != NONE {
                self.note(assertion, old.value != 0);
            }
        }
        self.cost = mark.cost;
        self.plain_cost = mark.plain_cost;
    }

    /// What depends on an input.
    fn cone(&mut self, input: usize) -> Vec<Register> {
        let mut pending = vec![self.program.inputs[input].1];
        let mut seen = rustc_hash::FxHashSet::default();
        let mut registers = Vec::new();
        while let Some(register) = pending.pop() {
            let users = self.starts[register as usize]..self.starts[register as usize + 1];
            for &user in &self.users[users] {
                if seen.insert(user) {
                    registers.push(user);
                    pending.push(user);
                }
            }
        }
        registers.sort_unstable();
        self.kept += registers.len();
        registers
    }
}

/// The users of every register, each once.
fn users(program: &Program) -> (Vec<Register>, Vec<usize>) {
    let count = program.instructions.len();
    let mut starts = vec![0; count + 2];
    let all = || {
        (0..count as Register)
            .filter(|register| program.instructions[*register as usize].operation != Operation::Constant)
    };
    for register in all() {
        for argument in program.arguments(register) {
            starts[*argument as usize + 2] += 1;
        }
    }
    for place in 2..starts.len() {
        starts[place] += starts[place - 1];
    }
    let mut users = vec![0; *starts.last().unwrap_or(&0)];
    for register in all() {
        for argument in program.arguments(register) {
            users[starts[*argument as usize + 1]] = register;
            starts[*argument as usize + 1] += 1;
        }
    }
    (users, starts)
}
