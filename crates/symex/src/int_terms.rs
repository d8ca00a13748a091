//! Integer symbols as terms: Bool for one bit, BitVec for more.
//!
//! Operations are built as they are, but for six rewrites that keep control flow readable to the real-arithmetic
//! abstraction, all of them identities:
//!
//! - an operation whose only symbol is `ite(c, k₁, k₂)` with constants is computed on both constants: `ite(c, op(k₁),
//!   op(k₂))`. Clang's unoptimised truth values (extended, stored, truncated, compared with 0) come out as `c`;
//! - ∧, ∨ and ⊕ of `ite(c, k, 0)` and `ite(d, k, 0)` are `ite(c ∧ d, k, 0)` and its likes;
//! - what the bits that can be set decide (masks, shifts, extensions) is decided;
//! - `ite(c, true, false)` is `c`, and its likes with one constant branch are ∧ and ∨;
//! - ¬¬c is c, and operations on Bool with a constant or equal operands are folded;
//! - a part of more than 128 bits is one of what these were put together or extended of: `_BitInt(200)` is extended to 256 bits in memory;
//!   and what is computed of them is computed in as few bits as do (`narrow.rs`).

use labrys_interp::{Int, IntOperation, evaluate};
use labrys_program::{IntBinary, IntPredicate};
use labrys_term::{Op, Sort, Store, TermId};
use num_traits::ToPrimitive;

use crate::int_facts::{decided, possible_ones};
use crate::narrow::{self, Compared};

/// A term as an integer of the machine: known if it is a literal.
pub fn as_int(store: &Store, bits: u32, term: TermId) -> Int<TermId> {
    match &store.node(term).op {
        Op::BoolConst(value) => Int::bool(*value),
        Op::BitVecConst(value) => match value.to_u128() {
            Some(value) => Int::new(bits, value),
            None => Int::number(bits, value.clone()),
        },
        _ => Int::symbolic(bits, term),
    }
}

/// The machine's integer as a term: Bool if it has one bit.
pub fn as_term(store: &mut Store, int: &Int<TermId>) -> TermId {
    match (int.symbol(), int.concrete()) {
        (Some(symbol), _) => *symbol,
        (None, Some(value)) if int.bits() == 1 => store.bool_const(value != 0),
        (None, Some(value)) => store.bv_const(int.bits(), value),
        (None, None) => store.bv_const(int.bits(), int.known_number().unwrap_or_default().into_owned()),
    }
}

/// The machine's integer as a BitVec term, whatever its width.
pub fn as_bit_vector(store: &mut Store, int: &Int<TermId>) -> TermId {
    let term = as_term(store, int);
    match store.sort(term) {
        Sort::Bool => {
            let (one, zero) = (store.bv_const(1, 1u8), store.bv_const(1, 0u8));
            match store.node(term).op {
                Op::BoolConst(true) => one,
                Op::BoolConst(false) => zero,
                _ => store.mk(Op::Ite, &[term, one, zero]),
            }
        }
        _ => term,
    }
}

/// ¬c.
pub fn not(store: &mut Store, term: TermId) -> TermId {
    match store.node(term).op {
        Op::Not => store.node(term).args[0],
        Op::BoolConst(value) => store.bool_const(!value),
        _ => store.not(term),
    }
}

/// if c then a else b, of one sort.
pub fn ite(store: &mut Store, c: TermId, a: TermId, b: TermId) -> TermId {
    if a == b {
        return a;
    }
    let literal = |store: &Store, term: TermId| match store.node(term).op {
        Op::BoolConst(value) => Some(value),
        _ => None,
    };
    match (literal(store, c), literal(store, a), literal(store, b)) {
        (Some(true), ..) => a,
        (Some(false), ..) => b,
        (_, Some(true), Some(false)) => c,
        (_, Some(false), Some(true)) => not(store, c),
        (_, Some(false), _) => {
            let c = not(store, c);
            store.and(&[c, b])
        }
        (_, _, Some(false)) => store.and(&[c, a]),
        (_, Some(true), _) => store.or(&[c, b]),
        (_, _, Some(true)) => {
            let c = not(store, c);
            store.or(&[c, a])
        }
        _ => store.mk(Op::Ite, &[c, a, b]),
    }
}

/// The condition and the literals of `ite(c, k₁, k₂)`.
fn choice(store: &Store, int: &Int<TermId>) -> Option<(TermId, Int<TermId>, Int<TermId>)> {
    let node = store.node(*int.symbol()?);
    if node.op != Op::Ite {
        return None;
    }
    let [c, a, b] = node.args[..] else { return None };
    let (a, b) = (as_int(store, int.bits(), a), as_int(store, int.bits(), b));
    (a.is_known() && b.is_known()).then_some((c, a, b))
}

/// Computes an operation on both branches of its only symbol.
fn lifted(store: &mut Store, operation: IntOperation, operands: &[Int<TermId>]) -> Option<Int<TermId>> {
    let mut symbols = operands.iter().enumerate().filter(|(_, operand)| operand.symbol().is_some());
    let (index, operand) = symbols.next()?;
    if symbols.next().is_some() || (operation == IntOperation::Select && index == 0) {
        return None;
    }
    let (c, a, b) = choice(store, operand)?;
    let mut with = operands.to_vec();
    with[index] = a;
    let a = evaluate(operation, &with)?;
    with[index] = b;
    let b = evaluate(operation, &with)?;
    let bits = a.bits();
    let (a, b) = (as_term(store, &a), as_term(store, &b));
    let term = ite(store, c, a, b);
    Some(as_int(store, bits, term))
}

/// ∧, ∨ or ⊕ of two choices between one literal and 0: the choice of the combined conditions.
fn combined(store: &mut Store, operation: IntOperation, operands: &[Int<TermId>]) -> Option<Int<TermId>> {
    let IntOperation::Binary(op @ (IntBinary::And | IntBinary::Or | IntBinary::Xor)) = operation else { return None };
    let (c, a, a_else) = choice(store, &operands[0])?;
    let (d, b, b_else) = choice(store, &operands[1])?;
    if a != b || !a_else.is(0) || !b_else.is(0) {
        return None;
    }
    let condition = bool_binary(store, op, &Int::symbolic(1, c), &Int::symbolic(1, d));
    let condition = as_term(store, &condition);
    let (set, clear) = (as_term(store, &a), as_term(store, &a_else));
    let term = ite(store, condition, set, clear);
    Some(as_int(store, a.bits(), term))
}

/// An operation on integers, one of which at least is a symbol.
pub fn operation(store: &mut Store, operation: IntOperation, operands: &[Int<TermId>]) -> Int<TermId> {
    if let Some(result) = lifted(store, operation, operands).or_else(|| combined(store, operation, operands)) {
        return result;
    }
    let bits = operands[0].bits();
    match operation {
        IntOperation::Binary(op) if bits == 1 => bool_binary(store, op, &operands[0], &operands[1]),
        IntOperation::Binary(op) => {
            let (a, b) = (as_term(store, &operands[0]), as_term(store, &operands[1]));
            let short = if bits > 128 { narrow::binary(store, op, a, b) } else { None };
            let term = short.unwrap_or_else(|| store.mk(binary_op(op), &[a, b]));
            known_zero(store, bits, term)
        }
        IntOperation::Compare(predicate) => {
            let term = compare(store, predicate, &operands[0], &operands[1]);
            as_int(store, 1, term)
        }
        IntOperation::Extract { high, low } => {
            let whole = as_bit_vector(store, &operands[0]);
            let part = if bits > 128 {
                part_of(store, whole, high, low)
            } else {
                store.mk(Op::Extract { high, low }, &[whole])
            };
            from_bit_vector(store, high - low + 1, part)
        }
        IntOperation::ZeroExtend(to) | IntOperation::SignExtend(to) if bits == 1 => {
            let set = if operation == IntOperation::ZeroExtend(to) { Int::new(to, 1) } else { Int::minus_one(to) };
            let (c, set) = (as_term(store, &operands[0]), as_term(store, &set));
            let clear = store.bv_const(to, 0u8);
            let term = ite(store, c, set, clear);
            as_int(store, to, term)
        }
        IntOperation::ZeroExtend(to) => {
            let term = as_term(store, &operands[0]);
            let term = store.mk(Op::ZeroExtend(to - bits), &[term]);
            Int::symbolic(to, term)
        }
        IntOperation::SignExtend(to) => {
            let term = as_term(store, &operands[0]);
            let term = store.mk(Op::SignExtend(to - bits), &[term]);
            Int::symbolic(to, term)
        }
        IntOperation::Concat => {
            let (high, low) = (as_bit_vector(store, &operands[0]), as_bit_vector(store, &operands[1]));
            let term = store.mk(Op::Concat, &[high, low]);
            Int::symbolic(bits + operands[1].bits(), term)
        }
        IntOperation::Select => {
            let width = operands[1].bits();
            let c = as_term(store, &operands[0]);
            let (a, b) = (as_term(store, &operands[1]), as_term(store, &operands[2]));
            let term = ite(store, c, a, b);
            as_int(store, width, term)
        }
    }
}

/// Bits `high` down to `low` of a BitVec term.
pub(crate) fn part_of(store: &mut Store, whole: TermId, mut high: u32, mut low: u32) -> TermId {
    let mut term = whole;
    loop {
        let width = bit_vector_width(store, term);
        if low == 0 && high + 1 == width {
            return term;
        }
        let node = store.node(term).clone();
        match (&node.op, &node.args[..]) {
            (Op::BitVecConst(value), _) => return store.bv_const(high - low + 1, value >> low),
            (Op::Extract { low: start, .. }, &[inner]) => (term, high, low) = (inner, high + start, low + start),
            (Op::Concat, &[upper, lower]) => {
                let below = bit_vector_width(store, lower);
                if high < below {
                    term = lower;
                } else if low >= below {
                    (term, high, low) = (upper, high - below, low - below);
                } else {
                    break;
                }
            }
            (Op::ZeroExtend(_) | Op::SignExtend(_), &[inner]) if high < bit_vector_width(store, inner) => term = inner,
            (Op::ZeroExtend(_), &[inner]) if low >= bit_vector_width(store, inner) => {
                return store.bv_const(high - low + 1, 0u8);
            }
            (Op::ZeroExtend(_), &[inner]) if low == 0 => {
                return store.mk(Op::ZeroExtend(high + 1 - bit_vector_width(store, inner)), &[inner]);
            }
            (Op::SignExtend(_), &[inner]) if low == 0 => {
                return store.mk(Op::SignExtend(high + 1 - bit_vector_width(store, inner)), &[inner]);
            }
            _ => break,
        }
    }
    store.mk(Op::Extract { high, low }, &[term])
}

fn bit_vector_width(store: &Store, term: TermId) -> u32 {
    match store.sort(term) {
        Sort::BitVec(width) => *width,
        _ => 1,
    }
}

/// A term as an integer: 0 if no bit of it can be set.
fn known_zero(store: &Store, bits: u32, term: TermId) -> Int<TermId> {
    if possible_ones(store, term) == 0 { Int::new(bits, 0) } else { as_int(store, bits, term) }
}

/// A BitVec term as an integer: one bit becomes Bool.
fn from_bit_vector(store: &mut Store, bits: u32, term: TermId) -> Int<TermId> {
    if bits != 1 || possible_ones(store, term) == 0 {
        return known_zero(store, bits, term);
    }
    if let Op::BitVecConst(_) = store.node(term).op {
        return Int::bool(true);
    }
    let one = store.bv_const(1, 1u8);
    let term = store.mk(Op::Eq, &[term, one]);
    Int::symbolic(1, term)
}

pub(crate) fn binary_op(op: IntBinary) -> Op {
    match op {
        IntBinary::Add => Op::BvAdd,
        IntBinary::Sub => Op::BvSub,
        IntBinary::Mul => Op::BvMul,
        IntBinary::UDiv => Op::BvUdiv,
        IntBinary::SDiv => Op::BvSdiv,
        IntBinary::URem => Op::BvUrem,
        IntBinary::SRem => Op::BvSrem,
        IntBinary::Shl => Op::BvShl,
        IntBinary::LShr => Op::BvLshr,
        IntBinary::AShr => Op::BvAshr,
        IntBinary::And => Op::BvAnd,
        IntBinary::Or => Op::BvOr,
        IntBinary::Xor => Op::BvXor,
    }
}

/// One-bit arithmetic. Shifts and divisions that are not poison or traps leave the first operand as it is; remainders
/// are 0.
fn bool_binary(store: &mut Store, op: IntBinary, a: &Int<TermId>, b: &Int<TermId>) -> Int<TermId> {
    let (x, y) = (as_term(store, a), as_term(store, b));
    let no = store.bool_const(false);
    let yes = store.bool_const(true);
    let term = match op {
        IntBinary::Add | IntBinary::Sub | IntBinary::Xor if x == y => no,
        IntBinary::Add | IntBinary::Sub | IntBinary::Xor => match (a.concrete(), b.concrete()) {
            (Some(0), _) => y,
            (_, Some(0)) => x,
            (Some(_), _) => not(store, y),
            (_, Some(_)) => not(store, x),
            _ => store.mk(Op::Xor, &[x, y]),
        },
        IntBinary::And | IntBinary::Mul => ite(store, x, y, no),
        IntBinary::Or => ite(store, x, yes, y),
        IntBinary::URem | IntBinary::SRem => no,
        _ => x,
    };
    as_int(store, 1, term)
}

fn compare(store: &mut Store, predicate: IntPredicate, a: &Int<TermId>, b: &Int<TermId>) -> TermId {
    if a.bits() == 1 {
        return bool_compare(store, predicate, a, b);
    }
    let (mut x, mut y) = (as_term(store, a), as_term(store, b));
    if a.bits() > 128 {
        match narrow::compared(store, predicate, x, y) {
            Compared::Decided(holds) => return store.bool_const(holds),
            Compared::Parts(parts) => (x, y) = parts,
        }
    }
    let (op, args, negated) = match predicate {
        IntPredicate::Eq => (Op::Eq, [x, y], false),
        IntPredicate::Ne => (Op::Eq, [x, y], true),
        IntPredicate::Ult => (Op::BvUlt, [x, y], false),
        IntPredicate::Ule => (Op::BvUle, [x, y], false),
        IntPredicate::Ugt => (Op::BvUlt, [y, x], false),
        IntPredicate::Uge => (Op::BvUle, [y, x], false),
        IntPredicate::Slt => (Op::BvSlt, [x, y], false),
        IntPredicate::Sle => (Op::BvSle, [x, y], false),
        IntPredicate::Sgt => (Op::BvSlt, [y, x], false),
        IntPredicate::Sge => (Op::BvSle, [y, x], false),
    };
    if let Some(holds) = decided(store, predicate, x, y) {
        return store.bool_const(holds);
    }
    if x == y {
        let reflexive = !matches!(
            predicate,
            IntPredicate::Ne | IntPredicate::Ult | IntPredicate::Ugt | IntPredicate::Slt | IntPredicate::Sgt
        );
        return store.bool_const(reflexive);
    }
    let term = store.mk(op, &args);
    if negated { not(store, term) } else { term }
}

/// Comparisons of single bits; as signed numbers a set bit is −1.
fn bool_compare(store: &mut Store, predicate: IntPredicate, a: &Int<TermId>, b: &Int<TermId>) -> TermId {
    let xor = bool_binary(store, IntBinary::Xor, a, b);
    let differs = as_term(store, &xor);
    let (x, y) = (as_term(store, a), as_term(store, b));
    let no = store.bool_const(false);
    // greater: x set and y not.
    let mut above = |x: TermId, y: TermId| {
        let clear = not(store, y);
        ite(store, x, clear, no)
    };
    match predicate {
        IntPredicate::Ugt | IntPredicate::Slt => above(x, y),
        IntPredicate::Ult | IntPredicate::Sgt => above(y, x),
        IntPredicate::Ule | IntPredicate::Sge => {
            let greater = above(x, y);
            not(store, greater)
        }
        IntPredicate::Uge | IntPredicate::Sle => {
            let less = above(y, x);
            not(store, less)
        }
        IntPredicate::Ne => differs,
        IntPredicate::Eq => not(store, differs),
    }
}

/// A stride and remainder of a 64-bit offset: constants, products with a constant and sums are looked through. Strides
/// that are no powers of two hold only while the product does not wrap, which offsets inside objects do not.
pub fn stride(store: &Store, term: TermId) -> (u64, u64) {
    // Deeper sums than this are no address arithmetic that a compiler writes.
    stride_within(store, term, 16)
}

fn stride_within(store: &Store, term: TermId, depth: u32) -> (u64, u64) {
    if depth == 0 {
        return (1, 0);
    }
    let stride = |store: &Store, term: TermId| stride_within(store, term, depth - 1);
    let node = store.node(term);
    let literal = |term: TermId| match &store.node(term).op {
        Op::BitVecConst(value) => value.to_u64(),
        _ => None,
    };
    match (&node.op, &node.args[..]) {
        (Op::BvMul, &[a, b]) => match literal(b).or_else(|| literal(a)) {
            Some(factor) if (factor as i64) != i64::MIN => ((factor as i64).unsigned_abs().max(1), 0),
            _ => (1, 0),
        },
        (Op::BvAdd, &[a, b]) => match (literal(a), literal(b)) {
            (Some(constant), _) => shifted(stride(store, b), constant),
            (_, Some(constant)) => shifted(stride(store, a), constant),
            _ => {
                let ((s, r), (t, q)) = (stride(store, a), stride(store, b));
                let common = gcd(s, t);
                (common, r.wrapping_add(q) % common)
            }
        },
        // What wraps around in fewer bits keeps remainders by powers of two alone.
        (Op::ZeroExtend(_) | Op::SignExtend(_), &[a]) => {
            let (of_part, remainder) = stride(store, a);
            let power = 1 << of_part.trailing_zeros().min(63);
            (power, remainder % power)
        }
        _ => (1, 0),
    }
}

fn shifted((stride, remainder): (u64, u64), by: u64) -> (u64, u64) {
    let by = (by as i64).rem_euclid(stride as i64) as u64;
    (stride, (remainder + by) % stride)
}

fn gcd(a: u64, b: u64) -> u64 {
    if b == 0 { a.max(1) } else { gcd(b, a % b) }
}

#[cfg(test)]
mod tests {
    use labrys_term::{Evaluator, Model, Value};
    use num_bigint::BigUint;
    use num_traits::One;
    use rand::{RngExt, SeedableRng, rngs::StdRng};

    use super::*;
    use crate::int_facts::many_possible_ones;

    /// An integer as a term and its value under the model.
    type Pair = (Int<TermId>, Int<TermId>);

    const WIDTHS: [u32; 9] = [1, 8, 32, 64, 128, 129, 200, 256, 384];

    fn constant(random: &mut StdRng, bits: u32) -> Int<TermId> {
        let ones = (BigUint::one() << bits) - 1u8;
        Int::number(
            bits,
            match random.random_range(0..4) {
                0 => random.random_range(0..5u8).into(),
                1 => ones << random.random_range(0..bits),
                2 => ones >> random.random_range(0..bits),
                _ => (0..6).fold(BigUint::ZERO, |all, _| all << 64 | BigUint::from(random.random::<u64>())),
            },
        )
    }

    /// Some operation on one or two of the integers, whose divisions do not trap.
    fn step(random: &mut StdRng, pool: &[Pair]) -> Option<(IntOperation, Vec<Pair>)> {
        let one = pool[random.random_range(0..pool.len())].clone();
        let bits = one.0.bits();
        let other = pool.iter().rev().find(|(int, _)| int.bits() == bits && random.random_bool(0.5)).cloned();
        let other = other.unwrap_or_else(|| {
            let constant = constant(random, bits);
            (constant.clone(), constant)
        });
        use IntBinary::{AShr, LShr, Shl};
        let predicates = [IntPredicate::Eq, IntPredicate::Ult, IntPredicate::Ule, IntPredicate::Slt, IntPredicate::Sge];
        let (operation, operands) = match random.random_range(0..8) {
            0..3 => {
                let op = IntBinary::ALL[random.random_range(0..IntBinary::ALL.len())];
                // Shifts by the width or more are poison.
                let shifts = matches!(op, Shl | LShr | AShr);
                let by = Int::new(bits, random.random_range(0..bits).into());
                (IntOperation::Binary(op), vec![one, if shifts { (by.clone(), by) } else { other }])
            }
            3 => (IntOperation::Compare(predicates[random.random_range(0..5)]), vec![one, other]),
            4 => {
                let low = random.random_range(0..bits);
                (IntOperation::Extract { high: random.random_range(low..bits), low }, vec![one])
            }
            5 if bits < 300 => {
                let to = bits + random.random_range(1..100);
                let is_signed: bool = random.random();
                (if is_signed { IntOperation::SignExtend(to) } else { IntOperation::ZeroExtend(to) }, vec![one])
            }
            6 if bits < 300 => (IntOperation::Concat, vec![one, other]),
            _ => {
                let condition = pool.iter().find(|(int, _)| int.bits() == 1)?.clone();
                (IntOperation::Select, vec![condition, one, other])
            }
        };
        operands.iter().any(|(int, _)| !int.is_known()).then_some((operation, operands))
    }

    /// Random operations on variables, as terms and on the variables' values.
    #[test]
    fn terms_have_the_values_of_operations_on_known_integers() {
        let (mut compared, mut wide) = (0, 0);
        for seed in 0..60 {
            let (mut random, mut store, mut model) = (StdRng::seed_from_u64(seed), Store::new(), Model::new());
            let mut pool: Vec<Pair> = Vec::new();
            for (place, bits) in WIDTHS.into_iter().enumerate() {
                let value = constant(&mut random, bits);
                let sort = if bits == 1 { Sort::Bool } else { Sort::BitVec(bits) };
                let variable = store.variable(&format!("v{place}"), sort);
                let number = value.known_number().unwrap().into_owned();
                let number = if bits == 1 { Value::Bool(value.is(1)) } else { Value::bit_vector(bits, number) };
                model.set_term(&store, variable, number);
                pool.push((Int::symbolic(bits, variable), value));
            }
            for _ in 0..60 {
                let Some((operation, operands)) = step(&mut random, &pool) else { continue };
                let known: Vec<Int<TermId>> = operands.iter().map(|(_, value)| value.clone()).collect();
                let Some(expected) = evaluate(operation, &known) else { continue };
                let terms: Vec<Int<TermId>> = operands.into_iter().map(|(term, _)| term).collect();
                let result = super::operation(&mut store, operation, &terms);
                assert_eq!(result.bits(), expected.bits(), "seed {seed}: {operation:?}");
                let term = as_bit_vector(&mut store, &result);
                let value = Evaluator::new(&store, &model).value(term).unwrap();
                let number = expected.known_number().unwrap().into_owned();
                assert_eq!(value.as_bits(), Some(&number), "seed {seed}: {operation:?} {terms:?} {known:?}");
                let ones = many_possible_ones(&store, term);
                assert_eq!(&number | &ones, ones, "seed {seed}: {operation:?} {terms:?} {known:?}");
                compared += 1;
                wide += u32::from(result.bits() > 128);
                pool.push((result, expected));
            }
        }
        assert!(compared > 1500 && wide > 500, "{compared} compared, {wide} of more than 128 bits");
    }
}
