//! MPFR's functions by name, over their public interface.

use labrys_elementary::rug::Float;
use labrys_elementary::{MpfrFunction, Operand};

fn value(name: &str, operands: &[f64]) -> f64 {
    let operands: Vec<Float> = operands.iter().map(|x| Float::with_val(53, *x)).collect();
    MpfrFunction::named(name).unwrap().value(&operands, 100).unwrap().0.to_f64()
}

/// Abramowitz and Stegun, "Handbook of Mathematical Functions", 1964, tables 5, 6, 9, 10, 23 and 27.
#[test]
fn values_are_those_of_printed_tables() {
    let cases: [(&str, &[f64], f64); 10] = [
        ("eint", &[1.0], 1.8951178163559368),
        ("eint", &[-1.0], -0.21938393439552027),
        ("digamma", &[1.0], -0.5772156649015329),
        ("zeta", &[3.0], 1.2020569031595942),
        ("li2", &[1.0], 1.6449340668482264),
        ("ai", &[0.0], 0.3550280538878172),
        ("yn", &[2.0, 1.0], -1.6506826068162543),
        ("sinpi", &[0.5], 1.0),
        ("gamma_inc", &[1.0, 0.0], 1.0),
        ("lngamma", &[0.5], 0.5723649429247001),
    ];
    for (name, operands, expected) in cases {
        let value = value(name, operands);
        assert!((value - expected).abs() <= 1e-15 * expected.abs(), "{name} {value}");
    }
}

#[test]
fn names_are_told_apart_and_operands_counted() {
    let mut names: Vec<&str> = MpfrFunction::names().collect();
    let count = names.len();
    names.sort_unstable();
    names.dedup();
    assert_eq!(names.len(), count);
    let two = Float::with_val(53, 2);
    let half = Float::with_val(53, 2.5);
    let jn = MpfrFunction::named("jn").unwrap();
    assert!(jn.value(std::slice::from_ref(&two), 64).is_none());
    assert!(jn.value(&[half, two.clone()], 64).is_none(), "an index is an integer");
    assert!(jn.value(&[Float::with_val(53, 4096), two], 64).is_none(), "that takes too long for some operands");
    assert!(MpfrFunction::named("erfcx").is_none());
}

/// MPFR ends the process or goes on for hours where operands are large; here there is no value then.
#[test]
fn calls_come_to_an_end() {
    let operands = [0.0, 1.0, -1.5, 170.3, -170.3, 999.5, -999.5, 1e5, -123456.7, 1e17, -1e17, 1e300, -1e300, 5e-324];
    for name in MpfrFunction::names() {
        let function = MpfrFunction::named(name).unwrap();
        for x in operands {
            let x = Float::with_val(53, x);
            let operands: Vec<Float> = match function.operands() {
                [Operand::Integer, _] => vec![Float::with_val(53, 64), x],
                of => vec![x; of.len()],
            };
            let begun = std::time::Instant::now();
            if let Some((value, _)) = function.value(&operands, 1024) {
                assert_eq!(value.prec(), 1024);
            }
            let seconds = begun.elapsed().as_secs_f64();
            if seconds > 0.1 {
                println!("{name} {operands:?}: {seconds:.2} s");
            }
        }
    }
}
