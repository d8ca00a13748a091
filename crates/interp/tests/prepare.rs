//! Functions that are called before the one of interest.

mod common;

use labrys_float::{Environment, Flags};
use labrys_interp::{Limits, RecordCall};
use labrys_program::Program;

use common::of_one_double;

const IR: &str = "
@factor = global double 1.0
define ptr @prepare(ptr %unused) {
  %zero = fdiv double 0.0, 0.0
  store double 4.0, ptr @factor
  ret ptr %unused
}
define double @f(double %x) {
  %a = load double, ptr @factor
  %r = fmul double %x, %a
  ret double %r
}";

#[test]
fn memory_keeps_the_effects_and_the_flags_do_not() {
    let program = Program::from_bytes(IR.as_bytes(), "f.ll").unwrap();
    let function = program.function("f").unwrap();
    let signature = of_one_double();
    let binding = labrys_program::map_parameters(&signature, &program, function).unwrap();
    let run = |init| {
        let call = RecordCall { program: &program, function, binding: &binding, signature: &signature, init };
        call.interpret(&3f64.to_le_bytes(), &Environment::default(), &Limits::default())
    };
    let plain = run(None);
    assert_eq!(plain.output.unwrap()[..8], 3f64.to_le_bytes());
    let prepared = run(program.function("prepare"));
    assert_eq!(prepared.output.unwrap()[..8], 12f64.to_le_bytes());
    assert_eq!(prepared.flags, Flags::empty());
    assert_eq!(prepared.instructions, plain.instructions);
}
