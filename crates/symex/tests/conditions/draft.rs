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

fn counts(name: &str, parameters: &[&str]) -> (usize, usize, usize) {
    let mut builds = builds(name, parameters);
    let (baseline, variant) = (builds.baseline.clone(), builds.variant.clone());
    let baseline = formulas(&mut builds, &baseline);
    let variant = formulas(&mut builds, &variant);
    (baseline.union(&variant).count(), baseline.len(), variant.len())
}

#[test]
fn turbine1_has_the_papers_counts() {
    assert_eq!(counts("turbine1", &["v", "w", "r"]), (48, 32, 26));
}

/// The paper's own table has 26 (16, 16) here, with another compiler; the operations on constants alone are not counted.
#[test]
fn carbongas_has_as_many_conditions_in_each_program_as_in_the_paper() {
    assert_eq!(counts("carbongas", &["v"]), (28, 16, 16));
}
