//! Inputs on which a function reads or writes outside of its memory: what it then does is nobody's, so that builds may differ as they like.
//!
//! The baseline's IR is interpreted. Only an access that is out of bounds there counts; where there is no IR, or the run is long, the input
//! counts as any other.

use labrys_float::Environment;
use labrys_interp::{Limits, MemoryFaultKind, RecordCall, Soft, Stop};
use labrys_program::Signature;

use crate::target::analysed::Analysed;

/// Instructions that a call is followed for.
const INSTRUCTIONS: u64 = 20_000;

/// The baseline's code and how it is called.
#[derive(Clone, Copy)]
pub struct Defined<'a> {
    /// The code, where there is IR of it.
    pub baseline: Option<&'a Analysed>,
    /// How it is called.
    pub signature: &'a Signature,
}

impl Defined<'_> {
    /// Whether an input makes the baseline leave its memory.
    pub fn excludes(&self, record: &[u8]) -> bool {
        let Some(Analysed { program, function, binding }) = self.baseline else { return false };
        let call = RecordCall { program, function: *function, binding, signature: self.signature, init: None };
        let domain = Soft { max_events: 0, ..Soft::new(Environment::default()) };
        let limits = Limits { instructions: INSTRUCTIONS, ..Limits::default() };
        let run = call.interpret_in(domain, record, &limits);
        matches!(run.output, Err(Stop::Memory(fault)) if fault.kind == MemoryFaultKind::OutOfBounds)
    }
}

#[cfg(test)]
mod tests {
    use labrys_program::{LengthOptions, Program, map_parameters, parse_signature};

    use super::*;

    #[test]
    fn indices_outside_of_an_array_are_excluded() {
        let ir = "define double @f(ptr %p, i32 %i) {
            %at = getelementptr double, ptr %p, i32 %i
            %v = load double, ptr %at
            ret double %v
        }";
        let program = std::sync::Arc::new(Program::from_bytes(ir.as_bytes(), "f.ll").expect("it parses"));
        let signature =
            parse_signature("double f(double p[3], int i)", &LengthOptions::default()).expect("a prototype");
        let function = program.function("f").expect("f is there");
        let binding = map_parameters(&signature, &program, function).expect("it binds");
        let analysed = Analysed { program, function, binding };
        let layout = signature.input_layout();
        let index = |i: i32| {
            let mut record = vec![0; layout.size];
            layout.leaves[3].write(&mut record, u128::from(i as u32));
            record
        };
        let defined = Defined { baseline: Some(&analysed), signature: &signature };
        let excluded = [-1, 0, 2, 3].map(|i| defined.excludes(&index(i)));
        assert_eq!(excluded, [true, false, false, true]);
        assert!(!Defined { baseline: None, ..defined }.excludes(&index(3)));
    }
}
