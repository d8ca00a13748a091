//! Lemmas about x − n·y, n being x/y truncated (fmod) or rounded to nearest (IEEE 754's remainder).
//!
//! Both are exact, and NaNs unless x is finite and y is not zero. An infinite y leaves x. Truncation leaves |r| < |y| and the sign of x, of zeros, too; rounding
//! 2·|r| ≤ |y|, which is not infinite for finite r that are that small. n is 0 for |x| < |y|, or 2·|x| < |y|, and then r is x; else |r| is smaller
//! than |x| or, n being rounded up, at most that: |r| ≤ |y|/2 ≤ |x|. The sign of y does not matter, and that of x is the result's.

use labrys_float::Format;
use labrys_term::{Op, TermId};

use super::Lemmas;

impl Lemmas<'_> {
    /// t by x and y.
    pub(super) fn remainder(&mut self, t: TermId, format: Format, nearest: bool, [x, y]: [TermId; 2]) {
        let [size, of_x, of_y] = [t, x, y].map(|term| self.abs(term));
        for conclusion in [self.le(size, of_x), self.lt(size, of_y)] {
            self.add(&[], conclusion, &[t]);
        }
        // x87's odd encodings have values without being them.
        let equality = if format.has_explicit_leading_bit() { Op::FpEq } else { Op::Eq };
        let same = self.store.mk(equality, &[t, x]);
        if nearest {
            if self.scales {
                let twice = self.twice(size);
                let conclusion = self.le(twice, of_y);
                self.add(&[], conclusion, &[t]);
                let twice = self.twice(of_x);
                let premise = self.lt(twice, of_y);
                self.add(&[premise], same, &[t]);
            }
            return;
        }
        let premise = self.lt(of_x, of_y);
        self.add(&[premise], same, &[t]);
        let (premise, conclusion) = (self.le(of_y, of_x), self.lt(size, of_x));
        self.add(&[premise], conclusion, &[t]);
        let signs = [t, x].map(|term| self.store.mk(Op::FpIsNegative, &[term]));
        let same = self.store.mk(Op::Eq, &signs);
        self.add(&[], same, &[t]);
        let zero = self.number(format, 0);
        for (premise, conclusion) in [(self.le(zero, x), self.le(zero, t)), (self.le(x, zero), self.le(t, zero))] {
            self.add(&[premise], conclusion, &[t]);
        }
    }

    /// Remainders p and q of numbers of one size by numbers of one size.
    pub(super) fn remainders(&mut self, (p, [x, y]): (TermId, [TermId; 2]), (q, [u, v]): (TermId, [TermId; 2])) {
        let [of_y, of_v] = [y, v].map(|term| self.abs(term));
        let divisors = self.eq(of_y, of_v);
        for (operand, result) in [(u, q), (self.neg(u), self.neg(q))] {
            let dividends = self.eq(x, operand);
            let equal = self.eq(p, result);
            self.add(&[divisors, dividends], equal, &[p, q]);
        }
    }
}
