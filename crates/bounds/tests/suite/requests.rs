//! What is no bound: typed reasons and errors; budgets; guards.

use std::time::Duration;

use labrys_bounds::{BoundError, Call, Input, Measure, Options, Outcome, Path, Request, Stop, Unknown, Why, bound};
use labrys_elementary::Function;
use labrys_float::{Float, Format, RoundingMode};
use labrys_term::{Op, Sort, Store, TermId};

use crate::source::Program;

fn of(text: &str, options: &Options) -> Outcome {
    bound(&Program::read(text).request(), options).expect("a valid request")
}

fn why(text: &str) -> Why {
    match of(text, &Options::default()) {
        Outcome::Unknown(unknown) => unknown.why,
        Outcome::Proved(found) => panic!("{text}: {:e} is proved", found.upper),
    }
}

#[test]
fn reasons_are_typed() {
    assert_eq!(why("// x in [-1, 1]\n{ return 1.0 / x; }"), Why::DivisionByZero);
    assert_eq!(why("// x in [1, 1e200]\n{ return x * x; }"), Why::Overflow);
    assert_eq!(why("// x in [-1, 1]\n{ return sqrt(x); }"), Why::Domain);
    assert_eq!(why("// x in [0, 1]\n{ return log(x); }"), Why::Domain);
    let program = Program::read("// x in [1, 2]\n{ return 1.0 + tgamma(x); }");
    let Ok(Outcome::Unknown(unknown)) = bound(&program.request(), &Options::default()) else { panic!("proved") };
    assert_eq!((unknown.why, unknown.term), (Why::UnsupportedOperation, Some(program.calls[0].variable)));
    let relative = Options { measure: Measure::Relative, ..Options::default() };
    let Outcome::Unknown(unknown) = of("// x in [0, 1]\n{ return x - 0.5 * (x + 0.3); }", &relative) else {
        panic!("proved")
    };
    assert_eq!(unknown.why, Why::ZeroTruth);
    // The difference is zero at 0.3, and there the failure is.
    assert!((unknown.near[0] - 0.3).abs() < 1e-9, "{unknown:?}");
}

/// What fails is told with the operation's term and an input.
#[test]
fn reasons_are_about_an_operation_and_an_input() {
    let (mut store, mode, x) = store();
    let y = store.variable("y", Sort::Float(Format::BINARY64));
    let inputs = [Input { variable: x, low: 1.0, high: 2.0 }, Input { variable: y, low: 1.0, high: 4.0 }];
    let difference = store.mk(Op::FpSub, &[mode, x, y]);
    let quotient = store.mk(Op::FpDiv, &[mode, x, difference]);
    let result = store.mk(Op::FpAdd, &[mode, quotient, x]);
    let Ok(Outcome::Unknown(unknown)) = ask(&store, &inputs, &[], &alone(result)) else { panic!("proved") };
    assert_eq!((unknown.why, unknown.term), (Why::DivisionByZero, Some(quotient)));
    assert!((unknown.near[0] - unknown.near[1]).abs() < 0.1, "{unknown:?}");
}

fn store() -> (Store, TermId, TermId) {
    let mut store = Store::new();
    let mode = store.rounding_mode(RoundingMode::NearestEven);
    let x = store.variable("x", Sort::Float(Format::BINARY64));
    (store, mode, x)
}

fn ask(store: &Store, inputs: &[Input], calls: &[Call], paths: &[Path]) -> Result<Outcome, BoundError> {
    bound(&Request { store, inputs, calls, paths }, &Options { boxes: 2000, ..Options::default() })
}

fn unknown(why: Why, term: Option<TermId>) -> Outcome {
    Outcome::Unknown(Unknown { why, term, near: vec![] })
}

fn alone(result: TermId) -> [Path; 1] {
    [Path { guards: vec![], result }]
}

#[test]
fn requests_that_make_no_sense_are_errors() {
    let (mut store, mode, x) = store();
    let input = Input { variable: x, low: 0.0, high: 1.0 };
    let sum = store.mk(Op::FpAdd, &[mode, x, x]);
    let guard = store.mk(Op::FpLt, &[x, sum]);
    assert_eq!(ask(&store, &[], &[], &alone(sum)), Ok(unknown(Why::FreeVariable, Some(x))));
    assert_eq!(ask(&store, &[input], &[], &[]), Err(BoundError::NoPath));
    assert_eq!(ask(&store, &[input], &[], &alone(guard)), Err(BoundError::Sort(guard)));
    assert_eq!(ask(&store, &[input, input], &[], &alone(sum)), Err(BoundError::NotVariable(x)));
    for (low, high) in [(1.0, 0.0), (f64::NAN, 0.0), (0.0, f64::INFINITY)] {
        let input = Input { variable: x, low, high };
        assert_eq!(ask(&store, &[input], &[], &alone(sum)), Err(BoundError::Range(x)));
    }
    // A call of itself, and one of too few operands.
    let y = store.variable("y", Sort::Float(Format::BINARY64));
    let of_itself = store.mk(Op::FpAdd, &[mode, x, y]);
    let call = |function, operand| Call { variable: y, function, operands: vec![operand] };
    assert_eq!(ask(&store, &[input], &[call(Function::Exp, of_itself)], &alone(y)), Err(BoundError::Call(y)));
    assert_eq!(ask(&store, &[input], &[call(Function::Pow, x)], &alone(y)), Err(BoundError::Call(y)));
    let long = store.variable("long", Sort::Float(Format::X87));
    let input = Input { variable: long, low: 0.0, high: 1.0 };
    assert_eq!(ask(&store, &[input], &[], &alone(long)), Ok(unknown(Why::UnsupportedFormat, Some(long))));
}

#[test]
fn what_a_budget_cuts_short_is_a_bound() {
    let text = "// x in [0, 1]\n// y in [0, 1]\n{ return x * y - x / (y + 1.0) + 0.1 * x * x; }";
    let whole = of(text, &Options { gap: 0.0001, ..Options::default() });
    let Outcome::Proved(whole) = whole else { panic!("{whole:?}") };
    let mut last = f64::INFINITY;
    for boxes in [1, 10, 100] {
        let Outcome::Proved(cut) = of(text, &Options { gap: 0.0001, boxes, ..Options::default() }) else {
            panic!("{boxes}")
        };
        assert!(cut.upper >= whole.upper * 0.9999 && cut.upper <= last, "{boxes}");
        assert!(cut.stop == Stop::Boxes || cut.stop == Stop::Gap);
        last = cut.upper;
    }
    let none = Options { time: Duration::ZERO, ..Options::default() };
    assert_eq!(of(text, &none), unknown(Why::Time, None));
    // Options without sense are no danger.
    let odd = Options { gap: f64::NAN, floats: u32::MAX, boxes: 50, ..Options::default() };
    assert!(matches!(of(text, &odd), Outcome::Proved(_)));
    let Outcome::Unknown(unknown) = of("// x in [0, 1]\n{ return exp(x); }", &odd) else { panic!("proved") };
    assert_eq!(unknown.why, Why::Overflow);
}

#[test]
fn guards_exclude_what_is_not_on_the_path() {
    let (mut store, mode, x) = store();
    let inputs = [Input { variable: x, low: -4.0, high: 4.0 }];
    let root = store.mk(Op::FpSqrt, &[mode, x]);
    let [one, five] = [1.0, 5.0].map(|value| store.float_const(Float::from_f64(value)));
    let above = store.mk(Op::FpLe, &[one, x]);
    let far = store.mk(Op::FpLt, &[five, x]);
    let Ok(Outcome::Unknown(outside)) = ask(&store, &inputs, &[], &alone(root)) else { panic!("proved") };
    assert_eq!((outside.why, outside.term), (Why::Domain, Some(root)));
    let Ok(Outcome::Proved(found)) = ask(&store, &inputs, &[], &[Path { guards: vec![above], result: root }]) else {
        panic!("nothing is proved")
    };
    // Half an ulp of numbers from 1 to 2.
    assert_eq!(found.upper, f64::EPSILON / 2.0);
    let never = [Path { guards: vec![far], result: root }];
    assert_eq!(ask(&store, &inputs, &[], &never), Ok(unknown(Why::NoInputs, None)));
}

#[test]
fn exact_operations_have_no_error() {
    for text in [
        "// x in [0.5, 1]\n{ return 1.0 - x; }",
        "// x in [1, 2]\n// y in [1, 2]\n{ return x - y; }",
        "// x in [-7, 1000]\n{ return fabs(-x) * 0.25 + 0.0; }",
        "// x in [3, 3]\n// y in [1, 2]\n{ return x * 5.0 + 2.0; }",
    ] {
        let Outcome::Proved(found) = of(text, &Options::default()) else { panic!("{text}") };
        // A quarter of a number may be subnormal.
        assert!(found.upper <= 1e-323, "{text}: {:e}", found.upper);
    }
}

/// The root of a negative number is not taken where the condition says so: zero is a box of its own.
#[test]
fn branches_that_are_not_taken_may_have_no_value() {
    let (mut store, mode, x) = store();
    let inputs = [Input { variable: x, low: -4.0, high: 4.0 }];
    let zero = store.float_const(Float::from_f64(0.0));
    let one = store.float_const(Float::from_f64(1.0));
    let root = store.mk(Op::FpSqrt, &[mode, x]);
    let negative = store.mk(Op::FpLt, &[x, zero]);
    let choice = store.mk(Op::Ite, &[negative, one, root]);
    let below = store.mk(Op::FpLt, &[x, one]);
    let far = store.mk(Op::Ite, &[below, one, root]);
    let result = |term: TermId| ask(&store, &inputs, &[], &alone(term));
    let Ok(Outcome::Proved(near)) = result(choice) else { panic!("{:?}", result(choice)) };
    assert_eq!(near.upper, f64::EPSILON / 2.0);
    let Ok(Outcome::Proved(found)) = result(far) else { panic!("{:?}", result(far)) };
    // Where the branch is open the two may differ by little, for both are 1 there.
    assert!(found.upper < 1e-15, "{:e}", found.upper);
}

/// 0.1 is half an ulp off at most where it stands for a decimal number; 0.5 and 3 stand for themselves.
#[test]
fn roundings_of_constants_count_if_asked_for() {
    let text = "// x in [1, 1]\n{ return fabs(0.1) * 0.5 * x; }";
    let options = Options { rounded_constants: true, ..Options::default() };
    let Outcome::Proved(found) = of(text, &options) else { panic!("nothing is proved") };
    let half_ulp_of_a_tenth = 2f64.powi(-57);
    assert!(found.upper >= half_ulp_of_a_tenth / 2.0 && found.upper < 0.51 * half_ulp_of_a_tenth, "{:e}", found.upper);
    let Outcome::Proved(found) = of(text, &Options::default()) else { panic!("nothing is proved") };
    assert_eq!(found.upper, 0.0);
}

/// exp near 1 is half an ulp off, or half an ulp and k floats; less than is known of glibc only if asked for.
#[test]
fn libms_are_as_good_as_asked_for() {
    let upper = |floats, own_floats| {
        let options = Options { floats, own_floats, ..Options::default() };
        match of("// x in [0.25, 0.5]\n{ return exp(x); }", &options) {
            Outcome::Proved(found) => found.upper / (f64::EPSILON / 2.0),
            Outcome::Unknown(why) => panic!("{why:?}"),
        }
    };
    assert_eq!([upper(0, true), upper(1, true), upper(6, true)], [1.0, 9.0, 13.0]);
    assert_eq!([upper(0, false), upper(1, false)], [1.0, 3.0]);
}

/// The product within a fused multiply-add is no float: that a small addend changes it by little says nothing of the rounding.
#[test]
fn fused_products_are_rounded() {
    let text = "// x in [1, 2]\n// y in [1, 2]\n// z in [0, 1e-30]\n{ return fma(x, y, z); }";
    let Outcome::Proved(found) = of(text, &Options::default()) else { panic!("nothing is proved") };
    assert!(found.upper >= f64::EPSILON, "{:e}", found.upper);
}

/// 1.1·1.1 is rounded down to a double that it is compared with: the program finds it at most as large, the truth does not.
#[test]
fn choices_that_rounding_turns_count() {
    let (mut store, mode, x) = store();
    let inputs = [Input { variable: x, low: 1.1f64.next_down(), high: 1.1f64.next_up() }];
    let [zero, one, limit] = [0.0, 1.0, 1.1 * 1.1].map(|value| store.float_const(Float::from_f64(value)));
    let square = store.mk(Op::FpMul, &[mode, x, x]);
    let small = store.mk(Op::FpLe, &[square, limit]);
    let choice = store.mk(Op::Ite, &[small, one, zero]);
    let Ok(Outcome::Proved(found)) = ask(&store, &inputs, &[], &alone(choice)) else { panic!("nothing is proved") };
    assert_eq!(found.upper, 1.0);
    // The same by paths: apart they are exact, and that the program may take one where the truth takes the other must be asked for.
    let large = store.not(small);
    let paths = [Path { guards: vec![small], result: one }, Path { guards: vec![large], result: zero }];
    let request = Request { store: &store, inputs: &inputs, calls: &[], paths: &paths };
    for (unstable, expected) in [(false, 0.0), (true, 1.0)] {
        let Ok(Outcome::Proved(found)) = bound(&request, &Options { unstable, ..Options::default() }) else {
            panic!("nothing is proved")
        };
        assert_eq!(found.upper, expected);
    }
}

/// Integers up to 2^53 are exact, and so are their sums.
#[test]
fn small_integers_are_exact() {
    let (mut store, mode, _) = store();
    let i = store.variable("i", Sort::BitVec(32));
    let inputs = [Input { variable: i, low: -1000.0, high: 1e6 }];
    let float = store.mk(Op::FpFromSigned(Format::BINARY64), &[mode, i]);
    let square = store.mk(Op::FpMul, &[mode, float, float]);
    let seven = store.bv_const(8, 7u32);
    let seven = store.mk(Op::FpFromSigned(Format::BINARY64), &[mode, seven]);
    let sum = store.mk(Op::FpAdd, &[mode, square, seven]);
    let upper = |result| match ask(&store, &inputs, &[], &alone(result)) {
        Ok(Outcome::Proved(found)) => found.upper,
        other => panic!("{other:?}"),
    };
    assert_eq!(upper(sum), 0.0);
    let mut store = store.clone();
    let narrow = store.mk(Op::FpFromSigned(Format::BINARY16), &[mode, i]);
    let Ok(Outcome::Unknown(unknown)) = ask(&store, &inputs, &[], &alone(narrow)) else { panic!("proved") };
    assert_eq!((unknown.why, unknown.term), (Why::Overflow, Some(narrow)));
}

/// Nothing is recursive over terms, and a shared subterm is evaluated once.
#[test]
fn deep_terms_are_bounded() {
    let (mut store, mode, x) = store();
    let inputs = [Input { variable: x, low: 0.5, high: 1.0 }];
    let half = store.float_const(Float::from_f64(0.5));
    let mut term = x;
    for _ in 0..100_000 {
        let sum = store.mk(Op::FpAdd, &[mode, term, term]);
        term = store.mk(Op::FpMul, &[mode, sum, half]);
    }
    let Ok(Outcome::Proved(found)) = ask(&store, &inputs, &[], &alone(term)) else { panic!("nothing is proved") };
    assert_eq!(found.upper, 0.0);
}
