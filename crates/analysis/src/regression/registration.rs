//! Tests of programs, told to test frameworks.
//!
//! A program's tests are one C file whose executable runs the tests that it is given by name ([`labrys_testcase::regression_file`]). What a
//! framework needs beside it is a test for each name that runs that executable.

use std::fmt::Write as _;

use labrys_report::TestKind;

use crate::whole::commands::TestBuild;

/// What is registered.
pub(crate) struct Registration<'a> {
    /// What the C file, without its suffix, and its executable are called.
    pub(crate) stem: &'a str,
    /// The names of the tests.
    pub(crate) tests: Vec<&'a str>,
    /// How the executable is built.
    pub(crate) build: &'a TestBuild,
}

/// Where the executable is, for a framework that does not say so itself.
const VARIABLE: &str = "LABRYS_TESTS";

impl Registration<'_> {
    /// The files that stand beside the C file.
    pub(crate) fn files(&self, kind: TestKind) -> Vec<(String, String)> {
        let stem = self.stem;
        match kind {
            TestKind::Ctest => vec![("CMakeLists.txt".to_owned(), self.cmake(kind))],
            TestKind::Catch2 => {
                vec![(format!("{stem}.cpp"), self.catch()), ("CMakeLists.txt".to_owned(), self.cmake(kind))]
            }
            TestKind::Rust => vec![(format!("{stem}.rs"), self.rust())],
            TestKind::Pytest => vec![(format!("test_{stem}.py"), self.python())],
            TestKind::Fortran => vec![(format!("{stem}.f90"), self.fortran())],
        }
    }

    fn head(&self, kind: TestKind, run: &str) -> String {
        let mut lines = vec![format!(
            "Runs the tests of {}.c by their names. To build and run them, in the folder of this file:",
            self.stem
        )];
        if kind != TestKind::Catch2 {
            let commands = self.build.build_commands(("", &format!("{}.c", self.stem)), self.stem);
            lines.extend(commands.iter().map(|command| format!("  $ {command}")));
        }
        lines.push(format!("  $ {run}"));
        kind.language().comment(lines.iter().map(String::as_str))
    }

    fn cmake(&self, kind: TestKind) -> String {
        let stem = self.stem;
        let commands = self.build.build_commands(("\"$1\"/", &format!("{stem}.c")), stem).join(" && ");
        let program = format!("${{CMAKE_CURRENT_BINARY_DIR}}/{stem}");
        let language = if kind == TestKind::Catch2 { "CXX" } else { "NONE" };
        let mut text = format!(
            "# Tests made by labrys. To build and run them, in the folder of this file:\n\
             #   $ cmake -S . -B build && cmake --build build && ctest --test-dir build --output-on-failure\n\
             cmake_minimum_required(VERSION 3.16)\n\
             project({stem} {language})\n\
             enable_testing()\n\n\
             # Anew each time: what sources include may have changed.\n\
             add_custom_target({stem}_program ALL\n  \
             COMMAND sh -c [==[{commands}]==] sh ${{CMAKE_CURRENT_SOURCE_DIR}}\n  \
             BYPRODUCTS {program} VERBATIM)\n"
        );
        if kind == TestKind::Catch2 {
            let _ = writeln!(
                text,
                "add_executable({stem}_catch {stem}.cpp)\n\
                 add_dependencies({stem}_catch {stem}_program)\n\
                 find_package(Catch2 REQUIRED)\n\
                 if(TARGET Catch2::Catch2WithMain)\n  target_link_libraries({stem}_catch PRIVATE Catch2::Catch2WithMain)\n\
                 else()\n  target_link_libraries({stem}_catch PRIVATE Catch2::Catch2)\nendif()\n\
                 target_compile_features({stem}_catch PRIVATE cxx_std_17)"
            );
        }
        for test in &self.tests {
            let command = match kind {
                TestKind::Catch2 => format!("{stem}_catch {test}"),
                _ => format!("{program} {test}"),
            };
            let _ = writeln!(text, "add_test(NAME {stem}.{test} COMMAND {command})");
            if kind == TestKind::Catch2 {
                let _ =
                    writeln!(text, "set_tests_properties({stem}.{test} PROPERTIES ENVIRONMENT {VARIABLE}={program})");
            }
        }
        text
    }

    fn catch(&self) -> String {
        let mut text = self.head(
            TestKind::Catch2,
            "cmake -S . -B build && cmake --build build && ctest --test-dir build --output-on-failure",
        );
        let _ = write!(
            text,
            "#if defined __has_include && __has_include(<catch2/catch_test_macros.hpp>)\n\
             #include <catch2/catch_test_macros.hpp>\n\
             #else\n\
             #ifndef LABRYS_NO_MAIN\n#define CATCH_CONFIG_MAIN\n#endif\n\
             #include <catch2/catch.hpp>\n\
             #endif\n\
             #include <cstdlib>\n#include <string>\n\n\
             static int run(const char *test) {{\n    \
             const char *program = std::getenv(\"{VARIABLE}\");\n    \
             std::string command = std::string(\"'\") + (program ? program : \"./{}\") + \"' \" + test;\n    \
             return std::system(command.c_str());\n}}\n",
            self.stem
        );
        for test in &self.tests {
            let _ = write!(text, "\nTEST_CASE(\"{test}\") {{\n    CHECK(run(\"{test}\") == 0);\n}}\n");
        }
        text
    }

    fn rust(&self) -> String {
        let stem = self.stem;
        let mut text = self
            .head(TestKind::Rust, &format!("rustc --edition 2024 --test {stem}.rs -o {stem}_rust && ./{stem}_rust"));
        let _ = write!(
            text,
            "fn run(test: &str) -> bool {{\n    \
             let program = std::env::var_os(\"{VARIABLE}\").unwrap_or_else(|| \"./{stem}\".into());\n    \
             std::process::Command::new(program).arg(test).status().is_ok_and(|status| status.success())\n}}\n"
        );
        for test in &self.tests {
            let _ = write!(text, "\n#[test]\nfn {test}() {{\n    assert!(run(\"{test}\"));\n}}\n");
        }
        text
    }

    fn python(&self) -> String {
        let stem = self.stem;
        let mut text = self.head(TestKind::Pytest, &format!("python3 -m pytest test_{stem}.py"));
        let _ = write!(
            text,
            "import os\nimport subprocess\n\nimport pytest\n\n\
             HERE = os.path.dirname(os.path.abspath(__file__))\n\
             PROGRAM = os.environ.get(\"{VARIABLE}\", os.path.join(HERE, \"{stem}\"))\n\n\n\
             @pytest.mark.parametrize(\"test\", [\n"
        );
        for test in &self.tests {
            let _ = writeln!(text, "    \"{test}\",");
        }
        text.push_str("])\ndef test_of_program(test):\n    assert subprocess.run([PROGRAM, test]).returncode == 0\n");
        text
    }

    fn fortran(&self) -> String {
        let stem = self.stem;
        let mut text =
            self.head(TestKind::Fortran, &format!("flang-22 {stem}.f90 -o {stem}_fortran && ./{stem}_fortran"));
        let _ = write!(text, "program {stem}_fortran\n  implicit none\n  integer :: failures = 0\n");
        for test in &self.tests {
            let _ = writeln!(text, "  call run('{test}')");
        }
        let _ = write!(
            text,
            "  if (failures > 0) error stop 1\ncontains\n  subroutine run(test)\n    \
             character(*), intent(in) :: test\n    integer :: code, status\n    \
             call execute_command_line('./{stem} ' // test, exitstat=code, cmdstat=status)\n    \
             if (code /= 0 .or. status /= 0) failures = failures + 1\n  end subroutine\nend program\n"
        );
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_names_every_test() {
        let build = TestBuild {
            compiler: "cc".to_owned(),
            linker: None,
            flags: vec!["-DX=a b".to_owned()],
            sources: vec!["prog.c".into()],
            includes_source: false,
            main: "labrys_program_main",
            extra: "-g".to_owned(),
            own: Vec::new(),
            headers: Some("include"),
        };
        let registration = Registration { stem: "tests", tests: vec!["test000001", "test000002"], build: &build };
        for kind in TestKind::ALL {
            let files = registration.files(kind);
            for test in &registration.tests {
                assert!(files.iter().any(|(_, text)| text.contains(test)), "{kind:?}");
            }
        }
    }
}
