//! The way to a call: inputs of a caller on which it calls another function with arguments near those on which that one was seen to
//! raise something.
//!
//! Paths of the caller are followed to the call and no further, so that the called function's own loops cost nothing. For each
//! path the float solver is asked for inputs that take it and pass these arguments, bit for bit; if it has none, for
//! arguments nearby, and at last for one argument at a time: callers compute several from one, and an exception needs few of
//! them. What it answers is run like any other candidate: only what is observed counts, and nothing is proved here.

use std::sync::Arc;
use std::time::Duration;

use labrys_float::Float;
use labrys_program::{FunctionId, ScalarType};
use labrys_solver::FloatOutcome;
use labrys_solver::elementary::check_with_calls;
use labrys_symex::{Arrival, Exploration, Feasibility, OpenSites, Options};
use labrys_term::{Op, Sort, Store, TermId};
use num_bigint::BigInt;
use num_traits::{One, Signed};
use rustc_hash::FxHashSet;

use super::caller_goal::{Argument, CallerGoal, WantedCall};
use super::exact::{Exact, ExactSteps};
use super::range_proofs;
use super::search::ExceptionSearch;
use crate::AnalysisError;
use crate::run::clock::Stop;
use crate::solving::{floats, paths};
use crate::target::unit::Unit;

/// The longest that following paths to the calls may take where the user sets no limit.
const EXPLORATION_LIMIT: Duration = Duration::from_secs(20);
/// Of the time for all of this, the hundredths for following paths.
const EXPLORING_SHARE: u32 = 40;
/// Calls to one function, each with its own arguments, that are asked about on one path.
const MOST_CALLS: usize = 24;
/// Questions to the solver in all.
const MOST_QUESTIONS: usize = 400;
/// Work of one question in the engines' units.
const WORK: u64 = 1_000;
/// Wall-clock time of one question, a backstop.
const WALL: Duration = Duration::from_millis(300);
/// Rounds of refinement of elementary functions.
const REFINEMENTS: usize = 4;

/// How near an argument has to be to the one that is wanted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Nearness {
    /// The same number.
    Same,
    /// With its sign, and within so many binades divided by 64; integers are the same.
    Close(u32),
    /// With its sign, and within so many binades; integers are anything.
    Wide(u32),
}

/// Which arguments are asked for at a time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Together {
    All,
    Each,
}

/// What is asked about all paths, one after the other.
const ROUNDS: [(Nearness, Together); 5] = [
    (Nearness::Same, Together::All),
    (Nearness::Close(1), Together::All),
    (Nearness::Wide(4), Together::All),
    (Nearness::Same, Together::Each),
    (Nearness::Close(1), Together::Each),
];

/// Looks for inputs that lead to the calls which a caller's goal wants.
pub struct DirectedSearch<'a> {
    /// How to ask, and until when.
    pub exact: &'a Exact<'a>,
    /// The caller.
    pub unit: &'a Unit,
    /// What is looked for.
    pub goal: &'a CallerGoal,
}

impl DirectedSearch<'_> {
    /// Asks about all wanted calls.
    ///
    /// # Errors
    ///
    /// Where the worker cannot be kept running.
    pub fn run(&self, search: &mut ExceptionSearch<'_>) -> Result<(ExactSteps, Option<Stop>), AnalysisError> {
        let mut steps = ExactSteps::default();
        let mut store = Store::new();
        let Some(exploration) = self.explore(&mut store, search) else { return Ok((steps, None)) };
        let constraints = floats::constraints(&self.exact.request.run, self.exact.domain, &mut store);
        let mut oracle =
            range_proofs::oracle(self.exact.domain, &mut store).with_libm_ulps(self.exact.request.libm_ulps);
        exploration.library_calls.iter().for_each(|call| oracle.learn(call));
        let mut asked: FxHashSet<(TermId, TermId)> = FxHashSet::default();
        for (nearness, together) in ROUNDS {
            for arrival in &exploration.arrivals {
                let is_open = |call: &&WantedCall| {
                    call.function == arrival.function && call.pairs.iter().any(|pair| search.judge.pairs.is_open(pair))
                };
                let calls: Vec<&WantedCall> = self.goal.calls.iter().filter(is_open).take(MOST_CALLS).collect();
                for call in calls {
                    for passed in passes(&mut store, arrival, call, nearness, together) {
                        if steps.queries >= MOST_QUESTIONS {
                            return Ok((steps, Some(Stop::Work)));
                        }
                        if let Some(stop) = self.exact.clock.stop(self.exact.progress) {
                            return Ok((steps, Some(stop)));
                        }
                        let is_new = asked.insert((arrival.path, passed));
                        if !is_new || oracle.rules_out(&mut store, arrival.path, passed) {
                            continue;
                        }
                        let mut query = constraints.clone();
                        query.extend([arrival.path, passed].into_iter().filter(|term| !is_true(&store, *term)));
                        let found = self.input(&mut store, &exploration, &query, &mut steps);
                        if let Some(stop) = search.follow(found.as_slice(), self.exact.clock)? {
                            return Ok((steps, Some(stop)));
                        }
                    }
                }
            }
        }
        Ok((steps, None))
    }

    /// The paths to the wanted calls.
    fn explore(&self, store: &mut Store, search: &ExceptionSearch<'_>) -> Option<Exploration> {
        let analysed = self.unit.analysed.as_ref().ok()?;
        let program = &analysed.program;
        let calls = &self.goal.calls;
        let open = calls.iter().filter(|call| call.pairs.iter().any(|pair| search.judge.pairs.is_open(pair)));
        let mut until: Vec<FunctionId> = open.map(|call| call.function).collect();
        until.sort_unstable();
        until.dedup();
        if until.is_empty() {
            return None;
        }
        let symbols: FxHashSet<&str> =
            until.iter().filter_map(|id| program.functions.get(id.index())).map(|of| of.name.as_str()).collect();
        let sites = search.judge.pairs.open_sites().into_iter().filter(|site| symbols.contains(site.function.as_str()));
        let request = self.exact.request;
        let time = self.exact.clock.part_left(EXPLORING_SHARE);
        let options = Options {
            init: self.unit.init.as_deref().and_then(|symbol| program.function(symbol)),
            wanted: Some(Arc::new(OpenSites::new(sites))),
            until: until.clone(),
            ..paths::options(&request.run, time.deadline(EXPLORATION_LIMIT))
        };
        let mut oracle = range_proofs::oracle(self.exact.domain, store);
        Some(paths::follow(analysed, &self.unit.signature, store, &options, &mut oracle))
    }

    /// An input that satisfies a query, if the solver finds one.
    fn input(
        &self,
        store: &mut Store,
        exploration: &Exploration,
        query: &[TermId],
        steps: &mut ExactSteps,
    ) -> Option<Vec<u8>> {
        let limits = floats::limits(WORK, WALL, self.exact.clock);
        let mut solver = floats::solver(&self.exact.request.run, floats::engines_for(store, query));
        let calls = floats::calls(exploration);
        let ulps = self.exact.request.libm_ulps;
        steps.queries += 1;
        match check_with_calls(store, query, &calls, ulps, &mut *solver, &limits, REFINEMENTS) {
            FloatOutcome::Sat(model) => {
                steps.sat += 1;
                Some(self.exact.domain.record_of(store, &model))
            }
            FloatOutcome::Unsat(_) => {
                steps.unsat += 1;
                None
            }
            FloatOutcome::Unknown(_) => {
                steps.unknown += 1;
                None
            }
        }
    }
}

fn is_true(store: &Store, term: TermId) -> bool {
    store.node(term).op == Op::BoolConst(true)
}

/// The conditions that a call passes what is wanted, or nearly: of all arguments together, or of each. An argument that is the
/// same on every input of the path asks for nothing.
fn passes(
    store: &mut Store,
    arrival: &Arrival,
    call: &WantedCall,
    nearness: Nearness,
    together: Together,
) -> Vec<TermId> {
    let mut conditions = Vec::new();
    let mut is_passed = false;
    for wanted in &call.arguments {
        let Some(term) = arrival.arguments.get(wanted.parameter).copied().flatten() else { continue };
        is_passed = true;
        if !matches!(store.node(term).op, Op::FloatConst(_) | Op::BitVecConst(_)) {
            conditions.extend(is_near(store, term, wanted, nearness));
        }
    }
    match together {
        Together::Each => conditions,
        // Any input of the path will do.
        Together::All if conditions.is_empty() && is_passed => vec![store.bool_const(true)],
        Together::All if conditions.is_empty() => Vec::new(),
        Together::All => vec![store.and(&conditions)],
    }
}

/// The condition that a term is near a number; `None` where anything is near enough.
fn is_near(store: &mut Store, term: TermId, wanted: &Argument, nearness: Nearness) -> Option<TermId> {
    let ScalarType::Float(float) = wanted.scalar else {
        let width = match store.sort(term) {
            Sort::BitVec(width) => *width,
            _ => return None,
        };
        if matches!(nearness, Nearness::Wide(_)) {
            return None;
        }
        let mask = if width >= u128::BITS { u128::MAX } else { (1 << width) - 1 };
        let value = store.bv_const(width, wanted.bits & mask);
        return Some(store.mk(Op::Eq, &[term, value]));
    };
    if store.float_format(term) != Some(float.format()) {
        return None;
    }
    let value = Float::from_bits(float.format(), wanted.bits);
    if value.is_nan() {
        return Some(store.mk(Op::FpIsNan, &[term]));
    }
    let (low, high) = match nearness {
        Nearness::Close(parts) => around(&value, BigInt::from(parts) << (value.format().precision().saturating_sub(7))),
        Nearness::Wide(binades) => around(&value, BigInt::from(binades) << (value.format().precision() - 1)),
        Nearness::Same => (value.clone(), value),
    };
    let (low, high) = (store.float_const(low), store.float_const(high));
    if low == high {
        return Some(store.mk(Op::Eq, &[term, low]));
    }
    let bounds = [store.mk(Op::FpLe, &[low, term]), store.mk(Op::FpLe, &[term, high])];
    Some(store.and(&bounds))
}

/// The least and the greatest finite number of the same sign within so many steps of a number; zeros and infinities stand alone.
fn around(value: &Float, steps: BigInt) -> (Float, Float) {
    let format = value.format();
    let Some(place) = value.ordinal().filter(|_| value.is_finite() && !value.is_zero()) else {
        return (value.clone(), value.clone());
    };
    // Beyond the greatest finite number stands an infinity.
    let greatest = Float::infinity(format, false).next_down().ordinal().unwrap_or_else(BigInt::one);
    let nearest = (place.abs() - &steps).max(BigInt::one());
    let farthest = (place.abs() + steps).min(greatest);
    match value.is_negative() {
        false => (Float::from_ordinal(format, &nearest), Float::from_ordinal(format, &farthest)),
        true => (Float::from_ordinal(format, &-farthest), Float::from_ordinal(format, &-nearest)),
    }
}

#[cfg(test)]
mod tests {
    use labrys_float::Format;

    use super::*;

    #[test]
    fn what_is_around_a_number_has_its_sign_and_is_finite() {
        let bounds = |value: f64, steps: u64| {
            let (low, high) = around(&Float::from_f64(value), BigInt::from(steps));
            [low, high].map(|bound| f64::from_bits(bound.to_u128().unwrap_or_default() as u64))
        };
        let binade = 1 << 52;
        assert_eq!(bounds(8.0, binade), [4.0, 16.0]);
        assert_eq!(bounds(-8.0, binade), [-16.0, -4.0]);
        assert_eq!(bounds(5e-324, binade), [5e-324, f64::from_bits(1 + binade)]);
        assert_eq!(bounds(-f64::MAX, 1), [-f64::MAX, (-f64::MAX).next_up()]);
        assert_eq!(bounds(f64::INFINITY, binade), [f64::INFINITY; 2]);
        assert_eq!(bounds(-0.0, 1).map(f64::to_bits), [(-0.0f64).to_bits(); 2]);
    }

    #[test]
    fn integers_are_met_exactly_or_not_at_all() {
        let mut store = Store::new();
        let n = store.variable("n", Sort::BitVec(32));
        let wanted =
            Argument { parameter: 0, scalar: ScalarType::Int { bits: 32, signed: true }, bits: (-1i128) as u128 };
        let condition = is_near(&mut store, n, &wanted, Nearness::Close(1)).unwrap();
        let all_ones = store.bv_const(32, u32::MAX);
        assert_eq!(condition, store.mk(Op::Eq, &[n, all_ones]));
        assert_eq!(is_near(&mut store, n, &wanted, Nearness::Wide(4)), None);
        let x = store.variable("x", Sort::Float(Format::BINARY64));
        assert_eq!(is_near(&mut store, x, &wanted, Nearness::Same), None);
    }

    #[test]
    fn arguments_that_a_path_fixes_ask_for_nothing() {
        let mut store = Store::new();
        let x = store.variable("x", Sort::Float(Format::BINARY64));
        let y = store.variable("y", Sort::Float(Format::BINARY64));
        let sign = store.float_const(Float::from_f64(-1.0));
        let path = store.bool_const(true);
        let scalar = ScalarType::Float(labrys_program::FloatType::F64);
        let argument = |parameter, value: f64| Argument { parameter, scalar, bits: value.to_bits().into() };
        let function = FunctionId(0);
        let call = WantedCall {
            function,
            arguments: vec![argument(0, 2.0), argument(1, 1.0), argument(2, 3.0)],
            pairs: Vec::new(),
        };
        let arrival = Arrival { function, path, arguments: vec![Some(x), Some(sign), Some(y)] };
        let mut conditions = |arrival: &Arrival, together| passes(&mut store, arrival, &call, Nearness::Same, together);
        assert_eq!(conditions(&arrival, Together::All).len(), 1);
        assert_eq!(conditions(&arrival, Together::Each).len(), 2);
        let fixed = Arrival { arguments: vec![None, Some(sign)], ..arrival.clone() };
        assert_eq!(conditions(&fixed, Together::All), [path]);
        let unknown = Arrival { arguments: vec![None, None], ..arrival };
        assert!(conditions(&unknown, Together::All).is_empty());
    }
}
