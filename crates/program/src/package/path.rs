//! Paths of functions as users write them.

use super::CrateError;

/// A path such as `my_crate::f::<f64, 3>` or `<my_crate::T as my_crate::Trait>::f`, which is put into a source as it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct FunctionPath {
    /// The path, without blanks around it.
    pub(super) text: String,
}

/// The longest that a path may be, in bytes.
const LONGEST: usize = 1000;

impl FunctionPath {
    /// Reads a path. It has names, types and constants, and nothing that could be code: no blocks, calls, texts or comments.
    pub(super) fn parse(text: &str) -> Result<FunctionPath, CrateError> {
        let wrong = |reason: &str| CrateError::Path { text: text.to_owned(), reason: reason.to_owned() };
        let path = text.trim();
        if path.is_empty() || path.len() > LONGEST {
            return Err(wrong("it is empty, or too long"));
        }
        if path.ends_with(".rs") || path.contains('/') {
            return Err(wrong("that is a file, which `labrys` takes without `cargo`"));
        }
        let is_plain = |c: char| c.is_alphanumeric() || "_:<>,&; []()-".contains(c);
        if let Some(other) = path.chars().find(|c| !is_plain(*c)) {
            return Err(wrong(&format!("`{}` has no place in it", other.escape_default())));
        }
        let mut open = Vec::new();
        for c in path.chars() {
            match c {
                '(' if open.is_empty() => return Err(wrong("it is the function's name alone, without a call")),
                '<' | '[' | '(' => open.push(c),
                '>' | ']' | ')' => {
                    let opened = open.pop();
                    if !matches!((opened, c), (Some('<'), '>') | (Some('['), ']') | (Some('('), ')')) {
                        return Err(wrong("its brackets do not match"));
                    }
                }
                ';' if open.last() != Some(&'[') => return Err(wrong("`;` stands in the type of an array only")),
                _ => {}
            }
        }
        if !open.is_empty() {
            return Err(wrong("its brackets do not match"));
        }
        let found = FunctionPath { text: path.to_owned() };
        let names = found.names();
        let first = path.chars().next().unwrap_or(' ');
        if names.len() < 2 && first != '<' {
            return Err(wrong("it begins with the name of the crate"));
        }
        let is_name = |name: &&str| name.chars().next().is_some_and(|c| c.is_alphabetic() || c == '_');
        if !names.iter().all(is_name) || path.ends_with(':') || path.contains(":::") {
            return Err(wrong("names are separated by `::`"));
        }
        Ok(found)
    }

    /// The names outside all brackets, in order.
    pub(super) fn names(&self) -> Vec<&str> {
        let mut names = Vec::new();
        let (mut depth, mut start) = (0_usize, None);
        for (at, c) in self.text.char_indices() {
            let is_word = c.is_alphanumeric() || c == '_';
            if depth == 0 && is_word {
                start.get_or_insert(at);
            } else if let Some(from) = start.take() {
                names.push(&self.text[from..at]);
            }
            match c {
                '<' | '[' | '(' => depth += 1,
                '>' | ']' | ')' => depth = depth.saturating_sub(1),
                _ => {}
            }
        }
        names.extend(start.map(|from| &self.text[from..]));
        names
    }

    /// The crate's name: the first one, also of a `<T as Trait>`.
    pub(super) fn crate_name(&self) -> &str {
        let is_word = |c: char| c.is_alphanumeric() || c == '_';
        let start = self.text.find(is_word).unwrap_or(0);
        let rest = &self.text[start..];
        &rest[..rest.find(|c| !is_word(c)).unwrap_or(rest.len())]
    }

    /// The function's own name.
    pub(super) fn name(&self) -> &str {
        self.names().last().copied().unwrap_or("function")
    }

    /// The path without generic arguments behind the name, which its parameters are missing in.
    pub(super) fn without_arguments(&self) -> &str {
        match self.text.ends_with('>') {
            true => self.text.rfind("::<").map_or(&self.text, |at| &self.text[..at]),
            false => &self.text,
        }
    }

    /// What the function is in: a module, or the type that it is a method of.
    pub(super) fn parent(&self) -> &str {
        let path = self.without_arguments();
        path.rfind("::").map_or(path, |at| &path[..at])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn path(text: &str) -> FunctionPath {
        FunctionPath::parse(text).expect("a path")
    }

    #[test]
    fn paths_come_apart() {
        let plain = path(" my_crate::stats::variance ");
        assert_eq!((plain.crate_name(), plain.name(), plain.parent()), ("my_crate", "variance", "my_crate::stats"));
        let generic = path("my_crate::f::<f64, 3>");
        assert_eq!((generic.name(), generic.without_arguments()), ("f", "my_crate::f"));
        let method = path("nalgebra::Matrix3::<f64>::determinant");
        assert_eq!((method.name(), method.parent()), ("determinant", "nalgebra::Matrix3::<f64>"));
        let of_trait = path("<s::Normal as s::Continuous<f64, f64>>::pdf");
        assert_eq!((of_trait.crate_name(), of_trait.name()), ("s", "pdf"));
        assert_eq!(of_trait.parent(), "<s::Normal as s::Continuous<f64, f64>>");
    }

    /// A path becomes part of a source: what could be code there is none.
    #[test]
    fn what_is_no_path_is_refused() {
        for text in [
            "",
            "f",
            "a::b(); evil()",
            "a::{b}",
            "a::b<",
            "a::b::<[u8; { 1 }]>",
            "a::b\"",
            "a::b/*",
            "a::b//",
            "a::b!",
            "a::b;c",
            "a::",
            "1::2",
            "src/lib.rs",
            "a::b#[x]",
            "a::b::<f64>>",
        ] {
            assert!(FunctionPath::parse(text).is_err(), "{text}");
        }
    }
}
