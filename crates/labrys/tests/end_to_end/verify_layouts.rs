//! What `labrys verify` must not prove: programs whose assertion is false in some build, or some layout of memory, and their correct twins.

use crate::harness::Bench;

const PRELUDE: &str = "\
#include <ctype.h>
#include <fenv.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <verifier.h>
#define CHECK(c) __VERIFIER_assert(c)
typedef float single4 __attribute__((vector_size(16)));
typedef float single2 __attribute__((vector_size(8)));
typedef double double2 __attribute__((vector_size(16)));
typedef long long2 __attribute__((vector_size(16)));
typedef short short4 __attribute__((vector_size(8)));
typedef unsigned unsigned4 __attribute__((vector_size(16)));
static int first, second;
static int *escaped(int k) { int x[4]; int *volatile p = x; p[0] = k; return p; }
static void handler(int number) { (void)number; }
static int f(void) { return 1; }
static int g(void) { return 2; }
";

/// Each with what a build decides otherwise, or this machine does.
const OPEN: [&str; 20] = [
    "CHECK(&first < &second);",
    "int a[2], b[2]; CHECK((uintptr_t)a < (uintptr_t)b);",
    "char *p = malloc(4), *q = malloc(4); CHECK(p < q); free(p); free(q);",
    "char *p = malloc(4); CHECK(((uintptr_t)p & 31) == 0); free(p);",
    "char c[3]; CHECK(((uintptr_t)c & 1) == 0);",
    "int a[4], b[4]; CHECK(a + 4 != b);",
    "char *p = malloc(8); uintptr_t old = (uintptr_t)p; free(p); char *q = malloc(8); CHECK((uintptr_t)q != old); free(q);",
    "char *p = malloc(8); char *old = p; p = realloc(p, 16); CHECK(p != old); free(p);",
    "int *a = escaped(1), *b = escaped(2); CHECK(a != b);",
    "CHECK((uintptr_t)&first % 7 != __VERIFIER_nondet_uint() % 7 || 1 == 0);",
    "const char *volatile p = \"zabc\", *volatile q = \"abc\"; CHECK(p + 1 != q);",
    "int v[4]; CHECK(!(v - 1 < v));",
    "CHECK((uintptr_t)f < (uintptr_t)g);",
    "int c = __VERIFIER_nondet_char(); CHECK(toupper(c) == c || islower(c));",
    "signal(SIGUSR1, handler); CHECK(signal(SIGUSR1, SIG_DFL) == SIG_DFL);",
    "CHECK(signal(SIGKILL, handler) == SIG_DFL);",
    "double2 x = {__VERIFIER_nondet_double(), 1}, y = {2, 3}; feclearexcept(FE_ALL_EXCEPT); long2 m = x < y; CHECK(!fetestexcept(FE_INVALID) || m[0] == 7);",
    "single2 x = {4, 1}, y = {__VERIFIER_nondet_float(), 4}; if (!(y[0] > 1 && y[0] < 3)) return 0; feclearexcept(FE_ALL_EXCEPT); single2 z = x / y; CHECK(!fetestexcept(FE_INVALID) && z[1] == 0.25f);",
    "single4 x = {__VERIFIER_nondet_float(), 1, 2, 3}; short4 s = __builtin_convertvector(x, short4); CHECK(x[0] != 70000 || s[0] == 4464);",
    "unsigned4 x = {__VERIFIER_nondet_uint(), 1, 2, 3}; if (x[0] != 0) return 0; fesetround(FE_DOWNWARD); single4 s = __builtin_convertvector(x, single4); CHECK(!__builtin_signbit(s[0]));",
];

/// What every layout has.
const CLOSED: [&str; 14] = [
    "int a[4]; int i = __VERIFIER_nondet_int(); if (i < 0 || i > 3) return 0; CHECK(a <= a + i && a + i < a + 4 && a + 4 - (a + i) == 4 - i);",
    "int v[4], n = 0; for (int *p = v + 3; p >= v; p--) n++; CHECK(n == 4);",
    "char *p = malloc(4), *q = malloc(4); CHECK(p != q && p && q && p + 1 != q + 3); free(p); free(q);",
    "char *p = malloc(4); CHECK(((uintptr_t)p & 15) == 0 && (uintptr_t)p % 8 == 0); free(p);",
    "double d[2]; CHECK(((uintptr_t)(d + 1) & 7) == 0);",
    "int *p = malloc(4); *p = 7; uintptr_t t = (uintptr_t)p | 3; CHECK((t & 3) == 3 && *(int *)(t & ~(uintptr_t)3) == 7); free(p);",
    "int x = 5; int *p = &x, *q; for (int i = 0; i < 8; i++) ((char *)&q)[i] = ((char *)&p)[i]; CHECK(q == p && *q == 5);",
    "int a[9]; uintptr_t x = (uintptr_t)(a + 5), y = (uintptr_t)a; CHECK(x - y == 20 && x > y && x != 0);",
    "int a, b; CHECK((&a < &b) != (&b < &a)); int c; CHECK(!(&a < &b && &b < &c) || &a < &c);",
    "CHECK(f != g && (void *)f != (void *)&first && f);",
    "void *end = (void *)-1; char *p = malloc(3); CHECK(p != end && (void *)p < end); free(p);",
    "int c = __VERIFIER_nondet_char(); if (c < 0 && c != -1) CHECK(toupper(c) == c + 256 && tolower(c) == c + 256); CHECK(toupper(-1) == -1 && toupper('q') == 'Q');",
    "signal(SIGUSR1, handler); CHECK(signal(SIGUSR1, SIG_IGN) == handler && signal(SIGUSR1, SIG_DFL) == SIG_IGN);",
    "fenv_t e; fesetround(FE_UPWARD); feraiseexcept(FE_INEXACT); feholdexcept(&e); CHECK(!fetestexcept(FE_ALL_EXCEPT)); fesetround(FE_DOWNWARD); feraiseexcept(FE_DIVBYZERO); feupdateenv(&e); \
     CHECK(fegetround() == FE_UPWARD && fetestexcept(FE_ALL_EXCEPT) == (FE_INEXACT | FE_DIVBYZERO)); fesetenv(FE_DFL_ENV); CHECK(fegetround() == 0 && !fetestexcept(FE_ALL_EXCEPT));",
];

fn program(body: &str) -> String {
    format!("{PRELUDE}int main(void) {{\n  {body}\n  return 0;\n}}\n")
}

/// The verdicts of programs.
fn verdicts(bodies: &[&str]) -> Vec<String> {
    let files: Vec<(String, String)> =
        bodies.iter().enumerate().map(|(index, body)| (format!("p{index}.c"), program(body))).collect();
    let files: Vec<(&str, &str)> = files.iter().map(|(name, text)| (name.as_str(), text.as_str())).collect();
    let bench = Bench::new(&files);
    let verdict = |(name, _): &(&str, &str)| {
        let run = bench.labrys(&["verify", name, "--property", "unreach-call", "--format", "json", "--", "-w"]);
        let json = run.json();
        format!("{} {}", json["verdict"].as_str().unwrap_or_default(), json["reasons"])
    };
    files.iter().map(verdict).collect()
}

#[test]
fn nothing_holds_that_another_build_decides_otherwise() {
    for (body, verdict) in OPEN.iter().zip(verdicts(&OPEN)) {
        assert!(!verdict.starts_with("holds"), "{body}: {verdict}");
    }
}

#[test]
fn what_every_layout_has_holds() {
    for (body, verdict) in CLOSED.iter().zip(verdicts(&CLOSED)) {
        assert!(verdict.starts_with("holds "), "{body}: {verdict}");
    }
}
