//! Names and paths as people may see them.
//!
//! A function's name in IR, a file's name and a compiler's words can hold any characters: an escape that clears the terminal or
//! sets its title, a line break and a verdict behind it, a mark that turns the direction of what follows. What is printed is
//! therefore shown by what it is, `\x1b` or `\u{202e}`, before colours are added.

use std::borrow::Cow;
use std::fmt::Write as _;

use serde_json::Value;

use crate::{Report, ReportError};

/// Whether a terminal or browser does something else with a character than to show it.
fn is_hidden(c: char) -> bool {
    c.is_control()
        || matches!(c,
            // Marks and overrides of direction (Boucher and Anderson, "Trojan Source", USENIX Security 2023).
            '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}'
            // Line and paragraph separators.
            | '\u{2028}' | '\u{2029}'
            // Characters of no width, tags among them.
            | '\u{200b}' | '\u{2060}'..='\u{2064}' | '\u{feff}' | '\u{e0000}'..='\u{e007f}')
}

fn escaped(text: &str, stays: impl Fn(char) -> bool) -> Cow<'_, str> {
    let hidden = |c: char| is_hidden(c) && !stays(c);
    if !text.contains(hidden) {
        return text.into();
    }
    let mut shown = String::with_capacity(text.len() + 16);
    for c in text.chars() {
        // Writing into a text does not fail.
        let _ = match c {
            c if !hidden(c) => write!(shown, "{c}"),
            '\n' | '\r' | '\t' => write!(shown, "{}", c.escape_default()),
            c if c.is_ascii() => write!(shown, "\\x{:02x}", u32::from(c)),
            c => write!(shown, "\\u{{{:x}}}", u32::from(c)),
        };
    }
    shown.into()
}

/// The text with each control character, line breaks among them, and each invisible one as an escape.
///
/// ```
/// assert_eq!(labrys_report::visible("f\x1b[2J\n"), "f\\x1b[2J\\n");
/// assert_eq!(labrys_report::visible("β\u{202e}"), "β\\u{202e}");
/// ```
pub fn visible(text: &str) -> Cow<'_, str> {
    escaped(text, |_| false)
}

/// As [`visible`], but line breaks and tabs stay: for what a compiler says.
pub fn visible_lines(text: &str) -> Cow<'_, str> {
    escaped(text, |c| matches!(c, '\n' | '\t'))
}

/// The report with all of its texts visible; itself where they are.
pub(crate) fn visible_report(report: &Report) -> Result<Cow<'_, Report>, ReportError> {
    let mut scan = Scan::default();
    serde_json::to_writer(&mut scan, report).map_err(ReportError::Serialise)?;
    if !scan.found {
        return Ok(Cow::Borrowed(report));
    }
    let mut value = serde_json::to_value(report).map_err(ReportError::Serialise)?;
    show(&mut value);
    serde_json::from_value(value).map(Cow::Owned).map_err(ReportError::Serialise)
}

/// As deep as a report, which is not deep.
fn show(value: &mut Value) {
    match value {
        Value::String(text) => {
            if let Cow::Owned(shown) = visible(text) {
                *text = shown;
            }
        }
        Value::Array(elements) => elements.iter_mut().for_each(show),
        Value::Object(members) => members.values_mut().for_each(show),
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

/// Reads JSON for texts that may have something hidden in them: an escape other than those of quotation marks and
/// backslashes, or anything beyond ASCII.
#[derive(Default)]
struct Scan {
    found: bool,
    after_backslash: bool,
}

impl std::io::Write for Scan {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        for byte in bytes {
            self.found |= *byte >= 0x7f || (self.after_backslash && !matches!(byte, b'"' | b'\\'));
            self.after_backslash = *byte == b'\\' && !self.after_backslash;
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_hidden_is_shown_and_the_rest_stays() {
        assert_eq!(visible("plain ∞ ülp \\n"), "plain ∞ ülp \\n");
        assert_eq!(visible("a\u{9b}2J\u{7f}\0"), "a\\u{9b}2J\\x7f\\x00");
        assert_eq!(visible("a\u{2066}b\u{feff}\u{200b}\u{e0041}"), "a\\u{2066}b\\u{feff}\\u{200b}\\u{e0041}");
        assert_eq!(visible_lines("f.c:1:\tno\n\x1b[1m^\r"), "f.c:1:\tno\n\\x1b[1m^\\r");
    }

    #[test]
    fn a_report_is_copied_only_where_something_is_hidden() {
        let mut report = Report::default();
        report.notes.push("say \"\\n\"".to_owned());
        assert!(matches!(visible_report(&report).expect("plain"), Cow::Borrowed(_)));
        report.target.function = "f\x1b]0;title\x07".to_owned();
        report.notes.push("a\u{202e}b".to_owned());
        let shown = visible_report(&report).expect("valid");
        assert_eq!(shown.target.function, "f\\x1b]0;title\\x07");
        assert_eq!(shown.notes, ["say \"\\n\"", "a\\u{202e}b"]);
        assert_eq!(Report { notes: report.notes.clone(), target: report.target.clone(), ..shown.into_owned() }, report);
    }
}
