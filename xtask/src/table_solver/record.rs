//! What was measured, kept between runs.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use serde::{Deserialize, Serialize};

use super::answer::Answer;

/// One run of a solver on a file.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub struct Run {
    pub answers: Vec<Answer>,
    /// Wall time of the whole process.
    pub seconds: f64,
    /// What went wrong: the end of the error output, or that it was killed.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub note: String,
    /// SHA-256 of the file.
    pub hash: String,
}

/// All runs, by solver, limit in seconds and name of the file.
#[derive(Debug, Default, Deserialize, Serialize)]
pub struct Record {
    /// The machine and its processor: other machines' times are not comparable.
    machine: String,
    runs: BTreeMap<String, BTreeMap<u32, BTreeMap<String, Run>>>,
    #[serde(skip)]
    path: PathBuf,
}

impl Record {
    /// What this machine measured before; nothing where there is no record or it is another's.
    pub fn load(root: &Path) -> Result<Self> {
        let path = root.join("target/table/solver.json");
        let machine = machine();
        if let Ok(text) = fs::read_to_string(&path) {
            let record: Self = serde_json::from_str(&text).with_context(|| format!("{} is damaged", path.display()))?;
            if record.machine == machine {
                return Ok(Self { path, ..record });
            }
        }
        Ok(Self { machine, runs: BTreeMap::new(), path })
    }

    /// Writes the record; all at once, so that an interruption leaves the old one.
    pub fn save(&self) -> Result<()> {
        fs::create_dir_all(self.path.parent().context("a file in no folder")?)?;
        let next = self.path.with_extension("next");
        fs::write(&next, serde_json::to_string_pretty(self)?)?;
        fs::rename(next, &self.path)?;
        Ok(())
    }

    pub fn get(&self, solver: &str, limit: u32, file: &str) -> Option<&Run> {
        self.runs.get(solver)?.get(&limit)?.get(file)
    }

    pub fn put(&mut self, solver: &str, limit: u32, file: &str, run: Run) {
        let by_limit = self.runs.entry(solver.to_owned()).or_default();
        by_limit.entry(limit).or_default().insert(file.to_owned(), run);
    }
}

/// The host's name and its processor's.
fn machine() -> String {
    let host = fs::read_to_string("/proc/sys/kernel/hostname").unwrap_or_default();
    let processors = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let model = processors.lines().find_map(|line| line.strip_prefix("model name")).unwrap_or_default();
    format!("{}, {}", host.trim(), model.trim_start_matches([' ', '\t', ':']))
}
