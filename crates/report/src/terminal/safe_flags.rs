//! The largest parts of a variant's flags under which nothing was found.

use super::style::Style;
use super::table::wrap;
use crate::{Report, SafeFlags, grouped};

/// The sets, what spoils others, and lines to paste.
pub(super) fn render(report: &Report, style: &Style) -> String {
    let Some(safe) = &report.safe_flags else { return String::new() };
    let severity = safe.severity.name();
    let head = format!("largest parts of the variant's flags without a divergence of severity {severity} or worse:");
    let mut text = format!("\n{}\n", style.bold(&head));
    if safe.sets.is_empty() {
        text.push_str("  none was found\n");
    }
    for (index, set) in safe.sets.iter().enumerate() {
        let speed = report.timing.more.get(&SafeFlags::timing_key(index));
        let speed = speed.map(|speed| format!(", {speed:.2} times as fast as the baseline")).unwrap_or_default();
        let tested = format!("{} in {} inputs{speed}", set.verdict.words(), grouped(set.inputs));
        let without = match set.left_out.is_empty() {
            true => "; these are all of the variant's flags".to_owned(),
            false => format!("; left out: {}", set.left_out.join(" ")),
        };
        let words = format!("{}: {tested}{without}", set.flags.join(" "));
        let lines = wrap(&words, style.columns().saturating_sub(5).max(20));
        text.push_str(&format!("  {}. {}\n", index + 1, lines.join("\n     ")));
        for proof in &set.proofs {
            let lines = wrap(proof, style.columns().saturating_sub(5).max(20));
            text.push_str(&format!("     {}\n", lines.join("\n     ")));
        }
        for snippet in [&set.cmake, &set.cargo] {
            snippet.lines().for_each(|line| text.push_str(&format!("       {line}\n")));
        }
    }
    for spoilt in &safe.spoilt {
        let lines = wrap(&spoilt.join(" "), style.columns().saturating_sub(13).max(20));
        text.push_str(&format!("  diverges: {}\n", lines.join("\n            ")));
    }
    for note in &safe.notes {
        let lines = wrap(note, style.columns().saturating_sub(5).max(20));
        text.push_str(&format!("  {}\n", lines.join("\n     ")));
    }
    if let Some(why) = &safe.unfinished {
        text.push_str(&format!("  there may be others: {why}\n"));
    }
    text
}
