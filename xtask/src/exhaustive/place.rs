//! Where in the source an instruction is, by LLVM's symboliser.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result, bail};
use serde::Deserialize;

use super::harness::{Count, Truth};

/// A file's name without folders, a line and a column; the column is 0 where it is not known.
pub type Place = (String, u32, u32);

/// What was raised where: by place and exception.
pub type Raised = BTreeMap<(Place, String), Count>;

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct Answer {
    #[serde(default)]
    symbol: Vec<Frame>,
}

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct Frame {
    file_name: String,
    line: u32,
    column: u32,
}

/// A file's name without its folders.
pub fn file_name(path: &str) -> String {
    path.rsplit('/').next().unwrap_or(path).to_owned()
}

/// What was raised at which place; several instructions of one place are put together.
pub fn locate(library: &Path, truth: &Truth) -> Result<Raised> {
    let mut raised = Raised::new();
    if truth.places.is_empty() {
        return Ok(raised);
    }
    let mut command = Command::new("llvm-symbolizer-22");
    command.arg("--output-style=JSON").arg(format!("--obj={}", library.display()));
    command.args(truth.places.iter().map(|instruction| format!("{:#x}", instruction.offset)));
    let output = command.output().context("cannot run llvm-symbolizer-22")?;
    let answers: Vec<Answer> = serde_json::from_slice(&output.stdout).context("the symboliser's answer is no JSON")?;
    if answers.len() != truth.places.len() {
        bail!("the symboliser answered {} of {} questions", answers.len(), truth.places.len());
    }
    for (instruction, answer) in truth.places.iter().zip(&answers) {
        // The first frame is the innermost: that of the function that was inlined.
        let frame = answer.symbol.first();
        let place =
            frame.map_or_else(Default::default, |frame| (file_name(&frame.file_name), frame.line, frame.column));
        for (exception, count) in &instruction.exceptions {
            raised
                .entry((place.clone(), exception.clone()))
                .and_modify(|all| all.count += count.count)
                .or_insert_with(|| count.clone());
        }
    }
    Ok(raised)
}
