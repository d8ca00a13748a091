//! Functions of Fortran and C++ that get a caller in their own language: planted findings, and reproducers that need no labrys.

use serde_json::Value;

use crate::harness::{Bench, Run, commands_of, raises};

/// Runs the commands of every finding's reproducer: the last one ends with 1 where it shows.
fn reproduced(bench: &Bench, run: &Run, wanted: impl Fn(&Value) -> bool) {
    let finding = run.finding("the planted one", wanted);
    let id = finding["id"].as_str().expect("an id");
    let text = std::fs::read_to_string(bench.path().join(format!("out/{id}.c"))).expect("a reproducer");
    let commands = commands_of(&text);
    let script = format!("cd out && {}", commands.join(" && "));
    let run = bench.program("sh", &["-c", &script]);
    if run.code != 1 {
        run.fail(&format!("the reproducer shows nothing\n{text}"));
    }
    let replayed = bench.labrys(&["replay", &format!("out/{id}.json")]);
    replayed.expect_code(1);
}

const STATISTICS: &str = "\
module kinds\n integer, parameter :: dp = kind(1.0d0)\nend module\n\
module statistics\n use kinds\n implicit none\n type point\n  real(dp) :: x, y\n end type\ncontains\n\
 real(dp) function mean(v)\n  real(dp), intent(in) :: v(:)\n  integer :: i\n  mean = 0\n\
  do i = 1, size(v)\n   mean = mean + v(i)\n  end do\n  mean = mean / size(v)\n end function\n\
 subroutine normalise(v, s)\n  real(dp), intent(inout) :: v(0:)\n  real(dp), intent(in) :: s\n  v = v / s\n end subroutine\n\
 function middle(p, q) result(r)\n  type(point), intent(in) :: p, q\n  type(point) :: r\n\
  r%x = (p%x + q%x) / 2\n  r%y = 1\n end function\n\
 real(dp) function trace(a)\n  real(dp), intent(in) :: a(:,:)\n  integer :: i\n  trace = 0\n\
  do i = 1, size(a, 1)\n   trace = trace + a(i, i)\n  end do\n end function\n\
 function halved(v) result(r)\n  real(dp), intent(in) :: v(2)\n  real(dp) :: r(2)\n  r = v(2:1:-1) / 2\n end function\n\
 real(dp) function held(v)\n  real(dp), allocatable, intent(in) :: v(:)\n  held = v(1)\n end function\nend module\n";

const OF_EXCEPTIONS: [&str; 9] =
    ["--max-work", "3000", "--second-opinion", "off", "--time", "90s", "--format", "json", "-o"];

fn exceptions(bench: &Bench, file: &str, function: &str, more: &[&str]) -> Run {
    bench.labrys(&[&["exceptions", file, "-f", function][..], &OF_EXCEPTIONS, &["out"], more].concat())
}

/// A finding of an exception whose witness has this many elements of the array `name`.
fn is_of(finding: &Value, exception: &str) -> bool {
    raises(finding, "baseline", exception)
}

#[test]
fn fortran_arrays_of_assumed_shape() {
    let bench = Bench::new(&[("statistics.f90", STATISTICS)]);
    let run = exceptions(&bench, "statistics.f90", "statistics::mean", &["--inputs", "finite", "--range", "n=1..4"]);
    run.expect_code(1);
    let report = run.json();
    let names: Vec<&str> =
        report["target"]["parameters"].as_array().into_iter().flatten().filter_map(|of| of["name"].as_str()).collect();
    assert_eq!(names, ["v", "n"], "{report:#}");
    assert!(report["notes"].to_string().contains("called by a procedure that was made for it"), "{report:#}");
    // The site is the module's own.
    let overflow = run.finding("an overflow of the sum", |finding| is_of(finding, "overflow"));
    assert!(overflow.to_string().contains("statistics.f90"), "{overflow:#}");
    reproduced(&bench, &run, |finding| is_of(finding, "overflow"));
    // Division by zero is planted at s = 0; element 0 is where the lower bound is.
    let run = exceptions(&bench, "statistics.f90", "normalise", &["--only", "divbyzero", "--length", "v=2"]);
    run.expect_code(1);
    reproduced(&bench, &run, |finding| is_of(finding, "divbyzero"));
    let run = exceptions(&bench, "statistics.f90", "trace", &["--only", "overflow", "--inputs", "finite"]);
    run.expect_code(1);
    reproduced(&bench, &run, |finding| is_of(finding, "overflow"));
}

#[test]
fn fortran_results_that_are_no_scalars() {
    let bench = Bench::new(&[("statistics.f90", STATISTICS)]);
    let run = exceptions(&bench, "statistics.f90", "middle", &["--only", "overflow", "--inputs", "finite"]);
    run.expect_code(1);
    reproduced(&bench, &run, |finding| is_of(finding, "overflow"));
    // What a hidden address in front of the arguments would have made: halves of the wrong array.
    let run = bench.labrys(&[
        "exceptions",
        "statistics.f90",
        "-f",
        "halved",
        "--input",
        "v[0]=0x1p-1074,v[1]=4",
        "--format",
        "json",
    ]);
    let finding = run.finding("half of the least subnormal", |finding| is_of(finding, "underflow"));
    assert!(finding["observations"][0].to_string().contains("0x1p+1"), "{finding:#}");
    let run = bench.labrys(&["exceptions", "statistics.f90", "-f", "held"]);
    run.expect_code(2);
    assert!(run.stderr.contains("v is allocatable"), "{}", run.stderr);
}

#[test]
fn fortran_arrays_in_two_builds() {
    let source = "module m\ncontains\n real(8) function middle(v)\n  real(8), intent(in) :: v(:)\n  middle = v(1) / 2 + v(2) / 2\n end function\nend module\n";
    let bench = Bench::new(&[("m.f90", source)]);
    let command = ["diff", "m.f90", "-f", "middle", "--length", "v=2", "--inputs", "finite", "--max-work", "20000"];
    let run = bench.labrys(&[&command[..], &["--time", "90s", "--format", "json", "-o", "out"]].concat());
    run.expect_code(1);
    reproduced(&bench, &run, |finding| finding["severity"] == "introduced");
}

const SIGNALS: &str = "\
#include <array>\n#include <complex>\n#include <span>\n#include <vector>\n\
namespace signals {\n\
double mean(const std::vector<double> &v) { double s = 0; for (double x : v) s += x; return s / v.size(); }\n\
void normalise(std::vector<double> &v, double s) { for (double &x : v) x /= s; }\n\
std::vector<double> inverses(std::vector<double> v) { for (double &x : v) x = 1 / x; return v; }\n\
double first(std::span<const double> v, const double &scale) { return v.empty() ? 0 : v[0] / scale; }\n\
double last(std::span<double, 3> v) { return v[0] = v[2] / v[1]; }\n\
template <class T> T ratio(T x, T y) { return x / y; }\n\
template <class T> T total(const std::vector<T> &v) { T s = 0; for (T x : v) s += x; return s; }\n\
std::complex<double> inverse(std::complex<double> z) { return std::complex<double>(z.real() / std::norm(z), 0); }\n\
double ends(const std::array<double, 3> &a) { return a[0] / a[2]; }\n\
struct Base { virtual ~Base() {} virtual double of(double x) const = 0; };\n\
class Scale : public Base {\n  std::vector<double> factors;\npublic:\n  explicit Scale(double factor) : factors(1, factor) {}\n\
  Scale(const Scale &) = default;\n  double of(double x) const override;\n};\n\
double Scale::of(double x) const { return x / factors[0]; }\n\
class Sum {\n  double sum = 0;\npublic:\n  void add(const std::vector<double> &v);\n};\n\
void Sum::add(const std::vector<double> &v) { for (double x : v) sum += x; }\n\
double hidden(const std::vector<std::vector<double>> &m) { return m.empty() ? 0 : m[0][0]; }\n}\n";

#[test]
fn cpp_arguments_are_made_of_memory() {
    let bench = Bench::new(&[("signals.cpp", SIGNALS)]);
    for (function, exception, parameters) in [
        ("signals::mean", "overflow", &["v", "n"][..]),
        ("signals::normalise", "divbyzero", &["v", "s", "n"]),
        ("signals::first", "divbyzero", &["v", "scale", "n"]),
        ("signals::last", "divbyzero", &["v"]),
        ("signals::inverses", "divbyzero", &["v", "n", "labrys_result"]),
        ("signals::total<float>", "overflow", &["v", "n"]),
        ("signals::ratio<double>", "divbyzero", &["x", "y"]),
        ("signals::Scale::of", "divbyzero", &["object_1", "x"]),
        ("signals::Sum::add", "overflow", &["self", "v", "n"]),
    ] {
        let more = ["--only", exception, "--inputs", "finite", "--", "-std=c++20"];
        let run = exceptions(&bench, "signals.cpp", function, &more);
        if run.code != 1 {
            run.fail(&format!("{function} raises {exception}"));
        }
        let report = run.json();
        let mut names: Vec<&str> = report["target"]["parameters"]
            .as_array()
            .into_iter()
            .flatten()
            .filter_map(|of| of["name"].as_str())
            .collect();
        names.sort_unstable();
        let mut expected = parameters.to_vec();
        expected.sort_unstable();
        assert_eq!(names, expected, "{function}: {:#}", report["target"]);
        reproduced(&bench, &run, |finding| is_of(finding, exception));
    }
}

#[test]
fn cpp_objects_of_numbers_are_driven_as_they_are() {
    let bench = Bench::new(&[("signals.cpp", SIGNALS)]);
    for function in ["signals::inverse", "signals::ends"] {
        let run = exceptions(&bench, "signals.cpp", function, &["--only", "divbyzero,invalid", "--", "-std=c++20"]);
        run.expect_code(1);
    }
}

#[test]
fn what_no_caller_can_be_made_for_is_told() {
    let bench = Bench::new(&[("signals.cpp", SIGNALS)]);
    for (function, word) in [
        ("signals::hidden", "hidden"),
        ("signals::ratio<nothing>", "nothing"),
        ("signals::none<double>", "none"),
        // A name is put into a source: nothing else is.
        ("ratio<double>; int other; int x<", "no name of an instance"),
        ("signals::ratio<double", "signals::ratio<double is no name: its brackets do not match"),
    ] {
        let run = exceptions(&bench, "signals.cpp", function, &["--", "-std=c++20"]);
        run.expect_code(2);
        if !run.stderr.contains(word) || !run.stdout.is_empty() {
            run.fail("expected why");
        }
    }
}

/// Nothing but the compiler's way to write `dotn<float, 3>` was found, and an instance was made that nobody found either.
#[test]
fn spaces_in_a_templates_arguments_do_not_matter() {
    let source = "template <class T, int N> T dotn(const T *a, const T *b) {\n  T s = 0;\n  \
                  for (int i = 0; i < N; i++) s += a[i] * b[i];\n  return s;\n}\n";
    let bench = Bench::new(&[("q.cpp", source)]);
    for name in ["dotn<float,3>", "dotn< float ,  3 >"] {
        let run = exceptions(&bench, "q.cpp", name, &["--only", "overflow"]);
        run.expect_code(1);
    }
}
