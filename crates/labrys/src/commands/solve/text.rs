//! The forms of answers (SMT-LIB 2.6, section 3.9.1).

use std::fmt::Write;

use labrys_report::visible;
use labrys_solver::Why;

/// A string literal.
pub fn quoted(words: &str) -> String {
    format!("\"{}\"", words.replace('"', "\"\""))
}

/// `(error "…")` on a line.
pub fn error(words: &str) -> String {
    format!("(error {})\n", quoted(&visible(words)))
}

/// `(a b c)` on a line.
pub fn list<'a>(items: impl IntoIterator<Item = &'a str>) -> String {
    let items: Vec<&str> = items.into_iter().collect();
    format!("({})\n", items.join(" "))
}

/// `((a x) (b y))` on a line.
pub fn pairs<'a>(items: impl IntoIterator<Item = (&'a str, String)>) -> String {
    let mut text = String::from("(");
    for (index, (name, value)) in items.into_iter().enumerate() {
        let space = if index == 0 { "" } else { "\n " };
        // Writing into a string cannot fail.
        let _ = write!(text, "{space}({name} {value})");
    }
    text.push_str(")\n");
    text
}

/// The value of `:reason-unknown`: the standard's words where it has some.
pub fn reason(why: &Why) -> String {
    match why {
        Why::Wall => "timeout".to_owned(),
        Why::Memory => "memout".to_owned(),
        Why::Incomplete(_) => "incomplete".to_owned(),
        other => quoted(&other.to_string()),
    }
}
