//! `labrys doctor`: what is installed, what is missing, how to get it.

use std::io::Write;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::time::Duration;

use anyhow::Result;

/// What one part is for and how it comes.
struct Part {
    name: &'static str,
    needed_for: &'static str,
    how_to_get: &'static str,
    /// Whether diff on C code works without it.
    optional: bool,
    found: Option<String>,
}

/// The first line that a program prints of itself, if it runs. A wait has a limit: a program that hangs is not there.
fn version_of(program: &std::ffi::OsStr) -> Option<String> {
    const LIMIT: Duration = Duration::from_secs(10);
    let mut child = Command::new(program)
        .arg("--version")
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .ok()?;
    let begun = std::time::Instant::now();
    loop {
        match child.try_wait() {
            Ok(Some(_)) => break,
            Ok(None) if begun.elapsed() < LIMIT => std::thread::sleep(Duration::from_millis(5)),
            _ => {
                let _ = child.kill();
                let _ = child.wait();
                return None;
            }
        }
    }
    let mut text = String::new();
    std::io::Read::read_to_string(&mut child.stdout.take()?, &mut text).ok()?;
    text.lines().find(|line| !line.trim().is_empty()).map(|line| line.trim().to_owned())
}

fn parts() -> Vec<Part> {
    let compiler = |name, needed_for, how_to_get, optional| Part {
        name,
        needed_for,
        how_to_get,
        optional,
        found: version_of(std::ffi::OsStr::new(name)),
    };
    let z3 = labrys_solver::find_z3();
    let z3_version = z3.as_ref().and_then(|path: &PathBuf| {
        version_of(path.as_os_str()).map(|version| format!("{version} ({})", path.display()))
    });
    vec![
        compiler("clang-22", "C; IR of gcc's builds; the driver loop", "apt-get install clang-22", false),
        compiler("clang++-22", "C++", "apt-get install clang-22", true),
        compiler("gcc", "builds with gcc", "apt-get install gcc", true),
        compiler("g++", "builds with g++", "apt-get install g++", true),
        compiler("flang-22", "Fortran", "apt-get install flang-22", true),
        compiler("rustc", "Rust", "the installer at https://rustup.rs", true),
        Part {
            name: "z3",
            needed_for: "candidates from solving; without it diff searches only",
            how_to_get: "make setup, or set LABRYS_Z3 to the executable of PyPI's z3-solver",
            optional: true,
            found: z3_version,
        },
    ]
}

/// Prints the table. Exit code 2 where something that every run needs is missing.
pub fn run() -> Result<u8> {
    let parts = parts();
    let mut out = std::io::stdout().lock();
    for part in &parts {
        match &part.found {
            Some(version) => writeln!(out, "found    {:<11} {version}", part.name)?,
            None => writeln!(out, "missing  {:<11} for {}: {}", part.name, part.needed_for, part.how_to_get)?,
        }
    }
    let trapping = match labrys_native::trapping_available() {
        true => "exception traps work: traces cost about 10 µs an event",
        false => "exception traps are not available: traces step every instruction",
    };
    writeln!(out, "machine  {:<11} {trapping}", std::env::consts::ARCH)?;
    let essential_missing = parts.iter().any(|part| part.found.is_none() && !part.optional);
    Ok(if essential_missing { crate::USAGE } else { 0 })
}
