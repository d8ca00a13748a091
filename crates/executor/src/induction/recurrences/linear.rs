//! Floats as linear functions of a loop's variables, and what else there is in them.
//!
//! A guess: coefficients and bounds are computed in doubles, and roundings of the program are not looked at.

use labrys_bounds::Interval;
use labrys_solver::domain::Facts;
use labrys_term::{Op, Sort, Store, TermId};
use rustc_hash::FxHashMap;

use crate::constants::{double, ends};

/// Variables in one, at most.
const MOST_PARTS: usize = 16;

/// What is weighed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Part {
    /// A variable, by its number.
    Variable(usize),
    /// A float that is none and has bounds, mostly what is read.
    Input(TermId),
}

/// So many times each of some parts, and a number.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Linear {
    /// Ascending, none of them zero.
    pub parts: Vec<(Part, f64)>,
    pub rest: Interval,
}

/// Floats as linear functions.
#[derive(Debug)]
pub(super) struct Linears {
    /// In the order in which they were asked for; `None` of those that are not linear and have no known bounds.
    pub all: Vec<Option<Linear>>,
    /// Bounds of inputs.
    pub ranges: FxHashMap<TermId, Interval>,
}

impl Linear {
    fn of_rest(rest: Interval) -> Linear {
        Linear { parts: Vec::new(), rest }
    }

    fn number(&self) -> Option<f64> {
        (self.parts.is_empty() && self.rest.is_point()).then(|| self.rest.low())
    }

    fn times(&self, factor: f64) -> Linear {
        let parts = self.parts.iter().map(|(of, times)| (*of, times * factor)).filter(|(_, times)| *times != 0.0);
        Linear { parts: parts.collect(), rest: self.rest.scaled(factor) }
    }

    fn plus(&self, other: &Linear) -> Linear {
        let mut parts = self.parts.clone();
        for (of, times) in &other.parts {
            match parts.binary_search_by_key(of, |(of, _)| *of) {
                Ok(place) => parts[place].1 += times,
                Err(place) => parts.insert(place, (*of, *times)),
            }
        }
        parts.retain(|(_, times)| *times != 0.0);
        Linear { parts, rest: self.rest + other.rest }
    }

    /// Between what it is, if it has no variables.
    pub(super) fn range(&self, ranges: &FxHashMap<TermId, Interval>) -> Option<Interval> {
        self.parts.iter().try_fold(self.rest, |sum, (part, times)| match part {
            Part::Variable(_) => None,
            Part::Input(input) => Some(sum + ranges.get(input)?.scaled(*times)),
        })
    }

    /// What either may be: none where they have not the same variables as often.
    fn or(&self, other: &Linear) -> Option<Linear> {
        (self.parts == other.parts).then(|| Linear { parts: self.parts.clone(), rest: self.rest.hull(other.rest) })
    }
}

/// Floats in which variables, by their terms, have these numbers.
pub(super) fn linear(store: &Store, facts: &Facts, variables: &FxHashMap<TermId, usize>, roots: &[TermId]) -> Linears {
    let mut known: FxHashMap<TermId, Linear> = FxHashMap::default();
    let mut ranges = FxHashMap::default();
    for term in store.reachable(roots) {
        if !matches!(store.sort(term), Sort::Float(_)) {
            continue;
        }
        let of_part = |part| Linear { parts: vec![(part, 1.0)], rest: Interval::ZERO };
        let of = match variables.get(&term) {
            Some(&of) => Some(of_part(Part::Variable(of))),
            None => combined(store, (&known, &ranges), term),
        };
        let of = of.filter(|of| {
            of.parts.len() <= MOST_PARTS && of.rest.is_bounded() && of.parts.iter().all(|(_, times)| times.is_finite())
        });
        let of = of.or_else(|| {
            ranges.insert(term, bounded(facts, term)?);
            Some(of_part(Part::Input(term)))
        });
        known.extend(of.map(|of| (term, of)));
    }
    Linears { all: roots.iter().map(|root| known.get(root).cloned()).collect(), ranges }
}

/// Between what a float is, where it is a number.
pub(super) fn bounded(facts: &Facts, term: TermId) -> Option<Interval> {
    let [low, high] = ends(facts.float(term)?)?;
    Some(Interval::new(low, high))
}

fn combined(
    store: &Store,
    (known, ranges): (&FxHashMap<TermId, Linear>, &FxHashMap<TermId, Interval>),
    term: TermId,
) -> Option<Linear> {
    let node = store.node(term);
    let of = |place: usize| known.get(node.args.get(place)?);
    let bounds = |place: usize| of(place)?.range(ranges);
    let product = |a: &Linear, b: &Linear| match (a.number(), b.number()) {
        (Some(factor), _) => Some(b.times(factor)),
        (_, Some(factor)) => Some(a.times(factor)),
        _ => Some(Linear::of_rest(a.range(ranges)? * b.range(ranges)?)),
    };
    match &node.op {
        Op::FloatConst(value) => double(value).map(|value| Linear::of_rest(Interval::point(value))),
        Op::FpNeg => of(0).map(|of| of.times(-1.0)),
        Op::FpAdd => Some(of(1)?.plus(of(2)?)),
        Op::FpSub => Some(of(1)?.plus(&of(2)?.times(-1.0))),
        Op::FpMul => product(of(1)?, of(2)?),
        Op::FpFma => Some(product(of(1)?, of(2)?)?.plus(of(3)?)),
        Op::FpDiv => {
            let divisor = bounds(2).filter(|divisor| !divisor.contains(0.0))?;
            product(of(1)?, &Linear::of_rest(Interval::ONE.quotient(divisor)))
                .or_else(|| Some(of(1)?.times(1.0 / of(2)?.number()?)))
        }
        Op::FpFromFloat(_) => of(1).cloned(),
        Op::FpAbs => Some(Linear::of_rest(bounds(0)?.abs())),
        Op::FpSqrt => Some(Linear::of_rest(bounds(1)?.sqrt())),
        Op::FpMin => Some(Linear::of_rest(bounds(0)?.min(bounds(1)?))),
        Op::FpMax => Some(Linear::of_rest(bounds(0)?.max(bounds(1)?))),
        Op::Ite => of(1)?.or(of(2)?),
        _ => None,
    }
}
