//! Proofs by induction, looked for beside the paths.

use std::sync::Arc;
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::{Duration, Instant};

use labrys_executor::{End, Options, Outcome, Proof, Watch, prove};
use labrys_program::Program;
use tracing::debug;

use crate::run::LOG;

/// How long paths are followed before: most programs are done by then.
const START: Duration = Duration::from_millis(300);

/// The stack of the thread: as deep as calls may be nested, loops in each.
const STACK: usize = 1 << 28;

/// Has `follow` follow the paths of a program, and another thread look for a proof by induction: what it comes to ends the other's work.
/// What following came to, and the proof if there is one, else why not, where more time would not help; what is violated has none.
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
        let work = move || {
            if ended.recv_timeout(START) != Err(RecvTimeoutError::Timeout) {
                return Err(None);
            }
            let found = prove(program, options);
            match &found {
                Ok(_) => watch.stop(End::Settled),
                Err(why) => debug!(target: LOG, "no proof by induction: {why}"),
            }
            let is_over = || options.deadline.is_some_and(|deadline| Instant::now() >= deadline);
            let is_ended = options.watch.as_ref().is_some_and(|watch| watch.stopped().is_some());
            found.map_err(|why| Some(why).filter(|_| !is_ended && !is_over()))
        };
        // Without a thread there is no such proof.
        let thread = std::thread::Builder::new().stack_size(STACK).spawn_scoped(scope, work);
        let outcome = follow();
        drop(following);
        own.stop(End::Settled);
        let proof = thread.ok().and_then(|thread| thread.join().ok()).unwrap_or(Err(None));
        match outcome.violations.is_empty() {
            true => (outcome, proof),
            false => (outcome, Err(None)),
        }
    })
}
