//! What labrys says of a function.

use std::path::Path;
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail};
use serde_json::Value;

use super::function::Function;
use super::place::{Place, file_name};

/// What is said of a pair.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// Some input raises it.
    Reachable,
    /// No input does.
    Unreachable,
    /// Anything else: nothing that a call could contradict.
    Open,
}

/// A site and an exception.
#[derive(Clone, Debug)]
pub struct Pair {
    /// Where it is.
    pub place: Place,
    /// The operator, or the name of a function that is called.
    pub operator: String,
    /// The exception.
    pub exception: String,
    /// What is said.
    pub verdict: Verdict,
    /// Who says so: `ranges`, `portfolio`; empty where it is no proof.
    pub engine: String,
}

/// All pairs of a function, and how to ask again.
#[derive(Clone, Debug)]
pub struct Claims {
    /// The pairs.
    pub pairs: Vec<Pair>,
    /// The command, for a shell in the function's folder.
    pub command: String,
}

impl Claims {
    /// Runs `labrys exceptions`.
    pub fn ask(labrys: &Path, function: &Function, seconds: u32) -> Result<Claims> {
        let (own, others) = function.sources.split_first().context("a function has a source")?;
        let mut words = vec!["exceptions".to_owned(), own.clone(), "-f".into(), function.name.clone()];
        for other in others {
            words.extend(["--link".to_owned(), other.clone()]);
        }
        words.extend(["--build".to_owned(), function.build.clone()]);
        if let Some(range) = &function.range {
            words.extend(["--range".to_owned(), format!("x={range}")]);
        }
        // Proofs are what is looked at: a short search leaves the time to them.
        words.extend(["--max-work", "20000", "--time"].map(str::to_owned));
        words.push(format!("{seconds}s"));
        let mut command = Command::new(labrys);
        command.current_dir(&function.folder).args(&words).args(["--format", "json", "--"]).args(&function.flags);
        let output =
            command.stdin(Stdio::null()).output().with_context(|| format!("cannot run {}", labrys.display()))?;
        if !matches!(output.status.code(), Some(0 | 1 | 3)) {
            bail!("labrys exceptions: {}: {}", output.status, String::from_utf8_lossy(&output.stderr));
        }
        let report: Value = serde_json::from_slice(&output.stdout).context("the report is no JSON")?;
        if output.status.code() == Some(3) && report["sites"].as_array().is_none_or(Vec::is_empty) {
            bail!("labrys exceptions was cut short before it knew of any pair: --analysis-time {seconds} is too short");
        }
        let quoted: Vec<String> =
            words.iter().chain([&"--".to_owned()]).chain(&function.flags).map(|word| quote(word)).collect();
        Ok(Claims { pairs: pairs(&report), command: format!("labrys {}", quoted.join(" ")) })
    }
}

/// A word as a shell takes it.
fn quote(word: &str) -> String {
    let plain = word.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_./=:,".contains(&byte));
    if plain { word.to_owned() } else { format!("'{word}'") }
}

/// The pairs of a report.
pub fn pairs(report: &Value) -> Vec<Pair> {
    // A function without a floating-point operation has none.
    let Some(sites) = report["sites"].as_array() else { return Vec::new() };
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let number = |value: &Value| value.as_u64().and_then(|number| u32::try_from(number).ok()).unwrap_or(0);
    sites
        .iter()
        .map(|site| Pair {
            place: (file_name(&text(&site["file"])), number(&site["line"]), number(&site["column"])),
            operator: text(&site["operator"]),
            exception: text(&site["exception"]),
            verdict: match site["verdict"].as_str() {
                Some("reachable") => Verdict::Reachable,
                Some("unreachable") => Verdict::Unreachable,
                _ => Verdict::Open,
            },
            engine: text(&site["engine"]),
        })
        .collect()
}
