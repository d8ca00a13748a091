//! Intrinsics on memory: copies, fills, masked accesses. The library's `memcpy` and its kin share them.

use labrys_program::{Callee, Instruction, InstructionKind, IntrinsicKind, Operand, Type};

use crate::intrinsics::malformed;
use crate::machine::{HaltOf, ScalarOf, ValueOf, int_of};
use crate::{Domain, Machine, Place, State, Stop, types};

impl<D: Domain> Machine<'_, D> {
    /// `memcpy` and `memmove`, or `memset`, as intrinsics.
    pub(crate) fn bytes_intrinsic(
        &mut self,
        state: &mut State<D>,
        place: &Place,
        kind: IntrinsicKind,
        operands: &[Operand],
    ) -> Result<ValueOf<D>, HaltOf<D>> {
        let values = self.values(state, operands, 3)?;
        let (to, what, length) = (first::<D>(&values[0])?, first::<D>(&values[1])?, first::<D>(&values[2])?);
        if kind == IntrinsicKind::Fill {
            self.set_bytes(state, place, &to, &what, &length)?;
        } else {
            self.copy_bytes(state, place, &to, &what, &length)?;
        }
        Ok(ValueOf::<D>::new())
    }

    /// A length in bytes, which must be known.
    fn length(&mut self, state: &State<D>, length: &ScalarOf<D>) -> Result<u64, HaltOf<D>> {
        if length.tainted {
            return Err(Stop::Undefined.into());
        }
        let length = self.concrete(state, int_of(length)?, |_, _| (0..=64).collect())?;
        u64::try_from(length).map_err(|_| Stop::unsupported("a length beyond 64 bits").into())
    }

    /// `memcpy`, `memmove`.
    ///
    /// # Errors
    ///
    /// What is wrong with one of the ranges; nothing is written then.
    pub fn copy_bytes(
        &mut self,
        state: &mut State<D>,
        place: &Place,
        to: &ScalarOf<D>,
        from: &ScalarOf<D>,
        length: &ScalarOf<D>,
    ) -> Result<(), HaltOf<D>> {
        if self.checks.accesses {
            let may_overlap = self.may_overlap(state);
            return self.copy_checked(state, place, to, from, length, may_overlap);
        }
        let length = self.length(state, length)?;
        if length > 0 {
            let from = self.locate(state, place, from, length, false)?;
            let to = self.locate(state, place, to, length, true)?;
            state.memory.copy(&mut self.domain, to, from, length);
        }
        Ok(())
    }

    /// Whether the call that a state stands at copies between ranges that may overlap: all but `memcpy` and its kin.
    fn may_overlap(&self, state: &State<D>) -> bool {
        let Some(Instruction { kind: InstructionKind::Call(callee, _), .. }) = self.instruction(state) else {
            return true;
        };
        match callee {
            Callee::Intrinsic(called) => !called.name().contains("memcpy"),
            Callee::Function(id) => match self.program.functions.get(id.index()) {
                Some(function) => function.name.contains("memmove") || function.name == "bcopy",
                None => true,
            },
            Callee::Indirect(_) | Callee::InlineAsm(_) => true,
        }
    }

    /// `memset`.
    pub(crate) fn set_bytes(
        &mut self,
        state: &mut State<D>,
        place: &Place,
        to: &ScalarOf<D>,
        byte: &ScalarOf<D>,
        length: &ScalarOf<D>,
    ) -> Result<(), HaltOf<D>> {
        if self.checks.accesses {
            return self.fill_checked(state, place, to, byte, length);
        }
        let length = self.length(state, length)?;
        if length == 0 {
            return Ok(());
        }
        let tainted = byte.tainted;
        let byte = self.concrete(state, int_of(byte)?, |_, _| vec![0, 0xff])? as u8;
        let (id, offset) = self.locate(state, place, to, length, true)?;
        if tainted {
            state.memory.forget(&mut self.domain, id, offset, length);
        } else {
            state.memory.fill(&mut self.domain, id, offset, length, byte);
        }
        Ok(())
    }

    /// The lanes that a mask enables; symbolic masks are decided lane by lane.
    fn enabled(&mut self, state: &State<D>, mask: &ValueOf<D>) -> Result<Vec<bool>, HaltOf<D>> {
        let mut lanes = Vec::with_capacity(mask.len());
        for bit in mask {
            if bit.tainted {
                return Err(Stop::Undefined.into());
            }
            lanes.push(self.decide(state, int_of(bit)?)?);
        }
        Ok(lanes)
    }

    /// The address of a lane: its own in a gather or scatter, its place after the first lane's in a load or store.
    fn lane_address(&mut self, address: &ValueOf<D>, lane: usize, size: u64) -> Result<ScalarOf<D>, Stop> {
        match address.get(lane) {
            Some(own) if address.len() > 1 => Ok(own.clone()),
            _ => self.offset_scalar(&first::<D>(address)?, lane as u64 * size),
        }
    }

    /// `llvm.masked.load` and `llvm.masked.gather`: the address first, mask and passed-through value last (older LLVMs put an alignment between).
    pub(crate) fn masked_load(
        &mut self,
        state: &mut State<D>,
        place: &Place,
        instruction: &Instruction,
        operands: &[Operand],
    ) -> Result<ValueOf<D>, HaltOf<D>> {
        let values = self.values(state, operands, operands.len())?;
        let [address, .., mask, passed] = &values[..] else { return Err(malformed("llvm.masked.load").into()) };
        let kind = types::element_kind(&instruction.ty)?;
        let enabled = self.enabled(state, mask)?;
        let mut result = passed.clone();
        for (lane, enabled) in enabled.into_iter().enumerate() {
            if enabled {
                let at = self.lane_address(address, lane, kind.size())?;
                let (id, offset) = self.locate(state, place, &at, kind.size(), false)?;
                result[lane] = state.memory.load(&mut self.domain, id, offset, kind);
            }
        }
        Ok(result)
    }

    /// `llvm.masked.store` and `llvm.masked.scatter`: value and address first, the mask last.
    pub(crate) fn masked_store(
        &mut self,
        state: &mut State<D>,
        place: &Place,
        operands: &[Operand],
    ) -> Result<ValueOf<D>, HaltOf<D>> {
        let values = self.values(state, operands, operands.len())?;
        let [value, address, .., mask] = &values[..] else { return Err(malformed("llvm.masked.store").into()) };
        let ty: Type = self.type_of(state, &operands[0])?;
        let kind = types::element_kind(&ty)?;
        let enabled = self.enabled(state, mask)?;
        let mut places = Vec::new();
        for (lane, enabled) in enabled.into_iter().enumerate() {
            if enabled {
                let at = self.lane_address(address, lane, kind.size())?;
                places.push((lane, self.locate(state, place, &at, kind.size(), true)?));
            }
        }
        for (lane, (id, offset)) in places {
            state.memory.store(&mut self.domain, id, offset, kind.size(), value[lane].clone());
        }
        Ok(ValueOf::<D>::new())
    }
}

/// The scalar in a value.
pub(crate) fn first<D: Domain>(value: &ValueOf<D>) -> Result<ScalarOf<D>, Stop> {
    value.first().cloned().ok_or_else(|| Stop::unsupported("an empty value as a scalar"))
}
