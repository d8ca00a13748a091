//! Vectors of more than 64 bits, which no register holds.
//!
//! A register holds a wide vector's handle in a table of all that occurred ([`Table`]), each once: equal vectors have equal
//! handles, so that whatever only copies and compares values (equalities, choices, the trail, moves) needs to know
//! nothing of widths. Operators on wide vectors are one operation, [`super::program::Operation::Exact`]: the exact evaluator computes them,
//! so that there is no second arithmetic to be wrong. Narrow vectors and floats in the same program stay machine integers.

mod bounds;
mod distance;
mod evaluate;
mod number;
mod perturb;
mod table;

pub(super) use bounds::WideBounds;
pub(super) use distance::{equality, order};
pub(super) use number::{below, mask, scaled, signed, uniform, wrap};
pub(super) use perturb::perturb;
pub(super) use table::{Literals, Table};
