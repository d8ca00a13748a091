//! How a build comes into being again, in a reproducer.

use std::path::{Path, PathBuf};

use labrys_program::{Build, Language};
use labrys_report::{Library, absolute_flags, shell_word};

/// A file for the output folder or, where there is none, for the current one.
pub struct Artifact {
    /// Its name in the folder.
    pub name: String,
    /// Its contents.
    pub contents: Vec<u8>,
}

/// How one build appears in reproducers.
pub enum Recipe {
    /// C source, embedded.
    Embedded {
        /// The source.
        text: Vec<u8>,
        /// Its path, for messages.
        path: String,
        /// The compiler to call.
        compiler: String,
        /// The user's flags, with paths that hold anywhere.
        flags: Vec<String>,
        /// Objects and libraries to link with.
        link: Vec<String>,
        /// The folder that `#include "..."` starts from.
        include: Option<String>,
    },
    /// Built by this command; `so` stands for the library.
    Command {
        /// Its words.
        words: Vec<String>,
        /// The folder in which it runs.
        folder: PathBuf,
    },
    /// A library that is there, or that is written beside the reproducer.
    Given {
        /// The library.
        path: String,
    },
}

fn absolute(path: &Path) -> PathBuf {
    path.canonicalize().unwrap_or_else(|_| path.to_owned())
}

impl Recipe {
    /// That of a build by `compiler`, linked with `link`.
    pub fn of(build: &Build, compiler: &str, link: &[PathBuf]) -> Recipe {
        let here = || std::env::current_dir().unwrap_or_default();
        let beside = || Recipe::Given { path: format!("{}.so", build.role) };
        let file = absolute(&build.source);
        match build.language {
            Language::C => match std::fs::read(&build.source) {
                Ok(text) => Recipe::Embedded {
                    text,
                    path: build.source.display().to_string(),
                    compiler: compiler.to_owned(),
                    flags: absolute_flags(&build.flags, &here()),
                    link: link.iter().map(|path| absolute(path).display().to_string()).collect(),
                    include: file.parent().map(|folder| folder.display().to_string()),
                },
                Err(_) => beside(),
            },
            Language::SharedObject => Recipe::Given { path: file.display().to_string() },
            Language::Ir => beside(),
            Language::Cpp | Language::Fortran | Language::Rust => {
                Recipe::Command { words: build.recipe.clone(), folder: here() }
            }
        }
    }

    /// A library that is there.
    pub fn given(library: &Path) -> Recipe {
        Recipe::Given { path: absolute(library).display().to_string() }
    }

    /// The library of `build`, where no command can make it again.
    pub fn artifact(&self, build: &Build) -> Option<Artifact> {
        let Recipe::Given { path } = self else { return None };
        let contents = (build.language == Language::Ir).then(|| std::fs::read(&build.library).ok()).flatten()?;
        Some(Artifact { name: path.clone(), contents })
    }

    /// The library that a finding's reproducer loads for a role, and the commands that make it beside the reproducer: the
    /// recipe, run where it was run.
    pub fn commands(&self, id: &str, role: &str) -> (String, Vec<String>) {
        let path = format!("./{id}.{role}.so");
        let Recipe::Command { words, folder } = self else { return (path, Vec::new()) };
        let library = format!("\"$here\"/{id}.{role}.so");
        let quoted: Vec<String> =
            words.iter().map(|word| if word == "so" { library.clone() } else { shell_word(word) }).collect();
        let folder = shell_word(&folder.display().to_string());
        (path, vec![format!("(here=$PWD; cd {folder} && {})", quoted.join(" "))])
    }

    /// As a reproducer takes it; `made` is what [`Recipe::commands`] gave.
    pub fn library<'a>(&'a self, (path, commands): &'a (String, Vec<String>)) -> Library<'a> {
        match self {
            Recipe::Embedded { text, path, compiler, flags, link, include } => {
                Library::Embedded { text, path, compiler, flags, link, include: include.as_deref() }
            }
            Recipe::Command { .. } => Library::Built { commands, path },
            Recipe::Given { path } => Library::Given { path },
        }
    }
}
