//! What a solver says to a check.

use serde::{Deserialize, Serialize};

/// An answer.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Answer {
    Sat,
    Unsat,
    Unknown,
}

impl Answer {
    pub fn from_word(word: &str) -> Option<Self> {
        match word {
            "sat" => Some(Self::Sat),
            "unsat" => Some(Self::Unsat),
            "unknown" => Some(Self::Unknown),
            _ => None,
        }
    }

    /// The answers in a solver's output: the lines that are nothing else.
    pub fn all_of(output: &str) -> Vec<Self> {
        output.lines().filter_map(|line| Self::from_word(line.trim())).collect()
    }

    /// Whether the two contradict each other.
    pub fn contradicts(self, other: Self) -> bool {
        matches!((self, other), (Self::Sat, Self::Unsat) | (Self::Unsat, Self::Sat))
    }
}
