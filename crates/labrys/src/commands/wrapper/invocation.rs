//! What a compiler's command line compiles: each source, with the words that say how.

use std::ffi::OsString;
use std::path::Path;

use labrys_program::Language;

/// A source that was compiled.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Unit {
    /// As the command line names it.
    pub(super) source: String,
    /// The flags: neither sources, objects and libraries nor what is only for the linker.
    pub(super) flags: Vec<String>,
    /// The object, where the command line names it.
    pub(super) output: Option<String>,
}

/// Flags whose argument is the next word.
const VALUED: &str = "\
    -I -D -U -include -imacros -isystem -iquote -idirafter -iprefix -iwithprefix -iwithprefixbefore -isysroot --sysroot \
    -x -MF -MT -MQ -MJ -Xclang -Xflang -Xassembler -Xpreprocessor -mllvm -mmlir -target --param -arch -B -specs -wrapper \
    -aux-info -dumpdir -dumpbase -dumpbase-ext -J -module-dir -G -A -F -framework --config -resource-dir";

/// The same, of flags that are for the linker alone.
const VALUED_LINKING: &str = "-L -l -T -u -z -e -Xlinker -rpath -soname -h -R";

/// Flags for the linker alone.
const LINKING: &str = "-shared -static -rdynamic -pie -no-pie -static-pie -s -nostdlib -nodefaultlibs -nostartfiles";

/// With these nothing is compiled to an object.
const COMPILES_NOT: &str = "-E -S -M -MM -fsyntax-only -### --version -dumpversion -dumpmachine -dumpspecs --help -emit-llvm -emit-ast --analyze";

/// Sources of probes: autoconf's, CMake's, meson's. They are deleted as soon as the compiler has ended.
const PROBES: [&str; 4] = ["conftest", "CMakeTmp", "CMakeScratch", "meson-private"];

/// How deep response files may name others, and how large they may be, in bytes.
const RESPONSES: (usize, u64) = (8, 1 << 20);

/// The sources that a command line compiles to objects, in `directory`; those of probes are none.
pub(super) fn units(arguments: &[OsString], directory: &Path) -> Result<Vec<Unit>, String> {
    let mut words = Vec::with_capacity(arguments.len());
    for argument in arguments {
        let word = argument.to_str().ok_or("an argument is not UTF-8, which compile_commands.json is written in")?;
        expand(word, directory, RESPONSES.0, &mut words);
    }
    if words.iter().any(|word| listed(COMPILES_NOT, word)) {
        return Ok(Vec::new());
    }
    let (mut flags, mut sources, mut output) = (Vec::new(), Vec::new(), None);
    let (mut only_files, mut links) = (false, true);
    let mut rest = words.into_iter();
    while let Some(word) = rest.next() {
        if only_files || !word.starts_with('-') || word == "-" {
            sources.push(word);
        } else if word == "--" {
            only_files = true;
        } else if word == "-o" {
            output = rest.next();
        } else if let Some(joined) = word.strip_prefix("-o").filter(|_| !word.starts_with("-objc")) {
            output = Some(joined.to_owned());
        } else if listed(VALUED, &word) {
            flags.push(word);
            flags.extend(rest.next());
        } else if listed(VALUED_LINKING, &word) {
            rest.next();
        } else if word == "-c" {
            links = false;
        } else if !is_for_the_linker(&word) {
            flags.push(word);
        }
    }
    // What is thrown away is a build system's question.
    if sources.iter().any(|file| file == "-") && output.as_deref() != Some("/dev/null") {
        return Err("the source stands on standard input: no file has it that could be compiled again".to_owned());
    }
    sources.retain(|file| is_source(file, directory));
    // With several sources the output is the program's, and objects are in no file that stays: as gcc calls them, so that they take nobody's place.
    let only = sources.len() == 1;
    let of = |source: String| {
        let output = match (&output, Path::new(&source).file_stem()) {
            (Some(output), _) if only => Some(output.clone()),
            (program, Some(stem)) if links => {
                Some(format!("{}-{}.o", program.as_deref().unwrap_or("a.out"), stem.to_string_lossy()))
            }
            _ => None,
        };
        Unit { source, flags: flags.clone(), output }
    };
    Ok(sources.into_iter().map(of).collect())
}

fn is_for_the_linker(word: &str) -> bool {
    listed(LINKING, word) || ["-Wl,", "-L", "-l", "-fuse-ld="].iter().any(|beginning| word.starts_with(beginning))
}

/// Whether a file is a source that is still there and no probe.
fn is_source(file: &str, directory: &Path) -> bool {
    let path = directory.join(file);
    let is_compiled = matches!(Language::of(&path), Ok(Language::C | Language::Cpp | Language::Fortran));
    let is_probe = path.components().any(|part| {
        let part = part.as_os_str().to_string_lossy();
        PROBES
            .iter()
            .any(|probe| part == *probe || part.strip_prefix(probe).is_some_and(|rest| rest.starts_with(['.', '-'])))
    });
    is_compiled && !is_probe && path.is_file()
}

/// A word, or the words of the response file that it names.
fn expand(word: &str, directory: &Path, depth: usize, words: &mut Vec<String>) {
    let named = word.strip_prefix('@').map(|name| directory.join(name));
    let text = named.filter(|_| depth > 0).filter(|path| path.metadata().is_ok_and(|of| of.len() <= RESPONSES.1));
    match text.and_then(|path| std::fs::read_to_string(path).ok()) {
        Some(text) => split(&text).iter().for_each(|word| expand(word, directory, depth - 1, words)),
        None => words.push(word.to_owned()),
    }
}

/// The words of a response file: between white space; quotation marks of both kinds hold blanks; a backslash takes the next character as it is.
fn split(text: &str) -> Vec<String> {
    let (mut words, mut word, mut quote) = (Vec::new(), None::<String>, None);
    let mut rest = text.chars();
    while let Some(c) = rest.next() {
        match (c, quote) {
            ('\\', _) => word.get_or_insert_default().extend(rest.next()),
            (c, Some(open)) if c == open => quote = None,
            ('"' | '\'', None) => {
                quote = Some(c);
                word.get_or_insert_default();
            }
            (c, None) if c.is_whitespace() => words.extend(word.take()),
            (c, _) => word.get_or_insert_default().push(c),
        }
    }
    words.extend(word);
    words
}

/// Whether a list separated by blanks has a word.
fn listed(list: &str, word: &str) -> bool {
    list.split_ascii_whitespace().any(|known| known == word)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn units_of(line: &str, directory: &Path) -> Vec<Unit> {
        let words: Vec<OsString> = shlex::split(line).expect("words").into_iter().map(OsString::from).collect();
        units(&words, directory).expect("UTF-8")
    }

    fn unit(source: &str, flags: &[&str], output: Option<&str>) -> Unit {
        let flags = flags.iter().map(|flag| (*flag).to_owned()).collect();
        Unit { source: source.to_owned(), flags, output: output.map(str::to_owned) }
    }

    #[test]
    fn command_lines_of_builds() {
        let folder = tempfile::tempdir().expect("a folder");
        for name in ["a.c", "b.cpp", "m.F90", "conftest.c", "x.s", "with blank.c"] {
            std::fs::write(folder.path().join(name), "").expect("a file");
        }
        std::fs::write(folder.path().join("args"), "-DA='1 2'\n\"-DB=\\\"x\\\"\" with\\ blank.c @more")
            .expect("a file");
        std::fs::write(folder.path().join("more"), "-O3").expect("a file");
        for (line, expected) in [
            ("-c -O2 a.c -o out/a.o", vec![unit("a.c", &["-O2"], Some("out/a.o"))]),
            (
                "-oa.o -c a.c -MD -MF a.d -MT a.o -I inc",
                vec![unit("a.c", &["-MD", "-MF", "a.d", "-MT", "a.o", "-I", "inc"], Some("a.o"))],
            ),
            (
                "-O1 a.c b.cpp x.o -L. -L lib -lm -Wl,-rpath,/x -shared -o prog",
                vec![unit("a.c", &["-O1"], Some("prog-a.o")), unit("b.cpp", &["-O1"], Some("prog-b.o"))],
            ),
            ("a.o b.o -o prog -lm", vec![]),
            ("-E a.c", vec![]),
            ("-M a.c", vec![]),
            ("--version", vec![]),
            ("-x c -c - -o /dev/null", vec![]),
            ("-x c -E -", vec![]),
            ("-c x.s", vec![]),
            ("-c gone.c", vec![]),
            ("-c conftest.c -o conftest.o", vec![]),
            ("-c @args", vec![unit("with blank.c", &["-DA=1 2", "-DB=\"x\"", "-O3"], None)]),
            ("-c @missing a.c", vec![unit("a.c", &[], None)]),
            ("-J mods -c m.F90 -- ", vec![unit("m.F90", &["-J", "mods"], None)]),
            ("-D a.c -c b.cpp", vec![unit("b.cpp", &["-D", "a.c"], None)]),
            ("", vec![]),
        ] {
            assert_eq!(units_of(line, folder.path()), expected, "{line}");
        }
        let stdin: Vec<OsString> = ["-x", "c", "-c", "-"].map(OsString::from).to_vec();
        assert!(units(&stdin, folder.path()).is_err_and(|why| why.contains("standard input")));
    }
}
