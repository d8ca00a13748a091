//! Whether code computes with addresses: where objects lie is the machine's choice, anew in each process.

use labrys_program::{
    Callee, Cast, Constant, Function, FunctionId, InstructionKind, IntBinary, Operand, Program, ValueId,
};
use num_bigint::BigUint;
use rustc_hash::FxHashSet;

/// What every proof of such code rests on.
pub(crate) const ADDRESSES: &str = "what the code computes of addresses is what this layout of memory gives: objects behind pointers begin at multiples of \
                                    16, and nothing hangs on where else anything lies";

/// Whether one of the functions makes a number of an address and does more with it than take the distance to another, or compare
/// it with zero.
pub(crate) fn are_computed_with(program: &Program, functions: &[FunctionId]) -> bool {
    functions.iter().map(|id| &program.functions[id.index()]).filter(|of| !of.is_library).any(in_function)
}

fn in_function(function: &Function) -> bool {
    let instructions = || function.blocks.iter().flat_map(|block| &block.instructions);
    let numbers: FxHashSet<ValueId> = instructions()
        .filter(|of| matches!(of.kind, InstructionKind::Cast(Cast::PtrToInt, _)))
        .filter_map(|of| of.result)
        .collect();
    let is_number = |operand: &Operand| match operand {
        Operand::Value(value) => numbers.contains(value),
        Operand::Constant(constant) => matches!(constant, Constant::GlobalAddress(..)),
    };
    let is_zero = |operand: &Operand| match operand {
        Operand::Constant(Constant::Int { value, .. }) => *value == BigUint::ZERO,
        Operand::Constant(constant) => matches!(constant, Constant::Zero(_)),
        Operand::Value(_) => false,
    };
    let is_harmless = |kind: &InstructionKind| match kind {
        InstructionKind::IntBinary { op: IntBinary::Sub, lhs, rhs, .. } => is_number(lhs) && is_number(rhs),
        InstructionKind::IntCompare(_, a, b) => is_zero(a) || is_zero(b),
        // What debugging says of it.
        InstructionKind::Call(Callee::Intrinsic(called), _) => called.kind().is_hint(),
        _ => false,
    };
    let uses = |kind: &InstructionKind| {
        let mut used = false;
        kind.for_each_operand(&mut |operand: &Operand| used |= is_number(operand));
        used
    };
    instructions().any(|of| uses(&of.kind) && !is_harmless(&of.kind))
        || function.blocks.iter().filter_map(|block| block.terminator.operand()).any(is_number)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn distances_and_null_are_no_computations() {
        let is = |body: &str| {
            let text = format!(
                "@g = global i64 0
                define i64 @f(ptr %p, ptr %q) {{ %a = ptrtoint ptr %p to i64 %b = ptrtoint ptr %q to i64 {body} }}"
            );
            let program = Program::from_bytes(text.as_bytes(), "f.ll").unwrap();
            are_computed_with(&program, &[program.function("f").unwrap()])
        };
        assert!(!is("%d = sub i64 %a, %b ret i64 %d"));
        assert!(!is("%z = icmp eq i64 %a, 0 %r = zext i1 %z to i64 ret i64 %r"));
        assert!(!is("ret i64 7"));
        assert!(is("%low = and i64 %a, 8 ret i64 %low"));
        assert!(is("ret i64 %a"));
        assert!(is("%low = lshr i64 ptrtoint (ptr @g to i64), 12 ret i64 %low"));
        assert!(is("%d = sub i64 %a, 4096 ret i64 %d"));
    }
}
