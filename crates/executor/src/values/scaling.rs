//! Products by powers of two (ldexp) and their opposite (frexp).
//!
//! A format of the same precision whose exponents reach further holds every number as a normal one. ldexp is a product there,
//! which is exact, and one rounding; frexp reads the exponent field there and replaces it.

use labrys_float::{Environment, Flags, Float, Format};
use labrys_interp::{FloatOperation, Int, Soft, Stop};
use labrys_program::IntPredicate;
use labrys_symex::int_terms::{self, as_int, as_term, ite, not};
use labrys_term::{Op, TermId};

use super::concrete::{is_modelled, refuse};
use super::environment::{FloatEnvironment, Raising};
use super::nan::Encoding;
use super::{FloatValue, Values};

/// A format of the same precision with three exponent bits more.
fn wider(of: Format) -> Format {
    Format::new(of.exponent_bits() + 3, of.precision())
}

/// Beyond this exponent every product overflows, or is smaller than half of the least subnormal number, whatever number is scaled:
/// as far as from one end of the format to the other, and some more.
fn reach(of: Format) -> u32 {
    2 * (of.max_exponent() as u32 + of.precision() + 2)
}

impl Values<'_> {
    pub(super) fn scale(
        &mut self,
        environment: &mut FloatEnvironment,
        value: &FloatValue,
        exponent: &Int<TermId>,
    ) -> Result<FloatValue, Stop> {
        let of = self.format_of(value);
        if !is_modelled(of) || of == Format::BINARY16 {
            return Err(refuse(of));
        }
        if let (FloatValue::Concrete { bits, .. }, Some(power)) = (*value, exponent.signed()) {
            let float = Float::from_bits(of, bits);
            let power = power.clamp(-1_000_000, 1_000_000) as i64;
            let rounded = Environment::with_rounding(environment.rounding).scale(&float, power);
            environment.raised |= rounded.flags;
            if rounded.value.is_nan() {
                let bits = Encoding::of(of).propagated(FloatOperation::Add, &[bits], false);
                return Ok(FloatValue::concrete(of, bits));
            }
            return Ok(FloatValue::of(&rounded.value));
        }
        let (term, wide) = (self.term(value), wider(of));
        let power = self.power(of, wide, exponent);
        let nearest = self.store.rounding_mode(Default::default());
        let number = self.store.mk(Op::FpFromFloat(wide), &[nearest, term]);
        let product = self.store.mk(Op::FpMul, &[nearest, number, power]);
        let mode = self.store.rounding_mode(environment.rounding);
        let result = self.store.mk(Op::FpFromFloat(of), &[mode, product]);
        self.note(environment, Raising::Signaling(term, term));
        self.note(environment, Raising::Operation(result));
        Ok(self.float(result))
    }

    /// 2^n in the wider format, n cut to what makes a difference.
    fn power(&mut self, of: Format, wide: Format, exponent: &Int<TermId>) -> TermId {
        let (bits, reach) = (exponent.bits(), reach(of));
        // An exponent of few bits is extended, so that bounds and bias fit.
        let width = bits.max(32);
        let n = match exponent.signed() {
            Some(value) => Int::new(width, value as u128),
            None if bits < width => {
                let operation = labrys_interp::IntOperation::SignExtend(width);
                int_terms::operation(self.store, operation, std::slice::from_ref(exponent))
            }
            None => exponent.clone(),
        };
        let cut = match n.signed() {
            Some(value) => Int::new(width, value.clamp(-i128::from(reach), i128::from(reach)) as u128),
            None => {
                let (most, least) = (Int::new(width, reach.into()), Int::new(width, u128::from(reach).wrapping_neg()));
                let below = |values: &mut Values<'_>, a: &Int<TermId>, b: &Int<TermId>| {
                    let compare = labrys_interp::IntOperation::Compare(IntPredicate::Slt);
                    let bit = int_terms::operation(values.store, compare, &[a.clone(), b.clone()]);
                    as_term(values.store, &bit)
                };
                let (large, small) = (below(self, &most, &n), below(self, &n, &least));
                let [n, most, least] = [n, most, least].map(|int| as_term(self.store, &int));
                let cut = ite(self.store, large, most, n);
                let cut = ite(self.store, small, least, cut);
                as_int(self.store, width, cut)
            }
        };
        let bias = wide.max_exponent();
        if let Some(value) = cut.signed() {
            let field = (value as i64 + bias) as u128;
            return self.store.float_const(Float::from_bits(wide, field << (wide.precision() - 1)));
        }
        let (cut, bias) = (as_term(self.store, &cut), self.store.bv_const(width, bias as u64));
        let biased = self.store.mk(Op::BvAdd, &[cut, bias]);
        let field = self.store.mk(Op::Extract { high: wide.exponent_bits() - 1, low: 0 }, &[biased]);
        let (sign, fraction) = (self.store.bv_const(1, 0u8), self.store.bv_const(wide.precision() - 1, 0u8));
        let high = self.store.mk(Op::Concat, &[sign, field]);
        let encoding = self.store.mk(Op::Concat, &[high, fraction]);
        self.store.mk(Op::FpFromBits(wide), &[encoding])
    }

    pub(super) fn fraction_and_exponent(
        &mut self,
        environment: &mut FloatEnvironment,
        value: &FloatValue,
    ) -> Result<(FloatValue, Int<TermId>), Stop> {
        let of = self.format_of(value);
        if !is_modelled(of) || of == Format::BINARY16 {
            return Err(refuse(of));
        }
        match *value {
            FloatValue::Concrete { bits, .. } => {
                let encoding = Encoding::of(of);
                let field = (bits & encoding.exponent) >> 64;
                if encoding.is_invalid(bits) && bits & encoding.exponent != encoding.exponent {
                    // glibc replaces the exponent field, whatever the leading bit is.
                    let fraction = bits & !encoding.exponent | 0x3ffe << 64;
                    return Ok((FloatValue::concrete(of, fraction), Int::new(32, field.wrapping_sub(0x3ffe))));
                }
                if encoding.is_nan(bits) {
                    if encoding.is_signaling(bits) {
                        environment.raised |= Flags::INVALID;
                    }
                    let bits = encoding.propagated(FloatOperation::Add, &[bits, bits], false);
                    return Ok((FloatValue::concrete(of, bits), Int::new(32, 0)));
                }
                let float = Float::from_bits(of, bits);
                let (fraction, exponent) = Soft::new(Environment::default()).fraction_and_exponent(&float);
                Ok((FloatValue::of(&fraction), Int::new(32, exponent as u128)))
            }
            FloatValue::Symbolic(term) => Ok(self.split_term(environment, of, term)),
        }
    }

    /// frexpl of what may be an unnormal: glibc replaces the exponent field, whatever the leading bit is.
    fn split_stored(&mut self, environment: &mut FloatEnvironment, term: TermId) -> (FloatValue, Int<TermId>) {
        let of = Format::X87;
        let bits = self.encodings.bits(self.store, term);
        let field = self.store.mk(Op::Extract { high: 78, low: 64 }, &[bits]);
        let leading = self.store.mk(Op::Extract { high: 63, low: 63 }, &[bits]);
        let (none, all) = (self.store.bv_const(15, 0u8), self.store.bv_const(15, 0x7fffu16));
        let clear = self.store.bv_const(1, 0u8);
        let is_clear = self.store.mk(Op::Eq, &[leading, clear]);
        let edges = [none, all].map(|edge| {
            let equal = self.store.mk(Op::Eq, &[field, edge]);
            not(self.store, equal)
        });
        let is_unnormal = self.store.and(&[is_clear, edges[0], edges[1]]);
        // The number where it is valid, or an infinity or NaN of any kind; those are never unnormal.
        let zero = self.store.float_const(Float::zero(of, false));
        let one = self.store.float_const(Float::one(of));
        let nearest = self.store.rounding_mode(Default::default());
        let valid = ite(self.store, is_unnormal, zero, term);
        self.note(environment, Raising::Signaling(valid, valid));
        // Exact for numbers, and what the processor makes of others.
        let valid = self.store.mk(Op::FpMul, &[nearest, valid, one]);
        let mut ignored = FloatEnvironment::default();
        let (fraction, exponent) = self.split_term(&mut ignored, of, valid);

        let (sign, rest) = (
            self.store.mk(Op::Extract { high: 79, low: 79 }, &[bits]),
            self.store.mk(Op::Extract { high: 63, low: 0 }, &[bits]),
        );
        let half = self.store.bv_const(15, 0x3ffeu16);
        let high = self.store.mk(Op::Concat, &[sign, half]);
        let encoding = self.store.mk(Op::Concat, &[high, rest]);
        let replaced = self.store.mk(Op::FpFromBits(of), &[encoding]);
        let wide_field = self.store.mk(Op::ZeroExtend(17), &[field]);
        let bias = self.store.bv_const(32, 0x3ffeu16);
        let offset = self.store.mk(Op::BvSub, &[wide_field, bias]);
        let (fraction, exponent) = (self.term(&fraction), as_term(self.store, &exponent));
        let fraction = ite(self.store, is_unnormal, replaced, fraction);
        let exponent = ite(self.store, is_unnormal, offset, exponent);
        (self.float(fraction), as_int(self.store, 32, exponent))
    }

    fn split_term(
        &mut self,
        environment: &mut FloatEnvironment,
        of: Format,
        term: TermId,
    ) -> (FloatValue, Int<TermId>) {
        if self.encodings.may_be_odd(self.store, term) {
            return self.split_stored(environment, term);
        }
        self.note(environment, Raising::Signaling(term, term));
        let wide = wider(of);
        let nearest = self.store.rounding_mode(Default::default());
        let number = self.store.mk(Op::FpFromFloat(wide), &[nearest, term]);
        let bits = self.store.mk(Op::FpToBits, &[number]);
        let fraction_bits = wide.precision() - 1;
        let top = wide.width() - 1;
        let field = self.store.mk(Op::Extract { high: top - 1, low: fraction_bits }, &[bits]);
        let sign = self.store.mk(Op::Extract { high: top, low: top }, &[bits]);
        let rest = self.store.mk(Op::Extract { high: fraction_bits - 1, low: 0 }, &[bits]);
        // ½ has the exponent −1.
        let half = self.store.bv_const(wide.exponent_bits(), (wide.max_exponent() - 1) as u64);
        let high = self.store.mk(Op::Concat, &[sign, half]);
        let encoding = self.store.mk(Op::Concat, &[high, rest]);
        let fraction = self.store.mk(Op::FpFromBits(wide), &[encoding]);
        let fraction = self.store.mk(Op::FpFromFloat(of), &[nearest, fraction]);
        let field = self.store.mk(Op::ZeroExtend(32 - wide.exponent_bits()), &[field]);
        let bias = self.store.bv_const(32, (wide.max_exponent() - 1) as u64);
        let exponent = self.store.mk(Op::BvSub, &[field, bias]);

        let special = [Op::FpIsZero, Op::FpIsInfinite, Op::FpIsNan].map(|class| self.store.mk(class, &[term]));
        let is_special = self.store.or(&special);
        // Quiet: x + x where x is a NaN.
        let sum = self.store.mk(Op::FpAdd, &[nearest, term, term]);
        let same = ite(self.store, special[2], sum, term);
        let fraction = ite(self.store, is_special, same, fraction);
        let zero = self.store.bv_const(32, 0u8);
        let exponent = ite(self.store, is_special, zero, exponent);
        (self.float(fraction), as_int(self.store, 32, exponent))
    }
}
