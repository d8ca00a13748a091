//! What projections cost: nanoseconds for the direct and the inverse one together, on sets as propagation meets them.
//!
//! `cargo bench -p labrys-solver --bench projections`; the fastest of several runs of each row; an argument selects the rows that contain it.

use std::hint::black_box;
use std::time::Instant;

use labrys_float::{Float, Format, RoundingMode};
use labrys_solver::domain::project::{forward, inverse, ulp_maximum};
use labrys_solver::domain::{FloatDomain, ModeDomain};

type Direct = fn(ModeDomain, &FloatDomain, &FloatDomain) -> FloatDomain;
type Inverse = fn(ModeDomain, &FloatDomain, &FloatDomain, &FloatDomain) -> (FloatDomain, FloatDomain);

const OPERATORS: [(&str, Direct, Inverse); 6] = [
    ("add", forward::add, inverse::add),
    ("add by ulp-maximum", forward::add, ulp_maximum::add),
    ("sub", forward::sub, inverse::sub),
    ("mul", forward::mul, inverse::mul),
    ("div", forward::div, inverse::div),
    ("rem", |_, a, b| forward::rem(a, b), |_, r, a, b| inverse::rem(r, a, b)),
];

fn number(format: Format, value: f64) -> Float {
    let environment = labrys_float::Environment::default();
    environment.convert(&Float::from_f64(value), format).value
}

fn between(format: Format, low: f64, high: f64) -> FloatDomain {
    FloatDomain::between(&number(format, low), &number(format, high))
}

/// Nanoseconds of one call.
fn measure(mut call: impl FnMut()) -> f64 {
    let fastest = (0..20).map(|_| {
        let start = Instant::now();
        (0..2000).for_each(|_| call());
        start.elapsed().as_nanos()
    });
    fastest.min().unwrap_or(0) as f64 / 2000.0
}

fn main() {
    let nearest = ModeDomain::only(RoundingMode::NearestEven);
    let wanted = std::env::args().skip(1).find(|argument| !argument.starts_with('-')).unwrap_or_default();
    for (name, format) in [("binary64", Format::BINARY64), ("binary16", Format::BINARY16)] {
        let cases = [
            ("top, top, r top", FloatDomain::top(format), FloatDomain::top(format), FloatDomain::top(format)),
            (
                "positive, r unchanged",
                between(format, 1.0, 3.0),
                between(format, 2.0, 5.0),
                between(format, 0.01, 90.0),
            ),
            ("positive, r narrows", between(format, 1.0, 3.0), between(format, 2.0, 5.0), between(format, 5.1, 5.9)),
            (
                "both signs, r narrows",
                between(format, -7.0, 3.0),
                between(format, -2.0, 5.0),
                between(format, 2.0, 6.0),
            ),
            (
                "one constant, r narrows",
                between(format, -7.0, 7.0),
                between(format, 2.5, 2.5),
                between(format, 2.0, 6.0),
            ),
            (
                "far apart, r narrows",
                between(format, -3.0, 3.0),
                between(format, 1e4, 2e4),
                between(format, 1e4, 1.5e4),
            ),
        ];
        for (operator, direct, indirect) in OPERATORS {
            for (case, a, b, r) in &cases {
                let row = format!("{name} {operator}, {case}");
                if !row.contains(&wanted) {
                    continue;
                }
                let nanoseconds = measure(|| {
                    black_box(direct(nearest, black_box(a), black_box(b)));
                    black_box(indirect(nearest, black_box(r), black_box(a), black_box(b)));
                });
                println!("{row:55} {nanoseconds:8.0} ns");
            }
        }
        if "fma".contains(&wanted) {
            let (a, b, r) = (between(format, 1.0, 3.0), between(format, -2.0, 5.0), between(format, 1.0, 4.0));
            let nanoseconds = measure(|| {
                black_box(forward::fma(nearest, black_box(&a), black_box(&b), black_box(&a)));
                black_box(inverse::fma(nearest, black_box(&r), black_box(&a), black_box(&b), black_box(&a)));
            });
            println!("{:55} {nanoseconds:8.0} ns", format!("{name} fma"));
        }
    }
}
