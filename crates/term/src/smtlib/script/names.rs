//! Names and what they stand for, level by level.
//!
//! Each name is interned once; what it stands for now is then an index away, and what it stood for before is on a trail
//! that `let`, parameters and `pop` undo.

use indexmap::IndexSet;
use rustc_hash::{FxBuildHasher, FxHashMap};

use super::builtins::{BUILTINS, Builtin};
use crate::{Sort, TermId};

/// Index of a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct NameId(u32);

/// What a name stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Meaning {
    /// Nothing.
    Nothing,
    /// A function or constant of the theories.
    Builtin(Builtin),
    /// A term: a declared or defined constant, a variable of a `let`, a parameter.
    Term(TermId),
    /// A defined function, by its index.
    Macro(u32),
    /// Something that was declared but is not supported.
    Unsupported,
}

/// What the name of a sort stands for.
#[derive(Clone, Debug)]
pub(super) enum SortMeaning {
    /// A sort.
    Sort(Sort),
    /// A sort with parameters: their names and the text of the definition.
    Template(Vec<NameId>, Box<[u8]>),
    /// Something that was declared but is not supported.
    Unsupported,
}

/// All names and their meanings.
#[derive(Debug)]
pub(super) struct Names {
    texts: IndexSet<Box<[u8]>, FxBuildHasher>,
    /// By name.
    meanings: Vec<Meaning>,
    /// Names whose meaning changed, with the one before.
    trail: Vec<(NameId, Meaning)>,
    pub(super) sorts: FxHashMap<NameId, SortMeaning>,
    /// Names of sorts whose meaning changed, with the one before.
    sort_trail: Vec<(NameId, Option<SortMeaning>)>,
}

/// A point of the trails to go back to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Mark {
    symbols: usize,
    sorts: usize,
}

impl Names {
    /// The names of the theories.
    pub(super) fn new() -> Names {
        let mut names = Names {
            texts: IndexSet::default(),
            meanings: Vec::new(),
            trail: Vec::new(),
            sorts: FxHashMap::default(),
            sort_trail: Vec::new(),
        };
        for (text, builtin) in BUILTINS {
            let name = names.intern(text.as_bytes());
            names.meanings[name.0 as usize] = Meaning::Builtin(*builtin);
        }
        names
    }

    /// The name's index.
    pub(super) fn intern(&mut self, text: &[u8]) -> NameId {
        if let Some(index) = self.texts.get_index_of(text) {
            return NameId(index as u32);
        }
        let (index, _) = self.texts.insert_full(text.into());
        self.meanings.push(Meaning::Nothing);
        NameId(index as u32)
    }

    /// What a text stands for.
    pub(super) fn find(&self, text: &[u8]) -> Meaning {
        self.texts.get_index_of(text).map_or(Meaning::Nothing, |index| self.meanings[index])
    }

    /// What the name of a sort stands for.
    pub(super) fn find_sort(&self, text: &[u8]) -> Option<&SortMeaning> {
        let index = self.texts.get_index_of(text)?;
        self.sorts.get(&NameId(index as u32))
    }

    /// What a name stands for.
    pub(super) fn meaning(&self, name: NameId) -> Meaning {
        self.meanings[name.0 as usize]
    }

    /// The name's bytes.
    pub(super) fn bytes(&self, name: NameId) -> &[u8] {
        self.texts.get_index(name.0 as usize).map(|bytes| &**bytes).unwrap_or_default()
    }

    /// The name's text; bytes that are no UTF-8 are replaced.
    pub(super) fn text(&self, name: NameId) -> String {
        let bytes = self.texts.get_index(name.0 as usize);
        bytes.map(|bytes| String::from_utf8_lossy(bytes).into_owned()).unwrap_or_default()
    }

    /// Gives a name another meaning, until the trail is undone.
    pub(super) fn bind(&mut self, name: NameId, meaning: Meaning) {
        let old = std::mem::replace(&mut self.meanings[name.0 as usize], meaning);
        self.trail.push((name, old));
    }

    /// Gives a name another meaning and returns the old one, which the caller puts back.
    pub(super) fn replace(&mut self, name: NameId, meaning: Meaning) -> Meaning {
        std::mem::replace(&mut self.meanings[name.0 as usize], meaning)
    }

    /// Gives the name of a sort another meaning, until the trail is undone.
    pub(super) fn bind_sort(&mut self, name: NameId, meaning: SortMeaning) {
        let old = self.sorts.insert(name, meaning);
        self.sort_trail.push((name, old));
    }

    /// Where the trails are now.
    pub(super) fn mark(&self) -> Mark {
        Mark { symbols: self.trail.len(), sorts: self.sort_trail.len() }
    }

    /// Gives names the meanings that they had at a mark.
    pub(super) fn undo_to(&mut self, mark: Mark) {
        while self.trail.len() > mark.symbols {
            if let Some((name, old)) = self.trail.pop() {
                self.meanings[name.0 as usize] = old;
            }
        }
        while self.sort_trail.len() > mark.sorts {
            match self.sort_trail.pop() {
                Some((name, Some(old))) => {
                    self.sorts.insert(name, old);
                }
                Some((name, None)) => {
                    self.sorts.remove(&name);
                }
                None => {}
            }
        }
    }
}

/// Words that are no names unless they stand between bars (SMT-LIB 2.6, section 3.1). Commands' names are left out:
/// no place that a name may take can also be a command's.
pub(super) fn is_reserved(text: &[u8]) -> bool {
    matches!(text, b"!" | b"_" | b"as" | b"exists" | b"forall" | b"let" | b"match" | b"par")
}
