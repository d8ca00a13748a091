//! What is known of operations' results by order.
//!
//! **Claim.** Each lemma holds for all operands.
//!
//! **Argument.** Rounding is monotone in every mode, and leaves floats as they are: if a real number is at most a float, so is what it is
//! rounded to; and what is rounded the same way keeps its order. So whatever holds between real results, or between one and a float, holds of
//! results that are numbers; those that are not are excepted. Infinite operands are limits of finite ones where the result is no NaN. Three
//! lemmas are about rounding itself:
//!
//! - *halves*: to nearest with ties to even, x/y with |y| ≥ 2 and x·y with |y| ≤ ½ are smaller than x ≠ 0: ½·2^e rounds to at most 2^e, and half of the
//!   least subnormal number to zero;
//! - *differences*: if h < fl(b − a), then h is at most the float below fl(b − a), which is at most b − a, since roundings are
//!   faithful; so a + h ≤ b;
//! - *roots of squares*: to nearest fl(√fl(x·x)) = |x| unless fl(x·x) is infinite or below the normal numbers (S. Boldo, "Stupid is as stupid does: taking
//!   the square root of the square of a floating-point number", 2015).
//!
//! A test evaluates all of them on all operands of a small format and on samples of others.

use labrys_float::{Environment, Float, Format, RoundingMode};
use labrys_term::{Op, Store, TermId};
use smallvec::SmallVec;

/// An operation whose result is a variable, or itself.
#[derive(Clone, Debug)]
pub(super) struct Operation {
    pub op: Op,
    /// Arguments, the rounding mode first where the operator has one.
    pub args: SmallVec<[TermId; 4]>,
    pub result: TermId,
}

/// Pairs of operations that are compared, at most.
const MOST_PAIRS: usize = 400;

/// The lemmas about operations.
pub(super) fn all(store: &mut Store, operations: &[Operation]) -> Vec<TermId> {
    let mut lemmas = Lemmas { store, found: Vec::new() };
    for operation in operations {
        lemmas.single(operation);
    }
    let mut pairs = 0;
    for (index, a) in operations.iter().enumerate() {
        for b in &operations[..index] {
            let are_alike = a.op == b.op && a.args.first() == b.args.first();
            let are_opposite = matches!((&a.op, &b.op), (Op::FpAdd | Op::FpSub, Op::FpSub) | (Op::FpSub, Op::FpAdd));
            let are_root_and_square = matches!((&a.op, &b.op), (Op::FpSqrt, Op::FpMul) | (Op::FpMul, Op::FpSqrt));
            if !(are_alike || are_opposite || are_root_and_square) || lemmas.format(a) != lemmas.format(b) {
                continue;
            }
            pairs += 1;
            if pairs > MOST_PAIRS {
                return lemmas.found;
            }
            lemmas.pair(a, b);
            lemmas.pair(b, a);
        }
    }
    lemmas.found
}

struct Lemmas<'a> {
    store: &'a mut Store,
    found: Vec<TermId>,
}

impl Lemmas<'_> {
    fn format(&self, of: &Operation) -> Format {
        self.store.float_format(of.result).unwrap_or(Format::BINARY64)
    }

    /// The rounding mode, where it is known.
    fn mode(&self, of: &Operation) -> Option<RoundingMode> {
        match self.store.node(*of.args.first()?).op {
            Op::RoundingModeConst(mode) => Some(mode),
            _ => None,
        }
    }

    fn number(&mut self, format: Format, value: i64) -> TermId {
        let value = Environment::default().from_integer(&value.into(), format).value;
        self.store.float_const(value)
    }

    fn le(&mut self, a: TermId, b: TermId) -> TermId {
        self.store.mk(Op::FpLe, &[a, b])
    }

    fn lt(&mut self, a: TermId, b: TermId) -> TermId {
        self.store.mk(Op::FpLt, &[a, b])
    }

    fn abs(&mut self, a: TermId) -> TermId {
        self.store.mk(Op::FpAbs, &[a])
    }

    fn neg(&mut self, a: TermId) -> TermId {
        self.store.mk(Op::FpNeg, &[a])
    }

    /// If the premises hold, the conclusion does, or one of the results is a NaN.
    fn add(&mut self, premises: &[TermId], conclusion: TermId, results: &[TermId]) {
        let mut cases: Vec<TermId> = premises.iter().map(|premise| self.store.not(*premise)).collect();
        cases.push(conclusion);
        cases.extend(results.iter().map(|result| self.store.mk(Op::FpIsNan, &[*result])));
        let lemma = self.store.or(&cases);
        self.found.push(lemma);
    }

    fn single(&mut self, operation: &Operation) {
        let (t, format) = (operation.result, self.format(operation));
        let nearest_even = self.mode(operation) == Some(RoundingMode::NearestEven);
        match (&operation.op, &operation.args[..]) {
            (Op::FpAdd, &[_, x, y]) => {
                self.sum(t, format, x, y);
                self.sum(t, format, y, x);
            }
            (Op::FpSub, &[_, x, y]) => {
                let minus = self.neg(y);
                self.sum(t, format, x, minus);
                self.sum(t, format, minus, x);
            }
            (Op::FpMul, &[_, x, y]) => {
                self.factor(t, format, x, y, nearest_even);
                self.factor(t, format, y, x, nearest_even);
            }
            (Op::FpDiv, &[_, x, y]) => self.quotient(t, format, x, y, nearest_even),
            (Op::FpSqrt, &[_, x]) => {
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
            _ => {}
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

    fn two(&self, format: Format) -> Float {
        Environment::default().from_integer(&2.into(), format).value
    }

    /// |t| < |x| for finite x ≠ 0, under a premise.
    fn smaller(&mut self, t: TermId, format: Format, x: TermId, premise: TermId) {
        let zero = self.number(format, 0);
        let infinity = self.store.float_const(Float::infinity(format, false));
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

    /// When a's result is at most b's, and what else the two have to do with each other.
    fn pair(&mut self, a: &Operation, b: &Operation) {
        let (p, q, format) = (a.result, b.result, self.format(a));
        match (&a.op, &a.args[..], &b.op, &b.args[..]) {
            (Op::FpAdd, &[_, x, y], Op::FpAdd, &[_, u, v]) => {
                for (u, v) in [(u, v), (v, u)] {
                    let premises = [self.le(x, u), self.le(y, v)];
                    let conclusion = self.le(p, q);
                    self.add(&premises, conclusion, &[p, q]);
                }
            }
            (Op::FpSub, &[_, x, y], Op::FpSub, &[_, u, v]) => {
                if a.args.first() == b.args.first() {
                    let premises = [self.le(x, u), self.le(v, y)];
                    let conclusion = self.le(p, q);
                    self.add(&premises, conclusion, &[p, q]);
                }
                // q = u − v: u − h against v.
                if x == u {
                    self.difference((p, v), y, q, true);
                }
            }
            (Op::FpAdd, &[_, x, y], Op::FpSub, &[_, u, v]) => {
                // q = u − v: v + h against u.
                for (start, step) in [(x, y), (y, x)] {
                    if start == v {
                        self.difference((p, u), step, q, false);
                    }
                }
            }
            (Op::FpMul, &[_, x, y], Op::FpMul, &[_, u, v]) => {
                for (u, v) in [(u, v), (v, u)] {
                    self.products((p, q), format, (x, y), (u, v));
                }
            }
            (Op::FpDiv, &[_, x, y], Op::FpDiv, &[_, u, v]) => self.quotients((p, q), format, (x, y), (u, v)),
            (Op::FpSqrt, &[_, x], Op::FpSqrt, &[_, u])
            | (Op::FpFromFloat(_), &[_, x], Op::FpFromFloat(_), &[_, u])
            | (Op::FpRoundToIntegral, &[_, x], Op::FpRoundToIntegral, &[_, u])
                if self.store.sort(x) == self.store.sort(u) =>
            {
                let premise = self.le(x, u);
                let conclusion = self.le(p, q);
                self.add(&[premise], conclusion, &[p, q]);
            }
            (Op::FpSqrt, &[mode, z], Op::FpMul, &[other, x, y])
                if x == y && mode == other && self.mode(a) == Some(RoundingMode::NearestEven) =>
            {
                self.root_of_square(p, z, q, x, format);
            }
            _ => {}
        }
    }

    /// q = fl(b − a), p = fl(a + h) and `other` = b; or, with `down`, p = fl(b − h) and `other` = a.
    fn difference(&mut self, (p, other): (TermId, TermId), h: TermId, q: TermId, down: bool) {
        let (less, more) = (self.lt(h, q), self.lt(q, h));
        let (below, above) = (self.le(p, other), self.le(other, p));
        let (if_less, if_more) = if down { (above, below) } else { (below, above) };
        self.add(&[less], if_less, &[p, q]);
        self.add(&[more], if_more, &[p, q]);
    }

    /// x·y ≤ u·v, over u·y: by the sign of y and that of u.
    fn products(
        &mut self,
        (p, q): (TermId, TermId),
        format: Format,
        (x, y): (TermId, TermId),
        (u, v): (TermId, TermId),
    ) {
        let zero = self.number(format, 0);
        let conclusion = self.le(p, q);
        for y_positive in [true, false] {
            for u_positive in [true, false] {
                let y_sign = if y_positive { self.le(zero, y) } else { self.le(y, zero) };
                let first = if y_positive { self.le(x, u) } else { self.le(u, x) };
                let u_sign = if u_positive { self.le(zero, u) } else { self.le(u, zero) };
                let second = if u_positive { self.le(y, v) } else { self.le(v, y) };
                self.add(&[y_sign, first, u_sign, second], conclusion, &[p, q]);
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

    /// p = fl(√z) against |x|, by the comparison of z with q = fl(x·x).
    fn root_of_square(&mut self, p: TermId, z: TermId, q: TermId, x: TermId, format: Format) {
        let normal = self.store.float_const(Float::min_normal(format));
        let infinity = self.store.float_const(Float::infinity(format, false));
        let is_fine = [self.le(normal, q), self.lt(q, infinity)];
        let size = self.abs(x);
        let (above, below) = (self.le(q, z), self.le(z, q));
        let (if_above, if_below) = (self.le(size, p), self.le(p, size));
        self.add(&[is_fine[0], is_fine[1], above], if_above, &[p, q]);
        self.add(&[is_fine[0], is_fine[1], below], if_below, &[p, q]);
    }
}
