//! The IR of a function under test.

use std::sync::Arc;

use labrys_program::{FunctionId, IrBinding, Program};

/// A program and the function under test in it.
pub struct Analysed {
    /// The program.
    pub program: Arc<Program>,
    /// The function.
    pub function: FunctionId,
    /// How the signature's call maps to the IR's.
    pub binding: IrBinding,
}
