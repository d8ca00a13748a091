//! stdio's functions that print: nothing that the program sees, but for the texts that they read.

use labrys_interp::{Datum, Halt, Pointer, Scalar, Stop};
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
    most: Most,
}

/// How many bytes of a text are read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Most {
    /// All up to the zero.
    All,
    /// So many.
    Bytes(u64),
    /// As many as that argument says; all where it is negative.
    Argument(usize),
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
        let mut precision = Most::All;
        let mut is_long = false;
        loop {
            match rest.next()? {
                b'%' => break,
                // Positions, and texts of wide characters, are not understood.
                b'$' | b'n' | b'S' => return None,
                b'*' => {
                    if precision != Most::All {
                        precision = Most::Argument(next);
                    }
                    next += 1;
                }
                b'.' => precision = Most::Bytes(0),
                digit @ b'0'..=b'9' => {
                    if let Most::Bytes(number) = &mut precision {
                        *number = number.saturating_mul(10).saturating_add(u64::from(digit - b'0'));
                    }
                }
                b'l' => is_long = true,
                b's' if is_long => return None,
                b's' => {
                    reads.push(Read { argument: next, most: precision });
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
    /// Answers a function that prints. How much was written, and whether it was, is not known: any number.
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
                    let of = |place: usize| argument(arguments, index + 1 + place).cloned();
                    let text = of(read.argument)?;
                    if matches!(&text.datum, Datum::Pointer(pointer) if *pointer == Pointer::null()) {
                        // glibc prints (null).
                        continue;
                    }
                    let most = match read.most {
                        Most::All => u64::MAX,
                        Most::Bytes(most) => most,
                        Most::Argument(place) => {
                            let most = self.machine.size(&execution.state, &of(place)?)?;
                            u64::try_from(most as u32 as i32).unwrap_or(u64::MAX)
                        }
                    };
                    self.length(execution, &text, most)?;
                }
            }
        }
        Ok(Answer::Value(smallvec![Scalar::int(self.any_number(32))]))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_found_in_formats() {
        assert_eq!(reads("%d %s\n%5.2f%%").unwrap(), [Read { argument: 1, most: Most::All }]);
        assert_eq!(reads("%*d%-10.3s").unwrap(), [Read { argument: 2, most: Most::Bytes(3) }]);
        assert_eq!(reads("%.s").unwrap(), [Read { argument: 0, most: Most::Bytes(0) }]);
        assert_eq!(reads("%*.*s").unwrap(), [Read { argument: 2, most: Most::Argument(1) }]);
        for format in ["%n", "%1$s", "%ls", "%"] {
            assert_eq!(reads(format), None, "{format}");
        }
    }
}
