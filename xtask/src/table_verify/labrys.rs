//! labrys: `labrys verify --format json`.

use std::path::Path;
use std::process::Command;
use std::time::Duration;

use anyhow::Result;
use serde_json::Value;

use super::judgement::Answer;
use super::limits::{self, Limits};
use crate::process::{self, Finished};
use crate::programs::{Error, Program, folder};

/// How long labrys may outstay its limit before it is killed: it does not count waiting for processors that others use, up to four
/// times its limit.
const GRACE: Duration = Duration::from_secs(10);
const PATIENCE: u32 = 4;

/// What labrys says of a program, and the processor time it took, in seconds. Its limit is one of wall time; it has two threads.
pub fn answer(root: &Path, program: &Program, limits: Limits) -> Result<(Answer, f64)> {
    let mut command = Command::new(crate::labrys(root));
    command.arg("verify").arg(&program.path).args(["--format", "json"]);
    command.arg("--time").arg(format!("{}s", limits.seconds)).arg("--memory").arg(limits.memory_mib.to_string());
    if !program.checks.is_empty() {
        command.arg("--property").arg(format!("assertions,memory,division,shift,{}", program.checks.join(",")));
    }
    command.arg("--").arg(format!("-I{}", folder(root).join("include").display()));
    let before = limits::processor_seconds()?;
    let finished = process::finish(command, Duration::from_secs(u64::from(limits.seconds * PATIENCE)) + GRACE)?;
    let used = limits::processor_seconds()? - before;
    Ok((read(&finished, &program.file()), used))
}

fn read(finished: &Finished, file: &str) -> Answer {
    if !finished.in_time {
        return Answer::Unknown("killed".to_owned());
    }
    let Ok(report) = serde_json::from_slice::<Value>(&finished.output) else {
        let words = process::last_line(&String::from_utf8_lossy(&finished.errors));
        return Answer::Unknown(format!("{}: {words}", finished.status));
    };
    let verdict = report["verdict"].as_str().unwrap_or_default();
    let expected = match verdict {
        "violated" => 1,
        "holds" => 0,
        _ => 3,
    };
    if finished.status.code() != Some(expected) {
        return Answer::Unknown(format!("verdict {verdict}, but {}", finished.status));
    }
    match verdict {
        "violated" => Answer::Violated(errors(&report, file)),
        "holds" => Answer::Holds,
        _ => Answer::Unknown(format!("{verdict}: {}", report["reasons"])),
    }
}

/// The findings that were confirmed natively.
fn errors(report: &Value, file: &str) -> Vec<(String, u32)> {
    let findings = report["findings"].as_array().map(Vec::as_slice).unwrap_or_default();
    let confirmed = findings.iter().filter(|finding| finding["replayed"] == true);
    confirmed
        .map(|finding| {
            let is_here = finding["file"].as_str().is_some_and(|path| path.ends_with(file));
            let line = finding["line"].as_u64().filter(|_| is_here).and_then(|line| u32::try_from(line).ok());
            (finding["kind"].as_str().unwrap_or_default().to_owned(), line.unwrap_or(0))
        })
        .collect()
}

/// Whether a finding is the expected one. Leaks are found at the end and have no line.
pub fn same((kind, line): &(String, u32), error: &Error) -> bool {
    *kind == error.kind && (*line == error.line || kind == "leak")
}

#[cfg(test)]
mod tests {
    use std::os::unix::process::ExitStatusExt;
    use std::process::ExitStatus;

    use super::*;

    fn finished(code: i32, output: &str) -> Finished {
        let status = ExitStatus::from_raw(code << 8);
        Finished { status, output: output.as_bytes().to_vec(), errors: Vec::new(), seconds: 0.0, in_time: true }
    }

    #[test]
    fn only_what_was_replayed_counts_and_the_exit_code_has_to_agree() {
        let report = r#"{"verdict":"violated","findings":[
            {"kind":"null","file":"/x/p.c","line":4,"replayed":true}, {"kind":"shift","file":"/x/p.c","line":5,"replayed":false}]}"#;
        assert_eq!(read(&finished(1, report), "p.c"), Answer::Violated(vec![("null".to_owned(), 4)]));
        assert!(matches!(read(&finished(0, report), "p.c"), Answer::Unknown(_)));
        assert_eq!(read(&finished(0, r#"{"verdict":"holds"}"#), "p.c"), Answer::Holds);
        assert!(matches!(read(&finished(3, r#"{"verdict":"holds-within-bounds"}"#), "p.c"), Answer::Unknown(_)));
        assert!(matches!(read(&finished(2, "usage"), "p.c"), Answer::Unknown(_)));
    }
}
