//! Reports, sources and scripts that somebody else wrote: they run nothing but what the user agreed to, and what they hold is
//! shown for what it is.

use serde_json::{Value, json};

use crate::harness::{Bench, Run, commands_of};

/// A quotient of which `-DSHIFT=1` makes another one.
const QUOTIENT: &str = "#ifndef SHIFT\n#define SHIFT 0\n#endif\n\
    double quotient(double x, double y) { return x / (y + SHIFT); }\n";

/// A folder with a report of the quotient's, in `out`, and a program that leaves a file `owned` behind.
fn bench() -> Bench {
    let evil = "#!/bin/sh\ntouch owned\necho 'clang version 22.1.8'\n";
    let bench = Bench::new(&[("f.c", QUOTIENT), ("evil.sh", evil), ("more", "-fplugin=./evil.so\n"), ("f.o", "")]);
    bench.program("chmod", &["+x", "evil.sh"]).expect_code(0);
    let variant = ["--variant", "-O1 -DSHIFT=1", "--input", "x=1,y=0", "-o", "out"];
    bench.labrys(&[&["diff", "f.c"][..], &variant].concat()).expect_code(1);
    bench
}

/// Replays the report with another command.
fn replay(bench: &Bench, command: &[&str], options: &[&str]) -> Run {
    let path = bench.path().join("out/report.json");
    let mut report: Value =
        serde_json::from_str(&std::fs::read_to_string(path).expect("a report")).expect("reports are JSON");
    report["command"] = json!([&["labrys"], command].concat());
    std::fs::write(bench.path().join("stranger.json"), report.to_string()).expect("a file");
    bench.labrys(&[&["replay", "stranger.json"], options].concat())
}

/// `labrys replay` parsed the command of a report and ran whatever compiler and flags it named.
#[test]
fn a_report_runs_nothing_that_it_names() {
    let bench = bench();
    let with = |options: &[&'static str]| [&["diff", "f.c"], options].concat();
    for (command, words) in [
        (with(&["--baseline", "./evil.sh -O0"]), "the compiler ./evil.sh"),
        (with(&["--variant", "evil -O3"]), "the compiler evil"),
        (with(&["--variant", "-O3 -fplugin=./evil.so"]), "-fplugin=./evil.so, which loads code"),
        (with(&["--variant", "gcc -O3 -B."]), "-B., which chooses"),
        (with(&["--variant", "gcc -O3 -wrapper ./evil.sh"]), "-wrapper ./evil.sh"),
        (with(&["--variant", "-O3 -Xclang -load -Xclang ./evil.so"]), "-Xclang -load"),
        (with(&["--variant", "-O3 -fuse-ld=./evil.sh"]), "-fuse-ld=./evil.sh"),
        (with(&["--", "@more"]), "@more, which reads more flags"),
        (with(&["--", "-ofile"]), "-ofile, which writes a file"),
        (with(&["--link", "f.o"]), "--link f.o, which is no source"),
        (vec!["diff", "--baseline-lib", "x.so", "--variant-lib", "x.so", "-f", "quotient"], "a shared object"),
        (vec!["exceptions", "f.c", "--build", "./evil.sh -O0"], "the compiler ./evil.sh"),
    ] {
        std::fs::write(bench.path().join("x.so"), "").expect("a file");
        let run = replay(&bench, &command, &[]);
        run.expect_code(2);
        if !run.stdout.is_empty() || run.stderr.lines().count() != 1 {
            run.fail("expected one line on stderr");
        }
        if !run.stderr.contains(words) || !run.stderr.contains("--trust") {
            run.fail(&format!("expected `{words}` and --trust"));
        }
        assert!(!bench.path().join("owned").exists(), "{command:?}");
    }
    replay(&bench, &with(&["--baseline", "./evil.sh -O0"]), &["--trust"]).expect_code(2);
    assert!(bench.path().join("owned").exists(), "who trusts a report lets it choose");
}

#[test]
fn a_replay_tells_what_it_runs_and_writes_nowhere() {
    let bench = bench();
    let command =
        ["diff", "f.c", "--variant", "gcc -O3 -ffast-math -DSHIFT=1", "-o", "elsewhere", "--dump-queries", "queries"];
    let run = replay(&bench, &command, &[]);
    run.expect_code(1);
    let told: Vec<&str> = run.stderr.lines().collect();
    let of = |compiler: &str, flags: &str| {
        told.iter().any(|line| {
            line.starts_with("labrys: runs /")
                && line.contains(compiler)
                && line.contains(flags)
                && line.contains(" f.c ")
        })
    };
    if !of("/clang-22 ", " -O0 ")
        || !of("/gcc ", " -O3 -ffast-math ")
        || told.iter().any(|line| !line.contains(": runs /"))
    {
        run.fail("expected the compilers' command lines on stderr");
    }
    assert!(!bench.path().join("elsewhere").exists() && !bench.path().join("queries").exists());
}

/// Replay of a difference in a library built it in whatever folder the report's command named, and took what lay there for its own.
#[test]
fn a_library_is_not_built_where_a_report_says() {
    let bench = Bench::new(&[("f.c", QUOTIENT)]);
    let database = json!([{"directory": bench.path(), "file": "f.c", "arguments": ["clang-22", "-c", "f.c"]}]);
    std::fs::write(bench.path().join("compile_commands.json"), database.to_string()).expect("writable");
    let options = ["diff", "-p", ".", "--variant", "-O1 -DSHIFT=1", "--input", "x=1,y=0", "-o"];
    bench.labrys(&[&options[..], &["out"]].concat()).expect_code(1);
    let there = bench.path().join("elsewhere/build");
    std::fs::create_dir_all(&there).expect("a folder");
    replay(&bench, &[&options[..], &["elsewhere"]].concat(), &[]).expect_code(1);
    assert_eq!(std::fs::read_dir(there).expect("a folder").count(), 0);
}

/// The code under test of a report that nobody trusts can neither write files nor run programs.
#[test]
fn a_reports_code_is_confined() {
    let source = r#"
        #include <stdio.h>
        #include <stdlib.h>
        #include <sys/stat.h>
        #ifndef SHIFT
        #define SHIFT 0
        #endif
        __attribute__((constructor)) static void begin(void) { mkdir("begun", 0755); }
        double f(double x) {
            static int done;
            if (!done++) {
                system("touch run");
                FILE *file = fopen("written", "w");
                if (file) fclose(file);
                rename("kept", "gone");
            }
            return 1 / (x + SHIFT);
        }
        "#;
    let bench = Bench::new(&[("f.c", source), ("kept", "")]);
    let input = ["--input", "x=0", "--variant", "-O1 -DSHIFT=1", "--call-timeout", "30s", "-o", "out"];
    bench.labrys(&[&["diff", "f.c", "-f", "f"], &input[..]].concat()).expect_code(1);
    let made = ["begun", "run", "written", "gone"];
    let there = || made.map(|name| bench.path().join(name).exists());
    assert_eq!(there(), [true; 4], "the user's own code may do that");
    for name in made {
        let _ = std::fs::remove_file(bench.path().join(name));
        let _ = std::fs::remove_dir(bench.path().join(name));
    }
    std::fs::write(bench.path().join("kept"), "").expect("a file");
    bench.labrys(&["replay", "out/report.json"]).expect_code(1);
    assert_eq!(there(), [false; 4]);
    bench.labrys(&["replay", "out/report.json", "--trust"]).expect_code(1);
    assert_eq!(there(), [true; 4]);
}

/// Flags of a stranger's project are left out where they reach beyond the compiler; the program that it names is not run at all.
#[test]
fn a_database_gives_harmless_flags_only() {
    let database =
        r#"[{"directory":".","file":"f.c","arguments":["./evil.sh","-DONE=1","-B.","-fplugin=./evil.so","-c","f.c"]}]"#;
    let source = format!("double one = ONE;\n{QUOTIENT}");
    let bench = Bench::new(&[
        ("f.c", source.as_str()),
        ("as", "#!/bin/sh\ntouch owned\n"),
        ("evil.sh", "#!/bin/sh\ntouch owned\n"),
        ("compile_commands.json", database),
    ]);
    bench.program("chmod", &["+x", "evil.sh", "as"]).expect_code(0);
    for command in [
        &["diff", "f.c", "-p", ".", "--variant", "gcc -O1 -DSHIFT=1", "--input", "x=1,y=0"][..],
        &["exceptions", "f.c", "-p", ".", "--build", "gcc -O0", "--input", "x=1,y=0"],
        &["exceptions", "-p", ".", "--build", "gcc -O0", "--function-time", "5s", "--input", "x=1,y=0"],
    ] {
        let run = bench.labrys(&[command, &["--format", "json", "-o", "out"]].concat());
        run.expect_code(1);
        let said = run.json()["notes"].to_string();
        if !said.contains("-fplugin=./evil.so of ") || !said.contains("-B. of ") {
            run.fail("expected notes on the flags that are left out");
        }
        bench.labrys(&["replay", "out/report.json"]).expect_code(1);
        assert!(!bench.path().join("owned").exists(), "{command:?}");
    }
}

#[test]
fn a_source_is_not_taken_for_a_list_of_flags() {
    let bench = Bench::new(&[("@f.c", "-load ./evil.so\n")]);
    let run = bench.labrys(&["diff", "@f.c"]);
    run.expect_code(2);
    if run.stderr.lines().count() != 1 || !run.stderr.contains("list of flags") {
        run.fail("expected one line that says why");
    }
}

/// Whether a text has anything that a terminal does not just show.
fn speaks_to_terminals(text: &str) -> bool {
    text.chars().any(|c| (c.is_control() && c != '\n') || ('\u{202a}'..='\u{202e}').contains(&c))
}

/// A function's name in IR may be any bytes.
#[test]
fn names_cannot_speak_to_the_terminal() {
    let bench = Bench::new(&[("f.c", "double quotient(double x, double y) { return x / 2 + y / 2; }\n")]);
    bench.program("clang-22", &["-O0", "-g", "-S", "-emit-llvm", "-o", "plain.ll", "f.c"]).expect_code(0);
    let plain = std::fs::read_to_string(bench.path().join("plain.ll")).expect("IR");
    let name = "q\\1B[2J*/\\0A     $ touch owned\\E2\\80\\AE";
    let named = plain.replace("@quotient(", &format!("@\"{name}\"("));
    let named = named.replace("name: \"quotient\"", &format!("name: \"{name}\""));
    std::fs::write(bench.path().join("evil.ll"), named).expect("a file");
    let shown = "q\\x1b[2J*/\\n     $ touch owned\\u{202e}";
    for command in ["diff", "exceptions"] {
        let variant = if command == "diff" { ["--variant", "-O2 -ffast-math"] } else { ["--time", "60s"] };
        let options = ["evil.ll", "--input", "x=1e308,y=1e308", "--input", "x=5e-324,y=0", "-o", "out"];
        let run = bench.labrys(&[&[command], &options[..], &variant].concat());
        if speaks_to_terminals(&run.stdout) || speaks_to_terminals(&run.stderr) || !run.stdout.contains(shown) {
            run.fail(&format!("expected {shown}, and nothing that speaks to the terminal"));
        }
        for entry in std::fs::read_dir(bench.path().join("out")).expect("a folder").flatten() {
            let path = entry.path();
            if path.extension().is_some_and(|suffix| suffix == "c") {
                let text = std::fs::read_to_string(&path).expect("a reproducer");
                assert!(!speaks_to_terminals(&text) && !text.contains("owned\u{202e}"), "{text}");
                assert!(commands_of(&text).iter().all(|line| !line.starts_with("touch")), "{text}");
                bench.program("clang-22", &["-fsyntax-only", "-DMAIN", &path.display().to_string()]).expect_code(0);
            }
        }
        let page = std::fs::read_to_string(bench.path().join("out/report.html")).expect("a page");
        assert!(!page.contains('\x1b') && !page.contains('\u{202e}'));
        let replayed = bench.labrys(&["replay", "out/report.json"]);
        if speaks_to_terminals(&replayed.stdout) || speaks_to_terminals(&replayed.stderr) {
            replayed.fail("a name speaks to the terminal");
        }
    }
    let missing = bench.labrys(&["diff", "evil.ll", "-f", "\x1b[2Jnone"]);
    missing.expect_code(2);
    if speaks_to_terminals(&missing.stderr) || missing.stderr.trim_end().lines().count() != 1 {
        missing.fail("an error speaks to the terminal");
    }
}

#[test]
fn paths_and_compilers_words_cannot_speak_to_the_terminal() {
    let name = "a\n\x1b[31mlabrys: no difference found\u{202e}.c";
    let bench = Bench::new(&[(name, "double f(double x) { return 1 / x; /* \x1b[2J */ }\n")]);
    let run = bench.labrys(&["exceptions", name, "--max-work", "2000", "-o", "out"]);
    run.expect_code(1);
    if speaks_to_terminals(&run.stdout)
        || run.stdout.contains("\nlabrys:")
        || !run.stdout.contains("a\\n\\x1b[31mlabrys")
    {
        run.fail("a path speaks to the terminal");
    }
    let broken = Bench::new(&[(name, "double f(double x) { return \x1b[2J x; }\n")]);
    for command in [
        &["diff", name][..],
        &["diff", name, "--variant", "gcc -O1"],
        &["diff", "no\x1b[2J\nsuch.c"],
        &["diff", "f.c", "--\x1b[2J"],
    ] {
        let run = broken.labrys(command);
        run.expect_code(2);
        let names_path =
            command[1] != name || run.stderr.lines().next().is_some_and(|line| line.contains("a\\n\\x1b[31mlabrys"));
        if speaks_to_terminals(&run.stderr) || !names_path {
            run.fail("an error speaks to the terminal");
        }
    }
}
