//! Tests as files: KLEE's, Test-Comp's, a C file that needs nothing of labrys, and what test frameworks take.

use std::fs;
use std::path::{Path, PathBuf};

use labrys_report::{CallSuite, TestKind, write_whole};
use labrys_testcase::{
    FileComment, Ktest, RegressionTest, SuiteMetadata, headers, regression_file, suite_inputs, test_xml,
};
use sha2::{Digest, Sha256};

use super::commands::TestBuild;
use super::date::now;
use crate::regression::must_be_replaceable;
use crate::regression::registration::Registration;

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
    /// For a test framework: calls in its language, or the C file and what runs it.
    Kind(TestKind),
}

/// A suite of tests.
pub struct Suite<'a> {
    /// The tests; a C file has only those that ended by themselves.
    pub tests: Vec<RegressionTest>,
    /// What Test-Comp wants to know of it.
    pub metadata: SuiteMetadata,
    /// How the C file is built.
    pub build: TestBuild,
    /// The tests as calls of a function, where they are such; for test frameworks.
    pub calls: Option<CallSuite<'a>>,
    /// C that follows in that file: a `main` called `labrys_program_main`, where the program has none.
    pub appended: &'a str,
}

impl Suite<'_> {
    /// Writes the tests; what is missing then, in sentences.
    pub fn write(&self, wanted: &TestsRequest) -> Vec<String> {
        let files = match self.files(wanted.format) {
            Ok(files) => files,
            Err(why) => return vec![format!("tests are missing: {why}")],
        };
        for (name, contents) in files {
            let path = wanted.folder.join(name);
            if let Err(why) = must_be_replaceable(&path) {
                return vec![format!("tests are missing: {why}")];
            }
            let made = path.parent().map_or(Ok(()), fs::create_dir_all);
            let written = made.map_err(|error| error.to_string());
            if let Err(error) = written.and_then(|()| write_whole(&path, &contents).map_err(|error| error.to_string()))
            {
                return vec![format!("tests are missing: {error}")];
            }
        }
        Vec::new()
    }

    fn files(&self, format: TestFormat) -> Result<Vec<(String, Vec<u8>)>, String> {
        let numbered = |suffix: &str, contents: &dyn Fn(&RegressionTest) -> Vec<u8>| -> Vec<(String, Vec<u8>)> {
            self.tests.iter().map(|test| (format!("{}.{suffix}", test.name), contents(test))).collect()
        };
        Ok(match format {
            TestFormat::Ktest => numbered("ktest", &|test| Ktest::of("program", &test.input).to_bytes()),
            TestFormat::TestComp => {
                let mut files = numbered("xml", &|test| test_xml(&suite_inputs(&test.input)).into_bytes());
                files.push(("metadata.xml".to_owned(), self.metadata.to_xml().into_bytes()));
                files
            }
            TestFormat::C => self.c_files(),
            TestFormat::Kind(kind) => match &self.calls {
                Some(calls) => {
                    let files = calls.files(kind).map_err(|refused| refused.to_string())?;
                    files.into_iter().map(|(name, text)| (name, text.into_bytes())).collect()
                }
                None => {
                    let mut files = self.c_files();
                    let tests = self.tests.iter().map(|test| test.name.as_str()).collect();
                    let registered = Registration { stem: "tests", tests, build: &self.build }.files(kind);
                    files.extend(registered.into_iter().map(|(name, text)| (name, text.into_bytes())));
                    files
                }
            },
        })
    }

    /// The C file, and the headers that programs include.
    fn c_files(&self) -> Vec<(String, Vec<u8>)> {
        let commands = self.build.commands("tests.c", "tests");
        let comment = FileComment { about: &[], commands: &commands, executable: "tests" };
        let text = regression_file(&self.tests, comment) + self.appended;
        let mut files = vec![("tests.c".to_owned(), text.into_bytes())];
        let headers = headers().into_iter();
        files.extend(headers.map(|(path, text)| (format!("include/{}", path.display()), text.into_bytes())));
        files
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
