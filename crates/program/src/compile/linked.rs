//! The IR of a build: that of its source, linked with that of the sources among what it is linked with.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Instant;

use super::bitcode::emit_one;
use super::shared::output_file;
use super::{BuildError, BuildSpec, Language};
use crate::llvm::{Module, ParseError, on_large_stack};
use crate::package::crate_bitcode;

/// Makes the LLVM bitcode of `source` under the build's flags in `out_dir`, optimised as the flags say and with debug
/// information. Returns its path and notes for the report. For a `.bc` it is the file itself.
///
/// Where the build is linked with sources or IR (`BuildSpec::link`), theirs is linked in, so that calls of what they define
/// can be followed. Objects and libraries have no IR; what they define is seen on native code only.
///
/// # Errors
///
/// As [`crate::build_shared`]; a `.so` has no IR and is [`BuildError::WrongCompiler`].
pub fn emit_ir(
    spec: &BuildSpec,
    source: &Path,
    out_dir: &Path,
    deadline: Instant,
) -> Result<(PathBuf, Vec<String>), BuildError> {
    if let Some(of) = &spec.of_crate {
        return crate_bitcode(spec, of, out_dir, deadline);
    }
    let (bitcode, mut notes) = emit_one(&spec.role, spec, &[], source, out_dir, deadline)?;
    let mut others = Vec::new();
    for (index, file) in spec.link.iter().filter(|file| has_ir(file)).enumerate() {
        match emit_one(&format!("{}-{}", spec.role, index + 1), spec, &[], file, out_dir, deadline) {
            Ok((other, more)) => {
                let new: Vec<String> = more.into_iter().filter(|note| !notes.contains(note)).collect();
                notes.extend(new);
                others.push((file, other));
            }
            Err(error @ BuildError::TimedOut { .. }) => return Err(error),
            // The native code is there all the same, or says better what is wrong.
            Err(error) => notes.push(format!("{}: the IR of {} is left out: {error}", spec.role, file.display())),
        }
    }
    if others.is_empty() {
        return Ok((bitcode, notes));
    }
    let product = output_file(out_dir, &format!("{}-linked", spec.role), "bc")?;
    match on_large_stack(|| link(&bitcode, &others, &product)) {
        Ok(Ok(left_out)) => {
            notes.extend(left_out.into_iter().map(|why| format!("{}: {why}", spec.role)));
            Ok((product, notes))
        }
        // The source's own IR is worth having without the others'.
        Ok(Err(why)) => {
            notes.push(format!("{}: the IR of what is linked is left out: {why}", spec.role));
            Ok((bitcode, notes))
        }
        Err(source) => Err(BuildError::Source { path: bitcode, source }),
    }
}

/// Whether a file that is linked is one that clang or flang makes IR of.
fn has_ir(file: &Path) -> bool {
    matches!(Language::of(file), Ok(Language::C | Language::Cpp | Language::Fortran | Language::Ir))
}

/// Writes the modules as one. Returns why some were left out, or why there is no product.
fn link(first: &Path, others: &[(&PathBuf, PathBuf)], product: &Path) -> Result<Vec<String>, String> {
    let read = |path: &Path| fs::read(path).map_err(|error| format!("{}: {error}", path.display()));
    let reason = |error: ParseError| match error {
        ParseError::Malformed(why) | ParseError::Invalid(why) => why,
    };
    let mut module = Module::parse(&read(first)?, &first.display().to_string()).map_err(reason)?;
    let mut left_out = Vec::new();
    for (file, bitcode) in others {
        if let Err(error) = module.link(&read(bitcode)?, &bitcode.display().to_string(), &|_| None) {
            left_out.push(format!("the IR of {} is left out: {}", file.display(), reason(error)));
        }
    }
    module.verify()?;
    let path = std::ffi::CString::new(product.display().to_string()).map_err(|error| error.to_string())?;
    if module.write_bitcode(&path) { Ok(left_out) } else { Err("it cannot be written".to_owned()) }
}
