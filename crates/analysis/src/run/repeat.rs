//! The command that shows a finding again, and the machine it was found on.

use labrys_program::{InputLayout, Leaf};

/// The processor's name, as the system tells it.
pub fn processor() -> Option<String> {
    let text = std::fs::read_to_string("/proc/cpuinfo").ok()?;
    let line = text.lines().find(|line| line.starts_with("model name"))?;
    line.split_once(':').map(|(_, name)| name.trim().to_owned())
}

/// The command line with this input instead of those it gives, for a shell.
pub fn repeated(command: &[String], inputs: &InputLayout, record: &[u8]) -> String {
    let mut words = without_inputs(command);
    if let Some(first) = words.first_mut() {
        *first = "labrys".to_owned();
    }
    let values: Vec<String> =
        inputs.leaves.iter().map(|leaf| format!("{}={}", leaf.path, spelled(leaf, record))).collect();
    let input = format!("--input={}", values.join(","));
    // Flags behind `--` go to the compilers.
    let at = words.iter().position(|word| word == "--").unwrap_or(words.len());
    words.insert(at, quoted(&input));
    words.join(" ")
}

/// The words of a command but for the inputs it gives, quoted for a shell.
fn without_inputs(command: &[String]) -> Vec<String> {
    let mut words = Vec::with_capacity(command.len());
    let mut rest = command.iter();
    while let Some(word) = rest.next() {
        match word.as_str() {
            "--" => {
                words.push(word.clone());
                words.extend(rest.by_ref().map(|word| quoted(word)));
            }
            "--input" => drop(rest.next()),
            given if given.starts_with("--input=") => {}
            _ => words.push(quoted(word)),
        }
    }
    words
}

fn spelled(leaf: &Leaf, record: &[u8]) -> String {
    match leaf.float(record) {
        Some(float) if float.is_nan() => format!("bits:{:#x}", leaf.read(record)),
        Some(float) => float.to_shortest_decimal(),
        None => labrys_report::Value::scalar(None, leaf.scalar, leaf.read(record)).decimal.unwrap_or_default(),
    }
}

/// A word as a shell takes it.
pub fn quoted(word: &str) -> String {
    shlex::try_quote(word).map(|word| word.into_owned()).unwrap_or_else(|_| word.to_owned())
}
