//! What an assumption says: of a record, and as a term.

use labrys_float::{Float, Format, RoundingMode};
use labrys_program::{InputLayout, ScalarType};
use labrys_term::{Op, Sort, Store, TermId};

use super::{Arithmetic, Number, Relation, Truth};

/// A leaf's value as binary64, converted by C's rules.
fn leaf_value(layout: &InputLayout, leaf: usize, record: &[u8]) -> f64 {
    let leaf = &layout.leaves[leaf];
    let bits = leaf.read(record);
    match leaf.scalar {
        ScalarType::Float(float) if float.format() == Format::BINARY64 => f64::from_bits(bits as u64),
        ScalarType::Float(float) if float.format() == Format::BINARY32 => f64::from(f32::from_bits(bits as u32)),
        ScalarType::Float(float) => {
            let wide = Float::from_bits(float.format(), bits);
            let narrow = labrys_float::Environment::default().convert(&wide, Format::BINARY64).value;
            narrow.to_f64().unwrap_or(f64::NAN)
        }
        ScalarType::Int { bits: width, signed: true } => {
            let shift = 64 - width;
            (((bits as u64) << shift) as i64 >> shift) as f64
        }
        ScalarType::Int { .. } | ScalarType::Bool => bits as u64 as f64,
    }
}

impl Number {
    pub(super) fn value(&self, layout: &InputLayout, record: &[u8]) -> f64 {
        match self {
            Number::Literal(value) => *value,
            Number::Leaf(leaf) => leaf_value(layout, *leaf, record),
            Number::Negate(of) => -of.value(layout, record),
            Number::Abs(of) => of.value(layout, record).abs(),
            Number::Binary(op, a, b) => {
                let (a, b) = (a.value(layout, record), b.value(layout, record));
                match op {
                    Arithmetic::Add => a + b,
                    Arithmetic::Sub => a - b,
                    Arithmetic::Mul => a * b,
                    Arithmetic::Div => a / b,
                }
            }
        }
    }

    pub(super) fn term(&self, layout: &InputLayout, store: &mut Store) -> TermId {
        match self {
            Number::Literal(value) => store.float_const(Float::from_f64(*value)),
            Number::Leaf(leaf) => leaf_term(layout, *leaf, store),
            Number::Negate(of) => {
                let of = of.term(layout, store);
                store.mk(Op::FpNeg, &[of])
            }
            Number::Abs(of) => {
                let of = of.term(layout, store);
                store.mk(Op::FpAbs, &[of])
            }
            Number::Binary(op, a, b) => {
                let (a, b) = (a.term(layout, store), b.term(layout, store));
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

fn leaf_term(layout: &InputLayout, leaf: usize, store: &mut Store) -> TermId {
    let leaf = &layout.leaves[leaf];
    let mode = store.rounding_mode(RoundingMode::NearestEven);
    match leaf.scalar {
        ScalarType::Float(float) => {
            let variable = store.variable(&leaf.path, Sort::Float(float.format()));
            match float.format() {
                Format::BINARY64 => variable,
                _ => store.mk(Op::FpFromFloat(Format::BINARY64), &[mode, variable]),
            }
        }
        ScalarType::Int { bits, signed } => {
            let variable = store.variable(&leaf.path, Sort::BitVec(bits));
            let convert = if signed { Op::FpFromSigned } else { Op::FpFromUnsigned };
            store.mk(convert(Format::BINARY64), &[mode, variable])
        }
        ScalarType::Bool => {
            let variable = store.variable(&leaf.path, Sort::BitVec(8));
            store.mk(Op::FpFromUnsigned(Format::BINARY64), &[mode, variable])
        }
    }
}

impl Truth {
    pub(super) fn holds(&self, layout: &InputLayout, record: &[u8]) -> bool {
        match self {
            Truth::Compare(relation, a, b) => {
                let (a, b) = (a.value(layout, record), b.value(layout, record));
                match relation {
                    Relation::Less => a < b,
                    Relation::LessEqual => a <= b,
                    Relation::Greater => a > b,
                    Relation::GreaterEqual => a >= b,
                    Relation::Equal => a == b,
                    Relation::NotEqual => a != b,
                }
            }
            Truth::Finite(of) => of.value(layout, record).is_finite(),
            Truth::Not(of) => !of.holds(layout, record),
            Truth::And(a, b) => a.holds(layout, record) && b.holds(layout, record),
            Truth::Or(a, b) => a.holds(layout, record) || b.holds(layout, record),
        }
    }

    pub(super) fn term(&self, layout: &InputLayout, store: &mut Store) -> TermId {
        match self {
            Truth::Compare(relation, a, b) => {
                let (a, b) = (a.term(layout, store), b.term(layout, store));
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
            Truth::Finite(of) => {
                let of = of.term(layout, store);
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
