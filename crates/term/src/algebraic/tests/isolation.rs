//! Isolation against roots that are known, and against Sturm's theorem.

use std::cmp::Ordering;

use num_bigint::BigInt;
use num_rational::BigRational;
use num_traits::{Signed, Zero};
use proptest::prelude::*;
use proptest::test_runner::RngSeed;
use rug::Integer;

use super::sturm;
use crate::algebraic::{Dyadic, Polynomial, Root, from_gmp, isolate, to_gmp};

pub(super) fn roots_of(polynomial: &Polynomial) -> Vec<Root> {
    let Ok(roots) = isolate::<std::convert::Infallible>(polynomial, &mut |_| Ok(()));
    roots
}

fn product(a: &Polynomial, b: &Polynomial) -> Polynomial {
    let mut product = vec![Integer::new(); a.coefficients().len() + b.coefficients().len() - 1];
    for (i, c) in a.coefficients().iter().enumerate() {
        for (j, d) in b.coefficients().iter().enumerate() {
            product[i + j] += c * d;
        }
    }
    Polynomial::new(product)
}

/// d·x − n, for the root n/d.
fn linear(root: &BigRational) -> Polynomial {
    Polynomial::new(vec![-to_gmp(root.numer()), to_gmp(root.denom())])
}

/// n·10^e.
fn decimal(n: i64, e: i32) -> BigRational {
    let scale = BigRational::from_integer(BigInt::from(10)).pow(e);
    BigRational::from_integer(n.into()) * scale
}

/// Compares a root with a rational number by what the two have in common: a dyadic neighbour on each side.
pub(super) fn is_at(root: &Root, value: &BigRational) -> bool {
    let bits = 4000 + value.numer().bits() + value.denom().bits();
    let scaled = value * BigRational::from_integer(BigInt::from(1) << bits);
    let (below, above) = (scaled.floor().to_integer(), scaled.ceil().to_integer());
    let point = |n: &BigInt| Dyadic::new(to_gmp(n), -(bits as i64));
    root.compare(&point(&below)) != Ordering::Less && root.compare(&point(&above)) != Ordering::Greater
}

/// Roots anywhere in 600 orders of magnitude.
fn root() -> impl Strategy<Value = BigRational> {
    (-999i64..1000, -300i32..300).prop_map(|(n, e)| decimal(n, e))
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 60, rng_seed: RngSeed::Fixed(0), failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn known_roots_of_all_sizes_and_multiplicities_are_found(
        roots in prop::collection::vec((root(), 1usize..4), 1..5),
        complex in prop::collection::vec((root(), 1i64..1000), 0..2),
    ) {
        let mut polynomial = Polynomial::new(vec![Integer::from(-3)]);
        for (root, multiplicity) in &roots {
            for _ in 0..*multiplicity {
                polynomial = product(&polynomial, &linear(root));
            }
        }
        // (d·x − n)² + k has no real root; its two are close to the line where k is small against n².
        for (root, distance) in &complex {
            let square = product(&linear(root), &linear(root));
            let mut coefficients = square.coefficients().to_vec();
            coefficients[0] += *distance;
            polynomial = product(&polynomial, &Polynomial::new(coefficients));
        }
        let mut expected: Vec<BigRational> = roots.into_iter().map(|(root, _)| root).collect();
        expected.sort();
        expected.dedup();
        let found = roots_of(&polynomial);
        prop_assert_eq!(found.len(), expected.len());
        for (root, value) in found.iter().zip(&expected) {
            prop_assert!(is_at(root, value), "{value}");
        }
    }

    #[test]
    fn clustered_roots_are_told_apart(base in root(), gaps in prop::collection::vec(1u32..200, 1..5)) {
        // Roots a relative 2^-gap apart, each closer to the last: r, r(1 + 2^-g1), r(1 + 2^-g1 + 2^-(g1 + g2)), …
        prop_assume!(base.is_positive());
        let mut roots = vec![base.clone()];
        let (mut sum, mut gap) = (BigRational::from_integer(1.into()), 0);
        for next in gaps {
            gap += next;
            sum += BigRational::new(1.into(), BigInt::from(1) << gap);
            roots.push(&base * &sum);
        }
        let polynomial = roots.iter().map(linear).reduce(|a, b| product(&a, &b)).expect("there is one");
        let found = roots_of(&polynomial);
        prop_assert_eq!(found.len(), roots.len());
        for (root, value) in found.iter().zip(&roots) {
            prop_assert!(is_at(root, value));
        }
    }

}

proptest! {
    // Few: the Sturm chains take most of the time.
    #![proptest_config(ProptestConfig { cases: 30, rng_seed: RngSeed::Fixed(0), failure_persistence: None, ..ProptestConfig::default() })]

    /// Coefficients across 600 orders of magnitude, degree up to 12, against Sturm's theorem in another arithmetic.
    #[test]
    fn any_polynomial_s_roots_agree_with_sturm_s(
        coefficients in prop::collection::vec((any::<i32>(), 0u32..2000), 2..14),
        squared in any::<bool>(),
    ) {
        let shift = |(c, shift): &(i32, u32)| Integer::from(*c) << *shift;
        let mut polynomial = Polynomial::new(coefficients.iter().map(shift).collect());
        prop_assume!(polynomial.degree() > 0);
        if squared && polynomial.degree() <= 6 {
            polynomial = product(&polynomial, &polynomial);
        }
        let found = roots_of(&polynomial);
        // As many, and an odd number of them in each of disjoint intervals: one in each.
        let numbers: Vec<BigInt> = polynomial.coefficients().iter().map(from_gmp).collect();
        prop_assert_eq!(found.len(), sturm::real_roots(&numbers));
        let sign = |point: &Dyadic| {
            let x = point.to_rational();
            let value = numbers.iter().rev().fold(BigRational::zero(), |sum, c| sum * &x + BigRational::from(c.clone()));
            value.cmp(&BigRational::zero())
        };
        for root in &found {
            let (low, high) = root.bounds();
            let (below, above) = (sign(low), sign(high));
            let changes = below.is_ne() && above.is_ne() && below != above;
            let is_right = if low == high { below.is_eq() } else { squared || changes };
            prop_assert!(is_right);
        }
        for pair in found.windows(2) {
            prop_assert!(pair[0].compare(pair[1].bounds().1).is_le() && pair[0].bounds().0 < pair[1].bounds().1);
        }
    }
}

#[test]
fn wilkinson_s_and_mignotte_s_polynomials() {
    let wilkinson = (1..=20).map(|n| linear(&decimal(n, 0))).reduce(|a, b| product(&a, &b)).expect("twenty");
    let found = roots_of(&wilkinson);
    assert_eq!(found.len(), 20);
    for (root, n) in found.iter().zip(1..) {
        assert!(is_at(root, &decimal(n, 0)));
    }
    // x^12 − 2(ax − 1)², a = 10^40: two roots about a^-7 apart.
    let scaled = Polynomial::new(vec![Integer::from(-1), Integer::from(Integer::u_pow_u(10, 40))]);
    let mut coefficients: Vec<Integer> =
        product(&scaled, &scaled).coefficients().iter().map(|c| Integer::from(c * -2)).collect();
    coefficients.resize(13, Integer::new());
    coefficients[12] += 1;
    assert_eq!(roots_of(&Polynomial::new(coefficients)).len(), 4);
}

#[test]
fn constants_have_no_roots_and_zero_is_one() {
    assert!(roots_of(&Polynomial::new(vec![Integer::from(7)])).is_empty());
    assert!(roots_of(&Polynomial::new(Vec::new())).is_empty());
    let found = roots_of(&Polynomial::new(vec![Integer::new(), Integer::new(), Integer::from(-5)]));
    assert!(matches!(found.as_slice(), [root] if root.bounds().0 == root.bounds().1 && is_at(root, &decimal(0, 0))));
}

#[test]
fn a_search_ends_where_its_caller_says() {
    let polynomial = Polynomial::new([-1, 0, 0, 0, 0, 7].map(Integer::from).to_vec());
    let mut left = 2;
    let spend = &mut |_: &Polynomial| {
        left -= 1;
        if left > 0 { Ok(()) } else { Err("spent") }
    };
    assert_eq!(isolate(&polynomial, spend), Err("spent"));
}
