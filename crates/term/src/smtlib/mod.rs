//! SMT-LIB 2.6: scripts written, models read.

mod literal;
mod model;
mod print;
pub mod script;
mod symbol;
#[cfg(test)]
mod tests;

pub use literal::{ModelValue, sort_text, value_text};
pub use model::{ModelError, ModelValues, parse_model, parse_values};
pub use print::{Options, print_script};
pub use symbol::symbol;
