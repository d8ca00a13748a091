//! A library run in parts: which part this process does, where the others' results are, and what is done about those that are missing.

use std::path::PathBuf;
use std::str::FromStr;

/// One of several parts of a library run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shard {
    /// Which: 1 to `count`; 0 builds the library and analyses nothing.
    pub index: u32,
    /// Of how many.
    pub count: u32,
}

impl FromStr for Shard {
    type Err = String;

    fn from_str(text: &str) -> Result<Shard, String> {
        let numbers = text.split_once('/').and_then(|(index, count)| Some((index.parse().ok()?, count.parse().ok()?)));
        match numbers {
            Some((index, count)) if count > 0 && index <= count => Ok(Shard { index, count }),
            _ => {
                Err(format!("`{text}` is no part of a run such as 3/8; parts are counted from 1, and 0/8 only builds"))
            }
        }
    }
}

impl std::fmt::Display for Shard {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} of {}", self.index, self.count)
    }
}

/// What is done where results are missing that the folders of other parts should have.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Missing {
    /// They are worked out here.
    #[default]
    Run,
    /// The run is refused.
    Refuse,
    /// The report says that they are missing.
    Leave,
}

/// How a library run is a part of something larger. By default it is not.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CampaignOptions {
    /// The part that is done here; `None`: everything.
    pub shard: Option<Shard>,
    /// Folders of other parts, whose results are taken for this run's.
    pub gathered: Vec<PathBuf>,
    /// What is done where these lack results of functions.
    pub missing: Missing,
    /// What is done where they lack answers of public functions that are asked.
    pub missing_answers: Missing,
    /// Where the library is built; `None`: below the output folder. Several processes may share it.
    pub products: Option<PathBuf>,
    /// A folder of an earlier run, by whose times the parts are balanced.
    pub balance: Option<PathBuf>,
}

impl CampaignOptions {
    /// Whether this is a part of a run that only asks callers: the functions were analysed in other parts.
    pub fn asks_callers(&self) -> bool {
        self.shard.is_some() && !self.gathered.is_empty()
    }
}

/// What a part of a run came to. There is no report of it: what is said of a function's callers needs all of them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PartDone {
    /// Which part.
    pub shard: Shard,
    /// How much it has to do.
    pub tasks: usize,
    /// How much of that is done and kept.
    pub done: usize,
    /// Whether it asked callers, and did not analyse functions.
    pub asks_callers: bool,
}

impl PartDone {
    /// Whether everything is done.
    pub fn is_whole(&self) -> bool {
        self.done == self.tasks
    }
}

/// What a run of an analysis comes to.
pub enum Outcome {
    /// A report.
    Report(Box<crate::Done>),
    /// A part of a library run, whose results are in its folder.
    Part(PartDone),
}

impl Outcome {
    /// The report and what goes with it, where there is one.
    pub fn report(self) -> Option<crate::Done> {
        match self {
            Outcome::Report(done) => Some(*done),
            Outcome::Part(_) => None,
        }
    }
}

impl From<crate::Done> for Outcome {
    fn from(done: crate::Done) -> Outcome {
        Outcome::Report(Box::new(done))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_are_counted_from_one() {
        assert_eq!("3/8".parse(), Ok(Shard { index: 3, count: 8 }));
        assert_eq!("0/8".parse(), Ok(Shard { index: 0, count: 8 }));
        for wrong in ["9/8", "1/0", "0/0", "3", "-1/8", "a/b", "", "1/8/2"] {
            assert!(wrong.parse::<Shard>().is_err(), "{wrong}");
        }
    }
}
