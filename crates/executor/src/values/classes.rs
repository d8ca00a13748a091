//! Tests of a number's class, as clang compiles `llvm.is.fpclass` for x86-64.
//!
//! x87's second encodings are in classes that no others are in: an invalid one is a NaN, but neither quiet nor signaling; a
//! pseudo-denormal is finite, but neither normal nor subnormal.

use labrys_float::{Float, Format};
use labrys_interp::{ClassMask, Int, class_of};
use labrys_symex::float_terms;
use labrys_symex::int_terms::{as_int, ite, not};
use labrys_term::{Op, TermId};

use super::encoding::{format, is_invalid, is_set};
use super::nan::Encoding;
use super::{FloatValue, Values};

/// Whether a mask has the classes of pseudo-denormals of a sign.
fn has_finite(mask: ClassMask, is_negative: bool) -> bool {
    mask.contains(match is_negative {
        true => ClassMask::NEGATIVE_NORMAL | ClassMask::NEGATIVE_SUBNORMAL,
        false => ClassMask::POSITIVE_NORMAL | ClassMask::POSITIVE_SUBNORMAL,
    })
}

impl Values<'_> {
    /// Whether a float is of one of the classes: one bit.
    pub(super) fn is_of_class(&mut self, value: &FloatValue, mask: ClassMask) -> Int<TermId> {
        match *value {
            FloatValue::Concrete { format, bits } => Int::bool(is_in(format, bits, mask)),
            FloatValue::Symbolic(term) => {
                let mut result = self.plain_class(term, mask);
                if self.encodings.may_be_odd(self.store, term) {
                    result = self.with_odd(term, mask, result);
                }
                as_int(self.store, 1, result)
            }
        }
    }

    /// The test of encodings that are not odd. Float terms know one NaN: which one it is, the encoding says.
    fn plain_class(&mut self, term: TermId, mask: ClassMask) -> TermId {
        let numbers = if mask.contains(ClassMask::NAN) { mask } else { mask - ClassMask::NAN };
        let result = float_terms::class(self.store, term, numbers);
        if mask.contains(ClassMask::SIGNALING_NAN) == mask.contains(ClassMask::QUIET_NAN) {
            return result;
        }
        let mut of_kind = self.encodings.is_signaling(self.store, term);
        if mask.contains(ClassMask::QUIET_NAN) {
            of_kind = not(self.store, of_kind);
        }
        let nan = self.store.mk(Op::FpIsNan, &[term]);
        let nan = self.store.and(&[nan, of_kind]);
        self.store.or(&[result, nan])
    }

    /// The test, given what it says of encodings that are not odd.
    fn with_odd(&mut self, term: TermId, mask: ClassMask, plain: TermId) -> TermId {
        let encoding = Encoding::of(format(self.store, term));
        let bits = self.encodings.bits(self.store, term);
        let invalid = is_invalid(self.store, &encoding, bits);
        let leading = is_set(self.store, bits, encoding.leading);
        let (exponent, zero) = (self.constant(&encoding, encoding.exponent), self.constant(&encoding, 0));
        let field = self.store.mk(Op::BvAnd, &[bits, exponent]);
        let none = self.store.mk(Op::Eq, &[field, zero]);
        let pseudo = self.store.and(&[leading, none]);
        let sign = is_set(self.store, bits, encoding.sign);
        let [negative, positive] = [true, false].map(|sign| self.store.bool_const(has_finite(mask, sign)));
        let of_pseudo = ite(self.store, sign, negative, positive);
        let of_invalid = self.store.bool_const(mask.contains(ClassMask::NAN));
        let result = ite(self.store, pseudo, of_pseudo, plain);
        ite(self.store, invalid, of_invalid, result)
    }

    fn constant(&mut self, encoding: &Encoding, value: u128) -> TermId {
        self.store.bv_const(encoding.format.width(), value)
    }
}

/// The test of a known encoding.
fn is_in(format: Format, bits: u128, mask: ClassMask) -> bool {
    let encoding = Encoding::of(format);
    if encoding.is_invalid(bits) {
        return mask.contains(ClassMask::NAN);
    }
    if encoding.is_odd(bits) {
        return has_finite(mask, bits & encoding.sign != 0);
    }
    mask.contains(class_of(&Float::from_bits(format, bits)))
}
