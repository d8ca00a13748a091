//! What a proof takes for granted, in words: of what the model of programs decides, that which the program can come to.
//!
//! An assumption that nothing in the program touches is noise before those that matter. Whether something touches it is read off the instructions of all
//! functions that the entry can call: an assumption is left out only where no such instruction is there.

use labrys_program::{
    CallGraph, Callee, Cast, Constant, FloatCall, FloatOperation, Function, FunctionId, Instruction, InstructionKind,
    IntrinsicKind, KnownFunction, Operand, Program, Type,
};

use crate::externals::is_rust;
use crate::values::ASSUMPTIONS;

/// What some assumptions are about.
#[derive(Clone, Copy, Debug, Default)]
struct Uses {
    floats: bool,
    float_calls: bool,
    extremes: bool,
    classes: bool,
    conversions: bool,
    /// Addresses that are computed.
    offsets: bool,
    /// Addresses as numbers.
    addresses: bool,
    /// Local variables of a length that is not known, or without marks of their ends.
    unmarked: bool,
    library: bool,
}

/// What a proof takes for granted that rests on no path.
pub fn reliance(program: &Program, entry: FunctionId) -> Vec<String> {
    assumptions(program, Some(entry), false).into_iter().map(str::to_owned).collect()
}

/// The assumptions of a proof about a program that is entered at a function, in their order.
pub(crate) fn assumptions(program: &Program, entry: Option<FunctionId>, has_allocated: bool) -> Vec<&'static str> {
    let uses = Uses::of(program, entry);
    let floats = [uses.floats, uses.float_calls, uses.extremes, uses.classes, uses.conversions];
    let mut all = vec!["one thread, no signals"];
    all.extend(ASSUMPTIONS.into_iter().zip(floats).filter(|(_, is_used)| *is_used).map(|(text, _)| text));
    all.push("the stack is as large as the program needs");
    let mut add = |is_used: bool, text| all.extend(is_used.then_some(text));
    add(uses.offsets, "accesses are checked against whole objects, not against members of structs and rows of arrays");
    add(
        uses.library,
        "functions of the C library that work on memory are musl's, those of files find none, time() is any time, local time is UTC, the environment is empty",
    );
    let is_named = |entry: &FunctionId| {
        let entry = &program.functions[entry.index()];
        entry.name == "main" && entry.parameters.len() > 1
    };
    add(entry.as_ref().is_some_and(is_named), "the program is called `program`: argv[0] is that text");
    add(uses.addresses, "objects lie apart, between 2^16 and 2^47");
    add(
        uses.unmarked,
        "local variables whose end the IR does not mark (arrays of variable length, bitcode of -O0) live until their function returns",
    );
    add(has_allocated, "malloc, calloc and realloc never run out of memory");
    all
}

impl Uses {
    fn of(program: &Program, entry: Option<FunctionId>) -> Uses {
        let mut uses = Uses::default();
        let reachable = match entry {
            // Constructors run before it.
            Some(entry) if !program.globals.iter().any(|global| global.name == "llvm.global_ctors") => {
                CallGraph::new(program).reachable(entry)
            }
            _ => (0..program.functions.len() as u32).map(FunctionId).collect(),
        };
        for function in reachable.into_iter().filter_map(|id| program.functions.get(id.index())) {
            // Rust's own library is what it is natively.
            uses.library |= function.is_library && !is_rust(&function.name);
            uses.of_function(function);
        }
        uses
    }

    fn of_function(&mut self, function: &Function) {
        match function.known.as_ref() {
            Some(KnownFunction::Class(..) | KnownFunction::Classification) => {
                (self.floats, self.classes) = (true, true);
            }
            Some(KnownFunction::Float(call)) => self.of_float_call(*call, true),
            Some(KnownFunction::Complex | KnownFunction::LogGammaWithSign | KnownFunction::Nan) => {
                (self.floats, self.float_calls) = (true, true)
            }
            _ => {}
        }
        let is_lifetime = |of: &Instruction| matches!(&of.kind, InstructionKind::Call(Callee::Intrinsic(called), _) if called.name().starts_with("llvm.lifetime"));
        let instructions = || function.blocks.iter().flat_map(|block| &block.instructions);
        let has_marks = instructions().any(is_lifetime);
        for instruction in instructions() {
            self.of_instruction(function, instruction);
            if let InstructionKind::Alloca(ty, count, _) = &instruction.kind {
                let is_plain = matches!(count, Operand::Constant(Constant::Int { .. }));
                self.unmarked |= !is_plain || (!has_marks && matches!(ty, Type::Array(..) | Type::Struct(..)));
            }
        }
    }

    /// What a call takes for granted: one that is fused where it can be is a product and a sum elsewhere, and what only moves signs gives no NaN of its own.
    fn of_float_call(&mut self, call: FloatCall, is_fused: bool) {
        use FloatOperation::{
            Abs, CopySign, MaxNum, Maximum, MaximumNumber, MinNum, Minimum, MinimumNumber, Neg, X86Max, X86Min,
        };
        self.floats = true;
        match call {
            FloatCall::Operation(Neg | Abs | CopySign) => {}
            FloatCall::MultiplyAdd if !is_fused => {}
            FloatCall::Operation(operation) | FloatCall::Reduction(operation) => {
                self.float_calls = true;
                self.extremes |= matches!(
                    operation,
                    MinNum | MaxNum | Minimum | Maximum | MinimumNumber | MaximumNumber | X86Min | X86Max
                );
            }
            _ => self.float_calls = true,
        }
    }

    fn of_instruction(&mut self, function: &Function, instruction: &Instruction) {
        match &instruction.kind {
            InstructionKind::FloatBinary(..) | InstructionKind::FloatNegate(_) | InstructionKind::FloatCompare(..) => {
                self.floats = true;
            }
            InstructionKind::Cast(cast, _) => match cast {
                Cast::FpToSi | Cast::FpToUi => (self.floats, self.conversions) = (true, true),
                Cast::FpTrunc | Cast::FpExt | Cast::SiToFp | Cast::UiToFp => self.floats = true,
                Cast::PtrToInt | Cast::IntToPtr => self.addresses = true,
                _ => {}
            },
            InstructionKind::IntCompare(_, a, b) => {
                let is_address = |operand: &Operand| match operand {
                    Operand::Value(value) => function.values.get(value.index()).is_none_or(|ty| *ty == Type::Pointer),
                    Operand::Constant(constant) => matches!(constant, Constant::Global(..) | Constant::Address(_)),
                };
                self.addresses |= is_address(a) && is_address(b);
            }
            // What is an address in memory may be read as a number there.
            InstructionKind::Store { ty: Type::Pointer, .. } => self.addresses = true,
            InstructionKind::PointerOffset { .. } => self.offsets = true,
            InstructionKind::Call(Callee::Intrinsic(called), _) => match called.kind() {
                IntrinsicKind::Float(call) => self.of_float_call(call, function.features.fma),
                IntrinsicKind::Class => (self.floats, self.classes) = (true, true),
                _ => {}
            },
            // What is in it is not known.
            InstructionKind::Call(Callee::InlineAsm(_), _) | InstructionKind::Unsupported(_) => {
                *self = Uses { library: self.library, ..Uses::all() };
            }
            _ => {}
        }
    }

    fn all() -> Uses {
        Uses {
            floats: true,
            float_calls: true,
            extremes: true,
            classes: true,
            conversions: true,
            offsets: true,
            addresses: true,
            unmarked: true,
            library: true,
        }
    }
}
