//! Where an inverse value is wanted.

use crate::local::program::{Kind, Operation, Program, Register};

/// An argument of an instruction under an assignment.
pub(super) struct Site<'a> {
    pub program: &'a Program,
    pub values: &'a [u64],
    pub register: Register,
    pub index: usize,
}

impl Site<'_> {
    pub fn operation(&self) -> Operation {
        self.program.instructions[self.register as usize].operation
    }

    pub fn result(&self) -> &Kind {
        &self.program.kinds[self.register as usize]
    }
}
