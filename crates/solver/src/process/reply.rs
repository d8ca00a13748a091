//! What the solver's words mean.

use crate::Why;

/// The answer to a check, still in words.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Verdict {
    /// `sat`.
    Sat,
    /// `unsat`.
    Unsat,
    /// `unknown`.
    Unknown,
}

/// Reads the output of `(check-sat)`: its last line, because z3 prints warnings before it.
///
/// Any `(error …)` makes the answer worthless: an assertion may have been dropped.
pub(super) fn verdict(output: &str) -> Result<Verdict, Why> {
    if let Some(error) = output.lines().find(|line| line.trim_start().starts_with("(error")) {
        return Err(if is_about_memory(error) { Why::Memory } else { Why::Garbage(beginning(error)) });
    }
    match output.lines().rfind(|line| !line.trim().is_empty()).map(str::trim) {
        Some("sat") => Ok(Verdict::Sat),
        Some("unsat") => Ok(Verdict::Unsat),
        Some("unknown") => Ok(Verdict::Unknown),
        Some(line) => Err(Why::Garbage(beginning(line))),
        None => Err(Why::Garbage("(nothing)".to_owned())),
    }
}

/// Takes the answer to `(get-info :rlimit)` out of what is behind a verdict: how much work z3 has done since its reset.
pub(super) fn take_work(output: &mut String) -> Option<u64> {
    const NAME: &str = "(:rlimit ";
    let line = output.lines().find(|line| line.starts_with(NAME))?.to_owned();
    *output = output.lines().filter(|other| *other != line).flat_map(|other| [other, "\n"]).collect();
    line.strip_prefix(NAME)?.trim_end_matches(')').trim().parse().ok()
}

/// Reads the output of `(get-info :reason-unknown)`.
///
/// z3 sometimes says only that it was canceled, which both its work and its time limit do; `in_time` says whether the
/// wall limit had not passed, so that it must have been the former.
pub(super) fn reason_unknown(output: &str, in_time: bool) -> Why {
    let words = output.trim().trim_start_matches("(:reason-unknown").trim_end_matches(')').trim().trim_matches('"');
    if words.contains("resource limit") || words.contains("max. steps") {
        Why::Work
    } else if words.contains("timeout") {
        Why::Wall
    } else if words.contains("cancel") || words.contains("interrupted") {
        if in_time { Why::Work } else { Why::Wall }
    } else if is_about_memory(words) {
        Why::Memory
    } else {
        Why::Incomplete(beginning(words))
    }
}

pub(super) fn is_about_memory(words: &str) -> bool {
    words.contains("memout") || words.contains("out of memory") || words.contains("max. memory")
}

/// The first words of a text, for messages.
pub(super) fn beginning(text: &str) -> String {
    text.trim().chars().take(120).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn warnings_before_the_verdict_are_skipped_and_errors_are_not() {
        assert_eq!(verdict("WARNING: unknown parameter\nsat\n"), Ok(Verdict::Sat));
        assert_eq!(verdict("unsat"), Ok(Verdict::Unsat));
        assert!(matches!(verdict("(error \"line 3: unknown constant q\")\nsat\n"), Err(Why::Garbage(_))));
        assert_eq!(verdict("(error \"out of memory\")"), Err(Why::Memory));
        assert!(matches!(verdict("sat unsat"), Err(Why::Garbage(_))));
        assert!(matches!(verdict("\n"), Err(Why::Garbage(_))));
    }

    #[test]
    fn work_is_told_behind_the_verdict() {
        let mut output = "unsat\n(:rlimit 42222)\n".to_owned();
        assert_eq!((take_work(&mut output), output.as_str()), (Some(42222), "unsat\n"));
        let mut output = "unsat\n(:rlimit many)\n".to_owned();
        assert_eq!((take_work(&mut output), output.as_str()), (None, "unsat\n"));
        let mut output = "sat".to_owned();
        assert_eq!((take_work(&mut output), output.as_str()), (None, "sat"));
    }

    #[test]
    fn z3s_reasons_are_told_apart() {
        assert_eq!(reason_unknown("(:reason-unknown \"max. resource limit exceeded\")\n", false), Why::Work);
        assert_eq!(reason_unknown("(:reason-unknown \"timeout\")", true), Why::Wall);
        assert_eq!(reason_unknown("(:reason-unknown \"canceled\")", true), Why::Work);
        assert_eq!(reason_unknown("(:reason-unknown \"canceled\")", false), Why::Wall);
        assert_eq!(reason_unknown("(:reason-unknown \"memout\")", true), Why::Memory);
        let gave_up = reason_unknown("(:reason-unknown \"(incomplete (theory arithmetic))\")", true);
        assert!(matches!(&gave_up, Why::Incomplete(words) if words.contains("theory arithmetic")), "{gave_up:?}");
    }
}
