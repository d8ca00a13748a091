//! Whether a function that prints does nothing else.

use crate::{Constant, Function, Instruction, InstructionKind, KnownFunction, Operand, Program, Type};

impl Program {
    /// Whether a call of a function that prints changes no memory of the program's. `%n` does: it writes how many characters were
    /// printed so far. So either no pointer stands behind the format, or the format is known and has no `%n`.
    pub fn only_prints(&self, caller: &Function, call: &Instruction, callee: KnownFunction) -> bool {
        let (KnownFunction::Print { format }, InstructionKind::Call(_, operands)) = (callee, &call.kind) else {
            return false;
        };
        let Some(format) = format else { return true };
        let is_pointer = |operand: &Operand| caller.type_of(operand).is_none_or(|ty| ty == Type::Pointer);
        if !operands.iter().skip(format + 1).any(is_pointer) {
            return true;
        }
        operands.get(format).and_then(|operand| self.text_at(operand)).is_some_and(|text| !writes_a_count(&text))
    }

    /// The text that stands at a constant address, up to its end, where nobody can change it.
    fn text_at(&self, operand: &Operand) -> Option<Vec<u8>> {
        let Operand::Constant(Constant::Global(id, offset)) = operand else { return None };
        let global = self.globals.get(id.index()).filter(|global| global.is_constant)?;
        let bytes: Vec<u8> = match global.initializer.as_ref()? {
            Constant::Aggregate(_, members) => members.iter().map(byte).collect::<Option<_>>()?,
            Constant::Zero(_) => vec![0],
            _ => return None,
        };
        let text = bytes.get(usize::try_from(*offset).ok()?..)?;
        Some(text[..text.iter().position(|byte| *byte == 0)?].to_vec())
    }
}

fn byte(constant: &Constant) -> Option<u8> {
    match constant {
        Constant::Int { bits: 8, value } => u8::try_from(value).ok(),
        _ => None,
    }
}

/// Whether a format of C's printf has a conversion `%n`.
fn writes_a_count(format: &[u8]) -> bool {
    let mut rest = format;
    while let Some(start) = rest.iter().position(|byte| *byte == b'%') {
        rest = &rest[start + 1..];
        // Flags, width, precision, position and length.
        let inside = |byte: &u8| byte.is_ascii_digit() || b"-+ #'I.*$hlLqjztw".contains(byte);
        let length = rest.iter().position(|byte| !inside(byte)).unwrap_or(rest.len());
        if rest.get(length) == Some(&b'n') {
            return true;
        }
        rest = rest.get(length + 1..).unwrap_or_default();
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Callee;

    #[test]
    fn counts_are_found_in_formats() {
        for format in ["%n", "x%5$hhn", "%d%%%n", "%-08.3ln"] {
            assert!(writes_a_count(format.as_bytes()), "{format}");
        }
        for format in ["", "%", "100%%n", "%d nothing", "%s\n", "n", "%5.2"] {
            assert!(!writes_a_count(format.as_bytes()), "{format}");
        }
    }

    /// `%n` wrote to memory that analyses of values then took for unchanged.
    #[test]
    fn a_format_that_is_not_known_may_write() {
        let text = r#"
            @plain = constant [4 x i8] c"%s\0A\00"
            @count = constant [3 x i8] c"%n\00"
            @buffer = global [3 x i8] c"%s\00"
            declare i32 @printf(ptr, ...)
            declare i32 @puts(ptr)
            define void @f(ptr %p, i32 %n, ptr %q) {
                %a = call i32 (ptr, ...) @printf(ptr @plain, ptr %p)
                %b = call i32 (ptr, ...) @printf(ptr @count, ptr %p)
                %c = call i32 (ptr, ...) @printf(ptr @buffer, ptr %p)
                %d = call i32 (ptr, ...) @printf(ptr %q, i32 %n)
                %e = call i32 (ptr, ...) @printf(ptr %q, ptr %p)
                %f = call i32 @puts(ptr %p)
                ret void
            }"#;
        let program = Program::from_bytes(text.as_bytes(), "test.ll").unwrap();
        let function = &program.functions[program.function("f").unwrap().index()];
        let only_prints: Vec<bool> = function.blocks[0]
            .instructions
            .iter()
            .map(|call| match &call.kind {
                InstructionKind::Call(Callee::Function(id), _) => {
                    let known = program.functions[id.index()].known.unwrap();
                    program.only_prints(function, call, known)
                }
                other => panic!("{other:?}"),
            })
            .collect();
        assert_eq!(only_prints, [true, false, false, true, false, true]);
    }
}
