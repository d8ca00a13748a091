//! The sources as an executable.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Instant;

use super::WholeSpec;
use crate::compile::{bounded, check_product, check_source, no_flag, output_file};
use crate::llvm::on_large_stack;
use crate::load::parse_file;
use crate::{BuildError, BuildSpec, Compiler, Language};

/// What is added to a program when it is compiled.
#[derive(Clone, Debug, Default)]
pub struct Instrumentation {
    /// Flags of every compilation and of the link: `-fsanitize=address`.
    pub flags: Vec<String>,
    /// Further flags of the user's sources alone.
    pub source_flags: Vec<String>,
    /// What LLVM calls a function to which a sanitizer is applied (`sanitize_address`): front ends write it, bitcode that is
    /// given need not have it.
    pub attribute: Option<&'static str>,
}

/// Compiles the sources with debug information, and with them `runtime`, a C file; `folder/NAME` is the executable.
///
/// # Errors
///
/// A source does not compile, a compiler is missing, the linker refuses, or the deadline passed.
pub fn build_executable(
    spec: &WholeSpec,
    instrumentation: &Instrumentation,
    runtime: &Path,
    (folder, name): (&Path, &str),
    deadline: Instant,
) -> Result<PathBuf, BuildError> {
    let mut objects = Vec::new();
    for (index, (source, language)) in spec.languages().enumerate() {
        let build = spec.of(language);
        check_source(source)?;
        let marked = match (language, instrumentation.attribute) {
            (Language::Ir, Some(attribute)) => Some(marked(source, attribute, folder, &format!("{name}-{index}"))?),
            _ => None,
        };
        let mut words: Vec<String> = build.user_flags();
        words.extend(["-g", "-fno-omit-frame-pointer"].map(str::to_owned));
        words.extend(instrumentation.source_flags.iter().cloned());
        if language == Language::Ir {
            words.push("-Wno-override-module".to_owned());
        }
        let object = Object { source: marked.as_deref().unwrap_or(source), words, name: format!("{name}-{index}") };
        objects.push(object.compile(&build, language, instrumentation, folder, deadline)?);
    }
    let c = spec.of(Language::C);
    let words = ["-O1", "-x", "c"].map(str::to_owned).to_vec();
    let object = Object { source: runtime, words, name: format!("{name}-runtime") };
    objects.push(object.compile(&c, Language::C, instrumentation, folder, deadline)?);
    link(spec, instrumentation, &objects, (folder, name), deadline)
}

/// One object to be compiled.
struct Object<'a> {
    source: &'a Path,
    words: Vec<String>,
    name: String,
}

impl Object<'_> {
    fn compile(
        &self,
        build: &BuildSpec,
        language: Language,
        instrumentation: &Instrumentation,
        folder: &Path,
        deadline: Instant,
    ) -> Result<PathBuf, BuildError> {
        let compiler = build.find_compiler(language, deadline)?;
        let product = output_file(folder, &self.name, "o")?;
        let mut command = Command::new(&compiler.executable);
        command.arg("-c").args(&self.words).args(&instrumentation.flags);
        command.arg(no_flag(self.source)).arg("-o").arg(&product);
        let finished = build.run(&mut command, &compiler.name, deadline)?;
        check_product(&finished, &product, build, &compiler, self.source)?;
        Ok(product)
    }
}

/// Links the objects by the driver of the sources' languages.
fn link(
    spec: &WholeSpec,
    instrumentation: &Instrumentation,
    objects: &[PathBuf],
    (folder, name): (&Path, &str),
    deadline: Instant,
) -> Result<PathBuf, BuildError> {
    let has = |wanted: Language| spec.languages().any(|(_, language)| language == wanted);
    let language =
        [Language::Fortran, Language::Cpp].into_iter().find(|language| has(*language)).unwrap_or(Language::C);
    let build = spec.of(language);
    let compiler: Compiler = build.find_compiler(language, deadline)?;
    let product = output_file(folder, name, "exe")?;
    let mut command = Command::new(&compiler.executable);
    command.args(build.user_flags()).args(&instrumentation.flags).args(objects).args(["-lm", "-o"]).arg(&product);
    let finished = build.run(&mut command, &compiler.name, deadline)?;
    if !finished.status.success() {
        return Err(BuildError::Refused {
            compiler: compiler.version,
            path: spec.sources.first().cloned().unwrap_or_default(),
            role: "executable".to_owned(),
            words: bounded(&finished.stderr),
        });
    }
    Ok(product)
}

/// A copy of bitcode or textual IR whose functions have an attribute.
fn marked(source: &Path, attribute: &str, folder: &Path, name: &str) -> Result<PathBuf, BuildError> {
    let product = output_file(folder, name, "bc")?;
    let unreadable =
        |reason: String| BuildError::Source { path: source.to_owned(), source: std::io::Error::other(reason) };
    let written = on_large_stack(|| {
        let module = parse_file(source).map_err(|error| error.to_string())?;
        module.add_to_functions(attribute);
        let path = std::ffi::CString::new(product.display().to_string()).map_err(|error| error.to_string())?;
        if module.write_bitcode(&path) { Ok(()) } else { Err("its copy cannot be written".to_owned()) }
    });
    written.unwrap_or_else(|error| Err(error.to_string())).map_err(unreadable)?;
    Ok(product)
}
