//! Calls: of the program's functions, of intrinsics, of the library.

use labrys_program::{BlockId, Callee, FunctionId, Instruction, Operand, ValueId};
use smallvec::SmallVec;

use crate::chunks::Chunks;
use crate::machine::{HaltOf, ValueOf, pointer_of};
use crate::state::{Frame, single};
use crate::{
    Base, Domain, Machine, MemoryFault, MemoryFaultKind, ObjectId, ObjectKind, Place, Scalar, State, Stop, library,
};

impl<D: Domain> Machine<'_, D> {
    /// A call: enters a function or computes the result at once.
    pub(crate) fn call_instruction(
        &mut self,
        state: &mut State<D>,
        place: &Place,
        instruction: &Instruction,
        callee: &Callee,
        arguments: &[Operand],
    ) -> Result<(), HaltOf<D>> {
        let value = match callee {
            Callee::Intrinsic(called) => self.intrinsic(state, place, instruction, called, arguments)?,
            Callee::Function(id) => return self.call_function(state, place, instruction, *id, arguments),
            Callee::Indirect(address) => {
                let address = self.scalar(state, address)?;
                if address.tainted {
                    return Err(Stop::Undefined.into());
                }
                let pointer = pointer_of(&address)?;
                if let Some(id) = self.function_at(pointer) {
                    return self.call_function(state, place, instruction, id, arguments);
                }
                match pointer.base {
                    Base::Absolute if pointer.offset.concrete() == Some(0) => {
                        let kind = MemoryFaultKind::Null;
                        let fault = MemoryFault { kind, is_write: false, size: 1, location: place.location };
                        return Err(Stop::Memory(fault).into());
                    }
                    _ => return Err(Stop::unsupported("a call through a pointer to no function").into()),
                }
            }
            // An empty text is a compiler's barrier.
            Callee::InlineAsm(text) if text.is_empty() && arguments.is_empty() => ValueOf::<D>::new(),
            Callee::InlineAsm(text) => return Err(Stop::unsupported(format!("inline assembly: {text}")).into()),
        };
        self.complete(state, instruction, value);
        Ok(())
    }

    fn call_function(
        &mut self,
        state: &mut State<D>,
        place: &Place,
        instruction: &Instruction,
        id: FunctionId,
        operands: &[Operand],
    ) -> Result<(), HaltOf<D>> {
        let function = self.function(id)?;
        if self.answered.get(id.index()) == Some(&true) {
            return Err(crate::Halt::Call(id));
        }
        if let Some(stop) = library::failure(function) {
            return Err(stop.into());
        }
        let mut arguments = Vec::with_capacity(operands.len());
        for operand in operands {
            arguments.push(self.operand(state, operand)?);
        }
        if function.blocks.is_empty() {
            let value = self.library_call(state, place, instruction, function, arguments)?;
            self.complete(state, instruction, value);
            return Ok(());
        }
        if state.depth() >= self.limits.depth {
            return Err(Stop::CallDepth.into());
        }
        let copies = self.copy_by_value(state, place, id, &mut arguments)?;
        if let Some(frame) = state.frame_mut() {
            frame.instruction += 1;
        }
        self.push_frame(state, id, arguments, instruction.result)?;
        if let Some(frame) = state.frame_mut() {
            frame.locals.extend(copies);
        }
        Ok(())
    }

    /// `byval` pointers: the callee gets copies of its own, which are given back.
    fn copy_by_value(
        &mut self,
        state: &mut State<D>,
        place: &Place,
        id: FunctionId,
        arguments: &mut [ValueOf<D>],
    ) -> Result<SmallVec<[ObjectId; 1]>, HaltOf<D>> {
        let function = self.function(id)?;
        let mut copies = SmallVec::new();
        for (parameter, argument) in function.parameters.iter().zip(arguments) {
            let (Some((size, align)), Some(scalar)) = (parameter.by_value, argument.first()) else { continue };
            let from = self.locate(state, place, scalar, size, false)?;
            let copy = self.allocate(state, u128::from(size), align, ObjectKind::Stack, None)?;
            if let Base::Object { id, .. } = copy.base {
                state.memory.copy(&mut self.domain, (id, 0), from, size);
                copies.push(id);
            }
            *argument = single(Scalar::pointer(copy));
        }
        Ok(copies)
    }

    /// Enters a defined function. Arguments beyond its parameters are kept if it is variadic, else dropped.
    ///
    /// # Errors
    ///
    /// [`Stop::Unsupported`] if the function is not defined or takes more arguments than given.
    pub fn push_frame(
        &mut self,
        state: &mut State<D>,
        id: FunctionId,
        arguments: impl IntoIterator<Item = ValueOf<D>, IntoIter: ExactSizeIterator>,
        result_to: Option<ValueId>,
    ) -> Result<(), Stop> {
        let function = self.function(id)?;
        let mut arguments = arguments.into_iter();
        if function.blocks.is_empty() {
            return Err(Stop::UnknownFunction(function.name.as_str().into()));
        }
        if arguments.len() < function.parameters.len() {
            return Err(Stop::unsupported(format!("a call of {} with too few arguments", function.name)));
        }
        let mut values = Chunks::filled(None, function.values.len());
        for (parameter, argument) in function.parameters.iter().zip(&mut arguments) {
            if let Some(slot) = values.get_mut(parameter.value.index()) {
                *slot = Some(argument);
            }
        }
        self.domain.enter(&mut state.path, id);
        state.frames.push(Frame {
            function: id,
            block: BlockId(0),
            instruction: 0,
            values,
            locals: Default::default(),
            targets: Vec::new(),
            rest: if function.is_variadic { arguments.collect() } else { Box::default() },
            result_to,
        });
        Ok(())
    }
}
