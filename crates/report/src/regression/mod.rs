//! Tests of calls, in the languages that people keep tests in: a function is called with recorded inputs, and what is expected of it is said
//! as a maintainer would say it. They need nothing of labrys.
//!
//! Tests of findings and recorded suites of `cover` are the same here: a [`CallTest`] has an input record, and [`Expectation`]s of exceptions
//! and outputs. Who makes one from a finding is [`expectations`]; the writers are one for each language.
//!
//! **Claim.** A test of a finding fails as long as the code behaves as it was observed. **Argument.** [`expectations`] asks of every
//! list of expectations whether the observation meets it ([`Expectation::is_met`]); what the observation meets is refused. The
//! writers' helper functions decide the same way, on encodings: a file of tests may be compiled with `-ffast-math`, under which comparisons
//! of NaNs say anything.

mod c;
mod cmake;
mod expectation;
mod finding;
mod fortran;
mod name;
mod python;
mod rust;
mod shape;
mod suite;

pub use expectation::Expectation;
pub use finding::{NoTest, expectations};
pub use suite::{CallSuite, CallTest, CodeUnderTest, Refused, TestKind, TestLanguage};
