//! Telling how far the execution of a program is, and ending it where the user asks for it, or its time or memory is used up.

use std::sync::Arc;
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::{Duration, Instant};

use labrys_executor::{End, Watch};
use labrys_report::Status;
use labrys_solver::bitblast::resident_mib;

use crate::run::clock::Clock;
use crate::{Done, Progress, Snapshot};

/// How often limits are looked at: memory grows by a gibibyte a second at most.
const LOOK: Duration = Duration::from_millis(20);
/// How often progress is told.
const INTERVAL: Duration = Duration::from_millis(100);
/// Of the memory that may be used, what ends an execution, in hundredths: what is under way when that is seen takes some more.
const FULL: u64 = 90;

/// Has `work` execute a program: another thread tells `progress` how far it is, and ends it where the user asks for it, when `clock` is over, and at so
/// many mebibytes, unless that is 0.
pub(crate) fn watched<T>(
    progress: &dyn Progress,
    (clock, memory_mib): (&Clock, u64),
    work: impl FnOnce(Arc<Watch>) -> T,
) -> T {
    let watch = Arc::new(Watch::default());
    std::thread::scope(|scope| {
        let (done, waits) = channel::<()>();
        let seen = watch.clone();
        scope.spawn(move || {
            let mut told = Instant::now();
            while waits.recv_timeout(LOOK) == Err(RecvTimeoutError::Timeout) {
                if let Some(end) = reached(progress, clock, memory_mib) {
                    seen.stop(end);
                }
                if told.elapsed() >= INTERVAL {
                    told = Instant::now();
                    progress.update(&snapshot(&seen));
                }
            }
        });
        let result = work(watch);
        drop(done);
        result
    })
}

/// Why to end now, if so.
fn reached(progress: &dyn Progress, clock: &Clock, memory_mib: u64) -> Option<End> {
    let is_full = || memory_mib > 0 && resident_mib().is_some_and(|used| used >= memory_mib * FULL / 100);
    if progress.interrupted() {
        Some(End::Interrupt)
    } else if clock.is_over() {
        Some(End::Time)
    } else {
        is_full().then_some(End::Memory)
    }
}

fn snapshot(watch: &Watch) -> Snapshot {
    let moment = watch.moment();
    let (covered, features) = moment.covered.unwrap_or_default();
    Snapshot {
        paths: moment.paths,
        paths_waiting: moment.waiting,
        instructions: moment.instructions,
        covered,
        features,
        solving: moment.solving,
        ..Snapshot::default()
    }
}

/// Says in a report that the user ended the run.
pub(crate) fn mark_interrupted(mut done: Done, progress: &dyn Progress) -> Done {
    if progress.interrupted() {
        done.report.status = Status::Limit;
        done.report.notes.push("the run was interrupted: this is what it had found".to_owned());
    }
    done
}
