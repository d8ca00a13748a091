//! What a whole program is made of.

use std::path::{Path, PathBuf};

use crate::{BuildSpec, Language, Origin};

/// The sources of a program and how they are compiled.
#[derive(Clone, Debug)]
pub struct WholeSpec {
    /// Sources and bitcode, in the order in which they are linked.
    pub sources: Vec<PathBuf>,
    /// The compiler as the user named it; `None`: each language's own.
    pub compiler: Option<String>,
    /// The user's flags, for every source.
    pub flags: Vec<String>,
    /// What the IR of C and C++ is compiled with beside: checks that IR alone does not have, as traps.
    pub checks: Vec<String>,
    /// A folder of headers that come after all others.
    pub headers: PathBuf,
    /// Bitcode of the C library: what the program calls of it and does not define is taken from there. `None`: what is called of it is not
    /// known.
    pub library: Option<PathBuf>,
    /// The function that is entered, by its symbol or its name in the source.
    pub entry: String,
    /// Who wrote all this.
    pub origin: Origin,
}

impl WholeSpec {
    /// How a source of a language is compiled.
    pub(super) fn of(&self, language: Language) -> BuildSpec {
        let mut common_flags = Vec::new();
        // The user's flags come behind and win. rustc does not take a level twice.
        match language {
            Language::Ir | Language::SharedObject | Language::Rust => {}
            Language::Fortran => common_flags.extend(["-O0", "-ffp-contract=off"].map(str::to_owned)),
            Language::C | Language::Cpp => common_flags.push("-O0".to_owned()),
        }
        if language != Language::Ir {
            common_flags.extend(self.flags.iter().filter(|flag| *flag != "-Werror").cloned());
        }
        if matches!(language, Language::C | Language::Cpp) {
            common_flags.extend(["-idirafter".to_owned(), self.headers.display().to_string()]);
        }
        BuildSpec {
            role: "program".to_owned(),
            compiler: self.compiler.clone().unwrap_or_else(|| language.default_compiler().to_owned()),
            flags: Vec::new(),
            common_flags,
            link: Vec::new(),
            origin: self.origin,
            of_crate: None,
        }
    }

    /// The languages of the sources.
    pub fn languages(&self) -> impl Iterator<Item = (&Path, Language)> {
        self.sources.iter().filter_map(|source| Some((source.as_path(), Language::of(source).ok()?)))
    }
}
