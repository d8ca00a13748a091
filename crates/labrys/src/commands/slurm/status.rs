//! How far a campaign is: from the shards' folders, into which others may be writing.

use std::path::{Path, PathBuf};
use std::time::SystemTime;

use anyhow::{Context, Result, bail};
use labrys_analysis::library::shard_record::{RECORD_FILE, ShardRecord};
use labrys_analysis::library::{Hash, Tally};
use labrys_report::visible;

use super::{submit_file, word};
use crate::commands::output::{report_in, write_out};

/// The exit code as long as something is missing.
const UNFINISHED: u8 = 3;

/// How far one part is.
struct Line {
    record: ShardRecord,
    done: usize,
    seconds: f64,
    written: Option<SystemTime>,
}

/// Prints how far the parts below a folder are; the exit code.
pub fn show(folder: &Path) -> Result<u8> {
    let mut lines = Vec::new();
    let entries = std::fs::read_dir(folder).with_context(|| format!("cannot read {}", folder.display()))?;
    let parts: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
    for part in parts.iter().filter(|part| part.join(RECORD_FILE).is_file()) {
        lines.push(Line::of(part)?);
    }
    if lines.is_empty() {
        if !submit_file(folder).is_file() {
            bail!("{}: no campaign of labrys slurm is here", folder.display());
        }
        write_out(&format!("no shard was begun yet; {}\n", visible(&build_words(folder))))?;
        return Ok(UNFINISHED);
    }
    lines.sort_by_key(|line| (line.record.asks_callers, line.record.index));
    let mut text = String::new();
    let mut is_finished = true;
    for (asks_callers, what) in [(false, "functions"), (true, "callers")] {
        let of: Vec<&Line> = lines.iter().filter(|line| line.record.asks_callers == asks_callers).collect();
        let Some(count) = of.first().map(|line| line.record.count) else { continue };
        text.push_str(&format!("{what:<10} {:>5} {:>5}  {:>10}\n", "done", "of", "seconds"));
        for line in &of {
            text.push_str(&line.words());
        }
        let (done, tasks) =
            of.iter().fold((0, 0), |(done, tasks), line| (done + line.done, tasks + line.record.tasks.len()));
        let seconds = of.iter().fold(0.0, |seconds, line| seconds + line.seconds);
        let finished = of.iter().filter(|line| line.record.finished).count();
        let absent: Vec<String> = (1..=count)
            .filter(|index| !of.iter().any(|line| line.record.index == *index))
            .map(|index| index.to_string())
            .collect();
        text.push_str(&format!(
            "{:<10} {done:>5} {tasks:>5}  {seconds:>10.1}  {finished} of {count} shards have finished\n",
            "together"
        ));
        if !absent.is_empty() {
            text.push_str(&format!("not begun: {}\n", absent.join(", ")));
        }
        is_finished &= finished == count as usize;
    }
    let report = report_in(folder);
    let is_merged = report.is_file();
    text.push_str(&match is_merged {
        true => format!("the report is made: {}\n", report.display()),
        false => "the report is not made yet\n".to_owned(),
    });
    write_out(&visible_text(&text))?;
    Ok(if is_finished && is_merged { 0 } else { UNFINISHED })
}

/// What the job before all shards says.
fn build_words(folder: &Path) -> String {
    let log = folder.join("logs/build.log");
    match std::fs::read_to_string(&log) {
        Ok(text) => {
            let last = text.lines().rev().find(|line| !line.trim().is_empty()).unwrap_or("nothing so far");
            format!("{} says: {}", log.display(), last.trim())
        }
        Err(_) => format!("{} submits the jobs, and squeue says what they wait for", word(&submit_file(folder))),
    }
}

/// Names of folders may hold anything.
fn visible_text(text: &str) -> String {
    text.lines().map(|line| format!("{}\n", visible(line))).collect()
}

impl Line {
    fn of(folder: &Path) -> Result<Line> {
        let record = ShardRecord::read(folder)?;
        let tally = Tally::of(folder, &hash(&record.options_hash))?;
        let done = record.tasks.iter().filter(|task| tally.kept.binary_search(task).is_ok()).count();
        Ok(Line { record, done, seconds: tally.seconds.max(0.0), written: tally.written })
    }

    fn words(&self) -> String {
        let Line { record, done, seconds, .. } = self;
        let state = match (record.finished, self.written.and_then(|written| written.elapsed().ok())) {
            (true, _) => "finished".to_owned(),
            (false, Some(ago)) => format!("last written to {:.0} s ago", ago.as_secs_f64()),
            (false, None) => "begun".to_owned(),
        };
        format!("{:<10} {done:>5} {:>5}  {seconds:>10.1}  {state}\n", record.index, record.tasks.len())
    }
}

/// A hash of hexadecimal digits; another text is no hash of anything.
fn hash(digits: &str) -> Hash {
    let mut hash = Hash::default();
    for (at, byte) in hash.iter_mut().enumerate() {
        *byte = digits.get(2 * at..2 * at + 2).and_then(|pair| u8::from_str_radix(pair, 16).ok()).unwrap_or_default();
    }
    hash
}
