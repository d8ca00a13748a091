//! The reports that the report of a run over functions of a crate was made of: each function's lies in a folder beside it, with the
//! command that builds what its findings are of.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use labrys_report::{Finding, Report, read_report_file};

use super::output::report_in;

/// A function's report, and what its files of tests are called.
pub struct Part {
    /// Where it lies.
    pub file: PathBuf,
    /// The report.
    pub report: Report,
    /// The ids of its findings that are wanted.
    pub wanted: HashSet<String>,
    /// The name of its folder, which tells functions apart.
    pub folder: String,
    /// The same as a name for files: small letters, digits and `_`, for it becomes the name of a crate of tests.
    pub stem: String,
}

/// The reports beside `file`, the report `whole`, of the functions that have some of these findings, and the ids of findings that are in none of them.
///
/// # Errors
///
/// There are none.
pub fn parts((file, whole): (&Path, &Report), findings: &[&Finding]) -> Result<(Vec<Part>, Vec<String>)> {
    let beside = file.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let mut missing: HashSet<&str> = findings.iter().map(|finding| finding.id.as_str()).collect();
    let entries = std::fs::read_dir(beside).with_context(|| format!("cannot read {}", beside.display()))?;
    let mut folders: Vec<PathBuf> = entries.filter_map(|entry| Some(entry.ok()?.path())).collect();
    folders.sort();
    let mut parts: Vec<Part> = Vec::new();
    for folder in folders {
        let file = report_in(&folder);
        let Some(name) = folder.file_name().and_then(|name| name.to_str()).filter(|_| file.is_file()) else { continue };
        // What lies there beside the run's own folders is no matter.
        let Ok(report) = read_report_file(&file) else { continue };
        if report.command == whole.command {
            continue;
        }
        let ids = report.findings.iter().map(|finding| &finding.id);
        let wanted: HashSet<String> = ids.filter(|id| missing.remove(id.as_str())).cloned().collect();
        if !wanted.is_empty() {
            let stem = stem(name, &|stem| parts.iter().any(|part| part.stem == stem));
            parts.push(Part { file, report, wanted, folder: name.to_owned(), stem });
        }
    }
    if parts.is_empty() {
        bail!(
            "{}: it is of several functions of a crate, whose own reports do not lie beside it: name the folder of the run's --output",
            file.display()
        );
    }
    let is_missing = |finding: &&&Finding| missing.contains(finding.id.as_str());
    let missing = findings.iter().filter(is_missing).map(|finding| finding.id.clone()).collect();
    Ok((parts, missing))
}

/// A folder's name as one for files, other than those that are taken.
fn stem(folder: &str, is_taken: &dyn Fn(&str) -> bool) -> String {
    let words = folder.split(|c: char| !c.is_ascii_alphanumeric()).filter(|word| !word.is_empty());
    let words: Vec<String> = words.map(str::to_ascii_lowercase).collect();
    let plain = format!("findings_{}", words.join("_"));
    let numbered = (2..).map(|number: u32| format!("{plain}_{number}"));
    std::iter::once(plain.clone()).chain(numbered).find(|stem| !is_taken(stem)).unwrap_or(plain)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stems_are_names_of_crates_and_each_another() {
        let mut taken: Vec<String> = Vec::new();
        for folder in ["stats1.Running.push", "stats1.running.push", "a.f::<f64, 3>", "a_f.f64_3"] {
            let next = stem(folder, &|stem| taken.iter().any(|known| known == stem));
            taken.push(next);
        }
        let expected = [
            "findings_stats1_running_push",
            "findings_stats1_running_push_2",
            "findings_a_f_f64_3",
            "findings_a_f_f64_3_2",
        ];
        assert_eq!(taken, expected);
    }
}
