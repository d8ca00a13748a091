//! Terms as circuits: one word of gates for each term, arguments first.
//!
//! A term's word has the term's value whatever values the variables have, as long as the *side conditions* hold, which
//! say that inputs encode values (a mode is one of five, there is one NaN) and that terms lie in the domains that
//! [`Facts`] give them. What is known may therefore be written into the words: a bit that the facts decide is a constant
//! from there on, and its circuit is constrained to it by a side condition. Facts are implied by the assertions, so
//! the side conditions lose no model; and every model of assertions and side conditions is one of the assertions.

mod bit_vector;
mod core;
mod float;
mod known;
mod model;

use labrys_float::RoundingMode;
use labrys_term::{Op, Sort, Store, TermId, VariableId};
use rustc_hash::FxHashMap;

use super::float::{FloatCircuit, FloatCircuits};
use super::vector::{self, Bits};
use super::{Gates, Lit};
use crate::domain::Facts;
use crate::{Budget, Why};

/// Terms' circuits so far.
#[derive(Debug, Default)]
pub struct Translator {
    /// All gates.
    pub gates: Gates,
    /// Of terms that are not floats: of a Bool one bit, of a rounding mode three, its place in `RoundingMode::ALL`.
    words: FxHashMap<TermId, Bits>,
    floats: FxHashMap<TermId, FloatCircuit>,
    circuits: FloatCircuits,
    /// Variables that have words, in the order in which they got them.
    variables: Vec<(VariableId, TermId)>,
    /// What must hold beside the assertions, since the last [`Translator::take_side_conditions`].
    side: Vec<Lit>,
}

/// How many terms are translated between two looks at the budget: one division of doubles makes thousands of gates.
const STRIDE: usize = 4;

/// No more gates than literals of CDCL can count, less what encoding adds.
const MOST_GATES: usize = 1 << 30;

impl Translator {
    /// Nothing translated.
    pub fn new() -> Translator {
        Translator::default()
    }

    /// The literal of a Bool term; everything below it is translated. On an error what has been translated stays.
    pub fn literal(&mut self, store: &Store, facts: &Facts, term: TermId, budget: &Budget) -> Result<Lit, Why> {
        for (count, term) in self.missing(store, term).into_iter().enumerate() {
            if count % STRIDE == 0 {
                budget.exhausted_or_full().map_or(Ok(()), Err)?;
            }
            self.translate(store, facts, term)?;
            if self.gates.len() > MOST_GATES {
                return Err(Why::Memory);
            }
        }
        Ok(self.words[&term][0])
    }

    /// The side conditions that have come up since they were last taken.
    pub fn take_side_conditions(&mut self) -> Vec<Lit> {
        std::mem::take(&mut self.side)
    }

    /// Terms below and including `root` without words, arguments first.
    fn missing(&self, store: &Store, root: TermId) -> Vec<TermId> {
        let mut pending = vec![root];
        let mut found = rustc_hash::FxHashSet::default();
        while let Some(term) = pending.pop() {
            let translated = self.words.contains_key(&term) || self.floats.contains_key(&term);
            if !translated && found.insert(term) {
                pending.extend_from_slice(&store.node(term).args);
            }
        }
        let mut found: Vec<TermId> = found.into_iter().collect();
        found.sort_unstable();
        found
    }

    /// Gives a term its word, or a float its circuit; its arguments have theirs.
    fn translate(&mut self, store: &Store, facts: &Facts, term: TermId) -> Result<(), Why> {
        if matches!(store.sort(term), Sort::Float(_)) {
            let number = self.number(store, facts.float(term), term)?;
            self.floats.insert(term, number);
        } else {
            let word = match self.word_of_floats(store, term) {
                Some(word) => word?,
                None => self.word(store, term)?,
            };
            let word = self.with_facts(store, facts, term, word);
            self.words.insert(term, word);
        }
        self.side.append(&mut self.circuits.constraints);
        Ok(())
    }

    /// The word of a term without floats among its arguments.
    fn word(&mut self, store: &Store, term: TermId) -> Result<Bits, Why> {
        let node = store.node(term);
        let args: Option<Vec<&Bits>> = node.args.iter().map(|arg| self.words.get(arg)).collect();
        let gates = &mut self.gates;
        if let Some(args) = args {
            let word = core::word(gates, &node.op, &args);
            if let Some(word) = word.or_else(|| bit_vector::word(gates, &node.op, &args)) {
                return word;
            }
        }
        match (&node.op, &node.sort) {
            (Op::BitVecConst(bits), Sort::BitVec(width)) => Ok(vector::big_constant(*width as usize, bits)),
            (Op::RoundingModeConst(mode), _) => Ok(mode_word(*mode)),
            (Op::Variable(variable), sort) => {
                let word = self.inputs(sort)?;
                self.variables.push((*variable, term));
                Ok(word)
            }
            (op, sort) => Err(Why::Unsupported(format!("{op:?} of sort {sort:?} as a circuit"))),
        }
    }

    /// A word of free inputs for a variable, with the side conditions of its sort.
    fn inputs(&mut self, sort: &Sort) -> Result<Bits, Why> {
        let width = match sort {
            Sort::Bool => 1,
            Sort::BitVec(width) => *width as usize,
            Sort::RoundingMode => MODE_WIDTH,
            sort => return Err(Why::Unsupported(format!("variables of sort {sort:?} as circuits"))),
        };
        let word = vector::inputs(&mut self.gates, width);
        if *sort == Sort::RoundingMode {
            // The five modes are 0 to 4.
            let low = self.gates.or(word[0], word[1]);
            let valid = !self.gates.and(word[2], low);
            self.side.push(valid);
        }
        Ok(word)
    }
}

/// Bits of a rounding mode's word.
const MODE_WIDTH: usize = 3;

fn mode_word(mode: RoundingMode) -> Bits {
    let place = RoundingMode::ALL.iter().position(|other| *other == mode).unwrap_or(0);
    vector::constant(MODE_WIDTH, place as u128)
}
