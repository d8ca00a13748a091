//! What holds on a path is used: the bound is of the inputs that take it, and of what the program and the truth do alike there.

use labrys_bounds::{Input, Measure, Options, Outcome, Path, Request, bound};
use labrys_float::{Float, Format, RoundingMode};
use labrys_term::{Op, Sort, Store, TermId};

struct Terms {
    store: Store,
    mode: TermId,
    inputs: Vec<Input>,
}

impl Terms {
    fn new(ranges: &[(f64, f64)]) -> Terms {
        let mut store = Store::new();
        let mode = store.rounding_mode(RoundingMode::NearestEven);
        let input = |(place, &(low, high))| Input {
            variable: store.variable(&format!("x{place}"), Sort::Float(Format::BINARY64)),
            low,
            high,
        };
        let inputs = ranges.iter().enumerate().map(input).collect();
        Terms { store, mode, inputs }
    }

    fn x(&self, place: usize) -> TermId {
        self.inputs[place].variable
    }

    fn number(&mut self, value: f64) -> TermId {
        self.store.float_const(Float::from_f64(value))
    }

    fn rounded(&mut self, op: Op, operands: &[TermId]) -> TermId {
        self.store.mk(op, &[&[self.mode], operands].concat())
    }

    fn ask(&self, paths: &[Path], options: &Options) -> Outcome {
        let request = Request { store: &self.store, inputs: &self.inputs, calls: &[], paths };
        bound(&request, &Options { boxes: 3000, ..*options }).expect("a valid request")
    }

    fn upper(&self, paths: &[Path], options: &Options) -> f64 {
        match self.ask(paths, options) {
            Outcome::Proved(found) => found.upper,
            Outcome::Unknown(why) => panic!("{why:?}"),
        }
    }

    /// Where the condition holds the one, else the other.
    fn branch(&mut self, condition: TermId, one: TermId, other: TermId) -> [Path; 2] {
        let negation = self.store.not(condition);
        [Path { guards: vec![condition], result: one }, Path { guards: vec![negation], result: other }]
    }
}

const UNSTABLE: Options = Options { unstable: true, ..DEFAULT };
const DEFAULT: Options = Options {
    measure: Measure::Absolute,
    floats: 4,
    own_floats: true,
    gap: 0.01,
    boxes: 3000,
    time: std::time::Duration::from_secs(600),
    rounded_constants: false,
    unstable: false,
};

/// √(x − y) where x > y: the difference is rounded, but never far beside itself, however small.
#[test]
fn a_root_of_a_difference_is_bounded_where_its_sign_is_tested() {
    let mut terms = Terms::new(&[(0.0, 1.0), (0.0, 1.0)]);
    let (x, y) = (terms.x(0), terms.x(1));
    let difference = terms.rounded(Op::FpSub, &[x, y]);
    let root = terms.rounded(Op::FpSqrt, &[difference]);
    let zero = terms.number(0.0);
    let above = terms.store.mk(Op::FpLt, &[y, x]);
    let paths = terms.branch(above, root, zero);
    let upper = terms.upper(&paths, &UNSTABLE);
    // Half an ulp of numbers below 1, and a quarter of the difference's.
    assert!((5e-17..2e-16).contains(&upper), "{upper:e}");
    // The same by the computed difference: its sign is the exact one's.
    let positive = terms.store.mk(Op::FpLt, &[zero, difference]);
    let paths = terms.branch(positive, root, zero);
    let upper = terms.upper(&paths, &UNSTABLE);
    assert!((5e-17..2e-16).contains(&upper), "{upper:e}");
}

/// √(x·x − y·z) where it is found to be no root of a negative number: where the exact value is negative the truth is the other path's.
#[test]
fn a_root_of_what_is_rounded_is_bounded_where_its_sign_is_tested() {
    let mut terms = Terms::new(&[(-10.0, 10.0); 3]);
    let [x, y, z] = [0, 1, 2].map(|place| terms.x(place));
    let square = terms.rounded(Op::FpMul, &[x, x]);
    let product = terms.rounded(Op::FpMul, &[y, z]);
    let discriminant = terms.rounded(Op::FpSub, &[square, product]);
    let root = terms.rounded(Op::FpSqrt, &[discriminant]);
    let zero = terms.number(0.0);
    let is_root = terms.store.mk(Op::FpLe, &[zero, discriminant]);
    let paths = terms.branch(is_root, root, zero);
    let Outcome::Proved(found) = terms.ask(&paths, &UNSTABLE) else { panic!("nothing is proved") };
    // What two products below 100 are off by, and a difference that is nearly zero: its root. Between the paths it is there twice.
    let apart = |computed, exact| {
        let case = found.cases.iter().find(|case| (case.computed, case.exact) == (computed, exact));
        case.unwrap_or_else(|| panic!("{computed} {exact}")).upper
    };
    let root_of_error = f64::EPSILON.sqrt() * 8.0;
    assert!((0.9 * root_of_error..1.6 * root_of_error).contains(&apart(0, 0)), "{:e}", apart(0, 0));
    assert!((0.9 * root_of_error..3.0 * root_of_error).contains(&apart(0, 1)), "{:e}", apart(0, 1));
    assert!((0.9 * root_of_error..1.6 * root_of_error).contains(&apart(1, 0)), "{:e}", apart(1, 0));
    assert_eq!(apart(1, 1), 0.0);

    // Without the test, or with one that lets negative numbers pass, there is no bound.
    let alone = [Path { guards: vec![], result: root }];
    assert!(matches!(terms.ask(&alone, &UNSTABLE), Outcome::Unknown(_)));
    let low = terms.number(-1e-3);
    let is_above = terms.store.mk(Op::FpLe, &[low, discriminant]);
    let paths = terms.branch(is_above, root, zero);
    assert!(matches!(terms.ask(&paths, &UNSTABLE), Outcome::Unknown(_)));
    // Nor where it is the other path that takes the root.
    let paths = terms.branch(is_root, zero, root);
    assert!(matches!(terms.ask(&paths, &UNSTABLE), Outcome::Unknown(_)));
}

/// 1/d and log d behind a test of a rounded d: what the program takes the truth may miss by d's error, and no more.
#[test]
fn poles_behind_tests_of_what_is_rounded_are_bounded() {
    let mut terms = Terms::new(&[(-1.0, 1.0), (-1.0, 1.0)]);
    let (x, y) = (terms.x(0), terms.x(1));
    let product = terms.rounded(Op::FpMul, &[x, y]);
    let [one, hundred, small] = [1.0, 100.0, 0.01].map(|value| terms.number(value));
    let inverse = terms.rounded(Op::FpDiv, &[one, product]);
    let is_far = terms.store.mk(Op::FpLe, &[small, product]);
    let paths = terms.branch(is_far, inverse, hundred);
    // An ulp of numbers about 100, for the product's error times 10,000 and the quotient's, thrice where the paths part.
    let upper = terms.upper(&paths, &UNSTABLE);
    assert!((1e-14..1e-12).contains(&upper), "{upper:e}");
    // Up to zero there is no bound.
    let zero = terms.number(0.0);
    let is_positive = terms.store.mk(Op::FpLt, &[zero, product]);
    let paths = terms.branch(is_positive, inverse, hundred);
    assert!(matches!(terms.ask(&paths, &UNSTABLE), Outcome::Unknown(_)));
}

/// Guards on inputs divide the box where they say, whatever the other inputs are.
#[test]
fn guards_on_inputs_bound_poles_among_many_inputs() {
    let mut terms = Terms::new(&[(-1.0, 1.0); 4]);
    let [small, one, zero] = [1e-3, 1.0, 0.0].map(|value| terms.number(value));
    let inverse = terms.rounded(Op::FpDiv, &[one, terms.x(0)]);
    let mut sum = inverse;
    for place in 1..4 {
        sum = terms.rounded(Op::FpAdd, &[sum, terms.x(place)]);
    }
    let above = terms.store.mk(Op::FpLt, &[small, terms.x(0)]);
    let paths = terms.branch(above, sum, zero);
    let upper = terms.upper(&paths, &UNSTABLE);
    // 1/x is below 1,000 there, and rounded four times.
    assert!(upper < 4.0 * 5.7e-14, "{upper:e}");
}

/// The truth is the other path's value where the paths part: a relative error is measured by it.
#[test]
fn relative_errors_between_paths_are_measured_by_the_truth() {
    let mut terms = Terms::new(&[(1.1f64.next_down(), 1.1f64.next_up())]);
    let x = terms.x(0);
    let square = terms.rounded(Op::FpMul, &[x, x]);
    let [limit, hundred, one] = [1.1 * 1.1, 100.0, 1.0].map(|value| terms.number(value));
    let below = terms.store.mk(Op::FpLe, &[square, limit]);
    let relative = Options { measure: Measure::Relative, ..UNSTABLE };
    // 1.1·1.1 is rounded down: the program finds it at most the limit, the truth does not.
    let paths = terms.branch(below, hundred, one);
    let Outcome::Proved(found) = terms.ask(&paths, &relative) else { panic!("nothing is proved") };
    let upper = |computed: usize, exact: usize| {
        found.cases.iter().find(|case| (case.computed, case.exact) == (computed, exact)).map(|case| case.upper)
    };
    assert_eq!(upper(0, 1), Some(99.0));
    assert!(upper(1, 0).is_some_and(|upper| (0.99..0.991).contains(&upper)));
}

/// copysign's choice is by an input's sign, on which program and truth agree: nothing is between.
#[test]
fn choices_by_what_is_exact_add_nothing() {
    let mut terms = Terms::new(&[(-1.0, 1.0), (1.0, 2.0)]);
    let (x, y) = (terms.x(0), terms.x(1));
    let third = terms.number(1.0 / 3.0);
    let product = terms.rounded(Op::FpMul, &[y, third]);
    let negated = terms.store.mk(Op::FpNeg, &[product]);
    let is_negative = terms.store.mk(Op::FpIsNegative, &[x]);
    let copied = terms.store.mk(Op::Ite, &[is_negative, negated, product]);
    let alone = [Path { guards: vec![], result: copied }];
    assert_eq!(terms.upper(&alone, &DEFAULT), f64::EPSILON / 4.0);
    // By the sign of what is rounded twice it is another matter: a sum that is nearly zero may have either.
    let tenth = terms.number(0.1);
    let sum = terms.rounded(Op::FpAdd, &[x, tenth]);
    let sum = terms.rounded(Op::FpSub, &[sum, third]);
    let is_negative = terms.store.mk(Op::FpIsNegative, &[sum]);
    let copied = terms.store.mk(Op::Ite, &[is_negative, negated, product]);
    let alone = [Path { guards: vec![], result: copied }];
    assert!(terms.upper(&alone, &DEFAULT) > 0.6);
}

/// Integers: what is compared is exact, and so paths that part by them do not meet.
#[test]
fn guards_on_integers_part_paths() {
    let mut terms = Terms::new(&[(1.0, 2.0)]);
    let n = terms.store.variable("n", Sort::BitVec(32));
    terms.inputs.push(Input { variable: n, low: -5.0, high: 5.0 });
    let zero = terms.store.bv_const(32, 0u8);
    let float = terms.rounded(Op::FpFromSigned(Format::BINARY64), &[n]);
    let quotient = terms.rounded(Op::FpDiv, &[terms.x(0), float]);
    let far = terms.number(1e6);
    let is_zero = terms.store.mk(Op::Eq, &[n, zero]);
    let paths = terms.branch(is_zero, far, quotient);
    assert_eq!(terms.upper(&paths, &UNSTABLE), f64::EPSILON / 2.0);
    // A bit test is not looked into, and is shared all the same.
    let one = terms.store.bv_const(32, 1u8);
    let bit = terms.store.mk(Op::BvAnd, &[n, one]);
    let is_even = terms.store.mk(Op::Eq, &[bit, zero]);
    let paths = terms.branch(is_even, far, terms.x(0));
    assert_eq!(terms.upper(&paths, &UNSTABLE), 0.0);
}
