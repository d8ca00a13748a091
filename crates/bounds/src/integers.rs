//! Bit vectors as integers.
//!
//! **Claim.** A node that stands for a bit vector has an integer as its value that is the vector's bits modulo 2 to its width, and that lies in the term's
//! [`Range`]. For sums, differences, products and shifts that is so whatever the width, without regard to overflow. Where a vector is *read*, as a signed number
//! or as an unsigned one, the node's value is the number that is read if the range lies within that type's. The program computes integers
//! exactly, so that neither kind of read gives it an error.

use labrys_float::RoundingMode;
use labrys_term::{Op, Sort, TermId};
use num_traits::ToPrimitive;

use crate::Why;
use crate::compile::{Compiler, Failed};
use crate::expression::{NodeIndex, Operation};

/// The least and the greatest integer that a node may be.
pub(crate) type Range = (i128, i128);

/// Doubles hold the integers up to this magnitude.
const EXACT: f64 = (1u64 << 53) as f64;

/// The integers of an input's range: none where some are no doubles.
pub(crate) fn of_input(low: f64, high: f64) -> Option<Range> {
    (low > -EXACT && high < EXACT).then_some((low.floor() as i128, high.ceil() as i128))
}

/// The range of a type of so many bits.
fn of_type(bits: u32, is_signed: bool) -> Option<Range> {
    match (bits, is_signed) {
        (1..=64, true) => Some((-(1 << (bits - 1)), (1 << (bits - 1)) - 1)),
        (1..=64, false) => Some((0, (1 << bits) - 1)),
        _ => None,
    }
}

impl Compiler<'_> {
    /// The range of a bit vector's reading, where its node's value is that.
    pub(crate) fn read(&self, term: TermId, is_signed: bool) -> Option<Range> {
        let Sort::BitVec(bits) = *self.store.sort(term) else { return None };
        let ((low, high), (least, most)) = (*self.ranges_of_integers.get(&term)?, of_type(bits, is_signed)?);
        (least <= low && high <= most).then_some((low, high))
    }

    /// The nodes of two bit vectors that are compared, read in one way.
    pub(crate) fn integers(&self, a: TermId, b: TermId, is_signed: bool) -> Option<(NodeIndex, NodeIndex)> {
        self.read(a, is_signed)?;
        self.read(b, is_signed)?;
        Some((self.node(a).ok()?, self.node(b).ok()?))
    }

    /// The node of a bit vector.
    pub(crate) fn integer(&mut self, term: TermId) -> Result<NodeIndex, Failed> {
        let (node, range) = self.integer_and_range(term)?;
        self.ranges_of_integers.insert(term, range);
        Ok(node)
    }

    fn integer_and_range(&mut self, term: TermId) -> Result<(NodeIndex, Range), Failed> {
        let node = self.store.node(term);
        let unsupported = (Why::UnsupportedOperation, term);
        let Sort::BitVec(bits) = node.sort else { return Err(unsupported) };
        let range = |compiler: &Self, place: usize| {
            let arg = node.args.get(place)?;
            compiler.ranges_of_integers.get(arg).copied()
        };
        let arg = |compiler: &Self, place: usize| compiler.node(*node.args.get(place).ok_or(unsupported)?);
        // Beyond this nothing is gained, and products are far from overflowing.
        let within =
            |(low, high): Range| (low > -(1 << 62) && high < 1 << 62).then_some((low, high)).ok_or(unsupported);
        let corners = |combine: fn(i128, i128) -> i128, (a, b): Range, (c, d): Range| {
            let all = [combine(a, c), combine(a, d), combine(b, c), combine(b, d)];
            (all.into_iter().min().unwrap_or(0), all.into_iter().max().unwrap_or(0))
        };
        Ok(match &node.op {
            Op::BitVecConst(value) => {
                let value = value.to_i128().filter(|_| bits <= 64).ok_or(unsupported)?;
                let value = if bits > 1 && value >> (bits - 1) & 1 == 1 { value - (1 << bits) } else { value };
                if (value as f64) as i128 != value {
                    return Err((Why::UnsupportedFormat, term));
                }
                (self.push(Operation::Constant(value as f64), None, 0), (value, value))
            }
            Op::BvAdd | Op::BvSub | Op::BvMul => {
                let (a, b) = (arg(self, 0)?, arg(self, 1)?);
                let ranges = (range(self, 0).ok_or(unsupported)?, range(self, 1).ok_or(unsupported)?);
                let (operation, combine): (_, fn(i128, i128) -> i128) = match node.op {
                    Op::BvAdd => (Operation::Add(a, b), |x, y| x + y),
                    Op::BvSub => (Operation::Sub(a, b), |x, y| x - y),
                    _ => (Operation::Mul(a, b), |x, y| x * y),
                };
                let range = within(corners(combine, ranges.0, ranges.1))?;
                (self.push(operation, None, 0), range)
            }
            Op::BvNeg => {
                let (a, (low, high)) = (arg(self, 0)?, range(self, 0).ok_or(unsupported)?);
                (self.push(Operation::Neg(a), None, 0), within((-high, -low))?)
            }
            Op::SignExtend(_) | Op::ZeroExtend(_) => {
                let a = arg(self, 0)?;
                let is_signed = matches!(node.op, Op::SignExtend(_));
                (a, self.read(node.args[0], is_signed).ok_or((Why::Overflow, term))?)
            }
            // The lower bits are the same number modulo a smaller power.
            Op::Extract { low: 0, .. } => (arg(self, 0)?, range(self, 0).ok_or(unsupported)?),
            Op::Ite => {
                let (a, b) = (arg(self, 1)?, arg(self, 2)?);
                let ((c, d), (e, f)) = (range(self, 1).ok_or(unsupported)?, range(self, 2).ok_or(unsupported)?);
                let formula = self.formula_of(node.args[0]).ok_or(unsupported)?;
                (self.push(Operation::Choose(formula, a, b), None, 0), (c.min(e), d.max(f)))
            }
            Op::FpToSigned(_) | Op::FpToUnsigned(_) => {
                let is_signed = matches!(node.op, Op::FpToSigned(_));
                let (least, most) = of_type(bits, is_signed).ok_or(unsupported)?;
                let mode: RoundingMode = self.mode_of(node.args[0]).ok_or(unsupported)?;
                let a = arg(self, 1)?;
                // The greatest double that is no greater: of 64 bits the greatest number is none.
                let most_double = if bits > 53 { (most as f64).next_down() } else { most as f64 };
                (self.push(Operation::Integral(mode, a, least as f64, most_double), None, 0), (least, most))
            }
            _ => return Err(unsupported),
        })
    }
}
