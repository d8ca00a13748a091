//! Reading an assumption: recursive descent over the grammar of the module's head.

use labrys_program::InputLayout;

use super::error::AssumeError;
use super::literal::Literal;
use super::syntax::{Arithmetic, Number, Relation, Truth};

/// How deep parentheses and signs may nest; keeps hostile text off the stack's end.
const MAX_DEPTH: usize = 200;

pub(super) struct Parser<'a> {
    pub(super) option: &'static str,
    pub(super) text: &'a str,
    pub(super) position: usize,
    pub(super) layout: &'a InputLayout,
    pub(super) depth: usize,
}

impl Parser<'_> {
    pub(super) fn error(&self, expected: &str) -> AssumeError {
        let (option, text) = (self.option, self.text.to_owned());
        AssumeError { option, text, position: self.position, expected: expected.to_owned() }
    }

    fn rest(&self) -> &str {
        &self.text[self.position..]
    }

    pub(super) fn skip_space(&mut self) {
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

    pub(super) fn or(&mut self) -> Result<Truth, AssumeError> {
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
            return Ok(Truth::finite(of, self.layout));
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
            let link = Truth::compare(relation, left, right.clone(), self.layout);
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
        match Literal::parse(&text[..length]) {
            Some(value) if !value.is_nan() => {
                self.position += length;
                Ok(Number::Literal(value))
            }
            _ => Err(self.error("a number")),
        }
    }

    pub(super) fn input(&mut self) -> Result<Number, AssumeError> {
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
