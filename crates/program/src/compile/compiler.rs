use std::collections::HashMap;
use std::fs::File;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use super::{BuildError, Language, process};

/// A family of compilers that take the same flags.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum CompilerKind {
    /// clang, for C, C++ and LLVM IR.
    Clang,
    /// GCC: gcc, g++, gfortran.
    Gcc,
    /// LLVM's Fortran compiler.
    Flang,
    /// Rust's compiler.
    Rustc,
}

/// A compiler that was found and has said who it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Compiler {
    /// Its family, as its `--version` says.
    pub kind: CompilerKind,
    /// The file that is run.
    pub executable: PathBuf,
    /// How a user would call it: `clang-22`, `g++`, or the path as given.
    pub name: String,
    /// Name and version for reports: `clang 22.1.8`, `g++ 12.2.0`.
    pub version: String,
}

/// How long a compiler may take to say its version, in seconds: they take milliseconds, rustup's proxies half a second.
const VERSION_LIMIT: Duration = Duration::from_secs(10);

/// The answers to `--version` so far, by executable: a run asks each compiler once.
static VERSIONS: Mutex<Option<HashMap<PathBuf, String>>> = Mutex::new(None);

impl Compiler {
    /// Finds the compiler that `name` (a name to be looked up in `PATH`, or a path) means for a language.
    ///
    /// `clang` means clang-22, `gcc` for C++ means g++, and `gcc` or `clang` for Fortran mean gfortran and flang. The
    /// variables `LABRYS_CLANG`, `LABRYS_CLANGXX`, `LABRYS_GCC`, `LABRYS_GXX`, `LABRYS_GFORTRAN`, `LABRYS_FLANG` and
    /// `LABRYS_RUSTC` replace the executable that the plain name means.
    ///
    /// # Errors
    ///
    /// The compiler is missing, hangs, is unknown, or is of another language.
    pub fn find(name: &str, language: Language, deadline: Instant) -> Result<Self, BuildError> {
        let (executable, shown) = locate(name, language)
            .ok_or_else(|| BuildError::MissingCompiler { name: name.to_owned(), advice: advice(name, language) })?;
        let first_line = first_line_of_version(&executable, &shown, deadline)?;
        let (kind, number) = identify(&first_line)
            .ok_or_else(|| BuildError::UnknownCompiler { name: name.to_owned(), says: first_line.clone() })?;
        let family = match (kind, language) {
            (CompilerKind::Clang, Language::C | Language::Cpp | Language::Ir) => "clang",
            (CompilerKind::Gcc, Language::C) => "gcc",
            (CompilerKind::Gcc, Language::Cpp) => "g++",
            (CompilerKind::Gcc, Language::Fortran) => "gfortran",
            (CompilerKind::Flang, Language::Fortran) => "flang",
            (CompilerKind::Rustc, Language::Rust) => "rustc",
            _ => return Err(BuildError::WrongCompiler { name: name.to_owned(), language: language.name() }),
        };
        Ok(Compiler { kind, executable, name: shown, version: format!("{family} {number}") })
    }

    /// The file that [`Compiler::find`] would ask for its version, without running it; `None` where there is none.
    pub fn executable(name: &str, language: Language) -> Option<PathBuf> {
        locate(name, language).map(|(executable, _)| executable)
    }

    /// The flags for debug information: all that a file uses, of classes too whose constructors or virtual functions are defined in another
    /// file, which clang leaves to that one's.
    pub fn debug_flags(&self, language: Language) -> &'static [&'static str] {
        match (self.kind, language) {
            (CompilerKind::Clang, Language::Cpp) => &["-g", "-fstandalone-debug"],
            _ => &["-g"],
        }
    }

    /// rustc as it is chosen outside the current folder: there, rustup would run whatever a `rust-toolchain.toml` names.
    ///
    /// # Errors
    ///
    /// As [`Compiler::find`].
    pub(super) fn find_rustc_elsewhere(name: &str, deadline: Instant) -> Result<Self, BuildError> {
        let missing = || BuildError::MissingCompiler { name: name.to_owned(), advice: advice(name, Language::Rust) };
        let (proxy, shown) = locate(name, Language::Rust).ok_or_else(missing)?;
        let mut command = Command::new(proxy);
        command.args(["--print", "sysroot"]).current_dir("/");
        let finished = process::run(&mut command, &shown, deadline.min(Instant::now() + VERSION_LIMIT))?;
        let executable = Path::new(finished.stdout.trim()).join("bin/rustc");
        if !executable.is_absolute() || !is_executable(&executable) {
            return Err(missing());
        }
        let found = Compiler::find(&executable.display().to_string(), Language::Rust, deadline)?;
        Ok(Compiler { name: shown, ..found })
    }
}

/// The executable that a name means and how it is shown.
fn locate(name: &str, language: Language) -> Option<(PathBuf, String)> {
    if name.contains('/') {
        return is_executable(Path::new(name)).then(|| (PathBuf::from(name), name.to_owned()));
    }
    let candidates = candidates(name, language);
    if let Some(variable) = override_of(&candidates[0])
        && let Some(path) = std::env::var_os(variable).filter(|path| !path.is_empty())
    {
        let path = PathBuf::from(path);
        let shown = path.display().to_string();
        return if path.components().count() > 1 {
            is_executable(&path).then_some((path, shown))
        } else {
            search_path(&shown).map(|found| (found, shown))
        };
    }
    candidates.into_iter().find_map(|candidate| search_path(&candidate).map(|found| (found, candidate)))
}

/// The executables that a name without a slash may mean, best first; never empty.
fn candidates(name: &str, language: Language) -> Vec<String> {
    let (base, suffix) = match name.split_once('-') {
        Some((base, version)) => (base, format!("-{version}")),
        None => (name, String::new()),
    };
    let base = match (language, base) {
        (Language::Cpp, "clang") => "clang++",
        (Language::Cpp, "gcc") => "g++",
        (Language::Cpp, "cc") => "c++",
        (Language::Fortran, "clang") => "flang",
        (Language::Fortran, "gcc") => "gfortran",
        _ => base,
    };
    match base {
        // The version whose IR we read comes first.
        "clang" | "clang++" | "flang" if suffix.is_empty() => vec![format!("{base}-22"), base.to_owned()],
        _ => vec![format!("{base}{suffix}")],
    }
}

fn override_of(candidate: &str) -> Option<&'static str> {
    Some(match candidate {
        "clang-22" => "LABRYS_CLANG",
        "clang++-22" => "LABRYS_CLANGXX",
        "flang-22" => "LABRYS_FLANG",
        "gcc" => "LABRYS_GCC",
        "g++" => "LABRYS_GXX",
        "gfortran" => "LABRYS_GFORTRAN",
        "rustc" => "LABRYS_RUSTC",
        _ => return None,
    })
}

fn search_path(name: &str) -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    // A relative folder would be one of whatever tree labrys is called in.
    let folders = std::env::split_paths(&path).filter(|folder| folder.is_absolute());
    folders.map(|folder| folder.join(name)).find(|file| is_executable(file))
}

fn is_executable(path: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt;
    path.metadata().is_ok_and(|metadata| metadata.is_file() && metadata.permissions().mode() & 0o111 != 0)
}

fn advice(name: &str, language: Language) -> String {
    if name.contains('/') {
        return "no executable file has that path".to_owned();
    }
    let wanted = candidates(name, language).swap_remove(0);
    if let Some(variable) = override_of(&wanted)
        && let Some(value) = std::env::var_os(variable).filter(|value| !value.is_empty())
    {
        return format!("{variable} says {}, which is no executable file", value.display());
    }
    match wanted.split('-').next().unwrap_or("") {
        "rustc" => "get it with the installer at https://rustup.rs".to_owned(),
        "clang" | "clang++" => format!("apt-get install {}", wanted.replace("++", "")),
        "gcc" | "g++" | "gfortran" | "flang" => format!("apt-get install {wanted}"),
        "cc" | "c++" => "apt-get install gcc g++".to_owned(),
        _ => "no such executable in PATH".to_owned(),
    }
}

fn first_line_of_version(executable: &Path, name: &str, deadline: Instant) -> Result<String, BuildError> {
    // The lock is not held while the compiler runs: asking twice is harmless, waiting for a hanging one is not.
    let known = |line: Option<String>| {
        let mut versions = VERSIONS.lock().unwrap_or_else(PoisonError::into_inner);
        let versions = versions.get_or_insert_default();
        if let Some(line) = line {
            versions.insert(executable.to_owned(), line);
        }
        versions.get(executable).cloned()
    };
    if let Some(line) = known(None) {
        return Ok(line);
    }
    let limit = deadline.min(Instant::now() + VERSION_LIMIT);
    let finished = process::run(Command::new(executable).arg("--version"), name, limit)?;
    // A proxy such as rustup's says on its standard error why it cannot run the compiler.
    let mut lines = finished.stdout.lines().chain(finished.stderr.lines()).map(str::trim);
    let line = lines.find(|line| !line.is_empty()).unwrap_or("").to_owned();
    // What a compiler says goes to a file: one that says nothing may have had no room.
    if line.is_empty()
        && let Some(source) = tempfile::tempfile().and_then(|mut file| has_room(&mut file)).err()
    {
        return Err(BuildError::OutputFolder { path: std::env::temp_dir(), source });
    }
    if finished.status.success() {
        known(Some(line.clone()));
    }
    Ok(line)
}

/// Whether some bytes can be written to a file.
fn has_room(file: &mut File) -> std::io::Result<()> {
    file.write_all(&[0; 4096])
}

/// Family and version number, from the first line that `--version` prints.
fn identify(line: &str) -> Option<(CompilerKind, String)> {
    let after = |words: &str| {
        let rest = &line[line.find(words)? + words.len()..];
        let number: String = rest.chars().take_while(|c| c.is_ascii_digit() || *c == '.').collect();
        (!number.is_empty()).then_some(number)
    };
    if let Some(number) = after("flang version ").or_else(|| after("flang-new version ")) {
        return Some((CompilerKind::Flang, number));
    }
    if let Some(number) = after("clang version ") {
        return Some((CompilerKind::Clang, number));
    }
    if let Some(number) = after("rustc ") {
        return Some((CompilerKind::Rustc, number));
    }
    // "gcc (Debian 12.2.0-14+deb12u1) 12.2.0", "GNU Fortran (Debian ...) 12.2.0"; cc and c++ are the same.
    let first = line.split(' ').next()?;
    let gnu = line.starts_with("GNU Fortran") || first.contains("gcc") || first.contains("g++");
    if gnu || first == "cc" || first == "c++" {
        let rest = line.rsplit_once(") ").map_or(line, |(_, rest)| rest);
        let number = rest.split(' ').find(|word| word.starts_with(|c: char| c.is_ascii_digit()))?;
        return Some((CompilerKind::Gcc, number.to_owned()));
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    /// clang was said to be no compiler where its version found no room in TMPDIR.
    #[test]
    fn a_full_disk_is_no_strange_compiler() {
        let mut full = File::options().write(true).open("/dev/full").expect("it is there");
        let error = has_room(&mut full).expect_err("there is no room");
        assert_eq!(error.kind(), std::io::ErrorKind::StorageFull);
        assert!(has_room(&mut tempfile::tempfile().expect("a file")).is_ok());
    }

    #[test]
    fn version_lines_of_each_family() {
        for (line, kind, number) in [
            ("Debian clang version 22.1.8 (1~deb12u1)", CompilerKind::Clang, "22.1.8"),
            ("clang version 19.1.0", CompilerKind::Clang, "19.1.0"),
            ("Debian flang version 22.1.8 (1~deb12u1)", CompilerKind::Flang, "22.1.8"),
            ("gcc (Debian 12.2.0-14+deb12u1) 12.2.0", CompilerKind::Gcc, "12.2.0"),
            ("x86_64-linux-gnu-g++-13 (GCC) 13.1.1 20230714 (Red Hat 13.1.1-4)", CompilerKind::Gcc, "13.1.1"),
            ("GNU Fortran (Debian 12.2.0-14+deb12u1) 12.2.0", CompilerKind::Gcc, "12.2.0"),
            ("cc (Debian 12.2.0-14+deb12u1) 12.2.0", CompilerKind::Gcc, "12.2.0"),
            ("rustc 1.95.0 (59807616e 2026-04-14)", CompilerKind::Rustc, "1.95.0"),
        ] {
            assert_eq!(identify(line), Some((kind, number.to_owned())), "{line}");
        }
        assert_eq!(identify("ls (GNU coreutils) 9.1"), None);
        assert_eq!(identify(""), None);
    }

    #[test]
    fn names_mean_the_compiler_of_the_language() {
        assert_eq!(candidates("clang", Language::C), ["clang-22", "clang"]);
        assert_eq!(candidates("clang-19", Language::Cpp), ["clang++-19"]);
        assert_eq!(candidates("gcc", Language::Cpp), ["g++"]);
        assert_eq!(candidates("gcc", Language::Fortran), ["gfortran"]);
        assert_eq!(candidates("rustc", Language::Rust), ["rustc"]);
    }
}
