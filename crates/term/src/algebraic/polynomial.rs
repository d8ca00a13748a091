//! Integer polynomials in one variable, as far as isolating real roots needs them.

use num_bigint::{BigInt, Sign};
use num_integer::Integer;
use num_rational::BigRational;
use num_traits::{One, Signed, Zero};

/// A polynomial with integer coefficients.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Polynomial {
    /// Constant term first; the last is not zero, and there is none for the zero polynomial.
    coefficients: Vec<BigInt>,
}

impl Polynomial {
    pub fn new(mut coefficients: Vec<BigInt>) -> Polynomial {
        while coefficients.last().is_some_and(Zero::is_zero) {
            coefficients.pop();
        }
        Polynomial { coefficients }
    }

    /// 0 for constants, zero included.
    pub fn degree(&self) -> usize {
        self.coefficients.len().saturating_sub(1)
    }

    fn is_zero(&self) -> bool {
        self.coefficients.is_empty()
    }

    fn leading(&self) -> BigInt {
        self.coefficients.last().cloned().unwrap_or_default()
    }

    /// Divided by the coefficients' greatest common divisor; signs stay.
    fn primitive(mut self) -> Polynomial {
        let divisor = self.coefficients.iter().fold(BigInt::zero(), |divisor, c| divisor.gcd(c));
        if divisor > BigInt::one() {
            self.coefficients.iter_mut().for_each(|c| *c /= &divisor);
        }
        self
    }

    fn derivative(&self) -> Polynomial {
        let terms = self.coefficients.iter().enumerate().skip(1);
        Polynomial::new(terms.map(|(i, c)| c * BigInt::from(i)).collect())
    }

    /// Quotient and remainder of a positive multiple of `self` by `divisor`, which is not zero.
    fn pseudo_divide(&self, divisor: &Polynomial) -> (Polynomial, Polynomial) {
        let (leading, degree) = (divisor.leading(), divisor.degree());
        // The multiplier must be positive, so that the remainder's signs mean what Sturm's theorem wants.
        let multiplier = leading.abs();
        let sign = leading.signum();
        let mut remainder = self.coefficients.clone();
        let mut quotient = vec![BigInt::zero(); self.coefficients.len().saturating_sub(degree)];
        while remainder.len() > degree {
            let shift = remainder.len() - 1 - degree;
            let factor = remainder.pop().unwrap_or_default() * &sign;
            remainder.iter_mut().for_each(|c| *c *= &multiplier);
            quotient.iter_mut().for_each(|c| *c *= &multiplier);
            if let Some(place) = quotient.get_mut(shift) {
                *place += &factor;
            }
            for (i, c) in divisor.coefficients[..degree].iter().enumerate() {
                remainder[shift + i] -= c * &factor;
            }
        }
        (Polynomial::new(quotient), Polynomial::new(remainder))
    }

    fn gcd(&self, other: &Polynomial) -> Polynomial {
        let (mut a, mut b) = (self.clone().primitive(), other.clone().primitive());
        while !b.is_zero() {
            let remainder = a.pseudo_divide(&b).1.primitive();
            (a, b) = (b, remainder);
        }
        a
    }

    /// A polynomial with the same roots, each simple.
    pub fn square_free(&self) -> Polynomial {
        let common = self.gcd(&self.derivative());
        if common.degree() == 0 { self.clone().primitive() } else { self.pseudo_divide(&common).0.primitive() }
    }

    /// Divided by x as often as possible, and whether it was once at least.
    pub fn without_zero(mut self) -> (Polynomial, bool) {
        let zeros = self.coefficients.iter().take_while(|c| c.is_zero()).count();
        self.coefficients.drain(..zeros);
        (self, zeros > 0)
    }

    /// The polynomial at −x.
    pub fn reflected(&self) -> Polynomial {
        let terms = self.coefficients.iter().enumerate();
        Polynomial { coefficients: terms.map(|(i, c)| if i % 2 == 1 { -c } else { c.clone() }).collect() }
    }

    /// Exponents (l, h) such that every positive root is in (2^l, 2^h], for polynomials with a constant term.
    ///
    /// Cauchy's bound: |root| < 1 + max |a_i / a_n|, and the same for 1/root with the coefficients reversed.
    pub fn root_exponents(&self) -> (i64, i64) {
        let bits = |c: &BigInt| c.bits() as i64;
        let most = self.coefficients.iter().map(bits).max().unwrap_or(0);
        let first = self.coefficients.first().map_or(0, bits);
        let last = self.coefficients.last().map_or(0, bits);
        // |a_i / a_n| < 2^(bits(a_i) − bits(a_n) + 1); one more for the 1 that is added.
        (-(most - first + 2), most - last + 2)
    }

    /// The sign at n/2^scale.
    pub fn sign_at(&self, n: &BigInt, scale: i64) -> Sign {
        if scale <= 0 {
            self.sign_at_ratio(&(n << -scale), |power| power)
        } else {
            self.sign_at_ratio(n, |power| power << scale)
        }
    }

    /// The sign at a rational point.
    pub fn sign_at_rational(&self, value: &BigRational) -> Sign {
        self.sign_at_ratio(value.numer(), |power| power * value.denom())
    }

    /// Horner's scheme for the sum of a_i·n^i·d^(degree − i); `scale` multiplies by d.
    fn sign_at_ratio(&self, n: &BigInt, scale: impl Fn(BigInt) -> BigInt) -> Sign {
        let mut sum = BigInt::zero();
        let mut power = BigInt::one();
        for coefficient in self.coefficients.iter().rev() {
            sum = sum * n + coefficient * &power;
            power = scale(power);
        }
        sum.sign()
    }
}

/// A polynomial without multiple roots and the remainders that count its roots.
pub(super) struct SturmChain {
    /// The polynomial, its derivative, and negated remainders, up to positive factors.
    polynomials: Vec<Polynomial>,
}

impl SturmChain {
    /// The chain of a polynomial that has no multiple roots.
    pub fn new(polynomial: Polynomial) -> SturmChain {
        let mut polynomials = vec![polynomial.clone()];
        let (mut a, mut b) = (polynomial.clone(), polynomial.derivative().primitive());
        while !b.is_zero() {
            polynomials.push(b.clone());
            let mut remainder = a.pseudo_divide(&b).1.primitive();
            remainder.coefficients.iter_mut().for_each(|c| *c = -std::mem::take(c));
            (a, b) = (b, remainder);
        }
        SturmChain { polynomials }
    }

    pub fn polynomial(&self) -> &Polynomial {
        &self.polynomials[0]
    }

    /// The sign changes at n/2^scale.
    pub fn changes_at(&self, n: &BigInt, scale: i64) -> usize {
        changes(self.polynomials.iter().map(|polynomial| polynomial.sign_at(n, scale)))
    }

    /// How many positive roots there are.
    pub fn positive_roots(&self) -> usize {
        let at_infinity = changes(self.polynomials.iter().map(|polynomial| polynomial.leading().sign()));
        self.changes_at(&BigInt::zero(), 0).saturating_sub(at_infinity)
    }
}

fn changes(signs: impl Iterator<Item = Sign>) -> usize {
    let mut last = Sign::NoSign;
    let mut count = 0;
    for sign in signs.filter(|sign| *sign != Sign::NoSign) {
        count += usize::from(last != Sign::NoSign && last != sign);
        last = sign;
    }
    count
}
