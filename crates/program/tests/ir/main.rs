//! Real compilers' IR: loading, variants, bindings.

mod build;
mod constants;
mod damage;
mod load;
mod variants;
