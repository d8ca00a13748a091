//! Where a script's answers go (SMT-LIB 2.6, section 4.1.7): the names of streams, or a file that is appended to.
//!
//! A script may be a stranger's, and answers can be made to say much: `(echo "…")`. So a script names only files that are not
//! there yet, in the current folder and below, whose names are those of texts and not of programs, settings or rules that
//! something else reads. `--trust` lifts this.

use std::fs::{File, OpenOptions};
use std::io::Write;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Component, Path, PathBuf};

/// Suffixes of files that nobody runs.
const TEXTS: [&str; 6] = ["txt", "out", "log", "err", "res", "smt2"];

/// Where text goes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Channel {
    /// Standard output.
    #[default]
    Stdout,
    /// Standard error.
    Stderr,
    /// A file.
    File(PathBuf),
}

impl Channel {
    /// Reads a channel's name as it is between quotation marks.
    pub fn named(name: &str) -> Channel {
        match name {
            "stdout" => Channel::Stdout,
            "stderr" => Channel::Stderr,
            path => Channel::File(PathBuf::from(path)),
        }
    }

    /// Its name.
    pub fn name(&self) -> String {
        match self {
            Channel::Stdout => "stdout".to_owned(),
            Channel::Stderr => "stderr".to_owned(),
            Channel::File(path) => path.display().to_string(),
        }
    }
}

/// The files that a script has opened.
#[derive(Debug, Default)]
pub struct Files {
    opened: Vec<(PathBuf, File)>,
}

impl Files {
    /// Opens a file for appending, unless that has been done.
    ///
    /// # Errors
    ///
    /// Why it is not opened, as the end of a sentence that begins with its name.
    pub fn open(&mut self, path: &Path, trusted: bool) -> Result<(), String> {
        if self.opened.iter().any(|(known, _)| known == path) {
            return Ok(());
        }
        let mut options = OpenOptions::new();
        options.append(true).create(true);
        if !trusted && path != Path::new("/dev/null") {
            permitted(path)?;
            options.create_new(true).custom_flags(libc::O_NOFOLLOW);
        }
        let file = options.open(path).map_err(|error| match error.kind() {
            std::io::ErrorKind::AlreadyExists => "is there already: only solve --trust appends to it".to_owned(),
            _ => format!("cannot be written: {error}"),
        })?;
        self.opened.push((path.to_owned(), file));
        Ok(())
    }

    /// Appends to a file that was opened.
    pub fn append(&mut self, path: &Path, text: &str) -> std::io::Result<()> {
        match self.opened.iter_mut().find(|(known, _)| known == path) {
            Some((_, file)) => file.write_all(text.as_bytes()),
            None => Ok(()),
        }
    }
}

/// Whether a script that nobody trusts may name this file.
fn permitted(path: &Path) -> Result<(), String> {
    let below = path.components().all(|part| match part {
        Component::CurDir => true,
        Component::Normal(name) => !name.as_encoded_bytes().starts_with(b"."),
        _ => false,
    });
    if !below {
        return Err("is hidden or not below the current folder: only solve --trust writes there".to_owned());
    }
    let suffix = path.extension().and_then(|suffix| suffix.to_str()).unwrap_or_default();
    if !TEXTS.contains(&suffix) {
        return Err(format!("does not end in .{}: only solve --trust writes others", TEXTS.join(", .")));
    }
    // A symbolic link may lead anywhere.
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let inside = folder.canonicalize().and_then(|folder| Ok(folder.starts_with(Path::new(".").canonicalize()?)));
    match inside {
        Ok(true) => Ok(()),
        Ok(false) => Err("is not below the current folder: only solve --trust writes there".to_owned()),
        Err(error) => Err(format!("cannot be written: {error}")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strangers_write_new_texts_below_the_current_folder_only() {
        for wrong in [
            "/etc/passwd",
            "../x.txt",
            "a/../../x.txt",
            ".x.txt",
            ".git/x.txt",
            "Makefile",
            "x.sh",
            "x.py",
            "",
            "x",
            "no/such/x.txt",
        ] {
            assert!(Files::default().open(Path::new(wrong), false).is_err(), "{wrong}");
        }
        assert!(Files::default().open(Path::new("/dev/null"), false).is_ok());
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("x");
        assert!(Files::default().open(&file, false).is_err());
        let mut files = Files::default();
        files.open(&file, true).and_then(|()| files.open(&file, false)).expect("opened once");
        files.append(&file, "a\n").and_then(|()| files.append(&file, "b\n")).expect("written");
        assert_eq!(std::fs::read_to_string(&file).expect("a file"), "a\nb\n");
    }
}
