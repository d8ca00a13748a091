//! `cargo labrys …`: what cargo runs for it. It becomes `labrys cargo …`, the program beside it or in `PATH`.

use std::os::unix::process::CommandExt;
use std::path::PathBuf;
use std::process::{Command, ExitCode};

fn main() -> ExitCode {
    let mut arguments = std::env::args_os();
    let own = arguments.next();
    // Cargo hands over its subcommand's name first.
    let mut arguments = arguments.peekable();
    arguments.next_if(|first| first == "labrys");
    let beside = std::env::current_exe().ok().and_then(|own| Some(own.canonicalize().ok()?.parent()?.join("labrys")));
    let labrys = beside.filter(|path| path.is_file()).unwrap_or_else(|| PathBuf::from("labrys"));
    let error = Command::new(&labrys).arg("cargo").args(arguments).exec();
    eprintln!("{}: cannot run {}: {error}", own.unwrap_or_default().to_string_lossy(), labrys.display());
    ExitCode::from(2)
}
