//! Which variables a term depends on: those that occur in it, and where one of them is about a call of libm, those of the call's operands.
//! Found once for each term, so that questions about long paths stay cheap.

use indexmap::IndexSet;
use labrys_term::{Store, TermId, VariableId};
use rustc_hash::{FxBuildHasher, FxHashMap};

use crate::values::Libm;

/// A set of variables, as an index into [`Supports`]. Equal sets have equal indices.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
struct Support(u32);

impl Support {
    /// No variable.
    const EMPTY: Support = Support(0);
}

/// The variables of one store's terms.
#[derive(Debug)]
pub(crate) struct Supports {
    /// By the term's index; `None` where nobody has asked.
    of: Vec<Option<Support>>,
    /// Ascending lists; the first is empty.
    sets: IndexSet<Box<[VariableId]>, FxBuildHasher>,
    unions: FxHashMap<(Support, Support), Support>,
}

impl Default for Supports {
    fn default() -> Self {
        let mut sets = IndexSet::default();
        sets.insert(Box::default());
        Supports { of: Vec::new(), sets, unions: FxHashMap::default() }
    }
}

impl Supports {
    /// The variables that a term depends on, ascending.
    pub(crate) fn variables_of(&mut self, store: &Store, libm: &Libm, term: TermId) -> &[VariableId] {
        let support = self.of(store, libm, term);
        self.variables(support)
    }

    /// The variables of a set, ascending.
    fn variables(&self, support: Support) -> &[VariableId] {
        &self.sets[support.0 as usize]
    }

    /// The variables of a term.
    fn of(&mut self, store: &Store, libm: &Libm, term: TermId) -> Support {
        if !store.has_variables(term) {
            return Support::EMPTY;
        }
        if self.of.len() < store.len() {
            self.of.resize(store.len(), None);
        }
        let mut pending = vec![term];
        while let Some(&next) = pending.last() {
            if self.of[next.index()].is_some() {
                pending.pop();
                continue;
            }
            let variable = store.as_variable(next);
            let args = match variable {
                Some(variable) => libm.operands(variable),
                None => &store.node(next).args[..],
            };
            let before = pending.len();
            let open = |arg: &&TermId| store.has_variables(**arg) && self.of[arg.index()].is_none();
            pending.extend(args.iter().filter(open));
            if pending.len() == before {
                let mut all = variable.map_or(Support::EMPTY, |variable| self.intern(Box::new([variable])));
                for arg in args {
                    let part = self.of[arg.index()].unwrap_or(Support::EMPTY);
                    all = self.union(all, part);
                }
                self.of[next.index()] = Some(all);
            }
        }
        self.of[term.index()].unwrap_or(Support::EMPTY)
    }

    fn intern(&mut self, variables: Box<[VariableId]>) -> Support {
        Support(self.sets.insert_full(variables).0 as u32)
    }

    /// The variables of both.
    fn union(&mut self, a: Support, b: Support) -> Support {
        if a == b || b == Support::EMPTY {
            return a;
        }
        if a == Support::EMPTY {
            return b;
        }
        let key = (a.min(b), a.max(b));
        if let Some(&known) = self.unions.get(&key) {
            return known;
        }
        let mut both: Vec<VariableId> = [self.variables(a), self.variables(b)].concat();
        both.sort_unstable();
        both.dedup();
        let union = self.intern(both.into());
        self.unions.insert(key, union);
        union
    }
}

/// Whether two ascending lists have a variable in common.
pub(crate) fn meet(mut a: &[VariableId], mut b: &[VariableId]) -> bool {
    while let ([first, left @ ..], [second, right @ ..]) = (a, b) {
        match first.cmp(second) {
            std::cmp::Ordering::Equal => return true,
            std::cmp::Ordering::Less => a = left,
            std::cmp::Ordering::Greater => b = right,
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;
    use labrys_term::{Op, Sort};

    #[test]
    fn a_term_has_the_variables_of_its_parts() {
        let mut store = Store::new();
        let [x, y, z] = ["x", "y", "z"].map(|name| store.variable(name, Sort::BitVec(8)));
        let one = store.bv_const(8, 1u8);
        let sum = store.mk(Op::BvAdd, &[x, y]);
        let next = store.mk(Op::BvAdd, &[sum, one]);
        let last = store.mk(Op::BvMul, &[z, z]);
        let (mut supports, libm) = (Supports::default(), Libm::default());
        let (a, b, c) =
            (supports.of(&store, &libm, next), supports.of(&store, &libm, last), supports.of(&store, &libm, sum));
        assert_eq!(a, c, "literals add nothing");
        assert_eq!(supports.variables(a), [store.as_variable(x).unwrap(), store.as_variable(y).unwrap()]);
        assert!(!meet(supports.variables(a), supports.variables(b)));
        assert_eq!(supports.of(&store, &libm, one), Support::EMPTY);
        let all = supports.union(a, b);
        assert!(meet(supports.variables(all), supports.variables(b)) && supports.variables(all).len() == 3);
    }
}
