//! Roundings to integers, remainders, conversions from and to integers.

use labrys_bounds::{Input, Options, Outcome, Path, Request, Why, bound};
use labrys_float::{Float, Format, RoundingMode};
use labrys_term::{Op, Sort, Store, TermId};

/// The outcome for a term over x of a range.
fn of(range: (f64, f64), make: impl Fn(&mut Store, TermId, TermId) -> TermId) -> Outcome {
    let mut store = Store::new();
    let mode = store.rounding_mode(RoundingMode::NearestEven);
    let x = store.variable("x", Sort::Float(Format::BINARY64));
    let result = make(&mut store, mode, x);
    let inputs = [Input { variable: x, low: range.0, high: range.1 }];
    let paths = [Path { guards: vec![], result }];
    let request = Request { store: &store, inputs: &inputs, calls: &[], paths: &paths };
    bound(&request, &Options { boxes: 3000, ..Options::default() }).expect("a valid request")
}

fn upper(range: (f64, f64), make: impl Fn(&mut Store, TermId, TermId) -> TermId) -> f64 {
    match of(range, make) {
        Outcome::Proved(found) => found.upper,
        Outcome::Unknown(why) => panic!("{why:?}"),
    }
}

fn third(store: &mut Store, mode: TermId, x: TermId) -> TermId {
    let third = store.float_const(Float::from_f64(1.0 / 3.0));
    store.mk(Op::FpMul, &[mode, x, third])
}

#[test]
fn a_rounding_to_an_integer_jumps_by_one_where_its_operand_has_an_error() {
    let rounded = |mode: RoundingMode| {
        move |store: &mut Store, nearest: TermId, x: TermId| {
            let product = third(store, nearest, x);
            let mode = store.rounding_mode(mode);
            store.mk(Op::FpRoundToIntegral, &[mode, product])
        }
    };
    for mode in [RoundingMode::TowardNegative, RoundingMode::TowardPositive, RoundingMode::TowardZero] {
        // x/3 lies between 1/3 and 2/3, and no integer is there.
        assert_eq!(upper((1.0, 2.0), rounded(mode)), 0.0, "{mode:?}");
        assert_eq!(upper((1.0, 8.0), rounded(mode)), 1.0, "{mode:?}");
    }
    assert_eq!(upper((2.0, 4.0), rounded(RoundingMode::NearestEven)), 0.0);
    assert_eq!(upper((1.0, 2.0), rounded(RoundingMode::NearestEven)), 1.0);
    // Of an input the integer is the truth's.
    let of_input = |store: &mut Store, mode: TermId, x: TermId| store.mk(Op::FpRoundToIntegral, &[mode, x]);
    assert_eq!(upper((-1e9, 1e9), of_input), 0.0);
}

#[test]
fn a_remainder_jumps_by_the_divisor_where_its_quotient_does() {
    let remainder = |op: Op| {
        move |store: &mut Store, mode: TermId, x: TermId| {
            let product = third(store, mode, x);
            let one = store.float_const(Float::from_f64(1.0));
            store.mk(op.clone(), &[product, one])
        }
    };
    // From 5/3 on to 1.9 the quotient is cut to 1, and the error is that of the product.
    assert_eq!(upper((5.0, 5.7), remainder(Op::FpFmod)), f64::EPSILON / 2.0);
    assert_eq!(upper((5.0, 7.0), remainder(Op::FpFmod)), 1.0);
    assert_eq!(upper((5.0, 7.0), remainder(Op::FpRem)), f64::EPSILON);
    // From one half on the nearest multiple is another: the remainder jumps from there to minus one half.
    assert!((1.0..1.001).contains(&upper((1.0, 2.0), remainder(Op::FpRem))));
    let of_input = |store: &mut Store, _: TermId, x: TermId| {
        let tenth = store.float_const(Float::from_f64(0.1));
        store.mk(Op::FpFmod, &[x, tenth])
    };
    assert_eq!(upper((0.0, 100.0), of_input), 0.0);
}

/// (double)(int)x: an integer where x has no error; beyond the type's limits nothing is proved.
#[test]
fn conversions_to_integers_are_bounded_within_their_type() {
    let converted = |bits: u32| {
        move |store: &mut Store, mode: TermId, x: TermId| {
            let zero = store.rounding_mode(RoundingMode::TowardZero);
            let integer = store.mk(Op::FpToSigned(bits), &[zero, x]);
            let seven = store.bv_const(bits, 7u8);
            let product = store.mk(Op::BvMul, &[integer, seven]);
            let wide = store.mk(Op::SignExtend(16), &[product]);
            store.mk(Op::FpFromSigned(Format::BINARY64), &[mode, wide])
        }
    };
    // The products fit 16 bits only if the integers are small, of which nothing is known.
    assert!(matches!(of((-100.0, 100.0), converted(16)), Outcome::Unknown(unknown) if unknown.why == Why::Overflow));
    let direct = |store: &mut Store, mode: TermId, x: TermId| {
        let zero = store.rounding_mode(RoundingMode::TowardZero);
        let integer = store.mk(Op::FpToSigned(16), &[zero, x]);
        store.mk(Op::FpFromSigned(Format::BINARY64), &[mode, integer])
    };
    assert_eq!(upper((-100.0, 100.0), direct), 0.0);
    assert!(matches!(of((-1e5, 100.0), direct), Outcome::Unknown(unknown) if unknown.why == Why::Overflow));
}

/// The bound of a conversion from an integer of a range, read as a signed number.
fn of_integer(bits: u32, low: f64, high: f64, make: impl Fn(&mut Store, TermId) -> TermId) -> Outcome {
    let mut store = Store::new();
    let mode = store.rounding_mode(RoundingMode::NearestEven);
    let n = store.variable("n", Sort::BitVec(bits));
    let integer = make(&mut store, n);
    let result = store.mk(Op::FpFromSigned(Format::BINARY32), &[mode, integer]);
    let inputs = [Input { variable: n, low, high }];
    let paths = [Path { guards: vec![], result }];
    let request = Request { store: &store, inputs: &inputs, calls: &[], paths: &paths };
    bound(&request, &Options::default()).expect("a valid request")
}

/// An unsigned number that is read as a signed one is another where it has the sign bit: 3·10⁹ is −1,294,967,296.
#[test]
fn readings_of_bits_that_do_not_fit_are_no_numbers() {
    let overflows = |outcome: Outcome| matches!(outcome, Outcome::Unknown(unknown) if unknown.why == Why::Overflow);
    assert!(overflows(of_integer(32, 0.0, 4e9, |_, n| n)));
    assert!(overflows(of_integer(32, 0.0, 4e9, |store, n| store.mk(Op::SignExtend(32), &[n]))));
    assert!(overflows(of_integer(32, -1.0, 4.0, |store, n| store.mk(Op::ZeroExtend(32), &[n]))));
    let wide = of_integer(32, 0.0, 4e9, |store, n| store.mk(Op::ZeroExtend(32), &[n]));
    // Half an ulp of numbers from 2^31 on in 24 bits.
    assert!(matches!(wide, Outcome::Proved(found) if found.upper == 128.0));
    let sum = |store: &mut Store, n: TermId| {
        let most = store.bv_const(32, i32::MAX as u32);
        store.mk(Op::BvAdd, &[n, most])
    };
    assert!(overflows(of_integer(32, 0.0, 1.0, sum)));
    assert!(matches!(of_integer(32, -1.0, 0.0, sum), Outcome::Proved(_)));
    // Integers beyond 2^53 are not all doubles.
    let beyond = of_integer(64, 0.0, 1e17, |_, n| n);
    assert!(matches!(beyond, Outcome::Unknown(unknown) if unknown.why == Why::UnsupportedFormat));
}
