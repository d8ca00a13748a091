//! Confirmation tells results that depend on memory that nobody wrote from those that do not.

use crate::fixture::{F64, Fixture, unary};
use labrys_program::ScalarType;

/// Whether `f(3)` of this source is not the same with every filling of what nobody wrote.
pub fn varies(source: &str, scalar: ScalarType) -> bool {
    let fixture = Fixture::of_signature("clang-22", source, unary(scalar), &["-O0"]);
    !fixture.confirm(&[3.0]).variations.is_empty()
}

#[test]
fn memory_that_nobody_wrote_is_told_from_memory_that_somebody_did() {
    let stack = |body: &str| format!("double f(double x) {{ volatile double a[64]; {body} return a[(int)x]; }}\n");
    assert!(varies(&stack(""), F64), "the stack");
    assert!(!varies(&stack("for (int i = 0; i < 64; i++) a[i] = i;"), F64));
    let heap = |allocate: &str| {
        format!("#include <stdlib.h>\ndouble f(double x) {{ volatile double *a = {allocate}; return a[(int)x]; }}\n")
    };
    assert!(varies(&heap("malloc(800)"), F64), "the heap");
    assert!(!varies(&heap("calloc(100, 8)"), F64));
}
