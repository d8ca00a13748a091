//! What a file of tests is made of.

use std::path::PathBuf;

use labrys_program::Signature;

use super::{Expectation, c, cmake, fortran, python, rust};

/// A test framework.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum TestKind {
    /// C, registered with CTest by a `CMakeLists.txt`.
    Ctest,
    /// C++ with Catch2, version 2 or 3, and a `CMakeLists.txt`.
    Catch2,
    /// Rust's `#[test]`.
    Rust,
    /// Python's pytest, through ctypes.
    Pytest,
    /// A Fortran program, through `iso_c_binding`.
    Fortran,
}

/// The language of a file of tests, for comments.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum TestLanguage {
    /// C and C++.
    C,
    /// Rust.
    Rust,
    /// Python, and CMake, whose comments are the same.
    Python,
    /// Fortran.
    Fortran,
}

/// A call and what is expected of it.
#[derive(Clone, Debug)]
pub struct CallTest<'a> {
    /// Its name: letters, digits and `_`, no digit first.
    pub name: String,
    /// Why there is such a test, in lines.
    pub why: Vec<String>,
    /// How the function is called.
    pub signature: &'a Signature,
    /// The input record.
    pub input: Vec<u8>,
    /// What is expected; never empty.
    pub expectations: Vec<Expectation>,
}

/// How the code that is tested comes to the test.
#[derive(Clone, Debug)]
pub enum CodeUnderTest {
    /// As a shared object that a command makes.
    Built {
        /// The command's words; `so` stands for the shared object.
        words: Vec<String>,
        /// The folder in which it runs.
        folder: PathBuf,
    },
    /// As a library that a script beside the tests makes.
    Library {
        /// The script, for `sh`; it takes the shared object's name.
        script: String,
        /// The files that it reads, so that it is made again when one changes.
        files: Vec<PathBuf>,
    },
    /// As a shared object that is there; one without a folder lies beside the tests.
    Given(PathBuf),
    /// As a crate of Rust, whose test the file is: a module in it calls the crate.
    Crate {
        /// The module's text, which defines the function that is called.
        module: String,
        /// cargo's command line, for a shell.
        command: String,
    },
    /// The test's file includes it: the function is not seen by others.
    Included {
        /// The C file.
        source: PathBuf,
        /// The compiler and its flags, with paths that hold anywhere.
        words: Vec<String>,
        /// What is linked.
        link: Vec<String>,
    },
}

/// A file of tests.
#[derive(Clone, Debug)]
pub struct CallSuite<'a> {
    /// What files are called, without suffixes: letters, digits and `_`, no digit first.
    pub stem: String,
    /// What it is, in lines, for the first comment.
    pub about: Vec<String>,
    /// The code.
    pub code: CodeUnderTest,
    /// What is called once before each test, without arguments: its symbol.
    pub init: Option<String>,
    /// The tests.
    pub tests: Vec<CallTest<'a>>,
}

/// Why a kind of test cannot be written.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{kind} cannot test {function}: {why}")]
pub struct Refused {
    /// The kind.
    pub kind: &'static str,
    /// The function.
    pub function: String,
    /// Why not.
    pub why: String,
}

impl TestKind {
    /// All of them.
    pub const ALL: [TestKind; 5] =
        [TestKind::Ctest, TestKind::Catch2, TestKind::Rust, TestKind::Pytest, TestKind::Fortran];

    /// Its name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            TestKind::Ctest => "ctest",
            TestKind::Catch2 => "catch2",
            TestKind::Rust => "rust",
            TestKind::Pytest => "pytest",
            TestKind::Fortran => "fortran",
        }
    }

    /// The language of its files.
    pub fn language(self) -> TestLanguage {
        match self {
            TestKind::Ctest | TestKind::Catch2 => TestLanguage::C,
            TestKind::Rust => TestLanguage::Rust,
            TestKind::Pytest => TestLanguage::Python,
            TestKind::Fortran => TestLanguage::Fortran,
        }
    }

    /// The name of the file of tests.
    pub fn file_name(self, stem: &str) -> String {
        match self {
            TestKind::Ctest => format!("{stem}.c"),
            TestKind::Catch2 => format!("{stem}.cpp"),
            TestKind::Rust => format!("{stem}.rs"),
            TestKind::Pytest => format!("test_{stem}.py"),
            TestKind::Fortran => format!("{stem}.f90"),
        }
    }
}

impl TestLanguage {
    /// Lines as one comment; it ends with a line break.
    pub fn comment<'l>(self, lines: impl IntoIterator<Item = &'l str>) -> String {
        let prefix = match self {
            TestLanguage::C => "   ",
            TestLanguage::Rust => "// ",
            TestLanguage::Python => "# ",
            TestLanguage::Fortran => "! ",
        };
        let mut lines = lines.into_iter().peekable();
        if lines.peek().is_none() {
            return String::new();
        }
        let mut text: String = lines
            .map(|line| {
                let line = if self == TestLanguage::C { line.replace("*/", "* /") } else { line.to_owned() };
                format!("{prefix}{}", crate::visible::visible(&line)).trim_end().to_owned() + "\n"
            })
            .collect();
        if self == TestLanguage::C {
            text = format!("/* {}", text.trim_start());
            text.truncate(text.trim_end().len());
            text.push_str(" */\n");
        }
        text
    }
}

impl CallSuite<'_> {
    /// The files, by name.
    ///
    /// # Errors
    ///
    /// Where the kind cannot call one of the functions, with the reason.
    pub fn files(&self, kind: TestKind) -> Result<Vec<(String, String)>, Refused> {
        let text = match kind {
            TestKind::Ctest => c::text(self, false),
            TestKind::Catch2 => c::text(self, true),
            TestKind::Rust => rust::text(self),
            TestKind::Pytest => python::text(self),
            TestKind::Fortran => fortran::text(self),
        };
        let text = text.map_err(|(function, why)| Refused { kind: kind.name(), function, why })?;
        let mut files = vec![(kind.file_name(&self.stem), text)];
        if matches!(kind, TestKind::Ctest | TestKind::Catch2) {
            files.push(("CMakeLists.txt".to_owned(), cmake::text(self, kind)));
        }
        if let CodeUnderTest::Library { script, .. } = &self.code {
            files.push((self.script_name(), script.clone()));
        }
        Ok(files)
    }

    /// The shared object that tests call, beside their file.
    pub(super) fn library(&self) -> Option<String> {
        match &self.code {
            CodeUnderTest::Built { .. } | CodeUnderTest::Library { .. } => Some(format!("lib{}.so", self.stem)),
            CodeUnderTest::Given(path) => Some(path.display().to_string()),
            CodeUnderTest::Included { .. } | CodeUnderTest::Crate { .. } => None,
        }
    }

    /// The script that makes a library, beside the tests' file.
    pub(super) fn script_name(&self) -> String {
        format!("{}_library.sh", self.stem)
    }

    /// The first test of each function, in order: its place is the function's number.
    pub(super) fn functions(&self) -> Vec<&CallTest<'_>> {
        let mut found: Vec<&CallTest<'_>> = Vec::new();
        for test in &self.tests {
            if found.iter().all(|known| known.signature.symbol != test.signature.symbol) {
                found.push(test);
            }
        }
        found
    }

    /// The number of a test's function.
    pub(super) fn number(&self, test: &CallTest<'_>) -> usize {
        let is_own = |known: &&CallTest<'_>| known.signature.symbol == test.signature.symbol;
        self.functions().iter().position(is_own).unwrap_or_default()
    }

    /// Why only C can call what is tested.
    pub(super) fn must_be_seen(&self) -> Result<(), (String, String)> {
        match (&self.code, self.tests.first()) {
            (CodeUnderTest::Included { .. }, Some(test)) => Err((
                test.signature.name.clone(),
                "it is not seen outside its file, which only a test in C can include; take ctest".to_owned(),
            )),
            _ => Ok(()),
        }
    }

    /// The commands that build the tests, in the folder of their file.
    pub fn build_commands(&self, kind: TestKind) -> Vec<String> {
        let word = crate::reproducer::shell_word;
        let file = kind.file_name(&self.stem);
        let stem = &self.stem;
        let library = self.library().unwrap_or_default();
        let linked = match &self.code {
            CodeUnderTest::Given(_) => word(&library),
            _ => format!("./{library}"),
        };
        let mut commands = match &self.code {
            CodeUnderTest::Built { words, folder } if kind.language() != TestLanguage::C => {
                let library = format!("\"$here\"/{library}");
                let quoted: Vec<String> =
                    words.iter().map(|of| if of == "so" { library.clone() } else { word(of) }).collect();
                vec![format!("(here=$PWD; cd {} && {})", word(&folder.display().to_string()), quoted.join(" "))]
            }
            CodeUnderTest::Library { .. } if kind.language() != TestLanguage::C => {
                vec![format!("sh {} {library}", self.script_name())]
            }
            _ => Vec::new(),
        };
        commands.extend(match kind {
            TestKind::Ctest | TestKind::Catch2 => Some("cmake -S . -B build && cmake --build build".to_owned()),
            TestKind::Rust => {
                let argument = word(&format!("link-arg={linked}"));
                Some(format!(
                    "rustc --edition 2024 --test {file} -C {argument} -C 'link-arg=-Wl,-rpath,$ORIGIN' -o {stem}"
                ))
            }
            TestKind::Pytest => None,
            TestKind::Fortran => Some(format!("flang-22 {file} {linked} '-Wl,-rpath,$ORIGIN' -o {stem}")),
        });
        commands
    }

    /// The command that runs the one test of a name where they are built, which fails as the test does. That Rust's framework ran one it says, and ends well
    /// where there is none. What pytest would find is called by Python alone.
    pub fn command_of(&self, kind: TestKind, name: &str) -> String {
        let stem = &self.stem;
        match kind {
            TestKind::Ctest | TestKind::Catch2 => format!("build/{stem} {name}"),
            TestKind::Rust => format!("./{stem} --exact {name} --test-threads 1"),
            TestKind::Pytest => format!("python3 -c 'import test_{stem}; test_{stem}.test_{name}()'"),
            TestKind::Fortran => format!("./{stem} {name}"),
        }
    }

    /// The commands that build the tests and run them.
    fn commands(&self, kind: TestKind) -> Vec<String> {
        if let CodeUnderTest::Crate { command, .. } = &self.code {
            return vec![command.clone()];
        }
        let run = match kind {
            TestKind::Ctest | TestKind::Catch2 => "ctest --test-dir build --output-on-failure".to_owned(),
            TestKind::Rust | TestKind::Fortran => format!("./{}", self.stem),
            TestKind::Pytest => format!("python3 -m pytest {}", kind.file_name(&self.stem)),
        };
        let mut commands = self.build_commands(kind);
        match commands.last_mut().filter(|_| kind != TestKind::Pytest) {
            Some(last) => last.push_str(&format!(" && {run}")),
            None => commands.push(run),
        }
        commands
    }

    /// The lines of the first comment.
    pub(super) fn head(&self, kind: TestKind) -> Vec<String> {
        let mut lines = self.about.clone();
        let place = match self.code {
            CodeUnderTest::Crate { .. } => "in the crate, with this file in its folder tests",
            _ => "in the folder of this file",
        };
        lines.push(format!("To build and run them, {place}:"));
        lines.extend(self.commands(kind).into_iter().map(|command| format!("  $ {command}")));
        lines
    }
}
