//! Tests of a crate, built before they are written.
//!
//! A test is compiled by `cargo test`, which makes other machine code of a function than a call of ours does: in as many units as the profile says, and with
//! what the test knows of the arguments.

use std::path::{Path, PathBuf};
use std::time::Instant;

use serde_json::Value;

use super::member::{cargo, first_error};
use super::{CrateError, CrateFunction};
use crate::compile::process;
use crate::temporary::{TemporaryFolder, remove_abandoned};

impl CrateFunction {
    /// The executable of the file `text`, a test of the crate that is built with these flags as [`CrateFunction::test_command`] says.
    /// The file stands in the crate's `tests` in a folder that goes; what is built of it lies in labrys' own.
    ///
    /// # Errors
    ///
    /// The crate's tests do not build.
    pub fn test_executable(&self, text: &str, flags: &[String], deadline: Instant) -> Result<PathBuf, CrateError> {
        let file = TestFile::new(self.package_folder(), text)?;
        let name = file.name();
        let mut command = cargo();
        command.args(["test", "--manifest-path"]).arg(&self.source.member.manifest);
        command.args(self.source.options.words()).args(["--test", &name, "--no-run"]);
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
