//! `cargo xtask corpus libm`: musl's and newlib's mathematical functions, as Debian 12 has their sources.
//!
//! Nothing is configured or compiled here. A function is compiled with the few sources that it needs, under glibc's headers. So that none of
//! its calls is taken for one of the system's libm, by the compiler, labrys or the dynamic linker, what these sources define is
//! renamed: `sinf` is `musl_sinf`. A header does that for each function; it is included before everything else.

use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

use super::debian::SourcePackage;

const MUSL: SourcePackage = SourcePackage {
    name: "musl",
    archive: "musl_1.2.3.orig.tar.gz",
    hash: "7d5b0b6062521e4627e099e4c9dc8248d32a30285e959b7eecaa780cf8cfd4a4",
};

const NEWLIB: SourcePackage = SourcePackage {
    name: "newlib",
    archive: "newlib_3.3.0.orig.tar.gz",
    hash: "58dd9e3eaedf519360d92d84205c3deef0b3fc286685d1c562e245914ef72c66",
};

/// The folder of headers that are made here, in each library's.
const GLUE: &str = "glue";

/// Written last into that folder.
const COMPLETE: &str = "glue/complete";

/// Names of musl that glibc's headers declare otherwise.
const CLASHES: [&str; 6] = ["__sin", "__cos", "__tan", "__sinl", "__cosl", "__tanl"];

/// Names that glibc's headers do not declare as functions, or not with that type.
const UNDECLARED: [&str; 2] = ["signgam", "lgammaf_r"];

/// A library whose functions are compiled one by one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Libm {
    /// musl 1.2.3.
    Musl,
    /// newlib 3.3.0, with what it has of Sun's fdlibm.
    Newlib,
}

impl Libm {
    /// Its name in lists, and the prefix of its functions.
    pub fn name(self) -> &'static str {
        match self {
            Libm::Musl => "musl",
            Libm::Newlib => "newlib",
        }
    }

    /// What a function is called after renaming. newlib's `__ieee754_expf` clashes with nothing.
    pub fn renamed(self, function: &str) -> String {
        if self == Libm::Newlib && function.starts_with("__") {
            function.to_owned()
        } else {
            format!("{}_{function}", self.name())
        }
    }

    /// Where a source is, below the library's folder, of the short name that lists have: `sinf`, `math/sf_sin`.
    pub fn source(self, name: &str) -> String {
        match self {
            Libm::Musl => format!("src/math/{name}.c"),
            Libm::Newlib => format!("newlib/libm/{name}.c"),
        }
    }

    /// The flags that a function of these sources is compiled with in the library's folder; writes its header there.
    pub fn flags(self, folder: &Path, function: &str, sources: &[String]) -> Result<Vec<String>> {
        let header = format!("{GLUE}/{function}.h");
        let text = self.header(function, sources);
        let path = folder.join(&header);
        if fs::read_to_string(&path).ok().as_deref() != Some(&text) {
            fs::write(&path, text)?;
        }
        let own: &[&str] = match self {
            Libm::Musl => &["-Isrc/internal", "-Dhidden=", "-Dweak_alias(a,b)=struct musl_alias"],
            Libm::Newlib => &["-Inewlib/libm/common"],
        };
        let common = ["-D_GNU_SOURCE", "-w", "-include", &header, "-Iglue"];
        Ok(common.iter().chain(own).map(|&word| word.to_owned()).collect())
    }

    /// Renames the function and what its sources are named after.
    fn header(self, function: &str, sources: &[String]) -> String {
        let mut names = vec![function.to_owned()];
        for source in sources {
            let stem = source.rsplit('/').next().unwrap_or(source);
            let name = match self {
                Libm::Musl if !stem.ends_with("_data") => stem.to_owned(),
                Libm::Newlib if stem.starts_with("sf_") => format!("{}f", &stem[3..]),
                _ => continue,
            };
            if !names.contains(&name) {
                names.push(name);
            }
        }
        if self == Libm::Musl {
            names.extend(
                CLASHES
                    .iter()
                    .filter(|&&clash| !sources.iter().any(|source| source == clash))
                    .map(|&name| name.to_owned()),
            );
        }
        let mut text = "#include <math.h>\n".to_owned();
        for name in names.iter().filter(|name| self.renamed(name) != **name) {
            let renamed = self.renamed(name);
            if !name.starts_with("__") && !UNDECLARED.contains(&name.as_str()) {
                writeln!(text, "extern __typeof__({name}) {renamed};").expect("writing to a string");
            }
            writeln!(text, "#define {name} {renamed}").expect("writing to a string");
        }
        text
    }
}

/// The folder of a library's sources, as an absolute path; fetches and unpacks them unless that was done before.
pub fn folder(root: &Path, libm: Libm) -> Result<PathBuf> {
    let (package, header, place) = match libm {
        Libm::Musl => (&MUSL, "arch/generic/fp_arch.h", "fp_arch.h"),
        Libm::Newlib => (&NEWLIB, "newlib/libc/include/machine/ieeefp.h", "machine/ieeefp.h"),
    };
    let (folder, _lock) = package.unpack(root, Path::new(COMPLETE))?;
    let complete = folder.join(COMPLETE);
    if !complete.exists() {
        // The one header of the library's own system that the sources cannot do without.
        let copy = folder.join(GLUE).join(place);
        fs::create_dir_all(copy.parent().context("a file in a folder")?)?;
        fs::copy(folder.join(header), copy)?;
        fs::write(complete, "")?;
    }
    Ok(folder)
}

/// Fetches and unpacks both.
pub fn run(root: &Path) -> Result<bool> {
    for libm in [Libm::Musl, Libm::Newlib] {
        println!("{}: {}", libm.name(), folder(root, libm)?.display());
    }
    Ok(true)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_sources_define_is_renamed() {
        let sources = ["cosf", "__cosdf", "logf_data"].map(str::to_owned);
        let header = Libm::Musl.header("cosf", &sources);
        assert!(header.contains("extern __typeof__(cosf) musl_cosf;\n#define cosf musl_cosf\n"));
        assert!(header.contains("\n#define __cosdf musl___cosdf\n#define __sin musl___sin\n"));
        assert!(!header.contains("logf_data"));
        let header = Libm::Newlib.header("__ieee754_expf", &["math/ef_exp".to_owned(), "math/sf_fabs".to_owned()]);
        assert_eq!(header, "#include <math.h>\nextern __typeof__(fabsf) newlib_fabsf;\n#define fabsf newlib_fabsf\n");
    }
}
