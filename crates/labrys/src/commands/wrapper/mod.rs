//! `labrys cc`, `labrys cxx`, `labrys fc`: the real compiler, and a record of how it was called for analyses' `-p`.
//!
//! **Claim.** Whoever calls one of these meets the compiler: its arguments, standard streams, environment and folder are those that it would have had, its
//! exit code or signal is what the caller sees, and signals that ask the wrapper to end reach it. What goes wrong with the record costs a
//! line on stderr and nothing else. **What it may miss.** A compiler that is stopped (not ended) by a signal of its own waits alone.

mod invocation;
mod record;
mod signals;

use std::ffi::OsString;
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, ExitStatus};

use labrys_program::{Compiler, Language};

use super::output::tell;

/// A shell's exit code for a program that is not there.
const NOT_FOUND: u8 = 127;

/// Which compiler a wrapper stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wrapper {
    /// `labrys cc`.
    C,
    /// `labrys cxx`.
    Cpp,
    /// `labrys fc`.
    Fortran,
}

impl Wrapper {
    /// The wrapper that the first argument names.
    pub fn named(command: &str) -> Option<Wrapper> {
        match command {
            "cc" => Some(Wrapper::C),
            "cxx" => Some(Wrapper::Cpp),
            "fc" => Some(Wrapper::Fortran),
            _ => None,
        }
    }

    fn language(self) -> Language {
        match self {
            Wrapper::C => Language::C,
            Wrapper::Cpp => Language::Cpp,
            Wrapper::Fortran => Language::Fortran,
        }
    }

    /// The variable that chooses the compiler.
    fn variable(self) -> &'static str {
        match self {
            Wrapper::C => "LABRYS_CC",
            Wrapper::Cpp => "LABRYS_CXX",
            Wrapper::Fortran => "LABRYS_FC",
        }
    }

    /// The compiler's words: those of the variable, split as a shell splits them, else the compiler that analyses use.
    fn compiler(self) -> Result<Vec<OsString>, String> {
        let language = self.language();
        let variable = self.variable();
        if let Some(said) = std::env::var_os(variable).filter(|said| !said.is_empty()) {
            let text = said.to_str().ok_or_else(|| format!("{variable} is not UTF-8"))?;
            let words = shlex::split(text).ok_or_else(|| format!("{variable} has an open quotation mark"))?;
            return Ok(words.into_iter().map(OsString::from).collect());
        }
        let name = language.default_compiler();
        let found = Compiler::executable(name, language);
        let found =
            found.ok_or_else(|| format!("there is no compiler of {}; name one by {variable}", language.name()))?;
        Ok(vec![found.into_os_string()])
    }
}

/// Runs the compiler with these arguments, records what it compiled, and ends as it did.
pub fn run(wrapper: Wrapper, arguments: &[OsString]) -> ExitCode {
    let words = match wrapper.compiler() {
        Ok(words) => words,
        Err(why) => return refused(&why),
    };
    let Some((program, own)) = words.split_first() else { return refused("the compiler has no name") };
    if is_labrys(program) {
        return refused(&format!("{} names labrys itself, not the compiler that it wraps", wrapper.variable()));
    }
    let mut command = Command::new(program);
    command.args(own).args(arguments);
    let status = match signals::run_passing_on(&mut command) {
        Ok(status) => status,
        Err(error) => return refused(&format!("cannot run {}: {error}", Path::new(program).display())),
    };
    if status.success()
        && let Err(why) = recorded(&words, arguments)
    {
        tell(&format!("labrys: not recorded: {why}"));
    }
    ended_as(status)
}

fn refused(why: &str) -> ExitCode {
    tell(&format!("labrys: {why}"));
    ExitCode::from(NOT_FOUND)
}

/// Whether the program is this one, which would call itself for ever.
fn is_labrys(program: &OsString) -> bool {
    let canonical = |path: &Path| path.canonicalize().ok();
    let program = Path::new(program);
    let candidates: Vec<PathBuf> = match program.components().count() {
        1 => {
            let path = std::env::var_os("PATH").unwrap_or_default();
            std::env::split_paths(&path)
                .map(|folder| folder.join(program))
                .find(|file| file.is_file())
                .into_iter()
                .collect()
        }
        _ => vec![program.to_owned()],
    };
    let own = std::env::current_exe().ok().and_then(|own| canonical(&own));
    own.is_some() && candidates.iter().any(|candidate| canonical(candidate) == own)
}

/// Records what was compiled.
fn recorded(compiler: &[OsString], arguments: &[OsString]) -> Result<(), String> {
    let directory = std::env::current_dir().map_err(|error| format!("the current folder: {error}"))?;
    let Some(folder) = record::folder(&directory) else { return Ok(()) };
    let units = invocation::units(arguments, &directory)?;
    if units.is_empty() {
        return Ok(());
    }
    let compiler: Vec<&str> = compiler.iter().filter_map(|word| word.to_str()).collect();
    record::add(&folder, &directory, &compiler, &units).map_err(|error| format!("{}: {error}", folder.display()))
}

/// Ends this process as the compiler ended, by the same signal if it was one.
fn ended_as(status: ExitStatus) -> ExitCode {
    if let Some(signal) = status.signal() {
        signals::end_by(signal);
    }
    ExitCode::from(u8::try_from(status.code().unwrap_or(1)).unwrap_or(1))
}
