//! Arguments of variadic functions beyond the declared ones, as x86-64's calling convention hands them over.
//!
//! **Claim.** What clang makes of `va_arg` reads the arguments, in their order. **Argument.** Its code looks first whether a register's
//! argument is left by the two offsets of the list, and else reads the area of the stack and moves on by the argument's size in multiples of eight
//! bytes, behind a step to a multiple of sixteen for types that want it. Here both offsets say that no register is left, and all arguments lie in the area in
//! their order, each at such a place. Structs that the caller takes apart for registers are arguments of eight bytes one behind the other,
//! which is what they are in memory; those that it passes in memory are not understood when a program is loaded.

use labrys_program::{Operand, Type};

use crate::intrinsics::malformed;
use crate::machine::{HaltOf, ScalarOf, ValueOf};
use crate::state::single;
use crate::{Base, Datum, Domain, Int, Machine, ObjectKind, Place, Pointer, Scalar, ScalarKind, State, Stop};

/// Where the list's members are (System V ABI, AMD64 supplement, 3.5.7): two offsets, the area of the stack, that of the registers.
const LIST: [(u64, ScalarKind); 4] =
    [(0, ScalarKind::Int(32)), (4, ScalarKind::Int(32)), (8, ScalarKind::Pointer), (16, ScalarKind::Pointer)];
/// The list's size in bytes.
const LIST_SIZE: u64 = 24;
/// The offsets where no register is left: behind six of eight bytes, and eight of sixteen behind those.
const NO_INTEGERS: u128 = 48;
const NO_FLOATS: u128 = 176;

impl<D: Domain> Machine<'_, D> {
    /// `va_start`: the list gets the activation's further arguments.
    pub(crate) fn begin_arguments(
        &mut self,
        state: &mut State<D>,
        place: &Place,
        operands: &[Operand],
    ) -> Result<ValueOf<D>, HaltOf<D>> {
        let list = operands.first().ok_or_else(|| malformed("va_start"))?;
        let list = self.scalar(state, list)?;
        if !self.program.triple.starts_with("x86_64") || self.program.triple.contains("windows") {
            return Err(Stop::unsupported("va_start but on x86-64").into());
        }
        let rest: Vec<ValueOf<D>> = state.frame().map(|frame| frame.rest.to_vec()).unwrap_or_default();
        let mut places = Vec::with_capacity(rest.len());
        let mut end: u64 = 0;
        for value in &rest {
            let parts: Vec<(u64, u64)> = self.parts(value)?;
            let size = parts.last().map_or(0, |(offset, size)| offset + size).next_multiple_of(8);
            let start = if size > 8 { end.next_multiple_of(16) } else { end };
            places.push((start, parts));
            end = start + size.max(8);
        }
        // Everything that may refuse comes before the first effect.
        self.locate(state, place, &list, LIST_SIZE, true)?;
        let area = self.allocate(state, u128::from(end), 16, ObjectKind::Stack, None)?;
        let Base::Object { id, .. } = area.base else { return Err(malformed("va_start").into()) };
        if let Some(frame) = state.frame_mut() {
            frame.locals.push(id);
        }
        for (value, (start, parts)) in rest.into_iter().zip(places) {
            for (scalar, (offset, size)) in value.into_iter().zip(parts) {
                state.memory.store(&mut self.domain, id, start + offset, size, scalar);
            }
        }
        let members: [ScalarOf<D>; 4] = [
            Scalar::int(Int::new(32, NO_INTEGERS)),
            Scalar::int(Int::new(32, NO_FLOATS)),
            Scalar::pointer(area),
            Scalar::pointer(Pointer::null()),
        ];
        for ((offset, kind), member) in LIST.into_iter().zip(members) {
            let at = self.offset_scalar(&list, offset)?;
            let ty = match kind {
                ScalarKind::Pointer => Type::Pointer,
                _ => Type::Int(32),
            };
            self.store_value(state, place, &at, single(member), &ty)?;
        }
        Ok(ValueOf::<D>::new())
    }

    /// `va_copy`.
    pub(crate) fn copy_arguments(
        &mut self,
        state: &mut State<D>,
        place: &Place,
        operands: &[Operand],
    ) -> Result<ValueOf<D>, HaltOf<D>> {
        let [to, from, ..] = operands else { return Err(malformed("va_copy").into()) };
        let (to, from) = (self.scalar(state, to)?, self.scalar(state, from)?);
        let size = Scalar::int(Int::new(64, u128::from(LIST_SIZE)));
        self.copy_bytes(state, place, &to, &from, &size)?;
        Ok(ValueOf::<D>::new())
    }

    /// Offsets and sizes of an argument's scalars: one, or a vector's lanes.
    fn parts(&self, value: &ValueOf<D>) -> Result<Vec<(u64, u64)>, Stop> {
        let mut parts = Vec::with_capacity(value.len());
        let mut end = 0;
        for scalar in value {
            let size = match &scalar.datum {
                Datum::Int(int) if int.bits() % 8 == 0 => u64::from(int.bits() / 8),
                Datum::Int(_) => return Err(Stop::unsupported("a variadic argument of odd width")),
                Datum::Float(float) => u64::from(self.domain.float_format(float).width().div_ceil(8)),
                Datum::Pointer(_) => 8,
            };
            parts.push((end, size));
            end += size;
        }
        Ok(parts)
    }
}
