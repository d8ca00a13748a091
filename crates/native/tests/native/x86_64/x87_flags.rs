//! x87 exceptions belong to the call that raised them, though their status is read once for many calls.

use crate::fixture::Fixture;
use labrys_float::Flags;
use labrys_native::{Observation, Outcome};

/// A quotient by the x87 unit, whose inputs are exact in it.
const QUOTIENT: &str = "double f(double x) { volatile long double one = 1; return one / x; }\n";

/// 1,000 inputs, all 2 but those at these indices, which are 0.
fn observed(source: &str, zeros: &[usize]) -> Vec<Observation> {
    let fixture = Fixture::new(source, &["-O1"]);
    let records: Vec<Vec<u8>> =
        (0..1000).map(|index| fixture.record(&[if zeros.contains(&index) { 0.0 } else { 2.0 }])).collect();
    fixture.worker().run(&records, Flags::NOTABLE).expect("the worker runs")
}

/// The indices of observations with exceptions, which must be these.
fn raising(observations: &[Observation], wanted: Flags) -> Vec<usize> {
    let raised = observations.iter().enumerate().filter(|(_, seen)| !seen.flags.is_empty());
    raised
        .map(|(index, seen)| {
            assert_eq!(seen.flags, wanted, "at {index}");
            index
        })
        .collect()
}

#[test]
fn one_call_in_a_thousand_raises() {
    for at in [0, 1, 14, 15, 16, 17, 500, 998, 999] {
        assert_eq!(raising(&observed(QUOTIENT, &[at]), Flags::DIVBYZERO), [at]);
    }
    assert!(raising(&observed(QUOTIENT, &[]), Flags::DIVBYZERO).is_empty());
    let many = [3, 4, 5, 31, 32, 33, 34, 640, 999];
    assert_eq!(raising(&observed(QUOTIENT, &many), Flags::DIVBYZERO), many);
}

/// An exception of SSE clears both units' status: what x87 code raised before is not lost.
#[test]
fn exceptions_of_both_units_between_each_other() {
    let source = "double f(double x) {\n  static int calls;\n  volatile double zero = 0;\n  volatile long double one = 1;\n  \
                  calls++;\n  if (x != 0) return x;\n  return calls & 1 ? one / x : 0 / zero;\n}\n";
    let observations = observed(source, &[8, 9, 24, 25, 26]);
    for (index, seen) in observations.iter().enumerate() {
        let raised = [8, 9, 24, 25, 26].contains(&index);
        assert_eq!(!seen.flags.is_empty(), raised, "{index}: {seen:?}");
        assert!(seen.flags.is_empty() || seen.flags == Flags::DIVBYZERO || seen.flags == Flags::INVALID, "{seen:?}");
    }
}

/// Where calls go through pointers, nobody knows beforehand what they do.
#[test]
fn code_that_cannot_be_followed() {
    let through = |code: &str| {
        format!(
            "#include <fenv.h>\nstatic double g(double x) {{ volatile long double one = 1; {code} return one / x; }}\n\
             double (*volatile h)(double) = g;\ndouble f(double x) {{ return h(x); }}\n"
        )
    };
    for code in ["", "feclearexcept(FE_ALL_EXCEPT);", "__asm__ volatile(\"fnclex\");", "__asm__ volatile(\"fninit\");"]
    {
        for zeros in [&[][..], &[0], &[14], &[15], &[500, 501], &[999]] {
            assert_eq!(raising(&observed(&through(code), zeros), Flags::DIVBYZERO), zeros, "{code}");
        }
    }
}

/// Code that is seen to load the status word may clear what an earlier call raised, and nothing else.
#[test]
fn one_call_clears_single_exceptions_of_another() {
    let source = "double f(double x) {\n  volatile long double one = 1;\n  unsigned state[7];\n  \
                  if (x != 3) return one / x;\n  __asm__ volatile(\"fnstenv %0\" : \"=m\"(state));\n  state[1] &= ~4u;\n  \
                  __asm__ volatile(\"fldenv %0\" :: \"m\"(state));\n  return x;\n}\n";
    let fixture = Fixture::new(source, &["-O1"]);
    let zeros = [0, 5, 15, 16, 30, 47, 48, 99];
    // Whatever raises is followed by what clears.
    let input = |index: &usize| match index {
        _ if zeros.contains(index) => 0.0,
        _ if *index > 0 && zeros.contains(&(index - 1)) => 3.0,
        _ => 2.0,
    };
    let records: Vec<Vec<u8>> = (0..100).map(|index| fixture.record(&[input(&index)])).collect();
    let observations = fixture.worker().run(&records, Flags::NOTABLE).expect("the worker runs");
    assert_eq!(raising(&observations, Flags::DIVBYZERO), zeros);
}

/// With inexact watched, nothing is marked by it.
#[test]
fn inexact_quotients_of_the_x87_unit() {
    let fixture = Fixture::new("double f(double x) { volatile long double one = 1; return one / x; }\n", &["-O1"]);
    let records: Vec<Vec<u8>> =
        (0..100).map(|index| fixture.record(&[if index % 10 == 7 { 3.0 } else { 2.0 }])).collect();
    let watched = Flags::NOTABLE | Flags::INEXACT;
    let observations = fixture.worker().run(&records, watched).expect("the worker runs");
    for (index, seen) in observations.iter().enumerate() {
        assert_eq!(seen.flags.contains(Flags::INEXACT), index % 10 == 7, "{index}");
    }
}

/// What was raised shortly before a crash was told by a process that is gone.
#[test]
fn exceptions_before_a_crash() {
    let source = "double f(double x) {\n  volatile long double one = 1;\n  \
                  if (x == 3) *(volatile int *)8 = 1;\n  return one / x;\n}\n";
    let fixture = Fixture::new(source, &["-O1"]);
    let record = |index: usize| match index {
        37 | 41 => 0.0,
        40 | 90 => 3.0,
        _ => 2.0,
    };
    let records: Vec<Vec<u8>> = (0..100).map(|index| fixture.record(&[record(index)])).collect();
    let observations = fixture.worker().run(&records, Flags::NOTABLE).expect("the worker runs");
    let ended: Vec<usize> = (0..100).filter(|index| observations[*index].outcome != Outcome::Returned).collect();
    assert_eq!(ended, [40, 90]);
    assert_eq!(raising(&observations, Flags::DIVBYZERO), [37, 41]);
    assert_eq!(fixture.result(&observations[39]), 0.5);
}

/// Code that leaves its values on the x87 stack, or lowers the unit's precision, does so for itself alone.
#[test]
fn no_call_finds_what_another_left_in_the_unit() {
    let leaving = "double f(double x) {\n  volatile long double third = 1, three = 3;\n  \
                   if (x == 0) __asm__ volatile(\"fld1\" ::: \"memory\");\n  return (double)(third / three) * x;\n}\n";
    let narrowing = "double f(double x) {\n  static const unsigned short narrow = 0x07f;\n  \
                     volatile long double one = 1, three = 3;\n  long double q = one / three;\n  \
                     if (x == 0) __asm__ volatile(\"fldcw %0\" :: \"m\"(narrow));\n  \
                     return (double)((q - (double)q) * 0x1p60L) + x;\n}\n";
    // With this the status is read after each call.
    let loading = |source: &str| {
        source.replace("{\n", "{\n  char state[28];\n  if (x > 2) __asm__ volatile(\"fldenv %0\" :: \"m\"(state));\n")
    };
    for source in [leaving, narrowing].map(|source| [source.to_owned(), loading(source)]).concat() {
        let zeros: Vec<usize> = (100..112).collect();
        let observations = observed(&source, &zeros);
        for (index, seen) in observations.iter().enumerate() {
            let like = if zeros.contains(&index) { 100 } else { 0 };
            assert_eq!(seen, &observations[like], "{index} of {source}");
        }
    }
}

/// Whatever one call does to the status and control registers, what is seen of the others is what each shows by itself.
#[test]
fn observations_do_not_depend_on_neighbours() {
    const BODY: &str = "  volatile double zero = 0, big = 1e308, one = 1;\n  volatile long double onel = 1, zerol = 0;\n  \
        static const unsigned short narrow = 0x07f;\n  switch ((int)x) {\n  \
        case 1: return one / zero;\n  case 2: return big * big;\n  case 3: return (double)(onel / zerol);\n  \
        case 4: CLEAR; return 4;\n  case 5: UPWARD; return 5;\n  \
        case 6: for (int i = 0; i < 7; i++) __asm__ volatile(\"fld1\" ::: \"memory\"); return 6;\n  \
        case 7: __asm__ volatile(\"fldcw %0\" :: \"m\"(narrow)); return 7;\n  case 8: return *(volatile double *)8;\n  \
        case 9: __asm__ volatile(\"fninit\"); return 9;\n  }\n  \
        volatile long double third = onel / 3;\n  \
        return x + (double)((third - (double)third) * 0x1p60L) + (one + 0x1p-60);\n";
    let statuses = [
        ("", ""),
        ("feclearexcept(FE_DIVBYZERO)", "fesetround(FE_UPWARD)"),
        ("unsigned s = _mm_getcsr(); _mm_setcsr(s & ~63u)", "_mm_setcsr(_mm_getcsr() | 0x4000)"),
        ("char s[28]; __asm__ volatile(\"fnstenv %0\\n\\tandl $~4, 4%0\\n\\tfldenv %0\" : \"+o\"(s))", ""),
    ];
    let mut state = 1_u64;
    let mut random = |below: u64| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) % below
    };
    for (clear, upward) in statuses {
        let body = BODY.replace("CLEAR", clear).replace("UPWARD", upward);
        let source = format!("#include <fenv.h>\n#include <immintrin.h>\ndouble f(double x) {{\n{body}}}\n");
        let fixture = Fixture::new(&source, &["-O1", "-frounding-math"]);
        let alone: Vec<Observation> = (0..10)
            .map(|kind| {
                let record = fixture.record(&[f64::from(kind)]);
                fixture.worker().run_fresh(&[record], Flags::NOTABLE).expect("the worker runs").remove(0)
            })
            .collect();
        assert_eq!(alone[1].flags, Flags::DIVBYZERO);
        assert_eq!(alone[3].flags, Flags::DIVBYZERO);
        assert_eq!(alone[2].flags, Flags::OVERFLOW);
        assert!(alone[0].flags.is_empty() && alone[8].outcome != Outcome::Returned);
        // Each batch begins with blocks again; few calls do anything special, so that they are seen in blocks.
        let mut worker = fixture.worker();
        for _ in 0..200 {
            let kinds: Vec<usize> = (0..48).map(|_| if random(16) == 0 { random(10) as usize } else { 0 }).collect();
            let records: Vec<Vec<u8>> = kinds.iter().map(|kind| fixture.record(&[*kind as f64])).collect();
            let together = worker.run(&records, Flags::NOTABLE).expect("the worker runs");
            for (index, (seen, kind)) in together.iter().zip(&kinds).enumerate() {
                assert_eq!(seen, &alone[*kind], "record {index} of {kinds:?}, with {clear:?}");
            }
        }
    }
}
