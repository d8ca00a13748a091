//! How many of LLVM's optimisation passes run on a part of what a function of a crate is made of.

/// What is compiled of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum CratePart {
    /// The crate, where functions are that are neither generic nor inlined; as one unit then.
    Crate,
    /// What calls the function, where all else is.
    Glue,
}

/// A limit of passes for one part; the others have none.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct PassLimit {
    /// The part.
    pub part: CratePart,
    /// How many passes run on it.
    pub passes: u32,
}

impl PassLimit {
    /// The words for rustc where this part is compiled; none for the other one.
    pub(super) fn words(self, part: CratePart) -> Vec<String> {
        let limit = format!("llvm-args=-opt-bisect-limit={}", self.passes);
        match part == self.part {
            // Units of one crate are compiled side by side, and count together.
            true => ["-C", "codegen-units=1", "-C", &limit].map(str::to_owned).to_vec(),
            false => Vec::new(),
        }
    }
}
