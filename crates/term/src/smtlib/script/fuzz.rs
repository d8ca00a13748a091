//! Fuzzing of the reader of scripts: one run's body, and the mutations that make its inputs.
//!
//! `cargo run --release -p labrys-term --example fuzz_scripts -- 1000000` runs it at length over `crates/term/corpus`; a
//! bounded run is a test.

use super::{Script, Source, Splitter};
use crate::smtlib::script::Command;
use crate::smtlib::{Options, print_script, symbol};
use crate::{Op, Store, TermId};

/// Larger results are not printed and read again: their text would take longer than many other runs.
const LARGEST_PRINTED: usize = 2_000;

/// Reads a text, of whatever bytes, and checks what must hold of every text.
///
/// # Errors
///
/// What does not hold: a fault's place lies outside of the text; the cutter of streams and the reader disagree on where
/// a command ends; or terms that were read, printed and read again are not the same.
pub fn fuzz_once(text: &[u8]) -> Result<(), String> {
    let (mut store, mut script, mut source) = (Store::new(), Script::new(), Source::new(text));
    let mut splitter = Splitter::new();
    let (mut assertions, mut cut) = (Vec::new(), 0);
    loop {
        match script.next(&mut store, &mut source) {
            Ok(None) => break,
            Ok(Some(command)) => {
                let end = source.last_command().end;
                cut += splitter.feed(&text[cut..]).ok_or("the cutter finds no end of a command")?;
                if cut != end {
                    return Err(format!("the cutter ends a command at {cut}, the reader at {end}"));
                }
                if let Command::Assert { term, .. } = command {
                    assertions.push(term);
                }
            }
            Err(error) => {
                if error.position > source.end() || error.to_string().len() > 2_000 {
                    return Err(format!("a fault outside of the text, or too long: {error}"));
                }
                break;
            }
        }
    }
    printed_and_read(&mut store, &assertions)
}

fn printed_and_read(store: &mut Store, assertions: &[TermId]) -> Result<(), String> {
    let terms = store.reachable(assertions);
    // What is printed by a definition, and names that are replaced, read as something else of the same meaning.
    let prints_as_itself = |term: &TermId| match &store.node(*term).op {
        Op::FpToBits => false,
        Op::Variable(variable) => super::symbols::written(store.variable_info(*variable).0) == symbol(store, *variable),
        _ => true,
    };
    if terms.len() > LARGEST_PRINTED || !terms.iter().all(prints_as_itself) {
        return Ok(());
    }
    let printed = print_script(store, assertions, &Options::default());
    let (mut script, mut source) = (Script::new(), Source::new(printed.as_bytes()));
    let mut again = Vec::new();
    loop {
        match script.next(store, &mut source) {
            Ok(None) => break,
            Ok(Some(Command::Assert { term, .. })) => again.push(term),
            Ok(Some(Command::Unsupported { what, .. })) => return Err(format!("printed, but unsupported: {what}")),
            Ok(Some(_)) => {}
            Err(error) => return Err(format!("printed, but malformed: {error}")),
        }
    }
    if again == assertions { Ok(()) } else { Err("terms printed and read are not the same".to_owned()) }
}

/// Chooses a number below another one, which is not 0.
type Below<'a> = dyn FnMut(usize) -> usize + 'a;

/// Words that mutations put into texts.
const WORDS: [&str; 40] = [
    "(",
    ")",
    "()",
    "((",
    "))",
    "let",
    "!",
    "_",
    "as",
    "|",
    "\"",
    ";",
    "#b",
    "#x",
    "#b1",
    ":named",
    "0",
    "1",
    "4294967295",
    "18446744073709551616",
    "1.5",
    "true",
    "x",
    "(_ BitVec 8)",
    "(_ FloatingPoint 5 11)",
    "(_ bv7 8)",
    "(_ NaN 5 11)",
    "RNE",
    "to_fp",
    "extract",
    "concat",
    "fp.add",
    "bvadd",
    "Bool",
    "Real",
    "(let ((x x)) x)",
    "(push 2)",
    "(pop 1)",
    "\u{e9}",
    "(define-fun f ((x Bool)) Bool x)",
];

/// A mutation of one of `corpus`, as `below` chooses: a number below the one that it is given, which is not 0.
pub fn mutated(corpus: &[Vec<u8>], below: &mut Below<'_>) -> Vec<u8> {
    if corpus.is_empty() {
        return Vec::new();
    }
    let mut text = corpus[below(corpus.len())].clone();
    for _ in 0..=below(6) {
        mutate(&mut text, corpus, below);
    }
    text
}

fn mutate(text: &mut Vec<u8>, corpus: &[Vec<u8>], below: &mut Below<'_>) {
    let place = below(text.len() + 1);
    let end = (place + 1 + below(40)).min(text.len()).max(place);
    match below(9) {
        0 => text.truncate(place),
        1 => drop(text.drain(place..end)),
        2 => text.insert(place, below(256) as u8),
        3 => {
            if let Some(byte) = text.get_mut(place) {
                *byte ^= 1 << below(8);
            }
        }
        4 | 5 => {
            let word = format!(" {} ", WORDS[below(WORDS.len())]);
            drop(text.splice(place..place, word.bytes()));
        }
        6 => {
            let piece = text[place..end].to_vec();
            let target = below(text.len() + 1);
            drop(text.splice(target..target, piece));
        }
        7 => {
            let other = &corpus[below(corpus.len())];
            let from = below(other.len() + 1);
            let to = (from + below(200)).min(other.len());
            drop(text.splice(place..end, other[from..to].iter().copied()));
        }
        _ => {
            // A list exchanged for another list of the same text.
            if let (Some(one), Some(other)) = (list(text, below), list(text, below)) {
                let piece = text[other].to_vec();
                drop(text.splice(one, piece));
            }
        }
    }
}

/// Some list in a text, by counting parentheses.
fn list(text: &[u8], below: &mut Below<'_>) -> Option<std::ops::Range<usize>> {
    let from = below(text.len() + 1);
    let begin = from + text[from..].iter().position(|&byte| byte == b'(')?;
    let mut depth = 0usize;
    for (index, byte) in text[begin..].iter().enumerate() {
        match byte {
            b'(' => depth += 1,
            b')' => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return Some(begin..begin + index + 1);
        }
    }
    None
}
