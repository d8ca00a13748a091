use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Instant;

use super::object::among_modules;
use super::process::Finished;
use super::{BuildError, BuildSpec, Compiler, CompilerKind, Language};
use crate::package::crate_library;

/// A shared object that a compiler made, or one that was there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Build {
    /// Its role in the report.
    pub role: String,
    /// The source, as the user named it.
    pub source: PathBuf,
    /// The source's language.
    pub language: Language,
    /// The compiler and its version (`clang 22.1.8`); for a given `.so` the word `unknown`.
    pub compiler: String,
    /// The user's words: common flags, then the build's own.
    pub flags: Vec<String>,
    /// The shared object.
    pub library: PathBuf,
    /// The command that made it, with `so` for the output's name; empty for a given `.so`. For reproducers.
    pub recipe: Vec<String>,
    /// What was added to the user's flags or departs from them, for the report.
    pub notes: Vec<String>,
}

/// How many lines of a compiler's words an error shows.
const SHOWN_LINES: usize = 60;

/// Makes the shared object `out_dir/ROLE.so` of `source`, as the module's table says. A `.so` is taken as it is.
///
/// # Errors
///
/// The source is missing or does not compile (with the compiler's words), the compiler is missing, unknown or of another
/// language, `out_dir` cannot be written, or the deadline passed.
pub fn build_shared(spec: &BuildSpec, source: &Path, out_dir: &Path, deadline: Instant) -> Result<Build, BuildError> {
    Ok(build_shared_telling(spec, source, out_dir, deadline)?.0)
}

/// As [`build_shared`], with what the compiler said on its way.
///
/// # Errors
///
/// As [`build_shared`].
pub fn build_shared_telling(
    spec: &BuildSpec,
    source: &Path,
    out_dir: &Path,
    deadline: Instant,
) -> Result<(Build, String), BuildError> {
    if let Some(of) = &spec.of_crate {
        return crate_library(spec, of, out_dir, deadline);
    }
    let language = Language::of(source)?;
    check_source(source)?;
    let build = |compiler: String, library: PathBuf, recipe, notes| Build {
        role: spec.role.clone(),
        source: source.to_owned(),
        language,
        compiler,
        flags: spec.user_flags(),
        library,
        recipe,
        notes,
    };
    if language == Language::SharedObject {
        return Ok((build("unknown".to_owned(), source.to_owned(), Vec::new(), Vec::new()), String::new()));
    }
    let compiler = spec.find_compiler(language, deadline)?;
    let mut notes = Vec::new();
    let words = arguments(spec, &compiler, language, source, &mut notes);
    let library = output_file(out_dir, &spec.role, "so")?;
    let mut command = Command::new(&compiler.executable);
    // Module files are a side effect that has no place in the user's folder. gfortran's are none of flang's, which makes the bitcode.
    match compiler.kind {
        CompilerKind::Flang | CompilerKind::Gcc if language == Language::Fortran => {
            let is_flang = compiler.kind == CompilerKind::Flang;
            // Each build has its own, for several are made at once. gfortran looks first where it runs, then beside the source.
            let modules = if is_flang { out_dir.to_owned() } else { out_dir.join(format!("gnu-{}", spec.role)) };
            std::fs::create_dir_all(&modules)
                .map_err(|source| BuildError::OutputFolder { path: modules.clone(), source })?;
            let modules = absolute(&modules);
            command.arg(if is_flang { "-module-dir" } else { "-J" }).arg(&modules).arg("-I").arg(&modules);
            let here = BuildSpec { link: spec.link.iter().map(|file| absolute(file)).collect(), ..spec.clone() };
            let (source, product) = (absolute(source), absolute(&library));
            let words = arguments(&here, &compiler, language, &source, &mut Vec::new());
            let words = among_modules(&mut command, &modules, &[&source, &product], words);
            command.args(words).arg("-o").arg(product);
        }
        _ => drop(command.args(&words).arg("-o").arg(&library)),
    }
    let finished = spec.run(&mut command, &compiler.name, deadline)?;
    check_product(&finished, &library, spec, &compiler, source)?;
    let mut recipe = vec![compiler.name.clone()];
    recipe.extend(words);
    recipe.extend(["-o".to_owned(), "so".to_owned()]);
    Ok((build(compiler.version, library, recipe, notes), finished.stderr))
}

/// The words after the compiler's name, without the output's.
fn arguments(
    spec: &BuildSpec,
    compiler: &Compiler,
    language: Language,
    source: &Path,
    notes: &mut Vec<String>,
) -> Vec<String> {
    let owned = |words: &[&str]| words.iter().map(|word| (*word).to_owned()).collect::<Vec<_>>();
    let source = no_flag(source).display().to_string();
    let link = spec.link.iter().map(|file| no_flag(file).display().to_string());
    if language == Language::Rust {
        let mut words = rust_arguments(spec, notes);
        words.extend(link.map(|file| format!("-Clink-arg={file}")));
        words.push(source);
        return words;
    }
    // A function of the source that is called as one of libm's is the source's own, as in a program.
    let mut words = owned(&["-shared", "-fPIC", "-Wl,-Bsymbolic"]);
    if language == Language::Ir {
        // The level then reaches code generation only: the IR is compiled as it stands. `optnone` functions are
        // generated at -O0 whatever is said here.
        words.extend(owned(&["-Xclang", "-disable-llvm-passes", "-Wno-override-module", "-O2"]));
    }
    if compiler.kind == CompilerKind::Gcc && language != Language::Fortran {
        words.push("-fno-semantic-interposition".to_owned());
        notes.push(format!("{}: -g and -fno-semantic-interposition were added to the flags", spec.role));
    }
    words.extend(spec.user_flags());
    words.extend(owned(compiler.debug_flags(language)));
    words.push(source);
    words.extend(link);
    // A C compiler that is given by path does not link C++'s library by itself.
    if language == Language::Cpp && compiler.name.contains('/') && !compiler.name.contains("++") {
        words.push("-lstdc++".to_owned());
    }
    words.extend(owned(&SYSTEM_LIBRARIES));
    words
}

/// The libraries that every link gets. Helpers of the compilers (quotients of complex numbers, integer powers) come from the shared
/// libgcc: in there they are calls of a library, and what they raise is the calling line's; a static copy would be code of nobody's.
pub(crate) const SYSTEM_LIBRARIES: [&str; 4] = ["-lm", "-Wl,--push-state,--as-needed", "-lgcc_s", "-Wl,--pop-state"];

/// What goes to rustc before the source, for the shared object and the bitcode alike.
pub(super) fn rust_arguments(spec: &BuildSpec, notes: &mut Vec<String>) -> Vec<String> {
    let mut words: Vec<String> =
        ["--crate-type", "dylib", "-C", "prefer-dynamic=no", "-C", "link-dead-code", "-C", "codegen-units=1"]
            .map(str::to_owned)
            .to_vec();
    let flags = spec.user_flags();
    if !flags.iter().any(|flag| flag.starts_with("--edition")) {
        words.push("--edition=2021".to_owned());
    }
    let mut rest = flags.into_iter();
    while let Some(flag) = rest.next() {
        let split = flag == "-C" || flag == "--codegen";
        let option = if split { rest.next() } else { flag.strip_prefix("-C").map(str::to_owned) };
        let is_lto = option.as_deref().is_some_and(|option| option == "lto" || option.starts_with("lto="));
        if is_lto {
            notes.push(format!(
                "{}: {} was left out, rustc has no link-time optimisation of a dylib",
                spec.role, "-C lto"
            ));
        } else if split {
            words.push(flag);
            words.extend(option);
        } else {
            words.push(flag);
        }
    }
    // Not `-g`, which rustc refuses beside a debuginfo option of the user's.
    words.extend(["-C", "debuginfo=2"].map(str::to_owned));
    words
}

/// A path from the root, for compilers that run elsewhere.
pub(super) fn absolute(path: &Path) -> PathBuf {
    std::path::absolute(path).unwrap_or_else(|_| path.to_owned())
}

/// The file by a name that no compiler takes for a flag or for a list of flags.
pub(crate) fn no_flag(file: &Path) -> PathBuf {
    match file.as_os_str().as_encoded_bytes().first() {
        Some(b'-' | b'@') => Path::new(".").join(file),
        _ => file.to_owned(),
    }
}

/// Whether a source can be read and compiled.
pub(crate) fn check_source(source: &Path) -> Result<(), BuildError> {
    let unreadable = |error| BuildError::Source { path: source.to_owned(), source: error };
    // Drivers hand the name without its folder to the compiler proper, which reads flags, plugins' too, from such a file.
    if source.file_name().is_some_and(|name| name.as_encoded_bytes().starts_with(b"@")) {
        return Err(unreadable(std::io::Error::other(
            "compilers take a name that begins with @ for that of a list of flags",
        )));
    }
    let file = std::fs::File::open(source).map_err(unreadable)?;
    if file.metadata().map_err(unreadable)?.is_dir() {
        return Err(unreadable(std::io::ErrorKind::IsADirectory.into()));
    }
    Ok(())
}

/// The path of a product, in a folder that is made and tried.
pub(crate) fn output_file(out_dir: &Path, role: &str, suffix: &str) -> Result<PathBuf, BuildError> {
    let path = product_path(out_dir, role, suffix);
    std::fs::create_dir_all(out_dir).map_err(|source| BuildError::OutputFolder { path: out_dir.to_owned(), source })?;
    std::fs::File::create(&path).map_err(|source| BuildError::OutputFolder { path: path.clone(), source })?;
    Ok(path)
}

/// The path of a product.
pub(crate) fn product_path(out_dir: &Path, role: &str, suffix: &str) -> PathBuf {
    let plain: String = role.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).collect();
    out_dir.join(format!("{}.{suffix}", if plain.is_empty() { "build" } else { &plain }))
}

/// Whether the compiler ended well and wrote something.
pub(crate) fn check_product(
    finished: &Finished,
    product: &Path,
    spec: &BuildSpec,
    compiler: &Compiler,
    source: &Path,
) -> Result<(), BuildError> {
    let refused = |words: String| BuildError::Refused {
        compiler: compiler.version.clone(),
        path: source.to_owned(),
        role: spec.role.clone(),
        words,
    };
    if !finished.status.success() {
        let words = unknown_processor(&finished.stderr).unwrap_or_else(|| bounded(&finished.stderr));
        return Err(refused(if words.is_empty() { format!("(no message; {})", finished.status) } else { words }));
    }
    if product.metadata().map_or(0, |metadata| metadata.len()) == 0 {
        return Err(refused(format!("it succeeded without writing anything\n{}", bounded(&finished.stderr))));
    }
    Ok(())
}

/// What rustc's LLVM says of a processor that it does not know, once: it goes on, says so some dozen times, and fails by what follows from it.
pub(crate) fn unknown_processor(words: &str) -> Option<String> {
    let line =
        words.lines().map(str::trim).find(|line| line.contains("is not a recognized processor for this target"))?;
    let (processor, _) = line.split_once(" is not a recognized processor")?;
    Some(format!("{processor} is no processor of this target: rustc --print target-cpus lists them"))
}

/// The first lines of a compiler's words, long lines cut.
pub(crate) fn bounded(words: &str) -> String {
    const WIDTH: usize = 400;
    let mut lines: Vec<String> = words.trim_end().lines().map(|line| line.chars().take(WIDTH).collect()).collect();
    if lines.len() > SHOWN_LINES {
        let left = lines.len() - SHOWN_LINES;
        lines.truncate(SHOWN_LINES);
        lines.push(format!("({left} more lines)"));
    }
    lines.join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Compilers read more flags from the file that an argument names behind `@`.
    #[test]
    fn no_file_is_taken_for_a_flag() {
        let named = |file: &str| no_flag(Path::new(file)).display().to_string();
        assert_eq!(["-o.c", "@f.c", "f.c", "/a/-f.c"].map(named), ["./-o.c", "./@f.c", "f.c", "/a/-f.c"]);
    }
}
