//! A program built for replays, and its runs.

use std::ffi::OsString;
use std::fs::File;
use std::io::{Read, Seek, SeekFrom, Write};
use std::os::unix::ffi::OsStringExt;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use labrys_program::{Instrumentation, Language, WholeSpec, build_executable};
use labrys_testcase::{Ktest, TestInput, runtime, sanitizer_options};
use wait_timeout::ChildExt;

use super::launcher::{INPUT, STDERR};
use super::report::Report;
use super::{Ending, Replay, Sanitizers};
use crate::{NativeError, Symbolizer};

/// What one run may use up.
#[derive(Clone, Copy, Debug)]
pub struct ReplayLimits {
    /// Time, on the wall.
    pub time: Duration,
    /// Resident memory in mebibytes; sanitizers map far more than they use.
    pub memory_mib: u64,
    /// When all runs must have ended.
    pub deadline: Option<Instant>,
}

impl Default for ReplayLimits {
    /// Ten seconds, 2 GiB.
    fn default() -> Self {
        ReplayLimits { time: Duration::from_secs(10), memory_mib: 2048, deadline: None }
    }
}

/// Bytes of a report that are read: requests for inputs are ten thousand lines at most, reports of errors some hundred.
const REPORT_BYTES: u64 = 4 << 20;

/// Bytes that standard input has at most: what a pipe on Linux holds.
const STANDARD_INPUT_BYTES: usize = 1 << 16;

/// A program built with sanitizers, or to measure its coverage.
pub struct ReplayBuild {
    executable: PathBuf,
    symbolizer: Symbolizer,
    folder: PathBuf,
    /// The command that becomes the program: labrys and its hidden subcommand.
    launcher: Vec<OsString>,
}

impl ReplayBuild {
    /// Compiles the program in `folder`. `main` is C that defines `main` where the program is entered elsewhere, and the program's
    /// own is then set aside; `launcher` runs [`super::replay_main`] and ends with its first argument, `open` or `confined`.
    ///
    /// # Errors
    ///
    /// Where it does not compile.
    pub fn compile(
        spec: &WholeSpec,
        sanitizers: Sanitizers,
        main: Option<&str>,
        launcher: Vec<OsString>,
        (folder, deadline): (&Path, Instant),
    ) -> Result<ReplayBuild, NativeError> {
        let aside = main.map(|_| "labrys_unused_main".to_owned());
        let spec = WholeSpec { aside: spec.aside.clone().or(aside), ..spec.clone() };
        ReplayBuild::compile_as(
            &spec,
            (sanitizers.instrumentation(), &sanitizers.name()),
            main,
            launcher,
            (folder, deadline),
        )
    }

    /// Compiles a program that measures its coverage, as `spec` says.
    ///
    /// # Errors
    ///
    /// Where it does not compile.
    pub fn compile_measured(
        spec: &WholeSpec,
        launcher: Vec<OsString>,
        (folder, deadline): (&Path, Instant),
    ) -> Result<ReplayBuild, NativeError> {
        ReplayBuild::compile_as(spec, (Instrumentation::default(), "measured"), None, launcher, (folder, deadline))
    }

    fn compile_as(
        spec: &WholeSpec,
        (instrumentation, name): (Instrumentation, &str),
        main: Option<&str>,
        launcher: Vec<OsString>,
        (folder, deadline): (&Path, Instant),
    ) -> Result<ReplayBuild, NativeError> {
        let system = |source| NativeError::System { what: "cannot write what a replay needs", source };
        let mut text = runtime();
        text.push_str(main.unwrap_or_default());
        let source = folder.join("labrys-runtime.c");
        std::fs::write(&source, text).map_err(system)?;
        let executable = build_executable(spec, &instrumentation, &source, (folder, name), deadline)?;
        let symbolizer = Symbolizer::new(&executable)?;
        let mut launcher = launcher;
        // Panics are told on standard error.
        let tells_panics = spec.sources.iter().any(|source| Language::of(source).is_ok_and(|of| of == Language::Rust));
        // gcc's UBSan is a library that closes the descriptor which it is told to report to, and reports to standard error.
        const LIBRARY: &[u8] = b"libubsan.so";
        let bytes = std::fs::read(&executable).map_err(system)?;
        if let Some(mode) = launcher.last_mut()
            && (tells_panics || bytes.windows(LIBRARY.len()).any(|window| window == LIBRARY))
        {
            mode.push(STDERR);
        }
        Ok(ReplayBuild { executable, symbolizer, folder: folder.to_owned(), launcher })
    }

    /// Runs the program on an input; `leaks`: whether memory that leaks is an error.
    ///
    /// # Errors
    ///
    /// Where it cannot be run at all: that it ends by an error is what it showed.
    pub fn run(&self, input: &TestInput, leaks: bool, limits: ReplayLimits) -> Result<Replay, NativeError> {
        self.run_with(input, (leaks, None), limits)
    }

    /// Runs a program that measures its coverage on an input; what it counts is in `profile` afterwards, unless it was killed.
    ///
    /// # Errors
    ///
    /// As [`ReplayBuild::run`].
    pub fn run_measured(&self, input: &TestInput, profile: &Path, limits: ReplayLimits) -> Result<Replay, NativeError> {
        self.run_with(input, (false, Some(profile)), limits)
    }

    /// The executable.
    pub fn executable(&self) -> &Path {
        &self.executable
    }

    fn run_with(
        &self,
        input: &TestInput,
        (leaks, profile): (bool, Option<&Path>),
        limits: ReplayLimits,
    ) -> Result<Replay, NativeError> {
        let system = |source| NativeError::System { what: "cannot run the program", source };
        let mut inputs = tempfile::Builder::new().suffix(".ktest").tempfile_in(&self.folder).map_err(system)?;
        inputs.write_all(&Ktest::of("program", input).to_bytes()).map_err(system)?;
        let mut reports = tempfile::tempfile().map_err(system)?;
        let time = match limits.deadline {
            Some(deadline) => limits.time.min(deadline.saturating_duration_since(Instant::now())),
            None => limits.time,
        };
        let status = self
            .spawn((input, inputs.path()), (&reports, profile), (leaks, time, limits.memory_mib))
            .map_err(system)?;
        let mut bytes = Vec::new();
        reports.seek(SeekFrom::Start(0)).map_err(system)?;
        reports.take(REPORT_BYTES).read_to_end(&mut bytes).map_err(system)?;
        let mut replay = Report::parse(&bytes, &self.executable).resolve(&self.symbolizer, status.map(code));
        if status.is_none() {
            replay.ending = Ending::TimedOut;
        }
        Ok(replay)
    }

    /// Runs the program and waits for it; `None` where it was still running at its limit.
    fn spawn(
        &self,
        (input, file): (&TestInput, &Path),
        (reports, profile): (&File, Option<&Path>),
        (leaks, time, memory_mib): (bool, Duration, u64),
    ) -> std::io::Result<Option<ExitStatus>> {
        let options = options(leaks, memory_mib);
        let standard_input = input.standard_input().map(filled_pipe).transpose()?;
        let mut launcher = self.launcher.clone();
        if let (Some(mode), Some(_)) = (launcher.last_mut(), &standard_input) {
            mode.push(INPUT);
        }
        let mut command = Command::new(&launcher[0]);
        command
            .args(&launcher[1..])
            .arg(time.as_secs().saturating_add(2).to_string())
            .arg(&self.executable)
            .args(input.arguments.iter().map(|argument| OsString::from_vec(argument.clone())));
        command.env_clear();
        command.envs(std::env::var_os("LD_LIBRARY_PATH").map(|path| ("LD_LIBRARY_PATH", path)));
        for name in ["ASAN_OPTIONS", "UBSAN_OPTIONS", "MSAN_OPTIONS", "LSAN_OPTIONS"] {
            command.env(name, &options);
        }
        command.env("LABRYS_REPLAY", std::path::absolute(file)?);
        command.envs(profile.map(|profile| ("LLVM_PROFILE_FILE", profile)));
        command.current_dir(&self.folder).process_group(0);
        command
            .stdin(standard_input.map_or_else(Stdio::null, Stdio::from))
            .stdout(reports.try_clone()?)
            .stderr(Stdio::null());
        let mut child = command.spawn()?;
        let group = child.id() as libc::pid_t;
        let status = child.wait_timeout(time);
        // What the program left running goes with it.
        // SAFETY: the group is our child's own; sending a signal touches no memory of ours.
        unsafe { libc::kill(-group, libc::SIGKILL) };
        let status = status?;
        if status.is_none() {
            child.wait()?;
        }
        Ok(status)
    }
}

/// A pipe that holds all of what standard input has, and then is at its end. What a pipe cannot hold is refused.
fn filled_pipe(bytes: &[u8]) -> std::io::Result<std::io::PipeReader> {
    if bytes.len() > STANDARD_INPUT_BYTES {
        return Err(std::io::Error::other("standard input is longer than a pipe holds"));
    }
    let (reader, mut writer) = std::io::pipe()?;
    writer.write_all(bytes)?;
    Ok(reader)
}

/// An exit code, or a signal as a negative number.
fn code(status: ExitStatus) -> i32 {
    status.code().unwrap_or_else(|| -status.signal().unwrap_or(0))
}

/// What all sanitizers are told.
fn options(leaks: bool, memory_mib: u64) -> String {
    let errors = sanitizer_options(90);
    let report = "symbolize=0:color=never:quarantine_size_mb=64:print_legend=0";
    format!("{errors}:{report}:detect_leaks={}:hard_rss_limit_mb={memory_mib}", u8::from(leaks))
}
