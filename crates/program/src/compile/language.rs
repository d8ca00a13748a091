use std::path::Path;

use super::BuildError;

/// What a file is written in, by its suffix.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Language {
    /// C: `.c`.
    C,
    /// C++: `.cc`, `.cpp`, `.cxx`, `.c++`, `.C`.
    Cpp,
    /// Fortran: `.f`, `.for`, `.f90`, `.f95`, `.f03`, `.f08`, and these in upper case.
    Fortran,
    /// Rust: `.rs`.
    Rust,
    /// LLVM's intermediate representation: `.ll`, `.bc`.
    Ir,
    /// A shared object: `.so`, also with a version behind it.
    SharedObject,
}

impl Language {
    /// The language of a file, by its name alone.
    ///
    /// # Errors
    ///
    /// [`BuildError::UnknownLanguage`].
    ///
    /// ```
    /// use labrys_program::Language;
    /// assert_eq!(Language::of("a/turbine1.c".as_ref()).unwrap(), Language::C);
    /// assert_eq!(Language::of("hyp.F90".as_ref()).unwrap(), Language::Fortran);
    /// assert!(Language::of("notes.txt".as_ref()).is_err());
    /// ```
    pub fn of(path: &Path) -> Result<Self, BuildError> {
        let name = path.file_name().and_then(|name| name.to_str()).unwrap_or("");
        let suffix = path.extension().and_then(|suffix| suffix.to_str()).unwrap_or("");
        match suffix {
            "c" => Ok(Language::C),
            "cc" | "cpp" | "cxx" | "c++" | "C" => Ok(Language::Cpp),
            "rs" => Ok(Language::Rust),
            "ll" | "bc" => Ok(Language::Ir),
            "so" => Ok(Language::SharedObject),
            _ if name.contains(".so.") => Ok(Language::SharedObject),
            _ if ["f", "for", "f90", "f95", "f03", "f08"].contains(&suffix.to_ascii_lowercase().as_str()) => {
                Ok(Language::Fortran)
            }
            _ => Err(BuildError::UnknownLanguage { path: path.to_owned() }),
        }
    }

    /// Its name, for messages.
    pub fn name(self) -> &'static str {
        match self {
            Language::C => "C",
            Language::Cpp => "C++",
            Language::Fortran => "Fortran",
            Language::Rust => "Rust",
            Language::Ir => "LLVM IR",
            Language::SharedObject => "shared objects",
        }
    }

    /// The compiler that is used where the user names none.
    pub fn default_compiler(self) -> &'static str {
        match self {
            Language::C | Language::Cpp | Language::Ir | Language::SharedObject => "clang",
            Language::Fortran => "flang",
            Language::Rust => "rustc",
        }
    }

    /// The flags of the baseline where the user gives none.
    pub fn default_baseline(self) -> &'static str {
        match self {
            Language::Rust => "-C opt-level=0",
            Language::Ir | Language::SharedObject => "",
            _ => "-O0",
        }
    }

    /// The flags of the variant where the user gives none.
    pub fn default_variant(self) -> &'static str {
        match self {
            Language::Rust => "-C opt-level=3 -C target-cpu=native",
            Language::SharedObject => "",
            _ => "-O3 -ffast-math",
        }
    }
}
