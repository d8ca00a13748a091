//! A finding as files: its input as `.ktest`, and a C file that runs the program on it.

use labrys_testcase::{Ktest, RegressionTest, TestInput, regression_file};

use super::building::BuiltProgram;
use super::request::Request;
use crate::run::recipe::Artifact;

/// `ID.ktest`, and `ID.c` where the program is entered at `main`.
pub(super) fn artifacts(request: &Request, built: &BuiltProgram, id: &str, input: &TestInput) -> Vec<Artifact> {
    let ktest = Artifact { name: format!("{id}.ktest"), contents: Ktest::of("program", input).to_bytes() };
    let mut files = vec![ktest];
    if built.is_entered_at_main() {
        let test = RegressionTest { name: id.to_owned(), input: input.clone(), exit_code: None, outputs: Vec::new() };
        let sanitizers = "-g -fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer";
        let text = regression_file(&[test], &commands(request, built, &format!("{id}.c"), id, sanitizers));
        files.push(Artifact { name: format!("{id}.c"), contents: text.into_bytes() });
    }
    files
}

/// The commands that build and run a regression file.
pub(super) fn commands(request: &Request, built: &BuiltProgram, file: &str, name: &str, extra: &str) -> Vec<String> {
    let quoted = |word: &str| shlex::try_quote(word).map_or_else(|_| word.to_owned(), |word| word.into_owned());
    let sources: Vec<String> = request
        .sources
        .iter()
        .map(|source| quoted(&source.canonicalize().unwrap_or_else(|_| source.clone()).display().to_string()))
        .collect();
    let compiler = &built.driver;
    let flags: Vec<String> = request.flags.iter().map(|flag| quoted(flag)).collect();
    let flags = if flags.is_empty() { String::new() } else { format!(" {}", flags.join(" ")) };
    vec![
        "INCLUDE=$(labrys verify --print-include-dir)".to_owned(),
        format!(
            "{compiler} -O0{flags} {extra} -idirafter \"$INCLUDE\" -Dmain=labrys_program_main -c {}",
            sources.join(" ")
        ),
        format!("{compiler} {extra} {file} {} -lm -o {name}", objects(request)),
        format!("./{name}"),
    ]
}

/// The objects that a compiler makes of the sources in the current folder.
fn objects(request: &Request) -> String {
    let object =
        |source: &std::path::PathBuf| source.with_extension("o").file_name().map(|name| name.display().to_string());
    request.sources.iter().filter_map(object).collect::<Vec<_>>().join(" ")
}
