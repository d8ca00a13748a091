//! From a call as the source declares it to the IR's arguments, and back from the IR's result to the output record.
//!
//! Both directions go through records in memory (the layouts of [`labrys_program::InputLayout`]): leaves are stored as
//! typed cells and read as whatever the IR wants, so that a coerced struct costs nothing where it fits and bit
//! operations where it does not.

use labrys_program::{
    FunctionId, InputLayout, IrBinding, IrParameter, IrPart, IrResult, Leaf, OutputLayout, ParameterType, Pointee,
    ResultType, ScalarType, Signature, Type,
};

use crate::machine::{DatumOf, MemoryOf, ScalarOf, ValueOf};
use crate::state::single;
use crate::{Base, Domain, Machine, Memory, ObjectId, ObjectKind, Scalar, ScalarKind, State, Stop, types};

/// A call that has been entered: where its memory outputs will be.
#[derive(Clone, Debug)]
pub struct Entry {
    layout: OutputLayout,
    result: IrResult,
    result_type: Type,
    /// The object behind each pointer parameter of the source.
    blocks: Vec<Option<ObjectId>>,
    /// The object that the hidden result pointer points to.
    returned: Option<ObjectId>,
}

impl Entry {
    /// The object behind each pointer parameter of the source, in the order of parameters.
    pub(crate) fn blocks(&self) -> &[Option<ObjectId>] {
        &self.blocks
    }
}

/// The kind in which a leaf's value is kept; `bool` is one byte.
pub fn leaf_kind(scalar: ScalarType) -> ScalarKind {
    match scalar {
        ScalarType::Float(float) => ScalarKind::Float(float.format()),
        ScalarType::Int { bits, .. } => ScalarKind::Int(bits),
        ScalarType::Bool => ScalarKind::Int(8),
    }
}

fn object(base: Base) -> Result<ObjectId, Stop> {
    match base {
        Base::Object { id, .. } => Ok(id),
        _ => Err(Stop::unsupported("an argument without memory")),
    }
}

impl<D: Domain> Machine<'_, D> {
    /// Enters `function` with the values that `leaf` gives for the leaves of the signature's input record.
    ///
    /// # Errors
    ///
    /// [`Stop::Unsupported`] if the binding does not fit the function.
    pub fn enter_call(
        &mut self,
        state: &mut State<D>,
        function: FunctionId,
        binding: &IrBinding,
        signature: &Signature,
        leaf: &mut dyn FnMut(&mut D, &Leaf) -> DatumOf<D>,
    ) -> Result<Entry, Stop> {
        let definition = self.function(function)?;
        let inputs = signature.input_layout();
        let mut record = Memory::default();
        let input = object(record.allocate(inputs.size as u64, 16, ObjectKind::Argument, Some(0)).base)?;
        for place in &inputs.leaves {
            let scalar = Scalar { datum: leaf(&mut self.domain, place), tainted: false };
            let size = leaf_kind(place.scalar).size();
            record.store(&mut self.domain, input, place.offset as u64, size, scalar);
        }
        let mut blocks = Vec::new();
        for index in 0..signature.parameters.len() {
            blocks.push(self.argument_block(state, signature, &inputs, &record, input, index)?);
        }
        let mut entry = Entry {
            layout: signature.output_layout(),
            result: binding.result.clone(),
            result_type: definition.result.clone(),
            blocks,
            returned: None,
        };
        if binding.parameters.len() != definition.parameters.len() {
            return Err(Stop::unsupported("a binding for another number of parameters"));
        }
        let mut arguments = Vec::new();
        for (parameter, how) in definition.parameters.iter().zip(&binding.parameters) {
            arguments.push(match how {
                IrParameter::Leaves(parts) => self.assemble(&mut record, input, parts, &parameter.ty)?,
                IrParameter::PointerTo { parameter } | IrParameter::ByValue { parameter } => {
                    let block = entry.blocks.get(*parameter).copied().flatten();
                    let block = block.ok_or_else(|| Stop::unsupported("a binding to a parameter without memory"))?;
                    single(Scalar::pointer(state.memory.pointer_to(block)))
                }
                IrParameter::StructReturn => {
                    let size = match &signature.result {
                        ResultType::Value(pointee) => pointee.size(),
                        ResultType::Void => 0,
                    };
                    let pointer = state.memory.allocate(size, 16, ObjectKind::Argument, Some(0));
                    entry.returned = Some(object(pointer.base)?);
                    single(Scalar::pointer(pointer))
                }
            });
        }
        self.push_frame(state, function, arguments, None)?;
        Ok(entry)
    }

    /// The memory of a source parameter: behind a pointer, or of a struct that the IR may want by address.
    fn argument_block(
        &mut self,
        state: &mut State<D>,
        signature: &Signature,
        inputs: &InputLayout,
        record: &MemoryOf<D>,
        input: ObjectId,
        index: usize,
    ) -> Result<Option<ObjectId>, Stop> {
        let size = match &signature.parameters[index].ty {
            ParameterType::Pointer { pointee, length, .. } => pointee.size() * length.capacity(),
            ParameterType::Value(pointee @ Pointee::Struct(_)) => pointee.size(),
            ParameterType::Value(Pointee::Scalar(_)) => return Ok(None),
        };
        let block = object(state.memory.allocate(size, 16, ObjectKind::Argument, Some(0)).base)?;
        if let Some(offset) = inputs.parameters[index] {
            state.memory.copy_from(&mut self.domain, (block, 0), record, (input, offset as u64), size);
        }
        Ok(Some(block))
    }

    /// An IR value of type `ty` made of parts of the input record.
    fn assemble(
        &mut self,
        record: &mut MemoryOf<D>,
        input: ObjectId,
        parts: &[IrPart],
        ty: &Type,
    ) -> Result<ValueOf<D>, Stop> {
        let image = object(record.allocate(ty.alloc_size().max(16), 16, ObjectKind::Argument, Some(0)).base)?;
        for part in parts {
            let (from, to, size) = (part.offset as u64, part.bit / 8, part.bytes as u64);
            let fits = record.check(input, from, size, false).is_ok() && record.check(image, to, size, true).is_ok();
            if part.bit % 8 != 0 || !fits {
                return Err(Stop::unsupported("a binding beyond its record"));
            }
            record.copy(&mut self.domain, (image, to), (input, from), size);
        }
        let places = types::scalars(ty)?;
        Ok(places.into_iter().map(|(at, kind)| record.load(&mut self.domain, image, at, kind)).collect())
    }

    /// The leaves of the output record after the call has returned `value`.
    ///
    /// # Errors
    ///
    /// [`Stop::Unsupported`] if the binding does not fit the function.
    pub fn outputs(&mut self, state: &State<D>, entry: &Entry, value: &ValueOf<D>) -> Result<Vec<ScalarOf<D>>, Stop> {
        let mut record: MemoryOf<D> = Memory::default();
        let size = entry.layout.size.max(16) as u64;
        let output = object(record.allocate(size, 16, ObjectKind::Argument, Some(0)).base)?;
        match (&entry.result, entry.returned) {
            (IrResult::Leaves(parts), _) => self.disassemble(&mut record, output, parts, entry, value)?,
            (IrResult::StructReturn, Some(returned)) => {
                let size = state.memory.size(returned);
                record.copy_from(&mut self.domain, (output, 0), &state.memory, (returned, 0), size);
            }
            _ => {}
        }
        for (block, offset) in entry.blocks.iter().zip(&entry.layout.parameters) {
            if let (Some(block), Some(offset)) = (block, offset) {
                let size = state.memory.size(*block);
                record.copy_from(&mut self.domain, (output, *offset as u64), &state.memory, (*block, 0), size);
            }
        }
        let leaves = entry.layout.leaves.iter();
        Ok(leaves
            .map(|leaf| record.load(&mut self.domain, output, leaf.offset as u64, leaf_kind(leaf.scalar)))
            .map(|scalar| scalar.taint(state.is_arbitrary))
            .collect())
    }

    /// Spreads the IR's result over the output record.
    fn disassemble(
        &mut self,
        record: &mut MemoryOf<D>,
        output: ObjectId,
        parts: &[IrPart],
        entry: &Entry,
        value: &ValueOf<D>,
    ) -> Result<(), Stop> {
        let ty = &entry.result_type;
        let image = object(record.allocate(ty.alloc_size().max(16), 16, ObjectKind::Argument, Some(0)).base)?;
        for (scalar, (at, kind)) in value.iter().zip(types::scalars(ty)?) {
            record.store(&mut self.domain, image, at, kind.size(), scalar.clone());
        }
        for part in parts {
            let (from, to, size) = (part.bit / 8, part.offset as u64, part.bytes as u64);
            let fits = record.check(image, from, size, false).is_ok() && record.check(output, to, size, true).is_ok();
            if part.bit % 8 != 0 || !fits {
                return Err(Stop::unsupported("a binding beyond its record"));
            }
            record.copy(&mut self.domain, (output, to), (image, from), size);
        }
        Ok(())
    }
}
