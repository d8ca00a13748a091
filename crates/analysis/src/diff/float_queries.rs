//! The conditions over the floats as SMT-LIB files, for `--dump-queries`: exactly when an operation of a build raises an exception, and
//! when one build raises it and the baseline does not. They are written to be solved elsewhere; nothing here asks them.

use std::fs;
use std::io;
use std::path::Path;

use indexmap::IndexSet;
use labrys_float::Flags;
use labrys_program::InputLayout;
use labrys_symex::{Exploration, exact_differences, float_condition};
use labrys_term::{Store, TermId, smtlib};
use rustc_hash::FxBuildHasher;

use crate::inputs::assume::Assumption;

const EXCEPTIONS: [Flags; 4] = [Flags::OVERFLOW, Flags::UNDERFLOW, Flags::INVALID, Flags::DIVBYZERO];

/// How many files are written at most: a long loop has thousands of conditions, each a little longer than the one before.
const MOST: usize = 500;

/// Writes the conditions of the explorations, the baseline's first, into `folder`; evenly many of them where there are too many.
///
/// # Errors
///
/// If a file cannot be written.
pub fn write(
    folder: &Path,
    mut store: Store,
    explorations: &[Option<Exploration>],
    assumptions: &[Assumption],
    inputs: &InputLayout,
) -> io::Result<()> {
    let terms = conditions(&mut store, explorations);
    let assumed: Vec<TermId> = assumptions.iter().map(|assumption| assumption.term(inputs, &mut store)).collect();
    let options = smtlib::Options { logic: Some("QF_BVFP".to_owned()), produce_models: false, check_sat: true };
    let step = terms.len().div_ceil(MOST).max(1);
    for (number, &term) in terms.iter().enumerate().step_by(step) {
        let mut assertions = assumed.clone();
        assertions.push(term);
        let text = smtlib::print_script(&store, &assertions, &options);
        fs::write(folder.join(format!("condition-{number:05}.smt2")), text)?;
    }
    Ok(())
}

/// Each condition once: of single operations, then of differences.
fn conditions(store: &mut Store, explorations: &[Option<Exploration>]) -> Vec<TermId> {
    let mut terms: IndexSet<TermId, FxBuildHasher> = IndexSet::default();
    for execution in explorations.iter().flatten().flat_map(|exploration| &exploration.executions) {
        // An operation on constants raises the same on every input.
        if !execution.operands.iter().any(|term| store.has_variables(*term)) {
            continue;
        }
        for exception in EXCEPTIONS {
            terms.extend(float_condition(store, execution, exception).and_then(Result::ok));
        }
    }
    if let [Some(baseline), variants @ ..] = explorations {
        for variant in variants.iter().flatten() {
            let differences = exact_differences(store, &baseline.executions, &variant.executions);
            terms.extend(differences.iter().map(|difference| difference.term));
        }
    }
    let trivial = [store.bool_const(false), store.bool_const(true)];
    terms.into_iter().filter(|term| !trivial.contains(term)).collect()
}
