//! What an assumption says: of a record, and as a term.

use std::cmp::Ordering;

use labrys_float::{Environment, Float, Format, RoundingMode};
use labrys_program::{InputLayout, Leaf, ScalarType};
use labrys_term::{Op, Sort, Store, TermId};

use super::leaf::{double, quadruple};
use super::ordinal;
use super::precision::Precision;
use super::syntax::{Arithmetic, Number, Relation, Truth};

impl Number {
    /// The ordinal of its value in [`Precision::Quadruple`].
    pub(super) fn ordinal(&self, layout: &InputLayout, record: &[u8]) -> Option<i128> {
        match self {
            Number::Literal(value) => value.ordinal,
            Number::Leaf(leaf) => ordinal::of_leaf(&layout.leaves[*leaf], record),
            Number::Negate(of) => of.ordinal(layout, record).map(|ordinal| -ordinal),
            Number::Abs(of) => of.ordinal(layout, record).map(i128::abs),
            Number::Binary(..) => ordinal::of_float(&self.quadruple(layout, record)),
        }
    }

    /// What it must be computed in for its inputs to be exact.
    fn precision(&self, layout: &InputLayout) -> Precision {
        match self {
            Number::Literal(_) => Precision::Double,
            Number::Leaf(leaf) => Precision::of(layout.leaves[*leaf].scalar),
            Number::Negate(of) | Number::Abs(of) => of.precision(layout),
            Number::Binary(_, a, b) => a.precision(layout).or(b.precision(layout)),
        }
    }

    /// Whether it is a literal that binary64 holds, below 2^53 in magnitude.
    fn is_small(&self) -> bool {
        match self {
            Number::Literal(value) => value.double.abs() < 2f64.powi(53) && value.is_exact(),
            Number::Negate(of) => of.is_small(),
            _ => false,
        }
    }

    /// Its value in [`Precision::Double`].
    fn double(&self, layout: &InputLayout, record: &[u8]) -> f64 {
        match self {
            Number::Literal(value) => value.double,
            Number::Leaf(leaf) => double(&layout.leaves[*leaf], record),
            Number::Negate(of) => -of.double(layout, record),
            Number::Abs(of) => of.double(layout, record).abs(),
            Number::Binary(op, a, b) => {
                let (a, b) = (a.double(layout, record), b.double(layout, record));
                match op {
                    Arithmetic::Add => a + b,
                    Arithmetic::Sub => a - b,
                    Arithmetic::Mul => a * b,
                    Arithmetic::Div => a / b,
                }
            }
        }
    }

    /// Its value in [`Precision::Quadruple`].
    pub(super) fn quadruple(&self, layout: &InputLayout, record: &[u8]) -> Float {
        match self {
            Number::Literal(value) => value.quadruple.clone(),
            Number::Leaf(leaf) => quadruple(&layout.leaves[*leaf], record),
            Number::Negate(of) => of.quadruple(layout, record).neg(),
            Number::Abs(of) => of.quadruple(layout, record).abs(),
            Number::Binary(op, a, b) => {
                let (a, b) = (a.quadruple(layout, record), b.quadruple(layout, record));
                let environment = Environment::default();
                let rounded = match op {
                    Arithmetic::Add => environment.add(&a, &b),
                    Arithmetic::Sub => environment.sub(&a, &b),
                    Arithmetic::Mul => environment.mul(&a, &b),
                    Arithmetic::Div => environment.div(&a, &b),
                };
                rounded.value
            }
        }
    }

    fn term(&self, precision: Precision, layout: &InputLayout, store: &mut Store) -> TermId {
        match self {
            Number::Literal(value) => store.float_const(value.float(precision)),
            Number::Leaf(leaf) => leaf_term(&layout.leaves[*leaf], precision.format(), store),
            Number::Negate(of) => {
                let of = of.term(precision, layout, store);
                store.mk(Op::FpNeg, &[of])
            }
            Number::Abs(of) => {
                let of = of.term(precision, layout, store);
                store.mk(Op::FpAbs, &[of])
            }
            Number::Binary(op, a, b) => {
                let (a, b) = (a.term(precision, layout, store), b.term(precision, layout, store));
                let mode = store.rounding_mode(RoundingMode::NearestEven);
                let op = match op {
                    Arithmetic::Add => Op::FpAdd,
                    Arithmetic::Sub => Op::FpSub,
                    Arithmetic::Mul => Op::FpMul,
                    Arithmetic::Div => Op::FpDiv,
                };
                store.mk(op, &[mode, a, b])
            }
        }
    }
}

/// A leaf's value as a term of a format.
fn leaf_term(leaf: &Leaf, format: Format, store: &mut Store) -> TermId {
    let mode = store.rounding_mode(RoundingMode::NearestEven);
    match leaf.scalar {
        ScalarType::Float(float) => {
            let variable = store.variable(&leaf.path, Sort::Float(float.format()));
            if float.format() == format { variable } else { store.mk(Op::FpFromFloat(format), &[mode, variable]) }
        }
        ScalarType::Int { bits, signed } => {
            let variable = store.variable(&leaf.path, Sort::BitVec(bits));
            let convert = if signed { Op::FpFromSigned } else { Op::FpFromUnsigned };
            store.mk(convert(format), &[mode, variable])
        }
        ScalarType::Bool => {
            // As symbolic execution has it.
            let variable = store.variable(&leaf.path, Sort::Bool);
            let (one, zero) = (store.float_const(Float::one(format)), store.float_const(Float::zero(format, false)));
            store.mk(Op::Ite, &[variable, one, zero])
        }
    }
}

impl Precision {
    /// The wider of two.
    fn or(self, other: Precision) -> Precision {
        if self == Precision::Quadruple { self } else { other }
    }
}

impl Relation {
    /// Whether numbers in this order are so related; `None`: they are unordered.
    fn holds(self, order: Option<Ordering>) -> bool {
        match self {
            Relation::Less => order == Some(Ordering::Less),
            Relation::LessEqual => matches!(order, Some(Ordering::Less | Ordering::Equal)),
            Relation::Greater => order == Some(Ordering::Greater),
            Relation::GreaterEqual => matches!(order, Some(Ordering::Greater | Ordering::Equal)),
            Relation::Equal => order == Some(Ordering::Equal),
            Relation::NotEqual => order != Some(Ordering::Equal),
        }
    }
}

impl Truth {
    /// A comparison in the precision that its sides need.
    pub(super) fn compare(relation: Relation, a: Number, b: Number, layout: &InputLayout) -> Truth {
        let is_integer = |number: &Number| match number {
            Number::Leaf(leaf) => matches!(layout.leaves[*leaf].scalar, ScalarType::Int { .. }),
            _ => false,
        };
        // Rounding keeps integers on their side of a small number: binary64 is as exact, and less work for solvers.
        let is_exact = is_integer(&a) && b.is_small() || a.is_small() && is_integer(&b);
        let precision = if is_exact { Precision::Double } else { a.precision(layout).or(b.precision(layout)) };
        Truth::Compare(precision, relation, a, b)
    }

    /// `finite(of)` in the precision that `of` needs.
    pub(super) fn finite(of: Number, layout: &InputLayout) -> Truth {
        Truth::Finite(of.precision(layout), of)
    }

    pub(super) fn holds(&self, layout: &InputLayout, record: &[u8]) -> bool {
        match self {
            Truth::Compare(Precision::Double, relation, a, b) => {
                relation.holds(a.double(layout, record).partial_cmp(&b.double(layout, record)))
            }
            Truth::Compare(Precision::Quadruple, relation, a, b) => {
                let ordinals = a.ordinal(layout, record).zip(b.ordinal(layout, record));
                relation.holds(ordinals.map(|(a, b)| a.cmp(&b)))
            }
            Truth::Finite(Precision::Double, of) => of.double(layout, record).is_finite(),
            Truth::Finite(Precision::Quadruple, of) => ordinal::is_finite(of.ordinal(layout, record)),
            Truth::Not(of) => !of.holds(layout, record),
            Truth::And(a, b) => a.holds(layout, record) && b.holds(layout, record),
            Truth::Or(a, b) => a.holds(layout, record) || b.holds(layout, record),
        }
    }

    pub(super) fn term(&self, layout: &InputLayout, store: &mut Store) -> TermId {
        match self {
            Truth::Compare(precision, relation, a, b) => {
                let (a, b) = (a.term(*precision, layout, store), b.term(*precision, layout, store));
                match relation {
                    Relation::Less => store.mk(Op::FpLt, &[a, b]),
                    Relation::LessEqual => store.mk(Op::FpLe, &[a, b]),
                    Relation::Greater => store.mk(Op::FpLt, &[b, a]),
                    Relation::GreaterEqual => store.mk(Op::FpLe, &[b, a]),
                    Relation::Equal => store.mk(Op::FpEq, &[a, b]),
                    Relation::NotEqual => {
                        let equal = store.mk(Op::FpEq, &[a, b]);
                        store.not(equal)
                    }
                }
            }
            Truth::Finite(precision, of) => {
                let of = of.term(*precision, layout, store);
                let nan = store.mk(Op::FpIsNan, &[of]);
                let infinite = store.mk(Op::FpIsInfinite, &[of]);
                let either = store.or(&[nan, infinite]);
                store.not(either)
            }
            Truth::Not(of) => {
                let of = of.term(layout, store);
                store.not(of)
            }
            Truth::And(a, b) => {
                let (a, b) = (a.term(layout, store), b.term(layout, store));
                store.and(&[a, b])
            }
            Truth::Or(a, b) => {
                let (a, b) = (a.term(layout, store), b.term(layout, store));
                store.or(&[a, b])
            }
        }
    }
}
