//! The command that shows a finding again, and the machine it was found on.

use std::path::Path;

use labrys_program::{InputLayout, Leaf};

use super::options::RunOptions;

/// The processor's name, as the system tells it.
pub fn processor() -> Option<String> {
    let text = std::fs::read_to_string("/proc/cpuinfo").ok()?;
    let line = text.lines().find(|line| line.starts_with("model name"))?;
    line.split_once(':').map(|(_, name)| name.trim().to_owned())
}

/// The command that shows the finding `id` again: it replays the finding's file where one is written, else it runs the finding's input.
/// Without a record of that it is the run's own command.
pub fn finding_command(run: &RunOptions, id: &str, inputs: &InputLayout, record: Option<&[u8]>) -> String {
    match (&run.output, record) {
        // Builds by cargo run what a report's author may have written.
        (Some(folder), _) if run.of_crate.is_some() => format!("{} --trust", replay_file(folder, id)),
        (Some(folder), _) => replay_file(folder, id),
        (None, Some(record)) => repeated(&run.command, inputs, record),
        (None, None) => same_command(&run.command),
    }
}

/// The command that replays a finding's file.
pub fn replay_file(folder: &Path, id: &str) -> String {
    format!("labrys replay {}", quoted(&folder.join(format!("{id}.json")).display().to_string()))
}

/// The run's own command, as people give it who want to read what it tells.
pub fn same_command(command: &[String]) -> String {
    words_but_for(&["--format"], command).join(" ")
}

/// The command line with this input instead of those it gives, for a shell.
fn repeated(command: &[String], inputs: &InputLayout, record: &[u8]) -> String {
    with_input(command, &given(inputs, record))
}

/// The same of an input in words.
pub fn with_input(command: &[String], input: &str) -> String {
    let mut words = words_but_for(&["--format", "--input"], command);
    // A command begins with the program's name, or is one of cargo's.
    if let Some(first) = words.first_mut().filter(|first| *first != "cargo") {
        "labrys".clone_into(first);
    }
    let input = format!("--input={input}");
    // Flags behind `--` go to the compilers.
    let at = words.iter().position(|word| word == "--").unwrap_or(words.len());
    words.insert(at, quoted(&input));
    words.join(" ")
}

/// An input as users give it: `x=1,y=2`.
pub fn given(inputs: &InputLayout, record: &[u8]) -> String {
    let value = |leaf: &Leaf| format!("{}={}", leaf.path, spelled(leaf, record));
    inputs.leaves.iter().map(value).collect::<Vec<_>>().join(",")
}

/// The words of a command but for these options, which take a value; quoted for a shell.
fn words_but_for(options: &[&str], command: &[String]) -> Vec<String> {
    let mut words = Vec::with_capacity(command.len());
    let mut rest = command.iter();
    while let Some(word) = rest.next() {
        match word.as_str() {
            "--" => {
                words.push(word.clone());
                words.extend(rest.by_ref().map(|word| quoted(word)));
            }
            option if options.contains(&option) => drop(rest.next()),
            given if given.split_once('=').is_some_and(|(option, _)| options.contains(&option)) => {}
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
fn quoted(word: &str) -> String {
    shlex::try_quote(word).map(|word| word.into_owned()).unwrap_or_else(|_| word.to_owned())
}

#[cfg(test)]
mod tests {
    use super::{same_command, words_but_for};

    /// Replay commands of a run with `--format json` once asked for JSON, too.
    #[test]
    fn what_is_not_wanted_again_is_left_out() {
        let command =
            ["labrys", "diff", "f.c", "--format", "json", "--input=x=1", "--ulps=3", "--", "-DA b", "--format", "x"];
        let command = command.map(str::to_owned);
        assert_eq!(same_command(&command), "labrys diff f.c '--input=x=1' '--ulps=3' -- '-DA b' --format x");
        let words = words_but_for(&["--format", "--input"], &command);
        assert_eq!(words, ["labrys", "diff", "f.c", "'--ulps=3'", "--", "'-DA b'", "--format", "x"]);
        let last = ["labrys", "verify", "--format=json", "f.c", "--format"].map(str::to_owned);
        assert_eq!(same_command(&last), "labrys verify f.c");
    }
}
