//! Lemmas about two operations.
//!
//! Beside order two are about rounding itself:
//!
//! - *differences*: if h < fl(b − a), then h is at most the float below fl(b − a), which is at most b − a, since roundings are
//!   faithful; so a + h ≤ b;
//! - *roots of squares*: to nearest fl(√fl(x·x)) = |x| unless fl(x·x) is infinite or below the normal numbers (S. Boldo, "Stupid is as stupid does: taking
//!   the square root of the square of a floating-point number", 2015).

use labrys_float::{Environment, Float, Format, RoundingMode};
use labrys_term::{Op, TermId};

use super::{Lemmas, Operation, Shape, is_below, mirrored};

impl Lemmas<'_> {
    /// When a's result is at most b's, and what else the two have to do with each other.
    pub(super) fn pair(&mut self, (a, of_a): (&Operation, &Shape), (b, of_b): (&Operation, &Shape)) {
        let (p, q) = (a.result, b.result);
        let is_below = self.rounds_below(a, b);
        match (*of_a, *of_b) {
            (Shape::Sum(format, [x, y]), Shape::Sum(other, [u, v])) if format == other => {
                for [u, v] in [[u, v], [v, u]] {
                    if is_below {
                        let premises = [self.le(x, u), self.le(y, v)];
                        let conclusion = self.le(p, q);
                        self.add(&premises, conclusion, &[p, q]);
                    }
                    self.difference((p, [x, y]), (b, [u, v]));
                    self.difference((p, [y, x]), (b, [u, v]));
                }
            }
            (Shape::Sum(wide, x), Shape::Sum(_, u)) => self.widened_sum((a, wide, x), (b, u)),
            (Shape::Product(format, [x, y]), Shape::Product(_, [u, v])) if is_below => {
                for second in [(u, v), (v, u)] {
                    self.products((p, q), format, (x, y), second, &[]);
                }
            }
            (Shape::Fused(format, [x, y, z]), Shape::Fused(_, [u, v, w])) if is_below => {
                let last = self.le(z, w);
                for second in [(u, v), (v, u)] {
                    self.products((p, q), format, (x, y), second, &[last]);
                }
            }
            (Shape::Quotient(format, [x, y]), Shape::Quotient(_, [u, v])) if is_below => {
                self.quotients((p, q), format, (x, y), (u, v));
            }
            (Shape::Root(_, x), Shape::Root(_, u))
            | (Shape::Conversion(_, _, x), Shape::Conversion(_, _, u))
            | (Shape::Integral(_, x), Shape::Integral(_, u))
                if is_below =>
            {
                let premise = self.le(x, u);
                let conclusion = self.le(p, q);
                self.add(&[premise], conclusion, &[p, q]);
            }
            (Shape::Integer(_, _, x), Shape::Integer(_, _, u)) if is_below => {
                let premise = self.store.mk(Op::BvSle, &[x, u]);
                let conclusion = self.le(p, q);
                self.add(&[premise], conclusion, &[p, q]);
            }
            (Shape::Truncated(format, bits, x), Shape::Truncated(_, _, u)) => {
                self.truncated((p, q), format, bits, [x, u]);
            }
            (Shape::Root(format, z), Shape::Product(_, [x, y]))
                if x == y && [a, b].iter().all(|of| self.mode(of) == Some(RoundingMode::NearestEven)) =>
            {
                self.root_of_square(p, z, q, x, format);
            }
            (Shape::Integral(format, x), Shape::Sum(_, operands)) if greatest_is_integral(format) => {
                self.distance((a, x), (q, operands));
            }
            (Shape::Remainder(_, _, x), Shape::Remainder(_, _, u)) => self.remainders((p, x), (q, u)),
            _ => {}
        }
        if of_a == of_b && !matches!(of_a, Shape::Truncated(..)) {
            self.one_number(a, b, false);
        }
    }

    /// The same of a's result and b's negated one, of sums; and where the operands are each other's opposites.
    pub(super) fn opposite(&mut self, (a, of_a): (&Operation, &Shape), (b, of_b): (&Operation, &Shape)) {
        let (&Shape::Sum(format, [x, y]), &Shape::Sum(other, [u, v])) = (of_a, of_b) else { return };
        let (p, minus_q) = (a.result, self.neg(b.result));
        let (Some(mode), Some(opposite)) = (self.mode(a), self.mode(b).map(mirrored)) else { return };
        if format != other {
            return;
        }
        for [u, v] in [[u, v], [v, u]] {
            let [minus_u, minus_v] = [u, v].map(|operand| self.neg(operand));
            if is_below(mode, opposite) {
                let premises = [self.le(x, minus_u), self.le(y, minus_v)];
                let conclusion = self.le(p, minus_q);
                self.add(&premises, conclusion, &[p, minus_q]);
            }
            if is_below(opposite, mode) {
                let premises = [self.le(minus_u, x), self.le(minus_v, y)];
                let conclusion = self.le(minus_q, p);
                self.add(&premises, conclusion, &[p, minus_q]);
            }
            if minus_u == x && minus_v == y {
                self.one_number(a, b, true);
                self.one_number(b, a, true);
            }
        }
    }

    /// p = fl(x + y) and q = fl(u + v) where x is v, negated or not: u, or −u, against p by the comparison of y and q, or −q.
    fn difference(&mut self, (p, [x, y]): (TermId, [TermId; 2]), (b, [u, v]): (&Operation, [TermId; 2])) {
        let minus_v = self.neg(v);
        let (q, other) = match x {
            x if x == minus_v => (b.result, u),
            x if x == v => (self.neg(b.result), self.neg(u)),
            _ => return,
        };
        let (below, above) = (self.le(p, other), self.le(other, p));
        let (less, more) = (self.lt(y, q), self.lt(q, y));
        self.add(&[less], below, &[p, q]);
        self.add(&[more], above, &[p, q]);
        let (less, more) = (self.le(y, q), self.le(q, y));
        self.add(&[b.exact, less], below, &[p, q]);
        self.add(&[b.exact, more], above, &[p, q]);
    }

    /// x·y ≤ u·v, over u·y: by the sign of y and that of u; under further premises.
    fn products(
        &mut self,
        (p, q): (TermId, TermId),
        format: Format,
        (x, y): (TermId, TermId),
        (u, v): (TermId, TermId),
        more: &[TermId],
    ) {
        let zero = self.number(format, 0);
        let conclusion = self.le(p, q);
        for y_positive in [true, false] {
            for u_positive in [true, false] {
                let y_sign = if y_positive { self.le(zero, y) } else { self.le(y, zero) };
                let first = if y_positive { self.le(x, u) } else { self.le(u, x) };
                let u_sign = if u_positive { self.le(zero, u) } else { self.le(u, zero) };
                let second = if u_positive { self.le(y, v) } else { self.le(v, y) };
                let premises = [&[y_sign, first, u_sign, second], more].concat();
                self.add(&premises, conclusion, &[p, q]);
            }
        }
    }

    /// x/y ≤ u/v, over u/y, for divisors above zero; for equal divisors below it, too.
    fn quotients(
        &mut self,
        (p, q): (TermId, TermId),
        format: Format,
        (x, y): (TermId, TermId),
        (u, v): (TermId, TermId),
    ) {
        let zero = self.number(format, 0);
        let conclusion = self.le(p, q);
        for u_positive in [true, false] {
            let u_sign = if u_positive { self.le(zero, u) } else { self.le(u, zero) };
            let second = if u_positive { self.le(v, y) } else { self.le(y, v) };
            let premises = [self.lt(zero, y), self.lt(zero, v), self.le(x, u), u_sign, second];
            self.add(&premises, conclusion, &[p, q]);
        }
        if y == v {
            let premises = [self.lt(y, zero), self.le(u, x)];
            self.add(&premises, conclusion, &[p, q]);
        }
    }

    /// x and u truncated to signed integers, where both fit: from −2^(bits − 1) up, and below 2^(bits − 1).
    fn truncated(&mut self, (p, q): (TermId, TermId), format: Format, bits: u32, [x, u]: [TermId; 2]) {
        let exponent = i64::from(bits) - 1;
        if exponent > format.max_exponent() {
            return;
        }
        let high = Environment::default().scale(&Float::one(format), exponent).value;
        let [low, high] = [high.neg(), high].map(|limit| self.store.float_const(limit));
        let premises = [self.le(low, x), self.le(x, u), self.lt(u, high)];
        let conclusion = self.store.mk(Op::BvSle, &[p, q]);
        self.add(&premises, conclusion, &[]);
    }

    /// q = fl(x − r), or its opposite, with x rounded to an integer r, which is not beyond the numbers: at most ½ to nearest, at most 1 otherwise and of the sign
    /// that the mode gives it.
    fn distance(&mut self, (a, x): (&Operation, TermId), (q, operands): (TermId, [TermId; 2])) {
        let minus_x = self.neg(x);
        let minus_r = self.neg(a.result);
        let distance = match operands {
            pair if pair == [x, minus_r] || pair == [minus_r, x] => q,
            pair if pair == [minus_x, a.result] || pair == [a.result, minus_x] => self.neg(q),
            _ => return,
        };
        let format = self.format(q);
        let (zero, one) = (self.number(format, 0), self.number(format, 1));
        let half = Environment::default().div(&Float::one(format), &self.two(format)).value;
        let half = self.store.float_const(half);
        let nearest = matches!(self.mode(a), Some(RoundingMode::NearestEven | RoundingMode::NearestAway));
        let size = self.abs(q);
        let within = self.le(size, if nearest { half } else { one });
        self.add(&[], within, &[q]);
        match self.mode(a) {
            Some(RoundingMode::TowardNegative) => {
                let conclusion = self.le(zero, distance);
                self.add(&[], conclusion, &[q]);
            }
            Some(RoundingMode::TowardPositive) => {
                let conclusion = self.le(distance, zero);
                self.add(&[], conclusion, &[q]);
            }
            _ => {}
        }
    }

    /// p = fl(√z) against |x|, by the comparison of z with q = fl(x·x).
    fn root_of_square(&mut self, p: TermId, z: TermId, q: TermId, x: TermId, format: Format) {
        let normal = self.store.float_const(Float::min_normal(format));
        let infinity = self.infinity(format);
        let is_fine = [self.le(normal, q), self.lt(q, infinity)];
        let size = self.abs(x);
        let (above, below) = (self.le(q, z), self.le(z, q));
        let (if_above, if_below) = (self.le(size, p), self.le(p, size));
        self.add(&[is_fine[0], is_fine[1], above], if_above, &[p, q]);
        self.add(&[is_fine[0], is_fine[1], below], if_below, &[p, q]);
    }
}

/// Whether the greatest number of a format is an integer, so that every number rounds to one of its integers.
fn greatest_is_integral(format: Format) -> bool {
    i64::from(format.precision()) <= format.max_exponent() + 1
}
