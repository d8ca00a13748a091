//! Proved upper bounds of rounding errors.
//!
//! [`bound`] takes a float expression over inputs in ranges of doubles and proves how far its computed value may lie from the exact value of the
//! same expression over the reals. The method is that of symbolic Taylor forms (Solovyev, Baranowski, Briggs, Jacobsen, Rakamarić, Gopalakrishnan:
//! "Rigorous Estimation of Floating-Point Round-Off Errors with Symbolic Taylor Expansions", TOPLAS 2018; first at FM 2015), evaluated in
//! intervals: each rounding's error (`rounding`) times the derivative of the result by it (`evaluation`, `sensitivity`), the
//! sum's maximum over the box by branch and bound (`bounder`, `search`). What is proved comes with a [`Certificate`].
//!
//! Constants are the program's doubles: exact. libm is any within so many floats of the correctly rounded one, as `labrys_elementary::image`
//! describes it. Nothing is assumed of inputs but their ranges.

mod bounder;
mod certificate;
mod compile;
mod evaluation;
mod expression;
mod functions;
mod guards;
mod integers;
mod interval;
mod operation;
mod outcome;
mod request;
mod rounding;
mod search;
mod sensitivity;
mod unknown;

pub use certificate::Certificate;
pub use interval::Interval;
pub use outcome::{Bound, Case, Outcome, bound, decide};
pub use request::{Call, Input, Measure, Options, Path, Request};
pub use search::Stop;
pub use unknown::{BoundError, Unknown, Why};
