//! Operators of one to three floats on tiny formats.
//!
//! `fp.min` and `fp.max` of zeros of different signs are judged under both choices.

use labrys_float::{Environment, Float, Format, RoundingMode};
use labrys_formulas::Random;

use super::universe::{Tightness, Universe, random_modes};
use crate::domain::project::{forward, inverse, ulp_maximum};
use crate::domain::{FloatDomain, ModeDomain};

/// Results of an operator of `N` floats for all modes and values, as places.
struct Table<const N: usize> {
    results: Vec<Vec<u32>>,
    from: Universe,
    to: Universe,
}

impl<const N: usize> Table<N> {
    fn new(from: Universe, to: Universe, apply: impl Fn(&Environment, [&Float; N]) -> Float) -> Table<N> {
        let values: Vec<Float> = (0..from.len()).map(|place| from.value(place)).collect();
        let results = RoundingMode::ALL.map(|mode| {
            let environment = Environment::with_rounding(mode);
            let mut digits = [0; N];
            (0..from.len().pow(N as u32))
                .map(|index| {
                    let mut rest = index;
                    for digit in &mut digits {
                        *digit = rest % from.len();
                        rest /= from.len();
                    }
                    to.place(&apply(&environment, digits.map(|digit| &values[digit]))) as u32
                })
                .collect()
        });
        Table { results: results.into(), from, to }
    }

    /// The hulls of what has partners: of the results in `r`, and of each operand's.
    fn hulls(
        &self,
        modes: ModeDomain,
        r: &FloatDomain,
        args: &[FloatDomain; N],
    ) -> (FloatDomain, [FloatDomain; N], FloatDomain) {
        let wanted = self.to.members(r);
        let places: [Vec<usize>; N] = std::array::from_fn(|place| {
            let members = self.from.members(&args[place]);
            (0..members.len()).filter(|place| members[*place]).collect()
        });
        let mut images = vec![false; self.to.len()];
        let mut supported = [(); N].map(|()| vec![false; self.from.len()]);
        let total: usize = places.iter().map(Vec::len).product();
        for index in 0..total {
            let (mut rest, mut offset, mut scale) = (index, 0, 1);
            let mut at = [0; N];
            for (digit, members) in at.iter_mut().zip(&places) {
                *digit = members[rest % members.len()];
                rest /= members.len();
                offset += *digit * scale;
                scale *= self.from.len();
            }
            for (mode, results) in self.results.iter().enumerate() {
                if modes.0 >> mode & 1 == 0 {
                    continue;
                }
                let result = results[offset] as usize;
                images[result] = true;
                if wanted[result] {
                    for (supported, place) in supported.iter_mut().zip(at) {
                        supported[place] = true;
                    }
                }
            }
        }
        let places_of = |flags: &[bool]| (0..flags.len()).filter(|place| flags[*place]).collect::<Vec<_>>();
        let image = self.to.hull(places_of(&images));
        (image, supported.map(|flags| self.from.hull(places_of(&flags))), *r)
    }
}

/// Tries random sets on an operator; answers how tight the direct and the inverse projection are.
fn trial<const N: usize>(
    seed: u64,
    count: usize,
    (from, to): (Format, Format),
    apply: impl Fn(&Environment, [&Float; N]) -> Float,
    direct: impl Fn(ModeDomain, &[FloatDomain; N]) -> FloatDomain,
    indirect: impl Fn(ModeDomain, &FloatDomain, &[FloatDomain; N]) -> [FloatDomain; N],
) -> (Tightness, Tightness) {
    let table = Table::new(Universe::new(from), Universe::new(to), apply);
    let mut random = Random::new(seed);
    let (mut forward, mut inverse) = (Tightness::default(), Tightness::default());
    for _ in 0..count {
        let modes = random_modes(&mut random);
        let args = [(); N].map(|()| table.from.random(&mut random));
        let r = table.to.random(&mut random);
        let (image, supported, _) = table.hulls(modes, &r, &args);
        let what = || format!("{modes:?} {r:?} {args:?}");
        forward.judge(&direct(modes, &args), &image, what);
        for (place, (kept, needed)) in indirect(modes, &r, &args).iter().zip(&supported).enumerate() {
            assert_eq!(kept.intersect(&args[place]), *kept, "a member appears: {}", what());
            inverse.judge(kept, needed, || format!("operand {place}: {}", what()));
        }
    }
    (forward, inverse)
}

const TINY: [Format; 3] = [Format::new(3, 4), Format::new(2, 2), Format::new(4, 3)];

/// fp.min or fp.max with the first operand, or the second, where both are zeros.
fn select(a: &Float, b: &Float, larger: bool, first: bool) -> Float {
    if a.is_zero() && b.is_zero() {
        return if first { a.clone() } else { b.clone() };
    }
    let environment = Environment::default();
    if larger { environment.max_num(a, b).value } else { environment.min_num(a, b).value }
}

/// An operator of two floats, its projections and what is expected of them.
macro_rules! binary {
    ($test:ident, $apply:expr, $direct:expr, $indirect:expr, $forward:expr, $inverse:expr) => {
        #[test]
        fn $test() {
            for (seed, format) in TINY.into_iter().enumerate() {
                let (direct, indirect) = trial::<2>(
                    seed as u64 + 77,
                    4000,
                    (format, format),
                    $apply,
                    |modes, [a, b]| $direct(modes, a, b),
                    |modes, r, [a, b]| $indirect(modes, r, a, b).into(),
                );
                direct.expect(concat!(stringify!($test), " forward"), $forward.0, $forward.1);
                indirect.expect(concat!(stringify!($test), " inverse"), $inverse.0, $inverse.1);
            }
        }
    };
}

binary!(sums, |e, [a, b]| e.add(a, b).value, forward::add, inverse::add, (990, 1005), (950, 1060));
binary!(sums_by_ulp_maximum, |e, [a, b]| e.add(a, b).value, forward::add, ulp_maximum::add, (990, 1005), (950, 1060));
binary!(differences, |e, [a, b]| e.sub(a, b).value, forward::sub, inverse::sub, (990, 1005), (950, 1060));
binary!(
    differences_by_ulp_maximum,
    |e, [a, b]| e.sub(a, b).value,
    forward::sub,
    ulp_maximum::sub,
    (900, 1100),
    (800, 1200)
);
binary!(products, |e, [a, b]| e.mul(a, b).value, forward::mul, inverse::mul, (980, 1005), (990, 1005));
binary!(quotients, |e, [a, b]| e.div(a, b).value, forward::div, inverse::div, (980, 1005), (990, 1005));
binary!(
    remainders,
    |e, [a, b]| e.ieee_remainder(a, b).value,
    |_, a, b| forward::rem(a, b),
    |_, r, a, b| inverse::rem(r, a, b),
    (300, 2000),
    (300, 2000)
);
binary!(
    truncated_remainders,
    |e, [a, b]| e.fmod(a, b).value,
    |_, a, b| forward::fmod(a, b),
    |_, r, a, b| inverse::fmod(r, a, b),
    (300, 2000),
    (300, 2000)
);
binary!(
    minima,
    |_, [a, b]| select(a, b, false, true),
    |_, a, b| forward::min(a, b),
    |_, r, a, b| inverse::min(r, a, b),
    (930, 1020),
    (930, 1020)
);
binary!(
    minima_otherwise,
    |_, [a, b]| select(a, b, false, false),
    |_, a, b| forward::min(a, b),
    |_, r, a, b| inverse::min(r, a, b),
    (930, 1020),
    (930, 1020)
);
binary!(
    maxima,
    |_, [a, b]| select(a, b, true, true),
    |_, a, b| forward::max(a, b),
    |_, r, a, b| inverse::max(r, a, b),
    (930, 1020),
    (930, 1020)
);
binary!(
    maxima_otherwise,
    |_, [a, b]| select(a, b, true, false),
    |_, a, b| forward::max(a, b),
    |_, r, a, b| inverse::max(r, a, b),
    (930, 1020),
    (930, 1020)
);

/// An operator of one float: on every format of `TINY` to every format of the list.
macro_rules! unary {
    ($test:ident, $to:expr, $apply:expr, $direct:expr, $indirect:expr, $forward:expr, $inverse:expr) => {
        #[test]
        fn $test() {
            for (seed, from) in TINY.into_iter().enumerate() {
                for to in $to(from) {
                    let (direct, indirect) = trial::<1>(
                        seed as u64 + 5,
                        8000,
                        (from, to),
                        |environment, [a]| $apply(environment, a, to),
                        |modes, [a]| $direct(modes, a, to),
                        |modes, r, [a]| [$indirect(modes, r, a)],
                    );
                    direct.expect(concat!(stringify!($test), " forward"), $forward.0, $forward.1);
                    indirect.expect(concat!(stringify!($test), " inverse"), $inverse.0, $inverse.1);
                }
            }
        }
    };
}

unary!(
    square_roots,
    |format| [format],
    |e: &Environment, a, _| e.sqrt(a).value,
    |modes, a, _| forward::sqrt(modes, a),
    inverse::sqrt,
    (1000, 1000),
    (1000, 1000)
);
unary!(
    integral_values,
    |format| [format],
    |e: &Environment, a, _| e.round_to_integral(a, e.rounding, false).value,
    |modes, a, _| forward::round_to_integral(modes, a),
    inverse::round_to_integral,
    (1000, 1000),
    (1000, 1000)
);
unary!(
    conversions,
    |_| TINY,
    |e: &Environment, a, to| e.convert(a, to).value,
    forward::from_float,
    inverse::from_float,
    (850, 1010),
    (950, 1010)
);
unary!(
    negations,
    |format| [format],
    |_, a: &Float, _| a.neg(),
    |_, a, _| forward::neg(a),
    |_, r, a| inverse::neg(r, a),
    (1000, 1000),
    (1000, 1000)
);
unary!(
    absolute_values,
    |format| [format],
    |_, a: &Float, _| a.abs(),
    |_, a, _| forward::abs(a),
    |_, r, a| { inverse::abs(r, a) },
    (1000, 1000),
    (1000, 1000)
);

#[test]
fn fused_sums_of_products() {
    for (seed, format) in [Format::new(2, 2), Format::new(2, 3), Format::new(3, 2)].into_iter().enumerate() {
        let (direct, indirect) = trial::<3>(
            seed as u64 + 3,
            1500,
            (format, format),
            |environment, [a, b, c]| environment.fma(a, b, c).value,
            |modes, [a, b, c]| forward::fma(modes, a, b, c),
            |modes, r, [a, b, c]| inverse::fma(modes, r, a, b, c).into(),
        );
        direct.expect("fma forward", 800, 1100);
        indirect.expect("fma inverse", 800, 1100);
    }
}
