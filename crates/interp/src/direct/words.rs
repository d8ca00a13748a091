//! Known scalars of at most 64 bits as machine words, and integer arithmetic on them.

use labrys_float::Format;
use labrys_program::{IntBinary, IntPredicate, Type};

use crate::bits::compares;
use crate::{Base, Datum, Domain, Int, Memory, ObjectId, Pointer};

/// The type of a word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// An integer of 1 to 64 bits.
    Int(u32),
    /// binary32.
    Single,
    /// binary64.
    Double,
    /// A pointer.
    Pointer,
}

impl Kind {
    /// The kind of a type's values; `None` where they are no words.
    pub(crate) fn of(ty: &Type) -> Option<Kind> {
        match ty {
            Type::Int(bits @ 1..=64) => Some(Kind::Int(*bits)),
            Type::Float(Format::BINARY32) => Some(Kind::Single),
            Type::Float(Format::BINARY64) => Some(Kind::Double),
            Type::Pointer => Some(Kind::Pointer),
            _ => None,
        }
    }

    /// Bytes in memory.
    #[inline]
    pub(crate) fn size(self) -> u64 {
        match self {
            Kind::Int(bits) => u64::from(bits.div_ceil(8)),
            Kind::Single => 4,
            Kind::Double | Kind::Pointer => 8,
        }
    }

    /// The format of a float.
    #[inline]
    pub(crate) fn format(self) -> Option<Format> {
        match self {
            Kind::Single => Some(Format::BINARY32),
            Kind::Double => Some(Format::BINARY64),
            Kind::Int(_) | Kind::Pointer => None,
        }
    }

    /// Width in bits of an integer or a float's encoding.
    #[inline]
    fn width(self) -> Option<u32> {
        match self {
            Kind::Int(bits) => Some(bits),
            Kind::Single => Some(32),
            Kind::Double => Some(64),
            Kind::Pointer => None,
        }
    }
}

/// A known scalar, without its kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Word {
    /// An integer's value, a float's encoding, a pointer's offset; no bits above the width.
    pub(crate) bits: u64,
    /// The object that a pointer points into, or an address in 64 bits that other layouts have otherwise; [`Word::NOWHERE`] for pointers that are
    /// addresses, and all else.
    pub(crate) object: u32,
}

impl Word {
    /// No object.
    pub(crate) const NOWHERE: u32 = u32::MAX;

    /// An integer, a float or an address.
    pub(crate) fn new(bits: u64) -> Word {
        Word { bits, object: Word::NOWHERE }
    }

    /// A datum as a word, read as `kind`, of the same size; `None` where it is not known, or its reading is not only the same bits, and for
    /// a pointer to an object that is over.
    #[inline]
    pub(crate) fn of<D: Domain>(
        domain: &D,
        memory: &Memory<D::Float, D::Symbol>,
        datum: &Datum<D::Float, D::Symbol>,
        kind: Kind,
    ) -> Option<Word> {
        match datum {
            Datum::Int(int) if Some(int.bits()) == kind.width() => int.concrete().map(|value| Word::new(value as u64)),
            Datum::Float(float) => {
                let format = domain.float_format(float);
                let is_whole = kind.width() == Some(format.width());
                let is_kind = kind.format().is_none_or(|other| other == format);
                if is_whole && is_kind { domain.known_float(float).map(Word::new) } else { None }
            }
            Datum::Pointer(pointer) if kind == Kind::Pointer => {
                let bits = pointer.offset.concrete()? as u64;
                match pointer.base {
                    Base::Object { id, .. } => memory.object(id).map(|_| Word { bits, object: id.0 }),
                    Base::Absolute => Some(Word::new(bits)),
                    Base::Function(_) => None,
                }
            }
            _ => None,
        }
    }

    /// The word as a datum.
    pub(crate) fn datum<D: Domain>(
        self,
        domain: &mut D,
        memory: &Memory<D::Float, D::Symbol>,
        kind: Kind,
    ) -> Datum<D::Float, D::Symbol> {
        match (kind, kind.format()) {
            // An address as a number.
            (Kind::Int(_), _) if self.object != Word::NOWHERE => {
                Datum::Int(crate::cells::address(domain, &Pointer::new(self.base(memory), self.bits)))
            }
            (Kind::Int(bits), _) => Datum::Int(Int::new(bits, u128::from(self.bits))),
            (_, Some(format)) => {
                Datum::Float(domain.float_from_bits(&Int::new(format.width(), u128::from(self.bits)), format))
            }
            _ => Datum::Pointer(Pointer::new(self.base(memory), self.bits)),
        }
    }

    /// What a pointer points into.
    fn base<F: Clone, S: Clone>(self, memory: &Memory<F, S>) -> Base {
        match self.object {
            Word::NOWHERE => Base::Absolute,
            id => memory.pointer_to(ObjectId(id)).base,
        }
    }

    /// A pointer's address.
    pub(crate) fn address<F: Clone, S: Clone>(self, memory: &Memory<F, S>) -> u64 {
        self.base(memory).address().wrapping_add(self.bits)
    }
}

/// Drops what is above the width, 1 to 64.
#[inline]
pub(crate) fn cut(bits: u32, value: u64) -> u64 {
    value & (u64::MAX >> (64 - bits))
}

/// A value of the width, 1 to 64, in two's complement.
#[inline]
pub(crate) fn signed(bits: u32, value: u64) -> i64 {
    let shift = 64 - bits;
    ((value << shift) as i64) >> shift
}

/// Arithmetic on integers of the width; `None` for divisions that trap and shifts by the width or more.
#[inline]
pub(crate) fn arithmetic(op: IntBinary, bits: u32, x: u64, y: u64) -> Option<u64> {
    let (sx, sy) = (signed(bits, x), signed(bits, y));
    let divides = |is_defined: bool, quotient: fn(i64, i64) -> i64| {
        let overflows = sy == -1 && sx == signed(bits, 1 << (bits - 1));
        (is_defined && !overflows).then(|| quotient(sx, sy) as u64)
    };
    let shifts = y < u64::from(bits);
    let result = match op {
        IntBinary::Add => x.wrapping_add(y),
        IntBinary::Sub => x.wrapping_sub(y),
        IntBinary::Mul => x.wrapping_mul(y),
        IntBinary::UDiv => x.checked_div(y)?,
        IntBinary::URem => x.checked_rem(y)?,
        IntBinary::SDiv => divides(y != 0, |x, y| x / y)?,
        IntBinary::SRem => divides(y != 0, |x, y| x % y)?,
        IntBinary::Shl if shifts => x << y,
        IntBinary::LShr if shifts => x >> y,
        IntBinary::AShr if shifts => (sx >> y) as u64,
        IntBinary::Shl | IntBinary::LShr | IntBinary::AShr => return None,
        IntBinary::And => x & y,
        IntBinary::Or => x | y,
        IntBinary::Xor => x ^ y,
    };
    Some(cut(bits, result))
}

/// Whether a sum, a difference or a product does not fit, read as signed.
#[inline]
pub(crate) fn overflows(op: IntBinary, bits: u32, x: u64, y: u64) -> bool {
    let (x, y) = (i128::from(signed(bits, x)), i128::from(signed(bits, y)));
    let exact = match op {
        IntBinary::Add => x + y,
        IntBinary::Sub => x - y,
        IntBinary::Mul => x * y,
        _ => return false,
    };
    exact != i128::from(signed(bits, exact as u64))
}

/// Whether a comparison of integers of the width holds.
#[inline]
pub(crate) fn holds(predicate: IntPredicate, bits: u32, x: u64, y: u64) -> bool {
    compares(predicate, [x, y], [x, y].map(|value| signed(bits, value)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bits::{can_overflow, is_shift};
    use crate::{IntOperation, Never, evaluate};

    fn agrees(bits: u32, x: u64, y: u64) {
        let operands = [Int::<Never>::new(bits, x.into()), Int::new(bits, y.into())];
        for op in IntBinary::ALL {
            let expected = evaluate(IntOperation::Binary(op), &operands).and_then(|int| int.concrete());
            let is_far = is_shift(op) && y >= u64::from(bits);
            let expected = expected.filter(|_| !is_far);
            assert_eq!(arithmetic(op, bits, x, y).map(u128::from), expected, "{op:?} {bits} {x} {y}");
            if can_overflow(op) {
                let wide = operands.each_ref().map(|operand| Int::<Never>::new(128, operand.signed().unwrap() as u128));
                let exact = evaluate(IntOperation::Binary(op), &wide).and_then(|int| int.signed());
                let fits = expected.map(|value| Int::<Never>::new(bits, value).signed()) == Some(exact);
                assert_eq!(overflows(op, bits, x, y), !fits, "{op:?} {bits} {x} {y}");
            }
        }
        for predicate in IntPredicate::ALL {
            let expected = evaluate(IntOperation::Compare(predicate), &operands).and_then(|int| int.concrete());
            let found = u128::from(holds(predicate, bits, x, y));
            assert_eq!(Some(found), expected, "{predicate:?} {bits} {x} {y}");
        }
    }

    #[test]
    fn words_are_what_wide_integers_are() {
        for bits in 1..=4 {
            for x in 0..1 << bits {
                for y in 0..1 << bits {
                    agrees(bits, x, y);
                }
            }
        }
        for bits in [8, 16, 31, 32, 33, 63, 64] {
            let most = u64::MAX >> (64 - bits);
            let edges =
                [0, 1, 2, 3, 7, u64::from(bits), most, most - 1, most / 2, most / 2 + 1, 0x5555_1234_5678_9abc & most];
            for x in edges {
                for y in edges {
                    agrees(bits, x, y);
                }
            }
        }
    }
}
