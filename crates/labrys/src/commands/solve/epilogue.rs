//! The answers that a child that died still owed: every later check is unknown.

use labrys_term::smtlib::script::{Splitter, command_name};

use super::text;

/// Why a child died.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Death {
    /// Its time was up.
    Timeout,
    /// Its memory did not suffice.
    Memory,
    /// Something else: what.
    Crash(String),
}

impl Death {
    fn reason(&self) -> String {
        match self {
            Death::Timeout => "timeout".to_owned(),
            Death::Memory => "memout".to_owned(),
            Death::Crash(how) => text::quoted(how),
        }
    }
}

/// What the rest of a script is answered, and whether that has any check.
pub fn answers(mut rest: &[u8], death: &Death) -> (String, bool) {
    let mut said = String::new();
    let mut checked = false;
    let mut splitter = Splitter::new();
    while let Some(length) = splitter.feed(rest) {
        let (command, behind) = rest.split_at(length);
        rest = behind;
        let Some((name, argument)) = command_name(command) else { continue };
        match name {
            b"check-sat" | b"check-sat-assuming" => {
                said.push_str("unknown\n");
                checked = true;
            }
            b"exit" => break,
            b"echo" => {
                let words = argument.strip_suffix(b")").unwrap_or(argument).trim_ascii();
                said.push_str(&format!("{}\n", String::from_utf8_lossy(words)));
            }
            b"get-info" if argument.starts_with(b":reason-unknown") => {
                said.push_str(&format!("(:reason-unknown {})\n", death.reason()));
            }
            _ if name.starts_with(b"get-") => said.push_str(&text::error("the solver's process has ended")),
            _ => {}
        }
    }
    (said, checked)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_check_that_is_owed_is_unknown() {
        let rest =
            b" (assert x)\n(check-sat) (get-info :reason-unknown)(get-model)(echo \"a )\")(check-sat-assuming (x))
            ( ; c\n check-sat)(exit)(check-sat)";
        let (said, checked) = answers(rest, &Death::Memory);
        let error = "(error \"the solver's process has ended\")";
        assert_eq!(said, format!("unknown\n(:reason-unknown memout)\n{error}\n\"a )\"\nunknown\nunknown\n"));
        assert!(checked);
        assert_eq!(answers(b"(exit)(check-sat)", &Death::Timeout), (String::new(), false));
    }
}
