//! What only sources say of a crate: names of parameters, and of functions near a name that does not exist. Nothing but words of reports hangs on it.

use std::fs;
use std::path::{Path, PathBuf};

use super::exports::Names;
use super::macros::{macros_of, made_in, nest};
use super::source_text::{Blocks, code};

/// A function as its source begins it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct SourceFunction {
    pub(super) name: String,
    pub(super) file: PathBuf,
    /// The line of its name, from 1.
    pub(super) line: u32,
    /// Its parameters' names; empty ones of patterns.
    pub(super) parameters: Vec<String>,
    /// Its generic types and constants.
    pub(super) generics: Vec<String>,
    pub(super) is_public: bool,
    /// Whether a macro may make it, which only the compiler knows.
    pub(super) is_made: bool,
    /// The names of the folders and the file that it is in, as modules, and of the modules within the file.
    pub(super) modules: Vec<String>,
    /// The type that it is a method of, empty where it is no method; `None` where that is not plain.
    pub(super) owner: Option<String>,
}

/// A source without comments.
#[derive(Debug)]
pub(super) struct SourceText {
    pub(super) code: String,
    pub(super) file: PathBuf,
    /// The module that it is, by the names of the folders and the file.
    pub(super) modules: Vec<String>,
}

/// A function's path, for users of its crate.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct PublicPath {
    /// By what is public.
    pub(super) path: String,
    /// By the modules of its file.
    pub(super) written: String,
    /// Whether a macro may make it.
    pub(super) is_made: bool,
}

/// Files and folders beyond are not looked at.
const MOST_FILES: usize = 4000;
/// Larger files are generated.
const LARGEST: u64 = 1 << 20;
/// Names that an error lists.
const LISTED: usize = 4;

/// The functions of the sources beside and below a crate's first source.
pub(super) fn functions(first: &Path) -> Vec<SourceFunction> {
    functions_in(&texts(first))
}

/// The functions of texts, and those that their macros may make.
fn functions_in(texts: &[SourceText]) -> Vec<SourceFunction> {
    let mut found: Vec<SourceFunction> =
        texts.iter().flat_map(|text| functions_of(&text.code, &text.file, &text.modules)).collect();
    let mut macros: Vec<_> = texts.iter().flat_map(macros_of).collect();
    nest(&mut macros);
    if !macros.is_empty() {
        found.extend(texts.iter().flat_map(|text| made_in(text, &macros)));
    }
    // Of macros' own texts, functions are named by what these are given.
    found.retain(|function| !function.name.starts_with('$'));
    found
}

/// The sources beside and below a crate's first one.
fn texts(first: &Path) -> Vec<SourceText> {
    let Some(root) = first.parent() else { return Vec::new() };
    let mut found = Vec::new();
    let mut waiting = vec![(root.to_owned(), Vec::new())];
    let mut files = 0;
    while let Some((folder, modules)) = waiting.pop() {
        let Ok(entries) = fs::read_dir(&folder) else { continue };
        let mut paths: Vec<_> = entries.filter_map(|entry| Some(entry.ok()?.path())).collect();
        paths.sort();
        for path in paths {
            files += 1;
            if files > MOST_FILES {
                return found;
            }
            let stem = path.file_stem().and_then(|stem| stem.to_str()).unwrap_or_default().to_owned();
            let inner = |stem: String| modules.iter().cloned().chain([stem]).collect::<Vec<_>>();
            if path.is_dir() {
                waiting.push((path, inner(stem)));
            } else if path.extension().is_some_and(|suffix| suffix == "rs")
                && path.metadata().is_ok_and(|metadata| metadata.len() <= LARGEST)
            {
                let own = if ["lib", "main", "mod"].contains(&stem.as_str()) { modules.clone() } else { inner(stem) };
                let code = code(&fs::read_to_string(&path).unwrap_or_default());
                found.push(SourceText { code, file: path, modules: own });
            }
        }
    }
    found
}

/// Paths of the public functions, and of the public methods of types in blocks that name these plainly (`impl Point {`), of the crate that begins with a
/// source: as users of it write them, where they can, else with the modules of their files and those within.
pub(super) fn public_paths(first: &Path, library: &str) -> Vec<PublicPath> {
    paths_in(&texts(first), library)
}

fn paths_in(texts: &[SourceText], library: &str) -> Vec<PublicPath> {
    let mut names = Names::default();
    for text in texts {
        names.read(&text.code, &text.modules);
    }
    let functions: Vec<SourceFunction> =
        functions_in(texts).into_iter().filter(|of| (of.is_public || of.is_made) && of.owner.is_some()).collect();
    for function in functions.iter().filter(|of| of.owner.as_deref() == Some("")) {
        names.add(function.modules.clone(), function.name.clone());
    }
    let exports = names.exports();
    let joined = |names: Vec<&str>| std::iter::once(library).chain(names).collect::<Vec<_>>().join("::");
    let mut paths: Vec<PublicPath> = functions
        .iter()
        .map(|of| {
            let modules = || of.modules.iter().map(String::as_str);
            let owner = of.owner.as_deref().filter(|owner| !owner.is_empty());
            let written = joined(modules().chain(owner).chain([of.name.as_str()]).collect());
            let exported = |module: &[String], name: &str| exports.get(&(module.to_vec(), name.to_owned()));
            let path = match owner {
                None => exported(&of.modules, &of.name).map(|path| joined(path.iter().map(String::as_str).collect())),
                Some(owner) => names
                    .module_of(owner, &of.modules)
                    .and_then(|module| exported(module, owner))
                    .map(|path| joined(path.iter().map(String::as_str).chain([of.name.as_str()]).collect())),
            };
            PublicPath { path: path.unwrap_or_else(|| written.clone()), written, is_made: of.is_made }
        })
        .collect();
    paths.sort_by(|a, b| (&a.path, a.is_made, &a.written).cmp(&(&b.path, b.is_made, &b.written)));
    paths.dedup_by(|second, first| second.path == first.path);
    paths
}

/// Public functions whose names are near one, nearest first.
pub(super) fn near(functions: &[SourceFunction], name: &str) -> Vec<String> {
    let mut scored: Vec<(f64, String)> = functions
        .iter()
        .filter(|function| function.is_public)
        .map(|function| {
            let path = function.modules.iter().chain([&function.name]).cloned().collect::<Vec<_>>().join("::");
            (strsim::jaro_winkler(&function.name.to_lowercase(), &name.to_lowercase()), path)
        })
        .filter(|(score, _)| *score > 0.8)
        .collect();
    scored.sort_by(|a, b| b.0.total_cmp(&a.0).then_with(|| a.1.cmp(&b.1)));
    scored.dedup();
    scored.into_iter().take(LISTED).map(|(_, path)| path).collect()
}

/// The function of a name with so many parameters, one in these modules or types before others.
pub(super) fn of_name<'f>(
    functions: &'f [SourceFunction],
    (name, modules): (&str, &[&str]),
    parameters: Option<usize>,
) -> Option<&'f SourceFunction> {
    let fits = |function: &&SourceFunction| {
        function.name == name && parameters.is_none_or(|count| function.parameters.len() == count)
    };
    // Of several that are as near the first one.
    functions.iter().filter(fits).rev().max_by_key(|function| function.nearness(modules))
}

/// The one function that a path can mean; `None` where several are as near.
pub(super) fn meant<'f>(functions: &'f [SourceFunction], path: &[&str]) -> Option<&'f SourceFunction> {
    let (name, modules) = path.split_last()?;
    let found = of_name(functions, (name, modules), None)?;
    let is_as_near = |of: &&SourceFunction| of.name == *name && of.nearness(modules) == found.nearness(modules);
    (functions.iter().filter(is_as_near).count() == 1).then_some(found)
}

impl SourceFunction {
    /// Whether it stands in one of these modules and types.
    pub(super) fn is_in(&self, modules: &[&str]) -> bool {
        self.nearness(modules) > 0
    }

    /// How many of these modules and types it stands in.
    fn nearness(&self, modules: &[&str]) -> usize {
        self.modules.iter().chain(&self.owner).filter(|of| modules.contains(&of.as_str())).count()
    }
}

/// The functions that a text without comments begins.
pub(super) fn functions_of(text: &str, file: &Path, modules: &[String]) -> Vec<SourceFunction> {
    let mut blocks = Blocks::new(text);
    let mut found = Vec::new();
    let mut at = 0;
    let mut line_number = 1;
    while let Some(next) = text[at..].find("fn ") {
        let start = at + next;
        line_number += text[at..start].matches('\n').count() as u32;
        at = start + 3;
        if text[..start].chars().next_back().is_some_and(|c| c.is_alphanumeric() || c == '_') {
            continue;
        }
        let rest = text[at..].trim_start();
        // In a macro's text a name may be what the macro is given.
        let is_given = usize::from(rest.starts_with('$'));
        let is_other = |c: char| !(c.is_alphanumeric() || c == '_');
        let end = rest[is_given..].find(is_other).map_or(rest.len(), |end| end + is_given);
        let (name, rest) = rest.split_at(end);
        let rest = rest.trim_start();
        let (generics, rest) = match rest.strip_prefix('<') {
            Some(inner) => match balanced(inner, '>') {
                Some(end) => (&inner[..end], inner[end + 1..].trim_start()),
                None => continue,
            },
            None => ("", rest),
        };
        let Some(inner) = rest.strip_prefix('(') else { continue };
        let Some(end) = balanced(inner, ')') else { continue };
        let line = text[..start].rfind(['\n', ';', '}', '{']).map_or(0, |at| at + 1);
        let around = blocks.around(start);
        found.push(SourceFunction {
            name: name.to_owned(),
            file: file.to_owned(),
            line: line_number,
            parameters: split(&inner[..end]).into_iter().map(parameter_name).collect(),
            generics: split(generics).into_iter().filter_map(generic_name).collect(),
            is_public: text[line..start].split_whitespace().any(|word| word == "pub" || word == "$vis"),
            is_made: false,
            modules: modules.iter().cloned().chain(around.modules).collect(),
            owner: around.owner,
        });
    }
    found
}

/// Where the bracket that is open at the beginning is closed.
fn balanced(text: &str, end: char) -> Option<usize> {
    let mut depth = 0_usize;
    let mut before = ' ';
    for (at, c) in text.char_indices() {
        match c {
            _ if c == end && depth == 0 && !(c == '>' && before == '-') => return Some(at),
            '(' | '[' | '{' | '<' => depth += 1,
            '>' if before == '-' || before == '=' => {}
            ')' | ']' | '}' | '>' => depth = depth.checked_sub(1)?,
            _ => {}
        }
        before = c;
    }
    None
}

/// The parts between commas outside of brackets.
fn split(text: &str) -> Vec<&str> {
    let mut parts = Vec::new();
    let (mut depth, mut start, mut before) = (0_i32, 0, ' ');
    for (at, c) in text.char_indices() {
        match c {
            '(' | '[' | '{' | '<' => depth += 1,
            '>' if before == '-' || before == '=' => {}
            ')' | ']' | '}' | '>' => depth -= 1,
            ',' if depth == 0 => {
                parts.push(text[start..at].trim());
                start = at + 1;
            }
            _ => {}
        }
        before = c;
    }
    parts.push(text[start..].trim());
    parts.retain(|part| !part.is_empty());
    parts
}

fn parameter_name(text: &str) -> String {
    let pattern = text.split(':').next().unwrap_or_default().trim();
    let last = pattern.rsplit([' ', '&']).next().unwrap_or_default();
    let is_name = !last.is_empty() && last.chars().all(|c| c.is_alphanumeric() || c == '_') && last != "_";
    let name = if is_name { last.trim_start_matches('_') } else { "" };
    name.to_owned()
}

fn generic_name(text: &str) -> Option<String> {
    let name = text.split(':').next()?.split('=').next()?.trim();
    (!name.starts_with('\'')).then(|| name.trim_start_matches("const ").trim().to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_parameters_and_generics() {
        let text = "/// fn not_this(x: f64)\npub fn variance<T: Into<f64>, const N: usize>(data: &[T], mut n: (f64, f64), _w: f64) \
                    -> Option<f64> {}\nimpl P {\n    fn helper(&self, f: impl Fn(f64) -> f64, (a, b): (f64, f64)) {}\n}\n\
                    pub unsafe extern \"C\" fn c(x: f64) {}\nconst OPEN: char = '{';\n\
                    pub mod inner { impl Q { pub fn method(&self) {} }\npub fn d() {} fn hidden() {} }";
        let text = SourceText { code: code(text), file: "src/stats.rs".into(), modules: vec!["stats".to_owned()] };
        let found = functions_of(&text.code, &text.file, &text.modules);
        let lines: Vec<u32> = found.iter().map(|function| function.line).collect();
        assert_eq!(lines, [2, 4, 6, 8, 9, 9]);
        let names: Vec<&str> = found.iter().map(|function| function.name.as_str()).collect();
        assert_eq!(names, ["variance", "helper", "c", "method", "d", "hidden"]);
        assert_eq!(found[0].parameters, ["data", "n", "w"]);
        assert_eq!(found[0].generics, ["T", "N"]);
        assert_eq!(found[1].parameters, ["self", "f", ""]);
        let public: Vec<bool> = found.iter().map(|function| function.is_public).collect();
        assert_eq!(public, [true, false, true, true, true, false]);
        let owners: Vec<Option<&str>> = found.iter().map(|function| function.owner.as_deref()).collect();
        assert_eq!(owners, ["", "P", "", "Q", "", ""].map(Some));
        let paths = ["a::stats::c", "a::stats::inner::Q::method", "a::stats::inner::d", "a::stats::variance"];
        let found_paths: Vec<String> = paths_in(&[text], "a").into_iter().map(|of| of.path).collect();
        assert_eq!(found_paths, paths);
        assert_eq!(near(&found, "varience"), ["stats::variance"]);
        assert_eq!(of_name(&found, ("variance", &["stats"]), Some(3)).map(|of| of.name.as_str()), Some("variance"));
        assert_eq!(of_name(&found, ("variance", &[]), Some(2)), None);
    }

    #[test]
    fn a_path_means_one_function_or_none_is_said() {
        let text = "/* two\nlines */ impl A { pub fn f() {} }\nimpl B {\n  fn f() {} }\nconst S: &str = \"\n\n\";\nfn g() {}\nmod m { fn g() {} }";
        let found = functions_of(&code(text), Path::new("src/lib.rs"), &[]);
        let line = |path: &[&str]| meant(&found, path).map(|of| of.line);
        assert_eq!(line(&["c", "A", "f"]), Some(2));
        assert_eq!(line(&["c", "B", "f"]), Some(4));
        assert_eq!(line(&["c", "f"]), None);
        assert_eq!(line(&["c", "m", "g"]), Some(9));
        assert_eq!(line(&["c", "h"]), None);
    }
}
