//! Whether compilers may change what a program computes: then nothing that is proved of one choice among the results holds of the program.

use labrys_program::{FastMath, Program, WholeProgram};

use crate::run::record::place_of_location;

/// Why nothing is proved of a program: what it has that execution does not follow, and instructions that compilers may replace by others with other results.
pub(crate) fn doubts(whole: &WholeProgram) -> Vec<String> {
    whole.unmodelled.iter().cloned().chain(licence(&whole.program)).chain(flushed(&whole.program)).collect()
}

fn licence(program: &Program) -> Option<String> {
    let blocks = program.functions.iter().flat_map(|function| &function.blocks);
    let mut instructions = blocks.flat_map(|block| &block.instructions);
    let instruction = instructions.find(|instruction| instruction.fast_math != FastMath::default())?;
    let place = place_of_location(program, instruction.location).words();
    let place = place.map(|place| format!(" at {place}")).unwrap_or_default();
    Some(format!(
        "flags allow compilers to change what is computed{place} (-ffast-math, -ffp-contract=fast and their kin)"
    ))
}

fn flushed(program: &Program) -> Option<String> {
    let mut defined = program.functions.iter().filter(|function| !function.blocks.is_empty());
    let function = defined.find(|function| function.features.flushes_denormals && function.has_floats())?;
    let name = function.source_name.as_deref().unwrap_or(&function.name);
    Some(format!("flags let subnormal numbers be flushed to zero in {name} (-fdenormal-fp-math)"))
}
