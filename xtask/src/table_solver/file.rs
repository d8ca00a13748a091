//! The files of the table, their families, and what their answers should be.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

use crate::corpus::{regression_files, scan, sha256};

use super::answer::Answer;

/// A file.
pub struct File {
    /// The path below the corpus.
    pub name: String,
    pub path: PathBuf,
    /// The folder that the file is in.
    pub family: String,
    /// One entry for each check; `None` where nobody stated it.
    pub expected: Vec<Option<Answer>>,
    pub hash: String,
}

impl File {
    /// The files of all families, or of those whose names begin with one of `prefixes`, in order.
    pub fn all(root: &Path, prefixes: &[String]) -> Result<Vec<Self>> {
        let corpus = root.join("target/corpus/smt");
        let mut files = Vec::new();
        if !corpus.exists() {
            return Ok(files);
        }
        for path in regression_files(&corpus)? {
            let name = path.strip_prefix(&corpus)?.to_string_lossy().into_owned();
            let family = name.rsplit_once('/').map_or("", |(family, _)| family).to_owned();
            if prefixes.is_empty() || prefixes.iter().any(|prefix| family.starts_with(prefix.as_str())) {
                let bytes = fs::read(&path).with_context(|| format!("cannot read {}", path.display()))?;
                let expected = expected(&path, &String::from_utf8_lossy(&bytes))?;
                files.push(Self { name, path, family, expected, hash: sha256(&bytes) });
            }
        }
        Ok(files)
    }
}

/// From the expected output beside the file if there is one, else from the statuses inside.
fn expected(path: &Path, text: &str) -> Result<Vec<Option<Answer>>> {
    let checks: Vec<Option<Answer>> =
        scan(text).checks.into_iter().map(|status| status.and_then(Answer::from_word)).collect();
    let beside = path.with_extension("expect");
    if beside.exists() {
        let stated: Vec<_> = Answer::all_of(&fs::read_to_string(beside)?).into_iter().map(Some).collect();
        if stated.len() == checks.len() {
            return Ok(stated);
        }
    }
    Ok(checks)
}
