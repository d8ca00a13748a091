//! What other threads do while paths are followed: one looks for a proof by induction, and where there is none for something that goes wrong, and one
//! executes the program on made inputs now and then.

use std::sync::Arc;
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::{Duration, Instant};

use labrys_executor::{End, Options, Outcome, Proof, Violation, Watch, glance, hunt, prove, sample};
use labrys_program::Program;
use tracing::debug;

use crate::run::LOG;

/// How long paths are followed before: most programs are done by then.
const START: Duration = Duration::from_millis(300);

/// The stack of the thread: as deep as calls may be nested, loops in each.
const STACK: usize = 1 << 28;

/// What the other thread came to.
struct Beside {
    /// The proof; else why there is none, where more time would not help.
    proof: Result<Proof, Option<Arc<str>>>,
    /// What was found where there is no proof.
    hunted: Hunted,
}

/// What became of paths that were followed to find what goes wrong.
#[derive(Default)]
struct Hunted {
    violations: Vec<Violation>,
    /// Where all were followed, and nothing goes wrong.
    all: Option<Proof>,
}

/// Has `follow` follow the paths of a program, and another thread look for a proof by induction, then for what goes wrong: what decides the program ends the
/// other's work. What was found, and the proof if there is one, else why not, where more time would not help; what is violated has none.
pub(super) fn beside(
    program: &Program,
    options: &Options,
    watch: &Watch,
    follow: impl FnOnce() -> Outcome,
) -> (Outcome, Result<Proof, Option<Arc<str>>>) {
    let own = watch.below();
    // The paths, which find what goes wrong, are not to end for want of memory that this takes.
    let memory_mib = options.memory_mib / 2;
    let options = &Options { watch: Some(own.clone()), answers: None, memory_mib, ..options.clone() };
    std::thread::scope(|scope| {
        let (following, ended) = channel::<()>();
        let work = move || match ended.recv_timeout(START) {
            Err(RecvTimeoutError::Timeout) => work(program, options, watch),
            _ => Beside { proof: Err(None), hunted: Hunted::default() },
        };
        // Without a thread there is nothing of it.
        let thread = std::thread::Builder::new().stack_size(STACK).spawn_scoped(scope, work);
        let mut outcome = follow();
        drop(following);
        own.stop(End::Settled);
        let beside = thread.ok().and_then(|thread| thread.join().ok());
        let Some(Beside { proof, hunted }) = beside else { return (outcome, Err(None)) };
        match hunted.all {
            Some(Proof { paths, exclusions, assumptions, instructions, .. })
                if !is_complete(&outcome) && outcome.violations.is_empty() =>
            {
                outcome = Outcome { paths, exclusions, assumptions, instructions, ..Outcome::default() };
            }
            _ => add_violations(&mut outcome, hunted.violations),
        }
        match outcome.violations.is_empty() {
            true => (outcome, proof),
            false => (outcome, Err(None)),
        }
    })
}

fn work(program: &Program, options: &Options, watch: &Watch) -> Beside {
    let is_over = || {
        let is_late = options.deadline.is_some_and(|deadline| Instant::now() >= deadline);
        is_late || options.watch.as_ref().is_some_and(|watch| watch.stopped().is_some())
    };
    if let Some(outcome) = glance(program, options) {
        return Beside { proof: Err(None), hunted: Hunted::of(outcome, watch) };
    }
    std::thread::scope(|scope| {
        // Without a thread there is nothing of it.
        let sampling = || sample(program, options).map(|outcome| Hunted::of(outcome, watch).violations);
        let sampling = std::thread::Builder::new().stack_size(STACK).spawn_scoped(scope, sampling);
        let mut beside = prove_or_hunt(program, options, watch, is_over);
        let sampled = sampling.ok().and_then(|thread| thread.join().ok().flatten());
        beside.hunted.violations.extend(sampled.into_iter().flatten());
        beside
    })
}

/// Looks for a proof by induction, and where there is none for what goes wrong.
fn prove_or_hunt(program: &Program, options: &Options, watch: &Watch, is_over: impl Fn() -> bool) -> Beside {
    let now = Instant::now();
    let half = options.deadline.map(|deadline| now + deadline.saturating_duration_since(now) / 2);
    let proof = prove(program, &Options { deadline: half, ..options.clone() });
    let why = match proof {
        Ok(proof) => {
            watch.stop(End::Settled);
            return Beside { proof: Ok(proof), hunted: Hunted::default() };
        }
        Err(why) => why,
    };
    debug!(target: LOG, "no proof by induction: {}", why.why);
    let had_time = !is_over() && half.is_none_or(|half| Instant::now() < half);
    let hunted = if is_over() { Hunted::default() } else { Hunted::of(hunt(program, options), watch) };
    // That one round does not prove what short loops do is nothing to be told.
    let told = had_time && why.is_of_loops;
    Beside { proof: Err(told.then_some(why.why)), hunted }
}

impl Hunted {
    /// What is kept of an outcome, told to who looks on.
    fn of(outcome: Outcome, watch: &Watch) -> Hunted {
        debug!(target: LOG, "beside the paths: {} errors, {:?}", outcome.violations.len(), outcome.paths);
        let is_complete = is_complete(&outcome);
        let Outcome { violations, paths, exclusions, assumptions, instructions, .. } = outcome;
        match violations.first() {
            Some(violation) => watch.tell_violation(violation),
            None if is_complete => watch.stop(End::Settled),
            None => {}
        }
        let all = is_complete.then(|| Proof { loops: Vec::new(), paths, exclusions, assumptions, instructions });
        Hunted { violations, all }
    }
}

/// Whether every path was followed to its end, and nothing was left open.
fn is_complete(outcome: &Outcome) -> bool {
    let paths = outcome.paths;
    outcome.unexplored.is_empty() && outcome.violations.is_empty() && paths.waiting + paths.given_up == 0
}

/// Adds what goes wrong elsewhere.
fn add_violations(outcome: &mut Outcome, violations: Vec<Violation>) {
    for violation in violations {
        if !outcome.violations.iter().any(|of| of.key() == violation.key()) {
            outcome.paths.violated += 1;
            outcome.violations.push(violation);
        }
    }
}
