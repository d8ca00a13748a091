//! A benchmark program and what its head says of it.
//!
//! The head is the leading lines that begin with `//`:
//!
//! ```text
//! // expect: holds                      or:  // expect: violated KIND at LINE
//! // check: leaks                       asked-for checks, as `leaks` or `overflow`; may be missing
//! // input: NAME=HEXBYTES               one for each object of an input that shows the violation, in the order in which it is asked for
//! // What the program is.
//! ```

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use globset::Glob;

/// The kinds of violation, by the names that `labrys verify --format json` gives them.
pub const KINDS: [&str; 16] = [
    "assertion",
    "out-of-bounds",
    "use-after-free",
    "use-after-return",
    "double-free",
    "invalid-free",
    "null",
    "uninitialised",
    "division-by-zero",
    "overflow",
    "shift",
    "abort",
    "unreachable",
    "leak",
    "overlap",
    "read-only",
];

/// What goes wrong, and where.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Error {
    /// One of [`KINDS`].
    pub kind: String,
    /// The line in the program's file.
    pub line: u32,
}

/// What is right to say of a program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Expectation {
    Holds,
    Violated(Error),
}

/// A benchmark program.
#[derive(Clone, Debug)]
pub struct Program {
    /// The file's name without its ending.
    pub name: String,
    pub path: PathBuf,
    pub text: String,
    pub expectation: Expectation,
    /// `leaks`, `overflow`: what is checked beside what always is.
    pub checks: Vec<String>,
    /// `NAME=HEXBYTES`, in the order in which the program asks.
    pub inputs: Vec<String>,
}

/// The folder of the programs, their header and their runtime.
pub fn folder(root: &Path) -> PathBuf {
    root.join("xtask/programs")
}

impl Program {
    /// The programs of a suite (`verify`, `memory`) whose names match, by name.
    pub fn all(root: &Path, suite: &str, only: Option<&str>) -> Result<Vec<Program>> {
        let matcher = only.map(Glob::new).transpose()?.map(|glob| glob.compile_matcher());
        let folder = folder(root).join(suite);
        let mut programs = Vec::new();
        for entry in fs::read_dir(&folder).with_context(|| format!("cannot read {}", folder.display()))? {
            let path = entry?.path();
            let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
            if path.extension().is_some_and(|ending| ending == "c")
                && matcher.as_ref().is_none_or(|matcher| matcher.is_match(&name))
            {
                let text = fs::read_to_string(&path)?;
                let program = Self::parse(name, path.clone(), text).with_context(|| path.display().to_string())?;
                programs.push(program);
            }
        }
        programs.sort_by(|a, b| a.name.cmp(&b.name));
        Ok(programs)
    }

    fn parse(name: String, path: PathBuf, text: String) -> Result<Program> {
        let head: Vec<&str> = text.lines().map_while(|line| line.strip_prefix("// ")).collect();
        let [first, rest @ ..] = &head[..] else { bail!("no head") };
        let expectation =
            match *first.strip_prefix("expect: ").context("no expectation")?.split(' ').collect::<Vec<_>>() {
                ["holds"] => Expectation::Holds,
                ["violated", kind, "at", line] => {
                    if !KINDS.contains(&kind) {
                        bail!("no kind of violation is called {kind}");
                    }
                    Expectation::Violated(Error { kind: kind.to_owned(), line: line.parse()? })
                }
                _ => bail!("the first line is neither `expect: holds` nor `expect: violated KIND at LINE`"),
            };
        let values = |key: &str| -> Vec<String> {
            rest.iter().filter_map(|line| line.strip_prefix(key)).map(str::to_owned).collect()
        };
        let (checks, inputs) = (values("check: "), values("input: "));
        if let Some(check) = checks.iter().find(|check| !["leaks", "overflow"].contains(&check.as_str())) {
            bail!("no check is called {check}");
        }
        if expectation == Expectation::Holds && !inputs.is_empty() {
            bail!("an input of a program that is correct");
        }
        Ok(Program { name, path, text, expectation, checks, inputs })
    }

    /// The name of the file.
    pub fn file(&self) -> String {
        format!("{}.c", self.name)
    }

    pub fn checks(&self, what: &str) -> bool {
        self.checks.iter().any(|check| check == what)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> Result<Program> {
        Program::parse("p".to_owned(), PathBuf::from("p.c"), text.to_owned())
    }

    #[test]
    fn a_head_is_read() {
        let program = parse(
            "// expect: violated out-of-bounds at 7\n// check: leaks\n// input: x=00ff\n// What.\nint x;\n// input: y=1\n",
        );
        let program = program.expect("a head");
        assert_eq!(program.expectation, Expectation::Violated(Error { kind: "out-of-bounds".to_owned(), line: 7 }));
        assert_eq!(program.inputs, ["x=00ff"]);
        assert!(program.checks("leaks") && !program.checks("overflow"));
    }

    #[test]
    fn a_wrong_head_is_refused() {
        assert!(parse("int x;").is_err());
        assert!(parse("// expect: violated nonsense at 7\n").is_err());
        assert!(parse("// expect: violated null at x\n").is_err());
        assert!(parse("// expect: holds\n// check: everything\n").is_err());
        assert!(parse("// expect: holds\n// input: x=00\n").is_err());
    }

    #[test]
    fn both_suites_are_large_half_right_and_of_pairs() {
        let root = crate::root();
        for (suite, least) in [("verify", 60), ("memory", 120)] {
            let programs = Program::all(&root, suite, None).expect("heads that can be read");
            assert!(programs.len() >= least, "{suite}: {}", programs.len());
            for program in &programs {
                let is_wrong = program.expectation != Expectation::Holds;
                assert_eq!(program.name.ends_with("_bug"), is_wrong, "{}", program.name);
                let twin = program.name.strip_suffix("_bug").map_or(format!("{}_bug", program.name), str::to_owned);
                assert!(programs.iter().any(|other| other.name == twin), "{} has no twin", program.name);
            }
        }
    }
}
