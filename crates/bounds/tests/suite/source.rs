//! Straight-line C functions of doubles as terms: declarations and a return, with the ranges of parameters in comments `// x in [0, 1]`.

use labrys_bounds::{Call, Input, Path, Request};
use labrys_elementary::Function;
use labrys_float::{Float, Format, RoundingMode};
use labrys_term::{Op, Sort, Store, TermId};

/// A function read from C.
pub struct Program {
    pub store: Store,
    pub inputs: Vec<Input>,
    pub calls: Vec<Call>,
    pub paths: Vec<Path>,
}

impl Program {
    /// The request for its bound.
    pub fn request(&self) -> Request<'_> {
        Request { store: &self.store, inputs: &self.inputs, calls: &self.calls, paths: &self.paths }
    }

    /// The file of that name in `examples/bounds`.
    pub fn example(name: &str) -> Program {
        let path = format!("{}/../../examples/bounds/{name}.c", env!("CARGO_MANIFEST_DIR"));
        let text = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{path}: {error}"));
        Program::read(&text)
    }

    /// Reads a function; panics on anything else.
    pub fn read(text: &str) -> Program {
        Program::read_in(text, Format::BINARY64)
    }

    /// The same with all numbers in another format.
    pub fn read_in(text: &str, format: Format) -> Program {
        let mut store = Store::new();
        let mode = store.rounding_mode(RoundingMode::NearestEven);
        let mut names = Vec::new();
        let mut inputs = Vec::new();
        for line in text.lines() {
            let Some((name, range)) = line.strip_prefix("// ").and_then(|line| line.split_once(" in [")) else {
                continue;
            };
            let (low, high) = range.trim_end_matches(']').split_once(", ").expect("two ends");
            let variable = store.variable(name, Sort::Float(format));
            names.push((name.to_owned(), variable));
            inputs.push(Input { variable, low: low.parse().expect("number"), high: high.parse().expect("number") });
        }
        let body = text.split_once('{').expect("a body").1;
        let mut reader = Reader { words: words(body), place: 0, store, mode, format, names, calls: Vec::new() };
        let result = reader.body();
        let Reader { store, calls, .. } = reader;
        Program { store, inputs, calls, paths: vec![Path { guards: vec![], result }] }
    }
}

fn words(text: &str) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    let mut rest = text.trim_start();
    while let Some(first) = rest.chars().next() {
        let is_word = |c: char| c.is_ascii_alphanumeric() || c == '.' || c == '_';
        let mut length = if is_word(first) { rest.find(|c| !is_word(c)).unwrap_or(rest.len()) } else { 1 };
        // The sign of a decimal exponent.
        if first.is_ascii_digit() && rest[..length].ends_with('e') {
            length += 1 + rest[length + 1..].find(|c: char| !c.is_ascii_digit()).unwrap_or(0);
        }
        words.push(rest[..length].to_owned());
        rest = rest[length..].trim_start();
    }
    words
}

struct Reader {
    words: Vec<String>,
    place: usize,
    store: Store,
    mode: TermId,
    format: Format,
    names: Vec<(String, TermId)>,
    calls: Vec<Call>,
}

impl Reader {
    fn next(&mut self) -> String {
        self.place += 1;
        self.words[self.place - 1].clone()
    }

    fn takes(&mut self, word: &str) -> bool {
        let found = self.words[self.place] == word;
        self.place += usize::from(found);
        found
    }

    fn body(&mut self) -> TermId {
        while self.takes("double") {
            let name = self.next();
            assert!(self.takes("="));
            let value = self.sum();
            assert!(self.takes(";"));
            self.names.push((name, value));
        }
        assert!(self.takes("return"), "{}", self.words[self.place]);
        self.sum()
    }

    fn sum(&mut self) -> TermId {
        let mut left = self.product();
        loop {
            let op = if self.takes("+") {
                Op::FpAdd
            } else if self.takes("-") {
                Op::FpSub
            } else {
                return left;
            };
            let right = self.product();
            left = self.store.mk(op, &[self.mode, left, right]);
        }
    }

    fn product(&mut self) -> TermId {
        let mut left = self.factor();
        loop {
            let op = if self.takes("*") {
                Op::FpMul
            } else if self.takes("/") {
                Op::FpDiv
            } else {
                return left;
            };
            let right = self.factor();
            left = self.store.mk(op, &[self.mode, left, right]);
        }
    }

    fn factor(&mut self) -> TermId {
        if self.takes("-") {
            let operand = self.factor();
            return self.store.mk(Op::FpNeg, &[operand]);
        }
        if self.takes("(") {
            let inner = self.sum();
            assert!(self.takes(")"));
            return inner;
        }
        let word = self.next();
        if word.starts_with(|c: char| c.is_ascii_digit()) {
            let value = Float::parse_decimal(self.format, &word).expect("a literal");
            return self.store.float_const(value);
        }
        if self.takes("(") {
            return self.call(&word);
        }
        self.names.iter().rev().find(|(name, _)| *name == word).unwrap_or_else(|| panic!("{word}")).1
    }

    fn call(&mut self, name: &str) -> TermId {
        let mut operands = vec![self.sum()];
        while self.takes(",") {
            operands.push(self.sum());
        }
        assert!(self.takes(")"));
        match name {
            "sqrt" => return self.store.mk(Op::FpSqrt, &[self.mode, operands[0]]),
            "fabs" => return self.store.mk(Op::FpAbs, &operands),
            "fmin" => return self.store.mk(Op::FpMin, &operands),
            "fmax" => return self.store.mk(Op::FpMax, &operands),
            "fma" => return self.store.mk(Op::FpFma, &[self.mode, operands[0], operands[1], operands[2]]),
            _ => {}
        }
        let function = Function::named(name).unwrap_or_else(|| panic!("{name}"));
        let indices: Vec<String> = operands.iter().map(|operand| operand.index().to_string()).collect();
        let variable = self.store.variable(&format!("{name}!{}", indices.join("!")), Sort::Float(self.format));
        if self.calls.iter().all(|call| call.variable != variable) {
            self.calls.push(Call { variable, function, operands });
        }
        variable
    }
}
