//! Debian's source packages.
//!
//! apt fetches them into folders of its own, so that the system's lists and sources stay as they are; the archive of the sources must
//! be the pinned one.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail};

use super::generate::sha256;

/// Where Debian's source packages are.
const MIRROR: &str = "http://deb.debian.org/debian bookworm main";

/// Debian's keys, where the package that has them is installed.
const KEYS: &str = "/usr/share/keyrings/debian-archive-keyring.gpg";

/// Where everything goes, in the folder of the workspace.
pub const FOLDER: &str = "target/corpus";

/// A package's upstream sources.
pub struct SourcePackage {
    /// Debian's name, and that of the folder of its sources.
    pub name: &'static str,
    /// The file that apt fetches.
    pub archive: &'static str,
    /// Its SHA-256 in hexadecimal.
    pub hash: &'static str,
}

impl SourcePackage {
    /// The folder of the unpacked sources.
    pub fn folder(&self, root: &Path) -> PathBuf {
        root.join(FOLDER).join(self.name)
    }

    /// Fetches the archive if it is not there, checks it, and unpacks it anew unless the folder has the file `complete`, which a caller
    /// writes last. Returns the folder, as an absolute path, and a lock that keeps other runs out until it is dropped: hold it
    /// until that file is written.
    pub fn unpack(&self, root: &Path, complete_file: &Path) -> Result<(PathBuf, File)> {
        let corpus = root.join(FOLDER);
        fs::create_dir_all(&corpus)?;
        let corpus = corpus.canonicalize()?;
        let lock = File::create(corpus.join("lock"))?;
        lock.lock().with_context(|| format!("cannot lock {}/lock", corpus.display()))?;
        let (archive, folder) = (corpus.join(self.archive), corpus.join(self.name));
        if !archive.exists() {
            self.fetch(&corpus)?;
        }
        let hash = sha256(&fs::read(&archive)?);
        if hash != self.hash {
            bail!("{} has SHA-256 {hash}, expected {}", archive.display(), self.hash);
        }
        if folder.join(complete_file).exists() {
            return Ok((folder, lock));
        }
        if folder.exists() {
            fs::remove_dir_all(&folder)?;
        }
        fs::create_dir_all(&folder)?;
        complete(Command::new("tar").arg("-xzf").arg(&archive).arg("--strip-components=1").arg("-C").arg(&folder))?;
        Ok((folder, lock))
    }

    /// Has apt fetch the source package into folders of its own.
    fn fetch(&self, corpus: &Path) -> Result<()> {
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
            complete(command.args(words)).with_context(|| {
                format!("without Debian's apt, put {} (SHA-256 {}) into {}", self.archive, self.hash, corpus.display())
            })
        };
        apt_get(&["update"])?;
        apt_get(&["source", "--download-only", "--tar-only", "--only-source", self.name])?;
        fs::remove_dir_all(&apt)?;
        Ok(())
    }
}

/// Runs a command, its output shown only where it fails.
pub fn complete(command: &mut Command) -> Result<()> {
    let name = command.get_program().to_string_lossy().into_owned();
    let output = command.stdin(Stdio::null()).output().with_context(|| format!("cannot run {name}"))?;
    if !output.status.success() {
        let words = [output.stdout, output.stderr].concat();
        bail!("{name} failed ({}):\n{}", output.status, String::from_utf8_lossy(&words));
    }
    Ok(())
}
