//! The conditions under which operations raise exceptions, as terms.
//!
//! Those of operations that round are `labrys_symex`'s ([`RoundedOperation`]); here signaling NaNs are added, which its terms do
//! not have, and the processor's conversions to integers.

use labrys_float::{Flags, Float, Format, RoundingMode};
use labrys_symex::float_terms::in_range;
use labrys_symex::int_terms::not;
use labrys_symex::{RoundedOperation, changed};
use labrys_term::{Op, Sort, Store, TermId};

use super::encoding::{Encodings, format};
use super::environment::Raising;

/// The conditions whose disjunction says that `raising` raises `flag`, a single one.
pub(super) fn condition(store: &mut Store, encodings: &mut Encodings, raising: &Raising, flag: Flags) -> Vec<TermId> {
    match *raising {
        Raising::Operation(term) => of_operation(store, encodings, term, flag),
        Raising::Signaling(a, b) if flag == Flags::INVALID => {
            [a, b].map(|operand| encodings.is_signaling(store, operand)).to_vec()
        }
        Raising::Unordered(a, b) if flag == Flags::INVALID => {
            [a, b].map(|operand| store.mk(Op::FpIsNan, &[operand])).to_vec()
        }
        Raising::ToInteger(value, mode, bits, inexact) => to_integer(store, value, mode, bits, inexact, flag),
        Raising::Perhaps(raised, condition) if flag == raised => vec![condition],
        Raising::Signaling(..) | Raising::Unordered(..) | Raising::Perhaps(..) => Vec::new(),
    }
}

/// An operator's mode and operands.
fn parts(store: &Store, term: TermId) -> (RoundingMode, Vec<TermId>) {
    let node = store.node(term);
    match node.args.first().map(|&first| &store.node(first).op) {
        Some(Op::RoundingModeConst(mode)) => (*mode, node.args[1..].to_vec()),
        _ => (RoundingMode::NearestEven, node.args.to_vec()),
    }
}

fn of_operation(store: &mut Store, encodings: &mut Encodings, term: TermId, flag: Flags) -> Vec<TermId> {
    let (mode, operands) = parts(store, term);
    let op = store.node(term).op.clone();
    let operation = RoundedOperation { operation: op.clone(), operands: &operands, format: format(store, term), mode };
    if flag == Flags::INVALID {
        let floats: Vec<TermId> =
            operands.iter().copied().filter(|&operand| matches!(store.sort(operand), Sort::Float(_))).collect();
        let mut causes: Vec<TermId> = floats.iter().map(|&operand| encodings.is_signaling(store, operand)).collect();
        match op {
            Op::FpAdd | Op::FpSub | Op::FpMul | Op::FpDiv | Op::FpSqrt => causes.push(operation.invalid(store)),
            Op::FpFma => causes.extend(fused_invalid(store, &operands, &operation)),
            Op::FpFmod | Op::FpRem => {
                let nan = store.mk(Op::FpIsNan, &[term]);
                let mut parts = vec![nan];
                for operand in floats {
                    let is_nan = store.mk(Op::FpIsNan, &[operand]);
                    parts.push(not(store, is_nan));
                }
                causes.push(store.and(&parts));
            }
            _ => {}
        }
        return causes;
    }
    if matches!(flag, Flags::INEXACT | Flags::UNDERFLOW)
        && let Some(condition) = of_exact_product(store, term, &op, mode, &operands, flag)
    {
        return vec![condition];
    }
    let sum = matches!(op, Op::FpAdd | Op::FpSub);
    let from_integer = matches!(op, Op::FpFromSigned(_) | Op::FpFromUnsigned(_));
    match (flag, &op) {
        (_, Op::FpFmod | Op::FpRem) => Vec::new(),
        (Flags::INEXACT, Op::FpRoundToIntegral) => vec![changed(store, operands[0], term)],
        (_, Op::FpRoundToIntegral) => Vec::new(),
        (Flags::DIVBYZERO, Op::FpDiv) => vec![operation.divides_by_zero(store)],
        (Flags::OVERFLOW, _) if op != Op::FpSqrt => vec![operation.overflows(store)],
        (Flags::UNDERFLOW, _) if !sum && !from_integer && op != Op::FpSqrt => vec![operation.underflows(store)],
        (Flags::INEXACT, _) => vec![operation.inexact(store)],
        _ => Vec::new(),
    }
}

/// When a product of binary32 to nearest even is inexact, or tiny and inexact: binary64 holds every such product, so that the result is to be
/// compared with that. Tiny is what is below the normal numbers when rounded to 24 bits: less than 2^−126 by half of the last place below, 2^−151, or more.
fn of_exact_product(
    store: &mut Store,
    term: TermId,
    op: &Op,
    mode: RoundingMode,
    operands: &[TermId],
    flag: Flags,
) -> Option<TermId> {
    let (Op::FpMul, &[x, y]) = (op, operands) else { return None };
    if format(store, term) != Format::BINARY32 || mode != RoundingMode::NearestEven {
        return None;
    }
    let nearest = store.rounding_mode(RoundingMode::NearestEven);
    let [x, y, result] = [x, y, term].map(|number| store.mk(Op::FpFromFloat(Format::BINARY64), &[nearest, number]));
    let exact = store.mk(Op::FpMul, &[nearest, x, y]);
    let equal = store.mk(Op::FpEq, &[result, exact]);
    let nan = store.mk(Op::FpIsNan, &[term]);
    let parts = [not(store, equal), not(store, nan)];
    let inexact = store.and(&parts);
    if flag == Flags::INEXACT {
        return Some(inexact);
    }
    let least = 2f64.powi(-126) - 2f64.powi(-151);
    let least = store.float_const(Float::from_f64(least));
    let size = store.mk(Op::FpAbs, &[exact]);
    let tiny = store.mk(Op::FpLt, &[size, least]);
    Some(store.and(&[tiny, inexact]))
}

/// Invalid fused operations without signaling operands: ∞ − ∞, and 0 · ∞; x87's, which is computed in two steps, also where a
/// NaN is added to that product.
fn fused_invalid(store: &mut Store, operands: &[TermId], operation: &RoundedOperation<'_>) -> Vec<TermId> {
    let mut causes = vec![operation.invalid(store)];
    if operation.format.has_explicit_leading_bit() {
        let product = RoundedOperation { operation: Op::FpMul, operands: &operands[..2], ..operation.clone() };
        causes.push(product.invalid(store));
    }
    causes
}

fn to_integer(
    store: &mut Store,
    value: TermId,
    mode: RoundingMode,
    bits: u32,
    signals_inexact: bool,
    flag: Flags,
) -> Vec<TermId> {
    if flag != Flags::INVALID && !(flag == Flags::INEXACT && signals_inexact) {
        return Vec::new();
    }
    let rounding = store.rounding_mode(mode);
    let integral = store.mk(Op::FpRoundToIntegral, &[rounding, value]);
    let fits = in_range(store, format(store, value), integral, bits, true);
    if flag == Flags::INVALID {
        return vec![not(store, fits)];
    }
    let changed = changed(store, value, integral);
    vec![store.and(&[fits, changed])]
}
