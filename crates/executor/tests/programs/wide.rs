//! Random C programs over `_BitInt` of 3 to 512 bits beside ordinary integers and floats: arithmetic, shifts, comparisons, conversions, counts of bits,
//! members of structs and unions, bit-fields, arrays, calls.
//!
//! What C leaves undefined is avoided, as are bytes of padding. To long double only signed integers are converted, and to float only those in its range:
//! clang 22 gets others wrong.

use std::fmt::Write;

use rand::RngExt;
use rand_pcg::Pcg64;

use crate::native::{callers, parameters};

const WIDTHS: [u32; 17] = [3, 7, 33, 65, 100, 127, 128, 129, 160, 192, 200, 255, 256, 257, 320, 500, 512];

/// Width and whether it is signed.
#[derive(Clone, Copy, PartialEq)]
struct Kind(u32, bool);

impl Kind {
    fn c(self) -> String {
        format!("{}_BitInt({})", if self.1 { "" } else { "unsigned " }, self.0)
    }

    fn unsigned(self) -> String {
        Kind(self.0, false).c()
    }
}

/// A program on its way, over variables `v0`, `v1`, … of some kinds.
pub struct WideGenerator<'r> {
    random: &'r mut Pcg64,
    text: String,
    kinds: Vec<Kind>,
    marks: u64,
    depth: u32,
    number: usize,
}

impl<'r> WideGenerator<'r> {
    pub fn new(random: &'r mut Pcg64, number: usize) -> WideGenerator<'r> {
        // Two at least have more than 128 bits, and one of these has a sign.
        let wide = |random: &mut Pcg64, signed| Kind(WIDTHS[random.random_range(7..WIDTHS.len())], signed);
        let mut kinds = vec![wide(random, true), wide(random, false)];
        for _ in 0..3 {
            kinds.push(Kind(WIDTHS[random.random_range(0..WIDTHS.len())], random.random()));
        }
        WideGenerator { random, text: String::new(), kinds, marks: 0, depth: 0, number }
    }

    pub fn program(mut self) -> String {
        let number = self.number;
        for (i, kind) in self.kinds.clone().into_iter().enumerate() {
            let (c, u, bits) = (kind.c(), kind.unsigned(), kind.0);
            let _ = write!(
                self.text,
                "static {c} f{number}_{i}({c} x, int n, {c} y) {{ return n & 1 ? ({c})(({u})x - ({u})y) : ({c})(({u})y ^ ({u})n); }}\n\
                 struct s{number}_{i} {{ char tag; {c} first; {u} part : {}; {u} rest : {}; {c} last; }};\n\
                 union u{number}_{i} {{ {c} v; unsigned char bytes[{}]; }};\n",
                bits.div_ceil(2),
                bits - bits.div_ceil(2),
                bits.div_ceil(8),
            );
        }
        let _ = writeln!(self.text, "static void p{number}({}) {{\n    trace = hash = 0;", parameters());
        for (i, kind) in self.kinds.clone().into_iter().enumerate() {
            let (c, u) = (kind.c(), kind.unsigned());
            let (k, m) = (self.below(kind.0), self.below(kind.0));
            let _ = writeln!(
                self.text,
                "    {c} v{i} = ({c})((({u})a << {k}) ^ (({u})b << {m}) ^ ({u})c); {c} r{i}[4] = {{v{i}, 1, ({c})~v{i}, 0}}; \
                 struct s{number}_{i} s{i} = {{1, v{i}, ({u})a, ({u})b, 0}}; union u{number}_{i} u{i} = {{v{i}}};"
            );
        }
        for _ in 0..self.random.random_range(4..10) {
            self.statement();
        }
        for (i, kind) in self.kinds.clone().into_iter().enumerate() {
            let u = kind.unsigned();
            for name in
                [format!("v{i}"), format!("r{i}[1]"), format!("r{i}[2]"), format!("s{i}.first"), format!("u{i}.v")]
            {
                let _ =
                    writeln!(self.text, "    for (int i = 0; i < {}; i += 64) mix((u64)(({u}){name} >> i));", kind.0);
            }
            let _ = writeln!(
                self.text,
                "    mix((u64)s{i}.part); mix((u64)(s{i}.rest)); mix((u64)s{i}.tag); mix((u64)({u})s{i}.last);"
            );
        }
        self.text.push_str("    mix_double(x); mix_double(y); mix_float(f); mix(trace);\n}\n");
        self.text.push_str(&callers(number));
        self.text
    }

    fn below(&mut self, end: u32) -> u32 {
        self.random.random_range(0..end)
    }

    fn place(&mut self) -> usize {
        self.random.random_range(0..self.kinds.len())
    }

    fn mark(&mut self) -> String {
        self.marks += 1;
        format!("T({});", self.marks)
    }

    fn statement(&mut self) {
        let i = self.place();
        let (kind, number) = (self.kinds[i], self.number);
        let (c, u) = (kind.c(), kind.unsigned());
        let value = self.expression(kind, 2);
        let text = match self.below(if self.depth < 2 { 13 } else { 10 }) {
            0..3 => format!("v{i} = {value};"),
            3 => format!("r{i}[(unsigned char)({}) & 3] = {value};", self.expression(Kind(7, false), 1)),
            4 => format!("s{i}.part = ({u}){value}; s{i}.rest = ({u})v{i};"),
            5 => format!(
                "s{i}.first = {value}; {{ struct s{number}_{i} copy = s{i}; s{i}.last = copy.first; s{i}.tag++; }}"
            ),
            6 if kind.0 % 8 == 0 => {
                format!("u{i}.v = {value}; u{i}.bytes[{}] = (unsigned char)b; v{i} = u{i}.v;", self.below(kind.0 / 8))
            }
            6 => format!("u{i}.v = {value}; u{i}.bytes[0] ^= 5; v{i} ^= u{i}.v;"),
            7 => format!("memcpy(&r{i}[{}], &u{i}.v, sizeof u{i}.v);", self.below(4)),
            8 => self.some_float(kind, &value),
            9 => format!("v{i} = f{number}_{i}({value}, b, v{i});"),
            10 => {
                let (first, second) = (self.mark(), self.mark());
                self.depth += 1;
                let condition = self.condition();
                let _ = writeln!(self.text, "    if ({condition}) {{ {first}");
                self.statement();
                let _ = writeln!(self.text, "    }} else {{ {second}");
                self.statement();
                self.depth -= 1;
                "}".to_owned()
            }
            11 => format!("for (int k = 0; k < 3; k++) {{ v{i} = ({c})(({u})v{i} * 3 + ({u})k); r{i}[k] = v{i}; }}"),
            _ => {
                let [first, second, third] = [self.mark(), self.mark(), self.mark()];
                format!(
                    "switch (({u}){value} % 5) {{ case 0: {first} break; case 3: {second} v{i} = 1; break; default: {third} }}"
                )
            }
        };
        let _ = writeln!(self.text, "    {text}");
    }

    /// An integer as a float that has it in its range.
    fn some_float(&mut self, kind: Kind, value: &str) -> String {
        let kept = kind.0.saturating_sub(100);
        match self.below(4) {
            0 => format!("x = (double){value};"),
            1 => format!("f = (float)(({}){value} >> {kept});", kind.c()),
            2 if kind.1 || kind.0 <= 128 => format!("mix_long((long double){value});"),
            _ => format!("y = (double)(_Float16)(({}){value} >> {});", kind.c(), kind.0.saturating_sub(14)),
        }
    }

    fn condition(&mut self) -> String {
        let i = self.place();
        let kind = self.kinds[i];
        let (a, b) = (self.expression(kind, 1), self.expression(kind, 1));
        let operator = ["<", "<=", "==", "!=", ">", ">="][self.below(6) as usize];
        format!("({a} {operator} {b})")
    }

    fn variable(&mut self, i: usize) -> String {
        match self.below(5) {
            0 => format!("r{i}[{}]", self.below(4)),
            1 => format!("s{i}.first"),
            2 => format!("u{i}.v"),
            _ => format!("v{i}"),
        }
    }

    fn leaf(&mut self, kind: Kind) -> String {
        let c = kind.c();
        match self.below(6) {
            0 => format!("({c})a"),
            1 => format!("({c})b"),
            2 => format!("({c}){}", self.random.random::<u64>()),
            3 => format!("({c}){}", self.below(5)),
            _ => match self.kinds.iter().position(|other| *other == kind) {
                Some(i) => self.variable(i),
                None => format!("({c})c"),
            },
        }
    }

    /// An expression of a kind; what may overflow is computed without a sign.
    fn expression(&mut self, kind: Kind, depth: u32) -> String {
        if depth == 0 {
            return self.leaf(kind);
        }
        let (c, u, bits) = (kind.c(), kind.unsigned(), kind.0);
        let a = self.expression(kind, depth - 1);
        match self.below(12) {
            0..3 => {
                let operator = ["+", "-", "*", "&", "|", "^"][self.below(6) as usize];
                format!("({c})(({u}){a} {operator} ({u}){})", self.expression(kind, depth - 1))
            }
            3 => {
                let (operator, b) = (["/", "%"][self.below(2) as usize], self.expression(kind, depth - 1));
                // The least number by −1 does not fit.
                let guard = if kind.1 { format!("{b} == 0 || {b} == -1") } else { format!("{b} == 0") };
                format!("({c})(({guard}) ? {a} : ({a} {operator} {b}))")
            }
            4 => {
                let by = self.expression(Kind(33, false), 0);
                match self.below(3) {
                    0 => format!("({c})(({u}){a} << ({by} % {bits}))"),
                    1 => format!("({c})({a} >> ({by} % {bits}))"),
                    _ => format!("({c})({a} >> {})", self.below(bits)),
                }
            }
            5 => {
                let i = self.place();
                let from = self.kinds[i];
                format!("({c}){}", self.expression(from, depth - 1))
            }
            6 => format!("({c})({} ? {a} : {})", self.condition(), self.expression(kind, depth - 1)),
            7 => format!("({c})~{a}"),
            8 => {
                let count = ["popcountg(", "clzg(", "ctzg("][self.below(3) as usize];
                let zero = if count == "popcountg(" { String::new() } else { format!(", {}", bits % 64) };
                format!("({c})__builtin_{count}({u}){a}{zero})")
            }
            9 => {
                let limit = 2f64.powi(bits.saturating_sub(2) as i32);
                let (low, name) = (if kind.1 { -limit } else { 0.0 }, ["x", "y", "f"][self.below(3) as usize]);
                format!("({c})({name} > {low:?} && {name} < {limit:?} ? ({c}){name} : {a})")
            }
            10 => {
                let operation = ["add", "sub"][self.below(2) as usize];
                let b = self.expression(kind, depth - 1);
                format!(
                    "({{ {c} result; int over = __builtin_{operation}_overflow({a}, {b}, &result); ({c})(({u})result ^ ({u})over); }})"
                )
            }
            _ => format!("({c})(({u})0 - ({u}){a})"),
        }
    }
}
