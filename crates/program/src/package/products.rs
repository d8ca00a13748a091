//! What is made of a function of a crate for a build: a shared object that runs, and bitcode that is analysed.

use std::ffi::CString;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Instant;

use sha2::{Digest, Sha256};

use super::compiled::Compiled;
use super::glue::GLUE_CRATE;
use super::profile::Lto;
use super::{CrateError, CrateFunction, CratePart};
use crate::compile::{check_product, output_file};
use crate::llvm::{Module, ParseError, on_large_stack};
use crate::whole::embedded_bitcode;
use crate::{Build, BuildError, BuildSpec, Compiler, Language};

/// An error of the crate's as one of a build.
fn failed(spec: &BuildSpec, of: &CrateFunction, error: CrateError) -> BuildError {
    match error {
        CrateError::Build(error) => error,
        error => BuildError::Refused {
            compiler: "cargo".to_owned(),
            path: of.crate_source(),
            role: spec.role.clone(),
            words: error.to_string(),
        },
    }
}

/// The glue's source, in a file that stays, named by what is in it.
fn glue_source(of: &CrateFunction) -> Result<PathBuf, BuildError> {
    let text = of.text();
    let digest = Sha256::digest(text.as_bytes());
    let name: String = digest.iter().take(6).map(|byte| format!("{byte:02x}")).collect();
    let folder = of.glue_folder();
    let path = folder.join(format!("{name}.rs"));
    let error = |source| BuildError::OutputFolder { path: folder.clone(), source };
    fs::create_dir_all(&folder).map_err(error)?;
    if !fs::read_to_string(&path).is_ok_and(|known| known == text) {
        // Several builds may write it at once.
        let mut draft = tempfile::NamedTempFile::new_in(&folder).map_err(error)?;
        draft.write_all(text.as_bytes()).map_err(error)?;
        draft.persist(&path).map_err(|persisted| error(persisted.error))?;
    }
    Ok(path)
}

/// The words for rustc before what is to be made.
fn words(compiled: &Compiled, flags: &[String], source: &Path) -> Vec<String> {
    let mut words: Vec<String> =
        ["--crate-name", GLUE_CRATE, "--crate-type", "cdylib", "--edition", "2021"].map(str::to_owned).to_vec();
    words.extend(compiled.words.iter().cloned());
    words.extend(flags.iter().cloned());
    words.extend(["-C", "codegen-units=1", "-C", "debuginfo=2"].map(str::to_owned));
    words.push(source.display().to_string());
    words
}

/// The same for what is linked, with link-time optimisation over the crate and all that it uses.
fn linked_words(compiled: &Compiled, flags: &[String], source: &Path, lto: Option<Lto>) -> Vec<String> {
    let mut words = words(compiled, flags, source);
    let optimised = lto.map(|lto| ["-C".to_owned(), format!("lto={}", lto.name())]);
    words.splice(words.len() - 1..words.len() - 1, optimised.into_iter().flatten());
    words
}

/// Passes are counted where one part is compiled after the other.
fn must_be_countable(spec: &BuildSpec, of: &CrateFunction, compiled: &Compiled) -> Result<(), BuildError> {
    if of.limit.is_none() || compiled.lto.is_none() {
        return Ok(());
    }
    Err(BuildError::Refused {
        compiler: "cargo".to_owned(),
        path: of.crate_source(),
        role: spec.role.clone(),
        words: "the passes of link-time optimisation are not counted".to_owned(),
    })
}

fn linked_note(lto: Lto) -> String {
    format!(
        "what runs has the profile's link-time optimisation ({}); what is analysed symbolically is the code before it",
        lto.name()
    )
}

fn unlinked_note(lto: Lto, error: &BuildError) -> String {
    let words = error.to_string();
    let first = words.lines().next().unwrap_or_default();
    format!("without the profile's link-time optimisation ({}), with which it does not link: {first}", lto.name())
}

/// The shared object `out_dir/ROLE.so` of the glue, the crate and what it uses; with what rustc said.
///
/// # Errors
///
/// The crate does not build, or the deadline passed.
pub(crate) fn crate_library(
    spec: &BuildSpec,
    of: &CrateFunction,
    out_dir: &Path,
    deadline: Instant,
) -> Result<(Build, String), BuildError> {
    let compiler = spec.find_compiler(Language::Rust, deadline)?;
    let flags = spec.user_flags();
    let compiled = of.compile(&flags, deadline).map_err(|error| failed(spec, of, error))?;
    must_be_countable(spec, of, &compiled)?;
    let source = glue_source(of)?;
    let library = output_file(out_dir, &spec.role, "so")?;
    let make = |lto: Option<Lto>| {
        let flags = [flags.clone(), of.limited_words(CratePart::Glue)].concat();
        let words = linked_words(&compiled, &flags, &source, lto);
        let mut command = Command::new(&compiled.rustc);
        command.args(&words).arg("-o").arg(&library);
        let finished = spec.run(&mut command, &compiler.name, deadline)?;
        check_product(&finished, &library, spec, &compiler, &of.crate_source())?;
        Ok::<_, BuildError>((words, finished))
    };
    let ((words, finished), note) = match (make(compiled.lto), compiled.lto) {
        (Ok(made), lto) => (made, lto.map(linked_note)),
        (Err(error @ BuildError::Refused { .. }), Some(lto)) => (make(None)?, Some(unlinked_note(lto, &error))),
        (Err(error), _) => return Err(error),
    };
    let build = Build {
        role: spec.role.clone(),
        source: of.crate_source(),
        language: Language::Rust,
        compiler: compiler.version,
        flags,
        library,
        recipe: recipe(&compiled, &words),
        notes: note.into_iter().collect(),
    };
    Ok((build, compiled.said + &finished.stderr))
}

/// Two commands as one that takes the product's name: the crate is built as it is then, and the glue with it.
fn recipe(compiled: &Compiled, words: &[String]) -> Vec<String> {
    let rustc = std::iter::once(compiled.rustc.display().to_string()).chain(words.iter().cloned());
    let quoted = rustc.map(|word| shlex::try_quote(&word).map_or_else(|_| word.clone(), |word| word.into_owned()));
    let script = format!("{} >/dev/null && {} -o \"$0\"", compiled.command, quoted.collect::<Vec<_>>().join(" "));
    vec!["sh".to_owned(), "-c".to_owned(), script, "so".to_owned()]
}

/// The bitcode `out_dir/ROLE.bc` of the glue and of what it reaches in the crate and the crates that this uses, and notes.
///
/// # Errors
///
/// As [`crate_library`].
pub(crate) fn crate_bitcode(
    spec: &BuildSpec,
    of: &CrateFunction,
    out_dir: &Path,
    deadline: Instant,
) -> Result<(PathBuf, Vec<String>), BuildError> {
    let compiler: Compiler = spec.find_compiler(Language::Rust, deadline)?;
    let flags = spec.user_flags();
    let compiled = of.compile(&flags, deadline).map_err(|error| failed(spec, of, error))?;
    let glue = output_file(out_dir, &format!("{}-glue", spec.role), "bc")?;
    let mut command = Command::new(&compiled.rustc);
    command.args(words(&compiled, &flags, &glue_source(of)?));
    command.args(["--cfg", "labrys_ir", "--emit=llvm-bc", "-o"]).arg(&glue);
    let finished = spec.run(&mut command, &compiler.name, deadline)?;
    check_product(&finished, &glue, spec, &compiler, &of.crate_source())?;
    let product = output_file(out_dir, &spec.role, "bc")?;
    let left_out = on_large_stack(|| link(&glue, &compiled.libraries, &product))
        .map_err(|source| BuildError::Source { path: glue.clone(), source })?;
    match left_out {
        Ok(left_out) => Ok((product, left_out.into_iter().map(|why| format!("{}: {why}", spec.role)).collect())),
        Err(words) => Err(BuildError::Refused {
            compiler: compiler.version,
            path: of.crate_source(),
            role: spec.role.clone(),
            words: format!("its bitcode cannot be linked: {words}"),
        }),
    }
}

/// Writes the glue's module with what it needs of the libraries'. Why some of these were left out, or why there is no product.
fn link(glue: &Path, libraries: &[PathBuf], product: &Path) -> Result<Vec<String>, String> {
    let read = |path: &Path| fs::read(path).map_err(|error| format!("{}: {error}", path.display()));
    let reason = |error: ParseError| match error {
        ParseError::Malformed(why) | ParseError::Invalid(why) => why,
    };
    let mut module = Module::parse(&read(glue)?, &glue.display().to_string()).map_err(reason)?;
    let mut modules = Vec::new();
    for library in libraries {
        let name = library.display().to_string();
        modules.extend(embedded_bitcode(&read(library)?).into_iter().map(|bytes| (name.clone(), bytes)));
    }
    let left_out = module.link_needed(&modules).map_err(reason)?;
    module.verify()?;
    let path = CString::new(product.display().to_string()).map_err(|error| error.to_string())?;
    if module.write_bitcode(&path) { Ok(left_out) } else { Err("it cannot be written".to_owned()) }
}
