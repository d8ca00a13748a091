//! By which paths users of a crate reach what its modules have: modules that are public, and `pub use` of what is in others.
//!
//! Sources are read for that, without their attributes and without files that another name is given. What is missed is called by the path of its file,
//! and what is wrong does not compile.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use super::source_text::Blocks;

/// What a source's text says of modules, types and names of others.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Names {
    /// Modules by the names from the crate's first one, and whether each is public.
    modules: BTreeMap<Vec<String>, bool>,
    /// The modules that types and public functions are in, by their names.
    items: BTreeMap<String, BTreeSet<Vec<String>>>,
    /// What `pub use` names.
    uses: Vec<PublicUse>,
}

/// A type or a function: its module, and its name there.
pub(super) type Item = (Vec<String>, String);

/// One name of a `pub use`.
#[derive(Clone, Debug, PartialEq, Eq)]
struct PublicUse {
    /// The module that it stands in.
    within: Vec<String>,
    /// The path as it is written.
    path: Vec<String>,
    /// By which name it is reached; `None`: all that is in there.
    name: Option<String>,
}

/// Where names lead, no further: a module that has itself under another name leads on forever.
const MOST_MODULES: usize = 10_000;
const LONGEST_PATH: usize = 12;

impl Names {
    /// Takes what a text says, which has no comments and is of the module `own`.
    pub(super) fn read(&mut self, text: &str, own: &[String]) {
        self.modules.entry(own.to_vec()).or_insert(false);
        let mut blocks = Blocks::new(text);
        for (start, word) in words(text).filter(|(_, word)| ["mod", "struct", "enum", "union", "use"].contains(word)) {
            let head = text[..start].rfind(['\n', ';', '}', '{', ']']).map_or(0, |at| at + 1);
            let is_public = text[head..start].split_whitespace().any(|word| word == "pub");
            let around = blocks.around(start);
            if around.owner.as_deref() != Some("") {
                continue;
            }
            let within: Vec<String> = own.iter().cloned().chain(around.modules).collect();
            let rest = text[start + word.len()..].trim_start();
            let name = rest.split(|c: char| !(c.is_alphanumeric() || c == '_')).next().unwrap_or_default().to_owned();
            match word {
                "mod" => *self.modules.entry([within.as_slice(), &[name]].concat()).or_insert(false) |= is_public,
                "use" if is_public => {
                    let mut found = Vec::new();
                    read_tree(rest.split(';').next().unwrap_or_default(), &[], &mut found);
                    let public = |(path, name)| PublicUse { within: within.clone(), path, name };
                    self.uses.extend(found.into_iter().map(public));
                }
                "use" => {}
                _ => self.add(within, name),
            }
        }
    }

    /// Takes a type or a public function of a module.
    pub(super) fn add(&mut self, module: Vec<String>, name: String) {
        self.items.entry(name).or_default().insert(module);
    }

    /// The shortest path, without the crate's name, to each type and function by its module and name.
    pub(super) fn exports(&self) -> BTreeMap<Item, Vec<String>> {
        let mut of_module: BTreeMap<&[String], Vec<&str>> = BTreeMap::new();
        for (name, modules) in &self.items {
            for module in modules {
                of_module.entry(module).or_default().push(name);
            }
        }
        let mut found: BTreeMap<Item, Vec<String>> = BTreeMap::new();
        let mut seen: BTreeSet<(Vec<String>, Vec<String>)> = BTreeSet::new();
        let mut waiting = VecDeque::from([(Vec::new(), Vec::new())]);
        while let Some((module, path)) = waiting.pop_front() {
            if path.len() > LONGEST_PATH || seen.len() > MOST_MODULES || !seen.insert((module.clone(), path.clone())) {
                continue;
            }
            let longer = |name: &str| [path.as_slice(), &[name.to_owned()]].concat();
            let mut keep = |item: Item, name: &str| {
                let path = longer(name);
                let known = found.entry(item).or_insert_with(|| path.clone());
                if (path.len(), &path) < (known.len(), known) {
                    *known = path;
                }
            };
            for name in of_module.get(module.as_slice()).into_iter().flatten() {
                keep((module.clone(), (*name).to_owned()), name);
            }
            for child in self.public_children(&module) {
                waiting.push_back((child.clone(), longer(child.last().map_or("", String::as_str))));
            }
            for of in self.uses.iter().filter(|of| of.within == module) {
                let Some(target) = self.target(of, 0) else { continue };
                match &of.name {
                    None => waiting.push_back((target, path.clone())),
                    Some(name) if self.modules.contains_key(&target) => waiting.push_back((target, longer(name))),
                    Some(name) => {
                        if let Some((last, within)) = target.split_last() {
                            keep((within.to_vec(), last.clone()), name);
                        }
                    }
                }
            }
        }
        found
    }

    /// The module that a type of this name is in, where a block in a module names it.
    pub(super) fn module_of<'n>(&'n self, name: &str, within: &'n [String]) -> Option<&'n [String]> {
        let modules = self.items.get(name)?;
        match modules.contains(within) {
            true => Some(within),
            false => modules.iter().next().filter(|_| modules.len() == 1).map(Vec::as_slice),
        }
    }

    fn public_children<'n>(&'n self, module: &'n [String]) -> impl Iterator<Item = &'n Vec<String>> {
        let is_child = |of: &[String]| of.len() == module.len() + 1 && of.starts_with(module);
        self.modules.iter().filter(move |(of, is_public)| **is_public && is_child(of)).map(|(of, _)| of)
    }

    /// What a use names, from the crate's first module; where that is another use, what this names. `None`: it is of another crate.
    fn target(&self, of: &PublicUse, depth: usize) -> Option<Vec<String>> {
        let mut within = of.within.clone();
        let mut rest = of.path.as_slice();
        let mut is_first = true;
        while let [word, others @ ..] = rest {
            match word.as_str() {
                "crate" => within.clear(),
                "super" => drop(within.pop()?),
                "self" => {}
                _ => break,
            }
            is_first = false;
            rest = others;
        }
        // In the edition of 2015 a path begins at the crate.
        let is_here = |within: &[String]| rest.first().is_some_and(|first| self.has(within, first));
        if is_first && !is_here(&within) {
            within.clear();
            if !is_here(&within) {
                return None;
            }
        }
        for (at, word) in rest.iter().enumerate() {
            let next = [within.as_slice(), std::slice::from_ref(word)].concat();
            let renamed = || self.uses.iter().find(|of| of.within == within && of.name.as_ref() == Some(word));
            let is_last = at + 1 == rest.len();
            within = match renamed() {
                Some(of) if !self.modules.contains_key(&next) && depth < LONGEST_PATH => self.target(of, depth + 1)?,
                _ if is_last && !self.modules.contains_key(&next) => {
                    self.in_globs(&within, word, depth).unwrap_or(next)
                }
                _ => next,
            };
        }
        Some(within)
    }

    /// Whether a module has something of a name.
    fn has(&self, within: &[String], name: &str) -> bool {
        self.modules.contains_key(&[within, &[name.to_owned()]].concat())
            || self.items.get(name).is_some_and(|modules| modules.contains(within))
            || self.uses.iter().any(|of| of.within == within && of.name.as_deref() == Some(name))
    }

    /// Where something is that a module has by a use of all that another one has.
    fn in_globs(&self, within: &[String], name: &str, depth: usize) -> Option<Vec<String>> {
        if depth >= LONGEST_PATH || self.has(within, name) {
            return None;
        }
        let globs = self.uses.iter().filter(|of| of.within == within && of.name.is_none());
        let mut targets = globs.filter_map(|of| self.target(of, depth + 1));
        let target =
            targets.find(|target| self.has(target, name) || self.in_globs(target, name, depth + 1).is_some())?;
        let renamed = || self.uses.iter().find(|of| of.within == target && of.name.as_deref() == Some(name));
        let here = || match renamed() {
            Some(of) => self.target(of, depth + 1),
            None => Some([target.as_slice(), &[name.to_owned()]].concat()),
        };
        self.in_globs(&target, name, depth + 1).or_else(here)
    }
}

/// The words of a text, and where they begin.
fn words(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    text.split(move |c| !is_word(c))
        .filter(|word| !word.is_empty())
        .map(move |word| (word.as_ptr() as usize - text.as_ptr() as usize, word))
}

/// The names of a use's tree, `a::{b, c as d, e::*, self}`, behind a path.
fn read_tree(tree: &str, before: &[String], found: &mut Vec<(Vec<String>, Option<String>)>) {
    let tree = tree.trim();
    let joined = |path: &str| {
        let names = path.split("::").map(str::trim).filter(|name| !name.is_empty()).map(str::to_owned);
        before.iter().cloned().chain(names).collect::<Vec<String>>()
    };
    if let Some(at) = tree.find('{') {
        let path = joined(&tree[..at]);
        let inner = tree[at + 1..].trim_end().trim_end_matches('}');
        let (mut depth, mut start) = (0_usize, 0);
        for (at, c) in inner.char_indices() {
            match c {
                '{' => depth += 1,
                '}' => depth = depth.saturating_sub(1),
                ',' if depth == 0 => {
                    read_tree(&inner[start..at], &path, found);
                    start = at + 1;
                }
                _ => {}
            }
        }
        read_tree(&inner[start..], &path, found);
        return;
    }
    let (path, renamed) = match tree.split_once(" as ") {
        Some((path, name)) => (path, Some(name.trim().to_owned())),
        None => (tree, None),
    };
    let mut path = joined(path);
    match path.last().map(String::as_str) {
        None => {}
        Some("*") => {
            path.pop();
            found.push((path, None));
        }
        Some("self") if path.len() > 1 => {
            path.pop();
            let name = renamed.or_else(|| path.last().cloned());
            found.push((path, name));
        }
        Some(last) => {
            let name = renamed.unwrap_or_else(|| last.to_owned());
            if path.len() > before.len() && name != "_" {
                found.push((path, Some(name)));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_used_publicly_has_its_user_s_path() {
        let mut names = Names::default();
        let texts = [
            (
                "",
                "mod analytical; mod old;\npub mod open { pub use super::old::*; mod shut; }\npub use self::analytical::cubic::{roots as cubic_roots, Roots};\n\
                 pub use analytical::deep; pub use std::f64; pub(crate) use old::lost; pub use crate::old::again;",
            ),
            ("analytical", "pub mod cubic; pub mod deep { pub use self::deeper::*; mod deeper {} }"),
            ("analytical::cubic", "pub struct Roots; macro_rules! m { () => { struct Made; } }"),
            ("old", "pub use self::older::*; mod older { pub use super::super::analytical::cubic::roots as again; }"),
        ];
        let module =
            |path: &str| path.split("::").filter(|name| !name.is_empty()).map(str::to_owned).collect::<Vec<_>>();
        for (own, text) in texts {
            names.read(text, &module(own));
        }
        for (own, name) in [
            ("analytical::cubic", "roots"),
            ("analytical::deep::deeper", "f"),
            ("old", "lost"),
            ("old", "kept"),
            ("open::shut", "hidden"),
            ("analytical", "inner"),
        ] {
            names.add(module(own), name.to_owned());
        }
        let found: Vec<String> = names
            .exports()
            .into_iter()
            .map(|((within, name), path)| format!("{}::{name} {}", within.join("::"), path.join("::")))
            .collect();
        let expected = [
            "analytical::cubic::Roots Roots",
            "analytical::cubic::roots again",
            "analytical::deep::deeper::f deep::f",
            "old::kept open::kept",
            "old::lost open::lost",
        ];
        assert_eq!(found, expected);
        assert_eq!(names.module_of("Roots", &module("old")), Some(module("analytical::cubic").as_slice()));
    }
}
