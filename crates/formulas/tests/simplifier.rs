//! Rewriting against the evaluator: a term and what it is rewritten to have one value under the planted assignment.
//!
//! - `LABRYS_AGREEMENT_COUNT`: formulas; 3,000 by default.
//! - `LABRYS_AGREEMENT_SEED`: the first formula's seed; 0 by default.

use labrys_formulas::{Formula, Shape, shrink};
use labrys_term::{Evaluator, Simplifier, TermId, smtlib};

fn setting(name: &str, default: u64) -> u64 {
    std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(default)
}

/// A term of the formula whose value rewriting changes.
fn changed(formula: &Formula) -> Option<TermId> {
    let mut store = formula.store.clone();
    let mut simplifier = Simplifier::new();
    let terms = formula.store.reachable(&formula.assertions);
    let pairs: Vec<(TermId, TermId)> = terms.iter().map(|&term| (term, simplifier.term(&mut store, term))).collect();
    let mut evaluator = Evaluator::new(&store, formula.model.as_ref()?);
    let differs = |(term, rewritten): &(TermId, TermId)| match evaluator.value(*term) {
        Ok(value) => !evaluator.value(*rewritten).is_ok_and(|other| other.same(&value)),
        Err(_) => false,
    };
    pairs.into_iter().find_map({
        let mut differs = differs;
        move |pair| differs(&pair).then_some(pair.0)
    })
}

#[test]
fn planted_values_survive_rewriting() {
    let first = setting("LABRYS_AGREEMENT_SEED", 0);
    for seed in first..first + setting("LABRYS_AGREEMENT_COUNT", 3_000) {
        for shape in [Shape::guarded(), Shape::tiny()] {
            let formula = Formula::planted(seed, &shape);
            if changed(&formula).is_some() {
                let small = shrink(&formula, |formula| changed(formula).is_some());
                let options = smtlib::Options::default();
                panic!("seed {seed}\n{}", smtlib::print_script(&small.store, &small.assertions, &options));
            }
        }
    }
}
