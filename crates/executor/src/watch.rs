//! What a run tells while it goes on, and how it is ended from outside.

use std::sync::atomic::{AtomicBool, AtomicU8, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::Duration;

use crate::Violation;

/// A moment of a run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Moment {
    /// Paths that have ended, however they did.
    pub paths: u64,
    /// Paths that wait.
    pub waiting: u64,
    /// Instructions executed.
    pub instructions: u64,
    /// Of what is to be covered: how much is, and how much there is.
    pub covered: Option<(u64, u64)>,
    /// How long the solver took.
    pub solving: Duration,
}

/// Why a run is ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// The user has had enough.
    Interrupt,
    /// The time is over.
    Time,
    /// The memory is used up.
    Memory,
    /// Somebody else has found out what was asked.
    Settled,
    /// Something goes wrong, as was shown, and what else does was looked for long enough.
    Shown,
}

impl End {
    /// All of them.
    pub const ALL: [End; 5] = [End::Interrupt, End::Time, End::Memory, End::Settled, End::Shown];

    /// What ended the run, for the reasons of a report.
    pub fn words(self) -> &'static str {
        match self {
            End::Interrupt => "the run was interrupted",
            End::Time => "the time was over",
            End::Memory => "the memory was used up (--memory)",
            End::Settled => "what was asked was found out otherwise",
            End::Shown => "an error was shown, and others were looked for in as much time again",
        }
    }
}

/// What whoever executes a program shares with whoever looks on.
#[derive(Debug, Default)]
pub struct Watch {
    signal: Arc<Signal>,
    moment: Mutex<Moment>,
    violated: OnceLock<Violation>,
}

/// Whether to end; questions to the solver look at it, too.
#[derive(Debug, Default)]
struct Signal {
    is_set: Arc<AtomicBool>,
    /// The place in [`End::ALL`] of the first reason, and one.
    why: AtomicU8,
    /// Those that are set with this one.
    below: Mutex<Vec<Arc<Signal>>>,
}

impl Signal {
    fn set(&self, why: u8) {
        let _ = self.why.compare_exchange(0, why, Ordering::SeqCst, Ordering::SeqCst);
        self.is_set.store(true, Ordering::SeqCst);
        self.below.lock().unwrap_or_else(PoisonError::into_inner).iter().for_each(|signal| signal.set(why));
    }
}

impl Watch {
    /// Has the run end as at a limit: as soon as it looks; questions to the solver end within some hundredths of a second. The first reason
    /// stays.
    pub fn stop(&self, why: End) {
        let place = End::ALL.iter().position(|end| *end == why).unwrap_or_default() as u8 + 1;
        self.signal.set(place);
    }

    /// Why it is to end, if it is.
    pub fn stopped(&self) -> Option<End> {
        let why = self.signal.why.load(Ordering::SeqCst);
        End::ALL.get(usize::from(why.checked_sub(1)?)).copied()
    }

    /// One that is ended with this one, and tells nobody anything: for a run within a run.
    pub fn quiet(&self) -> Arc<Watch> {
        Arc::new(Watch { signal: Arc::clone(&self.signal), ..Watch::default() })
    }

    /// One that is ended with this one, or alone, and tells nobody anything: for a run beside a run.
    pub fn below(&self) -> Arc<Watch> {
        let signal = Arc::<Signal>::default();
        self.signal.below.lock().unwrap_or_else(PoisonError::into_inner).push(signal.clone());
        // It may have been ended meanwhile.
        match self.signal.why.load(Ordering::SeqCst) {
            0 => {}
            why => signal.set(why),
        }
        Arc::new(Watch { signal, ..Watch::default() })
    }

    /// Set when it is to end.
    pub(crate) fn signal(&self) -> Arc<AtomicBool> {
        Arc::clone(&self.signal.is_set)
    }

    /// The last moment that the run told of.
    pub fn moment(&self) -> Moment {
        *self.moment.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The first violation that has an input, as soon as there is one.
    pub fn violated(&self) -> Option<&Violation> {
        self.violated.get()
    }

    /// Tells of a violation that has an input.
    pub fn tell_violation(&self, violation: &Violation) {
        self.violated.get_or_init(|| violation.clone());
    }

    pub(crate) fn tell(&self, moment: Moment) {
        *self.moment.lock().unwrap_or_else(PoisonError::into_inner) = moment;
    }
}

#[cfg(test)]
mod tests {
    use labrys_testcase::TestInput;

    use super::*;
    use crate::ViolationKind;

    #[test]
    fn the_first_reason_stays_and_runs_within_hear_of_it() {
        let watch = Watch::default();
        let within = watch.quiet();
        assert_eq!((watch.stopped(), within.stopped()), (None, None));
        watch.stop(End::Memory);
        watch.stop(End::Interrupt);
        assert_eq!((watch.stopped(), within.stopped()), (Some(End::Memory), Some(End::Memory)));
        assert!(within.signal().load(Ordering::SeqCst));
        watch.tell(Moment { paths: 1, ..Moment::default() });
        let of = |kind| Violation { kind, stack: Vec::new(), input: TestInput::default(), decisions: Vec::new() };
        within.tell_violation(&of(ViolationKind::Panic));
        within.tell_violation(&of(ViolationKind::Null));
        assert_eq!(within.moment(), Moment::default());
        assert_eq!((watch.violated(), within.violated()), (None, Some(&of(ViolationKind::Panic))));
    }

    #[test]
    fn runs_beside_hear_of_it_and_may_be_ended_alone() {
        let watch = Watch::default();
        let [alone, other] = [watch.below(), watch.below()];
        alone.stop(End::Settled);
        assert_eq!((watch.stopped(), alone.stopped(), other.stopped()), (None, Some(End::Settled), None));
        watch.stop(End::Time);
        assert_eq!((alone.stopped(), other.stopped()), (Some(End::Settled), Some(End::Time)));
        assert!(other.signal().load(Ordering::SeqCst));
        assert_eq!(watch.below().stopped(), Some(End::Time));
    }
}
