//! The folders that a command makes before any work, to know that they can be written, and which an error leaves with nothing in them.
//!
//! **What goes.** Where a command ends with an error, the folders that were not there before it and are empty, or have nothing but a library run's file in
//! which nothing was kept ([`labrys_analysis::remove_unused_store`]). What was there, and what holds a result of any run, stays.

use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use labrys_report::{ReportError, probe_folder};

/// Those that this process made, each behind the one that it is in.
static MADE: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());

/// Tries to write into a folder, which is made where it is missing.
pub fn probe(folder: &Path) -> Result<(), ReportError> {
    let missing: Vec<PathBuf> = missing(folder);
    let probed = probe_folder(folder);
    let mut made = MADE.lock().unwrap_or_else(PoisonError::into_inner);
    made.extend(missing.into_iter().rev().filter(|of| of.is_dir()));
    probed
}

/// Removes the folders that this process made and nothing was written into.
pub fn remove_unused() {
    let made = std::mem::take(&mut *MADE.lock().unwrap_or_else(PoisonError::into_inner));
    for folder in made.iter().rev() {
        labrys_analysis::remove_unused_store(folder);
        // One that has anything in it stays: the system does not remove it.
        let _ = std::fs::remove_dir(folder);
    }
}

/// Removes those that are empty, where a run may still hold its file.
pub fn remove_empty() {
    let made = MADE.lock().unwrap_or_else(PoisonError::into_inner);
    made.iter().rev().for_each(|folder| drop(std::fs::remove_dir(folder)));
}

/// The folders of a path that are not there, the innermost first.
fn missing(folder: &Path) -> Vec<PathBuf> {
    let folder = std::path::absolute(folder).unwrap_or_else(|_| folder.to_owned());
    folder.ancestors().take_while(|of| of.symlink_metadata().is_err()).map(Path::to_owned).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_made_and_is_empty_goes() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let [inner, there, used] = ["a/b", "there", "used"].map(|name| folder.path().join(name));
        std::fs::create_dir(&there).expect("a folder");
        [&inner, &there, &used].into_iter().for_each(|of| probe(of).expect("it can be written"));
        std::fs::write(used.join("report.json"), "{}").expect("a file");
        remove_unused();
        assert!(!folder.path().join("a").exists());
        assert!(there.is_dir() && used.join("report.json").is_file());
    }
}
