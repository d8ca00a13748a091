use std::path::PathBuf;
use std::time::Duration;

/// Why there is no build.
#[derive(Debug, thiserror::Error)]
pub enum BuildError {
    /// The source is not there or cannot be read.
    #[error("cannot read {}: {source}", path.display())]
    Source {
        /// The source.
        path: PathBuf,
        /// What the system says.
        source: std::io::Error,
    },
    /// The suffix is not one that [`crate::Language::of`] knows.
    #[error(
        "{}: unknown kind of file; known suffixes are .c, .cc .cpp .cxx .C, .f .f90 .f95 .f03 .f08 .F90, .rs, .ll .bc and .so",
        path.display()
    )]
    UnknownLanguage {
        /// The file.
        path: PathBuf,
    },
    /// The flags cannot be split into words: an open quote.
    #[error("cannot split the flags \"{text}\" into words: a quotation mark is not closed")]
    Quotes {
        /// The flags as given.
        text: String,
    },
    /// A flag that says what to produce, which is not the user's to say here.
    #[error("the flag {flag} cannot be used here: what the compiler produces is given")]
    OutputFlag {
        /// The flag.
        flag: String,
    },
    /// A report asks for what only a report that the user trusts is given.
    #[error("the report asks for {asks}, which {why}; if you trust it, give --trust")]
    Untrusted {
        /// The flag, compiler or file.
        asks: String,
        /// What is wrong with it.
        why: &'static str,
    },
    /// The compiler is not installed.
    #[error("the compiler {name} is not there: {advice}")]
    MissingCompiler {
        /// Its name or path, as the user wrote it.
        name: String,
        /// How to get it.
        advice: String,
    },
    /// Something that runs, but is no compiler we know.
    #[error("{name} is not a compiler known here (clang, gcc, flang, gfortran, rustc): its --version says \"{says}\"")]
    UnknownCompiler {
        /// Its name or path.
        name: String,
        /// The first line of its answer to `--version`.
        says: String,
    },
    /// A compiler of another language.
    #[error("{name} does not compile {language}")]
    WrongCompiler {
        /// Its name or path.
        name: String,
        /// The language.
        language: &'static str,
    },
    /// The compiler refused. Its words are bounded to 60 lines.
    #[error("{compiler} does not compile {} as {role}:\n{words}", path.display())]
    Refused {
        /// The compiler and its version.
        compiler: String,
        /// The source.
        path: PathBuf,
        /// The build's role.
        role: String,
        /// What the compiler wrote to its standard error.
        words: String,
    },
    /// The compiler was still running at the deadline and was killed with its children.
    #[error("{name} was stopped after {:.1} s, when its time was over", after.as_secs_f64())]
    TimedOut {
        /// The compiler.
        name: String,
        /// How long it ran.
        after: Duration,
    },
    /// The folder for what is built cannot be written to.
    #[error("cannot write to {}: {source}", path.display())]
    OutputFolder {
        /// The folder or file.
        path: PathBuf,
        /// What the system says.
        source: std::io::Error,
    },
    /// Starting or waiting for the compiler failed for another reason.
    #[error("cannot run {name}: {source}")]
    Run {
        /// The compiler.
        name: String,
        /// What the system says.
        source: std::io::Error,
    },
    /// `compile_commands.json` cannot be used.
    #[error("{}: {reason}", path.display())]
    Database {
        /// The database file.
        path: PathBuf,
        /// What is wrong with it.
        reason: String,
    },
}

impl BuildError {
    /// It in one line, with what a compiler that refused says first.
    pub fn in_a_line(&self) -> String {
        let words = self.to_string();
        let line = words.lines().next().unwrap_or_default();
        match self {
            BuildError::Refused { .. } => format!("{line} {}", self.first_error()),
            _ => line.to_owned(),
        }
    }

    /// The line that says what is wrong: of the words of a compiler or linker that refused the first with an error in it, else the first.
    pub fn first_error(&self) -> String {
        let text = match self {
            BuildError::Refused { words, .. } => words.clone(),
            other => other.to_string(),
        };
        let mut lines = text.lines();
        let said = ["error:", "undefined reference", "multiple definition", "error"];
        let line = said.iter().find_map(|what| {
            // The driver only says that the linker failed.
            lines.clone().find(|line| line.contains(what) && !line.contains("linker command failed"))
        });
        line.or_else(|| lines.next()).unwrap_or("no message").trim().to_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn first_error(words: &str) -> String {
        let (compiler, role) = ("clang-22".to_owned(), "program".to_owned());
        BuildError::Refused { compiler, path: "a.c".into(), role, words: words.to_owned() }.first_error()
    }

    /// It ended behind the colon, and said nothing of why.
    #[test]
    fn one_line_says_what_the_compiler_does_not_like() {
        let words = "In file included from g.c:1:\ng.c:3:28: error: function definition is not allowed here\n";
        let (compiler, role) = ("clang 22.1.8".to_owned(), "baseline".to_owned());
        let error = BuildError::Refused { compiler, path: "g.c".into(), role, words: words.to_owned() };
        let wanted =
            "clang 22.1.8 does not compile g.c as baseline: g.c:3:28: error: function definition is not allowed here";
        assert_eq!(error.in_a_line(), wanted);
    }

    #[test]
    fn a_linkers_own_words_are_told() {
        let words = "/usr/bin/ld: /tmp/a.o: in function `main':\na.c:4: undefined reference to `magic'\nclang-22: error: linker command failed with exit code 1 (use -v to see invocation)\n";
        assert_eq!(first_error(words), "a.c:4: undefined reference to `magic'");
        assert_eq!(first_error("note\nclang: error: no such file\n"), "clang: error: no such file");
        assert_eq!(first_error("note\nerror[E0425]: no such value\n"), "error[E0425]: no such value");
    }
}
