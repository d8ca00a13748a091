//! What is known of operations' results by order and by exactness.
//!
//! **Claim.** Each lemma holds for all operands.
//!
//! **Argument.** Rounding is monotone in every mode, and leaves floats as they are: if a real number is at most a float, so is what it is
//! rounded to; and what is rounded the same way, or the smaller one downwards or the greater one upwards, keeps its order. Rounding −r is rounding r
//! in the opposite direction, and negating. So whatever holds between real results, or between one and a float, holds of results that are
//! numbers; those that are not are excepted. Infinite operands are limits of finite ones where the result is no NaN. The files say what
//! else their lemmas rest on.
//!
//! A difference is the sum with the negated subtrahend.
//!
//! A test evaluates all of them on all operands of a small format and on samples of others.

mod exact;
mod halved;
mod pair;
mod remainder;
mod scaled;
mod single;

use labrys_float::{Environment, Float, Format, RoundingMode};
use labrys_term::{Op, Store, TermId};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

/// An operation whose result is a variable, or itself.
#[derive(Clone, Debug)]
pub(super) struct Operation {
    pub op: Op,
    /// Arguments, the rounding mode first where the operator has one.
    pub args: SmallVec<[TermId; 4]>,
    pub result: TermId,
    /// A Bool term: the result is finite, and was not rounded.
    pub exact: TermId,
}

/// Pairs of operations that are compared, at most.
const MOST_PAIRS: usize = 400;

/// The lemmas about operations; those that double operands only if it `scales`.
pub(super) fn all(store: &mut Store, operations: &[Operation], scales: bool) -> Vec<TermId> {
    let mut lemmas =
        Lemmas { store, found: Vec::new(), scales, widened: FxHashMap::default(), halves: FxHashMap::default() };
    for operation in operations {
        match lemmas.shape(operation) {
            Shape::Conversion(to, from, inner) if super::holds_all(from, to) => {
                lemmas.widened.insert(operation.result, (inner, from));
            }
            Shape::Product(_, factors) => {
                if let Some(of) = lemmas.half(operation, factors) {
                    lemmas.halves.insert(operation.result, of);
                }
            }
            _ => {}
        }
    }
    for operation in operations {
        lemmas.single(operation);
        if let Shape::Sum(format, operands) = lemmas.shape(operation) {
            lemmas.sum_of_halves(operation, format, operands);
        }
    }
    let mut pairs = 0;
    for (index, a) in operations.iter().enumerate() {
        for b in &operations[..index] {
            let (one, other) = (lemmas.shape(a), lemmas.shape(b));
            match (one, other) {
                (Shape::Product(wide, factors), Shape::Sum(own, operands)) if wide == own => {
                    lemmas.halved((a, factors), (b, operands));
                }
                (Shape::Sum(own, operands), Shape::Product(wide, factors)) if wide == own => {
                    lemmas.halved((b, factors), (a, operands));
                }
                _ => {}
            }
            if !one.is_related(&other) {
                continue;
            }
            pairs += 1;
            if pairs > MOST_PAIRS {
                return lemmas.found;
            }
            lemmas.pair((a, &one), (b, &other));
            lemmas.pair((b, &other), (a, &one));
            lemmas.opposite((a, &one), (b, &other));
            if scales {
                lemmas.scaled((a, &one), (b, &other));
                lemmas.scaled((b, &other), (a, &one));
            }
        }
    }
    lemmas.found
}

struct Lemmas<'a> {
    store: &'a mut Store,
    found: Vec<TermId>,
    /// Whether operands may be doubled.
    scales: bool,
    /// What numbers were widened from, and the formats of that.
    widened: FxHashMap<TermId, (TermId, Format)>,
    /// What results are the halves of, rounded to nearest.
    halves: FxHashMap<TermId, TermId>,
}

/// An operation by its operands.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Shape {
    /// x + y.
    Sum(Format, [TermId; 2]),
    /// x·y.
    Product(Format, [TermId; 2]),
    /// x/y.
    Quotient(Format, [TermId; 2]),
    /// x·y + z.
    Fused(Format, [TermId; 3]),
    Root(Format, TermId),
    /// A number of the first format in the second.
    Conversion(Format, Format, TermId),
    /// A signed integer of so many bits.
    Integer(Format, u32, TermId),
    Integral(Format, TermId),
    /// A number truncated to a signed integer of so many bits.
    Truncated(Format, u32, TermId),
    /// C's fmod, or IEEE 754's remainder.
    Remainder(Format, bool, [TermId; 2]),
    Other,
}

impl Shape {
    /// Whether there are lemmas about two such operations.
    fn is_related(&self, other: &Shape) -> bool {
        use Shape::*;
        match (self, other) {
            (Sum(a, _), Sum(b, _)) => a == b || a.precision() != b.precision(),
            (Product(a, _) | Root(a, _), Product(b, _) | Root(b, _)) => a == b,
            (Integral(a, _), Sum(b, _)) | (Sum(a, _), Integral(b, _)) => a == b,
            (Quotient(a, _), Quotient(b, _)) | (Fused(a, _), Fused(b, _)) | (Integral(a, _), Integral(b, _)) => a == b,
            (Conversion(a, from, _), Conversion(b, other, _)) => a == b && from == other,
            (Integer(a, bits, _), Integer(b, other, _)) => a == b && bits == other,
            (Truncated(a, bits, _), Truncated(b, other, _)) => a == b && bits == other,
            (Remainder(a, nearest, _), Remainder(b, other, _)) => a == b && nearest == other,
            _ => false,
        }
    }
}

/// Whether fl(r) in one mode is at most fl(r) in the other, for each real number r.
fn is_below(one: RoundingMode, other: RoundingMode) -> bool {
    one == other || one == RoundingMode::TowardNegative || other == RoundingMode::TowardPositive
}

/// The mode in which −r is rounded to −fl(r).
fn mirrored(mode: RoundingMode) -> RoundingMode {
    match mode {
        RoundingMode::TowardNegative => RoundingMode::TowardPositive,
        RoundingMode::TowardPositive => RoundingMode::TowardNegative,
        other => other,
    }
}

impl Lemmas<'_> {
    fn format(&self, term: TermId) -> Format {
        self.store.float_format(term).unwrap_or(Format::BINARY64)
    }

    fn shape(&mut self, of: &Operation) -> Shape {
        let format = self.format(of.result);
        match (&of.op, &of.args[..]) {
            (Op::FpAdd, &[_, x, y]) => Shape::Sum(format, [x, y]),
            (Op::FpSub, &[_, x, y]) => Shape::Sum(format, [x, self.neg(y)]),
            (Op::FpMul, &[_, x, y]) => Shape::Product(format, [x, y]),
            (Op::FpDiv, &[_, x, y]) => Shape::Quotient(format, [x, y]),
            (Op::FpFma, &[_, x, y, z]) => Shape::Fused(format, [x, y, z]),
            (Op::FpSqrt, &[_, x]) => Shape::Root(format, x),
            (Op::FpFromFloat(_), &[_, x]) => Shape::Conversion(format, self.format(x), x),
            (Op::FpFromSigned(_), &[_, x]) => match self.store.sort(x) {
                labrys_term::Sort::BitVec(bits) => Shape::Integer(format, *bits, x),
                _ => Shape::Other,
            },
            (Op::FpToSigned(bits), &[_, x]) if self.mode(of) == Some(RoundingMode::TowardZero) => {
                Shape::Truncated(self.format(x), *bits, x)
            }
            (Op::FpRoundToIntegral, &[_, x]) => Shape::Integral(format, x),
            (Op::FpFmod, &[x, y]) => Shape::Remainder(format, false, [x, y]),
            (Op::FpRem, &[x, y]) => Shape::Remainder(format, true, [x, y]),
            _ => Shape::Other,
        }
    }

    /// The rounding mode, where it is known.
    fn mode(&self, of: &Operation) -> Option<RoundingMode> {
        match self.store.node(*of.args.first()?).op {
            Op::RoundingModeConst(mode) => Some(mode),
            _ => None,
        }
    }

    /// Whether the first operation's result is at most the second one's wherever its real result is.
    fn rounds_below(&self, a: &Operation, b: &Operation) -> bool {
        match (self.mode(a), self.mode(b)) {
            (Some(a), Some(b)) => is_below(a, b),
            _ => a.args.first() == b.args.first(),
        }
    }

    fn number(&mut self, format: Format, value: i64) -> TermId {
        let value = Environment::default().from_integer(&value.into(), format).value;
        self.store.float_const(value)
    }

    fn infinity(&mut self, format: Format) -> TermId {
        self.store.float_const(Float::infinity(format, false))
    }

    fn le(&mut self, a: TermId, b: TermId) -> TermId {
        self.store.mk(Op::FpLe, &[a, b])
    }

    fn lt(&mut self, a: TermId, b: TermId) -> TermId {
        self.store.mk(Op::FpLt, &[a, b])
    }

    fn eq(&mut self, a: TermId, b: TermId) -> TermId {
        self.store.mk(Op::FpEq, &[a, b])
    }

    fn abs(&mut self, a: TermId) -> TermId {
        self.store.mk(Op::FpAbs, &[a])
    }

    fn neg(&mut self, a: TermId) -> TermId {
        let node = self.store.node(a);
        if node.op == Op::FpNeg { node.args[0] } else { self.store.mk(Op::FpNeg, &[a]) }
    }

    /// 2·a to nearest, which is exact or infinite.
    fn twice(&mut self, a: TermId) -> TermId {
        let nearest = self.store.rounding_mode(RoundingMode::NearestEven);
        let two = self.number(self.format(a), 2);
        self.store.mk(Op::FpMul, &[nearest, a, two])
    }

    /// If the premises hold, the conclusion does, or one of the results is a NaN.
    fn add(&mut self, premises: &[TermId], conclusion: TermId, results: &[TermId]) {
        let mut cases: Vec<TermId> = premises.iter().map(|premise| self.store.not(*premise)).collect();
        cases.push(conclusion);
        cases.extend(results.iter().map(|result| self.store.mk(Op::FpIsNan, &[*result])));
        let lemma = self.store.or(&cases);
        self.found.push(lemma);
    }
}
