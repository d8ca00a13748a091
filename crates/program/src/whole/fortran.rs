//! Fortran programs: the module by which they ask for inputs, and the runtime that they are linked with.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Instant;

use super::WholeSpec;
use crate::compile::{bounded, process};
use crate::{BuildError, Compiler, CompilerKind, Language};

/// The file of the module, in the folder of headers.
const MODULE: &str = "verifier.f90";

/// What takes the place of these functions where a program runs natively says that they were called (`testcase`'s runtime).
const WATCHED: [&str; 4] = [
    "_FortranAStopStatement",
    "_FortranAStopStatementText",
    "_gfortran_error_stop_numeric",
    "_gfortran_error_stop_string",
];

/// Makes the module `verifier` for the sources in `folder`, where there are Fortran sources.
///
/// # Errors
///
/// Where the compiler is missing, or does not take it.
pub(super) fn make_module(spec: &WholeSpec, folder: &Path, deadline: Instant) -> Result<(), BuildError> {
    let source = spec.headers.join(MODULE);
    if !spec.languages().any(|(_, language)| language == Language::Fortran) || !source.is_file() {
        return Ok(());
    }
    let build = spec.of(Language::Fortran);
    let compiler = build.find_compiler(Language::Fortran, deadline)?;
    let mut command = Command::new(&compiler.executable);
    command.arg("-fsyntax-only").args(module_words(&compiler, folder)).arg(&source);
    let finished = build.run(&mut command, &compiler.name, deadline)?;
    match finished.status.success() {
        true => Ok(()),
        false => Err(BuildError::Refused {
            compiler: compiler.version,
            path: source,
            role: "module of inputs".to_owned(),
            words: bounded(&finished.stderr),
        }),
    }
}

/// Words that have a compiler look for modules in a folder, and write them there.
pub(super) fn module_words(compiler: &Compiler, folder: &Path) -> Vec<std::ffi::OsString> {
    let flag = match compiler.kind {
        CompilerKind::Gcc => "-J",
        _ => "-module-dir",
    };
    vec![flag.into(), folder.into()]
}

/// Words for a link that has what ends a program with an error watched.
pub(super) fn watching_words() -> Vec<String> {
    WATCHED.iter().map(|name| format!("-Wl,--wrap={name}")).collect()
}

/// Words for the link of a program by clang: flang's runtime, which lies beside clang's own; and that what ends a program with an error
/// is watched.
pub(super) fn link_words(linker: &Compiler, is_flang: bool, deadline: Instant) -> Result<Vec<String>, BuildError> {
    let mut words = watching_words();
    if is_flang {
        let mut command = Command::new(&linker.executable);
        command.arg("-print-file-name=libflang_rt.runtime.a");
        let finished = process::run(&mut command, &linker.name, deadline)?;
        let found = PathBuf::from(finished.stdout.trim());
        words.push(if found.is_absolute() { found.display().to_string() } else { "-lflang_rt.runtime".to_owned() });
    }
    Ok(words)
}
