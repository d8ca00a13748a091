//! A persistent map from terms: cloning takes constant time, and copies share all but the ways to what changed.
//!
//! A radix tree over the term's index, four bits a level from the lowest on: at most eight levels, in most of which nodes
//! have few children. Paths fork at every branch and then remember one choice more; with a table for each they would copy
//! all choices before.

use std::sync::Arc;

use labrys_term::TermId;

/// Bits of an index that a level looks at.
const BITS: u32 = 4;

/// A map from terms to values.
#[derive(Clone, Debug)]
pub(crate) struct TermMap<V> {
    root: Option<Arc<Node<V>>>,
}

impl<V> Default for TermMap<V> {
    fn default() -> Self {
        TermMap { root: None }
    }
}

#[derive(Clone, Debug)]
enum Node<V> {
    /// One entry; whatever else has the same bits so far would make a branch of it.
    Leaf(TermId, V),
    /// The children whose bits of `present` are set, in order.
    Branch { present: u16, children: Vec<Arc<Node<V>>> },
}

/// The four bits of a term's index at a level.
fn digit(term: TermId, level: u32) -> u32 {
    (term.index() as u32 >> (BITS * level)) & ((1 << BITS) - 1)
}

impl<V: Copy> TermMap<V> {
    /// A term's value.
    pub(crate) fn get(&self, term: TermId) -> Option<V> {
        let mut node = self.root.as_deref()?;
        let mut level = 0;
        loop {
            match node {
                Node::Leaf(key, value) => return (*key == term).then_some(*value),
                Node::Branch { present, children } => {
                    let bit = 1u16 << digit(term, level);
                    if present & bit == 0 {
                        return None;
                    }
                    node = &children[(present & (bit - 1)).count_ones() as usize];
                    level += 1;
                }
            }
        }
    }

    /// Gives a term a value, its old one forgotten.
    pub(crate) fn insert(&mut self, term: TermId, value: V) {
        let Some(mut slot) = self.root.as_mut() else {
            self.root = Some(Arc::new(Node::Leaf(term, value)));
            return;
        };
        let mut level = 0;
        loop {
            let node = Arc::make_mut(slot);
            if let Node::Leaf(key, old) = node {
                if *key == term {
                    *old = value;
                    return;
                }
                let (present, leaf) = (1u16 << digit(*key, level), Arc::new(Node::Leaf(*key, *old)));
                *node = Node::Branch { present, children: vec![leaf] };
            }
            let Node::Branch { present, children } = node else { return };
            let bit = 1u16 << digit(term, level);
            let at = (*present & (bit - 1)).count_ones() as usize;
            if *present & bit == 0 {
                *present |= bit;
                children.insert(at, Arc::new(Node::Leaf(term, value)));
                return;
            }
            slot = &mut children[at];
            level += 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use labrys_term::{Sort, Store};
    use rustc_hash::FxHashMap;

    use super::*;

    #[test]
    fn copies_are_apart_and_agree_with_tables() {
        let mut store = Store::new();
        let terms: Vec<TermId> = (0..5000).map(|n| store.variable(&format!("x{n}"), Sort::Bool)).collect();
        let mut map = TermMap::default();
        let mut table: FxHashMap<TermId, usize> = FxHashMap::default();
        let mut kept = Vec::new();
        for (step, index) in (0..20_000usize).map(|step| (step, step.wrapping_mul(2_654_435_761) % 5000)) {
            if step % 4000 == 0 {
                kept.push((map.clone(), table.clone()));
            }
            map.insert(terms[index], step);
            table.insert(terms[index], step);
        }
        kept.push((map, table));
        for (map, table) in &kept {
            assert!(terms.iter().all(|term| map.get(*term) == table.get(term).copied()));
        }
        assert_eq!(kept[0].0.get(terms[0]), None);
    }
}
