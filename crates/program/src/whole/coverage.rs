//! What LLVM's tools say of the coverage that programs measure while they run.

use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Instant;

use super::spec::Counted;
use crate::compile::process::run_into;
use crate::{BuildError, Compiler, CompilerKind, Language};

/// Has clang link what writes counts to a file.
pub(super) const COUNTS: &str = "-fprofile-instr-generate";

/// The flags with which clang has a program count what is executed.
pub(super) fn coverage_flags(counted: Counted) -> Vec<String> {
    let mut flags = vec![COUNTS.to_owned(), "-fcoverage-mapping".to_owned()];
    flags.extend((counted == Counted::Decisions).then(|| "-fcoverage-mcdc".to_owned()));
    flags
}

/// llvm-profdata and llvm-cov of the compiler that made a program: their files' format changes with versions.
#[derive(Clone, Debug)]
pub struct CoverageTools {
    profdata: PathBuf,
    cov: PathBuf,
}

/// How llvm-cov writes what was covered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CoverageFormat {
    /// LLVM's own JSON.
    Json,
    /// lcov's tracefiles.
    Lcov,
    /// Text with the outcomes of conditions: the only one that says which of them the compiler knows.
    Branches,
}

impl CoverageTools {
    /// Those of a compiler.
    ///
    /// # Errors
    ///
    /// The compiler is not clang, or the tools are not there.
    pub fn of(compiler: &Compiler) -> Result<CoverageTools, BuildError> {
        let missing = |name: &str, advice: String| BuildError::MissingCompiler { name: name.to_owned(), advice };
        if compiler.kind != CompilerKind::Clang {
            return Err(missing("llvm-cov", format!("only clang measures coverage here, not {}", compiler.name)));
        }
        let real = compiler.executable.canonicalize().unwrap_or_else(|_| compiler.executable.clone());
        let folder = real.parent().unwrap_or(Path::new("/")).to_owned();
        let tool = |name: &str| {
            let file = folder.join(name);
            match file.is_file() {
                true => Ok(file),
                false => Err(missing(
                    name,
                    format!("it belongs beside {}; on Debian it comes with the package llvm-22", real.display()),
                )),
            }
        };
        Ok(CoverageTools { profdata: tool("llvm-profdata")?, cov: tool("llvm-cov")? })
    }

    /// The compiler that a user names for C, or the default, and its tools.
    ///
    /// # Errors
    ///
    /// As [`CoverageTools::of`].
    pub fn find(compiler: Option<&str>, deadline: Instant) -> Result<(Compiler, CoverageTools), BuildError> {
        let compiler = Compiler::find(compiler.unwrap_or(Language::C.default_compiler()), Language::C, deadline)?;
        let tools = CoverageTools::of(&compiler)?;
        Ok((compiler, tools))
    }

    /// The executable that says what was covered.
    pub fn llvm_cov(&self) -> &Path {
        &self.cov
    }

    /// Adds up what runs counted.
    ///
    /// # Errors
    ///
    /// A file is damaged, or the deadline passed.
    pub fn merge(&self, runs: &[PathBuf], into: &Path, deadline: Instant) -> Result<(), BuildError> {
        // Command lines are limited.
        let list = into.with_extension("list");
        let text: String = runs.iter().map(|run| format!("{}\n", run.display())).collect();
        let failed = |source| BuildError::Run { name: "llvm-profdata".to_owned(), source };
        std::fs::write(&list, text).map_err(failed)?;
        let mut command = Command::new(&self.profdata);
        command.args(["merge", "-sparse", "-f"]).arg(&list).arg("-o").arg(into);
        self.output(&mut command, "llvm-profdata", deadline).map(drop)
    }

    /// What a program's profile says; without one, that nothing was executed.
    ///
    /// # Errors
    ///
    /// A file is damaged, or the deadline passed.
    pub fn export(
        &self,
        executable: &Path,
        profile: Option<&Path>,
        format: CoverageFormat,
        deadline: Instant,
    ) -> Result<Vec<u8>, BuildError> {
        let mut command = Command::new(&self.cov);
        command.args(match format {
            CoverageFormat::Json => &["export"][..],
            CoverageFormat::Lcov => &["export", "-format=lcov"],
            CoverageFormat::Branches => &["show", "-show-branches=count", "-use-color=false"],
        });
        match profile {
            Some(profile) => command.arg("-instr-profile").arg(profile),
            None => command.arg("-empty-profile"),
        };
        command.arg(executable);
        self.output(&mut command, "llvm-cov", deadline)
    }

    /// What a program's profile says, as text.
    ///
    /// # Errors
    ///
    /// A file is damaged, or the deadline passed.
    pub fn counts(&self, profile: &Path, deadline: Instant) -> Result<String, BuildError> {
        let mut command = Command::new(&self.profdata);
        command.args(["merge", "-text"]).arg(profile).args(["-o", "-"]);
        self.output(&mut command, "llvm-profdata", deadline).map(|bytes| String::from_utf8_lossy(&bytes).into_owned())
    }

    fn output(&self, command: &mut Command, name: &str, deadline: Instant) -> Result<Vec<u8>, BuildError> {
        let failed = |source| BuildError::Run { name: name.to_owned(), source };
        let mut stdout: File = tempfile::tempfile().map_err(failed)?;
        let (status, said) = run_into(command, name, deadline, &stdout)?;
        if !status.success() {
            let line = said.lines().next().unwrap_or("no message").to_owned();
            return Err(failed(std::io::Error::other(line)));
        }
        let mut bytes = Vec::new();
        stdout.seek(SeekFrom::Start(0)).and_then(|_| stdout.read_to_end(&mut bytes)).map_err(failed)?;
        Ok(bytes)
    }
}
