use std::collections::HashMap;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use serde::Deserialize;

use super::vetting::{Author, Refusal, sorted};
use super::{BuildError, Language};

/// A `compile_commands.json`: how a project compiles each of its files.
#[derive(Clone, Debug)]
pub struct CompilationDatabase {
    path: PathBuf,
    entries: Vec<Entry>,
}

/// One entry, as clang's "JSON Compilation Database Format Specification" has it.
#[derive(Clone, Debug, Deserialize)]
struct Entry {
    directory: PathBuf,
    file: PathBuf,
    #[serde(default)]
    arguments: Option<Vec<String>>,
    #[serde(default)]
    command: Option<String>,
}

/// How a project compiles a file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ProjectFlags {
    /// The flags, without the file's name, the compiler's, and what the compiler writes. Paths among them are absolute.
    pub flags: Vec<String>,
    /// Remarks on flags that were left out because they reach beyond the compiler, or are not known not to.
    pub notes: Vec<String>,
}

/// Flags that name files or say what to produce: dropped with so many words after them.
const DROPPED: [(&str, usize); 22] = [
    ("-c", 0),
    ("-S", 0),
    ("-E", 0),
    ("-o", 1),
    ("-M", 0),
    ("-MM", 0),
    ("-MD", 0),
    ("-MMD", 0),
    ("-MP", 0),
    ("-MG", 0),
    ("-MV", 0),
    ("-MF", 1),
    ("-MT", 1),
    ("-MQ", 1),
    ("-MJ", 1),
    ("-pipe", 0),
    ("-Werror", 0),
    ("-fsyntax-only", 0),
    ("-save-temps", 0),
    ("-shared", 0),
    ("-Winvalid-pch", 0),
    ("--", 0),
];

/// Flags whose value is a path, which is relative to the entry's directory; the value may be joined or the next word.
const WITH_PATH: [&str; 10] =
    ["-isystem", "-iquote", "-idirafter", "-include", "-imacros", "-isysroot", "--sysroot=", "-I", "-L", "-F"];

/// What is to be done where there is no database.
const WANTED: &str = "-p takes the folder where a build left compile_commands.json, as CMake does with \
                      -DCMAKE_EXPORT_COMPILE_COMMANDS=ON, and `labrys cc` in the place of a compiler";

impl CompilationDatabase {
    /// Reads `compile_commands.json` in `folder` (or the file itself).
    ///
    /// # Errors
    ///
    /// [`BuildError::Database`]: it cannot be read or is not such a database.
    pub fn load(folder: &Path) -> Result<Self, BuildError> {
        let path = if folder.is_dir() { folder.join("compile_commands.json") } else { folder.to_owned() };
        let wrong = |reason: String| BuildError::Database { path: path.clone(), reason };
        let text = std::fs::read_to_string(&path).map_err(|error| match error.kind() {
            ErrorKind::NotFound if path == folder => wrong(format!("there is no such file or folder; {WANTED}")),
            ErrorKind::NotFound => wrong(format!("there is no such file; {WANTED}")),
            _ => wrong(error.to_string()),
        })?;
        let mut entries: Vec<Entry> = serde_json::from_str(text.trim_start_matches('\u{feff}'))
            .map_err(|error| wrong(format!("not a compilation database: {error}")))?;
        let base = path.parent().map(Path::to_owned).unwrap_or_default();
        for entry in &mut entries {
            entry.directory = base.join(&entry.directory);
        }
        Ok(CompilationDatabase { path, entries })
    }

    /// The files that the database compiles, in its order, each with what [`CompilationDatabase::flags_for`] gives.
    ///
    /// # Errors
    ///
    /// [`BuildError::Database`]: there is no entry, or one without a command.
    pub fn sources(&self) -> Result<Vec<(PathBuf, ProjectFlags)>, BuildError> {
        let mut places: HashMap<PathBuf, usize> = HashMap::new();
        let mut sources: Vec<(PathBuf, ProjectFlags)> = Vec::new();
        let mut others: Vec<usize> = Vec::new();
        for entry in &self.entries {
            let file = canonical(&entry.directory.join(&entry.file));
            match places.get(&file) {
                Some(&place) => {
                    others[place] += usize::from(self.differs(entry, &file, Modules::Made, &sources[place].1));
                }
                None => {
                    let flags = self.flags_of(entry, &file, Modules::Made)?;
                    places.insert(file.clone(), sources.len());
                    sources.push((file, flags));
                    others.push(0);
                }
            }
        }
        for ((file, flags), others) in sources.iter_mut().zip(others) {
            flags.notes.extend(self.note_of_others(file, others));
        }
        if sources.is_empty() {
            return Err(BuildError::Database { path: self.path.clone(), reason: "it has no entry".to_owned() });
        }
        Ok(sources)
    }

    /// The flags with which `file` is compiled. Where a file has several entries, the first counts. The compiler that the
    /// database names is never run: whose project it is, is for the user to know.
    ///
    /// # Errors
    ///
    /// [`BuildError::Database`]: there is no entry for the file, or one without a command.
    pub fn flags_for(&self, file: &Path) -> Result<ProjectFlags, BuildError> {
        let wrong = |reason: String| BuildError::Database { path: self.path.clone(), reason };
        let wanted = canonical(file);
        let mut of_file = self.entries.iter().filter(|entry| canonical(&entry.directory.join(&entry.file)) == wanted);
        let first = of_file.next().ok_or_else(|| wrong(format!("no entry for {}", file.display())))?;
        let mut flags = self.flags_of(first, &wanted, Modules::Found)?;
        let others = of_file.filter(|entry| self.differs(entry, &wanted, Modules::Found, &flags)).count();
        flags.notes.extend(self.note_of_others(&wanted, others));
        Ok(flags)
    }

    /// Whether a further entry compiles a file in another way than its first.
    fn differs(&self, entry: &Entry, file: &Path, modules: Modules, first: &ProjectFlags) -> bool {
        self.flags_of(entry, file, modules).map_or(true, |other| other.flags != first.flags)
    }

    fn note_of_others(&self, file: &Path, others: usize) -> Option<String> {
        let are_not = match others {
            0 => return None,
            1 => "another entry with other flags is".to_owned(),
            more => format!("{more} more entries with other flags are"),
        };
        Some(format!(
            "{} of {} is compiled as its first entry says; {are_not} not analysed",
            file.file_name().unwrap_or(file.as_os_str()).to_string_lossy(),
            self.path.display()
        ))
    }

    fn flags_of(&self, entry: &Entry, file: &Path, modules: Modules) -> Result<ProjectFlags, BuildError> {
        let wrong = |reason: String| BuildError::Database { path: self.path.clone(), reason };
        let words = match (&entry.arguments, &entry.command) {
            (Some(words), _) => words.clone(),
            (None, Some(command)) => shlex::split(command)
                .ok_or_else(|| wrong(format!("the command for {} has an open quotation mark", file.display())))?,
            (None, None) => return Err(wrong(format!("the entry for {} has no command", file.display()))),
        };
        let language = Language::of(file).unwrap_or(Language::C);
        let mut kept = kept_flags(&words, &entry.directory, file);
        if language == Language::Fortran {
            kept = with_modules(kept, modules, &entry.directory);
        }
        let (flags, refusals) = sorted(&kept, language, Author::Project);
        let shown = self.path.display();
        let note = |refusal: &Refusal| {
            let Refusal { flag, why } = refusal;
            format!("{flag} of {shown} is left out, for it {why}; flags after -- are taken as they are")
        };
        Ok(ProjectFlags { flags, notes: refusals.iter().map(note).collect() })
    }
}

/// Where the modules of a project in Fortran are.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Modules {
    /// In the folders that the project's own build writes them to: only one source is compiled.
    Found,
    /// In a folder of ours: all sources are compiled. The project's may be another compiler's.
    Made,
}

/// Fortran's flags without the folder that modules are written to. That is one to read them from where the project's are used, as is the folder
/// in which the project's compiler runs.
fn with_modules(words: Vec<String>, modules: Modules, directory: &Path) -> Vec<String> {
    let mut kept = Vec::new();
    let mut folders = Vec::new();
    let mut rest = words.into_iter();
    while let Some(word) = rest.next() {
        let joined = ["-module-dir=", "-module-dir", "-fmod=", "-J"].iter().find_map(|flag| word.strip_prefix(flag));
        match joined {
            Some("") => folders.extend(rest.next()),
            Some(folder) => folders.push(folder.to_owned()),
            None => kept.push(word),
        }
    }
    if modules == Modules::Found {
        folders.push(".".to_owned());
        let folders = folders.iter().map(|folder| directory.join(folder)).filter(|folder| has_modules(folder));
        kept.extend(folders.map(|folder| format!("-I{}", folder.display())));
    }
    kept
}

fn has_modules(folder: &Path) -> bool {
    let Ok(entries) = std::fs::read_dir(folder) else { return false };
    entries.flatten().any(|entry| entry.path().extension().is_some_and(|suffix| suffix == "mod"))
}

/// The path without symbolic links and dots; as it is where there is no such file.
fn canonical(path: &Path) -> PathBuf {
    path.canonicalize().or_else(|_| std::path::absolute(path)).unwrap_or_else(|_| path.to_owned())
}

fn kept_flags(words: &[String], directory: &Path, source: &Path) -> Vec<String> {
    // Launchers such as ccache stand before the compiler.
    let launchers = words.iter().take_while(|word| is_launcher(word)).count();
    let mut kept = Vec::new();
    let mut rest = words.iter().skip(launchers + 1);
    while let Some(word) = rest.next() {
        if let Some((_, arguments)) = DROPPED.iter().find(|(flag, _)| word == flag) {
            for _ in 0..*arguments {
                rest.next();
            }
        } else if word.starts_with("-MF") || word.starts_with("-save-temps=") || word.starts_with("-Werror=") {
            // Joined forms of the above.
        } else if !word.starts_with('-') {
            if canonical(&directory.join(word)) != source {
                kept.push(word.clone());
            }
        } else if let Some(flag) = WITH_PATH.iter().find(|flag| word.starts_with(**flag)) {
            let value = &word[flag.len()..];
            if value.is_empty() {
                kept.push(word.clone());
                kept.extend(rest.next().map(|path| directory.join(path).display().to_string()));
            } else {
                kept.push(format!("{flag}{}", directory.join(value).display()));
            }
        } else {
            kept.push(word.clone());
        }
    }
    kept
}

fn is_launcher(word: &str) -> bool {
    let name = Path::new(word).file_name().and_then(|name| name.to_str()).unwrap_or("");
    matches!(name, "ccache" | "sccache" | "distcc" | "icecc")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Nothing said that entries were left out, and a byte order mark made the whole no database.
    #[test]
    fn entries_that_are_left_out_are_told() {
        let folder = tempfile::tempdir().expect("a folder");
        let entry = |file: &str, flags: &str| {
            format!("{{\"directory\": \".\", \"file\": \"{file}\", \"command\": \"cc {flags} -c {file} -o {file}.o\"}}")
        };
        let entries =
            [entry("a.c", ""), entry("a.c", "-DX -O3"), entry("b.c", "-O1"), entry("b.c", "-O1 -c")].join(", ");
        std::fs::write(folder.path().join("compile_commands.json"), format!("\u{feff}[{entries}]")).expect("writable");
        let database = CompilationDatabase::load(folder.path()).expect("a database");
        let sources = database.sources().expect("sources");
        let notes: Vec<usize> = sources.iter().map(|(_, flags)| flags.notes.len()).collect();
        assert_eq!(notes, [1, 0]);
        assert!(sources[0].1.notes[0].ends_with("another entry with other flags is not analysed"), "{sources:?}");
        let of_file = database.flags_for(&folder.path().join("a.c")).expect("flags");
        assert_eq!(of_file.notes, sources[0].1.notes);
    }
}
