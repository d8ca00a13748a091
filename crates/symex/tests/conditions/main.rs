//! Conditions of the example programs' sites, solved with z3 and judged on the IR over the floats.

mod differential;
mod draft;
mod support;
