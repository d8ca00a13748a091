//! What it says of a divergence that the strict control shows it, too.
//!
//! The control is made as the variant is, without what weakens floating-point semantics. What else the variant says and the baseline does not, a
//! definition (`-DFAST`) or `-funsigned-char`, the control says as well: where that is to blame, or may be, the control tells nothing of it.

use crate::{BuildInfo, DifferenceDetails, Finding, Report};

/// The remark on a divergence that the control shows; `shown` is the build in words.
pub fn control_remark(
    report: &Report,
    finding: &Finding,
    details: &DifferenceDetails,
    shown: impl Fn(&BuildInfo) -> String,
) -> Option<String> {
    // Rust's compiler has no flags that weaken arithmetic: its control tells nothing.
    if !details.in_control || report.target.is_rust() {
        return None;
    }
    let roles = finding.observations.iter().map(|seen| seen.role.as_str());
    let control = roles.filter(|role| role.starts_with("control")).find_map(|role| report.target.build(role));
    let words = control.map(|build| format!(" ({})", shown(build))).unwrap_or_default();
    let baseline = details.between.first().and_then(|role| report.target.build(role));
    let shared = control.map(|control| shared_words(details, control, baseline)).unwrap_or_default();
    let what = match (shared.as_slice(), &details.blame) {
        ([], Some(blame)) if blame.flags.is_empty() => "differs too: the compiler's doing, not fast-math's".to_owned(),
        ([], _) => "differs too: the optimiser's doing, not fast-math's".to_owned(),
        (shared, Some(_)) => format!("differs too, and says nothing of {}, which it has as well", shared.join(", ")),
        (shared, None) => {
            format!(
                "differs too: not fast-math's doing, but the optimiser's, or that of {}, which it has as well",
                shared.join(", ")
            )
        }
    };
    Some(format!("the strict control{words} {what}"))
}

/// The words that are blamed and that the control has; where nothing is blamed, those that it has and the baseline has not. Levels apart.
fn shared_words(details: &DifferenceDetails, control: &BuildInfo, baseline: Option<&BuildInfo>) -> Vec<String> {
    let has = |build: &BuildInfo, words: &str| {
        let words: Vec<&str> = words.split(' ').collect();
        build.flags.windows(words.len()).any(|of| of.iter().map(String::as_str).eq(words.iter().copied()))
    };
    match &details.blame {
        Some(blame) => {
            let others = blame.flags.iter().filter(|flag| Some(*flag) != blame.level.as_ref());
            // What the variant does not say, and the baseline does, the control may lack as well.
            let is_shared = |flag: &&String| match flag.strip_prefix("no ") {
                Some(lacking) => !has(control, lacking),
                None => has(control, flag),
            };
            others.filter(is_shared).cloned().collect()
        }
        None => {
            let Some(baseline) = baseline else { return Vec::new() };
            let is_of_control = |flag: &&String| {
                let levels = ["-O", "-C", "opt-level=", "-Copt-level="];
                !has(baseline, flag)
                    && *flag != "-ffp-contract=off"
                    && !levels.iter().any(|level| flag.starts_with(level))
            };
            control.flags.iter().filter(is_of_control).cloned().collect()
        }
    }
}
