//! Runs the built binary in a temporary folder; a failed expectation prints command, folder, stdout and stderr.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::time::Instant;

use serde_json::Value;

/// A temporary folder with files and a way to run labrys in it.
pub struct Bench {
    folder: tempfile::TempDir,
    environment: Vec<(String, String)>,
    begun: Instant,
}

/// The variable that names a file to which each bench adds a line: how many seconds it lived, and the test.
const TIMES: &str = "LABRYS_TEST_TIMES";

impl Drop for Bench {
    fn drop(&mut self) {
        let Some(file) = std::env::var_os(TIMES) else { return };
        let test = std::thread::current().name().unwrap_or("?").to_owned();
        let line = format!("{:.1} {test}\n", self.begun.elapsed().as_secs_f64());
        let file = std::fs::OpenOptions::new().append(true).create(true).open(file);
        // Nothing but a list for people is lost.
        let _ = file.and_then(|mut file| file.write_all(line.as_bytes()));
    }
}

/// What a run left.
pub struct Run {
    /// The command, for messages.
    pub shown: String,
    /// Exit code; −1 for a signal.
    pub code: i32,
    /// Standard output.
    pub stdout: String,
    /// Standard error.
    pub stderr: String,
}

/// The folder of the workspace.
pub fn workspace() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

impl Bench {
    /// A folder with these files.
    pub fn new(files: &[(&str, &str)]) -> Bench {
        let folder = tempfile::tempdir().expect("a temporary folder");
        for (name, text) in files {
            let file = folder.path().join(name);
            std::fs::create_dir_all(file.parent().expect("a folder")).expect("a temporary folder");
            std::fs::write(file, text).expect("a temporary file");
        }
        Bench { folder, environment: Vec::new(), begun: Instant::now() }
    }

    /// The folder.
    pub fn path(&self) -> &Path {
        self.folder.path()
    }

    /// Sets an environment variable for every run.
    pub fn with_env(mut self, name: &str, value: &str) -> Bench {
        self.environment.push((name.to_owned(), value.to_owned()));
        self
    }

    /// Runs labrys with these arguments.
    pub fn labrys(&self, arguments: &[&str]) -> Run {
        let mut command = Command::new(env!("CARGO_BIN_EXE_labrys"));
        command.args(arguments);
        self.finish(command)
    }

    /// Runs labrys with these arguments and this on standard input, through a pipe.
    pub fn labrys_fed(&self, arguments: &[&str], input: &str) -> Run {
        let mut command = Command::new(env!("CARGO_BIN_EXE_labrys"));
        command.args(arguments).current_dir(self.path());
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let shown = format!("{command:?} in {}", self.path().display());
        let mut child = command.spawn().unwrap_or_else(|error| panic!("{shown}: {error}"));
        // A child that has ended before it has read everything is not this function's concern.
        let _ = child.stdin.take().map(|mut pipe| pipe.write_all(input.as_bytes()));
        let output = child.wait_with_output().unwrap_or_else(|error| panic!("{shown}: {error}"));
        Run::new(shown, output)
    }

    /// Runs labrys with arguments that need not be text.
    pub fn labrys_os(&self, arguments: &[&std::ffi::OsStr]) -> Run {
        let mut command = Command::new(env!("CARGO_BIN_EXE_labrys"));
        command.args(arguments);
        self.finish(command)
    }

    /// Runs any program in the folder.
    pub fn program(&self, program: &str, arguments: &[&str]) -> Run {
        let mut command = Command::new(program);
        command.args(arguments);
        self.finish(command)
    }

    fn finish(&self, mut command: Command) -> Run {
        command.current_dir(self.path()).stdin(Stdio::null());
        command.envs(self.environment.iter().map(|(name, value)| (name, value)));
        let shown = format!("{command:?} in {}", self.path().display());
        let output = command.output().unwrap_or_else(|error| panic!("{shown}: {error}"));
        Run::new(shown, output)
    }
}

impl Run {
    fn new(shown: String, output: Output) -> Run {
        Run {
            shown,
            code: output.status.code().unwrap_or(-1),
            stdout: String::from_utf8_lossy(&output.stdout).into_owned(),
            stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
        }
    }

    /// Fails the test with everything there is to know about this run.
    pub fn fail(&self, why: &str) -> ! {
        panic!(
            "{why}\ncommand: {}\nexit code: {}\nstdout:\n{}\nstderr:\n{}",
            self.shown, self.code, self.stdout, self.stderr
        );
    }

    /// Expects an exit code.
    pub fn expect_code(&self, code: i32) -> &Run {
        if self.code != code {
            self.fail(&format!("expected exit code {code}"));
        }
        self
    }

    /// The JSON document on stdout.
    pub fn json(&self) -> Value {
        let value: Value = serde_json::from_str(&self.stdout)
            .unwrap_or_else(|error| self.fail(&format!("stdout is no JSON: {error}")));
        match value.get("tables") {
            Some(_) => unfolded(&self.stdout),
            None => value,
        }
    }

    /// The first finding that `wanted` accepts.
    pub fn finding(&self, what: &str, wanted: impl Fn(&Value) -> bool) -> Value {
        let report = self.json();
        let findings = report["findings"].as_array().cloned().unwrap_or_default();
        findings
            .into_iter()
            .find(|finding| wanted(finding))
            .unwrap_or_else(|| self.fail(&format!("no finding: {what}")))
    }
}

/// A library's report with everything where it belongs, and not in tables.
pub fn unfolded(text: &str) -> Value {
    let report = labrys_report::read_report(text).expect("a report");
    serde_json::to_value(report).expect("serialises")
}

/// The flags of one role's observation in a finding.
pub fn flags(finding: &Value, role: &str) -> Vec<String> {
    let observations = finding["observations"].as_array().cloned().unwrap_or_default();
    let of_role = observations.into_iter().find(|observation| observation["role"] == role).unwrap_or_default();
    let names = of_role["flags"].as_array().cloned().unwrap_or_default();
    names.iter().filter_map(|name| name.as_str().map(str::to_owned)).collect()
}

/// Whether one role's observation raised an exception.
pub fn raises(finding: &Value, role: &str, exception: &str) -> bool {
    flags(finding, role).iter().any(|flag| flag == exception)
}

/// The commands in a reproducer's first comment: its lines that begin with `$`.
pub fn commands_of(reproducer: &str) -> Vec<String> {
    let comment = reproducer.split("*/").next().unwrap_or_default();
    let lines = comment.lines().map(|line| line.trim_start_matches([' ', '*']).trim());
    lines.filter_map(|line| line.strip_prefix('$')).map(|command| command.trim().to_owned()).collect()
}

/// The data of a report's page as JSON: each distinct text stands in it once.
pub fn page_data(page: &str) -> String {
    const ALPHABET: &str = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let data = page.split("id=\"data\">").nth(1).and_then(|rest| rest.split('<').next()).expect("a page has data");
    let digits: Vec<u32> = data.chars().filter_map(|digit| ALPHABET.find(digit)).map(|digit| digit as u32).collect();
    let bytes: Vec<u8> = digits
        .chunks(4)
        .flat_map(|group| {
            let word = group.iter().fold(0, |word, digit| (word << 6) | digit) << (6 * (4 - group.len()));
            word.to_be_bytes()[1..group.len()].to_vec()
        })
        .collect();
    let text = miniz_oxide::inflate::decompress_to_vec_zlib(&bytes).expect("the data are whole");
    String::from_utf8(text).expect("JSON is UTF-8")
}

/// `main`s of these bodies are verified: with the second text in the place of `@` they hold, with the third they do not.
pub fn verify_twins(prelude: &str, twins: &[(&str, &str, &str)]) {
    let program = |body: &str, part: &str| format!("{prelude}int main(void) {{\n  {}\n}}\n", body.replace('@', part));
    for (body, right, wrong) in twins {
        let bench = Bench::new(&[("right.c", &program(body, right)), ("wrong.c", &program(body, wrong))]);
        for (name, code) in [("right.c", 0), ("wrong.c", 1)] {
            let run = bench.labrys(&["verify", name, "--time", "60s", "--property", "unreach-call", "--", "-w"]);
            assert_eq!(run.code, code, "{name} of {body}:\n{}{}", run.stdout, run.stderr);
        }
    }
}
