//! A function over double words, compiled: approximate truths at the speed of machine code.
//!
//! The IR of a function and of all that it calls is written as C once: every float has the program's own value, which decides
//! where control goes, and beside it a *shadow*, the unevaluated sum of two doubles that the same operations make of the
//! operands' shadows. clang compiles the text into a shared object with one function, which has the original's signature
//! and behind it the address of a block of doubles: the shadows of the outputs, how many bits sums lost to cancellation,
//! what was absorbed, and where control would have parted. [`Shadow::signature`] has the block as one more output, so that
//! `labrys_native`'s workers call it like any other function and [`Shadow::read`] decodes their output records.
//!
//! ```no_run
//! use std::time::{Duration, Instant};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # let program = labrys_program::Program::default();
//! # let function = labrys_program::FunctionId(0);
//! # let signature = labrys_program::parse_signature("double f(double x)", &Default::default())?;
//! # let folder = std::env::temp_dir();
//! let binding = labrys_program::map_parameters(&signature, &program, function)?;
//! let shadow = labrys_shadow::lower(&program, function, &binding, &signature, None)?;
//! let build = shadow.compile(&folder, &[], Instant::now() + Duration::from_secs(60))?;
//! # let output: Vec<u8> = Vec::new();
//! // `output` is what a worker of `build.library` and `shadow.signature` observed.
//! let record = shadow.read(&output);
//! println!("{:?}, {} bits cancelled", record.outputs, record.cancelled_bits);
//! # Ok(())
//! # }
//! ```
//!
//! A shadow is not the MPFR twin (`labrys_interp::precise`): it has 106 bits and doubles' exponents, and follows the program's control.

mod aggregate;
mod arithmetic;
mod call;
mod cast;
mod constant;
mod dispatch;
mod elementary;
mod entry;
mod error;
mod exponential;
mod foreign;
mod function;
mod global;
mod integer;
mod intrinsic;
mod kind;
mod library;
mod lower;
mod memory;
mod module;
mod shadow;
mod source_type;

pub use error::ShadowError;
pub use lower::lower;
pub use shadow::{DoubleWord, Shadow, ShadowMarks, ShadowRecord, Site};
