//! Whether tests of a crate fail on its present code.
//!
//! A test is compiled by `cargo test`, which makes other machine code of a function than a call of ours does: in as many units as the profile says, and with
//! what the test knows of the arguments. Of what the compiler alone makes, such as a quotient before it is needed, a test may see nothing.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use serde_json::Value;

use super::member::{cargo, first_error};
use super::{CrateError, CrateFunction};
use crate::BuildError;
use crate::compile::process;
use crate::temporary::{TemporaryFolder, remove_abandoned};

/// How long one test may run. One that takes longer does not pass.
const LIMIT: Duration = Duration::from_secs(60);

impl CrateFunction {
    /// Those of the tests `names` that pass, where the file `text` is a test of the crate, built with these flags as [`CrateFunction::test_command`] says.
    /// It stands in the crate's `tests` in a folder that goes; what is built of it lies in labrys' own.
    ///
    /// # Errors
    ///
    /// The crate's tests do not build, or the file is none of them.
    pub fn passing_tests(
        &self,
        text: &str,
        names: &[&str],
        flags: &[String],
        deadline: Instant,
    ) -> Result<Vec<String>, CrateError> {
        let program = TestFile::new(self.package_folder(), text)?;
        let executable = self.test_program(&program.name(), flags, deadline)?;
        let mut passing = Vec::new();
        for name in names {
            let mut command = Command::new(&executable);
            command.args(["--exact", name, "--test-threads", "1"]).current_dir(self.package_folder());
            let until = deadline.min(Instant::now() + LIMIT);
            match process::run(&mut command, "a test", until) {
                // A filter that no test matches succeeds, too.
                Ok(finished) if finished.status.success() && finished.stdout.contains(" 1 passed") => {
                    passing.push((*name).to_owned());
                }
                Ok(_) | Err(BuildError::TimedOut { .. }) => {}
                Err(error) => return Err(error.into()),
            }
        }
        Ok(passing)
    }

    /// The executable of a test.
    fn test_program(&self, name: &str, flags: &[String], deadline: Instant) -> Result<PathBuf, CrateError> {
        let mut command = cargo();
        command.args(["test", "--manifest-path"]).arg(&self.source.member.manifest);
        command.args(self.source.options.words()).args(["--test", name, "--no-run"]);
        command.args(["--message-format", "json-render-diagnostics", "--color", "never"]);
        command.arg("--target-dir").arg(self.source.folder().join("tests"));
        if !flags.is_empty() {
            command.env("RUSTFLAGS", flags.join(" "));
        }
        let finished = process::run(&mut command, "cargo", deadline)?;
        let made = |line: &str| {
            let message = serde_json::from_str::<Value>(line).ok()?;
            let is_it = message["reason"] == "compiler-artifact" && message["target"]["name"] == name;
            Some(PathBuf::from(message["executable"].as_str().filter(|_| is_it)?))
        };
        finished.stdout.lines().find_map(made).ok_or_else(|| {
            let package = self.source.member.package.clone();
            CrateError::Fails { package, words: first_error(&finished.stderr) }
        })
    }
}

/// A file in a crate's `tests`, which goes when this does.
struct TestFile {
    folder: Option<TemporaryFolder>,
    /// The folder `tests`, where it was made for this.
    made: Option<PathBuf>,
}

impl TestFile {
    fn new(package: &Path, text: &str) -> Result<TestFile, CrateError> {
        let tests = package.join("tests");
        let failed = |source| CrateError::File { path: tests.clone(), source };
        let made = (!tests.is_dir()).then(|| tests.clone());
        std::fs::create_dir_all(&tests).map_err(failed)?;
        // What killed runs left.
        remove_abandoned(&tests);
        let mut file = TestFile { folder: None, made };
        let folder = TemporaryFolder::new_in(&tests).map_err(failed)?;
        std::fs::write(folder.path().join("main.rs"), text).map_err(failed)?;
        file.folder = Some(folder);
        Ok(file)
    }

    /// The name by which cargo knows it.
    fn name(&self) -> String {
        let name = self.folder.as_ref().and_then(|folder| folder.path().file_name());
        name.unwrap_or_default().to_string_lossy().into_owned()
    }
}

impl Drop for TestFile {
    fn drop(&mut self) {
        self.folder = None;
        if let Some(tests) = &self.made {
            // Where somebody put something in it meanwhile, it stays.
            let _ = std::fs::remove_dir(tests);
        }
    }
}
