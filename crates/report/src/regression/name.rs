//! Names for what has names in several languages.

use std::collections::HashSet;

/// Words that mean something in C, C++, Rust, Python or Fortran, or in our own files.
const RESERVED: [&str; 104] = [
    "abstract",
    "alignas",
    "alignof",
    "and",
    "as",
    "asm",
    "assert",
    "async",
    "auto",
    "await",
    "become",
    "bool",
    "box",
    "break",
    "case",
    "catch",
    "char",
    "class",
    "const",
    "constexpr",
    "continue",
    "crate",
    "def",
    "default",
    "del",
    "delete",
    "do",
    "double",
    "dyn",
    "elif",
    "else",
    "enum",
    "except",
    "export",
    "extern",
    "false",
    "final",
    "finally",
    "float",
    "fn",
    "for",
    "friend",
    "from",
    "global",
    "goto",
    "if",
    "impl",
    "import",
    "in",
    "inline",
    "int",
    "is",
    "lambda",
    "let",
    "long",
    "loop",
    "macro",
    "match",
    "mod",
    "move",
    "mut",
    "namespace",
    "new",
    "none",
    "nonlocal",
    "not",
    "operator",
    "or",
    "override",
    "pass",
    "priv",
    "private",
    "protected",
    "pub",
    "public",
    "raise",
    "raised",
    "ref",
    "register",
    "result",
    "return",
    "self",
    "short",
    "signed",
    "sizeof",
    "static",
    "struct",
    "super",
    "switch",
    "template",
    "this",
    "trait",
    "true",
    "try",
    "type",
    "typedef",
    "union",
    "unsafe",
    "unsigned",
    "use",
    "using",
    "virtual",
    "void",
    "while",
];

/// Whether a text is a name in all of these languages.
pub(super) fn is_name(text: &str) -> bool {
    let mut characters = text.chars();
    characters.next().is_some_and(|first| first.is_ascii_alphabetic())
        && characters.all(|of| of.is_ascii_alphanumeric() || of == '_')
        && text.len() <= 40
        && !RESERVED.contains(&text.to_ascii_lowercase().as_str())
}

/// Names of variables: the given ones where they can be, `argN` elsewhere. Fortran does not tell `x` from `X`.
pub(super) fn variables<'n>(names: impl Iterator<Item = &'n str>, taken: &str) -> Vec<String> {
    let mut seen: HashSet<String> = HashSet::from([taken.to_ascii_lowercase()]);
    names
        .enumerate()
        .map(|(index, name)| {
            let is_free = is_name(name) && !name.starts_with("labrys_") && seen.insert(name.to_ascii_lowercase());
            if is_free { name.to_owned() } else { format!("labrys_arg{index}") }
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_mean_something_are_replaced() {
        let names = variables(["x", "X", "type", "é", "f", "_y", "n"].into_iter(), "f");
        let expected =
            ["x", "labrys_arg1", "labrys_arg2", "labrys_arg3", "labrys_arg4", "labrys_arg5", "n"].map(str::to_owned);
        assert_eq!(names, expected);
    }
}
