//! Proposals by inverse values: from a violated assertion down one path to a variable.
//!
//! Niemetz, Preiner, Biere, "Precise and complete propagation based local search for satisfiability modulo theories", CAV
//! 2016, and Niemetz, Preiner, "Ternary propagation-based local search for more bit-precise reasoning", FMCAD 2020: at each
//! operator one argument is chosen and given a value that, the others unchanged, makes the operator's value the wanted one, or, where
//! there is none, one that some others could complete. Facts stand for their constant bits.

use rustc_hash::FxHashMap;

use super::allowed::Allowed;
use super::invert;
use super::program::{Kind, Operation, Program, Register};
use super::random::Random;
use super::state::State;

/// One input's new value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Move {
    /// The input's place.
    pub input: usize,
    pub value: u64,
}

/// Walks from assertions to inputs.
pub(super) struct Descent<'a> {
    pub program: &'a Program,
    /// What facts say of registers.
    pub bounds: &'a FxHashMap<Register, Allowed>,
    /// The place of each register that is an input.
    pub input_of: &'a FxHashMap<Register, usize>,
}

impl Descent<'_> {
    /// A change that would make the register `wanted` if every step had an inverse; `None` if the walk ends at a
    /// constant or at a variable that already has the value.
    pub fn propose(&self, state: &mut State<'_>, from: Register, wanted: u64, random: &mut Random) -> Option<Move> {
        let (mut register, mut target) = (from, wanted);
        loop {
            if let Some(bounds) = self.bounds.get(&register) {
                target = bounds.clip(target, &mut state.table, random);
            }
            if !self.program.free[register as usize] {
                return None;
            }
            if let Some(&input) = self.input_of.get(&register) {
                return (state.values[register as usize] != target).then_some(Move { input, value: target });
            }
            (register, target) = self.step(state, register, target, random)?;
        }
    }

    fn step(
        &self,
        state: &mut State<'_>,
        register: Register,
        target: u64,
        random: &mut Random,
    ) -> Option<(Register, u64)> {
        let instruction = &self.program.instructions[register as usize];
        let arguments = self.program.arguments(register);
        let value = |argument: Register| state.values[argument as usize];
        let free = |argument: Register| self.program.free[argument as usize];
        match instruction.operation {
            Operation::Not => Some((arguments[0], target ^ 1)),
            Operation::And => self.member(state, arguments, target, 1, random),
            Operation::Or => self.member(state, arguments, target, 0, random),
            Operation::Ite => {
                let [condition, then, otherwise] = [arguments[0], arguments[1], arguments[2]];
                let (taken, other) = if value(condition) != 0 { (then, otherwise) } else { (otherwise, then) };
                let flip = Some((condition, value(condition) ^ 1));
                if free(condition) && (value(other) == target || !free(taken) || random.once_in(5)) {
                    flip
                } else {
                    Some((taken, target))
                }
            }
            Operation::Xor => self.flip(state, register, arguments, target, random),
            Operation::Equal if self.program.kinds[arguments[0] as usize] == Kind::Bool => {
                self.flip(state, register, arguments, target, random)
            }
            _ => self.inverse(state, register, target, random),
        }
    }

    /// A member of a conjunction (`all` 1) or disjunction (`all` 0) that has to change, or, where one suffices, one that is near.
    fn member(
        &self,
        state: &State<'_>,
        members: &[Register],
        target: u64,
        all: u64,
        random: &mut Random,
    ) -> Option<(Register, u64)> {
        let free = |member: &&Register| self.program.free[**member as usize];
        let side = usize::from(target == 0);
        let nearest = target != all && !random.once_in(4);
        let mut chosen = None;
        let (mut count, mut least) = (0, f64::INFINITY);
        for &member in members.iter().filter(free) {
            let needs = target != all || state.values[member as usize] != target;
            let distance = state.distances[member as usize][side];
            if nearest && distance < least {
                (chosen, least) = (Some(member), distance);
            } else if !nearest && needs {
                // One of so many, each as likely.
                count += 1;
                if random.once_in(count) {
                    chosen = Some(member);
                }
            }
        }
        chosen.map(|member| (member, target))
    }

    /// One side of an equivalence or exclusive or, changed.
    fn flip(
        &self,
        state: &State<'_>,
        register: Register,
        arguments: &[Register],
        target: u64,
        random: &mut Random,
    ) -> Option<(Register, u64)> {
        if state.values[register as usize] == target {
            return None;
        }
        let argument = self.free_argument(arguments, random)?;
        Some((argument, state.values[argument as usize] ^ 1))
    }

    fn free_argument(&self, arguments: &[Register], random: &mut Random) -> Option<Register> {
        let count = arguments.iter().filter(|argument| self.program.free[**argument as usize]).count();
        let chosen = random.index(count);
        arguments.iter().filter(|argument| self.program.free[**argument as usize]).nth(chosen).copied()
    }

    /// An argument and its inverse value; where no argument has one, an argument and any value.
    fn inverse(
        &self,
        state: &mut State<'_>,
        register: Register,
        target: u64,
        random: &mut Random,
    ) -> Option<(Register, u64)> {
        let arguments = self.program.arguments(register);
        let start = random.index(arguments.len());
        for offset in 0..arguments.len() {
            let index = (start + offset) % arguments.len();
            let argument = arguments[index];
            // Modes are few: they are left to chance.
            let is_mode = self.program.kinds[argument as usize] == Kind::Mode;
            if !self.program.free[argument as usize] || (is_mode && !random.once_in(4)) {
                continue;
            }
            let (values, table) = (&state.values, &mut state.table);
            if let Some(value) = invert::argument(self.program, values, register, index, target, table, random) {
                return Some((argument, value));
            }
        }
        let argument = self.free_argument(arguments, random)?;
        let any = match self.bounds.get(&argument) {
            Some(bounds) => bounds.sample(&mut state.table, random),
            None => Allowed::top(&self.program.kinds[argument as usize]).sample(&mut state.table, random),
        };
        Some((argument, any))
    }
}
