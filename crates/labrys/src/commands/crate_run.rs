//! `cargo labrys` on many functions of a crate: those whose paths a pattern matches, each by a run of its own.
//!
//! A run of its own, because the report of each has then a command that replays it, and what ends one ends no other. What cannot be called is
//! listed with its reason.

use std::fs::File;
use std::io::{Read, Seek, SeekFrom, Write};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use labrys_program::{CargoOptions, CrateFunction, FunctionFilter};

use crate::args::{Format, RunArgs};

/// How often it is looked whether a run has ended.
const PAUSE: Duration = Duration::from_millis(20);

/// Whether what stands in the place of a path means several functions.
pub fn is_pattern(given: Option<&Path>) -> bool {
    given.is_none_or(|given| given.as_os_str().as_encoded_bytes().iter().any(|byte| b"*?{".contains(byte)))
}

/// Which functions are meant, and how each is run.
pub struct CrateRun<'a> {
    /// The pattern; all functions where there is none.
    pub pattern: Option<&'a Path>,
    /// What cargo is told.
    pub cargo: CargoOptions,
    /// Options of each run.
    pub run: &'a RunArgs,
    /// How long one run may take, builds included.
    pub limit: Duration,
}

/// What became of a function.
enum Outcome {
    /// The exit code of its run.
    Ran(u8),
    /// Why it could not be called.
    Refused(String),
}

impl CrateRun<'_> {
    /// Runs them all, and says what could not be called; the exit code: 1 for findings, 3 where something stayed open.
    pub fn all(&self) -> Result<u8> {
        if self.run.format != Format::Text {
            bail!("--format is for one function; with --output DIR there is a report of each in DIR");
        }
        let pattern = self.pattern.map(|pattern| pattern.display().to_string());
        let filter = FunctionFilter::new(pattern.as_slice()).map_err(|why| {
            anyhow::anyhow!("\"{}\" is no pattern of paths: {why}", pattern.as_deref().unwrap_or_default())
        })?;
        let name = pattern.as_deref().and_then(|pattern| pattern.split("::").next()).unwrap_or_default();
        let deadline = Instant::now() + self.limit;
        let paths: Vec<String> = CrateFunction::all(name, self.cargo.clone(), deadline)?
            .into_iter()
            .filter(|path| filter.matches_name(path, None))
            .collect();
        if paths.is_empty() {
            let meant = pattern.unwrap_or_else(|| "a crate without public functions".to_owned());
            bail!("no public function's path is matched by {meant}");
        }
        let (mut codes, mut refused) = (Vec::new(), Vec::new());
        for path in &paths {
            match self.one(path)? {
                Outcome::Ran(code) => codes.push(code),
                Outcome::Refused(why) => refused.push((path, why)),
            }
        }
        let with = codes.iter().filter(|code| **code == 1).count();
        println!("{} of {} functions analysed, {with} with findings", codes.len(), paths.len());
        for (path, why) in &refused {
            println!("  {path} was not: {}", labrys_report::visible(why));
        }
        std::io::stdout().flush().ok();
        Ok(match () {
            () if codes.is_empty() => 2,
            () if with > 0 => 1,
            () if codes.iter().any(|code| *code != 0) => 3,
            () => 0,
        })
    }

    /// Runs one function. Modules of files need not be those of paths: a private one is left out where what it has is public above.
    fn one(&self, path: &str) -> Result<Outcome> {
        let outcome = self.by_path(path)?;
        let names: Vec<&str> = path.split("::").collect();
        let is_upper = |name: &&&str| name.starts_with(|c: char| c.is_uppercase());
        let own = names.len() - 1 - usize::from(names.iter().rev().nth(1).as_ref().is_some_and(is_upper));
        let Outcome::Refused(why) = &outcome else { return Ok(outcome) };
        if own < 2 || !(why.contains("from outside its crate") || why.contains("there is no")) {
            return Ok(outcome);
        }
        let above = [&names[..1], &names[own..]].concat().join("::");
        match self.by_path(&above)? {
            Outcome::Refused(_) => Ok(outcome),
            ran => Ok(ran),
        }
    }

    fn by_path(&self, path: &str) -> Result<Outcome> {
        let program = std::env::current_exe().context("cannot find labrys' own executable")?;
        let output = self.run.output.as_ref().map(|folder| folder.join(path.replace("::", ".")));
        let words: Vec<String> = std::env::args().skip(1).collect();
        let pattern = self.pattern.map(|pattern| pattern.display().to_string());
        let mut said = tempfile::tempfile().context("cannot make a temporary file")?;
        let mut command = Command::new(program);
        command
            .args(words_of_one(&words, pattern.as_deref(), path, output.as_ref()))
            .stdin(Stdio::null())
            .stderr(said.try_clone().context("cannot make a temporary file")?);
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
        if code == 0 || code == 1 || code == 3 {
            return Ok(Outcome::Ran(code));
        }
        let words = text(&mut said).unwrap_or_default();
        let line = words.lines().rev().find_map(|line| line.strip_prefix("labrys: "));
        Ok(Outcome::Refused(line.map_or_else(|| format!("its run ended with {code}"), str::to_owned)))
    }
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

fn text(file: &mut File) -> std::io::Result<String> {
    /// As much as is looked at of what a run says.
    const MOST: u64 = 1 << 20;
    let mut bytes = Vec::new();
    file.seek(SeekFrom::Start(0))?;
    file.take(MOST).read_to_end(&mut bytes)?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

/// The words of a command line with a path in the place of its pattern, and with a folder of the function's own.
fn words_of_one(words: &[String], pattern: Option<&str>, path: &str, output: Option<&PathBuf>) -> Vec<String> {
    let end = words.iter().position(|word| word == "--").unwrap_or(words.len());
    let mut own = Vec::with_capacity(words.len() + 2);
    let mut is_named = false;
    let mut options = words[..end].iter();
    while let Some(word) = options.next() {
        if word == "--output" || word == "-o" {
            options.next();
            continue;
        }
        let is_output = word.starts_with("--output=") || (word.starts_with("-o") && !word.starts_with("--"));
        let is_pattern = !is_named && Some(word.as_str()) == pattern;
        if is_pattern {
            is_named = true;
            own.push(path.to_owned());
        } else if !is_output {
            own.push(word.clone());
        }
    }
    if !is_named {
        own.push(path.to_owned());
    }
    if let Some(folder) = output {
        own.extend(["--output".to_owned(), folder.display().to_string()]);
    }
    own.extend_from_slice(&words[end..]);
    own
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_of_one_function_has_its_path_and_folder() {
        let words = |text: &str| text.split(' ').map(str::to_owned).collect::<Vec<_>>();
        let folder = PathBuf::from("out/a.f");
        let of =
            |text: &str, pattern: Option<&str>| words_of_one(&words(text), pattern, "a::f", Some(&folder)).join(" ");
        assert_eq!(
            of("cargo exceptions a::* -o out --time 5s -- -Cx", Some("a::*")),
            "cargo exceptions a::f --time 5s --output out/a.f -- -Cx"
        );
        assert_eq!(of("cargo diff --output=out", None), "cargo diff a::f --output out/a.f");
        assert!(is_pattern(None) && is_pattern(Some(Path::new("a::*"))) && !is_pattern(Some(Path::new("a::f::<f64>"))));
    }
}
