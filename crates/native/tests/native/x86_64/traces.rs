//! Traces name the instruction that really raised an exception, and its line.

use crate::fixture::{F64, Fixture, of_scalars, unary};
use labrys_float::Flags;
use labrys_native::{Observation, Startup, Symbolizer, Tracing, Worker, WorkerConfig};
use labrys_program::{FloatType, ScalarType};

/// Exceptions, line and operator of each event.
fn events(fixture: &Fixture, observation: &Observation) -> Vec<(Flags, u32, String)> {
    let symbolizer = Symbolizer::new(&fixture.config.library).expect("the library is readable");
    let trace = observation.trace.as_ref().expect("a trace");
    assert!(trace.complete, "{trace:?}");
    let locate = |event: &labrys_native::Event| {
        let frame = symbolizer.locate_event(event);
        (event.exceptions, frame.line, frame.operator)
    };
    trace.events.iter().map(locate).collect()
}

fn trace(fixture: &Fixture, inputs: &[f64]) -> Observation {
    fixture.worker().trace(&fixture.record(inputs), Flags::NOTABLE).expect("the worker runs")
}

const FOUR: &str = "double f(double x, double y) {\n  double a = x / y;\n  double b = a - a;\n  double c = 1e300 * 1e300 * y;\n  \
                    return a + b + c * 1e-300 + x * 1e-320 * 1e-300;\n}\n";

fn four(flags: &[&str]) -> Fixture {
    Fixture::of_signature("clang-22", FOUR, of_scalars(&[F64, F64], F64), flags)
}

#[test]
fn each_exception_at_its_line_in_order() {
    let fixture = four(&["-O0"]);
    let seen = events(&fixture, &trace(&fixture, &[1.0, 0.0]));
    let expected = [(Flags::DIVBYZERO, 2, "fdiv"), (Flags::INVALID, 3, "fsub")];
    for (event, expected) in seen.iter().zip(&expected) {
        assert_eq!((event.0, event.1, event.2.as_str()), *expected);
    }
    assert!(seen.iter().any(|(flags, line, _)| *flags == Flags::UNDERFLOW && *line == 5), "{seen:?}");
}

#[test]
fn stepping_sees_what_trapping_sees() {
    for flags in [&["-O0"][..], &["-O3", "-ffast-math", "-march=native"][..]] {
        let fixture = four(flags);
        let stepping = WorkerConfig { tracing: Tracing::Step, ..fixture.config.clone() };
        for inputs in [[1.0, 0.0], [0.0, 0.0], [1e308, 1e-308], [-1e-308, 1e10]] {
            let record = fixture.record(&inputs);
            let stepped = Worker::spawn(stepping.clone()).and_then(|mut worker| worker.trace(&record, Flags::NOTABLE));
            assert_eq!(trace(&fixture, &inputs), stepped.expect("the worker runs"), "{inputs:?} {flags:?}");
        }
    }
}

#[test]
fn an_exact_tiny_result_is_no_event() {
    let fixture = Fixture::new("double f(double x) { return x * 0.5; }\n", &["-O0"]);
    let exact = trace(&fixture, &[f64::MIN_POSITIVE]);
    assert_eq!(exact.flags, Flags::empty());
    assert_eq!(events(&fixture, &exact), []);
    let inexact = trace(&fixture, &[f64::MIN_POSITIVE.next_up()]);
    assert_eq!(events(&fixture, &inexact), [(Flags::UNDERFLOW, 1, "fmul".to_owned())]);
}

#[test]
fn an_exact_tiny_result_amid_real_events_is_no_event() {
    let fixture = Fixture::new("double f(double x) { volatile double z = 0; return x * 0.5 + 1 / z; }\n", &["-O0"]);
    let seen = events(&fixture, &trace(&fixture, &[f64::MIN_POSITIVE]));
    assert_eq!(seen, [(Flags::DIVBYZERO, 1, "fdiv".to_owned())]);
}

#[test]
fn extended_precision_is_traced_by_steps() {
    let source = "long double f(long double x) {\n  long double y = x / 0;\n  return y - y;\n}\n";
    let x87 = ScalarType::Float(FloatType::X87);
    let fixture = Fixture::of_signature("clang-22", source, unary(x87), &["-O0"]);
    let mut record = vec![0; fixture.inputs.size];
    fixture.inputs.leaves[0].write(&mut record, (0x3fff_u128 << 64) | (1 << 63));
    let observation = fixture.worker().trace(&record, Flags::NOTABLE).expect("the worker runs");
    let seen: Vec<_> = events(&fixture, &observation).into_iter().map(|(flags, line, _)| (flags, line)).collect();
    assert_eq!(seen, [(Flags::DIVBYZERO, 2), (Flags::INVALID, 3)]);
}

#[test]
fn an_exception_in_a_library_belongs_to_the_calling_line() {
    let source = "double log(double);\ndouble f(double x) {\n  double y = x + 1;\n  return log(x) + y;\n}\n";
    let fixture = Fixture::new(source, &["-O0"]);
    let observation = trace(&fixture, &[0.0]);
    assert_eq!(observation.flags, Flags::DIVBYZERO);
    let event = observation.trace.as_ref().expect("a trace").events[0];
    assert!(event.outside.is_some());
    assert_eq!(events(&fixture, &observation), [(Flags::DIVBYZERO, 4, "call".to_owned())]);
}

#[test]
fn a_function_that_is_not_exported_is_found() {
    let source = "static double f(double x) { return 1 / x; }\ndouble (*keep)(double) = f;\n";
    let fixture = Fixture::new(source, &["-O1"]);
    assert_eq!(trace(&fixture, &[0.0]).flags, Flags::DIVBYZERO);
}

#[test]
fn a_function_that_is_not_there_is_an_error() {
    let fixture = Fixture::new("double g(double x) { return x; }\n", &["-O0"]);
    let error = fixture.try_worker().err().expect("no worker");
    assert!(error.to_string().contains("`f`"), "{error}");
}

#[test]
fn start_up_code_that_flushes_is_the_builds_start_up_state() {
    let source = "double f(double x) { return x * 0.5; }\n";
    let fixture = Fixture::of_signature("gcc", source, unary(F64), &["-O2", "-ffast-math"]);
    let startup = fixture.worker().startup_state();
    assert!(startup.ftz && startup.daz, "{startup:?}");
    let tiny = fixture.record(&[f64::MIN_POSITIVE]);
    let run = |startup| {
        let worker = Worker::spawn(WorkerConfig { startup, ..fixture.config.clone() });
        let mut observations =
            worker.expect("a worker").run(std::slice::from_ref(&tiny), Flags::NOTABLE).expect("the worker runs");
        fixture.result(&observations.remove(0))
    };
    assert_eq!(run(Startup::Loaded), 0.0);
    assert_eq!(run(Startup::Ftz), 0.0);
    assert_eq!(run(Startup::Default), f64::MIN_POSITIVE / 2.0);
}

#[test]
fn vectorised_code_is_traced() {
    let source = "double f(double x) {\n  volatile double a[8] = {1, 2, 3, 4, 5, 6, 7, 8};\n  double b[8], s = 0;\n  \
                  for (int i = 0; i < 8; i++) b[i] = a[i];\n  for (int i = 0; i < 8; i++) s += b[i] / x;\n  return s;\n}\n";
    let fixture = Fixture::new(source, &["-O3", "-march=native", "-ffast-math"]);
    let seen = events(&fixture, &trace(&fixture, &[0.0]));
    assert!(seen.iter().any(|(flags, line, operator)| *flags == Flags::DIVBYZERO && *line == 5 && operator == "fdiv"));
}

#[test]
fn a_library_function_is_named_however_it_is_called() {
    let source = "double log(double);\ndouble f(double x) { double y = log(x); return y + 1; }\n";
    for flags in
        [&["-O2", "-fno-plt"][..], &["-O2", "-fcf-protection=full", "-Wl,-z,ibtplt"][..], &["-O2", "-Wl,-z,lazy"][..]]
    {
        let fixture = Fixture::new(source, flags);
        let symbolizer = Symbolizer::new(&fixture.config.library).expect("the library is readable");
        let trace = trace(&fixture, &[0.0]).trace.expect("a trace");
        let frames: Vec<_> = trace.events.iter().map(|event| symbolizer.locate_event(event)).collect();
        assert_eq!(frames.len(), 1);
        assert_eq!((frames[0].library.as_deref(), frames[0].line), (Some("log"), 2), "{flags:?}");
    }
}
