//! Files and folders that every analysis starts from.

use std::path::Path;

use labrys_program::TemporaryFolder;

use crate::AnalysisError;

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
pub fn temporary_folder() -> Result<TemporaryFolder, AnalysisError> {
    TemporaryFolder::new().map_err(|error| {
        // The system's words without the name that was tried, which says nothing to the user.
        let words = error.to_string();
        let words = words.split(" at path ").next().unwrap_or_default();
        AnalysisError::Usage(format!("cannot make a temporary folder in {}: {words}", std::env::temp_dir().display()))
    })
}
