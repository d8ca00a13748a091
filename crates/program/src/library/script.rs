//! The commands that built a library, for a shell.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Instant;

use super::build::LibraryBuild;
use crate::BuildError;
use crate::compile::{command_for_linking, command_for_object};

/// A script that builds a library as labrys did, wherever it is run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LibraryScript {
    /// Its text, for `sh`; it takes the shared object's name.
    pub text: String,
    /// The project's own files that it reads, so that the library is made again when one changes.
    pub files: Vec<PathBuf>,
}

/// Folders of systems' headers, which nobody mends.
const SYSTEM: [&str; 2] = ["/usr", "/opt"];

impl LibraryBuild {
    /// How it was built, by the project's flags and those that were asked for: each source in its turn, into a folder that vanishes.
    ///
    /// # Errors
    ///
    /// A compiler is gone.
    pub fn script(&self, deadline: Instant) -> Result<LibraryScript, BuildError> {
        let here = std::env::current_dir().unwrap_or_default();
        let mut text = format!(
            "#!/bin/sh\n# Made by labrys: builds a library as it was built when it was analysed. To run it: sh FILE SHARED_OBJECT\n\
             set -e\n\
             case $1 in\n/*) library=$1 ;;\n*) library=$PWD/$1 ;;\nesac\n\
             made=$(mktemp -d)\ntrap 'rm -rf \"$made\"' EXIT\n\
             mkdir \"$made\"/gnu\ncd {}\n",
            quoted(&here.display().to_string())
        );
        // Modules of Fortran are made before they are used.
        let mut units: Vec<_> = self.units.iter().collect();
        units.sort_by_key(|unit| unit.wave);
        let folder = units.first().map(|unit| unit.folder.clone()).unwrap_or_default();
        for unit in units {
            let command = command_for_object(&unit.spec, &unit.source, &unit.folder, deadline)?;
            let _ = writeln!(text, "{}", line(&command, &folder));
        }
        let objects: Vec<PathBuf> = self.units.iter().map(|unit| unit.object.clone()).collect();
        let (spec, languages) = &self.linking;
        let command = command_for_linking(spec, languages, &objects, deadline)?;
        let _ = writeln!(text, "{} -o \"$library\"", line(&command, &folder));
        let read = self.units.iter().flat_map(|unit| &unit.read);
        let own = read.filter(|file| !SYSTEM.iter().any(|system| file.starts_with(system)));
        // What labrys made on the way is made again.
        let own: BTreeSet<&PathBuf> = own.filter(|file| !file.starts_with(&folder)).collect();
        Ok(LibraryScript { text, files: own.into_iter().map(|file| here.join(file)).collect() })
    }
}

/// A command as a line for a shell, with the script's folder in the place of `folder`.
fn line(command: &Command, folder: &Path) -> String {
    let words = std::iter::once(command.get_program()).chain(command.get_args());
    let words: Vec<String> = words.map(|word| moved(&word.to_string_lossy(), folder)).collect();
    let words = words.join(" ");
    match command.get_current_dir() {
        Some(within) => format!("(cd {} && {words})", moved(&within.to_string_lossy(), folder)),
        None => words,
    }
}

/// A word with the script's folder in the place of another.
fn moved(word: &str, folder: &Path) -> String {
    let folder = folder.display().to_string();
    if folder.is_empty() {
        return quoted(word);
    }
    let parts: Vec<String> =
        word.split(&folder).map(|part| if part.is_empty() { String::new() } else { quoted(part) }).collect();
    if parts.len() > 1 { parts.join("\"$made\"") } else { quoted(word) }
}

/// A word for a shell; as it is where that cannot be.
fn quoted(word: &str) -> String {
    shlex::try_quote(word).map_or_else(|_| word.to_owned(), |quoted| quoted.into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_made_in_a_folder_is_made_in_the_scripts() {
        let folder = Path::new("/tmp/x y/units");
        assert_eq!(moved("/tmp/x y/units/a.o", folder), "\"$made\"/a.o");
        assert_eq!(moved("/tmp/x y/units", folder), "\"$made\"");
        assert_eq!(moved("-DA='b c'", folder), quoted("-DA='b c'"));
        let mut command = Command::new("flang");
        command.args(["-module-dir", "/tmp/x y/units", "/src/it's.f90"]).current_dir("/tmp/x y/units");
        assert_eq!(line(&command, folder), "(cd \"$made\" && flang -module-dir \"$made\" \"/src/it's.f90\")");
    }
}
