//! Other points of the same set: a query in rescaled variables.
//!
//! Solvers prefer simple models: small integers and powers of two, on which floating-point arithmetic happens to be
//! exact and two builds agree. Reading each variable x as K·y, with a fixed 53-bit significand K drawn from a seed, lets the
//! solver choose a simple y and gives an x with a generic significand. Each seed gives another point.

use labrys_solver::{RealModel, RealValue};
use labrys_term::{Op, Sort, Store, TermId, VariableId};
use num_bigint::BigInt;
use num_rational::BigRational;
use num_traits::One;
use rustc_hash::FxHashMap;

/// A change of variables x = K·y.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rescaling {
    factors: Vec<Factor>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct Factor {
    original: VariableId,
    /// The term `original` is.
    original_term: TermId,
    scaled: VariableId,
    /// K·y.
    product: TermId,
    value: BigRational,
}

impl Rescaling {
    /// A change of all Real variables among `roots`, its factors drawn from `seed`: in [1, 2), 53 bits.
    pub fn new(store: &mut Store, roots: &[TermId], seed: u64) -> Rescaling {
        let mut factors = Vec::new();
        for original_term in store.reachable(roots) {
            let Op::Variable(original) = store.node(original_term).op else { continue };
            if *store.sort(original_term) != Sort::Real {
                continue;
            }
            // The variable's own index keeps the factors of one query apart.
            let random = split_mix(seed.wrapping_mul(0x1000).wrapping_add(original.index() as u64));
            let significand = BigInt::from((1u64 << 52) | (random >> 12) | 1);
            let value = BigRational::new(significand, BigInt::one() << 52u32);
            let name = format!("{}!scaled{seed}", store.variable_info(original).0);
            let scaled_term = store.variable(&name, Sort::Real);
            let Op::Variable(scaled) = store.node(scaled_term).op else { continue };
            let factor = store.real_const(value.clone());
            let product = store.mk(Op::RealMul, &[factor, scaled_term]);
            factors.push(Factor { original, original_term, scaled, product, value });
        }
        Rescaling { factors }
    }

    /// `term` in the new variables.
    pub fn apply(&self, store: &mut Store, term: TermId) -> TermId {
        let mut images: FxHashMap<TermId, TermId> =
            self.factors.iter().map(|factor| (factor.original_term, factor.product)).collect();
        for part in store.reachable(&[term]) {
            if images.contains_key(&part) {
                continue;
            }
            let node = store.node(part).clone();
            let args: Vec<TermId> = node.args.iter().map(|argument| images[argument]).collect();
            let image = if args.as_slice() == node.args.as_slice() { part } else { store.mk(node.op, &args) };
            images.insert(part, image);
        }
        images[&term]
    }

    /// A model in the new variables as one in the old ones. Algebraic numbers become close rational ones.
    pub fn decode(&self, model: &RealModel) -> RealModel {
        let mut decoded = RealModel::default();
        for factor in &self.factors {
            if let Some(value) = model.values.get(&factor.scaled) {
                let value = RealValue::Rational(value.approximation() * &factor.value);
                decoded.values.insert(factor.original, value);
            }
        }
        decoded
    }
}

/// One step of SplitMix64 (Steele, Lea, Flood: Fast Splittable Pseudorandom Number Generators, OOPSLA 2014, section 4).
fn split_mix(state: u64) -> u64 {
    let mut z = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}
