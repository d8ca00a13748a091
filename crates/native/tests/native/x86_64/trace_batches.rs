//! Many traces in one process are the traces one by one.

use crate::fixture::Fixture;
use labrys_float::Flags;
use labrys_native::{Outcome, Symbolizer, Tracing, Worker, WorkerConfig, WorkerLimits};

/// `f(n)` raises n divisions by zero for n < 30,000; crashes, exits or hangs above.
const COUNTED: &str = "#include <stdlib.h>\n#include <math.h>\ndouble f(double x) {\n  volatile double zero = 0, y = 0;\n  \
                       if (x == 50000) { y = 1 / zero; *(volatile int *)0 = 1; }\n  if (x == 60000) exit(3);\n  \
                       if (x == 70000) for (;;) y = 0;\n  for (int i = 0; i < x; i++) y = x / zero;\n  return y;\n}\n";

#[test]
fn a_batch_is_its_parts() {
    let fixture = Fixture::new(COUNTED, &["-O1"]);
    let limits = WorkerLimits { call: std::time::Duration::from_millis(500), ..Default::default() };
    let mut worker = fixture.worker_with(limits);
    // Four times 4,000 events do not fit the buffer of 10,000 together.
    let inputs: Vec<Vec<u8>> = [3.0, 50000.0, 0.0, 4000.0, 4000.0, 60000.0, 4000.0, 4000.0, 1.0]
        .iter()
        .map(|x| fixture.record(&[*x]))
        .collect();
    let together = worker.trace_all(&inputs, Flags::NOTABLE).expect("the worker runs");
    let lengths: Vec<usize> =
        together.iter().map(|seen| seen.trace.as_ref().map_or(0, |trace| trace.events.len())).collect();
    assert_eq!(lengths, [3, 1, 0, 4000, 4000, 0, 4000, 4000, 1]);
    let complete: Vec<bool> =
        together.iter().map(|seen| seen.trace.as_ref().is_some_and(|trace| trace.complete)).collect();
    assert_eq!(complete, [true, false, true, true, true, false, true, true, true]);
    assert_eq!(together[1].outcome, Outcome::Signal(libc::SIGSEGV));
    assert_eq!(together[5].outcome, Outcome::Exit(3));
    for (input, seen) in inputs.iter().zip(&together) {
        assert_eq!(worker.trace(input, Flags::NOTABLE).expect("the worker runs"), *seen);
    }
}

#[test]
fn a_trace_that_is_too_long_is_cut_and_says_so() {
    let fixture = Fixture::new(COUNTED, &["-O1"]);
    let inputs: Vec<Vec<u8>> = [1.0, 20000.0, 2.0].iter().map(|x| fixture.record(&[*x])).collect();
    let traced = fixture.worker().trace_all(&inputs, Flags::NOTABLE).expect("the worker runs");
    let seen: Vec<(usize, bool)> = traced
        .iter()
        .filter_map(|seen| seen.trace.as_ref())
        .map(|trace| (trace.events.len(), trace.complete))
        .collect();
    assert_eq!(seen, [(1, true), (10_000, false), (2, true)]);
}

#[test]
fn a_call_that_hangs_has_no_trace() {
    let fixture = Fixture::new(COUNTED, &["-O1"]);
    let limits = WorkerLimits { call: std::time::Duration::from_millis(200), ..Default::default() };
    let traced = fixture.worker_with(limits).trace(&fixture.record(&[70000.0]), Flags::NOTABLE).expect("it goes on");
    assert_eq!(traced.outcome, Outcome::Timeout);
    assert!(traced.trace.is_some_and(|trace| trace.events.is_empty() && !trace.complete));
}

#[test]
fn a_library_function_that_is_jumped_to_is_named() {
    let source = "double log(double);\ndouble f(double x) {\n  return log(x);\n}\n";
    let fixture = Fixture::new(source, &["-O2"]);
    let traced = fixture.worker().trace(&fixture.record(&[0.0]), Flags::NOTABLE).expect("the worker runs");
    let trace = traced.trace.expect("a trace");
    assert!(trace.complete && trace.events.len() == 1, "{trace:?}");
    let frame = Symbolizer::new(&fixture.config.library).expect("readable").locate_event(&trace.events[0]);
    assert_eq!((frame.line, frame.function.as_str(), frame.operator.as_str()), (3, "f", "call"));
    assert_eq!(frame.library.as_deref(), Some("log"));
}

#[test]
fn an_event_in_a_callback_belongs_to_the_callback() {
    let source = "#include <stdlib.h>\nstatic int compare(const void *a, const void *b) {\n  \
                  volatile double y = *(double *)a / 0.0;\n  return 0;\n}\n\
                  double f(double x) {\n  double pair[2] = {x, x};\n  qsort(pair, 2, sizeof *pair, compare);\n  \
                  return pair[0];\n}\n";
    let fixture = Fixture::new(source, &["-O1"]);
    let traced = fixture.worker().trace(&fixture.record(&[1.0]), Flags::NOTABLE).expect("the worker runs");
    let trace = traced.trace.expect("a trace");
    assert!(trace.complete && trace.events.len() == 1, "{trace:?}");
    let frame = Symbolizer::new(&fixture.config.library).expect("readable").locate_event(&trace.events[0]);
    assert_eq!((frame.line, frame.function.as_str(), frame.operator.as_str()), (3, "compare", "fdiv"));
}

#[test]
fn a_function_with_state_is_traced_by_itself() {
    let source = "static int calls;\ndouble f(double x) {\n  calls++;\n  return 1 / x + calls * 0 + (calls > 1 ? 0.0 : -1e308 - 1e308 * x);\n}\n";
    let fixture = Fixture::new(source, &["-O0"]);
    let mut worker = fixture.worker();
    let inputs: Vec<Vec<u8>> = [0.0, 2.0, 2.0].iter().map(|x| fixture.record(&[*x])).collect();
    let traced = worker.trace_all(&inputs, Flags::NOTABLE).expect("the worker runs");
    // The first call ever overflows for x = 2; later ones do not.
    let flags: Vec<Flags> = traced.iter().map(|seen| seen.flags).collect();
    assert_eq!(flags, [Flags::DIVBYZERO, Flags::empty(), Flags::empty()]);
    assert!(traced.iter().all(|seen| seen.trace.as_ref().is_some_and(|trace| trace.complete)));
    let alone = worker.trace(&inputs[1], Flags::NOTABLE).expect("the worker runs");
    assert_eq!(alone.flags, Flags::OVERFLOW);
    assert_eq!(worker.trace(&inputs[1], Flags::NOTABLE).expect("the worker runs"), alone, "it does not remember");
}

#[test]
fn a_trace_ends_where_it_has_the_events_that_are_wanted() {
    let fixture = Fixture::new(COUNTED, &["-O1"]);
    for tracing in [Tracing::TrapThenStep, Tracing::Step] {
        let limits = WorkerLimits { events: 5, ..WorkerLimits::default() };
        let config = WorkerConfig { limits, tracing, ..fixture.config.clone() };
        let mut worker = Worker::spawn(config).expect("a worker");
        let records = [100.0, 5.0, 0.0, 6.0, 2.0].map(|x| fixture.record(&[x]));
        let traces = worker.trace_all(&records, Flags::NOTABLE).expect("traces").into_iter().map(|o| o.trace);
        let shown: Vec<_> = traces.flatten().map(|trace| (trace.events.len(), trace.complete)).collect();
        assert_eq!(shown, [(5, false), (5, true), (0, true), (5, false), (2, true)], "{tracing:?}");
        assert_eq!(
            worker.trace(&records[0], Flags::NOTABLE).expect("one").trace.map(|trace| trace.events.len()),
            Some(5)
        );
    }
}
