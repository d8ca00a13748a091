use std::process::Command;

use labrys_program::{LengthOptions, Program, map_parameters, parse_signature};

use super::*;

const START: StartupState = StartupState { mxcsr: 0x1f80, x87_control: 0x37f, ftz: false, daz: false };

/// A stand-in for `f(x)` of a C source.
fn stand_in(source: &str) -> Interpreted {
    let folder = tempfile::tempdir().unwrap();
    let (file, bitcode) = (folder.path().join("f.c"), folder.path().join("f.bc"));
    std::fs::write(&file, source).unwrap();
    let mut command = Command::new("clang-22");
    command.args(["-O0", "-g", "-c", "-emit-llvm", "-o"]).arg(&bitcode).arg(&file);
    assert!(command.status().unwrap().success());
    let program = Program::from_bitcode_file(&bitcode).unwrap();
    let signature = parse_signature("double f(double x)", &LengthOptions::default()).unwrap();
    let function = program.function("f").unwrap();
    let binding = map_parameters(&signature, &program, function).unwrap();
    let analysed = Analysed { program: Arc::new(program), function, binding };
    Interpreted::new(Some(Arc::new(analysed)), signature, START)
}

/// The trace of `f(x)` as a processor would show it with these flags and this result: lines and exceptions.
fn trace(stand_in: &mut Interpreted, x: f64, flags: Flags, result: f64, watched: Flags) -> (Vec<(u32, Flags)>, bool) {
    let record = |value: f64| value.to_bits().to_le_bytes().into_iter().chain([0; 8]).collect::<Vec<u8>>();
    let observation = Observation { outcome: Outcome::Returned, flags, output: record(result), trace: None };
    let trace = stand_in.trace(&record(x), &observation, watched);
    let lines =
        trace.events.iter().map(|event| (stand_in.frame(event).map_or(0, |frame| frame.line), event.exceptions));
    (lines.collect(), trace.complete)
}

const QUOTIENT: &str = "double f(double x) {\n  double y = 1 / x;\n  return y - y;\n}\n";

#[test]
fn a_trace_that_agrees_is_complete() {
    let raised = Flags::DIVBYZERO | Flags::INVALID;
    let expected = vec![(2, Flags::DIVBYZERO), (3, Flags::INVALID)];
    // x86-64's NaN is negative, Arm's positive: IR leaves that open.
    for nan in [f64::NAN, -f64::NAN] {
        let seen = trace(&mut stand_in(QUOTIENT), 0.0, raised, nan, Flags::NOTABLE);
        assert_eq!(seen, (expected.clone(), true));
    }
}

#[test]
fn a_call_without_exceptions_has_a_complete_trace_whatever_the_ir() {
    let nothing = (Vec::new(), true);
    assert_eq!(trace(&mut stand_in(QUOTIENT), 0.0, Flags::empty(), 0.0, Flags::NOTABLE), nothing);
    let mut without_ir = Interpreted { analysed: None, ..stand_in(QUOTIENT) };
    assert_eq!(trace(&mut without_ir, 0.0, Flags::empty(), 0.0, Flags::NOTABLE), nothing);
    assert_eq!(trace(&mut without_ir, 0.0, Flags::INVALID, 0.0, Flags::NOTABLE), (Vec::new(), false));
}

/// Events of an interpretation that is not the call's were findings of `labrys exceptions`.
#[test]
fn a_trace_that_does_not_agree_has_no_events_but_where_guesses_are_wanted() {
    let half = (Flags::DIVBYZERO, f64::INFINITY);
    assert_eq!(trace(&mut stand_in(QUOTIENT), 0.0, half.0, half.1, Flags::NOTABLE), (Vec::new(), false));
    // Even then only exceptions that the call raised.
    let mut guessing = stand_in(QUOTIENT).guessing();
    assert_eq!(trace(&mut guessing, 0.0, half.0, half.1, Flags::NOTABLE), (vec![(2, Flags::DIVBYZERO)], false));
}

/// Inexact had no events, and the trace was called complete.
#[test]
fn inexact_is_among_the_events_where_it_is_watched() {
    let watched = Flags::NOTABLE | Flags::INEXACT;
    let seen = trace(&mut stand_in(QUOTIENT), 3.0, Flags::INEXACT, 0.0, watched);
    assert_eq!(seen, (vec![(2, Flags::INEXACT)], true));
}

#[test]
fn a_trace_that_is_too_long_is_cut_and_says_so() {
    let source =
        "double f(double x) {\n  volatile double y = 0;\n  for (int i = 0; i < 20; i++) y = 1 / x;\n  return y;\n}\n";
    let mut whole = stand_in(source);
    let (events, complete) = trace(&mut whole, 0.0, Flags::DIVBYZERO, f64::INFINITY, Flags::NOTABLE);
    assert_eq!((events.len(), complete, whole.frames.len()), (20, true, 1));
    let mut cut = stand_in(source).at_most(5);
    let (events, complete) = trace(&mut cut, 0.0, Flags::DIVBYZERO, f64::INFINITY, Flags::NOTABLE);
    assert_eq!((events.len(), complete), (5, false));
}

/// The call was interpreted as if no function ran before it.
#[test]
fn the_function_that_runs_first_is_interpreted_too() {
    let source =
        "static double divisor = 1;\nvoid prepare(void) { divisor = 0; }\ndouble f(double x) { return x / divisor; }\n";
    let infinite = |stand_in: &mut Interpreted| trace(stand_in, 1.0, Flags::DIVBYZERO, f64::INFINITY, Flags::NOTABLE);
    assert_eq!(infinite(&mut stand_in(source)), (Vec::new(), false));
    let mut prepared = stand_in(source).after(Some("prepare".to_owned()));
    assert_eq!(infinite(&mut prepared), (vec![(3, Flags::DIVBYZERO)], true));
    assert_eq!(infinite(&mut stand_in(source).after(Some("absent".to_owned()))), (Vec::new(), false));
}
