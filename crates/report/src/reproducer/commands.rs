//! The first comment of a reproducer: what it shows, and the commands that show it. Lines with commands begin with `$`.

use std::borrow::Cow;

use super::subject::{Claim, Library, Reproducer, ReproducerBuild};
use crate::visible::visible;

/// A word for a shell that can stand in a comment of C. Quoted words are closed and reopened between `*` and `/`, which would
/// end the comment; control characters, of which a line break behind a backslash would let the two meet, are left to `printf`.
pub fn shell_word(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "_@%+=:,./-".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        return word.to_owned();
    }
    if matches!(visible(word), Cow::Borrowed(_)) {
        return format!("'{}'", word.replace('\'', "'\\''").replace("*/", "*''/"));
    }
    let byte = |byte: u8| match byte {
        byte if byte.is_ascii_alphanumeric() => char::from(byte).to_string(),
        byte => format!("\\{byte:03o}"),
    };
    // Line breaks at the end are lost; no flag or path that means anything ends so.
    format!("\"$(printf '{}')\"", word.bytes().map(byte).collect::<String>())
}

/// Words as one command.
fn command<'a>(words: impl IntoIterator<Item = &'a str>) -> String {
    words.into_iter().map(shell_word).collect::<Vec<_>>().join(" ")
}

/// Whether an executable's name is one of gcc's: `gcc`, `/usr/bin/gcc-12`, `x86_64-linux-gnu-g++`, and `cc`, which is gcc
/// on Debian; clang takes the flag that this decides on too.
fn is_gcc(compiler: &str) -> bool {
    let name = compiler.rsplit('/').next().unwrap_or(compiler);
    !name.contains("clang") && ["gcc", "g++", "cc", "c++"].iter().any(|of| name.contains(of))
}

/// Whether a source includes files by quoted names, which are looked for beside it.
fn includes_neighbours(text: &[u8]) -> bool {
    text.split(|byte| *byte == b'\n').any(|line| {
        let line = line.trim_ascii_start();
        let directive = line.strip_prefix(b"#").map(<[u8]>::trim_ascii_start);
        let rest = directive.and_then(|rest| rest.strip_prefix(b"include").or_else(|| rest.strip_prefix(b"embed")));
        // A macro's name may stand for a quoted one.
        rest.is_some_and(|rest| !rest.trim_ascii_start().starts_with(b"<"))
    })
}

impl Reproducer<'_> {
    /// The path of a build's shared object, as the program loads it.
    pub(super) fn library_path(&self, index: usize) -> String {
        let build = &self.builds[index];
        match build.library {
            Library::Embedded { .. } => format!("./{}.{}.so", self.finding.id, build.role),
            // Without a slash the dynamic linker would search its own folders.
            Library::Built { path, .. } | Library::Given { path } if path.contains('/') => path.to_owned(),
            Library::Built { path, .. } | Library::Given { path } => format!("./{path}"),
        }
    }

    /// The commands that make one build's library.
    fn library_commands(&self, index: usize) -> Vec<String> {
        let ReproducerBuild { library, .. } = &self.builds[index];
        match library {
            Library::Built { commands, .. } => commands.to_vec(),
            Library::Given { .. } => Vec::new(),
            Library::Embedded { text, compiler, flags, link, include, .. } => {
                let (object, source) = (self.library_path(index), format!("{}.c", self.finding.id));
                let mut words = vec![*compiler, "-shared", "-fPIC", "-Wl,-Bsymbolic"];
                words.extend(flags.iter().map(String::as_str));
                words.push("-g");
                if is_gcc(compiler) {
                    words.push("-fno-semantic-interposition");
                }
                if index == 1 && self.embedded_sources().len() > 1 {
                    words.push("-DLABRYS_VARIANT");
                }
                if let Some(folder) = include.filter(|_| includes_neighbours(text)) {
                    words.extend(["-iquote", folder]);
                }
                words.extend(["-o", object.as_str(), source.as_str()]);
                words.extend(link.iter().map(String::as_str));
                words.push("-lm");
                vec![command(words)]
            }
        }
    }

    /// All commands: the libraries, the program, its run.
    fn commands(&self) -> Vec<String> {
        let compiler = self.builds.iter().find_map(|build| match build.library {
            Library::Embedded { compiler, .. } => Some(compiler),
            _ => None,
        });
        let id = &self.finding.id;
        let (program, source) = (format!("./{id}.main"), format!("{id}.c"));
        let mut commands: Vec<String> = Vec::new();
        for made in (0..self.builds.len()).flat_map(|index| self.library_commands(index)) {
            if !commands.contains(&made) {
                commands.push(made);
            }
        }
        commands.push(command([
            compiler.unwrap_or("clang-22"),
            "-O0",
            "-DMAIN",
            "-o",
            program.as_str(),
            source.as_str(),
            "-ldl",
            "-lm",
        ]));
        commands.push(command([program.as_str()]));
        commands
    }

    /// The first comment.
    pub(super) fn comment(&self) -> String {
        let mut text = format!("/* {}: {}\n\n", harmless(&self.signature.name), harmless(&self.finding.summary));
        text.push_str(&format!(
            "   Found by labrys {}, finding {}. The witness:\n\n",
            self.report.version, self.finding.id
        ));
        for scalar in self.finding.inputs.iter().flat_map(crate::Value::scalars) {
            let [name, decimal, hex, bits] = [&scalar.name, &scalar.decimal, &scalar.hex, &scalar.bits]
                .map(|part| harmless(part.as_deref().unwrap_or_default()));
            text.push_str(&format!("     {name} = {decimal} ({hex}, {bits})\n"));
        }
        text.push_str(match self.claim {
            Claim::Difference { .. } => {
                "\n   Build both libraries and the program that compares them; it exits with 1 where they differ, else with 0:\n\n"
            }
            Claim::Exception(_) => {
                "\n   Build the library and the program that calls the function; it exits with 1 where the exception is raised, else\n   with 0:\n\n"
            }
            Claim::Error { .. } => {
                "\n   Build the library and the program that calls the function; it exits with 1 where the result is off by more than half\n   of what was observed, else with 0:\n\n"
            }
        });
        for command in self.commands() {
            text.push_str(&format!("     $ {command}\n"));
        }
        for build in self.builds.iter().filter(|build| self.begins_flushing(build.role)) {
            text.push_str(&format!(
                "\n   What is linked as the {} begins with subnormal numbers flushed to zero (start-up code of its flags): the program sets\n   that for its calls, whatever the library is built with.\n",
                harmless(build.role)
            ));
        }
        if self.only_trace_differs() {
            text.push_str(
                "\n   The builds differ in where they raise exceptions, not in which: the program can't see that and exits with 0.\n",
            );
        }
        text.push_str("*/\n");
        text
    }
}

/// Text that can't end the comment, nor begin a line of it.
pub(super) fn harmless(text: &str) -> String {
    visible(text).replace("*/", "* /")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_quoted_for_a_shell_and_a_comment() {
        assert_eq!(command(["cc", "-DN=8", "a b", ""]), "cc -DN=8 'a b' ''");
        assert_eq!(shell_word("it's"), "'it'\\''s'");
        assert_eq!(shell_word("-I*/x"), "'-I*''/x'");
        assert_eq!(harmless("*/ */"), "* / * /");
        // Taking the middle out of `**//` would leave what was taken out.
        assert_eq!(harmless("**//\n     $ rm\x1b"), "** //\\n     $ rm\\x1b");
        // After `*`, a backslash and a line break, `/` would end the comment.
        assert_eq!(shell_word("a*\\\n/"), "\"$(printf 'a\\052\\134\\012\\057')\"");
    }

    #[test]
    fn gcc_is_known_by_its_name() {
        assert!(["gcc", "/usr/bin/gcc-12", "x86_64-linux-gnu-g++", "cc"].into_iter().all(is_gcc));
        assert!(!is_gcc("clang-22") && !is_gcc("/usr/lib/gcc/clang++-22"));
    }

    #[test]
    fn quoted_includes_are_found() {
        assert!(includes_neighbours(b"int x;\n  #  include \"f.h\"\n") && includes_neighbours(b"#include HEADER"));
        assert!(!includes_neighbours(b"#include <math.h>\n// include \"f.h\"\n"));
    }
}
