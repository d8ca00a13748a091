//! The encoding of a Float term, NaN payloads included.
//!
//! **Claim.** [`Encodings::bits`] is a BitVec term whose value under every assignment is the encoding that the program's
//! operations give on x86-64 (as [`super::nan`] has it) where the Float term's value is that encoding's number.
//!
//! **Argument.** By induction over the term. A number made of bits has those. Negation and absolute value change the sign bit
//! alone, a choice chooses. The result of a function of libm may be any quiet NaN ([`super::libm`]). Any other operator is one operation of the processor, or of a function whose steps are operators: where its
//! result is no NaN, SMT-LIB's encoding of the value is the only one (x87's operations give no pseudo-denormals), and where
//! it is one, it is the one that [`super::nan`] makes of the operands' encodings, which are there by induction. So the
//! encoding need not be held beside a term: it is a function of it, made when somebody asks.
//!
//! Terms are visited arguments first, without recursion, each once.

use labrys_float::{Float, Format};
use labrys_interp::FloatOperation;
use labrys_symex::int_terms::{ite, not};
use labrys_term::{Op, Store, TermId};
use num_traits::ToPrimitive;
use rustc_hash::{FxHashMap, FxHashSet};

use super::nan::{Encoding, order};

/// Encodings made so far.
#[derive(Clone, Debug, Default)]
pub(super) struct Encodings {
    /// The BitVec term of a Float term.
    bits: FxHashMap<TermId, TermId>,
    /// The Float term that a BitVec term is the encoding of.
    numbers: FxHashMap<TermId, TermId>,
    /// The BitVec variables that are the encodings of Float variables where these are NaNs, but for what makes them quiet NaNs.
    payloads: FxHashMap<TermId, TermId>,
    /// Of Float terms that can have odd encodings: whether they have one, and a term that never has, and is the same where they do not.
    regular: FxHashMap<TermId, (TermId, TermId)>,
    /// Those terms that never have.
    never_odd: FxHashSet<TermId>,
}

/// Whether a Float term can be a NaN, as far as its operator says.
pub(super) fn may_be_nan(store: &Store, term: TermId) -> bool {
    match &store.node(term).op {
        Op::FloatConst(value) => value.is_nan(),
        Op::FpFromSigned(_) | Op::FpFromUnsigned(_) => false,
        _ => true,
    }
}

/// Whether a Float term can have an encoding that came from outside: a signaling NaN or an invalid one.
fn is_raw(store: &Store, term: TermId) -> bool {
    matches!(
        store.node(term).op,
        Op::FpFromBits(_) | Op::Ite | Op::FpNeg | Op::FpAbs | Op::FloatConst(_) | Op::Variable(_)
    )
}

/// The format of a Float term.
pub(super) fn format(store: &Store, term: TermId) -> Format {
    store.float_format(term).unwrap_or(Format::BINARY64)
}

/// The Float arguments of a term whose encodings its own is made of.
fn parts(store: &Store, term: TermId) -> Vec<TermId> {
    let node = store.node(term);
    match node.op {
        Op::FpFromBits(_) | Op::FloatConst(_) | Op::Variable(_) | Op::FpFromSigned(_) | Op::FpFromUnsigned(_) => {
            Vec::new()
        }
        _ => node.args.iter().copied().filter(|&arg| store.float_format(arg).is_some()).collect(),
    }
}

impl Encodings {
    /// Has a Float variable, the result of a function, be any quiet NaN where it is one: that of a BitVec variable.
    pub(super) fn set_payload(&mut self, result: TermId, payload: TermId) {
        self.payloads.insert(result, payload);
    }

    /// The Float term that `bits` is the encoding of, if it was made from one.
    pub(super) fn number(&self, bits: TermId) -> Option<TermId> {
        self.numbers.get(&bits).copied()
    }

    /// Whether a Float term can have one of x87's invalid encodings, or a pseudo-denormal's: one that comes from outside, or a choice among such. Nested
    /// choices are looked into a few levels deep.
    pub(super) fn may_be_odd(&self, store: &Store, term: TermId) -> bool {
        if !format(store, term).has_explicit_leading_bit() {
            return false;
        }
        let mut pending = vec![term];
        for _ in 0..16 {
            let Some(term) = pending.pop() else { return false };
            if self.never_odd.contains(&term) || self.payloads.contains_key(&term) {
                continue;
            }
            let node = store.node(term);
            match &node.op {
                Op::FloatConst(value) if Encoding::of(value.format()).is_odd(value.to_u128().unwrap_or_default()) => {
                    return true;
                }
                Op::FpNeg | Op::FpAbs => pending.push(node.args[0]),
                Op::Ite => pending.extend(&node.args[1..]),
                Op::FpFromBits(_) | Op::Variable(_) => return true,
                _ => {}
            }
        }
        !pending.is_empty()
    }

    /// Of a Float term that can have an odd encoding: whether it has one, a Bool term, and a term that has +0 there.
    pub(super) fn regular(&mut self, store: &mut Store, term: TermId) -> Option<(TermId, TermId)> {
        if !self.may_be_odd(store, term) {
            return None;
        }
        if let Some(known) = self.regular.get(&term) {
            return Some(*known);
        }
        let encoding = Encoding::of(format(store, term));
        let bits = self.bits(store, term);
        let odd = is_odd(store, &encoding, bits);
        let zero = store.float_const(Float::zero(encoding.format, false));
        let regular = ite(store, odd, zero, term);
        self.never_odd.insert(regular);
        self.regular.insert(term, (odd, regular));
        Some((odd, regular))
    }

    /// The encoding of a Float term.
    pub(super) fn bits(&mut self, store: &mut Store, root: TermId) -> TermId {
        let mut pending = vec![root];
        while let Some(&term) = pending.last() {
            if self.bits.contains_key(&term) {
                pending.pop();
                continue;
            }
            let before = pending.len();
            pending.extend(parts(store, term).into_iter().filter(|part| !self.bits.contains_key(part)));
            if pending.len() == before {
                let bits = self.build(store, term);
                self.bits.insert(term, bits);
                self.numbers.entry(bits).or_insert(term);
                pending.pop();
            }
        }
        self.bits.get(&root).copied().unwrap_or(root)
    }

    /// Whether the sign bit is set, NaNs' included: a Bool term.
    pub(super) fn sign(&mut self, store: &mut Store, term: TermId) -> TermId {
        let node = store.node(term).clone();
        match (&node.op, &node.args[..]) {
            (Op::FpAbs, _) => store.bool_const(false),
            (Op::FpFromBits(_) | Op::FpNeg | Op::Ite | Op::FloatConst(_), _) => {
                let bits = self.bits(store, term);
                top_bit(store, bits)
            }
            _ => {
                let negative = store.mk(Op::FpIsNegative, &[term]);
                if !may_be_nan(store, term) {
                    return negative;
                }
                let (nan, bits) = (store.mk(Op::FpIsNan, &[term]), self.bits(store, term));
                let sign = top_bit(store, bits);
                let sign = store.and(&[nan, sign]);
                store.or(&[negative, sign])
            }
        }
    }

    /// Whether using the number as an operand raises invalid: a Bool term, false where it cannot.
    pub(super) fn is_signaling(&mut self, store: &mut Store, term: TermId) -> TermId {
        if !is_raw(store, term) || self.payloads.contains_key(&term) {
            return store.bool_const(false);
        }
        let encoding = Encoding::of(format(store, term));
        let bits = self.bits(store, term);
        if let Some(value) = literal(store, bits) {
            return store.bool_const(encoding.is_signaling(value));
        }
        let nan = store.mk(Op::FpIsNan, &[term]);
        let quiet = is_set(store, bits, encoding.quiet);
        let loud = not(store, quiet);
        let signaling = store.and(&[nan, loud]);
        if encoding.leading == 0 {
            return signaling;
        }
        let invalid = is_invalid(store, &encoding, bits);
        store.or(&[signaling, invalid])
    }

    /// Whether the number is a NaN, or an invalid encoding, whose quiet bit is clear: a Bool term.
    pub(super) fn is_loud(&mut self, store: &mut Store, term: TermId) -> TermId {
        let encoding = Encoding::of(format(store, term));
        let bits = self.bits(store, term);
        let (nan, quiet) = (store.mk(Op::FpIsNan, &[term]), is_set(store, bits, encoding.quiet));
        let clear = not(store, quiet);
        store.and(&[nan, clear])
    }

    /// The encoding of a term whose parts have theirs.
    fn build(&self, store: &mut Store, term: TermId) -> TermId {
        let node = store.node(term).clone();
        let encoding = Encoding::of(format(store, term));
        let width = encoding.format.width();
        let of = |index: usize| self.bits[&node.args[index]];
        match &node.op {
            Op::FpFromBits(_) => return node.args[0],
            Op::FloatConst(value) => return store.bv_const(width, value.bits().clone()),
            Op::FpNeg => {
                let sign = store.bv_const(width, encoding.sign);
                return store.mk(Op::BvXor, &[of(0), sign]);
            }
            Op::FpAbs => {
                let magnitude = store.bv_const(width, encoding.magnitude());
                return store.mk(Op::BvAnd, &[of(0), magnitude]);
            }
            Op::Ite => return ite(store, node.args[0], of(1), of(2)),
            _ => {}
        }
        let plain = store.mk(Op::FpToBits, &[term]);
        if !may_be_nan(store, term) {
            return plain;
        }
        if let Some(&payload) = self.payloads.get(&term) {
            let quiet = store.bv_const(width, encoding.infinity() | encoding.quiet);
            let nan = store.mk(Op::BvOr, &[payload, quiet]);
            let is_nan = store.mk(Op::FpIsNan, &[term]);
            return ite(store, is_nan, nan, plain);
        }
        let floats: Vec<TermId> = parts(store, term);
        let nan = self.nan(store, &encoding, &node.op, &node.args, &floats);
        let is_nan = store.mk(Op::FpIsNan, &[term]);
        ite(store, is_nan, nan, plain)
    }

    /// The encoding where the term is a NaN.
    fn nan(&self, store: &mut Store, to: &Encoding, op: &Op, args: &[TermId], floats: &[TermId]) -> TermId {
        let default = constant(store, to, to.default_nan());
        let from = floats.first().map_or(*to, |&float| Encoding::of(format(store, float)));
        let operands: Vec<Operand> = floats.iter().map(|&float| self.operand(store, &from, float)).collect();
        match (op, &operands[..]) {
            (Op::FpFromFloat(_), [a]) => {
                let converted = a.converted(store, &from, to);
                ite(store, a.is_nan, converted, default)
            }
            (_, [a, b]) if to.leading != 0 => a.larger(store, to, b).bits,
            (Op::FpFma, [a, b, c]) if to.leading != 0 => {
                let product = store.mk(Op::FpMul, &args[..3]);
                let nan = store.mk(Op::FpIsNan, &[product]);
                let product = Operand { is_nan: nan, ..a.larger(store, to, b) };
                product.larger(store, to, c).bits
            }
            (Op::FpFma, _) => first_nan(store, to, &operands, FloatOperation::Fma, default),
            (Op::FpRem, _) => first_nan(store, to, &operands, FloatOperation::IeeeRemainder, default),
            _ => first_nan(store, to, &operands, FloatOperation::Add, default),
        }
    }

    fn operand(&self, store: &mut Store, encoding: &Encoding, term: TermId) -> Operand {
        let bits = self.bits[&term];
        let no = store.bool_const(false);
        let (is_nan, is_invalid) = match store.node(term).op.clone() {
            Op::FloatConst(value) => {
                let bits = value.to_u128().unwrap_or_default();
                (store.bool_const(encoding.is_nan(bits)), store.bool_const(encoding.is_invalid(bits)))
            }
            _ if !may_be_nan(store, term) => (no, no),
            _ => {
                let is_nan = store.mk(Op::FpIsNan, &[term]);
                let raw = encoding.leading != 0 && is_raw(store, term);
                (is_nan, if raw { is_invalid(store, encoding, bits) } else { no })
            }
        };
        Operand { bits, is_nan, is_invalid }
    }
}

/// An operand as NaN rules see it.
#[derive(Clone, Copy)]
struct Operand {
    bits: TermId,
    is_nan: TermId,
    /// Whether it is none of x87's valid encodings.
    is_invalid: TermId,
}

impl Operand {
    /// The NaN quieted, or the default NaN for an invalid encoding.
    fn quieted(&self, store: &mut Store, encoding: &Encoding) -> TermId {
        let quiet = constant(store, encoding, encoding.quiet);
        let quieted = store.mk(Op::BvOr, &[self.bits, quiet]);
        let default = constant(store, encoding, encoding.default_nan());
        ite(store, self.is_invalid, default, quieted)
    }

    /// The NaN in another format.
    fn converted(&self, store: &mut Store, from: &Encoding, to: &Encoding) -> TermId {
        let top = from.format.width() - 1;
        let (narrow, wide) = (from.format.precision(), to.format.precision());
        let sign = store.mk(Op::Extract { high: top, low: top }, &[self.bits]);
        let low = narrow.saturating_sub(wide);
        let mut fraction = store.mk(Op::Extract { high: narrow - 2, low }, &[self.bits]);
        if wide > narrow {
            let zeros = store.bv_const(wide - narrow, 0u8);
            fraction = store.mk(Op::Concat, &[fraction, zeros]);
        }
        let exponent_bits = to.format.width() - wide;
        let exponent = store.bv_const(exponent_bits, (1u128 << exponent_bits) - 1);
        let high = store.mk(Op::Concat, &[sign, exponent]);
        let whole = store.mk(Op::Concat, &[high, fraction]);
        let quiet = constant(store, to, to.quiet);
        let whole = store.mk(Op::BvOr, &[whole, quiet]);
        let default = constant(store, to, to.default_nan());
        ite(store, self.is_invalid, default, whole)
    }

    /// The NaN of two operands of the x87 unit; the default one if neither is.
    fn larger(&self, store: &mut Store, encoding: &Encoding, other: &Operand) -> Operand {
        let default = constant(store, encoding, encoding.default_nan());
        let (a, b) = (self.quieted(store, encoding), other.quieted(store, encoding));
        let high = encoding.format.stored_significand_bits() - 1;
        let significand = |store: &mut Store, bits: TermId| store.mk(Op::Extract { high, low: 0 }, &[bits]);
        let (x, y) = (significand(store, self.bits), significand(store, other.bits));
        let greater = store.mk(Op::BvUlt, &[y, x]);
        let equal = store.mk(Op::Eq, &[x, y]);
        let negative = top_bit(store, self.bits);
        let positive = not(store, negative);
        let tie = store.and(&[equal, positive]);
        let first = store.or(&[greater, tie]);
        let both = ite(store, first, a, b);
        let with_a = ite(store, other.is_nan, both, a);
        let without_a = ite(store, other.is_nan, b, default);
        let bits = ite(store, self.is_nan, with_a, without_a);
        let invalid = disjunction(store, self.is_invalid, other.is_invalid);
        let bits = ite(store, invalid, default, bits);
        let is_nan = disjunction(store, self.is_nan, other.is_nan);
        Operand { bits, is_nan, is_invalid: store.bool_const(false) }
    }
}

/// The first NaN among the operands, in the operation's order.
fn first_nan(
    store: &mut Store,
    encoding: &Encoding,
    operands: &[Operand],
    operation: FloatOperation,
    default: TermId,
) -> TermId {
    let ordered = order(operation, encoding.format).iter().filter_map(|&index| operands.get(index));
    let mut result = default;
    for operand in ordered.rev() {
        let quieted = operand.quieted(store, encoding);
        result = ite(store, operand.is_nan, quieted, result);
    }
    result
}

fn disjunction(store: &mut Store, a: TermId, b: TermId) -> TermId {
    let yes = store.bool_const(true);
    ite(store, a, yes, b)
}

fn constant(store: &mut Store, encoding: &Encoding, value: u128) -> TermId {
    store.bv_const(encoding.format.width(), value)
}

fn literal(store: &Store, term: TermId) -> Option<u128> {
    match &store.node(term).op {
        Op::BitVecConst(value) => value.to_u128(),
        _ => None,
    }
}

/// Whether a BitVec term's highest bit is set.
fn top_bit(store: &mut Store, bits: TermId) -> TermId {
    let width = match store.sort(bits) {
        labrys_term::Sort::BitVec(width) => *width,
        _ => 1,
    };
    let top = store.mk(Op::Extract { high: width - 1, low: width - 1 }, &[bits]);
    let one = store.bv_const(1, 1u8);
    store.mk(Op::Eq, &[top, one])
}

/// Whether a bit of an encoding is set.
pub(super) fn is_set(store: &mut Store, bits: TermId, bit: u128) -> TermId {
    let at = bit.trailing_zeros();
    let part = store.mk(Op::Extract { high: at, low: at }, &[bits]);
    let one = store.bv_const(1, 1u8);
    store.mk(Op::Eq, &[part, one])
}

/// Whether an encoding is one of x87's that no operation accepts.
pub(super) fn is_invalid(store: &mut Store, encoding: &Encoding, bits: TermId) -> TermId {
    let (exponent, zero) = (constant(store, encoding, encoding.exponent), constant(store, encoding, 0));
    let field = store.mk(Op::BvAnd, &[bits, exponent]);
    let subnormal = store.mk(Op::Eq, &[field, zero]);
    let some = not(store, subnormal);
    let leading = is_set(store, bits, encoding.leading);
    let clear = not(store, leading);
    store.and(&[some, clear])
}

/// Whether an encoding is one of x87's that no operation accepts, or a pseudo-denormal.
fn is_odd(store: &mut Store, encoding: &Encoding, bits: TermId) -> TermId {
    let (exponent, zero) = (constant(store, encoding, encoding.exponent), constant(store, encoding, 0));
    let field = store.mk(Op::BvAnd, &[bits, exponent]);
    let is_least = store.mk(Op::Eq, &[field, zero]);
    let leading = is_set(store, bits, encoding.leading);
    let clear = not(store, leading);
    ite(store, is_least, leading, clear)
}
