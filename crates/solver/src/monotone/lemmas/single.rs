//! Lemmas about one operation.
//!
//! Beside order, *halves*: to nearest with ties to even, x/y with |y| ≥ 2 and x·y with |y| ≤ ½ are smaller than x ≠ 0: ½·2^e rounds to at
//! most 2^e, and half of the least subnormal number to zero.

use labrys_float::{Environment, Float, Format, RoundingMode};
use labrys_term::TermId;

use super::{Lemmas, Operation, Shape};

impl Lemmas<'_> {
    pub(super) fn single(&mut self, operation: &Operation) {
        let t = operation.result;
        let nearest_even = self.mode(operation) == Some(RoundingMode::NearestEven);
        match self.shape(operation) {
            Shape::Sum(format, [x, y]) => {
                self.sum(t, format, x, y);
                self.sum(t, format, y, x);
                self.exact_sum(operation, format, [x, y]);
                if self.scales {
                    self.doubled(operation, [x, y]);
                    self.doubled(operation, [y, x]);
                }
            }
            Shape::Product(format, [x, y]) => {
                self.factor(t, format, x, y, nearest_even);
                self.factor(t, format, y, x, nearest_even);
                self.exact_product(operation, format, [x, y]);
            }
            Shape::Quotient(format, [x, y]) => self.quotient(t, format, x, y, nearest_even),
            Shape::Fused(format, factors) => self.fused(t, format, factors),
            Shape::Root(format, x) => self.root(t, format, x),
            Shape::Remainder(format, nearest, [x, y]) => self.remainder(t, format, nearest, [x, y]),
            Shape::Conversion(..) | Shape::Integer(..) | Shape::Integral(..) | Shape::Truncated(..) | Shape::Other => {}
        }
    }

    /// t = x + y by the sign of y, and by its comparison with −x.
    fn sum(&mut self, t: TermId, format: Format, x: TermId, y: TermId) {
        let zero = self.number(format, 0);
        let minus = self.neg(y);
        let cases = [
            (self.le(zero, y), self.le(x, t)),
            (self.le(y, zero), self.le(t, x)),
            (self.le(x, minus), self.le(t, zero)),
            (self.le(minus, x), self.le(zero, t)),
        ];
        for (premise, conclusion) in cases {
            self.add(&[premise], conclusion, &[t]);
        }
    }

    /// t = x + y by the comparison of the operands, and of one with twice the other: x ≤ 2z is x − z ≤ z. Twice a number is infinite where it is
    /// greater than all finite ones.
    fn doubled(&mut self, operation: &Operation, [x, y]: [TermId; 2]) {
        let (t, mode) = (operation.result, operation.args[0]);
        let two = self.number(self.format(t), 2);
        let [low, high] = [x, y].map(|operand| self.store.mk(labrys_term::Op::FpMul, &[mode, operand, two]));
        let less = self.le(x, y);
        for conclusion in [self.le(low, t), self.le(t, high)] {
            self.add(&[less], conclusion, &[t]);
        }
        let z = self.neg(y);
        let infinity = self.infinity(self.format(t));
        let minus_infinity = self.neg(infinity);
        let twice = self.twice(z);
        let premises = [self.le(x, twice), self.lt(x, infinity)];
        let conclusion = self.le(t, z);
        self.add(&premises, conclusion, &[t]);
        let premises = [self.le(twice, x), self.lt(minus_infinity, x)];
        let conclusion = self.le(z, t);
        self.add(&premises, conclusion, &[t]);
    }

    /// t = x·y by the size and sign of y.
    fn factor(&mut self, t: TermId, format: Format, x: TermId, y: TermId, nearest_even: bool) {
        let [zero, one] = [0, 1].map(|value| self.number(format, value));
        let [size, of_x, of_y] = [t, x, y].map(|term| self.abs(term));
        let cases = [(self.le(of_y, one), self.le(size, of_x)), (self.le(one, of_y), self.le(of_x, size))];
        for (premise, conclusion) in cases {
            self.add(&[premise], conclusion, &[t]);
        }
        for (x_positive, y_positive) in [(true, true), (true, false), (false, false)] {
            let sign = |lemmas: &mut Self, term: TermId, positive: bool| match positive {
                true => lemmas.le(zero, term),
                false => lemmas.le(term, zero),
            };
            let premises = [sign(self, x, x_positive), sign(self, y, y_positive)];
            let conclusion = sign(self, t, x_positive == y_positive);
            self.add(&premises, conclusion, &[t]);
        }
        if nearest_even {
            let half = Environment::default().div(&Float::one(format), &self.two(format)).value;
            let half = self.store.float_const(half);
            let small = self.le(of_y, half);
            self.smaller(t, format, x, small);
        }
    }

    pub(super) fn two(&self, format: Format) -> Float {
        Environment::default().from_integer(&2.into(), format).value
    }

    /// |t| < |x| for finite x ≠ 0, under a premise.
    fn smaller(&mut self, t: TermId, format: Format, x: TermId, premise: TermId) {
        let zero = self.number(format, 0);
        let infinity = self.infinity(format);
        let [size, of_x] = [t, x].map(|term| self.abs(term));
        let premises = [premise, self.lt(zero, of_x), self.lt(of_x, infinity)];
        let conclusion = self.lt(size, of_x);
        self.add(&premises, conclusion, &[t]);
    }

    /// t = x/y by the size and sign of y, and by the comparison of sizes.
    fn quotient(&mut self, t: TermId, format: Format, x: TermId, y: TermId, nearest_even: bool) {
        let [zero, one] = [0, 1].map(|value| self.number(format, value));
        let [size, of_x, of_y] = [t, x, y].map(|term| self.abs(term));
        let cases = [
            (self.le(one, of_y), self.le(size, of_x)),
            (self.le(of_y, one), self.le(of_x, size)),
            (self.le(of_x, of_y), self.le(size, one)),
            (self.le(of_y, of_x), self.le(one, size)),
        ];
        for (premise, conclusion) in cases {
            self.add(&[premise], conclusion, &[t]);
        }
        for (x_positive, y_positive) in [(true, true), (true, false), (false, true), (false, false)] {
            let x_sign = if x_positive { self.le(zero, x) } else { self.le(x, zero) };
            // Not zero, whose sign would count.
            let y_sign = if y_positive { self.lt(zero, y) } else { self.lt(y, zero) };
            let conclusion = if x_positive == y_positive { self.le(zero, t) } else { self.le(t, zero) };
            self.add(&[x_sign, y_sign], conclusion, &[t]);
        }
        if nearest_even {
            let two = self.two(format);
            let two = self.store.float_const(two);
            let large = self.le(two, of_y);
            self.smaller(t, format, x, large);
        }
    }

    /// t = x·y + z by the signs of the factors.
    fn fused(&mut self, t: TermId, format: Format, [x, y, z]: [TermId; 3]) {
        let zero = self.number(format, 0);
        for (x_positive, y_positive) in [(true, true), (true, false), (false, true), (false, false)] {
            let signs = [(x, x_positive), (y, y_positive)].map(|(factor, positive)| match positive {
                true => self.le(zero, factor),
                false => self.le(factor, zero),
            });
            let conclusion = if x_positive == y_positive { self.le(z, t) } else { self.le(t, z) };
            self.add(&signs, conclusion, &[t]);
        }
    }

    /// t = √x by the comparison of x with 1.
    fn root(&mut self, t: TermId, format: Format, x: TermId) {
        let [zero, one] = [0, 1].map(|value| self.number(format, value));
        let (small, large) = (self.le(x, one), self.le(one, x));
        for (premise, low, high) in [(small, x, one), (large, one, x)] {
            let (above, below) = (self.le(low, t), self.le(t, high));
            self.add(&[premise], above, &[t]);
            self.add(&[premise], below, &[t]);
        }
        let above = self.le(zero, t);
        self.add(&[], above, &[t]);
    }
}
