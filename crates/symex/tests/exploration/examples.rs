//! The example programs, explored.

use std::time::Instant;

use labrys_symex::{SiteOperator, StopReason};
use labrys_term::{Op, Store};

use crate::support::{DOUBLE, Subject, compile, doubles, example, run, subject};

fn turbine(flags: &[&str]) -> Subject {
    subject(compile(&example("turbine1.c"), flags), "turbine1", doubles(&["v", "w", "r"]), DOUBLE)
}

#[test]
fn unoptimised_turbine_executes_fourteen_operations() {
    let mut store = Store::new();
    let found = run(&turbine(&["-O0"]), &mut store);
    assert!(found.is_complete(), "{:?}", found.stops());
    assert_eq!(found.paths.len(), 1);
    let operators: Vec<String> = found.executions.iter().map(|execution| execution.site.operator.to_string()).collect();
    assert_eq!(
        operators,
        [
            "fmul", "fdiv", "fadd", "fmul", "fadd", "fmul", "fmul", "fmul", "fmul", "fmul", "fsub", "fdiv", "fsub",
            "fsub"
        ]
    );
    // w·w·r·r is a product of four factors, of which the first two are the same variable.
    let square = &found.executions[6];
    assert_eq!(square.operands[0], square.operands[1]);
    assert!(matches!(store.node(square.operands[0]).op, Op::Variable(_)));
    assert!(found.executions.iter().all(|execution| !execution.reached_by_poison && execution.site.location.is_some()));
    assert_eq!(found.paths[0].result.as_ref().unwrap()[0], found.executions[13].result);
}

#[test]
fn fast_turbine_is_explored_completely() {
    for flags in [&["-O3", "-ffast-math"][..], &["-O3", "-ffast-math", "-march=haswell"], &["-O2"]] {
        let mut store = Store::new();
        let found = run(&turbine(flags), &mut store);
        assert!(found.is_complete(), "{flags:?} {:?}", found.stops());
        assert_eq!(found.paths.len(), 1, "{flags:?}");
        assert!(found.executions.iter().all(|execution| !execution.reached_by_poison), "{flags:?}");
        let divisions = found.executions.iter().filter(|execution| execution.site.operator == SiteOperator::Div);
        assert_eq!(divisions.count(), 2, "{flags:?}");
    }
}

#[test]
fn equal_builds_give_equal_terms() {
    let mut store = Store::new();
    let first = run(&turbine(&["-O0"]), &mut store);
    let terms = store.len();
    let second = run(&turbine(&["-O0"]), &mut store);
    assert_eq!(store.len(), terms);
    assert_eq!(first.paths[0].result, second.paths[0].result);
}

#[test]
fn the_odometer_is_unrolled_within_its_time() {
    for flags in [&["-O0"][..], &["-O3", "-ffast-math"]] {
        let subject = subject(compile(&example("odometer.c"), flags), "odometer", doubles(&["sl", "sr"]), DOUBLE);
        let mut store = Store::new();
        let start = Instant::now();
        let found = run(&subject, &mut store);
        let elapsed = start.elapsed();
        assert!(found.is_complete(), "{flags:?} {:?}", found.stops());
        assert_eq!(found.paths[0].why, StopReason::Returned);
        assert!(found.executions.len() > 1000, "{flags:?} {}", found.executions.len());
        // Measured: 10 ms. The bound leaves room for a busy machine.
        assert!(elapsed.as_secs_f64() < 0.2, "{flags:?} {elapsed:?}");
        eprintln!("{flags:?}: {} executions, {} terms, {elapsed:?}", found.executions.len(), store.len());
    }
}

#[test]
fn every_example_is_straight_line_code_in_every_build() {
    let programs: [(&str, &[&str]); 5] = [
        ("turbine1", &["v", "w", "r"]),
        ("turbine3", &["v", "w", "r"]),
        ("jetengine", &["x1", "x2"]),
        ("carbongas", &["v"]),
        ("odometer", &["sl", "sr"]),
    ];
    for (name, parameters) in programs {
        for flags in [&["-O0"][..], &["-O3", "-ffast-math"], &["-O3", "-ffast-math", "-march=skylake-avx512"]] {
            let program = compile(&example(&format!("{name}.c")), flags);
            let mut store = Store::new();
            let found = run(&subject(program, name, doubles(parameters), DOUBLE), &mut store);
            assert!(found.is_complete(), "{name} {flags:?} {:?}", found.stops());
            assert_eq!(found.paths.len(), 1, "{name} {flags:?}");
            assert!(!found.paths[0].is_tainted[0], "{name} {flags:?}");
            let sites = found.executions.iter().filter(|execution| !execution.reached_by_poison).count();
            assert!(sites > 3, "{name} {flags:?} {sites}");
        }
    }
}
