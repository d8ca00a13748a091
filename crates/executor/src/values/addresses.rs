//! Where objects and functions lie: what other builds, and other runs, have otherwise.
//!
//! **Claim.** What is computed from addresses here has the value that it has in every layout of memory, or is a term with the variables that stand for the
//! layout. Nothing is taken for granted of a variable but that it is a multiple of what the object's type, or `malloc`, promises; more is said on paths
//! ([`crate::layouts`]).
//!
//! **Argument.** A number that is computed from an address by sums and differences is an address and a rest. The difference of two of one
//! address is that of the rests, and so is their comparison where neither sum wraps. An address that is a multiple of 2^k has no part in the lowest k bits: masks that
//! keep these or drop them, remainders of powers of two up to 2^k, and what sets or flips bits there, are of the rest alone.

use labrys_interp::{Base, Int, IntOperation, evaluate};
use labrys_program::{IntBinary, IntPredicate};
use labrys_symex::int_facts::possible_ones;
use labrys_symex::int_terms;
use labrys_term::{Op, Sort, Store, TermId, VariableId};
use rustc_hash::{FxHashMap, FxHashSet};

/// How deep sums are looked into for an address.
const DEPTH: u32 = 32;

/// Rests below this, and numbers below that are compared with addresses, are no addresses: no object begins there, and none reaches from its beginning
/// to where addresses end.
const LEAST: u128 = 1 << 16;
const SPAN: u128 = 1 << 46;

/// The variables that stand for addresses.
#[derive(Debug, Default)]
pub(super) struct Addresses {
    /// Whether there are any: not where the inputs are known, whose run has one layout.
    pub(super) are_open: bool,
    /// Objects whose addresses are the machine's own.
    pub(super) closed: FxHashSet<u32>,
    of: FxHashMap<Base, TermId>,
    bases: FxHashMap<TermId, Base>,
    variables: FxHashMap<VariableId, (Base, TermId)>,
}

impl Addresses {
    /// The address of a base.
    pub(super) fn address(&mut self, store: &mut Store, base: Base) -> Option<Int<TermId>> {
        let is_closed = matches!(base, Base::Object { id, .. } if self.closed.contains(&id.0));
        if !self.are_open || is_closed || base == Base::Absolute {
            return None;
        }
        if let Some(known) = self.of.get(&base) {
            return Some(Int::symbolic(64, *known));
        }
        let name = match base {
            Base::Object { id, .. } => format!("address of object {}", id.0),
            Base::Function(id) => format!("address of function {}", id.0),
            Base::Absolute => return None,
        };
        let variable = store.variable(&name, Sort::BitVec(64));
        self.of.insert(base, variable);
        self.bases.insert(variable, base);
        self.variables.extend(store.as_variable(variable).map(|id| (id, (base, variable))));
        Some(Int::symbolic(64, variable))
    }

    /// What the address is of that a term was computed from by sums and differences, where it is one.
    pub(super) fn base(&self, store: &Store, term: TermId) -> Option<Base> {
        if self.bases.is_empty() { None } else { self.base_within(store, term, DEPTH) }
    }

    /// Whether there are any.
    pub(super) fn are_there(&self) -> bool {
        !self.bases.is_empty()
    }

    /// Those among some variables.
    pub(super) fn among(&self, variables: &[VariableId]) -> Vec<(Base, TermId)> {
        let mut found: Vec<(Base, TermId)> =
            variables.iter().filter_map(|variable| self.variables.get(variable).copied()).collect();
        found.sort_unstable_by_key(|(_, term)| *term);
        found
    }

    fn base_within(&self, store: &Store, term: TermId, depth: u32) -> Option<Base> {
        if let Some(base) = self.bases.get(&term) {
            return Some(*base);
        }
        let node = store.node(term);
        match (&node.op, &node.args[..]) {
            (Op::BvAdd, &[a, b]) if depth > 0 => {
                let (a, b) = (self.base_within(store, a, depth - 1), self.base_within(store, b, depth - 1));
                if a.is_some() && b.is_some() { None } else { a.or(b) }
            }
            (Op::BvSub, &[a, b]) if depth > 0 => match self.base_within(store, b, depth - 1) {
                None => self.base_within(store, a, depth - 1),
                Some(_) => None,
            },
            _ => None,
        }
    }

    /// A number as an address and what is added to it.
    fn split(&self, store: &mut Store, int: &Int<TermId>) -> Option<(Base, Int<TermId>)> {
        let base = self.base(store, *int.symbol()?)?;
        let mut rest = Int::new(64, 0);
        let mut at = *int.symbol()?;
        while !self.bases.contains_key(&at) {
            let node = store.node(at).clone();
            let &[a, b] = &node.args[..] else { return None };
            let is_first = self.base(store, a).is_some();
            let (inner, other) = if is_first { (a, b) } else { (b, a) };
            let other = int_terms::as_int(store, 64, other);
            let op = if node.op == Op::BvSub { IntBinary::Sub } else { IntBinary::Add };
            rest = binary(store, op, &rest, &other);
            at = inner;
        }
        Some((base, rest))
    }

    fn joined(&self, store: &mut Store, base: Base, rest: &Int<TermId>) -> Option<Int<TermId>> {
        let address = Int::symbolic(64, *self.of.get(&base)?);
        Some(if rest.concrete() == Some(0) { address } else { binary(store, IntBinary::Add, &address, rest) })
    }

    /// An operation on addresses where the rests alone decide; `None` for others.
    pub(super) fn operation(
        &self,
        store: &mut Store,
        operation: IntOperation,
        operands: &[Int<TermId>],
    ) -> Option<Int<TermId>> {
        if self.bases.is_empty() {
            return None;
        }
        if let (IntOperation::Concat, [high, low]) = (operation, operands) {
            return rejoined(store, high, low);
        }
        if operands.iter().any(|operand| operand.bits() != 64) {
            return None;
        }
        match (operation, operands) {
            (IntOperation::Extract { high, low }, [whole]) => {
                let (base, rest) = self.split(store, whole)?;
                (high < multiple(base)).then(|| {
                    let operation = IntOperation::Extract { high, low };
                    of(store, operation, &[rest])
                })
            }
            (IntOperation::Binary(IntBinary::Sub), [a, b]) => {
                let ((x, a), (y, b)) = (self.split(store, a)?, self.split(store, b)?);
                (x == y).then(|| binary(store, IntBinary::Sub, &a, &b))
            }
            (IntOperation::Binary(op), [a, b]) => {
                if let Some(result) = flipped_twice(store, op, a, b) {
                    return Some(result);
                }
                if let Some(result) = self.tagged(store, op, a, b).or_else(|| self.tagged(store, op, b, a)) {
                    return Some(result);
                }
                let is_first = b.concrete().is_some();
                if !is_first && matches!(op, IntBinary::URem | IntBinary::Sub) {
                    return None;
                }
                let (whole, number) = if is_first { (a, b.concrete()?) } else { (b, a.concrete()?) };
                let (base, rest) = self.split(store, whole)?;
                let low = (1u128 << multiple(base)) - 1;
                let rest_with = |store: &mut Store, number: u128| binary(store, op, &rest, &Int::new(64, number));
                match op {
                    IntBinary::And if number & !low == 0 => Some(rest_with(store, number)),
                    IntBinary::And if number | low == u128::from(u64::MAX) => {
                        let rest = rest_with(store, number);
                        self.joined(store, base, &rest)
                    }
                    IntBinary::URem if number.is_power_of_two() && number - 1 <= low => {
                        Some(binary(store, IntBinary::And, &rest, &Int::new(64, number - 1)))
                    }
                    // What is added comes to what was added before.
                    IntBinary::Add | IntBinary::Sub if rest.concrete() != Some(0) => {
                        let rest = rest_with(store, number);
                        self.joined(store, base, &rest)
                    }
                    _ => None,
                }
            }
            (IntOperation::Compare(predicate), [a, b]) => self.compare(store, predicate, a, b),
            _ => None,
        }
    }

    /// An address in whose lowest bits others are set or flipped.
    fn tagged(&self, store: &mut Store, op: IntBinary, whole: &Int<TermId>, tag: &Int<TermId>) -> Option<Int<TermId>> {
        if !matches!(op, IntBinary::Or | IntBinary::Xor) {
            return None;
        }
        let (base, rest) = self.split(store, whole)?;
        let low = (1u128 << multiple(base)) - 1;
        let ones = match (tag.concrete(), tag.symbol()) {
            (Some(number), _) => number,
            (None, Some(&symbol)) => possible_ones(store, symbol),
            (None, None) => return None,
        };
        if ones & !low != 0 {
            return None;
        }
        let rest = binary(store, op, &rest, tag);
        self.joined(store, base, &rest)
    }

    /// A comparison of addresses near one object, or of one with a number that is none.
    fn compare(
        &self,
        store: &mut Store,
        predicate: IntPredicate,
        a: &Int<TermId>,
        b: &Int<TermId>,
    ) -> Option<Int<TermId>> {
        let moved = |rest: &Int<TermId>| {
            rest.concrete().map(|rest| (rest + LEAST) & u128::from(u64::MAX)).filter(|at| *at < SPAN)
        };
        let compared = |a: u128, b: u128| {
            evaluate(IntOperation::Compare(predicate), &[Int::<TermId>::new(64, a), Int::new(64, b)])
        };
        match (self.split(store, a), self.split(store, b)) {
            (Some((x, a)), Some((y, b))) if x == y => match predicate {
                IntPredicate::Eq | IntPredicate::Ne => {
                    let operation = IntOperation::Compare(predicate);
                    Some(of(store, operation, &[a, b]))
                }
                _ => compared(moved(&a)?, moved(&b)?),
            },
            (Some((_, rest)), None) => {
                let number = b.concrete().filter(|number| *number < LEAST)?;
                moved(&rest)?;
                compared(SPAN, number)
            }
            (None, Some((_, rest))) => {
                let number = a.concrete().filter(|number| *number < LEAST)?;
                moved(&rest)?;
                compared(number, SPAN)
            }
            _ => None,
        }
    }
}

/// Neighbouring pieces of one number, as bytes that were copied one by one are put together.
fn rejoined(store: &mut Store, high: &Int<TermId>, low: &Int<TermId>) -> Option<Int<TermId>> {
    let piece = |int: &Int<TermId>| {
        let node = store.node(*int.symbol()?);
        match (&node.op, &node.args[..]) {
            (Op::Extract { high, low }, &[whole]) => Some((*high, *low, whole)),
            _ => None,
        }
    };
    let ((top, above, whole), (below, bottom, other)) = (piece(high)?, piece(low)?);
    if whole != other || above != below + 1 {
        return None;
    }
    let Sort::BitVec(width) = *store.sort(whole) else { return None };
    if bottom == 0 && top + 1 == width {
        return Some(int_terms::as_int(store, width, whole));
    }
    let term = store.mk(Op::Extract { high: top, low: bottom }, &[whole]);
    Some(Int::symbolic(top - bottom + 1, term))
}

/// What flipping known bits twice leaves.
fn flipped_twice(store: &mut Store, op: IntBinary, a: &Int<TermId>, b: &Int<TermId>) -> Option<Int<TermId>> {
    let (IntBinary::Xor, Some(&term), Some(bits)) = (op, a.symbol(), b.concrete()) else { return None };
    let node = store.node(term).clone();
    let (Op::BvXor, &[x, y]) = (&node.op, &node.args[..]) else { return None };
    let (x, y) = (int_terms::as_int(store, 64, x), int_terms::as_int(store, 64, y));
    let (inner, before) = match (x.concrete(), y.concrete()) {
        (Some(before), None) => (y, before),
        (None, Some(before)) => (x, before),
        _ => return None,
    };
    (before == bits).then_some(inner)
}

/// The power of two that an address is promised to be a multiple of: the machine's own is one of no greater.
fn multiple(base: Base) -> u32 {
    match base {
        // Functions may begin anywhere.
        Base::Absolute | Base::Function(_) => 0,
        Base::Object { address, .. } => address.trailing_zeros().min(20),
    }
}

fn of(store: &mut Store, operation: IntOperation, operands: &[Int<TermId>]) -> Int<TermId> {
    evaluate(operation, operands).unwrap_or_else(|| int_terms::operation(store, operation, operands))
}

fn binary(store: &mut Store, op: IntBinary, a: &Int<TermId>, b: &Int<TermId>) -> Int<TermId> {
    match (op, a.concrete(), b.concrete()) {
        (IntBinary::Add, Some(0), _) => b.clone(),
        (IntBinary::Add | IntBinary::Sub, _, Some(0)) => a.clone(),
        _ => of(store, IntOperation::Binary(op), &[a.clone(), b.clone()]),
    }
}

#[cfg(test)]
mod tests {
    use labrys_interp::ObjectId;
    use labrys_term::{Evaluator, Model, Value};

    use super::*;

    /// Every operation that is decided by rests has the value that it has for some addresses that are multiples of what is promised.
    #[test]
    fn rests_decide_what_every_address_gives() {
        let mut store = Store::new();
        let mut addresses = Addresses { are_open: true, ..Addresses::default() };
        let bases =
            [8u64, 16, 4096].map(|multiple| Base::Object { id: ObjectId(multiple as u32), address: multiple + 8192 });
        let i = store.variable("i", Sort::BitVec(64));
        let mut numbers = Vec::new();
        for base in bases {
            let address = addresses.address(&mut store, base).unwrap();
            let index = binary(&mut store, IntBinary::Add, &address, &Int::symbolic(64, i));
            for number in [address, index] {
                for rest in [0u128, 1, 7, 24, u128::from(u64::MAX - 3)] {
                    numbers.push(binary(&mut store, IntBinary::Add, &number, &Int::new(64, rest)));
                }
            }
        }
        let constants = [0u128, 1, 7, 8, 15, 16, 24, 4096, u128::from(u64::MAX - 7), u128::from(u64::MAX - 6)];
        let constants = constants.map(|value| Int::new(64, value));
        let mut operations: Vec<IntOperation> =
            [IntBinary::And, IntBinary::Or, IntBinary::Xor, IntBinary::URem, IntBinary::Add, IntBinary::Sub]
                .map(IntOperation::Binary)
                .to_vec();
        operations.extend(
            [IntPredicate::Eq, IntPredicate::Ne, IntPredicate::Ult, IntPredicate::Uge].map(IntOperation::Compare),
        );
        let others: Vec<Int<TermId>> = numbers.iter().chain(&constants).cloned().collect();
        let mut decided = 0;
        for (a, b) in numbers.iter().flat_map(|a| others.iter().map(move |b| (a, b))) {
            for operands in [[a.clone(), b.clone()], [b.clone(), a.clone()]] {
                for &operation in &operations {
                    if operation == IntOperation::Binary(IntBinary::URem) && operands[1].concrete() == Some(0) {
                        continue;
                    }
                    let Some(result) = addresses.operation(&mut store, operation, &operands) else { continue };
                    decided += 1;
                    for seed in 0..3u64 {
                        let mut model = Model::new();
                        for (base, variable) in &addresses.of {
                            let Base::Object { address, .. } = base else { continue };
                            let low = 1u64 << address.trailing_zeros();
                            let at = (0x5555_0000_0000 + (seed * 977 + address) * 8192 * 3) / low * low;
                            model.set_term(&store, *variable, Value::bit_vector(64, at));
                        }
                        model.set_term(&store, i, Value::bit_vector(64, seed * 12));
                        let known: Vec<Int<TermId>> = operands
                            .iter()
                            .map(|operand| match operand.symbol() {
                                None => operand.clone(),
                                Some(term) => {
                                    let value = Evaluator::new(&store, &model).value(*term).unwrap();
                                    Int::new(64, value.as_bits().unwrap().iter_u64_digits().next().unwrap_or(0).into())
                                }
                            })
                            .collect();
                        let expected = evaluate(operation, &known).unwrap();
                        let found = match result.symbol() {
                            None => result.concrete().unwrap(),
                            Some(term) => match Evaluator::new(&store, &model).value(*term).unwrap() {
                                Value::Bool(bit) => bit.into(),
                                value => value.as_bits().unwrap().iter_u64_digits().next().unwrap_or(0).into(),
                            },
                        };
                        assert_eq!(Some(found), expected.concrete(), "{operation:?} {operands:?}");
                    }
                }
            }
        }
        assert!(decided > 500, "{decided}");
    }
}
