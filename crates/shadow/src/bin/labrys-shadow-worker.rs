//! The worker process by itself, for this crate's tests.

use std::process::ExitCode;

fn main() -> ExitCode {
    let arguments: Vec<std::ffi::OsString> = std::env::args_os().skip(1).collect();
    labrys_native::worker_main(&arguments)
}
