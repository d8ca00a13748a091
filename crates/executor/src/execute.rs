//! The way in.

use labrys_program::Program;
use labrys_term::Store;

use crate::driver::Driver;
use crate::inputs::Source;
use crate::{Options, Outcome};

/// Follows the paths of a program.
///
/// Deterministic unless the deadline or the limit on memory cuts it short, or a solver's time does.
pub fn execute(program: &Program, options: &Options) -> Outcome {
    let mut store = Store::new();
    Driver::new(program, options, Source::Symbolic, &mut store).run()
}
