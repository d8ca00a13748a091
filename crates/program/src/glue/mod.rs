//! Functions that call others: what cannot be driven as it is gets a caller in its own language that can.
//!
//! A driver hands over scalars, structs of such and memory. A Fortran array of assumed shape is a descriptor of flang's, a `std::vector` an object with memory of its own: the layout of
//! neither is for us to know. The function's own compiler knows both, so a few lines in its language take memory and a length, make the
//! argument, and call. They are compiled with the source, by the build's flags; what is observed in the function is what its code does.
//!
//! **Claim.** The call that these lines make is one that a program could make. **What it may miss.** Calls that no such lines make: arrays that are not contiguous,
//! arguments that are absent.

mod cpp;
mod extents;
mod fortran;

pub use cpp::{cpp_caller, cpp_instance, may_define};
pub use fortran::fortran_caller;

/// A source with a function that can be driven, which calls one that cannot.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Glue {
    /// The source's text.
    pub text: String,
    /// The suffix of its file, `f90` or `cpp`.
    pub suffix: &'static str,
    /// Whether the text includes the source, whose place it then takes; else it is linked with it.
    pub includes_source: bool,
    /// The name by which the function to drive is found: a symbol.
    pub symbol: String,
    /// Lengths of its pointers, as `--length` takes them.
    pub lengths: Vec<String>,
    /// What it does, as a sentence for the report.
    pub remark: String,
}

/// The parts between commas that none of these pairs encloses, without white space around them.
fn outer_parts<const N: usize>(text: &str, open: [char; N], close: [char; N]) -> Vec<String> {
    let (mut parts, mut depth) = (vec![String::new()], 0);
    for c in text.chars() {
        match c {
            c if open.contains(&c) => depth += 1,
            c if close.contains(&c) => depth -= 1,
            ',' if depth == 0 => {
                parts.push(String::new());
                continue;
            }
            _ => {}
        }
        parts.last_mut().into_iter().for_each(|part| part.push(c));
    }
    parts.into_iter().map(|part| part.trim().to_owned()).collect()
}
