//! `cargo xtask corpus gsl`: the GNU Scientific Library's special functions and what they need, as Debian 12 has them.
//!
//! The sources are configured for clang, and a compilation database is written for
//! the sources of `specfunc` and those that define what these call, found once by undefined symbols
//! (`xtask/corpus/gsl-sources.txt`). Nothing is compiled here: `labrys exceptions -p target/corpus/gsl` builds what it needs. A second database, in
//! the folder `numeric`, has those of `statistics`, `poly` and `cdf` beside them.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::Result;
use serde_json::json;

use super::debian::{FOLDER, SourcePackage, complete};

const PACKAGE: SourcePackage = SourcePackage {
    name: "gsl",
    archive: "gsl_2.7.1+dfsg.orig.tar.gz",
    hash: "e560d6b9c6e254e46769bbb03583c00ecafbdd51b062c55db23b3b9612868567",
};

/// The sources of the database, one a line.
const SOURCES: &str = include_str!("../../corpus/gsl-sources.txt");

/// What `statistics`, `poly` and `cdf` need more, one a line.
const NUMERIC_SOURCES: &str = include_str!("../../corpus/gsl-numeric-sources.txt");

/// The folder of the configured sources.
pub fn folder(root: &Path) -> PathBuf {
    PACKAGE.folder(root)
}

/// Fetches, checks, unpacks and configures, unless that was done before.
pub fn run(root: &Path) -> Result<bool> {
    // The database is written last: where it is, the rest is, too.
    let (folder, _lock) = PACKAGE.unpack(root, Path::new("compile_commands.json"))?;
    let database = folder.join("compile_commands.json");
    let numeric = folder.join("numeric/compile_commands.json");
    let is_configured = database.exists();
    if !is_configured {
        configure(&folder)?;
    }
    if !numeric.exists() {
        fs::create_dir_all(folder.join("numeric"))?;
        write_database(&folder, &numeric, SOURCES.lines().chain(NUMERIC_SOURCES.lines()))?;
    }
    if !is_configured {
        write_database(&folder, &database, SOURCES.lines())?;
    }
    println!("{} sources in {FOLDER}/{}/compile_commands.json", SOURCES.lines().count(), PACKAGE.name);
    Ok(true)
}

/// Writes config.h, and links the headers into one folder.
fn configure(folder: &Path) -> Result<()> {
    let script = folder.join("configure");
    let mut command = Command::new(&script);
    command.current_dir(folder).args(["-q", "--disable-shared", "--disable-dependency-tracking", "CC=clang-22"]);
    complete(command.arg("CFLAGS=-O0 -g"))?;
    complete(Command::new("make").arg("-C").arg(folder.join("gsl")))
}

/// One entry for each source.
fn write_database<'s>(folder: &Path, database: &Path, sources: impl Iterator<Item = &'s str>) -> Result<()> {
    let entry = |source: &str| {
        let own = source.split_once('/').map_or(".", |(own, _)| own);
        let arguments = ["clang-22", "-DHAVE_CONFIG_H", "-I.", &format!("-I{own}"), "-g", "-O2", "-c", source];
        json!({ "directory": folder, "file": source, "arguments": arguments })
    };
    let entries: Vec<_> = sources.map(entry).collect();
    let draft = database.with_extension("draft");
    fs::write(&draft, serde_json::to_vec_pretty(&entries)?)?;
    fs::rename(&draft, database)?;
    Ok(())
}
