//! The largest parts of a variant's flags under which nothing was found.

use std::path::Path;

use serde::{Deserialize, Serialize};

use crate::Severity;

/// What `diff --safe-flags` came to.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SafeFlags {
    /// Divergences of this severity or a worse one are what none was found of.
    pub severity: Severity,
    /// The sets, the largest first.
    pub sets: Vec<SafeSet>,
    /// Sets of flags that show a divergence, and do not without any one of them.
    pub spoilt: Vec<Vec<String>>,
    /// How many builds ran known witnesses.
    pub builds: u64,
    /// Remarks on how flags are tried.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
    /// Why there may be further sets.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unfinished: Option<String>,
}

impl Default for SafeFlags {
    fn default() -> SafeFlags {
        let (sets, spoilt, notes) = (Vec::new(), Vec::new(), Vec::new());
        SafeFlags { severity: Severity::Ulps, sets, spoilt, notes, builds: 0, unfinished: None }
    }
}

impl SafeFlags {
    /// Under what [`crate::Timing`] has the speed of a set, by its place: the baseline's time of the same calls as a multiple of its own.
    pub fn timing_key(index: usize) -> String {
        format!("safe_flags_{index}_speed")
    }
}

/// A set of flags under which nothing was found.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SafeSet {
    /// The flags, as a compiler takes them.
    pub flags: Vec<String>,
    /// The parts of the variant's flags that are not among them.
    pub left_out: Vec<String>,
    /// What is known.
    pub verdict: SetVerdict,
    /// How many inputs the search ran.
    pub inputs: u64,
    /// What the solver over the floats proved of the IR of its build, a sentence each.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub proofs: Vec<String>,
    /// A line for a CMakeLists.txt; CMake compiles no Rust.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub cmake: String,
    /// A line for a build.rs, or of Rust for a .cargo/config.toml.
    pub cargo: String,
}

/// What the search says of a set. There is no proof among it: what the solver proves is of exceptions, not of results.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum SetVerdict {
    /// The search did all its work and found nothing.
    NoneFound,
    /// It found nothing until a limit ended it.
    CutShort,
}

impl SetVerdict {
    /// It in words.
    pub fn words(self) -> &'static str {
        match self {
            SetVerdict::NoneFound => "none found",
            SetVerdict::CutShort => "none found before the time limit ended the search",
        }
    }
}

/// The compiler of C, C++ or Fortran that takes the flags of a snippet.
#[derive(Clone, Copy, Debug)]
pub struct SnippetCompiler<'a> {
    /// As a user would call it: `clang-22`.
    pub name: &'a str,
    /// CMake's name of the language: `C`, `CXX`, `Fortran`.
    pub language: &'a str,
    /// CMake's name of the compiler's family: `Clang`, `GNU`, `LLVMFlang`.
    pub family: &'a str,
}

/// Flags for a source as CMake takes them, for this compiler alone: another one would refuse some of them. Nothing for Rust, of which no compiler is given.
pub fn cmake_snippet(source: &Path, flags: &[String], compiler: Option<SnippetCompiler<'_>>) -> String {
    let Some(SnippetCompiler { name, language, family }) = compiler else { return String::new() };
    let escaped = |text: &str| text.replace('\\', "\\\\").replace('"', "\\\"").replace('$', "\\$");
    let source = escaped(&source.display().to_string());
    // In a generator expression a bracket would end it.
    let flags = escaped(&flags.join(";")).replace('>', "$<ANGLE-R>");
    let options = format!("$<$<{language}_COMPILER_ID:{family}>:{flags}>");
    format!("set_source_files_properties(\"{source}\" PROPERTIES COMPILE_OPTIONS \"{options}\") # for {name}")
}

/// Flags for a source as cargo takes them: of Rust in its configuration, else by the crate `cc` in a build script.
pub fn cargo_snippet(source: &Path, flags: &[String], compiler: Option<SnippetCompiler<'_>>) -> String {
    let quoted = |text: &str| format!("{text:?}");
    let listed = flags.iter().map(|flag| quoted(flag)).collect::<Vec<_>>().join(", ");
    let Some(SnippetCompiler { name: compiler, .. }) = compiler else {
        return format!("build.rustflags = [{listed}]");
    };
    let flags: String = flags.iter().map(|flag| format!(".flag({})", quoted(flag))).collect();
    let name = source.file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default();
    let file = quoted(&source.display().to_string());
    let compiler = quoted(compiler);
    format!("cc::Build::new().compiler({compiler}).file({file}){flags}.compile({});", quoted(&name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn snippets_are_what_tools_read() {
        let clang = Some(SnippetCompiler { name: "clang-22", language: "C", family: "Clang" });
        let flags = ["-O3", "-DNAME=\"a>b\""].map(str::to_owned);
        assert_eq!(
            cmake_snippet(Path::new("src/f.c"), &flags, clang),
            "set_source_files_properties(\"src/f.c\" PROPERTIES COMPILE_OPTIONS \
             \"$<$<C_COMPILER_ID:Clang>:-O3;-DNAME=\\\"a$<ANGLE-R>b\\\">\") # for clang-22"
        );
        assert_eq!(
            cargo_snippet(Path::new("src/f.c"), &flags, clang),
            "cc::Build::new().compiler(\"clang-22\").file(\"src/f.c\").flag(\"-O3\").flag(\"-DNAME=\\\"a>b\\\"\").compile(\"f\");"
        );
        assert_eq!(
            cargo_snippet(Path::new("f.rs"), &["-C".to_owned(), "opt-level=3".to_owned()], None),
            "build.rustflags = [\"-C\", \"opt-level=3\"]"
        );
        assert_eq!(cmake_snippet(Path::new("f.rs"), &flags, None), "");
    }
}
