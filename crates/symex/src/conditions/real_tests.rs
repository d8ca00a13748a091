//! The conditions over the reals, on numbers.

use labrys_float::{Flags, Float, Format, RoundingMode};
use labrys_term::reals::Abstraction;
use labrys_term::{Evaluator, Model, Op, Sort, Store, TermId, Value};
use num_rational::BigRational;

use super::{Form, domain_conditions, real_condition};
use crate::{LibraryOperator, SiteExecution, SiteOperator};

const FORMAT: Format = Format::BINARY64;

/// A site `operator` of as many variables x0, x1, … as it takes.
struct Subject {
    store: Store,
    abstraction: Abstraction,
    execution: SiteExecution,
}

impl Subject {
    fn new(operator: SiteOperator, operands: usize) -> Subject {
        let mut store = Store::new();
        let operands: Vec<TermId> =
            (0..operands).map(|i| store.variable(&format!("x{i}"), Sort::Float(FORMAT))).collect();
        let path = store.bool_const(true);
        let execution = SiteExecution::anywhere(operator, path, &operands, operands[0], FORMAT);
        Subject { store, abstraction: Abstraction::new(), execution }
    }

    fn condition(&mut self, exception: Flags, form: Form) -> Option<TermId> {
        let Subject { store, abstraction, execution } = self;
        real_condition(store, abstraction, execution, exception, form).map(|term| term.expect("it has a reading"))
    }

    /// The exceptions whose conditions hold at a point.
    fn raised(&mut self, form: Form, point: &[BigRational]) -> Flags {
        let mut raised = Flags::empty();
        for exception in Flags::NOTABLE.iter() {
            let Some(term) = self.condition(exception, form) else { continue };
            let mut model = Model::new();
            for (operand, value) in self.execution.operands.clone().into_iter().zip(point) {
                let real = self.abstraction.term(&mut self.store, operand).expect("variables have readings");
                assert!(model.set_term(&self.store, real, Value::Real(value.clone())));
            }
            if Evaluator::new(&self.store, &model).holds(term).expect("a value") {
                raised |= exception;
            }
        }
        raised
    }
}

fn number(value: f64) -> BigRational {
    BigRational::from_float(value).expect("a finite number")
}

fn points(values: &[f64]) -> Vec<BigRational> {
    values.iter().map(|value| number(*value)).collect()
}

#[test]
fn the_drafts_table_holds_at_its_borders() {
    let (largest, smallest) = (f64::MAX, f64::MIN_POSITIVE);
    let mut sum = Subject::new(SiteOperator::Add, 2);
    assert_eq!(sum.raised(Form::Draft, &points(&[largest, 1.0])), Flags::OVERFLOW);
    assert_eq!(sum.raised(Form::Draft, &points(&[-largest, -1.0])), Flags::OVERFLOW);
    assert_eq!(sum.raised(Form::Draft, &points(&[largest, 0.0])), Flags::empty());
    assert_eq!(sum.raised(Form::Draft, &points(&[smallest, 0.0])), Flags::empty());
    assert_eq!(sum.raised(Form::Draft, &points(&[2.0 * smallest, -1.5 * smallest])), Flags::UNDERFLOW);
    assert_eq!(sum.raised(Form::Draft, &points(&[1.0, -1.0])), Flags::empty());
    let mut quotient = Subject::new(SiteOperator::Div, 2);
    assert_eq!(quotient.raised(Form::Draft, &points(&[0.0, 0.0])), Flags::INVALID);
    // The draft's form of overflow has no y ≠ 0.
    assert_eq!(quotient.raised(Form::Draft, &points(&[1.0, 0.0])), Flags::DIVBYZERO | Flags::OVERFLOW);
    assert_eq!(quotient.raised(Form::Tight, &points(&[1.0, 0.0])), Flags::DIVBYZERO);
    assert_eq!(quotient.raised(Form::Draft, &points(&[-largest, 0.5])), Flags::OVERFLOW);
    assert_eq!(quotient.raised(Form::Draft, &points(&[smallest, -2.0])), Flags::UNDERFLOW);
    assert_eq!(quotient.raised(Form::Draft, &points(&[0.0, -2.0])), Flags::empty());
}

#[test]
fn the_drafts_formulas_are_the_same_terms_each_time_and_simplify_nothing() {
    let mut subject = Subject::new(SiteOperator::Sub, 2);
    let first = subject.condition(Flags::OVERFLOW, Form::Draft).expect("differences overflow");
    assert_eq!(subject.condition(Flags::OVERFLOW, Form::Draft), Some(first));
    let [x, y] = [0, 1].map(|i| {
        let operand = subject.execution.operands[i];
        subject.abstraction.term(&mut subject.store, operand).expect("variables have readings")
    });
    let store = &mut subject.store;
    let difference = store.mk(Op::RealSub, &[x, y]);
    let size = store.mk(Op::RealAbs, &[difference]);
    let bound = store.real_const(number(f64::MAX));
    assert_eq!(first, store.mk(Op::RealLt, &[bound, size]));
}

#[test]
fn tight_conditions_hold_after_rounding() {
    let mut sum = Subject::new(SiteOperator::Add, 2);
    // Ω + 1 rounds to Ω: no overflow over the floats.
    assert_eq!(sum.raised(Form::Tight, &points(&[f64::MAX, 1.0])), Flags::empty());
    assert_eq!(sum.raised(Form::Tight, &points(&[f64::MAX, f64::MAX / 32.0])), Flags::OVERFLOW);
    // A difference that floats cannot represent.
    let one = number(1.0);
    let hair = number(f64::MIN_POSITIVE / 4.0);
    assert_eq!(sum.raised(Form::Draft, &[&one + &hair, -one.clone()]), Flags::UNDERFLOW);
    assert_eq!(sum.raised(Form::Tight, &[&one + &hair, -one]), Flags::empty());
    let tiny = f64::MIN_POSITIVE;
    assert_eq!(sum.raised(Form::Tight, &points(&[2.0 * tiny, -1.5 * tiny])), Flags::UNDERFLOW);
}

#[test]
fn other_operations_raise_what_they_can() {
    let mut root = Subject::new(SiteOperator::Sqrt, 1);
    assert_eq!(root.raised(Form::Draft, &points(&[-1.0])), Flags::INVALID);
    assert_eq!(root.raised(Form::Draft, &points(&[0.0])), Flags::empty());
    let mut remainder = Subject::new(SiteOperator::Rem, 2);
    assert_eq!(remainder.raised(Form::Draft, &points(&[1.0, 0.0])), Flags::INVALID);
    let mut fused = Subject::new(SiteOperator::Fma, 3);
    assert_eq!(fused.raised(Form::Draft, &points(&[f64::MAX, 2.0, -f64::MAX])), Flags::empty());
    assert_eq!(fused.raised(Form::Draft, &points(&[f64::MAX, 2.0, 0.0])), Flags::OVERFLOW);
    let narrowing = SiteOperator::Convert { from: FORMAT, to: Format::BINARY32 };
    let mut narrowing = Subject::new(narrowing, 1);
    narrowing.execution.format = Format::BINARY32;
    assert_eq!(narrowing.raised(Form::Draft, &points(&[-1e39])), Flags::OVERFLOW);
    assert_eq!(narrowing.raised(Form::Draft, &points(&[1e-39])), Flags::UNDERFLOW);
    let mut integer = Subject::new(SiteOperator::FloatToInt { bits: 8, signed: true }, 1);
    assert_eq!(integer.raised(Form::Draft, &points(&[-128.5])), Flags::empty());
    assert_eq!(integer.raised(Form::Draft, &points(&[-129.0])), Flags::INVALID);
    assert_eq!(integer.raised(Form::Draft, &points(&[127.5])), Flags::empty());
    assert_eq!(integer.raised(Form::Draft, &points(&[128.0])), Flags::INVALID);
}

/// A call of the elementary function with that name.
fn elementary(name: &str) -> SiteOperator {
    SiteOperator::Library(LibraryOperator::Elementary(labrys_elementary::Function::named(name).expect("elementary")))
}

#[test]
fn library_functions_raise_at_their_domains_borders() {
    for (name, point, expected) in [
        ("exp", 710.0, Flags::OVERFLOW),
        ("exp", 709.0, Flags::empty()),
        ("exp", -709.0, Flags::UNDERFLOW),
        ("exp2", 1024.5, Flags::OVERFLOW),
        ("log", -1.0, Flags::INVALID),
        ("log", 0.0, Flags::DIVBYZERO),
        ("log1p", -1.0, Flags::DIVBYZERO),
        ("asin", 1.5, Flags::INVALID),
        ("atanh", -1.0, Flags::DIVBYZERO),
        ("acosh", 0.5, Flags::INVALID),
        ("sin", 1e300, Flags::empty()),
        ("sin", 1e-320, Flags::UNDERFLOW),
        ("cosh", -711.0, Flags::OVERFLOW),
        ("tgamma", 172.0, Flags::OVERFLOW),
        ("tgamma", -2.0, Flags::INVALID),
        ("lgamma", -2.0, Flags::DIVBYZERO),
        ("lgamma", 1e306, Flags::OVERFLOW),
        ("y1", 1e-310, Flags::OVERFLOW),
        ("erfc", 27.0, Flags::UNDERFLOW),
        ("cbrt", 1e-320, Flags::empty()),
    ] {
        let mut call = Subject::new(elementary(name), 1);
        assert_eq!(call.raised(Form::Draft, &points(&[point])), expected, "{name}({point})");
    }
    for (x, y, expected) in [
        (-1.0, 0.5, Flags::INVALID),
        (0.0, -1.0, Flags::DIVBYZERO),
        (2.0, 5000.0, Flags::OVERFLOW),
        (2.0, -5000.0, Flags::UNDERFLOW),
        (2.0, 3.0, Flags::empty()),
    ] {
        let mut call = Subject::new(elementary("pow"), 2);
        assert_eq!(call.raised(Form::Draft, &points(&[x, y])), expected, "pow({x}, {y})");
    }
    for (name, x, y, expected) in [
        ("pow", 1.1, 20000.0, Flags::OVERFLOW),
        ("pow", 0.01, -300.0, Flags::OVERFLOW),
        ("pow", 1e-300, 8.0, Flags::UNDERFLOW),
        ("hypot", 1.5e308, -1.5e308, Flags::OVERFLOW),
        ("hypot", 1e-310, 1e-310, Flags::UNDERFLOW),
        ("hypot", 1e-310, 0.0, Flags::empty()),
        ("atan2", -1e-300, 1e100, Flags::UNDERFLOW),
        ("atan2", 1e-300, -1e100, Flags::empty()),
    ] {
        let mut call = Subject::new(elementary(name), 2);
        assert_eq!(call.raised(Form::Draft, &points(&[x, y])), expected, "{name}({x}, {y})");
    }
    let mut unknown = Subject::new(SiteOperator::Library(LibraryOperator::Unknown("erfcx".into())), 1);
    let Subject { store, abstraction, execution } = &mut unknown;
    assert!(matches!(real_condition(store, abstraction, execution, Flags::INVALID, Form::Draft), Some(Err(_))));
}

#[test]
fn operations_on_constants_have_no_condition_and_paths_are_conjoined() {
    let mut subject = Subject::new(SiteOperator::Div, 2);
    let bare = subject.condition(Flags::INVALID, Form::Draft).expect("0/0 is invalid");
    let taken = subject.store.variable("taken", Sort::Bool);
    subject.execution.path = taken;
    let reached = subject.condition(Flags::INVALID, Form::Draft).expect("0/0 is invalid");
    assert_eq!(reached, subject.store.and(&[taken, bare]));
    let zero = subject.store.float_const(Float::zero(FORMAT, false));
    subject.execution.operands = vec![zero, zero];
    assert_eq!(subject.condition(Flags::INVALID, Form::Draft), None);
}

#[test]
fn a_nan_on_the_path_has_no_reading() {
    let mut subject = Subject::new(SiteOperator::Div, 2);
    let mode = subject.store.rounding_mode(RoundingMode::NearestEven);
    let bits = subject.store.variable("bits", Sort::BitVec(64));
    let converted = subject.store.mk(Op::FpFromBits(FORMAT), &[bits]);
    let x = subject.execution.operands[0];
    subject.execution.operands[1] = subject.store.mk(Op::FpAdd, &[mode, x, converted]);
    let Subject { store, abstraction, execution } = &mut subject;
    assert!(matches!(real_condition(store, abstraction, execution, Flags::INVALID, Form::Draft), Some(Err(_))));
}

#[test]
fn the_domain_bounds_and_prefers() {
    let mut store = Store::new();
    let [x, y] = ["x", "y"].map(|name| store.variable(name, Sort::Real));
    let domain = domain_conditions(&mut store, &[(x, FORMAT), (y, Format::BINARY32)]);
    let holds = |terms: &[TermId], x_value: f64, y_value: f64| {
        let mut model = Model::new();
        assert!(model.set_term(&store, x, Value::Real(number(x_value))));
        assert!(model.set_term(&store, y, Value::Real(number(y_value))));
        terms.iter().all(|term| Evaluator::new(&store, &model).holds(*term).expect("a value"))
    };
    assert!(holds(&domain.ranges, -f64::MAX, f64::from(f32::MAX)));
    assert!(!holds(&domain.ranges, 0.0, 1e39));
    assert!(holds(&domain.nonzero, 1e-300, -1.0) && !holds(&domain.nonzero, 0.0, 1.0));
    assert!(holds(&domain.distinct, -2.0, 1.0) && !holds(&domain.distinct, 1.5, -1.0));
}
