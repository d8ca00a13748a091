//! The text of a Rust source: what of it is code, and which blocks a place in it stands in.

/// What a place of a source stands in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Around {
    /// The modules in the text, the outermost first.
    pub(super) modules: Vec<String>,
    /// The type whose block names it plainly (`impl Point {`), empty where there is none; `None` within anything else (functions, traits, macros), and in
    /// modules that only tests have.
    pub(super) owner: Option<String>,
}

/// A block by what stands before its brace.
#[derive(Debug)]
enum Block {
    Module(String),
    Methods(String),
    Other,
}

impl Block {
    /// By the text between the brace and what ended before it, attributes and all.
    fn of(head: &str) -> Block {
        let attributes: String = head.split_whitespace().collect();
        let words: Vec<&str> = head.rsplit(']').next().unwrap_or_default().split_whitespace().collect();
        let is_name = |name: &str| name.chars().all(|c| c.is_alphanumeric() || c == '_');
        match words[..] {
            [.., "mod", name] if is_name(name) && !attributes.contains("#[cfg(test)]") => {
                Block::Module(name.to_owned())
            }
            // In a macro's text a type may be what the macro is given.
            ["impl", name] if is_name(name.strip_prefix('$').unwrap_or(name)) => Block::Methods(name.to_owned()),
            _ => Block::Other,
        }
    }
}

/// Somebody who goes through the blocks of a text, from its beginning.
pub(super) struct Blocks<'t> {
    text: &'t str,
    at: usize,
    /// Where the head of the next block begins.
    head: usize,
    open: Vec<Block>,
}

impl<'t> Blocks<'t> {
    /// Of a text without comments and texts.
    pub(super) fn new(text: &'t str) -> Blocks<'t> {
        Blocks { text, at: 0, head: 0, open: Vec::new() }
    }

    /// What stands around a place that is not before the last one asked for.
    pub(super) fn around(&mut self, place: usize) -> Around {
        for (offset, c) in self.text[self.at..place].char_indices() {
            let at = self.at + offset;
            match c {
                '{' => self.open.push(Block::of(&self.text[self.head..at])),
                '}' => drop(self.open.pop()),
                ';' => {}
                _ => continue,
            }
            self.head = at + 1;
        }
        self.at = self.at.max(place);
        let names = |block: &Block| match block {
            Block::Module(name) => Some(name.clone()),
            Block::Methods(_) | Block::Other => None,
        };
        let modules: Vec<String> = self.open.iter().map_while(names).collect();
        let owner = match &self.open[modules.len()..] {
            [] => Some(String::new()),
            [Block::Methods(name)] => Some(name.clone()),
            _ => None,
        };
        Around { modules, owner }
    }
}

/// A source without comments, and with nothing in its texts and characters but ends of lines.
pub(super) fn code(text: &str) -> String {
    let mut code = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let before = code.chars().next_back();
        let is_word = before.is_some_and(|c| c.is_alphanumeric() || c == '_');
        let (kept, length) = match first {
            '/' if rest.starts_with("//") => ("", rest.find('\n').unwrap_or(rest.len())),
            '/' if rest.starts_with("/*") => (" ", block_comment(rest)),
            '"' => ("\"\"", string(rest)),
            'r' | 'b' | 'c' if !is_word && raw_string(rest).is_some() => ("\"\"", raw_string(rest).unwrap_or(1)),
            '\'' => match character(rest) {
                Some(length) => ("''", length),
                None => ("'", 1),
            },
            other => (&rest[..other.len_utf8()], other.len_utf8()),
        };
        code.push_str(kept);
        if kept.len() < length {
            code.extend(rest[..length].matches('\n'));
        }
        rest = &rest[length..];
    }
    code
}

/// The length of the comment that a text begins with; comments nest.
fn block_comment(text: &str) -> usize {
    let (mut depth, mut at) = (0_usize, 0);
    let bytes = text.as_bytes();
    while at + 1 < bytes.len() {
        match &bytes[at..at + 2] {
            b"/*" => depth += 1,
            b"*/" => depth -= 1,
            _ => {
                at += 1;
                continue;
            }
        }
        at += 2;
        if depth == 0 {
            return at;
        }
    }
    text.len()
}

/// The length of the text in quotes that a text begins with.
fn string(text: &str) -> usize {
    let mut is_escaped = false;
    for (at, c) in text.char_indices().skip(1) {
        match c {
            '"' if !is_escaped => return at + 1,
            _ => is_escaped = c == '\\' && !is_escaped,
        }
    }
    text.len()
}

/// The length of the raw text (`r#"…"#`, `br"…"`) that a text begins with.
fn raw_string(text: &str) -> Option<usize> {
    let inner = text.strip_prefix(['b', 'c']).unwrap_or(text).strip_prefix('r')?;
    let hashes = inner.len() - inner.trim_start_matches('#').len();
    let content = inner[hashes..].strip_prefix('"')?;
    let end = format!("\"{}", "#".repeat(hashes));
    Some(content.find(&end).map_or(text.len(), |at| text.len() - content.len() + at + end.len()))
}

/// The length of the character (`'{'`, `'\''`) that a text begins with; `None` of a lifetime.
fn character(text: &str) -> Option<usize> {
    let inner = &text[1..];
    let first = inner.chars().next()?;
    if first != '\\' {
        return inner[first.len_utf8()..].starts_with('\'').then(|| 2 + first.len_utf8());
    }
    let escaped = inner[1..].chars().next()?.len_utf8();
    inner[1 + escaped..].find('\'').map(|end| 3 + escaped + end)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_and_texts_are_no_code() {
        let text =
            "a/* { /* } */ */b // {\n\"{\\\"{\" r#\"{\"{\"# br\"\\\" '{' '\\'' '\\u{7b}' &'a str b'{' for r in x";
        assert_eq!(code(text), "a b \n\"\" \"\" \"\" '' '' '' &'a str b'' for r in x");
        assert_eq!([code("\"open"), code("/* open"), code("'"), code("r#\"open\"")], ["\"\"", " ", "'", "\"\""]);
        assert_eq!(code("fn ä() -> char { 'ä' }"), "fn ä() -> char { '' }");
    }

    #[test]
    fn blocks_around_a_place() {
        let text = "#![warn(x)]\nuse a::{b, c};\npub mod outer { #[doc(hidden)] pub(crate) mod inner {\n\
                    impl Point { @ } @ impl<T> Pair<T> { @ } } @ impl Shape for Point { @ } fn f() { mod local { @ } } }\n\
                    #[cfg(test)]\nmod tests { @ }\nmacro_rules! m { () => { @ } }\nmod gone; @";
        let mut blocks = Blocks::new(text);
        let places: Vec<usize> = text.match_indices('@').map(|(at, _)| at).collect();
        let found: Vec<_> = places.into_iter().map(|at| blocks.around(at)).collect();
        let written: Vec<_> =
            found.iter().map(|of| (of.modules.join("::"), of.owner.as_deref().unwrap_or("?"))).collect();
        let expected = [
            ("outer::inner", "Point"),
            ("outer::inner", ""),
            ("outer::inner", "?"),
            ("outer", ""),
            ("outer", "?"),
            ("outer", "?"),
            ("", "?"),
            ("", "?"),
            ("", ""),
        ];
        assert_eq!(written, expected.map(|(modules, owner)| (modules.to_owned(), owner)));
    }
}
