//! How long steps that feed each other are repeated.

/// How many terms all rounds after the first may visit, in multiples of the first one's, and beside: large queries gain
/// little in late rounds, and a second is dear.
pub(super) const MOST_VISITS: (usize, usize) = (2, 200_000);
