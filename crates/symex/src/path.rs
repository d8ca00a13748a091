//! What a path remembers: its condition, the values chosen for symbols, how often its loops ran.

use std::sync::Arc;

use labrys_program::{BlockId, FunctionId};
use labrys_term::{Op, Store, TermId};
use rustc_hash::FxHashMap;

use crate::int_ranges::{self, Range};
use crate::persistent_map::PersistentMap;

/// One activation's back edge.
type LoopKey = (usize, FunctionId, BlockId, BlockId);

/// The symbolic part of a state. Cloning shares the maps.
#[derive(Clone, Debug)]
pub struct TermPath {
    /// The conjunction of all choices so far.
    pub condition: TermId,
    /// How many choices there were.
    pub choices: u32,
    /// Symbols whose values were chosen.
    known: PersistentMap<TermId, u128>,
    /// What choices say of integers' signed values.
    ranges: PersistentMap<TermId, Range>,
    /// For each back edge taken: the number of choices when it was last taken, and how often it was taken with a new
    /// choice since.
    loops: Arc<FxHashMap<LoopKey, (u32, u32)>>,
}

impl TermPath {
    /// A path with a condition and no choices.
    pub fn new(condition: TermId) -> TermPath {
        TermPath {
            condition,
            choices: 0,
            known: PersistentMap::default(),
            ranges: PersistentMap::default(),
            loops: Arc::default(),
        }
    }

    /// The value chosen for a symbol.
    pub fn value_of(&self, symbol: TermId) -> Option<u128> {
        self.known.get(symbol).copied()
    }

    /// The bounds that choices have put on a term's signed value.
    pub(crate) fn range_of(&self, term: TermId) -> Option<Range> {
        self.ranges.get(term).copied()
    }

    /// Chooses a value, with what it implies: the parts of a true conjunction are true, those of a false disjunction
    /// false. `condition` is the path's condition together with the choice.
    pub fn choose(&mut self, store: &Store, symbol: TermId, value: u128, condition: TermId) {
        let mut pending = vec![(symbol, value)];
        while let Some((symbol, value)) = pending.pop() {
            self.known.insert(symbol, value);
            let node = store.node(symbol);
            match node.op {
                Op::Not => pending.push((node.args[0], value ^ 1)),
                Op::And if value != 0 => pending.extend(node.args.iter().map(|&part| (part, 1))),
                Op::Or if value == 0 => pending.extend(node.args.iter().map(|&part| (part, 0))),
                _ => {
                    for (term, (low, high)) in int_ranges::implied(store, symbol, value != 0) {
                        let old = self.range_of(term).unwrap_or((low, high));
                        self.ranges.insert(term, (old.0.max(low), old.1.min(high)));
                    }
                }
            }
        }
        self.condition = condition;
        self.choices += 1;
    }

    /// Counts a back edge; returns how often it was taken under symbolic control.
    pub fn take_back_edge(&mut self, depth: usize, function: FunctionId, from: BlockId, to: BlockId) -> u32 {
        let choices = self.choices;
        let loops = Arc::make_mut(&mut self.loops);
        let (last, count) = loops.entry((depth, function, from, to)).or_insert((choices, 0));
        if *last != choices {
            *last = choices;
            *count += 1;
        }
        *count
    }

    /// Starts the counts of a loop that is entered anew.
    pub fn enter_loop(&mut self, depth: usize, function: FunctionId, latches: &[BlockId], header: BlockId) {
        let choices = self.choices;
        let loops = Arc::make_mut(&mut self.loops);
        for &from in latches {
            loops.insert((depth, function, from, header), (choices, 0));
        }
    }
}
