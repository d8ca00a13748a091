//! The bounds on single inputs that an assumption implies.

use super::{Assumption, Number, Relation, Truth};

impl Assumption {
    /// Tightens a search space by the bounds that the assumption puts on single inputs: sampling within an interval beats
    /// sampling everywhere and throwing away. What is no such bound changes nothing.
    pub fn restrict(&self, space: &mut labrys_fuzz::Space) {
        let mut pending = vec![&self.truth];
        while let Some(truth) = pending.pop() {
            match truth {
                Truth::And(a, b) => pending.extend([&**a, &**b]),
                Truth::Compare(relation, Number::Leaf(leaf), bound) => bound_leaf(space, *leaf, *relation, bound),
                Truth::Compare(relation, bound, Number::Leaf(leaf)) => {
                    bound_leaf(space, *leaf, relation.mirrored(), bound);
                }
                _ => {}
            }
        }
    }
}

impl Relation {
    /// The relation with its sides exchanged.
    fn mirrored(self) -> Relation {
        match self {
            Relation::Less => Relation::Greater,
            Relation::LessEqual => Relation::GreaterEqual,
            Relation::Greater => Relation::Less,
            Relation::GreaterEqual => Relation::LessEqual,
            Relation::Equal | Relation::NotEqual => self,
        }
    }
}

fn bound_leaf(space: &mut labrys_fuzz::Space, leaf: usize, relation: Relation, bound: &Number) {
    let value = match bound {
        Number::Literal(value) => *value,
        Number::Negate(of) => match **of {
            Number::Literal(value) => -value,
            _ => return,
        },
        _ => return,
    };
    match relation {
        Relation::Less | Relation::LessEqual => space.restrict(leaf, f64::NEG_INFINITY, value),
        Relation::Greater | Relation::GreaterEqual => space.restrict(leaf, value, f64::INFINITY),
        Relation::Equal => space.restrict(leaf, value, value),
        Relation::NotEqual => {}
    }
}
