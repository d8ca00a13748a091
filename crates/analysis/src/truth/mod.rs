//! What an exception does to the result: the function's outputs against those of its arbitrary-precision twin.
//!
//! After Barr, Vo, Le, Su, "Automatic Detection of Floating-Point Exceptions" (POPL 2013), section 6.4, which calls an
//! overflow or underflow avoidable if the same computation in arbitrary precision gives a normal number. Here an
//! overflow is so wherever the true value is finite ([`EffectReport::avoidable`]): that of a subnormal number needs none. Every
//! output is compared too ([`judge`]), and the worst of those that depend on the exception speaks for it
//! ([`Classifier::classify_cause`]).
//!
//! **Claim.** An effect other than "unclassified" compares what was observed with what the same operations give without
//! rounding and without limits of range: 64 bits of every number compared are the same at two precisions, and at the
//! greater either no sum lost an operand whole, or the sum of any two doubles is exact. It is no statement about the mathematical function that the code
//! was written for; see [`labrys_interp::precise`] for what the twin does. Where the twin comes to no end, looks at
//! encodings, or does not settle, the effect is unclassified, with the reason in the notes. An output is left out only where a run
//! of the IR with the observed outputs shows that it does not depend on what was computed where the exception occurred
//! ([`labrys_interp::Dependences`]); where there is none, every output counts.

mod call;
mod classifier;
mod dependents;
mod effects;
mod error;
mod fault;
mod formulas;
mod judgement;
mod mpfr;
mod oracle;
mod outputs;
#[cfg(test)]
mod tests;
mod true_call;

pub use call::Call;
pub use classifier::{Classifier, DEFAULT_BUDGET, DEFAULT_LIMITS, classify};
pub use effects::EffectReport;
pub use error::{Metric, OutputError, Truth, least_error};
pub use fault::{Fault, allowed_ulps, tolerated};
pub use formulas::Formulas;
pub use judgement::{HARMLESS_ULPS, Judgement, judge};
pub use mpfr::{Argument, MpfrCall};
pub use oracle::{Oracle, Reference};
pub use outputs::{decimal, in_words, shown};
pub use true_call::{Slopes, TrueCall, float_of};
