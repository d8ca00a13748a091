//! What is known of a rounded number beside what it was rounded from.
//!
//! **Claim.** Each lemma holds for all numbers that round to a finite result. **Argument.** Let r be x rounded to precision p.
//!
//! - *Errors.* x lies between two neighbouring floats, of which r is one; |r − x| is at most half of their distance to nearest and less than it in the other
//!   modes. Where |r| ≤ m their distance is at most the spacing of the floats from the greatest power of two that is at most m: that of the binade of r, or the one below. So it is at
//!   most 2^(1−p)·|r|, or the least spacing of the format. A multiple of the least spacing, as sums of floats of the format are, is a float where that is the distance.
//! - *Order.* Rounding is monotone and leaves floats as they are, so that r does not cross a float, and results of one mode keep their order.
//! - *Exact sums.* Let r be the sum of a and b, |r| ≤ |a| and |r| ≤ |b|. The sum is a multiple of the spacing of the smaller one of them, and |a + b| rounds to at most its
//!   size, so that it needs no more than its p bits.

use labrys_float::{Format, RoundingMode};
use labrys_term::TermId;
use num_bigint::BigInt;
use num_rational::BigRational;
use num_traits::{One, Signed, Zero};

use super::unknowns::{Polynomial, Unknowns};

/// An operation's result, and what it is rounded from.
#[derive(Clone, Debug)]
pub(super) struct Rounding {
    pub result: Polynomial,
    pub exact: Polynomial,
    pub format: Format,
    /// `None` where any is possible.
    pub mode: Option<RoundingMode>,
    /// Whether what is rounded is a multiple of the format's least spacing.
    pub on_grid: bool,
    /// Of a sum: the operands, which are floats of the format.
    pub operands: Option<[Polynomial; 2]>,
    /// Where this is one: its lemmas hold if that does. `None` where it is one in all models.
    pub premise: Option<TermId>,
}

impl Rounding {
    /// The largest error of results of at most this size.
    pub fn error_up_to(&self, size: &BigRational) -> BigRational {
        error_up_to(self.format, self.mode, size)
    }

    /// |r − x| ≤ error.
    pub fn within(&self, unknowns: &mut Unknowns, error: &Polynomial) -> TermId {
        let one = BigRational::one();
        let (Some(above), Some(below)) = (self.exact.plus(error, &one), self.exact.plus(error, &-one)) else {
            return unknowns.store.bool_const(true);
        };
        let both = [unknowns.at_most(&self.result, &above), unknowns.at_most(&below, &self.result)];
        unknowns.store.and(&both)
    }

    /// On which side a result of a directed mode is.
    pub fn directed(&self, unknowns: &mut Unknowns) -> Vec<TermId> {
        let zero = Polynomial::default();
        match self.mode {
            Some(RoundingMode::TowardPositive) => vec![unknowns.at_most(&self.exact, &self.result)],
            Some(RoundingMode::TowardNegative) => vec![unknowns.at_most(&self.result, &self.exact)],
            Some(RoundingMode::TowardZero) => {
                let sides = [(&zero, &self.exact), (&self.exact, &zero)];
                let [positive, negative] = sides.map(|(low, high)| unknowns.at_most(low, high));
                let below = unknowns.at_most(&self.result, &self.exact);
                let above = unknowns.at_most(&self.exact, &self.result);
                vec![unknowns.implied(positive, below), unknowns.implied(negative, above)]
            }
            _ => Vec::new(),
        }
    }

    /// Lemmas about the error that a model violates.
    pub fn violated(&self, unknowns: &mut Unknowns, values: &[BigRational]) -> Vec<TermId> {
        let (result, exact) = (unknowns.value(&self.result, values), unknowns.value(&self.exact, values));
        let error = (&result - &exact).abs();
        let mut lemmas = Vec::new();
        if error.is_zero() {
            return lemmas;
        }
        if let Some(operands) = &self.operands {
            let sizes = operands.each_ref().map(|operand| unknowns.value(operand, values).abs());
            if sizes.iter().all(|size| result.abs() <= *size) {
                lemmas.extend(self.exact_sum(unknowns, operands));
            }
        }
        let (relative, least) = relative_error(self.format, self.mode, self.on_grid);
        if error > result.abs() * &relative + &least {
            lemmas.extend(self.relative(unknowns, &relative, &least));
        } else if error > self.error_up_to(&result.abs()) {
            lemmas.push(self.in_binade(unknowns, &result));
        }
        lemmas
    }

    /// |r − x| ≤ part·|r| + least, on either side of zero.
    fn relative(&self, unknowns: &mut Unknowns, part: &BigRational, least: &BigRational) -> Vec<TermId> {
        let zero = Polynomial::default();
        let mut lemmas = Vec::new();
        for (low, high, sign) in [(&zero, &self.result, 1), (&self.result, &zero, -1)] {
            let premise = unknowns.at_most(low, high);
            let part = part * BigRational::from_integer(sign.into());
            let Some(error) = Polynomial::constant(least.clone()).plus(&self.result, &part) else { continue };
            let conclusion = self.within(unknowns, &error);
            lemmas.push(unknowns.implied(premise, conclusion));
        }
        lemmas
    }

    /// The largest error of results that are less than the next power of two.
    fn in_binade(&self, unknowns: &mut Unknowns, result: &BigRational) -> TermId {
        let size = result.abs();
        let end = power_of_two(binade(&size).map_or(self.format.min_exponent(), |exponent| exponent + 1));
        let bounds = [-&end, end].map(Polynomial::constant);
        let premises = [unknowns.less(&bounds[0], &self.result), unknowns.less(&self.result, &bounds[1])];
        let premise = unknowns.store.and(&premises);
        let error = Polynomial::constant(self.error_up_to(&size));
        let conclusion = self.within(unknowns, &error);
        unknowns.implied(premise, conclusion)
    }

    /// A sum that is no larger than either operand is exact: for each combination of signs.
    fn exact_sum(&self, unknowns: &mut Unknowns, operands: &[Polynomial; 2]) -> Vec<TermId> {
        let mut lemmas = Vec::new();
        let equal = unknowns.equal(&self.result, &self.exact);
        for signs in [[1, 1, -1], [1, -1, 1], [-1, 1, -1], [-1, -1, 1]] {
            // Operands of one sign are no larger than their sum unless one of them is zero; then the sum is exact as they are.
            let [of_result, of_a, of_b] = signs.map(|sign| BigRational::from_integer(sign.into()));
            let size = self.result.scaled(&of_result);
            let sizes = [operands[0].scaled(&of_a), operands[1].scaled(&of_b)];
            let zero = Polynomial::default();
            let mut premises = vec![unknowns.at_most(&zero, &size)];
            premises.extend(sizes.iter().map(|other| unknowns.at_most(&size, other)));
            let premise = unknowns.store.and(&premises);
            lemmas.push(unknowns.implied(premise, equal));
        }
        lemmas
    }

    /// Lemmas about a float, or its opposite, that a model's result crosses.
    pub fn crossing(&self, unknowns: &mut Unknowns, float: &Polynomial, values: &[BigRational]) -> Vec<TermId> {
        let (result, exact) = (unknowns.value(&self.result, values), unknowns.value(&self.exact, values));
        let float_value = unknowns.value(float, values);
        let mut lemmas = Vec::new();
        for sign in [BigRational::one(), -BigRational::one()] {
            let value = &float_value * &sign;
            let float = float.scaled(&sign);
            let conclusion = match () {
                () if exact <= value && value < result => {
                    [unknowns.at_most(&self.exact, &float), unknowns.at_most(&self.result, &float)]
                }
                () if result < value && value <= exact => {
                    [unknowns.at_most(&float, &self.exact), unknowns.at_most(&float, &self.result)]
                }
                () => continue,
            };
            lemmas.push(unknowns.implied(conclusion[0], conclusion[1]));
        }
        lemmas
    }

    /// The lemma that two results keep their order, where a model's do not.
    pub fn order(&self, other: &Rounding, unknowns: &mut Unknowns, values: &[BigRational]) -> Vec<TermId> {
        let mut lemmas = Vec::new();
        if self.mode.is_none() || self.mode != other.mode || self.format != other.format {
            return lemmas;
        }
        let is_symmetric =
            matches!(self.mode, Some(RoundingMode::NearestEven | RoundingMode::NearestAway | RoundingMode::TowardZero));
        let value = |unknowns: &Unknowns, of: &Polynomial| unknowns.value(of, values);
        for sign in [BigRational::one(), -BigRational::one()].iter().take(1 + usize::from(is_symmetric)) {
            let (exact, result) = (other.exact.scaled(sign), other.result.scaled(sign));
            let exacts = [value(unknowns, &self.exact), value(unknowns, &exact)];
            let results = [value(unknowns, &self.result), value(unknowns, &result)];
            if exacts[0] <= exacts[1] && results[0] > results[1] {
                let premise = unknowns.at_most(&self.exact, &exact);
                let conclusion = unknowns.at_most(&self.result, &result);
                lemmas.push(unknowns.implied(premise, conclusion));
            }
            if exacts[1] <= exacts[0] && results[1] > results[0] {
                let premise = unknowns.at_most(&exact, &self.exact);
                let conclusion = unknowns.at_most(&result, &self.result);
                lemmas.push(unknowns.implied(premise, conclusion));
            }
        }
        lemmas
    }
}

/// The largest part of the distance of neighbouring floats that an error is.
fn part(mode: Option<RoundingMode>) -> BigRational {
    match mode {
        Some(RoundingMode::NearestEven | RoundingMode::NearestAway) => BigRational::new(1.into(), 2.into()),
        _ => BigRational::one(),
    }
}

/// The largest error of results of at most this size.
pub(super) fn error_up_to(format: Format, mode: Option<RoundingMode>, size: &BigRational) -> BigRational {
    part(mode) * spacing(format, size)
}

/// The largest error as a part of the result, or of what is rounded, and what may come to that where no multiple of the format's least spacing is rounded.
pub(super) fn relative_error(format: Format, mode: Option<RoundingMode>, on_grid: bool) -> (BigRational, BigRational) {
    let relative = part(mode) * power_of_two(1 - i64::from(format.precision()));
    let least = if on_grid { BigRational::zero() } else { part(mode) * power_of_two(format.min_lsb_exponent()) };
    (relative, least)
}

/// The exponent of the greatest power of two that is at most a positive number.
pub(super) fn binade(size: &BigRational) -> Option<i64> {
    if !size.is_positive() {
        return None;
    }
    let guess = size.numer().bits() as i64 - size.denom().bits() as i64;
    Some(if power_of_two(guess) <= *size { guess } else { guess - 1 })
}

pub(super) fn power_of_two(exponent: i64) -> BigRational {
    let power = BigInt::one() << exponent.unsigned_abs();
    if exponent >= 0 { power.into() } else { BigRational::new(BigInt::one(), power) }
}

/// A number of so many bits that is at least another one, or at most.
pub(super) fn shortened(value: &BigRational, bits: i64, is_up: bool) -> BigRational {
    let Some(exponent) = binade(&value.abs()) else { return BigRational::zero() };
    let place = power_of_two(exponent - bits);
    let scaled = value / &place;
    (if is_up { scaled.ceil() } else { scaled.floor() }) * place
}

/// The distance of neighbouring floats from the greatest power of two that is at most `size`, upwards.
pub(super) fn spacing(format: Format, size: &BigRational) -> BigRational {
    power_of_two(last_place(format, size))
}

/// Its exponent.
pub(super) fn last_place(format: Format, size: &BigRational) -> i64 {
    let exponent = binade(size).map_or(format.min_exponent(), |exponent| exponent.max(format.min_exponent()));
    exponent - (i64::from(format.precision()) - 1)
}
