//! What a part of a library run says of itself beside its results: `shard.json` in its folder.
//!
//! **Claim.** Folders that [`together`] accepts are the parts of one run: of one version of labrys, of one command and one set of
//! options, each part once, none missing, and every one of them had finished. What it cannot see, that the code was changed between two parts, shows
//! where results are looked for: they are kept under a fingerprint of the code, and are then missing.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use labrys_report::{Analysis, write_whole};
use serde::{Deserialize, Serialize};

use super::campaign::Shard;
use super::store::Hash;
use crate::AnalysisError;

/// The record's name in the folder of a part.
pub const RECORD_FILE: &str = "shard.json";

/// The schema's name and number.
const SCHEMA: &str = "labrys-shard/1";

/// A part of a run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ShardRecord {
    /// `labrys-shard/1`.
    pub schema: String,
    /// The version of labrys.
    pub version: String,
    /// The analysis.
    pub analysis: Analysis,
    /// The command line.
    pub command: Vec<String>,
    /// Which part, from 1.
    pub index: u32,
    /// Of how many.
    pub count: u32,
    /// Whether it asks callers, after functions were analysed in other parts.
    pub asks_callers: bool,
    /// What results depend on beside the code, by name.
    pub options: BTreeMap<String, String>,
    /// The SHA-256 of these, under which results are kept, in hexadecimal.
    pub options_hash: String,
    /// Under which names its results are kept.
    pub tasks: Vec<String>,
    /// Where the library was built.
    pub products: PathBuf,
    /// Whether all results are there.
    pub finished: bool,
}

/// A hash in hexadecimal.
pub fn hexadecimal(hash: &Hash) -> String {
    hash.iter().map(|byte| format!("{byte:02x}")).collect()
}

impl ShardRecord {
    /// A part that has just begun.
    pub fn begun(analysis: Analysis, command: Vec<String>, shard: Shard, asks_callers: bool) -> ShardRecord {
        ShardRecord {
            schema: SCHEMA.to_owned(),
            version: env!("CARGO_PKG_VERSION").to_owned(),
            analysis,
            command,
            index: shard.index,
            count: shard.count,
            asks_callers,
            options: BTreeMap::new(),
            options_hash: String::new(),
            tasks: Vec::new(),
            products: PathBuf::new(),
            finished: false,
        }
    }

    /// The record in a folder.
    ///
    /// # Errors
    ///
    /// Where there is none, or another version's; where it is no folder.
    pub fn read(folder: &Path) -> Result<ShardRecord, AnalysisError> {
        let shown = folder.display();
        let refused = |why: String| AnalysisError::Usage(format!("{shown}: {why}"));
        if folder.is_file() {
            return Err(refused("it is a file, and no folder of a shard".to_owned()));
        }
        let text = match std::fs::read(folder.join(RECORD_FILE)) {
            Ok(text) => text,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
                return Err(refused(format!("no part of a library run was begun here: there is no {RECORD_FILE}")));
            }
            Err(error) => return Err(refused(format!("{RECORD_FILE}: {error}"))),
        };
        let document: serde_json::Value =
            serde_json::from_slice(&text).map_err(|error| refused(format!("{RECORD_FILE} is no JSON: {error}")))?;
        let (schema, version) = (&document["schema"], &document["version"]);
        if schema != SCHEMA || version != env!("CARGO_PKG_VERSION") {
            let other = version.as_str().unwrap_or("something else");
            let own = env!("CARGO_PKG_VERSION");
            return Err(refused(format!(
                "it was written by labrys {other}, and this is {own}: parts are merged by the version that made them"
            )));
        }
        serde_json::from_value(document).map_err(|error| refused(format!("{RECORD_FILE}: {error}")))
    }

    /// Writes it into a folder.
    ///
    /// # Errors
    ///
    /// Where that cannot be written.
    pub fn write(&self, folder: &Path) -> Result<(), AnalysisError> {
        let text = serde_json::to_vec_pretty(self)
            .map_err(|_| AnalysisError::Internal("the record of a shard does not serialise"))?;
        Ok(write_whole(&folder.join(RECORD_FILE), &text)?)
    }

    /// Which part it is.
    pub fn shard(&self) -> Shard {
        Shard { index: self.index, count: self.count }
    }

    /// It in words: `shard 1 of 4`.
    pub fn words(&self) -> String {
        let what = if self.asks_callers { "shard that asks callers" } else { "shard" };
        format!("{what} {}", self.shard())
    }
}

/// The folders of one run's parts, with their records; `command` makes of a part's command that of the whole run. `complete`: whether all parts must be there
/// and finished.
///
/// # Errors
///
/// One line that says which folder is not one of them, or what is missing.
pub fn together(
    folders: &[PathBuf],
    command: &dyn Fn(&[String]) -> Vec<String>,
    complete: bool,
) -> Result<Vec<(PathBuf, ShardRecord)>, AnalysisError> {
    let refused = |why: String| Err(AnalysisError::Usage(why));
    let mut parts: Vec<(PathBuf, ShardRecord)> = Vec::with_capacity(folders.len());
    for folder in folders {
        parts.push((folder.clone(), ShardRecord::read(folder)?));
    }
    let Some((first_folder, first)) = parts.first() else { return refused("no folder of a shard is given".to_owned()) };
    let mut there: BTreeMap<(bool, u32), &Path> = BTreeMap::new();
    for (folder, record) in &parts {
        let (this, other) = (folder.display(), first_folder.display());
        if record.options != first.options || record.analysis != first.analysis {
            let difference = different(&record.options, &first.options);
            return refused(format!("{this} was run with other options than {other}: {difference}"));
        }
        if command(&record.command) != command(&first.command) {
            let (own, other_command) = (command(&record.command).join(" "), command(&first.command).join(" "));
            return refused(format!("{this} is of another command than {other}: `{own}` and `{other_command}`"));
        }
        if record.asks_callers == first.asks_callers && record.count != first.count {
            return refused(format!("{this} is {}, {other} is {}", record.words(), first.words()));
        }
        if let Some(twice) = there.insert((record.asks_callers, record.index), folder) {
            return refused(format!("{} is there twice: {} and {this}", record.words(), twice.display()));
        }
    }
    if complete {
        let unfinished: Vec<String> = parts
            .iter()
            .filter(|(_, record)| !record.finished)
            .map(|(folder, record)| format!("{} has not finished ({})", record.words(), folder.display()))
            .collect();
        for asks_callers in [false, true] {
            let Some((_, some)) = parts.iter().find(|(_, record)| record.asks_callers == asks_callers) else {
                if !asks_callers {
                    return refused("only shards that ask callers are given: the others are missing".to_owned());
                }
                continue;
            };
            let absent: Vec<String> = (1..=some.count)
                .filter(|index| !there.contains_key(&(asks_callers, *index)))
                .map(|index| index.to_string())
                .collect();
            if !absent.is_empty() {
                let what = if asks_callers { "shards that ask callers" } else { "shards" };
                let also: String = unfinished.iter().map(|words| format!("; {words}")).collect();
                return refused(format!(
                    "of {} {what} these are missing: {}{also}; --missing run works their part out now, --missing leave says in \
                     the report that it was not analysed",
                    some.count,
                    absent.join(", ")
                ));
            }
        }
        if !unfinished.is_empty() {
            return refused(format!(
                "{}: start it again, it goes on where it was, or merge with --missing run or leave",
                unfinished.join(", ")
            ));
        }
    }
    parts.sort_by_key(|(_, record)| (record.asks_callers, record.index));
    Ok(parts)
}

/// The first option in which two runs differ.
fn different(own: &BTreeMap<String, String>, other: &BTreeMap<String, String>) -> String {
    let names = own.keys().chain(other.keys());
    let value = |of: &BTreeMap<String, String>, name: &String| of.get(name).cloned().unwrap_or_default();
    names
        .map(|name| (name, value(own, name), value(other, name)))
        .find(|(_, own, other)| own != other)
        .map_or("the analysis".to_owned(), |(name, own, other)| format!("{name} is {own}, there {other}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record(index: u32, count: u32) -> ShardRecord {
        let command = ["labrys", "exceptions", "--shard", "x"].map(str::to_owned).to_vec();
        let mut record = ShardRecord::begun(Analysis::Exceptions, command, Shard { index, count }, false);
        record.options.insert("seed".to_owned(), "0".to_owned());
        record.finished = true;
        record
    }

    fn refused(records: &[ShardRecord]) -> String {
        let parent = tempfile::tempdir().expect("a folder");
        let mut folders = Vec::new();
        for (number, record) in records.iter().enumerate() {
            let folder = parent.path().join(format!("s{number}"));
            std::fs::create_dir(&folder).expect("a folder");
            record.write(&folder).expect("written");
            folders.push(folder);
        }
        match together(&folders, &|command| command.to_vec(), true) {
            Ok(_) => String::new(),
            Err(error) => error.to_string().replace(&format!("{}/", parent.path().display()), ""),
        }
    }

    #[test]
    fn the_parts_of_one_run_belong_together() {
        assert_eq!(refused(&[record(2, 2), record(1, 2)]), "");
        let of = |change: fn(&mut ShardRecord)| {
            let mut other = record(2, 2);
            change(&mut other);
            refused(&[record(1, 2), other])
        };
        assert_eq!(of(|other| other.index = 1), "shard 1 of 2 is there twice: s0 and s1");
        assert_eq!(of(|other| other.count = 3), "s1 is shard 2 of 3, s0 is shard 1 of 2");
        let seed = |other: &mut ShardRecord| drop(other.options.insert("seed".to_owned(), "7".to_owned()));
        assert_eq!(of(seed), "s1 was run with other options than s0: seed is 7, there 0");
        let command = |other: &mut ShardRecord| other.command.push("--all".to_owned());
        assert!(of(command).starts_with("s1 is of another command than s0: "));
        assert_eq!(
            of(|other| other.finished = false),
            "shard 2 of 2 has not finished (s1): start it again, it goes on where it was, or merge with --missing run or leave"
        );
        let version = |other: &mut ShardRecord| other.version = "0.0.1".to_owned();
        assert!(of(version).starts_with("s1: it was written by labrys 0.0.1, and this is "));
        assert!(
            refused(&[record(1, 4), record(3, 4)]).starts_with("of 4 shards these are missing: 2, 4; --missing run")
        );
        let unfinished = |index| ShardRecord { finished: false, ..record(index, 4) };
        let both = refused(&[record(1, 4), unfinished(3)]);
        assert!(
            both.starts_with("of 4 shards these are missing: 2, 4; shard 3 of 4 has not finished (s1); --missing run")
        );
        let all: Vec<ShardRecord> = (1..=4).map(unfinished).collect();
        assert!(refused(&all).contains("(s0), shard 2 of 4 has not finished (s1), "));
    }

    #[test]
    fn a_folder_without_a_record_is_no_part() {
        let folder = tempfile::tempdir().expect("a folder");
        let error = ShardRecord::read(folder.path()).expect_err("nothing").to_string();
        assert!(error.ends_with("there is no shard.json"), "{error}");
        std::fs::write(folder.path().join(RECORD_FILE), "{").expect("writable");
        assert!(ShardRecord::read(folder.path()).is_err());
        let file = folder.path().join(RECORD_FILE);
        let error = ShardRecord::read(&file).expect_err("a file").to_string();
        assert!(error.ends_with("shard.json: it is a file, and no folder of a shard"), "{error}");
    }
}
