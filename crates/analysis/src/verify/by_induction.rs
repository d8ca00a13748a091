//! Proofs by induction, looked for beside the paths.

use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::Duration;

use labrys_executor::{End, Options, Outcome, Proof, Watch, prove};
use labrys_program::Program;
use tracing::debug;

use crate::run::LOG;

/// How long paths are followed before: most programs are done by then.
const START: Duration = Duration::from_millis(300);

/// The stack of the thread: as deep as calls may be nested, loops in each.
const STACK: usize = 1 << 28;

/// Has `follow` follow the paths of a program, and another thread look for a proof by induction: what it comes to ends the other's work.
/// What following came to, and the proof if there is one; what is violated is none.
pub(super) fn beside(
    program: &Program,
    options: &Options,
    watch: &Watch,
    follow: impl FnOnce() -> Outcome,
) -> (Outcome, Option<Proof>) {
    let own = watch.below();
    let options = &Options { watch: Some(own.clone()), answers: None, ..options.clone() };
    std::thread::scope(|scope| {
        let (following, ended) = channel::<()>();
        let work = move || {
            if ended.recv_timeout(START) != Err(RecvTimeoutError::Timeout) {
                return None;
            }
            let found = prove(program, options);
            match &found {
                Ok(_) => watch.stop(End::Settled),
                Err(why) => debug!(target: LOG, "no proof by induction: {why}"),
            }
            found.ok()
        };
        // Without a thread there is no such proof.
        let thread = std::thread::Builder::new().stack_size(STACK).spawn_scoped(scope, work);
        let outcome = follow();
        drop(following);
        own.stop(End::Settled);
        let proof = thread.ok().and_then(|thread| thread.join().ok().flatten());
        let proof = proof.filter(|_| outcome.violations.is_empty());
        (outcome, proof)
    })
}
