//! Random C programs: memory, pointers, unions, bit-fields, calls, recursion, strings, floats of C's three formats, vectors, rounding modes.
//!
//! What C leaves undefined is avoided but for conversions of floats beyond an integer's range, which have a result where clang compiles without
//! optimisation. So are operations on literals, negations and differences of products in one block with others: whether code generation takes them
//! together hangs on what else is in the block, and with it the signs of NaNs, and under directed rounding values. Every branch of a statement tells its outcome to `trace`; everything that was computed goes into a hash at the end.

use std::fmt::Write;

use rand::RngExt;
use rand_pcg::Pcg64;

use crate::native::{callers, parameters};

/// A C type of numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Bits, and whether it is signed.
    Int(u32, bool),
    /// 32, 64 or 80 bits.
    Float(u32),
}

impl Kind {
    pub fn c(self) -> &'static str {
        match self {
            Kind::Int(8, true) => "signed char",
            Kind::Int(8, false) => "unsigned char",
            Kind::Int(16, true) => "short",
            Kind::Int(16, false) => "unsigned short",
            Kind::Int(32, true) => "int",
            Kind::Int(32, false) => "unsigned",
            Kind::Int(_, true) => "long",
            Kind::Int(_, false) => "unsigned long",
            Kind::Float(32) => "float",
            Kind::Float(64) => "double",
            Kind::Float(_) => "long double",
        }
    }

    /// The suffix of functions of math.h.
    fn suffix(self) -> &'static str {
        match self {
            Kind::Float(32) => "f",
            Kind::Float(64) => "",
            _ => "l",
        }
    }

    /// Bytes of a variable.
    pub fn bytes(self) -> usize {
        match self {
            Kind::Int(bits, _) => bits as usize / 8,
            Kind::Float(80) => 16,
            Kind::Float(bits) => bits as usize / 8,
        }
    }
}

const LONG: Kind = Kind::Int(64, true);
const DOUBLE: Kind = Kind::Float(64);

/// The inputs of every program, by name.
pub const INPUTS: [(&str, Kind); 7] = [
    ("a", Kind::Int(64, false)),
    ("b", Kind::Int(32, true)),
    ("c", Kind::Int(8, false)),
    ("x", Kind::Float(64)),
    ("y", Kind::Float(64)),
    ("f", Kind::Float(32)),
    ("l", Kind::Float(80)),
];

const KINDS: [Kind; 11] = [
    Kind::Int(8, true),
    Kind::Int(8, false),
    Kind::Int(16, true),
    Kind::Int(16, false),
    Kind::Int(32, true),
    Kind::Int(32, false),
    Kind::Int(64, true),
    Kind::Int(64, false),
    Kind::Float(32),
    Kind::Float(64),
    Kind::Float(80),
];

/// What every file begins with.
pub const PRELUDE: &str = r#"
#include <fenv.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
typedef unsigned long u64;
typedef float v4f __attribute__((vector_size(16)));
typedef int v4i __attribute__((vector_size(16)));
struct packed { unsigned a : 5; int b : 11; unsigned long c : 40; signed char d; };
struct mixed { char tag; double value; short half; float small; };
union punned { double d; float f[2]; u64 u; unsigned w[2]; unsigned char bytes[8]; };
struct node { struct node *next; long value; };
static u64 trace, hash;
static void T(u64 k) { trace = trace * 1000003 + k; }
static void mix(u64 x) { hash = (hash ^ x) * 0x9e3779b97f4a7c15ul; hash ^= hash >> 29; }
static void mix_double(double x) { u64 u; memcpy(&u, &x, 8); mix(u); }
static void mix_float(float x) { unsigned u; memcpy(&u, &x, 4); mix(u); }
static void mix_long(long double x) { u64 u; unsigned short e; memcpy(&u, &x, 8); memcpy(&e, (char *)&x + 8, 2); mix(u); mix(e); }
static double bits_double(u64 u) { double d; memcpy(&d, &u, 8); return d; }
static float bits_float(unsigned u) { float f; memcpy(&f, &u, 4); return f; }
static long long_of(double x) { return (long)x; }
static long long_off(float x) { return (long)x; }
static long long_ofl(long double x) { return (long)x; }
static long wide(double x) { if (!(x > -1e38 && x < 1e38)) return 1; __int128 i = (__int128)x; return (long)(i >> 64) ^ (long)i; }
static double of_wide(long a, long b) { __int128 i = (__int128)a * b; return (double)i + (float)i; }
static double negated(double x) { return -x; }
static float negatedf(float x) { return -x; }
static long double negatedl(long double x) { return -x; }
static double same(double x) { return x; }
static float samef(float x) { return x; }
static long double samel(long double x) { return x; }
static long same_long(long x) { return x; }
static double minus(double x, double y) { return x - y; }
static float minusf(float x, float y) { return x - y; }
static long double minusl(long double x, long double y) { return x - y; }
static u64 double_bits(double d) { u64 u; memcpy(&u, &d, 8); return u; }
static long recursive(int n, long x) { if (n <= 0) { T(901); return x; } T(902); return recursive(n - 1, x * 3 + n) ^ recursive(n - 2, x - n); }
static double power(double x, int n) { return n == 0 ? 1 : n % 2 ? x * power(x, n - 1) : power(x * x, n / 2); }
static long summed(int n, ...) { va_list list; va_start(list, n); long sum = 0; for (int i = 0; i < n; i++) sum = sum * 5 + va_arg(list, int); double d = va_arg(list, double); long double l = va_arg(list, long double); va_end(list); return sum ^ (long)double_bits(d) ^ (l > 0); }
static int doubled(int x) { return (int)(2u * (unsigned)x); }
static int squared(int x) { return (int)((unsigned)x * (unsigned)x); }
static int (*const functions[2])(int) = {doubled, squared};
static struct mixed changed(struct mixed m, double by) { m.value = m.value * by; m.half = (short)(m.half + 1); m.small = (float)by; return m; }
static unsigned char compared(const void *a, const void *b, size_t n) { return memcmp(a, b, n) == 0; }
"#;

/// A program on its way.
pub struct Generator<'r> {
    random: &'r mut Pcg64,
    text: String,
    marks: u64,
    temporaries: u32,
    depth: u32,
}

impl<'r> Generator<'r> {
    pub fn new(random: &'r mut Pcg64) -> Generator<'r> {
        Generator { random, text: String::new(), marks: 0, temporaries: 0, depth: 0 }
    }

    /// The program's function `pN` and what runs it: natively by a record of inputs, symbolically by parameters.
    pub fn program(mut self, number: usize) -> String {
        let _ = writeln!(self.text, "static void p{number}({}) {{\n    trace = hash = 0;", parameters());
        // What code generation takes for granted of one mode is seen where others hold for a while.
        if self.below(3) == 0 {
            self.set_rounding();
        }
        for kind in KINDS {
            let value = self.expression(kind, 1, false);
            let _ = writeln!(self.text, "    {} {} = {value};", kind.c(), variable(kind));
        }
        self.text.push_str(
            "    long array[8]; double reals[4] = {1.5, -0.0, x, 3e300}; char text[12] = \"label\"; union punned pun = {.u = a};\n    \
             struct packed packed = {1, -2, 3, 4}; struct mixed mixed = {1, y, 3, f}; v4f vector = {f, 1.25f, -2, 0.1f}; v4i lanes = {b, 2, 3, -4};\n    \
             for (int i = 0; i < 8; i++) array[i] = i * 77 - 100;\n    long *at = &array[2]; struct node *list = 0;\n",
        );
        for _ in 0..self.random.random_range(4..10) {
            self.statement();
        }
        for kind in KINDS {
            let mix = match kind {
                Kind::Int(..) => "mix",
                Kind::Float(32) => "mix_float",
                Kind::Float(64) => "mix_double",
                Kind::Float(_) => "mix_long",
            };
            let _ =
                writeln!(self.text, "    {mix}(({}){});", if mix == "mix" { "u64" } else { kind.c() }, variable(kind));
        }
        self.text.push_str(
            "    for (int i = 0; i < 8; i++) mix((u64)array[i]);\n    for (int i = 0; i < 4; i++) { mix_double(reals[i]); mix_float(vector[i]); mix((u64)lanes[i]); }\n    \
             for (int i = 0; i < 12; i++) mix((unsigned char)text[i]);\n    mix(pun.u); mix(packed.a); mix((u64)packed.b); mix(packed.c); mix((u64)packed.d);\n    \
             mix((u64)mixed.tag); mix_double(mixed.value); mix((u64)mixed.half); mix_float(mixed.small); mix((u64)*at); mix((u64)(at - array));\n    \
             while (list) { struct node *next = list->next; mix((u64)list->value); free(list); list = next; }\n    mix(trace);\n}\n",
        );
        self.text.push_str(&callers(number));
        self.text
    }

    fn below(&mut self, end: u32) -> u32 {
        self.random.random_range(0..end)
    }

    fn pick<'t>(&mut self, all: &[&'t str]) -> &'t str {
        all[self.random.random_range(0..all.len())]
    }

    fn kind(&mut self) -> Kind {
        KINDS[self.random.random_range(0..KINDS.len())]
    }

    fn float_kind(&mut self) -> Kind {
        [Kind::Float(32), DOUBLE, DOUBLE, Kind::Float(80)][self.below(4) as usize]
    }

    fn mark(&mut self) -> String {
        self.marks += 1;
        format!("T({});", self.marks)
    }

    fn line(&mut self, line: &str) {
        let indent = "    ".repeat(self.depth as usize + 1);
        let _ = writeln!(self.text, "{indent}{line}");
    }

    fn block(&mut self, head: &str) {
        let mark = self.mark();
        self.line(&format!("{head} {{ {mark}"));
        self.depth += 1;
        for _ in 0..1 + self.below(2) {
            self.statement();
        }
        self.depth -= 1;
        self.line("}");
    }

    fn statement(&mut self) {
        let choice = if self.depth >= 2 { 8 + self.below(22) } else { self.below(30) };
        match choice {
            0..5 => {
                let condition = self.condition();
                self.block(&format!("if ({condition})"));
                self.block("else");
            }
            5 => {
                self.temporaries += 1;
                let (index, end) = (format!("i{}", self.temporaries), self.expression(LONG, 1, true));
                self.block(&format!("for (long {index} = 0; {index} < (({end}) & 3); {index}++)"));
            }
            6 => {
                let value = self.expression(LONG, 1, true);
                self.line(&format!("switch (({value}) & 3) {{"));
                for label in ["case 0: case 2:", "case 1:", "default:"] {
                    self.block(label);
                    self.line("break;");
                }
                self.line("}");
            }
            7 => {
                let index = {
                    self.temporaries += 1;
                    format!("i{}", self.temporaries)
                };
                let count = 1 + self.below(3);
                self.block(&format!("for (int {index} = 0; {index} < {count}; {index}++)"));
            }
            8..14 => {
                let kind = self.kind();
                let value = self.expression(kind, 2, true);
                self.line(&format!("{} = {value};", variable(kind)));
            }
            14 => {
                let (index, value) = (self.expression(LONG, 1, true), self.expression(LONG, 2, true));
                self.line(&format!("array[({index}) & 7] = {value};"));
            }
            15 => {
                let (index, value) = (self.expression(LONG, 1, true), self.expression(DOUBLE, 2, true));
                self.line(&format!("reals[({index}) & 3] = {value};"));
            }
            16 => {
                let (index, value) = (self.expression(LONG, 1, true), self.expression(LONG, 1, true));
                self.line(&format!("text[({index}) & 7] = (char)('a' + (({value}) & 15));"));
            }
            17 => {
                let member = self.pick(&["pun.d", "pun.f[1]", "pun.w[0]", "pun.bytes[3]", "pun.u"]);
                let kind = match member {
                    "pun.d" => DOUBLE,
                    "pun.f[1]" => Kind::Float(32),
                    "pun.w[0]" => Kind::Int(32, false),
                    "pun.u" => Kind::Int(64, false),
                    _ => Kind::Int(8, false),
                };
                let value = self.expression(kind, 1, true);
                self.line(&format!("{member} = {value};"));
            }
            18 => {
                let member = self.pick(&["packed.a", "packed.b", "packed.c", "packed.d"]);
                let value = self.expression(LONG, 1, true);
                self.line(&format!("{member} = {value};"));
            }
            19 => {
                let by = self.expression(DOUBLE, 1, true);
                self.line(&format!("mixed = changed(mixed, {by});"));
            }
            20 => {
                let index = self.expression(LONG, 1, true);
                self.line(&format!("at = array + (({index}) & 7);"));
            }
            21 => {
                let value = self.expression(LONG, 1, true);
                self.line(&format!("*at = *at * 3 ^ {value};"));
            }
            22 => self.set_rounding(),
            23 => {
                let (value, operator) = (self.expression(Kind::Float(32), 1, true), self.pick(&["+", "-", "*", "/"]));
                self.line(&format!("vector = vector {operator} (v4f){{{value}, 0.5f, vector[0], 3}};"));
            }
            24 => {
                let (value, operator) = (self.expression(Kind::Int(32, true), 1, true), self.pick(&["&", "^", "|"]));
                self.line(&format!(
                    "lanes = (lanes {operator} (v4i){{{value}, 5, 6, 7}}) ^ (vector < (v4f){{1, 1, 1, 1}});"
                ));
            }
            25 => {
                let value = self.expression(LONG, 1, true);
                self.temporaries += 1;
                let n = self.temporaries;
                self.line(&format!(
                    "struct node *n{n} = malloc(sizeof *n{n}); n{n}->next = list; n{n}->value = {value}; list = n{n};"
                ));
            }
            26 => {
                let (from, to) = (self.below(4), self.below(4));
                self.line(&format!("memmove(array + {to}, array + {from}, 4 * sizeof *array);"));
            }
            27 => {
                let source = self.pick(&["\"first\"", "\"labels\"", "\"lab\"", "\"\""]);
                self.line(&format!("strcpy(text, {source});"));
            }
            28 => self.line("{ union punned copy = pun; memcpy(&reals[1], &copy, 8); pun.w[1] ^= copy.w[0]; }"),
            _ => {
                let value = self.expression(LONG, 1, true);
                self.line(&format!("memset(text + 4, 'a' + (int)(({value}) & 3), 3);"));
            }
        }
    }

    fn set_rounding(&mut self) {
        let mode = self.pick(&["FE_TONEAREST", "FE_UPWARD", "FE_DOWNWARD", "FE_TOWARDZERO"]);
        self.line(&format!("fesetround({mode});"));
    }

    /// Something to branch on.
    fn condition(&mut self) -> String {
        match self.below(8) {
            0..4 => {
                let kind = self.float_kind();
                let (a, b) = (self.expression(kind, 1, true), self.expression(kind, 1, true));
                format!("{a} {} {b}", self.pick(&["<", "<=", ">", ">=", "==", "!="]))
            }
            4 => format!(
                "strcmp(text, {}) {} 0",
                self.pick(&["\"label\"", "\"lab\"", "\"cabel\""]),
                self.pick(&["<", "==", ">"])
            ),
            5 => format!("{}({})", self.pick(&["isnan", "isinf", "signbit", "isnormal"]), self.float_kind().variable()),
            _ => {
                let (a, b) = (self.expression(LONG, 1, true), self.expression(LONG, 1, true));
                format!("{a} {} {b}", self.pick(&["<", "<=", ">", ">=", "==", "!="]))
            }
        }
    }

    /// An expression of a type, in parentheses; `locals`: whether the local variables are there already.
    fn expression(&mut self, kind: Kind, depth: u32, locals: bool) -> String {
        match kind {
            Kind::Int(bits, signed) => self.integer(bits, signed, depth, locals),
            Kind::Float(_) => self.float(kind, depth, locals),
        }
    }

    /// An input or a local variable of a kind or another one that is converted.
    fn leaf(&mut self, kind: Kind, locals: bool) -> String {
        if self.below(4) == 0 {
            return self.literal(kind);
        }
        if locals && self.below(2) == 0 {
            let other = if self.below(3) == 0 { self.kind() } else { kind };
            return format!("({})({})", kind.c(), variable(other));
        }
        let (name, _) = INPUTS[self.below(INPUTS.len() as u32) as usize];
        format!("({})({name})", kind.c())
    }

    fn literal(&mut self, kind: Kind) -> String {
        let text = match kind {
            Kind::Int(..) => self.pick(&[
                "0",
                "1",
                "-1",
                "7",
                "100",
                "-128",
                "255",
                "0x7fffffff",
                "0x8000000000000000ul",
                "12345678901l",
            ]),
            Kind::Float(_) => self.pick(&[
                "0.0",
                "bits_double(1ul << 63)",
                "1.0",
                "0.1",
                "-2.5",
                "1e10",
                "1e-320",
                "1e308",
                "0x1p-1074",
                "(1.0 / 3)",
                "__builtin_inf()",
                "bits_double(0x7ff8000000000007ul)",
                "123456789.125",
                "0x1p62",
            ]),
        };
        match kind {
            Kind::Int(..) => format!("({})({text})", kind.c()),
            Kind::Float(_) => format!("same{}({text})", kind.suffix()),
        }
    }

    fn integer(&mut self, bits: u32, signed: bool, depth: u32, locals: bool) -> String {
        let kind = Kind::Int(bits, signed);
        if depth == 0 {
            return self.leaf(kind, locals);
        }
        let c = kind.c();
        // Wide enough not to be promoted to a signed type.
        let wide = if bits <= 32 { Kind::Int(32, false) } else { Kind::Int(64, false) };
        let (w, width) = (wide.c(), if bits <= 32 { 32 } else { 64 });
        match self.below(if locals { 17 } else { 9 }) {
            0..4 => {
                let (a, b) = (self.expression(wide, depth - 1, locals), self.expression(wide, depth - 1, locals));
                format!("({c})({a} {} {b})", self.pick(&["+", "-", "*", "&", "|", "^"]))
            }
            4 => {
                let (a, b) = (self.expression(wide, depth - 1, locals), self.expression(wide, depth - 1, locals));
                format!("({c})({a} {} ({b} & {}))", self.pick(&["<<", ">>"]), width - 1)
            }
            5 => {
                let (a, b) = (self.expression(kind, depth - 1, locals), self.expression(kind, depth - 1, locals));
                format!("({c})({a} {} (({b} & 0x3f) | 1))", self.pick(&["/", "%"]))
            }
            6 => {
                let kind = self.float_kind();
                let (a, b) = (self.expression(kind, depth - 1, locals), self.expression(kind, depth - 1, locals));
                format!("({c})({a} {} {b})", self.pick(&["<", "<=", ">", ">=", "==", "!="]))
            }
            7 => {
                let from = self.float_kind();
                let a = self.expression(from, depth - 1, locals);
                // Of a literal that is too great clang makes poison, and of a number some bits of which are not used other code.
                format!("({c})({w})long_of{}({a})", from.suffix())
            }
            8 => {
                let a = self.expression(DOUBLE, depth - 1, locals);
                format!("({c})double_bits({a})")
            }
            9 => {
                let index = self.expression(LONG, 0, locals);
                format!("({c})array[({index}) & 7]")
            }
            10 => format!(
                "({c}){}",
                self.pick(&[
                    "packed.a",
                    "packed.b",
                    "packed.c",
                    "packed.d",
                    "mixed.half",
                    "pun.w[1]",
                    "pun.bytes[5]",
                    "lanes[2]"
                ])
            ),
            11 => format!(
                "({c}){}",
                self.pick(&["strlen(text)", "*at", "(at - array)", "(strchr(text, 'b') != 0)", "text[2]"])
            ),
            12 => {
                let x = self.expression(LONG, 0, locals);
                format!("({c})recursive({}, {x})", self.below(4))
            }
            13 => {
                let (which, x) = (self.expression(LONG, 0, locals), self.expression(Kind::Int(32, true), 0, locals));
                format!("({c})functions[({which}) & 1]({x})")
            }
            14 => {
                let (i, d, l) = (
                    self.expression(Kind::Int(32, true), 0, locals),
                    self.expression(DOUBLE, 0, locals),
                    self.expression(Kind::Float(80), 0, locals),
                );
                format!("({c})summed(2, {i}, 5, {d}, {l})")
            }
            15 => {
                let a = self.expression(DOUBLE, 0, locals);
                format!("({c})wide({a})")
            }
            _ => format!("({c})compared(text, \"labels\", {})", 1 + self.below(4)),
        }
    }

    fn float(&mut self, kind: Kind, depth: u32, locals: bool) -> String {
        if depth == 0 {
            return self.leaf(kind, locals);
        }
        let c = kind.c();
        match self.below(if locals { 15 } else { 11 }) {
            0..5 => {
                let (a, b) = (self.expression(kind, depth - 1, locals), self.expression(kind, depth - 1, locals));
                match self.pick(&["+", "-", "*", "/"]) {
                    "-" => format!("minus{}({a}, {b})", kind.suffix()),
                    operator => format!("({a} {operator} {b})"),
                }
            }
            5 => {
                let a = self.expression(kind, depth - 1, locals);
                let function = self.pick(&["sqrt", "fabs", "floor", "ceil", "trunc", "rint", "round"]);
                format!("{function}{}({a})", kind.suffix())
            }
            6 => {
                let a = self.expression(kind, depth - 1, locals);
                format!("negated{}({a})", kind.suffix())
            }
            7 => {
                let from = self.float_kind();
                let a = self.expression(from, depth - 1, locals);
                // Code generation may forget conversions to a wider format and back, and then no NaN is quieted.
                format!("({c})same{}({a})", from.suffix())
            }
            8 => {
                let from =
                    [LONG, Kind::Int(32, true), Kind::Int(64, false), Kind::Int(8, true)][self.below(4) as usize];
                let a = self.expression(from, depth - 1, locals);
                format!("({c})same_long({a})")
            }
            9 => match kind {
                Kind::Float(32) => {
                    let a = self.expression(Kind::Int(32, false), depth - 1, locals);
                    format!("bits_float({a})")
                }
                _ => {
                    let a = self.expression(Kind::Int(64, false), depth - 1, locals);
                    format!("({c})bits_double({a})")
                }
            },
            10 => {
                let (a, b) = (self.expression(kind, depth - 1, locals), self.expression(kind, depth - 1, locals));
                format!("copysign{}({a}, {b})", kind.suffix())
            }
            11 => {
                let index = self.expression(LONG, 0, locals);
                format!("({c})reals[({index}) & 3]")
            }
            12 => format!(
                "({c}){}",
                self.pick(&["pun.d", "pun.f[0]", "mixed.value", "mixed.small", "vector[1]", "vector[3]"])
            ),
            13 => {
                let (a, b) = (self.expression(LONG, 0, locals), self.expression(LONG, 0, locals));
                format!("({c})of_wide({a}, {b})")
            }
            _ => {
                let a = self.expression(DOUBLE, 0, locals);
                format!("({c})power({a}, {})", self.below(4))
            }
        }
    }
}

impl Kind {
    fn variable(self) -> &'static str {
        variable(self)
    }
}

/// The local variable of a kind.
fn variable(kind: Kind) -> &'static str {
    match kind {
        Kind::Int(8, true) => "i8",
        Kind::Int(8, false) => "u8",
        Kind::Int(16, true) => "i16",
        Kind::Int(16, false) => "u16",
        Kind::Int(32, true) => "i32",
        Kind::Int(32, false) => "u32",
        Kind::Int(_, true) => "i64",
        Kind::Int(_, false) => "u64_",
        Kind::Float(32) => "f32",
        Kind::Float(64) => "f64",
        Kind::Float(_) => "f80",
    }
}
