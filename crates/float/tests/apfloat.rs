//! Half, quad, bfloat and x87's format against LLVM's soft-float (`rustc_apfloat`), which shares no code with ours.
//! Three of its choices differ and are left out: its underflow means a subnormal result, it raises no overflow where an
//! overflowing result rounds to the largest number, and its fma(0, ∞, NaN) is invalid.

mod patterns;

use labrys_float::{Environment, Flags, Float, Format, Rounded, RoundingMode};
use num_bigint::BigInt;
use patterns::Source;
use rustc_apfloat::ieee::{BFloat, Double, Half, IeeeFloat, Quad, Semantics, Single, X87DoubleExtended};
use rustc_apfloat::{Float as ApFloat, FloatConvert, Round, Status, StatusAnd};

const MODES: [(RoundingMode, Round); 5] = [
    (RoundingMode::NearestEven, Round::NearestTiesToEven),
    (RoundingMode::NearestAway, Round::NearestTiesToAway),
    (RoundingMode::TowardPositive, Round::TowardPositive),
    (RoundingMode::TowardNegative, Round::TowardNegative),
    (RoundingMode::TowardZero, Round::TowardZero),
];

fn flags(status: Status) -> Flags {
    let pairs = [
        (Status::INVALID_OP, Flags::INVALID),
        (Status::DIV_BY_ZERO, Flags::DIVBYZERO),
        (Status::OVERFLOW, Flags::OVERFLOW),
        (Status::INEXACT, Flags::INEXACT),
    ];
    pairs.iter().filter(|(bit, _)| status.intersects(*bit)).map(|(_, flag)| *flag).collect()
}

#[track_caller]
fn check<T: ApFloat>(what: &str, ours: Rounded, theirs: StatusAnd<T>, operands: &[u128]) {
    let value = Float::from_bits(ours.value.format(), theirs.value.to_bits());
    let mut raised = ours.flags.difference(Flags::UNDERFLOW);
    if !ours.value.is_infinite() {
        raised.remove(Flags::OVERFLOW);
    }
    assert!(
        ours.value.same_value(&value) && raised == flags(theirs.status),
        "{what} {operands:x?}: ours {} {raised:?}, apfloat's {} {:?}",
        ours.value.to_hex(),
        value.to_hex(),
        theirs.status
    );
}

/// An encoding apfloat has no other opinion about: valid, and not a signaling NaN.
fn encoding(source: &mut Source, format: Format) -> u128 {
    let bits = patterns::interchange(source, format.exponent_bits(), format.precision());
    let bits = if format.has_explicit_leading_bit() {
        let upper = bits >> 63;
        upper << 64 | u128::from(upper & 0x7fff != 0) << 63 | (bits & (u128::MAX >> 65))
    } else {
        bits
    };
    if Float::from_bits(format, bits).is_nan() { Float::nan(format).to_u128().unwrap() } else { bits }
}

fn arithmetic<S: Semantics>(format: Format, seed: u64) {
    let mut source = Source(seed);
    for (mode, round) in MODES {
        let environment = Environment::with_rounding(mode);
        for i in 0..3000 {
            let bits = [(); 3].map(|()| encoding(&mut source, format));
            let [a, b, mut c] = bits.map(|bits| Float::from_bits(format, bits));
            if i % 3 == 0 {
                // The addend nearly cancels the product.
                c = environment.mul(&a, &b).value.neg();
            }
            if c.is_nan() {
                c = Float::one(format);
            }
            let ap = |float: &Float| IeeeFloat::<S>::from_bits(float.to_u128().unwrap());
            let (x, y, z) = (ap(&a), ap(&b), ap(&c));
            check("add", environment.add(&a, &b), x.add_r(y, round), &bits);
            check("sub", environment.sub(&a, &b), x.sub_r(y, round), &bits);
            check("mul", environment.mul(&a, &b), x.mul_r(y, round), &bits);
            check("div", environment.div(&a, &b), x.div_r(y, round), &bits);
            check("fma", environment.fma(&a, &b, &c), x.mul_add_r(y, z, round), &bits);
            let integral = x.round_to_integral(round);
            check("integral", environment.round_to_integral(&a, mode, true), integral, &bits);
            if a.is_finite() && b.is_finite() && !b.is_zero() {
                check("fmod", environment.fmod(&a, &b), x.c_fmod(y), &bits);
            }
            let integer = source.word() as i64 >> source.below(64);
            let ours = environment.from_integer(&BigInt::from(integer), format);
            check("from integer", ours, IeeeFloat::<S>::from_i128_r(integer.into(), round), &bits);
            assert_eq!(a.compare(&b), x.partial_cmp(&y));
        }
    }
}

#[test]
fn half() {
    arithmetic::<rustc_apfloat::ieee::HalfS>(Format::BINARY16, 21);
}

#[test]
fn bfloat() {
    arithmetic::<rustc_apfloat::ieee::BFloatS>(Format::BFLOAT16, 22);
}

#[test]
fn quad() {
    arithmetic::<rustc_apfloat::ieee::QuadS>(Format::BINARY128, 23);
}

#[test]
fn extended() {
    arithmetic::<rustc_apfloat::ieee::X87DoubleExtendedS>(Format::X87, 24);
}

#[test]
fn conversions() {
    fn pair<A: ApFloat + FloatConvert<B>, B: ApFloat>(from: Format, to: Format, seed: u64) {
        let mut source = Source(seed);
        for (mode, round) in MODES {
            for _ in 0..2000 {
                let bits = encoding(&mut source, from);
                let mut loses = false;
                let theirs: StatusAnd<B> = A::from_bits(bits).convert_r(round, &mut loses);
                let ours = Environment::with_rounding(mode).convert(&Float::from_bits(from, bits), to);
                check("convert", ours, theirs, &[bits]);
            }
        }
    }
    pair::<Quad, Half>(Format::BINARY128, Format::BINARY16, 31);
    pair::<Quad, X87DoubleExtended>(Format::BINARY128, Format::X87, 32);
    pair::<X87DoubleExtended, Quad>(Format::X87, Format::BINARY128, 33);
    pair::<Double, Half>(Format::BINARY64, Format::BINARY16, 34);
    pair::<Single, BFloat>(Format::BINARY32, Format::BFLOAT16, 35);
    pair::<Half, Double>(Format::BINARY16, Format::BINARY64, 36);
}

#[test]
fn decimals_are_read_correctly_rounded() {
    let mut source = Source(41);
    for (mode, round) in MODES {
        let environment = Environment::with_rounding(mode);
        for _ in 0..1500 {
            let digits: String = (0..=source.below(40)).map(|_| char::from(b'0' + source.below(10) as u8)).collect();
            let power = source.below(700) as i64 - 350;
            let text = format!("{digits}.{}e{power}", source.below(1000));
            let theirs = Quad::from_str_r(&text, round).unwrap();
            check(&text, environment.parse(Format::BINARY128, &text).unwrap(), theirs, &[]);
            let theirs = Double::from_str_r(&text, round).unwrap();
            check(&text, environment.parse(Format::BINARY64, &text).unwrap(), theirs, &[]);
        }
    }
}
