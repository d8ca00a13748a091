//! CBMC: loops unrolled to growing bounds with unwinding assertions, all properties in one run, floats bit for bit.
//!
//! A run whose only failures are unwinding assertions says nothing and the next bound is tried, as CBMC's wrapper of the competition on software
//! verification does; the runs share the time. `scripts/cbmc.sh` gets the program; `LABRYS_CBMC` names another.

use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::Command;

use anyhow::Result;
use serde_json::Value;

use super::judgement::Answer;
use super::limits::{self, Limits};
use crate::process::{self, Finished};
use crate::programs::{Error, Expectation, Program, folder};

/// How often loops are unrolled, one run after the other.
const BOUNDS: [u32; 8] = [2, 5, 10, 20, 45, 130, 450, 2000];

/// The options of every run. `--floatbv`, bit-precise floats, is what recent versions do anyway; `malloc` succeeds, as it does natively.
pub const OPTIONS: [&str; 4] = ["--floatbv", "--unwinding-assertions", "--no-malloc-may-fail", "--json-ui"];

/// What ends a process that has used up its processor time: SIGXCPU, and SIGKILL if it does not heed that.
const ENDED: [i32; 2] = [24, 9];

/// The program: the one that `$LABRYS_CBMC` names, else what `scripts/cbmc.sh` got, else what `PATH` has.
pub fn program() -> String {
    let fetched = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../tools/cbmc/cbmc"));
    std::env::var("LABRYS_CBMC")
        .unwrap_or_else(|_| if fetched.exists() { fetched.display().to_string() } else { "cbmc".to_owned() })
}

/// Its version, if it is installed.
pub fn version() -> Option<String> {
    let output = Command::new(program()).arg("--version").output().ok()?;
    Some(format!("CBMC {}", String::from_utf8_lossy(&output.stdout).split_whitespace().next()?))
}

/// What CBMC says of a program, and the processor time it took, in seconds.
pub fn answer(root: &Path, program: &Program, limits: Limits) -> Result<(Answer, f64)> {
    let mut used = 0.0;
    let mut why = "loops are longer than all bounds".to_owned();
    for bound in BOUNDS {
        let left = f64::from(limits.seconds) - used;
        if left < 1.0 {
            why = "time".to_owned();
            break;
        }
        let seconds = left as u32;
        let (finished, seconds) = limits::run(&command(root, program, bound), Limits { seconds, ..limits })?;
        used += seconds;
        match read(&finished, &program.file()) {
            Ok(Some(answer)) => return Ok((answer, used)),
            // Only the bound was too small.
            Ok(None) => {}
            Err(_) if !finished.in_time || finished.status.signal().is_some_and(|signal| ENDED.contains(&signal)) => {
                why = "time".to_owned();
                break;
            }
            Err(words) => {
                why = words;
                break;
            }
        }
    }
    Ok((Answer::Unknown(why), used))
}

fn command(root: &Path, program: &Program, bound: u32) -> Command {
    let folder = folder(root);
    let mut command = Command::new(self::program());
    command.arg(&program.path).arg(folder.join("cbmc.c")).arg("-I").arg(folder.join("include")).args(OPTIONS);
    command.arg("--unwind").arg(bound.to_string());
    // The overflow of a division, which labrys always checks, CBMC counts among those of signed numbers.
    let divides = matches!(&program.expectation, Expectation::Violated(error) if error.kind == "overflow");
    command.arg(if divides || program.checks("overflow") {
        "--signed-overflow-check"
    } else {
        "--no-signed-overflow-check"
    });
    if program.checks("leaks") {
        command.arg("--memory-leak-check");
    }
    command
}

/// The answer of one run; `None` if only the bound was too small, and CBMC's words where it gave up.
fn read(finished: &Finished, file: &str) -> Result<Option<Answer>, String> {
    let words = || process::last_line(&String::from_utf8_lossy(&finished.errors));
    let messages: Vec<Value> =
        serde_json::from_slice(&finished.output).map_err(|_| format!("no report: {}", words()))?;
    let Some(results) = messages.iter().find_map(|message| message["result"].as_array()) else {
        let error = messages.iter().find(|message| message["messageType"] == "ERROR");
        return Err(error.and_then(|error| error["messageText"].as_str()).unwrap_or("no results").to_owned());
    };
    let mut errors = Vec::new();
    let mut is_cut = false;
    for result in results.iter().filter(|result| result["status"] == "FAILURE") {
        let property = result["property"].as_str().unwrap_or_default();
        // What has no body may do anything, and CBMC says so by a failure.
        if let Some((_, function)) = property.split_once(".no-body.") {
            return Ok(Some(Answer::Unknown(format!("{function} has no body"))));
        }
        if property.contains(".unwind.") || property.contains(".recursion") {
            is_cut = true;
            continue;
        }
        let place = &result["sourceLocation"];
        let is_here = place["file"].as_str().is_some_and(|path| path.ends_with(file));
        let line = place["line"].as_str().filter(|_| is_here).and_then(|line| line.parse().ok()).unwrap_or(0);
        errors.push((class(property).to_owned(), line));
    }
    errors.sort_unstable();
    errors.dedup();
    Ok(match (errors.is_empty(), is_cut) {
        (false, _) => Some(Answer::Violated(errors)),
        (true, true) => None,
        (true, false) => Some(Answer::Holds),
    })
}

/// What kind of property it is, by the part of its name behind the function: `main.array_bounds.2`.
fn class(property: &str) -> &str {
    property.rsplit('.').nth(1).unwrap_or(property)
}

/// Whether CBMC's words can be those for an error: its properties are coarser than kinds, and what fails in its library has no line of
/// the program's.
pub fn same((class, line): &(String, u32), error: &Error) -> bool {
    let is_kind = match error.kind.as_str() {
        "assertion" | "abort" | "unreachable" => class == "assertion",
        "division-by-zero" => class == "division-by-zero",
        "overflow" => class == "overflow",
        "shift" => class == "undefined-shift",
        "leak" => class == "memory-leak",
        _ => {
            !matches!(class.as_str(), "assertion" | "division-by-zero" | "overflow" | "undefined-shift" | "memory-leak")
        }
    };
    is_kind && (*line == error.line || *line == 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_class_is_the_part_before_the_number() {
        assert_eq!(class("main.array_bounds.2"), "array_bounds");
        assert_eq!(class("free.precondition.3"), "precondition");
    }

    #[test]
    fn an_error_of_memory_is_any_of_the_properties_of_memory() {
        let error = |kind: &str| Error { kind: kind.to_owned(), line: 4 };
        let found = |class: &str, line| (class.to_owned(), line);
        assert!(same(&found("pointer_dereference", 4), &error("null")));
        assert!(same(&found("precondition", 0), &error("double-free")));
        assert!(!same(&found("pointer_dereference", 5), &error("null")));
        assert!(!same(&found("assertion", 4), &error("null")));
        assert!(!same(&found("array_bounds", 4), &error("assertion")));
    }
}
