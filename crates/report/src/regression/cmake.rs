//! `CMakeLists.txt` for tests in C and C++.

use std::fmt::Write as _;

use super::{CallSuite, CodeUnderTest, TestKind, TestLanguage};

/// A word that CMake takes as it is.
pub(super) fn word(text: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "_+-=:,./@%".contains(c);
    if !text.is_empty() && text.chars().all(plain) {
        return text.to_owned();
    }
    let mut equals = String::new();
    while text.contains(&format!("]{equals}]")) || text.ends_with(&format!("]{equals}")) {
        equals.push('=');
    }
    format!("[{equals}[{text}]{equals}]")
}

fn words(of: &[String]) -> String {
    of.iter().map(|of| word(of)).collect::<Vec<_>>().join(" ")
}

/// The file.
pub(super) fn text(suite: &CallSuite<'_>, kind: TestKind) -> String {
    let stem = &suite.stem;
    let mut text = TestLanguage::Python.comment(suite.about.iter().map(String::as_str));
    let language = if kind == TestKind::Catch2 { "CXX" } else { "C" };
    let _ = writeln!(text, "cmake_minimum_required(VERSION 3.16)");
    if let (CodeUnderTest::Included { words, .. }, "C") = (&suite.code, language)
        && let Some(compiler) = words.first()
    {
        let _ = writeln!(text, "if(NOT DEFINED CMAKE_C_COMPILER)\n  set(CMAKE_C_COMPILER {})\nendif()", word(compiler));
    }
    let _ = writeln!(text, "project({stem} {language})\nenable_testing()\n");
    let file = kind.file_name(stem);
    match &suite.code {
        CodeUnderTest::Built { words: command, folder, source } => {
            let library = format!("${{CMAKE_CURRENT_BINARY_DIR}}/lib{stem}.so");
            let command: Vec<String> =
                command.iter().map(|of| if of == "so" { library.clone() } else { word(of) }).collect();
            let _ = writeln!(
                text,
                "# The code under test, as it was built when it was analysed.\n\
                 add_custom_command(OUTPUT {library}\n  COMMAND {}\n  WORKING_DIRECTORY {}\n  DEPENDS {} VERBATIM)\n\
                 add_custom_target({stem}_code DEPENDS {library})\n\
                 add_executable({stem} {file})\n\
                 add_dependencies({stem} {stem}_code)\n\
                 target_link_libraries({stem} PRIVATE {library} m)",
                command.join(" "),
                word(&folder.display().to_string()),
                word(&source.display().to_string()),
            );
        }
        CodeUnderTest::Given(library) => {
            let _ = writeln!(
                text,
                "add_executable({stem} {file})\ntarget_link_libraries({stem} PRIVATE {} m)",
                word(&library.display().to_string())
            );
        }
        CodeUnderTest::Included { words: flags, link, .. } => {
            let flags = flags.get(1..).unwrap_or_default();
            let _ = writeln!(
                text,
                "add_executable({stem} {file})\n\
                 target_compile_options({stem} PRIVATE {})\n\
                 target_link_libraries({stem} PRIVATE {} m)",
                words(flags),
                words(link),
            );
        }
        // Such code is for tests in Rust.
        CodeUnderTest::Crate { .. } => {}
    }
    // The compiler knows what functions of libm's names do, and the code under test may have its own.
    let _ = writeln!(text, "target_compile_options({stem} PRIVATE -fno-builtin)");
    if kind == TestKind::Catch2 {
        let _ = writeln!(
            text,
            "find_package(Catch2 REQUIRED)\n\
             if(TARGET Catch2::Catch2WithMain)\n  target_link_libraries({stem} PRIVATE Catch2::Catch2WithMain)\n\
             else()\n  target_link_libraries({stem} PRIVATE Catch2::Catch2)\nendif()\n\
             target_compile_features({stem} PRIVATE cxx_std_17)"
        );
    }
    for test in &suite.tests {
        let name = &test.name;
        let _ = writeln!(text, "add_test(NAME {stem}.{name} COMMAND {stem} {name})");
        let _ = writeln!(text, "set_tests_properties({stem}.{name} PROPERTIES TIMEOUT 60)");
    }
    text
}
