//! Tests as files: KLEE's, Test-Comp's, and a C file that needs nothing of labrys.

use std::fs;
use std::path::{Path, PathBuf};

use labrys_report::write_whole;
use labrys_testcase::{Ktest, RegressionTest, SuiteMetadata, regression_file, suite_inputs, test_xml};
use sha2::{Digest, Sha256};

use super::date::now;

/// Where tests are written, and how.
#[derive(Clone, Debug)]
pub struct TestsRequest {
    /// The folder.
    pub folder: PathBuf,
    /// The format.
    pub format: TestFormat,
}

/// The formats of tests.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum TestFormat {
    /// KLEE's `.ktest`.
    #[default]
    Ktest,
    /// Test-Comp's XML.
    TestComp,
    /// One C file.
    C,
}

/// A suite of tests.
pub struct Suite<'a> {
    /// The tests; a C file has only those that ended by themselves.
    pub tests: Vec<RegressionTest>,
    /// What Test-Comp wants to know of it.
    pub metadata: SuiteMetadata,
    /// The commands that build and run the C file.
    pub commands: Vec<String>,
    /// C that follows in that file: a `main` called `labrys_program_main`, where the program has none.
    pub appended: &'a str,
}

impl Suite<'_> {
    /// Writes the tests; what is missing then, in sentences.
    pub fn write(&self, wanted: &TestsRequest) -> Vec<String> {
        for (name, contents) in self.files(wanted.format) {
            if let Err(error) = write_whole(&wanted.folder.join(name), &contents) {
                return vec![format!("tests are missing: {error}")];
            }
        }
        Vec::new()
    }

    fn files(&self, format: TestFormat) -> Vec<(String, Vec<u8>)> {
        let numbered = |suffix: &str, contents: &dyn Fn(&RegressionTest) -> Vec<u8>| -> Vec<(String, Vec<u8>)> {
            self.tests.iter().map(|test| (format!("{}.{suffix}", test.name), contents(test))).collect()
        };
        match format {
            TestFormat::Ktest => numbered("ktest", &|test| Ktest::of("program", &test.input).to_bytes()),
            TestFormat::TestComp => {
                let mut files = numbered("xml", &|test| test_xml(&suite_inputs(&test.input)).into_bytes());
                files.push(("metadata.xml".to_owned(), self.metadata.to_xml().into_bytes()));
                files
            }
            TestFormat::C => {
                let text = regression_file(&self.tests, &self.commands) + self.appended;
                vec![("tests.c".to_owned(), text.into_bytes())]
            }
        }
    }
}

/// What Test-Comp wants to know of a suite for a program of these sources.
pub fn metadata(sources: &[PathBuf], specification: String, entry: &str) -> SuiteMetadata {
    let first = sources.first();
    SuiteMetadata {
        producer: format!("labrys {}", env!("CARGO_PKG_VERSION")),
        specification,
        program_hash: first.map(|source| sha256(source)).unwrap_or_default(),
        program_file: first.map(|source| source.display().to_string()).unwrap_or_default(),
        entry_function: entry.to_owned(),
        creation_time: now(),
    }
}

/// The SHA-256 of a file in hexadecimal; empty where it cannot be read.
pub fn sha256(file: &Path) -> String {
    let Ok(bytes) = fs::read(file) else { return String::new() };
    Sha256::digest(&bytes).iter().map(|byte| format!("{byte:02x}")).collect()
}
