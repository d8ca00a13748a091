//! Few tests that cover what all of them cover.

use labrys_executor::{CoverOutcome, FeatureKind, FeatureSet, Features};
use labrys_report::Criterion;

/// The indices of tests that together cover what all cover, of what the criterion asks for; those that add most first.
///
/// Greedy: at most ln(n) + 1 times as many as the fewest (Chvátal, "A greedy heuristic for the set-covering problem", 1979).
pub(super) fn few(
    outcome: &CoverOutcome,
    features: &Features,
    criterion: Criterion,
    wanted: &FeatureSet,
) -> Vec<usize> {
    if criterion == Criterion::Paths {
        return (0..outcome.tests.len()).collect();
    }
    let sets: Vec<FeatureSet> =
        outcome.tests.iter().map(|test| reduced(&test.covers, features, criterion, wanted)).collect();
    let mut left = FeatureSet::default();
    sets.iter().for_each(|set| left.extend(set));
    let mut chosen = Vec::new();
    while !left.is_empty() {
        let gain = |set: &FeatureSet| set.iter().filter(|number| left.contains(*number)).count();
        // The first of equals.
        let best = (0..sets.len()).rev().max_by_key(|index| gain(&sets[*index]));
        let Some(best) = best.filter(|best| gain(&sets[*best]) > 0) else { break };
        left.subtract(&sets[best]);
        chosen.push(best);
    }
    chosen
}

/// What of a run counts for a criterion: for lines which blocks it comes to, by whatever edge.
fn reduced(covers: &FeatureSet, features: &Features, criterion: Criterion, wanted: &FeatureSet) -> FeatureSet {
    let number = |number: usize| match criterion {
        Criterion::Lines => {
            let feature = features.get(number)?;
            let block = match feature.kind {
                FeatureKind::Entry => feature.block,
                FeatureKind::Edge(to) => to,
                FeatureKind::Choice(..) | FeatureKind::Vector(..) => return None,
            };
            features.into_block(feature.function, block).next()
        }
        _ => Some(number),
    };
    covers.iter().filter(|of| wanted.contains(*of)).filter_map(number).collect()
}
