//! How long the stages of one function take, for the log. Costs a look at a flag where nobody reads it.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};
use std::thread::ThreadId;
use std::time::{Duration, Instant};

use tracing::{Level, debug, enabled, info};

use crate::run::LOG;
use crate::{Progress, Snapshot};

/// A listener that notes when phases begin, and passes everything on. At its end it tells how long each took.
pub struct StageTimes<'a> {
    listener: &'a dyn Progress,
    /// The function.
    of: &'a str,
    begun: Instant,
    noted: Option<Mutex<Noted>>,
}

/// Phases by name, and the one that each thread is in.
#[derive(Default)]
struct Noted {
    ended: Vec<(String, Duration)>,
    current: HashMap<ThreadId, (String, Instant)>,
}

impl Noted {
    /// Ends a thread's phase.
    fn end(&mut self, thread: ThreadId) {
        if let Some((name, begun)) = self.current.remove(&thread) {
            match self.ended.iter_mut().find(|(of, _)| *of == name) {
                Some((_, took)) => *took += begun.elapsed(),
                None => self.ended.push((name, begun.elapsed())),
            }
        }
    }
}

impl<'a> StageTimes<'a> {
    /// Notes the stages of a function's analysis, for whom `listener` listens.
    pub fn new(of: &'a str, listener: &'a dyn Progress) -> StageTimes<'a> {
        let noted = enabled!(target: LOG, Level::INFO).then(Mutex::default);
        StageTimes { listener, of, begun: Instant::now(), noted }
    }

    fn note(&self, change: impl FnOnce(&mut Noted)) {
        if let Some(noted) = &self.noted {
            change(&mut noted.lock().unwrap_or_else(PoisonError::into_inner));
        }
    }
}

impl Progress for StageTimes<'_> {
    fn phase(&self, name: &str) {
        self.note(|noted| {
            let thread = std::thread::current().id();
            noted.end(thread);
            noted.current.insert(thread, (name.to_owned(), Instant::now()));
            debug!(target: LOG, of = self.of, "{name}");
        });
        self.listener.phase(name);
    }

    fn phase_ends(&self) {
        self.note(|noted| noted.end(std::thread::current().id()));
        self.listener.phase_ends();
    }

    fn update(&self, snapshot: &Snapshot) {
        self.listener.update(snapshot);
    }

    fn listens(&self) -> bool {
        self.listener.listens()
    }

    fn found(&self, severity: &str, summary: &str) {
        self.listener.found(severity, summary);
    }

    fn interrupted(&self) -> bool {
        self.listener.interrupted()
    }
}

impl Drop for StageTimes<'_> {
    fn drop(&mut self) {
        let whole = self.begun.elapsed();
        self.note(|noted| {
            let threads: Vec<ThreadId> = noted.current.keys().copied().collect();
            threads.into_iter().for_each(|thread| noted.end(thread));
            for (name, took) in &noted.ended {
                let share = 100.0 * took.as_secs_f64() / whole.as_secs_f64().max(1e-9);
                info!(target: LOG, of = self.of, "{name}: {:.3} s, {share:.0} %", took.as_secs_f64());
            }
            info!(target: LOG, of = self.of, "all stages: {:.3} s", whole.as_secs_f64());
        });
    }
}
