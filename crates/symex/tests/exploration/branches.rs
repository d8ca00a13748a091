//! Paths: branches, loops, switches, symbolic addresses, and why they stop.

use labrys_interp::{MemoryFaultKind, Stop};
use labrys_program::{Access, Length, Parameter, ParameterType};
use labrys_symex::{Budget, Feasibility, Options, SiteOperator, StopReason, explore};
use labrys_term::{Evaluator, Model, Op, Store, TermId, Value};

use crate::support::{DOUBLE, INT, Subject, array, compile_text, doubles, run, run_with, subject, value};

fn function(text: &str, flags: &[&str], parameters: Vec<Parameter>) -> Subject {
    subject(compile_text(text, flags), "f", parameters, DOUBLE)
}

#[test]
fn a_branch_makes_two_paths_that_exclude_each_other() {
    let text = "double f(double x, double y) { if (x < y) return x / y; return y - x; }";
    let mut store = Store::new();
    let found = run(&function(text, &["-O0"], doubles(&["x", "y"])), &mut store);
    assert!(found.is_complete());
    let (x, y) = (store.variable("x", sort()), store.variable("y", sort()));
    let less = store.mk(Op::FpLt, &[x, y]);
    let not_less = store.not(less);
    assert_eq!(found.paths.iter().map(|path| path.condition).collect::<Vec<_>>(), [less, not_less]);
    // The comparison belongs to both paths and is listed once.
    let operators: Vec<_> = found.executions.iter().map(|execution| execution.site.operator.to_string()).collect();
    assert_eq!(operators, ["fcmp", "fdiv", "fsub"]);
    assert_eq!(found.executions[1].path, less);
    assert_eq!(found.executions[2].path, not_less);
}

fn sort() -> labrys_term::Sort {
    labrys_term::Sort::Float(labrys_float::Format::BINARY64)
}

#[test]
fn a_condition_is_decided_once_a_path() {
    let text = "double f(double x) { double r = x; if (x > 1) r = r + 1; if (x > 1) r = r * 2; if (!(x > 1)) r = 0; return r; }";
    let mut store = Store::new();
    let found = run(&function(text, &["-O0"], doubles(&["x"])), &mut store);
    assert!(found.is_complete());
    assert_eq!(found.paths.len(), 2);
}

#[test]
fn truth_values_in_memory_keep_their_conditions() {
    let text =
        "double f(double x) { int big = x > 1; int small = x < -1; int out = big | small; return out ? 1 / x : x; }";
    let mut store = Store::new();
    let found = run(&function(text, &["-O0"], doubles(&["x"])), &mut store);
    assert!(found.is_complete());
    assert_eq!(found.paths.len(), 2);
    let condition = store.node(found.paths[0].condition);
    assert_eq!(condition.op, Op::Or, "{condition:?}");
}

#[test]
fn a_select_is_a_term_not_a_fork() {
    let text = "double f(double x, double y) { return x < y ? x + 1 : y * 2; }";
    let mut store = Store::new();
    let found = run(&function(text, &["-O3", "-ffast-math"], doubles(&["x", "y"])), &mut store);
    assert!(found.is_complete());
    assert_eq!(found.paths.len(), 1);
    assert_eq!(store.node(found.paths[0].result.as_ref().unwrap()[0]).op, Op::Ite);
}

#[test]
fn loops_under_symbolic_control_stop_at_the_bound_and_others_run_on() {
    let text = "double f(double x, int n) { double s = 0; for (int i = 0; i < 300; i++) s += x; for (int i = 0; i < n; i++) s *= x; return s; }";
    let parameters = vec![value("x", DOUBLE), value("n", INT)];
    let subject = function(text, &["-O0"], parameters);
    let mut store = Store::new();
    let options = Options { loop_bound: 5, ..Options::default() };
    let found = run_with(&subject, &mut store, &options);
    let stops = found.stops();
    assert_eq!(stops.len(), 2, "{stops:?}");
    assert!(stops.contains(&(StopReason::Returned, 6)), "{stops:?}");
    assert!(stops.contains(&(StopReason::Stopped(Stop::LoopBound), 1)), "{stops:?}");
    let sums = found.executions.iter().filter(|execution| execution.site.operator == SiteOperator::Add);
    assert_eq!(sums.count(), 300);

    // With n fixed nothing is symbolic.
    let options = Options { fixed: vec![("n".to_owned(), 7)], loop_bound: 5, ..Options::default() };
    let found = run_with(&subject, &mut store, &options);
    assert!(found.is_complete());
    assert_eq!(found.paths.len(), 1);
}

#[test]
fn an_inner_loop_is_counted_anew_each_time_it_is_entered() {
    let text = "double f(double x, int n) { double s = x; for (int i = 0; i < 3; i++) for (int j = 0; j < (n & 1); j++) s *= x; return s; }";
    let mut store = Store::new();
    let options = Options { loop_bound: 2, ..Options::default() };
    let found = run_with(&function(text, &["-O0"], vec![value("x", DOUBLE), value("n", INT)]), &mut store, &options);
    assert!(found.stops().iter().any(|(why, _)| *why == StopReason::Returned));
    let longest = found.executions.iter().filter(|execution| execution.site.operator == SiteOperator::Mul).count();
    assert!(longest >= 3, "{longest}");
}

#[test]
fn a_switch_has_a_path_for_each_case_and_the_rest() {
    let text =
        "double f(double x, int n) { switch (n) { case 1: return x + 1; case 5: return x * 5; default: return -x; } }";
    for flags in ["-O0", "-O2"] {
        let mut store = Store::new();
        let found = run(&function(text, &[flags], vec![value("x", DOUBLE), value("n", INT)]), &mut store);
        assert!(found.is_complete(), "{flags} {:?}", found.stops());
        assert_eq!(found.paths.len(), 3, "{flags}");
    }
}

#[test]
fn a_symbolic_index_is_split_over_the_elements() {
    let text = "double f(double a[4], int i) { return 1 / a[i]; }";
    let parameters = vec![array("a", DOUBLE, 4, Access::In), value("i", INT)];
    let mut store = Store::new();
    let found = run(&function(text, &["-O0"], parameters), &mut store);
    let stops = found.stops();
    assert!(stops.contains(&(StopReason::Returned, 4)), "{stops:?}");
    let is_outside = |why: &StopReason| matches!(why, StopReason::Stopped(Stop::Memory(fault)) if fault.kind == MemoryFaultKind::OutOfBounds);
    assert_eq!(stops.iter().filter(|(why, count)| is_outside(why) && *count == 1).count(), 1, "{stops:?}");
    let divisors: Vec<TermId> = found
        .executions
        .iter()
        .filter(|execution| execution.site.operator == SiteOperator::Div)
        .map(|execution| execution.operands[1])
        .collect();
    let elements: Vec<TermId> = (0..4).map(|i| store.variable(&format!("a[{i}]"), sort())).collect();
    assert_eq!(divisors, elements);
}

#[test]
fn a_large_table_is_one_selection_and_what_was_checked_is_inside() {
    let body = "static const double t[40] = { 1, 2, 4, [20] = 3, [39] = 5 };";
    let text = format!("{body} double f(int n) {{ if (n < 0 || n > 39) return -1; return t[n]; }}");
    let mut store = Store::new();
    let subject = function(&text, &["-O0"], vec![value("n", INT)]);
    let found = run(&subject, &mut store);
    assert!(found.is_complete(), "{:?}", found.stops());
    assert_eq!(found.paths.len(), 3);
    let result = found.paths.iter().filter_map(|path| path.result.as_ref()).map(|result| result[0]);
    let selection = result.filter(|term| store.node(*term).op == Op::Ite).collect::<Vec<_>>();
    let n = store.variable("n", labrys_term::Sort::BitVec(32));
    for (index, expected) in [(0, 1.0), (1, 2.0), (2, 4.0), (3, 0.0), (20, 3.0), (38, 0.0), (39, 5.0)] {
        let mut model = Model::new();
        model.set_term(&store, n, Value::bit_vector(32, index as u32));
        let found = Evaluator::new(&store, &model).value(selection[0]).unwrap();
        assert_eq!(found, Value::float(labrys_float::Float::from_f64(expected)), "{index}");
    }
    // Without the check there is a path for what is outside.
    let text = format!("{body} double f(int n) {{ return t[n]; }}");
    let found = run(&function(&text, &["-O0"], vec![value("n", INT)]), &mut store);
    assert_eq!(found.paths.len(), 2, "{:?}", found.stops());
    assert!(found.stops().iter().any(|(why, _)| matches!(why, StopReason::Stopped(Stop::Memory(_)))));
}

#[test]
fn lengths_of_arrays_are_enumerated() {
    let text = "double f(const double *a, int n) { double s = 0; for (int i = 0; i < n; i++) s += a[i]; return s; }";
    for flags in [&["-O0"][..], &["-O3", "-ffast-math", "-march=haswell"]] {
        let mut a = array("a", DOUBLE, 0, Access::In);
        if let ParameterType::Pointer { length, .. } = &mut a.ty {
            *length = Length::Parameter { index: 1, max: 40, beyond: 0 };
        }
        let mut store = Store::new();
        let found = run(&function(text, flags, vec![a, value("n", INT)]), &mut store);
        assert!(found.is_complete(), "{flags:?} {:?}", found.stops());
        assert_eq!(found.paths.len(), 41, "{flags:?}");
        let n = store.variable("n", labrys_term::Sort::BitVec(32));
        let seven = store.bv_const(32, 7u8);
        assert_eq!(found.paths[7].condition, store.mk(Op::Eq, &[n, seven]), "{flags:?}");
    }
}

#[test]
fn arrays_are_written_back() {
    let text = "double f(double a[3]) { a[1] = a[0] + a[2]; return a[1]; }";
    let mut store = Store::new();
    let found = run(&function(text, &["-O2"], vec![array("a", DOUBLE, 3, Access::InOut)]), &mut store);
    let result = found.paths[0].result.as_ref().unwrap();
    assert_eq!(result.len(), 4);
    assert_eq!(result[0], result[2]);
    assert_eq!(result[1], store.variable("a[0]", sort()));
    assert_eq!(store.node(result[0]).op, Op::FpAdd);
}

#[test]
fn equal_library_calls_are_one_variable_with_its_range() {
    let text = "#include <math.h>\ndouble f(double x) { return sin(x) / (sin(x) + 2) + cos(x); }";
    let mut store = Store::new();
    let found = run(&function(text, &["-O0"], doubles(&["x"])), &mut store);
    assert!(found.is_complete(), "{:?}", found.stops());
    let names: Vec<_> = found.library_calls.iter().map(|call| call.call.operator()).collect();
    assert_eq!(names, ["sin", "cos"]);
    assert!(found.library_calls.iter().all(|call| call.fact.is_some()));
    let calls = found.executions.iter().filter(|execution| matches!(execution.site.operator, SiteOperator::Library(_)));
    assert_eq!(calls.count(), 3);
}

#[test]
fn square_roots_of_the_library_are_operations() {
    let text = "#include <math.h>\ndouble f(double x) { return sqrt(x) + fabs(x); }";
    let mut store = Store::new();
    let found = run(&function(text, &["-O0"], doubles(&["x"])), &mut store);
    let operators: Vec<_> = found.executions.iter().map(|execution| execution.site.operator.to_string()).collect();
    assert_eq!(operators, ["fsqrt", "fadd"]);
}

#[test]
fn uninitialised_memory_is_marked_or_stops_the_path() {
    let text = "double f(double x) { double y; if (x > 0) y = x; return x + y; }";
    let mut store = Store::new();
    let found = run(&function(text, &["-O0"], doubles(&["x"])), &mut store);
    let sums: Vec<bool> = found
        .executions
        .iter()
        .filter(|execution| execution.site.operator == SiteOperator::Add)
        .map(|execution| execution.reached_by_poison)
        .collect();
    assert_eq!(sums, [false, true]);
    assert_eq!(found.paths.iter().map(|path| path.is_tainted[0]).collect::<Vec<_>>(), [false, true]);

    let text = "double f(double x) { int y; if (y) return x; return 0; }";
    let found = run(&function(text, &["-O0"], doubles(&["x"])), &mut store);
    assert_eq!(found.stops(), [(StopReason::Stopped(Stop::Undefined), 1)]);
}

#[test]
fn limits_are_reported_not_silent() {
    let text =
        "double f(double x, int n) { double s = 0; while (n) { if (n & 1) s += x; n >>= 1; x *= x; } return s; }";
    let subject = function(text, &["-O0"], vec![value("x", DOUBLE), value("n", INT)]);
    let mut store = Store::new();
    let found = run_with(&subject, &mut store, &Options { max_paths: 5, ..Options::default() });
    assert!(!found.is_complete());
    assert!(found.stops().iter().any(|(why, _)| *why == StopReason::Budget(Budget::Paths)));
    let found = run_with(&subject, &mut store, &Options { max_total_instructions: 50, ..Options::default() });
    assert!(found.stops().iter().any(|(why, _)| *why == StopReason::Budget(Budget::Instructions)));
}

/// Rules out one condition.
struct Never(TermId);

impl Feasibility for Never {
    fn rules_out(&mut self, _: &mut Store, _: TermId, condition: TermId) -> bool {
        condition == self.0
    }
}

#[test]
fn paths_that_are_ruled_out_are_not_taken() {
    let text = "double f(double x, double y) { if (x < y) return x / y; return y - x; }";
    let Subject { program, function, binding, signature } = function(text, &["-O0"], doubles(&["x", "y"]));
    let mut store = Store::new();
    let (x, y) = (store.variable("x", sort()), store.variable("y", sort()));
    let mut never = Never(store.mk(Op::FpLt, &[x, y]));
    let options = Options::default();
    let found = explore(&program, function, &binding, &signature, &mut store, &options, &mut never);
    assert_eq!((found.paths.len(), found.ruled_out), (1, 1));
    assert!(found.executions.iter().all(|execution| execution.site.operator != SiteOperator::Div));
}

/// malloc returns null nowhere here, so that whoever builds on the paths has to say so.
#[test]
fn allocations_are_told_of() {
    let text = "#include <stdlib.h>\ndouble f(double x) { double *p = malloc(8); if (!p) return 1 / x; *p = x; x = *p; free(p); return x; }";
    let mut store = Store::new();
    let found = run(&function(text, &["-O0"], doubles(&["x"])), &mut store);
    assert!(found.is_complete() && found.allocates, "{:?}", found.stops());
    assert!(found.executions.is_empty());
    let found = run(&function("double f(double x) { return 1 / x; }", &["-O0"], doubles(&["x"])), &mut store);
    assert!(found.is_complete() && !found.allocates);
}
