//! Memory at offsets that are not known.

use labrys_executor::ViolationKind;

use crate::support::{holds, run, violates};

#[test]
fn an_index_is_checked_at_both_ends() {
    let text = |low: i32, high: i32| {
        format!(
            "int main(void) {{ int a[5] = {{1,2,3,4,5}}; int i = __VERIFIER_nondet_int(); if (i < {low} || i > {high}) return 0; return a[i]; }}"
        )
    };
    let read = ViolationKind::OutOfBounds { is_write: false, size: 4 };
    let violation = violates(&text(0, 5), read.clone());
    assert_eq!(violation.input.objects[0].bytes, [5, 0, 0, 0]);
    let violation = violates(&text(-1, 4), read);
    assert_eq!(violation.input.objects[0].bytes, [255; 4]);
    holds(&text(0, 4), 1);
}

#[test]
fn reads_select_what_is_there() {
    let text =
        "int main(void) { int a[5] = {1,2,3,4,5}; unsigned i = __VERIFIER_nondet_uint(); __VERIFIER_assume(i < 5);
        assert(a[i] == (int)i + 1); return 0; }";
    holds(text, 1);
    let text = "int main(void) { double a[4] = {1.5, 2.5, 3.5, 4.5}; unsigned i = __VERIFIER_nondet_uint(); __VERIFIER_assume(i < 4);
        assert(a[i] != 3.5); return 0; }";
    let violation = violates(text, ViolationKind::Assertion("a[i] != 3.5".into()));
    assert_eq!(violation.input.objects[0].bytes, [2, 0, 0, 0]);
}

#[test]
fn writes_replace_what_is_there_and_nothing_else() {
    let text = "int main(void) { int a[4] = {0}; unsigned i = __VERIFIER_nondet_uint(), j = __VERIFIER_nondet_uint();
        __VERIFIER_assume(i < 4 && j < 4); a[i] = 7; assert(a[j] == (i == j ? 7 : 0)); return 0; }";
    let outcome = run(text);
    assert!(outcome.violations.is_empty() && outcome.unexplored.is_empty(), "{outcome:?}");
    let text = "int main(void) { char a[8] = {0}; unsigned i = __VERIFIER_nondet_uint(); __VERIFIER_assume(i <= 4);
        int v = 0x01020304; memcpy(a + i, &v, 4); assert(a[i] == 4 && a[i + 3] == 1); return 0; }";
    let outcome = run(text);
    assert!(outcome.violations.is_empty() && outcome.unexplored.is_empty(), "{outcome:?}");
}

#[test]
fn pointers_into_several_objects_part_paths() {
    let text = "int main(void) { int x = 1, y = 2; int *p = __VERIFIER_nondet_bool() ? &x : &y; *p = 5;
        assert((x == 5 && y == 2) || (x == 1 && y == 5)); return 0; }";
    let outcome = run(text);
    assert!(outcome.violations.is_empty() && outcome.unexplored.is_empty(), "{outcome:?}");
    let text = "int main(void) { int x = 1, y = 2; int *p[3] = {&x, &y, &x}; unsigned i = __VERIFIER_nondet_uint();
        __VERIFIER_assume(i < 3); assert(*p[i] == 1 + (i == 1)); return 0; }";
    let outcome = run(text);
    assert!(outcome.violations.is_empty() && outcome.unexplored.is_empty(), "{outcome:?}");
}

#[test]
fn undefined_elements_are_told_from_defined_ones() {
    let text =
        "int main(void) { int a[3]; a[0] = 1; a[1] = 1; unsigned i = __VERIFIER_nondet_uint(); if (i > 2) return 0;
        if (a[i]) return 1; return 0; }";
    let violation = violates(text, ViolationKind::Uninitialised);
    assert_eq!(violation.input.objects[0].bytes, [2, 0, 0, 0]);
    let text = "int main(void) { int a[3]; unsigned i = __VERIFIER_nondet_uint(); if (i > 2) return 0; a[i] = 1; if (a[i]) return 1; return 0; }";
    let outcome = run(text);
    assert!(outcome.violations.is_empty() && outcome.unexplored.is_empty(), "{outcome:?}");
}

#[test]
fn addresses_made_of_integers_find_their_objects() {
    holds(
        "int main(void) { int a[4] = {1,2,3,4}; unsigned long i = __VERIFIER_nondet_ulong(); __VERIFIER_assume(i < 4);
        int *p = (int *)((unsigned long)a + 4 * i); assert(*p == (int)i + 1); return 0; }",
        1,
    );
    let outcome = run("int main(void) { int *p = __VERIFIER_nondet_pointer(); return *p; }");
    assert!(outcome.violations.iter().any(|violation| violation.kind == ViolationKind::Null), "{outcome:?}");
    assert_eq!(outcome.unexplored.len(), 1);
}

/// Where an offset has too many places for a selection, but few values on the path, that parts over these: those of the input that it hangs on, or those
/// that the solver finds.
#[test]
fn few_offsets_of_a_large_table_are_followed_one_by_one() {
    let text = |bounds: &str| {
        format!(
            "static int table[100000]; int main(void) {{ unsigned i = __VERIFIER_nondet_uint(); {bounds}
             unsigned k = i * 97777u % 99991u; table[k] = 1; assert(table[k] == 1 && table[99995] == 0); return 0; }}"
        )
    };
    let outcome = run(&text("if (i >= 12) return 0;"));
    assert!(outcome.violations.is_empty() && outcome.unexplored.is_empty(), "{outcome:?}");
    assert_eq!(outcome.paths.completed, 13);
    holds(&text("i = i % 3 * 7;"), 3);
}

/// A byte that is looked for in a table has its place as a number: base 64 had a path for each of four letters.
#[test]
fn places_in_tables_are_numbers() {
    let table = "static const char T[] = \"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/\";";
    holds(
        &format!(
            "{table} int main(void) {{ unsigned char a = __VERIFIER_nondet_uchar(), b = __VERIFIER_nondet_uchar();
             char text[2] = {{T[a >> 2], T[(a & 3) << 4 | b >> 4]}}; unsigned all = 0;
             for (int i = 0; i < 2; i++) {{ char *at = strchr(T, text[i]); assert(at && *at == text[i]); all = all << 6 | (at - T); }}
             assert(all >> 4 == a && (all & 15) == b >> 4); return 0; }}"
        ),
        1,
    );
    // The first of several, the zero at the end, and none.
    holds(
        "int main(void) { char c = __VERIFIER_nondet_char(); char *at = strchr(\"abcab\", c);
         if (at) assert(*at == c); else assert((c - 'a') * (c - 'b') * (c - 'c') * c); return 0; }",
        2,
    );
    violates(
        "int main(void) { const char *s = \"abcab\"; char *at = strchr(s, __VERIFIER_nondet_char()); assert(!at || at - s != 5); return 0; }",
        ViolationKind::Assertion("!at || at - s != 5".into()),
    );
    holds(
        "int main(void) { const char *s = \"abcab\"; char *at = strchr(s + 1, __VERIFIER_nondet_char()); assert(!at || (at - s != 4 && at - s >= 1)); return 0; }",
        2,
    );
}
