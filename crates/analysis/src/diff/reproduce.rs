//! Reproducers: what each finding's ID.c is made of.

use std::path::{Path, PathBuf};

use labrys_program::Language;
use labrys_report::{Library, Report, Reproducer, ReproducerBuild, absolute_flags};

use super::builds::{Made, Prepared};
use super::distill::Distilled;
use super::request::Request;

/// A file for the output folder.
pub struct Artifact {
    /// Its name in the folder.
    pub name: String,
    /// Its contents.
    pub contents: Vec<u8>,
}

/// How one build appears in reproducers.
enum Source {
    /// C source, embedded.
    Embedded { text: Vec<u8>, path: String, flags: Vec<String>, link: Vec<String>, include: Option<String> },
    /// Built by this command; `so` stands for the library.
    Command { words: Vec<String>, folder: PathBuf },
    /// A library that is there, or that is written beside the reproducer.
    Given { path: String },
}

/// The reproducer of every finding, and the libraries that no command can make again.
pub fn artifacts(request: &Request, prepared: &Prepared, report: &Report, findings: &[Distilled]) -> Vec<Artifact> {
    let mut artifacts = Vec::new();
    let sources: Vec<Source> = prepared.builds.iter().map(|made| source(request, made)).collect();
    for (made, source) in prepared.builds.iter().zip(&sources) {
        if let Source::Given { path } = source
            && made.build.language == Language::Ir
            && let Ok(contents) = std::fs::read(&made.build.library)
        {
            artifacts.push(Artifact { name: path.clone(), contents });
        }
    }
    for (distilled, finding) in findings.iter().zip(&report.findings) {
        let commands: Vec<Vec<String>> = [0, distilled.variant]
            .iter()
            .map(|build| commands(&sources[*build], &finding.id, *build, prepared))
            .collect();
        let paths: Vec<String> = [0, distilled.variant]
            .iter()
            .map(|build| format!("./{}.{}.so", finding.id, prepared.builds[*build].build.role))
            .collect();
        let build = |slot: usize, index: usize| ReproducerBuild {
            role: &prepared.builds[index].build.role,
            library: match &sources[index] {
                Source::Embedded { text, path, flags, link, include } => Library::Embedded {
                    text,
                    path,
                    compiler: &prepared.builds[index].compiler_to_call,
                    flags,
                    link,
                    include: include.as_deref(),
                },
                Source::Command { .. } => Library::Built { commands: &commands[slot], path: &paths[slot] },
                Source::Given { path } => Library::Given { path },
            },
        };
        let reproducer = Reproducer {
            report,
            finding,
            signature: &prepared.signature,
            input: &distilled.record,
            watched: request.watched,
            ulps: request.ulps,
            call_limit: request.call_timeout,
            memory_mib: None,
            local_symbol: prepared.is_local,
            builds: [build(0, 0), build(1, distilled.variant)],
        };
        artifacts.push(Artifact { name: format!("{}.c", finding.id), contents: reproducer.write() });
    }
    artifacts
}

fn source(request: &Request, made: &Made) -> Source {
    let absolute = |path: &Path| path.canonicalize().unwrap_or_else(|_| path.to_owned());
    let file = absolute(&made.build.source);
    match made.build.language {
        Language::C => match std::fs::read(&made.build.source) {
            Ok(text) => Source::Embedded {
                text,
                path: made.build.source.display().to_string(),
                flags: absolute_flags(&made.build.flags, &std::env::current_dir().unwrap_or_default()),
                link: request.link.iter().map(|path| absolute(path).display().to_string()).collect(),
                include: file.parent().map(|folder| folder.display().to_string()),
            },
            Err(_) => Source::Given { path: format!("{}.so", made.build.role) },
        },
        Language::SharedObject => Source::Given { path: file.display().to_string() },
        Language::Ir => Source::Given { path: format!("{}.so", made.build.role) },
        Language::Cpp | Language::Fortran | Language::Rust => {
            Source::Command { words: made.build.recipe.clone(), folder: std::env::current_dir().unwrap_or_default() }
        }
    }
}

/// The commands that make a build's library beside the reproducer: the recipe, run where it was run.
fn commands(source: &Source, id: &str, build: usize, prepared: &Prepared) -> Vec<String> {
    let Source::Command { words, folder } = source else { return Vec::new() };
    let library = format!("\"$here\"/{id}.{}.so", prepared.builds[build].build.role);
    let quoted: Vec<String> = words
        .iter()
        .map(|word| match word.as_str() {
            "so" => library.clone(),
            word => shlex::try_quote(word).map(|quoted| quoted.into_owned()).unwrap_or_default(),
        })
        .collect();
    let folder = folder.display().to_string();
    let folder = shlex::try_quote(&folder).map(|quoted| quoted.into_owned()).unwrap_or_default();
    vec![format!("(here=$PWD; cd {folder} && {})", quoted.join(" "))]
}
