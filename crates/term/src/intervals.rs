//! Evaluation at points that are not rational: interval arithmetic, refined until it decides.
//!
//! **Claim.** True and False are right; Unsure says nothing. Equalities that hold between irrational values stay Unsure
//! however long one refines.
//!
//! **Argument.** Each value is enclosed by numbers n/2^k, low ≤ value ≤ high; operations compute exact bounds of the
//! result over the operands' enclosures and round them outwards to `precision` significant bits.

use std::cmp::Ordering;
use std::collections::BTreeMap;

use num_bigint::BigInt;
use num_integer::Integer;
use num_rational::BigRational;
use num_traits::{One, Signed, Zero};
use rustc_hash::FxHashMap;

use crate::evaluate::literal;
use crate::{AlgebraicNumber, Model, Op, Store, TermId, Truth, Value, VariableId};

/// Bits of precision tried in turn.
const PRECISIONS: [u32; 4] = [64, 256, 1024, 4096];

/// The truth of a Bool term over Real and Bool variables, given rational values by `model` and irrational ones by
/// `algebraic`; a variable that neither has makes what depends on it Unsure.
///
/// ```
/// use std::collections::BTreeMap;
///
/// use labrys_term::{AlgebraicNumber, Model, Op, Sort, Store, Truth, eval_with_intervals};
///
/// let mut store = Store::new();
/// let x = store.variable("x", Sort::Real);
/// let limit = store.real_const(num_rational::BigRational::new(3.into(), 2.into()));
/// let less = store.mk(Op::RealLt, &[x, limit]);
/// let root = AlgebraicNumber::new([-2, 0, 1].map(Into::into).to_vec(), 2).unwrap();
/// let algebraic = BTreeMap::from([(store.as_variable(x).unwrap(), root)]);
/// assert_eq!(eval_with_intervals(&store, less, &Model::new(), &algebraic), Truth::True);
/// ```
pub fn eval_with_intervals(
    store: &Store,
    term: TermId,
    model: &Model,
    algebraic: &BTreeMap<VariableId, AlgebraicNumber>,
) -> Truth {
    let terms = store.reachable(&[term]);
    for precision in PRECISIONS {
        let truth = Pass { store, model, algebraic, precision }.run(&terms, term);
        if truth != Truth::Unsure {
            return truth;
        }
    }
    Truth::Unsure
}

/// What is known of a value; `None` for reals that are undefined or unknown.
#[derive(Clone, Debug)]
enum Known {
    Truth(Truth),
    Real(Option<Interval>),
}

#[derive(Clone, Debug)]
struct Interval {
    low: BigRational,
    high: BigRational,
}

/// One evaluation with one precision.
struct Pass<'a> {
    store: &'a Store,
    model: &'a Model,
    algebraic: &'a BTreeMap<VariableId, AlgebraicNumber>,
    precision: u32,
}

impl Pass<'_> {
    fn run(&self, terms: &[TermId], root: TermId) -> Truth {
        let mut memo: FxHashMap<TermId, Known> = FxHashMap::default();
        for &term in terms {
            let known = self.known(term, &memo);
            memo.insert(term, known);
        }
        match memo.get(&root) {
            Some(Known::Truth(truth)) => *truth,
            _ => Truth::Unsure,
        }
    }

    fn known(&self, term: TermId, memo: &FxHashMap<TermId, Known>) -> Known {
        let node = self.store.node(term);
        let truth = |i: usize| match node.args.get(i).and_then(|arg| memo.get(arg)) {
            Some(Known::Truth(truth)) => *truth,
            _ => Truth::Unsure,
        };
        let truths = || (0..node.args.len()).map(truth);
        let real = |i: usize| match node.args.get(i).and_then(|arg| memo.get(arg)) {
            Some(Known::Real(interval)) => interval.as_ref(),
            _ => None,
        };
        let reals = || (0..node.args.len()).map(real);
        match &node.op {
            Op::Variable(variable) => self.variable(*variable),
            Op::Not => Known::Truth(!truth(0)),
            Op::And => Known::Truth(truths().fold(Truth::True, Truth::and)),
            Op::Or => Known::Truth(truths().fold(Truth::False, Truth::or)),
            Op::Xor => Known::Truth(truths().fold(Truth::False, Truth::xor)),
            Op::Implies => Known::Truth((!truth(0)).or(truth(1))),
            Op::RealLt => Known::Truth(compare(real(0), real(1), |order| order == Ordering::Less)),
            Op::RealLe => Known::Truth(compare(real(0), real(1), |order| order != Ordering::Greater)),
            Op::Eq | Op::Distinct => {
                let equal = |i: usize, j: usize| match node.args.get(i).and_then(|arg| memo.get(arg)) {
                    Some(Known::Truth(_)) => !truth(i).xor(truth(j)),
                    _ => compare(real(i), real(j), |order| order == Ordering::Equal),
                };
                let pairs = (0..node.args.len()).flat_map(|j| (0..j).map(move |i| (i, j)));
                if node.op == Op::Eq {
                    Known::Truth(equal(0, 1))
                } else {
                    Known::Truth(pairs.fold(Truth::True, |distinct, (i, j)| distinct.and(!equal(i, j))))
                }
            }
            Op::Ite => {
                let taken = match truth(0) {
                    Truth::True => node.args.get(1),
                    Truth::False => node.args.get(2),
                    Truth::Unsure => return unknown(&node.sort),
                };
                taken.and_then(|arg| memo.get(arg)).cloned().unwrap_or(unknown(&node.sort))
            }
            Op::RealAdd => Known::Real(self.fold(reals(), Interval::add)),
            Op::RealMul => Known::Real(self.fold(reals(), Interval::mul)),
            Op::RealSub => Known::Real(self.fold(reals(), |a, b| a.add(&b.neg()))),
            Op::RealDiv => Known::Real(match (real(0), real(1)) {
                (Some(a), Some(b)) => b.reciprocal().map(|b| a.mul(&b).widened(self.precision)),
                _ => None,
            }),
            Op::RealNeg => Known::Real(real(0).map(Interval::neg)),
            Op::RealAbs => Known::Real(real(0).map(Interval::abs)),
            op => match literal(op, &node.sort) {
                Some(value) => self.value(&value),
                None => unknown(&node.sort),
            },
        }
    }

    fn variable(&self, variable: VariableId) -> Known {
        if let Some(number) = self.algebraic.get(&variable) {
            let (low, high) = number.interval(self.precision);
            return Known::Real(Some(Interval { low, high }));
        }
        match self.model.get(variable) {
            Some(value) => self.value(value),
            None => unknown(self.store.variable_info(variable).1),
        }
    }

    fn value(&self, value: &Value) -> Known {
        match value {
            Value::Bool(value) => Known::Truth((*value).into()),
            Value::Real(value) => Known::Real(Some(Interval { low: value.clone(), high: value.clone() })),
            _ => Known::Truth(Truth::Unsure),
        }
    }

    fn fold<'i>(
        &self,
        mut intervals: impl Iterator<Item = Option<&'i Interval>>,
        f: impl Fn(&Interval, &Interval) -> Interval,
    ) -> Option<Interval> {
        let first = intervals.next()??.clone();
        intervals.try_fold(first, |result, next| Some(f(&result, next?).widened(self.precision)))
    }
}

fn unknown(sort: &crate::Sort) -> Known {
    if *sort == crate::Sort::Real { Known::Real(None) } else { Known::Truth(Truth::Unsure) }
}

/// Whether every pair of values is in a relation, none is, or neither.
fn compare(a: Option<&Interval>, b: Option<&Interval>, holds: impl Fn(Ordering) -> bool) -> Truth {
    let (Some(a), Some(b)) = (a, b) else { return Truth::Unsure };
    // The orders that occur lie between these two, and the relations are convex or have a convex complement.
    let (least, most) = (a.low.cmp(&b.high), a.high.cmp(&b.low));
    let possible = [Ordering::Less, Ordering::Equal, Ordering::Greater];
    let mut orders = possible.into_iter().filter(|order| least <= *order && *order <= most);
    let mut others = orders.clone();
    Truth::from_certain(orders.all(&holds), others.all(|order| !holds(order)))
}

impl Interval {
    fn add(&self, other: &Interval) -> Interval {
        Interval { low: &self.low + &other.low, high: &self.high + &other.high }
    }

    fn neg(&self) -> Interval {
        Interval { low: -self.high.clone(), high: -self.low.clone() }
    }

    fn abs(&self) -> Interval {
        if !self.low.is_negative() {
            self.clone()
        } else if !self.high.is_positive() {
            self.neg()
        } else {
            Interval { low: BigRational::zero(), high: self.high.clone().max(-self.low.clone()) }
        }
    }

    fn mul(&self, other: &Interval) -> Interval {
        let products =
            [&self.low * &other.low, &self.low * &other.high, &self.high * &other.low, &self.high * &other.high];
        let low = products.iter().min().cloned().unwrap_or_default();
        let high = products.iter().max().cloned().unwrap_or_default();
        Interval { low, high }
    }

    /// `None` if zero is possible.
    fn reciprocal(&self) -> Option<Interval> {
        let zero_free = self.low.is_positive() || self.high.is_negative();
        zero_free.then(|| Interval { low: self.high.recip(), high: self.low.recip() })
    }

    /// The ends rounded outwards to so many significant bits. Points stay points while they are short.
    fn widened(self, precision: u32) -> Interval {
        let low = round(&self.low, precision, |n, d| n.div_floor(d));
        let high = round(&self.high, precision, |n, d| -(-n).div_floor(d));
        Interval { low, high }
    }
}

/// Rounds to `precision` significant bits with `divide`; numbers that are not longer than four times that stay.
fn round(value: &BigRational, precision: u32, divide: impl Fn(&BigInt, &BigInt) -> BigInt) -> BigRational {
    let (numerator, denominator) = (value.numer(), value.denom());
    if numerator.bits().max(denominator.bits()) <= 4 * u64::from(precision) {
        return value.clone();
    }
    let shift = i64::from(precision) - (numerator.bits() as i64 - denominator.bits() as i64);
    if shift >= 0 {
        BigRational::new(divide(&(numerator << shift), denominator), BigInt::one() << shift)
    } else {
        BigRational::from_integer(divide(numerator, &(denominator << -shift)) << -shift)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::{Sort, eval};

    fn integer(n: i64) -> BigRational {
        BigRational::from_integer(n.into())
    }

    #[test]
    fn irrational_values_decide_strict_comparisons_only() {
        let mut store = Store::new();
        let x = store.variable("x", Sort::Real);
        let root = AlgebraicNumber::new([-2, 0, 1].map(Into::into).to_vec(), 1).unwrap();
        let algebraic = BTreeMap::from([(store.as_variable(x).unwrap(), root)]);
        let square = store.mk(Op::RealMul, &[x, x]);
        let mut truth = |op, limit: BigRational| {
            let limit = store.real_const(limit);
            let term = store.mk(op, &[square, limit]);
            eval_with_intervals(&store, term, &Model::new(), &algebraic)
        };
        assert_eq!(truth(Op::Eq, integer(2)), Truth::Unsure);
        assert_eq!(truth(Op::Eq, integer(3)), Truth::False);
        assert_eq!(truth(Op::RealLe, integer(2)), Truth::Unsure);
        let hair = BigRational::new(1.into(), BigInt::one() << 900);
        assert_eq!(truth(Op::RealLt, integer(2) + &hair), Truth::True);
        assert_eq!(truth(Op::RealLt, integer(2) - &hair), Truth::False);
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(300))]

        /// With roots of (2x − n)(x² + 1), which are rational, the exact evaluator knows the truth.
        #[test]
        fn certain_answers_are_right(n in -9i64..9, m in -9i64..9, choices in prop::collection::vec((0u8..9, any::<u8>(), any::<u8>()), 1..25)) {
            let mut store = Store::new();
            let variables = [store.variable("x", Sort::Real), store.variable("y", Sort::Real)];
            let mut terms = variables.to_vec();
            let mut truths = vec![store.bool_const(true)];
            for (kind, i, j) in choices {
                let (a, b) = (terms[i as usize % terms.len()], terms[j as usize % terms.len()]);
                let p = truths[j as usize % truths.len()];
                match kind {
                    0 => terms.push(store.mk(Op::RealAdd, &[a, b])),
                    1 => terms.push(store.mk(Op::RealSub, &[a, b])),
                    2 => terms.push(store.mk(Op::RealMul, &[a, b])),
                    3 => terms.push(store.mk(Op::RealDiv, &[a, b])),
                    4 => terms.push(store.mk(Op::RealAbs, &[a])),
                    5 => truths.push(store.mk(Op::RealLt, &[a, b])),
                    6 => truths.push(store.mk(Op::RealLe, &[a, b])),
                    7 => truths.push(store.mk(Op::Eq, &[a, b])),
                    _ => terms.push(store.mk(Op::Ite, &[p, a, b])),
                }
            }
            let mut model = Model::new();
            let mut algebraic = BTreeMap::new();
            for (variable, value) in variables.iter().zip([n, m]) {
                let value = BigRational::new(value.into(), 2.into());
                let coefficients = [-(&value * integer(2)).to_integer(), 2.into(), -(&value * integer(2)).to_integer(), 2.into()];
                model.set_term(&store, *variable, Value::Real(value));
                let number = AlgebraicNumber::new(coefficients.to_vec(), 1).unwrap();
                algebraic.insert(store.as_variable(*variable).unwrap(), number);
            }
            for truth in truths {
                let found = eval_with_intervals(&store, truth, &Model::new(), &algebraic);
                match eval(&store, truth, &model) {
                    Ok(value) => prop_assert_ne!(Some(found == Truth::False), value.as_bool().filter(|_| found != Truth::Unsure)),
                    Err(_) => prop_assert_eq!(found, Truth::Unsure),
                }
            }
        }
    }
}
