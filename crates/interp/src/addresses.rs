//! How pointers compare.
//!
//! **Claim.** Where accesses are checked, over a domain that leaves addresses open ([`Domain::open_address`]), what a comparison of pointers gives is
//! what every layout of memory gives, or hangs on the addresses that the domain leaves open. Layouts are those in which objects whose lives last, and functions, lie apart
//! between 2^16 and 2^47, so far from either end that nothing that a program has is longer.
//!
//! **Argument.** Of one object, offsets decide, as long as both are near it: neither address wraps then. Of two, only that their bytes differ is known, and
//! only while both live: memory that was given back is given away again, the end of one object may be the beginning of the next, and linkers
//! share equal constants. Everything else is the comparison of open addresses.

use labrys_program::{FunctionId, IntBinary, IntPredicate};

use crate::machine::{HaltOf, IntOf};
use crate::{Base, Domain, Int, Machine, ObjectId, ObjectKind, Pointer, State, Stop, bits, cells, evaluate};

/// No object begins below, and none reaches as far from its beginning.
pub(crate) const NEAR: u64 = 1 << 16;
pub(crate) const SPAN: u64 = 1 << 46;

/// No address is as great.
const END: u64 = 1 << 47;

impl<D: Domain> Machine<'_, D> {
    /// A comparison of two pointers: one bit.
    pub(crate) fn compare_pointers(
        &mut self,
        state: &State<D>,
        predicate: IntPredicate,
        a: &Pointer<D::Symbol>,
        b: &Pointer<D::Symbol>,
    ) -> Result<IntOf<D>, HaltOf<D>> {
        let is_equality = matches!(predicate, IntPredicate::Eq | IntPredicate::Ne);
        if a.base == b.base && (is_equality || !self.checks.accesses || a.base == Base::Absolute) {
            return Ok(bits::compare(&mut self.domain, predicate, &a.offset, &b.offset));
        }
        if !self.checks.accesses || !self.domain.opens_addresses() {
            return Ok(self.compare_addresses(predicate, a, b));
        }
        let (a, b) = (self.rooted(state, a)?, self.rooted(state, b)?);
        let (known, result) = if a.base == b.base && is_equality {
            (Int::bool(true), bits::compare(&mut self.domain, predicate, &a.offset, &b.offset))
        } else if a.base == b.base {
            let near = [self.is_near(&a)?, self.is_near(&b)?];
            let (x, y) = (self.moved(&a)?, self.moved(&b)?);
            let result = bits::compare(&mut self.domain, predicate, &x, &y);
            (self.both(near), result)
        } else if let Some((value, is_first)) = outside(&a, &b) {
            // Above what is below all objects, and below what is above.
            let (other, middle) = (Int::new(64, u128::from(value)), Int::new(64, u128::from(SPAN)));
            let operands = if is_first { [other, middle] } else { [middle, other] };
            let result =
                evaluate(crate::IntOperation::Compare(predicate), &operands).unwrap_or_else(|| Int::bool(false));
            (self.is_near(if is_first { &b } else { &a })?, result)
        } else if is_equality && self.lie_apart(state, a.base, b.base) {
            let inside = [self.is_inside(state, &a)?, self.is_inside(state, &b)?];
            (self.both(inside), Int::bool(predicate == IntPredicate::Ne))
        } else {
            return Ok(self.compare_addresses(predicate, &a, &b));
        };
        if self.known(state, &known) == Some(1) {
            return Ok(result);
        }
        let otherwise = self.compare_addresses(predicate, &a, &b);
        Ok(bits::select(&mut self.domain, &known, &result, &otherwise))
    }

    fn compare_addresses(
        &mut self,
        predicate: IntPredicate,
        a: &Pointer<D::Symbol>,
        b: &Pointer<D::Symbol>,
    ) -> IntOf<D> {
        let (x, y) = (cells::address(&mut self.domain, a), cells::address(&mut self.domain, b));
        bits::compare(&mut self.domain, predicate, &x, &y)
    }

    /// A pointer that was made of a number, with what that number was computed from.
    fn rooted(&mut self, state: &State<D>, pointer: &Pointer<D::Symbol>) -> Result<Pointer<D::Symbol>, Stop> {
        let address = pointer.offset.symbol().filter(|_| pointer.base == Base::Absolute);
        let near = address.and_then(|symbol| self.domain.known_address(symbol));
        let Some(Pointer { base: base @ Base::Object { .. }, .. }) = near.map(|near| state.memory.pointer_at(near))
        else {
            return Ok(pointer.clone());
        };
        let start = cells::address(&mut self.domain, &Pointer::new(base, 0));
        let offset = bits::total(&mut self.domain, IntBinary::Sub, &pointer.offset, &start)?;
        Ok(Pointer { base, offset })
    }

    /// The function whose beginning a pointer is, also where it was a number in between, as in tables of flang's.
    pub(crate) fn function_at(&mut self, pointer: &Pointer<D::Symbol>) -> Option<FunctionId> {
        let id = match pointer.base {
            Base::Function(id) => return (pointer.offset.concrete() == Some(0)).then_some(id),
            Base::Object { .. } => return None,
            Base::Absolute => match pointer.offset.symbol() {
                None => Base::function_at(pointer.offset.concrete()? as u64)?,
                Some(symbol) => Base::function_at(self.domain.known_address(symbol)?)?,
            },
        };
        let is_function = (id.index() < self.program.functions.len())
            && cells::address(&mut self.domain, &Pointer::new(Base::Function(id), 0)) == pointer.offset;
        is_function.then_some(id)
    }

    fn both(&mut self, [a, b]: [IntOf<D>; 2]) -> IntOf<D> {
        bits::select(&mut self.domain, &a, &b, &Int::bool(false))
    }

    /// The offset from so far before that no offset near an object wraps.
    fn moved(&mut self, pointer: &Pointer<D::Symbol>) -> Result<IntOf<D>, Stop> {
        bits::total(&mut self.domain, IntBinary::Add, &pointer.offset, &Int::new(64, u128::from(NEAR)))
    }

    /// Whether the address is one of a layout, wherever the object is: one bit.
    fn is_near(&mut self, pointer: &Pointer<D::Symbol>) -> Result<IntOf<D>, Stop> {
        let moved = self.moved(pointer)?;
        Ok(bits::compare(&mut self.domain, IntPredicate::Ult, &moved, &Int::new(64, u128::from(SPAN))))
    }

    /// Whether the pointer points to one of the object's bytes, or to the object where it has none: one bit.
    fn is_inside(&mut self, state: &State<D>, pointer: &Pointer<D::Symbol>) -> Result<IntOf<D>, Stop> {
        let size = match pointer.base {
            Base::Object { id, .. } => match (state.memory.size(id), state.memory.kind(id)) {
                (0, ObjectKind::Heap(_)) => 1,
                (size, _) => size,
            },
            Base::Function(_) => 1,
            Base::Absolute => 0,
        };
        Ok(bits::compare(&mut self.domain, IntPredicate::Ult, &pointer.offset, &Int::new(64, u128::from(size))))
    }

    /// Whether an object is a constant of which linkers make one with equal ones: literals, to which front ends give names of their own.
    pub fn may_be_shared(&self, state: &State<D>, id: ObjectId) -> bool {
        const LITERALS: [&str; 4] = [".str", "__const.", "alloc_", "anon."];
        let is_literal = |name: &str| name.is_empty() || LITERALS.iter().any(|literal| name.starts_with(literal));
        state.memory.kind(id) == ObjectKind::Global
            && state.memory.check(id, 0, 0, true).is_err()
            && self.program.globals.get(id.0 as usize).is_none_or(|global| is_literal(&global.name))
    }

    /// Whether the bytes of two objects are different ones.
    fn lie_apart(&self, state: &State<D>, a: Base, b: Base) -> bool {
        let object = |base| match base {
            Base::Object { id, .. } => Some(id),
            _ => None,
        };
        let lives = |id: ObjectId| state.memory.check(id, 0, 0, false).is_ok();
        let is_shared = |id: ObjectId| self.may_be_shared(state, id);
        match (object(a), object(b)) {
            (Some(a), Some(b)) => lives(a) && lives(b) && !(is_shared(a) && is_shared(b)),
            (Some(only), None) | (None, Some(only)) => {
                lives(only) && (matches!(a, Base::Function(_)) || matches!(b, Base::Function(_)))
            }
            (None, None) => matches!((a, b), (Base::Function(_), Base::Function(_))),
        }
    }
}

/// The one of two pointers that is a known address where no object is, with whether it is the first; the other points to something.
fn outside<S>(a: &Pointer<S>, b: &Pointer<S>) -> Option<(u64, bool)> {
    let nowhere = |pointer: &Pointer<S>| {
        let address = pointer.offset.concrete().filter(|_| pointer.base == Base::Absolute)? as u64;
        (!(NEAR..END).contains(&address)).then_some(address)
    };
    match (nowhere(a), nowhere(b)) {
        (Some(address), None) if b.base != Base::Absolute => Some((address, true)),
        (None, Some(address)) if a.base != Base::Absolute => Some((address, false)),
        _ => None,
    }
}
