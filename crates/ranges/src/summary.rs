//! What came of functions that were analysed by themselves.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use labrys_float::Flags;
use labrys_program::{BlockId, FunctionId};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::frozen::{Exit, Frozen, Number};
use crate::heads::Heads;
use crate::record::{At, SiteKey};

/// What a function does when it is called in one state, and in all that this state includes.
#[derive(Debug)]
pub(crate) struct Summary {
    /// Tells it from all others of its table.
    pub id: u32,
    pub entry: Frozen,
    pub exits: Vec<Exit>,
    pub sites: FxHashMap<SiteKey, Flags>,
    pub opaque: BTreeMap<FunctionId, String>,
    pub heads: Heads,
    pub failing: BTreeSet<(&'static str, At)>,
    pub entered: FxHashSet<(FunctionId, BlockId)>,
}

/// The summaries of analyses of one effort.
#[derive(Debug, Default)]
struct Table {
    known: FxHashMap<(FunctionId, Frozen), Rc<Summary>>,
    next: u32,
}

/// The summaries that a run can build on.
#[derive(Clone, Debug, Default)]
pub(crate) struct Summaries {
    table: Rc<RefCell<Table>>,
    /// Those of this run.
    used: FxHashMap<FunctionId, Vec<Rc<Summary>>>,
    /// Whether functions are analysed by themselves at all, as far as it is known.
    is_separate: FxHashMap<FunctionId, bool>,
}

/// Summaries kept in one table.
const MAX_SUMMARIES: usize = 4096;
impl Summaries {
    /// The same table for another run.
    pub fn for_another_run(&self) -> Summaries {
        Summaries { table: Rc::clone(&self.table), ..Summaries::default() }
    }

    /// The summary for exactly this state.
    pub fn exact(&self, key: &(FunctionId, Frozen)) -> Option<Rc<Summary>> {
        self.table.borrow().known.get(key).cloned()
    }

    /// A summary of this run whose state includes another, and the numbers that its scalars have there.
    pub fn including(&self, function: FunctionId, entry: &Frozen) -> Option<(Rc<Summary>, Vec<Number>)> {
        let mut used = self.used.get(&function)?.iter();
        used.find_map(|summary| Some((Rc::clone(summary), summary.entry.including(entry)?)))
    }

    /// How many this run uses of a function.
    pub fn count(&self, function: FunctionId) -> usize {
        self.used.get(&function).map_or(0, Vec::len)
    }

    /// Notes that this run uses a summary.
    pub fn note(&mut self, function: FunctionId, summary: &Rc<Summary>) {
        let used = self.used.entry(function).or_default();
        if !used.iter().any(|known| Rc::ptr_eq(known, summary)) {
            used.push(Rc::clone(summary));
        }
    }

    /// Keeps a summary for runs to come, as long as there is room.
    pub fn keep(&self, key: (FunctionId, Frozen), summary: &Rc<Summary>) {
        let mut table = self.table.borrow_mut();
        if table.known.len() < MAX_SUMMARIES {
            table.known.entry(key).or_insert_with(|| Rc::clone(summary));
        }
    }

    /// What tells a new summary from all others.
    pub fn new_id(&self) -> u32 {
        let mut table = self.table.borrow_mut();
        table.next += 1;
        table.next
    }

    /// Whether a function is analysed by itself, if that was decided.
    pub fn is_separate(&self, function: FunctionId) -> Option<bool> {
        self.is_separate.get(&function).copied()
    }

    /// Decides whether a function is analysed by itself.
    pub fn set_separate(&mut self, function: FunctionId, is_separate: bool) {
        self.is_separate.insert(function, is_separate);
    }
}
