//! A crate as cargo builds it with some flags.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

use serde_json::Value;
use sha2::{Digest, Sha256};

use super::member::{Member, cargo, first_error};
use super::profile::Lto;
use super::{CargoOptions, CrateError, wrapper};
use crate::compile::{process, unknown_processor};
use crate::temporary::{TemporaryFolder, remove_abandoned};

/// What cargo made, and how others are compiled to go with it.
#[derive(Clone, Debug)]
pub(super) struct Compiled {
    /// The compiler.
    pub(super) rustc: PathBuf,
    /// Words for crates that use this one: target, code generation, where libraries are; without the build's flags.
    pub(super) words: Vec<String>,
    /// The libraries with machine code and bitcode: the crate's own and all that it uses.
    pub(super) libraries: Vec<PathBuf>,
    /// The crates by their names in paths, and the first source of each.
    pub(super) sources: Vec<(String, PathBuf)>,
    /// cargo's command line and its variables, for a shell.
    pub(super) command: String,
    /// What was said while the crate was compiled with words of its own.
    pub(super) said: String,
    /// The profile's link-time optimisation over all crates, which is left to who links.
    pub(super) lto: Option<Lto>,
}

/// A crate and how it is built, but for flags.
#[derive(Clone, Debug)]
pub(super) struct Source {
    pub(super) member: Member,
    pub(super) options: CargoOptions,
    /// The target that is compiled for: this machine.
    pub(super) host: String,
    /// Where builds are made that are only tried.
    trials: Arc<Mutex<Trials>>,
}

/// Where builds are made that nobody wants to keep.
#[derive(Debug, Default)]
enum Trials {
    /// All are the user's as yet.
    #[default]
    None,
    /// Those that are made from now on are.
    Wanted,
    /// In this folder, which goes when its last user does, or with the process.
    In(TemporaryFolder),
}

impl Source {
    pub(super) fn new(member: Member, options: CargoOptions, deadline: Instant) -> Result<Source, CrateError> {
        let mut command = cargo();
        command.arg("-vV");
        let finished = process::run(&mut command, "cargo", deadline)?;
        let host = finished.stdout.lines().find_map(|line| line.strip_prefix("host: ")).map(str::trim);
        let host = host.unwrap_or("x86_64-unknown-linux-gnu").to_owned();
        let source = Source { member, options, host, trials: Arc::default() };
        // What killed runs left.
        remove_abandoned(&source.folder());
        Ok(source)
    }

    /// Where labrys keeps what is built of the crate.
    pub(super) fn folder(&self) -> PathBuf {
        let own = || self.member.target.join("labrys");
        let here = |path: &PathBuf| std::env::current_dir().unwrap_or_default().join(path);
        self.options.target.as_ref().map_or_else(own, here)
    }

    /// From now on builds with other flags than before are only tried, and do not stay.
    pub(super) fn tries(&self) {
        let mut trials = self.trials.lock().unwrap_or_else(PoisonError::into_inner);
        if matches!(*trials, Trials::None) {
            *trials = Trials::Wanted;
        }
    }

    /// The target folder of a build with these flags. Cargo tells features and profiles apart, but the words are written down once. Where the crate has words
    /// of its own, it lies beside the builds that are only tried, with all that the crate uses.
    fn target(&self, flags: &[String], has_own: bool) -> Result<PathBuf, CrateError> {
        let mut hash = Sha256::new();
        for word in self.options.words().iter().chain(flags) {
            hash.update(word.as_bytes());
            hash.update([0]);
        }
        hash.update(self.member.manifest.as_os_str().as_encoded_bytes());
        if has_own {
            hash.update(b"own words");
        }
        let digest = hash.finalize();
        let name: String = digest.iter().take(6).map(|byte| format!("{byte:02x}")).collect();
        let kept = self.folder().join(&name);
        let mut trials = self.trials.lock().unwrap_or_else(PoisonError::into_inner);
        if !has_own && (matches!(*trials, Trials::None) || kept.is_dir()) {
            return Ok(kept);
        }
        if !matches!(*trials, Trials::In(_)) {
            let folder = TemporaryFolder::new_in(&self.folder());
            *trials = Trials::In(folder.map_err(|source| CrateError::File { path: self.folder(), source })?);
        }
        match &*trials {
            Trials::In(folder) => Ok(folder.path().join(name)),
            Trials::None | Trials::Wanted => Ok(kept),
        }
    }

    /// Builds the crate and what it uses; the crate with further words of its own.
    pub(super) fn compile(&self, flags: &[String], own: &[String], deadline: Instant) -> Result<Compiled, CrateError> {
        let target = self.target(flags, !own.is_empty())?;
        let script = wrapper::write(&target, flags)?;
        let profile = self.options.profile.to_uppercase().replace('-', "_");
        let mut command = cargo();
        command.args(["rustc", "--lib", "--crate-type", "rlib", "--manifest-path"]).arg(&self.member.manifest);
        command.args(self.options.words());
        command.args(["--target", &self.host, "--target-dir"]).arg(&target);
        command.args(["--message-format", "json-render-diagnostics", "--color", "never"]);
        // Of what link-time optimisation would leave for later there is no machine code; it is made up for where the glue is linked.
        command.env(format!("CARGO_PROFILE_{profile}_LTO"), "off");
        command.env("RUSTC_WRAPPER", &script).env("CARGO_INCREMENTAL", "0");
        if !own.is_empty() {
            command.arg("--").args(own);
        }
        let shown = for_shell(&command);
        let finished = process::run(&mut command, "cargo", deadline)?;
        if !finished.status.success() {
            return Err(self.failure(&finished.stderr));
        }
        let words = std::fs::read(target.join(wrapper::WORDS))
            .map_err(|source| CrateError::File { path: target.join(wrapper::WORDS), source })?;
        let words: Vec<String> =
            words.split(|byte| *byte == 0).map(|word| String::from_utf8_lossy(word).into_owned()).collect();
        let artifacts = self.artifacts(&finished.stdout);
        let library = artifacts.iter().find(|of| of.is_own).map(|of| of.library.clone()).unwrap_or_default();
        let rustc = PathBuf::from(words.first().cloned().unwrap_or_else(|| "rustc".to_owned()));
        let mut kept = kept_words(&without(words, own));
        kept.extend(["--extern".to_owned(), format!("{}={}", self.member.library, library.display())]);
        let sources = artifacts.iter().map(|of| (of.name.clone(), of.source.clone())).collect();
        let libraries = artifacts.into_iter().map(|of| of.library).collect();
        let lto = Lto::of(&self.member.workspace, &self.options.profile);
        let said = if own.is_empty() { String::new() } else { finished.stderr };
        Ok(Compiled { rustc, words: kept, libraries, sources, command: shown, said, lto })
    }

    fn failure(&self, words: &str) -> CrateError {
        if let Some(words) = unknown_processor(words) {
            return CrateError::Fails { package: self.member.package.clone(), words };
        }
        let first = first_error(words);
        // The place of the error stands in the next line.
        let place = words.lines().map(str::trim).find_map(|line| line.strip_prefix("--> "));
        let words = place.map_or_else(|| first.clone(), |place| format!("{first} ({place})"));
        CrateError::Fails { package: self.member.package.clone(), words }
    }

    /// The libraries for the target. What uses others is made after them, as a rule: the crate itself comes first.
    fn artifacts(&self, messages: &str) -> Vec<Artifact> {
        let read = |line: &str| {
            let message = serde_json::from_str::<Value>(line).ok()?;
            if message["reason"] != "compiler-artifact" {
                return None;
            }
            let for_target = |path: &PathBuf| path.components().any(|part| part.as_os_str() == self.host.as_str());
            let is_library = |path: &PathBuf| path.extension().is_some_and(|suffix| suffix == "rlib");
            let mut files = message["filenames"].as_array()?.iter().filter_map(Value::as_str).map(PathBuf::from);
            let manifest = message["manifest_path"].as_str().map(Path::new);
            Some(Artifact {
                name: message["target"]["name"].as_str()?.replace('-', "_"),
                library: files.find(|path| is_library(path) && for_target(path))?,
                source: PathBuf::from(message["target"]["src_path"].as_str()?),
                is_own: manifest == Some(&self.member.manifest),
            })
        };
        let mut found: Vec<Artifact> = messages.lines().filter_map(read).collect();
        found.reverse();
        found
    }
}

/// A library that cargo made.
struct Artifact {
    /// Its name in paths.
    name: String,
    library: PathBuf,
    /// Its first source.
    source: PathBuf,
    /// Whether it is the crate itself.
    is_own: bool,
}

/// A command with the variables that it is given, for a shell.
fn for_shell(command: &Command) -> String {
    let quoted = |word: &std::ffi::OsStr| {
        let word = word.to_string_lossy();
        shlex::try_quote(&word).map_or_else(|_| word.to_string(), |word| word.into_owned())
    };
    let variables = command.get_envs().filter_map(|(name, value)| Some(format!("{}={}", quoted(name), quoted(value?))));
    let words = std::iter::once(command.get_program()).chain(command.get_args()).map(quoted);
    variables.chain(words).collect::<Vec<_>>().join(" ")
}

/// Words without these, which stand beside each other in them.
fn without(mut words: Vec<String>, own: &[String]) -> Vec<String> {
    if !own.is_empty()
        && let Some(place) = words.windows(own.len()).rposition(|window| window == own)
    {
        words.drain(place..place + own.len());
    }
    words
}

/// Options of code generation that are the crate's own, or ours to say.
const OWN: [&str; 14] = [
    "metadata",
    "extra-filename",
    "incremental",
    "embed-bitcode",
    "lto",
    "strip",
    "debuginfo",
    "codegen-units",
    "prefer-dynamic",
    "split-debuginfo",
    "linker-plugin-lto",
    "save-temps",
    "instrument-coverage",
    "profile-generate",
];

/// Of the words that rustc got for the crate, those that a crate which uses it needs as well.
fn kept_words(words: &[String]) -> Vec<String> {
    let mut kept = Vec::new();
    let mut rest = words.iter().skip(1);
    while let Some(word) = rest.next() {
        let (flag, value) = match word.as_str() {
            "-C" | "--codegen" => ("-C", rest.next().cloned().unwrap_or_default()),
            "-L" | "-Z" | "--extern" | "--target" => (word.as_str(), rest.next().cloned().unwrap_or_default()),
            "--cfg" | "--check-cfg" | "--crate-name" | "--crate-type" | "--out-dir" => {
                rest.next();
                continue;
            }
            joined if joined.starts_with("-C") => ("-C", joined["-C".len()..].to_owned()),
            joined if joined.starts_with("-L") => ("-L", joined["-L".len()..].to_owned()),
            _ => continue,
        };
        let option = value.split('=').next().unwrap_or_default();
        if flag == "-C" && OWN.contains(&option) {
            continue;
        }
        // Cargo names metadata, so that crates are compiled side by side; what is linked lies beside it.
        let value = match value.strip_suffix(".rmeta") {
            Some(path) if flag == "--extern" => format!("{path}.rlib"),
            _ => value,
        };
        kept.extend([flag.to_owned(), value]);
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::package::{CratePart, PassLimit};

    #[test]
    fn words_of_a_crate_for_those_that_use_it() {
        let given = "rustc --crate-name x --edition=2021 src/lib.rs --emit=link -C opt-level=3 -C lto=off -C embed-bitcode=no \
                     --cfg feature=\"a\" -C metadata=1 -Cpanic=abort --target t -C strip=debuginfo -L dependency=/d \
                     -C target-cpu=native --extern m=/d/libm-1.rmeta --extern p=/d/libp.so";
        let given: Vec<String> = given.split_whitespace().map(str::to_owned).collect();
        let kept = "-C opt-level=3 -C panic=abort --target t -L dependency=/d -C target-cpu=native --extern m=/d/libm-1.rlib \
                    --extern p=/d/libp.so";
        assert_eq!(kept_words(&given).join(" "), kept);
        let limit = PassLimit { part: CratePart::Crate, passes: 7 };
        assert!(limit.words(CratePart::Glue).is_empty());
        let own = limit.words(CratePart::Crate);
        let limited = [&given[..3], &own, &given[3..]].concat();
        assert_eq!(without(limited, &own), given);
    }
}
