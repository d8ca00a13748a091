use labrys_float::{Float, Format};
use labrys_term::Sort;

use super::*;
use labrys_program::{FloatType, Parameter, ParameterType, Pointee, ResultType, ScalarType, Signature};

fn layout() -> InputLayout {
    let parameter = |name: &str| Parameter {
        name: name.to_owned(),
        ty: ParameterType::Value(Pointee::Scalar(ScalarType::Float(FloatType::F64))),
    };
    let parameters = vec![parameter("v"), parameter("w")];
    Signature { name: "f".to_owned(), symbol: "f".to_owned(), parameters, result: ResultType::Void }.input_layout()
}

fn holds(text: &str, v: f64, w: f64) -> bool {
    let layout = layout();
    let mut record = vec![0; layout.size];
    layout.leaves[0].write(&mut record, v.to_bits().into());
    layout.leaves[1].write(&mut record, w.to_bits().into());
    let assumption = Assumption::parse(text, &layout).unwrap_or_else(|error| panic!("{error}"));
    // The term must say the same as the evaluator.
    let mut store = Store::new();
    let term = assumption.term(&layout, &mut store);
    let mut model = labrys_term::Model::new();
    for (leaf, value) in layout.leaves.iter().zip([v, w]) {
        let variable = store.variable(&leaf.path, Sort::Float(Format::BINARY64));
        model.set_term(&store, variable, labrys_term::Value::float(Float::from_f64(value)));
    }
    let by_term = labrys_term::eval(&store, term, &model).expect("all variables have values");
    let by_record = assumption.holds(&layout, &record);
    assert_eq!(by_term, labrys_term::Value::Bool(by_record), "{text}");
    by_record
}

#[test]
fn comparisons_chain_and_connect() {
    assert!(holds("v>=-4.5 && v<=-0.3", -1.0, 0.0));
    assert!(!holds("v>=-4.5 && v<=-0.3", 0.0, 0.0));
    assert!(holds("-4.5 <= v < w", -1.0, 0.0) && !holds("-4.5 <= v < w", 1.0, 0.0));
    assert!(holds("v > 1 || !(w > 1)", 0.0, 0.0));
    assert!(holds("(v + 1) * 2 == 4 && (v > 0)", 1.0, 0.0));
    assert!(holds("((v)) > 0 && -v < 0 && abs(-v) == v && v - 1 == 0 / 1", 1.0, 0.0));
    assert!(holds("v == 0x1.8p+1 && w == 1e-3", 3.0, 1e-3));
}

#[test]
fn nan_compares_as_ieee_says() {
    assert!(!holds("v == v", f64::NAN, 0.0) && holds("v != v", f64::NAN, 0.0));
    assert!(!holds("finite(v)", f64::INFINITY, 0.0) && holds("finite(v) && finite(v*w)", 1e300, 1.0));
}

#[test]
fn errors_name_column_and_expectation() {
    let error = |text: &str| Assumption::parse(text, &layout()).expect_err(text).to_string();
    assert!(error("v >= ").contains("column 6: expected a number or an input"), "{}", error("v >= "));
    assert!(error("v").contains("expected a comparison"));
    assert!(error("z > 1").contains("`z` is none (inputs: v, w)"));
    assert!(error("v > 1 )").contains("an operator or the end"));
    assert!(error(&"(".repeat(5000)).contains("less nesting"));
    assert!(error(&"-".repeat(5000)).contains("less nesting"));
    assert!(error("v > 1e").contains("a number"));
}

#[test]
fn ranges_are_closed_intervals() {
    let layout = layout();
    let range = Assumption::parse_range("v=-1e3..1e3", &layout).expect("a range");
    let within = |v: f64| {
        let mut record = vec![0; layout.size];
        layout.leaves[0].write(&mut record, v.to_bits().into());
        range.holds(&layout, &record)
    };
    assert!(within(-1e3) && within(1e3) && !within(1001.0) && !within(f64::NAN));
    let wrong = [
        ("v", 1),
        ("v=1", 3),
        ("v=..", 3),
        ("z=1..2", 1),
        ("v=1..x", 6),
        ("v=nan..1", 3),
        ("v=2..1", 3),
        ("v+=1..2", 2),
    ];
    for (wrong, column) in wrong {
        let error = Assumption::parse_range(wrong, &layout).expect_err(wrong).to_string();
        assert!(error.starts_with(&format!("--range \"{wrong}\": column {column}:")), "{error}");
    }
}
