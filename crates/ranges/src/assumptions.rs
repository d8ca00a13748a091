//! What proofs over the IR rest on, in the words that reports have.

/// The environment of every computation.
pub const ROUNDING: &str = "rounding is to nearest, subnormals are not flushed";
/// Reading a signaling NaN raises invalid; which NaN is which neither value ranges nor SMT-LIB's floats know.
pub const QUIET_NANS: &str =
    "NaNs that the function reads or makes of integers are quiet, and its long doubles are in canonical form";
/// libm, as value ranges take it.
pub const LIBM: &str =
    "libm's results and exceptions are those of correctly rounded ones within glibc's documented errors";
/// What the language leaves undefined beyond an object the machine may do.
pub const IN_BOUNDS: &str = "memory accesses stay inside their objects";
/// Nor are constants changed.
pub const CONSTANTS: &str = "constants are not written to";
/// Ranges follow both ways of an allocation, paths only one.
pub const MEMORY: &str = "there is memory whenever the function asks for some";

/// What globals hold when the function is called, with or without a function that runs first.
pub fn globals(has_init: bool) -> &'static str {
    if has_init {
        "globals have the values that they have when the program starts, but for what the function that runs first does"
    } else {
        "globals have the values that they have when the program starts"
    }
}
