//! `labrys cc`, `cxx`, `fc`: builds without CMake.

use std::os::unix::process::ExitStatusExt;
use std::process::{Command, Stdio};

use serde_json::Value;

use crate::harness::Bench;

fn labrys() -> &'static str {
    env!("CARGO_BIN_EXE_labrys")
}

/// The entries that were recorded.
fn recorded(bench: &Bench, folder: &str) -> Vec<Value> {
    let path = bench.path().join(folder).join("compile_commands.json");
    let text = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    serde_json::from_str(&text).unwrap_or_else(|error| panic!("{error}: {text}"))
}

fn files(entries: &[Value]) -> Vec<&str> {
    let mut names: Vec<&str> = entries.iter().filter_map(|entry| entry["file"].as_str()).collect();
    names.sort_unstable();
    names
}

/// A project of C and Fortran in two folders, and a configure script in front of it.
#[test]
fn make_builds_and_analyses_find_what_it_built() {
    let makefile = "CFLAGS = -O2 -DSCALE=3.0 -MD\nall: prog sub/libsub.a f.o\n\
                    prog: main.o g.o\n\t$(CC) main.o g.o -o prog -lm\n\
                    sub/libsub.a:\n\t$(MAKE) -C sub\n\
                    f.o: f.f90 kinds.o\n\t$(FC) -c f.f90 -o f.o\nkinds.o: kinds.f90\n\t$(FC) -c kinds.f90 -o kinds.o\n";
    let configure = "#!/bin/sh\nset -e\nfor value in 1 2; do\n  echo \"int main(void) { return $value - 1; }\" > conftest.c\n  \
                     $CC -o conftest conftest.c\n  ./conftest && echo yes\n  rm -f conftest.c conftest\ndone\n\
                     echo 'int main(void) { return nothing; }' > conftest.c\n$CC -c conftest.c 2>/dev/null && exit 1\nrm conftest.c\n\
                     echo 'int x;' > try.c; $CC -c try.c; rm try.c try.o\n\
                     $CC --version > version.txt\necho '#ifdef __clang__\nis_clang\n#endif' | $CC -E - | grep -q is_clang\n";
    let bench = Bench::new(&[
        ("Makefile", makefile),
        ("configure", configure),
        ("main.c", "double g(double);\nint main(void) { return g(0) != 0; }\n"),
        ("g.c", "double g(double x) { return x / SCALE * SCALE; }\n"),
        ("kinds.f90", "module kinds\n integer, parameter :: dp = kind(1d0)\nend module\n"),
        (
            "f.f90",
            "module m\n use kinds\ncontains\n real(dp) function inverse(x)\n  real(dp), intent(in) :: x\n  inverse = 1 / x\n end function\nend module\n",
        ),
    ]);
    std::fs::create_dir(bench.path().join("sub")).expect("a folder");
    let many: Vec<String> = (0..12).map(|index| format!("s{index}.o")).collect();
    std::fs::write(bench.path().join("sub/Makefile"), format!("libsub.a: {}\n\tar rc $@ $^\n", many.join(" ")))
        .expect("a file");
    for index in 0..12 {
        let text = format!("double s{index}(double x) {{ return x + {index}; }}\n");
        std::fs::write(bench.path().join(format!("sub/s{index}.c")), text).expect("a file");
    }
    // One folder for both levels of make.
    std::fs::create_dir(bench.path().join("labrys-record")).expect("a folder");
    let cc = format!("{} cc", labrys());
    let run = bench.program("env", &[&format!("CC={cc}"), "sh", "configure"]);
    run.expect_code(0);
    let run = bench.program("make", &["-j4", &format!("CC={cc}"), &format!("FC={} fc", labrys())]);
    run.expect_code(0);
    assert!(run.stderr.is_empty(), "{}", run.stderr);
    let entries = recorded(&bench, "labrys-record");
    assert_eq!(entries.len(), 16, "{entries:#?}");
    assert!(!files(&entries).iter().any(|name| name.contains("conftest") || name.contains("try")), "{entries:#?}");
    assert!(!bench.path().join("sub/labrys-record").exists());
    // The project's own flags.
    let run =
        bench.labrys(&["diff", "g.c", "-p", "labrys-record", "--ulps", "0", "--max-work", "5000", "--format", "json"]);
    run.expect_code(1);
    // All of it as a library, Fortran's modules too. Those that the project left here may be another compiler's: gfortran's are compressed.
    std::fs::write(bench.path().join("kinds.mod"), [0x1f, 0x8b, 0x08, 0xe8, 0x97]).expect("a file");
    let command =
        ["exceptions", "-p", "labrys-record", "--entry", "m::inverse", "--entry", "s3", "--only", "divbyzero"];
    let run = bench.labrys(&[&command[..], &["--max-work", "2000", "--format", "json"]].concat());
    run.expect_code(1);
    assert_eq!(run.json()["functions"].as_array().map(Vec::len), Some(2));
    // A second make compiles nothing and forgets nothing; a changed source replaces its entry.
    std::fs::write(bench.path().join("g.c"), "double g(double x) { return x / SCALE * SCALE + 1; }\n").expect("a file");
    bench.program("make", &[&format!("CC={cc}"), &format!("FC={} fc", labrys())]).expect_code(0);
    assert_eq!(recorded(&bench, "labrys-record").len(), 16);
}

#[test]
fn the_compiler_is_all_that_a_caller_sees() {
    let bench = Bench::new(&[("a.c", "double a(double x) { return x; }\n"), ("b.c", "broken\n")])
        .with_env("LABRYS_RECORD", "r");
    for arguments in [&["-c", "a.c", "-o", "a.o"][..], &["-c", "b.c"], &["--version"], &["-E", "a.c"], &["--help"], &[]]
    {
        let plain = bench.program("clang-22", arguments);
        let wrapped = bench.labrys(&[&["cc"], arguments].concat());
        let differs = |what: &str| wrapped.fail(&format!("{what} is not clang's, {}: {}", plain.code, plain.stderr));
        if (wrapped.code, &wrapped.stdout) != (plain.code, &plain.stdout) {
            differs("the exit code or what is printed");
        }
        // Clang names the program as it was called.
        if wrapped.stderr.lines().count() != plain.stderr.lines().count() {
            differs("what is said");
        }
    }
    assert_eq!(files(&recorded(&bench, "r")), ["a.c"]);
    // Arguments that are no text, several sources, standard input.
    let mut run = Command::new(labrys());
    run.args(["cc", "-c", "-x", "c", "-", "-o", "stdin.o"]).current_dir(bench.path()).stdin(Stdio::piped());
    run.env("LABRYS_RECORD", bench.path().join("r")).stderr(Stdio::piped());
    let mut child = run.spawn().expect("labrys runs");
    std::io::Write::write_all(&mut child.stdin.take().expect("a pipe"), b"int i;\n").expect("a reader");
    let ended = child.wait_with_output().expect("an end");
    let said = String::from_utf8_lossy(&ended.stderr);
    assert!(ended.status.success() && said.contains("not recorded: the source stands on standard input"), "{said}");
    assert!(bench.path().join("stdin.o").is_file());
    let cpp = bench.labrys(&["cxx", "-c", "-x", "c++", "a.c", "-o", "cpp.o"]);
    cpp.expect_code(0);
}

#[test]
fn a_signal_ends_both() {
    let script = "#!/bin/sh\necho started\nexec sleep 60\n";
    let bench = Bench::new(&[("slow", script), ("killed", "#!/bin/sh\nkill -SEGV $$\n")]);
    for name in ["slow", "killed"] {
        bench.program("chmod", &["+x", name]).expect_code(0);
    }
    let mut command = Command::new(labrys());
    command.arg("cc").current_dir(bench.path()).env("LABRYS_CC", bench.path().join("slow")).stdout(Stdio::piped());
    let mut child = command.spawn().expect("labrys runs");
    let mut line = String::new();
    let mut output = std::io::BufReader::new(child.stdout.take().expect("a pipe"));
    std::io::BufRead::read_line(&mut output, &mut line).expect("a line");
    // SAFETY: the child has not been waited for.
    unsafe { libc::kill(child.id() as libc::pid_t, libc::SIGTERM) };
    let status = child.wait().expect("an end");
    assert_eq!(status.signal(), Some(libc::SIGTERM), "{status}");
    // The compiler is gone, too: nobody holds the pipe any more.
    let mut rest = String::new();
    std::io::Read::read_to_string(&mut output, &mut rest).expect("the end of the pipe");
    let status =
        Command::new(labrys()).arg("cc").env("LABRYS_CC", bench.path().join("killed")).status().expect("labrys runs");
    assert_eq!(status.signal(), Some(libc::SIGSEGV), "{status}");
}

#[test]
fn a_record_that_fails_breaks_no_build() {
    let bench = Bench::new(&[("a.c", "int a;\n"), ("file", "no folder\n")]);
    let of = |record: &str, compiler: &str| {
        let environment = [format!("LABRYS_RECORD={record}"), format!("LABRYS_CC={compiler}")];
        bench.program("env", &[&environment[0], &environment[1], labrys(), "cc", "-c", "a.c"])
    };
    let run = of("file", "clang-22");
    run.expect_code(0);
    if run.stderr.lines().count() != 1 || !run.stderr.contains("not recorded") {
        run.fail("expected one line");
    }
    assert!(bench.path().join("a.o").is_file());
    // No record is wanted.
    let run = of("", "clang-22 -DNOTHING");
    run.expect_code(0);
    assert!(run.stderr.is_empty() && !bench.path().join("labrys-record").exists());
    for (compiler, words) in
        [("/nowhere/cc", "cannot run"), (labrys(), "names labrys itself"), ("'cc", "quotation mark")]
    {
        let run = of("r", compiler);
        run.expect_code(127);
        if run.stderr.lines().count() != 1 || !run.stderr.contains(words) {
            run.fail("expected one line");
        }
    }
}
