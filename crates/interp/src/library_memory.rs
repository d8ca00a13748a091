//! libc and the language runtimes: memory, bytes, texts, integers.

use labrys_program::{Allocation, Freed, HeapFamily, IntBinary, IntPredicate, KnownFunction};

use crate::machine::{HaltOf, ScalarOf, ValueOf, int_of, pointer_of};
use crate::memory_intrinsics::first;
use crate::state::single;
use crate::{
    Base, Domain, Int, Machine, MemoryFault, MemoryFaultKind, ObjectKind, Place, Pointer, Scalar, ScalarKind, State,
    Stop, bits,
};

/// Linux's "cannot allocate memory".
const ENOMEM: u128 = 12;

/// Sizes that a path parts over where one is not known ([`crate::Checks::accesses`]): so many of the least that it may have, more of them
/// where these are all that it may have.
const MOST_SIZES: u128 = 256;
const MOST_BOUNDED_SIZES: u128 = 1024;

impl<D: Domain> Machine<'_, D> {
    /// Executes a function on memory or integers.
    pub(crate) fn memory_function(
        &mut self,
        state: &mut State<D>,
        place: &Place,
        known: KnownFunction,
        name: &str,
        arguments: &[ValueOf<D>],
    ) -> Result<ValueOf<D>, HaltOf<D>> {
        let arg = |i: usize| match arguments.get(i) {
            Some(value) => first::<D>(value),
            None => Err(crate::intrinsics::malformed(name)),
        };
        Ok(match known {
            KnownFunction::Allocate(Allocation { size, count, align, is_zero, family }) => {
                self.has_allocated = true;
                let mut bytes = self.size(state, &arg(size)?)?;
                if let Some(count) = count {
                    // Sizes have 64 bits.
                    bytes *= self.size(state, &arg(count)?)?;
                }
                let align = match align {
                    Some(align) => self.size(state, &arg(align)?)? as u64,
                    None => 16,
                };
                if !align.is_power_of_two() {
                    return Err(Stop::unsupported(format!("an alignment of {align}")).into());
                }
                // No object is half of all memory: glibc's functions say that there is none left.
                if self.checks.accesses && family == HeapFamily::Malloc && bytes > i64::MAX as u128 {
                    self.report(state, &Int::bool(true), ENOMEM);
                    return Ok(single(Scalar::pointer(Pointer::null())));
                }
                let fill = is_zero.then_some(0);
                single(Scalar::pointer(self.allocate(state, bytes, align, ObjectKind::Heap(family), fill)?))
            }
            KnownFunction::Reallocate { size, family } => {
                self.has_allocated = true;
                self.reallocate(state, place, family, (&arg(0)?, &arg(size)?))?
            }
            KnownFunction::Free(Freed { family, size }) => {
                let size = size.map(&arg).transpose()?;
                self.free(state, place, &arg(0)?, (family, size))?
            }
            KnownFunction::Copy => {
                self.copy_bytes(state, place, &arg(0)?, &arg(1)?, &arg(2)?)?;
                single(arg(0)?)
            }
            KnownFunction::Fill => {
                self.set_bytes(state, place, &arg(0)?, &arg(1)?, &arg(2)?)?;
                single(arg(0)?)
            }
            KnownFunction::CompareBytes => self.compare_bytes(state, place, &arg(0)?, &arg(1)?, &arg(2)?)?,
            KnownFunction::TextLength => self.string_length(state, place, &arg(0)?)?,
            KnownFunction::AbsoluteInteger => {
                let operand = arg(0)?;
                let a = int_of(&operand)?;
                let zero = Int::new(a.bits(), 0);
                let negated = bits::total(&mut self.domain, IntBinary::Sub, &zero, a)?;
                let negative = bits::compare(&mut self.domain, IntPredicate::Slt, a, &zero);
                single(Scalar::int(bits::select(&mut self.domain, &negative, &negated, a)).taint(operand.tainted))
            }
            KnownFunction::ErrorNumber => self.errno(state),
            _ => return Err(Stop::UnknownFunction(name.into()).into()),
        })
    }

    /// A size that must be known: paths part over it.
    ///
    /// # Errors
    ///
    /// [`crate::Halt::Split`] where it is not, and what is wrong with the operand.
    pub fn size(&mut self, state: &State<D>, size: &ScalarOf<D>) -> Result<u128, HaltOf<D>> {
        if size.tainted {
            return Err(Stop::Undefined.into());
        }
        let checks = self.checks.accesses;
        let path = state.path.clone();
        self.concrete(state, int_of(size)?, |domain, symbol| match checks {
            true => {
                let (stride, remainder) = domain.stride(symbol);
                let nth = |n: u128| n * u128::from(stride.max(1)) + u128::from(remainder);
                let mut sizes = domain.possible(&path, symbol, (0..=MOST_BOUNDED_SIZES).map(nth).collect());
                if sizes.last() == Some(&nth(MOST_BOUNDED_SIZES)) {
                    sizes.retain(|size| *size <= nth(MOST_SIZES));
                }
                sizes
            }
            false => (0..=64).collect(),
        })
    }

    /// Ends the life of a heap object; a null pointer is ignored.
    fn free(
        &mut self,
        state: &mut State<D>,
        place: &Place,
        scalar: &ScalarOf<D>,
        (family, size): (HeapFamily, Option<ScalarOf<D>>),
    ) -> Result<ValueOf<D>, HaltOf<D>> {
        if self.checks.accesses {
            self.free_checked(state, place, scalar, (family, size.as_ref()))?;
            return Ok(ValueOf::<D>::new());
        }
        if scalar.tainted {
            return Err(Stop::Undefined.into());
        }
        let pointer = pointer_of(scalar)?;
        let kind = match pointer.base {
            Base::Absolute if pointer.offset.concrete() == Some(0) => return Ok(ValueOf::<D>::new()),
            Base::Object { id, .. }
                if matches!(state.memory.kind(id), ObjectKind::Heap(_)) && pointer.offset.concrete() == Some(0) =>
            {
                match state.memory.check(id, 0, 0, false) {
                    Ok(()) => {
                        state.memory.end(id);
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
        family: HeapFamily,
        (old, size): (&ScalarOf<D>, &ScalarOf<D>),
    ) -> Result<ValueOf<D>, HaltOf<D>> {
        let size = self.size(state, size)?;
        if self.checks.accesses && pointer_of(old)?.base != Base::Absolute {
            // On a copy: what is wrong with the memory shows before anything is done.
            self.free_checked(&mut state.clone(), place, old, (family, None))?;
            if size == 0 {
                // glibc frees, and gives no new memory.
                self.free(state, place, old, (HeapFamily::Malloc, None))?;
                return Ok(single(Scalar::pointer(Pointer::null())));
            }
        }
        if self.checks.accesses && size > i64::MAX as u128 {
            self.report(state, &Int::bool(true), ENOMEM);
            return Ok(single(Scalar::pointer(Pointer::null())));
        }
        let from = match pointer_of(old)?.base {
            Base::Object { id, .. } => Some((id, state.memory.size(id))),
            _ => None,
        };
        if from.is_some() {
            self.locate(state, place, old, 0, false)?;
        }
        let new = self.allocate(state, size, 16, ObjectKind::Heap(family), None)?;
        if let (Some((old_id, old_size)), Base::Object { id, .. }) = (from, new.base) {
            let kept = old_size.min(state.memory.size(id));
            state.memory.copy(&mut self.domain, (id, 0), (old_id, 0), kept);
            self.free(state, place, old, (family, None))?;
        }
        Ok(single(Scalar::pointer(new)))
    }

    /// memcmp: zero if the bytes are equal. Else the result is arbitrary: which number of the right sign it is, hangs on the
    /// library, and with glibc on the processor (a difference of bytes, or 1).
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
        let mut differ = Int::bool(false);
        for i in 0..length {
            let left = state.memory.load(&mut self.domain, x.0, x.1 + i, ScalarKind::Int(8));
            let right = state.memory.load(&mut self.domain, y.0, y.1 + i, ScalarKind::Int(8));
            if left.tainted || right.tainted {
                return Err(Stop::Undefined.into());
            }
            let here = bits::compare(&mut self.domain, IntPredicate::Ne, int_of(&left)?, int_of(&right)?);
            differ = bits::select(&mut self.domain, &here, &Int::bool(true), &differ);
        }
        let is_arbitrary = self.decide(state, &differ)?;
        Ok(single(Scalar::int(Int::new(32, u128::from(is_arbitrary))).taint(is_arbitrary)))
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
    pub fn errno(&mut self, state: &mut State<D>) -> ValueOf<D> {
        let pointer: Pointer<D::Symbol> = match state.errno {
            Some(id) => state.memory.pointer_to(id),
            None => {
                let initial = self.checks.accesses.then_some(0);
                let pointer = state.memory.allocate(4, 4, ObjectKind::Global, initial);
                if let Base::Object { id, .. } = pointer.base {
                    state.errno = Some(id);
                }
                pointer
            }
        };
        single(Scalar::pointer(pointer))
    }
}
