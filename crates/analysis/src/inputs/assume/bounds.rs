//! The bounds on single inputs that an assumption implies.

use labrys_float::Float;

use super::assumption::Assumption;
use super::precision::Precision;
use super::syntax::{Number, Relation, Truth};

impl Assumption {
    /// Tightens a search space by the bounds that the assumption puts on single inputs: sampling within an interval beats
    /// sampling everywhere and throwing away. What is no such bound changes nothing.
    pub fn restrict(&self, space: &mut labrys_fuzz::Space) {
        let mut pending = vec![&self.truth];
        while let Some(truth) = pending.pop() {
            match truth {
                Truth::And(a, b) => pending.extend([&**a, &**b]),
                Truth::Compare(precision, relation, Number::Leaf(leaf), bound) => {
                    bound_leaf(space, *leaf, *relation, bound, *precision);
                }
                Truth::Compare(precision, relation, bound, Number::Leaf(leaf)) => {
                    bound_leaf(space, *leaf, relation.mirrored(), bound, *precision);
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

fn bound_leaf(space: &mut labrys_fuzz::Space, leaf: usize, relation: Relation, bound: &Number, precision: Precision) {
    let value = match bound {
        Number::Literal(value) => value.float(precision),
        Number::Negate(of) => match &**of {
            Number::Literal(value) => value.float(precision).neg(),
            _ => return,
        },
        _ => return,
    };
    let infinity = |negative| Float::infinity(precision.format(), negative);
    match relation {
        Relation::Less | Relation::LessEqual => space.restrict(leaf, &infinity(true), &value),
        Relation::Greater | Relation::GreaterEqual => space.restrict(leaf, &value, &infinity(false)),
        Relation::Equal => space.restrict(leaf, &value, &value),
        Relation::NotEqual => {}
    }
}
