//! stdio's functions that print: nothing that the program sees, but for the texts that they read.

use labrys_interp::{Halt, Int, Scalar, Stop};
use labrys_term::TermId;
use smallvec::smallvec;

use crate::answers::{Value, argument};
use crate::driver::Driver;
use crate::externals::Answer;
use crate::state::Execution;

/// A function that prints.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum PrintCall {
    /// `puts`, `fputs`, `perror`: the text is the argument of that index.
    Text(usize),
    /// `printf`, `fprintf`: the format is the argument of that index.
    Format(usize),
    /// `putchar` and its kin, `fflush`.
    Nothing,
}

/// What a format reads through a pointer: which of the arguments behind it, and how many bytes at most.
#[derive(Debug, PartialEq, Eq)]
struct Read {
    argument: usize,
    most: Option<u64>,
}

impl PrintCall {
    pub(crate) fn of(name: &str) -> Option<PrintCall> {
        Some(match name {
            "puts" | "fputs" | "perror" => PrintCall::Text(0),
            "printf" => PrintCall::Format(0),
            "fprintf" => PrintCall::Format(1),
            "putchar" | "putc" | "fputc" | "fflush" => PrintCall::Nothing,
            _ => return None,
        })
    }
}

/// The texts that a format reads; `None` for formats that write (`%n`) or are not understood.
fn reads(format: &str) -> Option<Vec<Read>> {
    let mut reads = Vec::new();
    let mut next = 0;
    let mut rest = format.bytes();
    while let Some(byte) = rest.next() {
        if byte != b'%' {
            continue;
        }
        let mut precision: Option<Option<u64>> = None;
        let mut is_long = false;
        loop {
            match rest.next()? {
                b'%' => break,
                // Positions, and texts of wide characters, are not understood.
                b'$' | b'n' | b'S' => return None,
                b'*' => {
                    next += 1;
                    if let Some(precision) = &mut precision {
                        *precision = None;
                    }
                }
                b'.' => precision = Some(Some(0)),
                digit @ b'0'..=b'9' => {
                    if let Some(Some(number)) = &mut precision {
                        *number = number.saturating_mul(10).saturating_add(u64::from(digit - b'0'));
                    }
                }
                b'l' => is_long = true,
                b's' if is_long => return None,
                b's' => {
                    let most = match precision {
                        None => None,
                        Some(Some(most)) => Some(most),
                        // An argument says how many.
                        Some(None) => return None,
                    };
                    reads.push(Read { argument: next, most });
                    next += 1;
                    break;
                }
                b'-' | b'+' | b' ' | b'#' | b'\'' | b'h' | b'j' | b'z' | b't' | b'L' | b'q' => {}
                b'd' | b'i' | b'o' | b'u' | b'x' | b'X' | b'c' | b'p' | b'e' | b'E' | b'f' | b'F' | b'g' | b'G'
                | b'a' | b'A' => {
                    next += 1;
                    break;
                }
                _ => return None,
            }
        }
    }
    Some(reads)
}

impl<'s> Driver<'_, 's> {
    /// Answers a function that prints. How much was written is not known.
    pub(crate) fn print_call(
        &mut self,
        execution: &mut Execution<'s>,
        call: PrintCall,
        arguments: &[Value],
    ) -> Result<Answer<Value>, Halt<TermId>> {
        match call {
            PrintCall::Nothing => {}
            PrintCall::Text(index) => {
                self.length(execution, &argument(arguments, index)?.clone(), u64::MAX)?;
            }
            PrintCall::Format(index) => {
                let format = self.text(execution, argument(arguments, index)?);
                let reads = format.as_deref().and_then(reads);
                let reads = reads.ok_or_else(|| Stop::unsupported("printing by a format that is not understood"))?;
                for read in reads {
                    let text = argument(arguments, index + 1 + read.argument)?.clone();
                    self.length(execution, &text, read.most.unwrap_or(u64::MAX))?;
                }
            }
        }
        Ok(Answer::Value(smallvec![Scalar::int(Int::new(32, 0)).taint(true)]))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_found_in_formats() {
        assert_eq!(reads("%d %s\n%5.2f%%").unwrap(), [Read { argument: 1, most: None }]);
        assert_eq!(reads("%*d%-10.3s").unwrap(), [Read { argument: 2, most: Some(3) }]);
        assert_eq!(reads("%.s").unwrap(), [Read { argument: 0, most: Some(0) }]);
        for format in ["%n", "%1$s", "%.*s", "%ls", "%"] {
            assert_eq!(reads(format), None, "{format}");
        }
    }
}
