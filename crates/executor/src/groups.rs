//! A path's conjuncts in groups: those that share variables, directly or through others, are together. Questions are about the groups of
//! their variables alone, however long the path is.
//!
//! Disjoint sets of variables, joined by size, in a persistent map: each path has its own, and shares them with those that it parted from. A
//! variable is found in as many steps as the logarithm of its group's size.

use std::rc::Rc;

use labrys_interp::List;
use labrys_symex::PersistentMap;
use labrys_term::{TermId, VariableId};
use smallvec::SmallVec;

/// The groups.
#[derive(Clone, Debug, Default)]
pub(crate) struct Groups {
    of: PersistentMap<VariableId, Link>,
}

/// Where a variable is.
#[derive(Clone, Debug)]
enum Link {
    /// In the group of this one.
    Under(VariableId),
    /// It stands for its group.
    Root(Rc<Group>),
}

#[derive(Clone, Debug, Default)]
struct Group {
    parts: List<Part>,
    /// How many variables there are.
    size: usize,
}

/// Conjuncts of a group: one, or those of a smaller group that it was joined with. So they are nested no deeper than the logarithm of
/// their number.
#[derive(Clone, Debug)]
enum Part {
    One(TermId),
    All(List<Part>),
}

impl Groups {
    /// The variable that stands for another one's group, and the group; `None` where nothing is known of the variable.
    fn root(&self, variable: VariableId) -> Option<(VariableId, &Rc<Group>)> {
        let mut at = variable;
        loop {
            match self.of.get(at)? {
                Link::Under(above) => at = *above,
                Link::Root(group) => return Some((at, group)),
            }
        }
    }

    /// The groups of some variables, each once.
    fn roots(&self, variables: &[VariableId]) -> SmallVec<[(VariableId, &Rc<Group>); 4]> {
        let mut found: SmallVec<[(VariableId, &Rc<Group>); 4]> =
            variables.iter().filter_map(|variable| self.root(*variable)).collect();
        found.sort_unstable_by_key(|(root, _)| *root);
        found.dedup_by_key(|(root, _)| *root);
        found
    }

    /// Adds a conjunct with these variables, each once. One without variables is no question's matter.
    pub(crate) fn add(&mut self, conjunct: TermId, variables: &[VariableId]) {
        let Some(&first) = variables.first() else { return };
        let roots = self.roots(variables);
        let largest =
            roots.iter().max_by_key(|(_, group)| group.size).map(|(root, group)| (*root, Group::clone(group)));
        let (root, mut joined) = largest.unwrap_or((first, Group { size: 1, ..Group::default() }));
        let mut under: SmallVec<[VariableId; 4]> = SmallVec::new();
        for (other, group) in roots.iter().filter(|(other, _)| *other != root) {
            joined.parts.push(Part::All(group.parts.clone()));
            joined.size += group.size;
            under.push(*other);
        }
        for &variable in variables {
            if variable != root && self.of.get(variable).is_none() {
                joined.size += 1;
                under.push(variable);
            }
        }
        joined.parts.push(Part::One(conjunct));
        drop(roots);
        for variable in under {
            self.of.insert(variable, Link::Under(root));
        }
        self.of.insert(root, Link::Root(Rc::new(joined)));
    }

    /// The conjuncts of the groups of some variables.
    pub(crate) fn conjuncts(&self, variables: &[VariableId]) -> Vec<TermId> {
        let mut found = Vec::new();
        let mut pending: Vec<&List<Part>> = self.roots(variables).into_iter().map(|(_, group)| &group.parts).collect();
        while let Some(parts) = pending.pop() {
            for part in parts.iter_back() {
                match part {
                    Part::One(conjunct) => found.push(*conjunct),
                    Part::All(parts) => pending.push(parts),
                }
            }
        }
        found
    }
}

#[cfg(test)]
mod tests {
    use labrys_term::{Op, Sort, Store};

    use super::*;

    /// Against what is in reach when one conjunct after the other is looked through.
    #[test]
    fn groups_are_what_variables_reach() {
        let mut store = Store::new();
        let terms: Vec<TermId> = (0..40).map(|n| store.variable(&format!("x{n}"), Sort::BitVec(8))).collect();
        let mut seed = 7u64;
        let mut random = |bound: u64| {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (seed >> 33) % bound
        };
        for round in 0..60 {
            let mut groups = Groups::default();
            let mut all: Vec<(TermId, Vec<VariableId>)> = Vec::new();
            let mut before = Vec::new();
            for step in 0..3 * round {
                let pair = [0; 2].map(|_| terms[random(40) as usize]);
                let conjunct = store.mk(Op::BvUlt, &pair);
                let mut variables: Vec<VariableId> = pair.iter().filter_map(|term| store.as_variable(*term)).collect();
                variables.sort_unstable();
                variables.dedup();
                if step % 10 == 0 {
                    before.push((groups.clone(), all.clone()));
                }
                groups.add(conjunct, &variables);
                all.push((conjunct, variables));
            }
            before.push((groups, all));
            for (groups, all) in &before {
                for &term in &terms[..10] {
                    let mut reached: Vec<VariableId> = store.as_variable(term).into_iter().collect();
                    let mut expected = Vec::new();
                    loop {
                        let count = expected.len();
                        for (conjunct, variables) in all {
                            if !expected.contains(conjunct) && variables.iter().any(|one| reached.contains(one)) {
                                expected.push(*conjunct);
                                reached.extend(variables);
                            }
                        }
                        if expected.len() == count {
                            break;
                        }
                    }
                    let mut found = groups.conjuncts(&reached[..1]);
                    found.sort_unstable();
                    found.dedup();
                    expected.sort_unstable();
                    assert_eq!(found, expected);
                }
            }
        }
    }

    #[test]
    fn long_paths_are_dropped_without_recursion() {
        let mut store = Store::new();
        let mut groups = Groups::default();
        let mut last = store.variable("x", Sort::BitVec(32));
        for n in 0..100_000 {
            let next = store.variable(&format!("x{n}"), Sort::BitVec(32));
            let conjunct = store.mk(Op::BvUlt, &[last, next]);
            let variables = [last, next].map(|term| store.as_variable(term).unwrap());
            groups.add(conjunct, &variables);
            last = next;
        }
        assert_eq!(groups.conjuncts(&[store.as_variable(last).unwrap()]).len(), 100_000);
    }
}
