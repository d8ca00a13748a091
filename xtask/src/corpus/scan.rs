//! The commands of an SMT-LIB file, found by counting parentheses: enough to tell what a file needs and how many answers it owes.

/// The parentheses and other tokens of a text. Strings, quoted symbols and comments are told apart; a string is dropped.
pub fn tokens(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = text;
    std::iter::from_fn(move || {
        loop {
            rest = rest.trim_start();
            let first = rest.chars().next()?;
            let length = match first {
                '(' | ')' => 1,
                ';' => {
                    rest = rest.split_once('\n').map_or("", |(_, after)| after);
                    continue;
                }
                '"' => {
                    rest = rest[1..].split_once('"').map_or("", |(_, after)| after);
                    continue;
                }
                '|' => rest[1..].find('|').map_or(rest.len(), |end| end + 2),
                _ => rest.find(|c: char| c.is_whitespace() || "();\"".contains(c)).unwrap_or(rest.len()),
            };
            let (token, after) = rest.split_at(length);
            rest = after;
            return Some(token);
        }
    })
}

/// What the answer to a check should be.
pub type Expected = Option<&'static str>;

/// What a file owes, and uses.
#[derive(Debug, Default)]
pub struct Scan {
    /// For each check the status that the file states right before it.
    pub checks: Vec<Expected>,
    /// The logic that the file names.
    pub logic: Option<String>,
    pub floats: bool,
    pub arrays: bool,
    /// Names that the file gives to sorts of bit vectors.
    vector_sorts: Vec<String>,
    /// Why the file lies outside the supported language.
    pub unsupported: Option<String>,
}

/// `sat` or `unsat`, or neither.
pub fn status(word: &str) -> Expected {
    match word {
        "sat" => Some("sat"),
        "unsat" => Some("unsat"),
        _ => None,
    }
}

/// Reads a file's commands.
pub fn scan(text: &str) -> Scan {
    let mut scan = Scan::default();
    let mut stated = None;
    let mut depth = 0_usize;
    let mut command: Vec<&str> = Vec::new();
    for token in tokens(text) {
        match token {
            "(" => depth += 1,
            ")" => {
                depth = depth.saturating_sub(1);
                if depth == 0 {
                    scan.command(&command, &mut stated);
                    if command == ["(", "exit"] {
                        break;
                    }
                    command.clear();
                    continue;
                }
            }
            _ => {}
        }
        // A command's head is enough, and keeps large assertions out of memory; sorts may be anywhere.
        if command.len() < 4096 {
            command.push(token);
        }
        scan.word(token);
    }
    scan
}

impl Scan {
    fn word(&mut self, token: &str) {
        match token {
            "FloatingPoint" | "Float16" | "Float32" | "Float64" | "Float128" | "RoundingMode" => self.floats = true,
            "Array" => self.arrays = true,
            "forall" | "exists" | "lambda" => self.refuse(format!("`{token}`")),
            "declare-sort" => self.refuse("uninterpreted sorts".to_owned()),
            "define-fun-rec" | "define-funs-rec" => self.refuse("recursive functions".to_owned()),
            _ => {}
        }
    }

    fn refuse(&mut self, why: String) {
        self.unsupported.get_or_insert(why);
    }

    fn command(&mut self, command: &[&str], stated: &mut Expected) {
        match command {
            [_, "set-logic", logic, ..] => self.logic = Some((*logic).to_owned()),
            [_, "set-info", ":status", word, ..] => *stated = status(word),
            [_, "check-sat" | "check-sat-assuming", ..] => self.checks.push(stated.take()),
            [_, "declare-fun", _, "(", ")", sort @ ..] | [_, "declare-const", _, sort @ ..] => self.variable(sort),
            [_, "define-sort", name, "(", ")", sort @ ..] if self.is_vector(sort) => {
                self.vector_sorts.push((*name).to_owned());
            }
            [_, "declare-fun", ..] => self.refuse("uninterpreted functions".to_owned()),
            _ => {}
        }
    }

    /// Whether a sort's words name nothing but bit vectors.
    fn is_vector(&self, sort: &[&str]) -> bool {
        sort.iter().all(|word| {
            matches!(*word, "(" | ")" | "_" | "BitVec")
                || word.parse::<u64>().is_ok()
                || self.vector_sorts.iter().any(|name| name == word)
        })
    }

    /// The sort of a variable: reals and integers are outside, and so are arrays of anything but bit vectors.
    fn variable(&mut self, sort: &[&str]) {
        if sort.contains(&"Real") || sort.contains(&"Int") {
            self.refuse("variables that are reals or integers".to_owned());
        }
        let Some(array) = sort.iter().position(|&word| word == "Array") else { return };
        if !self.is_vector(&sort[array + 1..]) {
            self.refuse("arrays of other things than bit vectors".to_owned());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::scan;

    #[test]
    fn a_status_belongs_to_the_next_check() {
        let text = "(set-logic QF_FP) ; (check-sat)\n(declare-fun |a b)| () Float32)(set-info :status sat)(check-sat)\
                    (push 1)(assert (fp.isNaN |a b)|))(check-sat)(exit)(check-sat)";
        let found = scan(text);
        assert_eq!(found.checks, [Some("sat"), None]);
        assert!(found.floats && !found.arrays);
        assert_eq!(found.unsupported, None);
    }

    #[test]
    fn functions_and_odd_arrays_are_outside() {
        assert!(scan("(declare-fun f (Bool) Bool)").unsupported.is_some());
        assert!(scan("(declare-const a (Array (_ BitVec 8) Float32))").unsupported.is_some());
        assert!(scan("(declare-const a (Array (_ BitVec 8) (_ BitVec 32)))").unsupported.is_none());
    }
}
