//! Lemmas about operations on operands that were multiplied by powers of two.
//!
//! Let s = 2^i·x and so on exactly, the operands of an operation be such multiples of those of another one in the same mode, and the real results
//! therefore r and 2^k·r. If |fl(r)| and |fl(2^k·fl(r))| are above the least normal number, so are r and 2^k·r at least that number, which is a float, and
//! so is 2^−k of it where it is not below the normal numbers; and where the latter is not at the upper end either, both are rounded at the same bit: fl(2^k·r) = 2^k·fl(r).

use labrys_float::{Environment, Float, Format};
use labrys_term::{Op, TermId};

use super::super::power_of_two;
use super::{Lemmas, Operation, Shape};

/// A multiple of an operand by a power of two.
#[derive(Clone, Copy, Debug)]
struct Multiple {
    of: TermId,
    exponent: i64,
    /// The multiple itself, which may be rounded, if it is not the operand.
    scaled: Option<TermId>,
}

impl Lemmas<'_> {
    /// a's result as a multiple of b's.
    pub(super) fn scaled(&mut self, (a, of_a): (&Operation, &Shape), (b, of_b): (&Operation, &Shape)) {
        if a.args.first() != b.args.first() {
            return;
        }
        let found = match (of_a, of_b) {
            (Shape::Product(_, [x, y]), Shape::Product(_, [u, v])) => {
                let straight = self.multiples([*x, *y], [*u, *v]);
                straight
                    .or_else(|| self.multiples([*x, *y], [*v, *u]))
                    .map(|(first, second, all)| (first + second, all))
            }
            (Shape::Quotient(_, first), Shape::Quotient(_, second)) => {
                self.multiples(*first, *second).map(|(first, second, all)| (first - second, all))
            }
            (Shape::Sum(_, [x, y]), Shape::Sum(_, [u, v])) => {
                let straight = self.multiples([*x, *y], [*u, *v]);
                let found = straight.or_else(|| self.multiples([*x, *y], [*v, *u]));
                found.filter(|(first, second, _)| first == second).map(|(first, _, all)| (first, all))
            }
            _ => None,
        };
        let format = self.format(a.result);
        let Some((exponent, multiples)) = found else { return };
        let Some(power) = power(format, exponent).filter(|_| exponent != 0) else { return };
        let nearest = self.store.rounding_mode(labrys_float::RoundingMode::NearestEven);
        let power = self.store.float_const(power);
        let multiple = self.store.mk(Op::FpMul, &[nearest, b.result, power]);
        let (normal, end) = (Float::min_normal(format), Float::max_finite(format));
        let [normal, end] = [normal, end].map(|limit| self.store.float_const(limit));
        let mut premises = Vec::new();
        for term in multiples.into_iter().chain([multiple, b.result]) {
            let size = self.abs(term);
            premises.push(self.lt(normal, size));
            premises.push(self.lt(size, end));
        }
        let equal = self.eq(a.result, multiple);
        self.add(&premises, equal, &[a.result, b.result]);
    }

    /// By which powers the first two operands are multiples of the other two, and all terms that must not be rounded for that.
    fn multiples(&self, first: [TermId; 2], second: [TermId; 2]) -> Option<(i64, i64, Vec<TermId>)> {
        let mut exponents = [0; 2];
        let mut all = Vec::new();
        for place in 0..2 {
            let (one, other) = (self.multiple(first[place]), self.multiple(second[place]));
            if one.of != other.of {
                return None;
            }
            exponents[place] = one.exponent - other.exponent;
            all.extend(one.scaled.into_iter().chain(other.scaled));
        }
        Some((exponents[0], exponents[1], all))
    }

    fn multiple(&self, term: TermId) -> Multiple {
        let node = self.store.node(term);
        if let (Op::FpMul, &[_, x, y]) = (&node.op, &node.args[..]) {
            for (of, factor) in [(x, y), (y, x)] {
                if let Op::FloatConst(value) = &self.store.node(factor).op
                    && let Some(exponent) = power_of_two(value).filter(|_| !value.is_negative())
                {
                    return Multiple { of, exponent, scaled: Some(term) };
                }
            }
        }
        Multiple { of: term, exponent: 0, scaled: None }
    }
}

/// 2^n, if that is a normal number.
fn power(format: Format, n: i64) -> Option<Float> {
    let is_normal = n >= format.min_exponent() && n <= format.max_exponent();
    is_normal.then(|| Environment::default().scale(&Float::one(format), n).value)
}
