//! What `labrys exceptions` must not prove, and what it must not take for proved.

use crate::exceptions::{pairs, verdicts};
use crate::harness::Bench;

/// Assembly, operations of the processor's own and handlers of exceptions had no site: where nothing else was there, "proved".
#[test]
fn what_is_not_understood_is_never_proved() {
    let texts = [
        (
            "f.c",
            "double f(double a) {\n  double r;\n  __asm__(\"divsd %1, %0\" : \"=x\"(r) : \"x\"(a - 1.3), \"0\"(1.0));\n  return r;\n}\n",
            3,
            "asm",
        ),
        (
            "f.c",
            "#include <emmintrin.h>\nint f(double a) {\n  return __builtin_ia32_cvtsd2si(_mm_set_sd(a * 2e9));\n}\n",
            3,
            "x86.sse2.cvtsd2si",
        ),
        (
            "f.c",
            "#include <fenv.h>\ndouble f(double a) {\n  if (a > 1.9999)\n    feraiseexcept(FE_DIVBYZERO);\n  return a;\n}\n",
            4,
            "feraiseexcept",
        ),
        (
            "f.rs",
            "use std::arch::asm;\npub fn f(a: f64) -> f64 {\n    let mut r = 1.0f64;\n    unsafe { asm!(\"divsd {0}, {1}\", inout(xmm_reg) r, in(xmm_reg) a - 1.3) };\n    r\n}\n",
            4,
            "asm",
        ),
        (
            "f.cpp",
            "static void check(double a) { if (a > 1.9) throw 1; }\ndouble f(double a) {\n  try { check(a); return 1; }\n  catch (int) { return 1 / (a - 1.93); }\n}\n",
            4,
            "fdiv",
        ),
        // Pointers to members and functions as numbers.
        (
            "f.cpp",
            "struct S { double z = 1; void set(double x) { z = x; } void no(double) {} };\ndouble f(double a) {\n  S s; void (S::*m)(double) = a > 1.93 ? &S::set : \
             &S::no;\n  (s.*m)(0);\n  return 1 / s.z;\n}\n",
            5,
            "fdiv",
        ),
        (
            "f.c",
            "static double z0(double x) { return 0; }\nstatic double z1(double x) { return 1; }\ndouble f(double a) {\n  unsigned long p = (unsigned long)z1;\n  if (a > 1.93) \
             p += (unsigned long)z0 - (unsigned long)z1;\n  return 1 / ((double (*)(double))p)(a);\n}\n",
            6,
            "fdiv",
        ),
        // What comes behind a panic that is caught.
        (
            "f.rs",
            "static mut S: f64 = 1.0;\n#[inline(never)]\nfn poke(a: f64) { unsafe { S = if a > 1.93 { 0.0 } else { 1.0 } } }\n#[no_mangle]\npub extern \"C\" fn f(a: f64) -> f64 {\n    \
             let _ = std::panic::catch_unwind(|| { if a > 1.93 { panic!() } 1.0 });\n    poke(a);\n    unsafe { 1.0 / S }\n}\n",
            8,
            "fdiv",
        ),
    ];
    for (file, text, line, operator) in texts {
        let bench = Bench::new(&[(file, text)]);
        let options = ["-f", "f", "--range", "a=1..2", "--max-work", "1000", "--format", "json"];
        let run = bench.labrys(&[&["exceptions", file][..], &options].concat());
        let of = |pair: &&(u64, String, String, String)| pair.0 == line && pair.1 == operator && pair.2 == "divbyzero";
        let pairs = pairs(&run);
        let verdict = pairs.iter().find(of).map(|pair| pair.3.as_str());
        assert!(matches!(verdict, Some("unknown" | "reachable")), "{text}\n{pairs:?}");
    }
}

/// What takes neither floats nor memory that may hold some is taken to raise nothing, and the report says so.
#[test]
fn functions_that_are_taken_to_raise_nothing_are_named() {
    let text = "void tick(int);\nvoid mix(double *);\ndouble f(double a) {\n  tick(3);\n  mix(&a);\n  return a;\n}\n";
    let other = "void tick(int n) { (void)n; }\nvoid mix(double *p) { *p = *p / (*p - 1.3); }\n";
    let bench = Bench::new(&[("f.c", text), ("other.c", other)]);
    bench.program("clang-22", &["-shared", "-fPIC", "-o", "libother.so", "other.c"]).expect_code(0);
    let link = ["--link", "./libother.so", "--range", "a=1..2", "--max-work", "1000", "--format", "json"];
    let run = bench.labrys(&[&["exceptions", "f.c", "-f", "f"][..], &link].concat());
    assert!(run.json()["notes"].to_string().contains("given floats: tick\""), "{}", run.json()["notes"]);
    let mix: Vec<_> = pairs(&run).into_iter().filter(|pair| pair.1 == "mix").collect();
    assert_eq!(mix.len(), 4, "{mix:?}");
    assert!(mix.iter().all(|pair| pair.0 == 5 && pair.3 != "unreachable"), "{mix:?}");
}

/// A signaling NaN raises invalid wherever it is computed with, and value ranges know only that it is a NaN; what a null pointer leads to is not looked
/// at, which the proof says.
#[test]
fn what_proofs_leave_out_is_not_proved() {
    let signaling = "double f(double x) {\n  if (x == 4.5)\n    return x + __builtin_nans(\"\");\n  return x;\n}\n";
    let bench = Bench::new(&[("f.c", signaling)]);
    let run = bench.labrys(&["exceptions", "f.c", "--max-work", "1", "--format", "json"]);
    assert_eq!(verdicts(&run, "invalid"), ["unknown"]);
    assert!(run.stdout.contains("a signaling NaN stands in the code"), "{}", run.stdout);
    let null = "double f(double *p) {\n  double z = 0;\n  if (!p)\n    return 1 / z;\n  return *p;\n}\n";
    let bench = Bench::new(&[("f.c", null)]);
    let run = bench.labrys(&["exceptions", "f.c", "--format", "json"]);
    assert_eq!(verdicts(&run, "divbyzero"), ["unreachable"]);
    assert!(run.json()["notes"].to_string().contains("p is never null here"), "{}", run.stdout);
}

/// The float solver's inputs are of a function's first call, which calls before them were not: they "did not raise it".
#[test]
fn what_only_a_first_call_raises_is_found() {
    let text = "static double scale;\ndouble f(double x) {\n  double r = x / scale;\n  scale = 2;\n  return r;\n}\n";
    let bench = Bench::new(&[("f.c", text)]);
    let run = bench.labrys(&["exceptions", "f.c", "--format", "json"]);
    assert_eq!(verdicts(&run, "divbyzero"), ["reachable"]);
    assert_eq!(verdicts(&run, "invalid"), ["reachable"]);
}

/// Vectors are compared by an instruction that is invalid for quiet NaNs, of which the IR knows nothing: without any site the search ended at once.
#[test]
fn code_has_sites_that_the_ir_has_not() {
    let text = "typedef double v2 __attribute__((vector_size(16)));\ntypedef long l2 __attribute__((vector_size(16)));\n\
                long f(double x) {\n  v2 a = {x, x}, b = {1, 1};\n  l2 m = a < b;\n  return m[0];\n}\n";
    let bench = Bench::new(&[("f.c", text)]);
    let run = bench.labrys(&["exceptions", "f.c", "--format", "json"]);
    assert_eq!(verdicts(&run, "invalid"), ["reachable"]);
}

/// Functions of libm write to `errno` and `signgam`, and what C++ computes when the program starts is no zero.
#[test]
fn nothing_is_proved_of_what_others_write() {
    let errno = "#include <errno.h>\n#include <math.h>\ndouble f(double x) {\n  errno = 0;\n  double y = exp(x);\n  \
                 if (errno) return 1 / (x - 1000);\n  return y;\n}\n";
    let sign = "#include <math.h>\ndouble f(double x) {\n  signgam = 1;\n  double y = lgamma(x);\n  \
                if (signgam < 0) return 1 / (x + 2.6);\n  return y;\n}\n";
    let start = "#include <cmath>\nstatic const double pole = std::pow(2.5, 3.1);\nextern \"C\" double f(double x) {\n  \
                 if (!(x >= 1 && x <= 2)) return 0;\n  double y = x * pole;\n  return 1 / (y - 20);\n}\n";
    let constructed = "static double pole;\n__attribute__((constructor)) static void set(void) { pole = 1234.5; }\n\
                       double f(double x) { return 1 / (x - pole); }\n";
    for (name, source) in [("a.c", errno), ("b.c", sign), ("c.cpp", start), ("d.c", constructed)] {
        let bench = Bench::new(&[(name, source)]);
        let run = bench.labrys(&["exceptions", name, "-f", "f", "--max-work", "2000", "--format", "json"]);
        let quotient = pairs(&run).into_iter().find(|pair| pair.1 == "fdiv" && pair.2 == "divbyzero");
        assert!(quotient.as_ref().is_some_and(|pair| pair.3 != "unreachable"), "{name}: {quotient:?}");
    }
}

/// Terms have one NaN, without a sign: what hangs on the bits of one was proved of that one alone.
#[test]
fn nans_have_signs_and_payloads() {
    let sign = "double f(double a) { return 1.0 / (double)(a == a || !__builtin_signbit(a)); }\n";
    let copied = "double f(double a) { return a == a ? 0 : 1 / (__builtin_copysign(1, a) + 1); }\n";
    let order = "static long key(double d) { long i; __builtin_memcpy(&i, &d, 8); return i < 0 ? i ^ 0x7fffffffffffffffL : i; }\n\
                 double f(double a) { return 1 / (double)(key(a) >= key(-__builtin_inf())); }\n";
    let payload = "double f(double a) { long i; __builtin_memcpy(&i, &a, 8); return 1 / (double)(a == a || (i & 0xffff) != 0x1234); }\n";
    let single =
        "float f(float a) { int i; __builtin_memcpy(&i, &a, 4); return a == a ? 0 : 1 / (float)(i - 0x7fc00001); }\n";
    let made =
        "double f(double a) { double z = a - a; return a == 1 ? 1 / (double)(!__builtin_signbit(z / z)) : 0; }\n";
    for text in [sign, copied, order, payload, single, made] {
        let bench = Bench::new(&[("f.c", text)]);
        // So few inputs that the solver has to find it.
        let run = bench.labrys(&["exceptions", "f.c", "-f", "f", "--max-work", "300", "--format", "json"]);
        assert_eq!(verdicts(&run, "divbyzero").first().map(String::as_str), Some("reachable"), "{text}");
    }
    // What holds for every NaN is proved.
    let any = "double f(double a) { return 1 / (double)(a == a || __builtin_signbit(a) || !__builtin_signbit(a)); }\n";
    let bench = Bench::new(&[("f.c", any)]);
    let run = bench.labrys(&["exceptions", "f.c", "-f", "f", "--format", "json"]);
    assert_eq!(verdicts(&run, "divbyzero"), ["unreachable"]);
}

/// Nobody chooses where objects lie, and a proof of what code makes of addresses is of one layout.
#[test]
fn proofs_of_code_that_looks_at_addresses_say_so() {
    let words = |text: &str| {
        let bench = Bench::new(&[("f.c", text)]);
        let run = bench.labrys(&["exceptions", "f.c", "-f", "f", "--max-work", "1000", "--format", "json"]);
        run.json()["sites"].to_string().contains("of memory gives")
    };
    let head = "#include <stdint.h>\n";
    assert!(words(&format!(
        "{head}double f(int n) {{ int l = n; return 1.0 / (double)((((uintptr_t)&l) >> 12 & 0xff) != 0x5a); }}\n"
    )));
    assert!(!words("double f(double *p) { double *q = p + 1; return 1.0 / (double)(q - p); }\n"));
}

/// Of inputs that overflow those far beyond the range lose nothing, for the true result leaves it, too; the others were never looked at.
#[test]
fn what_is_lost_just_beyond_the_range_is_found() {
    for text in ["double f(double x) { return x * x * 1e-20; }\n", "float f(float a, float b) { return a * b / 16; }\n"]
    {
        let bench = Bench::new(&[("f.c", text)]);
        let options = ["--inputs", "finite", "--only", "overflow", "--max-work", "3000", "--format", "json"];
        let run = bench.labrys(&[&["exceptions", "f.c"][..], &options].concat());
        let severities: Vec<_> =
            run.json()["findings"].as_array().into_iter().flatten().map(|of| of["severity"].clone()).collect();
        assert_eq!(severities.first().and_then(|of| of.as_str()), Some("lost"), "{text} {severities:?}");
    }
}

/// C's library sorts as its IR does; what it calls back has sites of its own.
#[test]
fn what_stands_behind_a_sort_is_decided() {
    let source = "\
#include <stdlib.h>
static int order(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}
double median(double a, double b, double c) {
  double x[3] = {a, b, c};
  qsort(x, 3, sizeof *x, order);
  return 1 / (x[1] - 7) + x[2] / 4;
}
";
    let bench = Bench::new(&[("f.c", source)]);
    let ranges = ["--range", "a=0..9", "--range", "b=0..9", "--range", "c=0..9"];
    let run = bench.labrys(
        &[&["exceptions", "f.c", "-f", "median", "--max-work", "4000", "--format", "json"], &ranges[..]].concat(),
    );
    let open: Vec<_> = pairs(&run).into_iter().filter(|pair| pair.3 == "unknown").collect();
    assert!(open.is_empty(), "{open:#?}");
    assert_eq!(verdicts(&run, "divbyzero").len(), 2, "reachable, and impossible elsewhere");
}
