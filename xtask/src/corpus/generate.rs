//! `cargo xtask corpus smt-generate`: writes the generated families and checks them against the committed hashes.
//!
//! The hashes were committed before any solver was tuned on the files. A change of a generator shows as a mismatch.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::fs;
use std::path::Path;

use anyhow::{Context, Result, bail};
use sha2::{Digest, Sha256};

use super::families::{FAMILIES, INSTANCES, SIZES};

/// Where the hashes are: lines of a SHA-256 in hexadecimal, two spaces and a path, as `sha256sum` writes them.
const HASHES: &str = "xtask/corpus/generated.sha256";

/// Where the files go, in the folder of the workspace.
const FOLDER: &str = "target/corpus/smt/generated";

/// The SHA-256 of bytes in hexadecimal.
pub fn sha256(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().fold(String::new(), |mut text, byte| {
        write!(text, "{byte:02x}").expect("writing to a string");
        text
    })
}

/// The files: their paths below the folder, and their texts.
fn files() -> BTreeMap<String, String> {
    let mut files = BTreeMap::new();
    for family in &FAMILIES {
        for (size, size_name) in SIZES.iter().enumerate() {
            for instance in 0..INSTANCES {
                let path = format!("{}/{size_name}-{instance}.smt2", family.name);
                files.insert(path, family.file(size, instance));
            }
        }
    }
    files
}

/// Writes the files; false where a hash differs from the committed one. With `bless` the hashes are written instead.
pub fn run(root: &Path, bless: bool) -> Result<bool> {
    let files = files();
    let mut listing = String::new();
    for (path, text) in &files {
        let full = root.join(FOLDER).join(path);
        fs::create_dir_all(full.parent().context("a file in no folder")?)?;
        fs::write(&full, text).with_context(|| format!("cannot write {}", full.display()))?;
        writeln!(listing, "{}  {path}", sha256(text.as_bytes()))?;
    }
    let committed = root.join(HASHES);
    if bless {
        fs::create_dir_all(committed.parent().context("a file in no folder")?)?;
        fs::write(&committed, listing)?;
        return Ok(true);
    }
    let expected = fs::read_to_string(&committed).with_context(|| format!("cannot read {}", committed.display()))?;
    let differing: Vec<&str> = listing.lines().filter(|line| !expected.lines().any(|other| other == *line)).collect();
    if expected.lines().count() != files.len() {
        bail!("{HASHES} lists {} files, {} were generated", expected.lines().count(), files.len());
    }
    for line in &differing {
        println!("not as committed: {line}");
    }
    println!("{} files in {FOLDER}", files.len());
    Ok(differing.is_empty())
}

#[cfg(test)]
mod tests {
    use super::{FAMILIES, HASHES, files, sha256};

    /// What the generators make is what was committed before any tuning.
    #[test]
    fn the_hashes_are_the_committed_ones() {
        let committed = std::fs::read_to_string(crate::root().join(HASHES)).expect("the committed hashes");
        let made: String =
            files().iter().map(|(path, text)| format!("{}  {path}\n", sha256(text.as_bytes()))).collect();
        assert_eq!(made, committed);
        assert_eq!(committed.lines().count(), FAMILIES.len() * 9);
    }
}
