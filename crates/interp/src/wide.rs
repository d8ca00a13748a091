//! Arithmetic on known integers of more than 128 bits. What it means is said in [`crate::bits`], which does the same on words.

use labrys_program::{IntBinary, IntegerCall};
use num_bigint::{BigInt, BigUint};
use num_integer::Integer;
use num_traits::{One, ToPrimitive, Zero};

use crate::bits::{compares, is_division};
use crate::{Int, IntOperation};

/// The result of an operation of which some operand or the result has more than 128 bits; `None` if an operand is not known, or for a
/// division that traps.
pub(crate) fn evaluate<S>(operation: IntOperation, operands: &[Int<S>]) -> Option<Int<S>> {
    let known = |i: usize| operands.get(i).and_then(Int::known_number);
    let (a, bits) = (known(0)?, operands[0].bits());
    Some(match operation {
        IntOperation::Binary(op) => arithmetic(op, &operands[0], operands.get(1)?)?,
        IntOperation::Compare(predicate) => {
            let signed = [operands[0].known_integer(true)?, operands.get(1)?.known_integer(true)?];
            Int::bool(compares(predicate, [a.as_ref(), known(1)?.as_ref()], signed))
        }
        IntOperation::Extract { high, low } => Int::number(high - low + 1, a.as_ref() >> low),
        IntOperation::ZeroExtend(to) => Int::number(to, a.into_owned()),
        IntOperation::SignExtend(to) => of_integer(to, &operands[0].known_integer(true)?),
        IntOperation::Concat => {
            let low = operands.get(1)?.bits();
            Int::number(bits + low, a.as_ref() << low | known(1)?.as_ref())
        }
        IntOperation::Select => {
            let chosen = if a.is_zero() { 2 } else { 1 };
            Int::number(operands.get(1)?.bits(), known(chosen)?.into_owned())
        }
    })
}

/// The lowest bits of a number in two's complement.
pub(crate) fn of_integer<S>(bits: u32, value: &BigInt) -> Int<S> {
    Int::number(bits, value.mod_floor(&(BigInt::one() << bits)).into_parts().1)
}

/// Wrapping arithmetic on two of one width.
fn arithmetic<S>(op: IntBinary, a: &Int<S>, b: &Int<S>) -> Option<Int<S>> {
    let (bits, x, y) = (a.bits(), a.known_number()?, b.known_number()?);
    if is_division(op) && y.is_zero() {
        return None;
    }
    let by = (y.as_ref() % bits).to_u32()?;
    let natural = |value: BigUint| Some(Int::number(bits, value));
    let signed = || Some((a.known_integer(true)?, b.known_integer(true)?));
    match op {
        IntBinary::Add => natural(x.as_ref() + y.as_ref()),
        IntBinary::Sub => natural((BigUint::one() << bits) + x.as_ref() - y.as_ref()),
        IntBinary::Mul => natural(x.as_ref() * y.as_ref()),
        IntBinary::UDiv => natural(x.as_ref() / y.as_ref()),
        IntBinary::URem => natural(x.as_ref() % y.as_ref()),
        IntBinary::SDiv | IntBinary::SRem => {
            let (number, divisor) = signed()?;
            let (quotient, remainder) = number.div_rem(&divisor);
            // The one quotient that does not fit.
            let fits = quotient < BigInt::one() << (bits - 1);
            fits.then(|| of_integer(bits, if op == IntBinary::SDiv { &quotient } else { &remainder }))
        }
        IntBinary::Shl => natural(x.as_ref() << by),
        IntBinary::LShr => natural(x.as_ref() >> by),
        // `>>` of a BigInt rounds toward −∞.
        IntBinary::AShr => Some(of_integer(bits, &(a.known_integer(true)? >> by))),
        IntBinary::And => natural(x.as_ref() & y.as_ref()),
        IntBinary::Or => natural(x.as_ref() | y.as_ref()),
        IntBinary::Xor => natural(x.as_ref() ^ y.as_ref()),
    }
}

/// A count or permutation of the bits of a known integer of more than 128.
pub(crate) fn known_bits<S>(call: IntegerCall, a: &Int<S>) -> Option<Int<S>> {
    let (width, value) = (a.bits(), a.known_number()?);
    Some(match call {
        IntegerCall::CountOnes => Int::new(width, value.count_ones().into()),
        IntegerCall::LeadingZeros => Int::new(width, (u64::from(width) - value.bits()).into()),
        IntegerCall::TrailingZeros => Int::new(width, value.trailing_zeros().unwrap_or(width.into()).into()),
        _ => {
            let ones = (0..width).filter(|place| value.bit((*place).into()));
            let mut reversed = BigUint::ZERO;
            ones.for_each(|place| reversed.set_bit((width - 1 - place).into(), true));
            Int::number(width, reversed)
        }
    })
}

#[cfg(test)]
mod tests {
    use labrys_program::IntPredicate;

    use super::*;
    use crate::{Never, bits};

    /// What is the same on words and here: all operations on all integers of four bits.
    #[test]
    fn operations_are_those_on_words() {
        let mut compared = 0;
        for (x, y) in (0..16u128).flat_map(|x| (0..16).map(move |y| (x, y))) {
            let (a, b) = (Int::<Never>::new(4, x), Int::new(4, y));
            let two = IntBinary::ALL
                .map(IntOperation::Binary)
                .into_iter()
                .chain(IntPredicate::ALL.map(IntOperation::Compare));
            for operation in two.chain([IntOperation::Concat]) {
                let operands = [a.clone(), b.clone()];
                assert_eq!(
                    evaluate(operation, &operands),
                    bits::evaluate(operation, &operands),
                    "{operation:?} {x} {y}"
                );
                compared += 1;
            }
            let choice = [Int::bool(x > 7), a.clone(), b];
            assert_eq!(evaluate(IntOperation::Select, &choice), bits::evaluate(IntOperation::Select, &choice));
            let extensions = [IntOperation::ZeroExtend(7), IntOperation::SignExtend(7)];
            for operation in extensions.into_iter().chain([IntOperation::Extract { high: 2, low: 1 }]) {
                let operand = std::slice::from_ref(&a);
                assert_eq!(evaluate(operation, operand), bits::evaluate(operation, operand), "{operation:?} {x}");
            }
        }
        assert_eq!(compared, 256 * 24);
    }

    /// Numbers around the limits of words and of the width.
    #[test]
    fn the_ends_of_a_width() {
        let least = Int::<Never>::least(200);
        let add = |a: &Int<Never>, b: &Int<Never>| {
            bits::evaluate(IntOperation::Binary(IntBinary::Add), &[a.clone(), b.clone()]).unwrap()
        };
        assert_eq!(add(&least, &Int::minus_one(200)), Int::greatest(200));
        assert_eq!(add(&Int::minus_one(200), &Int::new(200, 1)), Int::new(200, 0));
        let by_minus_one = [least.clone(), Int::minus_one(200)];
        assert_eq!(bits::evaluate(IntOperation::Binary(IntBinary::SDiv), &by_minus_one), None);
        assert_eq!(bits::evaluate(IntOperation::Binary(IntBinary::UDiv), &[least.clone(), Int::new(200, 0)]), None);
        let high = bits::evaluate(IntOperation::Extract { high: 199, low: 72 }, &[least]).unwrap();
        assert_eq!(high, Int::least(128));
        let long = bits::evaluate(IntOperation::SignExtend(1024), &[high]).unwrap();
        let least = -(BigInt::one() << 127u32);
        assert!(long.known_integer(true) == Some(least) && long.concrete().is_none());
        assert!(long.is_known() && !long.is(0) && Int::<Never>::new(1024, 7).is(7));
    }
}
