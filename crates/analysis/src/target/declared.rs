//! Lengths that the source declares and debug information forgets: of `double p[3]` and `double p[static 3]` it says that p is a pointer.
//!
//! The parameter list is read from the text of the function's file, without preprocessing: a count is a number, or a macro that the same file
//! defines as one. What cannot be read so is not declared. A wrong reading costs what a wrong guess does, and the length is in the report.

use std::path::Path;

use labrys_program::{Length, Parameter, ParameterType, Pointee, Signature};

/// The longest parameter list that is looked at, in bytes.
const LONGEST: usize = 1 << 14;

/// The greatest count that is taken for a length.
const MOST: u64 = 1 << 12;

/// Sets the lengths that a file declares for parameters of a function whose lengths nothing else says; the parameters that are left.
pub fn settle_declared(file: &Path, name: &str, signature: &mut Signature, guessed: Vec<usize>) -> Vec<usize> {
    if guessed.is_empty() {
        return guessed;
    }
    let Ok(text) = std::fs::read_to_string(file) else { return guessed };
    let text = without_comments(&text);
    let lists: Vec<&str> = parameter_lists(&text, name);
    let mut left = guessed;
    left.retain(|parameter| {
        let Parameter { name, ty } = &mut signature.parameters[*parameter];
        let ParameterType::Pointer { pointee, length, .. } = ty else { return true };
        let Some((dimensions, count)) = lists.iter().find_map(|list| declared(&text, list, name)) else { return true };
        // An array of arrays counts its scalars.
        if dimensions > 1 && !matches!(pointee, Pointee::Scalar(_)) {
            return true;
        }
        *length = Length::Fixed(count);
        false
    });
    left
}

/// The text with blanks for comments and texts in quotation marks.
fn without_comments(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        let skipped = if rest.starts_with("//") {
            rest.find('\n').unwrap_or(rest.len())
        } else if rest.starts_with("/*") {
            rest.find("*/").map_or(rest.len(), |end| end + 2)
        } else if c == '"' {
            let mut escaped = false;
            let is_end = |c: char| {
                let ends = c == '"' && !escaped;
                escaped = c == '\\' && !escaped;
                ends
            };
            rest[1..].find(is_end).map_or(rest.len(), |end| end + 2)
        } else {
            0
        };
        if skipped > 0 {
            out.push(' ');
            rest = &rest[skipped..];
        } else {
            out.push(c);
            rest = &rest[c.len_utf8()..];
        }
    }
    out
}

fn is_of_name(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_'
}

/// What stands in the parentheses behind each use of a name.
fn parameter_lists<'t>(text: &'t str, name: &str) -> Vec<&'t str> {
    let mut lists = Vec::new();
    for (at, _) in text.match_indices(name) {
        let is_whole = !text[..at].ends_with(is_of_name) && !text[at + name.len()..].starts_with(is_of_name);
        let Some(behind) = text[at + name.len()..].trim_start().strip_prefix('(').filter(|_| is_whole) else {
            continue;
        };
        let mut depth = 1;
        let end = behind.char_indices().take(LONGEST).find(|(_, c)| {
            depth += match c {
                '(' => 1,
                ')' => -1,
                _ => 0,
            };
            depth == 0
        });
        lists.extend(end.map(|(end, _)| &behind[..end]));
    }
    lists
}

/// How many dimensions a list declares for a parameter, and how many elements that are: `type name[N]`, not an expression `name[i]`.
fn declared(text: &str, list: &str, parameter: &str) -> Option<(usize, u64)> {
    for part in list.split(',') {
        let Some((before, mut rest)) = part.split_once('[') else { continue };
        let Some(ty) = before.trim_end().strip_suffix(parameter) else { continue };
        let is_declarator =
            ty.ends_with([' ', '\t', '\n', '*']) && ty.trim().contains(|c: char| c.is_ascii_alphabetic());
        if !is_declarator || ty.trim_end().ends_with('*') {
            continue;
        }
        let (mut dimensions, mut all) = (0, 1u64);
        loop {
            let (inside, behind) = rest.split_once(']')?;
            let words =
                inside.split_whitespace().filter(|word| !matches!(*word, "static" | "const" | "restrict" | "volatile"));
            let words: Vec<&str> = words.collect();
            let [count] = words.as_slice() else { return None };
            all = all.checked_mul(number(text, count)?).filter(|all| (1..=MOST).contains(all))?;
            dimensions += 1;
            match behind.trim_start().strip_prefix('[') {
                Some(more) => rest = more,
                None => return Some((dimensions, all)),
            }
        }
    }
    None
}

/// A number, or what a macro of the file stands for.
fn number(text: &str, word: &str) -> Option<u64> {
    let parse = |word: &str| word.trim_end_matches(['u', 'U', 'l', 'L']).parse::<u64>().ok();
    let define = |line: &str| {
        let rest = line.trim_start().strip_prefix('#')?.trim_start().strip_prefix("define")?;
        let (name, value) = rest.trim_start().split_once(char::is_whitespace)?;
        (name == word).then(|| parse(value.trim().trim_matches(['(', ')'])))?
    };
    parse(word).or_else(|| text.lines().find_map(define))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(text: &str, parameter: &str) -> Option<(usize, u64)> {
        let text = without_comments(text);
        parameter_lists(&text, "f").into_iter().find_map(|list| declared(&text, list, parameter))
    }

    #[test]
    fn declared_counts_are_read() {
        assert_eq!(of("int f(const unsigned char s[6], int n) {", "s"), Some((1, 6)));
        assert_eq!(of("double f (double a[static 3],\n double m[2][4])", "m"), Some((2, 8)));
        assert_eq!(of("double f (double a[static const 3])", "a"), Some((1, 3)));
        assert_eq!(of("#define N 5u\nvoid f(int p[N]);", "p"), Some((1, 5)));
        assert_eq!(of("# define N (5)\nvoid f(int /* [7] */ p[N]);", "p"), Some((1, 5)));
    }

    #[test]
    fn what_is_no_declaration_is_none() {
        for text in [
            "int f(int *p)",
            "int f(int n, int p[n])",
            "int f(int p[])",
            "int g(int p[4])",
            "int ff(int p[4]) { return f(p[4]); }",
            "int main(void) { return f(2 * p[4]); }",
            "int f(char *p[3])",
            "// f(int p[4])\nint f(int *p)",
            "int f(int p[99999999])",
            "const char *t = \"f(int p[4])\";",
        ] {
            assert_eq!(of(text, "p"), None, "{text}");
        }
    }
}
