//! Random programs as LLVM's text: floats, integers, memory, tables, branches, loops, calls, results through addresses.

use std::fmt::Write;

use labrys_formulas::Random;

/// A double that programs find interesting.
pub fn double(random: &mut Random) -> f64 {
    const SPECIAL: [f64; 16] = [
        0.0,
        -0.0,
        1.0,
        -1.0,
        0.5,
        2.0,
        3.0,
        1e-320,
        2.2250738585072014e-308,
        1e-160,
        1e160,
        f64::MAX,
        -f64::MAX,
        f64::INFINITY,
        f64::NEG_INFINITY,
        f64::NAN,
    ];
    match random.below(3) {
        0 => random.pick(&SPECIAL),
        1 => (random.below(2000) as f64 - 1000.0) / 64.0,
        _ => {
            let exponent = random.below(2100) as f64 - 1074.0;
            let sign = if random.below(2) == 0 { 1.0 } else { -1.0 };
            let fraction = 1.0 + (random.bits() >> 12) as f64 * (1.0 / (1u64 << 52) as f64);
            let half = (exponent / 2.0).floor();
            sign * fraction * half.exp2() * (exponent - half).exp2()
        }
    }
}

/// A function's text while it grows. Variables live in memory: `%v0`… doubles, `%i0`… integers, `%a` four doubles.
struct Body<'r> {
    random: &'r mut Random,
    text: String,
    next: usize,
    /// Statements that may still be made.
    left: usize,
    /// How deeply loops nest here.
    loops: usize,
    /// The functions that may be called.
    calls: Calls,
}

/// What a function may call, and what it is given.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Calls {
    Nothing,
    /// The helper. Two addresses of two doubles each, `%p` and `%q`, may be one.
    Helper,
    /// All others.
    All,
}

const FLOATS: usize = 4;
const INTS: usize = 3;

impl Body<'_> {
    fn line(&mut self, line: String) {
        self.text.push_str("  ");
        self.text.push_str(&line);
        self.text.push('\n');
    }

    fn fresh(&mut self) -> String {
        self.next += 1;
        format!("%t{}", self.next)
    }

    fn value(&mut self, line: String) -> String {
        let name = self.fresh();
        self.line(format!("{name} = {line}"));
        name
    }

    /// The value of a variable, or a constant.
    fn float(&mut self) -> String {
        if self.random.below(4) == 0 {
            let value = match self.random.below(3) {
                0 => self.random.pick(&[0.5, 1.0, 2.0, -1.0, 1e-5, 10.0, 100.0]),
                _ => double(self.random),
            };
            return format!("0x{:016X}", value.to_bits());
        }
        let variable = self.random.below(FLOATS);
        self.value(format!("load double, ptr %v{variable}"))
    }

    fn int(&mut self) -> String {
        if self.random.below(3) == 0 {
            return format!("{}", self.random.below(12) as i32 - 4);
        }
        let variable = self.random.below(INTS);
        self.value(format!("load i32, ptr %i{variable}"))
    }

    fn set_float(&mut self, value: String) {
        let variable = self.random.below(FLOATS);
        self.line(format!("store double {value}, ptr %v{variable}"));
    }

    fn condition(&mut self) -> String {
        match self.random.below(5) {
            0 => {
                let predicate = self.random.pick(&["slt", "sle", "eq", "ne", "sgt", "ult", "uge"]);
                let (a, b) = (self.int(), self.int());
                self.value(format!("icmp {predicate} i32 {a}, {b}"))
            }
            1 => {
                let a = self.float();
                let mask = self.random.pick(&[3, 516, 264, 96, 144, 504, 60]);
                self.value(format!("call i1 @llvm.is.fpclass.f64(double {a}, i32 {mask})"))
            }
            kind => {
                let predicate =
                    self.random.pick(&["olt", "ole", "ogt", "oge", "oeq", "une", "ult", "ueq", "one", "uno"]);
                let mut a = self.float();
                if kind == 2 {
                    a = self.value(format!("call double @llvm.fabs.f64(double {a})"));
                }
                let b = self.float();
                self.value(format!("fcmp {predicate} double {a}, {b}"))
            }
        }
    }

    fn block(&mut self) {
        let count = 1 + self.random.below(4);
        for _ in 0..count {
            if self.left == 0 {
                return;
            }
            self.left -= 1;
            self.statement();
        }
    }

    fn statement(&mut self) {
        match self.random.below(14) {
            0..=4 => self.arithmetic(),
            5 => {
                let function =
                    self.random.pick(&["llvm.fabs.f64", "llvm.sqrt.f64", "exp", "log", "sin", "llvm.floor.f64"]);
                let a = self.float();
                let value = self.value(format!("call double @{function}(double {a})"));
                self.set_float(value);
            }
            6 => {
                let op = self.random.pick(&["add", "sub", "mul", "and", "sdiv", "srem", "shl", "ashr"]);
                let a = self.int();
                let b = match op {
                    "sdiv" | "srem" => format!("{}", 1 + self.random.below(7)),
                    "shl" | "ashr" => format!("{}", self.random.below(5)),
                    _ => self.int(),
                };
                let value = self.value(format!("{op} i32 {a}, {b}"));
                let variable = self.random.below(INTS);
                self.line(format!("store i32 {value}, ptr %i{variable}"));
            }
            7 => self.conversion(),
            8 | 9 => self.memory(),
            10 | 11 => self.branch(),
            12 if self.loops < 2 => self.counted(),
            12 | 13 if self.calls != Calls::Nothing => self.call(),
            _ => {
                let (c, a, b) = (self.condition(), self.float(), self.float());
                let value = self.value(format!("select i1 {c}, double {a}, double {b}"));
                self.set_float(value);
            }
        }
    }

    fn call(&mut self) {
        let i = self.int();
        if self.calls != Calls::All || self.random.below(2) == 0 {
            let a = self.float();
            let value = self.value(format!("call double @helper(double {a}, i32 {i})"));
            return self.set_float(value);
        }
        let (p, q) = (self.pair(), self.pair());
        // Several times, so that one analysis serves for another; now and then with one number for two.
        for _ in 0..1 + self.random.below(4) {
            let a = self.float();
            let b = if self.random.below(2) == 0 { a.clone() } else { self.float() };
            let value = self.value(format!("call double @middle(double {a}, double {b}, ptr {p}, ptr {q}, i32 {i})"));
            // What was written is used at once: else few programs show it.
            let pair = self.random.pick(&[&p, &q]).to_string();
            let written = self.value(format!("load double, ptr {pair}"));
            self.set_float(written.clone());
            let op = self.random.pick(&["fmul", "fdiv", "fadd"]);
            let value = self.value(format!("{op} double {value}, {written}"));
            self.set_float(value);
        }
    }

    /// The address of two doubles.
    fn pair(&mut self) -> String {
        let base = self.random.pick(&["%a", "%a", "@state"]);
        let first = 2 * self.random.below(2);
        self.value(format!("getelementptr [4 x double], ptr {base}, i64 0, i64 {first}"))
    }

    fn arithmetic(&mut self) {
        let op = self.random.pick(&["fadd", "fsub", "fmul", "fdiv", "fmul", "fadd"]);
        let a = self.float();
        let b = if self.random.below(4) == 0 { a.clone() } else { self.float() };
        let value = self.value(format!("{op} double {a}, {b}"));
        self.set_float(value);
    }

    fn conversion(&mut self) {
        match self.random.below(3) {
            0 => {
                let a = self.int();
                let value = self.value(format!("sitofp i32 {a} to double"));
                self.set_float(value);
            }
            1 => {
                let a = self.float();
                let narrow = self.value(format!("fptrunc double {a} to float"));
                let value = self.value(format!("fpext float {narrow} to double"));
                self.set_float(value);
            }
            _ => {
                // Only of what fits: else the result is poison.
                let a = self.float();
                let size = self.value(format!("call double @llvm.fabs.f64(double {a})"));
                let fits = self.value(format!("fcmp olt double {size}, 1.0e6"));
                let inside = self.value(format!("select i1 {fits}, double {a}, double 0.0"));
                let value = self.value(format!("fptosi double {inside} to i32"));
                let variable = self.random.below(INTS);
                self.line(format!("store i32 {value}, ptr %i{variable}"));
            }
        }
    }

    fn memory(&mut self) {
        let i = self.int();
        let base = match self.calls {
            Calls::Helper => self.random.pick(&["%p", "%q", "%a", "@state"]),
            _ => self.random.pick(&["%a", "%a", "@table", "@state"]),
        };
        let last = if base == "%p" || base == "%q" { 1 } else { 3 };
        let index = self.value(format!("and i32 {i}, {last}"));
        let wide = self.value(format!("zext i32 {index} to i64"));
        let at = self.value(format!("getelementptr [4 x double], ptr {base}, i64 0, i64 {wide}"));
        if base != "@table" && self.random.below(2) == 0 {
            let value = self.float();
            self.line(format!("store double {value}, ptr {at}"));
        } else {
            let value = self.value(format!("load double, ptr {at}"));
            self.set_float(value);
        }
    }

    fn branch(&mut self) {
        let condition = self.condition();
        self.next += 1;
        let label = self.next;
        self.line(format!("br i1 {condition}, label %then{label}, label %else{label}"));
        let _ = writeln!(self.text, "then{label}:");
        self.block();
        self.line(format!("br label %end{label}"));
        let _ = writeln!(self.text, "else{label}:");
        if self.random.below(2) == 0 {
            self.block();
        }
        self.line(format!("br label %end{label}"));
        let _ = writeln!(self.text, "end{label}:");
    }

    /// A loop of a number of rounds, which may end earlier.
    fn counted(&mut self) {
        let rounds = self.random.pick(&[3, 10, 40, 150]);
        self.next += 1;
        let label = self.next;
        self.loops += 1;
        let counter = self.loops;
        self.line(format!("store i32 0, ptr %k{counter}"));
        self.line(format!("br label %head{label}"));
        let _ = writeln!(self.text, "head{label}:");
        let k = self.value(format!("load i32, ptr %k{counter}"));
        let more = self.value(format!("icmp slt i32 {k}, {rounds}"));
        self.line(format!("br i1 {more}, label %body{label}, label %done{label}"));
        let _ = writeln!(self.text, "body{label}:");
        self.block();
        let k = self.value(format!("load i32, ptr %k{counter}"));
        let next = self.value(format!("add i32 {k}, 1"));
        self.line(format!("store i32 {next}, ptr %k{counter}"));
        if self.random.below(2) == 0 {
            let stop = self.condition();
            self.line(format!("br i1 {stop}, label %done{label}, label %head{label}"));
        } else {
            self.line(format!("br label %head{label}"));
        }
        let _ = writeln!(self.text, "done{label}:");
        self.loops -= 1;
    }
}

fn function(random: &mut Random, name: &str, parameters: &[&str], statements: usize, calls: Calls) -> String {
    let mut body = Body { random, text: String::new(), next: 0, left: statements, loops: 0, calls };
    for i in 0..FLOATS {
        body.line(format!("%v{i} = alloca double"));
    }
    for i in 0..INTS {
        body.line(format!("%i{i} = alloca i32"));
    }
    for i in 1..3 {
        body.line(format!("%k{i} = alloca i32"));
    }
    body.line("%a = alloca [4 x double]".to_owned());
    for i in 0..FLOATS {
        let start = parameters.iter().filter(|p| p.starts_with("double")).nth(i).map(|p| p[7..].to_owned());
        body.line(format!("store double {}, ptr %v{i}", start.unwrap_or("1.0".to_owned())));
    }
    for i in 0..INTS {
        let start = if i == 0 { "%n" } else { "1" };
        body.line(format!("store i32 {start}, ptr %i{i}"));
    }
    body.line("call void @llvm.memset.p0.i64(ptr %a, i8 0, i64 32, i1 false)".to_owned());
    while body.left > 0 {
        body.block();
    }
    if calls == Calls::Helper {
        for pair in ["%p", "%q"] {
            let value = body.float();
            body.line(format!("store double {value}, ptr {pair}"));
        }
    }
    let result = body.float();
    body.line(format!("ret double {result}"));
    format!("define double @{name}({}) {{\n{}}}\n", parameters.join(", "), body.text)
}

/// A program with a function `f(double x, double y, i32 n)`.
pub fn program(random: &mut Random) -> String {
    let helper = function(random, "helper", &["double %x", "i32 %n"], 6, Calls::Nothing);
    let parameters = ["double %x", "double %y", "ptr %p", "ptr %q", "i32 %n"];
    let middle = function(random, "middle", &parameters, 10, Calls::Helper);
    let main = function(random, "f", &["double %x", "double %y", "i32 %n"], 18, Calls::All);
    let declarations = "declare double @llvm.fabs.f64(double)\ndeclare double @llvm.sqrt.f64(double)\n\
        declare double @llvm.floor.f64(double)\ndeclare i1 @llvm.is.fpclass.f64(double, i32)\n\
        declare void @llvm.memset.p0.i64(ptr, i8, i64, i1)\n\
        declare double @exp(double)\ndeclare double @log(double)\ndeclare double @sin(double)\n\
        @table = constant [4 x double] [double 1.0, double -0.5, double 1.0e-200, double 0.0]\n\
        @state = global [4 x double] [double 2.0, double 0.0, double -3.0, double 1.0e150]\n";
    format!("{declarations}{helper}{middle}{main}")
}
