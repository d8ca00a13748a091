//! The record: a compile_commands.json to which compilers that run at once each add what they compiled.
//!
//! **Claim.** Whoever reads the file, at any time, finds a whole database; nobody's entry is lost. **Argument.** It is replaced by a rename, and only
//! by who holds the lock beside it, from reading to the rename.

use std::fs::{self, File, TryLockError};
use std::io::{Error, ErrorKind, Result};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::invocation::Unit;

/// The variable that names the record's folder; empty for no record.
const VARIABLE: &str = "LABRYS_RECORD";
/// The folder where the variable names none: at or above the folder in which the compiler runs, else in it.
const DEFAULT: &str = "labrys-record";
/// The database, as `-p` looks for it.
const DATABASE: &str = "compile_commands.json";
/// How long others may hold the record. They do for milliseconds.
const PATIENCE: Duration = Duration::from_secs(30);
/// How often it is tried.
const PAUSE: Duration = Duration::from_millis(2);

/// The record's folder for a compiler that runs in `directory`; `None` where nothing is to be recorded.
pub(super) fn folder(directory: &Path) -> Option<PathBuf> {
    match std::env::var_os(VARIABLE) {
        Some(said) if said.is_empty() => None,
        Some(said) => Some(directory.join(said)),
        None => {
            let above = directory.ancestors().map(|folder| folder.join(DEFAULT)).find(|folder| folder.is_dir());
            Some(above.unwrap_or_else(|| directory.join(DEFAULT)))
        }
    }
}

/// Adds units, instead of what was recorded of the same sources and outputs. Entries whose sources are gone go, too.
pub(super) fn add(folder: &Path, directory: &Path, compiler: &[&str], units: &[Unit]) -> Result<()> {
    fs::create_dir_all(folder)?;
    let _held = held(folder)?;
    let path = folder.join(DATABASE);
    let mut lines = lines_of(&path)?;
    let new: Vec<(String, String)> = units.iter().map(|unit| line_of(directory, compiler, unit)).collect();
    lines.retain(|line| !new.iter().any(|(key, _)| line.starts_with(key)) && is_there(line));
    lines.extend(new.into_iter().map(|(_, line)| line));
    let mut draft = tempfile::NamedTempFile::new_in(folder)?;
    std::io::Write::write_all(&mut draft, format!("[\n{}\n]\n", lines.join(",\n")).as_bytes())?;
    // Temporary files are for their owner alone.
    fs::set_permissions(draft.path(), std::os::unix::fs::PermissionsExt::from_mode(0o644))?;
    draft.persist(&path).map_err(|error| error.error)?;
    Ok(())
}

/// Holds the record until the file is dropped.
fn held(folder: &Path) -> Result<File> {
    let file = File::options().create(true).truncate(false).write(true).open(folder.join("compile_commands.lock"))?;
    let begun = Instant::now();
    loop {
        match file.try_lock() {
            Ok(()) => return Ok(file),
            Err(TryLockError::WouldBlock) if begun.elapsed() < PATIENCE => std::thread::sleep(PAUSE),
            Err(TryLockError::WouldBlock) => {
                return Err(Error::new(ErrorKind::TimedOut, "others hold it for too long"));
            }
            Err(TryLockError::Error(error)) => return Err(error),
        }
    }
}

/// The entries of a database, a line each. One that somebody wrote otherwise is written so.
fn lines_of(path: &Path) -> Result<Vec<String>> {
    let text = match fs::read_to_string(path) {
        Ok(text) => text,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(error),
    };
    // Reading thousands of entries as JSON for each new one would cost more than many a compilation.
    if let Some(inside) = text.strip_prefix("[\n").and_then(|rest| rest.strip_suffix("\n]\n")) {
        let lines: Vec<String> = inside.split(",\n").map(str::to_owned).collect();
        if lines.iter().all(|line| line.starts_with("{\"directory\":\"") && line.ends_with('}')) {
            return Ok(lines);
        }
    }
    let entries: Vec<Value> = serde_json::from_str(&text)
        .map_err(|_| Error::new(ErrorKind::InvalidData, format!("its {DATABASE} is none; remove it to begin anew")))?;
    Ok(entries.iter().map(line).collect())
}

/// An entry in one line, its key in front.
fn line(entry: &Value) -> String {
    let member = |name: &str| entry.get(name).map(|value| format!("\"{name}\":{value}"));
    let names = ["directory", "file", "output", "arguments", "command"];
    format!("{{{}}}", names.iter().filter_map(|name| member(name)).collect::<Vec<_>>().join(","))
}

/// The beginning of a unit's line, by which it is known, and the line.
fn line_of(directory: &Path, compiler: &[&str], unit: &Unit) -> (String, String) {
    let Unit { source, flags, output } = unit;
    let default = || Path::new(source).file_stem().map(|stem| format!("{}.o", stem.to_string_lossy()));
    let output = output.clone().or_else(default).unwrap_or_default();
    let mut arguments: Vec<&str> = compiler.to_vec();
    arguments.extend(flags.iter().map(String::as_str));
    arguments.extend(["-c", source, "-o", &output]);
    let entry = json!({"directory": directory, "file": source, "output": output, "arguments": arguments});
    let line = line(&entry);
    let key = line.split_once(",\"arguments\":").map_or(line.clone(), |(key, _)| format!("{key},"));
    (key, line)
}

/// Whether the source of an entry is still there; one that is not understood stays.
fn is_there(line: &str) -> bool {
    let text = |from: &str| -> Option<String> {
        let rest = line.split_once(from)?.1;
        let mut values = serde_json::Deserializer::from_str(rest).into_iter::<String>();
        values.next()?.ok()
    };
    match (text("{\"directory\":"), text(",\"file\":")) {
        (Some(directory), Some(file)) => Path::new(&directory).join(file).exists(),
        _ => true,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_are_added_replaced_and_forgotten() {
        let folder = tempfile::tempdir().expect("a folder");
        let source = |name: &str| {
            fs::write(folder.path().join(name), "").expect("a source");
            Unit { source: name.to_owned(), flags: vec!["-O2".to_owned()], output: None }
        };
        let (record, path) = (folder.path().join("record"), folder.path().join("record/compile_commands.json"));
        let read = || -> Vec<Value> { serde_json::from_str(&fs::read_to_string(&path).expect("text")).expect("JSON") };
        let (a, b) = (source("a,\n\"]\n.c"), source("b.c"));
        add(&record, folder.path(), &["cc"], &[a.clone(), b.clone()]).expect("a record");
        let again = Unit { flags: vec!["-O3".to_owned()], ..b };
        add(&record, folder.path(), &["cc"], &[again]).expect("a record");
        assert_eq!(read().len(), 2);
        assert_eq!(read()[1]["arguments"], json!(["cc", "-O3", "-c", "b.c", "-o", "b.o"]));
        // Somebody else's layout.
        let pretty = serde_json::to_string_pretty(&read()).expect("JSON");
        fs::write(&path, pretty).expect("writable");
        fs::remove_file(folder.path().join("b.c")).expect("a file");
        add(&record, folder.path(), &["cc"], &[source("c.c")]).expect("a record");
        let files: Vec<Value> = read().iter().map(|entry| entry["file"].clone()).collect();
        assert_eq!(files, [json!(a.source), json!("c.c")]);
        // What is no database is left alone.
        fs::write(&path, "text").expect("writable");
        add(&record, folder.path(), &["cc"], &[source("d.c")]).expect_err("no database");
        assert_eq!(fs::read_to_string(&path).expect("text"), "text");
    }
}
