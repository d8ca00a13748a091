//! Files and folders that every analysis starts from.

use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use crate::AnalysisError;

/// The temporary folders of this process.
static FOLDERS: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());

/// Removes the temporary folders of all analyses: for a process that ends in the midst of them.
pub fn remove_temporary_folders() {
    remove_all(&mut FOLDERS.lock().unwrap_or_else(PoisonError::into_inner));
}

fn remove_all(folders: &mut Vec<PathBuf>) {
    for folder in folders.drain(..) {
        // It is gone where its analysis has ended.
        let _ = std::fs::remove_dir_all(folder);
    }
}

/// Makes sure that a file is there to be read.
///
/// # Errors
///
/// [`AnalysisError::Unreadable`], with the reason.
pub fn must_be_readable(file: &Path) -> Result<(), AnalysisError> {
    let reason = match std::fs::metadata(file) {
        Ok(of) if of.is_file() => return Ok(()),
        Ok(_) => "not a file".to_owned(),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => "no such file".to_owned(),
        Err(error) => error.to_string(),
    };
    Err(AnalysisError::Unreadable { path: file.to_owned(), reason })
}

/// A folder for builds and drivers, gone when it is dropped.
///
/// # Errors
///
/// Where the system's folder for temporary files cannot be written.
pub fn temporary_folder() -> Result<tempfile::TempDir, AnalysisError> {
    let folder = tempfile::Builder::new().prefix("labrys-").tempdir().map_err(|error| {
        // The system's words without the name that was tried, which says nothing to the user.
        let words = error.to_string();
        let words = words.split(" at path ").next().unwrap_or_default();
        AnalysisError::Usage(format!("cannot make a temporary folder in {}: {words}", std::env::temp_dir().display()))
    })?;
    FOLDERS.lock().unwrap_or_else(PoisonError::into_inner).push(folder.path().to_owned());
    Ok(folder)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The second Ctrl-C ends the program at once, and left its folder.
    #[test]
    fn folders_can_be_removed_before_their_analyses_end() {
        let folder = temporary_folder().expect("a folder");
        let path = folder.path().to_owned();
        std::fs::write(path.join("f.o"), "").expect("a file");
        assert!(FOLDERS.lock().is_ok_and(|folders| folders.contains(&path)));
        // Not those of tests beside this one.
        remove_all(&mut vec![path.clone(), path.join("gone")]);
        assert!(!path.exists());
    }
}
