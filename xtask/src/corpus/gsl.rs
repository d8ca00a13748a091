//! `cargo xtask corpus gsl`: the GNU Scientific Library's special functions and what they need, as Debian 12 has them.
//!
//! apt fetches Debian's source package into folders of its own, so that the system's lists and sources stay as they are; the
//! archive of the sources must be the pinned one. It is configured for clang, and a compilation database is written for
//! the sources of `specfunc` and those that define what these call, found once by undefined symbols
//! (`xtask/corpus/gsl-sources.txt`). Nothing is compiled here: `labrys exceptions -p target/corpus/gsl` builds what it needs.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail};
use serde_json::json;

use super::generate::sha256;

const PACKAGE: &str = "gsl";
const ARCHIVE: &str = "gsl_2.7.1+dfsg.orig.tar.gz";
const HASH: &str = "e560d6b9c6e254e46769bbb03583c00ecafbdd51b062c55db23b3b9612868567";

/// Where Debian's source packages are.
const MIRROR: &str = "http://deb.debian.org/debian bookworm main";

/// Debian's keys, where the package that has them is installed.
const KEYS: &str = "/usr/share/keyrings/debian-archive-keyring.gpg";

/// Where everything goes, in the folder of the workspace.
const FOLDER: &str = "target/corpus";

/// The sources of the database, one a line.
const SOURCES: &str = include_str!("../../corpus/gsl-sources.txt");

/// The folder of the configured sources.
pub fn folder(root: &Path) -> PathBuf {
    root.join(FOLDER).join(PACKAGE)
}

/// Fetches, checks, unpacks and configures, unless that was done before.
pub fn run(root: &Path) -> Result<bool> {
    let corpus = root.join(FOLDER);
    fs::create_dir_all(&corpus)?;
    // Paths in the database and in what is configured are absolute.
    let corpus = corpus.canonicalize()?;
    let (archive, folder) = (corpus.join(ARCHIVE), corpus.join(PACKAGE));
    if !archive.exists() {
        fetch(&corpus)?;
    }
    let hash = sha256(&fs::read(&archive)?);
    if hash != HASH {
        bail!("{} has SHA-256 {hash}, expected {HASH}", archive.display());
    }
    // The database is written last: where it is, the rest is, too.
    let database = folder.join("compile_commands.json");
    if !database.exists() {
        if folder.exists() {
            fs::remove_dir_all(&folder)?;
        }
        fs::create_dir_all(&folder)?;
        complete(Command::new("tar").arg("-xzf").arg(&archive).arg("--strip-components=1").arg("-C").arg(&folder))?;
        configure(&folder)?;
        write_database(&folder, &database)?;
    }
    println!("{} sources in {FOLDER}/{PACKAGE}/compile_commands.json", SOURCES.lines().count());
    Ok(true)
}

/// Has apt fetch the source package into folders of its own.
fn fetch(corpus: &Path) -> Result<()> {
    let apt = corpus.join("apt");
    for folder in ["lists/partial", "cache/archives/partial"] {
        fs::create_dir_all(apt.join(folder))?;
    }
    let options = if Path::new(KEYS).exists() { format!("[signed-by={KEYS}] ") } else { String::new() };
    let list = apt.join("sources.list");
    fs::write(&list, format!("deb-src {options}{MIRROR}\n"))?;
    let apt_get = |words: &[&str]| -> Result<()> {
        let mut command = Command::new("apt-get");
        command.current_dir(corpus).arg("-q").args(["-o", "Acquire::Retries=3", "-o", "APT::Sandbox::User=root"]);
        for (key, path) in [
            ("Dir::Etc::sourcelist", list.as_path()),
            ("Dir::Etc::sourceparts", Path::new("/dev/null")),
            ("Dir::State::lists", &apt.join("lists")),
            ("Dir::Cache", &apt.join("cache")),
        ] {
            command.arg("-o").arg(format!("{key}={}", path.display()));
        }
        complete(command.args(words))
            .with_context(|| format!("without Debian's apt, put {ARCHIVE} (SHA-256 {HASH}) into {}", corpus.display()))
    };
    apt_get(&["update"])?;
    apt_get(&["source", "--download-only", "--tar-only", "--only-source", PACKAGE])?;
    fs::remove_dir_all(&apt)?;
    Ok(())
}

/// Runs a command, its output shown only where it fails.
fn complete(command: &mut Command) -> Result<()> {
    let name = command.get_program().to_string_lossy().into_owned();
    let output = command.stdin(Stdio::null()).output().with_context(|| format!("cannot run {name}"))?;
    if !output.status.success() {
        let words = [output.stdout, output.stderr].concat();
        bail!("{name} failed ({}):\n{}", output.status, String::from_utf8_lossy(&words));
    }
    Ok(())
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
fn write_database(folder: &Path, database: &Path) -> Result<()> {
    let entry = |source: &str| {
        let own = source.split_once('/').map_or(".", |(own, _)| own);
        let arguments = ["clang-22", "-DHAVE_CONFIG_H", "-I.", &format!("-I{own}"), "-g", "-O2", "-c", source];
        json!({ "directory": folder, "file": source, "arguments": arguments })
    };
    let entries: Vec<_> = SOURCES.lines().map(entry).collect();
    let draft = database.with_extension("draft");
    fs::write(&draft, serde_json::to_vec_pretty(&entries)?)?;
    fs::rename(&draft, database)?;
    Ok(())
}
