//! Names the commit that is built, for `labrys --version`, and has the binary linked small.

use std::path::Path;
use std::process::Command;

fn main() {
    link_small();
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

/// Of functions with the same code one is kept, for nothing here goes by their addresses, nor do SQLite and GMP; relocations of tables take a
/// bit instead of 24 bytes each, which glibc reads since 2.36.
fn link_small() {
    // There rustc links by lld.
    if std::env::var("TARGET").is_ok_and(|target| target == "x86_64-unknown-linux-gnu") {
        println!("cargo::rustc-link-arg-bins=-Wl,--icf=all,-z,pack-relative-relocs");
    }
}
