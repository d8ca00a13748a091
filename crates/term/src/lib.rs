//! Hash-consed terms over Bool, BitVec, Float, RoundingMode, Real and Array.
//!
//! Terms live in a [`Store`]; equal terms have equal [`TermId`]s, so that "the same formula" is an integer comparison.

pub mod algebraic;
pub mod approx;
mod evaluate;
mod id;
mod model;
mod op;
pub mod reals;
pub mod sexpr;
mod simplify;
pub mod smtlib;
mod sort;
mod store;
mod table;
mod truth;
mod value;

pub use algebraic::{AlgebraicNumber, NoSuchRoot, round_both};
pub use evaluate::{EvalError, Evaluator, Memo, eval};
pub use id::{TermId, VariableId};
pub use model::Model;
pub use op::Op;
pub use simplify::{RULES, Rule, Simplifier};
pub use smtlib::ModelValue;
pub use sort::Sort;
pub use store::{IllSorted, Node, Store};
pub use table::{Arity, Operator};
pub use truth::Truth;
pub use value::{ArrayValue, Value};
