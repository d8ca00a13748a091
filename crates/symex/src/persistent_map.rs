//! A persistent map from terms or variables: cloning takes constant time, and copies share all but the ways to what changed.
//!
//! A radix tree over the key's index, four bits a level from the lowest on: at most eight levels, in most of which nodes
//! have few children. Paths fork at every branch and then remember one choice more; with a table for each they would copy
//! all choices before.

use std::sync::Arc;

use labrys_term::{TermId, VariableId};

/// Bits of an index that a level looks at.
const BITS: u32 = 4;

/// What has a place among all of its kind.
pub trait Indexed: Copy + Eq {
    /// The place, below 2^32.
    fn index(self) -> u32;
}

impl Indexed for TermId {
    fn index(self) -> u32 {
        TermId::index(self) as u32
    }
}

impl Indexed for VariableId {
    fn index(self) -> u32 {
        VariableId::index(self) as u32
    }
}

/// The map.
#[derive(Clone, Debug)]
pub struct PersistentMap<K, V> {
    root: Option<Arc<Node<K, V>>>,
}

impl<K, V> Default for PersistentMap<K, V> {
    fn default() -> Self {
        PersistentMap { root: None }
    }
}

#[derive(Clone, Debug)]
enum Node<K, V> {
    /// One entry; whatever else has the same bits so far would make a branch of it.
    Leaf(K, V),
    /// The children whose bits of `present` are set, in order.
    Branch { present: u16, children: Vec<Arc<Node<K, V>>> },
}

/// The four bits of an index at a level.
fn digit(key: impl Indexed, level: u32) -> u32 {
    (key.index() >> (BITS * level)) & ((1 << BITS) - 1)
}

impl<K: Indexed, V: Clone> PersistentMap<K, V> {
    /// A key's value.
    pub fn get(&self, key: K) -> Option<&V> {
        let mut node = self.root.as_deref()?;
        let mut level = 0;
        loop {
            match node {
                Node::Leaf(other, value) => return (*other == key).then_some(value),
                Node::Branch { present, children } => {
                    let bit = 1u16 << digit(key, level);
                    if present & bit == 0 {
                        return None;
                    }
                    node = &children[(present & (bit - 1)).count_ones() as usize];
                    level += 1;
                }
            }
        }
    }

    /// Gives a key a value, its old one forgotten.
    pub fn insert(&mut self, key: K, value: V) {
        let Some(mut slot) = self.root.as_mut() else {
            self.root = Some(Arc::new(Node::Leaf(key, value)));
            return;
        };
        let mut level = 0;
        loop {
            if let Node::Leaf(other, _) = &**slot {
                if *other == key {
                    *slot = Arc::new(Node::Leaf(key, value));
                    return;
                }
                let (present, leaf) = (1u16 << digit(*other, level), slot.clone());
                *slot = Arc::new(Node::Branch { present, children: vec![leaf] });
            }
            let Node::Branch { present, children } = Arc::make_mut(slot) else { return };
            let bit = 1u16 << digit(key, level);
            let at = (*present & (bit - 1)).count_ones() as usize;
            if *present & bit == 0 {
                *present |= bit;
                children.insert(at, Arc::new(Node::Leaf(key, value)));
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
        let mut map = PersistentMap::default();
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
            assert!(terms.iter().all(|term| map.get(*term) == table.get(term)));
        }
        assert_eq!(kept[0].0.get(terms[0]), None);
    }
}
