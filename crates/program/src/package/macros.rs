//! Functions that a crate's own macros may make: `macro_rules!` whose text has public functions, and where it is used.
//!
//! A macro's text says how its functions are called, or that what it is given says so; then each name that a use gives it may be meant. What a macro
//! uses in its text it makes, too. Which of these functions there are is for the compiler to say.

use super::source_text::Blocks;
use super::sources::{SourceFunction, SourceText, functions_of};

/// A macro of the crate, and the public functions in its text.
#[derive(Debug)]
pub(super) struct Macro {
    name: String,
    functions: Vec<SourceFunction>,
    /// What it stands for, of each of its arms.
    bodies: Vec<String>,
}

/// As many functions may a crate's macros make.
const MOST: usize = 400;

/// So many macros may use each other, one the next.
const DEEPEST: usize = 4;

/// The macros that a text defines.
pub(super) fn macros_of(text: &SourceText) -> Vec<Macro> {
    let mut found = Vec::new();
    for (at, head) in text.code.match_indices("macro_rules!") {
        let rest = &text.code[at + head.len()..];
        let Some(open) = rest.find(['(', '{', '[']) else { continue };
        let name = rest[..open].trim();
        let Some(inner) = bracketed(&rest[open..]) else { continue };
        let (mut functions, mut bodies) = (Vec::new(), Vec::new());
        for arm in inner.split("=>").skip(1) {
            let arm = arm.trim_start();
            let Some(body) = bracketed(arm) else { continue };
            let is_callable = |of: &SourceFunction| of.is_public && of.owner.is_some() && of.modules.is_empty();
            functions.extend(functions_of(body, &text.file, &[]).into_iter().filter(is_callable));
            bodies.push(body.to_owned());
        }
        if !bodies.is_empty() {
            found.push(Macro { name: name.to_owned(), functions, bodies });
        }
    }
    found
}

/// Gives macros the functions of those that they use.
pub(super) fn nest(macros: &mut [Macro]) {
    for _ in 0..DEEPEST {
        let mut further: Vec<(usize, SourceFunction)> = Vec::new();
        for (index, of) in macros.iter().enumerate() {
            let others = of.bodies.iter().flat_map(|body| used_in(body, macros).into_iter());
            for (used, given, owner) in others.filter(|(used, ..)| used.name != of.name) {
                for function in &used.functions {
                    let within = function.owner.as_deref().filter(|owner| !owner.is_empty()).unwrap_or(&owner);
                    for owner in meant(within, given, char::is_uppercase) {
                        for name in meant(&function.name, given, |c| !char::is_uppercase(c)) {
                            further
                                .push((index, SourceFunction { name, owner: Some(owner.clone()), ..function.clone() }));
                        }
                    }
                }
            }
        }
        let mut is_changed = false;
        for (index, function) in further {
            let known = &mut macros[index].functions;
            if known.len() < MOST && !known.contains(&function) {
                known.push(function);
                is_changed = true;
            }
        }
        if !is_changed {
            break;
        }
    }
}

/// The macros that a macro's text uses, what it gives them, and the type in whose block it does.
fn used_in<'m, 't>(text: &'t str, macros: &'m [Macro]) -> Vec<(&'m Macro, &'t str, String)> {
    let mut blocks = Blocks::new(text);
    let mut found = Vec::new();
    for (at, _) in text.match_indices('!') {
        let start = word_before(&text[..at]);
        let Some(used) = macros.iter().find(|of| of.name == text[start..at]) else { continue };
        let around = blocks.around(start);
        let Some(owner) = around.owner.filter(|_| around.modules.is_empty()) else { continue };
        let Some(given) = bracketed(text[at + 1..].trim_start()) else { continue };
        found.push((used, given, owner));
    }
    found
}

/// Where the word begins that a text ends with.
fn word_before(text: &str) -> usize {
    text.rfind(|c: char| !(c.is_alphanumeric() || c == '_'))
        .map_or(0, |at| at + text[at..].chars().next().map_or(1, char::len_utf8))
}

/// The functions that uses of these macros in a text may make.
pub(super) fn made_in(text: &SourceText, macros: &[Macro]) -> Vec<SourceFunction> {
    let mut found: Vec<SourceFunction> = Vec::new();
    let mut blocks = Blocks::new(&text.code);
    for (at, _) in text.code.match_indices('!') {
        let before = &text.code[..at];
        let start = word_before(before);
        let Some(used) = macros.iter().find(|of| of.name == before[start..]) else { continue };
        let around = blocks.around(start);
        let Some(owner) = around.owner else { continue };
        let Some(given) = bracketed(text.code[at + 1..].trim_start()) else { continue };
        let modules: Vec<String> = text.modules.iter().cloned().chain(around.modules).collect();
        let line = before.matches('\n').count() as u32 + 1;
        for function in &used.functions {
            let within = function.owner.as_deref().unwrap_or_default();
            let within = if within.is_empty() { owner.as_str() } else { within };
            for owner in meant(within, given, char::is_uppercase) {
                for name in meant(&function.name, given, |c| !char::is_uppercase(c)) {
                    let made = SourceFunction {
                        name,
                        owner: Some(owner.clone()),
                        modules: modules.clone(),
                        line,
                        file: text.file.clone(),
                        is_public: false,
                        is_made: true,
                        ..function.clone()
                    };
                    if found.len() < MOST && !found.contains(&made) {
                        found.push(made);
                    }
                }
            }
        }
    }
    found
}

/// What a name of a macro's text can be: itself, or of a parameter each name that is given, by how such names begin; it stays a parameter where one of a
/// macro that uses it is given.
fn meant(name: &str, given: &str, begins: impl Fn(char) -> bool) -> Vec<String> {
    if !name.starts_with('$') {
        return vec![name.to_owned()];
    }
    let words = given.split(|c: char| !(c.is_alphanumeric() || c == '_' || c == '$'));
    let is_name = |word: &&str| word.starts_with(|c: char| (c.is_alphabetic() || c == '_') && begins(c));
    let mut names: Vec<String> = words.filter(is_name).map(str::to_owned).collect();
    names.extend(given.contains('$').then(|| name.to_owned()));
    names.sort();
    names.dedup();
    names
}

/// What is in the bracket that a text begins with.
fn bracketed(text: &str) -> Option<&str> {
    let end = match text.chars().next()? {
        '(' => ')',
        '[' => ']',
        '{' => '}',
        _ => return None,
    };
    let inner = &text[1..];
    // What is bigger or smaller than something else has no bracket.
    let mut depth = 0_usize;
    for (at, c) in inner.char_indices() {
        match c {
            _ if c == end && depth == 0 => return Some(&inner[..at]),
            '(' | '[' | '{' => depth += 1,
            ')' | ']' | '}' => depth = depth.checked_sub(1)?,
            _ => {}
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::package::source_text::code;

    /// A macro that uses another one made nothing.
    #[test]
    fn macros_in_macros_make_what_they_use() {
        let text = "macro_rules! inner { ($f:ident, $k:expr) => { pub fn $f(x: f64) -> f64 { $k / x } }; }\n\
                    macro_rules! both { ($f:ident) => { inner!($f, 1.0); inner!(fixed, 2.0); impl P { inner!(of_p, 3.0); } }; }\n\
                    macro_rules! outer { ($($f:ident),*) => { $(both! { $f })* }; }\nmod m { outer!(first, second); }";
        let text = SourceText { code: code(text), file: "src/lib.rs".into(), modules: Vec::new() };
        let mut macros = macros_of(&text);
        nest(&mut macros);
        let written = |of: &SourceFunction| {
            let owner = of.owner.clone().filter(|owner| !owner.is_empty());
            of.modules.iter().cloned().chain(owner).chain([of.name.clone()]).collect::<Vec<_>>().join("::")
        };
        let mut found: Vec<String> = made_in(&text, &macros).iter().map(written).collect();
        found.sort();
        assert_eq!(found, ["m::P::of_p", "m::first", "m::fixed", "m::second"]);
    }

    #[test]
    fn what_macros_make_is_called_by_what_they_are_given() {
        let text = "macro_rules! easer { ($f:ident, $t:ident, $e:expr) => ( pub struct $t { x: f64 } pub fn $f(start: f64, end: f64) -> $t { $e }\n\
                    impl Iterator for $t { fn next(&mut self) -> f64 { 1.0 } } impl $t { pub fn now(&self) -> f64 { self.x } } fn hidden() {} ) }\n\
                    macro_rules! fixed { () => { pub fn half(x: f64) -> f64 { x } }; ($x:expr) => { $x } }\n\
                    easer!(linear, Linear, |x: f64| { x });\nmod inner { fixed!(); }\nimpl P { crate::fixed! {} }\nfn f() { fixed!(2) }";
        let text = SourceText { code: code(text), file: "src/lib.rs".into(), modules: Vec::new() };
        let macros = macros_of(&text);
        let written = |of: &SourceFunction| {
            let owner = of.owner.clone().filter(|owner| !owner.is_empty());
            let path = of.modules.iter().cloned().chain(owner).chain([of.name.clone()]).collect::<Vec<_>>().join("::");
            format!("{}: {path}({})", of.line, of.parameters.join(", "))
        };
        let found: Vec<String> = made_in(&text, &macros).iter().map(written).collect();
        let expected = [
            "4: f64(start, end)",
            "4: linear(start, end)",
            "4: x(start, end)",
            "4: Linear::now(self)",
            "5: inner::half(x)",
            "6: P::half(x)",
        ];
        assert_eq!(found, expected);
    }
}
