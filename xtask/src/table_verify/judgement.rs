//! Answers of tools, and whether they are right.

use serde::{Deserialize, Serialize};

use crate::programs::{Error, Expectation};

/// What a tool says of a program.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
pub enum Answer {
    /// Something goes wrong: each kind and line of the program's file, in the tool's order. Lines are 0 where a tool names none.
    Violated(Vec<(String, u32)>),
    Holds,
    /// Neither, and why.
    Unknown(String),
}

/// How an answer fares.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Judgement {
    /// The seeded error, by its kind and line.
    Found,
    /// A correct program, proved.
    Proved,
    Unknown,
    /// Only other errors than the seeded one.
    Elsewhere,
    /// An error in a correct program.
    FalseAlarm,
    /// A proof of a wrong program.
    WrongProof,
}

impl Judgement {
    /// Judges an answer; `same` says whether what a tool calls an error can be the expected one.
    pub fn of(answer: &Answer, expected: &Expectation, same: fn(&(String, u32), &Error) -> bool) -> Self {
        match (answer, expected) {
            (Answer::Unknown(_), _) => Self::Unknown,
            (Answer::Holds, Expectation::Holds) => Self::Proved,
            (Answer::Holds, Expectation::Violated(_)) => Self::WrongProof,
            (Answer::Violated(_), Expectation::Holds) => Self::FalseAlarm,
            (Answer::Violated(errors), Expectation::Violated(error)) => {
                if errors.iter().any(|found| same(found, error)) { Self::Found } else { Self::Elsewhere }
            }
        }
    }

    pub fn name(self) -> &'static str {
        match self {
            Self::Found => "found",
            Self::Proved => "proved",
            Self::Unknown => "unknown",
            Self::Elsewhere => "**elsewhere**",
            Self::FalseAlarm => "**false alarm**",
            Self::WrongProof => "**wrong proof**",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_pair_of_answer_and_expectation_is_judged() {
        let seeded = Expectation::Violated(Error { kind: "null".to_owned(), line: 3 });
        let at = |line| Answer::Violated(vec![("null".to_owned(), line)]);
        let judge = |answer: &Answer, expected| {
            Judgement::of(answer, expected, |found, error| found.0 == error.kind && found.1 == error.line)
        };
        assert_eq!(judge(&at(3), &seeded), Judgement::Found);
        assert_eq!(judge(&at(4), &seeded), Judgement::Elsewhere);
        assert_eq!(judge(&at(3), &Expectation::Holds), Judgement::FalseAlarm);
        assert_eq!(judge(&Answer::Holds, &seeded), Judgement::WrongProof);
        assert_eq!(judge(&Answer::Holds, &Expectation::Holds), Judgement::Proved);
        assert_eq!(judge(&Answer::Unknown(String::new()), &seeded), Judgement::Unknown);
    }
}
