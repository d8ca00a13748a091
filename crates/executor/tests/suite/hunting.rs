//! What is looked for beside the paths: it is found in seconds, on an input that shows it, and where nothing goes wrong nothing is.

use std::time::{Duration, Instant};

use labrys_executor::{Options, Outcome, ViolationKind, glance, hunt, replay};

use crate::support::{compile, options};

/// What is found at once or by following paths. Its input was run again, and leads there.
fn found(text: &str) -> Outcome {
    let program = compile(text);
    let options = Options { deadline: Some(Instant::now() + Duration::from_secs(20)), ..options() };
    let outcome = glance(&program, &options).unwrap_or_else(|| hunt(&program, &options));
    for violation in &outcome.violations {
        let again = replay(&program, &options, &violation.input);
        assert_eq!(again.violations.first().map(|of| &of.stack), Some(&violation.stack), "{text}\n{outcome:?}");
    }
    outcome
}

/// Bugs of many rounds: repeated choices, counters, states that are all new, halvings, and numbers on ways that are not merged.
#[test]
fn bugs_of_many_rounds_are_found() {
    for body in [
        "int t[8], n = 0, head = 0; for (;;) { int k = __VERIFIER_nondet_int(); if (k == 1) { if (n <= 8) { t[(head + n) % 8] = k; n++; } } \
         else if (k == 2) { if (n > 0) { head = (head + 1) % 8; n--; } } else if (k == 3) break; assert(n <= 8); }",
        "double y = 0; for (;;) { double x = __VERIFIER_nondet_double(); if (!(x >= -1 && x <= 1)) continue; y = 0.9 * y + 0.1 * x; assert(y <= 0.99); }",
        "unsigned n = 0; double s = 0; for (;;) { double x = __VERIFIER_nondet_double(); if (x > 0.5 && x < 1) { s += 1; n++; } else { s = 0; n = 0; } assert(s < 1000); }",
        "double low = 1, high = 2; for (;;) { double m = low + (high - low) / 2; int up = __VERIFIER_nondet_int(); assert(low < m || low == high); if (up) low = m; else high = m; }",
        "int at = 0; for (;;) { int k = __VERIFIER_nondet_int(); if (k == at * at + 3) at++; else if (k == -1) at = 0; assert(at < 12); }",
        "int a = 0, b = 0; for (;;) { if (__VERIFIER_nondet_bool()) a = (a + 1) % 7; else b = (b + a) % 5; assert(a != 6 || b != 4); }",
    ] {
        let outcome = found(&format!("int main(void) {{ {body} return 0; }}"));
        let kinds: Vec<&ViolationKind> = outcome.violations.iter().map(|of| &of.kind).collect();
        assert!(matches!(kinds[..], [ViolationKind::Assertion(_)]), "{body}: {kinds:?}");
    }
}

#[test]
fn where_nothing_goes_wrong_all_paths_are_followed() {
    let outcome = found(
        "int main(void) { int n = 0; for (int i = 0; i < 5; i++) { if (__VERIFIER_nondet_bool()) n += i; assert(n <= 10); } return 0; }",
    );
    assert!(outcome.violations.is_empty() && outcome.unexplored.is_empty(), "{outcome:?}");
    assert_eq!(outcome.paths.completed, 32);
}
