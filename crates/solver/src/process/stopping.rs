//! Ending questions to processes from outside.
//!
//! A process that is asked does not look at what ends its asker's other work. So whoever asks says on its own thread which signal ends it
//! ([`stopping_at`]), however many layers lie between, and the exchange with the process looks at it.

use std::cell::RefCell;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

thread_local! {
    static SIGNAL: RefCell<Option<Arc<AtomicBool>>> = const { RefCell::new(None) };
}

/// Has `ask` ask: once the signal is set, questions that it asks of processes on this thread end without an answer, within a tenth of a second.
pub fn stopping_at<T>(signal: &Arc<AtomicBool>, ask: impl FnOnce() -> T) -> T {
    /// Puts back what was there, also where `ask` panics.
    struct Before(Option<Arc<AtomicBool>>);
    impl Drop for Before {
        fn drop(&mut self) {
            SIGNAL.set(self.0.take());
        }
    }
    let _before = Before(SIGNAL.replace(Some(Arc::clone(signal))));
    ask()
}

/// Whether the signal of this thread's questions is set.
pub(super) fn is_stopped() -> bool {
    SIGNAL.with_borrow(|signal| signal.as_ref().is_some_and(|signal| signal.load(Ordering::Relaxed)))
}
