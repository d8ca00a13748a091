//! How text is printed.

use anstyle::{AnsiColor, Style as Ansi};

/// How text is printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Style {
    /// Whether ANSI colours are used; whether they are wanted is for the caller to find out.
    pub colour: bool,
    /// Columns of the terminal; text is wrapped to it, but for source lines, which are cut, and words that do not fit.
    pub width: usize,
    /// Whether every finding is shown in full; else divergences that the variant's flags allow are a line each, and
    /// exceptions that don't matter ([`crate::Severity::matters`]) are only counted.
    pub all: bool,
}

impl Default for Style {
    fn default() -> Style {
        Style { colour: false, width: 110, all: false }
    }
}

/// Fewer columns than these are taken as these.
const NARROWEST: usize = 60;

impl Style {
    pub(crate) fn columns(&self) -> usize {
        self.width.max(NARROWEST)
    }

    /// A text in a style, where colour is wanted.
    pub(super) fn paint(&self, style: Ansi, text: &str) -> String {
        if self.colour { format!("{style}{text}{style:#}") } else { text.to_owned() }
    }

    pub(super) fn bold(&self, text: &str) -> String {
        self.paint(Ansi::new().bold(), text)
    }

    /// For what differs.
    pub(super) fn marked(&self, text: &str) -> String {
        self.paint(AnsiColor::BrightRed.on_default().bold(), text)
    }

    pub(super) fn faint(&self, text: &str) -> String {
        self.paint(Ansi::new().dimmed(), text)
    }
}
