//! Tests that people keep: of findings, so that a mend stays; of suites, so that what was computed stays.
//!
//! - `calls`: findings of `diff`, `exceptions` and `accuracy`: one call each.
//! - `programs`: findings of `verify`: a run of the program each.
//! - `code`: how the code under test comes to a test.
//! - `present`: whether tests fail on the present code.
//! - `registration`: tests of programs, told to test frameworks.
//!
//! How calls are written in each language is [`labrys_report::CallSuite`]'s matter, how programs are run
//! [`labrys_testcase::regression_file`]'s. `cover` and `verify` write their suites by the same two (`whole::suite`).

mod calls;
mod code;
mod present;
mod programs;
pub(crate) mod registration;

pub use calls::{of_diff, of_one_build};
pub use programs::of_programs;

pub(crate) use code::code_under_test;

/// What tests are asked for.
#[derive(Clone, Debug)]
pub struct TestsWanted {
    /// The framework.
    pub kind: labrys_report::TestKind,
    /// How far results may be from what they should be; `None`: as the finding's analysis counts.
    pub ulps: Option<u64>,
    /// What files are called, without suffixes.
    pub stem: String,
}

/// Files of tests, and what has none.
#[derive(Clone, Debug, Default)]
pub struct WrittenTests {
    /// The files by their paths in the folder.
    pub files: Vec<(String, Vec<u8>)>,
    /// The ids of findings that have a test.
    pub tested: Vec<String>,
    /// The ids of those that have none, and why.
    pub skipped: Vec<(String, String)>,
    /// The ids of those where nothing is to be mended, and why.
    pub right: Vec<(String, String)>,
    /// Why it is not known whether the tests fail on the present code, where that was to be looked at.
    pub unchecked: Option<String>,
}

/// Makes sure that a file is not there, or was written by labrys: a user's `CMakeLists.txt` is no place for another.
///
/// # Errors
///
/// What is in the way, in a sentence.
pub fn must_be_replaceable(path: &std::path::Path) -> Result<(), String> {
    let is_lists = path.file_name().is_some_and(|name| name == "CMakeLists.txt");
    if !is_lists || !path.exists() {
        return Ok(());
    }
    let text = std::fs::read_to_string(path).unwrap_or_default();
    match text.lines().next().is_some_and(|line| line.starts_with('#') && line.contains("labrys")) {
        true => Ok(()),
        false => Err(format!("{} is there and was not written by labrys: choose another folder", path.display())),
    }
}
