//! Promoted IR, and the call graph.

use labrys_program::{CallGraph, InstructionKind, Program};

use crate::build::{Source, function, kinds};

const CODE: &str = "struct pair { double a, b; };
double f(double x, int n) {
    double unused = x / 3;
    struct pair p;
    p.b = x * 7;
    double s = 0;
    for (int i = 0; i < n; i++) s = s + x;
    return s;
}";

fn count(program: &Program, of: impl Fn(&InstructionKind) -> bool) -> usize {
    kinds(function(program, "f")).into_iter().filter(|kind| of(kind)).count()
}

#[test]
fn scalar_locals_become_values_and_no_float_operation_is_lost() {
    let source = Source::new("a.c", CODE);
    let path = source.bitcode("-O0");
    let plain = Program::from_ir_file(&path).expect("it loads");
    let promoted = Program::from_ir_file_promoted(&path).expect("it loads");
    let is_alloca = |kind: &InstructionKind| matches!(kind, InstructionKind::Alloca(..));
    assert!(count(&plain, is_alloca) > count(&promoted, is_alloca));
    assert_eq!(count(&promoted, is_alloca), 1, "the struct stays in memory");
    assert_eq!(count(&promoted, |kind| matches!(kind, InstructionKind::Phi(_))), 2);
    // Among them the quotient and the product that nobody reads.
    let is_float = |kind: &InstructionKind| matches!(kind, InstructionKind::FloatBinary(..));
    assert_eq!(count(&plain, is_float), 3);
    assert_eq!(count(&promoted, is_float), 3);
    let text = promoted.display().to_string();
    assert!(text.contains("a.c:3:"), "locations stay: {text}");
}

#[test]
fn calls_through_pointers_reach_the_functions_of_their_type_whose_address_is_taken() {
    let source = Source::new(
        "a.c",
        "static double one(double x) { return x; } static double two(double x, double y) { return x + y; }
         double other(double x) { return x - 1; } double never(double x) { return one(x); }
         static double (*table[])(double) = { one }; double (*pointer)(double, double) = two;
         double f(int i, double x) { double (*g)(double) = i ? table[0] : other; return g(x); }",
    );
    let program = source.program("-O0");
    let id = |name: &str| program.function(name).expect("it is there");
    let graph = CallGraph::new(&program);
    let mut reached = vec![id("one"), id("other")];
    reached.sort_unstable();
    assert_eq!(graph.callees(id("f")), reached);
    assert_eq!(graph.callees(id("never")), [id("one")]);
    assert_eq!(graph.reachable(id("f")).len(), 3);
    assert!(graph.address_taken().contains(&id("two")) && !graph.address_taken().contains(&id("never")));
}
