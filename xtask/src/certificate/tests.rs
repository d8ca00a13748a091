//! Kept certificates are proved, altered ones refused. `crates/bounds/tests/suite/golden.rs` makes them.

use std::path::Path;

use super::check;

/// Names and texts of the kept certificates.
fn kept() -> Vec<(String, String)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("certificates");
    let mut files: Vec<_> = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    files.iter().map(|file| (file.display().to_string(), std::fs::read_to_string(file).unwrap())).collect()
}

/// Those whose bounds are not far above the sums that they bound, and not zero.
fn tight() -> Vec<(String, String)> {
    kept().into_iter().filter(|(_, text)| !text.contains("\ngap ") && !text.contains("\nbound 0.0\n")).collect()
}

/// A root of what may be negative is a proof only with the guards that say that it is not taken of negative numbers.
#[test]
fn roots_without_their_guards_are_refused() {
    let roots: Vec<_> = kept().into_iter().filter(|(name, _)| name.contains("/root-")).collect();
    assert_eq!(roots.len(), 4);
    for (name, text) in roots.iter().filter(|(name, _)| !name.contains("-1-1")) {
        assert!(check(text).is_ok(), "{name}");
        for side in ["computed ", "exact "] {
            assert!(check(&altered(text, side, |_| None)).is_err(), "{name} without the guards of {side}values");
        }
        // 0 <= d is no such guard where it is d <= 0.
        let turned = altered(text, "formula atmost ", |operands| {
            let (a, b) = operands.split_once(' ').unwrap();
            Some(format!("{b} {a}"))
        });
        assert!(check(&turned).is_err(), "{name} turned");
    }
}

/// The text with the lines that begin so changed, or left out.
fn altered(text: &str, start: &str, change: impl Fn(&str) -> Option<String>) -> String {
    let lines = text.lines().filter_map(|line| match line.strip_prefix(start) {
        Some(rest) => change(rest).map(|rest| format!("{start}{rest}")),
        None => Some(line.to_owned()),
    });
    lines.collect::<Vec<_>>().join("\n")
}

fn scaled(text: &str, start: &str, factor: f64) -> String {
    altered(text, start, |number| Some(format!("{:?}", number.parse::<f64>().unwrap() * factor)))
}

#[test]
fn kept_certificates_are_proved() {
    let kept = kept();
    assert!(kept.len() >= 9, "{}", kept.len());
    for (name, text) in kept {
        check(&text).unwrap_or_else(|error| panic!("{name}: {error:#}"));
    }
}

#[test]
fn bounds_that_are_too_small_are_refused() {
    for (name, text) in tight() {
        assert!(check(&scaled(&text, "leaf ", 0.8)).is_err(), "{name}");
        assert!(check(&scaled(&text, "bound ", 0.999)).is_err(), "{name}");
        // Larger ones are true, too.
        assert!(check(&scaled(&scaled(&text, "leaf ", 1.5), "bound ", 1.5)).is_ok(), "{name}");
    }
}

#[test]
fn trees_that_do_not_cover_the_box_are_refused() {
    for (name, text) in kept() {
        let last = text.trim_end().rfind('\n').unwrap();
        assert!(check(&text[..=last]).is_err(), "{name}: a leaf is missing");
        assert!(check(&format!("{text}leaf 1.0\n")).is_err(), "{name}: a leaf too many");
        let outside = altered(&text, "leaf", |_| Some(String::new())).replace("\nleaf", "\noutside");
        assert!(check(&outside).is_err(), "{name}: boxes with inputs are said to have none");
        if text.contains("\nsplit") {
            let beyond = altered(&text, "split ", |rest| Some(format!("{} 1e9", rest.split(' ').next().unwrap())));
            assert!(check(&beyond).is_err(), "{name}: divided where it is not");
        }
    }
}

#[test]
fn proofs_of_other_programs_are_refused() {
    for (name, text) in tight() {
        // Of calls the steps say what they err.
        if text.contains(" near") && !text.contains(" call ") {
            let doubled = text.replace(" near", " any");
            assert!(check(&doubled).is_err(), "{name}: roundings in any direction err twice as much");
        }
        let coarse = text.replace("round 53 ", "round 51 ").replace("round 11 ", "round 9 ");
        assert!(check(&coarse).is_err(), "{name}: a smaller precision");
        if text.contains(" steps 4") {
            assert!(check(&text.replace(" steps 4", " steps 9")).is_err(), "{name}: a worse libm");
        }
    }
}

#[test]
fn nonsense_is_refused() {
    let text = "bounds 2\nmeasure absolute\nbound 1.0\ninput 0.0 1.0 53 -1022\nnode input 0\nresult 0\nleaf 0.0\n";
    assert_eq!(check(text).unwrap(), 1);
    let wrong = [
        ("bounds 2", "bounds 1"),
        ("node input 0", "node input 1"),
        ("node input 0", "node add 0 0"),
        ("node input 0", "node sqrt 0"),
        ("node input 0", "node wonder 0"),
        ("result 0", "result 1"),
        ("result 0\n", ""),
        ("leaf 0.0", "leaf NaN"),
        ("leaf 0.0", "leaf 2.0"),
        ("leaf 0.0", "leaf -1.0"),
        ("input 0.0 1.0", "input 1.0 0.0"),
        ("input 0.0 1.0", "input 0.0 inf"),
        ("53 -1022", "64 -16382"),
        ("result 0", "formula and 0\nresult 0"),
    ];
    for (from, to) in wrong {
        assert!(check(&text.replace(from, to)).is_err(), "{from} {to}");
    }
}
