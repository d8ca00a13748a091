//! `find_package(Labrys)`: checks of targets as tests of CTest.

use std::collections::BTreeMap;
use std::path::Path;

use crate::harness::{Bench, Run, workspace};

const COMPILERS: [(&str, &str); 3] = [("CC", "clang-22"), ("CXX", "clang++-22"), ("FC", "flang-22")];

fn bench(files: &[(&str, &str)]) -> Bench {
    COMPILERS.iter().fold(Bench::new(files), |bench, (name, value)| bench.with_env(name, value))
}

/// CMake on `source`, with the module of the source tree and the binary under test.
fn configure(bench: &Bench, source: &Path, more: &[&str]) -> Run {
    let module = format!("-DLabrys_DIR={}", workspace().join("cmake").display());
    let binary = format!("-DLABRYS_EXECUTABLE={}", env!("CARGO_BIN_EXE_labrys"));
    let source = source.display().to_string();
    bench.program("cmake", &[&["-S", &source, "-B", "build", &module, &binary], more].concat())
}

/// What CTest says of each test: Passed, Failed, Skipped.
fn outcomes(run: &Run) -> BTreeMap<String, String> {
    let word = |line: &str| -> Option<(String, String)> {
        let (_, rest) = line.split_once("Test")?.1.split_once(": ")?;
        let name = rest.split([' ', '.']).next()?.to_owned();
        let outcome =
            ["Passed", "Skipped", "Failed", "Not Run", "Timeout"].iter().find(|word| rest.contains(**word))?;
        let name = if rest.starts_with("labrys.commands") { rest.split(' ').next()?.to_owned() } else { name };
        Some((name, (*outcome).to_owned()))
    };
    let lines = run.stdout.lines().filter(|line| line.contains(" sec"));
    lines.filter_map(word).collect()
}

/// CMake's own choice on Debian is gfortran, whose modules flang does not read: "Failed" was what its check came to for that.
#[test]
fn modules_that_gfortran_wrote_do_not_keep_flang_from_analysing() {
    let bench = bench(&[]).with_env("FC", "gfortran");
    configure(&bench, &workspace().join("examples/cmake"), &[]).expect_code(0);
    bench.program("cmake", &["--build", "build"]).expect_code(0);
    let run = bench.program("ctest", &["--test-dir", "build", "-R", "mean_overflows", "--output-on-failure"]);
    assert_eq!(outcomes(&run).get("mean_overflows").map(String::as_str), Some("Failed"), "{}", run.stdout);
    assert!(run.stdout.contains("(fadd in mean)"), "{}", run.stdout);
}

/// The sample project: a planted finding and a correct function in each language.
#[test]
fn the_sample_finds_what_is_planted_and_nothing_else() {
    let bench = bench(&[]);
    configure(&bench, &workspace().join("examples/cmake"), &[]).expect_code(0);
    // What takes a file reads the modules of the build.
    bench.program("cmake", &["--build", "build"]).expect_code(0);
    let run = bench.program("ctest", &["--test-dir", "build", "--output-on-failure"]);
    // What is compared cannot be read off the words of the builds alone.
    assert!(
        run.stdout.contains("the sources' own flags, which stand before others: -O3 -ffast-math"),
        "{}",
        run.stdout
    );
    let found = outcomes(&run);
    for (name, outcome) in [
        ("midpoint_under_fast_math", "Failed"),
        ("larger_under_fast_math", "Passed"),
        ("amplitude_overflows", "Failed"),
        ("gain_is_exact", "Passed"),
        ("variance_cancels", "Failed"),
        ("spread_is_stable", "Passed"),
        ("mean_overflows", "Failed"),
        ("statistics_campaign", "Failed"),
    ] {
        if found.get(name).map(String::as_str) != Some(outcome) {
            run.fail(&format!("{name} should have {outcome}: {found:?}"));
        }
    }
    // Each for its reason.
    for words in ["variant raises overflow where baseline is clean", "overflow at", "unstable[", "(fadd in mean)"] {
        if !run.stdout.contains(words) {
            run.fail(&format!("nobody said: {words}"));
        }
    }
    assert!(bench.path().join("build/labrys/variance_cancels/report.html").is_file());
    // Checks of a target that build it alike share the library; nothing is compiled again.
    let built: Vec<_> = std::fs::read_dir(bench.path().join("build/labrys/statistics")).expect("a folder").collect();
    assert_eq!(built.len(), 2, "{built:?}");
}

const PROJECT: &str =
    "cmake_minimum_required(VERSION 3.20)\nproject(p C)\nfind_package(Labrys 0.1 REQUIRED)\nenable_testing()\n";

fn of_checks(checks: &str) -> Bench {
    bench(&[
        ("CMakeLists.txt", &format!("{PROJECT}{checks}")),
        // Two targets compile it, with flags that only one of them works with.
        (
            "f.c",
            "#include <math.h>\ndouble inverse(double x) { return SCALE / x; }\ndouble with(double (*f)(double)) { return f(1); }\n",
        ),
    ])
}

#[test]
fn the_flags_are_the_targets_own() {
    let bench = of_checks(
        "add_library(other f.c)\nset_property(TARGET other PROPERTY EXPORT_COMPILE_COMMANDS ON)\n\
         target_compile_definitions(other PRIVATE SCALE=0)\n\
         add_library(f.x+y f.c)\nadd_library(alias::f ALIAS f.x+y)\ntarget_compile_definitions(f.x+y PRIVATE \"SCALE=(1 + 1)\")\n\
         labrys_add_check(NAME whole TARGET alias::f FUNCTION inverse OPTIONS --only divbyzero --max-work 2000)\n\
         labrys_add_check(NAME source TARGET f.x+y FUNCTION inverse SOURCE f.c OPTIONS --only divbyzero --max-work 2000)\n\
         labrys_add_check(NAME range TARGET f.x+y FUNCTION inverse OPTIONS --range x=1..2 --max-work 2000)\n\
         labrys_add_check(NAME missing TARGET f.x+y FUNCTION invers)\n\
         labrys_add_check(NAME callback TARGET f.x+y FUNCTION with)\n\
         labrys_add_check(NAME short TARGET f.x+y FUNCTION inverse OPTIONS --range x=1..2 --time 1ms)\n",
    );
    configure(&bench, bench.path(), &[]).expect_code(0);
    let run = bench.program("ctest", &["--test-dir", "build", "--output-on-failure"]);
    let found = outcomes(&run);
    for (name, outcome) in [
        ("whole", "Failed"),
        ("source", "Failed"),
        ("range", "Passed"),
        ("missing", "Failed"),
        ("callback", "Failed"),
        // A limit came first: nothing is known.
        ("short", "Skipped"),
    ] {
        if found.get(name).map(String::as_str) != Some(outcome) {
            run.fail(&format!("{name} should have {outcome}: {found:?}"));
        }
    }
    for words in ["matches invers; there are inverse", "no function could be analysed: with: "] {
        if !run.stdout.contains(words) {
            run.fail(&format!("nobody said: {words}"));
        }
    }
    let commands = std::fs::read_to_string(bench.path().join("build/labrys/f.x+y/compile_commands.json"));
    let commands: serde_json::Value = serde_json::from_str(&commands.expect("a database")).expect("JSON");
    assert_eq!(commands.as_array().map(Vec::len), Some(1), "{commands:#}");
    assert!(commands[0]["command"].as_str().is_some_and(|command| command.contains("(1 + 1)")), "{commands:#}");
}

#[test]
fn what_cannot_be_checked_is_an_error_of_cmake() {
    for (checks, words) in [
        ("labrys_add_check(NAME c TARGET nowhere FUNCTION f)", "there is no target nowhere"),
        ("labrys_add_check(NAME c FUNCTION f)", "TARGET is missing"),
        ("add_library(f f.c)\nlabrys_add_check(NAME c TARGET f)", "FUNCTION is missing"),
        ("add_library(f INTERFACE)\nlabrys_add_check(NAME c TARGET f FUNCTION f)", "compiles nothing here"),
        ("add_library(f f.c)\nlabrys_add_check(NAME c TARGET f FUNCTION f DIFF ACCURACY)", "exclude each other"),
        ("add_library(f f.c)\nlabrys_add_check(NAME c TARGET f FUNCTION f VARIANT -O3)", "are for DIFF"),
        ("add_library(f f.c)\nlabrys_add_check(NAME c TARGET f FUNCTION f TIME soon)", "TIME soon"),
        ("add_library(f f.c)\nlabrys_add_check(NAME c TARGET f FUNCTION f SOURCE g.c)", "there is no file"),
        ("add_library(f f.c)\nlabrys_add_campaign(NAME c TARGET f FUNCTION f)", "is not understood"),
        ("add_library(f f.c)\nlabrys_add_check(NAME c TARGET f FUNCTION f TIME)", "TIME has no value"),
        ("add_library(f f.c)\nlabrys_add_check(NAME c TARGET f FUNCTION f DIFF BASELINE)", "BASELINE has no value"),
        ("add_library(f f.c)\nlabrys_add_check(NAME c TARGET f FUNCTION f DIFF VARIANT)", "VARIANT has no value"),
        ("add_library(f f.c)\nlabrys_add_check(NAME c TARGET f FUNCTION f LINK nope)", "LINK nope is neither"),
        ("add_library(f f.c)\nlabrys_add_check(NAME a/../../b TARGET f FUNCTION f)", "NAME is the name of a folder"),
        ("add_library(f f.c)\nlabrys_add_check(NAME .. TARGET f FUNCTION f)", "NAME is the name of a folder"),
        ("add_library(f f.c)\nlabrys_add_check(NAME c TARGET f FUNCTION \"f;g\")", "FUNCTION is one function"),
    ] {
        let bench = of_checks(checks);
        let run = configure(&bench, bench.path(), &[]);
        // CMake breaks lines where it likes.
        let said = run.stderr.split_whitespace().collect::<Vec<_>>().join(" ");
        if run.code == 0 || !said.contains(words) {
            run.fail(&format!("expected: {words}"));
        }
    }
}

/// As the Debian package lays it out: lib/cmake/Labrys beside bin.
#[test]
fn an_installed_module_needs_the_program_beside_it() {
    let bench = of_checks("");
    // What this machine has installed is not looked at.
    let alone =
        "project(p C)\nstring(REPLACE \":\" \";\" CMAKE_IGNORE_PATH \"/usr/local/bin:/usr/bin:/bin:$ENV{PATH}\")\n";
    let project = PROJECT.replace("project(p C)\n", alone);
    std::fs::write(bench.path().join("CMakeLists.txt"), &project).expect("a file");
    for folder in ["usr/lib/cmake/Labrys", "usr/bin"] {
        std::fs::create_dir_all(bench.path().join(folder)).expect("a folder");
    }
    for name in ["LabrysConfig.cmake", "LabrysConfigVersion.cmake", "LabrysCommands.cmake"] {
        let installed = bench.path().join("usr/lib/cmake/Labrys").join(name);
        std::fs::copy(workspace().join("cmake").join(name), installed).expect("a copy");
    }
    let prefix = format!("-DCMAKE_PREFIX_PATH={}", bench.path().join("usr").display());
    let configured = || bench.program("cmake", &["-S", ".", "-B", "build", &prefix]);
    let missing = configured();
    let said = missing.stderr.split_whitespace().collect::<Vec<_>>().join(" ");
    if missing.code == 0 || !said.contains("name it with -DLABRYS_EXECUTABLE=FILE") {
        missing.fail("labrys is not there, and CMake does not say so");
    }
    let program = bench.path().join("usr/bin/labrys");
    std::os::unix::fs::symlink(env!("CARGO_BIN_EXE_labrys"), &program).expect("a link");
    let found = configured();
    found.expect_code(0);
    let cache = std::fs::read_to_string(bench.path().join("build/CMakeCache.txt")).expect("a cache");
    assert!(cache.contains(&format!("LABRYS_EXECUTABLE:FILEPATH={}", program.display())), "{cache}");
    // Another version is asked for.
    let project = project.replace("Labrys 0.1 ", "Labrys 0.2 ");
    std::fs::write(bench.path().join("CMakeLists.txt"), project).expect("a file");
    let other = configured();
    if other.code == 0 || !other.stderr.contains("0.2") {
        other.fail("0.1 is taken for 0.2");
    }
}

#[test]
fn the_modules_version_is_that_of_the_program() {
    let text = std::fs::read_to_string(workspace().join("cmake/LabrysConfigVersion.cmake")).expect("a file");
    assert!(text.contains(&format!("set(PACKAGE_VERSION {})", env!("CARGO_PKG_VERSION"))), "{text}");
}
