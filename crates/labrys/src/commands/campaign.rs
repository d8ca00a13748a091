//! The command lines of a run's parts: that of the whole run, and what is said only to a part.

use std::path::Path;

/// Options that only parts have, with their values.
const OF_PARTS: [&str; 4] = ["--shard", "--gather", "--products", "--balance"];

/// Whether a word is this option, and whether its value is in the word.
fn option(word: &str, names: &[&str]) -> Option<bool> {
    names.iter().find_map(|name| {
        let rest = word.strip_prefix(name)?;
        if rest.is_empty() {
            return Some(false);
        }
        // `-oDIR`, and `--output=DIR`.
        (rest.starts_with('=') || !name.starts_with("--")).then_some(true)
    })
}

/// The words of a command without these options, behind which a value stands.
pub fn without(command: &[String], names: &[&str]) -> Vec<String> {
    let mut kept = Vec::with_capacity(command.len());
    let mut words = command.iter();
    while let Some(word) = words.next() {
        if word == "--" {
            kept.push(word.clone());
            kept.extend(words.by_ref().cloned());
            break;
        }
        match option(word, names) {
            Some(true) => {}
            Some(false) => drop(words.next()),
            None => kept.push(word.clone()),
        }
    }
    kept
}

/// The command of the whole run, from that of a part: its results go to `output`, where the part's went to its folder.
pub fn of_whole(command: &[String], output: Option<&Path>) -> Vec<String> {
    let command = without(command, &OF_PARTS);
    let mut whole = Vec::with_capacity(command.len());
    let mut words = command.iter();
    while let Some(word) = words.next() {
        if word == "--" {
            whole.push(word.clone());
            whole.extend(words.by_ref().cloned());
            break;
        }
        let Some(has_value) = option(word, &["-o", "--output"]) else {
            whole.push(word.clone());
            continue;
        };
        let name = if word.starts_with("--") { "--output" } else { "-o" };
        if !has_value {
            words.next();
        }
        if let Some(output) = output {
            whole.extend([name.to_owned(), output.display().to_string()]);
        }
    }
    whole
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str) -> Vec<String> {
        text.split_whitespace().map(str::to_owned).collect()
    }

    #[test]
    fn a_part_s_command_is_that_of_the_whole_run() {
        let part = "labrys exceptions -p . --shard 1/4 --products=out/build --gather a --gather=b -o out/s1 --all -- -o x --shard y";
        let whole = "labrys exceptions -p . -o out --all -- -o x --shard y";
        assert_eq!(of_whole(&words(part), Some(Path::new("out"))), words(whole));
        assert_eq!(of_whole(&words("labrys diff -oout/s1 --ulps 3"), None), words("labrys diff --ulps 3"));
        let long = of_whole(&words("labrys diff --output=out/s1 --balance old"), Some(Path::new("o")));
        assert_eq!(long, words("labrys diff --output o"));
        assert_eq!(without(&words("a --tasks 3 --tasks=4 --task 5"), &["--tasks"]), words("a --task 5"));
    }
}
