//! Every command that the README shows in a `console` block runs as written, and finds what is quoted below it.

use crate::harness::{Bench, workspace};

/// An input budget for commands that do not say one: the test is of the commands, not of the search.
const WORK: &str = " --max-work 300";

/// The lines of the README's `console` blocks.
fn console_lines(readme: &str) -> Vec<&str> {
    let mut inside = false;
    let mut lines = Vec::new();
    for line in readme.lines() {
        if line.starts_with("```") {
            inside = line == "```console";
        } else if inside {
            lines.push(line);
        }
    }
    lines
}

/// Whether a line that starts so heads a finding: `severity[id`.
fn is_finding(start: &str) -> bool {
    ["introduced[", "masked[", "underflow[", "ulps[", "lost[", "unstable[", "inaccurate[", "honest["]
        .iter()
        .any(|severity| start.starts_with(severity))
}

/// A copy of the examples, in which commands may leave files.
fn bench_with_examples() -> Bench {
    let bench = Bench::new(&[]);
    let examples = workspace().join("examples");
    bench.program("cp", &["-r", &examples.display().to_string(), "examples"]).expect_code(0);
    bench
}

#[test]
fn commands_of_the_readme_run_as_written() {
    let readme = std::fs::read_to_string(workspace().join("README.md")).expect("the README");
    let bench = bench_with_examples();
    let mut commands = 0;
    let mut stdout = String::new();
    let mut solves = false;
    for line in console_lines(&readme) {
        if let Some(command) = line.strip_prefix("$ ") {
            let limited = match command.strip_prefix("labrys diff") {
                Some(rest) if !command.contains("--max-work") => format!("labrys diff{WORK}{rest}"),
                _ => command.to_owned(),
            };
            let binary = std::path::Path::new(env!("CARGO_BIN_EXE_labrys"));
            let folder = binary.parent().expect("a folder").display();
            let run = bench.program("sh", &["-c", &format!("PATH={folder}:$PATH; {limited}")]);
            if !matches!(run.code, 0 | 1 | 10 | 20) {
                run.fail("a command of the README does not run");
            }
            stdout = run.stdout;
            solves = command.starts_with("labrys solve");
            commands += 1;
        } else if solves && !line.is_empty() {
            assert!(
                stdout.lines().any(|printed| printed == line),
                "the README quotes `{line}`, printed was:\n{stdout}"
            );
        } else if let Some((finding, _)) = line.split_once("]: ").filter(|(start, _)| is_finding(start)) {
            // The id is the divergence's; the witness in the rest of the line may be another one.
            let found = stdout.lines().any(|printed| printed.starts_with(finding));
            assert!(found, "the README quotes `{finding}]`, printed was:\n{stdout}");
        }
    }
    assert!(commands >= 15, "only {commands} commands in the README");
}
