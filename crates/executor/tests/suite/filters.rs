//! Recurrences of filters and controllers: bounds of their values are as tight as what natively happens, and not tighter.

use std::time::{Duration, Instant};

use labrys_executor::{Options, prove};

use crate::support::{compile, options};

/// The greatest value of y where y' = Σ aᵢ·yᵢ + u, |u| ≤ 1, from zeros: the sum of the impulse response's sizes.
fn greatest(of_last: &[f64]) -> f64 {
    let mut last = vec![0.0; of_last.len()];
    let (mut sum, mut impulse) = (0.0_f64, 1.0);
    for _ in 0..5000 {
        let now = last.iter().zip(of_last).map(|(y, a)| y * a).sum::<f64>() + impulse;
        sum += now.abs();
        last.rotate_right(1);
        last[0] = now;
        impulse = 0.0;
    }
    sum
}

/// A filter of any order with an assertion about its values, in `float` or `double`.
fn filter(of_last: &[f64], kind: &str, rounds: &str, bound: f64) -> String {
    let count = of_last.len();
    let sum: Vec<String> = of_last.iter().enumerate().map(|(place, a)| format!("({kind}){a:?} * y[{place}]")).collect();
    let shift: String = (1..count).rev().map(|place| format!("y[{place}] = y[{}]; ", place - 1)).collect();
    format!(
        "int main(void) {{ {kind} y[{count}] = {{0}}; for ({rounds}) {{\n\
         {kind} u = __VERIFIER_nondet_{kind}(); if (!(u >= -1 && u <= 1)) return 0;\n\
         {kind} now = {} + u; {shift}y[0] = now; assert(y[0] <= {bound:?} && y[0] >= -{bound:?}); }} }}",
        sum.join(" + ")
    )
}

fn is_proved(text: &str) -> bool {
    prove(&compile(text), &options()).is_ok()
}

/// Whether it is proved in a time that is plenty for what holds.
fn is_proved_soon(text: &str) -> bool {
    let deadline = Some(Instant::now() + Duration::from_secs(8));
    prove(&compile(text), &Options { deadline, ..options() }).is_ok()
}

#[test]
fn bounds_of_filters_are_proved_and_no_tighter_ones() {
    let (endless, counted) = (";;", "int i = 0; i < 1000000; i++");
    for (of_last, kind, rounds) in [
        (&[0.9][..], "double", endless),
        (&[-0.99], "float", counted),
        (&[1.4, -0.7], "double", counted),
        (&[1.8, -0.9], "float", endless),
        (&[0.5, 0.2, -0.6], "double", endless),
        (&[0.0, 0.0, 0.0, 0.9], "double", counted),
    ] {
        let most = greatest(of_last);
        // A `float` may lose more by rounding.
        let more = if kind == "float" { 1.01 } else { 1.0001 };
        let holds = filter(of_last, kind, rounds, most * more);
        assert!(is_proved(&holds), "{holds}");
        let fails = filter(of_last, kind, rounds, most * 0.999);
        assert!(!is_proved_soon(&fails), "{fails}");
    }
}

/// Where a round has several ways, begins anew, or weighs what was read in earlier rounds.
#[test]
fn recurrences_with_ways_are_proved() {
    for (body, holds) in [
        // J. Feret's example, with inputs in [0, 1].
        (
            "double e = in(0, 1), e0 = e, e1, s = 0, s0 = s, s1; for (;;) { e1 = e0; e0 = e; e = in(0, 1); s1 = s0; s0 = s;\n\
             s = 0.7 * e - e0 * 1.3 + e1 * 1.1 + s0 * 1.4 - s1 * 0.7; assert(s >= -4 && s <= 4); }",
            true,
        ),
        (
            "double e = in(0, 1), e0 = e, e1, s = 0, s0 = s, s1; for (;;) { e1 = e0; e0 = e; e = in(0, 1); s1 = s0; s0 = s;\n\
             s = 0.7 * e - e0 * 1.3 + e1 * 1.1 + s0 * 1.4 - s1 * 0.7; assert(s >= -1 && s <= 2); }",
            false,
        ),
        ("double x = 5; for (;;) { x = 0.5 * x + 0.25 * in(-1, 1); assert(x <= 5 && x >= -0.51); }", true),
        ("double x = 5; for (;;) { x = 0.5 * x + 0.25 * in(-1, 1); assert(x <= 5 && x >= -0.49); }", false),
        (
            "float x = 0; for (;;) { if (__VERIFIER_nondet_bool()) x = 1; else x = x * 0.75f + (float)in(0, 1); assert(x <= 4.001f); }",
            true,
        ),
        (
            "float x = 0; for (;;) { if (__VERIFIER_nondet_bool()) x = 1; else x = x * 0.75f + (float)in(0, 1); assert(x <= 3.9f); }",
            false,
        ),
        // A mass on a spring with friction.
        (
            "double x = 1, v = 0; for (;;) { double f = in(-0.01, 0.01); v = 0.98 * v - 0.05 * x + f; x = x + 0.05 * v; assert(x <= 2.5 && x >= -2.5); }",
            true,
        ),
        // Without friction it does not come to rest.
        (
            "double x = 1, v = 0; for (;;) { double f = in(-0.01, 0.01); v = v - 0.05 * x + f; x = x + 0.05 * v; assert(x <= 50); }",
            false,
        ),
    ] {
        let input = "static double in(double a, double b) { double x = __VERIFIER_nondet_double(); if (!(x >= a && x <= b)) exit(0); return x; }";
        let text = format!("{input}\nint main(void) {{ {body} }}");
        assert_eq!(if holds { is_proved(&text) } else { is_proved_soon(&text) }, holds, "{text}");
    }
}
