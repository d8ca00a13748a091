//! Names the commit that is built, for `labrys --version`.

use std::path::Path;
use std::process::Command;

fn main() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    // Commits, resets and checkouts append to this file. Without it, as in an archive of the source, there is no commit to name.
    let log = root.join(".git/logs/HEAD");
    if !log.exists() {
        println!("cargo::rerun-if-changed=build.rs");
        return;
    }
    println!("cargo::rerun-if-changed={}", log.display());
    let output = Command::new("git").arg("-C").arg(&root).args(["rev-parse", "--short=12", "HEAD"]).output();
    if let Ok(output) = output
        && output.status.success()
    {
        println!("cargo::rustc-env=LABRYS_COMMIT={}", String::from_utf8_lossy(&output.stdout).trim());
    }
}
