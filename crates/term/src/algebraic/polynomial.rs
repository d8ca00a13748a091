//! Integer polynomials in one variable, as far as isolating real roots needs them.
//!
//! On GMP's integers: coefficients of the conditions that the solver meets have thousands of bits.

use std::cmp::Ordering;

use rug::{Complete, Integer};

use super::dyadic::Dyadic;

/// The prime 2^61 − 1, modulo which square-freeness is tried first.
const PRIME: u64 = (1 << 61) - 1;

/// A polynomial with integer coefficients.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Polynomial {
    /// Constant term first; the last is not zero, and there is none for the zero polynomial.
    coefficients: Vec<Integer>,
}

impl Polynomial {
    /// The polynomial with these coefficients, constant term first; leading zeros are dropped.
    pub fn new(mut coefficients: Vec<Integer>) -> Polynomial {
        while coefficients.last().is_some_and(Integer::is_zero) {
            coefficients.pop();
        }
        Polynomial { coefficients }
    }

    /// Constant term first; the last is not zero, and there is none for the zero polynomial.
    pub fn coefficients(&self) -> &[Integer] {
        &self.coefficients
    }

    /// 0 for constants, zero included.
    pub fn degree(&self) -> usize {
        self.coefficients.len().saturating_sub(1)
    }

    /// Whether it is the zero polynomial.
    pub fn is_zero(&self) -> bool {
        self.coefficients.is_empty()
    }

    /// The longest coefficient's bits.
    pub fn bits(&self) -> u64 {
        self.coefficients.iter().map(|c| u64::from(c.significant_bits())).max().unwrap_or(0)
    }

    /// The coefficients' greatest common divisor; 0 for the zero polynomial.
    pub fn content(&self) -> Integer {
        let mut divisor = Integer::new();
        for coefficient in &self.coefficients {
            divisor.gcd_mut(coefficient);
            if divisor == 1 {
                break;
            }
        }
        divisor
    }

    /// Divided by the content; signs stay.
    pub(super) fn primitive(mut self) -> Polynomial {
        let divisor = self.content();
        if divisor > 1 {
            self.coefficients.iter_mut().for_each(|c| c.div_exact_mut(&divisor));
        }
        self
    }

    fn derivative(&self) -> Polynomial {
        let terms = self.coefficients.iter().zip(0u32..).skip(1);
        Polynomial::new(terms.map(|(c, i)| (c * i).complete()).collect())
    }

    /// Quotient and remainder of a multiple of `self` by `divisor`, which is not zero.
    fn pseudo_divide(&self, divisor: &Polynomial) -> (Polynomial, Polynomial) {
        let Some((leading, rest)) = divisor.coefficients.split_last() else {
            return (Polynomial::new(Vec::new()), self.clone());
        };
        let mut remainder = self.coefficients.clone();
        let mut quotient = vec![Integer::new(); self.coefficients.len().saturating_sub(rest.len())];
        while remainder.len() > rest.len() {
            let shift = remainder.len() - 1 - rest.len();
            let factor = remainder.pop().unwrap_or_default();
            remainder.iter_mut().chain(&mut quotient).for_each(|c| *c *= leading);
            if let Some(place) = quotient.get_mut(shift) {
                *place += &factor;
            }
            for (target, c) in remainder[shift..].iter_mut().zip(rest) {
                *target -= c * &factor;
            }
        }
        (Polynomial::new(quotient), Polynomial::new(remainder))
    }

    /// The greatest common divisor of two polynomials' primitive parts, by primitive remainders. Its sign is either.
    pub fn gcd(&self, other: &Polynomial) -> Polynomial {
        if self.degree() == 0 || other.degree() == 0 || is_coprime_modulo_prime(self, other) {
            return Polynomial::new(vec![Integer::from(1)]);
        }
        let (mut a, mut b) = (self.clone().primitive(), other.clone().primitive());
        while !b.is_zero() {
            let remainder = a.pseudo_divide(&b).1.primitive();
            (a, b) = (b, remainder);
        }
        a
    }

    /// The coefficients of the quotient by a primitive polynomial that divides this one.
    pub fn quotient(&self, divisor: &Polynomial) -> Vec<Integer> {
        let Some((leading, rest)) = divisor.coefficients.split_last() else { return Vec::new() };
        let mut remainder = self.coefficients.clone();
        let mut quotient = vec![Integer::new(); self.coefficients.len().saturating_sub(rest.len())];
        while remainder.len() > rest.len() {
            let shift = remainder.len() - 1 - rest.len();
            // Exact by Gauss's lemma.
            let factor = remainder.pop().unwrap_or_default().div_exact(leading);
            for (target, c) in remainder[shift..].iter_mut().zip(rest) {
                *target -= c * &factor;
            }
            quotient[shift] = factor;
        }
        quotient
    }

    /// A polynomial with the same roots, each simple.
    pub(super) fn square_free(&self) -> Polynomial {
        let derivative = self.derivative();
        let common = self.gcd(&derivative);
        if common.degree() == 0 { self.clone().primitive() } else { self.pseudo_divide(&common).0.primitive() }
    }

    /// Divided by x as often as possible, and whether it was once at least.
    pub(super) fn without_zero(mut self) -> (Polynomial, bool) {
        let zeros = self.coefficients.iter().take_while(|c| c.is_zero()).count();
        self.coefficients.drain(..zeros);
        (self, zeros > 0)
    }

    /// Without the root at `point`.
    pub(super) fn deflated(&self, point: &Dyadic) -> Polynomial {
        let (numerator, denominator) = point.ratio();
        self.pseudo_divide(&Polynomial::new(vec![-numerator, denominator])).0.primitive()
    }

    /// The polynomial at −x.
    pub(super) fn reflected(&self) -> Polynomial {
        let terms = self.coefficients.iter().enumerate();
        Polynomial { coefficients: terms.map(|(i, c)| if i % 2 == 1 { (-c).complete() } else { c.clone() }).collect() }
    }

    /// A positive multiple of the polynomial at 2^exponent·x.
    pub(super) fn scaled(&self, exponent: i64) -> Polynomial {
        let degree = self.degree() as i64;
        let shift = |i: i64| if exponent >= 0 { exponent * i } else { -exponent * (degree - i) };
        let terms = self.coefficients.iter().zip(0i64..);
        Polynomial { coefficients: terms.map(|(c, i)| shifted(c, shift(i))).collect() }
    }

    /// The polynomial at x + 1, by Horner's scheme: degree²/2 additions.
    pub(super) fn shifted_by_one(mut self) -> Polynomial {
        let length = self.coefficients.len();
        for start in 0..length.saturating_sub(1) {
            for i in (start..length - 1).rev() {
                let (low, high) = self.coefficients.split_at_mut(i + 1);
                low[i] += &high[0];
            }
        }
        self
    }

    /// The coefficients in reverse order: the polynomial of the inverse roots. The constant term is not zero.
    pub(super) fn reversed(mut self) -> Polynomial {
        self.coefficients.reverse();
        self
    }

    /// The sign changes in the sequence of coefficients, zeros left out.
    pub(super) fn variations(&self) -> usize {
        let mut last = Ordering::Equal;
        let mut count = 0;
        for sign in self.coefficients.iter().map(Integer::cmp0).filter(|sign| sign.is_ne()) {
            count += usize::from(last.is_ne() && last != sign);
            last = sign;
        }
        count
    }

    /// Exponents (l, h) such that every positive root is in (2^l, 2^h), for polynomials with a constant term.
    ///
    /// Cauchy's bound: |root| < 1 + max |a_i / a_n|, and the same for 1/root with the coefficients reversed.
    pub(super) fn root_exponents(&self) -> (i64, i64) {
        let bits = |c: &Integer| i64::from(c.significant_bits());
        let most = self.coefficients.iter().map(bits).max().unwrap_or(0);
        let first = self.coefficients.first().map_or(0, bits);
        let last = self.coefficients.last().map_or(0, bits);
        // |a_i / a_n| < 2^(bits(a_i) − bits(a_n) + 1); one more for the 1 that is added.
        (-(most - first + 2), most - last + 2)
    }

    /// The sign at a point.
    pub fn sign_at(&self, point: &Dyadic) -> Ordering {
        // Σ aᵢ·nⁱ·2^(e·i), times 2^(−e·degree) where e is negative.
        let scale = u32::try_from(-point.exponent()).unwrap_or(0);
        let whole = if point.exponent() > 0 { shifted(point.significand(), point.exponent()) } else { Integer::new() };
        let x = if point.exponent() > 0 { &whole } else { point.significand() };
        let mut sum = Integer::new();
        let mut power = 0u32;
        for coefficient in self.coefficients.iter().rev() {
            sum *= x;
            sum += (coefficient << power).complete();
            power = power.saturating_add(scale);
        }
        sum.cmp0()
    }
}

/// `value`·2^shift, for shifts that are not negative.
fn shifted(value: &Integer, shift: i64) -> Integer {
    (value << u32::try_from(shift).unwrap_or(u32::MAX)).complete()
}

/// Whether two polynomials have no common root for certain.
///
/// A common factor of positive degree keeps its degree modulo a prime that does not divide the leading coefficients.
fn is_coprime_modulo_prime(a: &Polynomial, b: &Polynomial) -> bool {
    let reduce = |polynomial: &Polynomial| -> Vec<u64> { polynomial.coefficients.iter().map(modulo_prime).collect() };
    let (mut a, mut b) = (reduce(a), reduce(b));
    if a.last().is_none_or(|c| *c == 0) || b.last().is_none_or(|c| *c == 0) {
        return false;
    }
    while let Some(leading) = b.last().copied() {
        let inverse = power(leading, PRIME - 2);
        while a.len() >= b.len() {
            let factor = multiply(a.last().copied().unwrap_or(0), inverse);
            let shift = a.len() - b.len();
            for (target, c) in a[shift..].iter_mut().zip(&b) {
                *target = (*target + PRIME - multiply(*c, factor)) % PRIME;
            }
            while a.last() == Some(&0) {
                a.pop();
            }
        }
        std::mem::swap(&mut a, &mut b);
    }
    a.len() == 1
}

fn modulo_prime(value: &Integer) -> u64 {
    let rest = (value % PRIME).complete();
    let rest = if rest.is_negative() { rest + PRIME } else { rest };
    rest.to_u64().unwrap_or(0)
}

fn multiply(a: u64, b: u64) -> u64 {
    (u128::from(a) * u128::from(b) % u128::from(PRIME)) as u64
}

fn power(base: u64, mut exponent: u64) -> u64 {
    let (mut result, mut square) = (1, base);
    while exponent > 0 {
        if exponent & 1 == 1 {
            result = multiply(result, square);
        }
        square = multiply(square, square);
        exponent >>= 1;
    }
    result
}
