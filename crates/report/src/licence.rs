//! What the flags of a build openly allow.
//!
//! `-ffinite-math-only`, which `-ffast-math` and `-Ofast` imply, tells the compiler "that arguments and results are not NaNs
//! or +-Infs" (GCC's manual, *Options That Control Optimization*; clang's *User's Manual* in the same words). Where the
//! baseline, which computes what the source says, meets a NaN or an infinity, the flag's user has promised that the case
//! does not come up, and the compiler may do as it likes.
//!
//! **Claim.** A divergence that is called licensed here is one on such an input: an argument is not finite, or the baseline
//! raises invalid, division by zero or overflow, or returns what is not finite. Ends other than a return are never called
//! licensed, though a flag may be their cause: a crash is worth reading. Nor is what the strict control does, too: the flag has no part in it.

use crate::{Finding, OutcomeKind, Report};

/// The word among these flags by which a compiler assumes that there are neither NaNs nor infinities, if it does: later words
/// undo earlier ones.
pub fn finite_math_word(flags: &[String]) -> Option<&str> {
    // The last optimisation level decides whether it is -Ofast; words that say it outright come before that.
    let mut by_level = None;
    let mut outright = None;
    for flag in flags.iter().map(String::as_str) {
        match flag {
            "-Ofast" => by_level = Some(flag),
            "-ffast-math" | "-ffinite-math-only" | "-ffp-model=aggressive" => outright = Some(Some(flag)),
            "-fno-fast-math" | "-fno-finite-math-only" => outright = Some(None),
            _ if flag.starts_with("-ffp-model=") => outright = Some(None),
            _ if flag.starts_with("-O") => by_level = None,
            _ => {}
        }
    }
    outright.unwrap_or(by_level)
}

/// Whether one of these flags promises that there are no NaNs, or no infinities: [`finite_math_word`], and its parts.
pub fn has_finite_math(flags: &[String]) -> bool {
    let is_part = |flag: &String| ["-fno-honor-nans", "-fno-honor-infinities"].contains(&flag.as_str());
    finite_math_word(flags).is_some() || flags.iter().any(is_part)
}

/// The variant's flag that allows a divergence, if one does.
pub fn licence<'a>(report: &'a Report, finding: &Finding) -> Option<&'a str> {
    let returned = |role: &String| finding.observation(role).is_some_and(|seen| seen.outcome == OutcomeKind::Returned);
    let details = finding.difference()?;
    if details.baseline_clean || details.in_control || !details.between.iter().all(returned) {
        return None;
    }
    let variant = details.between.get(1).and_then(|role| report.target.build(role))?;
    finite_math_word(&variant.flags)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_promise_may_be_said_in_parts() {
        let promises = |flags: &[&str]| has_finite_math(&flags.iter().map(|of| (*of).to_owned()).collect::<Vec<_>>());
        assert!(promises(&["-O3", "-fno-honor-nans"]) && promises(&["-ffinite-math-only"]));
        assert!(!promises(&["-O3", "-fassociative-math", "-fno-signed-zeros"]));
    }

    #[test]
    fn the_last_word_decides() {
        let word = |flags: &str| {
            let words: Vec<String> = flags.split_whitespace().map(str::to_owned).collect();
            finite_math_word(&words).map(str::to_owned)
        };
        assert_eq!(word("-O3 -ffast-math").as_deref(), Some("-ffast-math"));
        assert_eq!(word("-O2 -ffinite-math-only -fno-math-errno").as_deref(), Some("-ffinite-math-only"));
        assert_eq!(word("-Ofast -march=native").as_deref(), Some("-Ofast"));
        assert_eq!(word("-ffp-model=aggressive").as_deref(), Some("-ffp-model=aggressive"));
        for strict in [
            "",
            "-O3 -ffp-contract=off",
            "-ffast-math -fno-fast-math",
            "-Ofast -fno-finite-math-only",
            "-Ofast -O2",
            "-ffast-math -ffp-model=strict",
            "-O3 -funsafe-math-optimizations",
            "-C opt-level=3",
        ] {
            assert_eq!(word(strict), None, "{strict}");
        }
    }
}
