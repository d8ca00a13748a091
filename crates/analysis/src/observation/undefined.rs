//! Inputs on which a function reads or writes outside of its memory: what it then does is nobody's, so that builds may differ as they like,
//! and raise what they like.
//!
//! The IR of one build is interpreted. Only an access that is out of bounds there counts; where there is no IR, or the run is long, the input
//! counts as any other.

use labrys_float::Environment;
use labrys_interp::{Limits, MemoryFaultKind, RecordCall, Soft, Stop};
use labrys_program::{FunctionId, Signature};
use labrys_report::grouped;

use crate::target::analysed::Analysed;

/// Instructions that a call is followed for.
const INSTRUCTIONS: u64 = 20_000;

/// A build's code and how it is called.
#[derive(Clone, Copy)]
pub struct Defined<'a> {
    /// The code, where there is IR of it.
    pub analysed: Option<&'a Analysed>,
    /// How it is called.
    pub signature: &'a Signature,
    /// The function that is called before.
    pub init: Option<FunctionId>,
}

impl Defined<'_> {
    /// Whether an input makes the code leave its memory.
    pub fn excludes(&self, record: &[u8]) -> bool {
        let Some(Analysed { program, function, binding }) = self.analysed else { return false };
        let call = RecordCall { program, function: *function, binding, signature: self.signature, init: self.init };
        let domain = Soft { max_events: 0, ..Soft::new(Environment::default()) };
        let limits = Limits { instructions: INSTRUCTIONS, ..Limits::default() };
        let run = call.interpret_in(domain, record, &limits);
        matches!(run.output, Err(Stop::Memory(fault)) if fault.kind == MemoryFaultKind::OutOfBounds)
    }
}

/// What is told of so many inputs that were left out; `why` is what they would have shown, `who` leaves its memory on them.
pub fn note(inputs: u64, why: &str, who: &str) -> Option<String> {
    let count = match inputs {
        0 => return None,
        1 => "1 input".to_owned(),
        more => format!("{} inputs", grouped(more)),
    };
    Some(format!(
        "{count} left out that {why}: by its IR {who} reads or writes outside of its memory, so that any result is right; where that \
         is larger, --length says so"
    ))
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
        let defined = Defined { analysed: Some(&analysed), signature: &signature, init: None };
        let excluded = [-1, 0, 2, 3].map(|i| defined.excludes(&index(i)));
        assert_eq!(excluded, [true, false, false, true]);
        assert!(!Defined { analysed: None, ..defined }.excludes(&index(3)));
    }
}
