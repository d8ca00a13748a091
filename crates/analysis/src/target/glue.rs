//! What takes the place of a function that cannot be driven as it is: a caller in its own language (`labrys_program::Glue`).

use std::path::{Path, PathBuf};

use labrys_program::{
    BuildError, Glue, Language, SignatureError, choose_function, cpp_caller, cpp_instance, fortran_caller,
    functions_in, may_define,
};

use crate::AnalysisError;
use crate::run::options::RunOptions;

/// How often something is made: an instance of a template, then what calls it.
pub const MOST: usize = 2;

/// A build that did not come to a function that can be driven.
pub struct Failed<'a> {
    /// What was asked.
    pub run: &'a RunOptions,
    /// The source.
    pub source: &'a Path,
    /// The shared object that was made, and where modules lie beside it.
    pub library: &'a Path,
    /// Why it cannot be driven.
    pub error: &'a AnalysisError,
}

/// What takes a function's place.
pub struct Instead {
    /// What to ask.
    pub run: RunOptions,
    /// A sentence for the report.
    pub remark: String,
    /// Whether it is only tried: the source may have no such function.
    is_trial: bool,
}

/// What to ask instead; `None` where nothing can be made for it, an error where that failed.
pub fn instead(failed: &Failed<'_>) -> Option<Result<Instead, AnalysisError>> {
    let Failed { run, source, library, error } = *failed;
    let AnalysisError::Function { error: why, .. } = error else { return None };
    let language =
        Language::of(source).ok().filter(|language| matches!(language, Language::Cpp | Language::Fortran))?;
    if run.signature.is_some() {
        return None;
    }
    let glue = glue(failed, why, language)?;
    let glue = match glue {
        Ok(glue) => glue,
        Err(reason) => {
            return Some(Err(AnalysisError::Usage(format!("{error}; no caller can be made for it: {reason}"))));
        }
    };
    let folder = run.output.as_deref().or(library.parent()).unwrap_or(Path::new("."));
    let is_trial = matches!(&**why, SignatureError::Unknown { name, .. } if !name.contains('<'));
    let instead = |file| Instead { run: asked_instead(run, &glue, file), remark: glue.remark.clone(), is_trial };
    Some(written(&glue, folder, source).map(instead))
}

impl Instead {
    /// What came of it, `again`. Where the source has no such function after all, what was wrong `before` is told.
    pub fn or_before<T>(
        &self,
        before: Result<T, AnalysisError>,
        again: Result<T, AnalysisError>,
    ) -> Result<T, AnalysisError> {
        let is_not_there = match &again {
            Err(AnalysisError::Build(error)) => matches!(error, BuildError::Refused { .. }),
            Err(AnalysisError::Function { error, .. }) => matches!(&**error, SignatureError::Unknown { .. }),
            _ => false,
        };
        match before {
            Err(before) if self.is_trial && is_not_there => {
                let _ = self.run.input.as_ref().map(std::fs::remove_file);
                Err(AnalysisError::Usage(format!(
                    "{before}; the source names one, but what is inline or defined in its class is compiled only where something uses it: use it there, \
                 or give its whole name, of a template with its arguments (NAME<double>)"
                )))
            }
            // Types that callers have made up are nobody's.
            Err(before) if again.as_ref().err().is_some_and(names_alias) => Err(before),
            _ => again,
        }
    }
}

/// Whether an error is of a type by a name that a caller in C++ gives it: `A0`.
fn names_alias(error: &AnalysisError) -> bool {
    let AnalysisError::Function { error, .. } = error else { return false };
    let (SignatureError::Parameter { ty, .. } | SignatureError::Result { ty, .. }) = &**error else { return false };
    ty.strip_prefix('A').is_some_and(|rest| !rest.is_empty() && rest.chars().all(|c| c.is_ascii_digit()))
}

fn glue(failed: &Failed<'_>, why: &SignatureError, language: Language) -> Option<Result<Glue, String>> {
    let Failed { run, source, library, .. } = *failed;
    let name = run.function.as_deref();
    match (why, language) {
        (SignatureError::Unknown { name, .. }, Language::Cpp) if run.input.is_none() => {
            let is_named = || std::fs::read(source).is_ok_and(|text| may_define(&String::from_utf8_lossy(&text), name));
            if !name.contains('<') && !is_named() {
                return None;
            }
            let full = source.canonicalize().unwrap_or_else(|_| source.to_owned());
            Some(cpp_instance(&full, name))
        }
        (SignatureError::Parameter { .. } | SignatureError::Result { .. } | SignatureError::Undescribed { .. }, _) => {
            let functions = functions_in(library).ok()?;
            let chosen = choose_function(&functions, name).ok()?;
            let needs_object = matches!(why, SignatureError::Parameter { parameter, .. } if parameter == "this");
            Some(match language {
                Language::Cpp => {
                    let full = source.canonicalize().unwrap_or_else(|_| source.to_owned());
                    cpp_caller(&full, library, chosen, &run.lengths, needs_object)
                }
                _ => fortran_caller(library.parent().unwrap_or(Path::new(".")), chosen, &run.lengths),
            })
        }
        _ => None,
    }
}

/// Writes what was made where commands of reproducers find it, or where it goes with the run.
fn written(glue: &Glue, folder: &Path, source: &Path) -> Result<PathBuf, AnalysisError> {
    let stem = source.file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default();
    let plain: String = glue.symbol.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).collect();
    let path = folder.join(format!("{stem}-{plain}.{}", glue.suffix));
    let unwritable = |error: std::io::Error| AnalysisError::Unreadable {
        path: path.clone(),
        reason: format!("cannot be written: {error}"),
    };
    std::fs::create_dir_all(folder).map_err(unwritable)?;
    std::fs::write(&path, &glue.text).map_err(unwritable)?;
    Ok(path)
}

fn asked_instead(run: &RunOptions, glue: &Glue, file: PathBuf) -> RunOptions {
    let mut run = run.clone();
    run.function = Some(glue.symbol.clone());
    run.lengths.extend(glue.lengths.iter().cloned());
    if glue.includes_source {
        run.input = Some(file);
    } else {
        run.link.push(file);
    }
    run
}
