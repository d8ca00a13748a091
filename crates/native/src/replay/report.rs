//! What sanitizers and the runtime wrote, read line by line.

use std::path::Path;

use labrys_testcase::InputObject;

use super::{Ending, ErrorKind, Replay, ReplayInput};
use crate::{SourceFrame, Symbolizer};

/// Where the compiler says that the sources of Rust's standard library lie.
const STANDARD_SOURCES: &str = "/rustc/";

/// What the function begins with in whose place clang puts a check's trap; then comes what it is about.
const TRAP_MESSAGE: &str = "__clang_trap_msg$Undefined Behavior Sanitizer$";

/// How a process ends that panics: by a sanitizer's exit code, `abort`, or rustc's own code. With others it went on behind the panic.
const ENDS_OF_PANICS: [i32; 3] = [90, -libc::SIGABRT, 101];

/// A report's parts, addresses still as they are.
#[derive(Debug, Default)]
pub(super) struct Report {
    /// Requests for inputs: offset of the call, name.
    inputs: Vec<(u64, String)>,
    /// What was computed: names and bytes.
    outputs: Vec<InputObject>,
    /// The first report of an end.
    ending: Option<Ending>,
    /// The place that the report names itself: file, line, column.
    place: Option<(String, u32, u32)>,
    /// Offsets in the program of the first list of calls behind that.
    stack: Vec<u64>,
}

impl Report {
    /// Reads a report on a program.
    pub(super) fn parse(bytes: &[u8], executable: &Path) -> Report {
        let text = String::from_utf8_lossy(bytes);
        let program = format!("({}+0x", executable.display());
        let mut report = Report::default();
        let mut lines = text.lines().peekable();
        while let Some(line) = lines.next() {
            if let Some(input) = line.strip_prefix("LABRYS input\t") {
                report.inputs.extend(request(input));
            } else if let Some(told) = line.strip_prefix("LABRYS output\t") {
                report.outputs.extend(output(told));
            } else if let Some(next) = report.next(line) {
                report = next;
                // Lists of calls that say where memory was allocated come behind an empty line.
                let behind: Vec<&str> = std::iter::from_fn(|| lines.next_if(|line| !line.trim().is_empty())).collect();
                report.reads(&behind, &program);
            }
        }
        report
    }

    /// The report with the end that a line tells of, where it is the first, or one behind a panic, which the program has caught then: what ends a program
    /// that panicked is no other error.
    fn next(&mut self, line: &str) -> Option<Report> {
        let is_panic = matches!(self.ending, Some(Ending::Error(ErrorKind::Panic(_))));
        if self.ending.is_some() && (!is_panic || line.contains(": ABRT ")) {
            return None;
        }
        let mut next = Report::default();
        let counts = next.begins(line) && (!is_panic || matches!(next.ending, Some(Ending::Error(_))));
        let given = || (std::mem::take(&mut self.inputs), std::mem::take(&mut self.outputs));
        counts.then(given).map(|(inputs, outputs)| Report { inputs, outputs, ..next })
    }

    /// Whether a line begins the report of an end, which is then noted.
    fn begins(&mut self, line: &str) -> bool {
        if let Some(end) = line.strip_prefix("LABRYS end\t") {
            self.ending = Some(self.told(end));
        } else if let Some((place, message)) = line.split_once(": runtime error: ") {
            self.place = position(place);
            self.ending = Some(Ending::Error(undefined(message)));
        } else if let Some(place) = panicked(line) {
            self.place = position(place);
            self.ending = Some(Ending::Error(ErrorKind::Panic(String::new())));
        } else if line.contains("hard rss limit exhausted") {
            self.ending = Some(Ending::OutOfMemory);
        } else if let Some((_, message)) = line.split_once("Sanitizer: ").filter(|_| is_report(line)) {
            self.ending = Some(Ending::Error(sanitizer(message)));
        } else {
            return false;
        }
        true
    }

    /// What the runtime says of the end.
    fn told(&mut self, end: &str) -> Ending {
        let parts: Vec<&str> = end.split('\t').collect();
        let part = |index: usize| parts.get(index).copied().unwrap_or_default();
        let number = |index: usize| part(index).parse::<u64>().unwrap_or(0);
        match part(0) {
            "assertion" => {
                let line = u32::try_from(number(1)).unwrap_or(0);
                self.place = Some((part(2).to_owned(), line, 0));
                // The text may have tabs.
                Ending::Error(ErrorKind::Assertion(parts.get(3..).unwrap_or_default().join("\t")))
            }
            "error-reached" => Ending::Error(ErrorKind::ErrorReached(part(1).to_owned())),
            "assumption" => Ending::AssumptionFailed(part(1).to_owned()),
            "silent-exit" => Ending::Exited(part(1).parse().unwrap_or(0)),
            "inputs-exhausted" => Ending::InputsExhausted {
                given: u32::try_from(number(1)).unwrap_or(u32::MAX),
                name: part(2).to_owned(),
            },
            "input-size" => Ending::InputSize { recorded: number(1), asked: number(2), name: part(3).to_owned() },
            _ => Ending::Damaged(part(1).to_owned()),
        }
    }

    /// What stands behind the first line: how memory was accessed, and the calls.
    fn reads(&mut self, lines: &[&str], program: &str) {
        for line in lines {
            if let Some(Ending::Error(kind @ (ErrorKind::WildAccess { .. } | ErrorKind::Null))) = &mut self.ending {
                if line.contains("caused by a READ") {
                    *kind = ErrorKind::WildAccess { is_write: Some(false) };
                } else if line.contains("caused by a WRITE") {
                    *kind = ErrorKind::WildAccess { is_write: Some(true) };
                } else if line.contains("address points to the zero page") {
                    *kind = ErrorKind::Null;
                }
            }
        }
        if let Some(Ending::Error(ErrorKind::Panic(message))) = &mut self.ending {
            message.push_str(lines.first().map_or("", |line| line.trim()));
        }
        let mut last = None;
        for line in lines {
            let Some((number, _)) = line.trim_start().strip_prefix('#').and_then(|rest| rest.split_once(' ')) else {
                continue;
            };
            let number: u32 = number.parse().unwrap_or(0);
            // Numbers begin again with the list of another call.
            if last.is_some_and(|last| number <= last) {
                break;
            }
            last = Some(number);
            let offset = line.split_once(program).and_then(|(_, rest)| rest.split_once(')'));
            self.stack.extend(offset.and_then(|(digits, _)| u64::from_str_radix(digits, 16).ok()));
        }
    }

    /// The same with places, and the exit code (a signal's number is negative) where nothing was reported; no code where the program
    /// was ended.
    pub(super) fn resolve(self, symbolizer: &Symbolizer, code: Option<i32>) -> Replay {
        let ending = self.ending.map(|ending| named(ending, self.stack.first(), symbolizer));
        let stack: Vec<SourceFrame> =
            self.stack.iter().flat_map(|offset| symbolizer.frames(*offset)).filter(is_of_program).collect();
        // A panic in code of the standard library's is where the program calls that.
        let place = self.place.filter(|(file, ..)| !file.starts_with(STANDARD_SOURCES));
        let told =
            place.map(|(file, line, column)| SourceFrame { file: Some(file), line, column, ..SourceFrame::default() });
        let is_caught = |ending: &Ending| {
            matches!(ending, Ending::Error(ErrorKind::Panic(_)))
                && code.is_some_and(|code| !ENDS_OF_PANICS.contains(&code))
        };
        let ending = ending.filter(|ending| !is_caught(ending)).unwrap_or(match code {
            Some(code) if code >= 0 => Ending::Exited(code),
            // Processor time was over before the time on the wall.
            Some(signal) if -signal == libc::SIGXCPU => Ending::TimedOut,
            Some(signal) => Ending::Signal(-signal),
            None => Ending::TimedOut,
        });
        let input = |(offset, name): (u64, String)| ReplayInput { name, call: symbolizer.locate(offset) };
        Replay {
            ending,
            place: told.or_else(|| stack.first().cloned()),
            stack,
            inputs: self.inputs.into_iter().map(input).collect(),
            outputs: self.outputs,
        }
    }
}

/// The end with the error that clang's debug information names at a trap.
fn named(ending: Ending, trap: Option<&u64>, symbolizer: &Symbolizer) -> Ending {
    let (Ending::Error(ErrorKind::Trap), Some(&offset)) = (&ending, trap) else { return ending };
    let frames = symbolizer.frames(offset);
    let message = frames.iter().find_map(|frame| frame.function.strip_prefix(TRAP_MESSAGE));
    message.map_or(ending, |message| Ending::Error(undefined(message)))
}

/// What the runtime says was computed: a name, bytes as digits, and, of one among several, its number.
fn output(line: &str) -> Option<InputObject> {
    let mut parts = line.split('\t');
    let (name, digits) = (parts.next()?, parts.next()?);
    let bytes = digits.as_bytes().chunks(2).map(|pair| u8::from_str_radix(std::str::from_utf8(pair).ok()?, 16).ok());
    let name = parts.next().map_or_else(|| name.to_owned(), |index| format!("{name}[{index}]"));
    Some(InputObject { name, bytes: bytes.collect::<Option<_>>()? })
}

/// Whether a line of a sanitizer's begins a report; others tell what it is about to do.
fn is_report(line: &str) -> bool {
    line.contains("==ERROR: ") || line.contains("==WARNING: ")
}

/// Whether a frame is of the user's code: the sanitizers' own may have debug information, what runs before `main` has none.
fn is_of_program(frame: &SourceFrame) -> bool {
    let is_own = |file: &str| !file.contains("/compiler-rt/") && !file.starts_with(STANDARD_SOURCES);
    frame.line > 0 && frame.file.as_deref().is_some_and(is_own)
}

/// The place in what Rust's panics begin with: `thread 'main' (1234) panicked at src/main.rs:3:5:`.
fn panicked(line: &str) -> Option<&str> {
    let (_, place) = line.strip_prefix("thread '")?.split_once(" panicked at ")?;
    place.strip_suffix(':')
}

/// A request for an input: `NUMBER OFFSET NAME`.
fn request(line: &str) -> Option<(u64, String)> {
    let mut parts = line.splitn(3, '\t').skip(1);
    let offset = u64::from_str_radix(parts.next()?, 16).ok()?;
    Some((offset, parts.next()?.to_owned()))
}

/// `file:line:column`.
fn position(place: &str) -> Option<(String, u32, u32)> {
    let mut parts = place.rsplitn(3, ':');
    let (column, line, file) = (parts.next()?, parts.next()?, parts.next()?);
    Some((file.to_owned(), line.parse().ok()?, column.parse().ok()?))
}

/// What UndefinedBehaviorSanitizer reports.
fn undefined(message: &str) -> ErrorKind {
    let has = |words: &str| message.contains(words);
    if has("division by zero") {
        ErrorKind::DivisionByZero
    } else if message.starts_with("division of") {
        ErrorKind::DivisionOverflow
    } else if has("Integer divide or remainder overflowed") {
        ErrorKind::DivisionTrap
    } else if has("shift exponent") || has("Shift exponent") || message.starts_with("left shift of") {
        ErrorKind::Shift
    } else if has("signed integer overflow")
        || (message.starts_with("signed integer ") && has(" overflow in "))
        || message.starts_with("negation of")
        || has("Integer negation overflowed")
    {
        ErrorKind::SignedOverflow
    } else if has("unreachable program point") || has("end of a value-returning function") {
        ErrorKind::Unreachable
    } else if has("out of bounds for type") {
        ErrorKind::OutOfBounds
    } else if has("null pointer") {
        ErrorKind::Null
    } else {
        ErrorKind::Other(message.to_owned())
    }
}

/// What the other sanitizers report, by the words behind `Sanitizer: `.
fn sanitizer(message: &str) -> ErrorKind {
    let has = |words: &str| message.starts_with(words);
    let first = message.split([' ', ':']).next().unwrap_or_default();
    match first {
        "heap-buffer-overflow"
        | "stack-buffer-overflow"
        | "stack-buffer-underflow"
        | "global-buffer-overflow"
        | "dynamic-stack-buffer-overflow"
        | "container-overflow"
        | "negative-size-param"
        | "unknown-crash" => ErrorKind::OutOfBounds,
        "heap-use-after-free" => ErrorKind::UseAfterFree,
        "stack-use-after-return" => ErrorKind::UseAfterReturn,
        "stack-use-after-scope" => ErrorKind::UseAfterScope,
        "memcpy-param-overlap"
        | "strcpy-param-overlap"
        | "strncpy-param-overlap"
        | "strcat-param-overlap"
        | "mempcpy-param-overlap"
        | "strncat-param-overlap" => ErrorKind::Overlap,
        "alloc-dealloc-mismatch" | "new-delete-type-mismatch" => ErrorKind::InvalidFree,
        "use-of-uninitialized-value" => ErrorKind::Uninitialised,
        "SEGV" | "BUS" => ErrorKind::WildAccess { is_write: None },
        "ABRT" => ErrorKind::Abort,
        "ILL" | "TRAP" => ErrorKind::Trap,
        "FPE" => ErrorKind::DivisionTrap,
        "stack-overflow" => ErrorKind::StackOverflow,
        _ if has("attempting double-free") => ErrorKind::DoubleFree,
        _ if has("attempting free on address") || has("bad-free") || has("attempting to call malloc_usable_size") => {
            ErrorKind::InvalidFree
        }
        _ if has("detected memory leaks") => ErrorKind::Leak,
        _ => ErrorKind::Other(message.split(" (pc ").next().unwrap_or(message).to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(text: &str) -> Report {
        Report::parse(text.as_bytes(), Path::new("/t/p"))
    }

    #[test]
    fn the_first_report_and_its_own_calls_count() {
        let text = "\
            LABRYS input\t0\t1f\tx\n\
            =====\n\
            ==7==ERROR: AddressSanitizer: heap-buffer-overflow on address 0x1 at pc 0x2 bp 0x3 sp 0x4\n\
            READ of size 4 at 0x1 thread T0\n    #0 0x5 (/t/p+0x10) (BuildId: 8)\n    #1 0x6 (/lib/libc.so.6+0x20)\n    #2 0x6 (/t/p+0x30)\n\
            \n0x1 is located 0 bytes after\nallocated by thread T0 here:\n    #0 0x5 (/t/p+0x40)\n\
            f.c:1:2: runtime error: division by zero\n";
        let report = parsed(text);
        assert_eq!(report.ending, Some(Ending::Error(ErrorKind::OutOfBounds)));
        assert_eq!((report.stack, report.place), (vec![0x10, 0x30], None));
        assert_eq!(report.inputs, [(0x1f, "x".to_owned())]);
    }

    #[test]
    fn a_panic_that_was_caught_is_not_the_end() {
        let text = "LABRYS input\t0\t1f\tx\nthread 'main' (1) panicked at a.rs:3:5:\nfirst\n\nthread 'main' (1) panicked at a.rs:9:2:\nsecond\n\n\
                    ==7==ERROR: AddressSanitizer: ABRT on unknown address 0x0\n";
        let report = parsed(text);
        assert_eq!(report.ending, Some(Ending::Error(ErrorKind::Panic("second".to_owned()))));
        assert_eq!(report.place, Some(("a.rs".to_owned(), 9, 2)));
        assert_eq!(report.inputs.len(), 1);
    }

    #[test]
    fn wild_accesses_are_told_apart() {
        let kind = |address: &str, cause: &str| {
            let text = format!(
                "==7==ERROR: AddressSanitizer: SEGV on unknown address {address} (pc 0x1 bp 0x2 sp 0x3 T0)\n{cause}\n    #0 0x5 (/t/p+0x10)\n"
            );
            parsed(&text).ending
        };
        let wild = |is_write| Some(Ending::Error(ErrorKind::WildAccess { is_write }));
        assert_eq!(kind("0x7f", "==7==The signal is caused by a WRITE memory access."), wild(Some(true)));
        assert_eq!(kind("0x7f", "==7==The signal is caused by a READ memory access."), wild(Some(false)));
        let null = "==7==The signal is caused by a READ memory access.\n==7==Hint: address points to the zero page.";
        assert_eq!(kind("0x0", null), Some(Ending::Error(ErrorKind::Null)));
        assert_eq!(kind("", "==7==Hint: this fault was caused by a dereference of a high value address"), wild(None));
    }

    #[test]
    fn what_the_runtime_says_is_read() {
        assert_eq!(parsed("LABRYS end\tassertion\t12\tf.c\tx > 0\n").place, Some(("f.c".to_owned(), 12, 0)));
        let ends = [
            ("error-reached\treach_error\t", Ending::Error(ErrorKind::ErrorReached("reach_error".to_owned()))),
            ("assumption\tklee_assume", Ending::AssumptionFailed("klee_assume".to_owned())),
            ("inputs-exhausted\t3\tx", Ending::InputsExhausted { given: 3, name: "x".to_owned() }),
            ("input-size\t4\t8\tx", Ending::InputSize { recorded: 4, asked: 8, name: "x".to_owned() }),
            ("silent-exit\t3", Ending::Exited(3)),
        ];
        for (text, ending) in ends {
            assert_eq!(parsed(&format!("LABRYS end\t{text}\n")).ending, Some(ending));
        }
    }

    #[test]
    fn damaged_reports_are_read_as_far_as_they_go() {
        for text in
            ["LABRYS end\n", "LABRYS end\t", "LABRYS input\t", "==ERROR: Sanitizer: ", ": runtime error: ", "\u{0}"]
        {
            let _ = parsed(text);
        }
    }
}
