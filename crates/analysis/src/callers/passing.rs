//! Whether a caller passes another function certain arguments, or some near them.
//!
//! Paths of the caller are followed to the calls and no further, so that the called function's own loops cost nothing. Of each path the solver
//! over the floats is asked for inputs that take it and pass such arguments.
//!
//! **Claim.** [`Passed::never`]: no input of the caller's search domain leads to a call with arguments in [`REGION`]. Each path ended by returning,
//! where no call of the function lies ahead, by the call, or where a null pointer is followed or an object's bounds are left; and for each
//! path to the call the solver refuted the path together with the region. What a parameter is that has no term (a pointer, several numbers in one) does
//! not narrow the region.

use std::sync::Arc;
use std::time::Duration;

use labrys_interp::{MemoryFaultKind, Stop as PathStop};
use labrys_program::{FunctionId, Signature};
use labrys_ranges::assumptions::IN_BOUNDS;
use labrys_report::{Opinion, Verdict};
use labrys_solver::FloatOutcome;
use labrys_solver::elementary::{CallTerm, Decided, decide_with_calls};
use labrys_symex::{Arrival, Exploration, Feasibility, Intervals, OpenSites, Options, StopReason, static_sites};
use labrys_term::{Store, TermId};

use super::arguments::{Argument, Nearness, Together, is_near, passes};
use crate::inputs::domain::Domain;
use crate::run::clock::Clock;
use crate::run::options::RunOptions;
use crate::run::progress::Progress;
use crate::solving::second_opinion::{Answer, Budget, Claim, Refutation, SecondOpinion, means_of};
use crate::solving::{floats, paths};
use crate::target::analysed::Analysed;

/// What a proof is about.
pub const REGION: &str = "ir: calls whose numbers have the signs of those with which it was found and are from a sixteenth to sixteen times as large; zeros, \
                          infinities and NaNs as they were, integers and what lies in memory any";

/// The longest that following paths to the calls may take where the user sets no limit.
const EXPLORATION_LIMIT: Duration = Duration::from_secs(20);
/// Of the time for a question, the hundredths for following paths.
const EXPLORING_SHARE: u32 = 40;
/// The binades of [`REGION`] on each side.
const BINADES: u32 = 4;
/// What is asked about all paths, one after the other, until there are inputs enough.
const ROUNDS: [(Nearness, Together); 4] = [
    (Nearness::Same, Together::All),
    (Nearness::Close(1), Together::All),
    (Nearness::Same, Together::Each),
    (Nearness::Close(1), Together::Each),
];
/// Inputs of one question that are run.
const MOST_INPUTS: usize = 8;
/// Questions to the solver in all, for one call.
const MOST_QUESTIONS: usize = 200;
/// Work of one question in the engines' units.
const WORK: u64 = 1_000;
/// Wall-clock time of one question, a backstop.
const WALL: Duration = Duration::from_millis(500);
/// Rounds of refinement of elementary functions.
const REFINEMENTS: usize = 4;
/// How far libm's functions may be from the correctly rounded value, in floats.
const LIBM_ULPS: u32 = 4;
/// Work that asking others about a proof may take in any case, in seconds.
const LEAST_SECONDS: f64 = 0.2;

/// A caller.
pub struct Caller<'a> {
    /// What every analysis is told.
    pub run: &'a RunOptions,
    /// Its code.
    pub analysed: &'a Analysed,
    /// How it is called.
    pub signature: &'a Signature,
    /// A function that runs first.
    pub init: Option<&'a str>,
    /// Its inputs.
    pub domain: &'a Domain,
    /// Until when to ask.
    pub clock: &'a Clock,
    /// Who may interrupt.
    pub progress: &'a dyn Progress,
}

/// What is known of such calls.
pub struct Passed {
    /// Inputs of the caller that lead to them, by its IR.
    pub inputs: Vec<Vec<u8>>,
    /// The proof that there is none, if there is one.
    pub never: Option<Verdict>,
    /// Why neither is known, if so.
    pub why: String,
}

/// What was asked so far.
struct Asking<'q> {
    store: Store,
    oracle: Intervals,
    constraints: Vec<TermId>,
    calls: Vec<CallTerm>,
    exploration: &'q Exploration,
    refutations: Vec<Refutation>,
    questions: usize,
}

impl Caller<'_> {
    /// Asks for calls of `function` with these arguments.
    pub fn passing(&self, function: FunctionId, wanted: &[Argument]) -> Passed {
        let mut store = Store::new();
        let exploration = self.explore(&mut store, function);
        let mut oracle = paths::oracle(self.domain, &mut store).with_libm_ulps(LIBM_ULPS);
        exploration.library_calls.iter().for_each(|call| oracle.learn(call));
        let constraints = floats::constraints(self.run, self.domain, &mut store);
        let calls = floats::calls(&exploration);
        let mut asking = Asking {
            store,
            oracle,
            constraints,
            calls,
            exploration: &exploration,
            refutations: Vec::new(),
            questions: 0,
        };
        let (mut inputs, mut open) = (Vec::new(), 0);
        for arrival in &exploration.arrivals {
            match self.in_region(&mut asking, arrival, wanted) {
                FloatOutcome::Sat(model) => inputs.push(self.domain.record_of(&mut asking.store, &model)),
                FloatOutcome::Unsat(_) => {}
                FloatOutcome::Unknown(_) => open += 1,
            }
        }
        let left_out = left_out(&exploration);
        if inputs.is_empty() && open == 0 && left_out.is_none() {
            return self.never(&mut asking);
        }
        let nearer = self.nearer(&mut asking, wanted);
        inputs.splice(0..0, nearer);
        inputs.dedup();
        inputs.retain(|record| self.domain.space.admits(record));
        inputs.truncate(MOST_INPUTS);
        let why = match left_out {
            Some(why) => format!("not every path to the call was followed: {why}"),
            None => format!("the float solver left {open} of {} paths to the call open", exploration.arrivals.len()),
        };
        Passed { inputs, never: None, why }
    }

    /// The paths to the calls.
    fn explore(&self, store: &mut Store, function: FunctionId) -> Exploration {
        let program = &self.analysed.program;
        let own = program.functions.get(function.index()).map(|of| of.name.as_str()).unwrap_or_default();
        let sites: Vec<_> = static_sites(program, function).into_iter().filter(|site| site.function == own).collect();
        let time = self.clock.part_left(EXPLORING_SHARE);
        let options = Options {
            init: self.init.and_then(|symbol| program.function(symbol)),
            // A path that leads to no site of the function leads to no call of it.
            wanted: (!sites.is_empty()).then(|| Arc::new(OpenSites::new(sites)) as Arc<_>),
            until: vec![function],
            ..paths::options(self.run, time.deadline(EXPLORATION_LIMIT))
        };
        let mut oracle = paths::oracle(self.domain, store);
        paths::follow(self.analysed, self.signature, store, &options, &mut oracle)
    }

    /// Whether inputs take a path to a call with arguments in the region.
    fn in_region(&self, asking: &mut Asking<'_>, arrival: &Arrival, wanted: &[Argument]) -> FloatOutcome {
        let mut near = Vec::new();
        for argument in wanted {
            let term = arrival.arguments.get(argument.parameter).copied().flatten();
            near.extend(term.and_then(|term| is_near(&mut asking.store, term, argument, Nearness::Wide(BINADES))));
        }
        let near = asking.store.and(&near);
        self.ask(asking, arrival.path, near)
    }

    /// Inputs that pass the same arguments, or some very near them, or one of them.
    fn nearer(&self, asking: &mut Asking<'_>, wanted: &[Argument]) -> Vec<Vec<u8>> {
        let mut found: Vec<Vec<u8>> = Vec::new();
        for (nearness, together) in ROUNDS {
            for arrival in &asking.exploration.arrivals {
                for passed in passes(&mut asking.store, arrival, wanted, nearness, together) {
                    let is_over = self.clock.stop(self.progress).is_some();
                    if found.len() >= MOST_INPUTS || asking.questions >= MOST_QUESTIONS || is_over {
                        return found;
                    }
                    if asking.oracle.rules_out(&mut asking.store, arrival.path, passed) {
                        continue;
                    }
                    if let FloatOutcome::Sat(model) = self.ask(asking, arrival.path, passed) {
                        let record = self.domain.record_of(&mut asking.store, &model);
                        found.extend((!found.contains(&record)).then_some(record));
                    }
                }
            }
        }
        found
    }

    fn ask(&self, asking: &mut Asking<'_>, path: TermId, passed: TermId) -> FloatOutcome {
        let Asking { store, constraints, calls, questions, refutations, .. } = asking;
        let truth = store.bool_const(true);
        let mut query = constraints.clone();
        query.extend([path, passed].into_iter().filter(|term| *term != truth));
        let limits = floats::limits(WORK, WALL, self.clock);
        let mut solver = floats::solver(self.run, floats::engines_for(store, &query));
        *questions += 1;
        let Decided { outcome, lemmas } =
            decide_with_calls(store, &query, calls, LIBM_ULPS, &mut *solver, &limits, REFINEMENTS);
        if matches!(outcome, FloatOutcome::Unsat(_)) {
            refutations.push(Refutation { terms: query, lemmas: Some(lemmas), means: means_of(&*solver) });
        }
        outcome
    }

    /// The proof that no such call is made, if nobody contradicts it.
    fn never(&self, asking: &mut Asking<'_>) -> Passed {
        let Asking { store, calls, exploration, refutations, questions, .. } = asking;
        let budget = Budget::tenth(*questions as u64, LEAST_SECONDS, self.clock);
        let interrupted = || self.progress.interrupted();
        let choice = &self.run.second_opinion;
        let asking = SecondOpinion::new(choice, self.run.seed, budget, (calls, LIBM_ULPS), &interrupted);
        let claims = match refutations.is_empty() {
            true => Vec::new(),
            false => vec![Claim { refutations: std::mem::take(refutations), missing: None }],
        };
        let opinion = match asking.ask(store, &claims).answers.pop() {
            Some(Answer::Opinion(opinion)) => opinion,
            None => Opinion::alone("no path leads to the call, and there is no query to ask again"),
            Some(Answer::Contradicted(dissent)) => {
                let why = format!("the proof that no such call is made was contradicted by {}", dissent.by);
                return Passed { inputs: Vec::new(), never: None, why };
            }
        };
        let libm = (!calls.is_empty())
            .then(|| format!("libm's functions are within {LIBM_ULPS} ulps of the correctly rounded value"));
        let mut assumptions = paths::assumptions(self.init.is_some(), libm, exploration.allocates);
        assumptions.extend(exploration.paths.iter().any(|path| leaves_bounds(&path.why)).then(|| IN_BOUNDS.to_owned()));
        let (engine, scope) = ("portfolio".to_owned(), REGION.to_owned());
        let never = Some(Verdict::Unreachable { engine, scope, assumptions, opinion: Some(opinion) });
        Passed { inputs: Vec::new(), never, why: String::new() }
    }
}

/// Why calls may be missing; `None` where none is.
fn left_out(exploration: &Exploration) -> Option<String> {
    let is_followed = |why: &StopReason| match why {
        StopReason::Returned | StopReason::NothingOpen | StopReason::Arrived => true,
        StopReason::Stopped(PathStop::Memory(fault)) if fault.kind == MemoryFaultKind::Null => true,
        other => leaves_bounds(other),
    };
    exploration.paths.iter().map(|path| &path.why).find(|why| !is_followed(why)).map(ToString::to_string)
}

fn leaves_bounds(why: &StopReason) -> bool {
    matches!(why, StopReason::Stopped(PathStop::Memory(fault)) if fault.kind == MemoryFaultKind::OutOfBounds)
}

#[cfg(test)]
mod tests {
    use labrys_program::{FloatType, LengthOptions, Program, ScalarType, map_parameters, parse_signature};

    use super::*;
    use crate::run::progress::Silent;
    use crate::solving::second_opinion::OpinionChoice;

    const LIBRARY: &str = "
        define internal double @f(double %x) { %r = fmul double %x, %x ret double %r }
        define double @some(double %x) {
          %low = fcmp ogt double %x, 2.5e-1
          %high = fcmp olt double %x, 2.0e0
          %both = and i1 %low, %high
          br i1 %both, label %in, label %out
        in:
          %y = fadd double %x, 1.0e0
          %r = call double @f(double %y)
          ret double %r
        out:
          ret double 0.0
        }
        define double @one(double %x) { %r = call double @f(double 3.0e0) ret double %r }
        define double @none(double %x) { ret double %x }
        define double @looped(double %x) {
        entry:
          br label %loop
        loop:
          %s = phi double [ %x, %entry ], [ %t, %loop ]
          %t = fmul double %s, 5.0e-1
          %more = fcmp ogt double %t, 1.0e0
          br i1 %more, label %loop, label %end
        end:
          %small = call double @llvm.minnum.f64(double %t, double 5.0e-1)
          %r = call double @f(double %small)
          ret double %r
        }
        declare double @llvm.minnum.f64(double, double)";

    fn run() -> RunOptions {
        RunOptions {
            max_work: 100,
            loop_bound: 4,
            max_paths: 64,
            second_opinion: OpinionChoice::parse("prune").unwrap(),
            ..RunOptions::default()
        }
    }

    /// What `caller` passes to `f` near `x`.
    fn passed(caller: &str, x: f64) -> Passed {
        let program = Arc::new(Program::from_bytes(LIBRARY.as_bytes(), "library.ll").unwrap());
        let function = program.function(caller).unwrap();
        let signature = parse_signature(&format!("double {caller}(double x)"), &LengthOptions::default()).unwrap();
        let binding = map_parameters(&signature, &program, function).unwrap();
        let callee = program.function("f").unwrap();
        let analysed = Analysed { program, function, binding };
        let run = run();
        let domain = Domain::new(&run.domain(), &signature).unwrap();
        let clock = Clock::start(None);
        let caller = Caller {
            run: &run,
            analysed: &analysed,
            signature: &signature,
            init: None,
            domain: &domain,
            clock: &clock,
            progress: &Silent,
        };
        let scalar = ScalarType::Float(FloatType::F64);
        caller.passing(callee, &[Argument { parameter: 0, scalar, bits: x.to_bits().into() }])
    }

    fn inputs(passed: &Passed) -> Vec<f64> {
        let double = |record: &Vec<u8>| f64::from_le_bytes(record[..8].try_into().unwrap());
        passed.inputs.iter().map(double).collect()
    }

    #[test]
    fn a_caller_s_checks_count() {
        // It passes 1.25 to 3, at most 16 times as much is 48.
        let far = passed("some", 1e8);
        assert!(far.inputs.is_empty());
        let Some(Verdict::Unreachable { opinion, assumptions, .. }) = far.never else { panic!("{}", far.why) };
        assert!(opinion.is_some() && !assumptions.is_empty());
        for x in [-2.0, 0.0, f64::INFINITY, f64::NAN, 50.0, 0.07] {
            assert!(passed("some", x).never.is_some(), "{x}");
        }
        let same = passed("some", 2.5);
        assert!(same.never.is_none());
        // Rounded, the sum is what is asked for.
        assert_eq!(inputs(&same)[0] + 1.0, 2.5);
        // The numbers are others, but near enough for the proof not to hold.
        assert!(passed("some", 0.1).never.is_none());
    }

    #[test]
    fn literals_are_passed_like_others() {
        assert!(passed("one", 3.0).never.is_none() && !passed("one", 3.0).inputs.is_empty());
        assert!(passed("one", 100.0).never.is_some());
        assert!(passed("none", 3.0).never.is_some());
    }

    #[test]
    fn what_was_not_followed_proves_nothing() {
        let of = passed("looped", 1e300);
        assert!(of.never.is_none());
        assert!(of.why.contains("not every path"), "{}", of.why);
    }
}
