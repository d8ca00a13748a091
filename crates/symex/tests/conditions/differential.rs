use std::time::{Duration, Instant};

use labrys_float::{Flags, Format};
use labrys_solver::{Limits, ProcessConfig, RealPool, StackConfig, find_z3};
use labrys_symex::{
    DifferentialCandidate, DifferentialCondition, DifferentialKind, DifferentialOptions, differential_conditions,
    domain_conditions, solve_differential,
};
use labrys_term::{Store, TermId};

use crate::support::{Builds, builds};

fn solve(builds: &mut Builds) -> (Vec<DifferentialCondition>, Vec<DifferentialCandidate>) {
    let z3 = find_z3().expect("this test needs z3: `make test` puts it into tools/z3, or set LABRYS_Z3");
    assert!(z3.is_file(), "{} is not there (LABRYS_Z3?)", z3.display());
    let options = DifferentialOptions::default();
    let Builds { store, abstraction, baseline, variant, .. } = builds;
    let conditions = differential_conditions(store, abstraction, baseline, variant, &options);
    let inputs: Vec<_> = builds.real_inputs().into_iter().map(|input| (input, Format::BINARY64)).collect();
    let ranges = domain_conditions(&mut builds.store, &inputs).ranges;
    let config = StackConfig::new(ProcessConfig::z3(0));
    let limits = Limits { work: options.work, wall: Duration::from_secs(60), memory_mib: 1024 };
    let deadline = Instant::now() + Duration::from_secs(300);
    let mut pool = RealPool::new(&config, 2);
    let mut ask = |store: &Store, queries: &[Vec<TermId>]| pool.check_all(store, queries, &limits, deadline);
    let (outcomes, candidates) = solve_differential(&mut builds.store, &conditions, &ranges, &options, &mut ask);
    assert_eq!(outcomes.len(), conditions.len());
    (conditions, candidates)
}

/// How many candidates of each kind (range, cancellation) have next to them an input on which the variant's IR
/// overflows and the baseline's raises nothing severe.
fn introduced(name: &str, parameters: &[&str]) -> (usize, usize) {
    let mut builds = builds(name, parameters);
    let (conditions, candidates) = solve(&mut builds);
    let (mut ranges, mut cancellations) = (0, 0);
    for candidate in candidates {
        let condition = &conditions[candidate.condition];
        let near = builds.inputs_near(&candidate.model);
        let is_introduced = near.into_iter().any(|input| {
            let (baseline, variant) = builds.severe(&input);
            baseline.is_empty() && variant.contains(Flags::OVERFLOW)
        });
        if condition.in_variant && is_introduced {
            match condition.kind {
                DifferentialKind::Range => ranges += 1,
                DifferentialKind::Cancellation => cancellations += 1,
            }
        }
    }
    (ranges, cancellations)
}

#[test]
fn carbongas_overflows_only_when_optimised() {
    let (ranges, _) = introduced("carbongas", &["v"]);
    assert!(ranges >= 1);
}

#[test]
fn turbine1_overflows_only_when_optimised() {
    let (ranges, _) = introduced("turbine1", &["v", "w", "r"]);
    assert!(ranges >= 1);
}

#[test]
fn jetengine_overflows_only_when_optimised_where_a_sum_cancels() {
    let (_, cancellations) = introduced("jetengine", &["x1", "x2"]);
    // One point in six of the set shows it; of two dozen points not a single one would be bad luck, or a bug.
    assert!(cancellations >= 1);
}

#[test]
fn equal_programs_have_no_differential_conditions_over_ranges() {
    let mut builds = builds("turbine1", &["v", "w", "r"]);
    let Builds { store, abstraction, baseline, .. } = &mut builds;
    let options = DifferentialOptions::default();
    let conditions = differential_conditions(store, abstraction, baseline, baseline, &options);
    assert!(conditions.iter().all(|condition| condition.kind == DifferentialKind::Cancellation));
}

#[test]
fn introduced_exceptions_come_first_and_bounds_hold() {
    let mut builds = builds("jetengine", &["x1", "x2"]);
    let Builds { store, abstraction, baseline, variant, .. } = &mut builds;
    let options = DifferentialOptions { exceptions: Flags::NOTABLE, ..DifferentialOptions::default() };
    let few = differential_conditions(store, abstraction, baseline, variant, &options);
    assert_eq!(few.len(), options.max_conditions);
    let options = DifferentialOptions { max_conditions: usize::MAX, ..options };
    let all = differential_conditions(store, abstraction, baseline, variant, &options);
    assert_eq!(few, all[..few.len()]);
    let rank = |condition: &DifferentialCondition| (condition.exception == Flags::UNDERFLOW, !condition.in_variant);
    assert!(all.is_sorted_by_key(rank));
    assert!(all.iter().any(|condition| rank(condition) == (true, true)), "every class occurs");
}
