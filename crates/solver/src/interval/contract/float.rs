//! Operators over floats: direct and inverse projections, comparisons, classifications, conversions.
//!
//! Where one variable is both operands, the projections alone would treat it as two: squares, doublings, differences and
//! quotients of one value have their own.

use labrys_float::{Float, Format, RoundingMode};
use labrys_term::Op;

use super::cells::{Cells, Narrow};
use crate::domain::project::{classify, compare, forward, inverse, ulp_maximum};
use crate::domain::{Domain, FloatDomain, ModeDomain};

/// Narrows the domains of result and arguments of an operator that reads or gives floats.
pub(super) fn contract(op: &Op, cells: &mut Cells<'_>, ulp_max: bool) -> Narrow {
    match op {
        Op::FpAdd | Op::FpSub | Op::FpMul | Op::FpDiv => binary(op, cells, ulp_max),
        Op::FpFma => fused(cells),
        Op::FpSqrt | Op::FpRoundToIntegral | Op::FpFromFloat(_) => unary(op, cells),
        Op::FpRem | Op::FpFmod | Op::FpMin | Op::FpMax => select(op, cells),
        Op::FpNeg | Op::FpAbs => sign(op, cells),
        Op::FpLt | Op::FpLe | Op::FpEq => comparison(op, cells),
        Op::FpFromSigned(_) | Op::FpFromUnsigned(_) => from_integer(op, cells),
        Op::FpToSigned(_) | Op::FpToUnsigned(_) => to_integer(op, cells),
        Op::FpFromBits(format) => {
            let bits = cells.vector(1)?;
            cells.meet_float(0, &forward::from_bits(&bits, *format))?;
            let r = cells.float(0)?;
            cells.meet_vector(1, &inverse::from_bits(&r, &bits))
        }
        Op::FpToBits => {
            let a = cells.float(1)?;
            cells.meet_vector(0, &forward::to_bits(&a))?;
            let r = cells.vector(0)?;
            cells.meet_float(1, &inverse::to_bits(&r, &a))
        }
        Op::FpIsNormal
        | Op::FpIsSubnormal
        | Op::FpIsZero
        | Op::FpIsInfinite
        | Op::FpIsNan
        | Op::FpIsNegative
        | Op::FpIsPositive => {
            let a = cells.float(1)?;
            match cells.truth(0) {
                Some(truth) => cells.meet_float(1, &classify::classify(op, &a, truth)),
                None => cells.meet_truth(0, classify::decide(op, &a)),
            }
        }
        _ => Ok(()),
    }
}

/// Removes the modes with which no result is a member of slot 0; slot 1 holds them.
fn narrow_modes(cells: &mut Cells<'_>, results: impl Fn(ModeDomain) -> FloatDomain) -> Narrow {
    let modes = cells.modes(1);
    if modes.0.count_ones() < 2 {
        return Ok(());
    }
    let r = cells.float(0)?;
    let possible = modes.modes().filter(|mode| !results(ModeDomain::only(*mode)).intersect(&r).is_empty());
    let left = possible.fold(0, |set, mode| set | ModeDomain::only(mode).0);
    cells.meet(1, &Domain::RoundingMode(ModeDomain(left)))
}

fn binary(op: &Op, cells: &mut Cells<'_>, ulp_max: bool) -> Narrow {
    if cells.same_variable(2, 3) {
        return twice(op, cells);
    }
    let (a, b, modes) = (cells.float(2)?, cells.float(3)?, cells.modes(1));
    let direct = match op {
        Op::FpAdd => forward::add,
        Op::FpSub => forward::sub,
        Op::FpMul => forward::mul,
        _ => forward::div,
    };
    cells.meet_float(0, &direct(modes, &a, &b))?;
    narrow_modes(cells, |modes| direct(modes, &a, &b))?;
    let (r, modes) = (cells.float(0)?, cells.modes(1));
    let indirect = match op {
        Op::FpAdd if ulp_max => ulp_maximum::add,
        Op::FpSub if ulp_max => ulp_maximum::sub,
        Op::FpAdd => inverse::add,
        Op::FpSub => inverse::sub,
        Op::FpMul => inverse::mul,
        _ => inverse::div,
    };
    let (a, b) = indirect(modes, &r, &a, &b);
    cells.meet_float(2, &a)?;
    cells.meet_float(3, &b)
}

/// A sum, difference, product or quotient of one variable with itself.
fn twice(op: &Op, cells: &mut Cells<'_>) -> Narrow {
    let (a, modes) = (cells.float(2)?, cells.modes(1));
    let results = |modes: ModeDomain| match op {
        Op::FpAdd => {
            // Each sign by itself: x + x has the sign of x, zeros too.
            let part = |negative| forward::add(modes, &signed(&a, negative), &signed(&a, negative));
            part(false).hull(&part(true))
        }
        Op::FpMul => {
            let magnitude = forward::abs(&a);
            forward::mul(modes, &magnitude, &magnitude)
        }
        Op::FpSub => cancelled(modes, &a),
        _ => ratio(&a),
    };
    cells.meet_float(0, &results(modes))?;
    narrow_modes(cells, results)?;
    let (r, modes) = (cells.float(0)?, cells.modes(1));
    match op {
        Op::FpAdd => {
            let part = |negative| {
                let half = signed(&a, negative);
                let (left, right) = inverse::add(modes, &r, &half, &half);
                left.intersect(&right)
            };
            cells.meet_float(2, &part(false).hull(&part(true)))
        }
        Op::FpMul => {
            let magnitude = forward::abs(&a);
            let (left, right) = inverse::mul(modes, &r, &magnitude, &magnitude);
            let root = left.intersect(&right);
            cells.meet_float(2, &root.hull(&forward::neg(&root)))
        }
        _ => {
            // NaN comes of NaN and the infinities, and in quotients of the zeros; numbers of the others.
            let special = |domain: &FloatDomain| FloatDomain { negative: None, positive: None, ..*domain };
            let mut kept = a;
            if !r.nan {
                kept = FloatDomain { nan: false, minus_infinity: false, plus_infinity: false, ..kept };
                if *op == Op::FpDiv {
                    kept = FloatDomain { minus_zero: false, plus_zero: false, ..kept };
                }
            }
            if !r.has_numbers() {
                kept = special(&kept);
                if *op == Op::FpSub {
                    kept = FloatDomain { minus_zero: false, plus_zero: false, ..kept };
                }
            }
            cells.meet_float(2, &kept)
        }
    }
}

/// The members of one sign, and NaN.
fn signed(a: &FloatDomain, negative: bool) -> FloatDomain {
    if negative {
        FloatDomain { positive: None, plus_zero: false, plus_infinity: false, ..*a }
    } else {
        FloatDomain { negative: None, minus_zero: false, minus_infinity: false, ..*a }
    }
}

/// The values of x − x.
fn cancelled(modes: ModeDomain, a: &FloatDomain) -> FloatDomain {
    let mut results = FloatDomain::empty(a.format);
    results.nan = a.nan || a.minus_infinity || a.plus_infinity;
    if a.negative.is_some() || a.positive.is_some() || a.minus_zero || a.plus_zero {
        results.minus_zero = modes.modes().any(|mode| mode == RoundingMode::TowardNegative);
        results.plus_zero = modes.modes().any(|mode| mode != RoundingMode::TowardNegative);
    }
    results
}

/// The values of x / x.
fn ratio(a: &FloatDomain) -> FloatDomain {
    let mut results = FloatDomain::empty(a.format);
    if a.negative.is_some() || a.positive.is_some() {
        results = FloatDomain::only(&Float::one(a.format));
    }
    results.nan = a.nan || a.minus_infinity || a.plus_infinity || a.minus_zero || a.plus_zero;
    results
}

fn fused(cells: &mut Cells<'_>) -> Narrow {
    let (a, b, c, modes) = (cells.float(2)?, cells.float(3)?, cells.float(4)?, cells.modes(1));
    cells.meet_float(0, &forward::fma(modes, &a, &b, &c))?;
    narrow_modes(cells, |modes| forward::fma(modes, &a, &b, &c))?;
    let (r, modes) = (cells.float(0)?, cells.modes(1));
    let (a, b, c) = inverse::fma(modes, &r, &a, &b, &c);
    cells.meet_float(2, &a)?;
    cells.meet_float(3, &b)?;
    cells.meet_float(4, &c)
}

fn unary(op: &Op, cells: &mut Cells<'_>) -> Narrow {
    let (a, modes) = (cells.float(2)?, cells.modes(1));
    let results = |modes: ModeDomain| match op {
        Op::FpSqrt => forward::sqrt(modes, &a),
        Op::FpFromFloat(format) => forward::from_float(modes, &a, *format),
        _ => forward::round_to_integral(modes, &a),
    };
    cells.meet_float(0, &results(modes))?;
    narrow_modes(cells, results)?;
    let (r, modes) = (cells.float(0)?, cells.modes(1));
    let kept = match op {
        Op::FpSqrt => inverse::sqrt(modes, &r, &a),
        Op::FpFromFloat(_) => inverse::from_float(modes, &r, &a),
        _ => inverse::round_to_integral(modes, &r, &a),
    };
    cells.meet_float(2, &kept)
}

fn select(op: &Op, cells: &mut Cells<'_>) -> Narrow {
    let (a, b) = (cells.float(1)?, cells.float(2)?);
    let direct = match op {
        Op::FpRem => forward::rem,
        Op::FpFmod => forward::fmod,
        Op::FpMin => forward::min,
        _ => forward::max,
    };
    cells.meet_float(0, &direct(&a, &b))?;
    let indirect = match op {
        Op::FpRem => inverse::rem,
        Op::FpFmod => inverse::fmod,
        Op::FpMin => inverse::min,
        _ => inverse::max,
    };
    let r = cells.float(0)?;
    let (a, b) = indirect(&r, &a, &b);
    cells.meet_float(1, &a)?;
    cells.meet_float(2, &b)
}

fn sign(op: &Op, cells: &mut Cells<'_>) -> Narrow {
    let a = cells.float(1)?;
    let negates = *op == Op::FpNeg;
    cells.meet_float(0, &if negates { forward::neg(&a) } else { forward::abs(&a) })?;
    let r = cells.float(0)?;
    cells.meet_float(1, &if negates { inverse::neg(&r, &a) } else { inverse::abs(&r, &a) })
}

fn comparison(op: &Op, cells: &mut Cells<'_>) -> Narrow {
    let (a, b) = (cells.float(1)?, cells.float(2)?);
    if cells.same_variable(1, 2) {
        let nan = FloatDomain { nan: true, ..FloatDomain::empty(a.format) };
        let (yes, no) = if *op == Op::FpLt { (FloatDomain::empty(a.format), a) } else { (a.without_nan(), nan) };
        return match cells.truth(0) {
            Some(truth) => cells.meet_float(1, if truth { &yes } else { &no }),
            None => {
                let possible = |set: &FloatDomain| !a.intersect(set).is_empty();
                cells.meet_truth(0, crate::domain::BoolDomain::of(possible(&yes), possible(&no)))
            }
        };
    }
    let (narrow, decide): (fn(_, _, _) -> _, fn(_, _) -> _) = match op {
        Op::FpLt => (compare::less, compare::decide_less),
        Op::FpLe => (compare::less_equal, compare::decide_less_equal),
        _ => (compare::ieee_equal, compare::decide_ieee_equal),
    };
    let Some(truth) = cells.truth(0) else { return cells.meet_truth(0, decide(&a, &b)) };
    let (a, b): (FloatDomain, FloatDomain) = narrow(&a, &b, truth);
    cells.meet_float(1, &a)?;
    cells.meet_float(2, &b)
}

fn from_integer(op: &Op, cells: &mut Cells<'_>) -> Narrow {
    let (bits, modes) = (cells.vector(2)?, cells.modes(1));
    let signed = matches!(op, Op::FpFromSigned(_));
    let format: Format = cells.float(0)?.format;
    let results = |modes: ModeDomain| match signed {
        true => forward::from_signed(modes, &bits, format),
        false => forward::from_unsigned(modes, &bits, format),
    };
    cells.meet_float(0, &results(modes))?;
    narrow_modes(cells, results)?;
    let (r, modes) = (cells.float(0)?, cells.modes(1));
    let kept = match signed {
        true => inverse::from_signed(modes, &r, &bits),
        false => inverse::from_unsigned(modes, &r, &bits),
    };
    cells.meet_vector(2, &kept)
}

fn to_integer(op: &Op, cells: &mut Cells<'_>) -> Narrow {
    let (a, modes) = (cells.float(2)?, cells.modes(1));
    let results = match op {
        Op::FpToSigned(width) => forward::to_signed(modes, &a, *width),
        Op::FpToUnsigned(width) => forward::to_unsigned(modes, &a, *width),
        _ => return Ok(()),
    };
    cells.meet_vector(0, &results)?;
    let r = cells.vector(0)?;
    let kept = match op {
        Op::FpToSigned(_) => inverse::to_signed(modes, &r, &a),
        _ => inverse::to_unsigned(modes, &r, &a),
    };
    cells.meet_float(2, &kept)
}
