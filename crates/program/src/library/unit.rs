//! One source of a library: its object and bitcode, made again only where something they depend on has changed.
//!
//! A *stamp* beside them says what they were made from: the compiler and its words, and each file that the preprocessor
//! read, with its SHA-256. It is removed before the first product is touched and written, by a rename, after the last, so
//! that a process killed in between leaves no stamp and the products are made again.

use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::Instant;

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::fortran_modules::Modules;
use crate::compile::emit_object;
use crate::{BuildError, BuildSpec, Language, emit_ir};

/// A source and where its products are.
#[derive(Clone, Debug)]
pub(super) struct Unit {
    /// The source.
    pub(super) source: PathBuf,
    /// Its language.
    pub(super) language: Language,
    /// What tells it from the others in names: its file name, with as many folders as that takes.
    pub(super) label: String,
    /// How it is compiled. The role names its products.
    pub(super) spec: BuildSpec,
    /// The folder of its products, and of the modules that it defines and uses.
    pub(super) folder: PathBuf,
    /// What it has to do with Fortran's modules.
    pub(super) modules: Modules,
    /// It is compiled after all units of smaller waves.
    pub(super) wave: usize,
}

/// A compiled unit.
#[derive(Clone, Debug)]
pub(super) struct Compiled {
    pub(super) unit: Unit,
    pub(super) object: PathBuf,
    pub(super) bitcode: PathBuf,
    /// What the compilers had to say about flags.
    pub(super) notes: Vec<String>,
    /// The files that it was made from.
    pub(super) read: Vec<PathBuf>,
    /// The SHA-256 of the stamp, in hexadecimal.
    pub(super) identity: String,
    /// Whether it was compiled now, rather than found as it was.
    pub(super) is_new: bool,
}

/// What products were made from.
#[derive(Debug, PartialEq, Serialize, Deserialize)]
struct Stamp {
    /// Compiler and words.
    command: String,
    /// The files that were read, with their SHA-256 in hexadecimal.
    files: Vec<(PathBuf, String)>,
    notes: Vec<String>,
}

/// The SHA-256 of files, each read once.
#[derive(Debug, Default)]
pub(super) struct FileHashes(Mutex<HashMap<PathBuf, Option<String>>>);

impl FileHashes {
    /// In hexadecimal; `None` where the file cannot be read.
    fn of(&self, path: &Path) -> Option<String> {
        let known = |new: Option<Option<String>>| {
            let mut hashes = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            match new {
                Some(hash) => Some(hashes.entry(path.to_owned()).or_insert(hash).clone()),
                None => hashes.get(path).cloned(),
            }
        };
        // Two threads may read the same file at once; that is cheaper than waiting for each other.
        known(None).or_else(|| known(Some(fs::read(path).ok().map(|bytes| hex(&bytes))))).flatten()
    }
}

/// The SHA-256 of bytes in hexadecimal.
pub(super) fn hex(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect()
}

impl Unit {
    /// Compiles the source, unless nothing has changed since that was done last.
    ///
    /// # Errors
    ///
    /// As [`crate::build_shared`].
    pub(super) fn compile(&self, hashes: &FileHashes, deadline: Instant) -> Result<Compiled, BuildError> {
        let compiler = self.spec.find_compiler(self.language, deadline)?;
        let command = format!("{}\n{}", compiler.version, self.spec.user_flags().join("\n"));
        let product = |suffix: &str| self.folder.join(format!("{}.{suffix}", self.spec.role));
        let (object, bitcode, stamp_path) = (product("o"), product("bc"), product("stamp"));
        if let Some(stamp) = read_stamp(&stamp_path).filter(|stamp| stamp.command == command && stamp.holds(hashes))
            && object.exists()
            && bitcode.exists()
            && self.modules.files_written(&self.folder).iter().all(|file| file.exists())
        {
            return Ok(self.compiled(object, bitcode, &stamp, false));
        }
        let _ = fs::remove_file(&stamp_path);
        let made = emit_object(&self.spec, &self.source, &self.folder, deadline)?;
        let (bitcode, notes) = emit_ir(&self.spec, &self.source, &self.folder, deadline)?;
        let rules = fs::read_to_string(&made.dependencies).unwrap_or_default();
        let mut read = prerequisites(&rules);
        if read.is_empty() {
            read.push(self.source.clone());
            read.extend(self.modules.files_read(&self.source, &self.folder));
        }
        let files = read.into_iter().filter_map(|path| hashes.of(&path).map(|hash| (path, hash))).collect();
        let stamp = Stamp { command, files, notes };
        let unwritable = |source| BuildError::OutputFolder { path: stamp_path.clone(), source };
        write_whole(&stamp_path, &serde_json::to_vec(&stamp).unwrap_or_default()).map_err(unwritable)?;
        Ok(self.compiled(made.path, bitcode, &stamp, true))
    }

    fn compiled(&self, object: PathBuf, bitcode: PathBuf, stamp: &Stamp, is_new: bool) -> Compiled {
        let identity = hex(&serde_json::to_vec(stamp).unwrap_or_default());
        let read = stamp.files.iter().map(|(path, _)| path.clone()).collect();
        Compiled { unit: self.clone(), object, bitcode, notes: stamp.notes.clone(), read, identity, is_new }
    }
}

impl Stamp {
    /// Whether all files are as they were.
    fn holds(&self, hashes: &FileHashes) -> bool {
        self.files.iter().all(|(path, hash)| hashes.of(path).as_ref() == Some(hash))
    }
}

fn read_stamp(path: &Path) -> Option<Stamp> {
    serde_json::from_slice(&fs::read(path).ok()?).ok()
}

/// Writes a file so that whoever reads it, at any time, finds all of it or nothing.
pub(super) fn write_whole(path: &Path, bytes: &[u8]) -> std::io::Result<()> {
    let mut draft = path.as_os_str().to_owned();
    draft.push(".draft");
    fs::write(&draft, bytes)?;
    fs::rename(&draft, path)
}

/// The files behind the colon of make rules, as compilers write them with `-MD`: words between blanks, which a backslash
/// escapes as it does `#`; `$$` is a dollar sign; a backslash ends a line that goes on.
fn prerequisites(rules: &str) -> Vec<PathBuf> {
    let Some((_, list)) = rules.split_once(": ").or_else(|| rules.split_once(":\\\n")) else { return Vec::new() };
    let mut words = vec![String::new()];
    let mut rest = list.chars().peekable();
    while let Some(c) = rest.next() {
        match c {
            '\\' if matches!(rest.peek(), Some(' ' | '#' | '\\')) => {
                words.last_mut().into_iter().for_each(|word| word.extend(rest.next()))
            }
            '\\' if matches!(rest.peek(), Some('\n' | '\r')) => words.push(String::new()),
            '$' if rest.peek() == Some(&'$') => words.last_mut().into_iter().for_each(|word| word.extend(rest.next())),
            c if c.is_whitespace() => words.push(String::new()),
            c => words.last_mut().into_iter().for_each(|word| word.push(c)),
        }
    }
    words.into_iter().filter(|word| !word.is_empty()).map(PathBuf::from).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prerequisites_of_make_rules() {
        let rules = "out/a.o: /src/a.c /src/my\\ header.h \\\n  /src/b$$c.h \\\n /src/\\#d.h\n";
        let expected = ["/src/a.c", "/src/my header.h", "/src/b$c.h", "/src/#d.h"];
        assert_eq!(prerequisites(rules), expected.map(PathBuf::from));
        assert!(prerequisites("").is_empty());
    }
}
