//! The search on native code, for any analysis: inputs are run, what is new steers the next ones.
//!
//! An analysis brings a [`Judge`]: it runs inputs, keeps what they show, and says of each what told it apart. Everything is
//! deterministic under the seed: batches have fixed sizes, and nothing looks at the clock but to stop.
//!
//! Of ten rounds of the guided search some draw anew, some mutate what showed something new, some climb from the inputs of the
//! highest scores, and one bisects between inputs that behave differently, down to neighbours. Where scores are what the search is for and an input
//! costs little, half of the rounds are of tournaments between climbers.

mod bisection;
mod climb;
mod guided;
mod judge;
mod settings;
mod slow;
mod tournament;

pub use guided::Search;
pub use judge::{Judge, Seen};
pub use settings::{Emphasis, Persistence, SearchSettings};
