//! Classifications: what is left of a set where one holds or does not, and whether it is decided.

use labrys_term::Op;

use crate::domain::{BoolDomain, FloatDomain, Range};

/// The numbers below the smallest normal number's magnitude.
fn subnormal(format: labrys_float::Format) -> Option<Range> {
    let high = (1u128 << (format.precision() - 1)) - 1;
    (high >= 1).then_some(Range { low: 1, high })
}

/// The values of a format of which `op` holds; `None` if it is not a classification.
fn class(op: &Op, format: labrys_float::Format) -> Option<FloatDomain> {
    let (empty, numbers) = (FloatDomain::empty(format), FloatDomain::numbers(format));
    Some(match op {
        Op::FpIsNan => FloatDomain { nan: true, ..empty },
        Op::FpIsInfinite => FloatDomain { minus_infinity: true, plus_infinity: true, ..empty },
        Op::FpIsZero => FloatDomain { minus_zero: true, plus_zero: true, ..empty },
        Op::FpIsSubnormal => FloatDomain { negative: subnormal(format), positive: subnormal(format), ..empty },
        Op::FpIsNormal => {
            let all = numbers.positive.map(|all| Range { low: 1 << (format.precision() - 1), high: all.high });
            FloatDomain { negative: all, positive: all, ..empty }
        }
        Op::FpIsNegative => numbers.clip(i128::MIN, -1),
        Op::FpIsPositive => numbers.clip(0, i128::MAX),
        _ => return None,
    })
}

/// The least set that holds every value of a format of which `op` does not hold.
fn other(op: &Op, format: labrys_float::Format) -> FloatDomain {
    let top = FloatDomain::top(format);
    let without = |class: Option<FloatDomain>| match class {
        Some(class) => FloatDomain {
            format,
            negative: top.negative.filter(|_| class.negative.is_none()),
            positive: top.positive.filter(|_| class.positive.is_none()),
            minus_zero: !class.minus_zero,
            plus_zero: !class.plus_zero,
            minus_infinity: !class.minus_infinity,
            plus_infinity: !class.plus_infinity,
            nan: !class.nan,
        },
        None => top,
    };
    let rest = without(class(op, format));
    // Of the finite non-zero numbers, a classification holds of both signs' subnormal or normal ones.
    let finite = match op {
        Op::FpIsSubnormal => class(&Op::FpIsNormal, format),
        Op::FpIsNormal => class(&Op::FpIsSubnormal, format),
        _ => None,
    };
    finite.map_or(rest, |finite| rest.hull(&finite))
}

/// The members of which the classification `op` has the value `truth`; all of them for another operator.
pub fn classify(op: &Op, a: &FloatDomain, truth: bool) -> FloatDomain {
    match class(op, a.format) {
        Some(class) if truth => a.intersect(&class),
        Some(_) => a.intersect(&other(op, a.format)),
        None => *a,
    }
}

/// The values that the classification `op` has on members.
pub fn decide(op: &Op, a: &FloatDomain) -> BoolDomain {
    BoolDomain::of(!classify(op, a, true).is_empty(), !classify(op, a, false).is_empty())
}
