//! The wide vectors that occurred, each once.

use indexmap::IndexSet;
use labrys_term::Value;
use num_bigint::{BigInt, BigUint};
use rustc_hash::FxBuildHasher;

use super::number::wrap;
use crate::local::program::Kind;

/// A query's wide literals: the first vectors of each table, whose handles stay.
pub(in crate::local) type Literals = IndexSet<Value, FxBuildHasher>;

/// What an operator on wide vectors costs, in instructions on machine integers: measured, 7 times as much at 128 bits, 8 to 12 at 1024.
const COST: u64 = 8;

/// Stands for handles that no table gave out.
static ZERO: BigUint = BigUint::ZERO;

/// Wide vectors by handle. It grows with every new one; [`Table::without`] forgets.
#[derive(Clone, Debug)]
pub(in crate::local) struct Table {
    /// Bit vectors of more than 64 bits, the literals first.
    vectors: IndexSet<Value, FxBuildHasher>,
    /// What the operators computed here cost beyond the one instruction each that is counted anyway.
    pub work: u64,
}

impl Table {
    /// The literals alone.
    pub fn new(literals: &Literals) -> Table {
        Table { vectors: literals.clone(), work: 0 }
    }

    /// The literals, and the same work done; every other handle is void.
    pub fn without(&self, literals: &Literals) -> Table {
        Table { vectors: literals.clone(), work: self.work }
    }

    /// How many vectors it holds.
    pub fn len(&self) -> usize {
        self.vectors.len()
    }

    /// The handle of a vector.
    pub fn insert(&mut self, vector: Value) -> u64 {
        self.vectors.insert_full(vector).0 as u64
    }

    /// The vector of a handle.
    pub fn get(&self, handle: u64) -> Option<&Value> {
        self.vectors.get_index(handle as usize)
    }

    /// The bits of a handle's vector.
    pub fn bits(&self, handle: u64) -> &BigUint {
        self.get(handle).and_then(Value::as_bits).unwrap_or(&ZERO)
    }

    /// The bits of a vector's register, wide or not.
    pub fn number(&self, kind: &Kind, value: u64) -> BigUint {
        match kind {
            Kind::Wide(_) => self.bits(value).clone(),
            _ => BigUint::from(value),
        }
    }

    /// What a vector's register holds for bits, of which the highest are dropped if there are too many.
    pub fn register(&mut self, kind: &Kind, bits: BigUint) -> u64 {
        match kind {
            Kind::Wide(width) => self.insert(Value::bit_vector(*width, bits)),
            kind => bits.iter_u64_digits().next().unwrap_or(0) & crate::local::program::mask(kind.width()),
        }
    }

    /// The handle of the vector that is `step` more, modulo 2^width.
    pub fn shifted(&mut self, width: u32, handle: u64, step: &BigInt) -> u64 {
        let bits = wrap(width, &(BigInt::from(self.bits(handle).clone()) + step));
        self.insert(Value::BitVec { width, bits })
    }

    /// Counts one operator.
    pub(super) fn count(&mut self) {
        self.work += COST - 1;
    }
}
