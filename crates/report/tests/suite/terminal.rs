//! The report for people.

use labrys_float::{Flags, Float};
use labrys_report::{Blame, OutcomeKind, Report, Severity, Sources, Status, Style, TraceEvent, Value, terminal};

use super::samples;

fn sources(text: impl Into<Vec<u8>>) -> Sources {
    let mut sources = Sources::default();
    sources.insert("f.c", text.into());
    sources
}

/// Everything, in full.
fn plain(report: &Report, sources: &Sources) -> String {
    terminal(report, &Style { all: true, ..Style::default() }, sources)
}

/// What is shown where nobody asks for everything.
fn short(report: &Report) -> String {
    terminal(report, &Style::default(), &Sources::default())
}

#[track_caller]
fn expect(text: &str, parts: &[&str]) {
    let mut rest = text;
    for part in parts {
        let at = rest.find(part).unwrap_or_else(|| panic!("`{part}` is missing, or not in this order:\n{text}"));
        rest = &rest[at + part.len()..];
    }
}

#[test]
fn a_diagnostic_has_source_traces_results_and_the_witness() {
    let text = plain(&samples::report(), &sources(samples::SOURCE));
    let parts = [
        "f(double x, double y) in f.c\n",
        "baseline  clang 22.1.8 -O0\n",
        "introduced[",
        "f.c:3:18",
        "3 |     return x / x * y;\n  |                  ^ overflow here in variant (fmul)\n",
        "x = 1e+200  0x1.4e718d7d7625ap+664  0x6974e718d7d7625a\n",
        "baseline: clang 22.1.8 -O0",
        "variant: clang 22.1.8 -O3 -ffast-math",
        "exceptions  none",
        "overflow\n",
        "result      1e+300",
        "inf\n",
        "overflow at f.c:3:18 fmul\n",
        "3 inputs show this; found by search around a solver's input\n",
        "replay: labrys replay",
        "masked[",
        "^ invalid here in baseline (fdiv)",
        "outside fast-math's contract: the baseline raises invalid",
        "severity",
        "introduced               1            0                  0        3",
        "2 distinct divergences on 15 inputs: 123,456 inputs tested in 1.2 s, seed 0\n",
    ];
    expect(&text, &parts);
    assert!(!text.contains('\x1b'), "colour only where it is asked for");
    assert!(
        text.lines().all(|line| line.chars().count() <= Style::default().width && line.trim_end() == line),
        "{text}"
    );
}

#[test]
fn colour_changes_nothing_but_colour() {
    let coloured =
        terminal(&samples::report(), &Style { colour: true, all: true, ..Style::default() }, &sources(samples::SOURCE));
    assert!(coloured.contains('\x1b'));
    let mut bare = String::new();
    let mut parts = coloured.split("\x1b[");
    bare.push_str(parts.next().unwrap_or_default());
    for part in parts {
        bare.push_str(part.split_once('m').map_or("", |(_, rest)| rest));
    }
    let squeezed = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
    assert_eq!(squeezed(&bare), squeezed(&plain(&samples::report(), &sources(samples::SOURCE))));
}

#[test]
fn a_missing_source_leaves_the_location() {
    expect(
        &plain(&samples::report(), &Sources::default()),
        &["introduced[", "--> f.c:3:18\n", "witness", "overflow at f.c:3:18"],
    );
    expect(&plain(&samples::report(), &sources("one line")), &["--> f.c:3:18\n"]);
    let folder = tempfile::tempdir().expect("a temporary folder");
    assert!(!plain(&samples::report(), &Sources::of(&samples::report(), folder.path())).contains("return x"));
    std::fs::write(folder.path().join("f.c"), samples::SOURCE).expect("writable");
    assert!(plain(&samples::report(), &Sources::of(&samples::report(), folder.path())).contains("return x / x * y;"));
}

#[test]
fn odd_sources_keep_the_caret_in_its_place() {
    // Two bytes that are no UTF-8 before the operator, and a tab.
    let latin = b"\n\n    /* \xe9\xe8 */ x * y;\n".to_vec();
    let mut report = samples::report();
    report.findings[0].observations[1].trace[0].place.column = Some(16);
    let text = plain(&report, &sources(latin));
    let lines: Vec<&str> = text.lines().collect();
    let code = lines.iter().position(|line| line.contains("x * y")).expect("the line is shown");
    let column = |line: &str, of: char| line.chars().position(|c| c == of);
    assert_eq!(column(lines[code + 1], '^'), lines[code].chars().position(|c| c == 'y').map(|y| y - 2), "{text}");

    let wide = format!("\n\n    return {} x / x * y;\n", "1 + ".repeat(500));
    let operator = wide.lines().nth(2).and_then(|line| line.find('*')).expect("there is one") as u32 + 1;
    report.findings[0].observations[1].trace[0].place.column = Some(operator);
    let text = plain(&report, &sources(wide));
    expect(&text, &["x / x * y;", "^ overflow here"]);
    assert!(text.lines().all(|line| line.chars().count() <= 160), "long lines are cut:\n{text}");
}

#[test]
fn no_place_makes_it_stumble() {
    let texts: [&[u8]; 6] =
        [b"", b"\n\n\n", b"\n\n\xff\xfe\xfd\n", b"a\r\nb\r\n\tc\r\n", "\n\n\u{1f600} \u{301}\n".as_bytes(), b"x"];
    let mut report = samples::report();
    for text in texts {
        for line in [0, 1, 3, 4, u32::MAX] {
            for column in [None, Some(0), Some(1), Some(2), Some(3), Some(u32::MAX)] {
                let event = &mut report.findings[0].observations[1].trace[0];
                (event.place.line, event.place.column) = (Some(line), column);
                for width in [0, 80, 1000] {
                    let text = terminal(&report, &Style { width, ..Style::default() }, &sources(text));
                    expect(&text, &["introduced[", "witness"]);
                }
            }
        }
    }
}

#[test]
fn events_without_debug_information_stand_in_the_table() {
    let mut report = samples::report();
    let bare = TraceEvent {
        exceptions: Flags::INVALID,
        operator: "fcmp".to_owned(),
        address: Some("0x1139".to_owned()),
        library: Some("exp".to_owned()),
        ..TraceEvent::default()
    };
    report.findings[0].observations[1].trace = vec![bare];
    report.findings[0].observations[1].trace_complete = false;
    let text = plain(&report, &Sources::default());
    expect(&text, &["--> f.c", "the trace of variant is not complete", "invalid at 0x1139 fcmp in exp"]);
}

#[test]
fn long_traces_and_large_arrays_are_cut() {
    let mut report = samples::report();
    let finding = &mut report.findings[0];
    finding.observations[1].trace = (1..=40).map(|line| samples::event(Flags::OVERFLOW, line, 1, "fmul")).collect();
    let element = |i: usize| Value::float(&format!("x[{i}]"), &Float::from_f64(if i == 77 { 2.5 } else { 0.0 }));
    finding.inputs =
        vec![Value::aggregate(Some("x".to_owned()), "double[100]".to_owned(), (0..100).map(element).collect())];
    let text = plain(&report, &Sources::default());
    expect(&text, &["32 more places are not shown", "x[77] = 2.5", "and 99 more that are 0", "and 28 more events"]);
}

/// The control has what is no fast-math flag, too: it was said to show the optimiser's doing where a definition made the difference.
#[test]
fn a_control_says_nothing_of_a_flag_that_it_has() {
    let mut report = samples::report();
    for build in &mut report.target.builds {
        if build.role != "baseline" {
            build.flags.extend(["-DFAST".to_owned(), "-I".to_owned(), "inc".to_owned()]);
        } else {
            build.flags.extend(["-I".to_owned(), "inc".to_owned()]);
        }
    }
    let finding = &mut report.findings[0];
    finding.observations.push(samples::observation("control", f64::INFINITY, Vec::new()));
    let blame = |flags: &[&str]| {
        let flags = flags.iter().map(|flag| (*flag).to_owned()).collect();
        Some(Blame {
            flags,
            level: Some("-O3".to_owned()),
            pass: None,
            sources: Vec::new(),
            place: None,
            place_is_tried: true,
            place_is_of_several: false,
            also: Vec::new(),
            own: Vec::new(),
        })
    };
    let details = samples::of_difference(finding);
    (details.in_control, details.blame) = (true, blame(&["-O3", "-DFAST"]));
    let said = |report: &Report| {
        let text = plain(report, &Sources::default());
        text.split_whitespace().filter(|word| *word != "=").collect::<Vec<_>>().join(" ")
    };
    assert!(
        said(&report).contains("differs too, and says nothing of -DFAST, which it has as well"),
        "{}",
        said(&report)
    );
    samples::of_difference(&mut report.findings[0]).blame = None;
    assert!(said(&report).contains("the optimiser's, or that of -DFAST, which it has as well"), "{}", said(&report));
    samples::of_difference(&mut report.findings[0]).blame = blame(&["-O3"]);
    assert!(said(&report).contains("differs too: the optimiser's doing, not fast-math's"), "{}", said(&report));
}

/// Reports of Rust spoke of fast-math, which it has not, and of a control that was the variant itself.
#[test]
fn of_rust_nothing_is_said_of_fast_math() {
    let mut report = samples::report();
    for build in &mut report.target.builds {
        build.compiler = "rustc 1.95.0".to_owned();
    }
    let finding = &mut report.findings[0];
    finding.observations.push(samples::observation("control", f64::INFINITY, Vec::new()));
    finding.inputs[1] = Value::float("y", &Float::from_f64(f64::NAN));
    let details = samples::of_difference(finding);
    (details.in_control, details.baseline_clean) = (true, false);
    let text = plain(&report, &Sources::default());
    assert!(text.contains("not an ordinary case: y is not finite"), "{text}");
    assert!(!text.contains("fast-math's") && !text.contains("differs too"), "{text}");
}

/// A run that took twice its --time by the clock on the wall said nothing of why.
#[test]
fn waiting_for_processors_is_told_of_every_analysis() {
    let mut report = samples::report();
    report.timing.wall_s = 20.0;
    let mut said = |waited: f64| {
        report.timing.more.insert("waited_for_processors_s".to_owned(), waited);
        plain(&report, &Sources::default()).contains("20.0 s, 9.6 s of them waiting for processors")
    };
    assert!(said(9.6) && !said(1.0));
}

#[test]
fn crashes_control_and_distances_are_said() {
    let mut report = samples::report();
    let finding = &mut report.findings[0];
    samples::of_difference(finding).in_control = true;
    finding.observations.push(samples::observation("control", f64::INFINITY, Vec::new()));
    finding.inputs[1] = Value::float("y", &Float::from_f64(f64::NAN));
    samples::of_difference(finding).baseline_clean = false;
    let crashed = &mut finding.observations[1];
    (crashed.outcome, crashed.signal, crashed.result) = (OutcomeKind::Signal, Some(11), None);
    let close = &mut report.findings[1];
    close.severity = Severity::Ulps;
    samples::of_difference(close).baseline_clean = true;
    close.observations[0] = samples::observation("baseline", 1.0, Vec::new());
    close.observations[1] = samples::observation("variant", 1.0 + 8.0 * f64::EPSILON, Vec::new());
    let text = plain(&report, &Sources::default());
    expect(&text, &["ulps[", "--> f.c\n", "result", "1.0000000000000018", "8 ulps apart"]);
    let crash = [
        "outside fast-math's contract: y is not finite",
        "control",
        "-ffp-contract=off) differs too",
        "returned",
        "signal 11 (SIGSEGV)",
    ];
    expect(&text, &crash);
}

#[test]
fn an_empty_report_does_not_claim_a_proof() {
    let mut report = samples::report();
    report.findings.clear();
    report.notes.push("z3 is missing: conditions were not solved".to_owned());
    expect(&plain(&report, &Sources::default()), &["no difference found", "not a proof", "note: z3 is missing"]);
    report.status = Status::Limit;
    expect(&plain(&report, &Sources::default()), &["no difference found", "cut short by a limit"]);
}

#[test]
fn what_the_flags_allow_is_a_line() {
    let report = samples::report();
    let text = short(&report);
    let id = &report.findings.iter().find(|finding| finding.severity == Severity::Masked).expect("there is one").id;
    let parts = [
        "introduced[",
        "witness",
        "1 divergence that -ffast-math openly allows",
        "--all",
        "  masked  ",
        id,
        "baseline raises invalid",
        "2 distinct divergences",
    ];
    expect(&text, &parts);
    assert!(!text.contains("masked[") && text.matches("witness").count() == 1, "{text}");
    assert!(text.lines().all(|line| line.chars().count() <= Style::default().width), "{text}");
    assert!(plain(&report, &Sources::default()).contains("masked["));
}

#[test]
fn what_no_flag_allows_is_shown_in_full() {
    // A strict build has no licence, and no flag allows a crash.
    let mut strict = samples::report();
    strict.target.builds[1].flags =
        vec!["-O3".to_owned(), "-ffast-math".to_owned(), "-fno-finite-math-only".to_owned()];
    let mut crash = samples::report();
    crash.findings.iter_mut().for_each(|finding| finding.observations[1].outcome = OutcomeKind::Signal);
    for report in [strict, crash] {
        let text = short(&report);
        assert!(text.contains("masked[") && !text.contains("openly allows"), "{text}");
    }
}

#[test]
fn of_many_divergences_the_first_are_shown_in_full() {
    let mut report = samples::report();
    let one = samples::introduced();
    report.findings =
        (0..60).map(|count| labrys_report::Finding { id: format!("id{count:02}"), ..one.clone() }).collect();
    let text = short(&report);
    assert_eq!(text.matches("introduced[").count(), 20, "{text}");
    expect(&text, &["introduced[id19]", "40 more divergences", "introduced  id20", "id34", "and 25 more\n"]);
}

/// Names, paths, notes, compilers' versions and the source's own bytes: nothing of a report reaches the terminal but as text.
#[test]
fn nothing_in_a_report_speaks_to_the_terminal() {
    let evil = |name: &str| format!("{name}\x1b[2J\x1b]0;owned\x07\nerror: \u{202e}\u{9b}1m\r");
    let shown = |name: &str| format!("{name}\\x1b[2J\\x1b]0;owned\\x07\\nerror: \\u{{202e}}\\u{{9b}}1m\\r");
    let mut report = samples::report();
    let file = evil("f.c");
    report.target.function = evil("f");
    report.target.file.clone_from(&file);
    report.target.parameters[0].name = evil("x");
    report.target.builds[0].compiler = evil("clang");
    report.notes.push(evil("note"));
    report.findings[0].summary = evil("summary");
    report.findings[0].command = Some(evil("labrys replay"));
    for event in report.findings[0].observations.iter_mut().flat_map(|seen| &mut seen.trace) {
        event.place.file = Some(file.clone());
        event.function = Some(evil("g"));
    }
    let mut sources = Sources::default();
    sources.insert(&file, samples::SOURCE.replace("return", "re\x1b[2J\u{202e}turn").into_bytes());
    for colour in [false, true] {
        let text = terminal(&report, &Style { all: true, colour, width: 500 }, &sources);
        let plain = uncoloured(&text);
        let hidden = plain.chars().find(|c| (c.is_control() && *c != '\n') || ('\u{202a}'..='\u{202e}').contains(c));
        assert_eq!(hidden, None, "{plain:?}");
        for name in ["f", "f.c", "x", "clang", "note", "summary", "labrys replay"] {
            assert!(plain.contains(&shown(name)), "{name}: {plain}");
        }
        assert!(plain.contains("turn x / x * y"), "the source's line is shown: {plain}");
    }
}

/// The text without colours: `ESC [ numbers m`.
fn uncoloured(text: &str) -> String {
    let mut pieces = text.split("\x1b[");
    let mut plain = pieces.next().unwrap_or_default().to_owned();
    for piece in pieces {
        let behind = piece.trim_start_matches(|c: char| c.is_ascii_digit() || c == ';');
        plain.push_str(behind.strip_prefix('m').unwrap_or("\x1b["));
    }
    plain
}
