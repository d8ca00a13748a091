//! Conversions between floats and bit vectors, and encodings, on tiny formats and widths.

use labrys_float::{Environment, Float, Format, RoundingMode};
use labrys_formulas::Random;
use num_bigint::BigInt;

use super::universe::{Tightness, Universe, random_modes};
use crate::domain::project::{forward, inverse};
use crate::domain::{BitVecDomain, FloatDomain, ModeDomain};

const FORMATS: [Format; 4] = [Format::new(3, 4), Format::new(2, 2), Format::new(4, 3), Format::new(3, 5)];

fn members(a: &BitVecDomain) -> Vec<u128> {
    let agree = |bits: &u128| bits & a.ones == a.ones && bits & a.zeros == 0;
    (0..1 << a.width).filter(|bits| a.low <= *bits && *bits <= a.high).filter(agree).collect()
}

/// A random interval, sometimes with a known bit.
fn random_vectors(width: u32, random: &mut Random) -> BitVecDomain {
    let mut domain = BitVecDomain::top(width);
    if !random.once_in(8) {
        domain.low = random.wide_below(1 << width);
        domain.high = domain.low + random.wide_below((1 << width) - domain.low);
    }
    if random.once_in(3) {
        let bit = 1 << random.wide_below(width.into());
        *(if random.once_in(2) { &mut domain.ones } else { &mut domain.zeros }) = bit;
    }
    let found = members(&domain);
    match (found.first(), found.last()) {
        (Some(&low), Some(&high)) => BitVecDomain { low, high, ..domain },
        _ => BitVecDomain::only(width, domain.low),
    }
}

/// Checks a projection on bit vectors, and answers whether it is as tight as an interval is.
fn judge(kept: &BitVecDomain, needed: &[u128], what: &str) -> bool {
    let found = members(kept);
    assert!(
        needed.iter().all(|bits| found.contains(bits)),
        "a vector with a partner is dropped: {what} {kept:?} {needed:?}"
    );
    found.first() == needed.iter().min() && found.last() == needed.iter().max()
}

fn value(bits: u128, width: u32, signed: bool) -> BigInt {
    let value = BigInt::from(bits);
    if signed && bits >> (width - 1) & 1 == 1 { value - (BigInt::from(1) << width) } else { value }
}

#[test]
fn integers_become_floats() {
    let mut random = Random::new(11);
    for (format, width, signed) in
        FORMATS.into_iter().flat_map(|f| [1, 2, 5, 7].map(|w| [(f, w, true), (f, w, false)])).flatten()
    {
        let universe = Universe::new(format);
        let mut direct = Tightness::default();
        for _ in 0..300 {
            let (modes, a) = (random_modes(&mut random), random_vectors(width, &mut random));
            let r = universe.random(&mut random);
            let convert = |mode, bits: u128| {
                Environment::with_rounding(mode).from_integer(&value(bits, width, signed), format).value
            };
            let images = modes.modes().flat_map(|mode| members(&a).into_iter().map(move |bits| (mode, bits)));
            let image = universe.hull(images.map(|(mode, bits)| universe.place(&convert(mode, bits))));
            let kept = if signed {
                forward::from_signed(modes, &a, format)
            } else {
                forward::from_unsigned(modes, &a, format)
            };
            let what = format!("{modes:?} {a:?} {r:?} {signed}");
            direct.judge(&kept, &image, || what.clone());
            let mut needed = members(&a);
            needed.retain(|bits| modes.modes().any(|mode| r.contains(&convert(mode, *bits))));
            let kept = if signed { inverse::from_signed(modes, &r, &a) } else { inverse::from_unsigned(modes, &r, &a) };
            judge(&kept, &needed, &what);
        }
        direct.expect("from integer", 750, 1050);
    }
}

#[test]
fn floats_become_integers() {
    let mut random = Random::new(12);
    for (format, width, signed) in
        FORMATS.into_iter().flat_map(|f| [1, 2, 4, 6].map(|w| [(f, w, true), (f, w, false)])).flatten()
    {
        let universe = Universe::new(format);
        let (mut direct, mut inverses, mut trials) = (0, Tightness::default(), 0);
        for _ in 0..300 {
            let (modes, a) = (random_modes(&mut random), universe.random(&mut random));
            let r = random_vectors(width, &mut random);
            let convert = |mode: RoundingMode, float: &Float| {
                let bits = Environment::default().to_integer(float, mode, width, signed).0?;
                u128::try_from(((bits + (BigInt::from(1) << width)) % (BigInt::from(1) << width)).magnitude()).ok()
            };
            let results = members(&r);
            let (mut images, mut open, mut needed) = (Vec::new(), false, Vec::new());
            for place in 0..universe.len() {
                let float = universe.value(place);
                for mode in modes.modes().filter(|_| a.contains(&float)) {
                    let image = convert(mode, &float);
                    open |= image.is_none();
                    images.extend(image);
                    if image.is_none_or(|image| results.contains(&image)) {
                        needed.push(place);
                    }
                }
            }
            if open {
                images = (0..1 << width).collect();
            }
            let what = format!("{modes:?} {a:?} {r:?} {signed}");
            let kept =
                if signed { forward::to_signed(modes, &a, width) } else { forward::to_unsigned(modes, &a, width) };
            direct += u32::from(judge(&kept, &images, &what));
            trials += 1;
            let kept = if signed { inverse::to_signed(modes, &r, &a) } else { inverse::to_unsigned(modes, &r, &a) };
            assert_eq!(kept.intersect(&a), kept, "{what}");
            inverses.judge(&kept, &universe.hull(needed), || what.clone());
        }
        assert!(direct * 100 >= trials * 99, "{direct} of {trials} are tight");
        inverses.expect("to integer", 900, 1050);
    }
}

#[test]
fn encodings_are_read_and_written() {
    let mut random = Random::new(13);
    for format in FORMATS {
        let universe = Universe::new(format);
        let (mut reading, mut writing) = (Tightness::default(), Tightness::default());
        for _ in 0..1000 {
            let (a, r) = (random_vectors(format.width(), &mut random), universe.random(&mut random));
            let what = format!("{a:?} {r:?}");
            let read = |bits: u128| Float::from_bits(format, bits);
            let image = universe.hull(members(&a).into_iter().map(|bits| universe.place(&read(bits))));
            reading.judge(&forward::from_bits(&a, format), &image, || what.clone());
            let mut needed = members(&a);
            needed.retain(|bits| r.contains(&read(*bits)));
            judge(&inverse::from_bits(&r, &a), &needed, &what);

            let floats = || (0..universe.len()).filter(|place| r.contains(&universe.value(*place)));
            let write = |place| u128::try_from(universe.value(place).bits()).unwrap_or(u128::MAX);
            let images: Vec<u128> = floats().map(write).collect();
            assert!(judge(&forward::to_bits(&r), &images, &what), "{what}");
            let vectors = members(&a);
            let needed = universe.hull(floats().filter(|place| vectors.contains(&write(*place))));
            writing.judge(&inverse::to_bits(&a, &r), &needed, || what.clone());
        }
        reading.expect("from bits", 700, 1300);
        writing.expect("to bits", 700, 1300);
    }
}

/// Widths and formats of up to 128 bits, where one value is all that can be enumerated.
#[test]
fn the_widest_single_values_are_exact() {
    let mut random = Random::new(14);
    for format in [Format::BINARY16, Format::BINARY64, Format::BINARY128, Format::X87] {
        for width in [64, 127, 128] {
            for bits in [0, 1, u128::MAX >> (128 - width), 1 << (width - 1), random.wide_below(1 << (width - 1))] {
                for (mode, signed) in RoundingMode::ALL.into_iter().flat_map(|mode| [(mode, true), (mode, false)]) {
                    let (modes, a) = (ModeDomain::only(mode), BitVecDomain::only(width, bits));
                    let environment = Environment::with_rounding(mode);
                    let float = environment.from_integer(&value(bits, width, signed), format).value;
                    let single = FloatDomain::only(&float);
                    let (direct, vector, back) = if signed {
                        let vector = forward::to_signed(modes, &single, width);
                        (forward::from_signed(modes, &a, format), vector, inverse::from_signed(modes, &single, &a))
                    } else {
                        let vector = forward::to_unsigned(modes, &single, width);
                        (forward::from_unsigned(modes, &a, format), vector, inverse::from_unsigned(modes, &single, &a))
                    };
                    assert_eq!(direct, single, "{format:?} {width} {bits} {mode:?} {signed}");
                    assert_eq!((back.low, back.high), (bits, bits));
                    match environment.to_integer(&float, mode, width, signed).0 {
                        Some(integer) => assert_eq!(value(vector.low, width, signed), integer),
                        None => assert_eq!(vector, BitVecDomain::top(width)),
                    }
                }
            }
        }
    }
}
