//! Random C functions of one signature, free of undefined behaviour and of what no two machines agree on (NaNs' signs
//! and payloads).

use std::fmt::Write;

use rand::{Rng, RngExt, SeedableRng, rngs::StdRng};

/// Declarations that every file starts with. `with_sign` is a function of its own because code generation turns
/// `(float)copysign(x, y)` into `copysignf(x, (float)y)`, which raises y's underflow.
const PRELUDE: &str = r#"
#include <math.h>
#include <stdint.h>
#include <string.h>
typedef struct { double re, im; } pair;
typedef struct { float lo; int tag; double hi; } mixed;
static uint64_t bits(double x) { uint64_t b = 0; if (x == x) memcpy(&b, &x, 8); return b; }
static double unbits(uint64_t b) { double x; memcpy(&x, &b, 8); return x == x ? x : 1.5; }
static uint32_t fbits(float x) { uint32_t b = 0; if (x == x) memcpy(&b, &x, 4); return b; }
static double with_sign(double x, double y) { return copysign(x, y == y ? y : 1); }
static int to_int(double x) { return fabs(x) < 2e9 ? (int)x : 7; }
static long to_long(double x) { return fabs(x) < 9e18 ? (long)x : -3; }
static pair mul(pair a, pair b) { pair r = { a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re }; return r; }
static mixed mix(mixed a, double x) { a.lo += (float)x; a.tag ^= a.tag << 3; a.hi = a.hi * x + a.lo; return a; }
static double poly(const double *c, int n, double x) { double s = 0; for (int i = 0; i < n; i++) s = s * x + c[i]; return s; }
static int collatz(unsigned n, int depth) { if (n <= 1 || depth == 0) return depth; return collatz(n & 1 ? 3 * n + 1 : n / 2, depth - 1); }
"#;

/// A file of `count` functions `f0`, `f1`, … made from a seed.
pub fn file(seed: u64, count: usize) -> String {
    let mut text = PRELUDE.to_owned();
    for index in 0..count {
        let mut generator =
            Generator { random: StdRng::seed_from_u64(seed.wrapping_add(index as u64)), depth: 0, loops: 0 };
        let _ = write!(text, "{}", generator.function(index));
    }
    text
}

struct Generator {
    random: StdRng,
    /// Nesting of expressions.
    depth: u32,
    /// Loops so far, which names their counters.
    loops: u32,
}

impl Generator {
    fn pick<'a>(&mut self, of: &[&'a str]) -> &'a str {
        of[self.random.random_range(0..of.len())]
    }

    fn function(&mut self, index: usize) -> String {
        let mut text = format!(
            "double f{index}(double x, double y, float s, int n, long m, double v[4], int w[4]) {{\n\
             double a = x, b = y, c = 0.5; float t = s, u = 1.25f; int i = n, j = 3; unsigned k = 5; long l = m;\n\
             double q[4] = {{ 1, x, 2, y }}; int z[4]; memset(z, 0, sizeof z); pair p = {{ x, y }}; mixed g = {{ s, n, x }};\n"
        );
        for _ in 0..self.random.random_range(3..9) {
            text += &self.statement(2);
        }
        text + "return a + b * c + t + i + (double)l + q[2] + z[1] + p.re + g.hi; }\n"
    }

    fn block(&mut self, nesting: u32) -> String {
        (0..self.random.random_range(1..4)).map(|_| self.statement(nesting)).collect()
    }

    fn statement(&mut self, nesting: u32) -> String {
        let kinds = if nesting == 0 { 9 } else { 14 };
        match self.random.random_range(0..kinds) {
            0..=2 => {
                let target = self.pick(&["a", "b", "c", "p.re", "p.im", "g.hi"]);
                format!("{target} = {};\n", self.double())
            }
            3 => format!("{} = {};\n", self.pick(&["t", "u", "g.lo"]), self.float()),
            4 => format!("{} = {};\n", self.pick(&["i", "j", "g.tag"]), self.int()),
            5 => format!("{} = {};\n", self.pick(&["l", "k"]), self.long()),
            6 => {
                let (index, value) = (self.int(), self.double());
                format!("{}[({index}) & 3] = {value};\n", self.pick(&["v", "q"]))
            }
            7 => {
                let (index, value) = (self.int(), self.int());
                format!("{}[({index}) & 3] = {value};\n", self.pick(&["w", "z"]))
            }
            8 => self.memory(),
            9 => format!("if ({}) {{\n{}}}\n", self.condition(), self.block(nesting - 1)),
            10 => {
                let condition = self.condition();
                let (first, second) = (self.block(nesting - 1), self.block(nesting - 1));
                format!("if ({condition}) {{\n{first}}} else {{\n{second}}}\n")
            }
            11 | 12 => {
                self.loops += 1;
                let counter = format!("n{}", self.loops);
                let limit = self.pick(&["3", "4", "8", "(n & 7)", "(k & 3)"]);
                let body = self.block(nesting - 1);
                format!("for (int {counter} = 0; {counter} < {limit}; {counter}++) {{\n{body}}}\n")
            }
            _ => {
                let value = self.int();
                let (first, second, third) =
                    (self.block(nesting - 1), self.block(nesting - 1), self.block(nesting - 1));
                format!(
                    "switch (({value}) & 7) {{ case 0: {first} break; case 3: {second} case 4: {third} break; default: j++; }}\n"
                )
            }
        }
    }

    fn memory(&mut self) -> String {
        match self.random.random_range(0..8) {
            0 => "memcpy(q, v, sizeof q);\n".to_owned(),
            1 => "memmove(q + 1, q, 2 * sizeof *q);\n".to_owned(),
            2 => "memset(z + 1, 0x11, 2 * sizeof *z);\n".to_owned(),
            3 => "p = mul(p, p);\n".to_owned(),
            4 => format!("g = mix(g, {});\n", self.double()),
            5 => "{ pair r = { p.im, p.re }; p = r; }\n".to_owned(),
            6 => "{ float e[2] = { t, u }; uint64_t b; if (t == t && u == u) { memcpy(&b, e, 8); l ^= (long)b; } }\n"
                .to_owned(),
            _ => "{ uint64_t b = bits(a); unsigned char *byte = (unsigned char *)&b; byte[1] ^= 1; a = unbits(b); }\n"
                .to_owned(),
        }
    }

    fn literal(&mut self) -> String {
        match self.random.random_range(0..4) {
            0 => format!("{}.0", self.random.random_range(-9..10)),
            1 => format!("{:e}", self.random.random_range(-1.0..1.0) * 10f64.powi(self.random.random_range(-4..5))),
            2 => self.pick(&["1e300", "1e-300", "0x1p-1074", "0x1.fffffffffffffp1023", "0.1", "-0.0"]).to_owned(),
            _ => self.pick(&["0.5", "3.0", "2.0", "1e10"]).to_owned(),
        }
    }

    /// A variable: code generation computes intrinsics of literals itself, without their flags.
    fn variable(&mut self) -> &'static str {
        const NAMES: [&str; 6] = ["a", "b", "x", "y", "p.re", "v[1]"];
        NAMES[self.random.random_range(0..NAMES.len())]
    }

    fn double(&mut self) -> String {
        if self.depth > 3 || self.random.random_range(0..5) == 0 {
            return match self.random.random_range(0..8) {
                0 => self.literal(),
                1 => format!("v[({}) & 3]", self.pick(&["i", "j", "k", "0", "2"])),
                2 => format!("q[({}) & 3]", self.pick(&["i", "j", "k", "1", "3"])),
                _ => self.pick(&["a", "b", "c", "x", "y", "p.re", "p.im", "g.hi", "(double)t"]).to_owned(),
            };
        }
        self.depth += 1;
        let text = match self.random.random_range(0..22) {
            0..=3 => format!("({} + {})", self.double(), self.double()),
            4..=6 => format!("({} - {})", self.double(), self.double()),
            7..=9 => format!("({} * {})", self.double(), self.double()),
            10..=12 => format!("({} / {})", self.double(), self.double()),
            13 => format!("({} ? {} : {})", self.condition(), self.double(), self.double()),
            14 => {
                let function = self.pick(&["sqrt", "fabs", "floor", "ceil", "trunc", "rint", "nearbyint", "round"]);
                format!("{function}({} {} {})", self.variable(), self.pick(&["+", "*"]), self.double())
            }
            15 => format!("fma({}, {}, {})", self.variable(), self.double(), self.double()),
            16 => format!("(double)({})", self.int()),
            17 => format!("(double)({})", self.long()),
            18 => format!("(double)({})", self.float()),
            19 => format!("with_sign({}, {})", self.double(), self.double()),
            20 => format!("unbits(bits({}) + 1)", self.double()),
            _ => format!("{}({})", self.pick(&["-", "+"]), self.double()),
        };
        let text = match self.random.random_range(0..30) {
            0 => format!("poly(v, 4, {text})"),
            1 => format!("fmod({text}, {})", self.pick(&["3.0", "b", "1e-5"])),
            2 => format!("ldexp({text}, {} & 63)", self.pick(&["i", "j"])),
            _ => text,
        };
        self.depth -= 1;
        text
    }

    fn float(&mut self) -> String {
        if self.depth > 3 {
            return self.pick(&["t", "u", "s", "1.5f", "0.1f", "g.lo"]).to_owned();
        }
        self.depth += 1;
        let text = match self.random.random_range(0..6) {
            0 => format!("({} + {})", self.float(), self.float()),
            1 => format!("({} * {})", self.float(), self.float()),
            2 => format!("({} / {})", self.float(), self.float()),
            3 => format!("(float)({})", self.double()),
            4 => format!("sqrtf(t * {})", self.float()),
            _ => format!("(float)({})", self.int()),
        };
        self.depth -= 1;
        text
    }

    fn int(&mut self) -> String {
        if self.depth > 3 {
            return match self.random.random_range(0..3) {
                0 => format!("{}", self.random.random_range(-20..100)),
                _ => self.pick(&["i", "j", "n", "(int)k", "w[1]", "z[2]", "g.tag"]).to_owned(),
            };
        }
        self.depth += 1;
        let text = match self.random.random_range(0..12) {
            0..=2 => {
                let op = self.pick(&["+", "-", "*", "^", "&", "|"]);
                format!("(int)((unsigned)({}) {op} (unsigned)({}))", self.int(), self.int())
            }
            3 => format!("(int)((unsigned)({}) << ({} & 31))", self.int(), self.pick(&["i", "j", "k"])),
            4 => format!("(({}) >> ({} & 31))", self.int(), self.pick(&["i", "j", "k"])),
            5 => format!("(({}) / {})", self.int(), self.random.random_range(2..40)),
            6 => format!("(({}) % {})", self.int(), self.random.random_range(2..40)),
            7 => format!("to_int({})", self.double()),
            8 => format!("({} ? {} : {})", self.condition(), self.int(), self.int()),
            9 => format!("(int)fbits({})", self.float()),
            10 => format!("collatz({} & 31, 12)", self.pick(&["i", "j", "k"])),
            _ => format!("(int)(({}) != 0)", self.int()),
        };
        self.depth -= 1;
        text
    }

    fn long(&mut self) -> String {
        match self.random.random_range(0..6) {
            0 => format!("(long)((unsigned long)l * 31u + (unsigned long)({}))", self.int()),
            1 => format!("to_long({})", self.double()),
            2 => format!("(long)(bits({}) >> 3)", self.double()),
            3 => "(l ^ (l >> 7))".to_owned(),
            4 => format!("(long)__builtin_bswap32((unsigned)({}))", self.int()),
            _ => format!("(long)({})", self.int()),
        }
    }

    fn condition(&mut self) -> String {
        match self.random.random_range(0..6) {
            0..=2 => {
                let op = self.pick(&["<", "<=", ">", ">=", "==", "!="]);
                format!("({}) {op} ({})", self.double(), self.double())
            }
            3 => format!("({}) {} ({})", self.int(), self.pick(&["<", ">=", "=="]), self.int()),
            4 => format!("{}({})", self.pick(&["isnan", "isinf", "isfinite"]), self.double()),
            _ => {
                let op = self.pick(&["&&", "||"]);
                format!("(({}) < ({})) {op} (({}) > 0)", self.double(), self.double(), self.int())
            }
        }
    }
}

/// The arguments of one call.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Arguments {
    pub x: f64,
    pub y: f64,
    pub s: f32,
    pub n: i32,
    pub m: i64,
    pub v: [f64; 4],
    pub w: [i32; 4],
}

/// Random arguments: special values, small integers, all magnitudes.
pub fn arguments(random: &mut impl Rng) -> Arguments {
    let mut double = || match random.random_range(0..8) {
        0 => {
            const SPECIAL: [f64; 9] =
                [0.0, -0.0, f64::INFINITY, f64::NEG_INFINITY, f64::NAN, f64::MIN_POSITIVE, 5e-324, f64::MAX, 1.0];
            SPECIAL[random.random_range(0..SPECIAL.len())]
        }
        1 | 2 => f64::from(random.random_range(-8..9)),
        3 | 4 => random.random_range(-100.0..100.0),
        _ => {
            let value = f64::from_bits(random.random());
            if value.is_nan() { 2.5 } else { value }
        }
    };
    let (x, y, v) = (double(), double(), std::array::from_fn(|_| double()));
    let s = double() as f32;
    let int = |random: &mut dyn FnMut() -> u32| match random() % 3 {
        0 => random() as i32,
        _ => (random() % 20) as i32 - 5,
    };
    let mut next = || random.random();
    let (n, w) = (int(&mut next), std::array::from_fn(|_| int(&mut next)));
    let m = i64::from(next() as i32) << (next() % 32);
    Arguments { x, y, s, n, m, v, w }
}
