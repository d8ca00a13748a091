//! How a call as the source declares it appears in the IR: coerced structs, hidden pointers, copies by value.

/// The bits of an IR value that stand for some bytes of a record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct IrPart {
    /// First bit in the IR value: of a scalar, or of the scalars of a vector or struct laid out as in memory.
    pub bit: u64,
    /// First byte in the input record (for parameters) or the output record (for results).
    pub offset: usize,
    /// Number of bytes.
    pub bytes: usize,
}

/// What one parameter of the IR carries.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum IrParameter {
    /// Parts of values that the source passes by value.
    Leaves(Vec<IrPart>),
    /// The address of the memory behind pointer parameter `parameter` of the source.
    PointerTo {
        /// Index of the source's parameter.
        parameter: usize,
    },
    /// The address at which the result is to be stored (`sret`).
    StructReturn,
    /// The address of a copy (`byval`) of the source's parameter, which is passed by value.
    ByValue {
        /// Index of the source's parameter.
        parameter: usize,
    },
}

/// Where the source's result is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum IrResult {
    /// There is none.
    Void,
    /// In the IR's result.
    Leaves(Vec<IrPart>),
    /// In the memory behind the [`IrParameter::StructReturn`].
    StructReturn,
}

/// How a signature's call maps to an IR function's.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IrBinding {
    /// One entry for each parameter of the IR function.
    pub parameters: Vec<IrParameter>,
    /// Where the result is.
    pub result: IrResult,
}
