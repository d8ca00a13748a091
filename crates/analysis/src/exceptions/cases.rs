//! What is to be asked about each open pair: its executions on the explored paths, without those that intervals alone rule
//! out.
//!
//! **Claim.** An execution is left out only where no input of the search domain takes its path and raises the exception there:
//! the operation cannot raise it, or narrowing sets of floats by the path's condition and then by the exact condition of the
//! exception leaves nothing ([`labrys_symex::Intervals`]). libm is taken to be within the request's ulps of the correctly rounded values.
//!
//! A path's sets are computed once for all that is executed on it. That takes microseconds where a solver takes
//! milliseconds, and it is what most executions of most pairs need.

use labrys_elementary::Sense;
use labrys_float::Flags;
use labrys_interp::{MemoryFaultKind, Stop as PathStop};
use labrys_ranges::assumptions;
use labrys_symex::{Budget, Exploration, Feasibility, SiteExecution, StopReason, float_condition_near};
use labrys_term::{Op, Store, TermId};
use rustc_hash::{FxHashMap, FxHashSet};

use super::evidence::Evidence;
use super::pairs::{PairKey, Pairs, Proof, Scope};
use super::reason::Reason;
use super::request::Request;
use crate::inputs::domain::Domain;
use crate::run::clock::Clock;
use crate::solving::paths;

/// A pair with more executions than this left is not proved.
const MOST_QUESTIONS: usize = 64;
/// Executions that are looked for an input in where not all are there anyway.
const MOST_SAMPLES: usize = 6;
/// Terms of one condition that the intervals look at.
const TERMS: usize = 400;
/// How deep they look into them.
const DEPTH: u32 = 40;
/// Executions between two looks at the clock.
const SLICE: usize = 16;

/// How far the exploration's paths cover all executions of a site.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Coverage {
    /// No path was left that might still have reached it.
    Everything,
    /// Only some that leave a loop's bound.
    WithinBound,
    /// Paths were left for this reason.
    Partly(Reason),
}

/// One execution of a pair's site that may raise the pair's exception.
#[derive(Clone, Debug)]
pub struct Question {
    /// Its index in the exploration.
    pub execution: usize,
    /// When its path is taken.
    pub path: TermId,
    /// When the operation raises the exception, once it is reached.
    pub raised: TermId,
    /// How late its operands' terms were made: those of short paths come early.
    pub age: usize,
}

/// An open pair.
#[derive(Clone, Debug)]
pub struct Case {
    /// The pair.
    pub pair: PairKey,
    /// How far its executions are all executions.
    pub coverage: Coverage,
    /// Whether that takes paths that leave an object's bounds to end there.
    pub ends_out_of_bounds: bool,
    /// Whether paths on which an allocation fails are missing.
    pub allocates: bool,
    /// Executions that nothing is known of yet, the shortest paths first.
    pub questions: Vec<Question>,
    /// Why some execution cannot be asked about, if so: the pair cannot be proved.
    pub obstacle: Option<Reason>,
}

impl Case {
    /// Whether the answers to its questions can make a proof.
    pub fn is_provable(&self) -> bool {
        self.obstacle.is_none() && !matches!(self.coverage, Coverage::Partly(_))
    }

    /// Proves the pair if no question is left of it, all of them answered with no by `engine` or those before it.
    pub fn settle(&self, pairs: &mut Pairs, engine: &'static str, request: &Request, has_calls: bool) {
        if !self.questions.is_empty() {
            return;
        }
        let loop_bound = match (&self.obstacle, &self.coverage) {
            (Some(why), _) => return pairs.leave(&self.pair, why.clone()),
            (None, Coverage::Partly(why)) => {
                return pairs.leave(&self.pair, why.clone().after("not every path was followed: "));
            }
            (None, Coverage::Everything) => None,
            (None, Coverage::WithinBound) => Some(request.run.loop_bound),
        };
        let ulps = request.libm_ulps;
        let libm = has_calls.then(|| format!("libm's functions are within {ulps} ulps of the correctly rounded value"));
        let mut rests_on = paths::assumptions(request.build.init.is_some(), libm, self.allocates);
        if self.ends_out_of_bounds {
            rests_on.push(assumptions::IN_BOUNDS.to_owned());
        }
        pairs.prove(&self.pair, Proof { engine, scope: Scope::Ir, assumptions: rests_on, loop_bound });
    }
}

/// The open pairs, those first that few answers would decide.
#[derive(Debug, Default)]
pub struct Cases {
    /// The pairs.
    pub cases: Vec<Case>,
    /// Executions that intervals ruled out.
    pub ruled_out: usize,
    /// Executions there were.
    pub executions: usize,
    /// What was refuted of them.
    pub evidence: Evidence,
}

impl Cases {
    /// Proves what has no questions left, and says of what cannot be proved why.
    pub fn settle(&mut self, pairs: &mut Pairs, request: &Request, has_calls: bool) {
        for case in &self.cases {
            case.settle(pairs, "intervals", request, has_calls);
            if let Coverage::Partly(why) = &case.coverage {
                pairs.leave_unexplained(&case.pair, why.clone().after("not every path was followed: "));
            }
        }
        self.cases.retain(|case| !case.questions.is_empty());
    }
}

/// Collects the open pairs' executions and rules out what intervals can. What the clock leaves no time for stays a question.
pub fn collect(
    request: &Request,
    domain: &Domain,
    store: &mut Store,
    exploration: &Exploration,
    pairs: &Pairs,
    clock: &Clock,
) -> Cases {
    let mut oracle = paths::oracle(domain, store).with_libm_ulps(request.libm_ulps).looking_into(DEPTH, TERMS);
    exploration.library_calls.iter().for_each(|call| oracle.learn(call));
    let mut of_site: FxHashMap<_, Vec<usize>> = FxHashMap::default();
    for (index, execution) in exploration.executions.iter().enumerate() {
        if let Some(key) = pairs.key_of(&execution.site) {
            of_site.entry(key).or_default().push(index);
        }
    }
    let mut found = Cases::default();
    let mut is_late = false;
    for pair in pairs.open() {
        let executions = of_site.get(&pair.0).map_or(&[][..], Vec::as_slice);
        let (coverage, ends_out_of_bounds) = coverage(exploration, pairs, &pair);
        let allocates = exploration.allocates;
        let mut case = Case { pair, coverage, ends_out_of_bounds, allocates, questions: Vec::new(), obstacle: None };
        let most = if case.is_provable() { MOST_QUESTIONS } else { MOST_SAMPLES };
        let mut asked = FxHashSet::default();
        for &index in executions {
            let execution = &exploration.executions[index];
            if !execution.site.operator.possible().contains(case.pair.1) {
                continue;
            }
            if case.questions.len() >= most {
                if case.is_provable() {
                    case.obstacle = Some(format!("more than {most} executions may raise it").into());
                }
                break;
            }
            found.executions += 1;
            let (path, raised) = match question(request, store, execution, case.pair.1) {
                Ok(Some(question)) => question,
                Ok(None) => {
                    found.ruled_out += 1;
                    continue;
                }
                Err(why) => {
                    case.obstacle = Some(why.into());
                    continue;
                }
            };
            is_late = is_late || (found.executions.is_multiple_of(SLICE) && clock.is_over());
            let is_new = asked.insert((path, raised));
            if !is_new || (!is_late && oracle.rules_out(store, path, raised)) {
                found.ruled_out += 1;
                if is_new {
                    found.evidence.add_ruled_out(&case.pair, [path, raised]);
                }
                continue;
            }
            let age = execution.operands.iter().map(|operand| operand.index()).max().unwrap_or_default();
            case.questions.push(Question { execution: index, path, raised, age });
        }
        case.questions.sort_by_key(|question| question.age);
        found.cases.push(case);
    }
    // Stable: equals stay in the order of the pairs.
    found.cases.sort_by_key(|case| (!case.is_provable(), case.questions.len(), oldest(case)));
    found
}

/// The age of a case's last question.
fn oldest(case: &Case) -> usize {
    case.questions.last().map_or(0, |question| question.age)
}

/// An execution's path and the condition of an exception on it; `None` where the operation never raises it.
fn question(
    request: &Request,
    store: &mut Store,
    execution: &SiteExecution,
    exception: Flags,
) -> Result<Option<(TermId, TermId)>, String> {
    if execution.reached_by_poison {
        return Err("poison or undefined values may reach it".to_owned());
    }
    let truth = store.bool_const(true);
    let alone = SiteExecution { path: truth, ..execution.clone() };
    match float_condition_near(store, &alone, exception, request.libm_ulps, Sense::May) {
        None => Ok(None),
        Some(Err(error)) => Err(error.to_string()),
        Some(Ok(raised)) if store.node(raised).op == Op::BoolConst(false) => Ok(None),
        Some(Ok(raised)) => Ok(Some((execution.path, raised))),
    }
}

/// How far the exploration covers the executions of a pair's sites, and whether that takes paths that leave an object's bounds to
/// end there.
///
/// A path through the null pointer ends on the machine as well.
fn coverage(exploration: &Exploration, pairs: &Pairs, pair: &PairKey) -> (Coverage, bool) {
    let (mut coverage, mut ends_out_of_bounds) = (Coverage::Everything, false);
    for site in pairs.sites_of(&pair.0) {
        for why in exploration.cuts_before(site) {
            match why {
                StopReason::Stopped(PathStop::LoopBound) => coverage = Coverage::WithinBound,
                StopReason::Stopped(PathStop::Memory(fault)) if fault.kind == MemoryFaultKind::OutOfBounds => {
                    ends_out_of_bounds = true;
                }
                StopReason::Stopped(PathStop::Memory(fault)) if fault.kind == MemoryFaultKind::Null => {}
                StopReason::Budget(Budget::Deadline) => {
                    return (Coverage::Partly(Reason::time(why.to_string())), false);
                }
                why => return (Coverage::Partly(why.to_string().into()), false),
            }
        }
    }
    (coverage, ends_out_of_bounds)
}
