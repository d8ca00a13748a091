//! A call, as it was observed.

use labrys_program::{FunctionId, IrBinding, Signature};

/// A call whose effect is asked for.
#[derive(Clone, Copy, Debug)]
pub struct Call<'a> {
    /// The function.
    pub function: FunctionId,
    /// How its IR takes what its source declares.
    pub binding: &'a IrBinding,
    /// What it takes and returns.
    pub signature: &'a Signature,
    /// The input record.
    pub record: &'a [u8],
    /// The output record that was observed.
    pub observed: &'a [u8],
}
