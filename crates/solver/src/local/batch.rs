//! The program over many assignments at once: one column of lanes for each register.
//!
//! One dispatch an instruction and a batch, and loops that compilers vectorise, for what programs over floats mostly
//! consist of; the rest goes lane by lane. Compiled twice on x86, for the baseline and for AVX2: the results are the same,
//! since Rust never contracts or reorders floating-point operations.

use labrys_float::{Format, RoundingMode};

use super::program::{Kind, Operation, Program, Register, mask, signed};
use super::run::mode;

/// Assignments in a batch.
pub(super) const LANES: usize = 256;

/// A register's values.
pub(super) type Column = [u64; LANES];

#[inline(always)]
fn single(value: f32) -> u64 {
    if value.is_nan() { 0x7fc0_0000 } else { u64::from(value.to_bits()) }
}

#[inline(always)]
fn double(value: f64) -> u64 {
    if value.is_nan() { 0x7ff8_0000_0000_0000 } else { value.to_bits() }
}

#[inline(always)]
fn s(bits: u64) -> f32 {
    f32::from_bits(bits as u32)
}

#[inline(always)]
fn d(bits: u64) -> f64 {
    f64::from_bits(bits)
}

#[inline(always)]
fn map1(out: &mut Column, a: &Column, f: impl Fn(u64) -> u64) {
    for (out, a) in out.iter_mut().zip(a) {
        *out = f(*a);
    }
}

#[inline(always)]
fn map2(out: &mut Column, a: &Column, b: &Column, f: impl Fn(u64, u64) -> u64) {
    for ((out, a), b) in out.iter_mut().zip(a).zip(b) {
        *out = f(*a, *b);
    }
}

impl Program {
    /// Computes a register's column from its arguments' columns.
    pub fn compute_batch(&self, register: Register, columns: &mut [Column]) {
        #[cfg(target_arch = "x86_64")]
        if is_x86_feature_detected!("avx2") {
            // SAFETY: the processor has the feature.
            unsafe { self.compute_batch_avx2(register, columns) };
            return;
        }
        self.compute_columns(register, columns);
    }

    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "avx2")]
    fn compute_batch_avx2(&self, register: Register, columns: &mut [Column]) {
        self.compute_columns(register, columns);
    }

    #[inline(always)]
    fn compute_columns(&self, register: Register, columns: &mut [Column]) {
        let (before, rest) = columns.split_at_mut(register as usize);
        let Some(out) = rest.first_mut() else { return };
        let instruction = &self.instructions[register as usize];
        let column = |index: usize| &before[instruction.arguments[index] as usize];
        match instruction.operation {
            Operation::Input | Operation::Constant => {}
            Operation::Not => map1(out, column(0), |a| a ^ 1),
            Operation::And => self.connect(register, before, out, 1, |a, b| a & b),
            Operation::Or => self.connect(register, before, out, 0, |a, b| a | b),
            Operation::Xor => map2(out, column(0), column(1), |a, b| a ^ b),
            Operation::Equal => map2(out, column(0), column(1), |a, b| u64::from(a == b)),
            Operation::Ite => {
                let (condition, then, otherwise) = (column(0), column(1), column(2));
                for lane in 0..LANES {
                    out[lane] = if condition[lane] != 0 { then[lane] } else { otherwise[lane] };
                }
            }
            _ => {
                if !self.hardware(register, before, out) && !self.vector(register, before, out) {
                    self.lanes(register, before, out);
                }
            }
        }
    }

    /// N-ary conjunction or disjunction.
    #[inline(always)]
    fn connect(
        &self,
        register: Register,
        before: &[Column],
        out: &mut Column,
        neutral: u64,
        f: impl Fn(u64, u64) -> u64,
    ) {
        out.fill(neutral);
        for member in self.arguments(register) {
            for (out, member) in out.iter_mut().zip(&before[*member as usize]) {
                *out = f(*out, *member);
            }
        }
    }

    /// Lane by lane.
    fn lanes(&self, register: Register, before: &[Column], out: &mut Column) {
        let arguments = self.arguments(register);
        let mut operands = [0; 4];
        for (lane, out) in out.iter_mut().enumerate() {
            for (operand, argument) in operands.iter_mut().zip(arguments) {
                *operand = before[*argument as usize][lane];
            }
            *out = self.compute_on(register, &operands);
        }
    }

    /// Operations on bit vectors that are few machine instructions; false for others.
    #[inline(always)]
    fn vector(&self, register: Register, before: &[Column], out: &mut Column) -> bool {
        let arguments = self.arguments(register);
        let Some(Kind::Bits(width)) = arguments.last().map(|last| self.kinds[*last as usize]) else { return false };
        let all = mask(width);
        let result = mask(self.width(register));
        let instruction = &self.instructions[register as usize];
        let parameter = u32::from(instruction.parameter);
        let a = &before[arguments[0] as usize];
        let b = &before[arguments[arguments.len().min(2) - 1] as usize];
        match instruction.operation {
            Operation::BvNot => map1(out, a, |a| !a & all),
            Operation::BvNeg => map1(out, a, |a| a.wrapping_neg() & all),
            Operation::BvAnd => map2(out, a, b, |a, b| a & b),
            Operation::BvOr => map2(out, a, b, |a, b| a | b),
            Operation::BvXor => map2(out, a, b, |a, b| a ^ b),
            Operation::BvAdd => map2(out, a, b, |a, b| a.wrapping_add(b) & all),
            Operation::BvSub => map2(out, a, b, |a, b| a.wrapping_sub(b) & all),
            Operation::BvMul => map2(out, a, b, |a, b| a.wrapping_mul(b) & all),
            Operation::BvShl => map2(out, a, b, |a, b| if b < 64 { a << (b & 63) & all } else { 0 }),
            Operation::BvLshr => map2(out, a, b, |a, b| if b < 64 { a >> (b & 63) } else { 0 }),
            Operation::BvUlt => map2(out, a, b, |a, b| u64::from(a < b)),
            Operation::BvUle => map2(out, a, b, |a, b| u64::from(a <= b)),
            Operation::BvSlt => map2(out, a, b, |a, b| u64::from(signed(width, a) < signed(width, b))),
            Operation::BvSle => map2(out, a, b, |a, b| u64::from(signed(width, a) <= signed(width, b))),
            Operation::Concat => map2(out, a, b, |a, b| a << parameter | b),
            Operation::Extract => map1(out, a, |a| a >> parameter & result),
            Operation::ZeroExtend => map1(out, a, |a| a),
            Operation::FpFromBits => match self.packed(register) {
                Some(packed) => map1(out, a, |a| packed.canonical(a)),
                None => return false,
            },
            _ => return false,
        }
        true
    }

    /// Operations on binary32 and binary64 that round to nearest even or not at all; false for others.
    #[inline(always)]
    fn hardware(&self, register: Register, before: &[Column], out: &mut Column) -> bool {
        let arguments = self.arguments(register);
        let Some(last) = arguments.last() else { return false };
        let Kind::Float(packed) = &self.kinds[*last as usize] else { return false };
        let rounded = self.kinds[arguments[0] as usize] == Kind::Mode;
        if rounded {
            let first = arguments[0] as usize;
            if self.free[first] || mode(self.initial[first]) != RoundingMode::NearestEven {
                return false;
            }
        }
        let floats = &arguments[usize::from(rounded)..];
        let a = &before[floats[0] as usize];
        let b = &before[floats[floats.len().min(2) - 1] as usize];
        let operation = self.instructions[register as usize].operation;
        match (packed.format(), operation) {
            (_, Operation::FpToBits) => map1(out, a, |a| a),
            (Format::BINARY32, operation) => return singles(operation, a, b, out),
            (Format::BINARY64, operation) => return doubles(operation, a, b, out),
            _ => return false,
        }
        true
    }
}

#[inline(always)]
fn singles(operation: Operation, a: &Column, b: &Column, out: &mut Column) -> bool {
    match operation {
        Operation::FpAdd => map2(out, a, b, |a, b| single(s(a) + s(b))),
        Operation::FpSub => map2(out, a, b, |a, b| single(s(a) - s(b))),
        Operation::FpMul => map2(out, a, b, |a, b| single(s(a) * s(b))),
        Operation::FpDiv => map2(out, a, b, |a, b| single(s(a) / s(b))),
        Operation::FpSqrt => map1(out, a, |a| single(s(a).sqrt())),
        Operation::FpLt => map2(out, a, b, |a, b| u64::from(s(a) < s(b))),
        Operation::FpLe => map2(out, a, b, |a, b| u64::from(s(a) <= s(b))),
        Operation::FpEq => map2(out, a, b, |a, b| u64::from(s(a) == s(b))),
        Operation::FpAbs => map1(out, a, |a| single(s(a).abs())),
        Operation::FpNeg => map1(out, a, |a| single(-s(a))),
        _ => return false,
    }
    true
}

#[inline(always)]
fn doubles(operation: Operation, a: &Column, b: &Column, out: &mut Column) -> bool {
    match operation {
        Operation::FpAdd => map2(out, a, b, |a, b| double(d(a) + d(b))),
        Operation::FpSub => map2(out, a, b, |a, b| double(d(a) - d(b))),
        Operation::FpMul => map2(out, a, b, |a, b| double(d(a) * d(b))),
        Operation::FpDiv => map2(out, a, b, |a, b| double(d(a) / d(b))),
        Operation::FpSqrt => map1(out, a, |a| double(d(a).sqrt())),
        Operation::FpLt => map2(out, a, b, |a, b| u64::from(d(a) < d(b))),
        Operation::FpLe => map2(out, a, b, |a, b| u64::from(d(a) <= d(b))),
        Operation::FpEq => map2(out, a, b, |a, b| u64::from(d(a) == d(b))),
        Operation::FpAbs => map1(out, a, |a| double(d(a).abs())),
        Operation::FpNeg => map1(out, a, |a| double(-d(a))),
        _ => return false,
    }
    true
}
