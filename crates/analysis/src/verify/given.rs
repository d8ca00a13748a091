//! A program run natively on an input that the user gives: a `.ktest`, SV-COMP's witness of a violation, or words.

use std::path::Path;

use labrys_testcase::{InputObject, Ktest, TestInput, Witness};

use super::replaying::Replayer;
use super::request::Request;
use super::{building, witness, write_up};
use crate::run::clock::Clock;
use crate::run::files::{must_be_readable, temporary_folder};
use crate::{AnalysisError, Done, Progress};

/// So many bytes of input stand in a command at most.
const SHOWN: usize = 200;

/// An input that the user gives.
#[derive(Clone, Copy, Debug)]
pub enum GivenInput<'a> {
    /// In a file, by its suffix.
    File(&'a Path),
    /// What the program asks for, in that order: `x=000000000000f03f,n=02000000`.
    Words(&'a str),
}

/// Runs the request's program on an input, without symbolic execution.
///
/// # Errors
///
/// Where the input cannot be read, or the program cannot be built or run.
pub fn run_given(request: &Request, given: GivenInput<'_>, progress: &dyn Progress) -> Result<Done, AnalysisError> {
    let clock = Clock::start(request.time);
    let input = match given {
        GivenInput::File(file) => read(file)?,
        GivenInput::Words(words) => TestInput { arguments: request.arguments.clone(), objects: objects(words)? },
    };
    let folder = temporary_folder()?;
    progress.phase("building");
    let built = building::build(request, folder.path(), &clock)?;
    progress.phase("running");
    let mut replayer = Replayer::new(request, &built, folder.path(), &clock);
    let shown = replayer.run_wide(&input).map_err(AnalysisError::Usage)?;
    Ok(write_up::report_of_run(request, &built, &input, &shown, &clock))
}

/// What the program asked for in words; `None` where that is nothing, or too much, or a name would be taken apart.
pub(super) fn in_words(input: &TestInput) -> Option<String> {
    let is_plain = |of: &InputObject| !of.name.is_empty() && !of.name.contains([',', '=']) && of.name.trim() == of.name;
    let length: usize = input.objects.iter().map(|of| of.bytes.len()).sum();
    let hex = |bytes: &[u8]| bytes.iter().map(|byte| format!("{byte:02x}")).collect::<String>();
    let words = input.objects.iter().map(|of| format!("{}={}", of.name, hex(&of.bytes))).collect::<Vec<_>>();
    (!words.is_empty() && length <= SHOWN && input.objects.iter().all(is_plain)).then(|| words.join(","))
}

/// The objects in words.
fn objects(words: &str) -> Result<Vec<InputObject>, AnalysisError> {
    let one = |word: &str| {
        let wrong = |why: &str| {
            AnalysisError::Usage(format!(
                "--input: {word:?}: {why}; it takes name=bytes, as in x=000000000000f03f for 1.0"
            ))
        };
        let (name, hex) = word.split_once('=').ok_or_else(|| wrong("it has no ="))?;
        let is_whole = hex.len() % 2 == 0 && hex.bytes().all(|of| of.is_ascii_hexdigit());
        if name.trim().is_empty() || hex.is_empty() || !is_whole {
            return Err(wrong("behind a name stand bytes in hexadecimal, two digits each, as they lie in memory"));
        }
        let byte = |at: usize| u8::from_str_radix(&hex[at..at + 2], 16).unwrap_or_default();
        Ok(InputObject { name: name.trim().to_owned(), bytes: (0..hex.len()).step_by(2).map(byte).collect() })
    };
    words.split(',').map(one).collect()
}

/// The input in a file.
fn read(file: &Path) -> Result<TestInput, AnalysisError> {
    must_be_readable(file)?;
    let unreadable = |reason: String| AnalysisError::Unreadable { path: file.to_owned(), reason };
    let bytes = std::fs::read(file).map_err(|error| unreadable(error.to_string()))?;
    if matches!(file.extension().and_then(|suffix| suffix.to_str()), Some("yml" | "yaml")) {
        let witness =
            Witness::from_yaml(&String::from_utf8_lossy(&bytes)).map_err(|error| unreadable(error.to_string()))?;
        return witness::input_of(&witness)
            .ok_or_else(|| unreadable("it names no inputs that can be read back".to_owned()));
    }
    Ktest::from_bytes(&bytes).map(Ktest::into_input).map_err(|error| unreadable(error.to_string()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn inputs_in_words_are_read_back() {
        let object = |name: &str, bytes: &[u8]| InputObject { name: name.to_owned(), bytes: bytes.to_vec() };
        let input = |objects: Vec<InputObject>| TestInput { arguments: Vec::new(), objects };
        let two = input(vec![object("x", &1.5f64.to_le_bytes()), object("a b", &[0xff, 7])]);
        let words = in_words(&two).unwrap();
        assert_eq!(words, "x=000000000000f83f,a b=ff07");
        assert_eq!(objects(&words).unwrap(), two.objects);
        for odd in [vec![], vec![object("a,b", &[1])], vec![object("a=b", &[1])], vec![object("x", &[0; SHOWN + 1])]] {
            assert_eq!(in_words(&input(odd)), None);
        }
        for wrong in ["", "x", "x=", "x=1", "x=zz", "=11", "x=11,", "x=1é"] {
            assert!(objects(wrong).is_err(), "{wrong}");
        }
    }
}
