//! `cargo xtask corpus smt`: the regression tests of Bitwuzla that the crate `bitwuzla-sys` carries, those of them in supported logics.
//!
//! Cargo fetches the crate; nothing of it is compiled, and nothing is committed. What is left out, and why, is printed and listed in
//! `left-out.txt` beside the files.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};

use super::generate::sha256;
use super::scan::scan;

const NAME: &str = "bitwuzla-sys";
const VERSION: &str = "0.8.0";
const HASH: &str = "ff63cfc9ecd7406fbe2c008bd51091562e88c7b845b29df99679adb4a0e8bad2";

/// Where the files go, in the folder of the workspace.
const FOLDER: &str = "target/corpus/smt/bitwuzla";

/// Fetches, checks and selects.
pub fn run(root: &Path) -> Result<bool> {
    let tests = unpacked(root)?.join("bitwuzla/test/regress");
    let folder = root.join(FOLDER);
    if folder.exists() {
        fs::remove_dir_all(&folder)?;
    }
    let mut kept: BTreeMap<&str, usize> = BTreeMap::new();
    let mut reasons: BTreeMap<String, usize> = BTreeMap::new();
    let mut left_out = String::new();
    let suite = suite(&tests)?;
    for path in files(&tests)? {
        let name = path.strip_prefix(&tests)?.to_string_lossy().replace('/', "-");
        let listed = suite.contains(&*path.strip_prefix(&tests)?.to_string_lossy());
        match if listed { select(&path)? } else { Err("disabled in the suite".to_owned()) } {
            Ok(family) => {
                let target = folder.join(family);
                fs::create_dir_all(&target)?;
                fs::copy(&path, target.join(&name))?;
                let expected = path.with_extension("expect");
                if expected.exists() {
                    fs::copy(expected, target.join(&name).with_extension("expect"))?;
                }
                *kept.entry(family).or_default() += 1;
            }
            Err(why) => {
                writeln!(left_out, "{name}: {why}")?;
                *reasons.entry(why).or_default() += 1;
            }
        }
    }
    fs::write(folder.join("left-out.txt"), left_out)?;
    for (family, count) in &kept {
        println!("{count} files in {FOLDER}/{family}");
    }
    for (why, count) in &reasons {
        println!("{count} left out: {why}");
    }
    Ok(!kept.is_empty())
}

/// The folder of the crate's sources, after its archive proved to be the pinned one.
fn unpacked(root: &Path) -> Result<PathBuf> {
    let folder = root.join("target/corpus/crate");
    fs::create_dir_all(folder.join("src"))?;
    fs::write(folder.join("src/lib.rs"), "")?;
    let manifest = folder.join("Cargo.toml");
    let text = format!(
        "[package]\nname = \"corpus\"\nversion = \"0.0.0\"\nedition = \"2024\"\n\n[dependencies]\n{NAME} = \"={VERSION}\"\n\n[workspace]\n"
    );
    fs::write(&manifest, text)?;
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    if !Command::new(cargo).arg("fetch").arg("--manifest-path").arg(&manifest).status()?.success() {
        bail!("cargo fetch of {NAME} {VERSION} failed");
    }
    let archive = archive()?;
    let hash = sha256(&fs::read(&archive)?);
    if hash != HASH {
        bail!("{} has SHA-256 {hash}, expected {HASH}", archive.display());
    }
    let unpacked = folder.join(format!("{NAME}-{VERSION}"));
    if unpacked.exists() {
        fs::remove_dir_all(&unpacked)?;
    }
    if !Command::new("tar").arg("-xzf").arg(&archive).arg("-C").arg(&folder).status()?.success() {
        bail!("cannot unpack {}", archive.display());
    }
    Ok(unpacked)
}

/// Cargo's copy of the archive.
fn archive() -> Result<PathBuf> {
    let home = std::env::var_os("CARGO_HOME").map(PathBuf::from);
    let home = home.or_else(|| std::env::var_os("HOME").map(|home| Path::new(&home).join(".cargo")));
    let cache = home.context("neither CARGO_HOME nor HOME is set")?.join("registry/cache");
    for registry in fs::read_dir(&cache).with_context(|| format!("cannot read {}", cache.display()))? {
        let archive = registry?.path().join(format!("{NAME}-{VERSION}.crate"));
        if archive.exists() {
            return Ok(archive);
        }
    }
    bail!("cargo fetched {NAME} {VERSION}, but {} does not hold it", cache.display())
}

/// All SMT-LIB files below a folder, in order.
pub fn files(folder: &Path) -> Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).with_context(|| format!("cannot read {}", folder.display()))? {
            let path = entry?.path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "smt2") {
                found.push(path);
            }
        }
    }
    found.sort();
    Ok(found)
}

/// The tests that the suite runs: the build file's lines `['path.smt2', …]`. Others are in the archive, too, among them files that
/// Bitwuzla itself refuses.
fn suite(tests: &Path) -> Result<BTreeSet<String>> {
    let build = fs::read_to_string(tests.join("meson.build"))?;
    let paths =
        build.lines().filter_map(|line| line.trim_start().strip_prefix("['")?.split_once('\'')).map(|(path, _)| path);
    Ok(paths.map(str::to_owned).collect())
}

/// The family of a test, or why it is left out.
fn select(path: &Path) -> Result<Result<&'static str, String>> {
    let Ok(text) = String::from_utf8(fs::read(path)?) else { return Ok(Err("not UTF-8".to_owned())) };
    let expected = path.with_extension("expect");
    if expected.exists() {
        let expected = String::from_utf8_lossy(&fs::read(expected)?).into_owned();
        // A message begins with the test's place, as `regress/parser/x.smt2:3:18: …`.
        if expected.lines().any(|line| line.starts_with("regress/")) {
            return Ok(Err("expects an error".to_owned()));
        }
        if expected.lines().any(|line| line == "unknown") {
            return Ok(Err("expects `unknown`".to_owned()));
        }
    }
    let scan = scan(&text);
    if let Some(why) = scan.unsupported {
        return Ok(Err(why));
    }
    if scan.checks.is_empty() {
        return Ok(Err("no check-sat".to_owned()));
    }
    Ok(Ok(if scan.floats {
        "floats"
    } else if scan.arrays {
        "arrays"
    } else {
        "bit-vectors"
    }))
}
