//! The sources of a compilation database: which go into the library, and what each is called.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use super::error::LibraryError;
use super::fortran_modules::{Modules, waves};
use super::options::LibraryOptions;
use super::unit::{self, Unit};
use crate::compile::{check_source, control_spec};
use crate::{BuildSpec, Language, ProjectFlags};

/// One unit for each source whose language has objects that can be linked with the others.
pub(super) fn units(
    sources: Vec<(PathBuf, ProjectFlags)>,
    options: &LibraryOptions,
    folder: &Path,
    notes: &mut Vec<String>,
) -> Result<Vec<Unit>, LibraryError> {
    let labels = labels(sources.iter().map(|(source, _)| source.as_path()));
    let mut units = Vec::new();
    for ((source, project), label) in sources.into_iter().zip(labels) {
        let language = match Language::of(&source) {
            Ok(language @ (Language::C | Language::Cpp | Language::Fortran)) => language,
            Ok(other) => {
                notes.push(format!("{label} is left out: libraries of {} are not supported", other.name()));
                continue;
            }
            Err(error) => {
                notes.push(format!("{label} is left out: {error}"));
                continue;
            }
        };
        if let Err(error) = check_source(&source) {
            notes.push(format!("{label} is left out: {error}"));
            continue;
        }
        // Two sources of one name are told apart by their paths.
        let hash = unit::hex(source.as_os_str().as_encoded_bytes());
        let stem = source.file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default();
        let spec = BuildSpec {
            role: format!("{stem}_{}", &hash[..8]).replace(|c: char| !c.is_ascii_alphanumeric(), "_"),
            compiler: options.compiler.clone().unwrap_or_else(|| language.default_compiler().to_owned()),
            flags: options.flags.clone(),
            common_flags: project.flags.iter().chain(&options.common_flags).cloned().collect(),
            link: Vec::new(),
            origin: options.origin,
            of_crate: None,
        };
        let spec = match options.is_control {
            true => BuildSpec { role: spec.role.clone(), ..control_spec(&spec, language) },
            false => spec,
        };
        notes.extend(project.notes);
        let modules = if language == Language::Fortran { Modules::of(&source) } else { Modules::default() };
        units.push(Unit { source, language, label, spec, folder: folder.join("units"), modules, wave: 0 });
    }
    let found = waves(&units.iter().map(|unit| &unit.modules).collect::<Vec<_>>());
    units.iter_mut().zip(found).for_each(|(unit, wave)| unit.wave = wave);
    if units.is_empty() { Err(LibraryError::NoSources { notes: notes.clone() }) } else { Ok(units) }
}

/// The shortest ends of paths, in whole components, that differ from each other.
fn labels<'s>(sources: impl Iterator<Item = &'s Path> + Clone) -> Vec<String> {
    let tail = |path: &Path, count: usize| -> String {
        let parts: Vec<_> =
            path.components().rev().take(count).map(|part| part.as_os_str().to_string_lossy()).collect();
        parts.into_iter().rev().collect::<Vec<_>>().join("/")
    };
    let mut lengths: Vec<usize> = sources.clone().map(|_| 1).collect();
    loop {
        let labels: Vec<String> = sources.clone().zip(&lengths).map(|(path, count)| tail(path, *count)).collect();
        let mut users: BTreeMap<&String, Vec<usize>> = BTreeMap::new();
        for (index, label) in labels.iter().enumerate() {
            users.entry(label).or_default().push(index);
        }
        let mut grown = false;
        for (index, path) in sources.clone().enumerate() {
            let is_shared = users.get(&labels[index]).is_some_and(|users| users.len() > 1);
            if is_shared && lengths[index] < path.components().count() {
                lengths[index] += 1;
                grown = true;
            }
        }
        if !grown {
            return labels;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_are_as_short_as_can_be() {
        let paths = ["/p/a/x.c", "/p/b/x.c", "/p/b/y.c", "/q/b/y.c"].map(Path::new);
        assert_eq!(labels(paths.into_iter()), ["a/x.c", "b/x.c", "p/b/y.c", "q/b/y.c"]);
    }
}
