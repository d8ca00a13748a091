//! Floats that are only compared, replaced by short words.
//!
//! **Claim.** Let a class of float terms be made of variables and literals by if-then-else, fp.min, fp.max, fp.neg and fp.abs, and
//! let nothing else be said of them than how they compare, with each other or with literals: comparisons, equality,
//! and classes of floats, which are intervals. Then only the order of the variables' values among each other and
//! the literals matters, so that it is enough to try values from a finite *chain*: the literals, and between neighbouring
//! literals as many floats as there are variables that can lie there, or all if there are fewer.
//!
//! *Enough*: take a model. Between two neighbouring literals there lie at most as many different values as there are variables
//! that can lie there, and at most all floats; an increasing map takes them to values of the chain between the same literals. It keeps NaN, −0,
//! +0, the literals and all comparisons, and commutes with minima, maxima and choices. Where signs are changed the literals are
//! closed under negation and the chain is symmetric; then magnitudes are mapped (there is one for each variable at
//! most), signs are kept, and the map commutes with negation and magnitude too.
//! *Right*: a variable becomes a word, its value's place in the chain, and a truth value that says that it is NaN; a model of
//! the words gives the values at these places.
//!
//! Words of eight variables and two literals have five bits instead of 64, and comparing them is comparing numbers: what
//! sorting networks, medians, clamps and branches over measured values consist of is decided in no time.
//! (That formulas about an order need only a small domain: Pnueli, Rodeh, Strichman, Siegel, "The Small Model Property: How Small Can
//! It Be?", Information and Computation 2002; with literals: Talupur, Sinha, Strichman, Pnueli, "Range Allocation for Separation
//! Logic", CAV 2004.)

mod chain;
mod class;
mod encode;
#[cfg(test)]
mod tests;

use labrys_term::{Store, TermId};

use super::reconstruct::Step;
use class::Classes;
use encode::Encoder;

/// The conjunction with words in place of classes of floats; `None` if there are no such classes.
pub(super) fn abstracted(
    store: &mut Store,
    conjuncts: &[TermId],
    count: &mut usize,
    steps: &mut Vec<Step>,
) -> Option<Vec<TermId>> {
    let terms = store.reachable(conjuncts);
    let mut classes = Classes::of(store, &terms);
    let mut encoder = Encoder::new(store, conjuncts, &mut classes, count, steps)?;
    for term in terms {
        encoder.term(store, term);
    }
    Some(encoder.finish(conjuncts))
}
