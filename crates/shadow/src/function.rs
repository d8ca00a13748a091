//! One function: its values as C variables, its blocks as labels.

use std::fmt::Write as _;

use labrys_program::{BlockId, Function, FunctionId, Instruction, InstructionKind, Operand, Terminator, Type, ValueId};

use crate::error::{Reason, Scalars};
use crate::kind::{Kind, Own};
use crate::module::Module;
use crate::shadow::Site;

/// Writes one function.
pub(crate) struct Writer<'m, 'p> {
    pub(crate) module: &'m mut Module<'p>,
    pub(crate) id: FunctionId,
    pub(crate) function: &'p Function,
    block: BlockId,
    instruction: u32,
    location: Option<labrys_program::LocationId>,
    pub(crate) declarations: String,
    pub(crate) body: String,
    /// Buffers and temporaries so far, which names them.
    temporaries: usize,
}

/// The head of a function's definition.
pub(crate) fn head(module: &mut Module<'_>, id: FunctionId) -> Result<String, Reason> {
    let program = module.program;
    let function = &program.functions[id.index()];
    let result = module.result_type(&function.result)?;
    let mut parameters = Vec::new();
    for parameter in &function.parameters {
        for (i, place) in module.scalars(&parameter.ty)?.iter().enumerate() {
            parameters.push(format!("{} v{}_{i}", place.kind.c_type(), parameter.value.0));
        }
    }
    let parameters = if parameters.is_empty() { "void".to_owned() } else { parameters.join(", ") };
    Ok(format!("static {result} f{}({parameters})", id.0))
}

/// The definition of a function.
pub(crate) fn definition(module: &mut Module<'_>, id: FunctionId) -> Result<String, Reason> {
    let program = module.program;
    let function = &program.functions[id.index()];
    if function.is_variadic {
        return Err("a definition with a variable number of arguments".into());
    }
    let head = head(module, id)?;
    let mut writer = Writer {
        module,
        id,
        function,
        block: BlockId(0),
        instruction: 0,
        location: None,
        declarations: String::new(),
        body: String::new(),
        temporaries: 0,
    };
    writer.blocks()?;
    Ok(format!("{head}\n{{\n{}{}}}\n", writer.declarations, writer.body))
}

impl<'p> Writer<'_, 'p> {
    fn blocks(&mut self) -> Result<(), Reason> {
        let mut is_reached = vec![false; self.function.blocks.len()];
        let mut pending = vec![BlockId(0)];
        while let Some(block) = pending.pop() {
            let Some(seen) = is_reached.get_mut(block.index()) else { return Err("a branch to no block".into()) };
            if !std::mem::replace(seen, true) {
                pending.extend(self.function.blocks[block.index()].terminator.successors());
            }
        }
        for (index, block) in self.function.blocks.iter().enumerate() {
            if !is_reached[index] {
                continue;
            }
            self.block = BlockId(index as u32);
            self.line(&format!("B{index}:;"));
            for (position, instruction) in block.instructions.iter().enumerate() {
                self.instruction = position as u32;
                self.location = instruction.location;
                self.write(instruction)?;
            }
            self.location = block.terminator_location;
            self.terminator(&block.terminator)?;
        }
        Ok(())
    }

    fn write(&mut self, instruction: &'p Instruction) -> Result<(), Reason> {
        if let Some(result) = instruction.result {
            self.declare(result, &instruction.ty)?;
        }
        let values = match &instruction.kind {
            InstructionKind::FloatBinary(op, a, b) => self.float_binary(*op, a, b)?,
            InstructionKind::FloatNegate(a) => self.float_negate(a)?,
            InstructionKind::FloatCompare(predicate, a, b) => self.float_compare(*predicate, a, b)?,
            InstructionKind::IntBinary { op, lhs, rhs, .. } => self.int_binary(*op, lhs, rhs)?,
            InstructionKind::IntCompare(predicate, a, b) => self.int_compare(*predicate, a, b)?,
            InstructionKind::Cast(cast, a) => self.cast(*cast, a, &instruction.ty)?,
            InstructionKind::Select(condition, a, b) => self.select(condition, a, b)?,
            InstructionKind::Phi(_) => self.phi(instruction)?,
            InstructionKind::Alloca(ty, count, align) => self.alloca(ty, count, *align)?,
            InstructionKind::Load { pointer, .. } => self.load(pointer, &instruction.ty)?,
            InstructionKind::Store { value, ty, pointer, .. } => self.store(value, ty, pointer)?,
            InstructionKind::PointerOffset { base, offset, scaled } => {
                self.pointer_offset(base, *offset, scaled, &instruction.ty)?
            }
            InstructionKind::ExtractElement(vector, index) => self.extract_element(vector, index)?,
            InstructionKind::InsertElement(vector, element, index) => self.insert_element(vector, element, index)?,
            InstructionKind::ShuffleVector(a, b, mask) => self.shuffle(a, b, mask)?,
            InstructionKind::ExtractValue(aggregate, path) => self.extract_value(aggregate, path)?,
            InstructionKind::InsertValue(aggregate, element, path) => self.insert_value(aggregate, element, path)?,
            InstructionKind::Call(callee, arguments) => self.call(instruction, callee, arguments)?,
            // Whatever it is frozen to.
            InstructionKind::Freeze(a) => self.operand(a)?,
            InstructionKind::Unsupported(what) => {
                return Err(Reason::new(format!("the instruction {}", opcode(what))));
            }
        };
        if let Some(result) = instruction.result {
            self.define(result, &values);
        }
        Ok(())
    }

    /// Declares the variables of a value.
    fn declare(&mut self, value: ValueId, ty: &Type) -> Result<(), Reason> {
        for (i, place) in self.module.scalars(ty)?.iter().enumerate() {
            let _ = writeln!(self.declarations, "{} v{}_{i};", place.kind.c_type(), value.0);
        }
        Ok(())
    }

    /// Assigns to the variables of a value.
    fn define(&mut self, value: ValueId, scalars: &[String]) {
        for (i, scalar) in scalars.iter().enumerate() {
            let _ = writeln!(self.body, "v{}_{i} = {scalar};", value.0);
        }
    }

    /// Adds a statement.
    pub(crate) fn line(&mut self, text: &str) {
        self.body.push_str(text);
        self.body.push('\n');
    }

    /// A new variable with a value.
    pub(crate) fn temporary(&mut self, c_type: &str, value: &str) -> String {
        let name = format!("m{}", self.temporaries);
        self.temporaries += 1;
        let _ = writeln!(self.declarations, "{c_type} {name};");
        self.line(&format!("{name} = {value};"));
        name
    }

    /// A new piece of stack memory.
    pub(crate) fn buffer(&mut self, size: u64, align: u64) -> String {
        let name = format!("m{}", self.temporaries);
        self.temporaries += 1;
        let _ = writeln!(
            self.declarations,
            "char {name}[{}] __attribute__((aligned({})));",
            size.max(1),
            align.clamp(1, 4096)
        );
        name
    }

    /// Whether the current block is the first, which is executed once a call.
    pub(crate) fn is_entry(&self) -> bool {
        self.block == BlockId(0)
    }

    /// An operand's scalars.
    pub(crate) fn operand(&mut self, operand: &Operand) -> Scalars {
        match operand {
            Operand::Constant(constant) => self.module.constant(constant),
            Operand::Value(id) => {
                let ty = self.function.values.get(id.index()).ok_or("a value that nobody defines")?;
                let count = self.module.scalars(ty)?.len();
                Ok((0..count).map(|i| format!("v{}_{i}", id.0)).collect())
            }
        }
    }

    /// An operand of one scalar.
    pub(crate) fn scalar(&mut self, operand: &Operand) -> Result<String, Reason> {
        self.operand(operand)?.into_iter().next().ok_or_else(|| "an operand without a value".into())
    }

    /// An operand's type.
    pub(crate) fn type_of(&self, operand: &Operand) -> Result<Type, Reason> {
        self.function.type_of(operand).ok_or_else(|| "a value that nobody defines".into())
    }

    /// The format of an operand's lanes.
    pub(crate) fn own(&self, operand: &Operand) -> Result<Own, Reason> {
        match crate::kind::element(&self.type_of(operand)?)? {
            Kind::Float(own) => Ok(own),
            _ => Err("an operation on floats with another operand".into()),
        }
    }

    /// The width of an operand's lanes.
    pub(crate) fn width(&self, operand: &Operand) -> Result<u32, Reason> {
        match crate::kind::element(&self.type_of(operand)?)? {
            Kind::Int(bits) => Ok(bits),
            _ => Err("an operation on integers with another operand".into()),
        }
    }

    /// The index of a site for the current instruction.
    pub(crate) fn site(&mut self, operator: &'static str) -> usize {
        self.module.operations += 1;
        let (block, instruction) = (self.block, self.instruction);
        let site = Site { function: self.id, block, instruction, location: self.location, operator };
        match self.module.sites.last() {
            Some(last) if *last == site => {}
            _ => self.module.sites.push(site),
        }
        self.module.sites.len() - 1
    }

    /// A phi reads what its block's predecessors left for it.
    fn phi(&mut self, instruction: &Instruction) -> Scalars {
        let Some(result) = instruction.result else { return Ok(Vec::new()) };
        let places = self.module.scalars(&instruction.ty)?;
        for (i, place) in places.iter().enumerate() {
            let _ = writeln!(self.declarations, "{} p{}_{i};", place.kind.c_type(), result.0);
        }
        Ok((0..places.len()).map(|i| format!("p{}_{i}", result.0)).collect())
    }

    /// Leaves what the phis of a block read, and goes there. Phis read their own variables only at the block's beginning, so
    /// that those that exchange values do not disturb each other.
    fn jump(&mut self, target: BlockId) -> Result<String, Reason> {
        let mut text = String::new();
        let function = self.function;
        let block = function.blocks.get(target.index()).ok_or("a branch to no block")?;
        for instruction in &block.instructions {
            let (InstructionKind::Phi(incoming), Some(result)) = (&instruction.kind, instruction.result) else { break };
            let value = incoming.iter().find(|(from, _)| *from == self.block);
            let (_, value) = value.ok_or("a phi without a value for its predecessor")?;
            for (i, scalar) in self.operand(value)?.iter().enumerate() {
                let _ = write!(text, "p{}_{i} = {scalar}; ", result.0);
            }
        }
        let _ = write!(text, "goto B{};", target.0);
        Ok(text)
    }

    fn terminator(&mut self, terminator: &'p Terminator) -> Result<(), Reason> {
        match terminator {
            Terminator::Return(None) => self.line("return;"),
            Terminator::Return(Some(operand)) => {
                let values = self.operand(operand)?;
                match values.as_slice() {
                    [] => self.line("return;"),
                    [value] => self.line(&format!("return {value};")),
                    _ => {
                        let ty = self.type_of(operand)?;
                        let result = self.module.result_type(&ty)?;
                        self.line(&format!("return ({result}){{ {} }};", values.join(", ")));
                    }
                }
            }
            Terminator::Branch(target) => {
                let jump = self.jump(*target)?;
                self.line(&jump);
            }
            Terminator::CondBranch(condition, if_true, if_false) => {
                let condition = self.scalar(condition)?;
                let (first, second) = (self.jump(*if_true)?, self.jump(*if_false)?);
                self.line(&format!("if ({condition}) {{ {first} }} else {{ {second} }}"));
            }
            Terminator::Switch { value, cases, default } => {
                let bits = self.width(value)?;
                let scrutinee = self.scalar(value)?;
                let number = self.temporary(&format!("u{bits}"), &scrutinee);
                for (case, target) in cases {
                    let case = num_traits::ToPrimitive::to_u128(case).unwrap_or_default();
                    let (case, jump) = (crate::constant::integer(bits, case), self.jump(*target)?);
                    self.line(&format!("if ({number} == {case}) {{ {jump} }}"));
                }
                let jump = self.jump(*default)?;
                self.line(&jump);
            }
            Terminator::Unreachable => self.line("__builtin_trap();"),
            Terminator::Resume(_) => return Err(Reason::new("the end resume".to_owned())),
            Terminator::Unsupported(what) => return Err(Reason::new(format!("the end {}", opcode(what)))),
        }
        Ok(())
    }
}

/// The name of an instruction in LLVM's text: the word behind `=`, or the first one.
fn opcode(text: &str) -> &str {
    let text = text.trim_start();
    let after = text.split_once(" = ").map_or(text, |(_, rest)| rest);
    after.split_whitespace().next().unwrap_or(after)
}
