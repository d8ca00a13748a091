//! What a sanitized run says: which kind of error, and in which line of the program.

use super::program::Error;

/// Reports of the undefined-behaviour sanitizer, by their words.
const UNDEFINED: [(&str, &str); 10] = [
    ("null pointer", "null"),
    ("out of bounds", "out-of-bounds"),
    ("insufficient space", "out-of-bounds"),
    ("non-positive value", "out-of-bounds"),
    ("addition of unsigned offset", "out-of-bounds"),
    ("division by zero", "division-by-zero"),
    ("shift", "shift"),
    ("negative shift", "shift"),
    ("unreachable program point", "unreachable"),
    ("cannot be represented", "overflow"),
];

/// Reports of the address, memory and leak sanitizers, by their words.
const ADDRESS: [(&str, &str); 13] = [
    ("heap-use-after-free", "use-after-free"),
    ("stack-use-after", "use-after-return"),
    ("attempting double-free", "double-free"),
    ("attempting free", "invalid-free"),
    ("param-overlap", "overlap"),
    ("buffer-overflow", "out-of-bounds"),
    ("buffer-underflow", "out-of-bounds"),
    ("negative-size-param", "out-of-bounds"),
    ("use-of-uninitialized-value", "uninitialised"),
    ("detected memory leaks", "leak"),
    ("ABRT on unknown address", "abort"),
    ("SEGV on unknown address 0x00000000", "null"),
    // Before a call through a pointer, `-fsanitize=function` reads the eight bytes that lie before the function.
    ("SEGV on unknown address 0xfffffffffffffff8", "null"),
];

/// The error that a run reports in a file of this name; `None` where it reports none, or one of an unknown kind.
pub fn reported(errors: &str, file: &str) -> Option<Error> {
    // A failed assertion aborts, which the address sanitizer reports as well.
    if let Some(line) = errors.lines().find(|line| line.contains("Assertion `")) {
        return Some(Error { kind: "assertion".to_owned(), line: line_in(line, file)? });
    }
    if let Some(line) = errors.lines().find(|line| line.contains(": runtime error: ")) {
        return Some(Error { kind: kind_in(line, &UNDEFINED)?.to_owned(), line: line_in(line, file)? });
    }
    let at = errors.find("ERROR: ").or_else(|| errors.find("WARNING: MemorySanitizer"))?;
    let report = &errors[at..];
    let head = report.lines().next()?;
    let kind = match kind_in(head, &ADDRESS) {
        Some(kind) => kind,
        None if head.contains("SEGV") && report.contains("caused by a WRITE") => "read-only",
        None if head.contains("SEGV") => "out-of-bounds",
        None => return None,
    };
    Some(Error { kind: kind.to_owned(), line: report.lines().find_map(|line| line_in(line, file))? })
}

fn kind_in(line: &str, words: &[(&str, &'static str)]) -> Option<&'static str> {
    words.iter().find(|(word, _)| line.contains(word)).map(|&(_, kind)| kind)
}

/// The number behind `FILE:` in a line.
fn line_in(text: &str, file: &str) -> Option<u32> {
    let behind = &text[text.find(&format!("{file}:"))? + file.len() + 1..];
    let digits: String = behind.chars().take_while(char::is_ascii_digit).collect();
    digits.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn error(kind: &str, line: u32) -> Option<Error> {
        Some(Error { kind: kind.to_owned(), line })
    }

    #[test]
    fn reports_of_each_sanitizer_are_read() {
        let assertion = "p: /x/p.c:12: int main(void): Assertion `x' failed.\n==1==ERROR: AddressSanitizer: ABRT on unknown address\n #9 p.c:3";
        assert_eq!(reported(assertion, "p.c"), error("assertion", 12));
        let shift = "/x/p.c:5:9: runtime error: shift exponent 32 is too large for 32-bit type 'int'";
        assert_eq!(reported(shift, "p.c"), error("shift", 5));
        let heap = "==1==ERROR: AddressSanitizer: heap-buffer-overflow on address\n #0 0x1 in memcpy\n #1 0x2 in f /x/p.c:7:3\n #2 main p.c:9";
        assert_eq!(reported(heap, "p.c"), error("out-of-bounds", 7));
        let write = "==1==ERROR: AddressSanitizer: SEGV on unknown address 0x55d0\nThe signal is caused by a WRITE memory access.\n #0 f p.c:8";
        assert_eq!(reported(write, "p.c"), error("read-only", 8));
        let memory = "==1==WARNING: MemorySanitizer: use-of-uninitialized-value\n #0 main p.c:4";
        assert_eq!(reported(memory, "p.c"), error("uninitialised", 4));
        assert_eq!(reported("all is well, p.c:4", "p.c"), None);
    }
}
