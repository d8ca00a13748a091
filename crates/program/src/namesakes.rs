//! A program's own functions with names of C's mathematical functions.
//!
//! Code generation knows these by their symbols, whoever defines them, and does with them what the IR does not say:
//!
//! - An intrinsic that the target has no instruction for becomes a call of the symbol, which the linker gives the program's own function:
//!   `floor` without SSE4.1, a remainder by `%` of Fortran's or Rust's numbers.
//! - A call of a function that has an instruction and only reads memory becomes the instruction, and the program's own function is not
//!   called: `sqrt` where the optimiser looked into it (LLVM, `SelectionDAGBuilder::visitCall`).
//!
//! - Intrinsics that copy and fill memory become calls of `memcpy`, `memmove` and `memset` or stores, as size and optimisation have it: where a
//!   program defines these, nobody says which.
//!
//! Programs that define none of these functions, which is nearly all of them, stay as they are.

use std::sync::Arc;

use labrys_float::Format;
use rustc_hash::FxHashMap;

use crate::{
    Callee, Constant, FloatBinary, FloatCall, FloatOperation, Function, FunctionId, Instruction, InstructionKind,
    Intrinsic, IntrinsicKind, KnownFunction, Operand, Program, TargetFeatures, Type,
};

/// What copies and fills memory.
const MEMORY: [&str; 3] = ["memcpy", "memmove", "memset"];

/// So many bytes are copied without a call at every level of optimisation (LLVM, `X86FastISel::IsMemcpySmall`, `MaxStoresPerMemcpy`).
const ALWAYS_INLINE: u32 = 16;

/// Has a program call what its machine code calls.
pub(crate) fn resolve(program: &mut Program) {
    let namesakes = Namesakes::of(program);
    if namesakes.by_call.is_empty() && namesakes.of_memory.is_empty() {
        return;
    }
    // What comes with labrys stands in for a library that was compiled without the program.
    for function in program.functions.iter_mut().filter(|function| !function.is_library) {
        let mut compiled = Vec::new();
        for (block, of) in function.blocks.iter().enumerate() {
            for (index, instruction) in of.instructions.iter().enumerate() {
                compiled.extend(namesakes.compiled(function, instruction).map(|kind| (block, index, kind)));
            }
        }
        for (block, index, kind) in compiled {
            function.blocks[block].instructions[index].kind = kind;
        }
    }
}

/// The name of a function of the program's own that a compiler may take for C's: one of its mathematical functions, or one that copies or fills memory.
pub(crate) fn first_of(program: &Program) -> Option<&str> {
    let Namesakes { by_call, of_memory, .. } = Namesakes::of(program);
    let ids = by_call.values().map(|namesake| namesake.id);
    let named = |id: FunctionId| program.functions[id.index()].name.as_str();
    of_memory.first().copied().or_else(|| ids.min().map(named))
}

/// The program's own functions that have a name of C's library, and its types.
struct Namesakes {
    by_call: FxHashMap<(FloatCall, Format), Namesake>,
    /// What the machine does instead of calling these, where it has an instruction.
    by_function: FxHashMap<FunctionId, (FloatCall, Format)>,
    /// Which of the functions that copy and fill memory the program defines.
    of_memory: Vec<&'static str>,
}

struct Namesake {
    id: FunctionId,
    name: String,
    parameters: usize,
    result: Type,
}

impl Namesakes {
    fn of(program: &Program) -> Namesakes {
        let mut namesakes =
            Namesakes { by_call: FxHashMap::default(), by_function: FxHashMap::default(), of_memory: Vec::new() };
        for (index, function) in program.functions.iter().enumerate() {
            if function.blocks.is_empty() || function.is_library {
                continue;
            }
            namesakes.of_memory.extend(MEMORY.into_iter().find(|name| *name == function.name));
            let types: Vec<&Type> = function.parameters.iter().map(|parameter| &parameter.ty).collect();
            let known = KnownFunction::declared(&function.name, &types, function.is_variadic, &function.result);
            let (Some(call), Some(Type::Float(format))) = (known.and_then(KnownFunction::float_call), types.first())
            else {
                continue;
            };
            let id = FunctionId(index as u32);
            if function.is_external && function.only_reads {
                namesakes.by_function.insert(id, (call, *format));
            }
            let (name, result) = (function.name.clone(), function.result.clone());
            namesakes.by_call.insert((call, *format), Namesake { id, name, parameters: types.len(), result });
        }
        namesakes
    }

    /// What an instruction is compiled to, where that is not what it says.
    fn compiled(&self, function: &Function, instruction: &Instruction) -> Option<InstructionKind> {
        let features = function.features;
        match &instruction.kind {
            InstructionKind::FloatBinary(FloatBinary::Rem, left, right) => {
                let call = FloatCall::Operation(FloatOperation::Rem);
                self.called(call, "a remainder", &[left.clone(), right.clone()], instruction, function)
            }
            InstructionKind::Call(Callee::Intrinsic(intrinsic), arguments) => match intrinsic.kind() {
                IntrinsicKind::Float(call) => self.called(call, intrinsic.name(), arguments, instruction, function),
                IntrinsicKind::Copy | IntrinsicKind::Fill => {
                    let name = self.of_memory.iter().find(|name| **name == intrinsic.plain_name())?;
                    let is_small = match arguments.get(2) {
                        Some(Operand::Constant(Constant::Int { value, .. })) => *value <= ALWAYS_INLINE.into(),
                        _ => false,
                    };
                    (intrinsic.kind() == IntrinsicKind::Fill || !is_small)
                        .then(|| InstructionKind::Unsupported(where_defined(intrinsic.name(), name)))
                }
                _ => None,
            },
            InstructionKind::Call(Callee::Function(id), arguments) if features.knows_library != Some(false) => {
                let (call, format) = *self.by_function.get(id)?;
                let FloatCall::Operation(operation) = call else { return None };
                let intrinsic = Intrinsic::of(operation).filter(|_| has_instruction(call, format, features))?;
                Some(match features.knows_library {
                    Some(_) => InstructionKind::Call(Callee::Intrinsic(intrinsic), arguments.clone()),
                    None => InstructionKind::Unsupported(where_defined(
                        intrinsic.name(),
                        &self.by_call.get(&(call, format))?.name,
                    )),
                })
            }
            _ => None,
        }
    }

    /// The call that an operation becomes. Where its operands are not the function's, as those of vectors, nobody says what is called with what.
    fn called(
        &self,
        call: FloatCall,
        name: &str,
        arguments: &[Operand],
        instruction: &Instruction,
        function: &Function,
    ) -> Option<InstructionKind> {
        let operand = function.type_of(arguments.first()?)?;
        let Type::Float(format) = *operand.element() else { return None };
        // Narrower formats are computed as floats.
        let computed = if format.width() < 32 { Format::BINARY32 } else { format };
        let namesake =
            self.by_call.get(&(call, computed)).filter(|_| !has_instruction(call, computed, function.features))?;
        let fits = operand == Type::Float(computed)
            && instruction.ty == namesake.result
            && call.arity() == namesake.parameters
            && arguments.len() >= namesake.parameters;
        Some(match fits {
            // Constrained intrinsics have more arguments, which say nothing of numbers.
            true => {
                let arguments = arguments[..namesake.parameters].to_vec();
                InstructionKind::Call(Callee::Function(namesake.id), arguments)
            }
            false => InstructionKind::Unsupported(where_defined(name, &namesake.name)),
        })
    }
}

/// Why it is not known what an instruction does.
fn where_defined(instruction: &str, name: &str) -> Arc<str> {
    format!("{instruction} where the program defines {name}").into()
}

/// Whether the target computes it without a call.
fn has_instruction(call: FloatCall, format: Format, features: TargetFeatures) -> bool {
    let is_c_double_or_float = format == Format::BINARY32 || format == Format::BINARY64;
    match call {
        FloatCall::Operation(FloatOperation::Sqrt | FloatOperation::Abs | FloatOperation::CopySign) => true,
        FloatCall::ToInteger { mode: None, .. } => true,
        FloatCall::Operation(FloatOperation::RoundToIntegral { .. }) => is_c_double_or_float && features.rounds,
        FloatCall::Operation(FloatOperation::Fma) => is_c_double_or_float && features.fma,
        FloatCall::Operation(FloatOperation::MinNum | FloatOperation::MaxNum) => is_c_double_or_float,
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What the first call or remainder of `f` is compiled to.
    fn compiled(text: &str) -> String {
        let program = Program::from_bytes(text.as_bytes(), "namesakes.ll").unwrap();
        let function = &program.functions[program.function("f").unwrap().index()];
        match &function.blocks[0].instructions[0].kind {
            InstructionKind::Call(Callee::Function(id), arguments) => {
                format!("{}/{}", program.functions[id.index()].name, arguments.len())
            }
            InstructionKind::Call(Callee::Intrinsic(intrinsic), _) => intrinsic.name().to_owned(),
            InstructionKind::FloatBinary(FloatBinary::Rem, ..) => "frem".to_owned(),
            InstructionKind::Unsupported(what) => what.to_string(),
            other => panic!("{other:?}"),
        }
    }

    const FLOOR: &str = "declare double @llvm.floor.f64(double)\n\
        define double @floor(double %x) { ret double %x }\n\
        define double @f(double %x) #0 { %y = call double @llvm.floor.f64(double %x) ret double %y }\n";

    #[test]
    fn an_intrinsic_without_an_instruction_calls_the_programs_own_function() {
        assert_eq!(compiled(&format!("{FLOOR} attributes #0 = {{ \"target-features\"=\"+sse2\" }}")), "floor/1");
        assert_eq!(compiled(&format!("{FLOOR} attributes #0 = {{ \"target-features\"=\"+sse4.1\" }}")), "llvm.floor");
        let other_types = FLOOR.replace("@floor(double %x) { ret double %x }", "@floor(i32 %x) { ret double 0.0 }");
        assert_eq!(compiled(&format!("{other_types} attributes #0 = {{ nounwind }}")), "llvm.floor");
        let constrained = "declare double @llvm.experimental.constrained.floor.f64(double, metadata)\n\
            define double @floor(double %x) { ret double %x }\n\
            define double @f(double %x) strictfp {\n\
              %y = call double @llvm.experimental.constrained.floor.f64(double %x, metadata !\"fpexcept.strict\") strictfp\n\
              ret double %y\n\
            }";
        assert_eq!(compiled(constrained), "floor/1");
    }

    #[test]
    fn a_remainder_calls_the_programs_own_fmod() {
        let own = |linkage: &str| {
            format!(
                "define {linkage} float @fmodf(float %x, float %y) {{ ret float %x }}\n\
                define float @f(float %x) {{ %y = frem float %x, 2.0 ret float %y }}"
            )
        };
        // A local symbol of the object is called, too.
        assert_eq!(compiled(&own("")), "fmodf/2");
        assert_eq!(compiled(&own("internal")), "fmodf/2");
        assert_eq!(compiled("define double @f(double %x) { %y = frem double %x, 2.0 ret double %y }"), "frem");
        let vectors = "define double @fmod(double %x, double %y) { ret double %x }\n\
            define <2 x double> @f(<2 x double> %x) { %y = frem <2 x double> %x, %x ret <2 x double> %y }";
        assert_eq!(compiled(vectors), "a remainder where the program defines fmod");
    }

    #[test]
    fn how_memory_is_copied_and_filled_is_not_known_beside_own_functions() {
        let of = |intrinsic: &str, own: &str, size: &str| {
            compiled(&format!(
                "declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)\ndeclare void @llvm.memset.p0.i64(ptr, i8, i64, i1)\n\
                define ptr @{own}(ptr %a, ptr %b, i64 %n) {{ ret ptr %a }}\n\
                define void @f(ptr %a, ptr %b, i64 %n) {{ call void @llvm.{intrinsic}, i64 {size}, i1 false) ret void }}"
            ))
        };
        let (copy, fill) = ("memcpy.p0.p0.i64(ptr %a, ptr %b", "memset.p0.i64(ptr %a, i8 0");
        assert_eq!(of(copy, "memcpy", "320"), "llvm.memcpy where the program defines memcpy");
        assert_eq!(of(copy, "memcpy", "%n"), "llvm.memcpy where the program defines memcpy");
        assert_eq!(of(fill, "memset", "4"), "llvm.memset where the program defines memset");
        assert_eq!(of(copy, "memcpy", "16"), "llvm.memcpy");
        assert_eq!(of(copy, "memset", "320"), "llvm.memcpy");
        assert_eq!(of(fill, "memmove", "320"), "llvm.memset");
    }

    #[test]
    fn a_call_that_only_reads_is_the_instruction() {
        let own = |attributes: &str, caller: &str| {
            format!(
                "define double @sqrt(double %x) {attributes} {{ ret double %x }}\n\
                define double @f(double %x) {caller} {{ %y = call double @sqrt(double %x) ret double %y }}"
            )
        };
        assert_eq!(compiled(&own("memory(none)", "")), "llvm.sqrt");
        assert_eq!(compiled(&own("memory(read)", "")), "llvm.sqrt");
        assert_eq!(compiled(&own("memory(write)", "")), "sqrt/1");
        assert_eq!(compiled(&own("", "")), "sqrt/1");
        assert_eq!(compiled(&own("memory(none)", "\"no-builtins\"")), "sqrt/1");
        // Which names are meant is not looked at.
        let some = compiled(&own("memory(none)", "\"no-builtin-sqrt\""));
        assert_eq!(some, "llvm.sqrt where the program defines sqrt");
        assert_eq!(
            compiled(&own("memory(none)", "").replace("define double @sqrt", "define internal double @sqrt")),
            "sqrt/1"
        );
        // There is no instruction for it.
        assert_eq!(compiled(&own("memory(none)", "").replace("@sqrt", "@sin")), "sin/1");
    }
}
