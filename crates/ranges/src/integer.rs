//! Sets of integers: an interval in two's complement reading, and a stride.
//!
//! **Claim.** Every operation here gives a superset of the results of LLVM's wrapping operation on members: where the
//! exact result of some members leaves the width, the result is every integer of the width.

use labrys_program::{IntBinary, IntPredicate};
use labrys_solver::domain::BitVecDomain;

/// Integers of `bits` bits read as signed: `low`, `low + stride`, … up to `high`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct IntDomain {
    /// Width, 1 to 128. One-bit integers are 0 and −1 in this reading.
    pub bits: u32,
    /// The least member.
    pub low: i128,
    /// The greatest member.
    pub high: i128,
    /// At least 1; `high − low` is a multiple of it.
    pub stride: u128,
}

/// The least and the greatest integer of a width.
fn bounds(bits: u32) -> (i128, i128) {
    let shift = 128 - bits.clamp(1, 128);
    (i128::MIN >> shift, i128::MAX >> shift)
}

fn gcd(mut a: u128, mut b: u128) -> u128 {
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a
}

/// `bits` bits of `value` read as signed.
pub(crate) fn signed(bits: u32, value: u128) -> i128 {
    let shift = 128 - bits.clamp(1, 128);
    ((value << shift) as i128) >> shift
}

/// The lowest `bits` bits.
pub(crate) fn unsigned(bits: u32, value: i128) -> u128 {
    if bits >= 128 { value as u128 } else { value as u128 & ((1 << bits) - 1) }
}

impl IntDomain {
    /// Every integer of a width.
    pub fn top(bits: u32) -> IntDomain {
        let (low, high) = bounds(bits);
        IntDomain { bits, low, high, stride: 1 }
    }

    /// One integer; bits above the width are dropped.
    pub fn only(bits: u32, value: u128) -> IntDomain {
        let value = signed(bits, value);
        IntDomain { bits, low: value, high: value, stride: 1 }
    }

    /// The integers from one to another, or every one if a bound leaves the width.
    pub fn between(bits: u32, low: i128, high: i128) -> IntDomain {
        let (least, greatest) = bounds(bits);
        if low < least || high > greatest || low > high {
            return IntDomain::top(bits);
        }
        IntDomain { bits, low, high, stride: 1 }
    }

    /// A truth value that may be true, or false.
    pub fn truth(with_true: bool, with_false: bool) -> IntDomain {
        match (with_true, with_false) {
            (true, false) => IntDomain::only(1, 1),
            (false, true) => IntDomain::only(1, 0),
            _ => IntDomain::top(1),
        }
    }

    /// The only member, signed.
    pub fn single(&self) -> Option<i128> {
        (self.low == self.high).then_some(self.low)
    }

    /// The only member, unsigned.
    pub fn single_bits(&self) -> Option<u128> {
        self.single().map(|value| unsigned(self.bits, value))
    }

    /// How many members.
    pub fn count(&self) -> u128 {
        (self.high.wrapping_sub(self.low) as u128 / self.stride).saturating_add(1)
    }

    /// Whether a signed number is a member.
    pub fn contains(&self, value: i128) -> bool {
        self.low <= value && value <= self.high && (value.wrapping_sub(self.low) as u128).is_multiple_of(self.stride)
    }

    /// Whether every member of `other` is one of this set.
    pub fn includes(&self, other: &IntDomain) -> bool {
        let aligned = (other.low.wrapping_sub(self.low) as u128).is_multiple_of(self.stride);
        let fine = other.low == other.high || other.stride.is_multiple_of(self.stride);
        self.low <= other.low && other.high <= self.high && aligned && fine
    }

    /// The least and the greatest member read as unsigned numbers.
    pub fn unsigned_bounds(&self) -> (u128, u128) {
        if self.low >= 0 || self.high < 0 {
            (unsigned(self.bits, self.low), unsigned(self.bits, self.high))
        } else {
            (0, unsigned(self.bits, -1))
        }
    }

    /// As a set of bit vectors.
    pub fn bit_vectors(&self) -> BitVecDomain {
        let (low, high) = self.unsigned_bounds();
        BitVecDomain::between(self.bits, low, high)
    }

    /// A set of bit vectors as integers.
    pub fn of_bit_vectors(set: &BitVecDomain) -> IntDomain {
        let (low, high) = (signed(set.width, set.low), signed(set.width, set.high));
        if set.low > set.high || low > high {
            IntDomain::top(set.width)
        } else {
            IntDomain::between(set.width, low, high)
        }
    }

    /// With the interval cut to `low..=high`; `None` if nothing is left.
    pub fn clip(&self, low: i128, high: i128) -> Option<IntDomain> {
        let (low, high) = (low.max(self.low), high.min(self.high));
        if low > high {
            return None;
        }
        let step = self.stride as i128;
        let up = low.wrapping_sub(self.low).rem_euclid(step);
        let low = if up == 0 { low } else { low.checked_add(step - up)? };
        if low > high {
            return None;
        }
        let high = high - high.wrapping_sub(low).rem_euclid(step);
        Some(IntDomain { low, high, stride: if low == high { 1 } else { self.stride }, ..*self })
    }

    /// A superset of the common members; `None` if there is none.
    pub fn intersect(&self, other: &IntDomain) -> Option<IntDomain> {
        if other.stride > self.stride {
            return other.clip(self.low, self.high);
        }
        self.clip(other.low, other.high)
    }

    /// A set that holds both.
    pub fn hull(&self, other: &IntDomain) -> IntDomain {
        let (low, high) = (self.low.min(other.low), self.high.max(other.high));
        let own = |set: &IntDomain| if set.low == set.high { 0 } else { set.stride };
        let apart = self.low.wrapping_sub(other.low).unsigned_abs();
        let stride = gcd(gcd(own(self), own(other)), apart).max(1);
        IntDomain { bits: self.bits, low, high, stride }
    }

    fn strided(self, stride: u128) -> IntDomain {
        let is_whole = self.low > bounds(self.bits).0 || self.high < bounds(self.bits).1;
        if self.low == self.high || stride <= 1 || !is_whole {
            return IntDomain { stride: 1, ..self };
        }
        let rest = self.high.wrapping_sub(self.low) as u128 % stride;
        IntDomain { stride, high: self.high - rest as i128, ..self }
    }

    fn step(&self) -> u128 {
        if self.low == self.high { 0 } else { self.stride }
    }

    /// A wrapping operation; `None` if it traps for all members (division by zero).
    pub fn binary(op: IntBinary, a: &IntDomain, b: &IntDomain) -> Option<IntDomain> {
        let top = IntDomain::top(a.bits);
        if let (Some(x), Some(y)) = (a.single_bits(), b.single_bits())
            && let Some(result) = labrys_interp::evaluate::<labrys_interp::Never>(
                labrys_interp::IntOperation::Binary(op),
                &[labrys_interp::Int::new(a.bits, x), labrys_interp::Int::new(b.bits, y)],
            )
            && !(matches!(op, IntBinary::Shl | IntBinary::LShr | IntBinary::AShr) && y >= u128::from(a.bits))
        {
            return Some(result.concrete().map_or(top, |bits| IntDomain::only(a.bits, bits)));
        }
        Some(match op {
            IntBinary::Add => match (a.low.checked_add(b.low), a.high.checked_add(b.high)) {
                (Some(low), Some(high)) => IntDomain::between(a.bits, low, high).strided(gcd(a.step(), b.step())),
                _ => top,
            },
            IntBinary::Sub => match (a.low.checked_sub(b.high), a.high.checked_sub(b.low)) {
                (Some(low), Some(high)) => IntDomain::between(a.bits, low, high).strided(gcd(a.step(), b.step())),
                _ => top,
            },
            IntBinary::Mul => a.product(b),
            IntBinary::SDiv | IntBinary::UDiv => return a.quotient(b, op == IntBinary::SDiv),
            IntBinary::SRem | IntBinary::URem => return a.rest(b, op == IntBinary::SRem),
            IntBinary::Shl => match b.single() {
                Some(by) if (0..i128::from(a.bits) - 1).contains(&by) => {
                    a.product(&IntDomain { bits: a.bits.max(by as u32 + 2), low: 1 << by, high: 1 << by, stride: 1 })
                }
                _ => top,
            },
            IntBinary::AShr if b.low >= 0 && b.high < i128::from(a.bits) => {
                let (least, most) = (b.low as u32, b.high as u32);
                let low = if a.low < 0 { a.low >> least } else { a.low >> most };
                let high = if a.high < 0 { a.high >> most } else { a.high >> least };
                IntDomain::between(a.bits, low, high)
            }
            IntBinary::LShr if b.low >= 0 && b.high < i128::from(a.bits) => {
                let (low, high) = a.unsigned_bounds();
                let (low, high) = (low >> b.high, high >> b.low);
                if high > i128::MAX as u128 { top } else { IntDomain::between(a.bits, low as i128, high as i128) }
            }
            IntBinary::And if a.low >= 0 || b.low >= 0 => {
                let high = match (a.low >= 0, b.low >= 0) {
                    (true, true) => a.high.min(b.high),
                    (true, false) => a.high,
                    _ => b.high,
                };
                IntDomain::between(a.bits, 0, high)
            }
            IntBinary::Or | IntBinary::Xor if a.low >= 0 && b.low >= 0 => {
                let all = (a.high | b.high) as u128;
                let ones = u128::MAX.checked_shr(all.leading_zeros()).unwrap_or(0);
                IntDomain::between(a.bits, 0, ones as i128)
            }
            _ => top,
        })
    }

    fn product(&self, b: &IntDomain) -> IntDomain {
        let corners = [(self.low, b.low), (self.low, b.high), (self.high, b.low), (self.high, b.high)];
        let mut products = corners.iter().map(|(x, y)| x.checked_mul(*y));
        let first = products.next().flatten();
        let all = products.try_fold((first.unwrap_or(0), first.unwrap_or(0)), |(low, high), product| {
            product.map(|product| (low.min(product), high.max(product)))
        });
        match (first, all) {
            (Some(_), Some((low, high))) => {
                let result = IntDomain::between(self.bits, low, high);
                match (self.single(), b.single()) {
                    (Some(x), None) => result.strided(x.unsigned_abs().saturating_mul(b.stride)),
                    (None, Some(y)) => result.strided(y.unsigned_abs().saturating_mul(self.stride)),
                    _ => result,
                }
            }
            _ => IntDomain::top(self.bits),
        }
    }

    /// Division by zero traps, so that zero is no divisor.
    fn divisors(&self) -> Option<IntDomain> {
        match (self.low, self.high) {
            (0, 0) => None,
            (0, _) => self.clip(1, i128::MAX),
            (_, 0) => self.clip(i128::MIN, -1),
            _ => Some(*self),
        }
    }

    fn quotient(&self, b: &IntDomain, is_signed: bool) -> Option<IntDomain> {
        let b = b.divisors()?;
        if !is_signed && (self.low < 0 || b.low < 0) {
            let ((low, high), (least, most)) = (self.unsigned_bounds(), b.unsigned_bounds());
            let (low, high) = (low / most.max(1), high / least.max(1));
            let fits = high <= IntDomain::top(self.bits).high as u128;
            return Some(if fits {
                IntDomain::between(self.bits, low as i128, high as i128)
            } else {
                IntDomain::top(self.bits)
            });
        }
        if b.low <= 0 && b.high >= 0 {
            let most = self.low.unsigned_abs().max(self.high.unsigned_abs()).min(i128::MAX as u128) as i128;
            return Some(IntDomain::between(self.bits, -most, most));
        }
        let corners = [(self.low, b.low), (self.low, b.high), (self.high, b.low), (self.high, b.high)];
        let quotients = corners.map(|(x, y)| x.wrapping_div(y));
        let (low, high) = quotients.iter().fold((quotients[0], quotients[0]), |(l, h), q| (l.min(*q), h.max(*q)));
        Some(IntDomain::between(self.bits, low, high))
    }

    fn rest(&self, b: &IntDomain, is_signed: bool) -> Option<IntDomain> {
        let b = b.divisors()?;
        if !is_signed && (self.low < 0 || b.low < 0) {
            let (_, most) = b.unsigned_bounds();
            let fits = most - 1 <= IntDomain::top(self.bits).high as u128;
            return Some(if fits {
                IntDomain::between(self.bits, 0, most as i128 - 1)
            } else {
                IntDomain::top(self.bits)
            });
        }
        let most = b.low.unsigned_abs().max(b.high.unsigned_abs()).min(i128::MAX as u128) as i128 - 1;
        let low = if self.low < 0 { (-most).max(self.low) } else { 0 };
        let high = if self.high > 0 { most.min(self.high) } else { 0 };
        Some(IntDomain::between(self.bits, low.min(high), high))
    }

    /// At another width: cut, or extended by its sign or by zeros.
    pub fn resized(&self, bits: u32, is_signed: bool) -> IntDomain {
        if bits < self.bits {
            return match self.single_bits() {
                Some(value) => IntDomain::only(bits, value),
                None => IntDomain::between(bits, self.low, self.high).strided(self.step()),
            };
        }
        if is_signed || self.low >= 0 {
            return IntDomain { bits, ..*self };
        }
        let (low, high) = self.unsigned_bounds();
        match (i128::try_from(low), i128::try_from(high)) {
            (Ok(low), Ok(high)) => IntDomain::between(bits, low, high),
            _ => IntDomain::top(bits),
        }
    }

    /// What is left of two sets where a comparison holds; `None` where it cannot.
    pub fn compared(predicate: IntPredicate, a: &IntDomain, b: &IntDomain) -> Option<(IntDomain, IntDomain)> {
        let is_unsigned =
            matches!(predicate, IntPredicate::Ugt | IntPredicate::Uge | IntPredicate::Ult | IntPredicate::Ule);
        if is_unsigned && (a.low < 0 || b.low < 0) {
            return IntDomain::compared_unsigned(predicate, a, b);
        }
        match predicate {
            IntPredicate::Eq => a.intersect(b).and_then(|left| Some((left, b.intersect(a)?))),
            IntPredicate::Ne => {
                let without = |a: &IntDomain, b: &IntDomain| match b.single() {
                    Some(value) if value == a.low && value == a.high => None,
                    Some(value) if value == a.low => a.clip(value + 1, a.high),
                    Some(value) if value == a.high => a.clip(a.low, value - 1),
                    _ => Some(*a),
                };
                Some((without(a, b)?, without(b, a)?))
            }
            IntPredicate::Slt | IntPredicate::Ult => {
                Some((a.clip(a.low, b.high.checked_sub(1)?)?, b.clip(a.low.checked_add(1)?, b.high)?))
            }
            IntPredicate::Sle | IntPredicate::Ule => Some((a.clip(a.low, b.high)?, b.clip(a.low, b.high)?)),
            IntPredicate::Sgt | IntPredicate::Ugt => IntDomain::compared(IntPredicate::Slt, b, a).map(|(b, a)| (a, b)),
            IntPredicate::Sge | IntPredicate::Uge => IntDomain::compared(IntPredicate::Sle, b, a).map(|(b, a)| (a, b)),
        }
    }

    /// Unsigned comparisons where a set has numbers that read as negative.
    fn compared_unsigned(predicate: IntPredicate, a: &IntDomain, b: &IntDomain) -> Option<(IntDomain, IntDomain)> {
        let ((al, ah), (bl, bh)) = (a.unsigned_bounds(), b.unsigned_bounds());
        match predicate {
            IntPredicate::Ult if al >= bh => None,
            IntPredicate::Ule if al > bh => None,
            // What lies below a number that is not negative is not negative.
            IntPredicate::Ult if b.low >= 0 => Some((a.clip(0, b.high - 1)?, *b)),
            IntPredicate::Ule if b.low >= 0 => Some((a.clip(0, b.high)?, *b)),
            IntPredicate::Ugt if ah <= bl => None,
            IntPredicate::Uge if ah < bl => None,
            IntPredicate::Ugt | IntPredicate::Uge if a.low >= 0 => {
                let mirrored = if predicate == IntPredicate::Ugt { IntPredicate::Ult } else { IntPredicate::Ule };
                IntDomain::compared_unsigned(mirrored, b, a).map(|(b, a)| (a, b))
            }
            _ => Some((*a, *b)),
        }
    }
}

/// The predicate that holds where this one does not.
pub(crate) fn negated(predicate: IntPredicate) -> IntPredicate {
    match predicate {
        IntPredicate::Eq => IntPredicate::Ne,
        IntPredicate::Ne => IntPredicate::Eq,
        IntPredicate::Ugt => IntPredicate::Ule,
        IntPredicate::Uge => IntPredicate::Ult,
        IntPredicate::Ult => IntPredicate::Uge,
        IntPredicate::Ule => IntPredicate::Ugt,
        IntPredicate::Sgt => IntPredicate::Sle,
        IntPredicate::Sge => IntPredicate::Slt,
        IntPredicate::Slt => IntPredicate::Sge,
        IntPredicate::Sle => IntPredicate::Sgt,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sets() -> Vec<IntDomain> {
        let mut sets = Vec::new();
        for low in -8..8i128 {
            for high in low..8 {
                for stride in 1..4 {
                    let set = IntDomain { bits: 4, low, high, stride: 1 };
                    sets.push(set.strided(stride));
                }
            }
        }
        sets.into_iter().step_by(7).collect()
    }

    fn members(set: &IntDomain) -> Vec<i128> {
        (-8..8).filter(|value| set.contains(*value)).collect()
    }

    #[test]
    fn operations_on_four_bits_lose_no_result() {
        for a in sets() {
            for b in sets() {
                for op in IntBinary::ALL {
                    let result = IntDomain::binary(op, &a, &b);
                    for x in members(&a) {
                        for y in members(&b) {
                            if matches!(op, IntBinary::Shl | IntBinary::LShr | IntBinary::AShr) && !(0..4).contains(&y)
                            {
                                continue;
                            }
                            let exact = labrys_interp::evaluate::<labrys_interp::Never>(
                                labrys_interp::IntOperation::Binary(op),
                                &[labrys_interp::Int::new(4, x as u128), labrys_interp::Int::new(4, y as u128)],
                            );
                            let Some(exact) = exact.and_then(|exact| exact.signed()) else { continue };
                            assert!(result.is_some_and(|r| r.contains(exact)), "{x} {op:?} {y} = {exact}: {a:?} {b:?}");
                        }
                    }
                }
            }
        }
    }

    #[test]
    fn comparisons_on_four_bits_keep_every_partner() {
        use IntPredicate as P;
        for a in sets() {
            for b in sets() {
                for predicate in [P::Eq, P::Ne, P::Ugt, P::Uge, P::Ult, P::Ule, P::Sgt, P::Sge, P::Slt, P::Sle] {
                    let kept = IntDomain::compared(predicate, &a, &b);
                    for x in members(&a) {
                        for y in members(&b) {
                            let holds = labrys_interp::evaluate::<labrys_interp::Never>(
                                labrys_interp::IntOperation::Compare(predicate),
                                &[labrys_interp::Int::new(4, x as u128), labrys_interp::Int::new(4, y as u128)],
                            );
                            if holds.and_then(|holds| holds.concrete()) == Some(1) {
                                assert!(
                                    kept.is_some_and(|(l, r)| l.contains(x) && r.contains(y)),
                                    "{x} {predicate:?} {y}: {a:?} {b:?}"
                                );
                            }
                        }
                    }
                }
            }
        }
    }

    #[test]
    fn hulls_and_widths_keep_members() {
        for a in sets() {
            for b in sets() {
                let hull = a.hull(&b);
                assert!(members(&a).iter().chain(&members(&b)).all(|value| hull.contains(*value)), "{a:?} {b:?}");
                assert!(hull.includes(&a) && hull.includes(&b));
                let both = a.intersect(&b);
                for value in members(&a).into_iter().filter(|value| b.contains(*value)) {
                    assert!(both.is_some_and(|both| both.contains(value)), "{a:?} {b:?}");
                }
            }
            for value in members(&a) {
                assert!(a.resized(8, true).contains(value));
                assert!(a.resized(8, false).contains(value.rem_euclid(16)));
                assert!(a.resized(3, true).contains(signed(3, value as u128)));
            }
        }
    }
}
