//! How far floats are from exact terms at most, absolutely and as a part of the term.
//!
//! Let a be a float, A its exact term. An error says that |a − A| ≤ d and that |a − A| ≤ p·|A| + Σ cᵢ·|Pᵢ| + s, where the Pᵢ are exact terms that were summed. The second bound is what products, quotients
//! and roots of operands of any size keep (N. Higham, "Accuracy and Stability of Numerical Algorithms", section 3.1), the first one is enough where sizes are.
//!
//! **Claim.** Each function's result bounds the error of its operation if the arguments bound those of the operands. **Argument.** Let b, B be a second operand, d', p', s' its bounds. The
//! absolute bounds:
//!
//! - |ab − AB| ≤ |a|·d' + |B|·d, and |B| ≤ |b| + d'.
//! - a/b − A/B = ((a − A) + (A/B)·(B − b))/b and |A/B| ≤ |a/b| + |a/b − A/B|, so that |a/b − A/B| ≤ (d + |a/b|·d')/(|b| − d') where |b| > d'.
//! - |√a − √A| = |a − A|/(√a + √A) ≤ d/√a; and ≤ √d, also where A is negative and 0 stands for its root.
//!
//! The relative ones, with |b| ≤ (1 + p')·|B| + s'; where terms Pᵢ are not kept, s has their sizes:
//!
//! - |ab − AB| ≤ |A|·|b − B| + |b|·|a − A| ≤ (p + p' + p·p')·|AB| + |A|·(1 + p)·s' + |B|·(1 + p')·s + s·s'.
//! - With |B| ≥ m, q = p' + s'/m < 1: |b| ≥ (1 − q)·|B|, so that |a/b − A/B| ≤ ((p + q)·|A/B| + Σ cᵢ·|Pᵢ/B| + s/m)/(1 − q).
//! - a = A·(1 + t) + z with |t| ≤ p ≤ 1, |z| ≤ s: |√a − √A| ≤ √|z| + p/(1 + √(1 − p))·√A, and √(1 − p) ≥ 1 − p.
//! - |a + b − (A + B)| ≤ p·|A| + p'·|B| + s + s', of which |A| and |B| may be terms. If a and b are not negative, A ≥ −s/(1 − p), and likewise B: |A| + |B| exceeds |A + B| by at most twice the sum of these.
//! - A minimum of two is no further from that of their terms than the worse of both bounds says, if p ≤ 1: what is below a term by a part of it stays below a smaller one.

use num_rational::BigRational;
use num_traits::{One, Signed, Zero};

use super::rounding::{binade, power_of_two, shortened};
use super::unknowns::Polynomial;

/// Bits of a bound: it is rounded up to these.
const BITS: i64 = 64;

/// Terms of which an error is said to be a part, beside its own.
const MOST_PARTS: usize = 6;

/// The bounds of an error.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Error {
    /// The error is at most this,
    pub absolute: BigRational,
    /// and at most this part of the exact term,
    pub relative: BigRational,
    /// these parts of others,
    pub parts: Vec<Part>,
    /// and this.
    pub small: BigRational,
}

/// A part of a term's absolute value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Part {
    pub factor: BigRational,
    pub term: Polynomial,
    /// What the term's absolute value is at most.
    size: BigRational,
}

/// An operand of a sum.
pub(super) struct Operand<'a> {
    pub error: &'a Error,
    pub term: &'a Polynomial,
    /// What the float's absolute value is at most.
    pub size: Option<&'a BigRational>,
}

impl Error {
    /// With the absolute bound alone.
    fn of(absolute: BigRational) -> Error {
        Error { relative: BigRational::zero(), parts: Vec::new(), small: absolute.clone(), absolute }
    }

    pub fn is_zero(&self) -> bool {
        self.absolute.is_zero()
    }

    /// What there is beside the part of the exact term, at most.
    pub fn rest(&self) -> BigRational {
        self.parts.iter().map(|part| &part.factor * &part.size).sum::<BigRational>() + &self.small
    }

    /// The same with short bounds, each no worse than the other says where the float is at most of a size.
    fn tidy(self, size: Option<&BigRational>) -> Error {
        let Error { mut absolute, relative, mut parts, mut small } = self;
        while parts.len() > MOST_PARTS {
            let least = (0..parts.len()).min_by_key(|place| &parts[*place].factor * &parts[*place].size);
            let part = parts.remove(least.unwrap_or(0));
            small += part.factor * part.size;
        }
        let one = BigRational::one();
        if relative < one
            && let Some(size) = size
        {
            // |A| ≤ (|a| + s)/(1 − p).
            let rest = parts.iter().map(|part| &part.factor * &part.size).sum::<BigRational>() + &small;
            let term = (size + &rest) / (&one - &relative);
            absolute = absolute.min(&relative * term + rest);
        }
        if small >= absolute {
            return Error::of(short(&absolute));
        }
        parts.iter_mut().for_each(|part| part.factor = short(&part.factor));
        Error { absolute: short(&absolute), relative: short(&relative), parts, small: short(&small) }
    }

    /// Of a choice of either, of a minimum, a maximum.
    pub fn either(&self, other: &Error) -> Error {
        let max = |a: &BigRational, b: &BigRational| a.max(b).clone();
        let absolute = max(&self.absolute, &other.absolute);
        let relative = max(&self.relative, &other.relative);
        if relative > BigRational::one() {
            return Error::of(absolute).tidy(None);
        }
        let mut parts = self.parts.clone();
        for part in &other.parts {
            match parts.iter_mut().find(|known| known.term == part.term) {
                Some(known) => known.factor = max(&known.factor, &part.factor),
                None => parts.push(part.clone()),
            }
        }
        Error { absolute, relative, parts, small: max(&self.small, &other.small) }.tidy(None)
    }

    /// Of a sum; `is_one_sided` where neither operand is negative, or neither positive.
    pub fn sum(operands: [Operand<'_>; 2], is_one_sided: bool) -> Error {
        let [a, b] = operands.each_ref().map(|operand| operand.error);
        let absolute = &a.absolute + &b.absolute;
        let (one, two) = (BigRational::one(), BigRational::from_integer(2.into()));
        let mut small = &a.small + &b.small;
        let mut parts = a.parts.clone();
        b.parts.iter().for_each(|part| add(&mut parts, part.clone()));
        let relative = (&a.relative).max(&b.relative).clone();
        if is_one_sided && relative < one {
            let beyond = two * (a.rest() + b.rest()) / (&one - &relative);
            return Error { absolute, small: small + &relative * beyond, parts, relative }.tidy(None);
        }
        for Operand { error, term, size } in operands {
            let Some(size) = size.filter(|_| error.relative < one) else { return Error::of(absolute).tidy(None) };
            if let Some(constant) = term.as_constant() {
                small += &error.relative * constant.abs();
            } else if !error.relative.is_zero() {
                let size = (size + error.rest()) / (&one - &error.relative);
                add(&mut parts, Part { factor: error.relative.clone(), term: term.clone(), size });
            }
        }
        Error { absolute, relative: BigRational::zero(), parts, small }.tidy(None)
    }

    /// Of a product of floats of at most these sizes.
    pub fn product(&self, other: &Error, sizes: [&BigRational; 2]) -> Error {
        let one = BigRational::one();
        let [a, b] = sizes;
        let absolute = a * &other.absolute + (b + &other.absolute) * &self.absolute;
        let relative = &self.relative + &other.relative + &self.relative * &other.relative;
        let [of_a, of_b] = [a + &self.absolute, b + &other.absolute];
        let [rest, of_other] = [self.rest(), other.rest()];
        let small =
            of_a * (&one + &self.relative) * &of_other + of_b * (&one + &other.relative) * &rest + &rest * &of_other;
        Error { absolute, relative, parts: Vec::new(), small }.tidy(Some(&(a * b)))
    }

    /// Of a quotient of at most this size by a float of at least a size; `None` where the divisor's term may be zero. `terms` are those of the parts by that term,
    /// as far as they are kept.
    pub fn quotient(
        &self,
        divisor: &Error,
        size: &BigRational,
        least: &BigRational,
        terms: &[Option<Polynomial>],
    ) -> Option<Error> {
        let distance = least - &divisor.absolute;
        if !distance.is_positive() {
            return None;
        }
        let absolute = (&self.absolute + size * &divisor.absolute) / &distance;
        let of_divisor = &divisor.relative + divisor.rest() / &distance;
        let left = BigRational::one() - &of_divisor;
        if !left.is_positive() {
            return Some(Error::of(absolute).tidy(None));
        }
        let relative = (&self.relative + &of_divisor) / &left;
        let mut parts = Vec::new();
        let mut small = self.small.clone() / (&left * &distance);
        for (place, part) in self.parts.iter().enumerate() {
            let factor = &part.factor / &left;
            let size = &part.size / &distance;
            match terms.get(place).and_then(Option::as_ref) {
                Some(term) => add(&mut parts, Part { factor, term: term.clone(), size }),
                None => small += factor * size,
            }
        }
        Some(Error { absolute, relative, parts, small }.tidy(Some(size)))
    }

    /// Of what is multiplied by a number.
    pub fn scaled(&self, by: &BigRational) -> Error {
        let by = by.abs();
        let scaled = |part: &Part| Part { factor: &part.factor * &by, ..part.clone() };
        let parts = self.parts.iter().map(scaled).collect();
        let (absolute, small) = (&self.absolute * &by, &self.small * &by);
        Error { absolute, relative: self.relative.clone(), parts, small }.tidy(None)
    }

    /// Of the root of a float that is at least and at most this.
    pub fn root(&self, least: &BigRational, size: Option<&BigRational>) -> Error {
        let absolute = match root_below(least) {
            Some(root) => (&self.absolute / root).min(root_above(&self.absolute)),
            None => root_above(&self.absolute),
        };
        if self.relative > BigRational::one() {
            return Error::of(absolute).tidy(None);
        }
        let relative = &self.relative / (BigRational::from_integer(2.into()) - &self.relative);
        let size = size.map(root_above);
        Error { absolute, relative, parts: Vec::new(), small: root_above(&self.rest()) }.tidy(size.as_ref())
    }

    /// After a rounding of numbers that become results of at most `size`: by at most `error`, and by at most a part of each and a number.
    pub fn rounded(
        &self,
        error: &BigRational,
        (part, least): (&BigRational, &BigRational),
        size: &BigRational,
    ) -> Error {
        let absolute = &self.absolute + error;
        let more = BigRational::one() + part;
        let relative = &self.relative * &more + part;
        let scaled = |part: &Part| Part { factor: &part.factor * &more, ..part.clone() };
        let parts = self.parts.iter().map(scaled).collect();
        let small = &more * &self.small + least;
        Error { absolute, relative, parts, small }.tidy(Some(size))
    }
}

fn add(parts: &mut Vec<Part>, part: Part) {
    match parts.iter_mut().find(|known| known.term == part.term) {
        Some(known) => known.factor += part.factor,
        None => parts.push(part),
    }
}

/// At least a number that is not negative, of few bits.
fn short(value: &BigRational) -> BigRational {
    shortened(value, BITS, true)
}

/// At least the root of a number that is not negative: two steps of Newton's from a power of two.
pub(super) fn root_above(value: &BigRational) -> BigRational {
    let Some(exponent) = binade(value) else { return BigRational::zero() };
    let two = BigRational::from_integer(2.into());
    let near = power_of_two(exponent.div_euclid(2));
    let nearer = short(&((&near + value / &near) / &two));
    short(&((&nearer + value / &nearer) / &two))
}

/// At most the root of a positive number, and positive.
fn root_below(value: &BigRational) -> Option<BigRational> {
    value.is_positive().then(|| value / root_above(value))
}

#[cfg(test)]
mod tests {
    use labrys_formulas::Random;

    use super::*;

    fn number(random: &mut Random, scale: i64) -> BigRational {
        BigRational::new((random.below(2001) as i64 - 1000).into(), scale.into())
    }

    /// A term, an error, and a float that is within it.
    fn float(random: &mut Random) -> (BigRational, Error, BigRational) {
        let scale = [1, 100, 5000][random.below(3)];
        let term = number(random, scale);
        let [absolute, relative, small] = [10, 2000, 5000].map(|scale| number(random, scale).abs());
        let relative = if random.below(3) == 0 { BigRational::zero() } else { relative };
        let error = Error { absolute, relative, parts: Vec::new(), small };
        let most = error.absolute.clone().min(&error.relative * term.abs() + &error.small);
        let float = &term + most * number(random, 1000);
        (term, error, float)
    }

    fn bounds(error: &Error, term: &BigRational, float: &BigRational, what: &str) {
        let distance = (term - float).abs();
        assert!(distance <= error.absolute, "{what}: {distance} of {term} {float}: {error:?}");
        assert!(
            distance <= &error.relative * term.abs() + &error.small,
            "{what}: {distance} of {term} {float}: {error:?}"
        );
    }

    /// Random terms, errors and floats within them; sizes are the floats' own, so that they are as tight as they can be.
    #[test]
    fn results_are_within_the_bounds() {
        let mut random = Random::new(11);
        let mut quotients = 0;
        for _ in 0..30_000 {
            let [(a_term, a_error, a), (b_term, b_error, b)] = [0; 2].map(|_| float(&mut random));
            bounds(&a_error.product(&b_error, [&a.abs(), &b.abs()]), &(&a_term * &b_term), &(&a * &b), "product");
            let is_one_sided = !(&a * &b).is_negative();
            // Terms that are one unknown each, of which the value is known here.
            let sizes = [a.abs(), b.abs()];
            let terms = [0, 1].map(Polynomial::atom);
            let errors = [&a_error, &b_error];
            let operand = |of: usize| Operand { error: errors[of], term: &terms[of], size: Some(&sizes[of]) };
            let mut error = Error::sum([operand(0), operand(1)], is_one_sided);
            for Part { factor, term, size } in std::mem::take(&mut error.parts) {
                let value = if term == terms[0] { a_term.abs() } else { b_term.abs() };
                assert!(value <= size, "{value} {size}");
                error.small += factor * value;
            }
            bounds(&error, &(&a_term + &b_term), &(&a + &b), "sum");
            let either = a_error.either(&b_error);
            bounds(&either, (&a_term).min(&b_term), (&a).min(&b), "minimum");
            bounds(&either, &a_term, &a, "choice");
            bounds(&either, &a_term.abs(), &a.abs(), "absolute value");
            let factor = number(&mut random, 37);
            bounds(&a_error.scaled(&factor), &(&a_term * &factor), &(&a * &factor), "multiple");
            if !b.is_zero()
                && let Some(mut error) = {
                    // What is a part of a term of any size, here of one that is kept and of one that is not.
                    let size = BigRational::from_integer(2.into());
                    let part = |factor: &BigRational| Part {
                        factor: factor / &size,
                        term: terms[0].clone(),
                        size: size.clone(),
                    };
                    let half = a_error.small.clone() / &size;
                    let parted = Error { small: half.clone(), parts: vec![part(&half)], ..a_error.clone() };
                    let kept = random.below(2) == 0;
                    parted.quotient(&b_error, &(&a / &b).abs(), &b.abs(), &[kept.then(|| terms[1].clone())])
                }
            {
                quotients += 1;
                for Part { factor, size, .. } in std::mem::take(&mut error.parts) {
                    // The term is as large as the dividend's part of it by the divisor's.
                    let term = BigRational::from_integer(2.into()) / b_term.abs();
                    assert!(term <= size, "{term} {size}");
                    error.small += factor * term;
                }
                bounds(&error, &(&a_term / &b_term), &(&a / &b), "quotient");
            }
            let part = BigRational::new(1.into(), 64.into());
            let least = BigRational::new(1.into(), 500.into());
            let moved = (a.abs() * &part + &least) * number(&mut random, 1000);
            let result = &a + &moved;
            bounds(&a_error.rounded(&moved.abs(), (&part, &least), &result.abs()), &a_term, &result, "rounding");
        }
        assert!(quotients > 5_000, "{quotients}");
    }

    /// Squares and their roots.
    #[test]
    fn roots_are_within_the_bounds() {
        let mut random = Random::new(12);
        for _ in 0..30_000 {
            let (term, error, float) = float(&mut random);
            let (root, of_term) = (float.abs(), term.abs());
            let (square, of_square) = (&root * &root, &of_term * &of_term);
            let distance = (&square - &of_square).abs();
            // Bounds that the squares are just within.
            let relative = &error.relative * number(&mut random, 1000).abs();
            let small = (&distance - &relative * &of_square).max(BigRational::zero());
            let tight = Error { absolute: distance, relative, parts: Vec::new(), small };
            bounds(&tight.root(&square, Some(&square)), &of_term, &root, "root");
        }
        for numerator in 1..200 {
            for denominator in [1, 3, 64, 1000] {
                let value = BigRational::new(numerator.into(), denominator.into());
                let (below, above) = (root_below(&value).unwrap_or_default(), root_above(&value));
                assert!(&below * &below <= value && value <= &above * &above, "{value}");
                assert!(above < below * BigRational::new(9.into(), 8.into()), "{value}");
            }
        }
    }
}
