use std::collections::BTreeSet;
use std::ffi::OsString;
use std::path::PathBuf;
use std::process::Command;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

use super::process::{self, Finished};
use super::vetting::{self, Author};
use super::{BuildError, Compiler, Language};
use crate::CrateFunction;

/// Who wrote a build's words.
#[derive(Clone, Copy, Debug, Default)]
pub enum Origin {
    /// The user, on the command line: they are taken as they are.
    #[default]
    User,
    /// A report, which may be a stranger's.
    Report {
        /// Whether the user trusts it. Else only known compilers from `PATH`, harmless flags and sources are taken.
        trusted: bool,
        /// Told each command line, quoted for a shell, before it runs.
        announce: fn(&str),
    },
}

/// How reports had something made: by which executable, flags and files to link.
type Recipe = (OsString, Vec<String>, Vec<PathBuf>);

/// What was announced so far.
static ANNOUNCED: Mutex<BTreeSet<Recipe>> = Mutex::new(BTreeSet::new());

/// How one build is made: what the user said, resolved.
#[derive(Clone, Debug)]
pub struct BuildSpec {
    /// Its role in the report: `baseline`, `variant`, `variant2`, `control`. Files are named after it.
    pub role: String,
    /// The compiler as the user wrote it (a name or a path), or the language's default.
    pub compiler: String,
    /// The build's own flags.
    pub flags: Vec<String>,
    /// Flags that go to every build; they stand before `flags`, which therefore win.
    pub common_flags: Vec<String>,
    /// Objects and libraries that are linked in.
    pub link: Vec<PathBuf>,
    /// Who wrote all this.
    pub origin: Origin,
    /// The function of a crate that is built, instead of a source.
    pub of_crate: Option<Arc<CrateFunction>>,
}

impl BuildSpec {
    /// All flags of the user's, in the order in which the compiler sees them.
    pub fn user_flags(&self) -> Vec<String> {
        self.common_flags.iter().chain(&self.flags).cloned().collect()
    }

    /// Refuses flags that say what the compiler produces, and what a report that nobody trusts may not ask for.
    ///
    /// # Errors
    ///
    /// [`BuildError::OutputFlag`], [`BuildError::Untrusted`].
    pub fn check(&self, language: Language) -> Result<(), BuildError> {
        const PRODUCES: [&str; 11] =
            ["-c", "-S", "-E", "-o", "-M", "-MM", "-fsyntax-only", "-emit-llvm", "--version", "--help", "--crate-type"];
        let mut words = self.common_flags.iter().chain(&self.flags);
        // "-o" after "-C" or "-Xclang" cannot be meant: those words' arguments never look like this.
        if let Some(flag) = words.find(|word| {
            PRODUCES.contains(&word.as_str()) || word.starts_with("--emit") || word.starts_with("--crate-type=")
        }) {
            return Err(BuildError::OutputFlag { flag: flag.clone() });
        }
        match self.origin {
            Origin::User | Origin::Report { trusted: true, .. } => Ok(()),
            Origin::Report { trusted: false, .. } => self.vet(language),
        }
    }

    fn vet(&self, language: Language) -> Result<(), BuildError> {
        let untrusted = |asks: String, why| Err(BuildError::Untrusted { asks, why });
        if language == Language::SharedObject {
            return untrusted("a shared object".to_owned(), "is code that nobody can read");
        }
        if !vetting::is_known_compiler(&self.compiler) {
            return untrusted(format!("the compiler {}", self.compiler), "is none that is known here by its name");
        }
        if let Some(refusal) = vetting::first_refusal(&self.user_flags(), language, Author::Report) {
            return untrusted(refusal.flag, refusal.why);
        }
        let is_source = |file: &PathBuf| !matches!(Language::of(file), Err(_) | Ok(Language::SharedObject));
        match self.link.iter().find(|file| !is_source(file)) {
            Some(file) => untrusted(format!("--link {}", file.display()), "is no source: it can hold any code"),
            None => Ok(()),
        }
    }

    /// The compiler, looked for after [`BuildSpec::check`]: looking runs it.
    pub(crate) fn find_compiler(&self, language: Language, deadline: Instant) -> Result<Compiler, BuildError> {
        self.check(language)?;
        match self.origin {
            Origin::Report { trusted: false, .. } if language == Language::Rust => {
                Compiler::find_rustc_elsewhere(&self.compiler, deadline)
            }
            _ => Compiler::find(&self.compiler, language, deadline),
        }
    }

    /// Runs a command line of this build; that of a report is announced, once for all that is made by the same compiler and the same words of the report.
    pub(crate) fn run(&self, command: &mut Command, name: &str, deadline: Instant) -> Result<Finished, BuildError> {
        if let Origin::Report { announce, .. } = self.origin
            && self.is_news(command)
        {
            let words = std::iter::once(command.get_program()).chain(command.get_args());
            let words: Vec<String> = words.map(|word| word.to_string_lossy().into_owned()).collect();
            announce(&words.iter().map(|word| quoted(word)).collect::<Vec<_>>().join(" "));
        }
        process::run(command, name, deadline)
    }

    /// Whether nothing was made yet by this compiler and these words of the user's.
    fn is_news(&self, command: &Command) -> bool {
        let made = (command.get_program().to_owned(), self.user_flags(), self.link.clone());
        ANNOUNCED.lock().unwrap_or_else(PoisonError::into_inner).insert(made)
    }
}

/// A word for a shell; as it is where that cannot be.
fn quoted(word: &str) -> String {
    shlex::try_quote(word).map_or_else(|_| word.to_owned(), |quoted| quoted.into_owned())
}

/// Reads a build as `--baseline` and `--variant` give it: words split as a shell splits them, of which the first names the
/// compiler if it does not begin with '-'. The role, common flags and link files are left empty.
///
/// # Errors
///
/// An open quotation mark, or a flag that says what to produce (`-c`, `-o`, …).
///
/// ```
/// use labrys_program::{Language, parse_build};
/// let build = parse_build("gcc -O3 -DNAME='a b'", Language::C).unwrap();
/// assert_eq!(build.compiler, "gcc");
/// assert_eq!(build.flags, ["-O3", "-DNAME=a b"]);
/// assert_eq!(parse_build("-O2", Language::Rust).unwrap().compiler, "rustc");
/// ```
pub fn parse_build(text: &str, language: Language) -> Result<BuildSpec, BuildError> {
    let mut flags = shlex::split(text).ok_or_else(|| BuildError::Quotes { text: text.to_owned() })?;
    let named = flags.first().is_some_and(|word| !word.starts_with('-'));
    let compiler = if named { flags.remove(0) } else { language.default_compiler().to_owned() };
    let spec = BuildSpec {
        role: String::new(),
        compiler,
        flags,
        common_flags: Vec::new(),
        link: Vec::new(),
        origin: Origin::User,
        of_crate: None,
    };
    spec.check(language)?;
    Ok(spec)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn builds_as_users_write_them() {
        let build = parse_build("", Language::Cpp).unwrap();
        assert_eq!((build.compiler.as_str(), build.flags.len()), ("clang", 0));
        let build = parse_build("/opt/x/clang -O3 -ffast-math", Language::C).unwrap();
        assert_eq!(build.compiler, "/opt/x/clang");
        assert_eq!(build.flags, ["-O3", "-ffast-math"]);
    }

    #[test]
    fn open_quotes_and_output_flags_are_refused() {
        assert!(matches!(parse_build("-DX='a", Language::C), Err(BuildError::Quotes { .. })));
        let refused = parse_build("-O2 -c", Language::C).unwrap_err();
        assert_eq!(refused.to_string(), "the flag -c cannot be used here: what the compiler produces is given");
        assert!(parse_build("--emit=asm", Language::Rust).is_err());
    }
}
