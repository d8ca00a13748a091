//! Why a proof is not accepted.

use std::io;

use crate::Why;

/// Why a proof is not accepted. Steps are counted from 1.
#[derive(Debug, thiserror::Error)]
pub enum Rejected {
    /// The proof's file fails.
    #[error("the proof cannot be read: {0}")]
    Unreadable(#[from] io::Error),
    /// These are no steps.
    #[error("step {step} is malformed")]
    Malformed {
        /// The step.
        step: u64,
    },
    /// A step that is justified by resolution on a literal, which keeps satisfiability but is not implied.
    #[error("step {step} is none of reverse unit propagation")]
    NotImplied {
        /// The step.
        step: u64,
    },
    /// A literal of a variable that the formula does not have, or of one that occurs in both polarities.
    #[error("step {step} adds a clause with literal {literal}, which it cannot have")]
    Literal {
        /// The step.
        step: u64,
        /// The literal.
        literal: i32,
    },
    /// A clause's number that is not greater than all before.
    #[error("step {step} gives the number {id} again")]
    Number {
        /// The step.
        step: u64,
        /// The number.
        id: u64,
    },
    /// A clause that there is not, or not any more.
    #[error("step {step} names clause {id}, which there is not")]
    Missing {
        /// The step.
        step: u64,
        /// The clause's number.
        id: u64,
    },
    /// A clause named as implying something that has two literals left.
    #[error("step {step} propagates through clause {id}, which is not unit")]
    NotUnit {
        /// The step.
        step: u64,
        /// The clause's number.
        id: u64,
    },
    /// Propagation through the clauses named ends without a contradiction.
    #[error("step {step} propagates to no contradiction")]
    NoConflict {
        /// The step.
        step: u64,
    },
    /// The proof ends before the empty clause.
    #[error("the proof ends without the empty clause")]
    Unfinished,
    /// The budget was used up before the end.
    #[error("checking the proof: {0}")]
    Stopped(Why),
}
