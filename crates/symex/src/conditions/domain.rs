//! Bounds on the inputs of queries over the reals, and what is asked for first.

use labrys_float::Format;
use labrys_term::{Op, Store, TermId};
use num_bigint::BigInt;
use num_rational::BigRational;
use num_traits::{One, Zero};

use super::number::{constant, largest};

/// The terms about inputs that accompany a condition.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Domain {
    /// |x| ≤ Ω for each variable: part of every query.
    pub ranges: Vec<TermId>,
    /// x ≠ 0 for each variable: asked for first, because models tend to be degenerate (measured on the turbine1 example:
    /// 20 of 25 inputs had a zero coordinate), and dropped where that has no solution.
    pub nonzero: Vec<TermId>,
    /// Magnitudes at least a factor of two apart for each pair of neighbours in the list: dropped first.
    pub distinct: Vec<TermId>,
}

/// The domain of Real variables, each with the format of the input that it stands for.
pub fn domain_conditions(store: &mut Store, variables: &[(TermId, Format)]) -> Domain {
    let mut domain = Domain::default();
    for (variable, format) in variables {
        let high = constant(store, largest(*format));
        let low = constant(store, -largest(*format));
        let bounds = [store.mk(Op::RealLe, &[low, *variable]), store.mk(Op::RealLe, &[*variable, high])];
        domain.ranges.push(store.and(&bounds));
        let zero = constant(store, BigRational::zero());
        let is_zero = store.mk(Op::Eq, &[*variable, zero]);
        domain.nonzero.push(store.not(is_zero));
    }
    // Neighbours only: all pairs would be quadratic in the number of inputs.
    for pair in variables.windows(2) {
        let sizes = [pair[0].0, pair[1].0].map(|variable| store.mk(Op::RealAbs, &[variable]));
        let two = constant(store, BigRational::from_integer(BigInt::one() << 1u32));
        let doubled = sizes.map(|size| store.mk(Op::RealMul, &[two, size]));
        let apart = [store.mk(Op::RealLe, &[doubled[0], sizes[1]]), store.mk(Op::RealLe, &[doubled[1], sizes[0]])];
        domain.distinct.push(store.or(&apart));
    }
    domain
}
