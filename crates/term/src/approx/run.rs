//! The interpreter of flat programs.

use super::ExtendedReal;
use super::compile::{Instruction, Opcode, RealProgram};
use crate::Truth;

/// Runs a [`RealProgram`] on `LANES` inputs side by side, without allocating.
///
/// With one lane an instruction costs some nanoseconds, most of them for finding out which it is; eight lanes share
/// that cost.
#[derive(Clone, Debug)]
pub struct RealEvaluator<'a, const LANES: usize = 1> {
    program: &'a RealProgram,
    reals: Vec<[ExtendedReal; LANES]>,
    truths: Vec<[Truth; LANES]>,
    truth_roots: Vec<[Truth; LANES]>,
}

impl<'a> RealEvaluator<'a> {
    /// An evaluator of one input at a time.
    pub fn new(program: &'a RealProgram) -> RealEvaluator<'a> {
        RealEvaluator::with_lanes(program)
    }

    /// The truth of the Bool roots, in order, given the variables' values in the order of
    /// [`RealProgram::variables`]; missing ones are unknown.
    pub fn run(&mut self, values: &[ExtendedReal]) -> &[Truth] {
        self.run_lanes(values.as_chunks::<1>().0).as_flattened()
    }

    /// The values of the Real roots, in order, as the last run left them.
    pub fn reals(&self) -> impl Iterator<Item = ExtendedReal> {
        self.real_lanes().map(|[value]| value)
    }
}

impl<'a, const LANES: usize> RealEvaluator<'a, LANES> {
    /// An evaluator of `LANES` inputs at a time.
    pub fn with_lanes(program: &'a RealProgram) -> RealEvaluator<'a, LANES> {
        let mut reals = vec![[ExtendedReal::UNKNOWN; LANES]; program.reals];
        let mut truths = vec![[Truth::Unsure; LANES]; program.truths];
        for &(register, value) in &program.constants {
            reals[register as usize] = [value; LANES];
        }
        for &(register, value) in &program.truth_constants {
            truths[register as usize] = [value.into(); LANES];
        }
        let truth_roots = vec![[Truth::Unsure; LANES]; program.truth_roots.len()];
        RealEvaluator { program, reals, truths, truth_roots }
    }

    /// The truth of the Bool roots, in order, for each lane, given each variable's values in each lane.
    pub fn run_lanes(&mut self, values: &[[ExtendedReal; LANES]]) -> &[[Truth; LANES]] {
        let variables = self.program.variables().len();
        for (i, register) in self.reals[..variables].iter_mut().enumerate() {
            *register = values.get(i).copied().unwrap_or([ExtendedReal::UNKNOWN; LANES]);
        }
        let program = self.program;
        for instruction in &program.code {
            self.step(instruction);
        }
        for (root, &register) in self.truth_roots.iter_mut().zip(&program.truth_roots) {
            *root = self.truths[register as usize];
        }
        &self.truth_roots
    }

    /// The values of the Real roots, in order, as the last run left them.
    pub fn real_lanes(&self) -> impl Iterator<Item = [ExtendedReal; LANES]> {
        self.program.real_roots.iter().map(|&register| self.reals[register as usize])
    }

    #[inline(always)]
    fn step(&mut self, instruction: &Instruction) {
        match instruction.opcode {
            Opcode::Add => self.real(instruction, ExtendedReal::add),
            Opcode::Sub => self.real(instruction, |a, b| a.add(b.neg())),
            Opcode::Mul => self.real(instruction, ExtendedReal::mul),
            Opcode::Div => self.real(instruction, ExtendedReal::div),
            Opcode::Neg => self.real(instruction, |a, _| a.neg()),
            Opcode::Abs => self.real(instruction, |a, _| a.abs()),
            Opcode::Less => self.compare(instruction, |d, error| Truth::from_certain(d < -error, d >= error)),
            Opcode::AtMost => self.compare(instruction, |d, error| Truth::from_certain(d <= -error, d > error)),
            Opcode::Equal => {
                self.compare(instruction, |d, error| Truth::from_certain(d == 0.0 && error == 0.0, d.abs() > error));
            }
            Opcode::And => self.truth(instruction, Truth::and),
            Opcode::Or => self.truth(instruction, Truth::or),
            Opcode::Xor => self.truth(instruction, Truth::xor),
            Opcode::Implies => self.truth(instruction, |a, b| (!a).or(b)),
            Opcode::Not => self.truth(instruction, |a, _| !a),
            Opcode::Choose => {
                let condition = self.truths[instruction.c as usize];
                let (a, b) = (self.reals[instruction.a as usize], self.reals[instruction.b as usize]);
                self.reals[instruction.target as usize] = std::array::from_fn(|lane| match condition[lane] {
                    Truth::True => a[lane],
                    Truth::False => b[lane],
                    Truth::Unsure => ExtendedReal::UNKNOWN,
                });
            }
            Opcode::ChooseTruth => {
                let condition = self.truths[instruction.c as usize];
                let (a, b) = (self.truths[instruction.a as usize], self.truths[instruction.b as usize]);
                self.truths[instruction.target as usize] = std::array::from_fn(|lane| match condition[lane] {
                    Truth::True => a[lane],
                    Truth::False => b[lane],
                    Truth::Unsure if a[lane] == b[lane] => a[lane],
                    Truth::Unsure => Truth::Unsure,
                });
            }
        }
    }

    #[inline(always)]
    fn real(&mut self, instruction: &Instruction, f: impl Fn(ExtendedReal, ExtendedReal) -> ExtendedReal) {
        let (a, b) = (self.reals[instruction.a as usize], self.reals[instruction.b as usize]);
        self.reals[instruction.target as usize] = std::array::from_fn(|lane| f(a[lane], b[lane]));
    }

    #[inline(always)]
    fn compare(&mut self, instruction: &Instruction, f: impl Fn(f64, f64) -> Truth) {
        let (a, b) = (&self.reals[instruction.a as usize], &self.reals[instruction.b as usize]);
        self.truths[instruction.target as usize] = std::array::from_fn(|lane| {
            let (difference, error) = a[lane].difference(b[lane]);
            f(difference, error)
        });
    }

    #[inline(always)]
    fn truth(&mut self, instruction: &Instruction, f: impl Fn(Truth, Truth) -> Truth) {
        let (a, b) = (self.truths[instruction.a as usize], self.truths[instruction.b as usize]);
        self.truths[instruction.target as usize] = std::array::from_fn(|lane| f(a[lane], b[lane]));
    }
}
