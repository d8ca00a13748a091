//! Why a pair is not decided.

use std::fmt;

/// Why a pair is not decided, in words, and whether more time might have decided it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reason {
    words: String,
    /// Whether time ended what would have decided it: then the planned work was not done.
    pub is_time: bool,
}

impl Reason {
    /// What time ended.
    pub fn time(words: impl Into<String>) -> Reason {
        Reason { words: words.into(), is_time: true }
    }

    /// The same reason, which would have been asked about once more if there had been time.
    pub fn cut(self) -> Reason {
        Reason { is_time: true, ..self }
    }

    /// The same with the words behind others.
    pub fn after(self, words: &str) -> Reason {
        Reason { words: format!("{words}{}", self.words), ..self }
    }
}

impl From<String> for Reason {
    fn from(words: String) -> Reason {
        Reason { words, is_time: false }
    }
}

impl From<&str> for Reason {
    fn from(words: &str) -> Reason {
        words.to_owned().into()
    }
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.words)
    }
}
