//! Executing the IR: one handler per instruction, generic over the theory of its values.
//!
//! A [`Domain`] says what floats are and what operations on them mean; the [`Machine`] supplies the rest: control,
//! byte-addressed memory objects, integers and pointers (concrete wherever possible), vectors and aggregates as lists
//! of scalars, calls, LLVM's intrinsics, and a model of libm and libc. [`Soft`] is the concrete domain with IEEE 754's
//! status flags; symbolic execution brings its own.
//!
//! ```
//! use labrys_float::{Environment, Flags, Float};
//! use labrys_interp::{Limits, Scalar, interpret};
//! use labrys_program::Program;
//!
//! let ir = "define double @inverse(double %x) { %r = fdiv double 1.0, %x ret double %r }";
//! let program = Program::from_bytes(ir.as_bytes(), "inverse.ll").unwrap();
//! let function = program.function("inverse").unwrap();
//! let zero = Scalar::float(Float::from_f64(0.0));
//! let execution =
//!     interpret(&program, function, vec![[zero].into()], &Environment::default(), &Limits::default());
//! assert_eq!(execution.flags, Flags::DIVBYZERO);
//! assert_eq!(execution.events[0].operator, "fdiv");
//! ```
//!
//! # How undefined values are treated
//!
//! Undef, poison and uninitialised memory are ordinary scalars with arbitrary content that carry a taint. Operations
//! pass the taint on; a branch or an address that depends on one ends the path. `freeze` makes an arbitrary value of
//! one: control may depend on it, and from then on the whole path is marked. Wrapping arithmetic is defined whatever
//! `nsw` and `nuw` say, and fast-math flags are ignored: the IR is read strictly.

mod access;
mod addresses;
mod bits;
mod calls;
mod casts;
mod cells;
mod checked_bytes;
mod checks;
mod choice;
mod chunks;
mod constants;
mod control;
mod dependence;
mod direct;
mod domain;
mod entry;
mod error_number;
mod float;
mod float_intrinsics;
mod host;
mod int_intrinsics;
mod integer;
mod interpret;
mod intrinsics;
mod library;
mod library_memory;
mod list;
mod machine;
mod memory;
mod memory_intrinsics;
mod merging;
mod objects;
pub mod precise;
mod reached;
mod selected;
mod soft;
mod state;
mod stop;
mod tables;
mod touched;
mod traced;
mod types;
mod unwinding;
mod value;
mod variadic;
mod vectors;
mod wide;

pub use bits::evaluate;
pub use checks::{Checks, Facts};
pub use dependence::{Cause, Dependence, Dependences};
pub use domain::{Domain, FloatComparison, IntOperation, Lookup, Place, ToInteger};
pub use entry::{Entry, leaf_kind};
pub use host::{call_host, host_error};
pub use interpret::{Execution, RecordCall, RecordExecution, interpret, interpret_record};
pub use labrys_program::{ClassMask, FloatOperation};
pub use list::List;
pub use machine::{DatumOf, HaltOf, IntOf, Limits, Machine, MemoryOf, ScalarOf, Step, ValueOf};
pub use memory::{Memory, ObjectKind};
pub use merging::Join;
pub use reached::Reached;
pub use soft::{Soft, SoftEvent, SoftPath, class_of, saturated};
pub use state::{Frame, State};
pub use stop::{Halt, MemoryFault, MemoryFaultKind, PANIC, Split, Stop};
pub use touched::Trials;
pub use traced::{Origin, Substitution, TracedExecution, TracedOperand, TracedOperation};
pub use types::ScalarKind;
pub use unwinding::{JumpTarget, LandingClause};
pub use value::{Base, Datum, Int, MAX_INT_BITS, Never, ObjectId, Pointer, Scalar, Value};
