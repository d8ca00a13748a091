//! Whether a program has floating-point numbers: where it has none, nothing hangs on how the processor is told to treat them.
//!
//! An instruction computes with floats only if its result or an operand is of a type with floats in it; for this every value, constant and stored
//! type of every function is looked at, those of the library that is linked among them. What instructions do not show counts as floats, too:
//! assembly, whose text is not read, and types that are not understood.

use labrys_float::Format;

use crate::{Callee, Function, InstructionKind, Operand, Program, Type};

impl Program {
    /// Whether a function that the program defines may compute with floating-point numbers, or move them.
    ///
    /// ```
    /// use labrys_program::Program;
    /// let has_floats = |text: &str| Program::from_bytes(text.as_bytes(), "f.ll").unwrap().has_floats();
    /// assert!(!has_floats("define i32 @f(i32 %x) { ret i32 %x }\ndeclare double @sqrt(double)"));
    /// assert!(has_floats("define i32 @f(double %x) { ret i32 0 }"));
    /// ```
    pub fn has_floats(&self) -> bool {
        self.functions.iter().filter(|function| !function.blocks.is_empty()).any(Function::has_floats)
    }
}

impl Function {
    /// Whether it may compute with floating-point numbers, or move them; of a declaration, whether its type names any.
    pub fn has_floats(&self) -> bool {
        let mut found = self.result.has_floats() || self.values.iter().any(Type::has_floats);
        let mut see = |operand: &Operand| {
            if let Operand::Constant(constant) = operand {
                found |= constant.ty().has_floats();
            }
        };
        for block in &self.blocks {
            block.instructions.iter().for_each(|instruction| instruction.kind.for_each_operand(&mut see));
            block.terminator.operand().into_iter().for_each(&mut see);
        }
        let mut kinds = self.blocks.iter().flat_map(|block| &block.instructions).map(|instruction| &instruction.kind);
        found || kinds.any(of_kind)
    }
}

impl Type {
    /// Whether there are floating-point numbers in it. There may be in one that is not understood.
    pub fn has_floats(&self) -> bool {
        self.has(&|scalar| matches!(scalar, Type::Float(_)))
    }

    /// Whether there are numbers of a format in it, with the same caution.
    pub fn has_float(&self, format: Format) -> bool {
        self.has(&|scalar| *scalar == Type::Float(format))
    }

    /// Whether there are addresses in it, with the same caution.
    pub fn has_addresses(&self) -> bool {
        self.has(&|scalar| matches!(scalar, Type::Pointer))
    }

    fn has(&self, is_one: &dyn Fn(&Type) -> bool) -> bool {
        match self {
            Type::Vector(element, _) | Type::Array(element, _) => element.has(is_one),
            Type::Struct(layout) => layout.fields.iter().any(|field| field.has(is_one)),
            Type::Unsupported(_) => true,
            scalar => is_one(scalar),
        }
    }
}

/// What an instruction has beside its result and operands.
fn of_kind(kind: &InstructionKind) -> bool {
    match kind {
        InstructionKind::Alloca(ty, ..) | InstructionKind::Store { ty, .. } => ty.has_floats(),
        InstructionKind::Call(Callee::InlineAsm(_), _) | InstructionKind::Unsupported(_) => true,
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn has_floats(body: &str) -> bool {
        let text = format!("define void @f(ptr %p, i64 %n) {{\n{body}\nret void\n}}\ndeclare i32 @printf(ptr, ...)\n");
        Program::from_bytes(text.as_bytes(), "f.ll").unwrap().has_floats()
    }

    #[test]
    fn floats_are_seen_wherever_instructions_have_them() {
        for body in [
            "%x = load double, ptr %p",
            "%x = sitofp i64 %n to float",
            "%x = bitcast i64 %n to <2 x float>",
            "%x = load { i32, [2 x x86_fp80] }, ptr %p",
            "store half 1.0, ptr %p",
            "store [2 x double] zeroinitializer, ptr %p",
            "%x = alloca double",
            "%x = fcmp olt double 1.0, 2.0",
            "%x = call i32 (ptr, ...) @printf(ptr %p, double 1.0)",
            "call void asm sideeffect \"fldz\", \"\"()",
        ] {
            assert!(has_floats(body), "{body}");
        }
    }

    #[test]
    fn integers_and_addresses_are_none() {
        for body in [
            "%x = load i64, ptr %p\n%y = add i64 %x, %n\nstore i64 %y, ptr %p",
            "%x = alloca { i32, [2 x ptr] }\n%y = getelementptr double, ptr %p, i64 %n",
            "%x = call i32 (ptr, ...) @printf(ptr %p, i64 %n)",
            "%x = load <2 x i64>, ptr %p",
        ] {
            assert!(!has_floats(body), "{body}");
        }
    }
}
