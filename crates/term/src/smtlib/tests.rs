use std::sync::Arc;

use labrys_float::{Float, Format, RoundingMode};
use num_rational::BigRational;

use super::*;
use crate::sexpr::Document;
use crate::{AlgebraicNumber, ArrayValue, Op, Sort, Store, TermId, Value};

fn script(store: &Store, assertions: &[TermId]) -> String {
    print_script(store, assertions, &Options { logic: None, produce_models: false, check_sat: false })
}

fn rational(n: i64, d: i64) -> BigRational {
    BigRational::new(n.into(), d.into())
}

#[test]
fn shared_subterms_are_defined_once() {
    let mut store = Store::new();
    let x = store.variable("x", Sort::Real);
    let mut power = x;
    for _ in 0..64 {
        power = store.mk(Op::RealMul, &[power, power]);
    }
    let limit = store.real_const(rational(-1, 3));
    let less = store.mk(Op::RealLt, &[limit, power]);
    let text = script(&store, &[less]);
    assert_eq!(text.matches("define-fun").count(), 63);
    assert!(text.contains("(assert (< (- (/ 1.0 3.0)) (* t!"), "{text}");
    Document::parse(&text).unwrap();
}

#[test]
fn deep_terms_are_written_without_deep_nesting() {
    let mut store = Store::new();
    let x = store.variable("x", Sort::Real);
    let mut sum = x;
    for _ in 0..100_000 {
        sum = store.mk(Op::RealAdd, &[sum, x]);
    }
    let less = store.mk(Op::RealLt, &[sum, x]);
    let text = script(&store, &[less]);
    let depth = |line: &str| {
        line.chars()
            .scan(0i32, |d, c| {
                *d += i32::from(c == '(') - i32::from(c == ')');
                Some(*d)
            })
            .max()
    };
    assert!(text.lines().filter_map(depth).max().unwrap() < 100);
    assert_eq!(text.matches("(+ ").count(), 100_000);
}

#[test]
fn names_that_are_taken_are_replaced_and_found_again() {
    let mut store = Store::new();
    let names = ["fp.add", "and", "let", "x|y", "t!3", "k!0", "", "x!real", "a b", "1x", "pi", "größe"];
    let variables: Vec<TermId> = names.iter().map(|name| store.variable(name, Sort::Bool)).collect();
    let text = script(&store, &variables);
    assert!(!text.contains("let") && text.contains("|a b|") && text.contains("(assert x!real)"));
    let reply: String = Document::parse(&text)
        .unwrap()
        .roots()
        .filter(|line| line.item(0).unwrap().is_symbol("declare-const"))
        .map(|line| format!("(define-fun {} () Bool true)", line.item(1).unwrap()))
        .collect();
    let values = parse_model(&format!("({reply})"), &store).unwrap();
    let found: Vec<_> = values.iter().map(|(variable, _)| *variable).collect();
    assert_eq!(found, variables.iter().map(|&v| store.as_variable(v).unwrap()).collect::<Vec<_>>());
}

#[test]
fn floats_and_bits_are_written_exactly() {
    let mut store = Store::new();
    let x = store.variable("x", Sort::Float(Format::BINARY16));
    let mode = store.rounding_mode(RoundingMode::TowardZero);
    let constant = store.float_const(Float::from_bits(Format::BINARY16, 0xbc01u16));
    let sum = store.mk(Op::FpAdd, &[mode, x, constant]);
    let wide = store.mk(Op::FpFromFloat(Format::BINARY32), &[mode, sum]);
    let bits = store.mk(Op::FpToBits, &[wide]);
    let low = store.mk(Op::Extract { high: 3, low: 1 }, &[bits]);
    let five = store.bv_const(3, 5u8);
    let equal = store.mk(Op::Eq, &[low, five]);
    let text = script(&store, &[equal]);
    assert!(text.contains("(fp.add RTZ x (fp #b1 #b01111 #b0000000001))"), "{text}");
    assert!(text.contains("((_ to_fp 8 24) RTZ "), "{text}");
    assert!(text.contains("(assert (=> (fp.isNaN t!"), "{text}");
    assert!(text.contains("((_ extract 3 1) t!") && text.contains("#b101"), "{text}");
    let nan = store.float_const(Float::nan(Format::X87));
    let is_nan = store.mk(Op::FpIsNan, &[nan]);
    assert!(script(&store, &[is_nan]).contains("(_ NaN 15 64)"));
}

#[test]
fn z3s_models_are_read() {
    // Real replies of z3 5.4, put together.
    let reply = "(
      (define-fun |x[0]| () Real
        (root-obj (+ (^ x 2) (- 2)) 1))
      (define-fun y () Real
        (- (/ 1.0 3.0)))
      (define-fun w () Real
        (root-obj (+ (* 10 (^ x 3)) (* (- 25) (^ x 2)) (* 31 x) (- 70)) 1))
      (define-fun m () RoundingMode
        roundNearestTiesToAway)
      (define-fun n () (_ FloatingPoint 8 24)
        (_ NaN 8 24))
      (define-fun z () (_ FloatingPoint 8 24)
        (_ -zero 8 24))
      (define-fun a () (_ FloatingPoint 11 53)
        (fp #b0 #b00000000000 #x0000000000002))
      (define-fun b () (_ FloatingPoint 8 24)
        (fp #b0 #x01 #b00000000000000000000001))
      (define-fun v () (_ BitVec 13)
        #b0000000011001)
      (define-fun helper!0 ((i Int)) Int i)
      (define-fun A () (Array (_ BitVec 8) (_ BitVec 8))
        (store ((as const (Array (_ BitVec 8) (_ BitVec 8))) #x05) #x02 #x06)))";
    let mut store = Store::new();
    let single = Sort::Float(Format::BINARY32);
    let bytes = Sort::Array(Arc::new((Sort::BitVec(8), Sort::BitVec(8))));
    let byte = |bits: u8| Value::bit_vector(8, bits);
    let mut array = ArrayValue::constant(Sort::BitVec(8), byte(5));
    array.set(byte(2), byte(6));
    let root = |coefficients: &[i64]| {
        let coefficients = coefficients.iter().map(|&c| c.into()).collect();
        ModelValue::Algebraic(AlgebraicNumber::new(coefficients, 1).unwrap())
    };
    let expected = [
        ("x[0]", Sort::Real, root(&[-2, 0, 1])),
        ("y", Sort::Real, ModelValue::Value(Value::Real(rational(-1, 3)))),
        ("w", Sort::Real, root(&[-70, 31, -25, 10])),
        ("m", Sort::RoundingMode, ModelValue::Value(Value::RoundingMode(RoundingMode::NearestAway))),
        ("n", single.clone(), ModelValue::Value(Value::Float(Float::nan(Format::BINARY32)))),
        ("z", single.clone(), ModelValue::Value(Value::Float(Float::from_f32(-0.0)))),
        ("a", Sort::Float(Format::BINARY64), ModelValue::Value(Value::Float(Float::from_f64(f64::from_bits(2))))),
        ("b", single, ModelValue::Value(Value::Float(Float::from_f32(f32::from_bits(0x0080_0001))))),
        ("v", Sort::BitVec(13), ModelValue::Value(Value::bit_vector(13, 25u8))),
        ("A", bytes, ModelValue::Value(Value::Array(Box::new(array)))),
    ];
    let expected: Vec<_> = expected
        .into_iter()
        .map(|(name, sort, value)| {
            let term = store.variable(name, sort);
            (store.as_variable(term).unwrap(), value)
        })
        .collect();
    assert_eq!(parse_model(reply, &store).unwrap(), expected);
}

#[test]
fn values_asked_for_are_read() {
    let mut store = Store::new();
    let (x, p) = (store.variable("x", Sort::Real), store.variable("p", Sort::Bool));
    let values = parse_values("((x (- 2.5)) ((< x 0) true)\n (p false))", &store).unwrap();
    let value = |term, value| (store.as_variable(term).unwrap(), ModelValue::Value(value));
    assert_eq!(values, [value(x, Value::Real(rational(-5, 2))), value(p, Value::Bool(false))]);
}

#[test]
fn garbage_is_no_model() {
    let mut store = Store::new();
    store.variable("x", Sort::Real);
    store.variable("f", Sort::Float(Format::BINARY32));
    let error = |text: &str| parse_model(text, &store).unwrap_err();
    assert!(matches!(error("((define-fun x () Real true))"), ModelError::Value { .. }));
    assert!(matches!(error("((define-fun x () Real (/ 1.0 0.0)))"), ModelError::Value { .. }));
    assert!(matches!(error("((define-fun x () Real (root-obj (^ x 99999999) 1)))"), ModelError::Value { .. }));
    assert!(matches!(error("((define-fun f () F (fp #b0 #b0 #b0)))"), ModelError::Value { .. }));
    assert!(matches!(error("sat"), ModelError::Shape(_)));
    assert!(matches!(error("((error \"line 1\"))"), ModelError::Shape(_)));
    assert!(matches!(error("((define-fun x"), ModelError::Syntax(_)));
}

/// Every scalar value, written as a literal, is read again as itself.
#[test]
fn literals_round_trip() {
    let formats =
        [Format::BINARY16, Format::BINARY32, Format::BINARY64, Format::X87, Format::BINARY128, Format::BFLOAT16];
    let mut values = vec![Value::Bool(true), Value::bit_vector(1, 1u8), Value::bit_vector(77, u64::MAX)];
    values.extend(RoundingMode::ALL.map(Value::RoundingMode));
    values.extend([rational(0, 1), rational(-7, 1), rational(22, 7), rational(-1, 1024)].map(Value::Real));
    for format in formats {
        let one = Float::one(format);
        let floats = [
            Float::zero(format, true),
            Float::infinity(format, true),
            Float::nan(format),
            Float::max_finite(format),
            Float::min_subnormal(format).neg(),
            Float::min_normal(format).next_down(),
            one.next_up(),
        ];
        values.extend(floats.map(Value::Float));
    }
    for value in values {
        let text = literal::scalar_text(&value).unwrap();
        let document = Document::parse(&text).unwrap();
        let read = literal::read(document.roots().next().unwrap(), &value.sort());
        assert_eq!(read, Some(ModelValue::Value(value)), "{text}");
    }
}
