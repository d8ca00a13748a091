//! The interpreter of flat programs.
//!
//! Running several inputs side by side, to share the dispatch, was tried and brought nothing: predicted branches are
//! cheap, the arithmetic is not (about 3 ns an instruction either way).

use super::ExtendedReal;
use super::compile::{Instruction, Opcode, RealProgram};
use crate::Truth;

/// Runs a [`RealProgram`] without allocating.
#[derive(Clone, Debug)]
pub struct RealEvaluator<'a> {
    program: &'a RealProgram,
    reals: Vec<ExtendedReal>,
    truths: Vec<Truth>,
    truth_roots: Vec<Truth>,
}

impl<'a> RealEvaluator<'a> {
    /// An evaluator with registers of its own.
    pub fn new(program: &'a RealProgram) -> RealEvaluator<'a> {
        let mut reals = vec![ExtendedReal::UNKNOWN; program.reals];
        let mut truths = vec![Truth::Unsure; program.truths];
        for &(register, value) in &program.constants {
            reals[register as usize] = value;
        }
        for &(register, value) in &program.truth_constants {
            truths[register as usize] = value.into();
        }
        let truth_roots = vec![Truth::Unsure; program.truth_roots.len()];
        RealEvaluator { program, reals, truths, truth_roots }
    }

    /// The truth of the Bool roots, in order, given the variables' values in the order of
    /// [`RealProgram::variables`]; missing ones are unknown.
    pub fn run(&mut self, values: &[ExtendedReal]) -> &[Truth] {
        let program = self.program;
        for (i, register) in self.reals[..program.variables().len()].iter_mut().enumerate() {
            *register = values.get(i).copied().unwrap_or(ExtendedReal::UNKNOWN);
        }
        for instruction in &program.code {
            self.step(instruction);
        }
        for (root, &register) in self.truth_roots.iter_mut().zip(&program.truth_roots) {
            *root = self.truths[register as usize];
        }
        &self.truth_roots
    }

    /// The values of the Real roots, in order, as the last run left them.
    pub fn reals(&self) -> impl Iterator<Item = ExtendedReal> {
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
                self.real(instruction, |a, b| match condition {
                    Truth::True => a,
                    Truth::False => b,
                    Truth::Unsure => ExtendedReal::UNKNOWN,
                });
            }
            Opcode::ChooseTruth => {
                let condition = self.truths[instruction.c as usize];
                self.truth(instruction, |a, b| match condition {
                    Truth::True => a,
                    Truth::False => b,
                    Truth::Unsure => Truth::Unsure,
                });
            }
        }
    }

    #[inline(always)]
    fn real(&mut self, instruction: &Instruction, f: impl Fn(ExtendedReal, ExtendedReal) -> ExtendedReal) {
        let (a, b) = (self.reals[instruction.a as usize], self.reals[instruction.b as usize]);
        self.reals[instruction.target as usize] = f(a, b);
    }

    /// `f` gets the difference of the operands and its error, both in one unit.
    #[inline(always)]
    fn compare(&mut self, instruction: &Instruction, f: impl Fn(f64, f64) -> Truth) {
        let (a, b) = (self.reals[instruction.a as usize], self.reals[instruction.b as usize]);
        let (difference, error) = a.difference(b);
        self.truths[instruction.target as usize] = f(difference, error);
    }

    #[inline(always)]
    fn truth(&mut self, instruction: &Instruction, f: impl Fn(Truth, Truth) -> Truth) {
        let (a, b) = (self.truths[instruction.a as usize], self.truths[instruction.b as usize]);
        self.truths[instruction.target as usize] = f(a, b);
    }
}
