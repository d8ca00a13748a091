//! Symbolic execution of floating-point programs: the Float-term domain's driver and the conditions of its sites.
//!
//! [`explore`] follows a function's paths on variables for its inputs and lists every execution of a floating-point
//! operation with its operands as terms. Paths part where a value must be known (a branch's condition, an address, a
//! size) and the inputs leave it open; a limit that cuts a path short is one of its [`StopReason`]s, never silent.
//!
//! ```
//! use labrys_program::{FloatType, Parameter, ParameterType, Pointee, Program, ResultType, ScalarType, Signature};
//! use labrys_symex::{EveryPath, Options, explore};
//! use labrys_term::Store;
//!
//! let ir = "define double @inverse(double %x) { %r = fdiv double 1.0, %x ret double %r }";
//! let program = Program::from_bytes(ir.as_bytes(), "inverse.ll").unwrap();
//! let function = program.function("inverse").unwrap();
//! let double = Pointee::Scalar(ScalarType::Float(FloatType::F64));
//! let signature = Signature {
//!     name: "inverse".to_owned(),
//!     symbol: "inverse".to_owned(),
//!     parameters: vec![Parameter { name: "x".to_owned(), ty: ParameterType::Value(double.clone()) }],
//!     result: ResultType::Value(double),
//! };
//! let binding = labrys_program::map_parameters(&signature, &program, function).unwrap();
//! let mut store = Store::new();
//! let options = Options::default();
//! let found = explore(&program, function, &binding, &signature, &mut store, &options, &mut EveryPath);
//! assert!(found.is_complete());
//! assert_eq!(found.executions[0].site.operator.to_string(), "fdiv");
//! ```

mod conditions;
mod cuts;
mod distance;
mod exploration;
mod explorer;
mod feasibility;
pub mod float_terms;
mod goals;
pub mod int_facts;
mod int_ranges;
pub mod int_terms;
mod interest;
mod lookup;
mod loops;
mod narrow;
mod offsets;
mod options;
mod path;
mod persistent_map;
mod schedule;
mod site;
mod static_sites;
mod stop_reason;
mod terms;

pub use conditions::{
    AskReals, ConditionError, DifferentialCandidate, DifferentialCondition, DifferentialKind, DifferentialOptions,
    Domain, ElementaryCall, ExactDifference, Form, InaccuracyCondition, InaccuracyKind, InaccuracyOptions, Rescaling,
    RoundedOperation, changed, differential_conditions, domain_conditions, exact_differences, float_condition,
    float_condition_near, inaccuracy_conditions, library_condition, no_earlier_exception, real_condition,
    solve_differential,
};
pub use cuts::Cut;
pub use exploration::{Arrival, Exploration, LibraryCall, LoopCut, PathEnd};
pub use explorer::explore;
pub use feasibility::Intervals;
pub use int_ranges::{Range, signed_bounds};
pub use interest::{Interest, OpenSites};
pub use lookup::lookup;
pub use loops::{BackEdges, back_edges};
pub use offsets::{known_address, possible_values};
pub use options::{EveryPath, Feasibility, Options};
pub use path::TermPath;
pub use persistent_map::{Indexed, PersistentMap};
pub use site::{LibraryOperator, Site, SiteExecution, SiteOperator, unsigned_limit};
pub use static_sites::{holds_signaling_nan, site_operators, static_sites, static_sites_in, taken_as_silent};
pub use stop_reason::{Budget, StopReason};
pub use terms::{leaf_sort, leaf_variable};
