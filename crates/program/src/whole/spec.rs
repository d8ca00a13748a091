//! What a whole program is made of.

use std::path::{Path, PathBuf};
use std::time::Instant;

use super::coverage::coverage_flags;
use super::fortran::watching_words;
use super::rust::{CrateType, SYSTEM_LIBRARIES, rust_words};
use crate::{BuildError, BuildSpec, Language, Origin};

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
    /// What the sources' own `main` is called instead, where another one is entered; `None`: it keeps its name.
    pub aside: Option<String>,
    /// Whether native runs count what they execute, and how.
    pub coverage: Option<Counted>,
    /// Who wrote all this.
    pub origin: Origin,
}

/// What a link of a language's objects by `clang` takes beside them, as a shell's words. Of Fortran's runtime, what ends a program with an error is watched.
pub fn runtime_words(language: Language, clang: &str) -> String {
    match language {
        Language::Rust => SYSTEM_LIBRARIES.join(" "),
        Language::Fortran => {
            format!("{} $({clang} -print-file-name=libflang_rt.runtime.a)", watching_words().join(" "))
        }
        Language::C | Language::Cpp | Language::Ir | Language::SharedObject => String::new(),
    }
}

/// What a program counts while it runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Counted {
    /// Regions of code and outcomes of conditions.
    Branches,
    /// Beside these, which outcomes of a decision's conditions came together.
    Decisions,
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
        // Flags of a program with a crate are rustc's.
        let are_of_rust = self.languages().any(|(_, of)| of == Language::Rust);
        if language != Language::Ir && (language == Language::Rust || !are_of_rust) {
            // Those that only Fortran's compilers know are for its sources: clang's harness is beside them.
            let is_beside = matches!(language, Language::C | Language::Cpp)
                && self.languages().any(|(_, of)| of == Language::Fortran);
            let is_meant = |flag: &&String| *flag != "-Werror" && !(is_beside && is_of_fortran_alone(flag));
            common_flags.extend(self.flags.iter().filter(is_meant).cloned());
        }
        if matches!(language, Language::C | Language::Cpp) {
            common_flags.extend(self.coverage.into_iter().flat_map(coverage_flags));
            common_flags.extend(self.aside.iter().map(|name| format!("-Dmain={name}")));
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

    /// A user's command that compiles a source of a language, up to the name of what is made and the source: an object or an archive, for a link with
    /// [`runtime_words`], or of a crate that is entered at its `main` the program. `None` for languages that a C compiler takes.
    ///
    /// # Errors
    ///
    /// The compiler is missing.
    pub fn own_command(&self, language: Language, deadline: Instant) -> Result<Option<Vec<String>>, BuildError> {
        let build = self.of(language);
        let words = match language {
            Language::Rust if self.aside.is_none() => rust_words(self, CrateType::Program),
            Language::Rust => rust_words(self, CrateType::Archive),
            Language::Fortran => build.user_flags().into_iter().chain(["-g", "-c"].map(str::to_owned)).collect(),
            Language::C | Language::Cpp | Language::Ir | Language::SharedObject => return Ok(None),
        };
        let compiler = build.find_compiler(language, deadline)?.name;
        Ok(Some(std::iter::once(compiler).chain(words).collect()))
    }

    /// The languages of the sources.
    pub fn languages(&self) -> impl Iterator<Item = (&Path, Language)> {
        self.sources.iter().filter_map(|source| Some((source.as_path(), Language::of(source).ok()?)))
    }
}

/// Whether a flag is one that flang and gfortran know and C's compilers refuse.
pub fn is_of_fortran_alone(flag: &str) -> bool {
    const ALONE: [&str; 34] = [
        "-cpp",
        "-nocpp",
        "-fbackslash",
        "-fno-backslash",
        "-fcheck",
        "-fcray-pointer",
        "-fconvert",
        "-fd-lines-as-code",
        "-fd-lines-as-comments",
        "-fdefault",
        "-fdec",
        "-fdollar-ok",
        "-ffixed-form",
        "-ffixed-line-length",
        "-ffree-form",
        "-ffree-line-length",
        "-fimplicit-none",
        "-fno-implicit-none",
        "-fintrinsic-modules-path",
        "-finteger-4-integer-8",
        "-flarge-sizes",
        "-flogical-abbreviations",
        "-fmax-array-constructor",
        "-fmodule-private",
        "-fno-automatic",
        "-frange-check",
        "-fno-range-check",
        "-frealloc-lhs",
        "-fno-realloc-lhs",
        "-fxor-operator",
        "-fno-underscoring",
        "-funderscoring",
        "-module-dir",
        "-J",
    ];
    let is_standard = flag == "-std=legacy" || flag.starts_with("-std=f");
    is_standard || ALONE.iter().any(|word| flag.starts_with(word))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A harness in C was compiled with the flags of the Fortran that it calls, and refused.
    #[test]
    fn flags_of_fortran_alone_are_not_for_c_beside_it() {
        let flags =
            ["-fdefault-real-8", "-ffree-form", "-std=f2018", "-O2", "-Wall", "-I.", "-fno-automatic", "-J.", "-DN=3"];
        let spec = |source: &str| WholeSpec {
            sources: vec![PathBuf::from("harness.c"), PathBuf::from(source)],
            compiler: None,
            flags: flags.map(str::to_owned).to_vec(),
            checks: Vec::new(),
            headers: PathBuf::from("include"),
            library: None,
            entry: "main".to_owned(),
            aside: None,
            coverage: None,
            origin: Origin::User,
        };
        let kept = |source: &str, language: Language| {
            let all = spec(source).of(language).user_flags();
            flags.iter().filter(|flag| all.iter().any(|of| of == *flag)).copied().collect::<Vec<_>>()
        };
        assert_eq!(kept("m.f90", Language::C), ["-O2", "-Wall", "-I.", "-DN=3"]);
        assert_eq!(kept("m.f90", Language::Fortran), flags);
        assert_eq!(kept("m.c", Language::C), flags);
    }
}
