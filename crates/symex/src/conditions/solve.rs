//! Differential conditions, solved in two rounds.

use labrys_solver::{RealModel, RealOutcome};
use labrys_term::{Store, TermId};

use super::differential::{DifferentialCondition, DifferentialKind, DifferentialOptions};
use super::rescale::Rescaling;

/// A model of a differential condition, over the abstraction's variables.
#[derive(Clone, Debug, PartialEq)]
pub struct DifferentialCandidate {
    /// Index of the condition.
    pub condition: usize,
    /// The model.
    pub model: RealModel,
}

/// Decides a batch of queries over the reals, outcomes by index.
pub type AskReals<'a> = dyn FnMut(&Store, &[Vec<TermId>]) -> Vec<RealOutcome> + 'a;

/// Solves differential conditions, with `ranges` in every query, and collects all candidates.
///
/// `ask` is called twice. First with the conditions alone; then, for
/// those that have a model, with their preferences, and for cancellations at further points of the same set. Returns the
/// outcome of each condition and the candidates, in the order of the conditions.
pub fn solve_differential(
    store: &mut Store,
    conditions: &[DifferentialCondition],
    ranges: &[TermId],
    options: &DifferentialOptions,
    ask: &mut AskReals<'_>,
) -> (Vec<RealOutcome>, Vec<DifferentialCandidate>) {
    let query = |terms: &[TermId]| [terms, ranges].concat();
    let first: Vec<Vec<TermId>> = conditions.iter().map(|condition| query(&[condition.term])).collect();
    let outcomes = ask(store, &first);

    let mut candidates: Vec<DifferentialCandidate> = Vec::new();
    let mut queries = Vec::new();
    // Each further query with its condition and how its variables were rescaled.
    let mut further: Vec<(usize, Option<Rescaling>)> = Vec::new();
    for (index, (condition, outcome)) in conditions.iter().zip(&outcomes).enumerate() {
        let RealOutcome::Candidate(model) = outcome else { continue };
        // The same point again stands for the same set, described at another site.
        if candidates.iter().any(|candidate| candidate.model == *model) {
            continue;
        }
        candidates.push(DifferentialCandidate { condition: index, model: model.clone() });
        if !condition.preferences.is_empty() && further.len() < options.max_points {
            let terms = [&[condition.term], condition.preferences.as_slice()].concat();
            further.push((index, None));
            queries.push(query(&terms));
        }
    }
    // Points of cancellations in turn, so that each has some before one has many.
    let sets: Vec<usize> = candidates
        .iter()
        .map(|candidate| candidate.condition)
        .filter(|index| conditions[*index].kind == DifferentialKind::Cancellation)
        .collect();
    let points = (0..).flat_map(|seed| sets.iter().map(move |index| (seed, *index)));
    for (seed, index) in points.take(if sets.is_empty() { 0 } else { options.max_points }) {
        let whole = query(&[conditions[index].term]);
        let rescaling = Rescaling::new(store, &whole, seed);
        queries.push(whole.iter().map(|term| rescaling.apply(store, *term)).collect());
        further.push((index, Some(rescaling)));
    }
    let answers = ask(store, &queries);
    for ((condition, rescaling), answer) in further.into_iter().zip(answers) {
        if let RealOutcome::Candidate(model) = answer {
            let model = rescaling.map_or_else(|| model.clone(), |rescaling| rescaling.decode(&model));
            candidates.push(DifferentialCandidate { condition, model });
        }
    }
    candidates.sort_by_key(|candidate| candidate.condition);
    (outcomes, candidates)
}
