//! Instructions on known values, executed directly: one machine word a value, from code that was decoded once.
//!
//! **Claim.** [`Machine::run_direct`] leaves a state as so many [`Machine::step`]s would have left it, and ends in front of the
//! first instruction that it does not execute.
//!
//! **Argument.** There is one meaning of each instruction, that of [`Machine::step`]; what is here are the cases in which it comes down to
//! arithmetic on words: operands are single scalars, defined, known, of at most 64 bits, and pointers lead into an object or nowhere.
//! Whatever is not of that kind (a symbol, an undefined value, a wide or vector type, an access that is not to one whole cell of a
//! living object or would be an error, a division that traps, an overflow that is to be reported) is left to `step`, before anything has
//! changed. Integers are computed modulo 2^64 and cut to their width (`words.rs`, compared with `bits.rs` in its test); floats are the domain's,
//! which says for which operations its result is a word and nothing else happens ([`crate::Domain::known_operation`]). Values of the activation are held in
//! `registers.rs` from their first use on and are written back at the end, or before another activation is the innermost. `executor`'s tests run generated programs with and
//! without all this and compare what they come to.
//!
//! - `code.rs`: functions in decoded form; `decode.rs` makes them;
//! - `words.rs`: words, and arithmetic on them;
//! - `registers.rs`: the values of an activation while it is executed here;
//! - `cells.rs`: words in memory;
//! - `execute.rs`: the loop; `activations.rs`: calls, returns and local variables.

mod activations;
mod cells;
mod code;
mod decode;
mod execute;
mod registers;
mod words;

pub(crate) use code::Code;
pub(crate) use registers::Registers;
pub(crate) use words::{Kind, Word};
