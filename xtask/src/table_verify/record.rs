//! What was measured, kept between runs.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use serde::{Deserialize, Serialize};

use super::judgement::Answer;

/// One tool's run on a program.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub struct Run {
    pub answer: Answer,
    /// Processor time, of all processes.
    pub seconds: f64,
    /// SHA-256 of the program.
    pub hash: String,
}

/// All runs, by tool, its limits, and the suite and name of the program.
#[derive(Debug, Default, Deserialize, Serialize)]
pub struct Record {
    runs: BTreeMap<String, BTreeMap<String, Run>>,
    #[serde(skip)]
    path: PathBuf,
}

impl Record {
    /// What was measured before in this folder; nothing where nothing was.
    pub fn load(root: &Path) -> Result<Self> {
        let path = root.join("target/table/verify.json");
        let record = match fs::read_to_string(&path) {
            Ok(text) => serde_json::from_str(&text).with_context(|| format!("{} is damaged", path.display()))?,
            Err(_) => Self::default(),
        };
        Ok(Self { path, ..record })
    }

    /// Writes the record; all at once, so that an interruption leaves the old one.
    pub fn save(&self) -> Result<()> {
        fs::create_dir_all(self.path.parent().context("a file in no folder")?)?;
        let next = self.path.with_extension("next");
        fs::write(&next, serde_json::to_string_pretty(self)?)?;
        fs::rename(next, &self.path)?;
        Ok(())
    }

    pub fn get(&self, tool: &str, program: &str) -> Option<&Run> {
        self.runs.get(tool)?.get(program)
    }

    pub fn put(&mut self, tool: &str, program: &str, run: Run) {
        self.runs.entry(tool.to_owned()).or_default().insert(program.to_owned(), run);
    }
}
