//! Lemmas about sums beside halves and doubles of their operands, and about halves of sums, without their circuits.
//!
//! Let t = fl(x − z).
//!
//! - *Doubles*: x ≤ 2z is x − z ≤ z, and 2z ≤ x is z ≤ x − z, so that t is at most or at least z. fl(2z) is 2z, or infinite beyond the numbers, where a finite x is
//!   on the inner side of 2z, too.
//! - *Halves*: let h = fl(x/2), to nearest with ties to even. Above the least normal number ω it is x/2, and h ≤ z is x ≤ 2z. Else |x| is at most 2ω, for between
//!   that and the next number no half is rounded to ω, and h is off by at most half of the least subnormal number u: with h ≤ z, x − z is at most x/2 + u/2, and so
//!   at most ω + u/2. It is a multiple of u, and so at most ω.
//! - *Halves of sums*: x ≤ y gives 2x ≤ x + y ≤ 2y. Unless fl(x + y) is as large as the greatest number M, 2x and 2y bound it, whether they are numbers or beyond
//!   all; and so x and y bound its half. To nearest they do so, too, if it is M: with x above M/2 the sum would be at least twice the number next to that, which is beyond
//!   all; with y below, at most twice the number before, which is below M.
//! - *Sums of halves*: let h = fl(x/2) and k = fl(y/2) to nearest, x ≤ y, and one of both at least 4ω in size. Halves of numbers of 2ω and more are exact, the others are off by at
//!   most u/2. If both are exact, h + k lies between x and y. Else the other one is at least 4ω in size and apart from this one by more than ω, so that the middle
//!   is u and more from both. If both are below 4ω, so is half of |x + y|, and |fl(x + y)| is at most 8ω.

use labrys_float::{Environment, Float, Format, RoundingMode};
use labrys_term::{Op, TermId};

use super::super::power_of_two;
use super::{Lemmas, Operation};

impl Lemmas<'_> {
    /// A product with 2 or ½ beside a sum.
    pub(super) fn halved(
        &mut self,
        (product, factors): (&Operation, [TermId; 2]),
        (sum, operands): (&Operation, [TermId; 2]),
    ) {
        let Some((of, exponent)) = self.multiple_of(factors) else { return };
        let (format, [x, y]) = (self.format(sum.result), operands);
        if exponent == -1 && of == sum.result {
            let is_nearest = is_nearest(self.mode(sum));
            self.half_of_sum(product.result, sum.result, (format, is_nearest), [x, y]);
        }
        let mode = self.mode(product);
        let is_nearest = is_nearest(mode);
        for (x, z) in [(x, self.neg(y)), (y, self.neg(x))] {
            // t = x − z, and t' = −t = z − x.
            let (t, opposite) = (sum.result, self.neg(sum.result));
            for (x, z, t) in [(x, z, t), (z, x, opposite)] {
                let minus = [x, z].map(|operand| self.neg(operand));
                let signed = |lemmas: &mut Self, is_same: bool| match is_same {
                    true => product.result,
                    false => lemmas.neg(product.result),
                };
                if exponent == 1 && is_nearest && (of == z || of == minus[1]) {
                    let double = signed(self, of == z);
                    self.beside_double(t, format, (x, z), double);
                }
                if exponent == -1 && mode == Some(RoundingMode::NearestEven) && (of == x || of == minus[0]) {
                    let half = signed(self, of == x);
                    self.beside_half(t, format, z, half);
                }
            }
        }
    }

    /// What is halved by an operation that rounds to nearest.
    pub(super) fn half(&self, operation: &Operation, factors: [TermId; 2]) -> Option<TermId> {
        let (of, exponent) = self.multiple_of(factors)?;
        (exponent == -1 && is_nearest(self.mode(operation))).then_some(of)
    }

    /// t = fl(h + k) with halves of x and y, and fl(x + y) of numbers that are tiny.
    pub(super) fn sum_of_halves(&mut self, sum: &Operation, format: Format, operands: [TermId; 2]) {
        let limit = |n| Environment::default().scale(&Float::min_normal(format), n).value;
        let [small, twice] = [limit(2), limit(3)].map(|limit| self.store.float_const(limit));
        let sizes = |lemmas: &mut Self, of: [TermId; 2]| of.map(|operand| lemmas.abs(operand));
        if let [Some(x), Some(y)] = operands.map(|operand| self.halves.get(&operand).copied()) {
            for (low, high) in [(x, y), (y, x)] {
                let in_order = self.le(low, high);
                for size in sizes(self, [x, y]) {
                    let is_large = self.le(small, size);
                    for conclusion in [self.le(low, sum.result), self.le(sum.result, high)] {
                        self.add(&[in_order, is_large], conclusion, &[sum.result]);
                    }
                }
            }
        }
        if !self.halves.is_empty() {
            let are_small = sizes(self, operands).map(|size| self.lt(size, small));
            let size = self.abs(sum.result);
            let conclusion = self.le(size, twice);
            self.add(&are_small, conclusion, &[sum.result]);
        }
    }

    /// The factor that is no literal, and n where the other one is 2^n.
    fn multiple_of(&self, [x, y]: [TermId; 2]) -> Option<(TermId, i64)> {
        [(x, y), (y, x)].into_iter().find_map(|(of, factor)| match &self.store.node(factor).op {
            Op::FloatConst(value) if !value.is_negative() => Some((of, power_of_two(value)?)),
            _ => None,
        })
    }

    /// t = fl(x − z) by x and fl(2z).
    fn beside_double(&mut self, t: TermId, format: Format, (x, z): (TermId, TermId), double: TermId) {
        let infinity = self.infinity(format);
        let minus_infinity = self.neg(infinity);
        let premises = [self.le(x, double), self.lt(x, infinity)];
        let conclusion = self.le(t, z);
        self.add(&premises, conclusion, &[t]);
        let premises = [self.le(double, x), self.lt(minus_infinity, x)];
        let conclusion = self.le(z, t);
        self.add(&premises, conclusion, &[t]);
    }

    /// t = fl(x − z) by h = fl(x/2) and z.
    fn beside_half(&mut self, t: TermId, format: Format, z: TermId, half: TermId) {
        let normal = self.store.float_const(Float::min_normal(format));
        let (infinity, minus_normal) = (self.infinity(format), self.neg(normal));
        let size = self.abs(half);
        let (is_exact, is_tiny) = (self.lt(normal, size), self.le(size, normal));
        let finite = self.lt(size, infinity);
        let cases = [
            (self.le(half, z), self.le(t, z), self.le(t, normal)),
            (self.le(z, half), self.le(z, t), self.le(minus_normal, t)),
        ];
        for (premise, if_exact, if_tiny) in cases {
            self.add(&[premise, is_exact, finite], if_exact, &[t]);
            self.add(&[premise, is_tiny], if_tiny, &[t]);
        }
    }

    /// h = fl(s/2) with s = fl(x + y), of which is told whether it is rounded to nearest.
    fn half_of_sum(&mut self, half: TermId, sum: TermId, (format, is_nearest): (Format, bool), [x, y]: [TermId; 2]) {
        let end = match is_nearest {
            true => self.infinity(format),
            false => self.store.float_const(Float::max_finite(format)),
        };
        let size = self.abs(sum);
        let within = self.lt(size, end);
        for (low, high) in [(x, y), (y, x)] {
            let premise = self.le(low, high);
            for conclusion in [self.le(low, half), self.le(half, high)] {
                self.add(&[premise, within], conclusion, &[half]);
            }
        }
    }
}

fn is_nearest(mode: Option<RoundingMode>) -> bool {
    matches!(mode, Some(RoundingMode::NearestEven | RoundingMode::NearestAway))
}
