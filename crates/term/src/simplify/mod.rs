//! Rewriting to equal, simpler terms.
//!
//! **Claim.** Whenever the original has a value under a model ([`crate::eval`]), the result has the same. (Where the
//! original's value is open, the result may be any value of the sort.) The argument is local: every rule is an
//! equation that holds for all values of the terms its sides share, and the sides are exchanged in a context that cannot tell
//! equal terms apart. The rules' comments give the argument where it is not plain, and each rule is tested against
//! the evaluator on every assignment of tiny sorts.
//!
//! Terms are rewritten from the leaves up, each once, without recursion. What a rule makes is simplified in turn, its
//! parts included.
//!
//! Rules are found by operator, so that a node costs as much as the rules that could match it.

mod choice;
mod connective;
mod float;
mod float_class;
mod float_compare;
mod real;
mod rule;
mod rules;
mod shape;
mod simplifier;
#[cfg(test)]
mod tests;
mod vector;
mod vector_compare;

pub use rule::Rule;
pub use rules::RULES;
pub use simplifier::Simplifier;
