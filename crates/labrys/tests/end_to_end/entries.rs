//! `labrys verify --entry` of functions in Rust and Fortran, and of those that get a caller in their own language: each holds, and its twin is wrong.

use crate::harness::{Bench, Run};

fn verify(file: &str, text: &str, entry: &str, more: &[&str]) -> Run {
    let bench = Bench::new(&[(file, text)]);
    let options = ["verify", file, "--entry", entry, "--time", "120s", "--format", "json"];
    bench.labrys(&[&options[..], more].concat())
}

/// A function holds; with a part of its text changed it is wrong in that line.
fn twins((file, text): (&str, &str), entry: &str, more: &[&str], (from, to): (&str, &str)) {
    let run = verify(file, text, entry, more);
    run.expect_code(0);
    assert_eq!(run.json()["verdict"], "holds", "{}", run.stdout);
    let line = text.lines().position(|line| line.contains(from)).expect("a line") as u64 + 1;
    let run = verify(file, &text.replace(from, to), entry, more);
    run.expect_code(1);
    let finding = run.finding("of the changed line", |finding| finding["line"] == line);
    assert!(finding["file"].as_str().is_some_and(|of| of.ends_with(file)), "{finding:#}");
}

const RUST: &str = "\
pub fn scaled(x: i32) -> i32 {
    if x > 1000 || x < -1000 { return 0; }
    x * 1000
}
pub fn second(v: *const f64, n: i32) -> f64 {
    if n < 2 { return 0.0; }
    unsafe { *v.offset(1) }
}
";

#[test]
fn functions_of_rust() {
    twins(("f.rs", RUST), "scaled", &[], ("x * 1000", "x * 10_000_000"));
    twins(("f.rs", RUST), "second", &["--length", "v=n"], ("v.offset(1)", "v.offset(2)"));
}

const FORTRAN: &str = "\
module sums
  implicit none
contains
  real(8) function last(x)
    real(8), intent(in) :: x(:)
    last = 0
    if (size(x) > 0) last = x(size(x))
  end function
  subroutine reciprocal(x, n, y)
    integer, intent(in) :: n
    real(8), intent(in) :: x(n)
    real(8), intent(out) :: y(n)
    integer :: i
    do i = 1, n
      y(i) = x(i)
    end do
  end subroutine
end module
program other
  print *, 'nobody calls this'
end program
";

#[test]
fn procedures_of_fortran() {
    let of_two = ["--length", "x=n", "--length", "y=n"];
    twins(("f.f90", FORTRAN), "reciprocal", &of_two, ("y(i) = x(i)", "y(i) = x(i + 1)"));
    // Arrays of assumed shape get a caller.
    twins(("f.f90", FORTRAN), "last", &["--length", "x=3"], ("last = x(size(x))", "last = x(size(x) + 1)"));
}

const CPP: &str = "\
#include <vector>
double last(const std::vector<double> &v) {
  if (v.empty()) return 0;
  return v[v.size() - 1];
}
template <class T> T nth(const T *a, int n) {
  return n > 0 ? a[n - 1] : T(0);
}
";

#[test]
fn functions_of_cpp_that_need_a_caller() {
    twins(("f.cpp", CPP), "last", &["--length", "v=2"], ("v[v.size() - 1]", "v.data()[v.size()]"));
    twins(("f.cpp", CPP), "nth<float>", &["--length", "a=n"], ("a[n - 1]", "a[n]"));
}
