//! A stream cut into commands.

/// Finds where commands end in a text that arrives piece by piece. Each byte is looked at once.
#[derive(Clone, Debug, Default)]
pub struct Splitter {
    depth: usize,
    within: Within,
    /// Whether anything but blanks and comments has been seen since the last cut.
    begun: bool,
    backslashes: bool,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Within {
    #[default]
    List,
    Comment,
    Text,
    /// Behind a backslash in a text.
    Escape,
    Quoted,
}

impl Splitter {
    /// Nothing seen yet.
    pub fn new() -> Splitter {
        Splitter::default()
    }

    /// Whether a backslash quotes in strings from here on, as in SMT-LIB 2.0 ([`super::Script::has_backslashes`]).
    pub fn set_backslashes(&mut self, backslashes: bool) {
        self.backslashes = backslashes;
    }

    /// Looks at more bytes: how many of them end the first command that is complete now; `None` if none is. What is
    /// outside of lists, where only lists may stand, is left for the reader to refuse.
    pub fn feed(&mut self, bytes: &[u8]) -> Option<usize> {
        for (index, &byte) in bytes.iter().enumerate() {
            match (self.within, byte) {
                (Within::Comment, b'\n') | (Within::Text, b'"') | (Within::Quoted, b'|') => self.within = Within::List,
                (Within::Escape, _) => self.within = Within::Text,
                (Within::Text, b'\\') if self.backslashes => self.within = Within::Escape,
                (Within::List, b';') => self.within = Within::Comment,
                (Within::List, b'"') => self.within = Within::Text,
                (Within::List, b'|') => self.within = Within::Quoted,
                (Within::List, b'(') => self.depth += 1,
                (Within::List, b')') => {
                    self.depth = self.depth.saturating_sub(1);
                    if self.depth == 0 {
                        self.begun = false;
                        return Some(index + 1);
                    }
                }
                _ => {}
            }
            self.begun |= self.within != Within::Comment && !byte.is_ascii_whitespace();
        }
        None
    }

    /// Whether a command has begun and not ended.
    pub fn is_open(&self) -> bool {
        self.begun
    }
}

#[cfg(test)]
mod tests {
    use super::Splitter;

    #[test]
    fn commands_end_where_their_list_does() {
        let text = b"; (\n(echo \"a)\"\"\")(b |)| (c)) d";
        for piece in 1..text.len() {
            let (mut splitter, mut commands, mut held) = (Splitter::new(), Vec::new(), Vec::new());
            for bytes in text.chunks(piece) {
                let mut rest = bytes;
                while let Some(length) = splitter.feed(rest) {
                    held.extend_from_slice(&rest[..length]);
                    commands.push(String::from_utf8_lossy(&std::mem::take(&mut held)).into_owned());
                    rest = &rest[length..];
                }
                held.extend_from_slice(rest);
            }
            assert_eq!(commands, ["; (\n(echo \"a)\"\"\")", "(b |)| (c))"]);
            assert!(splitter.is_open());
        }
    }

    #[test]
    fn a_backslash_quotes_in_old_scripts_only() {
        let text = br#"(echo "\")")"#;
        let mut splitter = Splitter::new();
        splitter.set_backslashes(true);
        assert_eq!(splitter.feed(text), Some(text.len()));
        assert_eq!(Splitter::new().feed(text), Some(text.len() - 2));
    }
}
