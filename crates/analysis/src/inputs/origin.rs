//! Who found an input.

use labrys_report::FoundBy;

/// Who found an input.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Origin {
    /// A solver's model, rounded.
    Solver,
    /// A neighbour of a solver's model.
    Neighbourhood,
    /// Mutation under feedback, or a special value.
    Guided,
    /// The plain sampler.
    Random,
    /// Going through all inputs there are.
    Enumeration,
    /// The user.
    Given,
}

impl From<Origin> for FoundBy {
    fn from(origin: Origin) -> FoundBy {
        match origin {
            Origin::Solver => FoundBy::Solver,
            Origin::Neighbourhood => FoundBy::Neighbourhood,
            Origin::Guided => FoundBy::Guided,
            Origin::Random => FoundBy::Random,
            Origin::Enumeration => FoundBy::Enumeration,
            Origin::Given => FoundBy::Given,
        }
    }
}
