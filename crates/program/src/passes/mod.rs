//! Variants of IR: what `-ffast-math` and an optimisation level would have made of a module that comes as IR.
//!
//! A module compiled without optimisation forbids it (`optnone`, `noinline`); those attributes go. Every instruction
//! that can carry fast-math flags gets those that the variant's flags ask for (`-ffast-math`: all); then LLVM's default
//! pipeline of the level runs for the wanted processor, with the vectorisers on, as clang has them.

mod error;
mod front_end;
mod options;
mod promote;

pub(crate) use options::is_optimised;

use std::ffi::{CStr, CString};
use std::path::Path;

use inkwell::OptimizationLevel;
use inkwell::passes::PassBuilderOptions;
use inkwell::targets::{CodeModel, InitializationConfig, RelocMode, Target, TargetMachine, TargetTriple};

use crate::llvm::{Module, Value, on_large_stack};
use crate::load::parse_file;
use crate::{FastMath, LoadError, Program};

pub use error::VariantError;
pub use front_end::{OperationPlace, Product, build_without_flags_at};
pub use options::{Processor, VariantOptions};

/// Reads a module of textual IR or bitcode, makes the variant and writes it as bitcode.
///
/// # Errors
///
/// The input is no module, its target or the level is unknown, or the output cannot be written.
pub fn fast_variant(input: &Path, output: &Path, options: &VariantOptions) -> Result<(), VariantError> {
    if !matches!(options.level.as_str(), "O0" | "O1" | "O2" | "O3" | "Os" | "Oz") {
        return Err(VariantError::Level { level: options.level.clone() });
    }
    on_large_stack(|| write_variant(input, output, options))
        .unwrap_or_else(|source| Err(LoadError::Read { name: input.display().to_string(), source }.into()))
}

fn write_variant(input: &Path, output: &Path, options: &VariantOptions) -> Result<(), VariantError> {
    let module = parse_file(input)?;
    for function in module.functions() {
        prepare(&module, function, options);
    }
    let machine = machine(&module, input, options)?;
    optimise(&module, &machine, &options.level)
        .and_then(|()| module.verify())
        .map_err(|message| VariantError::Optimise { input: input.to_owned(), message })?;
    write(&module, output)
}

/// Writes a module as bitcode.
fn write(module: &Module, output: &Path) -> Result<(), VariantError> {
    let path = output.to_str().and_then(|path| CString::new(path).ok());
    let is_written = path.is_some_and(|path| module.write_bitcode(&path));
    if is_written { Ok(()) } else { Err(VariantError::Write { output: output.to_owned() }) }
}

/// Whether two programs say the same: equal but for names of values, metadata and debug information.
pub fn same_code(a: &Program, b: &Program) -> bool {
    a.display().without_locations().to_string() == b.display().without_locations().to_string()
}

/// Whether two files of IR say the same, by [`same_code`].
pub fn same_ir(a: &Path, b: &Path) -> Result<bool, LoadError> {
    Ok(same_code(&Program::from_ir_file(a)?, &Program::from_ir_file(b)?))
}

/// Lets a function be optimised, for the wanted processor, with the wanted flags.
fn prepare(module: &Module, function: Value<'_>, options: &VariantOptions) {
    function.remove_function_attribute("optnone");
    function.remove_function_attribute("noinline");
    let has_body = function.blocks().next().is_some();
    if let Some(processor) = options.processor.as_ref().filter(|_| has_body) {
        function.set_string_attribute(module, "target-cpu", &processor.name);
        function.set_string_attribute(module, "target-features", &processor.features);
    }
    if options.fast_math == FastMath::default() || !has_body {
        return;
    }
    // What the code generator asks functions for, beside the instructions' own flags.
    let attributes = [
        (options.fast_math.no_nans, "no-nans-fp-math"),
        (options.fast_math.no_infinities, "no-infs-fp-math"),
        (options.fast_math.no_signed_zeros, "no-signed-zeros-fp-math"),
    ];
    for (_, name) in attributes.iter().filter(|(set, _)| *set) {
        function.set_string_attribute(module, name, "true");
    }
    for instruction in function.blocks().flat_map(|block| block.instructions()) {
        if instruction.takes_fast_math() {
            instruction.add_fast_math(options.fast_math);
        }
    }
}

fn machine(module: &Module, input: &Path, options: &VariantOptions) -> Result<TargetMachine, VariantError> {
    Target::initialize_x86(&InitializationConfig::default());
    Target::initialize_aarch64(&InitializationConfig::default());
    let name = module.triple();
    let triple = if name.is_empty() { TargetMachine::get_default_triple() } else { TargetTriple::create(&name) };
    let refused = |message: String| VariantError::Target { input: input.to_owned(), triple: name.clone(), message };
    let target = Target::from_triple(&triple).map_err(|message| refused(message.to_string_lossy().into_owned()))?;
    let processor = options.processor.clone().unwrap_or(Processor { name: String::new(), features: String::new() });
    let level = OptimizationLevel::Aggressive;
    let (reloc, model) = (RelocMode::PIC, CodeModel::Default);
    target
        .create_target_machine(&triple, &processor.name, &processor.features, level, reloc, model)
        .ok_or_else(|| refused("no target machine".to_owned()))
}

fn optimise(module: &Module, machine: &TargetMachine, level: &str) -> Result<(), String> {
    let options = PassBuilderOptions::create();
    // LLVM's library default leaves SLP out; clang turns it on from -O2, and pipelines below ignore it.
    options.set_loop_vectorization(true);
    options.set_loop_slp_vectorization(true);
    options.set_loop_interleaving(true);
    let pipeline = CString::new(format!("default<{level}>")).unwrap_or_default();
    let pipeline: &CStr = &pipeline;
    module.run_passes(pipeline, machine, &options)
}
