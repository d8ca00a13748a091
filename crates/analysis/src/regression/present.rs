//! Whether tests fail on the present code.
//!
//! A test is compiled by others than labrys, and calls the function from elsewhere: of what the compiler alone makes, such as a quotient before it is
//! needed, and of what unused lanes of registers hold, it may see nothing. So each test is built once in a folder that goes, by the commands of its own first
//! comment, and run by its name; a test of a crate is built by cargo, as users build it.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use labrys_program::{Build, BuildError, CrateFunction, run_until};
use labrys_report::{CallSuite, TestKind};

use crate::run::files::temporary_folder;

/// How long one test may run. One that takes longer does not pass.
const TEST_LIMIT: Duration = Duration::from_secs(60);
/// How long building tests may take.
const BUILD_LIMIT: Duration = Duration::from_secs(600);
/// How long cargo may take for the tests of a crate, with all that these use.
const CRATE_LIMIT: Duration = Duration::from_secs(3600);
/// How long all tests may run together.
const RUN_LIMIT: Duration = Duration::from_secs(600);

/// Tests as they are about to be written.
pub(super) struct Present<'a> {
    /// The tests.
    pub(super) suite: &'a CallSuite<'a>,
    /// Their framework.
    pub(super) kind: TestKind,
    /// A file that lies beside theirs.
    pub(super) beside: Option<&'a (String, Vec<u8>)>,
    /// The function of a crate, where cargo builds the tests, and its build.
    pub(super) of_crate: Option<(&'a CrateFunction, &'a Build)>,
}

impl Present<'_> {
    /// The names of those that pass; or why that is not known.
    pub(super) fn passing(&self) -> Result<Vec<String>, String> {
        let files = self.suite.files(self.kind).map_err(|refused| refused.to_string())?;
        let folder = temporary_folder().map_err(|error| error.to_string())?;
        let (here, crate_test) = match (self.of_crate, files.as_slice()) {
            (Some((of, build)), [(_, text)]) => {
                let made = of.test_executable(text, &build.flags, Instant::now() + CRATE_LIMIT);
                (of.package_folder().to_owned(), Some(made.map_err(|error| error.to_string())?))
            }
            _ => {
                let write = |name: &str, contents: &[u8]| std::fs::write(folder.path().join(name), contents);
                let files = files.iter().map(|(name, text)| (name, text.as_bytes()));
                let beside = self.beside.iter().map(|(name, contents)| (name, contents.as_slice()));
                let written: Result<(), _> = files.chain(beside).try_for_each(|(name, contents)| write(name, contents));
                written.map_err(|error| format!("they cannot be written: {error}"))?;
                self.build(folder.path())?;
                (folder.path().to_owned(), None)
            }
        };
        let end = Instant::now() + RUN_LIMIT;
        let mut passing = Vec::new();
        for test in &self.suite.tests {
            if Instant::now() >= end {
                return Err(format!("their runs took more than {} s", RUN_LIMIT.as_secs()));
            }
            if self.passes(&test.name, (&here, crate_test.as_ref()), end)? {
                passing.push(test.name.clone());
            }
        }
        Ok(passing)
    }

    fn build(&self, folder: &Path) -> Result<(), String> {
        let end = Instant::now() + BUILD_LIMIT;
        for command in self.suite.build_commands(self.kind) {
            let made = run_until(shell(&command).current_dir(folder), "sh", end).map_err(|error| error.to_string())?;
            if !made.status.success() {
                let said = format!("{}\n{}", made.stderr, made.stdout);
                let lines = || said.lines().map(str::trim).filter(|line| !line.is_empty());
                let is_error = |line: &&str| line.to_lowercase().contains("error") || line.contains("not found");
                let first = lines().find(is_error).or_else(|| lines().next()).unwrap_or("nothing is said");
                return Err(format!("they do not build here: {first}"));
            }
        }
        Ok(())
    }

    fn passes(&self, name: &str, (here, program): (&Path, Option<&PathBuf>), end: Instant) -> Result<bool, String> {
        let mut command = match program {
            Some(program) => {
                let mut command = Command::new(program);
                command.args(["--exact", name, "--test-threads", "1"]);
                command
            }
            None => shell(&self.suite.command_of(self.kind, name)),
        };
        match run_until(command.current_dir(here), "a test", end.min(Instant::now() + TEST_LIMIT)) {
            // A filter that no test of Rust's matches succeeds, too.
            Ok(run) => Ok(run.status.success() && (self.kind != TestKind::Rust || run.stdout.contains(" 1 passed"))),
            Err(BuildError::TimedOut { .. }) => Ok(false),
            Err(error) => Err(error.to_string()),
        }
    }
}

fn shell(command: &str) -> Command {
    let mut shell = Command::new("sh");
    shell.args(["-c", command]);
    shell
}
