use labrys_float::{Float, Format, RoundingMode};
use num_bigint::BigUint;
use num_rational::BigRational;
use num_traits::ToPrimitive;
use proptest::prelude::*;

use crate::{EvalError, Model, Op, Sort, Store, TermId, Value, eval};

fn constant(store: &mut Store, op: Op, args: &[TermId]) -> Result<Value, EvalError> {
    let term = store.mk(op, args);
    eval(store, term, &Model::new())
}

/// The value of a bit-vector operator on two constants, as a number.
fn bits(op: Op, width: u32, a: u128, b: u128) -> u128 {
    let mut store = Store::new();
    let args = [store.bv_const(width, a), store.bv_const(width, b)];
    match constant(&mut store, op, &args) {
        Ok(Value::BitVec { bits, .. }) => bits.to_u128().unwrap_or(u128::MAX),
        Ok(Value::Bool(value)) => value.into(),
        other => panic!("{other:?}"),
    }
}

/// The number that `width` bits are in two's complement.
fn signed(width: u32, bits: u128) -> i128 {
    let shift = 128 - width;
    ((bits << shift) as i128) >> shift
}

fn float(op: Op, args: &[f64]) -> Value {
    let mut store = Store::new();
    let mode = store.rounding_mode(RoundingMode::NearestEven);
    let mut terms = Vec::new();
    if matches!(op, Op::FpAdd | Op::FpSub | Op::FpMul | Op::FpDiv | Op::FpSqrt | Op::FpFma | Op::FpRoundToIntegral) {
        terms.push(mode);
    }
    terms.extend(args.iter().map(|&arg| store.float_const(Float::from_f64(arg))));
    constant(&mut store, op, &terms).unwrap()
}

fn same(value: f64) -> Value {
    Value::float(Float::from_f64(value))
}

fn any_float() -> impl Strategy<Value = f64> {
    let special = vec![0.0, -0.0, 1.0, -1.5, f64::NAN, f64::INFINITY, -f64::INFINITY, f64::MAX, 5e-324, 2.5, -3.5];
    prop_oneof![prop::sample::select(special), any::<u64>().prop_map(f64::from_bits), -100.0..100.0f64]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn bit_vectors_agree_with_machine_integers(width in 1u32..=64, a in any::<u128>(), b in any::<u128>(), small in 0u128..70) {
        let mask = (1u128 << width) - 1;
        for b in [b & mask, small & mask] {
            let a = a & mask;
            let (sa, sb) = (signed(width, a), signed(width, b));
            let wrap = |number: i128| number as u128 & mask;
            prop_assert_eq!(bits(Op::BvAdd, width, a, b), (a + b) & mask);
            prop_assert_eq!(bits(Op::BvSub, width, a, b), a.wrapping_sub(b) & mask);
            prop_assert_eq!(bits(Op::BvMul, width, a, b), a.wrapping_mul(b) & mask);
            prop_assert_eq!(bits(Op::BvAnd, width, a, b), a & b);
            prop_assert_eq!(bits(Op::BvOr, width, a, b), a | b);
            prop_assert_eq!(bits(Op::BvXor, width, a, b), a ^ b);
            prop_assert_eq!(bits(Op::BvUdiv, width, a, b), a.checked_div(b).unwrap_or(mask));
            prop_assert_eq!(bits(Op::BvUrem, width, a, b), a.checked_rem(b).unwrap_or(a));
            prop_assert_eq!(bits(Op::BvSdiv, width, a, b), wrap(sa.checked_div(sb).unwrap_or(if sa < 0 { 1 } else { -1 })));
            prop_assert_eq!(bits(Op::BvSrem, width, a, b), wrap(sa.checked_rem(sb).unwrap_or(sa)));
            let modulo = sa.checked_rem(sb).map_or(sa, |r| if r != 0 && (r < 0) != (sb < 0) { r + sb } else { r });
            prop_assert_eq!(bits(Op::BvSmod, width, a, b), wrap(modulo));
            let by = u32::try_from(b).unwrap_or(u32::MAX);
            let inside = by < width;
            prop_assert_eq!(bits(Op::BvShl, width, a, b), if inside { (a << by) & mask } else { 0 });
            prop_assert_eq!(bits(Op::BvLshr, width, a, b), if inside { a >> by } else { 0 });
            prop_assert_eq!(bits(Op::BvAshr, width, a, b), wrap(sa >> by.min(127)));
            prop_assert_eq!(bits(Op::BvUlt, width, a, b), u128::from(a < b));
            prop_assert_eq!(bits(Op::BvUle, width, a, b), u128::from(a <= b));
            prop_assert_eq!(bits(Op::BvSlt, width, a, b), u128::from(sa < sb));
            prop_assert_eq!(bits(Op::BvSle, width, a, b), u128::from(sa <= sb));
            prop_assert_eq!(bits(Op::Concat, width, a, b), (a << width) | b);
        }
    }

    #[test]
    fn widths_change_as_machine_integers_do(a in any::<u32>(), high in 0u32..32, low in 0u32..32) {
        let (high, low) = (high.max(low), high.min(low));
        let mut store = Store::new();
        let term = store.bv_const(32, a);
        let value = |store: &mut Store, op| constant(store, op, &[term]).unwrap();
        let extracted = (u64::from(a) >> low) & ((1 << (high - low + 1)) - 1);
        prop_assert_eq!(value(&mut store, Op::Extract { high, low }), Value::bit_vector(high - low + 1, extracted));
        prop_assert_eq!(value(&mut store, Op::ZeroExtend(32)), Value::bit_vector(64, u64::from(a)));
        prop_assert_eq!(value(&mut store, Op::SignExtend(32)), Value::bit_vector(64, i64::from(a as i32) as u64));
        prop_assert_eq!(value(&mut store, Op::BvNot), Value::bit_vector(32, !a));
        prop_assert_eq!(value(&mut store, Op::BvNeg), Value::bit_vector(32, a.wrapping_neg()));
    }

    #[test]
    fn floats_agree_with_the_hardware(a in any_float(), b in any_float(), c in any_float()) {
        prop_assert_eq!(float(Op::FpAdd, &[a, b]), same(a + b));
        prop_assert_eq!(float(Op::FpSub, &[a, b]), same(a - b));
        prop_assert_eq!(float(Op::FpMul, &[a, b]), same(a * b));
        prop_assert_eq!(float(Op::FpDiv, &[a, b]), same(a / b));
        prop_assert_eq!(float(Op::FpFma, &[a, b, c]), same(a.mul_add(b, c)));
        prop_assert_eq!(float(Op::FpSqrt, &[a]), same(a.sqrt()));
        prop_assert_eq!(float(Op::FpFmod, &[a, b]), same(a % b));
        prop_assert_eq!(float(Op::FpRoundToIntegral, &[a]), same(a.round_ties_even()));
        prop_assert_eq!(float(Op::FpNeg, &[a]), same(-a));
        prop_assert_eq!(float(Op::FpAbs, &[a]), same(a.abs()));
        prop_assert_eq!(float(Op::FpEq, &[a, b]), Value::Bool(a == b));
        prop_assert_eq!(float(Op::FpLt, &[a, b]), Value::Bool(a < b));
        prop_assert_eq!(float(Op::FpLe, &[a, b]), Value::Bool(a <= b));
        prop_assert_eq!(float(Op::FpIsNan, &[a]), Value::Bool(a.is_nan()));
        prop_assert_eq!(float(Op::FpIsInfinite, &[a]), Value::Bool(a.is_infinite()));
        prop_assert_eq!(float(Op::FpIsNormal, &[a]), Value::Bool(a.is_normal()));
        prop_assert_eq!(float(Op::FpIsSubnormal, &[a]), Value::Bool(a.is_subnormal()));
        prop_assert_eq!(float(Op::FpIsZero, &[a]), Value::Bool(a == 0.0));
        prop_assert_eq!(float(Op::FpIsNegative, &[a]), Value::Bool(!a.is_nan() && a.is_sign_negative()));
        prop_assert_eq!(float(Op::FpIsPositive, &[a]), Value::Bool(!a.is_nan() && a.is_sign_positive()));
        let bits = if a.is_nan() { 0x7ff8_0000_0000_0000 } else { a.to_bits() };
        prop_assert_eq!(float(Op::FpToBits, &[a]), Value::bit_vector(64, bits));
    }

    #[test]
    fn conversions_agree_with_the_hardware(a in any_float(), n in any::<i64>()) {
        let mut store = Store::new();
        let nearest = store.rounding_mode(RoundingMode::NearestEven);
        let truncate = store.rounding_mode(RoundingMode::TowardZero);
        let number = store.float_const(Float::from_f64(a));
        let single = constant(&mut store, Op::FpFromFloat(Format::BINARY32), &[nearest, number]);
        prop_assert_eq!(single, Ok(Value::float(Float::from_f32(a as f32))));
        let integer = store.bv_const(64, n as u64);
        let from_signed = constant(&mut store, Op::FpFromSigned(Format::BINARY64), &[nearest, integer]);
        prop_assert_eq!(from_signed, Ok(same(n as f64)));
        let from_unsigned = constant(&mut store, Op::FpFromUnsigned(Format::BINARY64), &[nearest, integer]);
        prop_assert_eq!(from_unsigned, Ok(same(n as u64 as f64)));
        let from_bits = constant(&mut store, Op::FpFromBits(Format::BINARY64), &[integer]);
        prop_assert_eq!(from_bits, Ok(same(f64::from_bits(n as u64))));
        let to_signed = constant(&mut store, Op::FpToSigned(64), &[truncate, number]);
        if (-(2f64.powi(63))..2f64.powi(63)).contains(&a) {
            prop_assert_eq!(to_signed, Ok(Value::bit_vector(64, a as i64 as u64)));
        } else {
            prop_assert!(matches!(to_signed, Err(EvalError::Open(_))));
        }
    }
}

#[test]
fn what_does_not_matter_may_be_open() {
    let mut store = Store::new();
    let x = store.variable("x", Sort::Real);
    let zero = store.real_const(BigRational::from_integer(0.into()));
    let quotient = store.mk(Op::RealDiv, &[x, zero]);
    let open = store.mk(Op::RealLt, &[quotient, x]);
    let (yes, no) = (store.bool_const(true), store.bool_const(false));
    let mut model = Model::new();
    let and = store.mk(Op::And, &[open, no]);
    assert_eq!(eval(&store, open, &model), Err(EvalError::Unassigned(store.as_variable(x).unwrap())));
    model.set_term(&store, x, Value::Real(BigRational::from_integer(1.into())));
    assert_eq!(eval(&store, and, &model), Ok(Value::Bool(false)));
    assert_eq!(eval(&store, open, &model), Err(EvalError::Open(quotient)));
    let or = store.mk(Op::Or, &[open, yes]);
    assert_eq!(eval(&store, or, &model), Ok(Value::Bool(true)));
    let implies = store.mk(Op::Implies, &[no, open]);
    assert_eq!(eval(&store, implies, &model), Ok(Value::Bool(true)));
    let ite = store.mk(Op::Ite, &[no, quotient, x]);
    assert!(eval(&store, ite, &model).is_ok());
    let and = store.mk(Op::And, &[open, yes]);
    assert_eq!(eval(&store, and, &model), Err(EvalError::Open(quotient)));
    model.set_term(&store, x, Value::Bool(true));
    assert_eq!(eval(&store, x, &model), Err(EvalError::WrongSort(store.as_variable(x).unwrap())));
}

#[test]
fn arrays_are_maps() {
    let mut store = Store::new();
    let sort = Sort::Array(std::sync::Arc::new((Sort::BitVec(1), Sort::Bool)));
    let array = store.variable("a", sort.clone());
    let (zero, one) = (store.bv_const(1, 0u8), store.bv_const(1, 1u8));
    let yes = store.bool_const(true);
    let once = store.mk(Op::StoreAt, &[array, zero, yes]);
    let twice = store.mk(Op::StoreAt, &[once, one, yes]);
    let read = store.mk(Op::Select, &[once, one]);
    let mut model = Model::new();
    model.complete(&store, &[array]);
    assert_eq!(eval(&store, read, &model), Ok(Value::Bool(false)));
    let other = store.variable("b", sort);
    let equal = store.mk(Op::Eq, &[twice, other]);
    // Everywhere true by default, or by both writes.
    let all = crate::ArrayValue::constant(Sort::BitVec(1), Value::Bool(true));
    model.set_term(&store, other, Value::Array(Box::new(all)));
    assert_eq!(eval(&store, equal, &model), Ok(Value::Bool(true)));
}

#[test]
fn constant_arrays_have_one_element_everywhere() {
    let mut store = Store::new();
    let element = store.bv_const(8, 7u8);
    let array = store.mk(Op::ConstArray(Sort::BitVec(4)), &[element]);
    assert_eq!(*store.sort(array), Sort::Array(std::sync::Arc::new((Sort::BitVec(4), Sort::BitVec(8)))));
    let index = store.bv_const(4, 9u8);
    let read = store.mk(Op::Select, &[array, index]);
    assert_eq!(eval(&store, read, &Model::new()), Ok(Value::bit_vector(8, 7u8)));
    let same = store.mk(Op::Eq, &[read, element]);
    let script = crate::smtlib::print_script(&store, &[same], &crate::smtlib::Options::default());
    assert!(script.contains("((as const (Array (_ BitVec 4) (_ BitVec 8))) #b00000111)"), "{script}");
}

#[test]
fn there_is_one_nan_and_two_zeros() {
    let mut store = Store::new();
    let bits = |bits: u64| Float::from_bits(Format::BINARY64, BigUint::from(bits));
    let (a, b) = (store.float_const(bits(0x7ff8_0000_0000_0001)), store.float_const(bits(0xfff0_0000_0000_0002)));
    assert_eq!(constant(&mut store, Op::Eq, &[a, b]), Ok(Value::Bool(true)));
    let (zero, minus) = (store.float_const(bits(0)), store.float_const(bits(1 << 63)));
    assert_eq!(constant(&mut store, Op::Eq, &[zero, minus]), Ok(Value::Bool(false)));
    assert_eq!(constant(&mut store, Op::FpEq, &[zero, minus]), Ok(Value::Bool(true)));
    assert_eq!(constant(&mut store, Op::Distinct, &[a, zero, b]), Ok(Value::Bool(false)));
}

#[test]
fn ill_sorted_requests_are_refused() {
    let mut store = Store::new();
    let (x, p, v) = (store.variable("x", Sort::Real), store.variable("p", Sort::Bool), store.bv_const(8, 1u8));
    for (op, args) in [
        (Op::And, vec![p, x]),
        (Op::And, vec![]),
        (Op::Eq, vec![x, p]),
        (Op::FpAdd, vec![x, x, x]),
        (Op::Extract { high: 8, low: 0 }, vec![v]),
        (Op::Extract { high: 0, low: 1 }, vec![v]),
        (Op::FpFromBits(Format::BINARY32), vec![v]),
        (Op::Ite, vec![p, x, p]),
        (Op::BitVecConst(BigUint::ZERO), vec![]),
        (Op::SignExtend(u32::MAX), vec![v]),
    ] {
        assert!(store.try_mk(op.clone(), &args).is_err(), "{op:?}");
    }
}

#[test]
fn depth_does_not_matter() {
    let mut store = Store::new();
    let x = store.variable("x", Sort::BitVec(32));
    let mut sum = x;
    for _ in 0..100_000 {
        sum = store.mk(Op::BvAdd, &[x, sum]);
    }
    let mut model = Model::new();
    model.set_term(&store, x, Value::bit_vector(32, 3u8));
    assert_eq!(eval(&store, sum, &model), Ok(Value::bit_vector(32, 300_003u32)));
}

#[test]
fn a_model_says_what_theories_leave_open() {
    let mut store = Store::new();
    let format = Format::BINARY32;
    let mode = RoundingMode::NearestEven;
    let [minus, plus, nan, infinity] =
        [Float::zero(format, true), Float::zero(format, false), Float::nan(format), Float::infinity(format, false)];
    let terms = [&minus, &plus, &nan, &infinity].map(|value| store.float_const(value.clone()));
    let mode_term = store.rounding_mode(mode);
    let minimum = store.mk(Op::FpMin, &[terms[1], terms[0]]);
    let integer = store.mk(Op::FpToSigned(8), &[mode_term, terms[2]]);
    let real = store.mk(Op::FpToReal, &[terms[3]]);
    assert_eq!(eval(&store, minimum, &Model::new()), Ok(Value::Float(minus.clone())));
    assert_eq!(eval(&store, integer, &Model::new()), Err(EvalError::Open(integer)));

    let mut model = Model::new();
    let (byte, half) = (Value::bit_vector(8, 200u8), Value::Real(BigRational::new(1.into(), 2.into())));
    model.set_open(
        Op::FpMin,
        vec![Value::Float(plus.clone()), Value::Float(minus.clone())],
        Value::Float(plus.clone()),
    );
    model.set_open(Op::FpToSigned(8), vec![Value::RoundingMode(mode), Value::Float(nan)], byte.clone());
    model.set_open(Op::FpToReal, vec![Value::Float(infinity)], half.clone());
    assert_eq!(eval(&store, minimum, &model), Ok(Value::Float(plus.clone())));
    assert_eq!(eval(&store, integer, &model), Ok(byte));
    assert_eq!(eval(&store, real, &model), Ok(half));

    // What is not open is not a matter of the model, and a minimum of zeros is a zero.
    let converted = store.mk(Op::FpToSigned(8), &[mode_term, terms[1]]);
    model.set_open(
        Op::FpToSigned(8),
        vec![Value::RoundingMode(mode), Value::Float(plus.clone())],
        Value::bit_vector(8, 1u8),
    );
    model.set_open(Op::FpMin, vec![Value::Float(plus.clone()), Value::Float(minus)], Value::Float(Float::one(format)));
    assert_eq!(eval(&store, converted, &model), Ok(Value::bit_vector(8, 0u8)));
    assert_eq!(eval(&store, minimum, &model), Ok(Value::Float(Float::zero(format, true))));
}
