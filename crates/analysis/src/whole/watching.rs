//! Telling how far the execution of a program is, and ending it where the user asks for it.

use std::sync::Arc;
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::Duration;

use labrys_executor::Watch;
use labrys_report::Status;

use crate::{Done, Progress, Snapshot};

/// How often somebody looks.
const INTERVAL: Duration = Duration::from_millis(100);

/// Has `work` execute a program: another thread tells `progress` how far it is, and ends it where the user asks for it.
pub(crate) fn watched<T>(progress: &dyn Progress, work: impl FnOnce(Arc<Watch>) -> T) -> T {
    let watch = Arc::new(Watch::default());
    std::thread::scope(|scope| {
        let (done, waits) = channel::<()>();
        let seen = watch.clone();
        scope.spawn(move || {
            while waits.recv_timeout(INTERVAL) == Err(RecvTimeoutError::Timeout) {
                if progress.interrupted() {
                    seen.stop();
                }
                let moment = seen.moment();
                let (covered, features) = moment.covered.unwrap_or_default();
                progress.update(&Snapshot {
                    paths: moment.paths,
                    paths_waiting: moment.waiting,
                    instructions: moment.instructions,
                    covered,
                    features,
                    solving: moment.solving,
                    ..Snapshot::default()
                });
            }
        });
        let result = work(watch);
        drop(done);
        result
    })
}

/// Says in a report that the user ended the run.
pub(crate) fn mark_interrupted(mut done: Done, progress: &dyn Progress) -> Done {
    if progress.interrupted() {
        done.report.status = Status::Limit;
        done.report.notes.push("the run was interrupted: this is what it had found".to_owned());
    }
    done
}
