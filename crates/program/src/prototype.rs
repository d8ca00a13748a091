//! Prototypes as `--signature` gives them.
//!
//! ```text
//! prototype := type [name] '(' [ 'void' | parameter { ',' parameter } ] ')' [ ';' ]
//! parameter := type [ '*' | '&' ] [name] [ '[' ( number | name [ ':' number ] ) ']' ]
//! type      := C's words for floating-point and integer types, the names of <stdint.h>, bool, size_t; const where C has it
//! ```
//!
//! `double *x` is one element, `double x[8]` are eight, `double x[n]` as many as the integer parameter `n` says, which is
//! kept within 0..=8, and `double x[n:32]` within 0..=32.

use crate::dwarf::{DEFAULT_CAPACITY, MAX_LENGTH, is_length};
use crate::{
    Access, FloatType, Length, LengthOptions, Parameter, ParameterType, Pointee, ResultType, ScalarType, Signature,
    SignatureError,
};

/// Reads a prototype in C's notation. The name may be left out; symbol and name are what it says, or empty. `lengths`
/// win over the prototype's own.
///
/// # Errors
///
/// [`SignatureError::Prototype`] with the column of the first thing that does not fit; [`SignatureError::Length`] for a
/// length option that does not fit.
///
/// ```
/// use labrys_program::{LengthOptions, parse_signature};
/// let none = LengthOptions::default();
/// let signature = parse_signature("double(double v, const double w[n], int n)", &none).unwrap();
/// assert_eq!(signature.parameters.len(), 3);
/// let error = parse_signature("double(dubble v)", &none).unwrap_err();
/// assert!(error.to_string().contains("column 8"));
/// ```
pub fn parse_signature(text: &str, lengths: &LengthOptions) -> Result<Signature, SignatureError> {
    let mut reader = Reader { text, tokens: tokens(text), next: 0, lengths: Vec::new() };
    let signature = reader.prototype();
    let mut signature =
        signature.map_err(|(column, reason)| SignatureError::Prototype { text: text.to_owned(), column, reason })?;
    lengths.apply(&mut signature.parameters)?;
    Ok(signature)
}

/// A column from 1 and what is wrong there.
type Fault = (usize, String);

#[derive(Clone, Debug, PartialEq)]
enum Token {
    Word(String),
    Number(String),
    Mark(char),
    Dots,
}

struct Reader<'t> {
    text: &'t str,
    /// Tokens with their columns.
    tokens: Vec<(usize, Token)>,
    next: usize,
    /// Lengths that are parameters: parameter, the name's column, the name, the capacity.
    lengths: Vec<(usize, usize, String, u64)>,
}

fn tokens(text: &str) -> Vec<(usize, Token)> {
    let mut found = Vec::new();
    let mut rest = text.chars().enumerate().peekable();
    while let Some((index, c)) = rest.next() {
        let mut word = String::from(c);
        let token = if c.is_whitespace() {
            continue;
        } else if c.is_alphanumeric() || c == '_' {
            while let Some((_, c)) = rest.next_if(|(_, c)| c.is_alphanumeric() || *c == '_') {
                word.push(c);
            }
            if c.is_ascii_digit() { Token::Number(word) } else { Token::Word(word) }
        } else if c == '.' {
            while rest.next_if(|(_, c)| *c == '.').is_some() {}
            Token::Dots
        } else {
            Token::Mark(c)
        };
        found.push((index + 1, token));
    }
    found
}

impl Reader<'_> {
    fn column(&self) -> usize {
        self.tokens.get(self.next).map_or(self.text.chars().count() + 1, |(column, _)| *column)
    }

    fn fault<T>(&self, reason: impl Into<String>) -> Result<T, Fault> {
        Err((self.column(), reason.into()))
    }

    fn peek(&self) -> Option<&Token> {
        self.tokens.get(self.next).map(|(_, token)| token)
    }

    fn take(&mut self, mark: char) -> bool {
        let found = self.peek() == Some(&Token::Mark(mark));
        self.next += usize::from(found);
        found
    }

    fn expect(&mut self, mark: char, place: &str) -> Result<(), Fault> {
        if self.take(mark) { Ok(()) } else { self.fault(format!("'{mark}' is missing {place}")) }
    }

    fn name(&mut self) -> Option<String> {
        let Some(Token::Word(word)) = self.peek() else { return None };
        let word = word.clone();
        self.next += 1;
        Some(word)
    }

    fn prototype(&mut self) -> Result<Signature, Fault> {
        let start = self.column();
        let (ty, _) = self.type_words()?;
        if matches!(self.peek(), Some(Token::Mark('*' | '&'))) {
            return self.fault("a pointer cannot be a result");
        }
        let result = ty.map_or(ResultType::Void, |scalar| ResultType::Value(Pointee::Scalar(scalar)));
        let name = self.name().unwrap_or_default();
        if self.peek().is_none() {
            return Err((start, "parameters are missing: write RESULT(PARAMETERS), as in double(double x)".to_owned()));
        }
        self.expect('(', "before the parameters")?;
        let parameters = self.parameters()?;
        self.take(';');
        if self.peek().is_some() {
            return self.fault("nothing may follow the prototype");
        }
        let mut signature = Signature { symbol: name.clone(), name, parameters, result };
        self.tie_lengths(&mut signature.parameters)?;
        Ok(signature)
    }

    fn parameters(&mut self) -> Result<Vec<Parameter>, Fault> {
        let mut parameters: Vec<Parameter> = Vec::new();
        if self.take(')') {
            return Ok(parameters);
        }
        let is_void = self.peek() == Some(&Token::Word("void".to_owned()));
        if is_void && self.tokens.get(self.next + 1).is_some_and(|(_, token)| *token == Token::Mark(')')) {
            self.next += 2;
            return Ok(parameters);
        }
        loop {
            let column = self.column();
            let parameter = self.parameter(parameters.len())?;
            if parameters.iter().any(|other| other.name == parameter.name) {
                return Err((column, format!("there are two parameters {}", parameter.name)));
            }
            parameters.push(parameter);
            if !self.take(',') {
                self.expect(')', "after the parameters")?;
                return Ok(parameters);
            }
        }
    }

    fn parameter(&mut self, index: usize) -> Result<Parameter, Fault> {
        if self.peek() == Some(&Token::Dots) {
            return self.fault("functions with a variable number of arguments cannot be driven");
        }
        let column = self.column();
        let (scalar, is_const) = self.type_words()?;
        let is_pointer = self.take('*') || self.take('&');
        let Some(scalar) = scalar else {
            return Err((column, "a parameter cannot be void, and void* says nothing about its memory".to_owned()));
        };
        match self.peek() {
            Some(Token::Mark('*' | '&')) => return self.fault("pointers to pointers cannot be driven"),
            Some(Token::Mark('(')) => return self.fault("function pointers cannot be driven"),
            _ => {}
        }
        while self.peek().is_some_and(is_qualifier) {
            self.next += 1;
        }
        let name = self.name().unwrap_or_else(|| format!("arg{}", index + 1));
        let array = if self.take('[') { Some(self.length(index)?) } else { None };
        if self.peek() == Some(&Token::Mark('[')) {
            return self.fault("write an array with more than one dimension as one: its number of scalars");
        }
        if is_pointer && array.is_some() {
            return Err((column, "arrays of pointers cannot be driven".to_owned()));
        }
        let pointee = Pointee::Scalar(scalar);
        let access = if is_const { Access::In } else { Access::InOut };
        let length = array.or(is_pointer.then_some(Length::Fixed(1)));
        let ty = match length {
            Some(length) => ParameterType::Pointer { pointee, length, access },
            None => ParameterType::Value(pointee),
        };
        Ok(Parameter { name, ty })
    }

    /// What stands between brackets. A parameter's index is filled in when all parameters are known.
    fn length(&mut self, index: usize) -> Result<Length, Fault> {
        let column = self.column();
        let length = match self.peek().cloned() {
            Some(Token::Number(_)) => Length::Fixed(self.number()?),
            Some(Token::Word(name)) => {
                self.next += 1;
                let max = if self.take(':') { self.number()? } else { DEFAULT_CAPACITY };
                self.lengths.push((index, column, name, max));
                Length::Parameter { index: 0, max, beyond: 0 }
            }
            _ => return self.fault("say how many elements: a number or an integer parameter, as in w[8] or w[n]"),
        };
        self.expect(']', "after the length")?;
        Ok(length)
    }

    fn number(&mut self) -> Result<u64, Fault> {
        match self.peek() {
            Some(Token::Number(text)) => match text.parse() {
                Ok(value @ 1..=MAX_LENGTH) => {
                    self.next += 1;
                    Ok(value)
                }
                _ => self.fault(format!("a length is a number from 1 to {MAX_LENGTH}")),
            },
            _ => self.fault("a number is missing"),
        }
    }

    fn tie_lengths(&mut self, parameters: &mut [Parameter]) -> Result<(), Fault> {
        for (of, column, name, max) in std::mem::take(&mut self.lengths) {
            let index = parameters.iter().position(|parameter| parameter.name == name);
            let index = index.ok_or_else(|| (column, format!("there is no parameter {name}")))?;
            if !is_length(&parameters[index]) {
                return Err((column, format!("{name} is not an integer parameter")));
            }
            if let ParameterType::Pointer { length, .. } = &mut parameters[of].ty {
                *length = Length::Parameter { index, max, beyond: 0 };
            }
        }
        Ok(())
    }

    /// A type's words; `None` is void.
    fn type_words(&mut self) -> Result<(Option<ScalarType>, bool), Fault> {
        let start = self.column();
        let mut is_const = false;
        let mut words: Vec<String> = Vec::new();
        while let Some(Token::Word(word)) = self.peek() {
            if matches!(word.as_str(), "struct" | "union" | "enum" | "class") {
                return self.fault(format!("a {word} needs debug information (-g)"));
            }
            if is_qualifier(&Token::Word(word.clone())) {
                is_const |= word == "const";
            } else if is_type_word(word) && (words.is_empty() || is_combinable(word)) {
                words.push(word.clone());
            } else {
                break;
            }
            self.next += 1;
        }
        if words.is_empty() {
            return match self.peek() {
                Some(Token::Word(word)) => self.fault(format!("{word} is not a type that is known here")),
                _ => self.fault("a type is missing"),
            };
        }
        match scalar_of(&words) {
            Some(scalar) => Ok((scalar, is_const)),
            None => Err((start, format!("{} is not a type that is known here", words.join(" ")))),
        }
    }
}

fn is_qualifier(token: &Token) -> bool {
    const QUALIFIERS: [&str; 6] = ["const", "volatile", "restrict", "__restrict", "extern", "register"];
    matches!(token, Token::Word(word) if QUALIFIERS.contains(&word.as_str()))
}

/// Words that stand together in one type.
fn is_combinable(word: &str) -> bool {
    matches!(word, "signed" | "unsigned" | "short" | "long" | "int" | "char" | "double")
}

fn is_type_word(word: &str) -> bool {
    const WORDS: [&str; 11] = [
        "void",
        "float",
        "bool",
        "_Bool",
        "size_t",
        "ssize_t",
        "ptrdiff_t",
        "intptr_t",
        "uintptr_t",
        "_Float16",
        "_Float64",
    ];
    is_combinable(word) || WORDS.contains(&word) || sized(word).is_some()
}

/// `int32_t`, `uint8_t`, and Rust's `f64`, `i32`, `u8`.
fn sized(word: &str) -> Option<ScalarType> {
    let int = |bits: &str, signed| {
        let bits = bits.parse().ok().filter(|bits| [8u32, 16, 32, 64].contains(bits))?;
        Some(ScalarType::Int { bits, signed })
    };
    if let Some(bits) = word.strip_suffix("_t") {
        return match bits.strip_prefix("uint") {
            Some(bits) => int(bits, false),
            None => bits.strip_prefix("int").and_then(|bits| int(bits, true)),
        };
    }
    match word {
        "f16" => Some(ScalarType::Float(FloatType::F16)),
        "f32" => Some(ScalarType::Float(FloatType::F32)),
        "f64" => Some(ScalarType::Float(FloatType::F64)),
        _ => match word.strip_prefix('i') {
            Some(bits) => int(bits, true),
            None => word.strip_prefix('u').and_then(|bits| int(bits, false)),
        },
    }
}

/// The type that words name together; the inner `None` is void.
fn scalar_of(words: &[String]) -> Option<Option<ScalarType>> {
    let int = |bits, signed| Some(Some(ScalarType::Int { bits, signed }));
    let float = |ty| Some(Some(ScalarType::Float(ty)));
    if let [word] = words {
        match word.as_str() {
            "void" => return Some(None),
            "_Float16" => return float(FloatType::F16),
            "float" => return float(FloatType::F32),
            "double" | "_Float64" => return float(FloatType::F64),
            "bool" | "_Bool" => return Some(Some(ScalarType::Bool)),
            "size_t" | "uintptr_t" => return int(64, false),
            "ssize_t" | "ptrdiff_t" | "intptr_t" => return int(64, true),
            _ => {}
        }
        if let Some(scalar) = sized(word) {
            return Some(Some(scalar));
        }
    }
    let count = |word: &str| words.iter().filter(|other| *other == word).count();
    let counts = ["signed", "unsigned", "short", "long", "int", "char", "double"].map(count);
    let [signed, unsigned, short, long, int_words, char_words, double] = counts;
    // Other words do not combine.
    if counts.iter().sum::<usize>() != words.len() || signed + unsigned > 1 || int_words > 1 {
        return None;
    }
    let is_signed = unsigned == 0;
    match (short, long, char_words, double) {
        (0, 1, 0, 1) if signed + unsigned + int_words == 0 => FloatType::LONG_DOUBLE.and_then(float),
        // char is signed on x86 and unsigned on Arm.
        (0, 0, 1, 0) if int_words == 0 => int(8, is_signed && (signed == 1 || cfg!(target_arch = "x86_64"))),
        (1, 0, 0, 0) => int(16, is_signed),
        (0, 0, 0, 0) => int(32, is_signed),
        (0, 1 | 2, 0, 0) => int(64, is_signed),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<Signature, SignatureError> {
        parse_signature(text, &LengthOptions::default())
    }

    fn scalar(text: &str) -> Option<ScalarType> {
        match read(&format!("{text}(void)")).unwrap().result {
            ResultType::Value(Pointee::Scalar(scalar)) => Some(scalar),
            _ => None,
        }
    }

    #[test]
    fn types_of_c() {
        let int = |bits, signed| Some(ScalarType::Int { bits, signed });
        assert_eq!(scalar("void"), None);
        assert_eq!(scalar("_Float16"), Some(ScalarType::Float(FloatType::F16)));
        assert_eq!(scalar("float"), Some(ScalarType::Float(FloatType::F32)));
        assert_eq!(scalar("const double"), Some(ScalarType::Float(FloatType::F64)));
        assert_eq!(scalar("long double"), FloatType::LONG_DOUBLE.map(ScalarType::Float));
        assert_eq!(scalar("unsigned"), int(32, false));
        assert_eq!(scalar("long unsigned int"), int(64, false));
        assert_eq!(scalar("long long"), int(64, true));
        assert_eq!(scalar("short int"), int(16, true));
        assert_eq!(scalar("unsigned char"), int(8, false));
        assert_eq!(scalar("uint16_t"), int(16, false));
        assert_eq!(scalar("size_t"), int(64, false));
        assert_eq!(scalar("_Bool"), Some(ScalarType::Bool));
    }

    #[test]
    fn parameters_of_all_shapes() {
        let text = "float norm(const double *x, double const w[n:32], double out[3], int n, double &, bool);";
        let signature = read(text).unwrap();
        assert_eq!((signature.name.as_str(), signature.symbol.as_str()), ("norm", "norm"));
        let pointer = |length, access| ParameterType::Pointer {
            pointee: Pointee::Scalar(ScalarType::Float(FloatType::F64)),
            length,
            access,
        };
        let types: Vec<ParameterType> = signature.parameters.iter().map(|parameter| parameter.ty.clone()).collect();
        assert_eq!(types[0], pointer(Length::Fixed(1), Access::In));
        assert_eq!(types[1], pointer(Length::Parameter { index: 3, max: 32, beyond: 0 }, Access::In));
        assert_eq!(types[2], pointer(Length::Fixed(3), Access::InOut));
        assert_eq!(types[4], pointer(Length::Fixed(1), Access::InOut));
        assert_eq!(signature.parameters[5].name, "arg6");
        let lengths = LengthOptions::parse(&["x=5".to_owned()]).unwrap();
        let longer = parse_signature(text, &lengths).unwrap();
        assert_eq!(longer.parameters[0].ty, pointer(Length::Fixed(5), Access::In));
    }

    #[test]
    fn faults_have_a_column() {
        for (text, column, words) in [
            ("", 1, "a type is missing"),
            ("double", 1, "parameters are missing"),
            ("double(", 8, "a type is missing"),
            ("double(double v", 16, "')' is missing"),
            ("double(dubble v)", 8, "dubble is not a type"),
            ("double(double v, double w[m])", 27, "no parameter m"),
            ("double(double v, double w[v])", 27, "not an integer"),
            ("double(double w[])", 17, "say how many"),
            ("double(double w[0])", 17, "from 1 to"),
            ("double(double **w)", 16, "pointers to pointers"),
            ("double(void *w)", 8, "void"),
            ("double(double (*f)(double))", 15, "function pointers"),
            ("double(double x, ...)", 18, "variable number"),
            ("double(double x, double x)", 18, "two parameters x"),
            ("double *(double x)", 8, "a pointer cannot be a result"),
            ("double(struct p x)", 8, "a struct needs debug information"),
            ("double(unsigned double x)", 8, "unsigned double is not a type"),
            ("double(double x) y", 18, "nothing may follow"),
            ("double(double a[2][3])", 19, "one: its number of scalars"),
        ] {
            match read(text) {
                Err(SignatureError::Prototype { column: at, reason, .. }) => {
                    assert_eq!(at, column, "{text}: {reason}");
                    assert!(reason.contains(words), "{text}: {reason}");
                }
                other => panic!("{text}: {other:?}"),
            }
        }
    }
}
