//! Builds in which operations at some places of the source are compiled as if no flag let them change.
//!
//! The compiler's front end translates the source with the build's flags and optimises nothing: what `-ffast-math` and its parts allow stands at each instruction
//! that they allow it of. At the given places it is taken away; the compiler makes the shared object of the rest, with the same flags.
//!
//! | compiler | front end | from there |
//! |---|---|---|
//! | clang | `-c -emit-llvm -fPIC FLAGS -Xclang -disable-llvm-passes -g` | `-fPIC FLAGS -ffp-contract=on`, and `-shared -Wl,-Bsymbolic` or `-c` |
//! | flang | `-c -emit-llvm -fPIC FLAGS -mllvm -opt-bisect-limit=0 -g` | the same with `-ffp-contract=off` |
//!
//! Instructions themselves say by then what may be contracted; without the last flag code generation would contract all.
//!
//! **What it may miss.** Flags that are none of an instruction's stay as they are: that calls set no errno, or of functions.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Instant;

use super::{VariantError, write};
use crate::compile::{SYSTEM_LIBRARIES, check_product, emit_one, no_flag, output_file};
use crate::llvm::on_large_stack;
use crate::load::parse_trusted_file;
use crate::{BuildSpec, CompilerKind, Language, LoadError};

/// Where an operation stands, as debug information says.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct OperationPlace {
    /// The file, in the folder of the compilation.
    pub file: String,
    /// The line, from 1.
    pub line: u32,
    /// The column, from 1.
    pub column: u32,
}

/// What is made of a source.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Product {
    /// `ROLE.so`.
    SharedObject,
    /// `ROLE.o`.
    Object,
}

/// What is made of `source` as `spec` says, in `out_dir`, but that no flag lets operations at `places` change.
///
/// # Errors
///
/// The compiler is neither clang nor flang, the source does not compile, or `out_dir` cannot be written.
pub fn build_without_flags_at(
    spec: &BuildSpec,
    (source, product): (&Path, Product),
    places: &[OperationPlace],
    out_dir: &Path,
    deadline: Instant,
) -> Result<PathBuf, VariantError> {
    let compiler = spec.find_compiler(Language::of(source)?, deadline)?;
    let (unoptimised, from_there) = match compiler.kind {
        CompilerKind::Clang => (["-Xclang", "-disable-llvm-passes"], &["-ffp-contract=on", "-Wno-override-module"][..]),
        CompilerKind::Flang => (["-mllvm", "-opt-bisect-limit=0"], &["-ffp-contract=off"][..]),
        CompilerKind::Gcc | CompilerKind::Rustc => {
            return Err(VariantError::FrontEnd { compiler: compiler.version });
        }
    };
    let mut front_end = spec.clone();
    front_end.flags.extend(unoptimised.map(str::to_owned));
    let (translated, _) = emit_one("front-end", &front_end, &[], source, out_dir, deadline)?;
    let kept = output_file(out_dir, "places", "bc")?;
    on_large_stack(|| clear_at(&translated, &kept, places))
        .unwrap_or_else(|source| Err(LoadError::Read { name: translated.display().to_string(), source }.into()))?;
    let mut command = Command::new(&compiler.executable);
    command.arg("-fPIC");
    // That words for the front end go unused is nothing to end a build for.
    command.args(spec.user_flags().into_iter().filter(|flag| flag != "-Werror"));
    command.args(from_there).arg(&kept);
    let made = output_file(out_dir, &spec.role, if product == Product::Object { "o" } else { "so" })?;
    match product {
        Product::Object => command.arg("-c"),
        Product::SharedObject => {
            let link = spec.link.iter().map(|file| no_flag(file));
            command.args(["-shared", "-Wl,-Bsymbolic"]).args(link).args(SYSTEM_LIBRARIES)
        }
    };
    let finished = spec.run(command.arg("-o").arg(&made), &compiler.name, deadline)?;
    check_product(&finished, &made, spec, &compiler, source)?;
    Ok(made)
}

/// Writes a module without what flags allow of the operations at `places`.
fn clear_at(input: &Path, output: &Path, places: &[OperationPlace]) -> Result<(), VariantError> {
    let module = parse_trusted_file(input)?;
    let instructions: Vec<_> =
        module.functions().flat_map(|function| function.blocks()).flat_map(|block| block.instructions()).collect();
    for instruction in instructions.into_iter().filter(|instruction| instruction.takes_fast_math()) {
        let Some(location) = instruction.debug_location() else { continue };
        let is_there = |place: &OperationPlace| {
            (place.line, place.column) == (location.line(), location.column())
                && location.scope().is_some_and(|scope| scope.path() == place.file)
        };
        if places.iter().any(is_there) {
            instruction.replace_by_strict(&module);
        }
    }
    module.verify().map_err(|message| VariantError::Optimise { input: input.to_owned(), message })?;
    write(&module, output)
}
