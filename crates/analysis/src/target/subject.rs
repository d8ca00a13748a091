//! What an analysis of one build is asked about.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use super::unit::UnitRequest;
use crate::run::options::RunOptions;

/// What is analysed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Subject {
    /// One function of a source (or IR) file.
    Source(PathBuf),
    /// The functions of a library whose names match a pattern.
    Library {
        /// The folder of `compile_commands.json`.
        database: PathBuf,
        /// The patterns; `*` and `?` as in a shell.
        entries: Vec<String>,
    },
}

/// The build that is analysed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BuildRequest {
    /// Of what.
    pub subject: Subject,
    /// Its flags, compiler first; `None`: the language's default without optimisation.
    pub flags: Option<String>,
    /// A function that is called once before the one under test.
    pub init: Option<String>,
}

impl BuildRequest {
    /// How one function of a source file is built.
    pub fn unit<'a>(&'a self, run: &'a RunOptions) -> UnitRequest<'a> {
        UnitRequest { run, flags: self.flags.as_deref(), init: self.init.as_deref() }
    }

    /// The source file, or the library's folder.
    pub fn path(&self) -> &Path {
        match &self.subject {
            Subject::Source(path) | Subject::Library { database: path, .. } => path,
        }
    }

    /// Adds what results depend on.
    pub fn enter(&self, options: &mut BTreeMap<&'static str, String>) {
        // A new option is to be added here, or does not compile.
        let BuildRequest { subject, flags, init } = self;
        options.insert("build", format!("{flags:?}"));
        options.insert("entries", format!("{subject:?}"));
        options.insert("init", format!("{init:?}"));
    }
}
