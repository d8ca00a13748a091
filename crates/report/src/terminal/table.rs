//! Text in columns.

/// A row: a name, and a cell for each column, which may have several lines.
#[derive(Clone, Debug, Default)]
pub(super) struct Row {
    /// What the row is about.
    pub(super) name: String,
    /// The cells.
    pub(super) cells: Vec<String>,
    /// Whether the cells differ in a way that counts.
    pub(super) marked: bool,
}

/// Breaks a text into lines of at most `width` characters, at spaces where there are any.
pub(super) fn wrap(text: &str, width: usize) -> Vec<String> {
    let mut lines = Vec::new();
    for paragraph in text.split('\n') {
        let mut line = String::new();
        let mut length = 0;
        for word in paragraph.split(' ') {
            let mut word: Vec<char> = word.chars().collect();
            if length > 0 && length + 1 + word.len() > width {
                lines.push(std::mem::take(&mut line));
                length = 0;
            }
            while word.len() > width {
                let rest = word.split_off(width);
                lines.push(word.into_iter().collect());
                word = rest;
            }
            if length > 0 {
                line.push(' ');
                length += 1;
            }
            length += word.len();
            line.extend(word);
        }
        lines.push(line);
    }
    lines
}

/// Lays rows out under `width` columns of characters: names to the left, cells of equal width beside them, two spaces
/// between. `mark` styles the cells of marked rows and `head` the first row's.
pub(super) fn columns(
    rows: &[Row],
    width: usize,
    head: impl Fn(&str) -> String,
    mark: impl Fn(&str) -> String,
) -> String {
    const INDENT: usize = 2;
    const GAP: usize = 2;
    let names = rows.iter().map(|row| row.name.chars().count()).max().unwrap_or(0);
    let count = rows.iter().map(|row| row.cells.len()).max().unwrap_or(0).max(1);
    let room = (width.saturating_sub(INDENT + names + GAP * count) / count).max(12);
    let mut text = String::new();
    for (index, row) in rows.iter().enumerate() {
        let cells: Vec<Vec<String>> = row.cells.iter().map(|cell| wrap(cell, room)).collect();
        let height = cells.iter().map(Vec::len).max().unwrap_or(1);
        for line in 0..height {
            let name = if line == 0 { row.name.as_str() } else { "" };
            let mut printed = format!("{:INDENT$}{name:<names$}", "");
            let mut owed = 0;
            for cell in &cells {
                let part = cell.get(line).map(String::as_str).unwrap_or_default();
                printed.push_str(&" ".repeat(owed + GAP));
                owed = room.saturating_sub(part.chars().count());
                printed.push_str(&match (part.is_empty(), index, row.marked) {
                    (true, _, _) => String::new(),
                    (_, 0, _) => head(part),
                    (_, _, true) => mark(part),
                    _ => part.to_owned(),
                });
            }
            text.push_str(printed.trim_end());
            text.push('\n');
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_break_at_spaces_and_inside_long_words_only_where_they_must() {
        assert_eq!(wrap("one two three", 7), ["one two", "three"]);
        assert_eq!(wrap("0123456789", 4), ["0123", "4567", "89"]);
        assert_eq!(wrap("a\nb", 4), ["a", "b"]);
        assert_eq!(wrap("", 4), [""]);
        assert_eq!(wrap("é é é", 3), ["é é", "é"]);
    }

    #[test]
    fn cells_stand_under_each_other() {
        let row = |name: &str, a: &str, b: &str| Row {
            name: name.to_owned(),
            cells: vec![a.to_owned(), b.to_owned()],
            marked: false,
        };
        let rows = [row("", "left", "right"), row("result", "1", "a long cell that wraps")];
        let same = |text: &str| text.to_owned();
        let wanted =
            "          left          right\n  result  1             a long cell\n                        that wraps\n";
        assert_eq!(columns(&rows, 36, same, same), wanted);
    }
}
