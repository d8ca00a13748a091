//! Files that are written whole or not at all.
//!
//! The text goes to a temporary file in the same folder, is synced, and is then renamed over the name, which is atomic on
//! a POSIX file system: a reader sees the old file or the new one, never a part. After a crash at most a temporary file
//! (its name begins with a dot) is left over.

use std::io::Write;
use std::path::Path;

use crate::ReportError;

fn try_write(path: &Path, contents: &[u8]) -> std::io::Result<()> {
    let folder = match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    };
    let mut file = tempfile::Builder::new().prefix(".labrys-").permissions(permissions()).tempfile_in(folder)?;
    file.write_all(contents)?;
    file.as_file().sync_all()?;
    file.persist(path).map_err(|error| error.error)?;
    // The rename itself is durable once the folder is synced; some file systems refuse that, and the file is whole anyway.
    if let Ok(folder) = std::fs::File::open(folder) {
        let _ = folder.sync_all();
    }
    Ok(())
}

/// What an ordinary file gets; the process' umask applies.
fn permissions() -> std::fs::Permissions {
    use std::os::unix::fs::PermissionsExt;
    std::fs::Permissions::from_mode(0o666)
}

/// Writes a file whole or not at all; an existing one is replaced.
pub fn write_whole(path: &Path, contents: &[u8]) -> Result<(), ReportError> {
    try_write(path, contents).map_err(|source| ReportError::Write { path: path.to_owned(), source })
}

/// Makes the folder where it is missing and tries to write into it, so that an unwritable one is known before any work.
pub fn probe_folder(folder: &Path) -> Result<(), ReportError> {
    let probe = || {
        make_folder(folder)?;
        tempfile::Builder::new().prefix(".labrys-").tempfile_in(folder)?.write_all(b"labrys")
    };
    probe().map_err(|source| ReportError::Write { path: folder.to_owned(), source })
}

/// Makes a folder and those it is in. A file in its place is said to be one: the system's words for that are "File exists".
fn make_folder(folder: &Path) -> std::io::Result<()> {
    let made = std::fs::create_dir_all(folder);
    let in_the_way = || folder.ancestors().find(|part| part.exists()).filter(|part| !part.is_dir());
    match in_the_way() {
        Some(file) if made.is_err() => Err(std::io::Error::other(format!("{} is a file", file.display()))),
        _ => made,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_existing_file_is_replaced_and_nothing_is_left_over() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let path = folder.path().join("report.json");
        write_whole(&path, b"first, and longer").expect("writable");
        write_whole(&path, b"second").expect("writable");
        assert_eq!(std::fs::read(&path).expect("readable"), b"second");
        assert_eq!(std::fs::read_dir(folder.path()).expect("readable").count(), 1);
    }

    #[test]
    fn a_failed_write_leaves_the_old_file() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let path = folder.path().join("taken");
        std::fs::create_dir(&path).expect("writable");
        assert!(matches!(write_whole(&path, b"text"), Err(ReportError::Write { .. })));
        assert_eq!(std::fs::read_dir(folder.path()).expect("readable").count(), 1);
        assert!(write_whole(&folder.path().join("no/such/folder"), b"text").is_err());
    }

    #[test]
    fn a_folder_is_probed_before_work() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        probe_folder(&folder.path().join("a/b")).expect("made");
        std::fs::write(folder.path().join("file"), "").expect("writable");
        for taken in ["file", "file/below"] {
            let refused = probe_folder(&folder.path().join(taken));
            assert!(refused.is_err_and(|error| error.to_string().ends_with("file is a file")));
        }
    }
}
