//! What every processor offers: flags and results, and no traces.

use crate::fixture::{F64, Fixture, unary};
use labrys_float::Flags;
use labrys_native::{Startup, Trace, TracingSupport, Worker, WorkerConfig, tracing_support};

const SOURCE: &str = "double f(double x) { volatile double y = 1e200 / x; return y * y; }\n";

#[test]
fn flags_are_those_of_each_call() {
    let fixture = Fixture::new(SOURCE, &["-O1"]);
    let inputs: Vec<Vec<u8>> = [1e100, 0.0, 1e100, 1.0, 1e300, 1e-200].iter().map(|x| fixture.record(&[*x])).collect();
    let expected = [Flags::empty(), Flags::DIVBYZERO, Flags::empty(), Flags::OVERFLOW, Flags::empty(), Flags::OVERFLOW];
    let mut worker = fixture.worker();
    let seen = worker.run(&inputs, Flags::NOTABLE).expect("the worker runs");
    assert_eq!(seen.iter().map(|seen| seen.flags).collect::<Vec<_>>(), expected);
    let traced = worker.trace_all(&inputs, Flags::NOTABLE).expect("the worker runs");
    for (seen, flags) in traced.iter().zip(expected) {
        assert_eq!(seen.flags, flags);
        // Only of a call without exceptions nothing is missing.
        assert_eq!(seen.trace, Some(Trace { events: Vec::new(), complete: flags.is_empty() }));
    }
    assert_eq!(worker.trace(&inputs[1], Flags::NOTABLE).expect("the worker runs"), traced[1]);
    assert_eq!(tracing_support(), TracingSupport::None);
}

/// With ones for unused lanes the function under test was not called at all: nothing was ever confirmed.
#[test]
fn a_result_is_confirmed_without_lanes_being_filled() {
    let fixture = Fixture::new(SOURCE, &["-O1"]);
    let confirmed = fixture.confirm(&[0.0]);
    assert_eq!(confirmed.variations, []);
    let observation = confirmed.observation;
    assert_eq!((observation.flags, fixture.result(&observation)), (Flags::DIVBYZERO, f64::INFINITY));
}

#[test]
fn the_state_that_calls_start_with() {
    let source = "double f(double x) { return x * 0.5; }\n";
    let fixture = Fixture::of_signature("gcc", source, unary(F64), &["-O2", "-ffast-math"]);
    let start = |startup| Worker::spawn(WorkerConfig { startup, ..fixture.config.clone() });
    let tiny = fixture.record(&[f64::MIN_POSITIVE]);
    for (startup, flushes) in [(Startup::Loaded, cfg!(target_arch = "x86_64")), (Startup::Default, false)] {
        let mut worker = start(startup).expect("a worker");
        assert_eq!((worker.startup_state().ftz, worker.startup_state().daz), (flushes, flushes), "{startup:?}");
        let seen = worker.run(std::slice::from_ref(&tiny), Flags::NOTABLE).expect("the worker runs");
        assert_eq!(fixture.result(&seen[0]) == 0.0, flushes, "{startup:?}");
    }
    let refused = start(Startup::Ftz).err().expect("no worker").to_string();
    assert!(refused.contains("flush-to-zero cannot be switched on"), "{refused}");
}
