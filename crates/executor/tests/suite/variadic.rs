//! Arguments of variadic functions beyond the declared ones.

use labrys_executor::ViolationKind;

use crate::support::{holds, run};

const MIXED: &str = r#"
struct pair { int a; double b; };
static long mixed(const char *kinds, ...) {
    __builtin_va_list list, copy;
    __builtin_va_start(list, kinds);
    __builtin_va_copy(copy, list);
    long sum = __builtin_va_arg(copy, int);
    __builtin_va_end(copy);
    for (; *kinds; kinds++) {
        if (*kinds == 'i') sum += __builtin_va_arg(list, int);
        if (*kinds == 'd') sum += (long)__builtin_va_arg(list, double);
        if (*kinds == 'L') sum += (long)__builtin_va_arg(list, long double);
        if (*kinds == 'p') sum += *__builtin_va_arg(list, int *);
        if (*kinds == 's') { struct pair pair = __builtin_va_arg(list, struct pair); sum += pair.a + (long)pair.b; }
    }
    __builtin_va_end(list);
    return sum;
}
"#;

#[test]
fn arguments_are_read_in_their_order() {
    let main = "int main(void) { int x = 5; struct pair s = {7, 8}; assert(mixed(\"idLpsi\", 1, 2.0, 3.0L, &x, s, 100) == 127); }";
    holds(&format!("{MIXED}{main}"), 1);
}

/// Behind the last argument there is none.
#[test]
fn an_argument_too_few_is_an_access_outside() {
    let outcome = run(&format!("{MIXED}int main(void) {{ return (int)mixed(\"ii\", 1); }}"));
    let kinds: Vec<&ViolationKind> = outcome.violations.iter().map(|violation| &violation.kind).collect();
    assert!(matches!(kinds[..], [ViolationKind::OutOfBounds { is_write: false, .. }]), "{outcome:?}");
}
