//! Temporary folders that do not outlive their program for long, however it ends.
//!
//! A program that is killed removes nothing. So each folder has a file that is locked as long as its program lives, and the next program
//! removes those that nobody holds. Whoever finds a folder without the file leaves it alone: it may be about to get one, or be somebody else's.

use std::fs::File;
use std::io::Error;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, Once, PoisonError};

use tempfile::TempDir;

/// How the folders' names begin.
const PREFIX: &str = "labrys-";

/// The file that is locked.
const IN_USE: &str = ".in-use";

/// The folders of this process.
static FOLDERS: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());

/// A folder for files of one analysis, gone when it is dropped.
#[derive(Debug)]
pub struct TemporaryFolder {
    folder: TempDir,
    _in_use: File,
}

impl TemporaryFolder {
    /// A new, empty folder in the system's for temporary files. The first one of a process removes what killed processes left there.
    ///
    /// # Errors
    ///
    /// Where the system's folder cannot be written.
    pub fn new() -> Result<TemporaryFolder, Error> {
        static SWEEP: Once = Once::new();
        SWEEP.call_once(|| remove_abandoned(&std::env::temp_dir()));
        TemporaryFolder::new_in(&std::env::temp_dir())
    }

    /// A new, empty folder in another one.
    ///
    /// # Errors
    ///
    /// Where that cannot be written.
    pub(crate) fn new_in(parent: &Path) -> Result<TemporaryFolder, Error> {
        let folder = tempfile::Builder::new().prefix(PREFIX).tempdir_in(parent)?;
        // Locked before it has its name, so that no file of this name is ever seen unlocked.
        let draft = folder.path().join(".draft");
        let file = File::create_new(&draft)?;
        file.lock()?;
        std::fs::rename(&draft, folder.path().join(IN_USE))?;
        FOLDERS.lock().unwrap_or_else(PoisonError::into_inner).push(folder.path().to_owned());
        Ok(TemporaryFolder { folder, _in_use: file })
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        self.folder.path()
    }
}

impl Drop for TemporaryFolder {
    fn drop(&mut self) {
        FOLDERS.lock().unwrap_or_else(PoisonError::into_inner).retain(|folder| folder != self.folder.path());
    }
}

/// Removes all temporary folders of this process: for one that ends in the midst of what it does.
pub fn remove_temporary_folders() {
    remove_all(&mut FOLDERS.lock().unwrap_or_else(PoisonError::into_inner));
}

fn remove_all(folders: &mut Vec<PathBuf>) {
    for folder in folders.drain(..) {
        // It may have gone of itself meanwhile.
        let _ = std::fs::remove_dir_all(folder);
    }
}

/// Removes the folders in `parent` whose processes have ended. What cannot be read, locked or removed stays: it hinders nobody.
pub(crate) fn remove_abandoned(parent: &Path) {
    let Ok(entries) = std::fs::read_dir(parent) else { return };
    for entry in entries.flatten() {
        let is_ours = entry.file_name().to_str().is_some_and(|name| name.starts_with(PREFIX))
            && entry.file_type().is_ok_and(|of| of.is_dir());
        if !is_ours {
            continue;
        }
        let path = entry.path();
        let in_use = File::options().write(true).open(path.join(IN_USE));
        if in_use.is_ok_and(|file| file.try_lock().is_ok()) {
            let _ = std::fs::remove_dir_all(&path);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_folders_that_nobody_holds_are_removed() {
        let parent = tempfile::tempdir().expect("a folder");
        let held = TemporaryFolder::new_in(parent.path()).expect("a folder");
        let abandoned = parent.path().join("labrys-abandoned");
        let unmarked = parent.path().join("labrys-unmarked");
        let foreign = parent.path().join("somebody-elses");
        for folder in [&abandoned, &unmarked, &foreign] {
            std::fs::create_dir(folder).expect("a folder");
        }
        for folder in [&abandoned, &foreign] {
            std::fs::write(folder.join(IN_USE), "").expect("a file");
        }
        std::fs::write(abandoned.join("f.o"), "").expect("a file");
        remove_abandoned(parent.path());
        assert!(held.path().exists() && unmarked.exists() && foreign.exists());
        assert!(!abandoned.exists());
        let path = held.path().to_owned();
        drop(held);
        assert!(!path.exists());
    }

    /// The second Ctrl-C ends the program at once, and left its folders.
    #[test]
    fn folders_can_be_removed_before_their_use_ends() {
        let parent = tempfile::tempdir().expect("a folder");
        let folder = TemporaryFolder::new_in(parent.path()).expect("a folder");
        let path = folder.path().to_owned();
        std::fs::write(path.join("f.o"), "").expect("a file");
        let is_known = || FOLDERS.lock().is_ok_and(|folders| folders.contains(&path));
        assert!(is_known());
        // Not those of tests beside this one.
        remove_all(&mut vec![path.clone(), path.join("gone")]);
        assert!(!path.exists());
        drop(folder);
        assert!(!is_known());
    }
}
