//! What a program reads from standard input, as objects among its inputs: `stdin`, the bytes, and `stdin-stat` behind it, the `struct stat`, as KLEE's POSIX
//! model has them. They come first, and no call of the program's asks for them.

use crate::{InputObject, TestInput};

/// What the object of the bytes is called.
pub const STANDARD_INPUT: &str = "stdin";

/// What the object behind it is called.
pub const STANDARD_INPUT_STATE: &str = "stdin-stat";

/// Bytes of a `struct stat` on x86-64.
const STATE_BYTES: usize = 144;

/// The objects that say what standard input has.
pub fn standard_input_objects(bytes: &[u8]) -> [InputObject; 2] {
    let mut state = vec![0; STATE_BYTES];
    // A pipe's mode, and the size.
    state[24..28].copy_from_slice(&0o010_600u32.to_le_bytes());
    state[48..56].copy_from_slice(&(bytes.len() as u64).to_le_bytes());
    [
        InputObject { name: STANDARD_INPUT.to_owned(), bytes: bytes.to_vec() },
        InputObject { name: STANDARD_INPUT_STATE.to_owned(), bytes: state },
    ]
}

impl TestInput {
    /// The bytes that standard input has; `None` where it is at its end.
    ///
    /// ```
    /// use labrys_testcase::{TestInput, standard_input_objects};
    /// let input = TestInput { arguments: Vec::new(), objects: standard_input_objects(b"12\n").to_vec() };
    /// assert_eq!(input.standard_input(), Some(&b"12\n"[..]));
    /// assert_eq!(TestInput::default().standard_input(), None);
    /// ```
    pub fn standard_input(&self) -> Option<&[u8]> {
        match &self.objects[..] {
            [bytes, state, ..]
                if bytes.name == STANDARD_INPUT
                    && state.name == STANDARD_INPUT_STATE
                    && state.bytes.len() == STATE_BYTES =>
            {
                Some(&bytes.bytes)
            }
            _ => None,
        }
    }

    /// What the program asks for by calls.
    pub fn asked_for(&self) -> &[InputObject] {
        if self.standard_input().is_some() { &self.objects[2..] } else { &self.objects }
    }
}
