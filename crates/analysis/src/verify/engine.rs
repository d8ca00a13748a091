//! Who follows paths.

use labrys_executor::{Options, Outcome, execute};
use labrys_program::Program;

/// Something that follows the paths of a program.
pub trait Engine {
    /// Follows them.
    fn execute(&self, program: &Program, options: &Options) -> Outcome;
}

/// The symbolic executor.
#[derive(Clone, Copy, Debug, Default)]
pub struct Executor;

impl Engine for Executor {
    fn execute(&self, program: &Program, options: &Options) -> Outcome {
        execute(program, options)
    }
}
