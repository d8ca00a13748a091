//! The inputs of one run of a program.

/// Bytes that a program asked for by one call, as they lie in memory.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct InputObject {
    /// The name that the program gave it; for calls that give none (`__VERIFIER_nondet_double`) the function's name.
    pub name: String,
    /// Its content.
    pub bytes: Vec<u8>,
}

/// All inputs of one run of a program.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct TestInput {
    /// The command line behind the program's name: `argv[1]` and on, without terminators.
    pub arguments: Vec<Vec<u8>>,
    /// What the program asks for, in that order.
    pub objects: Vec<InputObject>,
}
