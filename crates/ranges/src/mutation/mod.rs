//! Planted faults: transfer functions are made wrong, one at a time, and some check must notice.
//!
//! A transfer function that no check would find wrong is one of which nobody knows that it is right. Here each is broken in each way
//! in which one may be: an end of a result is dropped, a zero, an infinity, NaN or an exception is forgotten. What changes no result
//! on any sample is no fault. Every other one must show when the functions are compared with the operations themselves on all members
//! of small sets (`checks`).

mod checks;
mod fault;
mod planted;
mod sample;

pub(crate) use planted::{domain, flags, float, narrowed, of_op, of_operation, parts, raising};
