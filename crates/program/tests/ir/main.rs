//! Real compilers' IR: loading, variants, bindings.

mod binding;
mod build;
mod constants;
mod contraction;
mod damage;
mod load;
mod promote;
mod variants;
