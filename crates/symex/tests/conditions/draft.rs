use std::collections::BTreeSet;

use labrys_float::Flags;
use labrys_symex::{Form, SiteExecution, real_condition};
use labrys_term::TermId;

use crate::support::{Builds, builds};

/// The draft's formulas of one program.
fn formulas(builds: &mut Builds, executions: &[SiteExecution]) -> BTreeSet<TermId> {
    let mut formulas = BTreeSet::new();
    for execution in executions {
        for exception in Flags::NOTABLE.iter() {
            let (store, abstraction) = (&mut builds.store, &mut builds.abstraction);
            if let Some(term) = real_condition(store, abstraction, execution, exception, Form::Draft) {
                formulas.insert(term.expect("straight-line arithmetic has a reading"));
            }
        }
    }
    formulas
}

#[test]
fn the_turbines_first_program_has_the_papers_counts() {
    let mut builds = builds("turbine1", &["v", "w", "r"]);
    let (baseline, variant) = (builds.baseline.clone(), builds.variant.clone());
    let baseline = formulas(&mut builds, &baseline);
    let variant = formulas(&mut builds, &variant);
    assert_eq!((baseline.len(), variant.len()), (32, 26));
    assert_eq!(baseline.union(&variant).count(), 48);
}
