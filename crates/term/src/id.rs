//! Indices of terms and of variables.

/// Index of a term in its store.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TermId(pub(crate) u32);

/// Index of a variable in its store.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct VariableId(pub(crate) u32);

impl TermId {
    /// The position in the store; arguments always have smaller ones.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

impl VariableId {
    /// The position among the store's variables.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}
