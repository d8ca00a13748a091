//! Calls that mean something to who verifies a program: KLEE's, SV-COMP's, and those that end it.

/// What a function does that a verifier answers: it asks for an input, assumes or asserts something, or ends the program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum VerifierCall {
    /// It returns any value of its type.
    Value,
    /// It writes any bytes to its first argument, as many as the second says.
    Memory,
    /// Runs go on where its first argument is not zero.
    Assume,
    /// The same, and where it is zero the program is wrong.
    Assert,
    /// It must not be reached, and does not return.
    Error,
    /// The program ends, as it may.
    Exit,
    /// The run ends as if an assumption had failed.
    Exclude,
    /// Nothing that the program could see.
    Nothing,
}
