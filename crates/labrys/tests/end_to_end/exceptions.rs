//! `labrys exceptions` as a user meets it.

use serde_json::{Value, json};

use crate::harness::{Bench, Run, workspace};

fn example(name: &str) -> String {
    workspace().join("examples").join(name).display().to_string()
}

/// The pairs of a report: (line, operator, exception, verdict).
pub fn pairs(run: &Run) -> Vec<(u64, String, String, String)> {
    let text = |site: &Value, name: &str| site[name].as_str().unwrap_or_default().to_owned();
    let sites = run.json()["sites"].as_array().cloned().unwrap_or_default();
    let of = |site: &Value| {
        (site["line"].as_u64().unwrap_or(0), text(site, "operator"), text(site, "exception"), text(site, "verdict"))
    };
    sites.iter().map(of).collect()
}

/// What is known of an exception over all sites: the verdicts, sorted, each once.
pub fn verdicts(run: &Run, exception: &str) -> Vec<String> {
    let mut verdicts: Vec<String> =
        pairs(run).into_iter().filter(|pair| pair.2 == exception).map(|pair| pair.3).collect();
    verdicts.sort();
    verdicts.dedup();
    verdicts
}

/// Barr, Vo, Le, Su, POPL 2013, figure 1: what Ariadne found no exception in is proved to have only one.
#[test]
fn the_guarded_average_can_only_underflow() {
    let bench = Bench::new(&[]);
    let run =
        bench.labrys(&["exceptions", &example("average.c"), "-f", "average", "--inputs", "finite", "--format", "json"]);
    run.expect_code(1);
    for exception in ["overflow", "invalid", "divbyzero"] {
        assert_eq!(verdicts(&run, exception), ["unreachable"], "{exception}");
    }
    assert_eq!(verdicts(&run, "underflow"), ["reachable"]);
    // An odd subnormal number halved.
    let finding = run.finding("underflow", |finding| finding["exception"]["exception"] == "underflow");
    assert_eq!(finding["observations"][0]["flags"], json!(["underflow"]));
}

#[test]
fn the_plain_averages_overflow_where_they_should() {
    let bench = Bench::new(&[]);
    let overflows = |function: &str| {
        let arguments = ["exceptions", &example("average.c"), "-f", function, "--inputs", "finite", "--format", "json"];
        let run = bench.labrys(&arguments);
        verdicts(&run, "overflow").contains(&"reachable".to_owned())
    };
    assert!(overflows("average1"), "(x + y) / 2");
    assert!(!overflows("average2"), "x / 2 + y / 2");
    assert!(overflows("average3"), "x + (y - x) / 2");
    assert!(overflows("average4"), "y + (x - y) / 2");
}

/// Traces end after some hundred events: what only comes after a loop that overflows each time was not seen, as in
/// gsl_sf_conicalP_cyl_reg_e behind its continued fraction.
#[test]
fn a_loop_of_overflows_hides_no_division_by_zero_behind_it() {
    let text = "double f(double x) {\n  double sum = 0;\n  for (int i = 0; i < 2000; i++)\n    sum += x * 1e308 > i;\n  \
                return sum / (x - 1e10);\n}\n";
    let bench = Bench::new(&[("f.c", text)]);
    let run = bench.labrys(&["exceptions", "f.c", "-f", "f", "--input", "x=1e10", "--format", "json"]);
    run.expect_code(1);
    let of_line = |line: u64| pairs(&run).into_iter().find(|pair| pair.0 == line && pair.3 == "reachable");
    assert!(of_line(4).is_some_and(|pair| pair.2 == "overflow"));
    assert!(of_line(5).is_some_and(|pair| pair.2 == "divbyzero"), "{:?}", pairs(&run));
}

/// Code like gsl_sf_bessel_Knu_scaled_asympx_e, the paper's figure 2.
#[test]
fn an_asymptotic_expansion_raises_everything() {
    let bench = Bench::new(&[]);
    let run = bench.labrys(&["exceptions", &example("knu.c"), "-f", KNU, "--format", "json"]);
    run.expect_code(1);
    for exception in ["overflow", "invalid", "divbyzero", "underflow"] {
        assert!(verdicts(&run, exception).contains(&"reachable".to_owned()), "{exception}");
    }
    // x = 0 under a nu that is not: the quotient's pole is honest. An intermediate overflow is not.
    run.finding("a lost result", |finding| {
        finding["severity"] == "lost" && finding["exception"]["exception"] == "overflow"
    });
    run.finding("an honest pole", |finding| {
        finding["severity"] == "honest" && finding["exception"]["exception"] == "divbyzero"
    });
}

/// One output's fault was told of exceptions that only others depend on: of eraTpors in ERFA an infinite angle, which makes
/// one result NaN rightly, was said to lose another one, in which a small operand is absorbed.
#[test]
fn an_exception_answers_for_the_outputs_that_depend_on_it() {
    let text = "void f(double x, double y, double *p, double *q) {\n  *p = x * x;\n  *q = (y + 1e30) - 1e30;\n}\n";
    let bench = Bench::new(&[("f.c", text)]);
    let run = bench.labrys(&["exceptions", "f.c", "--input", "x=1e200,y=1", "--format", "json"]);
    run.expect_code(1);
    let finding = run.finding("an overflow", |finding| finding["exception"]["exception"] == "overflow");
    assert_eq!(finding["severity"], "honest", "{finding}");
    assert_eq!(finding["summary"], "overflow at 2:10 (fmul in f): the true p does so too");
    assert_eq!(finding["exception"]["output"], "p");
    // Where it does lose an output, that one is named.
    let text = text.replace("x * x", "x * x / x");
    let bench = Bench::new(&[("f.c", &text)]);
    let run = bench.labrys(&["exceptions", "f.c", "--input", "x=1e200,y=1"]);
    run.expect_code(1);
    for part in ["overflow at 2:10 (fmul in f): p is lost, it is", "  true p      9.99"] {
        assert!(run.stdout.contains(part), "{part}:\n{}", run.stdout);
    }
}

/// What is computed for nothing harms nothing, whatever else the function does.
#[test]
fn an_exception_that_no_output_depends_on_is_harmless() {
    let text = "double f(double x, double y) {\n  volatile double z = x * x;\n  return (y * y + 1 + 1e30) - 1e30;\n}\n";
    let bench = Bench::new(&[("f.c", text)]);
    let run = bench.labrys(&["exceptions", "f.c", "--input", "x=1e200,y=1", "--format", "json"]);
    run.expect_code(1);
    let finding = run.finding("an overflow", |finding| finding["exception"]["exception"] == "overflow");
    assert_eq!(finding["severity"], "harmless", "{finding}");
    assert_eq!(finding["summary"], "overflow at 2:25 (fmul in f): harmless, no output depends on it");
    assert_eq!(finding["notes"], json!(["No output depends on it."]));
}

const KNU: &str = "knu";

const GUARDED: &str = "double f(double x) { return x != 0 ? 1 / x : 0; }\n";

/// The IR's sites have mangled names, the machine's demangled ones with parameters: each pair was there twice, once unknown.
#[test]
fn sites_of_cpp_are_known_by_one_name() {
    let source = "struct M { double a, b, c, d; };\n\
        __attribute__((always_inline)) inline double det(M m) { return m.a * m.d - m.b * m.c; }\n\
        M inverse(M m) { double d = det(m); return { m.d / d, -m.b / d, -m.c / d, m.a / d }; }\n";
    let bench = Bench::new(&[("inverse.cpp", source)]);
    let run = bench.labrys(&["exceptions", "inverse.cpp", "-f", "inverse", "--max-work", "20000", "--format", "json"]);
    run.expect_code(1);
    // Two products and a difference have 3 + 3 + 2, four quotients 4 each.
    let pairs = pairs(&run);
    assert_eq!(pairs.len(), 24, "{pairs:?}");
    assert!(pairs.iter().all(|pair| pair.3 == "reachable"), "{pairs:?}");
}

#[test]
fn what_another_file_defines_is_linked_and_analysed() {
    let text = "double helper(double);\ndouble f(double x) { return 1 / helper(x); }\n";
    let bench = Bench::new(&[("f.c", text), ("h.c", "double helper(double x) { return x * x + 1; }\n")]);
    let alone = bench.labrys(&["exceptions", "f.c"]);
    alone.expect_code(2);
    assert!(alone.stderr.contains("undefined symbol: helper; --link FILE adds what defines it"), "{}", alone.stderr);
    let run =
        bench.labrys(&["exceptions", "f.c", "--link", "h.c", "-f", "f", "--format", "json", "--max-work", "2000"]);
    // A square and one is no zero: only a proof that reads the other file's code can say so.
    assert_eq!(verdicts(&run, "divbyzero"), ["unreachable"]);
}

/// Of a table that an object file defines the IR knows nothing, not even its length.
#[test]
fn nothing_is_proved_of_a_table_that_is_defined_elsewhere() {
    let text = "extern double table[];\ndouble f(int i, double x) { return x == 12345.678 ? x / table[i & 3] : 1; }\n";
    let bench = Bench::new(&[("f.c", text), ("table.c", "double table[4] = {1, 2, 0, 4};\n")]);
    bench.program("clang-22", &["-c", "-fPIC", "table.c", "-o", "table.o"]).expect_code(0);
    let arguments = ["exceptions", "f.c", "--link", "table.o", "-f", "f", "--format", "json", "--max-work", "1000"];
    assert_ne!(verdicts(&bench.labrys(&arguments), "divbyzero"), ["unreachable"]);
}

/// A path that leaves an object's bounds ends there; the two lines are equal only where neither the table nor the sum is zero.
#[test]
fn proofs_go_past_accesses_that_may_leave_a_table() {
    let text = "static const double eps[3] = {2.5, 1.5, 0.5};\n\
        double f(double x, double y, unsigned mode) {\n\
        double e = eps[mode & 7u]; return x != y ? e / (x - y) : 0; }\n";
    let bench = Bench::new(&[("f.c", text)]);
    let run = bench.labrys(&["exceptions", "f.c", "--format", "json", "--max-work", "1000"]);
    assert_eq!(verdicts(&run, "divbyzero"), ["unreachable"]);
}

/// C's `double a[3]` says nothing of 3 to anybody but its readers; a polynomial has one coefficient more than its degree.
#[test]
fn lengths_come_from_what_the_code_touches() {
    let source = "double dot(double *a, const double *b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }\n\
        double declared(const double a[3]) { return a[0] * a[1]; }\n\
        double horner(const double *c, int degree, double x) {\n\
        double r = c[degree]; while (degree-- > 0) r = r * x + c[degree]; return r; }\n";
    let bench = Bench::new(&[("f.c", source)]);
    let run = bench.labrys(&["exceptions", "f.c", "-f", "dot", "--format", "json", "--max-work", "3000"]);
    assert!(pairs(&run).iter().all(|pair| pair.3 == "reachable"), "{:?}", pairs(&run));
    for name in ["a", "b"] {
        assert!(run.stdout.contains(&format!("{name} is taken to point to 3 elements")), "{}", run.stdout);
    }
    // What the source declares is no guess.
    let run = bench.labrys(&["exceptions", "f.c", "-f", "declared", "--format", "json", "--max-work", "1000"]);
    assert!(!run.stdout.contains("is taken to point") && run.stdout.contains("a[2]"), "{}", run.stdout);
    let run = bench.labrys(&["diff", "f.c", "-f", "horner", "--max-work", "500"]);
    assert!(run.stdout.contains("c is taken to have one element more than degree says"), "{}", run.stdout);
    let run = bench.labrys(&["diff", "f.c", "-f", "horner", "--length", "c=degree+1:2", "--max-work", "500"]);
    assert!(!run.stdout.contains("is taken to"), "{}", run.stdout);
}

/// A struct beside a length was one object, and calls with greater lengths read behind it: a division by zero there was a finding.
#[test]
fn structs_beside_a_length_are_as_many() {
    let source = "typedef struct { double x, y; } P;\n\
        double sum(const P *p, int n) { double s = 0; for (int i = 0; i < n; i++) s += p[i].x / (p[i].y + 1); return s; }\n\
        double later(const P *p, int n) { if (n < 100) return 0; return 1.0 / p[n].x; }\n\
        double object(const P *p, int n) { return p->x / p->y + n; }\n";
    let bench = Bench::new(&[("f.c", source)]);
    let run = |name: &str, more: &[&str]| {
        let arguments = ["exceptions", "f.c", "-f", name, "--only", "divbyzero", "--inputs", "finite"];
        bench.labrys(&[&arguments[..], &["--format", "json", "--max-work", "3000"], more].concat())
    };
    let sum = run("sum", &[]);
    assert!(sum.stdout.contains("p is taken to have as many elements as n says"), "{}", sum.stdout);
    assert_eq!(verdicts(&sum, "divbyzero"), ["reachable"]);
    assert!(!sum.stdout.contains("did not return"), "{}", sum.stdout);
    let later = run("later", &[]);
    assert_ne!(verdicts(&later, "divbyzero"), ["reachable"]);
    let object = run("object", &[]);
    assert!(object.stdout.contains("p is taken to point to one element"), "{}", object.stdout);
    // What reads behind what there is shows nothing, and is counted.
    let behind = run("later", &["--length", "p=1"]);
    assert_eq!(verdicts(&behind, "divbyzero"), ["unreachable"]);
    assert!(behind.stdout.contains("left out that raise something: by its IR the function reads"), "{}", behind.stdout);
}

/// Twelve ones are needed, and room for them.
#[test]
fn ranges_of_lengths_make_room() {
    let source = "double aic(const double *x, int n) {\n\
        double s = 0; for (int i = 0; i < n; i++) s += x[i] > 0 ? 1 : 0; return s / (n - 12); }\n";
    let bench = Bench::new(&[("f.c", source)]);
    let arguments = ["exceptions", "f.c", "--length", "x=n", "--format", "json", "--max-work", "2000"];
    let run = bench.labrys(&[&arguments[..], &["--range", "n=0..20"]].concat());
    assert_eq!(verdicts(&run, "divbyzero"), ["reachable"]);
    let run = bench.labrys(&arguments);
    assert_eq!(verdicts(&run, "divbyzero"), ["unreachable"]);
    assert!(run.stdout.contains("n is within 0..=8, for which x has room"), "{}", run.stdout);
}

/// What a proof takes for granted of memory and of calls before, it says.
#[test]
fn proofs_name_aliases_and_earlier_calls() {
    let source = "double alias(double *a, double *b) { if (*a == 0) return 0; *b = 0; return 1 / *a; }\n\
        double mean(double x) { static double sum; static int count; sum += x; count++; return sum / count; }\n";
    let bench = Bench::new(&[("f.c", source)]);
    for (function, assumption) in [
        ("alias", "memory behind different parameters does not overlap"),
        ("mean", "no earlier call has changed mean.sum, mean.count"),
    ] {
        let run = bench.labrys(&["exceptions", "f.c", "-f", function, "--format", "json", "--max-work", "1000"]);
        assert_eq!(verdicts(&run, "divbyzero"), ["unreachable"], "{function}");
        let sites = run.json()["sites"].as_array().cloned().unwrap_or_default();
        let proved = sites.iter().filter(|site| site["verdict"] == "unreachable");
        let says = |site: &Value| site["assumptions"].as_array().is_some_and(|all| all.contains(&json!(assumption)));
        assert!(proved.clone().count() > 0 && proved.clone().all(says), "{function}: {}", run.stdout);
    }
}

/// An infinite argument makes both invalid; a search that has seen one traces it again when the solver asks for the other.
#[test]
fn inputs_of_the_solver_are_traced_though_they_were_run() {
    let source = "#include <math.h>\ndouble f(double a) { return asin(a) + sin(a); }\n";
    let bench = Bench::new(&[("f.c", source)]);
    let run = bench.labrys(&["exceptions", "f.c", "--format", "json"]);
    assert!(pairs(&run).iter().all(|pair| pair.3 != "unknown"), "{:?}", pairs(&run));
}

/// Nobody has a model of `cabs`: it may raise anything, until it was seen to.
#[test]
fn calls_without_a_model_are_sites() {
    let source = "#include <complex.h>\ndouble g(const double complex *z) { return cabs(*z); }\n";
    let bench = Bench::new(&[("f.c", source)]);
    let run = bench.labrys(&["exceptions", "f.c", "--format", "json", "--max-work", "20000"]);
    assert_eq!(verdicts(&run, "overflow"), ["reachable"]);
    assert_eq!(verdicts(&run, "divbyzero"), ["unknown"]);
}

/// A quotient of complex numbers is a call of the compiler's: what it raises is the line's that divides.
#[test]
fn helpers_of_the_compiler_raise_for_their_callers() {
    let source = "#include <complex.h>\ndouble complex q(double complex z, double complex w) {\n  return z / w;\n}\n";
    let bench = Bench::new(&[("f.c", source)]);
    let run = bench.labrys(&["exceptions", "f.c", "--format", "json", "--max-work", "5000"]);
    assert!(pairs(&run).iter().all(|pair| pair.0 == 3), "{:?}", pairs(&run));
    assert_eq!(verdicts(&run, "divbyzero"), ["reachable"]);
}

/// What is only written is no input, and what it holds before is not searched.
/// Fortran's `x**n` is products and perhaps a quotient, done by a helper of the compiler.
#[test]
fn a_power_by_an_integer_is_one_operation() {
    let source = "function g(x, n) result(r)\n  real(8), intent(in) :: x\n  integer, intent(in) :: n\n  \
                  real(8) :: r\n  r = x**n\nend function\n";
    let bench = Bench::new(&[("g.f90", source)]);
    let run = bench.labrys(&["exceptions", "g.f90", "--format", "json"]);
    run.expect_code(1);
    let all = pairs(&run);
    assert_eq!(all.len(), 3, "{all:?}");
    for exception in ["divbyzero", "overflow", "underflow"] {
        let found = (5, "powi".to_owned(), exception.to_owned(), "reachable".to_owned());
        assert!(all.contains(&found), "{all:?}");
    }
}

#[test]
fn inputs_that_a_user_gives_are_shown_as_they_are() {
    let bench = Bench::new(&[("f.c", "double f(double x) { return x * x; }\n")]);
    let run = bench.labrys(&["exceptions", "f.c", "--input", "x=0x1.2345p+700", "--format", "json"]);
    let finding = run.finding("overflow", |finding| finding["exception"]["exception"] == "overflow");
    assert_eq!(finding["inputs"][0]["hex"], "0x1.2345p+700", "{finding}");
}

/// What a call raises before a crash is not observed, and nobody says that it is not raised.
#[test]
fn reasons_say_what_the_solvers_input_does() {
    let source = "double f(double x) {\n  if (x <= 1e300) return x;\n  double y = x * x;\n  \
                  *(volatile int *)0 = 1;\n  return y;\n}\n";
    let bench = Bench::new(&[("f.c", source)]);
    let run = bench.labrys(&["exceptions", "f.c", "--format", "json"]);
    let site = run.json()["sites"]
        .as_array()
        .and_then(|sites| sites.iter().find(|site| site["line"] == 3 && site["exception"] == "overflow").cloned());
    let why = site.map(|site| site["why"].as_str().unwrap_or_default().to_owned());
    assert!(why.as_deref().is_some_and(|why| why.contains("ends in a crash")), "{why:?}");
}

#[test]
fn results_through_pointers_are_outputs() {
    let source = "void split(double x, double *half, double *rest) { *half = x * 0.5; *rest = x - *half; }\n";
    let bench = Bench::new(&[("split.c", source)]);
    let run = bench.labrys(&["exceptions", "split.c", "--max-work", "5000", "--format", "json"]);
    let finding = run.finding("underflow", |finding| finding["exception"]["exception"] == "underflow");
    let names: Vec<&str> =
        finding["inputs"].as_array().into_iter().flatten().filter_map(|of| of["name"].as_str()).collect();
    assert_eq!(names, ["x"]);
}

/// A call that never ends costs what a hundred thousand others do.
#[test]
fn large_numbers_of_rounds_do_not_use_up_the_time() {
    let source = "double power(double x, unsigned long n) { double p = 1; while (n--) p *= x; return p; }\n";
    let bench = Bench::new(&[("power.c", source)]);
    let run = bench.labrys(&["exceptions", "power.c", "--only", "overflow", "--time", "20s", "--format", "json"]);
    assert_eq!(verdicts(&run, "overflow"), ["reachable"]);
}

#[test]
fn a_finding_is_replayed_and_a_baseline_silences_it() {
    let bench = Bench::new(&[("f.c", GUARDED)]);
    let run = bench.labrys(&["exceptions", "f.c", "-o", "out", "--write-baseline", "known.json", "--format", "json"]);
    run.expect_code(1);
    assert_eq!(verdicts(&run, "divbyzero"), ["unreachable"]);
    let report = run.json();
    let id = report["findings"][0]["id"].as_str().unwrap_or_default().to_owned();
    bench.labrys(&["replay", &format!("out/{id}.json")]).expect_code(1);
    let known = bench.labrys(&["exceptions", "f.c", "--baseline", "known.json"]);
    known.expect_code(0);
    for file in ["report.json", "report.sarif", "report.html"] {
        assert!(bench.path().join("out").join(file).exists(), "{file}");
    }
    // Findings once had members that only a divergence's have a meaning for; reports of that time are still read.
    let mut old = report;
    for finding in old["findings"].as_array_mut().into_iter().flatten() {
        assert!(finding.get("between").is_none(), "{finding:#}");
        finding["between"] = json!(["baseline"]);
        finding["baseline_clean"] = json!(true);
        finding["in_control"] = json!(false);
    }
    std::fs::write(bench.path().join("old.json"), old.to_string()).unwrap();
    bench.labrys(&["replay", "old.json"]).expect_code(1);
    bench.labrys(&["exceptions", "f.c", "--baseline", "old.json"]).expect_code(0);
    // The code is mended: the finding is gone.
    std::fs::write(bench.path().join("f.c"), "double f(double x) { return x; }\n").unwrap();
    bench.labrys(&["replay", &format!("out/{id}.json")]).expect_code(0);
}

/// The public function that a finding was observed from was looked for by its short name, which no function of C++ has.
#[test]
fn findings_of_libraries_in_cpp_are_replayed() {
    let source =
        "namespace geo { double inverse(double x) { return 1 / x; } float inverse(float x) { return 1 / x; } }\n";
    let bench = Bench::new(&[("f.cpp", source)]);
    let folder = bench.path().display().to_string();
    let entries = json!([{"directory": folder, "file": "f.cpp", "arguments": ["c++", "-c", "f.cpp"]}]);
    std::fs::write(bench.path().join("compile_commands.json"), entries.to_string()).unwrap();
    let arguments = ["exceptions", "-p", ".", "--entry", "geo::inverse", "--only", "divbyzero", "--max-work", "500"];
    let run = bench.labrys(&[&arguments[..], &["-o", "out", "--format", "json"]].concat());
    run.expect_code(1);
    let report = run.json();
    let findings = report["findings"].as_array().unwrap();
    assert!(!findings.is_empty(), "{report:#}");
    for finding in findings {
        let id = finding["id"].as_str().unwrap();
        let replay = bench.labrys(&["replay", &format!("out/{id}.json")]);
        replay.expect_code(1);
    }
}

#[test]
fn only_what_is_asked_for_and_within_the_range() {
    let bench = Bench::new(&[("f.c", "double f(double x) { return 1 / (x - 2); }\n")]);
    let asked = |range: &str| {
        let run = bench.labrys(&["exceptions", "f.c", "--only", "divbyzero", "--range", range, "--format", "json"]);
        let verdicts = pairs(&run).into_iter().map(|(_, _, exception, verdict)| (exception, verdict));
        verdicts.collect::<Vec<_>>()
    };
    assert_eq!(asked("x=-1e3..1e3"), [("divbyzero".to_owned(), "reachable".to_owned())]);
    assert_eq!(asked("x=3..1e3"), [("divbyzero".to_owned(), "unreachable".to_owned())]);
}

#[test]
fn the_same_seed_gives_the_same_report() {
    let bench = Bench::new(&[("f.c", "double f(double x, double y) { return x > 1 ? x / (x - y) : x * y; }\n")]);
    let report = || {
        let mut report = bench.labrys(&["exceptions", "f.c", "--max-work", "3000", "--format", "json"]).json();
        report.as_object_mut().map(|report| report.remove("timing"));
        report
    };
    assert_eq!(report(), report());
}

#[test]
fn bad_input_is_one_line() {
    let bench = Bench::new(&[("f.c", GUARDED), ("compile_commands.json", "[]")]);
    let cases: [(&[&str], &str); 7] = [
        (&["exceptions"], "needs a FILE"),
        (&["exceptions", "g.c"], "no such file"),
        (&["exceptions", "f.c", "-f", "g"], "g"),
        (&["exceptions", "f.c", "--only", "everything"], "everything"),
        (&["exceptions", "f.c", "-p", ".", "--entry", "f*"], "--entry"),
        (&["exceptions", "-p", "nowhere"], "nowhere"),
        (&["exceptions", "f.c", "--baseline", "missing.json"], "missing.json"),
    ];
    for (arguments, word) in cases {
        let run = bench.labrys(arguments);
        run.expect_code(2);
        if run.stderr.trim_end().lines().count() != 1 || !run.stderr.contains(word) || !run.stdout.is_empty() {
            run.fail(&format!("one line with `{word}` was expected"));
        }
    }
}

/// A library of three files, one of which has a static function that its caller guards.
fn library() -> Bench {
    let bench = Bench::new(&[
        ("lib.h", "typedef struct { double val; double err; } result;\nvoid quiet(void);\nextern int is_quiet;\n"),
        (
            "state.c",
            "#include \"lib.h\"\n#include <stdlib.h>\nint is_quiet = 0;\nvoid quiet(void) { is_quiet = 1; }\n\
             int fail(void) { if (!is_quiet) abort(); return 1; }\n",
        ),
        (
            "a.c",
            "#include \"lib.h\"\nint fail(void);\n\
             static double inverse(double x) { return 1 / x; }\n\
             int lib_inverse(double x, result *r) { if (x == 0) return fail(); r->val = inverse(x); r->err = 0; return 0; }\n\
             double lib_square(double x) { return x * x; }\n",
        ),
        (
            "b.c",
            "static const double table[4] = {1, 0.5, 0.25, 0.125};\n\
             double lib_series(double x) { double sum = 0; if (x < -1 || x > 1) return 0; for (int i = 3; i >= 0; i--) sum = sum * x + table[i]; return sum; }\n\
             double lib_power(double x, int n) { double p = 1; if (n < 0 || n > 5) return 0; for (int i = 0; i < n; i++) p *= x; return p; }\n",
        ),
    ]);
    let folder = bench.path().display().to_string();
    let entries: Vec<Value> = ["state.c", "a.c", "b.c"]
        .iter()
        .map(|file| json!({"directory": folder, "file": file, "arguments": ["cc", "-c", file]}))
        .collect();
    std::fs::write(bench.path().join("compile_commands.json"), Value::from(entries).to_string()).unwrap();
    bench
}

const LIBRARY: [&str; 12] = [
    "exceptions",
    "-p",
    ".",
    "--entry",
    "lib_*",
    "--entry",
    "inverse",
    "--init",
    "quiet",
    "--max-work",
    "4000",
    "--function-time=60s",
];

#[test]
fn a_library_says_what_its_callers_keep_away() {
    let bench = library();
    let run = bench.labrys(&[&LIBRARY[..], &["--format", "json"]].concat());
    run.expect_code(1);
    let finding = run.finding("the static function's pole", |finding| {
        finding["exception"]["site"]["function"] == "inverse" && finding["exception"]["exception"] == "divbyzero"
    });
    assert_eq!(finding["exception"]["reachable_from"], json!([]), "its caller tests for zero");
    let underflow = run.finding("its underflow", |finding| {
        finding["exception"]["site"]["function"] == "inverse" && finding["exception"]["exception"] == "underflow"
    });
    assert_eq!(underflow["exception"]["reachable_from"][0]["chain"], json!(["lib_inverse", "inverse"]));
    let functions = run.json()["functions"].as_array().map_or(0, Vec::len);
    assert_eq!(functions, 5);
    // No sum of the series overflows, by ranges of the loop's values.
    let series: Vec<_> = pairs(&run).into_iter().filter(|pair| pair.1 == "fadd" && pair.2 == "overflow").collect();
    assert!(!series.is_empty() && series.iter().all(|pair| pair.3 == "unreachable"), "{series:?}");
}

/// −0 lies in every range that begins with 0, but value ranges and path conditions went without it: the root of −∞ was proved
/// impossible.
#[test]
fn ranges_that_begin_with_zero_have_both_zeros() {
    let bench = Bench::new(&[("f.c", "double f(double x) { return __builtin_sqrt(1 / x); }\n")]);
    for domain in [["--range", "x=0..1"], ["--assume", "x >= 0"]] {
        let arguments = ["exceptions", "f.c", "--format", "json", "--max-work", "1", domain[0], domain[1]];
        assert_ne!(verdicts(&bench.labrys(&arguments), "invalid"), ["unreachable"], "{domain:?}");
        let given = ["exceptions", "f.c", "--format", "json", "--input", "x=-0", domain[0], domain[1]];
        assert!(verdicts(&bench.labrys(&given), "invalid").contains(&"reachable".to_owned()), "{domain:?}");
    }
}

/// Unsigned conversions were taken for signed ones, into which these numbers fit; x86-64 also converts the number less 2^63.
#[test]
fn negative_numbers_are_no_unsigned_integers() {
    let bench = Bench::new(&[("f.c", "double f(double x) { return (double)(unsigned long)x; }\n")]);
    let range = ["--range", "x=-1e12..-5", "--format", "json"];
    let invalid = |more: &[&str]| {
        let run = bench.labrys(&[&["exceptions", "f.c"], &range[..], more].concat());
        let found = pairs(&run).into_iter().find(|pair| pair.1 == "fconvert" && pair.2 == "invalid");
        found.map(|pair| pair.3)
    };
    assert_ne!(invalid(&["--max-work", "1"]).as_deref(), Some("unreachable"));
    if cfg!(target_arch = "x86_64") {
        assert_eq!(invalid(&["--input", "x=-1e10"]).as_deref(), Some("reachable"));
    }
}

/// The hull of 0 and [1, 2] was taken for [0, 2], which has what lies between: the middle of 0 and 1 was no member.
#[test]
fn the_middle_between_zero_and_a_number_is_below_the_number() {
    let text = "double f(double y) {\n  double x = 0, m = x + (y - x) / 2;\n  \
                return m != 0.5 ? __builtin_sqrt(m - 0.75) : 0;\n}\n";
    let bench = Bench::new(&[("f.c", text)]);
    let arguments = ["exceptions", "f.c", "--format", "json", "--range", "y=1..2"];
    let invalid = |more: &[&str]| {
        let run = bench.labrys(&[&arguments[..], more].concat());
        pairs(&run).into_iter().find(|pair| pair.1 == "fsqrt").map(|pair| pair.3)
    };
    assert_ne!(invalid(&["--max-work", "1"]).as_deref(), Some("unreachable"));
    assert_eq!(invalid(&["--input", "y=1.25"]).as_deref(), Some("reachable"));
    // At 2 there is none.
    let range = ["exceptions", "f.c", "--format", "json", "--range", "y=1.9..2", "--max-work", "1"];
    assert_eq!(verdicts(&bench.labrys(&range), "invalid"), ["unreachable"]);
}

/// A function of the source with a name of libm's was libm's in the shared object, which was called with another type.
#[test]
fn functions_that_are_called_as_ones_of_libm_are_the_sources_own() {
    let source = "float significand(float x) { return 3; }\nfloat f(float x) { return x / significand(x); }\n";
    let bench = Bench::new(&[("f.c", source)]);
    let run = bench.labrys(&["exceptions", "f.c", "-f", "f", "--format", "json", "--max-work", "2000"]);
    for exception in ["divbyzero", "invalid"] {
        if verdicts(&run, exception).iter().any(|verdict| verdict == "reachable") {
            run.fail("a divisor of 3 is no zero");
        }
    }
}

/// A compiler that is clang but for the IR, of which it does `otherwise`.
fn without_ir(text: &str, otherwise: &str) -> Bench {
    let compiler = format!("#!/bin/sh\ncase \" $* \" in *' -emit-llvm '*) {otherwise} ;; esac\nexec clang-22 \"$@\"\n");
    let bench = Bench::new(&[("f.c", text), ("compiler", &compiler)]);
    bench.program("chmod", &["+x", "compiler"]).expect_code(0);
    bench
}

/// Where nothing was known of a function's operations, nothing was open either: the search was over after the inputs that it begins with, and the
/// report passed for that of a whole run.
#[test]
fn a_function_without_ir_is_searched_and_nothing_is_decided_of_it() {
    // Between those that return 0 and 1, which only the search looks for.
    let text = "double f(double x) {\n  if (x > 900 && x < 900.001)\n    return x * 1e308;\n  return x > 900;\n}\n";
    let bench = without_ir(text, "exit 1");
    let run = bench.labrys(&["exceptions", "f.c", "--build", "./compiler -O0", "--format", "json"]);
    run.expect_code(1);
    run.finding("an overflow", |finding| {
        finding["exception"]["exception"] == "overflow" && finding["exception"]["site"]["line"] == 3
    });
    for exception in ["overflow", "invalid", "divbyzero", "underflow"] {
        let unknown = (1, "unlisted".to_owned(), exception.to_owned(), "unknown".to_owned());
        assert!(pairs(&run).contains(&unknown), "{:?}", pairs(&run));
    }
}

/// A compiler that the time stopped left a function without IR, whose search was over at once: "complete", with 0.
#[test]
fn a_compiler_that_the_time_stops_is_no_whole_run() {
    let bench = without_ir("double f(double x) { return x; }\n", "exec sleep 60");
    let run = bench.labrys(&["exceptions", "f.c", "--build", "./compiler -O0", "--time", "2s", "--format", "json"]);
    run.expect_code(3);
    assert_eq!(run.json()["status"], "limit");
}

/// Vectorised, the quotient is computed for what is not chosen, too. Of that exception no output says anything, so that none has to come out as it did: the
/// witness had fourteen numbers that nothing hung on.
#[test]
fn a_speculated_division_is_told_with_the_numbers_that_matter() {
    let text = "#[no_mangle]\npub fn variances(m2: &[f64; 8], n: &[f64; 8], r: &mut [f64; 8]) {\n    for i in 0..8 { \
                r[i] = if n[i] > 1.0 { m2[i] / (n[i] - 1.0) } else { 0.0 }; }\n}\n";
    let bench = Bench::new(&[("f.rs", text)]);
    let options = ["--build", "-C opt-level=3", "--only", "divbyzero", "--max-work", "3000", "--format", "json"];
    let run = bench.labrys(&[&["exceptions", "f.rs"][..], &options].concat());
    run.expect_code(1);
    let finding = run.finding("a division by zero", |finding| finding["exception"]["exception"] == "divbyzero");
    assert_eq!(finding["severity"], "harmless", "{finding}");
    assert!(finding["notes"].to_string().contains("the compiler speculates"), "{finding}");
    assert_eq!(finding["inputs"].to_string().matches(r#""decimal":"0""#).count(), 14, "{finding}");
}

/// Paths ended at `nextafter`, `ilogb` and `logb`, which nobody knew, so that all behind them was unknown.
#[test]
fn paths_go_on_behind_functions_of_encodings() {
    let text = "#include <math.h>\ndouble f(double x) { double next = nextafter(x, INFINITY); return 1.0 / (next - x); }\n\
                double g(double x) { return 1.0 / (ilogb(x) + 0.5) + 1.0 / (logb(x) - 0.25); }\n";
    let bench = Bench::new(&[("f.c", text)]);
    for function in ["f", "g"] {
        let run = bench.labrys(&[
            "exceptions",
            "f.c",
            "-f",
            function,
            "--only",
            "divbyzero",
            "--time",
            "20s",
            "--format",
            "json",
        ]);
        let quotients = pairs(&run).into_iter().filter(|(_, operator, ..)| operator == "fdiv");
        let verdicts: Vec<String> = quotients.map(|(.., verdict)| verdict).collect();
        assert!(
            !verdicts.is_empty() && verdicts.iter().all(|verdict| verdict == "unreachable"),
            "{function}: {verdicts:?}"
        );
        assert!(!run.json()["notes"].to_string().contains("neither defined nor modelled"), "{}", run.json()["notes"]);
    }
}

/// What the C library's code calls was told as the end of a path, in words that no user's program has: `klee_is_symbolic`.
#[test]
fn a_path_that_ends_within_a_librarys_function_is_told_by_that_functions_name() {
    let text = "#include <complex.h>\ndouble f(double a, double b) { return cimag(clog(a + b * I)); }\n";
    let bench = Bench::new(&[("f.c", text)]);
    let run = bench.labrys(&["exceptions", "f.c", "--time", "20s", "--format", "json"]);
    let text = run.json().to_string();
    assert!(text.contains("all that clog does"), "{}", run.json()["notes"]);
    assert!(!text.contains("klee") && !text.contains("feraiseexcept"), "{}", run.json()["notes"]);
}

/// `remquo` leaves its quotient unwritten where it raises invalid: the exception was said not to be raised on every run, and only results vary.
#[test]
fn results_that_vary_are_not_told_of_the_exception() {
    let text = "#include <math.h>\ndouble f(double x, double y) {\n  int q;\n  remquo(x, y, &q);\n  return q & 7;\n}\n";
    let bench = Bench::new(&[("f.c", text)]);
    let run = bench.labrys(&["exceptions", "f.c", "--only", "invalid", "--max-work", "3000", "--format", "json"]);
    let why = run.json()["sites"][0]["why"].as_str().unwrap_or_default().to_owned();
    assert!(
        why.starts_with("observed, but only where results are not the same on every run"),
        "{}",
        run.json()["sites"]
    );
}
