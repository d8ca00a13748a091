//! What is sent to a solver.

use labrys_term::smtlib;
use labrys_term::{Sort, Store, TermId};

/// z3's engine for nonlinear reals, nlsat, is chosen by this logic; it is fast on linear queries too.
pub(crate) const REAL_LOGIC: &str = "QF_NRA";

/// Of linear queries with many choices: simplex and clauses, where nlsat decides one after the other.
pub(crate) const LINEAR_LOGIC: &str = "QF_LRA";

/// How z3 decides a query over the reals: the first two steps of its own strategy for that logic (z3 5.4,
/// `qfnra_tactic.cpp`). Its own one gives the first step ten seconds of wall-clock time and then tries others, so that on a busy
/// machine it finds other models, or none: turbine1 had 10 inputs from the solver instead of 12. On the 85 queries of that run all answers
/// are the same with both, models and all.
pub(crate) const CHECK_REALS: &str = "(check-sat-using (then simplify propagate-values \
    (or-else (then (using-params qfnra-nlsat :simple_check true) fail-if-undecided) qfnra-nlsat)))";

/// The smallest logic for a query over the floats.
pub fn float_logic(store: &Store, terms: &[TermId]) -> &'static str {
    let terms = store.reachable(terms);
    let any = |wanted: fn(&Sort) -> bool| terms.iter().any(|term| wanted(store.sort(*term)));
    if any(|sort| *sort == Sort::Real) {
        "ALL"
    } else if any(|sort| matches!(sort, Sort::Array(_))) {
        "QF_ABVFP"
    } else {
        "QF_BVFP"
    }
}

/// Declarations and assertions.
pub(crate) fn body(store: &Store, terms: &[TermId]) -> String {
    let options = smtlib::Options { logic: None, produce_models: false, check_sat: false };
    smtlib::print_script(store, terms, &options)
}

/// The command that asks for the query's variables. `(get-model)` would also print every definition of the script.
pub(super) fn values_command(store: &Store, terms: &[TermId]) -> Option<String> {
    let names: Vec<String> =
        store.free_variables(terms).into_iter().map(|variable| smtlib::symbol(store, variable)).collect();
    (!names.is_empty()).then(|| format!("(get-value ({}))", names.join(" ")))
}
