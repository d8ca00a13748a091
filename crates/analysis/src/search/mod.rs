//! The search on native code.

pub mod slow;
