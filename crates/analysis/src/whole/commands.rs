//! Commands that build a C file of tests with the program that it runs.

use std::path::{Path, PathBuf};

use labrys_report::absolute_flags;

/// What a file of tests calls the program's own `main`.
pub const PROGRAM_MAIN: &str = "labrys_program_main";

/// Has the linker call the file's `main` where the program's stands, and that where the file calls it.
const WRAP_MAIN: &str = "-Dmain=__wrap_main -Dlabrys_program_main=__real_main -Wl,--wrap=main";

/// How a program is built for a file of tests.
#[derive(Clone, Debug)]
pub struct TestBuild {
    /// The compiler, as a user calls it.
    pub compiler: String,
    /// What links the program where that is not the compiler: C++'s, for its library.
    pub linker: Option<String>,
    /// The user's flags.
    pub flags: Vec<String>,
    /// The sources that are compiled by themselves.
    pub sources: Vec<PathBuf>,
    /// Whether the file of tests includes a source, and so is compiled with the user's flags.
    pub includes_source: bool,
    /// What their `main` is called.
    pub main: &'static str,
    /// Further flags of every command.
    pub extra: String,
    /// The folder with the headers that programs include, beside the file of tests; `None`: labrys is asked for it.
    pub headers: Option<&'static str>,
}

fn quoted(word: &str) -> String {
    shlex::try_quote(word).map_or_else(|_| word.to_owned(), |word| word.into_owned())
}

fn whole(path: &Path) -> PathBuf {
    path.canonicalize().unwrap_or_else(|_| path.to_owned())
}

impl TestBuild {
    /// The sources' paths, from anywhere.
    pub fn whole_sources(&self) -> Vec<PathBuf> {
        self.sources.iter().map(|source| whole(source)).collect()
    }

    /// The commands that make `name` of the C file `file`, and run it.
    pub fn commands(&self, file: &str, name: &str) -> Vec<String> {
        let mut lines = self.build_commands(("", file), name);
        lines.push(format!("./{name}"));
        lines
    }

    /// The commands that make `name` of the C file `file` in the folder that `here` stands for in a shell, with `/` at its end; empty for
    /// the current one.
    pub fn build_commands(&self, (here, file): (&str, &str), name: &str) -> Vec<String> {
        let (compiler, extra) = (&self.compiler, &self.extra);
        let flags = absolute_flags(&self.flags, &std::env::current_dir().unwrap_or_default());
        let flags: String = flags.iter().map(|flag| format!(" {}", quoted(flag))).collect();
        let mut lines = Vec::new();
        let include = match self.headers {
            Some(folder) => format!("{here}{folder}"),
            None => "\"$INCLUDE\"".to_owned(),
        };
        if self.sources.is_empty() {
            let include = self.headers.map(|_| format!(" -idirafter {include}")).unwrap_or_default();
            lines.push(format!("{compiler} -O0{flags} {extra}{include} {here}{file} -lm -o {name}"));
            return lines;
        }
        let sources: Vec<String> =
            self.whole_sources().iter().map(|source| quoted(&source.display().to_string())).collect();
        if self.headers.is_none() {
            lines.push("INCLUDE=$(labrys verify --print-include-dir)".to_owned());
        }
        // The linker gives the file's main the program's place: a main by another name does not return 0 at its end, has another symbol in C++, and
        // bitcode has no macros. One that nobody calls is set aside.
        let is_called = self.main == PROGRAM_MAIN;
        let aside = if is_called { String::new() } else { format!(" -Dmain={}", self.main) };
        lines.push(format!("{compiler} -O0{flags} {extra} -idirafter {include}{aside} -c {}", sources.join(" ")));
        let wrapped = if is_called { format!(" {WRAP_MAIN}") } else { String::new() };
        let own = if self.includes_source { format!(" -O0{flags} -idirafter {include}") } else { String::new() };
        let (linker, file) = match &self.linker {
            Some(linker) => (linker, format!("-x c {here}{file} -x none")),
            None => (compiler, format!("{here}{file}")),
        };
        lines.push(format!("{linker}{own} {extra}{wrapped} {file} {} -lm -o {name}", self.objects().join(" ")));
        lines
    }

    /// The objects that a compiler makes of the sources in the current folder.
    fn objects(&self) -> Vec<String> {
        let object =
            |source: &PathBuf| Path::new(source).with_extension("o").file_name().map(|name| name.display().to_string());
        self.sources.iter().filter_map(object).map(|name| quoted(&name)).collect()
    }
}
