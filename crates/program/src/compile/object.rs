//! Objects of single sources and shared objects of many, for libraries.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Instant;

use super::shared::{SYSTEM_LIBRARIES, bounded, check_product, check_source, no_flag, output_file};
use super::{BuildError, BuildSpec, CompilerKind, Language};

/// The object of a source.
pub(crate) struct Object {
    /// It.
    pub(crate) path: PathBuf,
    /// The files that it was made from, as make rules.
    pub(crate) dependencies: PathBuf,
    /// What the compiler said.
    pub(crate) words: String,
}

/// Makes `out_dir/ROLE.o` of `source` with the build's flags and debug information, and `out_dir/ROLE.d`.
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
    let language = Language::of(source)?;
    let compiler = spec.find_compiler(language, deadline)?;
    let product = output_file(out_dir, &spec.role, "o")?;
    let dependencies = output_file(out_dir, &spec.role, "d")?;
    let mut command = Command::new(&compiler.executable);
    command.args(["-c", "-fPIC"]);
    if compiler.kind == CompilerKind::Gcc {
        command.arg("-fno-semantic-interposition");
    }
    command.args(spec.user_flags()).args(compiler.debug_flags(language)).arg("-MD").arg("-MF").arg(&dependencies);
    command.arg(no_flag(source)).arg("-o").arg(&product);
    let finished = spec.run(&mut command, &compiler.name, deadline)?;
    check_product(&finished, &product, spec, &compiler, source)?;
    Ok(Object { path: product, dependencies, words: finished.stderr })
}

/// Links `objects` to the shared object `out_dir/ROLE.so`. Symbols that nothing defines are allowed: only a call of one fails.
/// References inside the library are bound to it, so that no other library of the same process can take their place. Debug information is
/// left out where `is_bare`.
///
/// # Errors
///
/// The compiler is missing, or the linker refuses; its words are in [`BuildError::Refused`].
pub(crate) fn link_objects(
    spec: &BuildSpec,
    language: Language,
    (objects, is_bare): (&[PathBuf], bool),
    out_dir: &Path,
    deadline: Instant,
) -> Result<PathBuf, BuildError> {
    let compiler = spec.find_compiler(language, deadline)?;
    let product = output_file(out_dir, &spec.role, "so")?;
    // Hundreds of paths would not fit on every system's command line.
    let list = output_file(out_dir, &spec.role, "objects")?;
    let quoted =
        |path: &PathBuf| format!("\"{}\"\n", path.display().to_string().replace('\\', "\\\\").replace('"', "\\\""));
    let text: String = objects.iter().map(quoted).collect();
    std::fs::write(&list, text).map_err(|source| BuildError::OutputFolder { path: list.clone(), source })?;
    let mut command = Command::new(&compiler.executable);
    command.args(["-shared", "-fPIC", "-Wl,-Bsymbolic", "-Wl,-z,lazy"]).args(spec.user_flags());
    command.arg(if is_bare { "-Wl,--strip-debug" } else { "-g" });
    command
        .arg(format!("@{}", list.display()))
        .args(spec.link.iter().map(|file| no_flag(file)))
        .args(SYSTEM_LIBRARIES)
        .arg("-o")
        .arg(&product);
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
