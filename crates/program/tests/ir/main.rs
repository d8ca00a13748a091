//! Real compilers' IR: loading, variants, bindings.

mod binding;
mod build;
mod constants;
mod damage;
mod load;
mod variants;
