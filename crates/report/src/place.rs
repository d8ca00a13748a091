//! A place of the source.

use serde::{Deserialize, Serialize};

/// A place of the source, as far as debug information knows it. In reports its parts stand among those of what is there.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct SourcePlace {
    /// The file, as the build's debug information names it, relative where it can be.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    /// The line, from 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub line: Option<u32>,
    /// The column, from 1, in bytes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub column: Option<u32>,
}

impl SourcePlace {
    /// The place of a line and a column, which are 0 where they are not known.
    pub fn new(file: Option<String>, line: u32, column: u32) -> SourcePlace {
        let known = |number: u32| (number > 0).then_some(number);
        SourcePlace { file, line: known(line), column: known(column) }
    }

    /// It in words, as far as it is known: `f.c:3:18`, `f.c:3`, `f.c`, `3:18`.
    pub fn words(&self) -> Option<String> {
        let numbers = [self.line, self.column].into_iter().flatten().map(|number| number.to_string());
        let parts: Vec<String> = self.file.iter().cloned().chain(numbers).collect();
        (!parts.is_empty()).then(|| parts.join(":"))
    }

    /// The same, or that it is unknown.
    pub(crate) fn words_or_unknown(&self) -> String {
        self.words().unwrap_or_else(|| "an unknown place".to_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_told_as_far_as_they_are_known() {
        let words = |file: Option<&str>, line, column| SourcePlace::new(file.map(str::to_owned), line, column).words();
        assert_eq!(words(Some("f.c"), 3, 18).as_deref(), Some("f.c:3:18"));
        assert_eq!(words(Some("f.c"), 3, 0).as_deref(), Some("f.c:3"));
        assert_eq!(words(Some("f.c"), 0, 0).as_deref(), Some("f.c"));
        assert_eq!(words(None, 3, 18).as_deref(), Some("3:18"));
        assert_eq!(words(None, 0, 0), None);
    }
}
