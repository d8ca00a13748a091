//! Code that reads and changes its own sticky flags, masks and handlers behaves as without tracing.

use crate::fixture::Fixture;
use labrys_float::Flags;
use labrys_native::{Observation, Symbolizer, Trace, Tracing, Worker, WorkerConfig};

/// The observation of `f(x)`, the same with both ways of tracing, both complete.
fn traced(source: &str, x: f64) -> (Fixture, Observation) {
    let fixture = Fixture::new(source, &["-O1", "-frounding-math"]);
    let record = fixture.record(&[x]);
    let trapped = fixture.worker().trace(&record, Flags::NOTABLE).expect("the worker runs");
    let mut stepping =
        Worker::spawn(WorkerConfig { tracing: Tracing::Step, ..fixture.config.clone() }).expect("a worker");
    let stepped = stepping.trace(&record, Flags::NOTABLE).expect("the worker runs");
    for observation in [&trapped, &stepped] {
        assert!(observation.trace.as_ref().is_some_and(|trace| trace.complete), "{observation:?}");
    }
    assert_eq!(trapped.trace, stepped.trace);
    (fixture, trapped)
}

/// The union of a trace.
fn raised_by(trace: &Trace) -> Flags {
    trace.events.iter().fold(Flags::empty(), |union, event| union | event.exceptions)
}

/// Exceptions of the events.
fn raised(observation: &Observation) -> Vec<Flags> {
    observation.trace.iter().flat_map(|trace| &trace.events).map(|event| event.exceptions).collect()
}

#[test]
fn a_test_of_the_flags_sees_them() {
    let source = "#include <fenv.h>\ndouble f(double x) {\n  volatile double y = 1 / x;\n  \
                  return fetestexcept(FE_DIVBYZERO) ? 1 : 2;\n}\n";
    let (fixture, observation) = traced(source, 0.0);
    assert_eq!(fixture.result(&observation), 1.0);
    assert_eq!(raised(&observation), [Flags::DIVBYZERO]);
}

#[test]
fn a_flag_that_is_cleared_and_raised_again_is_two_events() {
    let source = "#include <fenv.h>\ndouble f(double x) {\n  volatile double y = 1 / x;\n  \
                  feclearexcept(FE_ALL_EXCEPT);\n  double before = fetestexcept(FE_ALL_EXCEPT);\n  y = 2 / x;\n  \
                  return before;\n}\n";
    let (fixture, observation) = traced(source, 0.0);
    assert_eq!(fixture.result(&observation), 0.0);
    assert_eq!(raised(&observation), [Flags::DIVBYZERO, Flags::DIVBYZERO]);
}

#[test]
fn an_exact_tiny_result_leaves_no_flag_for_a_test_to_see() {
    let source = "#include <fenv.h>\ndouble f(double x) {\n  volatile double y = x * 0.5, z = 0;\n  \
                  double seen = fetestexcept(FE_UNDERFLOW) ? 1 : 2;\n  y = 1 / z;\n  return seen;\n}\n";
    let (fixture, observation) = traced(source, f64::MIN_POSITIVE);
    assert_eq!(fixture.result(&observation), 2.0);
    assert_eq!(raised(&observation), [Flags::DIVBYZERO]);
}

#[test]
fn an_exception_behind_feholdexcept_is_found_by_steps_and_by_traps_where_it_is_raised_again() {
    let source = "#include <fenv.h>\ndouble f(double x) {\n  fenv_t kept;\n  feholdexcept(&kept);\n  \
                  volatile double y = 1 / x;\n  feupdateenv(&kept);\n  return y;\n}\n";
    let fixture = Fixture::new(source, &["-O1", "-frounding-math"]);
    let symbolizer = Symbolizer::new(&fixture.config.library).expect("the library is readable");
    let first_line = |tracing| {
        let worker = Worker::spawn(WorkerConfig { tracing, ..fixture.config.clone() });
        let seen = worker.and_then(|mut worker| worker.trace(&fixture.record(&[0.0]), Flags::NOTABLE));
        let trace = seen.expect("the worker runs").trace.expect("a trace");
        assert!(trace.complete && raised_by(&trace) == Flags::DIVBYZERO, "{trace:?}");
        symbolizer.locate_event(&trace.events[0]).line
    };
    assert_eq!(first_line(Tracing::Step), 5);
    assert_eq!(first_line(Tracing::TrapThenStep), 6);
}

#[test]
fn the_codes_own_rounding_and_flushing_are_kept_through_events() {
    // Upward rounding and FTZ are set by the code; an event comes between that and their use.
    let source = "#include <fenv.h>\n#include <immintrin.h>\ndouble f(double x) {\n  fesetround(FE_UPWARD);\n  \
                  _mm_setcsr(_mm_getcsr() | 0x8000);\n  volatile double z = 0, tiny = 2.2250738585072014e-308, y = 1 / z;\n  \
                  y = tiny * 0.5;\n  volatile double third = x / 3;\n  return third + y;\n}\n";
    let (fixture, observation) = traced(source, 1.0);
    assert_eq!(fixture.result(&observation), 1.0 / 3.0_f64 + 2_f64.powi(-54), "rounded up, and no tiny summand");
    assert_eq!(raised(&observation), [Flags::DIVBYZERO, Flags::UNDERFLOW], "FTZ makes every tiny result an underflow");
}

/// Compilers' helpers for formats without instructions raise exceptions by loading the status.
#[test]
fn flags_that_are_loaded_are_raised_there() {
    let source = "double f(double x) {\n  volatile double y = x;\n  unsigned state[7];\n  \
                  __asm__ volatile(\"fnstenv %0\" : \"=m\"(state));\n  state[1] |= 8;\n  \
                  __asm__ volatile(\"fldenv %0\" :: \"m\"(state));\n  return y;\n}\n";
    let fixture = Fixture::new(source, &["-O1"]);
    let observation = fixture.worker().trace(&fixture.record(&[1.0]), Flags::NOTABLE).expect("the worker runs");
    assert_eq!((observation.flags, raised(&observation)), (Flags::OVERFLOW, vec![Flags::OVERFLOW]));
    assert!(observation.trace.is_some_and(|trace| trace.complete));
}
