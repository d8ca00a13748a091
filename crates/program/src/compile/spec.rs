use std::path::PathBuf;

use super::{BuildError, Language};

/// How one build is made: what the user said, resolved.
#[derive(Clone, Debug, PartialEq, Eq)]
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
}

impl BuildSpec {
    /// All flags of the user's, in the order in which the compiler sees them.
    pub fn user_flags(&self) -> Vec<String> {
        self.common_flags.iter().chain(&self.flags).cloned().collect()
    }

    /// Refuses flags that say what the compiler produces.
    pub(super) fn check(&self) -> Result<(), BuildError> {
        const PRODUCES: [&str; 11] =
            ["-c", "-S", "-E", "-o", "-M", "-MM", "-fsyntax-only", "-emit-llvm", "--version", "--help", "--crate-type"];
        let mut words = self.common_flags.iter().chain(&self.flags);
        // "-o" after "-C" or "-Xclang" cannot be meant: those words' arguments never look like this.
        match words.find(|word| {
            PRODUCES.contains(&word.as_str()) || word.starts_with("--emit") || word.starts_with("--crate-type=")
        }) {
            Some(flag) => Err(BuildError::OutputFlag { flag: flag.clone() }),
            None => Ok(()),
        }
    }
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
    let spec = BuildSpec { role: String::new(), compiler, flags, common_flags: Vec::new(), link: Vec::new() };
    spec.check()?;
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
