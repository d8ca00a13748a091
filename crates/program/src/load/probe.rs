//! A first reading of a stranger's IR by another process.
//!
//! LLVM trusts what it reads: a truncated file is an error, but one damaged bit can end the process, by
//! `report_fatal_error` or a segmentation fault, before any handler is asked. Files that users hand over are therefore
//! read by clang first, which is the same LLVM. What it survives and accepts, this process survives: both parse and
//! verify, and the walk that follows only sees verified modules.

use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

use super::error::LoadError;
use crate::compile::process;
use crate::{BuildError, Compiler, Language};

/// Far above what any module that can be analysed takes.
const TIME: Duration = Duration::from_secs(120);

/// Lets clang read the file. Without clang there is nothing to ask, and the file is taken on trust.
pub(super) fn probe(path: &Path) -> Result<(), LoadError> {
    let deadline = Instant::now() + TIME;
    let Ok(clang) = Compiler::find("clang", Language::Ir, deadline) else { return Ok(()) };
    let mut command = Command::new(&clang.executable);
    // Every pass left out: this is about reading.
    command.args(["-x", "ir", "-c", "-emit-llvm", "-w", "-Xclang", "-disable-llvm-passes", "-o", "/dev/null"]);
    // A name with a leading '-' would be an option.
    let absolute = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    command.arg(&absolute);
    let message = match process::run(&mut command, &clang.name, deadline) {
        Ok(finished) if finished.status.success() => return Ok(()),
        Ok(finished) => reason(&finished.stderr, &absolute),
        Err(BuildError::TimedOut { .. }) => "reading it takes LLVM over two minutes".to_owned(),
        Err(_) => return Ok(()),
    };
    Err(LoadError::Malformed { name: path.display().to_string(), message })
}

/// The line that says why, with the position in textual IR but without the file, which the error names already.
fn reason(said: &str, path: &Path) -> String {
    if let Some((_, fatal)) = said.lines().find_map(|line| line.split_once("LLVM ERROR: ")) {
        return fatal.trim().to_owned();
    }
    let line = said.lines().find(|line| line.contains("error: "));
    let line = line.unwrap_or("it is damaged: LLVM crashes when it reads it");
    let line = line.strip_prefix(path.to_string_lossy().as_ref()).unwrap_or(line);
    line.trim_start_matches(':').replacen("error: ", "", 1).trim().to_owned()
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    #[test]
    fn the_reason_is_the_compilers_error_line() {
        let reason = |said| super::reason(said, Path::new("/a/x.ll"));
        let text = "/a/x.ll:1:2: error: expected top-level entity\nhello\n^\n1 error generated.";
        assert_eq!(reason(text), "1:2: expected top-level entity");
        assert_eq!(reason("error: Invalid bitcode signature\n"), "Invalid bitcode signature");
        assert_eq!(reason("ptr @f\nLLVM ERROR: Broken module!\nPLEASE submit a bug report\n"), "Broken module!");
        assert!(reason("Stack dump:\n0. Program arguments").contains("crashes"));
    }
}
