//! Sturm's theorem, in another arithmetic than what it judges.

use num_bigint::{BigInt, Sign};
use num_integer::Integer;
use num_traits::{One, Signed, Zero};

/// Coefficients, constant term first, the last not zero.
type Coefficients = Vec<BigInt>;

/// Divided by the coefficients' greatest common divisor, leading zeros dropped; signs stay.
fn primitive(mut of: Coefficients) -> Coefficients {
    while of.last().is_some_and(Zero::is_zero) {
        of.pop();
    }
    let divisor = of.iter().fold(BigInt::zero(), |divisor, c| divisor.gcd(c));
    if divisor > BigInt::one() {
        of.iter_mut().for_each(|c| *c /= &divisor);
    }
    of
}

/// The remainder of a positive multiple of `a` by `b`.
fn remainder(a: &Coefficients, b: &Coefficients) -> Coefficients {
    let Some((leading, rest)) = b.split_last() else { return Vec::new() };
    let (multiplier, sign) = (leading.abs(), leading.signum());
    let mut remainder = a.clone();
    while remainder.len() > rest.len() {
        let shift = remainder.len() - 1 - rest.len();
        let factor = remainder.pop().unwrap_or_default() * &sign;
        remainder.iter_mut().for_each(|c| *c *= &multiplier);
        for (target, c) in remainder[shift..].iter_mut().zip(rest) {
            *target -= c * &factor;
        }
    }
    remainder
}

/// How many distinct real roots a polynomial that is not constant has (Basu, Pollack, Roy, "Algorithms in Real Algebraic
/// Geometry", 2006, section 2.2.2): the sign changes of its Sturm chain at −∞ less those at +∞.
pub fn real_roots(polynomial: &Coefficients) -> usize {
    let derivative = polynomial.iter().enumerate().skip(1).map(|(i, c)| c * BigInt::from(i)).collect();
    let mut chain = vec![primitive(polynomial.clone()), primitive(derivative)];
    while let [.., a, b] = chain.as_slice()
        && !b.is_empty()
    {
        let negated = primitive(remainder(a, b)).iter().map(|c| -c).collect();
        chain.push(negated);
    }
    chain.pop();
    let at = |is_low: bool| {
        let signs = chain.iter().map(move |of| {
            let is_positive = of.last().map(BigInt::sign) == Some(Sign::Plus);
            is_positive != (is_low && of.len().is_multiple_of(2))
        });
        let signs: Vec<bool> = signs.collect();
        signs.windows(2).filter(|pair| pair[0] != pair[1]).count()
    };
    at(true) - at(false)
}
