//! Every call, and what it raised: `xtask/exhaustive/harness.c` and its answers.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};
use serde::Deserialize;

use super::function::COMPILER;
use crate::corpus::{complete, sha256};

/// An exception's count.
#[derive(Clone, Debug, Deserialize)]
pub struct Count {
    /// How many inputs raised it.
    pub count: u64,
    /// The first of them, as the harness writes encodings: `0x3f800000`.
    #[serde(default)]
    pub input: String,
}

/// Counts by exception.
pub type Counts = BTreeMap<String, Count>;

/// An instruction that raised something.
#[derive(Clone, Debug, Deserialize)]
pub struct Instruction {
    /// Its address in the shared object.
    pub offset: u64,
    /// What it raised, on the inputs that were traced.
    pub exceptions: Counts,
}

/// What the calls of a function raised.
#[derive(Clone, Debug, Deserialize)]
pub struct Truth {
    /// How many calls there were.
    pub calls: u64,
    /// How many of them raised something, signaling NaNs left out.
    pub raising: u64,
    /// How many of these were traced to instructions.
    pub traced: u64,
    /// On how many of the traced ones the instructions found do not explain all exceptions.
    pub incomplete: u64,
    /// What was raised, signaling NaNs left out.
    pub exceptions: Counts,
    /// The instructions of the function's shared object that did.
    pub places: Vec<Instruction>,
}

/// Which inputs.
#[derive(Clone, Copy, Debug)]
pub struct Inputs {
    /// The first encoding.
    pub first: u32,
    /// The last one.
    pub last: u32,
    /// The closed interval that they lie in; without one NaNs are inputs, too.
    pub range: Option<(f32, f32)>,
}

impl Inputs {
    /// Every float, or every one of an interval as `--range` has it: `-10..10`.
    pub fn all(range: Option<&str>) -> Result<Inputs> {
        let parse = |range: &str| -> Result<(f32, f32)> {
            let (low, high) = range.split_once("..").context("an interval has two ends")?;
            Ok((low.parse()?, high.parse()?))
        };
        Ok(Inputs { first: 0, last: u32::MAX, range: range.map(parse).transpose()? })
    }
}

/// The compiled harness.
pub struct Harness {
    program: PathBuf,
    results: PathBuf,
}

impl Harness {
    /// Compiles it into the folder that results are kept in; a sparse one calls few of its inputs.
    pub fn build(root: &Path, results: &Path, is_sparse: bool) -> Result<Harness> {
        fs::create_dir_all(results)?;
        let program = results.join(if is_sparse { "harness-sparse" } else { "harness" });
        let source = root.join("xtask/exhaustive/harness.c");
        let mut command = Command::new(COMPILER);
        command.args(["-O2", "-Wall", "-Wextra", "-o"]).arg(&program).arg(&source);
        if is_sparse {
            command.arg("-DSPARSE");
        }
        complete(&mut command)?;
        Ok(Harness { program, results: results.to_owned() })
    }

    /// Calls a function of a shared object on the inputs, unless that was done before with the same code.
    pub fn run(&self, library: &Path, function: &str, inputs: &Inputs) -> Result<Truth> {
        // NaNs stand for no interval.
        let (low, high) = inputs.range.unwrap_or((f32::NAN, f32::NAN));
        let numbers = [inputs.first, inputs.last, low.to_bits(), high.to_bits()].map(|bits| format!("{bits:x}"));
        let arguments: Vec<String> = std::iter::once(function.to_owned()).chain(numbers).collect();
        let mut key = fs::read(&self.program)?;
        key.extend(fs::read(library)?);
        key.extend(arguments.join(" ").bytes());
        let kept = self.results.join(format!("{}.json", &sha256(&key)[..32]));
        if let Ok(text) = fs::read(&kept) {
            return serde_json::from_slice(&text).with_context(|| format!("{} is damaged", kept.display()));
        }
        let output = Command::new(&self.program).arg(library).args(&arguments).output()?;
        if !output.status.success() {
            bail!("{function}: the harness ended with {}: {}", output.status, String::from_utf8_lossy(&output.stderr));
        }
        let truth = serde_json::from_slice(&output.stdout).context("the harness' answer is no JSON")?;
        let draft = kept.with_extension("draft");
        fs::write(&draft, &output.stdout)?;
        fs::rename(&draft, &kept)?;
        Ok(truth)
    }
}
