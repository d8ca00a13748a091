//! Random calls of flang's runtime as C statements: on arrays with random elements, described as flang describes them.

use std::path::Path;
use std::process::Command;

use rand::RngExt;
use rand_pcg::Pcg64;

use crate::calls::any_double;

/// Arrays' descriptors, and what calls tell of them.
pub const DESCRIPTORS: &str = r#"
#include <stdbool.h>
#include <stdint.h>
struct dimension { int64_t lower, extent, stride; };
struct array { char *base; uint64_t size; int32_t version; int8_t rank, type, attribute, extra; struct dimension dimensions[15]; };
enum { REAL4 = 27, REAL8 = 28, INTEGER4 = 9, LOGICAL4 = 14 };
static double plain(double x) { return x != x ? (double)NAN : x; }
static struct array shaped(int type, int size, void *data, int rank, long rows, long columns) {
    struct array a = {(char *)data, size, 20240719, rank, type, 0, 0, {{1, rows, size}, {1, columns, size * rows}}};
    return a;
}
static struct array empty(int rank) {
    struct array a = {0, 8, 20240719, rank, REAL8, 2, 0, {{1, 0, 8}, {1, 0, 8}}};
    return a;
}
static void mix_array(struct array *a) {
    long count = 1;
    mix((unsigned long)a->rank); mix((unsigned long)a->type); mix(a->size);
    for (int i = 0; i < a->rank; i++) { mix((unsigned long)a->dimensions[i].extent); count *= a->dimensions[i].extent; }
    for (long i = 0; i < count; i++) {
        if (a->type == REAL8) mix_double(plain(((double *)a->base)[i]));
        else if (a->type == REAL4) mix_double(plain(((float *)a->base)[i]));
        else mix((unsigned long)((int *)a->base)[i]);
    }
}
#define SUM(name, type) type name(const struct array *, const char *, int, int, const struct array *);
SUM(_FortranASumReal8, double) SUM(_FortranAProductReal8, double) SUM(_FortranAMaxvalReal8, double) SUM(_FortranAMinvalReal8, double)
SUM(_FortranASumReal4, float) SUM(_FortranAProductReal4, float) SUM(_FortranAMaxvalReal4, float) SUM(_FortranAMinvalReal4, float)
SUM(_FortranASumInteger4, int) SUM(_FortranAProductInteger4, int) SUM(_FortranAMaxvalInteger4, int) SUM(_FortranAMinvalInteger4, int)
bool _FortranAAny(const struct array *, const char *, int, int); bool _FortranAAll(const struct array *, const char *, int, int);
int64_t _FortranACount(const struct array *, const char *, int, int);
double _FortranANorm2_8(const struct array *, const char *, int, int);
double _FortranADotProductReal8(const struct array *, const struct array *, const char *, int);
float _FortranADotProductReal4(const struct array *, const struct array *, const char *, int);
#define LOCATE(name) void name(struct array *, const struct array *, int, const char *, int, const struct array *, bool);
LOCATE(_FortranAMaxlocReal8) LOCATE(_FortranAMinlocReal8) LOCATE(_FortranAMaxlocReal4) LOCATE(_FortranAMinlocReal4)
void _FortranASumDim(struct array *, const struct array *, int, const char *, int, const struct array *);
void _FortranAMaxvalDim(struct array *, const struct array *, int, const char *, int, const struct array *);
void _FortranAMatmulReal8Real8(struct array *, const struct array *, const struct array *, const char *, int);
void _FortranAMatmulReal4Real8(struct array *, const struct array *, const struct array *, const char *, int);
void _FortranAMatmulReal4Real4(struct array *, const struct array *, const struct array *, const char *, int);
void _FortranATranspose(struct array *, const struct array *, const char *, int);
void _FortranASpread(struct array *, const struct array *, int, int64_t, const char *, int);
void _FortranACshiftVector(struct array *, const struct array *, int64_t, const char *, int);
void _FortranAPack(struct array *, const struct array *, const struct array *, const struct array *, const char *, int);
void _FortranAReshape(struct array *, const struct array *, const struct array *, const struct array *, const struct array *, const char *, int);
void _FortranAAssign(struct array *, const struct array *, const char *, int);
double _FortranAModReal8(double, double, const char *, int);
double _FortranAModuloReal8(double, double, const char *, int);
double _FortranAFPow8i(double, int);
float _FortranAFPow4i(float, int);
int _FortranAExponent8_4(double);
double _FortranAFraction8(double);
double _FortranASpacing8(double);
double _FortranARRSpacing8(double);
double _FortranASetExponent8(double, int64_t);
double _FortranAScale8(double, int64_t);
float _FortranASpacing4(float);
"#;

/// What a program that calls flang's runtime is linked with.
pub fn runtime(text: &str) -> Option<String> {
    if !text.contains("_FortranA") {
        return None;
    }
    let found = Command::new("clang-22").arg("-print-file-name=libflang_rt.runtime.a").output().unwrap();
    let path = String::from_utf8(found.stdout).unwrap().trim().to_owned();
    assert!(Path::new(&path).is_absolute(), "flang-22's runtime is not there: {path}");
    Some(path)
}

fn list(random: &mut Pcg64, count: usize) -> String {
    (0..count).map(|_| any_double(random)).collect::<Vec<_>>().join(", ")
}

fn flags(random: &mut Pcg64, count: usize) -> String {
    (0..count).map(|_| random.random_range(0..2).to_string()).collect::<Vec<_>>().join(", ")
}

/// Sums and their kin over vectors and matrices, masked or not.
pub fn reductions(random: &mut Pcg64) -> String {
    let (rank, rows, columns): (usize, usize, usize) =
        (random.random_range(1..3), random.random_range(1..6), random.random_range(1..4));
    let count = if rank == 1 { rows } else { rows * columns };
    let (values, others, mask) = (list(random, count), list(random, count), flags(random, count));
    let masked = if random.random_range(0..2) == 0 { "&m" } else { "0" };
    let (ty, code, kind, size) = match random.random_range(0..3) {
        0 => ("float", "REAL4", "Real4", 4),
        1 => ("double", "REAL8", "Real8", 8),
        _ => ("int", "INTEGER4", "Integer4", 4),
    };
    let values = match ty {
        "int" => (0..count).map(|_| random.random_range(-9..10).to_string()).collect::<Vec<_>>().join(", "),
        _ => values,
    };
    let mut text = format!(
        "{ty} data[] = {{{values}}}; {ty} more[] = {{{}}}; int flags[] = {{{mask}}}; struct array x = shaped({code}, {size}, data, {rank}, {rows}, {columns}), y = shaped({code}, {size}, more, 1, {rows}, 1), m = shaped(LOGICAL4, 4, flags, {rank}, {rows}, {columns}), r = empty(1); ",
        if ty == "int" { "0".to_owned() } else { others },
    );
    for name in ["Any", "All", "Count"] {
        text.push_str(&format!("mix((unsigned long)_FortranA{name}(&m, \"\", 0, {})); ", random.random_range(0..2)));
    }
    for name in ["Sum", "Product", "Maxval", "Minval"] {
        text.push_str(&format!("mix_double(plain((double)_FortranA{name}{kind}(&x, \"\", 0, 0, {masked}))); "));
    }
    if ty != "int" {
        for name in ["Maxloc", "Minloc"] {
            let back = random.random_range(0..2);
            text.push_str(&format!(
                "r = empty(1); _FortranA{name}{kind}(&r, &x, 4, \"\", 0, {masked}, {back}); mix_array(&r); "
            ));
        }
        if rank == 1 {
            text.push_str(&format!("mix_double(plain(_FortranADotProduct{kind}(&x, &y, \"\", 0))); "));
        }
    }
    if ty == "double" {
        text.push_str("mix_double(plain(_FortranANorm2_8(&x, \"\", 0, 0))); ");
    }
    if rank == 2 {
        let dimension = random.random_range(1..3);
        text.push_str(&format!(
            "r = empty(1); _FortranASumDim(&r, &x, {dimension}, \"\", 0, {masked}); mix_array(&r); "
        ));
        text.push_str(&format!(
            "r = empty(1); _FortranAMaxvalDim(&r, &x, {dimension}, \"\", 0, {masked}); mix_array(&r); "
        ));
    }
    text
}

/// Products of matrices, and arrays in other shapes.
pub fn shapes(random: &mut Pcg64) -> String {
    let (n, k, p): (usize, usize, usize) =
        (random.random_range(1..4), random.random_range(1..4), random.random_range(1..4));
    let (a, b) = (list(random, n * k), list(random, k * p));
    let kinds = [
        ("Real8Real8", "double", "REAL8", 8, "double", "REAL8", 8),
        ("Real4Real8", "float", "REAL4", 4, "double", "REAL8", 8),
    ];
    let (name, x, x_code, x_size, y, y_code, y_size) = kinds[random.random_range(0..2)];
    let mut text = format!(
        "{x} a[] = {{{a}}}; {y} b[] = {{{b}}}; struct array x = shaped({x_code}, {x_size}, a, 2, {n}, {k}), y = shaped({y_code}, {y_size}, b, 2, {k}, {p}), r = empty(2); _FortranAMatmul{name}(&r, &x, &y, \"\", 0); mix_array(&r); "
    );
    let shift = random.random_range(-5..6);
    text.push_str(&format!(
        "r = empty(2); _FortranATranspose(&r, &x, \"\", 0); mix_array(&r); struct array v = shaped({x_code}, {x_size}, a, 1, {}, 1); r = empty(1); _FortranACshiftVector(&r, &v, {shift}, \"\", 0); mix_array(&r); r = empty(2); _FortranASpread(&r, &v, {}, 2, \"\", 0); mix_array(&r); ",
        n * k,
        random.random_range(1..3),
    ));
    let mask = flags(random, n * k);
    text.push_str(&format!(
        "int flags[] = {{{mask}}}; struct array m = shaped(LOGICAL4, 4, flags, 2, {n}, {k}); r = empty(1); _FortranAPack(&r, &x, &m, 0, \"\", 0); mix_array(&r); int sizes[] = {{{k}, {n}}}; struct array s = shaped(INTEGER4, 4, sizes, 1, 2, 1); r = empty(2); _FortranAReshape(&r, &x, &s, 0, 0, \"\", 0); mix_array(&r); "
    ));
    // Backwards onto itself, and onto one that is allocated by it.
    text.push_str(&format!(
        "struct array back = v; back.base += {x_size} * {}; back.dimensions[0].stride = -{x_size}; struct array to = empty(1); to.type = v.type; to.size = v.size; _FortranAAssign(&to, &back, \"\", 0); mix_array(&to); _FortranAAssign(&v, &back, \"\", 0); mix_array(&v); ",
        n * k - 1,
    ));
    text
}

/// Functions of one number or two.
pub fn numbers(random: &mut Pcg64) -> String {
    let (x, n) = (any_double(random), random.random_range(-20..21));
    let y = match random.random_range(0..3) {
        0 => format!("{}.0", random.random_range(1..9)),
        1 => format!("-{}.0", random.random_range(1..9)),
        _ => format!("{}.5", random.random_range(-9..9)),
    };
    format!(
        "double x = {x}; int n = {n}; mix_double(plain(_FortranAModReal8(x, {y}, \"\", 0))); mix_double(plain(_FortranAModuloReal8(x, {y}, \"\", 0))); mix_double(plain(_FortranAFPow8i(x, n))); mix_double(plain(_FortranAFPow4i((float)x, n))); mix((unsigned long)_FortranAExponent8_4(x)); mix_double(plain(_FortranAFraction8(x))); mix_double(plain(_FortranASpacing8(x))); mix_double(plain(_FortranARRSpacing8(x))); mix_double(plain(_FortranASetExponent8(x, n))); mix_double(plain(_FortranAScale8(x, n))); mix_double(plain(_FortranASpacing4((float)x)));"
    )
}

/// Statements that read items of several types, and what they tell of them.
pub const READING: &str = r#"
#include <stdbool.h>
#include <stdint.h>
void *_FortranAioBeginExternalListInput(int, const char *, int);
void *_FortranAioBeginExternalFormattedInput(const char *, size_t, const void *, int, const char *, int);
void *_FortranAioBeginInternalListInput(const char *, size_t, void **, size_t, const char *, int);
void *_FortranAioBeginInternalFormattedInput(const char *, size_t, const char *, size_t, const void *, void **, size_t, const char *, int);
void _FortranAioEnableHandlers(void *, bool, bool, bool, bool, bool);
bool _FortranAioInputInteger(void *, int64_t *, int);
bool _FortranAioInputReal64(void *, double *);
bool _FortranAioInputReal32(void *, float *);
bool _FortranAioInputLogical(void *, bool *);
bool _FortranAioInputAscii(void *, char *, size_t);
bool _FortranAioInputComplex64(void *, double *);
int32_t _FortranAioEndIoStatement(void *);
static void read_items(void *statement, const char *kinds) {
    _FortranAioEnableHandlers(statement, true, false, false, false, false);
    feclearexcept(FE_ALL_EXCEPT);
    for (bool is_good = true; *kinds && is_good; kinds++) {
        int64_t integer = -77; double real[2] = {-77, -77}; float single = -77; bool truth = false; char text[7] = "------";
        switch (*kinds) {
        case 'b': is_good = _FortranAioInputInteger(statement, &integer, 1); mix((unsigned long)(int8_t)integer); break;
        case 'i': is_good = _FortranAioInputInteger(statement, &integer, 4); mix((unsigned long)(int32_t)integer); break;
        case 'k': is_good = _FortranAioInputInteger(statement, &integer, 8); mix((unsigned long)integer); break;
        case 'd': is_good = _FortranAioInputReal64(statement, real); mix_double(real[0]); break;
        case 'f': is_good = _FortranAioInputReal32(statement, &single); mix_double(single); break;
        case 'l': is_good = _FortranAioInputLogical(statement, &truth); mix(truth); break;
        case 'z': is_good = _FortranAioInputComplex64(statement, real); mix_double(real[0]); mix_double(real[1]); break;
        default: is_good = _FortranAioInputAscii(statement, text, 6); mix_text(text); break;
        }
        mix(is_good);
    }
    mix((unsigned long)fetestexcept(FE_ALL_EXCEPT));
    mix((unsigned long)_FortranAioEndIoStatement(statement));
    errno = 0;
}
"#;

const LISTED: [&str; 12] = ["ii", "dd", "ff", "ll", "aa", "id", "kb", "ai", "lad", "iii", "zi", "dz"];

const FORMATTED: [(&str, &str); 19] = [
    ("(i3)", "iii"),
    ("(a)", "aaa"),
    ("(f3.0,i2,(l2))", "dil"),
    ("(i3,i2)", "ii"),
    ("(2i4)", "ii"),
    ("(i2,1x,i3)", "ii"),
    ("(f5.2,f4.1)", "dd"),
    ("(e8.3,e7.2)", "df"),
    ("(a,a)", "aa"),
    ("(a3,a8)", "aa"),
    ("(l2,l3)", "ll"),
    ("(2(i2,1x),i1)", "iii"),
    ("(g6.1,g5.2)", "df"),
    ("(i2,(i1,1x))", "iii"),
    ("(3x,i2,:,2x,i1)", "ii"),
    ("(f3.1,/,i2)", "di"),
    ("(a2,i3)", "ai"),
    ("(f10.4)", "dd"),
    ("(1x,f6.2,1x,f3.1)", "dd"),
];

/// `read` statements, some of standard input or one of a text.
pub fn reads(random: &mut Pcg64, from: Option<&str>) -> String {
    let mut statements = String::new();
    let count = if from.is_some() { 1 } else { random.random_range(1..4) };
    for _ in 0..count {
        let (begin, kinds) = match (from, random.random_range(0..2)) {
            (None, 0) => ("ExternalListInput(5, ".to_owned(), LISTED[random.random_range(0..LISTED.len())]),
            (Some(text), 0) => (
                format!("InternalListInput({text:?}, {}, 0, 0, ", text.len()),
                LISTED[random.random_range(0..LISTED.len())],
            ),
            (from, _) => {
                let (format, kinds) = FORMATTED[random.random_range(0..FORMATTED.len())];
                let format = format!("\"{format}\", {}, 0, ", format.len());
                let begin = match from {
                    None => format!("ExternalFormattedInput({format}5, "),
                    Some(text) => format!("InternalFormattedInput({text:?}, {}, {format}0, 0, ", text.len()),
                };
                (begin, kinds)
            }
        };
        statements.push_str(&format!("read_items(_FortranAioBegin{begin}\"\", 1), \"{kinds}\"); "));
    }
    statements
}

/// A text of what numbers, logicals, characters and lines are made of.
pub fn readable(random: &mut Pcg64) -> String {
    const PARTS: [&str; 51] = [
        " ",
        "  ",
        ",",
        ", ",
        "/",
        "*",
        "1",
        "2",
        "12",
        "0",
        "9",
        "-",
        "5",
        "1.5",
        "-3",
        "2*",
        "3*",
        "inf",
        "nan",
        "T",
        "F",
        ".true.",
        "x",
        "abc",
        "'",
        "\"",
        "(",
        ")",
        "(1,2)",
        ";",
        "1e5",
        "2147483647",
        "2147483648",
        "-128",
        "0.1",
        "1d-3",
        "1e308",
        "1e309",
        "1e-320",
        "3.4e38",
        "1e39",
        "99999999999999999999",
        "infinity",
        "0*",
        "1_8",
        "4.35",
        "9007199254740993",
        "b c",
        "\n",
        "\r\n",
        "\n",
    ];
    let mut text = String::new();
    for _ in 0..random.random_range(0..14) {
        let part = match random.random_range(0..4) {
            0 => [" ", ",", "\n"][random.random_range(0..3)],
            _ => PARTS[random.random_range(0..PARTS.len())],
        };
        text.push_str(part);
    }
    text
}
