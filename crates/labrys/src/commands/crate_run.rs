//! `cargo labrys` on many functions of a crate: those whose paths a pattern matches, each by a run of its own.
//!
//! A run of its own, because the report of each has then a command that replays it, and what ends one ends no other. What cannot be called is
//! listed with its reason. The reports of all are made one (`crate_report`), which is printed where another format than text is asked for, and written into the
//! folder of `--output` beside those of the functions.

use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use labrys_program::{CargoOptions, CrateFunction, FunctionFilter};
use labrys_report::{Analysis, Baseline, Report, read_report, read_report_file, visible};

use super::campaign::without;
use super::crate_report::CrateReports;
use super::output::{deliver_whole, probe_folders, report_in, tell, write_out};
use super::run_options::shown_command;
use crate::args::{Format, RunArgs};

/// How often it is looked whether a run has ended.
const PAUSE: Duration = Duration::from_millis(20);
/// As many bytes as are looked at of what a run says on stderr.
const MOST: u64 = 1 << 20;
/// As many bytes as a function's report may have.
const LONGEST_REPORT: u64 = 1 << 30;

/// Whether what stands in the place of a path means several functions.
pub fn is_pattern(given: Option<&Path>) -> bool {
    given.is_none_or(|given| given.as_os_str().as_encoded_bytes().iter().any(|byte| b"*?{".contains(byte)))
}

/// Which functions are meant, and how each is run.
pub struct CrateRun<'a> {
    /// Which analysis.
    pub analysis: Analysis,
    /// The pattern; all functions where there is none.
    pub pattern: Option<&'a Path>,
    /// What cargo is told.
    pub cargo: CargoOptions,
    /// The flags of the build that is looked at for what macros make.
    pub flags: Vec<String>,
    /// Options of each run.
    pub run: &'a RunArgs,
    /// Where known findings are written.
    pub write_known: Option<&'a Path>,
    /// How long one run may take, builds included.
    pub limit: Duration,
}

/// What became of a function.
enum Outcome {
    /// The exit code of its run, and its report where one is kept.
    Ran(u8, Option<Box<Report>>),
    /// Why it could not be called.
    Refused(String),
}

/// What became of all.
#[derive(Default)]
struct Outcomes {
    codes: Vec<u8>,
    reports: Vec<(String, Report)>,
    refused: Vec<(String, String)>,
    is_cut_short: bool,
}

/// The exit codes of a run whose report says what there is: none of its findings counts, some do, a limit came, a proof was contradicted.
const OF_REPORTS: [u8; 4] = [0, 1, 3, 4];

impl CrateRun<'_> {
    /// Runs them all, and says what could not be called; the exit code, as of a library's run: 4 where a proof was contradicted, 1 for findings, 3 where a
    /// limit ended something, 2 where no function could be called.
    pub fn all(&self) -> Result<u8> {
        let begun = Instant::now();
        if self.write_known.is_some() && !self.keeps_reports() {
            bail!("known findings of several functions are written from their reports: give --output DIR, too");
        }
        probe_folders(self.run)?;
        let paths = self.paths(begun + self.limit)?;
        let outcomes = self.run_each(&paths)?;
        none_is_an_error(&outcomes)?;
        let with = outcomes.codes.iter().filter(|code| **code == 1).count();
        let said = format!("{} of {} functions analysed, {with} with findings", outcomes.codes.len(), paths.len());
        let mut lines = vec![said];
        lines.extend(outcomes.refused.iter().map(|(path, why)| format!("  {path} was not: {}", visible(why))));
        if outcomes.is_cut_short {
            lines.push("  interrupted: the others were not".to_owned());
        }
        let code = exit_code(&outcomes);
        match self.run.format {
            Format::Text => write_out(&format!("{}\n", lines.join("\n")))?,
            _ => lines.iter().for_each(|line| tell(line)),
        }
        if self.keeps_reports() && !outcomes.reports.is_empty() {
            self.deliver(outcomes, begun.elapsed())?;
        }
        Ok(code)
    }

    /// The functions' paths.
    fn paths(&self, deadline: Instant) -> Result<Vec<String>> {
        let pattern = self.pattern.map(|pattern| pattern.display().to_string());
        let filter = FunctionFilter::new(pattern.as_slice()).map_err(|why| {
            anyhow::anyhow!("\"{}\" is no pattern of paths: {why}", pattern.as_deref().unwrap_or_default())
        })?;
        let name = pattern.as_deref().and_then(|pattern| pattern.split("::").next()).unwrap_or_default();
        let paths: Vec<String> = CrateFunction::all(name, self.cargo.clone(), &self.flags, deadline)?
            .into_iter()
            .filter(|of| filter.matches_name(&of.path, None) || filter.matches_name(&of.written, None))
            .map(|of| of.path)
            .collect();
        if paths.is_empty() {
            let meant = pattern.unwrap_or_else(|| "a crate without public functions".to_owned());
            bail!(
                "no public function's path is matched by {meant}; what procedural macros make is not looked for: name such a function by its whole path"
            );
        }
        Ok(paths)
    }

    fn run_each(&self, paths: &[String]) -> Result<Outcomes> {
        let interrupted = Arc::new(AtomicBool::new(false));
        let flag = Arc::clone(&interrupted);
        // The run of the function hears of it, too, and ends with a report of what it found. Without a handler this process ends at once.
        let _ = ctrlc::set_handler(move || flag.store(true, Ordering::SeqCst));
        let mut outcomes = Outcomes::default();
        for path in paths {
            if interrupted.load(Ordering::SeqCst) {
                outcomes.is_cut_short = true;
                break;
            }
            match self.one(path)? {
                Outcome::Ran(code, report) => {
                    outcomes.codes.push(code);
                    // By the path that could be called, which need not be that of its file; a build that was cut short has none.
                    let named = |report: &Report| {
                        let called = &report.target.function;
                        if called.contains("::") { called.clone() } else { path.clone() }
                    };
                    outcomes.reports.extend(report.map(|report| (named(&report), *report)));
                }
                Outcome::Refused(why) => {
                    // What is told of it begins with its name.
                    let without_name = why.strip_prefix(&format!("{path}: ")).map(str::to_owned);
                    outcomes.refused.push((path.clone(), without_name.unwrap_or(why)));
                }
            }
        }
        Ok(outcomes)
    }

    /// Whether the functions' reports are read.
    fn keeps_reports(&self) -> bool {
        self.run.output.is_some() || self.run.format != Format::Text
    }

    /// Prints and writes the one report.
    fn deliver(&self, outcomes: Outcomes, took: Duration) -> Result<()> {
        let Outcomes { reports, refused, is_cut_short, .. } = outcomes;
        let command = shown_command(std::env::args().collect());
        let subject = match (self.pattern, &self.cargo.package) {
            (Some(pattern), _) => pattern.display().to_string(),
            (None, Some(package)) => package.clone(),
            (None, None) => {
                reports.first().and_then(|(path, _)| path.split("::").next()).unwrap_or_default().to_owned()
            }
        };
        let analysis = self.analysis;
        let run = CrateReports { command, analysis, subject, took, reports, refused, is_cut_short };
        let report = run.together();
        if let Some(file) = self.write_known {
            Baseline::of(&report).write(file)?;
        }
        deliver_whole(&self.run.into(), &report)
    }

    /// Runs one function. Modules of sources need not be those of paths: a private one is left out where what it has is public above.
    fn one(&self, path: &str) -> Result<Outcome> {
        let outcome = self.by_path(path)?;
        let Outcome::Refused(why) = &outcome else { return Ok(outcome) };
        if !(why.contains("from outside its crate") || why.contains("there is no")) {
            return Ok(outcome);
        }
        for above in paths_above(path) {
            if let ran @ Outcome::Ran(..) = self.by_path(&above)? {
                return Ok(ran);
            }
        }
        Ok(outcome)
    }

    fn by_path(&self, path: &str) -> Result<Outcome> {
        let program = std::env::current_exe().context("cannot find labrys' own executable")?;
        let output = self.run.output.as_ref().map(|folder| folder.join(path.replace("::", ".")));
        let words: Vec<String> = std::env::args().skip(1).collect();
        let pattern = self.pattern.map(|pattern| pattern.display().to_string());
        let mut said = tempfile::tempfile().context("cannot make a temporary file")?;
        let mut printed = tempfile::tempfile().context("cannot make a temporary file")?;
        let is_read = self.run.format != Format::Text;
        let mut command = Command::new(program);
        command
            .args(words_of_one(&words, pattern.as_deref(), path, output.as_ref(), is_read))
            .stdin(Stdio::null())
            .stderr(said.try_clone().context("cannot make a temporary file")?);
        if is_read {
            command.stdout(printed.try_clone().context("cannot make a temporary file")?);
        }
        // SAFETY: prctl is async-signal-safe and touches no memory of ours.
        unsafe {
            command.pre_exec(|| match libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL) {
                0 => Ok(()),
                _ => Err(std::io::Error::last_os_error()),
            });
        }
        let mut child = command.spawn().context("cannot run labrys' own executable")?;
        let code = wait(&mut child, self.limit)?;
        let Some(code) = code else { return Ok(Outcome::Refused(format!("not done within {:?}", self.limit))) };
        if OF_REPORTS.contains(&code) {
            let report = match &output {
                Some(folder) => Some(read_report_file(&report_in(folder))),
                None => is_read.then(|| read_report(&text(&mut printed, LONGEST_REPORT).unwrap_or_default())),
            };
            let report = report.transpose().with_context(|| format!("the report of {path}"))?;
            return Ok(Outcome::Ran(code, report.map(Box::new)));
        }
        let words = text(&mut said, MOST).unwrap_or_default();
        let line = words.lines().rev().find_map(|line| line.strip_prefix("labrys: "));
        Ok(Outcome::Refused(line.map_or_else(|| format!("its run ended with {code}"), str::to_owned)))
    }
}

/// Paths of the same name in the modules above its own, the nearest first.
fn paths_above(path: &str) -> Vec<String> {
    let names: Vec<&str> = path.split("::").collect();
    let is_upper = |name: &&&str| name.starts_with(|c: char| c.is_uppercase());
    let own = names.len() - 1 - usize::from(names.iter().rev().nth(1).as_ref().is_some_and(is_upper));
    (1..own).rev().map(|kept| [&names[..kept], &names[own..]].concat().join("::")).collect()
}

/// The exit code, 2 for a signal; `None` where it took too long.
fn wait(child: &mut Child, limit: Duration) -> Result<Option<u8>> {
    let start = Instant::now();
    loop {
        if let Some(status) = child.try_wait().context("cannot wait for a run")? {
            return Ok(Some(status.code().and_then(|code| u8::try_from(code).ok()).unwrap_or(2)));
        }
        if start.elapsed() > limit {
            child.kill().ok();
            child.wait().ok();
            return Ok(None);
        }
        std::thread::sleep(PAUSE);
    }
}

fn text(file: &mut File, most: u64) -> std::io::Result<String> {
    let mut bytes = Vec::new();
    file.seek(SeekFrom::Start(0))?;
    file.take(most).read_to_end(&mut bytes)?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

/// That no function could be called is an error, with the reason of each, or the one of all.
fn none_is_an_error(outcomes: &Outcomes) -> Result<()> {
    let [(path, first), others @ ..] = outcomes.refused.as_slice() else { return Ok(()) };
    if !outcomes.codes.is_empty() || outcomes.is_cut_short {
        return Ok(());
    }
    let count = outcomes.refused.len();
    if others.is_empty() {
        bail!("none of 1 function could be analysed: {path}: {first}");
    }
    if others.iter().all(|(_, why)| why == first) {
        bail!("none of {count} functions could be analysed: {first}");
    }
    for (path, why) in &outcomes.refused {
        tell(&format!("labrys: {path} was not analysed: {}", visible(why)));
    }
    bail!("none of {count} functions could be analysed");
}

/// The exit code of all.
fn exit_code(outcomes: &Outcomes) -> u8 {
    let any = |wanted: u8| outcomes.codes.contains(&wanted);
    match () {
        () if outcomes.codes.is_empty() => 2,
        () if any(4) => 4,
        () if any(1) => 1,
        () if any(3) || outcomes.is_cut_short => 3,
        () => 0,
    }
}

/// Options that the run of one function has otherwise or not at all; behind each stands a value.
const OF_ALL: [&str; 5] = ["-o", "--output", "--format", "--write-baseline", "--write-known"];

/// The words of a command line with a path in the place of its pattern, with a folder of the function's own, and a report where it is read.
fn words_of_one(
    words: &[String],
    pattern: Option<&str>,
    path: &str,
    output: Option<&PathBuf>,
    is_read: bool,
) -> Vec<String> {
    let words = without(words, &OF_ALL);
    let end = words.iter().position(|word| word == "--").unwrap_or(words.len());
    let mut own = words[..end].to_vec();
    match own.iter().position(|word| Some(word.as_str()) == pattern) {
        Some(place) => path.clone_into(&mut own[place]),
        None => own.push(path.to_owned()),
    }
    if let Some(folder) = output {
        own.extend(["--output".to_owned(), folder.display().to_string()]);
    }
    if is_read {
        own.extend(["--format".to_owned(), "json".to_owned()]);
    }
    own.extend_from_slice(&words[end..]);
    own
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_exit_code_is_a_library_s() {
        let of = |codes: &[u8], is_cut_short: bool| {
            exit_code(&Outcomes { codes: codes.to_vec(), is_cut_short, ..Outcomes::default() })
        };
        assert_eq!([of(&[], false), of(&[0, 0], false), of(&[0], true)], [2, 0, 3]);
        assert_eq!([of(&[3, 0], false), of(&[3, 1], true), of(&[1, 4, 3], false)], [3, 1, 4]);
    }

    #[test]
    fn private_modules_are_left_out_one_by_one() {
        assert_eq!(paths_above("a::b::c::P::f"), ["a::b::P::f", "a::P::f"]);
        assert_eq!(paths_above("a::b::f"), ["a::f"]);
        assert_eq!([paths_above("a::f"), paths_above("a::P::f")], [[""; 0]; 2]);
    }

    #[test]
    fn a_run_of_one_function_has_its_path_and_folder() {
        let words = |text: &str| text.split(' ').map(str::to_owned).collect::<Vec<_>>();
        let folder = PathBuf::from("out/a.f");
        let of = |text: &str, pattern: Option<&str>| {
            words_of_one(&words(text), pattern, "a::f", Some(&folder), false).join(" ")
        };
        assert_eq!(
            of("cargo exceptions a::* -o out --time 5s -- -Cx", Some("a::*")),
            "cargo exceptions a::f --time 5s --output out/a.f -- -Cx"
        );
        assert_eq!(of("cargo diff --output=out", None), "cargo diff a::f --output out/a.f");
        let text = "cargo diff a::* --format=html --write-known k.json --known old.json";
        let read = words_of_one(&words(text), Some("a::*"), "a::f", None, true);
        assert_eq!(read.join(" "), "cargo diff a::f --known old.json --format json");
        assert!(is_pattern(None) && is_pattern(Some(Path::new("a::*"))) && !is_pattern(Some(Path::new("a::f::<f64>"))));
    }
}
