//! Integer arithmetic: known operands here, in 128-bit words, or in `wide` where these do not do; symbols by the domain.

use labrys_program::{IntBinary, IntPredicate};

use crate::value::{WORD_BITS, sign_extended};
use crate::{Domain, Int, IntOperation, Stop, wide};

/// The result of an operation on known integers; `None` if one is not known, or for a division that traps.
pub fn evaluate<S>(operation: IntOperation, operands: &[Int<S>]) -> Option<Int<S>> {
    let known = |i: usize| operands.get(i).and_then(Int::concrete);
    let bits = operands.first()?.bits();
    if is_wide(operation, operands) {
        return wide::evaluate(operation, operands);
    }
    let a = known(0)?;
    Some(match operation {
        IntOperation::Binary(op) => Int::new(bits, arithmetic(op, bits, a, known(1)?)?),
        IntOperation::Compare(predicate) => Int::bool(holds(predicate, bits, a, known(1)?)),
        IntOperation::Extract { high, low } => Int::new(high - low + 1, a >> low),
        IntOperation::ZeroExtend(to) => Int::new(to, a),
        IntOperation::SignExtend(to) => Int::new(to, sign_extended(bits, a) as u128),
        IntOperation::Concat => {
            let low = operands.get(1)?.bits();
            // A shift by the full width would be one of an empty upper part, which does not exist.
            Int::new(bits + low, a.checked_shl(low)? | known(1)?)
        }
        IntOperation::Select => Int::new(operands.get(1)?.bits(), if a != 0 { known(1)? } else { known(2)? }),
    })
}

/// Whether an operand or the result of an operation has more than 128 bits.
fn is_wide<S>(operation: IntOperation, operands: &[Int<S>]) -> bool {
    let of = |i: usize| operands.get(i).map_or(0, Int::bits);
    let widest = match operation {
        IntOperation::ZeroExtend(to) | IntOperation::SignExtend(to) => to,
        IntOperation::Concat => of(0) + of(1),
        IntOperation::Select => of(1),
        IntOperation::Binary(_) | IntOperation::Compare(_) | IntOperation::Extract { .. } => of(0),
    };
    widest > WORD_BITS
}

/// Wrapping arithmetic; shifts by the width or more, which are poison, give some value.
fn arithmetic(op: IntBinary, bits: u32, x: u128, y: u128) -> Option<u128> {
    let (sx, sy) = (sign_extended(bits, x), sign_extended(bits, y));
    if is_division(op) && y == 0 {
        return None;
    }
    if matches!(op, IntBinary::SDiv | IntBinary::SRem) && sy == -1 && sx == sign_extended(bits, 1 << (bits - 1)) {
        return None;
    }
    let by = (y % u128::from(bits)) as u32;
    Some(match op {
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
    })
}

fn holds(predicate: IntPredicate, bits: u32, x: u128, y: u128) -> bool {
    compares(predicate, [x, y], [x, y].map(|value| sign_extended(bits, value)))
}

/// Whether a comparison holds between two numbers, read as unsigned and as signed ones.
#[inline]
pub(crate) fn compares<U: Ord, S: Ord>(predicate: IntPredicate, [x, y]: [U; 2], [sx, sy]: [S; 2]) -> bool {
    match predicate {
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
    }
}

/// Whether an operation traps on some operands.
pub(crate) fn is_division(op: IntBinary) -> bool {
    matches!(op, IntBinary::UDiv | IntBinary::SDiv | IntBinary::URem | IntBinary::SRem)
}

/// Whether the second operand is a number of places.
pub(crate) fn is_shift(op: IntBinary) -> bool {
    matches!(op, IntBinary::Shl | IntBinary::LShr | IntBinary::AShr)
}

/// Whether a result that does not fit is an overflow.
pub(crate) fn can_overflow(op: IntBinary) -> bool {
    matches!(op, IntBinary::Add | IntBinary::Sub | IntBinary::Mul)
}

/// Computes here if all operands are known, else asks the domain; `None` for a division that traps.
fn operate<D: Domain>(
    domain: &mut D,
    operation: IntOperation,
    operands: [&Int<D::Symbol>; 2],
) -> Option<Int<D::Symbol>> {
    let all = [operands[0].clone(), operands[1].clone()];
    match operands.iter().find_map(|operand| operand.symbol()) {
        None => evaluate(operation, &all),
        Some(symbol) => Some(domain.int_operation(symbol, operation, &all)),
    }
}

/// The same for operations on one integer, none of which can fail.
fn resize<D: Domain>(domain: &mut D, operation: IntOperation, operand: &Int<D::Symbol>) -> Int<D::Symbol> {
    let operands = std::slice::from_ref(operand);
    match operand.symbol() {
        None => evaluate(operation, operands).unwrap_or_else(|| operand.clone()),
        Some(symbol) => domain.int_operation(symbol, operation, operands),
    }
}

/// `a op b`, and whether the result is poison (a shift by the width or more).
pub(crate) fn binary<D: Domain>(
    domain: &mut D,
    op: IntBinary,
    a: &Int<D::Symbol>,
    b: &Int<D::Symbol>,
) -> Result<(Int<D::Symbol>, bool), Stop> {
    if is_division(op) && b.is(0) {
        return Err(Stop::IntegerDivision);
    }
    let poison = is_shift(op) && is_far(a.bits(), b);
    match operate(domain, IntOperation::Binary(op), [a, b]) {
        Some(result) => Ok((result, poison)),
        None => Err(Stop::IntegerDivision),
    }
}

/// Whether a number of places is known to be a width or more.
fn is_far<S>(bits: u32, by: &Int<S>) -> bool {
    match by.concrete() {
        Some(by) => by >= u128::from(bits),
        None => by.known_number().is_some_and(|by| by.as_ref() >= &bits.into()),
    }
}

/// `a` compared with `b`: one bit.
pub(crate) fn compare<D: Domain>(
    domain: &mut D,
    predicate: IntPredicate,
    a: &Int<D::Symbol>,
    b: &Int<D::Symbol>,
) -> Int<D::Symbol> {
    // Comparisons have no failing case.
    operate(domain, IntOperation::Compare(predicate), [a, b]).unwrap_or_else(|| Int::bool(false))
}

/// Bits `high` down to `low` of `int`.
pub(crate) fn extract<D: Domain>(domain: &mut D, int: &Int<D::Symbol>, high: u32, low: u32) -> Int<D::Symbol> {
    if low == 0 && high + 1 == int.bits() {
        return int.clone();
    }
    resize(domain, IntOperation::Extract { high, low }, int)
}

/// `high` above `low`.
pub(crate) fn concat<D: Domain>(domain: &mut D, high: &Int<D::Symbol>, low: &Int<D::Symbol>) -> Int<D::Symbol> {
    operate(domain, IntOperation::Concat, [high, low]).unwrap_or_else(|| low.clone())
}

/// `int` at `bits` bits: cut, or extended by zeros.
pub(crate) fn zero_extend<D: Domain>(domain: &mut D, int: &Int<D::Symbol>, bits: u32) -> Int<D::Symbol> {
    if bits <= int.bits() {
        return extract(domain, int, bits - 1, 0);
    }
    resize(domain, IntOperation::ZeroExtend(bits), int)
}

/// `int` at `bits` bits: cut, or extended by its sign.
pub(crate) fn sign_extend<D: Domain>(domain: &mut D, int: &Int<D::Symbol>, bits: u32) -> Int<D::Symbol> {
    if bits <= int.bits() {
        return extract(domain, int, bits - 1, 0);
    }
    resize(domain, IntOperation::SignExtend(bits), int)
}

/// `if_true` where `condition` is 1.
pub(crate) fn select<D: Domain>(
    domain: &mut D,
    condition: &Int<D::Symbol>,
    if_true: &Int<D::Symbol>,
    if_false: &Int<D::Symbol>,
) -> Int<D::Symbol> {
    match (condition.concrete(), condition.symbol()) {
        (Some(0), _) => if_false.clone(),
        (None, Some(symbol)) => {
            let operands = [condition.clone(), if_true.clone(), if_false.clone()];
            domain.int_operation(symbol, IntOperation::Select, &operands)
        }
        _ => if_true.clone(),
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
