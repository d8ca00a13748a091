//! Terms written as FPCore 2.0 (N. Damouche, M. Martel, P. Panchekha, C. Qiu, A. Sanchez-Stern, Z. Tatlock, "Toward a standard benchmark
//! format and suite for floating-point analysis", NSV 2016; <https://fpbench.org/spec/fpcore-2.0.html>), which Herbie and its like read.
//!
//! A Float term is an expression whose operations round to its format; where that is not the whole definition's, the operation carries it
//! (`(! :precision binary32 (+ a b))`), and so with rounding modes. Literals are written by the shortest decimal number that rounds to them: computed
//! in their format they are the literal, and read as real numbers they are what the source most likely says. Subterms that are used twice are bound by
//! `let*`, in an order in which names are defined before they are used, so that the text is no longer than the term.
//!
//! What FPCore has no words for (bits of floats, integers that wrap, functions it does not know) is an error with the name of the operator.

use std::fmt;

use labrys_float::{Float, Format, RoundingMode};
use rustc_hash::FxHashMap;

use crate::{Node, Op, Sort, Store, TermId};

/// A definition: one result of inputs that satisfy conditions.
#[derive(Clone, Copy, Debug)]
pub struct Definition<'a> {
    /// What it is of, in words.
    pub description: &'a str,
    /// The inputs that may occur, in order: their names and Float variables.
    pub inputs: &'a [(&'a str, TermId)],
    /// Variables that stand for calls of elementary functions: C's name of the function, and the operands.
    pub calls: &'a FxHashMap<TermId, (&'static str, Vec<TermId>)>,
    /// Bool terms.
    pub conditions: &'a [TermId],
    /// A Float term.
    pub result: TermId,
}

/// Something that FPCore has no words for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Inexpressible {
    /// What, in words.
    pub what: String,
}

impl fmt::Display for Inexpressible {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "FPCore has no words for {}", self.what)
    }
}

impl std::error::Error for Inexpressible {}

/// C's functions that are FPCore's operators of the same name.
const FUNCTIONS: [&str; 29] = [
    "acos",
    "acosh",
    "asin",
    "asinh",
    "atan",
    "atan2",
    "atanh",
    "cbrt",
    "cos",
    "cosh",
    "erf",
    "erfc",
    "exp",
    "exp2",
    "expm1",
    "fdim",
    "fmod",
    "hypot",
    "lgamma",
    "log",
    "log10",
    "log1p",
    "log2",
    "pow",
    "remainder",
    "sin",
    "sinh",
    "tan",
    "tanh",
];

/// Words that are no names of arguments.
const CONSTANTS: [&str; 18] = [
    "E",
    "LOG2E",
    "LOG10E",
    "LN2",
    "LN10",
    "PI",
    "PI_2",
    "PI_4",
    "M_1_PI",
    "M_2_PI",
    "M_2_SQRTPI",
    "SQRT2",
    "SQRT1_2",
    "INFINITY",
    "NAN",
    "TRUE",
    "FALSE",
    "if",
];

/// Texts of at most this length that are used once stand where they are used.
const LONGEST_INLINE: usize = 300;

/// Writes a definition. Conditions that FPCore has no words for are left out of its precondition, and comments say so.
///
/// ```
/// use labrys_float::{Format, RoundingMode};
/// use labrys_term::{Op, Sort, Store, fpcore};
///
/// let mut store = Store::new();
/// let x = store.variable("x", Sort::Float(Format::BINARY64));
/// let nearest = store.rounding_mode(RoundingMode::NearestEven);
/// let square = store.mk(Op::FpMul, &[nearest, x, x]);
/// let definition = fpcore::Definition {
///     description: "square",
///     inputs: &[("x", x)],
///     calls: &Default::default(),
///     conditions: &[],
///     result: square,
/// };
/// assert_eq!(fpcore::print(&store, &definition).unwrap(), "(FPCore (x)\n :name \"square\"\n :precision binary64\n (* x x))\n");
/// ```
///
/// # Errors
///
/// An operator of the result that FPCore has no words for.
pub fn print(store: &Store, definition: &Definition<'_>) -> Result<String, Inexpressible> {
    let format = store.float_format(definition.result).ok_or_else(|| without_words("a result that is no float"))?;
    let mut names = FxHashMap::default();
    for (name, variable) in definition.inputs {
        let plain = argument_name(name, &names);
        names.insert(*variable, plain);
    }
    let writer = Writer { store, names: &names, calls: definition.calls, format };
    let result = writer.text(definition.result)?;
    let mut comments = String::new();
    let mut conditions = Vec::new();
    for &condition in definition.conditions {
        match writer.text(condition) {
            Ok(text) if text == "TRUE" => {}
            Ok(text) => conditions.push(text),
            Err(Inexpressible { what }) => {
                comments.push_str(&format!("; left out of the precondition: one with {what}\n"))
            }
        }
    }
    let used = writer.variables(definition);
    let arguments = definition.inputs.iter().filter(|(_, variable)| used.contains(variable));
    let arguments: Vec<String> = arguments.map(|(_, variable)| writer.argument(*variable)).collect();
    let precondition = match conditions.as_slice() {
        [] => String::new(),
        [one] => format!(" :pre {one}\n"),
        several => format!(" :pre (and {})\n", several.join("\n           ")),
    };
    let description = definition.description.replace(['"', '\\'], "'");
    let precision = precision(format)?;
    Ok(format!(
        "{comments}(FPCore ({})\n :name \"{description}\"\n :precision {precision}\n{precondition} {result})\n",
        arguments.join(" ")
    ))
}

fn without_words(what: impl Into<String>) -> Inexpressible {
    Inexpressible { what: what.into() }
}

/// A name of an argument: `x[3]` is `x_3`, and no two are the same.
fn argument_name(name: &str, taken: &FxHashMap<TermId, String>) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '.';
    let mut plain = name.replace(']', "").replace(|c| !is_plain(c), "_");
    if !plain.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_') || CONSTANTS.contains(&plain.as_str()) {
        plain.insert(0, '_');
    }
    while taken.values().any(|other| *other == plain) {
        plain.push('_');
    }
    plain
}

/// FPCore's name of a format.
fn precision(format: Format) -> Result<String, Inexpressible> {
    let named = [
        (Format::BINARY16, "binary16"),
        (Format::BINARY32, "binary32"),
        (Format::BINARY64, "binary64"),
        (Format::X87, "binary80"),
        (Format::BINARY128, "binary128"),
    ];
    match named.iter().find(|(other, _)| *other == format) {
        Some((_, name)) => Ok((*name).to_owned()),
        None => Ok(format!("(float {} {})", format.exponent_bits(), format.width())),
    }
}

/// A literal: the shortest decimal number that rounds to it.
fn number(value: &Float) -> String {
    if value.is_nan() {
        return "NAN".to_owned();
    }
    match (value.is_negative(), value.is_infinite(), value.is_zero()) {
        (false, true, _) => "INFINITY".to_owned(),
        (true, true, _) => "(- INFINITY)".to_owned(),
        // The integer −0 is 0.
        (true, _, true) => "(- 0)".to_owned(),
        _ => value.to_shortest_decimal(),
    }
}

struct Writer<'a> {
    store: &'a Store,
    names: &'a FxHashMap<TermId, String>,
    calls: &'a FxHashMap<TermId, (&'static str, Vec<TermId>)>,
    /// The definition's.
    format: Format,
}

impl Writer<'_> {
    /// What a term is made of: its arguments, or its call's operands; rounding modes are no expressions.
    fn parts(&self, term: TermId) -> &[TermId] {
        match self.calls.get(&term) {
            Some((_, operands)) => operands,
            None => {
                let args = &self.store.node(term).args;
                let is_mode = |arg: &TermId| *self.store.sort(*arg) == Sort::RoundingMode;
                if args.first().is_some_and(is_mode) { &args[1..] } else { args }
            }
        }
    }

    /// All terms that a term is made of, operands of calls too, arguments before what uses them.
    fn order(&self, root: TermId) -> Vec<TermId> {
        let mut order = Vec::new();
        let mut is_done: FxHashMap<TermId, bool> = FxHashMap::default();
        let mut pending = vec![root];
        while let Some(&term) = pending.last() {
            match is_done.get(&term) {
                None => {
                    is_done.insert(term, false);
                    pending.extend(self.parts(term).iter().filter(|part| !is_done.contains_key(part)));
                }
                Some(false) => {
                    is_done.insert(term, true);
                    order.push(term);
                    pending.pop();
                }
                Some(true) => {
                    pending.pop();
                }
            }
        }
        order
    }

    /// The variables that occur anywhere.
    fn variables(&self, definition: &Definition<'_>) -> Vec<TermId> {
        let roots = definition.conditions.iter().chain([&definition.result]);
        let mut used: Vec<TermId> =
            roots.flat_map(|&root| self.order(root)).filter(|term| self.names.contains_key(term)).collect();
        used.sort_unstable();
        used.dedup();
        used
    }

    fn argument(&self, variable: TermId) -> String {
        let name = &self.names[&variable];
        match self.store.float_format(variable) {
            Some(format) if format != self.format => match precision(format) {
                Ok(precision) => format!("(! :precision {precision} {name})"),
                Err(_) => name.clone(),
            },
            _ => name.clone(),
        }
    }

    /// A term's text, `let*` around it where something is used twice.
    fn text(&self, root: TermId) -> Result<String, Inexpressible> {
        let order = self.order(root);
        let mut uses: FxHashMap<TermId, u32> = FxHashMap::default();
        for part in order.iter().flat_map(|&term| self.parts(term)) {
            *uses.entry(*part).or_default() += 1;
        }
        let mut texts: FxHashMap<TermId, String> = FxHashMap::default();
        let mut bound = Vec::new();
        for &term in &order {
            let text = self.expression(term, &texts)?;
            let is_leaf = self.parts(term).is_empty();
            let is_shared = uses.get(&term).is_some_and(|&uses| uses > 1);
            if term != root && !is_leaf && (is_shared || text.len() > LONGEST_INLINE) {
                let name = self.fresh(bound.len() + 1);
                bound.push(format!("({name} {text})"));
                texts.insert(term, name);
            } else {
                texts.insert(term, text);
            }
        }
        let text = texts.remove(&root).unwrap_or_default();
        if bound.is_empty() { Ok(text) } else { Ok(format!("(let* ({})\n  {text})", bound.join("\n        "))) }
    }

    /// A name that no argument has.
    fn fresh(&self, number: usize) -> String {
        let mut name = format!("t{number}");
        while self.names.values().any(|other| *other == name) {
            name.push('_');
        }
        name
    }

    fn expression(&self, term: TermId, texts: &FxHashMap<TermId, String>) -> Result<String, Inexpressible> {
        if let Some(name) = self.names.get(&term) {
            return Ok(name.clone());
        }
        let operands: Vec<&str> =
            self.parts(term).iter().map(|part| texts.get(part).map_or("", String::as_str)).collect();
        let node = self.store.node(term);
        if let Some((function, _)) = self.calls.get(&term) {
            if !FUNCTIONS.contains(function) && *function != "tgamma" {
                return Err(without_words(*function));
            }
            return self.rounded(node, format!("({function} {})", operands.join(" ")));
        }
        match node.sort {
            Sort::Float(_) => self.float(node, &operands),
            Sort::Bool => self.condition(node, &operands),
            Sort::BitVec(_) => Err(without_words("integers")),
            _ => Err(without_words("reals and arrays")),
        }
    }

    fn float(&self, node: &Node, operands: &[&str]) -> Result<String, Inexpressible> {
        let name = match &node.op {
            Op::FloatConst(value) => return Ok(number(value)),
            // These do not round.
            Op::Ite => return Ok(format!("(if {})", operands.join(" "))),
            Op::FpNeg => return Ok(format!("(- {})", operands.join(" "))),
            Op::FpAbs => "fabs",
            Op::FpMin => "fmin",
            Op::FpMax => "fmax",
            Op::FpAdd => "+",
            Op::FpSub => "-",
            Op::FpMul => "*",
            Op::FpDiv => "/",
            Op::FpFma => "fma",
            Op::FpSqrt => "sqrt",
            Op::FpRem => "remainder",
            Op::FpFmod => "fmod",
            Op::FpFromFloat(_) => "cast",
            Op::FpRoundToIntegral => {
                let name = match self.mode(node)? {
                    RoundingMode::NearestEven => "nearbyint",
                    RoundingMode::NearestAway => "round",
                    RoundingMode::TowardPositive => "ceil",
                    RoundingMode::TowardNegative => "floor",
                    RoundingMode::TowardZero => "trunc",
                };
                return Ok(format!("({name} {})", operands.join(" ")));
            }
            Op::Variable(_) => return Err(without_words("a value that is no input's")),
            Op::FpFromBits(_) => return Err(without_words("a float made of bits")),
            _ => return Err(without_words(format!("{:?}", node.op))),
        };
        self.rounded(node, format!("({name} {})", operands.join(" ")))
    }

    /// An operation in its own format and rounding mode.
    fn rounded(&self, node: &Node, text: String) -> Result<String, Inexpressible> {
        let mut properties = String::new();
        if let Sort::Float(format) = node.sort
            && format != self.format
        {
            properties.push_str(&format!(" :precision {}", precision(format)?));
        }
        let mode = match self.mode(node) {
            Ok(RoundingMode::NearestEven) => None,
            Ok(RoundingMode::NearestAway) => Some("nearestAway"),
            Ok(RoundingMode::TowardPositive) => Some("toPositive"),
            Ok(RoundingMode::TowardNegative) => Some("toNegative"),
            Ok(RoundingMode::TowardZero) => Some("toZero"),
            Err(why) => return Err(why),
        };
        properties.extend(mode.map(|mode| format!(" :round {mode}")));
        if properties.is_empty() { Ok(text) } else { Ok(format!("(!{properties} {text})")) }
    }

    /// The rounding mode of an operation; to nearest where it takes none.
    fn mode(&self, node: &Node) -> Result<RoundingMode, Inexpressible> {
        let Some(&first) = node.args.first() else { return Ok(RoundingMode::NearestEven) };
        match self.store.node(first).op {
            Op::RoundingModeConst(mode) => Ok(mode),
            _ if *self.store.sort(first) == Sort::RoundingMode => {
                Err(without_words("a rounding mode that is not known"))
            }
            _ => Ok(RoundingMode::NearestEven),
        }
    }

    fn condition(&self, node: &Node, operands: &[&str]) -> Result<String, Inexpressible> {
        let first = operands.first().copied().unwrap_or_default();
        let name = match &node.op {
            Op::BoolConst(value) => return Ok(if *value { "TRUE" } else { "FALSE" }.to_owned()),
            Op::Not => "not",
            Op::And => "and",
            Op::Or => "or",
            Op::Implies => return Ok(format!("(or (not {first}) {})", operands[1..].join(" "))),
            Op::FpLt => "<",
            Op::FpLe => "<=",
            Op::FpEq => "==",
            Op::FpIsNan => "isnan",
            Op::FpIsInfinite => "isinf",
            Op::FpIsNormal => "isnormal",
            Op::FpIsZero => return Ok(format!("(== {first} 0)")),
            Op::FpIsNegative => return Ok(format!("(and (signbit {first}) (not (isnan {first})))")),
            Op::FpIsPositive => return Ok(format!("(not (or (signbit {first}) (isnan {first})))")),
            _ => return Err(without_words(format!("{:?}", node.op))),
        };
        Ok(format!("({name} {})", operands.join(" ")))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Sample {
        store: Store,
        x: TermId,
        y: TermId,
        nearest: TermId,
    }

    fn sample() -> Sample {
        let mut store = Store::new();
        let x = store.variable("x[0]", Sort::Float(Format::BINARY64));
        let y = store.variable("PI", Sort::Float(Format::BINARY32));
        let nearest = store.rounding_mode(RoundingMode::NearestEven);
        Sample { store, x, y, nearest }
    }

    fn printed(sample: &Sample, conditions: &[TermId], result: TermId) -> Result<String, Inexpressible> {
        let inputs = [("x[0]", sample.x), ("PI", sample.y)];
        let calls = FxHashMap::default();
        let definition = Definition { description: "f", inputs: &inputs, calls: &calls, conditions, result };
        print(&sample.store, &definition)
    }

    #[test]
    fn formats_modes_and_shared_terms_are_written() {
        let mut sample = sample();
        let Sample { x, y, nearest, .. } = sample;
        let store = &mut sample.store;
        let up = store.rounding_mode(RoundingMode::TowardPositive);
        let small = store.mk(Op::FpAdd, &[up, y, y]);
        let wide = store.mk(Op::FpFromFloat(Format::BINARY64), &[nearest, small]);
        let tenth = store.float_const(Float::from_f64(-0.1));
        let product = store.mk(Op::FpMul, &[nearest, x, tenth]);
        let both = store.mk(Op::FpSub, &[nearest, product, wide]);
        let result = store.mk(Op::FpDiv, &[nearest, both, product]);
        let condition = store.mk(Op::FpLt, &[x, wide]);
        let bits = store.mk(Op::FpToBits, &[x]);
        let odd = store.bv_const(64, 7u8);
        let inexpressible = store.mk(Op::Eq, &[bits, odd]);
        let expected = "\
; left out of the precondition: one with integers
(FPCore (x_0 (! :precision binary32 _PI))
 :name \"f\"
 :precision binary64
 :pre (< x_0 (cast (! :precision binary32 :round toPositive (+ _PI _PI))))
 (let* ((t1 (* x_0 -0.1)))
  (/ (- t1 (cast (! :precision binary32 :round toPositive (+ _PI _PI)))) t1)))
";
        assert_eq!(printed(&sample, &[condition, inexpressible], result).unwrap(), expected);
    }

    #[test]
    fn calls_are_operators_and_bits_are_refused() {
        let mut sample = sample();
        let Sample { x, .. } = sample;
        let store = &mut sample.store;
        let call = store.variable("sin!1", Sort::Float(Format::BINARY64));
        let other = store.variable("j0!1", Sort::Float(Format::BINARY64));
        let negated = store.mk(Op::FpNeg, &[call]);
        let calls = FxHashMap::from_iter([(call, ("sin", vec![x])), (other, ("j0", vec![x]))]);
        let of = |result| {
            let inputs = [("x", x)];
            print(store, &Definition { description: "f", inputs: &inputs, calls: &calls, conditions: &[], result })
        };
        assert!(of(negated).unwrap().ends_with("\n (- (sin x)))\n"));
        assert_eq!(of(other), Err(without_words("j0")));
    }

    /// A chain of squares, each used twice: written as a tree it would have 2^400 leaves.
    #[test]
    fn long_terms_are_written_once() {
        let mut sample = sample();
        let Sample { x, nearest, .. } = sample;
        let mut term = x;
        for _ in 0..400 {
            term = sample.store.mk(Op::FpMul, &[nearest, term, term]);
        }
        let text = printed(&sample, &[], term).unwrap();
        assert_eq!(text.matches("(* ").count(), 400);
        assert!(text.contains("(t399 (* t398 t398))"));
    }
}
