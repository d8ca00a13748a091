//! Symbolic execution of floating-point programs: the Float-term domain's driver and the conditions of its sites.

mod conditions;
mod exploration;
mod explorer;
mod float_terms;
mod int_facts;
mod int_terms;
mod loops;
mod options;
mod path;
mod schedule;
mod site;
mod terms;

pub use conditions::{
    ConditionError, DifferentialCandidate, DifferentialCondition, DifferentialKind, DifferentialOptions, Domain, Form,
    Rescaling, differential_conditions, domain_conditions, float_condition, real_condition, solve_differential,
};
pub use exploration::{Budget, Exploration, LibraryCall, PathEnd, StopReason};
pub use explorer::explore;
pub use options::{EveryPath, Feasibility, Options};
pub use site::{Site, SiteExecution, SiteOperator};
pub use terms::{leaf_sort, leaf_variable};
