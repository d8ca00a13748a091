//! What stands between cargo and rustc: a script that adds the build's flags behind those that cargo gives, and writes down what cargo gave for
//! the crate itself.
//!
//! Cargo takes flags from one of several places and leaves the others out (`RUSTFLAGS` hides what `.cargo/config.toml` says). A wrapper leaves
//! all of that as the user has it. Build scripts and macros run at build time: they get no flags. Cargo does not know that a wrapper's flags
//! change what it makes, so that each list of flags has a target folder of its own.

use std::fs;
use std::io::Write;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use super::CrateError;

/// The file of the crate's words, each ended by a zero byte.
pub(super) const WORDS: &str = "labrys-words";

/// The flags of every build: bitcode beside machine code, and debug information.
const OWN_FLAGS: [&str; 6] = ["-C", "embed-bitcode=yes", "-C", "debuginfo=2", "-C", "strip=none"];

/// The script for a build with these flags in its target folder.
pub(super) fn write(folder: &Path, flags: &[String]) -> Result<PathBuf, CrateError> {
    let path = folder.join("labrys-rustc");
    let failed = |source| CrateError::File { path: path.clone(), source };
    fs::create_dir_all(folder).map_err(failed)?;
    let added = OWN_FLAGS.iter().map(|flag| (*flag).to_owned()).chain(flags.iter().cloned());
    let added: Vec<String> =
        added.map(|flag| shlex::try_quote(&flag).map_or_else(|_| flag.clone(), |flag| flag.into_owned())).collect();
    let words = folder.join(WORDS).display().to_string();
    let words = shlex::try_quote(&words).map_err(|error| failed(std::io::Error::other(error.to_string())))?;
    let text = format!(
        "#!/bin/sh\n\
         # Written by labrys: rustc as cargo calls it, with the flags of a build.\n\
         case \" $* \" in *\" --target \"*) ;; *) exec \"$@\" ;; esac\n\
         if [ -n \"$CARGO_PRIMARY_PACKAGE\" ]; then printf '%s\\0' \"$@\" > {words}; fi\n\
         exec \"$@\" {}\n",
        added.join(" ")
    );
    // Cargo asks the compiler again who it is when the script is newer.
    if fs::read_to_string(&path).is_ok_and(|known| known == text) {
        return Ok(path);
    }
    // Builds with the same flags may be made at once, and a script that is open for writing cannot be run.
    let mut draft = tempfile::NamedTempFile::new_in(folder).map_err(failed)?;
    draft.write_all(text.as_bytes()).map_err(failed)?;
    draft.as_file().set_permissions(fs::Permissions::from_mode(0o755)).map_err(failed)?;
    draft.persist(&path).map_err(|error| failed(error.error))?;
    Ok(path)
}
