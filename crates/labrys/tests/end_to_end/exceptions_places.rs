//! Whose an exception is where several operations stand at one place, and of which results it tells.

use crate::exceptions::pairs;
use crate::harness::Bench;

/// The verdicts on overflow, by operator, on these ranges of `a` and `b`.
fn overflows(bench: &Bench, file: &str, more: &[&str]) -> Vec<(String, String)> {
    let run = bench.labrys(&[&["exceptions", file, "--format", "json"], more].concat());
    let of = |pair: (u64, String, String, String)| (pair.2 == "overflow").then_some((pair.1, pair.3));
    let mut found: Vec<(String, String)> = pairs(&run).into_iter().filter_map(of).collect();
    found.sort();
    found
}

/// `a*b + b*a` in Fortran is one product, and its sum with itself at the same place: `addsd x, x` was taken for a product by 2, the product said to overflow,
/// which it cannot, and the sum to be unknown.
#[test]
fn a_sum_of_a_number_with_itself_is_no_product() {
    let fortran = "double precision function twice(a, b)\n  double precision, intent(in) :: a, b\n  \
                   twice = a*b + b*a\nend function\n";
    let c = "#define P(a, b) ((a) * (b) + (a) * (b))\ndouble f(double a, double b) { return P(a, b); }\n";
    let square = "complex(8) function csq(z)\n  complex(8), intent(in) :: z\n  csq = z*z\nend function\n";
    let bench = Bench::new(&[("f.f90", fortran), ("f.c", c), ("z.f90", square)]);
    let ranges = ["--range", "a=1..1.3e154", "--range", "b=1..1.3e154"];
    let known = |operator: &str, verdict: &str| (operator.to_owned(), verdict.to_owned());
    let expected = [known("fadd", "reachable"), known("fmul", "unreachable")];
    assert_eq!(overflows(&bench, "f.f90", &ranges), expected);
    // clang's -O0 multiplies twice.
    assert_eq!(overflows(&bench, "f.c", &[&ranges[..], &["--", "-O2"]].concat()), expected);
    // Products of equal numbers are one instruction; both that and the sum overflow on many inputs.
    let expected = [known("fadd", "reachable"), known("fmul", "reachable"), known("fsub", "unreachable")];
    assert_eq!(overflows(&bench, "z.f90", &[]), expected);
}

/// Both operations are sums of a register with itself: what the IR computes tells them apart.
#[test]
fn two_doublings_at_one_place_are_told_apart_by_values() {
    let source = "#define T(a) (2 * (a) + 2 * (a))\ndouble f(double a) { return T(a); }\n";
    let bench = Bench::new(&[("f.c", source)]);
    let overflows = |input: &str| {
        let found = overflows(&bench, "f.c", &["--input", input, "--", "-O2"]);
        found
            .into_iter()
            .filter(|(_, verdict)| verdict == "reachable")
            .map(|(operator, _)| operator)
            .collect::<Vec<_>>()
    };
    assert_eq!(overflows("a=1e308"), ["fmul"]);
    assert_eq!(overflows("a=0x1p1022"), ["fadd"]);
}

/// What was made of 1e12 by a conversion to an integer of 32 bits was "harmless, the result is right", where it was written through a pointer.
#[test]
fn integers_that_are_written_are_results() {
    let source = "#include <stdint.h>\nvoid quant(const double x[2], int16_t q[2]) {\n  q[0] = (int16_t)(int)(x[0] * 100);\n  \
                  q[1] = (int16_t)(int)(x[1] * 100);\n}\n";
    let bench = Bench::new(&[("sp.c", source)]);
    let arguments = ["exceptions", "sp.c", "-f", "quant", "--only", "invalid", "--inputs", "finite", "--all"];
    let run = bench.labrys(&[&arguments[..], &["--format", "json"]].concat());
    run.expect_code(1);
    for output in ["q[0]", "q[1]"] {
        let why = format!("The true value of {output} is not known: it depends on an undefined value.");
        let finding = run.finding("invalid", |finding| finding["notes"].to_string().contains(&why));
        assert_eq!(finding["severity"], "unclassified", "{finding}");
    }
}

/// Where a report was made a file below is relative to; where it is replayed another one may be.
#[test]
fn a_finding_is_replayed_in_any_folder() {
    let bench = Bench::new(&[("inner/f.c", "double inverse(double x) {\n    return 1.0 / x;\n}\n")]);
    let source = bench.path().join("inner/f.c").display().to_string();
    let run = bench.labrys(&["exceptions", &source, "-f", "inverse", "--time", "5s", "-o", "out", "--format", "json"]);
    run.expect_code(1);
    let found = run.finding("a division by zero", |finding| finding["exception"]["exception"] == "divbyzero");
    assert_eq!(found["exception"]["site"]["file"], "inner/f.c", "{found}");
    let id = found["id"].as_str().expect("an id").to_owned();
    let replay = |folder: &str, report: &str| {
        let replay = format!("cd {folder} && exec '{}' replay {report}/{id}.json", env!("CARGO_BIN_EXE_labrys"));
        bench.program("sh", &["-c", &replay]).expect_code(1);
    };
    replay(".", "out");
    replay("inner", "../out");
    replay("out", ".");
}
