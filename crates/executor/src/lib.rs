//! Bit-precise symbolic execution of whole programs.
//!
//! [`execute`] follows the paths of a program from its entry on symbolic inputs, checks every operation that can go wrong, and says
//! which inputs make it go wrong, or that none does. Nothing that it says of a violation is a finding before the program was
//! run natively on [`Violation::input`].

mod answers;
mod assignments;
mod characters;
mod comparisons;
mod constants;
mod control_calls;
mod coverage;
mod covering;
mod diamonds;
mod driver;
mod ending;
mod entry;
mod environment_calls;
mod execute;
mod externals;
mod few;
mod fractions;
mod grid;
mod groups;
mod hunting;
mod induction;
mod input_ranges;
mod inputs;
mod integral;
mod kept;
mod layouts;
mod library_calls;
mod library_requests;
mod limits;
mod made;
mod math_calls;
mod options;
mod oracle;
mod outcome;
mod parting;
mod path;
mod printing;
mod reliance;
mod schedule;
mod signed_bounds;
mod squeezed;
mod state;
mod stretch;
mod supports;
mod tests;
mod texts;
mod trying;
mod values;
mod violating;
mod violation;
mod waiting;
mod watch;
mod witness;

pub use comparisons::{Comparison, comparisons};
pub use coverage::{
    CoverOptions, CoverOutcome, CoveringTest, Feature, FeatureKind, FeatureSet, Features, PathGoal, Standing,
};
pub use covering::{cover, trail};
pub use execute::{asking_calls, execute, glance, hunt, prove, replay, sample};
pub use externals::verifier_call;
pub use induction::{NoProof, Proof};
pub use input_ranges::InputRanges;
pub use kept::{Answers, Fingerprint};
pub use options::{AnyArguments, Checks, Options};
pub use outcome::{Outcome, PathCounts, Unexplored};
pub use path::Path;
pub use reliance::reliance;
pub use tests::Tests;
pub use values::{ASSUMPTIONS, FloatEnvironment, FloatValue, Values};
pub use violation::{CallSite, Decision, Violation, ViolationKind};
pub use watch::{End, Moment, Watch};
