//! Which floats are only compared.

use std::collections::BTreeSet;

use labrys_float::{Float, Format};
use labrys_term::{Op, Store, TermId};
use num_bigint::BigInt;
use rustc_hash::FxHashMap;

/// What is known of a class of floats that meet in comparisons and choices.
#[derive(Clone, Debug)]
pub(super) struct Class {
    pub format: Format,
    /// The variables, in order.
    pub variables: Vec<TermId>,
    /// Ordinals of the literals that members are compared with or chosen from, and of what bounds classes of floats.
    pub literals: BTreeSet<BigInt>,
    /// Whether signs are changed.
    pub is_symmetric: bool,
    /// Whether −0 is told from +0.
    pub signed_zeros: bool,
    /// Whether something else is done with a member.
    is_tainted: bool,
}

impl Class {
    fn new(format: Format) -> Class {
        Class {
            format,
            variables: Vec::new(),
            literals: BTreeSet::new(),
            is_symmetric: false,
            signed_zeros: false,
            is_tainted: false,
        }
    }

    fn absorb(&mut self, other: Class) {
        self.variables.extend(other.variables);
        self.literals.extend(other.literals);
        self.is_symmetric |= other.is_symmetric;
        self.signed_zeros |= other.signed_zeros;
        self.is_tainted |= other.is_tainted;
    }

    fn bounds(&mut self, values: &[Float]) {
        for value in values {
            self.literals.extend(value.ordinal());
            self.literals.extend(value.neg().ordinal());
        }
    }
}

/// The classes of a conjunction's float terms. Literals belong to each class that they meet, and to none themselves.
#[derive(Debug)]
pub(super) struct Classes {
    /// Of each float term but literals, its place.
    places: FxHashMap<TermId, usize>,
    /// A forest over places.
    parents: Vec<usize>,
    /// At the roots.
    classes: Vec<Option<Class>>,
}

impl Classes {
    /// Sorts terms, which include all their arguments, arguments first.
    pub fn of(store: &Store, terms: &[TermId]) -> Classes {
        let mut classes = Classes { places: FxHashMap::default(), parents: Vec::new(), classes: Vec::new() };
        for &term in terms {
            classes.meet(store, term);
        }
        classes
    }

    /// The place of the root of a term's class, and the class, if its members are only compared.
    pub fn ordered(&mut self, term: TermId) -> Option<(usize, &Class)> {
        let place = *self.places.get(&term)?;
        let root = self.root(place);
        let class = self.classes[root].as_ref().filter(|class| !class.is_tainted)?;
        Some((root, class))
    }

    /// The roots of all classes whose members are only compared, in order.
    pub fn all_ordered(&self) -> Vec<usize> {
        let is_ordered = |class: &Option<Class>| class.as_ref().is_some_and(|class| !class.is_tainted);
        (0..self.classes.len()).filter(|&place| is_ordered(&self.classes[place])).collect()
    }

    /// The class at a root.
    pub fn at(&self, root: usize) -> Option<&Class> {
        self.classes[root].as_ref()
    }

    fn root(&mut self, mut place: usize) -> usize {
        while self.parents[place] != place {
            self.parents[place] = self.parents[self.parents[place]];
            place = self.parents[place];
        }
        place
    }

    /// Notes what a term does to the classes of its arguments and to its own.
    fn meet(&mut self, store: &Store, term: TermId) {
        let node = store.node(term);
        let own = match (&node.op, store.float_format(term)) {
            (Op::FloatConst(_), _) | (_, None) => None,
            (_, Some(format)) => Some(self.add(term, format)),
        };
        match node.op {
            Op::Variable(_) => {
                if let Some(own) = own {
                    self.change(own, |class| class.variables.push(term));
                }
            }
            Op::FpMin | Op::FpMax => {
                self.unite(store, own, &node.args);
            }
            Op::Ite if own.is_some() => {
                self.unite(store, own, &node.args[1..]);
            }
            Op::FpNeg | Op::FpAbs => {
                if let Some(class) = self.unite(store, own, &node.args) {
                    self.change(class, |class| class.is_symmetric = true);
                }
            }
            Op::FpLt | Op::FpLe | Op::FpEq | Op::FpIsNan => {
                self.unite(store, None, &node.args);
            }
            Op::FpIsZero => {
                if let Some(class) = self.unite(store, None, &node.args) {
                    self.change(class, |class| class.bounds(&[Float::zero(class.format, false)]));
                }
            }
            Op::Eq if store.float_format(node.args[0]).is_some() => {
                if let Some(class) = self.unite(store, None, &node.args) {
                    self.change(class, |class| class.signed_zeros = true);
                }
            }
            Op::FpIsNegative | Op::FpIsPositive => {
                if let Some(class) = self.unite(store, None, &node.args) {
                    self.change(class, |class| class.signed_zeros = true);
                }
            }
            Op::FpIsInfinite | Op::FpIsNormal | Op::FpIsSubnormal => {
                if let Some(class) = self.unite(store, None, &node.args) {
                    self.change(class, |class| {
                        let format = class.format;
                        let infinity = Float::infinity(format, false);
                        class.bounds(&[Float::zero(format, false), Float::min_normal(format), infinity]);
                    });
                }
            }
            _ => self.taint(own, &node.args),
        }
    }

    fn add(&mut self, term: TermId, format: Format) -> usize {
        let place = self.parents.len();
        self.parents.push(place);
        self.classes.push(Some(Class::new(format)));
        self.places.insert(term, place);
        place
    }

    fn change(&mut self, place: usize, change: impl FnOnce(&mut Class)) {
        let root = self.root(place);
        if let Some(class) = self.classes[root].as_mut() {
            change(class);
        }
    }

    /// Makes one class of all, and gives a place in it; literals are noted. `None` if there are only literals.
    fn unite(&mut self, store: &Store, own: Option<usize>, args: &[TermId]) -> Option<usize> {
        let mut result = own;
        for arg in args {
            let Some(&place) = self.places.get(arg) else { continue };
            let Some(first) = result else {
                result = Some(place);
                continue;
            };
            let (first, second) = (self.root(first), self.root(place));
            if first != second {
                self.parents[second] = first;
                if let Some(other) = self.classes[second].take() {
                    self.change(first, |class| class.absorb(other));
                }
            }
        }
        if let Some(place) = result {
            for arg in args {
                if let Op::FloatConst(value) = &store.node(*arg).op {
                    self.change(place, |class| class.literals.extend(value.ordinal()));
                }
            }
        }
        result
    }

    fn taint(&mut self, own: Option<usize>, args: &[TermId]) {
        let places: Vec<usize> = args.iter().filter_map(|arg| self.places.get(arg).copied()).chain(own).collect();
        for place in places {
            self.change(place, |class| class.is_tainted = true);
        }
    }
}
