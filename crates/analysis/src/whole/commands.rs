//! Commands that build a C file of tests with the program that it runs.

use std::path::{Path, PathBuf};
use std::time::Instant;

use labrys_program::{BuildError, Language, WholeSpec, is_of_fortran_alone, runtime_words};
use labrys_report::absolute_flags;

/// What a file of tests calls the program's own `main`.
pub const PROGRAM_MAIN: &str = "labrys_program_main";

/// Has the linker call the file's `main` where the program's stands, and that where the file calls it: the file's compilation, and the link.
const MAIN_OF_WRAPPED: &str = "-Dmain=__wrap_main -Dlabrys_program_main=__real_main";
const WRAP: &str = "-Wl,--wrap=main";

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
    /// Commands for sources in languages that a C compiler does not take, up to the product's name and the source.
    pub own: Vec<(Language, Vec<String>)>,
    /// The folder with the headers that programs include, beside the file of tests; `None`: labrys is asked for it.
    pub headers: Option<&'static str>,
}

fn quoted(word: &str) -> String {
    shlex::try_quote(word).map_or_else(|_| word.to_owned(), |word| word.into_owned())
}

fn whole(path: &Path) -> PathBuf {
    path.canonicalize().unwrap_or_else(|_| path.to_owned())
}

/// A command's words, from any folder, for a shell.
fn own_words(words: &[String]) -> String {
    let words = absolute_flags(words, &std::env::current_dir().unwrap_or_default());
    let words: Vec<String> = words.iter().map(|word| quoted(word)).collect();
    words.join(" ")
}

/// The commands of a program's sources in languages that a C compiler does not take.
///
/// # Errors
///
/// A compiler is missing.
pub fn own_commands(spec: &WholeSpec, deadline: Instant) -> Result<Vec<(Language, Vec<String>)>, BuildError> {
    let mut found: Vec<(Language, Vec<String>)> = Vec::new();
    for (_, language) in spec.languages() {
        if !found.iter().any(|(of, _)| *of == language)
            && let Some(words) = spec.own_command(language, deadline)?
        {
            found.push((language, words));
        }
    }
    Ok(found)
}

impl TestBuild {
    /// What compiles a source that is not a C compiler's.
    fn own_of(&self, source: &Path) -> Option<(Language, &[String])> {
        let language = Language::of(source).ok()?;
        self.own.iter().find(|(of, _)| *of == language).map(|(of, words)| (*of, words.as_slice()))
    }

    /// Whether the program's `main` is a crate's: rustc links it.
    fn is_crate(&self) -> bool {
        self.main == PROGRAM_MAIN && self.own.iter().any(|(of, _)| *of == Language::Rust)
    }

    /// The commands for sources that are not a C compiler's, but for what links a crate; `include` is the folder with the headers.
    fn own_lines(&self, include: &str) -> Vec<String> {
        let mut lines = Vec::new();
        let fortran = self.own.iter().find(|(of, _)| *of == Language::Fortran);
        if let (Some((_, words)), true) = (fortran, self.main == PROGRAM_MAIN) {
            lines.push(format!("{} -fsyntax-only {include}/verifier.f90", quoted(&words[0])));
        }
        for source in self.whole_sources() {
            let Some((language, words)) = self.own_of(&source) else { continue };
            if language == Language::Rust && self.is_crate() {
                continue;
            }
            let product = self.product(&source);
            lines.push(format!("{} -o {product} {}", own_words(words), quoted(&source.display().to_string())));
            if language == Language::Fortran && self.main != PROGRAM_MAIN {
                lines.push(format!("objcopy --redefine-sym main={} {product}", self.main));
            }
        }
        lines
    }

    /// The commands that link a crate that has the program's `main`, and what else it is made of, with the file of tests.
    fn crate_lines(&self, file: &str, name: &str) -> Vec<String> {
        let (compiler, extra) = (&self.compiler, &self.extra);
        let mut lines =
            vec![format!("{compiler} {extra} {MAIN_OF_WRAPPED} -DLABRYS_EXIT_PANIC=101 -c {file} -o {name}.o")];
        let whole = self.whole_sources();
        let is_crate = |source: &&PathBuf| self.own_of(source).is_some_and(|(of, _)| of == Language::Rust);
        let objects = whole.iter().filter(|source| !is_crate(source)).map(|source| self.product(source));
        let words = extra.split_whitespace().map(str::to_owned).chain([format!("{name}.o")]).chain(objects);
        let words: String =
            words.chain([WRAP, "-lm"].map(str::to_owned)).map(|word| format!(" -C link-arg={word}")).collect();
        let linker = self.linker.as_ref().unwrap_or(compiler);
        for source in whole.iter().filter(is_crate) {
            let Some((_, own)) = self.own_of(source) else { continue };
            let source = quoted(&source.display().to_string());
            lines.push(format!("{} -C linker={linker}{words} -o {name} {source}", own_words(own)));
        }
        lines
    }

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
        // Those of Fortran alone are in its own commands.
        let has_fortran = self.own.iter().any(|(of, _)| *of == Language::Fortran);
        let of_c = flags.iter().filter(|flag| !has_fortran || !is_of_fortran_alone(flag));
        let flags: String = of_c.map(|flag| format!(" {}", quoted(flag))).collect();
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
        let whole = self.whole_sources();
        let of_c = whole.iter().filter(|source| self.own_of(source).is_none());
        let sources: Vec<String> = of_c.map(|source| quoted(&source.display().to_string())).collect();
        // rustc's flags are no C compiler's.
        let flags = if self.own.iter().any(|(of, _)| *of == Language::Rust) { String::new() } else { flags };
        if self.headers.is_none() {
            lines.push("INCLUDE=$(labrys verify --print-include-dir)".to_owned());
        }
        // The linker gives the file's main the program's place: a main by another name does not return 0 at its end, has another symbol in C++, and
        // bitcode has no macros. One that nobody calls is set aside.
        let is_called = self.main == PROGRAM_MAIN;
        let aside = if is_called { String::new() } else { format!(" -Dmain={}", self.main) };
        if !sources.is_empty() {
            lines.push(format!("{compiler} -O0{flags} {extra} -idirafter {include}{aside} -c {}", sources.join(" ")));
        }
        lines.extend(self.own_lines(&include));
        if self.is_crate() {
            lines.extend(self.crate_lines(&format!("{here}{file}"), name));
            return lines;
        }
        let wrapped = if is_called { format!(" {MAIN_OF_WRAPPED} {WRAP}") } else { String::new() };
        let own = if self.includes_source { format!(" -O0{flags} -idirafter {include}") } else { String::new() };
        let (linker, file) = match &self.linker {
            Some(linker) => (linker, format!("-x c {here}{file} -x none")),
            None => (compiler, format!("{here}{file}")),
        };
        let objects: Vec<String> = whole.iter().map(|source| self.product(source)).collect();
        let runtimes: String =
            self.own.iter().map(|(language, _)| format!(" {}", runtime_words(*language, compiler))).collect();
        lines.push(format!("{linker}{own} {extra}{wrapped} {file} {}{runtimes} -lm -o {name}", objects.join(" ")));
        lines
    }

    /// What a compiler makes of a source in the current folder: an object, or an archive of a crate.
    fn product(&self, source: &Path) -> String {
        let is_crate = self.own_of(source).is_some_and(|(language, _)| language == Language::Rust);
        let made = source.with_extension(if is_crate { "a" } else { "o" });
        quoted(&made.file_name().unwrap_or_default().display().to_string())
    }
}
