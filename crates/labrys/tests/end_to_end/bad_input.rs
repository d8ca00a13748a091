//! Bad input is answered in one clear line (a compiler's own words apart), exit code 2 and nothing on stdout.

use crate::harness::Bench;

const PRODUCT: &str = "double product(double x, double y) { return x * y; }\n";
const PAIR: &str =
    "double product(double x, double y) { return x * y; }\ndouble quotient(double x, double y) { return x / y; }\n";

/// Runs labrys and expects exit code 2, an empty stdout and `words` in the first line of stderr.
fn refused(bench: &Bench, arguments: &[&str], words: &[&str]) {
    let run = bench.labrys(arguments);
    run.expect_code(2);
    if !run.stdout.is_empty() {
        run.fail("stdout is not empty");
    }
    let first = run.stderr.lines().next().unwrap_or_default().to_owned();
    if let Some(missing) = words.iter().find(|word| !first.contains(**word)) {
        run.fail(&format!("the first line lacks `{missing}`"));
    }
}

/// As [`refused`], and the line is the only one.
fn refused_in_one_line(bench: &Bench, arguments: &[&str], words: &[&str]) {
    refused(bench, arguments, words);
    let run = bench.labrys(arguments);
    if run.stderr.trim_end().lines().count() != 1 {
        run.fail("expected one line on stderr");
    }
}

#[test]
fn a_file_that_does_not_exist() {
    refused_in_one_line(&Bench::new(&[]), &["diff", "missing.c"], &["missing.c", "no such file"]);
}

#[test]
fn a_file_of_an_unknown_kind() {
    refused_in_one_line(&Bench::new(&[("f.txt", "hello")]), &["diff", "f.txt"], &["f.txt"]);
}

#[test]
fn a_source_that_does_not_compile() {
    let bench = Bench::new(&[("f.c", "double f(double x) { return x +; }\n")]);
    refused(&bench, &["diff", "f.c"], &["f.c", "clang"]);
    let run = bench.labrys(&["diff", "f.c"]);
    if !run.stderr.contains("expected expression") {
        run.fail("the compiler's own words are missing");
    }
}

#[test]
fn a_function_that_does_not_exist_suggests_near_names() {
    let bench = Bench::new(&[("f.c", PAIR)]);
    refused_in_one_line(&bench, &["diff", "f.c", "-f", "prodct"], &["prodct", "product"]);
}

#[test]
fn several_functions_and_no_choice() {
    refused_in_one_line(&Bench::new(&[("f.c", PAIR)]), &["diff", "f.c"], &["-f", "product", "quotient"]);
}

#[test]
fn a_parameter_that_cannot_be_driven() {
    let bench = Bench::new(&[("f.c", "double f(double x, double (*g)(double)) { return g(x); }\n")]);
    refused_in_one_line(&bench, &["diff", "f.c"], &["f.c", "parameter g", "function pointers"]);
}

#[test]
fn a_malformed_assumption() {
    let bench = Bench::new(&[("f.c", PRODUCT)]);
    refused_in_one_line(&bench, &["diff", "f.c", "--assume", "x >= "], &["x >= ", "column"]);
    refused_in_one_line(&bench, &["diff", "f.c", "--assume", "z > 1"], &["`z`", "x, y"]);
    refused_in_one_line(&bench, &["diff", "f.c", "--range", "x=1"], &["x=1", "LOW..HIGH"]);
}

#[test]
fn an_unknown_flag() {
    let bench = Bench::new(&[("f.c", PRODUCT)]);
    refused_in_one_line(&bench, &["diff", "f.c", "--asume", "x>1"], &["--asume", "--assume"]);
}

#[test]
fn a_compiler_that_is_not_there() {
    let bench = Bench::new(&[("f.c", PRODUCT)]);
    refused_in_one_line(&bench, &["diff", "f.c", "--variant", "nosuchcc -O3"], &["nosuchcc"]);
}

#[test]
fn an_output_folder_that_cannot_be_written() {
    let bench = Bench::new(&[("f.c", PRODUCT), ("out", "a file, not a folder")]);
    refused_in_one_line(&bench, &["diff", "f.c", "-o", "out"], &["out"]);
    refused_in_one_line(&bench, &["diff", "f.c", "-o", "/proc/labrys"], &["/proc/labrys"]);
}

/// It was left behind, empty or with a file in which nothing was kept.
#[test]
fn an_error_leaves_no_folder_that_was_not_there() {
    let bench = Bench::new(&[("f.c", "double f(double x) { return 1 / x; }\n"), ("bad.c", "double f(\n")]);
    let there = bench.path().join("there");
    std::fs::create_dir(&there).expect("a folder");
    for arguments in [
        &["exceptions", "nope.c"][..],
        &["exceptions", "bad.c"],
        &["exceptions", "f.c", "-f", "g"],
        &["exceptions", "f.c", "--range", "y=1..2"],
        &["diff", "f.c", "--variant", "nocompiler -O3"],
        &["accuracy", "f.c", "--baseline", "nope.json"],
        &["exceptions", "-p", "nodir"],
        &["diff", "-p", "nodir"],
        &["exceptions", "-p", "nodir", "--shard", "1/2"],
        &["test", "nope.json"],
    ] {
        for folder in ["made/out", "there"] {
            let run = bench.labrys(&[arguments, &["-o", folder]].concat());
            run.expect_code(2);
            if bench.path().join("made").exists() || !there.is_dir() {
                run.fail("a folder is left behind, or gone");
            }
        }
    }
    // What a run kept stays, whatever the next one comes to.
    bench.labrys(&["exceptions", "f.c", "--max-work", "500", "-o", "made/out"]).expect_code(1);
    bench.labrys(&["exceptions", "f.c", "-f", "g", "-o", "made/out"]).expect_code(2);
    assert!(bench.path().join("made/out/report.json").is_file());
}

#[test]
fn contradictory_or_missing_subjects() {
    let bench = Bench::new(&[("f.c", PRODUCT)]);
    refused_in_one_line(&bench, &["diff"], &["FILE"]);
    refused_in_one_line(&bench, &["diff", "f.c", "f.c", "f.c"], &["two"]);
    refused_in_one_line(&bench, &["diff", "--baseline-lib", "a.so", "--variant-lib", "b.so", "-f", "g"], &["a.so"]);
}

#[test]
fn an_unsatisfiable_assumption_leaves_no_input() {
    let bench = Bench::new(&[("f.c", PRODUCT)]);
    refused_in_one_line(&bench, &["diff", "f.c", "--assume", "x > 1 && x < 1"], &["no input"]);
}

#[test]
fn an_input_that_is_given_twice() {
    let bench = Bench::new(&[("f.c", "double f(double x) { return 1 / x; }\n")]);
    refused_in_one_line(&bench, &["exceptions", "f.c", "--input", "x=1,x=2"], &["`x` is given twice"]);
}

#[test]
fn an_initialiser_that_takes_arguments() {
    let bench =
        Bench::new(&[("f.c", "double k = 3; void init(double v) { k = v; } double f(double x) { return x / k; }\n")]);
    refused_in_one_line(
        &bench,
        &["exceptions", "f.c", "-f", "f", "--init", "init"],
        &["--init init", "takes arguments"],
    );
}

#[test]
fn a_length_for_a_parameter_that_is_none() {
    let bench = Bench::new(&[("f.c", PRODUCT)]);
    refused_in_one_line(&bench, &["diff", "f.c", "--length", "z=8"], &["z"]);
    refused_in_one_line(&bench, &["diff", "f.c", "--length", "x=-1"], &["-1 is not a number from 1"]);
}

/// These were accepted and had no effect.
#[test]
fn arguments_of_a_function_that_has_none() {
    let bench = Bench::new(&[("f.c", PRODUCT)]);
    let entry = ["verify", "f.c", "--entry", "product"];
    refused_in_one_line(&bench, &[&entry[..], &["--argument", "a"]].concat(), &["--argument", "product"]);
    refused_in_one_line(&bench, &[&entry[..], &["--sym-args", "1", "1", "3"]].concat(), &["--sym-args", "main"]);
}

#[test]
fn what_does_not_run_in_parts() {
    let bench = Bench::new(&[("f.c", PRODUCT)]);
    for words in [&["slurm", "verify", "f.c"][..], &["slurm", "cover", "f.c", "-o", "out"]] {
        refused_in_one_line(&bench, words, &[words[1], "slurm takes diff, exceptions, accuracy, and status DIR"]);
    }
}

#[test]
fn a_finding_that_is_none() {
    let bench = Bench::new(&[("x.json", "{\"schema\": \"other/9\"}"), ("y.json", "not json")]);
    refused_in_one_line(&bench, &["replay", "x.json"], &["x.json", "labrys-report/2"]);
    refused_in_one_line(&bench, &["replay", "y.json"], &["y.json"]);
    refused_in_one_line(&bench, &["replay", "z.json"], &["z.json"]);
}

#[test]
fn files_that_are_no_sources() {
    let bench = Bench::new(&[("empty.c", ""), ("nothing.c", "double x;\n"), ("empty.ll", ""), ("bad.ll", "hello\n")]);
    std::fs::create_dir(bench.path().join("folder.c")).expect("a folder");
    refused_in_one_line(&bench, &["diff", "folder.c"], &["folder.c", "not a file"]);
    refused_in_one_line(&bench, &["diff", "empty.c"], &["empty.c", "no function"]);
    refused_in_one_line(&bench, &["diff", "nothing.c"], &["nothing.c", "no function"]);
    refused_in_one_line(&bench, &["diff", "empty.ll"], &["empty.ll"]);
    refused_in_one_line(&bench, &["diff", "bad.ll"], &["bad.ll", "LLVM IR"]);
    let binary: Vec<u8> = (0..4000u32).map(|i| (i * 151 % 256) as u8).collect();
    std::fs::write(bench.path().join("binary.c"), binary).expect("a file");
    refused(&bench, &["diff", "binary.c"], &["binary.c", "clang"]);
}

#[test]
fn shared_objects_that_do_not_fit() {
    let bench = Bench::new(&[("f.c", PRODUCT), ("g.c", "double other(double x) { return x; }\n")]);
    bench.program("clang-22", &["-shared", "-fPIC", "-g", "-o", "f.so", "f.c"]).expect_code(0);
    bench.program("clang-22", &["-shared", "-fPIC", "-g", "-o", "g.so", "g.c"]).expect_code(0);
    let libraries = |baseline, variant| vec!["diff", "--baseline-lib", baseline, "--variant-lib", variant];
    refused_in_one_line(&bench, &libraries("f.so", "g.so"), &["g.so", "no function product", "other"]);
    refused_in_one_line(&bench, &libraries("f.c", "g.so"), &["f.c", "not a shared object"]);
    refused_in_one_line(&bench, &["diff", "f.so"], &["f.so", "--variant-lib"]);
    for (prototype, word) in [
        ("double(double x)", "2 parameters, not 1"),
        ("double(double x, float y)", "`y`"),
        ("double(double x, double y[4])", "`y`"),
        ("float(double x, double y)", "the result"),
    ] {
        refused_in_one_line(&bench, &["diff", "f.c", "--signature", prototype], &[prototype, "does not fit f.c", word]);
    }
    refused_in_one_line(&bench, &["diff", "f.c", "--signature", "double(double,"], &["--signature", "column"]);
}

#[test]
fn symbols_that_nobody_defines() {
    let bench = Bench::new(&[("f.c", "double far(double);\ndouble f(double x) { return far(x); }\n")]);
    refused_in_one_line(&bench, &["diff", "f.c"], &["baseline", "far", "--link"]);
    assert!(!bench.labrys(&["diff", "f.c"]).stderr.contains("/tmp"));
    refused_in_one_line(&bench, &["diff", "f.c", "--link", "missing.o"], &["missing.o", "no such file"]);
}

#[test]
fn ranges_that_hold_no_number() {
    let bench = Bench::new(&[("f.c", PRODUCT)]);
    refused_in_one_line(&bench, &["diff", "f.c", "--range", "x=nan..1"], &["--range \"x=nan..1\"", "NaN"]);
    refused_in_one_line(&bench, &["diff", "f.c", "--range", "x=2..1"], &["--range \"x=2..1\"", "lower bound"]);
    refused_in_one_line(&bench, &["diff", "f.c", "--range", "z=1..2"], &["`z`", "x, y"]);
    refused_in_one_line(&bench, &["diff", "f.c", "--range", "x=0..1", "--range", "x=2..3"], &["no input"]);
}

#[test]
fn inputs_that_are_none() {
    let bench = Bench::new(&[("f.c", PRODUCT)]);
    refused_in_one_line(&bench, &["diff", "f.c", "--input", "z=1"], &["`z`"]);
    refused_in_one_line(&bench, &["diff", "f.c", "--input", "x"], &["NAME=VALUE"]);
    refused_in_one_line(&bench, &["diff", "f.c", "--input", "x=much"], &["`much`"]);
    refused_in_one_line(&bench, &["diff", "f.c", "--inputs", "finite", "--input", "x=nan"], &["outside"]);
}

#[test]
fn option_values_that_make_no_sense() {
    let bench = Bench::new(&[("f.c", PRODUCT)]);
    for (option, value) in [
        ("--ulps", "-1"),
        ("--seed", "x"),
        ("--max-work", "0"),
        ("--time", "-5s"),
        ("--call-timeout", "-1"),
        ("--time", "soon"),
        ("--call-timeout", "0"),
    ] {
        refused_in_one_line(&bench, &["diff", "f.c", option, value], &[option, value]);
    }
    refused_in_one_line(&bench, &["diff", "f.c", "--format", "yaml"], &["yaml", "text, json, sarif"]);
    refused_in_one_line(&bench, &["diff", "f.c", "--variant", "'-O3"], &["'-O3", "quotation mark"]);
    refused_in_one_line(&bench, &["diff", "f.c", "--dump-queries", "/proc/labrys"], &["/proc/labrys"]);
    refused_in_one_line(
        &bench,
        &[],
        &["diff, exceptions, accuracy, verify, cover, ", ", blame, test, solve, ", " or "],
    );
    refused_in_one_line(&bench, &["dif"], &["'dif'", "'diff'"]);
}

#[test]
fn compilation_databases_that_cannot_be_used() {
    let bench = Bench::new(&[("f.c", PRODUCT)]);
    let with = |text: &str| std::fs::write(bench.path().join("compile_commands.json"), text).expect("a file");
    let arguments = ["diff", "f.c", "-p", "."];
    refused_in_one_line(&bench, &arguments, &["compile_commands.json: there is no such file; -p takes the folder"]);
    for (text, word) in
        [("[{\"directory\": 3", "not a compilation database"), ("{}", "not a"), ("[]", "no entry for f.c")]
    {
        with(text);
        refused_in_one_line(&bench, &arguments, &["compile_commands.json", word]);
    }
    refused_in_one_line(&bench, &["diff", "f.c", "-p", "nowhere"], &["nowhere: there is no such file or folder; -p"]);
    let library = ["exceptions", "-p", "/nowhere", "--entry", "f"];
    refused_in_one_line(&bench, &library, &["/nowhere: there is no such file or folder; -p takes the folder"]);
}

#[test]
fn arguments_that_are_not_utf_8() {
    use std::os::unix::ffi::OsStrExt;
    let bench = Bench::new(&[]);
    let run = bench.labrys_os(&["diff".as_ref(), std::ffi::OsStr::from_bytes(b"\xff.c")]);
    run.expect_code(2);
    assert!(run.stdout.is_empty() && run.stderr.lines().count() == 1 && run.stderr.contains("UTF-8"), "{}", run.stderr);
}

#[test]
fn an_environment_that_is_missing_or_unusable() {
    let with = |name: &str, value: &str| Bench::new(&[("f.c", PRODUCT)]).with_env(name, value);
    let temporary = with("TMPDIR", "/nowhere");
    refused_in_one_line(&temporary, &["diff", "f.c"], &["temporary folder", "/nowhere"]);
    assert!(!temporary.labrys(&["diff", "f.c"]).stderr.contains("labrys-"), "a random name is shown");
    refused_in_one_line(&with("PATH", "/nowhere"), &["diff", "f.c"], &["clang", "apt-get install clang-22"]);
    // Only reports of runs would need a home folder, and there are none.
    let homeless = Bench::new(&[("f.c", PRODUCT)]);
    homeless
        .program("env", &["-u", "HOME", env!("CARGO_BIN_EXE_labrys"), "diff", "--max-work", "100", "f.c"])
        .expect_code(0);
}

#[test]
fn a_stdout_that_is_full_or_closed() {
    let bench = Bench::new(&[("f.c", PRODUCT)]);
    let labrys = env!("CARGO_BIN_EXE_labrys");
    let full = bench.program("sh", &["-c", &format!("{labrys} diff --max-work 100 f.c > /dev/full")]);
    full.expect_code(2);
    assert!(full.stderr.contains("cannot write to stdout") && full.stderr.lines().count() == 1, "{}", full.stderr);
    // Whoever reads no further is not an error, and the exit code stays what was found.
    let closed = bench.program("sh", &["-c", &format!("({labrys} diff --max-work 100 f.c; echo $? >&2) | true")]);
    assert_eq!(closed.stderr.trim(), "0");
}

#[test]
fn a_replay_of_something_else() {
    let bench = Bench::new(&[("list.json", "[]"), ("half.json", "{\"schema\": \"labrys-report/2\"}")]);
    std::fs::create_dir(bench.path().join("folder.json")).expect("a folder");
    refused_in_one_line(&bench, &["replay", "list.json"], &["list.json"]);
    refused_in_one_line(&bench, &["replay", "half.json"], &["half.json"]);
    for command in ["replay", "blame"] {
        let example = format!("as in `labrys {command} folder.json/ID.json`");
        refused_in_one_line(&bench, &[command, "folder.json"], &["folder.json: it is a folder", &example]);
    }
    let empty = ["test", "folder.json", "--all", "--emit", "ctest"];
    refused_in_one_line(&bench, &empty, &["folder.json: there is no report in it"]);
}

#[test]
fn a_replay_in_another_folder_says_where_to_run_it() {
    let bench = Bench::new(&[("f.c", "double g(double x) { return x / x; }\n")]);
    bench.labrys(&["diff", "f.c", "--max-work", "2000", "-o", "out"]).expect_code(1);
    let finding = std::fs::read_dir(bench.path().join("out")).expect("an output folder").filter_map(Result::ok);
    let named = |entry: &std::fs::DirEntry| {
        let name = entry.file_name().to_string_lossy().into_owned();
        (name.ends_with(".json") && name != "report.json").then_some(name)
    };
    let name = finding.filter_map(|entry| named(&entry)).next().expect("a finding");
    std::fs::rename(bench.path().join("f.c"), bench.path().join("moved.c")).expect("a rename");
    let run = bench.labrys(&["replay", &format!("out/{name}")]);
    run.expect_code(2);
    assert!(run.stderr.contains("in the folder where it was written"), "{}", run.stderr);
}

/// A run with inputs of a million numbers took nine gigabytes, and minutes beyond its limit.
#[test]
fn inputs_of_too_many_numbers() {
    let source =
        "double f(const double *x, int n) { double s = 0; for (int i = 0; i < n; i++) s += x[i]; return s; }\n";
    let bench = Bench::new(&[("f.c", source)]);
    let arguments = ["diff", "f.c", "--length", "x=n", "--range", "n=0..1000000", "--time", "5s"];
    refused_in_one_line(&bench, &arguments, &["1000001 numbers", "65536", "--length"]);
}
