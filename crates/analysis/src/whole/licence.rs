//! Whether compilers may change what a program computes: then nothing that is proved of one choice among the results holds of the program.

use labrys_program::{FastMath, Program};

use crate::run::record::place_of_location;

/// Why nothing is proved of a program some of whose instructions compilers may replace by others with other results.
pub(crate) fn licence(program: &Program) -> Option<String> {
    let blocks = program.functions.iter().flat_map(|function| &function.blocks);
    let mut instructions = blocks.flat_map(|block| &block.instructions);
    let instruction = instructions.find(|instruction| instruction.fast_math != FastMath::default())?;
    let place = place_of_location(program, instruction.location).words();
    let place = place.map(|place| format!(" at {place}")).unwrap_or_default();
    Some(format!(
        "flags allow compilers to change what is computed{place} (-ffast-math, -ffp-contract=fast and their kin)"
    ))
}
