//! Compiler drivers: what the user's compiler makes of the user's flags, and the LLVM IR of the same.
//!
//! Two things are made of a source. The *shared object* is what runs; the compiler that the user named makes it with the
//! flags that the user gave, so that nothing observed is an artefact of ours. The *bitcode* is what is analysed; clang,
//! flang or rustc makes it with the same flags. Only these words are ours, and reports name them:
//!
//! | compiler | shared object | bitcode |
//! |---|---|---|
//! | clang, gcc | `-shared -fPIC -Wl,-Bsymbolic FLAGS -g -o so SOURCE LINK -lm`, for gcc also `-fno-semantic-interposition` | `clang -c -emit-llvm -fPIC FLAGS -g` |
//! | flang, gfortran | the same | `flang -c -emit-llvm -fPIC FLAGS -g` |
//! | rustc | `--crate-type dylib -C prefer-dynamic=no -C link-dead-code -C codegen-units=1 FLAGS -g` | the same with `--emit=llvm-bc` |
//! | a library's, clang or gcc | `-c -fPIC FLAGS -g` for each source, linked with `-shared -Wl,-Bsymbolic LINK -lm` | the same, linked as IR |
//! | sources among LINK | with the source | as the source's, and linked with it |
//! | clang on IR | `-shared -fPIC -Xclang -disable-llvm-passes -O2 FLAGS`: code generation only | the file itself |
//!
//! Rust functions that are neither `extern "C"` nor exported would be dropped from a `cdylib`; a `dylib` with
//! `link-dead-code` and one codegen unit keeps every function that is not generic, small ones and private ones too (as
//! local symbols), and contains the standard library.

mod bitcode;
mod compiler;
mod database;
mod error;
mod flag_elements;
mod language;
mod linked;
mod object;
pub(crate) mod process;
mod shared;
mod spec;
mod strict;
mod vetting;
mod weakening;

pub(crate) use bitcode::emit_one;
pub use compiler::{Compiler, CompilerKind};
pub use database::{CompilationDatabase, ProjectFlags};
pub use error::BuildError;
pub use flag_elements::{FlagElement, FlagText, START_UP};
pub use language::Language;
pub use linked::emit_ir;
pub(crate) use object::{command_for_linking, command_for_object, emit_object, link_objects};
pub use process::{Finished, run as run_until};
pub use shared::{Build, build_shared, build_shared_telling};
pub(crate) use shared::{
    SYSTEM_LIBRARIES, bounded, check_product, check_source, no_flag, output_file, unknown_processor,
};
pub use spec::{BuildSpec, Origin, parse_build};
pub use strict::control_spec;
