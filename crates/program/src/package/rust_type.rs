//! Types as the compiler writes them (`core::any::type_name`).

/// A type.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum RustType {
    /// `f64`, `my_crate::P`, with its arguments: `core::option::Option<f64>`.
    Named { path: String, arguments: Vec<RustType> },
    /// `&T`, `&mut T`.
    Reference { is_mutable: bool, target: Box<RustType> },
    /// `[T]`.
    Slice(Box<RustType>),
    /// `[T; N]`.
    Array(Box<RustType>, u64),
    /// `(A, B)`; `()` has none.
    Tuple(Vec<RustType>),
    /// What is none of these, as it was written.
    Other(String),
}

impl RustType {
    /// Reads a type; what is not understood is [`RustType::Other`].
    pub(super) fn parse(text: &str) -> RustType {
        let mut reader = Reader { text, at: 0 };
        match reader.ty(0) {
            Some(ty) if reader.rest().trim().is_empty() => ty,
            _ => RustType::Other(text.to_owned()),
        }
    }
}

/// Deeper types are not read.
const DEEPEST: usize = 32;

struct Reader<'t> {
    text: &'t str,
    at: usize,
}

impl<'t> Reader<'t> {
    fn rest(&self) -> &'t str {
        &self.text[self.at..]
    }

    fn eat(&mut self, word: &str) -> bool {
        self.at += self.rest().len() - self.rest().trim_start().len();
        let found = self.rest().starts_with(word);
        if found {
            self.at += word.len();
        }
        found
    }

    fn ty(&mut self, depth: usize) -> Option<RustType> {
        if depth > DEEPEST {
            return None;
        }
        if self.eat("&") {
            let is_mutable = self.eat("mut ");
            return Some(RustType::Reference { is_mutable, target: Box::new(self.ty(depth + 1)?) });
        }
        if self.eat("[") {
            let element = Box::new(self.ty(depth + 1)?);
            if self.eat(";") {
                let end = self.rest().find(']')?;
                let count = self.rest()[..end].trim().parse().ok()?;
                self.at += end + 1;
                return Some(RustType::Array(element, count));
            }
            return self.eat("]").then_some(RustType::Slice(element));
        }
        if self.eat("(") {
            return Some(RustType::Tuple(self.list(")", depth)?));
        }
        let start = self.at;
        let length =
            self.rest().find(|c: char| !(c.is_alphanumeric() || c == '_' || c == ':')).unwrap_or(self.rest().len());
        let path = &self.text[start..start + length];
        if path.is_empty() || path == "dyn" || path == "fn" || path == "impl" || path == "unsafe" {
            return None;
        }
        self.at += length;
        let arguments = if self.eat("<") { self.list(">", depth)? } else { Vec::new() };
        Some(RustType::Named { path: path.to_owned(), arguments })
    }

    fn list(&mut self, end: &str, depth: usize) -> Option<Vec<RustType>> {
        let mut found = Vec::new();
        while !self.eat(end) {
            found.push(self.ty(depth + 1)?);
            if !self.eat(",") {
                return self.eat(end).then_some(found);
            }
        }
        Some(found)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn named(path: &str, arguments: Vec<RustType>) -> RustType {
        RustType::Named { path: path.to_owned(), arguments }
    }

    #[test]
    fn types_of_numerical_code() {
        let f64_ = || named("f64", Vec::new());
        assert_eq!(
            RustType::parse("&mut [f64]"),
            RustType::Reference { is_mutable: true, target: Box::new(RustType::Slice(Box::new(f64_()))) }
        );
        assert_eq!(RustType::parse("core::option::Option<f64>"), named("core::option::Option", vec![f64_()]));
        let tuple = RustType::Tuple(vec![f64_(), RustType::Array(Box::new(f64_()), 3)]);
        assert_eq!(RustType::parse("(f64, [f64; 3])"), tuple);
        assert_eq!(RustType::parse("()"), RustType::Tuple(Vec::new()));
        let matrix = "nalgebra::base::matrix::Matrix<f64, nalgebra::base::dimension::Const<3>, a::S<f64, 3, 3>>";
        assert!(matches!(RustType::parse(matrix), RustType::Named { arguments, .. } if arguments.len() == 3));
        for other in ["&dyn core::ops::function::Fn(f64) -> f64", "fn(f64) -> f64", "*const f64", "[f64; N]", ""] {
            let parsed = RustType::parse(other);
            let is_other = match &parsed {
                RustType::Reference { target, .. } => matches!(**target, RustType::Other(_)),
                RustType::Other(_) => true,
                _ => false,
            };
            assert!(is_other, "{other}: {parsed:?}");
        }
    }
}
