//! Library runs in parts: what is merged is what one machine comes to, and what does not belong together is told.

use std::process::Command;

use crate::harness::{Bench, Run};

/// A library of so many public functions, each with a static one that it calls, in a folder with its compilation database.
pub fn library(functions: usize) -> Bench {
    library_with(functions, "")
}

/// The same, with more of a source.
pub fn library_with(functions: usize, more: &str) -> Bench {
    library_of(&(0..functions).collect::<Vec<_>>(), more)
}

/// The same, with these of the bodies.
fn library_of(chosen: &[usize], more: &str) -> Bench {
    let bodies =
        ["x / y", "x * y", "sqrt(x) - y", "1 / (x - 3)", "exp(x) + y", "x * x - y * y", "x + y > 1 ? x / (y - 2) : y"];
    // No number of the source is where it divides by zero, so that callers are asked.
    let helpers = ["x * x", "1 / (3 * x - 7.000123)", "x + 1"];
    let mut source = "#include <math.h>\n".to_owned();
    for (index, chosen) in chosen.iter().enumerate() {
        let (body, helper) = (bodies[chosen % bodies.len()], helpers[index % helpers.len()]);
        source.push_str(&format!(
            "static double helper_{index}(double x) {{ return {helper}; }}\n\
             double lib_{index}(double x, double y) {{ if (y > {index}) return helper_{index}(y); return {body}; }}\n"
        ));
    }
    let bench = Bench::new(&[("lib.c", &(source + more))]);
    let command = serde_json::json!([{
        "directory": bench.path(),
        "file": "lib.c",
        "arguments": ["clang-22", "-c", "lib.c"],
    }]);
    std::fs::write(bench.path().join("compile_commands.json"), command.to_string()).expect("writable");
    bench
}

/// A report's text but for `timing`, its last member.
pub fn but_timing(report: &str) -> &str {
    let end = report.rfind("\"timing\"").expect("a report says how long it took");
    report[..end].trim_end()
}

/// What a run wrote into its folder: the report, and every reproducer by its name.
pub fn written(bench: &Bench) -> (String, Vec<(String, String)>) {
    let out = bench.path().join("out");
    let report = std::fs::read_to_string(out.join("report.json")).expect("a report");
    let mut files = Vec::new();
    for entry in std::fs::read_dir(&out).expect("a folder").flatten() {
        let name = entry.file_name().to_string_lossy().into_owned();
        if name.ends_with(".c") {
            let text = std::fs::read_to_string(entry.path()).expect("readable");
            files.push((name, text.replace(&bench.path().display().to_string(), "HERE")));
        }
    }
    files.sort();
    (but_timing(&report).to_owned(), files)
}

/// All bodies of functions.
const ALL: [usize; 7] = [0, 1, 2, 3, 4, 5, 6];

const WORK: [&str; 6] = ["-p", ".", "--max-work", "600", "--function-time", "10m"];

fn run(bench: &Bench, analysis: &str, more: &[&str]) -> Run {
    bench.labrys(&[&[analysis], &WORK[..], more].concat())
}

fn shard(bench: &Bench, analysis: &str, more: &[&str], (index, count): (usize, usize)) {
    let (part, folder) = (format!("{index}/{count}"), format!("out/shard-{index}"));
    let options = ["--shard", &part, "--products", "out/build", "-o", &folder];
    let run = run(bench, analysis, &[more, &options].concat());
    run.expect_code(0);
    assert!(run.stdout.is_empty() && run.stderr.contains("labrys merge makes the report"), "{}", run.stderr);
}

/// The analysis in three parts and at once, each in a folder of its own. Where a busy machine had a solver run out of time, which reports say, they
/// may differ, and the same is done again.
fn alike(analysis: &str, bodies: &[usize], more: &[&str]) -> Bench {
    for _ in 0..3 {
        let (single, parts) = both(analysis, bodies, more);
        let (of_single, of_parts) = (written(&single), written(&parts));
        if of_single != of_parts && [&of_single.0, &of_parts.0].iter().any(|report| report.contains("a limit on time"))
        {
            continue;
        }
        assert_eq!(of_parts.0, of_single.0);
        assert_eq!(of_parts.1, of_single.1);
        assert!(!of_single.1.is_empty());
        return parts;
    }
    panic!("three times a limit on time ended queries, and reports differ");
}

/// The analysis at once, and in three parts that are merged.
fn both(analysis: &str, bodies: &[usize], more: &[&str]) -> (Bench, Bench) {
    let single = library_of(bodies, "");
    run(&single, analysis, &[more, &["-o", "out"]].concat()).expect_code(1);
    let parts = library_of(bodies, "");
    for index in 1..=3 {
        shard(&parts, analysis, more, (index, 3));
    }
    let merged = parts.labrys(&["merge", "out/shard-2", "out/shard-1", "out/shard-3", "-o", "out"]);
    merged.expect_code(1);
    (single, parts)
}

#[test]
fn merged_exceptions_are_those_of_one_machine() {
    alike("exceptions", &ALL, &["--only", "divbyzero,overflow"]);
}

#[test]
fn a_merged_comparison_is_that_of_one_machine() {
    // Two of these have findings, and no query takes all its time, after which reports may differ.
    let parts = alike("diff", &[0, 1, 2, 5], &["--inputs", "finite"]);
    assert!(written(&parts).0.contains("\"blame\""), "flags are blamed");
    // Each shard blames its own functions' findings, and the merge works nothing out.
    let blames = |file: &str| {
        let bytes = std::fs::read(parts.path().join(file)).expect("a shard's or the merge's");
        String::from_utf8_lossy(&bytes).matches(", blamed").count()
    };
    assert!((1..=3).map(|index| blames(&format!("out/shard-{index}/shard.json"))).sum::<usize>() > 0);
    assert_eq!(blames("out/labrys.sqlite"), 0);
}

#[test]
fn merged_errors_are_those_of_one_machine() {
    alike("accuracy", &ALL, &[]);
}

/// Functions in parts of two pairs: the static ones, too. Callers are asked in shards of their own.
#[test]
fn parts_of_functions_and_shards_that_ask_callers_make_the_same_report() {
    let more = ["--only", "divbyzero,invalid,overflow", "--split", "2"];
    let parts = alike("exceptions", &ALL, &more);
    let tasks = std::fs::read_to_string(parts.path().join("out/shard-1/shard.json")).expect("a record");
    assert!(tasks.contains(", part 1 of "), "{tasks}");
    let (report, files) = written(&parts);
    let gathered: Vec<String> = (1..=3).flat_map(|of| ["--gather".to_owned(), format!("out/shard-{of}")]).collect();
    let gathered: Vec<&str> = gathered.iter().map(String::as_str).collect();
    let mut asked = 0;
    for index in ["1", "2"] {
        let (part, folder) = (format!("{index}/2"), format!("out/asked-{index}"));
        let options = ["--shard", &part, "--products", "out/build", "-o", &folder];
        run(&parts, "exceptions", &[&more[..], &options, &gathered].concat()).expect_code(0);
        let record = std::fs::read_to_string(parts.path().join(&folder).join("shard.json")).expect("a record");
        asked += record.matches(", asked for others' findings").count();
    }
    assert!(asked > 0, "some caller is asked");
    // Nothing that an earlier merge worked out is taken for theirs.
    std::fs::remove_file(parts.path().join("out/labrys.sqlite")).expect("the merge's own store");
    let folders = ["out/shard-1", "out/shard-2", "out/shard-3", "out/asked-1", "out/asked-2"];
    parts.labrys(&[&["merge"], &folders[..], &["-o", "out"]].concat()).expect_code(1);
    assert_eq!(written(&parts), (report, files));
    let one_less = parts.labrys(&[&["merge"], &folders[..4], &["-o", "out"]].concat());
    refused(&one_less, "of 2 shards that ask callers these are missing: 2");
    parts.labrys(&["slurm", "status", "out"]).expect_code(0);
}

/// One line on stderr, which says this.
fn refused(run: &Run, words: &str) {
    run.expect_code(2);
    if run.stderr.lines().count() != 1 || !run.stderr.contains(words) || !run.stdout.is_empty() {
        run.fail(&format!("expected one line with `{words}`"));
    }
}

#[test]
fn shards_that_do_not_make_one_run_are_told() {
    let bench = library(3);
    let more = ["--only", "divbyzero"];
    shard(&bench, "exceptions", &more, (1, 2));
    refused(&bench.labrys(&["merge", "out/shard-1"]), "of 2 shards these are missing: 2");
    let onto = bench.labrys(&["exceptions", "-p", ".", "--shard", "2/2", "-o", "out/shard-1"]);
    refused(&onto, "out/shard-1 holds shard 1 of 2: every shard needs a folder of its own");
    refused(&bench.labrys(&["merge", "out/shard-1", "out"]), "out: no part of a library run was begun here");
    refused(&bench.labrys(&["merge", "out/shard-1", "lib.c"]), "lib.c: it is a file, and no folder of a shard");
    shard(&bench, "exceptions", &more, (2, 2));
    let copy = bench.path().join("copy");
    std::fs::create_dir(&copy).expect("a folder");
    for name in ["shard.json", "labrys.sqlite"] {
        std::fs::copy(bench.path().join("out/shard-1").join(name), copy.join(name)).expect("copied");
    }
    let twice = bench.labrys(&["merge", "out/shard-1", "out/shard-2", "copy"]);
    refused(&twice, "shard 1 of 2 is there twice: out/shard-1 and copy");
    let other = ["--shard", "2/2", "-o", "other", "--seed", "7"];
    run(&bench, "exceptions", &[&more[..], &other].concat()).expect_code(0);
    refused(
        &bench.labrys(&["merge", "out/shard-1", "other"]),
        "other was run with other options than out/shard-1: seed is 7, there 0",
    );
    let hurried =
        ["exceptions", "-p", ".", "--max-work", "600", "--function-time", "20s", "--shard", "2/2", "-o", "hurried"];
    bench.labrys(&[&hurried[..], &more].concat()).expect_code(0);
    let told = bench.labrys(&["merge", "out/shard-1", "hurried"]);
    assert!(
        told.stderr.contains("function time is 20s, there 600s") && !told.stderr.contains("Some("),
        "{}",
        told.stderr
    );
    let record = bench.path().join("copy/shard.json");
    let text = std::fs::read_to_string(&record).expect("readable");
    let version = format!("\"version\": \"{}\"", env!("CARGO_PKG_VERSION"));
    std::fs::write(&record, text.replace(&version, "\"version\": \"0.0.1\"")).expect("writable");
    refused(&bench.labrys(&["merge", "copy", "out/shard-2"]), "copy: it was written by labrys 0.0.1, and this is");

    // The record is there, the results are lost.
    std::fs::remove_file(bench.path().join("out/shard-2/labrys.sqlite")).expect("there");
    let folders = ["merge", "out/shard-1", "out/shard-2"];
    refused(&bench.labrys(&folders), "the folders lack the result of ");
    let left = bench.labrys(&[&folders[..], &["--missing", "leave", "--format", "json"]].concat());
    let missing = left.json()["notes"].as_array().cloned().unwrap_or_default();
    assert!(missing.iter().any(|note| note.as_str().is_some_and(|note| note.ends_with("no shard has its result"))));
    let done = bench.labrys(&[&folders[..], &["--missing", "run", "--format", "json"]].concat());
    let functions = done.json()["functions"].as_array().cloned().unwrap_or_default();
    assert!(functions.len() == 6 && functions.iter().all(|of| of["failure"].is_null()), "{functions:?}");
}

#[test]
fn wrong_parts_are_refused() {
    let bench = library(1);
    for (arguments, words) in [
        (&["--shard", "5/4", "-o", "o"][..], "5/4"),
        (&["--shard", "1/2"], "--output"),
        (&["--gather", "x"], "--shard"),
        (&["--shard", "1/2", "-o", "o", "--gather", "x"], "there are no results here"),
        (&["--shard", "1/2", "-o", "o", "--balance", "x"], "there are no results here"),
    ] {
        refused(&run(&bench, "exceptions", arguments), words);
    }
    let arguments = ["exceptions", "-p", ".", "--time", "1m", "--shard", "1/2", "-o", "o"];
    refused(&bench.labrys(&arguments), "--function-time");
    refused(&bench.labrys(&["exceptions", "lib.c", "-f", "lib_0", "--shard", "1/2", "-o", "o"]), "library");
    refused(&bench.labrys(&["slurm", "status", "."]), "no campaign of labrys slurm is here");
    refused(&bench.labrys(&["slurm", "exceptions", "-p", "."]), "-o");
    // Words behind the analysis are its own to clap: "cannot read --help".
    for (asked, words) in [("status", "slurm status DIR"), ("exceptions", "labrys exceptions --help")] {
        let run = bench.labrys(&["slurm", asked, "--help"]);
        run.expect_code(0);
        assert!(run.stdout.contains(words), "{}", run.stdout);
    }
    refused(&bench.labrys(&["slurm", "exceptions", "-p", ".", "-o", "out", "--bogus"]), "--bogus");
    // What of paths Slurm would read otherwise; what is to be pasted is one word.
    refused(&bench.labrys(&["slurm", "exceptions", "-p", ".", "-o", "50%j"]), "of % and");
    refused(&bench.labrys(&["slurm", "exceptions", "-p", ".", "-o", "out", "--sbatch=--comment=a\nb"]), "line break");
    for (option, words) in [
        ("comment=x", "is no option of sbatch: write"),
        ("", "is no option of sbatch"),
        ("--", "is no option of sbatch"),
        ("--array=1-3", "the campaign says --array itself"),
        ("-a1-3", "the campaign says --array itself"),
        ("--output=x.log", "the campaign says --output itself"),
        ("--outp=x.log", "the campaign says --output itself"),
        ("-D /tmp", "the campaign says --chdir itself"),
    ] {
        let option = format!("--sbatch={option}");
        refused(&bench.labrys(&["slurm", "exceptions", "-p", ".", "-o", "sbatch", &option]), words);
    }
    assert!(!bench.path().join("sbatch").exists());
    refused(&bench.labrys(&["slurm", "doctor", "-o", "out"]), "`doctor` is no analysis of a library");
}

/// Parts are balanced by the times of an earlier run, and whoever gets them, all functions are there.
#[test]
fn an_earlier_run_balances_parts() {
    let bench = library(4);
    let more = ["--only", "divbyzero"];
    run(&bench, "exceptions", &[&more[..], &["-o", "earlier"]].concat()).expect_code(1);
    // Folders that had other parts before: their results are in the stores still, and count for nobody but those who have them now.
    shard(&bench, "exceptions", &more, (1, 2));
    shard(&bench, "exceptions", &more, (2, 2));
    let mut all = Vec::new();
    for index in 1..=3 {
        let balanced = [&more[..], &["--balance", "earlier"]].concat();
        shard(&bench, "exceptions", &balanced, (index, 3));
        let record =
            std::fs::read_to_string(bench.path().join(format!("out/shard-{index}/shard.json"))).expect("there");
        let record: serde_json::Value = serde_json::from_str(&record).expect("JSON");
        let tasks = record["tasks"].as_array().cloned().unwrap_or_default();
        assert!(!tasks.is_empty(), "{record}");
        all.extend(tasks.into_iter().filter_map(|task| task.as_str().map(str::to_owned)));
    }
    all.sort();
    let mut expected: Vec<String> = (0..4).flat_map(|of| [format!("helper_{of}"), format!("lib_{of}")]).collect();
    expected.sort();
    assert_eq!(all, expected);
    bench.labrys(&["merge", "out/shard-1", "out/shard-2", "out/shard-3", "-o", "out"]).expect_code(1);
}

/// A library's report is kept compressed on demand, and read like any other.
#[test]
fn a_compressed_report_is_read_again() {
    let bench = library(3);
    let more = ["--only", "divbyzero", "-o", "out"];
    run(&bench, "exceptions", &more).expect_code(1);
    let text = std::fs::read(bench.path().join("out/report.json")).expect("a report");
    assert_eq!(text.iter().filter(|byte| **byte == b'\n').count(), 1, "a library's report is not indented");
    run(&bench, "exceptions", &[&more[..], &["--compress", "zstd"]].concat()).expect_code(1);
    let size = |name: &str| std::fs::metadata(bench.path().join("out").join(name)).map(|file| file.len());
    for name in ["report.json", "report.sarif"] {
        assert!(size(name).is_err(), "{name} would be an earlier run's");
    }
    let packed = size("report.json.zst").expect("a compressed report");
    assert!(packed * 2 < text.len() as u64, "{packed} of {}", text.len());
    assert!(size("report.sarif.zst").is_ok() && size("report.html").is_ok());
    let replayed = bench.labrys(&["replay", "out/report.json.zst"]);
    replayed.expect_code(1);
    assert!(replayed.stdout.contains("still holds"), "{}", replayed.stdout);
    let known = ["--only", "divbyzero", "--baseline", "out/report.json.zst"];
    run(&bench, "exceptions", &known).expect_code(0);
    // Poles are what they should be: nothing is to be mended.
    let tests = bench.labrys(&["test", "out", "--all", "--emit", "pytest", "-o", "tests"]);
    tests.expect_code(0);
    assert!(tests.stderr.contains("honest, harmless or ill-conditioned"), "{}", tests.stderr);
    run(&bench, "exceptions", &more).expect_code(1);
    assert!(size("report.json").is_ok() && size("report.json.zst").is_err());
    refused(&run(&bench, "exceptions", &["--compress", "zstd"]), "--output");
}

/// The recipe of docs/campaigns.md, as it stands there.
#[test]
fn gnu_parallel_runs_the_shards_of_the_documentation() {
    let found = Command::new("parallel").arg("--version").output();
    assert!(
        found.is_ok_and(|found| found.status.success()),
        "GNU parallel is not installed; scripts/setup.sh installs it"
    );
    let page = std::fs::read_to_string(crate::harness::workspace().join("docs/campaigns.md")).expect("the page");
    let recipe =
        page.split("```sh\n").filter_map(|block| block.split("```").next()).find(|block| block.contains("parallel "));
    let recipe = recipe.expect("a recipe for parallel");
    let bench = library(5);
    let script = recipe.replace("labrys ", &format!("{} ", env!("CARGO_BIN_EXE_labrys")));
    let script = script.replace("'gsl_sf_*'", "'lib_*' --only divbyzero --max-work 300").replace("-p build/", "-p .");
    std::fs::write(bench.path().join("run.sh"), format!("set -e\n{script}")).expect("writable");
    let run = bench.program("bash", &["run.sh"]);
    run.expect_code(1);
    let report = std::fs::read_to_string(bench.path().join("out/report.json")).expect("a report");
    let report: serde_json::Value = serde_json::from_str(&report).expect("JSON");
    assert_eq!(report["functions"].as_array().map(Vec::len), Some(5));
    let shards = std::fs::read_dir(bench.path().join("out")).expect("a folder").flatten();
    assert_eq!(shards.filter(|of| of.file_name().to_string_lossy().starts_with("shard-")).count(), 8);
}
