//! Objects of single sources and shared objects of many, for libraries.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Instant;

use super::shared::{SYSTEM_LIBRARIES, bounded, check_product, check_source, no_flag, output_file, product_path};
use super::weakening::is_fast;
use super::{BuildError, BuildSpec, Compiler, CompilerKind, Language};

/// The object of a source.
pub(crate) struct Object {
    /// It.
    pub(crate) path: PathBuf,
    /// The files that it was made from, as make rules.
    pub(crate) dependencies: PathBuf,
    /// What the compiler said.
    pub(crate) words: String,
}

/// Makes `out_dir/ROLE.o` of `source` with the build's flags and debug information, and `out_dir/ROLE.d` (of Fortran empty). Fortran's modules are looked
/// for and written in `out_dir`, by gfortran in `gnu` there.
///
/// # Errors
///
/// As [`crate::build_shared`].
pub(crate) fn emit_object(
    spec: &BuildSpec,
    source: &Path,
    out_dir: &Path,
    deadline: Instant,
) -> Result<Object, BuildError> {
    check_source(source)?;
    let compiler = spec.find_compiler(Language::of(source)?, deadline)?;
    let product = output_file(out_dir, &spec.role, "o")?;
    let dependencies = output_file(out_dir, &spec.role, "d")?;
    let mut command = object_command(spec, &compiler, source, (out_dir, &product, &dependencies))?;
    let finished = spec.run(&mut command, &compiler.name, deadline)?;
    check_product(&finished, &product, spec, &compiler, source)?;
    Ok(Object { path: product, dependencies, words: finished.stderr })
}

/// The command that makes an object and tells what it was made from.
fn object_command(
    spec: &BuildSpec,
    compiler: &Compiler,
    source: &Path,
    (out_dir, product, dependencies): (&Path, &Path, &Path),
) -> Result<Command, BuildError> {
    let language = Language::of(source)?;
    let mut command = Command::new(&compiler.executable);
    command.args(["-c", "-fPIC"]);
    if compiler.kind == CompilerKind::Gcc {
        command.arg("-fno-semantic-interposition");
    }
    if language == Language::Fortran {
        // flang tells no dependencies. gfortran's modules are none of flang's, which makes the bitcode.
        let modules = if compiler.kind == CompilerKind::Gcc { out_dir.join("gnu") } else { out_dir.to_owned() };
        std::fs::create_dir_all(&modules)
            .map_err(|source| BuildError::OutputFolder { path: modules.clone(), source })?;
        // The project's own folders come later: their modules may be another compiler's.
        let flags = among_modules(&mut command, &modules, &[source, product], spec.user_flags());
        command.arg("-I").arg(&modules).args(flags).args(compiler.debug_flags(language));
        command.arg(if compiler.kind == CompilerKind::Gcc { "-J" } else { "-module-dir" }).arg(&modules);
    } else {
        command.args(spec.user_flags()).args(compiler.debug_flags(language)).arg("-MD").arg("-MF").arg(dependencies);
    }
    command.arg(no_flag(source)).arg("-o").arg(product);
    Ok(command)
}

/// The command by which [`emit_object`] makes an object in `out_dir`; nothing is run but the compiler's `--version`.
///
/// # Errors
///
/// The compiler is missing, or `out_dir` cannot be written.
pub(crate) fn command_for_object(
    spec: &BuildSpec,
    source: &Path,
    out_dir: &Path,
    deadline: Instant,
) -> Result<Command, BuildError> {
    let compiler = spec.find_compiler(Language::of(source)?, deadline)?;
    let (product, dependencies) = (product_path(out_dir, &spec.role, "o"), product_path(out_dir, &spec.role, "d"));
    object_command(spec, &compiler, source, (out_dir, &product, &dependencies))
}

/// Has a Fortran compiler run in the folder of the modules that were made for it, where all files are named from the root: it looks for modules where it runs before it
/// looks anywhere else, and in a project's folder finds those of whatever compiler built that. The flags, which name folders from here.
pub(super) fn among_modules(command: &mut Command, modules: &Path, files: &[&Path], flags: Vec<String>) -> Vec<String> {
    let here = match std::env::current_dir() {
        Ok(here) if modules.is_absolute() && files.iter().all(|file| file.is_absolute()) => here,
        _ => return flags,
    };
    command.current_dir(modules);
    let mut flags = from_root(&here, flags);
    // What is included, too, is looked for where the compiler runs.
    flags.extend(["-I".to_owned(), here.display().to_string()]);
    flags
}

/// Flags that name folders of what is included, with these named from the root.
fn from_root(here: &Path, flags: Vec<String>) -> Vec<String> {
    let mut is_folder = false;
    let absolute = |flag: String| {
        let is_value = std::mem::replace(&mut is_folder, flag == "-I");
        match flag.strip_prefix("-I") {
            _ if is_value => here.join(&flag).display().to_string(),
            Some(folder) if !folder.is_empty() => format!("-I{}", here.join(folder).display()),
            _ => flag,
        }
    };
    flags.into_iter().map(absolute).collect()
}

/// Links `objects` in these languages, by the driver of the first, to the shared object `out_dir/ROLE.so`. Symbols that nothing defines are allowed: only a
/// call of one fails. References inside the library are bound to it, so that no other library of the same process can take their place. Debug information is
/// left out where `is_bare`.
///
/// # Errors
///
/// The compiler is missing, or the linker refuses; its words are in [`BuildError::Refused`].
pub(crate) fn link_objects(
    spec: &BuildSpec,
    languages: &[Language],
    (objects, is_bare): (&[PathBuf], bool),
    out_dir: &Path,
    deadline: Instant,
) -> Result<PathBuf, BuildError> {
    let language = languages.first().copied().unwrap_or(Language::C);
    let compiler = spec.find_compiler(language, deadline)?;
    let product = output_file(out_dir, &spec.role, "so")?;
    // Hundreds of paths would not fit on every system's command line.
    let list = output_file(out_dir, &spec.role, "objects")?;
    let quoted =
        |path: &PathBuf| format!("\"{}\"\n", path.display().to_string().replace('\\', "\\\\").replace('"', "\\\""));
    let text: String = objects.iter().map(quoted).collect();
    std::fs::write(&list, text).map_err(|source| BuildError::OutputFolder { path: list.clone(), source })?;
    let mut command = link_command(spec, &compiler, languages, is_bare, [format!("@{}", list.display())]);
    command.arg("-o").arg(&product);
    let finished = spec.run(&mut command, &compiler.name, deadline)?;
    if !finished.status.success() {
        return Err(BuildError::Refused {
            compiler: compiler.version.clone(),
            path: product,
            role: spec.role.clone(),
            words: bounded(&finished.stderr),
        });
    }
    Ok(product)
}

/// The command that links, without the output's name.
fn link_command(
    spec: &BuildSpec,
    compiler: &Compiler,
    languages: &[Language],
    is_bare: bool,
    objects: impl IntoIterator<Item = impl AsRef<OsStr>>,
) -> Command {
    let mut command = Command::new(&compiler.executable);
    let mut flags = spec.user_flags();
    if compiler.kind == CompilerKind::Flang {
        // Of a library with sources in C, too, they may be ones that flang does not know; start-up code hangs on these two alone.
        flags.retain(|flag| !is_fast(flag) || matches!(flag.as_str(), "-ffast-math" | "-fno-fast-math"));
    }
    command.args(["-shared", "-fPIC", "-Wl,-Bsymbolic", "-Wl,-z,lazy"]).args(flags);
    command.arg(if is_bare { "-Wl,--strip-debug" } else { "-g" });
    command
        .args(objects)
        .args(spec.link.iter().map(|file| no_flag(file)))
        .args(
            (languages.first() == Some(&Language::Fortran) && languages.contains(&Language::Cpp)).then_some("-lstdc++"),
        )
        .args(SYSTEM_LIBRARIES);
    command
}

/// The command by which [`link_objects`] links, with debug information, without the output's name.
///
/// # Errors
///
/// The compiler is missing.
pub(crate) fn command_for_linking(
    spec: &BuildSpec,
    languages: &[Language],
    objects: &[PathBuf],
    deadline: Instant,
) -> Result<Command, BuildError> {
    let compiler = spec.find_compiler(languages.first().copied().unwrap_or(Language::C), deadline)?;
    Ok(link_command(spec, &compiler, languages, false, objects))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folders_of_flags_are_named_from_the_root() {
        let flags = ["-Isub", "-O2", "-I", "other", "-I/abs", "-Jmod"].map(str::to_owned).to_vec();
        let expected = ["-I/here/sub", "-O2", "-I", "/here/other", "-I/abs", "-Jmod"];
        assert_eq!(from_root(Path::new("/here"), flags), expected);
        let mut command = Command::new("flang");
        let kept = among_modules(&mut command, Path::new("/out"), &[Path::new("f.f90")], vec!["-Isub".to_owned()]);
        assert_eq!((kept, command.get_current_dir()), (vec!["-Isub".to_owned()], None));
    }

    /// A library of C and Fortran is linked by flang, which refuses what it does not know: blame took no flags of C apart there.
    #[test]
    fn flang_links_with_flags_that_it_knows() {
        let spec = crate::parse_build("clang -O2 -fno-math-errno -ffinite-math-only -ffast-math", Language::C).unwrap();
        let flags = |kind| {
            let (executable, name, version) = (PathBuf::from("x"), "x".to_owned(), "x".to_owned());
            let compiler = Compiler { kind, executable, name, version };
            let command = link_command(&spec, &compiler, &[Language::Fortran, Language::C], true, ["f.o"]);
            let words: Vec<_> = command.get_args().map(|word| word.to_string_lossy().into_owned()).collect();
            ["-O2", "-ffast-math", "-fno-math-errno", "-ffinite-math-only"].map(|flag| words.contains(&flag.to_owned()))
        };
        assert_eq!(flags(CompilerKind::Flang), [true, true, false, false]);
        assert_eq!(flags(CompilerKind::Clang), [true; 4]);
    }
}
