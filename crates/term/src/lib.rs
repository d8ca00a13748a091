//! Hash-consed terms over Bool, BitVec, Float, RoundingMode, Real and Array.
//!
//! Terms live in a [`Store`]; equal terms have equal [`TermId`]s, so that "the same formula" is an integer comparison.
//!
//! ```
//! use labrys_term::{Evaluator, Model, Op, Sort, Store, Value};
//!
//! let mut store = Store::new();
//! let x = store.variable("x", Sort::BitVec(8));
//! let one = store.bv_const(8, 1u8);
//! let next = store.mk(Op::BvAdd, &[x, one]);
//! assert_eq!(store.mk(Op::BvAdd, &[x, one]), next, "equal formulas have equal ids");
//!
//! // x + 1 < x has a model: the sum wraps.
//! let wraps = store.mk(Op::BvUlt, &[next, x]);
//! let mut model = Model::new();
//! model.set_term(&store, x, Value::bit_vector(8, 255u8));
//! assert_eq!(Evaluator::new(&store, &model).holds(wraps), Ok(true));
//! ```

pub mod algebraic;
pub mod approx;
mod evaluate;
pub mod fpcore;
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
