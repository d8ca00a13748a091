//! A [`Program`] as text, for people and for comparing programs.
//!
//! The text is a function of what the program computes: values and blocks are numbered in file order, so that two
//! modules which differ in names of values, metadata or debug information only have the same text without locations.

use std::cell::RefCell;
use std::fmt::{self, Display, Formatter, Write};

use crate::{
    Block, Callee, Constant, FastMath, Function, FunctionId, GlobalId, Instruction, InstructionKind, LocationId,
    Operand, Program, Terminator, Type,
};

/// Shows a program, or one function of it.
pub struct ProgramDisplay<'p> {
    program: &'p Program,
    only: Option<FunctionId>,
    locations: bool,
    references: Option<&'p References>,
}

/// The functions and globals that a text refers to, in the order of their first appearance. Where one is given to a
/// [`ProgramDisplay`], the text names them by their places here instead of by name and number.
#[derive(Debug, Default)]
pub(crate) struct References(RefCell<Vec<Reference>>);

/// What a text refers to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Reference {
    /// A function.
    Function(FunctionId),
    /// A global.
    Global(GlobalId),
}

impl References {
    fn place(&self, reference: Reference) -> usize {
        let mut all = self.0.borrow_mut();
        all.iter().position(|known| *known == reference).unwrap_or_else(|| {
            all.push(reference);
            all.len() - 1
        })
    }

    /// All of them.
    pub(crate) fn into_vec(self) -> Vec<Reference> {
        self.0.into_inner()
    }
}

impl Program {
    /// The whole program as text.
    ///
    /// ```
    /// use labrys_program::Program;
    ///
    /// let text = "define double @twice(double %x) { %y = fadd fast double %x, %x ret double %y }";
    /// let program = Program::from_bytes(text.as_bytes(), "twice.ll").unwrap();
    /// let text = program.display().to_string();
    /// assert!(text.contains("%1: f64 = Add %0 %0 fast"), "{text}");
    /// ```
    pub fn display(&self) -> ProgramDisplay<'_> {
        ProgramDisplay { program: self, only: None, locations: true, references: None }
    }
}

impl<'p> ProgramDisplay<'p> {
    /// Only one function.
    pub fn only(self, function: FunctionId) -> ProgramDisplay<'p> {
        ProgramDisplay { only: Some(function), ..self }
    }

    /// Without source locations.
    pub fn without_locations(self) -> ProgramDisplay<'p> {
        ProgramDisplay { locations: false, ..self }
    }

    /// With what it refers to collected and named by its place there, paths cut to files' names, and the function's own name
    /// left out unless others can see it.
    pub(crate) fn collecting(self, references: &'p References) -> ProgramDisplay<'p> {
        ProgramDisplay { references: Some(references), ..self }
    }

    fn show<'a>(&'a self, operand: &'a Operand) -> Shown<'a> {
        Shown(self.program, operand, self.references)
    }

    fn function(&self, out: &mut Formatter<'_>, function: &Function) -> fmt::Result {
        let keyword = if function.blocks.is_empty() { "declare" } else { "define" };
        let name = if self.references.is_some() && !function.is_external { "" } else { &function.name };
        write!(out, "{keyword} {} {name}(", function.result)?;
        for (index, parameter) in function.parameters.iter().enumerate() {
            let comma = if index == 0 { "" } else { ", " };
            write!(out, "{comma}%{}: {}", parameter.value.0, parameter.ty)?;
            if let Some((size, align)) = parameter.by_value {
                write!(out, " byval({size}, align {align})")?;
            }
            if parameter.is_struct_return {
                out.write_str(" sret")?;
            }
        }
        out.write_str(if function.is_variadic { ", ...)" } else { ")" })?;
        if function.features.fma {
            out.write_str(" fma")?;
        }
        if function.features.flushes_denormals {
            out.write_str(" flushes-denormals")?;
        }
        out.write_char('\n')?;
        for (index, block) in function.blocks.iter().enumerate() {
            writeln!(out, "b{index}:")?;
            self.block(out, block)?;
        }
        Ok(())
    }

    fn block(&self, out: &mut Formatter<'_>, block: &Block) -> fmt::Result {
        for instruction in &block.instructions {
            self.instruction(out, instruction)?;
        }
        out.write_str("  ")?;
        match &block.terminator {
            Terminator::Return(None) => out.write_str("return")?,
            Terminator::Return(Some(value)) => write!(out, "return {}", self.show(value))?,
            Terminator::Branch(target) => write!(out, "branch b{}", target.0)?,
            Terminator::CondBranch(condition, then, other) => {
                write!(out, "branch {} b{} b{}", self.show(condition), then.0, other.0)?;
            }
            Terminator::Switch { value, cases, default } => {
                write!(out, "switch {}", self.show(value))?;
                for (case, target) in cases {
                    write!(out, " {case}: b{},", target.0)?;
                }
                write!(out, " else b{}", default.0)?;
            }
            Terminator::Unreachable => out.write_str("unreachable")?,
            Terminator::Resume(value) => write!(out, "resume {}", self.show(value))?,
            Terminator::Unsupported(why) => write!(out, "unsupported: {why}")?,
        }
        if let Some(unwind) = block.unwind {
            write!(out, " unwinding b{}", unwind.0)?;
        }
        self.location(out, block.terminator_location)
    }

    fn instruction(&self, out: &mut Formatter<'_>, instruction: &Instruction) -> fmt::Result {
        out.write_str("  ")?;
        if let Some(result) = instruction.result {
            write!(out, "%{}: {} = ", result.0, instruction.ty)?;
        }
        self.kind(out, &instruction.kind)?;
        write!(out, "{}", instruction.fast_math)?;
        self.location(out, instruction.location)
    }

    fn kind(&self, out: &mut Formatter<'_>, kind: &InstructionKind) -> fmt::Result {
        let show = |operand| self.show(operand);
        match kind {
            InstructionKind::FloatBinary(op, a, b) => write!(out, "{op:?} {} {}", show(a), show(b)),
            InstructionKind::FloatNegate(a) => write!(out, "Negate {}", show(a)),
            InstructionKind::FloatCompare(predicate, a, b) => {
                let mut name = String::new();
                let letters = [
                    (predicate.less, '<'),
                    (predicate.equal, '='),
                    (predicate.greater, '>'),
                    (predicate.unordered, '?'),
                ];
                name.extend(letters.iter().filter(|(set, _)| *set).map(|(_, letter)| letter));
                write!(out, "FloatCompare[{name}] {} {}", show(a), show(b))
            }
            InstructionKind::IntBinary { op, lhs, rhs, may_poison } => {
                let poison = if *may_poison { " may-poison" } else { "" };
                write!(out, "Int{op:?} {} {}{poison}", show(lhs), show(rhs))
            }
            InstructionKind::IntCompare(predicate, a, b) => write!(out, "Int{predicate:?} {} {}", show(a), show(b)),
            InstructionKind::Cast(cast, a) => write!(out, "{cast:?} {}", show(a)),
            InstructionKind::Select(c, a, b) => write!(out, "Select {} {} {}", show(c), show(a), show(b)),
            InstructionKind::Phi(incoming) => {
                out.write_str("Phi")?;
                incoming.iter().try_for_each(|(block, value)| write!(out, " [b{}: {}]", block.0, show(value)))
            }
            InstructionKind::Alloca(ty, count, align) => write!(out, "Alloca {ty} x {} align {align}", show(count)),
            InstructionKind::Load { pointer, ordered } => {
                write!(out, "Load {}{}", show(pointer), if *ordered { " ordered" } else { "" })
            }
            InstructionKind::Store { value, ty, pointer, ordered } => {
                let ordered = if *ordered { " ordered" } else { "" };
                write!(out, "Store {ty} {} to {}{ordered}", show(value), show(pointer))
            }
            InstructionKind::PointerOffset { base, offset, scaled } => {
                write!(out, "PointerOffset {} + {offset}", show(base))?;
                scaled.iter().try_for_each(|(index, scale)| write!(out, " + {}*{scale}", show(index)))
            }
            InstructionKind::ExtractElement(a, index) => write!(out, "ExtractElement {} {}", show(a), show(index)),
            InstructionKind::InsertElement(a, element, index) => {
                write!(out, "InsertElement {} {} {}", show(a), show(element), show(index))
            }
            InstructionKind::ShuffleVector(a, b, mask) => {
                write!(out, "ShuffleVector {} {} <", show(a), show(b))?;
                for lane in mask {
                    match lane {
                        Some(lane) => write!(out, " {lane}")?,
                        None => out.write_str(" poison")?,
                    }
                }
                out.write_str(" >")
            }
            InstructionKind::ExtractValue(a, path) => write!(out, "ExtractValue {} {path:?}", show(a)),
            InstructionKind::InsertValue(a, element, path) => {
                write!(out, "InsertValue {} {} {path:?}", show(a), show(element))
            }
            InstructionKind::Call(callee, arguments) => {
                match callee {
                    Callee::Function(id) => match self.references {
                        Some(references) => write!(out, "Call &{}", references.place(Reference::Function(*id)))?,
                        None => write!(out, "Call {}", self.name(*id))?,
                    },
                    Callee::Intrinsic(name) => write!(out, "Call {name}")?,
                    Callee::Indirect(address) => write!(out, "Call *{}", show(address))?,
                    Callee::InlineAsm(text) => write!(out, "Call asm {text:?}")?,
                }
                arguments.iter().try_for_each(|argument| write!(out, " {}", show(argument)))
            }
            InstructionKind::Freeze(a) => write!(out, "Freeze {}", show(a)),
            InstructionKind::Unsupported(why) => write!(out, "Unsupported: {why}"),
        }
    }

    fn name(&self, function: FunctionId) -> &'p str {
        self.program.functions.get(function.index()).map_or("?", |function| function.name.as_str())
    }

    /// Ends the line, with the location and the chain of inlining where wanted.
    fn location(&self, out: &mut Formatter<'_>, location: Option<LocationId>) -> fmt::Result {
        let mut next = location.filter(|_| self.locations);
        let mut separator = "  ; ";
        while let Some(location) = next.and_then(|id| self.program.locations.get(id.index())) {
            let file = self.program.files.get(location.file as usize).map_or("?", String::as_str);
            let file = file.rsplit('/').next().filter(|_| self.references.is_some()).unwrap_or(file);
            let function = self.program.source_functions.get(location.function.index());
            let function = function.map_or("?", |function| function.name.as_str());
            write!(out, "{separator}{file}:{}:{} {function}", location.line, location.column)?;
            separator = " < ";
            next = location.inlined_at;
        }
        out.write_char('\n')
    }
}

impl Display for ProgramDisplay<'_> {
    fn fmt(&self, out: &mut Formatter<'_>) -> fmt::Result {
        if let Some(only) = self.only {
            return self.program.functions.get(only.index()).map_or(Ok(()), |function| self.function(out, function));
        }
        for (index, global) in self.program.globals.iter().enumerate() {
            let keyword = if global.is_constant { "constant" } else { "global" };
            write!(out, "{keyword} @{index} {} {} align {}", global.name, global.ty, global.align)?;
            if let Some(value) = &global.initializer {
                write!(out, " = {}", ShownConstant(self.program, value, self.references))?;
            }
            out.write_char('\n')?;
        }
        self.program.functions.iter().try_for_each(|function| self.function(out, function))
    }
}

/// An operand, with the program that its globals belong to, and where to collect what it refers to.
struct Shown<'p>(&'p Program, &'p Operand, Option<&'p References>);

pub(crate) struct ShownConstant<'p>(pub(crate) &'p Program, pub(crate) &'p Constant, pub(crate) Option<&'p References>);

impl Display for Shown<'_> {
    fn fmt(&self, out: &mut Formatter<'_>) -> fmt::Result {
        match self.1 {
            Operand::Value(id) => write!(out, "%{}", id.0),
            Operand::Constant(constant) => write!(out, "{}", ShownConstant(self.0, constant, self.2)),
        }
    }
}

impl Display for ShownConstant<'_> {
    fn fmt(&self, out: &mut Formatter<'_>) -> fmt::Result {
        match self.1 {
            Constant::Int { bits, value } => write!(out, "{value}:i{bits}"),
            Constant::Float(value) => write!(out, "{:#x}:{}", value.bits(), Type::Float(value.format())),
            Constant::Null => out.write_str("null"),
            Constant::Address(address) => write!(out, "address:{address:#x}"),
            Constant::Zero(ty) => write!(out, "zero:{ty}"),
            Constant::Undef(ty) => write!(out, "undef:{ty}"),
            Constant::Poison(ty) => write!(out, "poison:{ty}"),
            Constant::Aggregate(ty, elements) => {
                write!(out, "{ty}{{")?;
                elements.iter().try_for_each(|element| write!(out, " {}", ShownConstant(self.0, element, self.2)))?;
                out.write_str(" }")
            }
            Constant::GlobalAddress(id, offset) => {
                write!(out, "address of {}", ShownConstant(self.0, &Constant::Global(*id, *offset), self.2))
            }
            Constant::Global(id, offset) => {
                if let Some(references) = self.2 {
                    return write!(out, "&{}+{offset}", references.place(Reference::Global(*id)));
                }
                let name = self.0.globals.get(id.index()).map_or("?", |global| global.name.as_str());
                write!(out, "@{}:{name}+{offset}", id.0)
            }
            Constant::Function(id) => {
                if let Some(references) = self.2 {
                    return write!(out, "&{}", references.place(Reference::Function(*id)));
                }
                let name = self.0.functions.get(id.index()).map_or("?", |function| function.name.as_str());
                write!(out, "@{name}")
            }
            Constant::Unsupported(ty, why) => write!(out, "unsupported:{ty}({why})"),
        }
    }
}

impl Display for Type {
    fn fmt(&self, out: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Type::Void => out.write_str("void"),
            Type::Int(bits) => write!(out, "i{bits}"),
            Type::Float(format) if format.has_explicit_leading_bit() => write!(out, "x87"),
            Type::Float(format) if *format == labrys_float::Format::BFLOAT16 => out.write_str("bf16"),
            Type::Float(format) => write!(out, "f{}", format.width()),
            Type::Pointer => out.write_str("ptr"),
            Type::Vector(element, count) => write!(out, "<{count} x {element}>"),
            Type::Array(element, count) => write!(out, "[{count} x {element}]"),
            Type::Struct(layout) => {
                out.write_char('{')?;
                for (field, offset) in layout.fields.iter().zip(&layout.offsets) {
                    write!(out, " {field}@{offset}")?;
                }
                write!(out, " }}:{}", layout.size)
            }
            Type::Unsupported(text) => write!(out, "({text})"),
        }
    }
}

impl Display for FastMath {
    /// The set flags in LLVM's names, each with a space before it.
    fn fmt(&self, out: &mut Formatter<'_>) -> fmt::Result {
        let flags = [
            (self.allow_reassociation, " reassoc"),
            (self.no_nans, " nnan"),
            (self.no_infinities, " ninf"),
            (self.no_signed_zeros, " nsz"),
            (self.allow_reciprocal, " arcp"),
            (self.allow_contract, " contract"),
            (self.approximate_functions, " afn"),
        ];
        if flags.iter().all(|(set, _)| *set) {
            return out.write_str(" fast");
        }
        flags.iter().filter(|(set, _)| *set).try_for_each(|(_, name)| out.write_str(name))
    }
}
