//! Truth values of floats and vectors as statements about real numbers.
//!
//! Of floats that may be no number in some model, a comparison is what it is of numbers where both are; and some say that they are: what is at most a number, and
//! not minus infinity, is one.

use labrys_term::{Op, Sort, TermId};
use num_rational::BigRational;
use num_traits::One;

use super::floats::Value;
use super::reading::Reading;
use super::unknowns::{Polynomial, Unknowns};

impl Reading<'_> {
    /// A truth value whose arguments were read.
    pub fn truth(&mut self, term: TermId) -> TermId {
        let node = self.store.node(term).clone();
        let args = &node.args[..];
        let read = match (&node.op, args) {
            (Op::BoolConst(value), _) => Some(self.relaxed.unknowns.store.bool_const(*value)),
            (Op::Not | Op::And | Op::Or | Op::Xor | Op::Implies | Op::Ite, _) => Some(self.connected(&node.op, args)),
            (Op::Eq | Op::Distinct, &[a, ..]) if *self.store.sort(a) == Sort::Bool => {
                Some(self.connected(&node.op, args))
            }
            (Op::Eq, &[a, b]) => match self.store.sort(a) {
                Sort::Float(_) => self.same(a, b),
                Sort::BitVec(_) => self.equal_vectors(a, b),
                _ => None,
            },
            (Op::FpLt | Op::FpLe | Op::FpEq, &[a, b]) => self.compared(&node.op, a, b),
            (Op::BvSlt | Op::BvSle | Op::BvUlt | Op::BvUle, &[a, b]) => self.ordered(&node.op, a, b),
            (Op::FpIsNan, &[a]) => self.class(a).map(|[nan, _]| nan),
            (Op::FpIsInfinite, &[a]) => self.class(a).map(|[_, infinite]| infinite),
            (Op::FpIsZero, &[a]) => self.is_zero(a),
            (Op::FpIsNegative | Op::FpIsPositive, &[a]) => self.sign(a, node.op == Op::FpIsNegative),
            _ => None,
        };
        read.unwrap_or_else(|| self.relaxed.unknowns.truth())
    }

    fn connected(&mut self, op: &Op, args: &[TermId]) -> TermId {
        let args: Vec<TermId> = args.iter().map(|arg| self.truths[arg]).collect();
        let store = &mut self.relaxed.unknowns.store;
        match op {
            Op::Not => store.not(args[0]),
            Op::And => store.and(&args),
            Op::Or => store.or(&args),
            _ => store.mk(op.clone(), &args),
        }
    }

    fn values(&mut self, [a, b]: [TermId; 2]) -> Option<[Value; 2]> {
        Some([self.actual(a)?, self.actual(b)?])
    }

    fn compared(&mut self, op: &Op, a: TermId, b: TermId) -> Option<TermId> {
        let values = self.values([a, b])?;
        let [of_a, of_b] = [a, b].map(|term| self.domain(term));
        let unknowns = &mut self.relaxed.unknowns;
        let (x, y) = (&values[0].polynomial, &values[1].polynomial);
        let relation = match op {
            Op::FpLt => unknowns.less(x, y),
            Op::FpLe => unknowns.at_most(x, y),
            _ => unknowns.equal(x, y),
        };
        let Some(both) = unknowns.all(&values.each_ref().map(|value| value.number)) else { return Some(relation) };
        let truth = unknowns.truth();
        unknowns.say_equal_under(both, truth, relation);
        // a ≤ b, of which b is a number, has a number a unless that is −∞; and of a, b unless that is +∞.
        let is_equality = *op == Op::FpEq;
        let is_a = is_equality || of_a.is_some_and(|domain| !domain.minus_infinity);
        let is_b = is_equality || of_b.is_some_and(|domain| !domain.plus_infinity);
        for (is_known, one, other) in [(is_a, 0, 1), (is_b, 1, 0)] {
            if let Some(number) = values[one].number.filter(|_| is_known) {
                let premise = unknowns.all(&[Some(truth), values[other].number]);
                unknowns.say_under(premise, number);
            }
        }
        Some(truth)
    }

    /// Equal to the last bit: equal numbers, of which zeros may differ, or both none.
    fn same(&mut self, a: TermId, b: TermId) -> Option<TermId> {
        let values = self.values([a, b])?;
        let has_zero = |term| self.domain(term).is_none_or(|domain| domain.minus_zero || domain.plus_zero);
        let zeros = has_zero(a) && has_zero(b);
        let unknowns = &mut self.relaxed.unknowns;
        let equal = unknowns.equal(&values[0].polynomial, &values[1].polynomial);
        let both = unknowns.all(&values.each_ref().map(|value| value.number));
        if both.is_none() && !zeros {
            return Some(equal);
        }
        let same = unknowns.truth();
        let premise = unknowns.all(&[Some(same), both]);
        unknowns.say_under(premise, equal);
        if !zeros {
            let premise = unknowns.all(&[Some(equal), both]);
            unknowns.say_under(premise, same);
        }
        for (one, other) in [(0, 1), (1, 0)] {
            if let Some(number) = values[one].number {
                let premise = unknowns.all(&[Some(same), values[other].number]);
                unknowns.say_under(premise, number);
            }
        }
        Some(same)
    }

    /// Whether a float is NaN, and whether it is infinite: one of both where it is no number.
    fn class(&mut self, a: TermId) -> Option<[TermId; 2]> {
        if let Some(known) = self.classes.get(&a) {
            return Some(*known);
        }
        let (value, domain) = (self.numbers.get(&a)?, self.domain(a)?);
        let number = value.number;
        let unknowns = &mut self.relaxed.unknowns;
        let no = unknowns.store.bool_const(false);
        let truths = match number {
            None => [no, no],
            Some(number) => {
                let may_be = [domain.nan, domain.minus_infinity || domain.plus_infinity];
                let classes = may_be.map(|may_be| if may_be { unknowns.truth() } else { no });
                let one_of_all = unknowns.store.or(&[number, classes[0], classes[1]]);
                unknowns.said.push(one_of_all);
                for [one, other] in [[number, classes[0]], [number, classes[1]], classes] {
                    let both = unknowns.store.and(&[one, other]);
                    let not_both = unknowns.store.not(both);
                    unknowns.said.push(not_both);
                }
                classes
            }
        };
        self.classes.insert(a, truths);
        Some(truths)
    }

    fn is_zero(&mut self, a: TermId) -> Option<TermId> {
        let value = self.actual(a)?;
        let unknowns = &mut self.relaxed.unknowns;
        let equal = unknowns.equal(&value.polynomial, &Polynomial::default());
        Some(unknowns.all(&[value.number, Some(equal)]).unwrap_or(equal))
    }

    /// The sign of a number; zeros have either.
    fn sign(&mut self, a: TermId, of_negative: bool) -> Option<TermId> {
        let Value { polynomial, number, .. } = self.actual(a)?;
        let zero = Polynomial::default();
        let unknowns = &mut self.relaxed.unknowns;
        let (below, above) = (unknowns.less(&polynomial, &zero), unknowns.less(&zero, &polynomial));
        let (has, has_not) = if of_negative { (below, above) } else { (above, below) };
        let truth = unknowns.truth();
        let not = unknowns.store.not(truth);
        for (side, said) in [(has, truth), (has_not, not)] {
            let premise = unknowns.all(&[number, Some(side)]);
            unknowns.say_under(premise, said);
        }
        Some(truth)
    }

    /// a < b of integers is a ≤ b − 1, and one of a ≤ b − 1 and b ≤ a holds.
    fn ordered(&mut self, op: &Op, a: TermId, b: TermId) -> Option<TermId> {
        let is_signed = matches!(op, Op::BvSlt | Op::BvSle);
        let (a, b) = (self.integer(a, is_signed)?, self.integer(b, is_signed)?);
        let unknowns = &mut self.relaxed.unknowns;
        let (less, more) = match op {
            Op::BvSlt | Op::BvUlt => (before(unknowns, &a, &b)?, unknowns.at_most(&b, &a)),
            _ => (unknowns.at_most(&a, &b), before(unknowns, &b, &a)?),
        };
        let one_of_both = unknowns.store.or(&[less, more]);
        unknowns.said.push(one_of_both);
        Some(less)
    }

    fn equal_vectors(&mut self, a: TermId, b: TermId) -> Option<TermId> {
        let (a, b) = (self.integer(a, true)?, self.integer(b, true)?);
        let unknowns = &mut self.relaxed.unknowns;
        let equal = unknowns.equal(&a, &b);
        let cases = [equal, before(unknowns, &a, &b)?, before(unknowns, &b, &a)?];
        let one_of_them = unknowns.store.or(&cases);
        unknowns.said.push(one_of_them);
        Some(equal)
    }
}

/// a ≤ b − 1.
fn before(unknowns: &mut Unknowns, a: &Polynomial, b: &Polynomial) -> Option<TermId> {
    let next = a.plus(&Polynomial::constant(BigRational::one()), &BigRational::one())?;
    Some(unknowns.at_most(&next, b))
}
