//! Which NaN an operation gives on x86-64: sign and payload.
//!
//! Sources: Intel 64 and IA-32 Architectures Software Developer's Manual, volume 1, table 4-7 (NaN operands) and section
//! 4.8.3.7 (the default NaN); of library functions, glibc 2.36's code. Tests compare with the processor.
//!
//! - SSE: the first operand that is a NaN, quieted. "First" is the IR's order, which clang keeps without optimisation; functions
//!   of libm have orders of their own ([`order`]).
//! - x87: the NaN with the larger significand, quieted afterwards; of two equal ones the positive. An operand that is no valid
//!   encoding (an unnormal, a pseudo-infinity or a pseudo-NaN) gives the default NaN, whatever the other one is.
//! - No operand is a NaN: the default NaN, negative and quiet with payload 0.
//!
//! Conversions keep a payload's leading bits.

use labrys_float::{Format, RoundingMode};
use labrys_interp::{FloatOperation, Stop};

/// Where the parts of a format's encodings are. Formats have at most 128 bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Encoding {
    pub(super) format: Format,
    /// The sign bit.
    pub(super) sign: u128,
    /// All ones in the exponent field, in place.
    pub(super) exponent: u128,
    /// x87's leading bit, stored; 0 in other formats.
    pub(super) leading: u128,
    /// The significand without its leading bit.
    pub(super) fraction: u128,
    /// The bit that tells quiet NaNs from signaling ones.
    pub(super) quiet: u128,
}

impl Encoding {
    pub(super) fn of(format: Format) -> Encoding {
        let stored = format.stored_significand_bits();
        let fraction_bits = format.precision() - 1;
        let leading = if format.has_explicit_leading_bit() { 1 << fraction_bits } else { 0 };
        Encoding {
            format,
            sign: 1 << (format.width() - 1),
            exponent: ((1 << format.exponent_bits()) - 1) << stored,
            leading,
            fraction: (1 << fraction_bits) - 1,
            quiet: 1 << (fraction_bits - 1),
        }
    }

    /// Everything but the sign.
    pub(super) fn magnitude(&self) -> u128 {
        self.sign - 1
    }

    /// +∞.
    pub(super) fn infinity(&self) -> u128 {
        self.exponent | self.leading
    }

    /// The default NaN.
    pub(super) fn default_nan(&self) -> u128 {
        self.sign | self.infinity() | self.quiet
    }

    /// Whether an encoding is one of x87's that no operation accepts: the leading bit clear under an exponent field that
    /// is not zero.
    pub(super) fn is_invalid(&self, bits: u128) -> bool {
        self.leading != 0 && bits & self.exponent != 0 && bits & self.leading == 0
    }

    /// Whether it is one of x87's second encodings of numbers or NaNs: invalid, or a pseudo-denormal.
    pub(super) fn is_odd(&self, bits: u128) -> bool {
        self.leading != 0
            && (bits & self.exponent == 0) == (bits & self.leading != 0)
            && bits & (self.exponent | self.leading) != 0
    }

    /// Whether operations take an encoding for a NaN, invalid ones included.
    pub(super) fn is_nan(&self, bits: u128) -> bool {
        self.is_invalid(bits) || bits & self.magnitude() > self.infinity()
    }

    /// Whether an operand raises invalid: signaling NaNs and invalid encodings.
    pub(super) fn is_signaling(&self, bits: u128) -> bool {
        self.is_invalid(bits) || (self.is_nan(bits) && bits & self.quiet == 0)
    }

    /// The significand, stored leading bit included.
    pub(super) fn significand(&self) -> u128 {
        self.leading | self.fraction
    }

    /// What becomes of the NaN `bits` of another format: its sign, and the payload's leading bits, quiet.
    pub(super) fn converted(&self, from: &Encoding, bits: u128) -> u128 {
        if from.is_invalid(bits) {
            return self.default_nan();
        }
        let (narrow, wide) = (from.format.precision(), self.format.precision());
        let fraction = bits & from.fraction;
        let fraction = if wide >= narrow { fraction << (wide - narrow) } else { fraction >> (narrow - wide) };
        let sign = if bits & from.sign != 0 { self.sign } else { 0 };
        sign | self.infinity() | self.quiet | fraction
    }

    /// The NaN of two operands of the x87 unit; `None` if neither is one.
    fn larger(&self, a: u128, b: u128) -> Option<u128> {
        if self.is_invalid(a) || self.is_invalid(b) {
            return Some(self.default_nan());
        }
        let rank = |bits: u128| (bits & self.significand(), bits & self.sign == 0);
        match (self.is_nan(a), self.is_nan(b)) {
            (false, false) => None,
            (true, false) => Some(a | self.quiet),
            (false, true) => Some(b | self.quiet),
            (true, true) => Some((if rank(a) >= rank(b) { a } else { b }) | self.quiet),
        }
    }

    /// The NaN that an operation on operands of this format gives; `invalid_product` says that the first two of a fused
    /// operation are 0 and ∞.
    pub(super) fn propagated(&self, operation: FloatOperation, operands: &[u128], invalid_product: bool) -> u128 {
        if let FloatOperation::Convert(to) = operation {
            let to = Encoding::of(to);
            return match operands.first() {
                Some(&bits) if self.is_nan(bits) => to.converted(self, bits),
                _ => to.default_nan(),
            };
        }
        let found = match (self.leading != 0, operands) {
            (true, &[a, b]) => self.larger(a, b),
            (true, &[a, b, c]) => {
                // glibc's fmal computes x·y + z where an operand is special.
                let product = self.larger(a, b).or(invalid_product.then(|| self.default_nan()));
                match product {
                    Some(product) => self.larger(product, c),
                    None => self.larger(c, c),
                }
            }
            (true, &[a]) => self.larger(a, a),
            _ => order(operation, self.format)
                .iter()
                .filter_map(|&index| operands.get(index))
                .find(|&&bits| self.is_nan(bits))
                .map(|bits| bits | self.quiet),
        };
        found.unwrap_or_else(|| self.default_nan())
    }
}

/// Whether an operation on x87's type is a function of glibc's or libgcc's that takes encodings apart itself, so that invalid ones
/// are not the processor's business.
pub(super) fn reads_fields(operation: FloatOperation) -> bool {
    matches!(
        operation,
        FloatOperation::Fma
            | FloatOperation::RoundToIntegral { mode: Some(RoundingMode::NearestAway | RoundingMode::NearestEven), .. }
            | FloatOperation::Convert(Format::BINARY16)
    )
}

/// Why those stop a path.
pub(super) fn refuse_odd() -> Stop {
    Stop::unsupported("a library function on an x87 encoding that may be invalid, or a pseudo-denormal")
}

/// Operations that are what nobody expects: clang 22 fails on minima of x87's type that let NaNs win, and its code for the others raises exceptions
/// of its own.
pub(super) fn refuse_unusual(operation: FloatOperation, format: Format) -> Result<(), Stop> {
    match (operation, format) {
        (
            FloatOperation::Minimum
            | FloatOperation::Maximum
            | FloatOperation::MinimumNumber
            | FloatOperation::MaximumNumber,
            Format::X87,
        ) => Err(Stop::unsupported("C23's minima and maxima of long double")),
        _ => Ok(()),
    }
}

/// 2^−970: below it glibc's remainder of binary64 has zeros of its own signs. It takes the remainder twice, the first time by
/// [`FACTOR_OF_TINY`] times the divisor, and a zero has the sign of what was left then.
pub(super) const LEAST_DIVISOR: u64 = 53 << 52;

/// 2^128.
pub(super) const FACTOR_OF_TINY: u64 = (1023 + 128) << 52;

/// Whether glibc's remainder of a format gives zeros by differences, which are −0 where rounding is downward: of an odd quotient but 1 the zero then
/// has the other sign. Of binary64 it rounds to nearest inside, of x87's type the processor has an instruction.
pub(super) fn has_zeros_of_differences(format: Format, mode: RoundingMode) -> bool {
    format == Format::BINARY32 && mode == RoundingMode::TowardNegative
}

/// Whether zeros of a divisor of binary64 have signs of their own ([`LEAST_DIVISOR`]).
pub(super) fn is_tiny_divisor(bits: u128) -> bool {
    let magnitude = bits & (u128::MAX >> 65);
    magnitude != 0 && magnitude < u128::from(LEAST_DIVISOR)
}

/// The order in which SSE code looks at operands for a NaN: the IR's, but where libm computes.
pub(super) fn order(operation: FloatOperation, format: Format) -> &'static [usize] {
    match operation {
        // vfmadd213sd with the second operand first, as glibc's fma is compiled.
        FloatOperation::Fma => &[1, 0, 2],
        // (x · y) / (x · y), the product commuted in one of the two formats.
        FloatOperation::IeeeRemainder if format == Format::BINARY64 => &[1, 0],
        _ => &[0, 1],
    }
}
