//! libc and the language runtimes: allocation, bytes, output, and functions that do not return.

use labrys_program::{IntPredicate, Type};

use crate::machine::{HaltOf, ScalarOf, ValueOf, int_of, pointer_of};
use crate::memory_intrinsics::first;
use crate::state::single;
use crate::{
    Base, Domain, Int, Machine, MemoryFault, MemoryFaultKind, ObjectKind, Place, Pointer, Scalar, ScalarKind, State,
    Stop, bits,
};

/// How a call of a function that does not return ends the path.
pub(crate) fn ending(name: &str) -> Option<Stop> {
    Some(match name {
        "exit" | "_exit" | "_Exit" | "quick_exit" => Stop::Exit(Some(0)),
        "abort" | "_FortranAAbort" | "_ZSt9terminatev" => Stop::Exit(None),
        "__assert_fail" | "__assert_rtn" => Stop::AssertionFailed("assert".into()),
        "_FortranAStopStatement" | "_FortranAStopStatementText" => Stop::Exit(Some(0)),
        // Rust's panics: all of core::panicking and the slice and option modules' cold paths.
        _ if name.contains("panicking") || name.contains("unwrap_failed") || name.contains("index_fail") => {
            Stop::AssertionFailed("panic".into())
        }
        _ => return None,
    })
}

/// Functions whose only effect is output, which is not modelled.
const SILENT: [&str; 10] =
    ["printf", "puts", "putchar", "fprintf", "fputs", "fputc", "fflush", "fwrite", "perror", "__printf_chk"];

impl<D: Domain> Machine<'_, D> {
    /// Executes a function on memory; `None` if it is none.
    pub(crate) fn memory_function(
        &mut self,
        state: &mut State<D>,
        place: &Place,
        name: &str,
        arguments: &[ValueOf<D>],
        ty: &Type,
    ) -> Result<Option<ValueOf<D>>, HaltOf<D>> {
        if SILENT.contains(&name) {
            return Ok(Some(self.nothing(ty)?));
        }
        let arg = |i: usize| match arguments.get(i) {
            Some(value) => first::<D>(value),
            None => Err(crate::intrinsics::malformed(name)),
        };
        let value = match name {
            "malloc" | "_Znwm" | "_Znam" => self.heap(state, &arg(0)?, 16, None)?,
            "calloc" => {
                let (count, size) = (self.size(state, &arg(0)?)?, self.size(state, &arg(1)?)?);
                let pointer = self.allocate(state, count * size, 16, ObjectKind::Heap, Some(0))?;
                single(Scalar::pointer(pointer))
            }
            "realloc" => self.reallocate(state, place, &arg(0)?, &arg(1)?)?,
            "aligned_alloc" => {
                let align = self.size(state, &arg(0)?)? as u64;
                self.heap(state, &arg(1)?, align, None)?
            }
            "free" | "_ZdlPv" | "_ZdaPv" | "_ZdlPvm" | "_ZdaPvm" => self.free(state, place, &arg(0)?)?,
            "memcpy" | "memmove" | "__memcpy_chk" | "__memmove_chk" => {
                self.copy_bytes(state, place, &arg(0)?, &arg(1)?, &arg(2)?)?;
                single(arg(0)?)
            }
            "memset" | "__memset_chk" => {
                self.set_bytes(state, place, &arg(0)?, &arg(1)?, &arg(2)?)?;
                single(arg(0)?)
            }
            "memcmp" | "bcmp" => self.compare_bytes(state, place, &arg(0)?, &arg(1)?, &arg(2)?)?,
            "strlen" => self.string_length(state, place, &arg(0)?)?,
            "abs" | "labs" | "llabs" => {
                let operand = arg(0)?;
                let a = int_of(&operand)?;
                let zero = Int::new(a.bits(), 0);
                let negated = bits::total(&mut self.domain, labrys_program::IntBinary::Sub, &zero, a)?;
                let negative = bits::compare(&mut self.domain, IntPredicate::Slt, a, &zero);
                single(Scalar::int(bits::select(&mut self.domain, &negative, &negated, a)).taint(operand.tainted))
            }
            "__errno_location" => self.errno(state),
            _ if name.contains("__rust_alloc_zeroed") => {
                let align = self.size(state, &arg(1)?)? as u64;
                self.heap(state, &arg(0)?, align, Some(0))?
            }
            _ if name.contains("__rust_alloc") => {
                let align = self.size(state, &arg(1)?)? as u64;
                self.heap(state, &arg(0)?, align, None)?
            }
            _ if name.contains("__rust_dealloc") => self.free(state, place, &arg(0)?)?,
            _ if name.contains("__rust_realloc") => self.reallocate(state, place, &arg(0)?, &arg(3)?)?,
            _ if name.contains("__rust_no_alloc_shim") => self.nothing(ty)?,
            _ => return Ok(None),
        };
        Ok(Some(value))
    }

    /// A size that must be known.
    fn size(&mut self, state: &State<D>, size: &ScalarOf<D>) -> Result<u128, HaltOf<D>> {
        if size.tainted {
            return Err(Stop::Undefined.into());
        }
        self.concrete(state, int_of(size)?, |_, _| (0..=64).collect())
    }

    fn heap(
        &mut self,
        state: &mut State<D>,
        size: &ScalarOf<D>,
        align: u64,
        fill: Option<u8>,
    ) -> Result<ValueOf<D>, HaltOf<D>> {
        let size = self.size(state, size)?;
        Ok(single(Scalar::pointer(self.allocate(state, size, align, ObjectKind::Heap, fill)?)))
    }

    /// Ends the life of a heap object; a null pointer is ignored.
    fn free(&mut self, state: &mut State<D>, place: &Place, scalar: &ScalarOf<D>) -> Result<ValueOf<D>, HaltOf<D>> {
        if scalar.tainted {
            return Err(Stop::Undefined.into());
        }
        let pointer = pointer_of(scalar)?;
        let kind = match pointer.base {
            Base::Absolute if pointer.offset.concrete() == Some(0) => return Ok(ValueOf::<D>::new()),
            Base::Object { id, .. }
                if state.memory.kind(id) == ObjectKind::Heap && pointer.offset.concrete() == Some(0) =>
            {
                match state.memory.check(id, 0, 0, false) {
                    Ok(()) => {
                        state.memory.release(id);
                        return Ok(ValueOf::<D>::new());
                    }
                    Err(kind) => kind,
                }
            }
            _ => MemoryFaultKind::BadFree,
        };
        let fault = MemoryFault { kind, is_write: true, size: 0, location: place.location };
        Err(Stop::Memory(fault).into())
    }

    fn reallocate(
        &mut self,
        state: &mut State<D>,
        place: &Place,
        old: &ScalarOf<D>,
        size: &ScalarOf<D>,
    ) -> Result<ValueOf<D>, HaltOf<D>> {
        let size = self.size(state, size)?;
        let from = match pointer_of(old)?.base {
            Base::Object { id, .. } => Some((id, state.memory.size(id))),
            _ => None,
        };
        if from.is_some() {
            self.locate(state, place, old, 0, false)?;
        }
        let new = self.allocate(state, size, 16, ObjectKind::Heap, None)?;
        if let (Some((old_id, old_size)), Base::Object { id, .. }) = (from, new.base) {
            let kept = old_size.min(state.memory.size(id));
            state.memory.copy(&mut self.domain, (id, 0), (old_id, 0), kept);
            self.free(state, place, old)?;
        }
        Ok(single(Scalar::pointer(new)))
    }

    /// memcmp: the difference of the first bytes that differ.
    fn compare_bytes(
        &mut self,
        state: &mut State<D>,
        place: &Place,
        a: &ScalarOf<D>,
        b: &ScalarOf<D>,
        length: &ScalarOf<D>,
    ) -> Result<ValueOf<D>, HaltOf<D>> {
        let length = self.size(state, length)? as u64;
        let (x, y) = match length {
            0 => return Ok(self.number(32, 0)),
            _ => (self.locate(state, place, a, length, false)?, self.locate(state, place, b, length, false)?),
        };
        let mut result = Int::new(32, 0);
        let mut tainted = false;
        for i in (0..length).rev() {
            let left = state.memory.load(&mut self.domain, x.0, x.1 + i, ScalarKind::Int(8));
            let right = state.memory.load(&mut self.domain, y.0, y.1 + i, ScalarKind::Int(8));
            tainted |= left.tainted | right.tainted;
            let left = bits::zero_extend(&mut self.domain, int_of(&left)?, 32);
            let right = bits::zero_extend(&mut self.domain, int_of(&right)?, 32);
            let difference = bits::total(&mut self.domain, labrys_program::IntBinary::Sub, &left, &right)?;
            let differs = bits::compare(&mut self.domain, IntPredicate::Ne, &left, &right);
            result = bits::select(&mut self.domain, &differs, &difference, &result);
        }
        Ok(single(Scalar::int(result).taint(tainted)))
    }

    fn string_length(
        &mut self,
        state: &mut State<D>,
        place: &Place,
        string: &ScalarOf<D>,
    ) -> Result<ValueOf<D>, HaltOf<D>> {
        let mut length = 0;
        loop {
            let at = self.offset_scalar(string, length)?;
            let (id, offset) = self.locate(state, place, &at, 1, false)?;
            let byte = state.memory.load(&mut self.domain, id, offset, ScalarKind::Int(8));
            if byte.tainted {
                return Err(Stop::Undefined.into());
            }
            let is_end = bits::compare(&mut self.domain, IntPredicate::Eq, int_of(&byte)?, &Int::new(8, 0));
            if self.decide(state, &is_end)? {
                return Ok(self.number(64, u128::from(length)));
            }
            length += 1;
        }
    }

    /// The address of `errno`. What it holds is known only behind a store, and up to the next call of libm.
    fn errno(&mut self, state: &mut State<D>) -> ValueOf<D> {
        let pointer: Pointer<D::Symbol> = match state.errno {
            Some(id) => state.memory.pointer_to(id),
            None => {
                let pointer = state.memory.allocate(4, 4, ObjectKind::Global, None);
                if let Base::Object { id, .. } = pointer.base {
                    state.errno = Some(id);
                }
                pointer
            }
        };
        single(Scalar::pointer(pointer))
    }
}
