//! What the compiler says of paths and types: small crates that use the crate are compiled, and run to print types' names. None of the
//! crate's own code runs in them.

use std::fmt::Write as _;
use std::path::Path;
use std::process::Command;
use std::time::Instant;

use serde_json::Value;

use super::CrateError;
use super::compiled::Compiled;
use crate::compile::process;
use crate::temporary::TemporaryFolder;

/// Parameters that a function may have.
const MOST_PARAMETERS: usize = 16;

/// Questions about which of many paths are functions, no more.
const ROUNDS: usize = 4;

/// The lines before a question's own.
const HEAD_LINES: usize = 2;

/// `ask`, which takes a function and tells its types.
fn asked() -> String {
    let mut text = String::from("trait Asked<M> { fn tell(); }\n");
    for count in 0..=MOST_PARAMETERS {
        let names: Vec<String> = (0..count).map(|index| format!("P{index}")).collect();
        let list = names.join(", ");
        let generics = format!("{list}{}R", if list.is_empty() { "" } else { ", " });
        let told: String = names.iter().map(|name| format!("tell::<{name}>();")).collect();
        let _ = writeln!(
            text,
            "impl<F, {generics}> Asked<fn({list}) -> R> for F where F: Fn({list}) -> R {{ fn tell() {{ {told} tell::<R>() }} }}"
        );
    }
    text.push_str("fn ask<M, F: Asked<M>>(_: F) { F::tell() }\n");
    text
}

/// Whether a path is not there, is not public, or is something else.
fn is_of_no_function(error: &Complaint) -> bool {
    let is_value = error.code == "E0277" && error.message.contains("Asked<");
    let of_names =
        ["E0405", "E0412", "E0423", "E0425", "E0432", "E0433", "E0573", "E0574", "E0576", "E0599", "E0603", "E0624"];
    is_value || of_names.contains(&error.code.as_str())
}

/// What the compiler said: the lines that a question printed, or its errors.
pub(super) enum Answer {
    Lines(Vec<String>),
    Errors(Vec<Complaint>),
}

/// An error of the compiler.
#[derive(Clone, Debug)]
pub(super) struct Complaint {
    /// `E0603`, where it has a code.
    pub(super) code: String,
    pub(super) message: String,
    /// What stands at its places.
    pub(super) labels: Vec<String>,
    /// What the compiler would write instead.
    pub(super) suggestions: Vec<String>,
    /// The line of its first place, from 1.
    line: usize,
}

impl Complaint {
    fn read(message: &Value) -> Option<Complaint> {
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        let list = |value: &Value| value.as_array().cloned().unwrap_or_default();
        if message["level"] != "error" || message["message"].as_str()?.starts_with("aborting due to") {
            return None;
        }
        let labels =
            list(&message["spans"]).into_iter().map(|span| text(&span["label"])).filter(|label| !label.is_empty());
        let children = list(&message["children"]);
        let line = message["spans"][0]["line_start"].as_u64().unwrap_or(0);
        let suggested = |child: &Value| {
            list(&child["spans"]).iter().map(|span| text(&span["suggested_replacement"])).collect::<Vec<_>>()
        };
        Some(Complaint {
            code: text(&message["code"]["code"]),
            message: text(&message["message"]),
            labels: labels.collect(),
            suggestions: children.iter().flat_map(suggested).collect(),
            line: usize::try_from(line).unwrap_or(0),
        })
    }
}

/// Somebody who asks about a crate.
pub(super) struct Asker<'a> {
    pub(super) compiled: &'a Compiled,
    pub(super) flags: &'a [String],
    pub(super) deadline: Instant,
}

impl Asker<'_> {
    /// Parameters and result of a function, as types' names: the last one is the result's.
    pub(super) fn types_of(&self, path: &str, uses: &str) -> Result<Answer, CrateError> {
        self.ask(&format!("{uses}\n{}fn main() {{ ask({path}) }}", asked()))
    }

    /// Which of these paths are of functions that can be named from outside, generic ones too.
    pub(super) fn are_functions(&self, paths: &[&str]) -> Result<Vec<bool>, CrateError> {
        let mut are = vec![true; paths.len()];
        let head = asked();
        // Types are looked at where all names are known: what there is not is left out of the next question.
        for _ in 0..ROUNDS {
            let mut text = format!("{head}fn main() {{}}\n");
            let mut lines = Vec::new();
            for (index, path) in paths.iter().enumerate().filter(|(index, _)| are[*index]) {
                let _ = writeln!(text, "fn f{index}() {{ ask({path}) }}");
                lines.push(index);
            }
            let Answer::Errors(errors) = self.ask(&text)? else { break };
            let first = HEAD_LINES + head.lines().count() + 2;
            let mut has_changed = false;
            for error in errors.iter().filter(|error| is_of_no_function(error)) {
                let of = error.line.checked_sub(first).and_then(|at| lines.get(at));
                if let Some(index) = of {
                    has_changed |= std::mem::replace(&mut are[*index], false);
                }
            }
            if !has_changed {
                break;
            }
        }
        Ok(are)
    }

    /// The types of a struct's fields.
    pub(super) fn fields_of(&self, ty: &str, fields: &[String]) -> Result<Answer, CrateError> {
        let mut text = format!("type L = {ty};\nfn field<T>(_: impl Fn(&L) -> &T) {{ tell::<T>() }}\nfn main() {{\n");
        for field in fields {
            let _ = writeln!(text, "field(|l| &l.{field});");
        }
        text.push('}');
        self.ask(&text)
    }

    /// The fields of a struct, as the compiler would have them in a pattern; the name of its type where there are none.
    pub(super) fn pattern_of(&self, ty: &str) -> Result<Answer, CrateError> {
        self.ask(&format!("type L = {ty};\nfn l(l: L) {{ let L {{}} = l; }}\nfn main() {{ tell::<L>() }}"))
    }

    /// What of an enum is missing from a `match` with these arms.
    pub(super) fn missing_of(&self, ty: &str, arms: &[String]) -> Result<Answer, CrateError> {
        let arms: String = arms.iter().map(|name| format!("L::{name} {{ .. }} => {{}}\n")).collect();
        self.ask(&format!("type L = {ty};\nfn l(l: L) {{ match l {{ _ if false => {{}}\n{arms} }} }}\nfn main() {{}}"))
    }

    /// The types of what is in a variant of so many parts.
    pub(super) fn parts_of(&self, ty: &str, variant: &str, count: usize) -> Result<Answer, CrateError> {
        let mut text = format!("type L = {ty};\nfn part<T>(_: impl Fn(&L) -> &T) {{ tell::<T>() }}\nfn main() {{\n");
        for part in 0..count {
            let names: Vec<&str> = (0..count).map(|index| if index == part { "part" } else { "_" }).collect();
            let pattern = names.join(", ");
            let _ = writeln!(text, "part(|l| match l {{ L::{variant}({pattern}) => part, _ => loop {{}} }});");
        }
        text.push('}');
        self.ask(&text)
    }

    /// The name of a type.
    pub(super) fn name_of(&self, ty: &str) -> Result<Option<String>, CrateError> {
        match self.ask(&format!("fn main() {{ tell::<{ty}>() }}"))? {
            Answer::Lines(lines) => Ok(lines.into_iter().next()),
            Answer::Errors(_) => Ok(None),
        }
    }

    fn ask(&self, text: &str) -> Result<Answer, CrateError> {
        let folder =
            TemporaryFolder::new().map_err(|source| CrateError::File { path: std::env::temp_dir(), source })?;
        let (source, program) = (folder.path().join("labrys_question.rs"), folder.path().join("labrys_question"));
        let text = format!(
            "#![allow(warnings)]\nfn tell<T: ?Sized>() {{ println!(\"{{}}\", std::any::type_name::<T>()) }}\n{text}\n"
        );
        std::fs::write(&source, text).map_err(|error| CrateError::File { path: source.clone(), source: error })?;
        let mut command = self.rustc(&source, &program);
        command.args(["--error-format", "json", "-C", "opt-level=0", "-C", "debuginfo=0"]);
        let finished = process::run(&mut command, "rustc", self.deadline)?;
        if !finished.status.success() {
            let messages = finished.stderr.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok());
            let found: Vec<Complaint> = messages.filter_map(|message| Complaint::read(&message)).collect();
            if found.is_empty() {
                let words = super::member::first_error(&finished.stderr);
                return Err(CrateError::Fails { package: "of a question to the compiler".to_owned(), words });
            }
            return Ok(Answer::Errors(found));
        }
        let finished = process::run(&mut Command::new(&program), "a question to the compiler", self.deadline)?;
        Ok(Answer::Lines(finished.stdout.lines().map(str::to_owned).collect()))
    }

    fn rustc(&self, source: &Path, product: &Path) -> Command {
        let mut command = Command::new(&self.compiled.rustc);
        command.args(["--edition", "2021", "--crate-name", "labrys_question"]);
        command.args(&self.compiled.words).args(self.flags).arg(source).arg("-o").arg(product);
        command
    }
}
