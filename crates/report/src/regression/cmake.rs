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

/// The shared object that a command makes.
fn made_library(stem: &str) -> String {
    format!("${{CMAKE_CURRENT_BINARY_DIR}}/lib{stem}.so")
}

/// Make's own words in a command, which CMake passes on as they are: `$(id)`.
const MAKES: [&str; 2] = ["$(", "${"];

/// A command that make does not see, as a script of CMake's in the build folder, and what runs it; the library's place is the script's OUTPUT.
fn scripted(text: &mut String, stem: &str, command: &str, folder: &str) -> String {
    let script = format!("${{CMAKE_CURRENT_BINARY_DIR}}/{stem}_code.cmake");
    let lines = format!(
        "execute_process(COMMAND {command}\n  WORKING_DIRECTORY {folder} RESULT_VARIABLE code)\n\
         if(code)\n  message(FATAL_ERROR \"the code under test is not built: ${{code}}\")\nendif()\n"
    );
    let mut equals = "=".to_owned();
    while lines.contains(&format!("]{equals}]")) {
        equals.push('=');
    }
    let _ = writeln!(
        text,
        "# Make would read what stands in the command as its own.\nfile(WRITE {script} [{equals}[\n{lines}]{equals}])"
    );
    format!("${{CMAKE_COMMAND}} -DOUTPUT={} -P {script}", made_library(stem))
}

/// Tests of a shared object that a command makes in a folder: where the files that it reads are known when one of these has changed, else whenever tests
/// are built, for what a source includes may have changed.
fn made(text: &mut String, suite: &CallSuite<'_>, file: &str, (command, folder, reads): (&str, &str, Option<&str>)) {
    let stem = &suite.stem;
    let library = made_library(stem);
    let made = match reads {
        Some(files) => format!(
            "add_custom_command(OUTPUT {library}\n  COMMAND {command}\n  WORKING_DIRECTORY {folder}\n  DEPENDS {files} VERBATIM)\n\
             add_custom_target({stem}_code DEPENDS {library})"
        ),
        None => format!(
            "add_custom_target({stem}_code ALL\n  COMMAND {command}\n  WORKING_DIRECTORY {folder}\n  BYPRODUCTS {library} VERBATIM)"
        ),
    };
    let _ = writeln!(
        text,
        "# The code under test, as it was built when it was analysed.\n\
         {made}\n\
         add_executable({stem} {file})\n\
         add_dependencies({stem} {stem}_code)\n\
         target_link_libraries({stem} PRIVATE {library} m)"
    );
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
        CodeUnderTest::Built { words: command, folder } => {
            let library = made_library(stem);
            let folder = folder.display().to_string();
            let is_makes = |of: &str| MAKES.iter().any(|begin| of.contains(begin));
            let is_hidden = is_makes(&folder) || command.iter().any(|of| is_makes(of));
            let place = if is_hidden { "${OUTPUT}" } else { &library };
            let command: Vec<String> =
                command.iter().map(|of| if of == "so" { place.to_owned() } else { word(of) }).collect();
            let (command, folder) = (command.join(" "), word(&folder));
            if is_hidden {
                let command = scripted(&mut text, stem, &command, &folder);
                made(&mut text, suite, &file, (&command, "${CMAKE_CURRENT_BINARY_DIR}", None));
            } else {
                made(&mut text, suite, &file, (&command, &folder, None));
            }
        }
        CodeUnderTest::Library { files, .. } => {
            let script = format!("${{CMAKE_CURRENT_SOURCE_DIR}}/{}", suite.script_name());
            let command = format!("sh {script} {}", made_library(stem));
            let files: Vec<String> =
                files.iter().map(|file| format!("\n    {}", word(&file.display().to_string()))).collect();
            let depends = format!("{script}{}", files.concat());
            made(&mut text, suite, &file, (&command, "${CMAKE_CURRENT_BINARY_DIR}", Some(&depends)));
        }
        CodeUnderTest::Given(library) => {
            // By its name alone the linker would look for it among the system's.
            let library = match library.components().count() {
                1 => format!("${{CMAKE_CURRENT_SOURCE_DIR}}/{}", library.display()),
                _ => word(&library.display().to_string()),
            };
            let _ = writeln!(text, "add_executable({stem} {file})\ntarget_link_libraries({stem} PRIVATE {library} m)");
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

#[cfg(test)]
mod tests {
    use super::*;

    fn linked(code: CodeUnderTest) -> String {
        let suite = CallSuite { stem: "t".to_owned(), about: Vec::new(), code, init: None, tests: Vec::new() };
        text(&suite, TestKind::Ctest)
    }

    #[test]
    fn libraries_are_named_by_where_they_are_or_are_made() {
        let beside = linked(CodeUnderTest::Given("libt.so".into()));
        assert!(beside.contains("(t PRIVATE ${CMAKE_CURRENT_SOURCE_DIR}/libt.so m)"), "{beside}");
        let elsewhere = linked(CodeUnderTest::Given("/a b/libt.so".into()));
        assert!(elsewhere.contains("(t PRIVATE [[/a b/libt.so]] m)"), "{elsewhere}");
        let made = linked(CodeUnderTest::Library { script: String::new(), files: vec!["/a b/f.c".into()] });
        let library = "${CMAKE_CURRENT_BINARY_DIR}/libt.so";
        assert!(made.contains(&format!("sh ${{CMAKE_CURRENT_SOURCE_DIR}}/t_library.sh {library}\n")), "{made}");
        let built = linked(CodeUnderTest::Built { words: vec!["cc".to_owned(), "so".to_owned()], folder: "/a".into() });
        assert!(built.contains(&format!("add_custom_target(t_code ALL\n  COMMAND cc {library}\n")), "{built}");
        assert!(!built.contains("DEPENDS"), "{built}");
        // Make took $(id) for a variable of its own.
        let words = ["cc", "$(id).c", "so"].map(str::to_owned).to_vec();
        let hidden = linked(CodeUnderTest::Built { words, folder: "/a b".into() });
        assert!(hidden.contains("COMMAND cc [[$(id).c]] ${OUTPUT}\n  WORKING_DIRECTORY [[/a b]]"), "{hidden}");
        assert!(hidden.contains(&format!("COMMAND ${{CMAKE_COMMAND}} -DOUTPUT={library} -P ")), "{hidden}");
        assert!(made.contains("[[/a b/f.c]]") && made.contains(&format!("(t PRIVATE {library} m)")), "{made}");
    }
}
