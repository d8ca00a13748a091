//! Which modules a Fortran source defines and which it uses: compilers read those from files that the compilation of the others writes,
//! so that sources have an order.
//!
//! Statements are looked at, not parsed: a line whose first words are `module`, `submodule`, `use` or `include`. What a preprocessor would leave out
//! counts; at worst a source waits for one that it does not need.

use std::collections::{BTreeSet, HashMap};
use std::path::{Path, PathBuf};
use std::time::Instant;

use crate::compile::emit_ir;
use crate::{BuildError, BuildSpec, CompilationDatabase, Language, ProjectFlags};

/// What a source has to do with modules; names in lower case.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Modules {
    /// Modules that it defines; of submodules `ancestor:name`.
    pub(super) defined: BTreeSet<String>,
    /// Modules that it uses and does not define, ancestors of its submodules among them.
    pub(super) used: BTreeSet<String>,
    /// Files that it includes, as it names them.
    included: BTreeSet<String>,
}

impl Modules {
    /// Reads a source; one that cannot be read has nothing to do with any.
    pub(super) fn of(source: &Path) -> Modules {
        std::fs::read(source).map(|bytes| Modules::in_text(&String::from_utf8_lossy(&bytes))).unwrap_or_default()
    }

    fn in_text(text: &str) -> Modules {
        let mut found = Modules::default();
        for line in text.lines() {
            // A comment of the fixed form, or in the free form a statement that begins with none of the words.
            if line.starts_with(['c', 'C', '*']) {
                continue;
            }
            let code = line.split('!').next().unwrap_or_default();
            for statement in code.split(';') {
                found.statement(statement.trim());
            }
        }
        let defined = std::mem::take(&mut found.defined);
        found.used.retain(|name| !defined.contains(name));
        Modules { defined, ..found }
    }

    fn statement(&mut self, statement: &str) {
        let lower = statement.to_ascii_lowercase();
        let (word, rest) = first_word(&lower);
        match word {
            "module" => {
                let (name, after) = first_word(rest);
                if !name.is_empty() && after.is_empty() && name != "procedure" {
                    self.defined.insert(name.to_owned());
                }
            }
            "submodule" => {
                let Some((parents, name)) = rest.strip_prefix('(').and_then(|rest| rest.split_once(')')) else {
                    return;
                };
                let (name, _) = first_word(name.trim());
                let (ancestor, parent) = parents.split_once(':').unwrap_or((parents, ""));
                let (ancestor, parent) = (ancestor.trim(), parent.trim());
                self.used.insert(ancestor.to_owned());
                if !parent.is_empty() {
                    self.used.insert(format!("{ancestor}:{parent}"));
                }
                self.defined.insert(format!("{ancestor}:{name}"));
            }
            "use" => {
                let name = match rest.strip_prefix(',') {
                    Some(nature) if nature.trim_start().starts_with("intrinsic") => return,
                    Some(nature) => nature.split_once("::").map_or("", |(_, name)| name),
                    None => rest.trim_start_matches(':'),
                };
                let (name, _) = first_word(name.trim());
                if !name.is_empty() {
                    self.used.insert(name.to_owned());
                }
            }
            "include" | "#include" => {
                // Files have case, so the name is taken from the statement as it stands.
                let quoted = statement.split(['\'', '"']).nth(1);
                self.included.extend(quoted.map(str::to_owned));
            }
            _ => {}
        }
    }

    /// The files that its compilation reads beside it, as far as they are there: of the modules that others wrote into `folder`, and what it
    /// includes from its own folder.
    pub(super) fn files_read(&self, source: &Path, folder: &Path) -> Vec<PathBuf> {
        let modules = self.used.iter().map(|name| module_file(folder, name));
        let beside = source.parent().unwrap_or(Path::new("."));
        let included = self.included.iter().map(|name| beside.join(name));
        modules.chain(included).filter(|file| file.is_file()).collect()
    }

    /// The files of modules that its compilation writes beside the object; submodules' are read by nobody but other submodules.
    pub(super) fn files_written(&self, folder: &Path) -> Vec<PathBuf> {
        let modules = self.defined.iter().filter(|name| !name.contains(':'));
        modules.map(|name| module_file(folder, name)).collect()
    }
}

/// Has flang write the modules of a project into `folder` that a source of it uses, itself or through others: the project's own may be another compiler's. What
/// flang does not compile is missing there, and whoever needs it says so.
///
/// # Errors
///
/// The database names no source, or the deadline passed.
pub fn make_modules(
    database: &CompilationDatabase,
    source: &Path,
    spec: &BuildSpec,
    folder: &Path,
    deadline: Instant,
) -> Result<(), BuildError> {
    let own = Modules::of(source);
    if own.used.is_empty() {
        return Ok(());
    }
    let is_fortran = |(file, _): &(PathBuf, ProjectFlags)| matches!(Language::of(file), Ok(Language::Fortran));
    let sources: Vec<(PathBuf, ProjectFlags)> = database.sources()?.into_iter().filter(is_fortran).collect();
    let modules: Vec<Modules> = sources.iter().map(|(file, _)| Modules::of(file)).collect();
    let mut needed: BTreeSet<usize> = BTreeSet::new();
    let mut pending: Vec<&String> = own.used.iter().collect();
    while let Some(name) = pending.pop() {
        if let Some(index) = modules.iter().position(|of| of.defined.contains(name))
            && needed.insert(index)
        {
            pending.extend(&modules[index].used);
        }
    }
    let waves = waves(&modules.iter().collect::<Vec<_>>());
    let mut order: Vec<usize> = needed.into_iter().collect();
    order.sort_by_key(|index| waves[*index]);
    for index in order {
        let (file, flags) = &sources[index];
        let role = format!("modules_{index}");
        let spec = BuildSpec { role, common_flags: flags.flags.clone(), link: Vec::new(), ..spec.clone() };
        if let Err(error @ BuildError::TimedOut { .. }) = emit_ir(&spec, file, folder, deadline) {
            return Err(error);
        }
    }
    Ok(())
}

/// The file of a module, as flang names it.
fn module_file(folder: &Path, name: &str) -> PathBuf {
    folder.join(format!("{}.mod", name.replace(':', "-")))
}

/// The first word of a text and what follows it, without blanks between.
fn first_word(text: &str) -> (&str, &str) {
    let end = text.find(|c: char| !c.is_ascii_alphanumeric() && c != '_' && c != '#').unwrap_or(text.len());
    let (word, rest) = text.split_at(end);
    (word, rest.trim_start())
}

/// For each source the wave in which it can be compiled: one after the last of those that it needs a module of. Modules that use each other
/// in a circle, which no compiler takes, have some order.
pub(super) fn waves(sources: &[&Modules]) -> Vec<usize> {
    let mut definers: HashMap<&str, usize> = HashMap::new();
    for (index, modules) in sources.iter().enumerate() {
        for name in &modules.defined {
            definers.entry(name).or_insert(index);
        }
    }
    let needed = |index: usize| sources[index].used.iter().filter_map(|name| definers.get(name.as_str()).copied());
    let mut waves = vec![0; sources.len()];
    // A chain of uses is no longer than there are sources.
    for _ in 0..sources.len() {
        let mut changed = false;
        for index in 0..sources.len() {
            let wave = needed(index).filter(|other| *other != index).map(|other| waves[other] + 1).max().unwrap_or(0);
            if wave > waves[index] && wave < sources.len() {
                waves[index] = wave;
                changed = true;
            }
        }
        if !changed {
            break;
        }
    }
    waves
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(set: &BTreeSet<String>) -> Vec<&str> {
        set.iter().map(String::as_str).collect()
    }

    #[test]
    fn statements_of_modules() {
        let text = "\
! module none\n      MODULE Stats  ! use nothing\nuse, intrinsic :: iso_c_binding\nuse kinds, only: dp; use :: Units\n\
module procedure mean\nmodule function f(x)\nuse, non_intrinsic :: other\nuser = 1\ninclude 'Table.inc'\nuse stats\nend module\n\
submodule (stats:inner) deep\n";
        let found = Modules::in_text(text);
        assert_eq!(names(&found.defined), ["stats", "stats:deep"]);
        assert_eq!(names(&found.used), ["kinds", "other", "stats:inner", "units"]);
        assert_eq!(names(&found.included), ["Table.inc"]);
        let fixed = "c use a\nC     use b\n*     use d\n      use e\n";
        assert_eq!(names(&Modules::in_text(fixed).used), ["e"]);
    }

    #[test]
    fn users_come_after_what_they_use() {
        let texts = [
            "use b\nuse c\nend",
            "module b\nuse c\nend",
            "module c\nend",
            "end",
            "module x\nuse y\n",
            "module y\nuse x\n",
        ];
        let all: Vec<Modules> = texts.iter().map(|text| Modules::in_text(text)).collect();
        let waves = waves(&all.iter().collect::<Vec<_>>());
        assert_eq!(waves[..4], [2, 1, 0, 0]);
    }
}
