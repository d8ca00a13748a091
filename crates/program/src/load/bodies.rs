//! Functions: parameters, attributes, and the walk over the body.

use inkwell::llvm_sys::LLVMOpcode;
use rustc_hash::FxHashMap;

use super::atomics::{further_values, is_atomic};
use super::loader::Loader;
use crate::llvm::{Block as LlvmBlock, LIBRARY_ATTRIBUTE, Value};
use crate::{
    Block, BlockId, Clause, Function, KnownFunction, Landing, Operand, ParameterValue, TargetFeatures, Terminator,
    Type, ValueId,
};

/// What a body's instructions refer to.
pub(super) struct Body<'m> {
    /// Parameters and instructions that have a result.
    pub(super) values: FxHashMap<Value<'m>, ValueId>,
    /// Blocks.
    pub(super) blocks: FxHashMap<LlvmBlock<'m>, BlockId>,
    /// The first of the values that atomic instructions need beside their results.
    pub(super) further: FxHashMap<Value<'m>, ValueId>,
    /// A block behind those, for computed gotos to no label.
    pub(super) wild: Option<BlockId>,
}

impl<'m> Loader<'m> {
    /// Translates a function or a declaration.
    pub(super) fn function(&mut self, function: Value<'m>) -> Result<Function, &'static str> {
        let mut values = Vec::new();
        let mut body = Body {
            values: FxHashMap::default(),
            blocks: FxHashMap::default(),
            further: FxHashMap::default(),
            wild: None,
        };
        let mut parameters = Vec::new();
        for (index, parameter) in function.parameters().into_iter().enumerate() {
            let (value, ty) = (ValueId(values.len() as u32), self.ty(parameter.ty()));
            values.push(ty.clone());
            body.values.insert(parameter, value);
            parameters.push(self.parameter(function, index as u32, parameter, value, ty));
        }
        // Numbers first: phis and branches look ahead.
        let count = function.blocks().count() as u32;
        for (index, block) in function.blocks().enumerate() {
            body.blocks.insert(block, BlockId(index as u32));
            for instruction in block.instructions() {
                // A computed goto goes by the label's address as a number.
                let is_computed = instruction.opcode() == LLVMOpcode::LLVMIndirectBr;
                body.wild = body.wild.or(is_computed.then_some(BlockId(count)));
                let ty = if is_computed { Type::Int(64) } else { self.ty(instruction.ty()) };
                if ty != Type::Void {
                    body.values.insert(instruction, ValueId(values.len() as u32));
                    values.push(ty.clone());
                    if is_atomic(instruction)
                        && let Some(operand) = instruction.operand(1)
                    {
                        body.further.insert(instruction, ValueId(values.len() as u32));
                        values.extend(further_values(instruction, &self.ty(operand.ty()), &ty));
                    }
                }
            }
        }
        let mut blocks = Vec::with_capacity(body.blocks.len());
        for block in function.blocks() {
            blocks.push(self.block(&body, block)?);
        }
        blocks.extend(body.wild.map(|_| Block {
            instructions: Vec::new(),
            terminator: Terminator::Unreachable,
            terminator_location: None,
            unwind: None,
            landing: None,
        }));
        let subprogram = function.subprogram();
        let ty = function.value_type();
        let (name, result) = (function.name(), self.ty(ty.result()));
        let types: Vec<&Type> = parameters.iter().map(|parameter: &ParameterValue| &parameter.ty).collect();
        let known = match blocks.is_empty() {
            true => KnownFunction::declared(&name, &types, ty.is_variadic(), &result),
            false => None,
        };
        Ok(Function {
            name,
            source_name: subprogram.and_then(|subprogram| subprogram.subprogram_name(self.module)),
            parameters,
            result,
            is_variadic: ty.is_variadic(),
            is_external: function.is_external(),
            only_reads: function.only_reads(),
            is_library: function.string_attribute(LIBRARY_ATTRIBUTE).is_some(),
            blocks,
            known,
            values,
            features: self.features(function),
            loops: self.source_loops(&body, function),
            input_variables: self.input_variables(&body, function),
            input_names: self.input_names(&body, function),
        })
    }

    fn parameter(
        &mut self,
        function: Value<'m>,
        index: u32,
        parameter: Value<'m>,
        value: ValueId,
        ty: Type,
    ) -> ParameterValue {
        let by_value = function.parameter_attribute_type(index, "byval").map(|pointee| {
            let align = function.parameter_attribute_number(index, "align");
            (pointee.alloc_size(self.module), align.unwrap_or_else(|| pointee.align(self.module)))
        });
        let has = |name| function.has_parameter_attribute(index, name);
        ParameterValue {
            value,
            name: parameter.name(),
            ty,
            by_value,
            is_struct_return: has("sret"),
            is_write_only: has("writeonly"),
            is_read_only: has("readonly") || has("readnone"),
        }
    }

    fn features(&self, function: Value<'m>) -> TargetFeatures {
        let features = function.string_attribute("target-features").unwrap_or_default();
        // FMA and roundings are part of the base architecture there.
        let is_aarch64 = self.program.triple.starts_with("aarch64") || self.program.triple.starts_with("arm64");
        let has = |name| features.split(',').any(|feature| feature == name);
        let flushes = |name| {
            let mode = function.string_attribute(name).unwrap_or_default();
            // "output,input"; either one flushed makes the strict reading wrong. "dynamic" is the register's business.
            mode.split(',').any(|part| matches!(part, "preserve-sign" | "positive-zero"))
        };
        TargetFeatures {
            fma: is_aarch64 || has("+fma") || has("+fma4"),
            rounds: is_aarch64 || has("+sse4.1"),
            knows_library: match function.string_attribute("no-builtins") {
                Some(_) => Some(false),
                None => (!function.has_string_attribute("no-builtin-")).then_some(true),
            },
            flushes_denormals: flushes("denormal-fp-math") || flushes("denormal-fp-math-f32"),
        }
    }

    fn block(&mut self, body: &Body<'m>, block: LlvmBlock<'m>) -> Result<Block, &'static str> {
        let mut instructions = Vec::new();
        let mut all: Vec<Value<'m>> = block.instructions().collect();
        let last = all.pop().ok_or("a block without a terminator")?;
        let mut landing = None;
        for instruction in all {
            if instruction.opcode() == LLVMOpcode::LLVMLandingPad {
                landing = self.landing(body, instruction).map(Box::new);
            }
            match is_atomic(instruction).then(|| self.atomic(body, instruction)).flatten() {
                Some(parts) => instructions.extend(parts),
                None => instructions.extend(self.instruction(body, instruction)),
            }
        }
        let (call, terminator): (_, Terminator) = self.terminator(body, last)?;
        instructions.extend(call);
        let unwind = match last.opcode() {
            LLVMOpcode::LLVMInvoke => last.unwind_destination().and_then(|block| body.blocks.get(&block).copied()),
            _ => None,
        };
        Ok(Block { instructions, terminator, terminator_location: self.location_of(last), unwind, landing })
    }

    /// A landing pad's clauses.
    fn landing(&mut self, body: &Body<'m>, pad: Value<'m>) -> Option<Landing> {
        let (clauses, is_cleanup) = pad.clauses();
        let mut all: Vec<Clause> = Vec::with_capacity(clauses.len() + 1);
        for clause in clauses {
            all.push(match self.ty(clause.ty()) {
                Type::Pointer => Clause::Catch(self.constant(clause)),
                _ => Clause::Filter,
            });
        }
        all.extend(is_cleanup.then_some(Clause::Cleanup));
        Some(Landing { result: body.values.get(&pad).copied()?, clauses: all })
    }

    /// Translates an operand.
    pub(super) fn operand(&mut self, body: &Body<'m>, value: Value<'m>) -> Operand {
        match body.values.get(&value) {
            Some(&id) => Operand::Value(id),
            None => Operand::Constant(self.constant(value)),
        }
    }
}
