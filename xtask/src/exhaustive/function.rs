//! The functions that are looked at, and how they are compiled.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};

use crate::corpus::{Libm, complete, libm_folder};

/// One a line: where it is from, its name, its sources, the first of which has it, a build's flags if it is not
/// -O0, and an interval of `x` if it is not every float.
const FUNCTIONS: &str = include_str!("../../exhaustive/functions.txt");

/// The compiler: labrys' first choice.
pub const COMPILER: &str = "clang-22";

/// A function of one float.
#[derive(Debug)]
pub struct Function {
    /// Its name in the shared object.
    pub name: String,
    /// The folder that it is compiled in.
    pub folder: PathBuf,
    /// Its sources, the first one its own.
    pub sources: Vec<String>,
    /// The build's flags.
    pub build: String,
    /// Flags for every build.
    pub flags: Vec<String>,
    /// The interval that its argument `x` lies in, as the list has it: `-10..10`.
    pub range: Option<String>,
}

impl Function {
    /// Its name, and what sets it apart from others of that name.
    pub fn title(&self) -> String {
        let build = if self.build == "-O0" { String::new() } else { format!(" {}", self.build) };
        let range = self.range.as_ref().map_or_else(String::new, |range| format!(" on {range}"));
        format!("{}{build}{range}", self.name)
    }

    /// Compiles it as labrys does, into a folder.
    pub fn build(&self, folder: &Path) -> Result<PathBuf> {
        fs::create_dir_all(folder)?;
        let library = folder.join(format!("{}{}.so", self.name, self.build.replace(' ', "")));
        let mut command = Command::new(COMPILER);
        command.current_dir(&self.folder).args(["-shared", "-fPIC"]).args(&self.flags).args(self.build.split(' '));
        command.arg("-g").args(&self.sources).args(["-lm", "-o"]).arg(&library);
        complete(&mut command).with_context(|| format!("cannot build {}", self.name))?;
        Ok(library)
    }
}

/// All functions of the list; fetches the sources of those that are not our own.
pub fn all(root: &Path) -> Result<Vec<Function>> {
    let folders = [Libm::Musl, Libm::Newlib].map(|libm| libm_folder(root, libm).map(|folder| (libm, folder)));
    let [musl, newlib] = folders;
    let folders = [musl?, newlib?];
    FUNCTIONS.lines().map(|line| parse(root, &folders, line)).collect()
}

fn parse(root: &Path, folders: &[(Libm, PathBuf)], line: &str) -> Result<Function> {
    let mut words = line.split(' ');
    let (Some(origin), Some(name)) = (words.next(), words.next()) else { bail!("not a function: {line}") };
    let (mut flags, mut sources, mut range) = (Vec::new(), Vec::new(), None);
    for word in words {
        match word.strip_prefix("x=") {
            Some(interval) => range = Some(interval.to_owned()),
            None if word.starts_with('-') => flags.push(word.to_owned()),
            None => sources.push(word.to_owned()),
        }
    }
    let build = if flags.is_empty() { "-O0".to_owned() } else { flags.join(" ") };
    let Some((libm, folder)) = folders.iter().find(|(libm, _)| libm.name() == origin) else {
        let folder = root.join("xtask/exhaustive");
        let sources = sources.iter().map(|source| format!("{source}.c")).collect();
        return Ok(Function { name: name.to_owned(), folder, sources, build, flags: Vec::new(), range });
    };
    let flags = libm.flags(folder, name, &sources)?;
    let sources = sources.iter().map(|source| libm.source(source)).collect();
    Ok(Function { name: libm.renamed(name), folder: folder.clone(), sources, build, flags, range })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_list_has_enough_functions_and_none_twice() {
        let mut names: Vec<&str> = FUNCTIONS.lines().collect();
        let count = names.len();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), count);
        assert!(count >= 60);
    }

    #[test]
    fn our_own_functions_are_where_the_list_says() {
        let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("..");
        for line in FUNCTIONS.lines().filter(|line| line.starts_with("own ")) {
            let function = parse(&folder, &[], line).expect("the list is well formed");
            let source = fs::read_to_string(function.folder.join(&function.sources[0])).expect("the source is there");
            assert!(source.contains(&format!(" {}(float x) {{", function.name)), "{line}");
        }
    }
}
