//! The sorts of terms.

use std::sync::Arc;

use labrys_float::Format;

/// A term's sort.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Sort {
    /// Truth values.
    Bool,
    /// Bit vectors of a width in bits.
    BitVec(u32),
    /// Floating-point numbers of a format.
    Float(Format),
    /// The five rounding modes.
    RoundingMode,
    /// Real numbers.
    Real,
    /// Total maps from an index sort to an element sort.
    Array(Arc<(Sort, Sort)>),
}
