//! Whether tests fail on the present code.
//!
//! A test is compiled by others than labrys, and calls the function from elsewhere: of what the compiler alone makes, such as a quotient before it is
//! needed, and of what unused lanes of registers hold, it may see nothing. So each test is built once in a folder that goes, by the commands of its own first
//! comment, and run by its name; a test of a crate is built by cargo, as users build it.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use labrys_program::{Build, BuildError, CrateFunction, run_until};
use labrys_report::TestKind;

use super::WrittenTests;
use crate::run::files::temporary_folder;

/// How long one test may run. One that takes longer does not pass.
const TEST_LIMIT: Duration = Duration::from_secs(60);
/// How long building tests may take.
const BUILD_LIMIT: Duration = Duration::from_secs(600);
/// How long cargo may take for the tests of a crate, with all that these use.
const CRATE_LIMIT: Duration = Duration::from_secs(3600);
/// How long all tests may run together.
const RUN_LIMIT: Duration = Duration::from_secs(600);

/// Why a finding may have no test though it was observed.
const PASSES: &str = "that is mended, or compiled so that a test that calls it does not show what is seen where it was analysed: `labrys replay` tells";

/// Tests as they are about to be written.
pub(super) struct Present<'a> {
    /// Their files and what lies beside them, by paths in their folder.
    pub(super) files: Vec<(String, Vec<u8>)>,
    /// The commands that build them there.
    pub(super) build: Vec<String>,
    /// Their names: `finding_` and an id.
    pub(super) names: Vec<String>,
    /// The command that runs one of them, which fails as it does.
    pub(super) run: &'a dyn Fn(&str) -> String,
    /// Their framework.
    pub(super) kind: TestKind,
    /// Whether Rust's framework runs them.
    pub(super) is_rusts: bool,
    /// The function of a crate, where cargo builds the tests, and its build.
    pub(super) of_crate: Option<(&'a CrateFunction, &'a Build)>,
}

/// Leaves out of what is written the tests that pass on the present code: what is not seen there shows no mend. Their names.
pub(super) fn leave_passing(present: &Present<'_>, written: &mut WrittenTests) -> Vec<String> {
    let passing = present.passing().unwrap_or_else(|why| {
        written.unchecked = Some(why);
        Vec::new()
    });
    for name in &passing {
        let id = name.trim_start_matches("finding_").to_owned();
        written.tested.retain(|tested| *tested != id);
        let why = format!("it has no test: one for {} passes on the present code; {PASSES}", present.kind.name());
        written.skipped.push((id, why));
    }
    passing
}

impl Present<'_> {
    /// The names of those that pass; or why that is not known.
    fn passing(&self) -> Result<Vec<String>, String> {
        let folder = temporary_folder().map_err(|error| error.to_string())?;
        let (here, crate_test) = match (self.of_crate, self.files.as_slice()) {
            (Some((of, build)), [(_, text)]) => {
                let text = String::from_utf8_lossy(text);
                let made = of.test_executable(&text, &build.flags, Instant::now() + CRATE_LIMIT);
                (of.package_folder().to_owned(), Some(made.map_err(|error| error.to_string())?))
            }
            _ => {
                let write = |(name, contents): &(String, Vec<u8>)| {
                    let path = folder.path().join(name);
                    std::fs::create_dir_all(path.parent().unwrap_or(folder.path()))?;
                    std::fs::write(path, contents)
                };
                let written: std::io::Result<()> = self.files.iter().try_for_each(write);
                written.map_err(|error| format!("they cannot be written: {error}"))?;
                self.build(folder.path())?;
                (folder.path().to_owned(), None)
            }
        };
        let end = Instant::now() + RUN_LIMIT;
        let mut passing = Vec::new();
        for name in &self.names {
            if Instant::now() >= end {
                return Err(format!("their runs took more than {} s", RUN_LIMIT.as_secs()));
            }
            if self.passes(name, (&here, crate_test.as_ref()), end)? {
                passing.push(name.clone());
            }
        }
        Ok(passing)
    }

    fn build(&self, folder: &Path) -> Result<(), String> {
        let end = Instant::now() + BUILD_LIMIT;
        for command in &self.build {
            let made = run_until(shell(command).current_dir(folder), "sh", end).map_err(|error| error.to_string())?;
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
            None => shell(&(self.run)(name)),
        };
        match run_until(command.current_dir(here), "a test", end.min(Instant::now() + TEST_LIMIT)) {
            // A filter that no test of Rust's matches succeeds, too.
            Ok(run) => Ok(run.status.success() && (!self.is_rusts || run.stdout.contains(" 1 passed"))),
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
