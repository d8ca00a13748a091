//! The worker process by itself, for this crate's tests and benchmarks.

use std::process::ExitCode;

fn main() -> ExitCode {
    let arguments: Vec<std::ffi::OsString> = std::env::args_os().skip(1).collect();
    match arguments.split_first() {
        Some((first, rest)) if first == "replay" => labrys_native::replay_main(rest),
        _ => labrys_native::worker_main(&arguments),
    }
}
