//! Integer arithmetic: concrete operands here, in 128-bit words; symbols by the domain.

use labrys_program::{IntBinary, IntPredicate};

use crate::value::sign_extended;
use crate::{Domain, Int, IntOperation, Stop};

/// Sends `operation` to the domain if an operand is a symbol.
fn symbolic<D: Domain>(
    domain: &mut D,
    operation: IntOperation,
    operands: &[&Int<D::Symbol>],
) -> Option<Int<D::Symbol>> {
    let symbol = operands.iter().find_map(|operand| operand.symbol())?;
    let operands: smallvec::SmallVec<[Int<D::Symbol>; 3]> = operands.iter().map(|&operand| operand.clone()).collect();
    Some(domain.int_operation(symbol, operation, &operands))
}

/// The value of a concrete operand; symbols have been dealt with before.
fn known<S>(int: &Int<S>) -> u128 {
    int.concrete().unwrap_or_default()
}

/// `a op b`, and whether the result is poison (a shift by the width or more).
pub(crate) fn binary<D: Domain>(
    domain: &mut D,
    op: IntBinary,
    a: &Int<D::Symbol>,
    b: &Int<D::Symbol>,
) -> Result<(Int<D::Symbol>, bool), Stop> {
    if is_division(op) && b.concrete() == Some(0) {
        return Err(Stop::IntegerDivision);
    }
    if let Some(result) = symbolic(domain, IntOperation::Binary(op), &[a, b]) {
        let poison = is_shift(op) && b.concrete().is_some_and(|by| by >= u128::from(a.bits()));
        return Ok((result, poison));
    }
    let bits = a.bits();
    let (x, y) = (known(a), known(b));
    let (sx, sy) = (sign_extended(bits, x), sign_extended(bits, y));
    if matches!(op, IntBinary::SDiv | IntBinary::SRem) && sy == -1 && sx == sign_extended(bits, 1 << (bits - 1)) {
        return Err(Stop::IntegerDivision);
    }
    let poison = is_shift(op) && y >= u128::from(bits);
    // A shift by the width or more is poison; any value will do for it, and masking keeps the host's shift defined.
    let by = (y % u128::from(bits)) as u32;
    let value = match op {
        IntBinary::Add => x.wrapping_add(y),
        IntBinary::Sub => x.wrapping_sub(y),
        IntBinary::Mul => x.wrapping_mul(y),
        IntBinary::UDiv => x / y,
        IntBinary::SDiv => sx.wrapping_div(sy) as u128,
        IntBinary::URem => x % y,
        IntBinary::SRem => sx.wrapping_rem(sy) as u128,
        IntBinary::Shl => x << by,
        IntBinary::LShr => x >> by,
        IntBinary::AShr => (sx >> by) as u128,
        IntBinary::And => x & y,
        IntBinary::Or => x | y,
        IntBinary::Xor => x ^ y,
    };
    Ok((Int::new(bits, value), poison))
}

fn is_division(op: IntBinary) -> bool {
    matches!(op, IntBinary::UDiv | IntBinary::SDiv | IntBinary::URem | IntBinary::SRem)
}

fn is_shift(op: IntBinary) -> bool {
    matches!(op, IntBinary::Shl | IntBinary::LShr | IntBinary::AShr)
}

/// `a` compared with `b`: one bit.
pub(crate) fn compare<D: Domain>(
    domain: &mut D,
    predicate: IntPredicate,
    a: &Int<D::Symbol>,
    b: &Int<D::Symbol>,
) -> Int<D::Symbol> {
    if let Some(result) = symbolic(domain, IntOperation::Compare(predicate), &[a, b]) {
        return result;
    }
    let (x, y) = (known(a), known(b));
    let (sx, sy) = (sign_extended(a.bits(), x), sign_extended(b.bits(), y));
    Int::bool(match predicate {
        IntPredicate::Eq => x == y,
        IntPredicate::Ne => x != y,
        IntPredicate::Ugt => x > y,
        IntPredicate::Uge => x >= y,
        IntPredicate::Ult => x < y,
        IntPredicate::Ule => x <= y,
        IntPredicate::Sgt => sx > sy,
        IntPredicate::Sge => sx >= sy,
        IntPredicate::Slt => sx < sy,
        IntPredicate::Sle => sx <= sy,
    })
}

/// Bits `high` down to `low` of `int`.
pub(crate) fn extract<D: Domain>(domain: &mut D, int: &Int<D::Symbol>, high: u32, low: u32) -> Int<D::Symbol> {
    if low == 0 && high + 1 == int.bits() {
        return int.clone();
    }
    match symbolic(domain, IntOperation::Extract { high, low }, &[int]) {
        Some(result) => result,
        None => Int::new(high - low + 1, known(int) >> low),
    }
}

/// `high` above `low`; together at most 128 bits.
pub(crate) fn concat<D: Domain>(domain: &mut D, high: &Int<D::Symbol>, low: &Int<D::Symbol>) -> Int<D::Symbol> {
    match symbolic(domain, IntOperation::Concat, &[high, low]) {
        Some(result) => result,
        None => Int::new(high.bits() + low.bits(), known(high) << low.bits() | known(low)),
    }
}

/// `int` at `bits` bits: cut, or extended by zeros.
pub(crate) fn zero_extend<D: Domain>(domain: &mut D, int: &Int<D::Symbol>, bits: u32) -> Int<D::Symbol> {
    if bits <= int.bits() {
        return extract(domain, int, bits - 1, 0);
    }
    match symbolic(domain, IntOperation::ZeroExtend(bits), &[int]) {
        Some(result) => result,
        None => Int::new(bits, known(int)),
    }
}

/// `int` at `bits` bits: cut, or extended by its sign.
pub(crate) fn sign_extend<D: Domain>(domain: &mut D, int: &Int<D::Symbol>, bits: u32) -> Int<D::Symbol> {
    if bits <= int.bits() {
        return extract(domain, int, bits - 1, 0);
    }
    match symbolic(domain, IntOperation::SignExtend(bits), &[int]) {
        Some(result) => result,
        None => Int::new(bits, sign_extended(int.bits(), known(int)) as u128),
    }
}

/// `if_true` where `condition` is 1.
pub(crate) fn select<D: Domain>(
    domain: &mut D,
    condition: &Int<D::Symbol>,
    if_true: &Int<D::Symbol>,
    if_false: &Int<D::Symbol>,
) -> Int<D::Symbol> {
    match condition.concrete() {
        Some(0) => if_false.clone(),
        Some(_) => if_true.clone(),
        None => {
            symbolic(domain, IntOperation::Select, &[condition, if_true, if_false]).unwrap_or_else(|| if_false.clone())
        }
    }
}

/// `a op b` where neither division nor shifts by unknown amounts are involved.
pub(crate) fn total<D: Domain>(
    domain: &mut D,
    op: IntBinary,
    a: &Int<D::Symbol>,
    b: &Int<D::Symbol>,
) -> Result<Int<D::Symbol>, Stop> {
    binary(domain, op, a, b).map(|(result, _)| result)
}
