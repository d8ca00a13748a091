//! Functions of Rust crates: built as cargo builds them, called by their paths.
//!
//! A crate is compiled by cargo with its workspace's own profile, features and lock file, in a target folder of its own, and with the flags
//! of the build that is analysed. What is called is *glue*: a function of C's calling convention, generated for one path, whose
//! body is the call that a user of the crate would write. It is compiled by rustc with the words that cargo gave for the crate and linked with
//! the crate's own libraries, so that what runs is the user's compiled code.
//!
//! - `options`: what cargo is told; `member`: which package of a workspace is meant.
//! - `compiled`: what cargo makes of it, and how; `wrapper` is what stands between cargo and rustc; `profile` reads what is optimised at link time.
//! - `path`: the path of a function; `question`: what the compiler says of it, for types are nobody's to guess; `rust_type`: types as it writes them.
//! - `shape`: how a value of a type is made of scalars; `resolve` finds shapes of a function's types.
//! - `sources`: names that only sources have, of parameters and of functions near by; `source_text`: what of a source is code, and its blocks.
//!   `exports`: by which paths users reach them; `macros`: functions that the crate's macros may make.
//! - `pass_limit`: how many optimisation passes run on a part, which is asked when passes are blamed.
//! - `glue`: the text that calls; `body` of its values. `function` is all of it, and `products` what is made of it for a build;
//!   `tested` runs tests of it on the present code.
//!
//! **Claim.** A call of the glue on an input is the crate's function on that input. **Argument.** The glue is checked by rustc against the crate's
//! metadata: a type that was not understood does not compile. It has no arithmetic of its own.

mod beginning;
mod body;
mod compiled;
mod error;
mod exports;
mod function;
mod glue;
mod macros;
mod member;
mod options;
mod pass_limit;
mod path;
mod products;
mod profile;
mod question;
mod resolve;
mod rust_type;
mod shape;
mod source_text;
mod sources;
mod tested;
mod wrapper;

pub use beginning::Beginning;
pub use error::CrateError;
pub use function::{CrateFunction, CratePath};
pub use options::CargoOptions;
pub use pass_limit::{CratePart, PassLimit};
pub(crate) use products::{crate_bitcode, crate_library};
