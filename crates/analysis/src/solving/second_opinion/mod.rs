//! Second opinions: what a proof rests on is asked again from another program, and from branch and prune,
//! which shares with the engines that proved it no more than arithmetic at points and the replacing of arrays, reals and open values.
//!
//! **Claim.** `confirmed by two` means that each query of the proof, as the analysis made it and before any preparation, was answered
//! alike by both. Beside what the proof itself assumes it takes for granted that the paths and conditions are the program's, what
//! libm's functions are (where a query has calls of them, facts about these calls are a part of it), and the intervals that pruned
//! paths while they were explored. A contradiction withdraws the verdict, whoever is wrong.
//!
//! Proofs by the solver over the floats are asked from other solvers (`solver`). Everything has a budget of its own, counted in
//! work wherever the other solver tells its work, so that which proofs are asked does not depend on the machine; time is a backstop.

mod choice;
mod files;
mod planted;
mod solver;

pub use choice::OpinionChoice;
pub(crate) use files::{artifacts, contradiction};
pub(crate) use planted::WrongSolver;
pub(crate) use solver::{Answer, Claim, Dissent, Means, Refutation, SecondOpinion, means_of};

use std::time::{Duration, Instant};

use crate::run::clock::Clock;

/// What asking again may take.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Budget {
    /// Work in the other solver's units.
    pub work: u64,
    /// When to end in any case.
    pub deadline: Instant,
}

/// About so many of z3's units of work take a second, on queries over the floats: z3 5.4 took 0.65 s of a busy processor for 1,028,783.
const SECOND: u64 = 2_000_000;
/// Work for each question that the analysis asked of its own solver: a hundredth of a second, where a question takes a tenth.
const WORK_OF_QUESTION: u64 = SECOND / 100;
/// How many times as long as on an idle machine work may take before a limit on time strikes, where the user sets none.
const PATIENCE: f64 = 4.0;

impl Budget {
    /// A tenth of what the analysis did, told by the number of questions that it asked of its own solver, and at least
    /// `least_seconds` of work; within a tenth of the time that it may take or, where it has no limit, of what it took, but then so long
    /// that work comes to its end first.
    pub fn tenth(questions: u64, least_seconds: f64, clock: &Clock) -> Budget {
        let work = questions * WORK_OF_QUESTION + (least_seconds * SECOND as f64) as u64;
        let patience = Duration::from_secs_f64(PATIENCE * work as f64 / SECOND as f64);
        let time = clock.whole().map_or((clock.elapsed() / 10).max(patience), |whole| whole / 10);
        Budget { work, deadline: clock.deadline(time) }
    }
}
