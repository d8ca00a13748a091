//! Random C functions of doubles, floats and integers: arithmetic, constants that round at run time, conversions, branches, loops, calls of libm.

use std::fmt::Write;

/// An input: its name, its type in C, its range.
pub struct Input {
    pub name: String,
    pub ty: &'static str,
    pub low: f64,
    pub high: f64,
}

/// A function named `f`.
pub struct Program {
    pub text: String,
    pub inputs: Vec<Input>,
}

/// Knuth's generator (MMIX), its upper bits.
struct Random(u64);

impl Random {
    fn below(&mut self, count: usize) -> usize {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        ((self.0 >> 33) as usize) % count.max(1)
    }

    fn pick<T: Copy>(&mut self, choices: &[T]) -> T {
        choices[self.below(choices.len())]
    }
}

const CONSTANTS: [&str; 14] =
    ["0.1", "0.3", "1.0", "2.0", "3.0", "0.5", "-1.7", "331.4", "1e-3", "0.7", "5.0", "-0.25", "1.1", "10.0"];

const RANGES: [(f64, f64); 10] = [
    (0.0, 1.0),
    (-1.0, 1.0),
    (1.0, 2.0),
    (0.1, 10.0),
    (-3.0, 5.0),
    (1.0, 1000.0),
    (-100.0, 100.0),
    (0.5, 0.75),
    (4.0, 6.5),
    (-2.0, -0.5),
];

impl Program {
    /// The function of a number.
    pub fn random(seed: u64) -> Program {
        let mut random = Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ 0x5851_f42d_4c95_7f2d);
        random.below(2);
        let mut inputs = Vec::new();
        for place in 0..1 + random.below(3) {
            let ty = random.pick(&["double", "double", "double", "float", "int"]);
            let (low, high) =
                if ty == "int" { random.pick(&[(-5.0, 9.0), (1.0, 20.0), (0.0, 3.0)]) } else { random.pick(&RANGES) };
            let (low, high) = if ty == "float" { (f64::from(low as f32), f64::from(high as f32)) } else { (low, high) };
            inputs.push(Input { name: format!("x{place}"), ty, low, high });
        }
        let parameters: Vec<String> = inputs.iter().map(|input| format!("{} {}", input.ty, input.name)).collect();
        let ty = random.pick(&["double", "double", "double", "float"]);
        let mut text = format!("{ty} f({}) {{\n", parameters.join(", "));
        let mut names: Vec<String> = inputs.iter().map(|input| input.name.clone()).collect();
        for place in 0..1 + random.below(6) {
            let name = format!("v{place}");
            statement(&mut random, &mut text, &name, &names);
            names.push(name);
        }
        let last = names.last().cloned().unwrap_or_default();
        let _ = writeln!(text, "    return {last};\n}}");
        Program { text, inputs }
    }
}

/// A rounded number that cancels, or nearly, on some inputs.
const CANCELLING: [&str; 10] = [
    "x0 * x0 - x1 * x2",
    "x0 * x1 - x2",
    "x0 - x1 * x2",
    "x0 * x0 + x1 * x1 - x2",
    "(x0 + x1) - x2 * 0.1",
    "x0 / (x1 * x1 + 1.0) - x2",
    "sin(x0) - x1 * x2",
    "(x0 - x1) * x2",
    "0.1 * x0 - x1 / 3.0",
    "fma(x0, x1, -x2 * x2)",
];

impl Program {
    /// The function of a number that tests a rounded number before it takes a root or a logarithm of it, or divides by it.
    pub fn guarded(seed: u64) -> Program {
        let mut random = Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ 0x0123_4567_89ab_cdef);
        random.below(2);
        let input = |place: usize, random: &mut Random| {
            let ty = random.pick(&["double", "double", "double", "float"]);
            let (low, high) = random.pick(&RANGES);
            let (low, high) = if ty == "float" { (f64::from(low as f32), f64::from(high as f32)) } else { (low, high) };
            Input { name: format!("x{place}"), ty, low, high }
        };
        let inputs: Vec<Input> = (0..3).map(|place| input(place, &mut random)).collect();
        let parameters: Vec<String> = inputs.iter().map(|input| format!("{} {}", input.ty, input.name)).collect();
        let cancelling = random.pick(&CANCELLING);
        let (limit, is_zero) = random.pick(&[("0.0", true), ("0.0", true), ("1e-3", false), ("0.1", false)]);
        let test = match random.below(4) {
            0 => format!("!(d < {limit})"),
            1 => format!("d > {limit}"),
            _ => format!("d >= {limit}"),
        };
        let root = ["sqrt(d)", "x0 - sqrt(d)", "sqrt(d) / (x1 * x1 + 1.0)", "sqrt(d) * sqrt(d)", "sqrt(d) + x2 * 0.1"];
        let pole = ["1.0 / d", "x0 / d", "log(d)", "x1 / sqrt(d)", "sqrt(d - 1e-3)"];
        let taken = if is_zero || random.below(2) == 0 { random.pick(&root) } else { random.pick(&pole) };
        let other = random.pick(&["0.0", "x0", "-1.0", "x1 * 0.1"]);
        let float = random.pick(&["double", "double", "double", "float"]);
        let mut text = format!("double f({}) {{\n    {float} d = {cancelling};\n", parameters.join(", "));
        // Writing to a string cannot fail.
        let _ = match random.below(3) {
            0 => writeln!(text, "    if (!({test})) return {other};\n    return {taken};\n}}"),
            1 => writeln!(
                text,
                "    double r = {other};\n    if ({test}) {{\n        r = {taken};\n        if (r < 0.5) r = r * 1.1;\n    }}\n    return r;\n}}"
            ),
            _ => writeln!(text, "    if ({test}) return {taken};\n    return {other};\n}}"),
        };
        Program { text, inputs }
    }
}

/// A variable, mostly a late one, or a constant.
fn operand(random: &mut Random, names: &[String]) -> String {
    if random.below(4) == 0 {
        return random.pick(&CONSTANTS).to_owned();
    }
    let back = random.below(names.len()).min(random.below(names.len()));
    names[names.len() - 1 - back].clone()
}

fn expression(random: &mut Random, names: &[String]) -> String {
    let mut next = || operand(random, names);
    let (a, b, c) = (next(), next(), next());
    match random.below(40) {
        0..=5 => format!("{a} + {b}"),
        6..=10 => format!("{a} - {b}"),
        11..=16 => format!("{a} * {b}"),
        17 | 18 => format!("{a} / ({b} * {b} + {c} * {c} + 0.5)"),
        19 => format!("{a} / {b}"),
        20 => format!("sqrt({a} * {a} + {b})"),
        21 => format!("sqrt(fabs({a}))"),
        22 => format!("fma({a}, {b}, {c})"),
        23 => format!("fmin({a}, {b}) + fmax({b}, {c})"),
        24 => format!("fabs({a} - {b})"),
        25 => format!("(float)({a} * {b})"),
        26 => format!("copysign({a}, {b})"),
        27 => format!("{}({a} * {b})", random.pick(&["floor", "ceil", "trunc", "rint"])),
        28 => format!("fmod({a}, {b} * {b} + 0.3)"),
        29 => format!("(int)({a} + {b}) * {c}"),
        30 => format!("{a} < {b} ? {b} * 1.1 : {a} * 1.1"),
        31..=35 => {
            let function = random.pick(&["sin", "cos", "atan", "tanh", "exp", "expm1", "cbrt"]);
            format!("{function}({a}) * {b}")
        }
        36 => format!("log(fabs({a}) + 0.1)"),
        37 => format!("log1p({a} * {a})"),
        38 => format!("hypot({a}, {b} + 3.0)"),
        _ => format!("atan2({a}, {b} * {b} + 0.1)"),
    }
}

fn statement(random: &mut Random, text: &mut String, name: &str, names: &[String]) {
    let ty = random.pick(&["double", "double", "double", "float"]);
    let (a, b) = (expression(random, names), expression(random, names));
    let (x, y) = (operand(random, names), operand(random, names));
    let comparison = random.pick(&["<", "<=", ">", ">="]);
    // Writing to a string cannot fail.
    let _ = match random.below(12) {
        0 => writeln!(text, "    {ty} {name};\n    if ({x} {comparison} {y}) {name} = {a}; else {name} = {b};"),
        1 => writeln!(text, "    {ty} {name} = {y};\n    if ({x} > {y}) {name} = sqrt({x} - {y});"),
        2 => writeln!(text, "    {ty} {name} = {y};\n    if ({x} > 1e-3) {name} = {y} / {x};"),
        3 => writeln!(text, "    {ty} {name} = {x};\n    for (int i = 0; i < 4; i++) {name} = {name} * {y} + 0.1;"),
        4 => writeln!(text, "    {ty} {name} = 0;\n    for (int i = 1; i <= 6; i++) {name} += {x} / i;"),
        5 => {
            let step = random.pick(&["0.1", "0.25", "0.3"]);
            writeln!(text, "    {ty} {name} = 0;\n    for (double t = 0; t < 1; t += {step}) {name} += t * {x};")
        }
        6 => {
            let (first, second) = (random.pick(&CONSTANTS), random.pick(&CONSTANTS));
            writeln!(text, "    {ty} {name}k = {first};\n    {ty} {name} = {name}k * {second} * {x};")
        }
        _ => writeln!(text, "    {ty} {name} = {a};"),
    };
}
