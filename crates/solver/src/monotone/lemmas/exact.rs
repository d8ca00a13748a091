//! Lemmas about operations that do not round.
//!
//! *Sums*. x and y are multiples of u, the last place of the smaller one. Let 2^p·u be the power of two above both of its exponent: a sum
//! that is smaller than that is a multiple of u of p bits, and so a float. fl(x + y) = t with |t| ≤ |x| and |t| ≤ |y| says that it is
//! smaller: else t would be at least 2^p·u, being rounded from at least that, or where that is no float infinite, or rounded to the
//! greatest float. P. Sterbenz's theorem ("Floating-point computation", 1974) is the case y/2 ≤ x ≤ 2y of x − y. The same with the least subnormal number for u:
//! a sum below twice the least normal number is exact.
//!
//! *Products* with powers of two are exact where neither end of the exponents is reached, and so are those of numbers of fewer bits in a format that
//! has room for all of their bits and exponents.
//!
//! An exact result is the real one: whatever is rounded from the same real number, in any mode or format that has it, is that number. What lies
//! between the roundings downwards and upwards, if they are one float, is exact.

use labrys_float::{Float, Format, RoundingMode};
use labrys_term::{Op, TermId};

use super::{Lemmas, Operation};

impl Lemmas<'_> {
    /// What a finite result that was not rounded to the greatest float is smaller than.
    fn end(&mut self, operation: &Operation, format: Format) -> TermId {
        let is_nearest = matches!(self.mode(operation), Some(RoundingMode::NearestEven | RoundingMode::NearestAway));
        match is_nearest {
            true => self.infinity(format),
            false => self.store.float_const(Float::max_finite(format)),
        }
    }

    /// When t = x + y is exact.
    pub(super) fn exact_sum(&mut self, operation: &Operation, format: Format, [x, y]: [TermId; 2]) {
        let t = operation.result;
        let [size, of_x, of_y] = [t, x, y].map(|term| self.abs(term));
        let end = self.end(operation, format);
        let premises = [self.le(size, of_x), self.le(size, of_y), self.lt(size, end)];
        self.add(&premises, operation.exact, &[t]);
        let least = Float::min_normal(format);
        let twice = labrys_float::Environment::default().add(&least, &least).value;
        let twice = self.store.float_const(twice);
        let premises = [self.lt(size, twice), self.lt(size, end)];
        self.add(&premises, operation.exact, &[t]);
        let (zero, minus_y) = (self.number(format, 0), self.neg(y));
        for (premise, conclusion) in [(self.le(t, zero), self.le(x, minus_y)), (self.le(zero, t), self.le(minus_y, x))]
        {
            self.add(&[operation.exact, premise], conclusion, &[t]);
        }
    }

    /// When t = x·y is exact.
    pub(super) fn exact_product(&mut self, operation: &Operation, format: Format, factors: [TermId; 2]) {
        let t = operation.result;
        let size = self.abs(t);
        if let Some(exponent) = factors.iter().find_map(|factor| self.power(*factor)) {
            let end = self.end(operation, format);
            let mut premises = vec![self.lt(size, end)];
            if exponent < 0 {
                let normal = self.store.float_const(Float::min_normal(format));
                premises.push(self.lt(normal, size));
            }
            self.add(&premises, operation.exact, &[t]);
        }
        if let [Some(of_x), Some(of_y)] = factors.map(|factor| self.narrow(factor).map(|(_, format)| format)) {
            let has_room = format.precision() >= of_x.precision() + of_y.precision()
                && format.max_exponent() > of_x.max_exponent() + of_y.max_exponent()
                && format.min_lsb_exponent() <= of_x.min_lsb_exponent() + of_y.min_lsb_exponent();
            if has_room {
                let infinity = self.infinity(format);
                let premises = factors.map(|factor| {
                    let size = self.abs(factor);
                    self.lt(size, infinity)
                });
                self.add(&premises, operation.exact, &[t]);
            }
        }
    }

    /// The exponent of a literal that is a power of two.
    fn power(&self, term: TermId) -> Option<i64> {
        match &self.store.node(term).op {
            Op::FloatConst(value) => super::super::power_of_two(value),
            _ => None,
        }
    }

    /// What a number was widened from, and the format of that.
    fn narrow(&self, term: TermId) -> Option<(TermId, Format)> {
        if let Some(known) = self.widened.get(&term) {
            return Some(*known);
        }
        let node = self.store.node(term);
        let (Op::FpFromFloat(wide), &[_, inner]) = (&node.op, &node.args[..]) else { return None };
        let format = self.store.float_format(inner)?;
        super::super::holds_all(format, *wide).then_some((inner, format))
    }

    /// Two operations on the same operands, or with `opposite` the second one on their opposites, in modes that may differ: they have
    /// one real result, up to the sign.
    pub(super) fn one_number(&mut self, a: &Operation, b: &Operation, opposite: bool) {
        let p = a.result;
        let q = if opposite { self.neg(b.result) } else { b.result };
        let equal = self.eq(p, q);
        self.add(&[a.exact], equal, &[p, q]);
        self.add(&[a.exact], b.exact, &[p, q]);
        let mode = self.mode(b).map(|mode| if opposite { super::mirrored(mode) } else { mode });
        if let (Some(RoundingMode::TowardNegative), Some(RoundingMode::TowardPositive)) = (self.mode(a), mode) {
            let infinity = self.infinity(self.format(p));
            let size = self.abs(p);
            let finite = self.lt(size, infinity);
            self.add(&[equal, finite], a.exact, &[p, q]);
        }
    }

    /// p = fl(x + y) in a format that has all numbers of the one of q = fl(u + v), where x and y are u and v: equal, if q is exact.
    pub(super) fn widened_sum(
        &mut self,
        (a, wide, [x, y]): (&Operation, Format, [TermId; 2]),
        (b, [u, v]): (&Operation, [TermId; 2]),
    ) {
        let (Some((x, format)), Some((y, other))) = (self.unsigned_narrow(x), self.unsigned_narrow(y)) else { return };
        let narrow = self.format(b.result);
        if format != narrow || other != narrow {
            return;
        }
        let (p, nearest) = (a.result, self.store.rounding_mode(RoundingMode::NearestEven));
        let converted: Vec<TermId> =
            self.widened.iter().filter(|(_, of)| of.0 == b.result).map(|(term, _)| *term).collect();
        let converted = converted.into_iter().filter(|term| self.format(*term) == wide).min();
        let q = converted.unwrap_or_else(|| self.store.mk(Op::FpFromFloat(wide), &[nearest, b.result]));
        let [minus_u, minus_v] = [u, v].map(|operand| self.neg(operand));
        let value = match [x, y] {
            pair if pair == [u, v] || pair == [v, u] => q,
            pair if pair == [minus_u, minus_v] || pair == [minus_v, minus_u] => self.neg(q),
            _ => return,
        };
        let equal = self.eq(p, value);
        self.add(&[b.exact], equal, &[p, b.result]);
        self.add(&[b.exact], a.exact, &[p, b.result]);
    }

    /// As [`Lemmas::narrow`], of a number or of one that is negated, with its sign.
    fn unsigned_narrow(&mut self, term: TermId) -> Option<(TermId, Format)> {
        let node = self.store.node(term);
        if node.op != Op::FpNeg {
            return self.narrow(term);
        }
        let (inner, format) = self.narrow(node.args[0])?;
        Some((self.neg(inner), format))
    }
}
