//! Random programs in C with loops that say what they see: `seen(line, variable, value)` for every variable that can be named, wherever the condition
//! of a loop is evaluated.

use std::collections::BTreeMap;

use labrys_formulas::Random;

/// What the runtime defines, and what the programs share.
const PRELUDE: &str = "\
void seen(int line, int variable, long double value); void assume(int condition); double fabs(double); double sqrt(double); double fmin(double, double);
int any_int(void); unsigned any_unsigned(void); long any_long(void); unsigned long any_unsigned_long(void);
short any_short(void); unsigned char any_unsigned_char(void); float any_float(void); double any_double(void);
static int gi = -3; static double gd = 1.5; void reset(void) { gi = -3; gd = 1.5; }
typedef const unsigned long fixed;
";
const INPUTS: [(&str, &str); 8] = [
    ("int", "any_int"),
    ("unsigned", "any_unsigned"),
    ("long", "any_long"),
    ("unsigned long", "any_unsigned_long"),
    ("short", "any_short"),
    ("unsigned char", "any_unsigned_char"),
    ("float", "any_float"),
    ("double", "any_double"),
];
const TYPES: [&str; 10] = [
    "int",
    "unsigned",
    "long",
    "unsigned long",
    "short",
    "unsigned char",
    "signed char",
    "float",
    "double",
    "long double",
];

/// A batch of programs as one file of C.
pub struct Batch {
    pub text: String,
    /// The number of the variable that a name is at the loop of a line.
    pub seen: BTreeMap<(u32, String), usize>,
}

struct Generator<'r> {
    random: &'r mut Random,
    lines: Vec<String>,
    seen: BTreeMap<(u32, String), usize>,
    names: usize,
    /// The numbers of the program's variables.
    numbers: usize,
    /// Loops that may still be made, and whether there is a function to call.
    loops: usize,
    has_function: bool,
}

#[derive(Clone)]
struct Variable {
    name: String,
    ty: &'static str,
    number: usize,
    /// Whether it counts rounds, and is not assigned to.
    counts: bool,
}

/// A batch of so many programs.
pub fn batch(random: &mut Random, count: usize) -> Batch {
    let lines = PRELUDE.lines().map(str::to_owned).collect();
    let mut generator =
        Generator { random, lines, seen: BTreeMap::new(), names: 0, numbers: 0, loops: 0, has_function: false };
    (0..count).for_each(|number| generator.program(number));
    let names: Vec<String> = (0..count).map(|number| format!("p{number}")).collect();
    generator.lines.push(format!("void (*const programs[])(void) = {{{}}};", names.join(", ")));
    generator.lines.push(format!("const int program_count = {count};"));
    Batch { text: generator.lines.join("\n") + "\n", seen: generator.seen }
}

fn is_float(ty: &str) -> bool {
    matches!(ty, "float" | "double" | "long double")
}

impl Generator<'_> {
    fn pick<T: Clone>(&mut self, of: &[T]) -> T {
        of[self.random.below(of.len())].clone()
    }

    fn chance(&mut self, percent: usize) -> bool {
        self.random.below(100) < percent
    }

    fn variable(&mut self, ty: &'static str, counts: bool) -> Variable {
        self.names += 1;
        self.numbered(format!("v{}", self.names), ty, counts)
    }

    fn numbered(&mut self, name: String, ty: &'static str, counts: bool) -> Variable {
        self.numbers += 1;
        Variable { name, ty, number: self.numbers - 1, counts }
    }

    fn program(&mut self, number: usize) {
        (self.numbers, self.loops, self.has_function) = (0, 2, false);
        let globals = |generator: &mut Self| -> Vec<Variable> {
            // Their memory is no local variable's.
            [("gi", "int"), ("gd", "double")].map(|(name, ty)| generator.numbered(name.to_owned(), ty, false)).into()
        };
        if self.chance(60) {
            let mut variables = globals(self);
            let parameters = [("a", "int"), ("x", "double")].map(|(name, ty)| self.numbered(name.into(), ty, false));
            variables.extend(parameters);
            self.lines.push(format!("static double f{number}(int a, double x) {{"));
            self.statements(variables, number, 1);
            self.lines.extend(["return x + a;", "}"].map(str::to_owned));
            self.has_function = true;
        }
        self.loops = 4;
        self.lines.push(format!("void p{number}(void) {{"));
        let mut variables = globals(self);
        for _ in 0..1 + self.random.below(3) {
            let (ty, input) = self.pick(&INPUTS);
            let variable = self.variable(ty, false);
            self.lines.push(format!("  {ty} {} = {input}();", variable.name));
            if self.chance(60) {
                let (low, high) = (self.random.below(2), self.pick(&[5, 20, 100]));
                self.lines.push(format!("  assume({0} >= {low} && {0} <= {high});", variable.name));
            }
            variables.push(variable);
        }
        for _ in 0..3 {
            variables = self.statements(variables, number, 0);
        }
        self.lines.push("}".to_owned());
    }

    /// Some statements; the variables that can be named behind them.
    fn statements(&mut self, mut variables: Vec<Variable>, program: usize, depth: usize) -> Vec<Variable> {
        // A name is declared once in a block.
        let mut outer = variables.len();
        for _ in 0..1 + self.random.below(3) {
            let changeable: Vec<Variable> = variables.iter().filter(|of| !of.counts).cloned().collect();
            let target = self.pick(&changeable);
            match self.random.below(20) {
                0..5 => {
                    let ty = self.pick(&TYPES);
                    let value = self.expression(&variables, ty, 0);
                    let hides = self.pick(&variables[..outer]);
                    let is_hidden = depth > 0 && self.chance(30) && !hides.name.starts_with('g');
                    let is_new = !variables[outer..].iter().any(|of| of.name == hides.name);
                    let variable = match is_hidden && is_new && hides.name.starts_with('v') {
                        true => self.numbered(hides.name, ty, false),
                        false => self.variable(ty, false),
                    };
                    // The value does not name what it is given to.
                    let value = if value.contains(&variable.name) { "1".to_owned() } else { value };
                    self.lines.push(format!("{ty} {} = {value};", variable.name));
                    let hidden = variables.iter().position(|of| of.name == variable.name);
                    outer -= usize::from(hidden.map(|place| variables.remove(place)).is_some());
                    variables.push(variable);
                }
                5..11 => {
                    let value = self.expression(&variables, target.ty, 0);
                    self.lines.push(format!("{} = {value};", target.name));
                }
                11 => {
                    let value = self.expression(&variables, target.ty, 0);
                    self.lines.push(format!("{{ {} *p = &{}; *p = {value}; }}", target.ty, target.name));
                }
                12..14 if self.has_function => {
                    let (a, x) = (self.expression(&variables, "int", 0), self.expression(&variables, "double", 0));
                    self.lines.push(format!("{} = f{program}({a}, {x});", target.name));
                }
                _ if self.loops > 0 && depth < 3 => self.a_loop(&mut variables, program, depth),
                _ => {
                    let (a, x) = (self.expression(&variables, "int", 0), self.expression(&variables, "double", 0));
                    self.lines.push(format!("gi = {a}; gd = {x};"));
                }
            }
        }
        variables
    }

    /// A loop; a counter that is declared before it can be named behind it, too.
    fn a_loop(&mut self, variables: &mut Vec<Variable>, program: usize, depth: usize) {
        self.loops -= 1;
        let ty = self.pick(&["int", "unsigned", "long", "unsigned char", "fixed", "double", "float"]);
        let counter = self.variable(ty, true);
        let name = counter.name.clone();
        let mut inside = variables.clone();
        inside.push(counter.clone());
        if is_float(ty) {
            variables.push(counter);
        }
        let (low, high, step) = (self.random.below(4), 1 + self.random.below(7), 1 + self.random.below(3));
        let is_down = self.chance(30);
        let rest = match ty {
            "fixed" => {
                let left = self.numbered("left".to_owned(), "int", true);
                self.lines.push(format!("{{ int left = {step};"));
                inside.push(left);
                let sees = self.sees(&inside);
                self.lines.push(format!("for (fixed {name} = {high}; {sees}gi > {low} && left > 0; left--) {{"));
                None
            }
            "double" | "float" => {
                let start = self.pick(&["1.0", "40.0", "0.3"]);
                self.lines.push(format!("{ty} {name} = {start};"));
                let sees = self.sees(&inside);
                self.lines.push(format!("while ({sees}{name} > 0.1) {{"));
                Some(format!("{name} *= 0.{};", 2 + self.random.below(5)))
            }
            "int" | "long" if is_down => {
                let sees = self.sees(&inside);
                self.lines.push(format!("for ({ty} {name} = {high}; {sees}{name} > -{low}; {name} -= {step}) {{"));
                None
            }
            _ => {
                let sees = self.sees(&inside);
                self.lines.push(format!("for ({ty} {name} = {low}; {sees}{name} < {high}; {name} += {step}) {{"));
                None
            }
        };
        self.lines.extend(rest);
        self.statements(inside, program, depth + 1);
        // What the body leaves in `gi` may be anything; rounds are few all the same, for what limits them is counted down.
        self.lines.push(if ty == "fixed" { "} }" } else { "}" }.to_owned());
    }

    /// Tells the runtime what is seen on the line that comes next.
    fn sees(&mut self, variables: &[Variable]) -> String {
        let line = self.lines.len() as u32 + 1;
        let mut named: BTreeMap<&str, usize> = BTreeMap::new();
        variables.iter().for_each(|of| _ = named.insert(&of.name, of.number));
        let mut text = String::new();
        for (name, number) in named {
            self.seen.insert((line, name.to_owned()), number);
            text += &format!("seen({line}, {number}, {name}), ");
        }
        text
    }

    fn expression(&mut self, variables: &[Variable], ty: &str, depth: usize) -> String {
        let alike: Vec<&Variable> = variables.iter().filter(|of| is_float(of.ty) == is_float(ty)).collect();
        if depth > 2 || self.chance(35) || alike.is_empty() {
            return match !alike.is_empty() && self.chance(75) {
                true => self.pick(&alike).name.clone(),
                false if is_float(ty) => {
                    self.pick(&["0.5", "-1.25", "3.0", "1e30", "0.1", "-0.0", "7.0", "1e-320", "1e300"]).to_owned()
                }
                false => self.pick(&["0", "1", "2", "3", "5", "7", "-1", "-3", "100", "127", "200"]).to_owned(),
            };
        }
        let [a, b] = [(); 2].map(|()| self.expression(variables, ty, depth + 1));
        let forms: &[&str] = match is_float(ty) {
            true => {
                &["(A + B)", "(A - B)", "(A * B)", "(A / B)", "fabs(A)", "(A < B ? A : B)", "sqrt(A)", "fmin(A, B)"]
            }
            false => &[
                "(int)((unsigned)(A) + (unsigned)(B))",
                "(int)((unsigned)(A) - (unsigned)(B))",
                "((A) & 15)",
                "((A) < (B) ? (A) : (B))",
                "((A) % 17)",
                "((A) ^ (B))",
                "((A) >> 1)",
                "((A) | 1)",
            ],
        };
        self.pick(forms).replace('A', &a.replace('B', "\u{1}")).replace('B', &b).replace('\u{1}', "B")
    }
}
