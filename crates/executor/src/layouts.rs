//! What a path knows of where objects lie, once a decision hangs on it.
//!
//! **Claim.** Everything that is added to a path holds in every layout of memory that the program can have there. **Argument.** Objects whose lives last
//! lie apart, and so do they ever after, for an address is one object's; they lie between 2^16 and 2^47, at multiples of what their types promise. What is
//! said of two objects is said while both live. Equal constants may be one, and nothing is said of two of them.

use labrys_interp::{Base, Datum, Halt, Int, IntOperation, Pointer, Scalar, Stop};
use labrys_program::{IntBinary, IntPredicate};
use labrys_symex::int_facts;
use labrys_term::{Op, TermId};
use smallvec::smallvec;

use crate::answers::{Value, argument, integer};
use crate::driver::Driver;
use crate::externals::Answer;
use crate::oracle::Feasible;
use crate::state::Execution;

/// Addresses in one decision of which something is said, at most.
const MOST: usize = 8;

/// Where objects may begin, and where they end.
const LEAST: u64 = 1 << 16;
const END: u64 = 1 << 47;

impl<'s> Driver<'_, 's> {
    /// Adds to a path what is known of the addresses on which a symbol depends; whether any layout is left then.
    pub(crate) fn place(&mut self, execution: &mut Execution<'s>, symbol: TermId) -> bool {
        if !self.machine.domain.has_open_addresses() {
            return true;
        }
        let variables = self.oracle.variables_of(&self.machine.domain, symbol);
        let addresses = self.machine.domain.addresses_among(&variables);
        if addresses.is_empty() {
            return true;
        }
        let mut facts = Vec::new();
        for (index, &(base, address)) in addresses.iter().take(MOST).enumerate() {
            self.within_memory(execution, base, address, &mut facts);
            for &(other, at) in &addresses[..index] {
                facts.extend(self.apart(execution, (base, address), (other, at)));
            }
        }
        facts.retain(|fact| {
            int_facts::value_under(self.machine.domain.store, &execution.state.path.choices, *fact).is_none()
        });
        if facts.is_empty() {
            return true;
        }
        let all = self.store().and(&facts);
        match self.ask(execution, all) {
            Feasible::No => return false,
            Feasible::Yes(witness) => execution.witness = witness,
            Feasible::Unknown(_) => execution.witness = None,
        }
        for fact in facts {
            self.choose(execution, fact, 1, fact);
        }
        true
    }

    /// The size of an object that lives, at least one byte; `None` for one that is over, of which nothing new is known.
    fn extent(&self, execution: &Execution<'s>, base: Base) -> Option<u64> {
        match base {
            Base::Object { id, .. } => {
                let memory = &execution.state.memory;
                memory.check(id, 0, 0, false).ok().map(|()| memory.size(id).max(1))
            }
            Base::Function(_) => Some(1),
            Base::Absolute => None,
        }
    }

    fn at_most(&mut self, a: TermId, b: TermId) -> TermId {
        let store = self.store();
        let above = store.mk(Op::BvUlt, &[b, a]);
        store.not(above)
    }

    fn within_memory(&mut self, execution: &Execution<'s>, base: Base, address: TermId, facts: &mut Vec<TermId>) {
        let Some(size) = self.extent(execution, base) else { return };
        let (least, most) = {
            let store = self.store();
            (store.bv_const(64, LEAST), store.bv_const(64, END.saturating_sub(size)))
        };
        facts.push(self.at_most(least, address));
        facts.push(self.at_most(address, most));
        let bits = match base {
            Base::Object { address, .. } => address.trailing_zeros().min(20),
            _ => 0,
        };
        if bits > 0 {
            let store = self.store();
            let low = store.mk(Op::Extract { high: bits - 1, low: 0 }, &[address]);
            let zero = store.bv_const(bits, 0u8);
            facts.push(store.mk(Op::Eq, &[low, zero]));
        }
    }

    /// That two objects lie apart.
    fn apart(&mut self, execution: &Execution<'s>, (x, a): (Base, TermId), (y, b): (Base, TermId)) -> Option<TermId> {
        let is_constant = |base: Base| match base {
            Base::Object { id, .. } => self.machine.may_be_shared(&execution.state, id),
            _ => false,
        };
        if is_constant(x) && is_constant(y) {
            return None;
        }
        let (p, q) = (self.extent(execution, x)?, self.extent(execution, y)?);
        let [after_a, after_b] = [(a, p), (b, q)].map(|(at, size)| {
            let store = self.store();
            let size = store.bv_const(64, size);
            store.mk(Op::BvAdd, &[at, size])
        });
        let (first, second) = (self.at_most(after_a, b), self.at_most(after_b, a));
        Some(self.store().or(&[first, second]))
    }

    /// Whether two ranges lie apart, as Rust asks: of one object by their distance, of two that live and that both ranges are within, they do. The
    /// function's own comparison of addresses would have the solver say so.
    pub(crate) fn rust_apart(
        &mut self,
        execution: &Execution<'s>,
        arguments: &[Value],
    ) -> Result<Answer<Value>, Halt<TermId>> {
        let [a, b] = [pointer(arguments, 0)?, pointer(arguments, 1)?];
        let sizes = [2, 3].map(|index| integer(argument(arguments, index)?).cloned());
        let [size, count] = sizes;
        let (size, mut count) = (self.machine.known(&execution.state, &size?), count?);
        let unknown = || Stop::unsupported("whether two ranges of memory overlap");
        let size = size.filter(|size| *size <= MOST_BYTES).ok_or_else(unknown)?;
        if let Some(known) = self.machine.known(&execution.state, &count) {
            count = Int::new(64, known);
        }
        let answer = |bit: Int<TermId>| Ok(Answer::Value(smallvec![Scalar::int(bit)]));
        if size == 0 || count.concrete() == Some(0) {
            return answer(Int::bool(true));
        }
        // So many elements that their bytes cannot be counted are in no object.
        let most = self.compared(IntPredicate::Ule, &count, &Int::new(64, MOST_BYTES / size));
        if !self.machine.decide(&execution.state, &most)? {
            return Err(unknown().into());
        }
        let bytes = self.operate(IntOperation::Binary(IntBinary::Mul), &[count, Int::new(64, size)]);
        let minus = IntOperation::Binary(IntBinary::Sub);
        if a.base == b.base {
            let is_before = self.compared(IntPredicate::Ult, &a.offset, &b.offset);
            let forward = self.operate(minus, &[b.offset.clone(), a.offset.clone()]);
            let back = self.operate(minus, &[a.offset, b.offset]);
            let distance = match is_before.concrete() {
                Some(0) => back,
                Some(_) => forward,
                None => self.operate(IntOperation::Select, &[is_before, forward, back]),
            };
            return answer(self.compared(IntPredicate::Uge, &distance, &bytes));
        }
        let mut ids = Vec::new();
        for pointer in [&a, &b] {
            let Base::Object { id, .. } = pointer.base else { return Err(unknown().into()) };
            let size = self.extent(execution, pointer.base).ok_or_else(unknown)?;
            let size = Int::new(64, size.into());
            let fits = self.compared(IntPredicate::Ule, &bytes, &size);
            if !self.machine.decide(&execution.state, &fits)? {
                return Err(unknown().into());
            }
            let room = self.operate(minus, &[size, bytes.clone()]);
            let is_inside = self.compared(IntPredicate::Ule, &pointer.offset, &room);
            if !self.machine.decide(&execution.state, &is_inside)? {
                return Err(unknown().into());
            }
            ids.push(id);
        }
        match ids.iter().all(|id| self.machine.may_be_shared(&execution.state, *id)) {
            true => Err(unknown().into()),
            false => answer(Int::bool(true)),
        }
    }
}

/// Objects are no larger.
const MOST_BYTES: u128 = 1 << 62;

/// The pointer in an argument.
fn pointer(arguments: &[Value], index: usize) -> Result<Pointer<TermId>, Stop> {
    let argument = argument(arguments, index)?;
    match &argument.datum {
        _ if argument.tainted => Err(Stop::Undefined),
        Datum::Pointer(pointer) => Ok(pointer.clone()),
        _ => Err(Stop::unsupported("an argument that should be a pointer")),
    }
}
