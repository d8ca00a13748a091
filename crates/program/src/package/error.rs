use std::path::PathBuf;

use crate::BuildError;

/// Why a function of a crate cannot be analysed.
#[derive(Debug, thiserror::Error)]
pub enum CrateError {
    /// cargo finds no crate, or cannot read it.
    #[error("{}: {words}", folder.display())]
    NoCrate {
        /// Where it was looked for.
        folder: PathBuf,
        /// What cargo says.
        words: String,
    },
    /// No package of that name.
    #[error("the workspace has no package {name}; it has {}{}", members.join(", "), hint_on_folder(name))]
    NoPackage {
        /// The name.
        name: String,
        /// Those that there are.
        members: Vec<String>,
    },
    /// A workspace whose members could all be meant.
    #[error("{crate_name} is the library of no member of this workspace, or of several: choose a package with -p: {}", members.join(", "))]
    SeveralMembers {
        /// The first name of the path.
        crate_name: String,
        /// The members.
        members: Vec<String>,
    },
    /// A package of programs, or of macros.
    #[error("the package {package} has no library whose functions could be called{}", hint)]
    NoLibrary {
        /// The package.
        package: String,
        /// What it has instead.
        hint: String,
    },
    /// What was given for a path is none.
    #[error("`{text}` is no path of a function such as my_crate::stats::variance or 'my_crate::f::<f64, 3>': {reason}")]
    Path {
        /// What was given.
        text: String,
        /// What is wrong with it.
        reason: String,
    },
    /// The path leads nowhere.
    #[error("there is no {path}: {words}{}", near_words(near))]
    NoFunction {
        /// The path.
        path: String,
        /// What the compiler says.
        words: String,
        /// Functions of the crate with such names.
        near: Vec<String>,
    },
    /// It is not public.
    #[error("{path} cannot be called from outside its crate: {words}")]
    Private {
        /// The path.
        path: String,
        /// What the compiler says.
        words: String,
    },
    /// Generic parameters are not said.
    #[error("{path} is generic: say {} with `::<…>` behind the name, as in '{path}::<{}>'", missing.join(" and "), example)]
    Generic {
        /// The path.
        path: String,
        /// The parameters whose values nobody knows.
        missing: Vec<String>,
        /// Such values.
        example: String,
    },
    /// It is a function, but not one that can be called so.
    #[error("{path} cannot be called: {words}")]
    Callable {
        /// The path.
        path: String,
        /// What the compiler says.
        words: String,
    },
    /// A type that is not made of scalars.
    #[error("{path}: {what} is of the type {ty}, which {reason}")]
    Unsupported {
        /// The function.
        path: String,
        /// `parameter x`, `the result`.
        what: String,
        /// The type as the compiler writes it.
        ty: String,
        /// Why it is not supported.
        reason: String,
    },
    /// A length is said by a parameter that there is not.
    #[error("{path} has no parameter {base} that a --length could name; it has {}", names.join(", "))]
    Length {
        /// The function.
        path: String,
        /// The name.
        base: String,
        /// The parameters that there are.
        names: Vec<String>,
    },
    /// The crate does not compile; its first error.
    #[error("the package {package} does not build: {words}")]
    Fails {
        /// The package.
        package: String,
        /// The compiler's first error.
        words: String,
    },
    /// A file cannot be read or written.
    #[error("{}: {source}", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// What the system says.
        source: std::io::Error,
    },
    /// cargo or rustc cannot be run.
    #[error(transparent)]
    Build(#[from] BuildError),
}

/// Elsewhere `-p` takes a folder.
fn hint_on_folder(package: &str) -> &'static str {
    if package.contains('/') {
        "; -p takes a package's name here, and --manifest-path says where a crate is"
    } else {
        ""
    }
}

fn near_words(near: &[String]) -> String {
    if near.is_empty() { String::new() } else { format!("; the crate has {}", near.join(", ")) }
}
