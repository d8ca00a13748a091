//! Algebraic numbers: which root, how closely enclosed, and how rounded.

use labrys_float::{Float, Format};
use num_bigint::BigInt;
use num_rational::BigRational;
use num_traits::{One, Signed, Zero};
use proptest::prelude::*;

use super::isolation::{is_at, roots_of};
use crate::algebraic::{AlgebraicNumber, NoSuchRoot, Polynomial, round_both, to_gmp};

fn number(coefficients: &[i64], index: usize) -> Result<AlgebraicNumber, NoSuchRoot> {
    AlgebraicNumber::new(coefficients.iter().map(|&c| c.into()).collect(), index)
}

/// The product of (d·x − n) over the roots n/d.
fn with_roots(roots: &[(i64, i64)]) -> Vec<BigInt> {
    let mut product = vec![BigInt::one()];
    for (n, d) in roots {
        let mut next = vec![BigInt::zero(); product.len() + 1];
        for (i, coefficient) in product.iter().enumerate() {
            next[i] -= coefficient * n;
            next[i + 1] += coefficient * d;
        }
        product = next;
    }
    product
}

#[test]
fn roots_are_numbered_in_ascending_order() {
    // x(x² − 2)(x − 3): −√2, 0, √2, 3.
    let coefficients = [0, 6, -2, -3, 1];
    let rounded = |index| number(&coefficients, index).unwrap().round_both(Format::BINARY64);
    let root = 2f64.sqrt();
    assert_eq!(rounded(1).0.to_f64(), Some(-root));
    assert_eq!(rounded(2).0.to_f64(), Some(0.0));
    assert_eq!(rounded(3).1.to_f64(), Some(root));
    assert_eq!(rounded(4), (Float::from_f64(3.0), Float::from_f64(3.0)));
    assert_eq!(number(&coefficients, 5), Err(NoSuchRoot::Index { index: 5, count: 4 }));
    assert_eq!(number(&coefficients, 0), Err(NoSuchRoot::Index { index: 0, count: 4 }));
    assert_eq!(number(&[7], 1), Err(NoSuchRoot::Constant));
    assert_eq!(number(&[0, 0], 1), Err(NoSuchRoot::Constant));
    assert_eq!(number(&[1, 0, 1], 1), Err(NoSuchRoot::Index { index: 1, count: 0 }));
}

#[test]
fn tiny_and_huge_roots_keep_their_relative_precision() {
    // x³ = 2^±3001: far outside binary64, and inside binary128.
    for (shift_constant, shift_leading) in [(3001u32, 0u32), (0, 3001)] {
        let coefficients = vec![-(BigInt::one() << shift_constant), 0.into(), 0.into(), BigInt::one() << shift_leading];
        let root = AlgebraicNumber::new(coefficients, 1).unwrap();
        let (low, high) = root.interval(200);
        assert!((&high - &low) * BigRational::from_integer(BigInt::one() << 200) <= low.abs());
        let (below, above) = root.round_both(Format::BINARY128);
        assert_eq!(below.next_up(), above);
    }
}

#[test]
fn overflowing_and_underflowing_roots_round_to_the_range_s_ends() {
    let huge = AlgebraicNumber::new(vec![-(BigInt::one() << 5001u32), 0.into(), 1.into()], 2).unwrap();
    let expected = (Float::max_finite(Format::BINARY64), Float::infinity(Format::BINARY64, false));
    assert_eq!(huge.round_both(Format::BINARY64), expected);
    let tiny = AlgebraicNumber::new(vec![(-1).into(), 0.into(), BigInt::one() << 5001u32], 1).unwrap();
    let (below, above) = tiny.round_both(Format::BINARY64);
    assert_eq!(below, Float::min_subnormal(Format::BINARY64).neg());
    assert!(above.is_zero());
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn rational_roots_are_found_exactly(mut roots in prop::collection::vec((-50i64..50, 1i64..20), 1..5)) {
        let coefficients = with_roots(&roots);
        let isolated = roots_of(&Polynomial::new(coefficients.iter().map(to_gmp).collect()));
        roots.sort_by(|a, b| (a.0 * b.1).cmp(&(b.0 * a.1)));
        roots.dedup_by(|a, b| a.0 * b.1 == b.0 * a.1);
        for (i, (n, d)) in roots.iter().enumerate() {
            let root = AlgebraicNumber::new(coefficients.clone(), i + 1).unwrap();
            let value = BigRational::new((*n).into(), (*d).into());
            prop_assert!(is_at(&isolated[i], &value));
            let nearby = &value + BigRational::new(1.into(), BigInt::one() << 300);
            prop_assert!(!is_at(&isolated[i], &nearby));
            prop_assert_eq!(root.round_both(Format::BINARY32), round_both(&value, Format::BINARY32));
            let (low, high) = root.interval(100);
            prop_assert!(low <= value && value <= high);
            // An interval of a hundred bits has one of 101 in a place, whatever the polynomial's other roots are.
            let alone = AlgebraicNumber::new(vec![-BigInt::from(*n), (*d).into()], 1).unwrap();
            prop_assert_eq!(alone.interval(100), (low.clone(), high.clone()));
            let is_short = value.denom().trailing_zeros() == Some(value.denom().bits() - 1);
            prop_assert_eq!(low == high, is_short);
        }
        let count = roots.len();
        let beyond = AlgebraicNumber::new(coefficients, count + 1);
        prop_assert_eq!(beyond, Err(NoSuchRoot::Index { index: count + 1, count }));
    }

    #[test]
    fn square_roots_agree_with_the_hardware(a in 1u32..) {
        let root = AlgebraicNumber::new(vec![-BigInt::from(a), 0.into(), 1.into()], 2).unwrap();
        let (below, above) = root.round_both(Format::BINARY64);
        let hardware = Float::from_f64(f64::from(a).sqrt());
        prop_assert!(below == hardware || above == hardware);
        prop_assert_eq!(below == above, f64::from(a).sqrt().fract() == 0.0);
    }
}
