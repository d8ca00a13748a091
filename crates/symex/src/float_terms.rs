//! Float operations as terms.
//!
//! Structure is kept: nothing is simplified or reordered, so that equal source expressions of two builds are equal
//! terms and different ones are not. Only operations on literals are computed, by [`labrys_float`] in the default
//! environment; whoever asks what roundings do has those kept whose results are rounded ([`Folding`]). Operators that SMT-LIB lacks are written out as if-then-else over those it has; each expansion is the
//! operator's definition in IEEE 754-2019, section 9.6, or Intel's manual.
//!
//! SMT-LIB has one NaN, without a sign or a payload. Who looks at a NaN's bits (by copysign, signbit or as an integer) sees those of a
//! variable of the term ([`nan_variable`]), which is any quiet NaN's: what is proved holds for all of them.

use labrys_float::{Environment, Flags, Float, Format, RoundingMode};
use labrys_interp::{ClassMask, FloatOperation, Int, Soft, ToInteger, class_of, saturated};
use labrys_program::FloatPredicate;
use labrys_term::{Model, Op, Sort, Store, TermId, Value};
use num_traits::ToPrimitive;

use crate::int_terms::{as_bit_vector, as_term, ite, not};

/// Which operations on literals are computed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Folding {
    /// All.
    All,
    /// Those whose results are not rounded: errors of numbers are asked for, and the bits of NaNs are nobody's.
    Exact,
}

impl Folding {
    /// Whether a result with these flags is taken for the operation.
    fn takes(self, operation: FloatOperation, flags: Flags) -> bool {
        // That a rounding to an integer changes its operand is what it is for.
        let is_rounding = !matches!(operation, FloatOperation::RoundToIntegral { .. });
        self == Folding::All || !(is_rounding && flags.contains(Flags::INEXACT))
    }
}

/// The literal behind a term.
pub(crate) fn literal(store: &Store, term: TermId) -> Option<&Float> {
    match &store.node(term).op {
        Op::FloatConst(value) => Some(value),
        _ => None,
    }
}

/// The literals behind all terms.
fn literals(store: &Store, terms: &[TermId]) -> Option<Vec<Float>> {
    terms.iter().map(|&term| literal(store, term).cloned()).collect()
}

/// The format of a Float term; binary64 for others, which the machine never passes.
pub(crate) fn format(store: &Store, term: TermId) -> Format {
    store.float_format(term).unwrap_or(Format::BINARY64)
}

/// The term of an operation.
pub(crate) fn operation(store: &mut Store, operation: FloatOperation, operands: &[TermId], folding: Folding) -> TermId {
    if let Some(values) = literals(store, operands)
        && let Ok(result) = Soft::new(Environment::default()).compute(operation, &values)
        && folding.takes(operation, result.flags)
    {
        return store.float_const(result.value);
    }
    let rounded = |store: &mut Store, op: Op, mode: RoundingMode| {
        let mut args = vec![store.rounding_mode(mode)];
        args.extend(operands);
        store.mk(op, &args)
    };
    let nearest = RoundingMode::NearestEven;
    match operation {
        FloatOperation::Add => rounded(store, Op::FpAdd, nearest),
        FloatOperation::Sub => rounded(store, Op::FpSub, nearest),
        FloatOperation::Mul => rounded(store, Op::FpMul, nearest),
        FloatOperation::Div => rounded(store, Op::FpDiv, nearest),
        FloatOperation::Fma => rounded(store, Op::FpFma, nearest),
        FloatOperation::Sqrt => rounded(store, Op::FpSqrt, nearest),
        FloatOperation::Convert(to) => rounded(store, Op::FpFromFloat(to), nearest),
        FloatOperation::RoundToIntegral { mode, .. } => rounded(store, Op::FpRoundToIntegral, mode.unwrap_or(nearest)),
        FloatOperation::Rem => store.mk(Op::FpFmod, operands),
        FloatOperation::IeeeRemainder => store.mk(Op::FpRem, operands),
        FloatOperation::Neg => store.mk(Op::FpNeg, operands),
        FloatOperation::Abs => store.mk(Op::FpAbs, operands),
        FloatOperation::CopySign => {
            let magnitude = store.mk(Op::FpAbs, &operands[..1]);
            let negated = store.mk(Op::FpNeg, &[magnitude]);
            let negative = match folding {
                Folding::All => has_sign(store, operands[1]),
                Folding::Exact => store.mk(Op::FpIsNegative, &operands[1..]),
            };
            ite(store, negative, negated, magnitude)
        }
        FloatOperation::MinNum => store.mk(Op::FpMin, operands),
        FloatOperation::MaxNum => store.mk(Op::FpMax, operands),
        FloatOperation::MinimumNumber => ordered_extreme(store, Op::FpMin, operands),
        FloatOperation::MaximumNumber => ordered_extreme(store, Op::FpMax, operands),
        FloatOperation::Minimum => nan_wins(store, Op::FpMin, operands),
        FloatOperation::Maximum => nan_wins(store, Op::FpMax, operands),
        FloatOperation::X86Min => {
            let less = store.mk(Op::FpLt, operands);
            ite(store, less, operands[0], operands[1])
        }
        FloatOperation::X86Max => {
            let greater = store.mk(Op::FpLt, &[operands[1], operands[0]]);
            ite(store, greater, operands[0], operands[1])
        }
        FloatOperation::Canonicalize => operands[0],
    }
}

/// fp.min or fp.max with −0 below +0, which SMT-LIB leaves open.
fn ordered_extreme(store: &mut Store, op: Op, operands: &[TermId]) -> TermId {
    let [a, b] = [operands[0], operands[1]];
    let (x, y) = (store.mk(Op::FpIsZero, &[a]), store.mk(Op::FpIsZero, &[b]));
    let zeros = store.and(&[x, y]);
    let negative = store.mk(Op::FpIsNegative, &[a]);
    let (first, second) = if op == Op::FpMin { (a, b) } else { (b, a) };
    let zero = ite(store, negative, first, second);
    let other = store.mk(op, operands);
    ite(store, zeros, zero, other)
}

/// The extreme of two numbers, NaN if one is none.
fn nan_wins(store: &mut Store, op: Op, operands: &[TermId]) -> TermId {
    let unordered = either_nan(store, operands[0], operands[1]);
    let nan = store.float_const(Float::nan(format(store, operands[0])));
    let extreme = ordered_extreme(store, op, operands);
    ite(store, unordered, nan, extreme)
}

/// Whether one of two floats is NaN.
fn either_nan(store: &mut Store, a: TermId, b: TermId) -> TermId {
    let mut terms = Vec::new();
    for term in [a, b] {
        match literal(store, term) {
            Some(value) if value.is_nan() => return store.bool_const(true),
            Some(_) => {}
            None => terms.push(store.mk(Op::FpIsNan, &[term])),
        }
    }
    terms.dedup();
    store.or(&terms)
}

/// A comparison as a Bool term.
pub fn compare(store: &mut Store, predicate: FloatPredicate, a: TermId, b: TermId) -> TermId {
    if let (Some(x), Some(y)) = (literal(store, a), literal(store, b)) {
        let holds = match x.compare(y) {
            Some(std::cmp::Ordering::Less) => predicate.less,
            Some(std::cmp::Ordering::Equal) => predicate.equal,
            Some(std::cmp::Ordering::Greater) => predicate.greater,
            None => predicate.unordered,
        };
        return store.bool_const(holds);
    }
    let FloatPredicate { less, equal, greater, unordered } = predicate;
    if unordered {
        // "Unordered or p" is the negation of the ordered rest.
        let rest = FloatPredicate { less: !less, equal: !equal, greater: !greater, unordered: false };
        let rest = compare(store, rest, a, b);
        return not(store, rest);
    }
    match (less, equal, greater) {
        (false, false, false) => store.bool_const(false),
        (true, false, false) => store.mk(Op::FpLt, &[a, b]),
        (true, true, false) => store.mk(Op::FpLe, &[a, b]),
        (false, true, false) => store.mk(Op::FpEq, &[a, b]),
        (false, false, true) => store.mk(Op::FpLt, &[b, a]),
        (false, true, true) => store.mk(Op::FpLe, &[b, a]),
        (true, false, true) => {
            let (less, greater) = (store.mk(Op::FpLt, &[a, b]), store.mk(Op::FpLt, &[b, a]));
            store.or(&[less, greater])
        }
        (true, true, true) => {
            let unordered = either_nan(store, a, b);
            not(store, unordered)
        }
    }
}

/// Whether a float is of one of the classes, as a Bool term. NaNs are quiet.
pub fn class(store: &mut Store, value: TermId, mask: ClassMask) -> TermId {
    if let Some(value) = literal(store, value) {
        let holds = mask.contains(class_of(value));
        return store.bool_const(holds);
    }
    let mask = if mask.contains(ClassMask::QUIET_NAN) { mask } else { mask - ClassMask::SIGNALING_NAN };
    if mask.bits().count_ones() > 5 {
        let rest = class(store, value, !mask - ClassMask::SIGNALING_NAN);
        return not(store, rest);
    }
    let mut terms = Vec::new();
    if mask.contains(ClassMask::QUIET_NAN) {
        terms.push(store.mk(Op::FpIsNan, &[value]));
    }
    let pairs = [
        (ClassMask::NEGATIVE_INFINITY, ClassMask::POSITIVE_INFINITY, Op::FpIsInfinite),
        (ClassMask::NEGATIVE_NORMAL, ClassMask::POSITIVE_NORMAL, Op::FpIsNormal),
        (ClassMask::NEGATIVE_SUBNORMAL, ClassMask::POSITIVE_SUBNORMAL, Op::FpIsSubnormal),
        (ClassMask::NEGATIVE_ZERO, ClassMask::POSITIVE_ZERO, Op::FpIsZero),
    ];
    for (negative, positive, op) in pairs {
        let sign = match (mask.contains(negative), mask.contains(positive)) {
            (false, false) => continue,
            (true, true) => None,
            (true, false) => Some(Op::FpIsNegative),
            (false, true) => Some(Op::FpIsPositive),
        };
        let mut term = store.mk(op, &[value]);
        if let Some(sign) = sign {
            let sign = store.mk(sign, &[value]);
            term = store.and(&[term, sign]);
        }
        terms.push(term);
    }
    store.or(&terms)
}

/// A conversion to an integer as a BitVec term. Out of range it is what x86 gives (the smallest number), or the nearest
/// where it saturates; of more than 128 bits, which no instruction gives, any.
pub(crate) fn to_integer(store: &mut Store, conversion: ToInteger, value: TermId) -> TermId {
    let ToInteger { bits, signed, mode, saturating } = conversion;
    let of = format(store, value);
    let mode = mode.unwrap_or_default();
    let rounding = store.rounding_mode(mode);
    let integral = FloatOperation::RoundToIntegral { mode: Some(mode), inexact: false };
    let integral = operation(store, integral, &[value], Folding::All);
    let op = if signed { Op::FpToSigned(bits) } else { Op::FpToUnsigned(bits) };
    let inside = store.mk(op, &[rounding, value]);
    let in_range = in_range(store, of, integral, bits, signed);
    let outside = if saturating {
        let number = |store: &mut Store, float: Float| as_term(store, &saturated(&float, bits, signed));
        let least = number(store, Float::infinity(of, true));
        let greatest = number(store, Float::infinity(of, false));
        let zero = number(store, Float::nan(of));
        let (nan, negative) = (store.mk(Op::FpIsNan, &[value]), store.mk(Op::FpIsNegative, &[value]));
        let beyond = ite(store, negative, least, greatest);
        ite(store, nan, zero, beyond)
    } else if bits > 128 {
        store.variable(&format!("fptoint{bits}!{}", value.index()), Sort::BitVec(bits))
    } else {
        as_term(store, &Int::least(bits))
    };
    ite(store, in_range, inside, outside)
}

/// Whether an integral value fits: bounds are powers of two, exact in every format whose range they are in.
pub fn in_range(store: &mut Store, of: Format, integral: TermId, bits: u32, signed: bool) -> TermId {
    let magnitude = if signed { bits - 1 } else { bits };
    let environment = Environment::default();
    let bound = environment.scale(&Float::one(of), i64::from(magnitude)).value;
    // A format without that power of two has all its finite numbers in range.
    let above = if bound.is_finite() { bound.clone() } else { Float::infinity(of, false) };
    let above = store.float_const(above);
    let below_limit = store.mk(Op::FpLt, &[integral, above]);
    let least = match (signed, bound.is_finite()) {
        (true, true) => bound.neg(),
        (true, false) => Float::max_finite(of).neg(),
        (false, _) => Float::zero(of, false),
    };
    let least = store.float_const(least);
    let above_least = store.mk(Op::FpLe, &[least, integral]);
    store.and(&[above_least, below_limit])
}

/// A conversion from an integer. A truth value, and a choice between two literals, becomes a choice between floats.
pub fn from_integer(
    store: &mut Store,
    value: &Int<TermId>,
    signed: bool,
    to: Format,
    mode: RoundingMode,
    folding: Folding,
) -> TermId {
    let environment = Environment::with_rounding(mode);
    let convert = |value: &Int<TermId>| {
        let result = environment.from_integer(&value.known_integer(signed)?, to);
        folding.takes(FloatOperation::Convert(to), result.flags).then_some(result.value)
    };
    if let Some(float) = convert(value) {
        return store.float_const(float);
    }
    let bits = value.bits();
    let whole = as_term(store, value);
    let branches = if bits == 1 {
        Some((whole, Int::new(1, 1), Int::new(1, 0)))
    } else {
        match (&store.node(whole).op, &store.node(whole).args[..]) {
            (Op::Ite, &[c, a, b]) => {
                Some((c, crate::int_terms::as_int(store, bits, a), crate::int_terms::as_int(store, bits, b)))
            }
            _ => None,
        }
    };
    if let Some((c, a, b)) = branches
        && let (Some(a), Some(b)) = (convert(&a), convert(&b))
    {
        let (a, b) = (store.float_const(a), store.float_const(b));
        return ite(store, c, a, b);
    }
    let rounding = store.rounding_mode(mode);
    let vector = as_bit_vector(store, value);
    let op = if signed { Op::FpFromSigned(to) } else { Op::FpFromUnsigned(to) };
    store.mk(op, &[rounding, vector])
}

/// The encoding of a float. Undoes [`from_bits`].
pub(crate) fn to_bits(store: &mut Store, value: TermId, folding: Folding) -> Int<TermId> {
    let width = format(store, value).width();
    // What is known to be a NaN may be any: of 0/0 the processor's has its sign set.
    if let Some(value) = literal(store, value).filter(|value| folding == Folding::Exact || !value.is_nan()) {
        return Int::new(width, value.to_u128().unwrap_or_default());
    }
    let node = store.node(value);
    if let Op::FpFromBits(_) = node.op {
        return Int::symbolic(width, node.args[0]);
    }
    let plain = store.mk(Op::FpToBits, &[value]);
    if folding == Folding::Exact || !may_be_nan(store, value) {
        return Int::symbolic(width, plain);
    }
    let nan = nan_bits(store, value);
    let is_nan = store.mk(Op::FpIsNan, &[value]);
    let term = ite(store, is_nan, nan, plain);
    Int::symbolic(width, term)
}

/// The variable whose bits a float that is a NaN has, beside those that every quiet NaN has.
pub fn nan_variable(store: &mut Store, value: TermId) -> TermId {
    let width = format(store, value).width();
    store.variable(&format!("{NANS}{}", value.index()), Sort::BitVec(width))
}

/// What [`nan_variable`]'s names begin with.
const NANS: &str = "nan!";

/// Gives the variables of NaNs ([`nan_variable`]) that a model leaves open the bits of the canonical NaN: of a model that has inputs alone.
pub fn settle_nans(store: &Store, model: &mut Model) {
    for variable in store.variables() {
        let (name, sort) = store.variable_info(variable);
        if let Sort::BitVec(width) = *sort
            && name.starts_with(NANS)
            && model.get(variable).is_none()
        {
            model.set(variable, Value::bit_vector(width, 0u128));
        }
    }
}

/// The encoding of a float that is a NaN: that which it was made of, its sign changed as told, or some quiet one.
fn nan_bits(store: &mut Store, value: TermId) -> TermId {
    let format = format(store, value);
    let width = format.width();
    let (mut inner, mut signs) = (value, Vec::new());
    while let op @ (Op::FpNeg | Op::FpAbs) = &store.node(inner).op {
        signs.push(op.clone());
        inner = store.node(inner).args[0];
    }
    let mut bits = match store.node(inner).op {
        Op::FpFromBits(_) => store.node(inner).args[0],
        _ => {
            let quiet = store.bv_const(width, Float::nan(format).bits().clone());
            let any = nan_variable(store, inner);
            store.mk(Op::BvOr, &[any, quiet])
        }
    };
    let sign = store.bv_const(width, 1u128 << (width - 1));
    let magnitude = store.bv_const(width, (1u128 << (width - 1)) - 1);
    for op in signs.into_iter().rev() {
        bits = match op {
            Op::FpNeg => store.mk(Op::BvXor, &[bits, sign]),
            _ => store.mk(Op::BvAnd, &[bits, magnitude]),
        };
    }
    bits
}

/// Whether a float's sign bit is set, also a NaN's.
fn has_sign(store: &mut Store, value: TermId) -> TermId {
    let is_negative = store.mk(Op::FpIsNegative, &[value]);
    if literal(store, value).is_some_and(|value| !value.is_nan()) || !may_be_nan(store, value) {
        return is_negative;
    }
    let top = format(store, value).width() - 1;
    let nan = nan_bits(store, value);
    let sign = store.mk(Op::Extract { high: top, low: top }, &[nan]);
    let one = store.bv_const(1, 1u32);
    let is_set = store.mk(Op::Eq, &[sign, one]);
    let is_nan = store.mk(Op::FpIsNan, &[value]);
    ite(store, is_nan, is_set, is_negative)
}

/// Whether nothing in a term's form keeps it from being a NaN.
fn may_be_nan(store: &Store, value: TermId) -> bool {
    !matches!(store.node(value).op, Op::FpFromSigned(_) | Op::FpFromUnsigned(_))
}

/// The float whose encoding [`to_bits`] gave.
fn encoded(store: &Store, vector: TermId) -> Option<TermId> {
    let node = store.node(vector);
    match (&node.op, &node.args[..]) {
        (Op::FpToBits, [float]) => Some(*float),
        (Op::Ite, [is_nan, _, plain]) => {
            let (is_nan, plain) = (store.node(*is_nan), store.node(*plain));
            let is_its = is_nan.op == Op::FpIsNan && plain.op == Op::FpToBits && is_nan.args == plain.args;
            is_its.then(|| plain.args[0])
        }
        _ => None,
    }
}

/// The float of an encoding. Undoes `to_bits`.
pub fn from_bits(store: &mut Store, bits: &Int<TermId>, to: Format) -> TermId {
    if let Some(value) = bits.concrete() {
        return store.float_const(Float::from_bits(to, value));
    }
    let vector = as_bit_vector(store, bits);
    if let Some(float) = encoded(store, vector).filter(|float| store.float_format(*float) == Some(to)) {
        return float;
    }
    store.mk(Op::FpFromBits(to), &[vector])
}

/// 2^n in a format, where it is exact.
pub(crate) fn power_of_two(of: Format, exponent: i128) -> Option<Float> {
    let exponent = exponent.to_i64().filter(|exponent| exponent.abs() < 1 << 20)?;
    let result = Environment::default().scale(&Float::one(of), exponent);
    (result.value.is_finite() && !result.value.is_zero() && result.flags.is_empty()).then_some(result.value)
}

/// x · 2^n for a 32-bit n: the exact product as a binary128 term, and the product rounded to x's format. `None` for
/// formats whose products binary128 does not hold.
///
/// n is cut to ±2200 first: beyond that every finite x of binary64 or a smaller format overflows, or is smaller than
/// half of the least subnormal number. Such products have exponents between −1074 − 2200 and 1023 + 2200, well inside
/// binary128's.
pub(crate) fn scaled(store: &mut Store, value: TermId, exponent: TermId) -> Option<(TermId, TermId)> {
    const MOST: u32 = 2200;
    const BIAS: u32 = 16383;
    let (from, wide) = (format(store, value), Format::BINARY128);
    if !(from.max_exponent() < 1024 && from.precision() <= 53) || *store.sort(exponent) != Sort::BitVec(32) {
        return None;
    }
    let (most, least, bias) =
        (store.bv_const(32, MOST), store.bv_const(32, MOST.wrapping_neg()), store.bv_const(32, BIAS));
    let is_large = store.mk(Op::BvSlt, &[most, exponent]);
    let is_small = store.mk(Op::BvSlt, &[exponent, least]);
    let cut = store.mk(Op::Ite, &[is_large, most, exponent]);
    let cut = store.mk(Op::Ite, &[is_small, least, cut]);
    let biased = store.mk(Op::BvAdd, &[cut, bias]);
    // The encoding of 2^n: sign and significand zero.
    let biased = store.mk(Op::Extract { high: 14, low: 0 }, &[biased]);
    let (sign, significand) = (store.bv_const(1, 0u8), store.bv_const(112, 0u8));
    let high = store.mk(Op::Concat, &[sign, biased]);
    let bits = store.mk(Op::Concat, &[high, significand]);
    let power = store.mk(Op::FpFromBits(wide), &[bits]);
    let mode = store.rounding_mode(RoundingMode::NearestEven);
    let value = store.mk(Op::FpFromFloat(wide), &[mode, value]);
    let product = store.mk(Op::FpMul, &[mode, value, power]);
    let result = store.mk(Op::FpFromFloat(from), &[mode, product]);
    Some((product, result))
}
