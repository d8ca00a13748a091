//! Commands that build a C file of tests with the program that it runs.

use std::path::{Path, PathBuf};

/// How a program is built for a file of tests.
#[derive(Clone, Copy, Debug)]
pub struct TestBuild<'a> {
    /// The compiler, as a user calls it.
    pub compiler: &'a str,
    /// The user's flags.
    pub flags: &'a [String],
    /// The sources that are compiled by themselves.
    pub sources: &'a [PathBuf],
    /// What their `main` is called.
    pub main: &'a str,
    /// Further flags of every command.
    pub extra: &'a str,
}

impl TestBuild<'_> {
    /// The commands that make `name` of the C file `file`, and run it.
    pub fn commands(&self, file: &str, name: &str) -> Vec<String> {
        let quoted = |word: &str| shlex::try_quote(word).map_or_else(|_| word.to_owned(), |word| word.into_owned());
        let (compiler, extra) = (self.compiler, self.extra);
        let flags: String = self.flags.iter().map(|flag| format!(" {}", quoted(flag))).collect();
        let mut lines = Vec::new();
        if !self.sources.is_empty() {
            let whole = |source: &PathBuf| source.canonicalize().unwrap_or_else(|_| source.clone());
            let sources: Vec<String> =
                self.sources.iter().map(|source| quoted(&whole(source).display().to_string())).collect();
            lines.push("INCLUDE=$(labrys verify --print-include-dir)".to_owned());
            lines.push(format!(
                "{compiler} -O0{flags} {extra} -idirafter \"$INCLUDE\" -Dmain={} -c {}",
                self.main,
                sources.join(" ")
            ));
            lines.push(format!("{compiler} {extra} {file} {} -lm -o {name}", self.objects()));
        } else {
            lines.push(format!("{compiler} -O0{flags} {extra} {file} -lm -o {name}"));
        }
        lines.push(format!("./{name}"));
        lines
    }

    /// The objects that a compiler makes of the sources in the current folder.
    fn objects(&self) -> String {
        let object =
            |source: &PathBuf| Path::new(source).with_extension("o").file_name().map(|name| name.display().to_string());
        self.sources.iter().filter_map(object).collect::<Vec<_>>().join(" ")
    }
}
