//! Whether what a function does depends on its inputs alone.
//!
//! **Claim.** Where nothing is named, two calls with the same inputs do the same, as far as memory that nobody wrote and registers
//! that hold no argument do not count. **Argument.** What a call could see of earlier ones, of other code or of the machine is a
//! variable that some code may change, or what a function, an intrinsic or assembly text gives that is not known; and all code that
//! the function can reach is looked at. Called functions that are only declared hang on their arguments alone, as
//! `labrys_program`'s table of known functions says.
//! The same code must not clear exceptions: what a call leaves raised is then all that it raised.
//!
//! **What it may miss.** A function that makes numbers of addresses sees where the process has its memory.

use labrys_program::{CallGraph, Callee, ChangingGlobals, Function, InstructionKind, Terminator};

use crate::target::analysed::Analysed;

/// Why what the function does may depend on more than its inputs; `None` where it does not.
pub fn dependence(analysed: &Analysed) -> Option<String> {
    let Analysed { program, function, .. } = analysed;
    let reached = CallGraph::new(program).reachable(*function);
    if let Some(name) = ChangingGlobals::new(program).open_to_others(program, &reached).first() {
        return Some(format!("it uses {name}, which calls may change"));
    }
    let functions = reached.iter().filter_map(|id| program.functions.get(id.index()));
    functions.filter_map(foreign).next()
}

/// What a function uses that is not known.
fn foreign(function: &Function) -> Option<String> {
    if function.blocks.is_empty() {
        return match function.known {
            Some(known) if known.depends_on_arguments_alone() => None,
            Some(_) => Some(format!("it calls {}, which sees or changes more than its arguments", function.name)),
            None => Some(format!("it calls {}, of which nothing is known", function.name)),
        };
    }
    for block in &function.blocks {
        for instruction in &block.instructions {
            match &instruction.kind {
                InstructionKind::Call(Callee::InlineAsm(_), _) => return Some("it has assembly text".to_owned()),
                InstructionKind::Call(Callee::Indirect(_), _) => {
                    return Some("it calls functions by computed addresses".to_owned());
                }
                InstructionKind::Call(Callee::Intrinsic(called), _) if called.kind().is_foreign() => {
                    return Some(format!("it uses {called}"));
                }
                InstructionKind::Unsupported(what) => return Some(format!("nothing is known of {what}")),
                _ => {}
            }
        }
        if matches!(block.terminator, Terminator::Resume(_)) {
            return Some("nothing is known of resume".to_owned());
        }
        if let Terminator::Unsupported(what) = &block.terminator {
            return Some(format!("nothing is known of {what}"));
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use labrys_program::{IrBinding, IrResult, Program};

    use super::*;

    fn of(name: &str) -> Option<String> {
        let text = "
            @calls = internal global i32 0
            @table = constant [2 x double] [double 1.0, double 2.0]
            declare double @sin(double)
            declare i32 @rand()
            declare i32 @feclearexcept(i32)
            declare i32 @puts(ptr)
            declare ptr @realloc(ptr, i64)
            declare { double, double } @__divdc3(double, double, double, double)
            declare i32 @llvm.x86.rdpid()
            declare double @exp(ptr)
            declare void @llvm.x86.sse.ldmxcsr(ptr)
            define double @plain(double %x) { %t = load double, ptr @table %s = call double @sin(double %t) ret double %s }
            define i32 @count() { %n = load i32, ptr @calls %m = add i32 %n, 1 store i32 %m, ptr @calls ret i32 %m }
            define i32 @below() { %n = call i32 @count() ret i32 %n }
            define i32 @random() { %n = call i32 @rand() ret i32 %n }
            define i32 @clears() { %n = call i32 @feclearexcept(i32 61) ret i32 %n }
            define void @flushes(ptr %p) { call void @llvm.x86.sse.ldmxcsr(ptr %p) ret void }
            define i32 @prints(ptr %p) { %n = call i32 @puts(ptr %p) ret i32 %n }
            define double @divides(ptr %p) {
                %r = call ptr @realloc(ptr %p, i64 8)
                %q = call { double, double } @__divdc3(double 1.0, double 0.0, double 2.0, double 0.0)
                %d = extractvalue { double, double } %q, 0 ret double %d }
            define i32 @processor() { %n = call i32 @llvm.x86.rdpid() ret i32 %n }
            define double @own(ptr %p) { %r = call double @exp(ptr %p) ret double %r }
            define void @text() { call void asm sideeffect \"fnclex\", \"\"() ret void }
            define double @indirect(ptr %f) { %r = call double %f(double 1.0) ret double %r }";
        let program = Arc::new(Program::from_bytes(text.as_bytes(), "test.ll").unwrap());
        let function = program.function(name).unwrap();
        dependence(&Analysed {
            program,
            function,
            binding: IrBinding { parameters: Vec::new(), result: IrResult::Void },
        })
    }

    #[test]
    fn what_a_call_sees_beside_its_inputs_is_named() {
        assert_eq!(of("plain"), None);
        assert_eq!(of("divides"), None);
        for (name, word) in [
            ("count", "calls"),
            ("below", "calls"),
            ("random", "rand"),
            ("clears", "feclearexcept"),
            ("flushes", "ldmxcsr"),
            ("prints", "puts"),
            // Whatever was not listed as seeing more passed for seeing its operands.
            ("processor", "rdpid"),
            // A declaration with other types than libm's exp.
            ("own", "exp"),
            ("text", "assembly"),
            ("indirect", "computed"),
        ] {
            assert!(of(name).is_some_and(|why| why.contains(word)), "{name}: {:?}", of(name));
        }
    }
}
