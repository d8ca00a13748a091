//! Assumptions on inputs: `--assume "v>=-4.5 && v<=-0.3"` and `--range x=-1e3..1e3`.
//!
//! Grammar, loosest binding first; white space is free:
//!
//! ```text
//! or      = and { "||" and }
//! and     = not { "&&" not }
//! not     = "!" not | compare
//! compare = sum { ("<" | "<=" | ">" | ">=" | "==" | "!=") sum }      a < b < c means a < b && b < c
//! sum     = product { ("+" | "-") product }
//! product = unary { ("*" | "/") unary }
//! unary   = "-" unary | atom
//! atom    = number | input | "abs" "(" sum ")" | "finite" "(" sum ")" | "(" or ")"
//! input   = a parameter's name, x[3], p.re, p[2].w[0]
//! ```
//!
//! A comparison (each link of a chain is one), and what `finite` is asked of, is computed with default rounding in
//! binary64, to which inputs of other types and literals are converted first: 1 + -1e-30 < 1 is false. Where binary64
//! does not hold an input's type (64-bit integers, x87), it is computed in binary128, which holds them all; literals are
//! then rounded to binary128, straight from their digits. Comparisons with NaN are false, but for `!=`.
//!
//! [`Assumption::holds`] and [`Assumption::term`] say the same of every record, and [`Assumption::restrict`] excludes none
//! of which they hold: its bounds are the literals in the comparison's own precision, rounded inwards to the input's
//! type, and no value of that type lies between a number and its rounding.

mod assumption;
mod bounds;
mod c_text;
mod error;
mod leaf;
mod literal;
mod meaning;
mod ordinal;
mod parser;
mod precision;
mod syntax;
#[cfg(test)]
mod tests;

pub use assumption::Assumption;
pub use error::AssumeError;
