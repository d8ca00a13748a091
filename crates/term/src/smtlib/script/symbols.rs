//! What a script's symbols stand for.

use super::macros::Macro;
use super::names::{self, Mark, Names, is_reserved};
use crate::{Sort, Store, TermId, sexpr};

/// A symbol and what it stands for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Declaration {
    /// The symbol, quoted where it must be.
    pub name: String,
    /// The term.
    pub term: TermId,
}

/// What a script's symbols stand for, level by level.
#[derive(Debug)]
pub struct Script {
    pub(super) names: Names,
    pub(super) macros: Vec<Macro>,
    pub(super) declared: Vec<Declaration>,
    pub(super) labels: Vec<Declaration>,
    /// What there was when each level was opened.
    levels: Vec<Level>,
    /// Whether declarations outlive the level they are made in (`:global-declarations`).
    pub(super) global: bool,
    /// Whether strings are those of SMT-LIB 2.0, in which a backslash quotes.
    pub(super) backslashes: bool,
}

#[derive(Clone, Copy, Debug)]
struct Level {
    mark: Mark,
    declared: usize,
    labels: usize,
}

impl Default for Script {
    fn default() -> Script {
        Script::new()
    }
}

impl Script {
    /// Only the theories' symbols.
    pub fn new() -> Script {
        Script {
            names: Names::new(),
            macros: Vec::new(),
            declared: Vec::new(),
            labels: Vec::new(),
            levels: Vec::new(),
            global: false,
            backslashes: false,
        }
    }

    /// Whether strings are read as in SMT-LIB 2.0 (its section 3.1), as `(set-info :smt-lib-version 2.0)` asks: a backslash quotes a
    /// quotation mark or a backslash.
    pub fn has_backslashes(&self) -> bool {
        self.backslashes
    }

    /// The constants declared on all open levels, in order.
    pub fn declared(&self) -> &[Declaration] {
        &self.declared
    }

    /// The terms named by `:named`, in order.
    pub fn labels(&self) -> &[Declaration] {
        &self.labels
    }

    /// How many levels have been pushed and not popped.
    pub fn levels(&self) -> usize {
        self.levels.len()
    }

    pub(super) fn add_label(&mut self, name: names::NameId, term: TermId) {
        let name = written(&self.names.text(name));
        self.labels.push(Declaration { name, term });
    }

    pub(super) fn push(&mut self, count: u32) {
        let level = Level { mark: self.names.mark(), declared: self.declared.len(), labels: self.labels.len() };
        self.levels.extend(std::iter::repeat_n(level, count as usize));
    }

    /// Closes levels, which there must be.
    pub(super) fn pop(&mut self, count: u32) {
        let kept = self.levels.len().saturating_sub(count as usize);
        if let Some(&level) = self.levels.get(kept)
            && !self.global
        {
            self.names.undo_to(level.mark);
            self.declared.truncate(level.declared);
            self.labels.truncate(level.labels);
        }
        self.levels.truncate(kept);
    }
}

/// A new variable for a parameter: no symbol can have its name, and no older term contains it.
pub(super) fn parameter(store: &mut Store, name: &str, sort: Sort) -> TermId {
    let mut count = store.variable_count();
    let mut attempt = format!("{name}|{count}");
    while store.find_variable(&attempt).is_some() {
        count += 1;
        attempt = format!("{name}|{count}");
    }
    store.variable(&attempt, sort)
}

/// The variable for a declared symbol: of the symbol's name where that is a text and not taken by another sort.
pub(super) fn variable(store: &mut Store, text: &[u8], sort: Sort) -> TermId {
    let (name, exact) = match std::str::from_utf8(text) {
        Ok(name) => (name.to_owned(), true),
        Err(_) => (format!("{}|bytes", text.escape_ascii()), false),
    };
    let mut attempt = name.clone();
    let mut count = 0u32;
    // A symbol that was popped may be declared again: with its old sort it is the same variable, which no assertion
    // holds any more.
    while let Some(old) = store.find_variable(&attempt)
        && *store.variable_info(old).1 != sort
    {
        count += 1;
        attempt = format!("{name}|{}{count}", if exact { "sort" } else { "" });
    }
    store.variable(&attempt, sort)
}

/// A symbol as it must be written: between bars where it is reserved or holds unusual characters.
pub(super) fn written(name: &str) -> String {
    if is_reserved(name.as_bytes()) { format!("|{name}|") } else { sexpr::written(name) }
}
