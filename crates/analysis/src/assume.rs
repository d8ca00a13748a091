//! Assumptions on inputs: `--assume "v>=-4.5 && v<=-0.3"` and `--range x=-1e3..1e3`.
//!
//! Grammar, loosest binding first; white space is free:
//!
//! ```text
//! or      = and { "||" and }
//! and     = not { "&&" not }
//! not     = "!" not | compare
//! compare = sum { ("<" | "<=" | ">" | ">=" | "==" | "!=") sum }      a < b < c means a < b && b < c
//! sum     = product { ("+" | "-") product }
//! product = unary { ("*" | "/") unary }
//! unary   = "-" unary | atom
//! atom    = number | input | "abs" "(" sum ")" | "finite" "(" sum ")" | "(" or ")"
//! input   = a parameter's name, x[3], p.re, p[2].w[0]
//! ```
//!
//! Arithmetic is binary64's with default rounding; comparisons with NaN are false, but for `!=`. An input of another
//! type is converted to binary64 first.

use std::fmt;

use labrys_float::{Float, Format, RoundingMode};
use labrys_program::{InputLayout, ScalarType};
use labrys_term::{Op, Sort, Store, TermId};

/// Why an assumption was not understood.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AssumeError {
    /// The option that it was given with.
    option: &'static str,
    text: String,
    /// Offset in bytes at which it went wrong.
    position: usize,
    expected: String,
}

impl fmt::Display for AssumeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let column = self.text[..self.position].chars().count() + 1;
        write!(f, "{} \"{}\": column {column}: expected {}", self.option, self.text, self.expected)
    }
}

impl std::error::Error for AssumeError {}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Relation {
    Less,
    LessEqual,
    Greater,
    GreaterEqual,
    Equal,
    NotEqual,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Arithmetic {
    Add,
    Sub,
    Mul,
    Div,
}

#[derive(Clone, Debug, PartialEq)]
enum Number {
    Literal(f64),
    /// Index of a leaf of the input layout.
    Leaf(usize),
    Negate(Box<Number>),
    Abs(Box<Number>),
    Binary(Arithmetic, Box<Number>, Box<Number>),
}

#[derive(Clone, Debug, PartialEq)]
enum Truth {
    Compare(Relation, Number, Number),
    Finite(Number),
    Not(Box<Truth>),
    And(Box<Truth>, Box<Truth>),
    Or(Box<Truth>, Box<Truth>),
}

/// A predicate on input records.
#[derive(Clone, Debug, PartialEq)]
pub struct Assumption {
    truth: Truth,
}

impl Assumption {
    /// Parses `text`; inputs are the leaves of `layout`.
    ///
    /// # Errors
    ///
    /// Where the text leaves the grammar or names no input: the column and what was expected there.
    pub fn parse(text: &str, layout: &InputLayout) -> Result<Assumption, AssumeError> {
        let mut parser = Parser { option: "--assume", text, position: 0, layout, depth: 0 };
        let truth = parser.or()?;
        parser.skip_space();
        if parser.position < text.len() {
            return Err(parser.error("an operator or the end"));
        }
        Ok(Assumption { truth })
    }

    /// The closed interval `name=low..high` as an assumption; either bound may be missing or infinite.
    ///
    /// # Errors
    ///
    /// Where the name is no input, a bound no number, or no number lies between them: the column and what was expected.
    pub fn parse_range(text: &str, layout: &InputLayout) -> Result<Assumption, AssumeError> {
        let error = |position: usize, expected: &str| AssumeError {
            option: "--range",
            text: text.to_owned(),
            position,
            expected: expected.to_owned(),
        };
        let (name, interval) = text.split_once('=').ok_or_else(|| error(0, "NAME=LOW..HIGH"))?;
        let begin = name.len() + 1;
        let (low, high) = interval.split_once("..").ok_or_else(|| error(begin, "LOW..HIGH"))?;
        let mut parser = Parser { option: "--range", text, position: 0, layout, depth: 0 };
        let leaf = parser.input()?;
        parser.skip_space();
        if parser.position + 1 != begin {
            return Err(parser.error("`=`"));
        }
        let bound = |text: &str, position: usize| -> Result<Option<f64>, AssumeError> {
            if text.trim().is_empty() {
                return Ok(None);
            }
            let value = Float::parse_decimal(Format::BINARY64, text.trim()).and_then(|value| value.to_f64());
            match value {
                Some(value) if value.is_nan() => Err(error(position, "a number, which NaN is not")),
                Some(value) => Ok(Some(value)),
                None => Err(error(position, "a number")),
            }
        };
        let (low, high) = (bound(low, begin)?, bound(high, begin + low.len() + 2)?);
        let link = |relation, value| Truth::Compare(relation, leaf.clone(), Number::Literal(value));
        let truth = match (low, high) {
            (None, None) => return Err(error(begin, "a bound")),
            (Some(low), Some(high)) if low > high => return Err(error(begin, "the lower bound first")),
            (Some(low), None) => link(Relation::GreaterEqual, low),
            (None, Some(high)) => link(Relation::LessEqual, high),
            (Some(low), Some(high)) => {
                Truth::And(Box::new(link(Relation::GreaterEqual, low)), Box::new(link(Relation::LessEqual, high)))
            }
        };
        Ok(Assumption { truth })
    }

    /// Whether the record satisfies the assumption.
    pub fn holds(&self, layout: &InputLayout, record: &[u8]) -> bool {
        self.truth.holds(layout, record)
    }

    /// The assumption as a Bool term over Float (and bit-vector) variables named by the leaves' paths.
    pub fn term(&self, layout: &InputLayout, store: &mut Store) -> TermId {
        self.truth.term(layout, store)
    }
}

/// A leaf's value as binary64, converted by C's rules.
fn leaf_value(layout: &InputLayout, leaf: usize, record: &[u8]) -> f64 {
    let leaf = &layout.leaves[leaf];
    let bits = leaf.read(record);
    match leaf.scalar {
        ScalarType::Float(float) if float.format() == Format::BINARY64 => f64::from_bits(bits as u64),
        ScalarType::Float(float) if float.format() == Format::BINARY32 => f64::from(f32::from_bits(bits as u32)),
        ScalarType::Float(float) => {
            let wide = Float::from_bits(float.format(), bits);
            let narrow = labrys_float::Environment::default().convert(&wide, Format::BINARY64).value;
            narrow.to_f64().unwrap_or(f64::NAN)
        }
        ScalarType::Int { bits: width, signed: true } => {
            let shift = 64 - width;
            (((bits as u64) << shift) as i64 >> shift) as f64
        }
        ScalarType::Int { .. } | ScalarType::Bool => bits as u64 as f64,
    }
}

impl Number {
    fn value(&self, layout: &InputLayout, record: &[u8]) -> f64 {
        match self {
            Number::Literal(value) => *value,
            Number::Leaf(leaf) => leaf_value(layout, *leaf, record),
            Number::Negate(of) => -of.value(layout, record),
            Number::Abs(of) => of.value(layout, record).abs(),
            Number::Binary(op, a, b) => {
                let (a, b) = (a.value(layout, record), b.value(layout, record));
                match op {
                    Arithmetic::Add => a + b,
                    Arithmetic::Sub => a - b,
                    Arithmetic::Mul => a * b,
                    Arithmetic::Div => a / b,
                }
            }
        }
    }

    fn term(&self, layout: &InputLayout, store: &mut Store) -> TermId {
        match self {
            Number::Literal(value) => store.float_const(Float::from_f64(*value)),
            Number::Leaf(leaf) => leaf_term(layout, *leaf, store),
            Number::Negate(of) => {
                let of = of.term(layout, store);
                store.mk(Op::FpNeg, &[of])
            }
            Number::Abs(of) => {
                let of = of.term(layout, store);
                store.mk(Op::FpAbs, &[of])
            }
            Number::Binary(op, a, b) => {
                let (a, b) = (a.term(layout, store), b.term(layout, store));
                let mode = store.rounding_mode(RoundingMode::NearestEven);
                let op = match op {
                    Arithmetic::Add => Op::FpAdd,
                    Arithmetic::Sub => Op::FpSub,
                    Arithmetic::Mul => Op::FpMul,
                    Arithmetic::Div => Op::FpDiv,
                };
                store.mk(op, &[mode, a, b])
            }
        }
    }
}

fn leaf_term(layout: &InputLayout, leaf: usize, store: &mut Store) -> TermId {
    let leaf = &layout.leaves[leaf];
    let mode = store.rounding_mode(RoundingMode::NearestEven);
    match leaf.scalar {
        ScalarType::Float(float) => {
            let variable = store.variable(&leaf.path, Sort::Float(float.format()));
            match float.format() {
                Format::BINARY64 => variable,
                _ => store.mk(Op::FpFromFloat(Format::BINARY64), &[mode, variable]),
            }
        }
        ScalarType::Int { bits, signed } => {
            let variable = store.variable(&leaf.path, Sort::BitVec(bits));
            let convert = if signed { Op::FpFromSigned } else { Op::FpFromUnsigned };
            store.mk(convert(Format::BINARY64), &[mode, variable])
        }
        ScalarType::Bool => {
            let variable = store.variable(&leaf.path, Sort::BitVec(8));
            store.mk(Op::FpFromUnsigned(Format::BINARY64), &[mode, variable])
        }
    }
}

impl Truth {
    fn holds(&self, layout: &InputLayout, record: &[u8]) -> bool {
        match self {
            Truth::Compare(relation, a, b) => {
                let (a, b) = (a.value(layout, record), b.value(layout, record));
                match relation {
                    Relation::Less => a < b,
                    Relation::LessEqual => a <= b,
                    Relation::Greater => a > b,
                    Relation::GreaterEqual => a >= b,
                    Relation::Equal => a == b,
                    Relation::NotEqual => a != b,
                }
            }
            Truth::Finite(of) => of.value(layout, record).is_finite(),
            Truth::Not(of) => !of.holds(layout, record),
            Truth::And(a, b) => a.holds(layout, record) && b.holds(layout, record),
            Truth::Or(a, b) => a.holds(layout, record) || b.holds(layout, record),
        }
    }

    fn term(&self, layout: &InputLayout, store: &mut Store) -> TermId {
        match self {
            Truth::Compare(relation, a, b) => {
                let (a, b) = (a.term(layout, store), b.term(layout, store));
                match relation {
                    Relation::Less => store.mk(Op::FpLt, &[a, b]),
                    Relation::LessEqual => store.mk(Op::FpLe, &[a, b]),
                    Relation::Greater => store.mk(Op::FpLt, &[b, a]),
                    Relation::GreaterEqual => store.mk(Op::FpLe, &[b, a]),
                    Relation::Equal => store.mk(Op::FpEq, &[a, b]),
                    Relation::NotEqual => {
                        let equal = store.mk(Op::FpEq, &[a, b]);
                        store.not(equal)
                    }
                }
            }
            Truth::Finite(of) => {
                let of = of.term(layout, store);
                let nan = store.mk(Op::FpIsNan, &[of]);
                let infinite = store.mk(Op::FpIsInfinite, &[of]);
                let either = store.or(&[nan, infinite]);
                store.not(either)
            }
            Truth::Not(of) => {
                let of = of.term(layout, store);
                store.not(of)
            }
            Truth::And(a, b) => {
                let (a, b) = (a.term(layout, store), b.term(layout, store));
                store.and(&[a, b])
            }
            Truth::Or(a, b) => {
                let (a, b) = (a.term(layout, store), b.term(layout, store));
                store.or(&[a, b])
            }
        }
    }
}

/// How deep parentheses and signs may nest; keeps hostile text off the stack's end.
const MAX_DEPTH: usize = 200;

struct Parser<'a> {
    option: &'static str,
    text: &'a str,
    position: usize,
    layout: &'a InputLayout,
    depth: usize,
}

impl Parser<'_> {
    fn error(&self, expected: &str) -> AssumeError {
        let (option, text) = (self.option, self.text.to_owned());
        AssumeError { option, text, position: self.position, expected: expected.to_owned() }
    }

    fn rest(&self) -> &str {
        &self.text[self.position..]
    }

    fn skip_space(&mut self) {
        self.position = self.text.len() - self.rest().trim_start().len();
    }

    /// Consumes `token` if it comes next.
    fn eat(&mut self, token: &str) -> bool {
        self.skip_space();
        let found = self.rest().starts_with(token);
        if found {
            self.position += token.len();
        }
        found
    }

    fn enter(&mut self) -> Result<(), AssumeError> {
        self.depth += 1;
        if self.depth > MAX_DEPTH { Err(self.error("less nesting")) } else { Ok(()) }
    }

    fn or(&mut self) -> Result<Truth, AssumeError> {
        let mut left = self.and()?;
        while self.eat("||") {
            left = Truth::Or(Box::new(left), Box::new(self.and()?));
        }
        Ok(left)
    }

    fn and(&mut self) -> Result<Truth, AssumeError> {
        let mut left = self.not()?;
        while self.eat("&&") {
            left = Truth::And(Box::new(left), Box::new(self.not()?));
        }
        Ok(left)
    }

    fn not(&mut self) -> Result<Truth, AssumeError> {
        self.skip_space();
        if self.rest().starts_with('!') && !self.rest().starts_with("!=") {
            self.enter()?;
            self.position += 1;
            let of = self.not()?;
            self.depth -= 1;
            return Ok(Truth::Not(Box::new(of)));
        }
        self.compare()
    }

    fn compare(&mut self) -> Result<Truth, AssumeError> {
        self.skip_space();
        let start = self.position;
        if let Some(of) = self.call("finite")? {
            return Ok(Truth::Finite(of));
        }
        // "(" opens a truth or a number: the truth is tried first, and given up where no comparison follows inside.
        if self.eat("(") {
            self.enter()?;
            let inner = self.or();
            self.depth -= 1;
            if let Ok(inner) = inner
                && self.eat(")")
                && self.relation_ahead().is_none()
            {
                return Ok(inner);
            }
            self.position = start;
        }
        let mut left = self.sum()?;
        let mut chain: Option<Truth> = None;
        while let Some(relation) = self.relation() {
            let right = self.sum()?;
            let link = Truth::Compare(relation, left, right.clone());
            chain = Some(match chain {
                None => link,
                Some(before) => Truth::And(Box::new(before), Box::new(link)),
            });
            left = right;
        }
        chain.ok_or_else(|| self.error("a comparison (<, <=, >, >=, ==, !=)"))
    }

    fn relation_ahead(&mut self) -> Option<Relation> {
        let before = self.position;
        let relation = self.relation();
        self.position = before;
        relation
    }

    fn relation(&mut self) -> Option<Relation> {
        const RELATIONS: [(&str, Relation); 6] = [
            ("<=", Relation::LessEqual),
            (">=", Relation::GreaterEqual),
            ("==", Relation::Equal),
            ("!=", Relation::NotEqual),
            ("<", Relation::Less),
            (">", Relation::Greater),
        ];
        RELATIONS.iter().find(|(token, _)| self.eat(token)).map(|(_, relation)| *relation)
    }

    fn sum(&mut self) -> Result<Number, AssumeError> {
        let mut left = self.product()?;
        loop {
            let op = match () {
                () if self.eat("+") => Arithmetic::Add,
                () if self.eat("-") => Arithmetic::Sub,
                () => return Ok(left),
            };
            left = Number::Binary(op, Box::new(left), Box::new(self.product()?));
        }
    }

    fn product(&mut self) -> Result<Number, AssumeError> {
        let mut left = self.unary()?;
        loop {
            let op = match () {
                () if self.eat("*") => Arithmetic::Mul,
                () if self.eat("/") => Arithmetic::Div,
                () => return Ok(left),
            };
            left = Number::Binary(op, Box::new(left), Box::new(self.unary()?));
        }
    }

    fn unary(&mut self) -> Result<Number, AssumeError> {
        if !self.eat("-") {
            return self.atom();
        }
        self.enter()?;
        let of = self.unary()?;
        self.depth -= 1;
        Ok(Number::Negate(Box::new(of)))
    }

    /// `name(number)`, if that comes next.
    fn call(&mut self, name: &str) -> Result<Option<Number>, AssumeError> {
        self.skip_space();
        let start = self.position;
        if !(self.eat(name) && self.eat("(")) {
            self.position = start;
            return Ok(None);
        }
        self.enter()?;
        let of = self.sum()?;
        self.depth -= 1;
        if self.eat(")") { Ok(Some(of)) } else { Err(self.error("`)`")) }
    }

    fn atom(&mut self) -> Result<Number, AssumeError> {
        if let Some(of) = self.call("abs")? {
            return Ok(Number::Abs(Box::new(of)));
        }
        if self.eat("(") {
            self.enter()?;
            let inner = self.sum()?;
            self.depth -= 1;
            return if self.eat(")") { Ok(inner) } else { Err(self.error("`)`")) };
        }
        self.skip_space();
        match self.rest().chars().next() {
            Some(first) if first.is_ascii_digit() || first == '.' => self.literal(),
            Some(first) if first.is_alphabetic() || first == '_' => self.input(),
            _ => Err(self.error("a number or an input")),
        }
    }

    fn literal(&mut self) -> Result<Number, AssumeError> {
        let text = self.rest();
        let hexadecimal = text.starts_with("0x") || text.starts_with("0X");
        let exponent_letter = if hexadecimal { ['p', 'P'] } else { ['e', 'E'] };
        let mut length = 0;
        let mut previous = ' ';
        for letter in text.chars() {
            let is_sign = (letter == '-' || letter == '+') && exponent_letter.contains(&previous);
            if !(letter.is_ascii_alphanumeric() || letter == '.' || is_sign) {
                break;
            }
            length += letter.len_utf8();
            previous = letter;
        }
        let value = Float::parse_decimal(Format::BINARY64, &text[..length]).and_then(|value| value.to_f64());
        match value {
            Some(value) if !value.is_nan() => {
                self.position += length;
                Ok(Number::Literal(value))
            }
            _ => Err(self.error("a number")),
        }
    }

    fn input(&mut self) -> Result<Number, AssumeError> {
        let text = self.rest();
        let is_path = |letter: char| letter.is_alphanumeric() || matches!(letter, '_' | '[' | ']' | '.');
        let length = text.find(|letter| !is_path(letter)).unwrap_or(text.len());
        let path = &text[..length];
        match self.layout.leaves.iter().position(|leaf| leaf.path == path) {
            Some(leaf) => {
                self.position += length;
                Ok(Number::Leaf(leaf))
            }
            None => {
                let names: Vec<&str> = self.layout.leaves.iter().take(12).map(|leaf| leaf.path.as_str()).collect();
                Err(self.error(&format!("an input, `{path}` is none (inputs: {})", names.join(", "))))
            }
        }
    }
}

impl Assumption {
    /// Tightens a search space by the bounds that the assumption puts on single inputs: sampling within an interval beats
    /// sampling everywhere and throwing away. What is no such bound changes nothing.
    pub fn restrict(&self, space: &mut labrys_fuzz::Space) {
        let mut pending = vec![&self.truth];
        while let Some(truth) = pending.pop() {
            match truth {
                Truth::And(a, b) => pending.extend([&**a, &**b]),
                Truth::Compare(relation, Number::Leaf(leaf), bound) => bound_leaf(space, *leaf, *relation, bound),
                Truth::Compare(relation, bound, Number::Leaf(leaf)) => {
                    bound_leaf(space, *leaf, relation.mirrored(), bound);
                }
                _ => {}
            }
        }
    }
}

impl Relation {
    /// The relation with its sides exchanged.
    fn mirrored(self) -> Relation {
        match self {
            Relation::Less => Relation::Greater,
            Relation::LessEqual => Relation::GreaterEqual,
            Relation::Greater => Relation::Less,
            Relation::GreaterEqual => Relation::LessEqual,
            Relation::Equal | Relation::NotEqual => self,
        }
    }
}

fn bound_leaf(space: &mut labrys_fuzz::Space, leaf: usize, relation: Relation, bound: &Number) {
    let value = match bound {
        Number::Literal(value) => *value,
        Number::Negate(of) => match **of {
            Number::Literal(value) => -value,
            _ => return,
        },
        _ => return,
    };
    match relation {
        Relation::Less | Relation::LessEqual => space.restrict(leaf, f64::NEG_INFINITY, value),
        Relation::Greater | Relation::GreaterEqual => space.restrict(leaf, value, f64::INFINITY),
        Relation::Equal => space.restrict(leaf, value, value),
        Relation::NotEqual => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use labrys_program::{FloatType, Parameter, ParameterType, Pointee, ResultType, Signature};

    fn layout() -> InputLayout {
        let parameter = |name: &str| Parameter {
            name: name.to_owned(),
            ty: ParameterType::Value(Pointee::Scalar(ScalarType::Float(FloatType::F64))),
        };
        let parameters = vec![parameter("v"), parameter("w")];
        Signature { name: "f".to_owned(), symbol: "f".to_owned(), parameters, result: ResultType::Void }.input_layout()
    }

    fn holds(text: &str, v: f64, w: f64) -> bool {
        let layout = layout();
        let mut record = vec![0; layout.size];
        layout.leaves[0].write(&mut record, v.to_bits().into());
        layout.leaves[1].write(&mut record, w.to_bits().into());
        let assumption = Assumption::parse(text, &layout).unwrap_or_else(|error| panic!("{error}"));
        // The term must say the same as the evaluator.
        let mut store = Store::new();
        let term = assumption.term(&layout, &mut store);
        let mut model = labrys_term::Model::new();
        for (leaf, value) in layout.leaves.iter().zip([v, w]) {
            let variable = store.variable(&leaf.path, Sort::Float(Format::BINARY64));
            model.set_term(&store, variable, labrys_term::Value::float(Float::from_f64(value)));
        }
        let by_term = labrys_term::eval(&store, term, &model).expect("all variables have values");
        let by_record = assumption.holds(&layout, &record);
        assert_eq!(by_term, labrys_term::Value::Bool(by_record), "{text}");
        by_record
    }

    #[test]
    fn comparisons_chain_and_connect() {
        assert!(holds("v>=-4.5 && v<=-0.3", -1.0, 0.0));
        assert!(!holds("v>=-4.5 && v<=-0.3", 0.0, 0.0));
        assert!(holds("-4.5 <= v < w", -1.0, 0.0) && !holds("-4.5 <= v < w", 1.0, 0.0));
        assert!(holds("v > 1 || !(w > 1)", 0.0, 0.0));
        assert!(holds("(v + 1) * 2 == 4 && (v > 0)", 1.0, 0.0));
        assert!(holds("((v)) > 0 && -v < 0 && abs(-v) == v && v - 1 == 0 / 1", 1.0, 0.0));
        assert!(holds("v == 0x1.8p+1 && w == 1e-3", 3.0, 1e-3));
    }

    #[test]
    fn nan_compares_as_ieee_says() {
        assert!(!holds("v == v", f64::NAN, 0.0) && holds("v != v", f64::NAN, 0.0));
        assert!(!holds("finite(v)", f64::INFINITY, 0.0) && holds("finite(v) && finite(v*w)", 1e300, 1.0));
    }

    #[test]
    fn errors_name_column_and_expectation() {
        let error = |text: &str| Assumption::parse(text, &layout()).expect_err(text).to_string();
        assert!(error("v >= ").contains("column 6: expected a number or an input"), "{}", error("v >= "));
        assert!(error("v").contains("expected a comparison"));
        assert!(error("z > 1").contains("`z` is none (inputs: v, w)"));
        assert!(error("v > 1 )").contains("an operator or the end"));
        assert!(error(&"(".repeat(5000)).contains("less nesting"));
        assert!(error(&"-".repeat(5000)).contains("less nesting"));
        assert!(error("v > 1e").contains("a number"));
    }

    #[test]
    fn ranges_are_closed_intervals() {
        let layout = layout();
        let range = Assumption::parse_range("v=-1e3..1e3", &layout).expect("a range");
        let within = |v: f64| {
            let mut record = vec![0; layout.size];
            layout.leaves[0].write(&mut record, v.to_bits().into());
            range.holds(&layout, &record)
        };
        assert!(within(-1e3) && within(1e3) && !within(1001.0) && !within(f64::NAN));
        let wrong = [
            ("v", 1),
            ("v=1", 3),
            ("v=..", 3),
            ("z=1..2", 1),
            ("v=1..x", 6),
            ("v=nan..1", 3),
            ("v=2..1", 3),
            ("v+=1..2", 2),
        ];
        for (wrong, column) in wrong {
            let error = Assumption::parse_range(wrong, &layout).expect_err(wrong).to_string();
            assert!(error.starts_with(&format!("--range \"{wrong}\": column {column}:")), "{error}");
        }
    }
}
