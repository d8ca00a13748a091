//! The program that is executed.

use std::path::Path;

use labrys_program::{Compiler, Function, Language, WholeProgram, WholeSpec, build_whole};
use labrys_report::SourcePlace;
use labrys_testcase::write_headers;

use super::LONGEST;
use super::calling::{Calling, needs_memory};
use super::property::compiled_checks;
use super::request::Request;
use crate::AnalysisError;
use crate::run::clock::Clock;
use crate::run::files::must_be_readable;
use crate::whole::library::find_library;

/// The program and how it was made.
pub(super) struct BuiltProgram {
    /// It, linked.
    pub(super) whole: WholeProgram,
    /// How it is compiled, for native runs again.
    pub(super) spec: WholeSpec,
    /// The C compiler, as a user calls it.
    pub(super) driver: String,
    /// How the function is called, where that takes a `main` around it.
    pub(super) calling: Option<Calling>,
    /// The C++ compiler, where there are sources in C++.
    pub(super) linker: Option<String>,
}

impl BuiltProgram {
    /// The function that is entered.
    pub(super) fn entry(&self) -> &Function {
        &self.whole.program.functions[self.whole.entry.index()]
    }

    /// Whether a place is the user's, and not in what labrys calls the function with.
    pub(super) fn is_users(&self, place: &SourcePlace) -> bool {
        self.calling.is_none() || !Calling::is_in_main(place)
    }

    /// Whether it is entered as a program is.
    pub(super) fn is_entered_at_main(&self) -> bool {
        self.entry().name == "main"
    }

    /// Why a C file of tests cannot run it, if it cannot.
    pub(super) fn test_obstacle(&self) -> Option<&'static str> {
        if !self.is_entered_at_main() {
            return Some("the program is entered at another function than main");
        }
        self.has_other_runtime().then_some("a C file calls no main of Fortran's or Rust's")
    }

    /// Whether a part of it is in a language whose main and runtime are not C's.
    pub(super) fn has_other_runtime(&self) -> bool {
        self.spec.languages().any(|(_, language)| matches!(language, Language::Fortran | Language::Rust))
    }
}

/// How the request's program is compiled, its headers in `folder`.
pub(super) fn spec(request: &Request, folder: &Path) -> Result<WholeSpec, AnalysisError> {
    for source in &request.sources {
        must_be_readable(source)?;
    }
    let headers = folder.join("include");
    write_headers(&headers).map_err(|error| {
        AnalysisError::Usage(format!("cannot write the headers of programs into {}: {error}", headers.display()))
    })?;
    Ok(WholeSpec {
        sources: request.sources.clone(),
        compiler: request.compiler.clone(),
        flags: request.flags.clone(),
        checks: compiled_checks(&request.properties),
        headers,
        library: find_library(),
        entry: request.entry.clone(),
        origin: request.origin,
    })
}

/// Compiles and links the request's program.
pub(super) fn build(request: &Request, folder: &Path, clock: &Clock) -> Result<BuiltProgram, AnalysisError> {
    let spec = spec(request, folder)?;
    let deadline = clock.deadline(LONGEST);
    let mut spec = spec;
    let mut whole = build_whole(&spec, folder, deadline)?;
    let entry = &whole.program.functions[whole.entry.index()];
    let calling = match &request.calling {
        Some(run) if entry.name != "main" && (needs_memory(entry) || !run.assumptions.is_empty()) => {
            Some(Calling::of(request, run, (folder, clock))?)
        }
        _ => None,
    };
    if let Some(calling) = &calling {
        spec = calling.extend(spec, folder)?;
        whole = build_whole(&spec, folder, deadline)?;
    }
    // Reports' compilers were looked at by now.
    let named = request.compiler.as_deref().unwrap_or(Language::C.default_compiler());
    let name_of =
        |language| Compiler::find(named, language, deadline).map_or_else(|_| named.to_owned(), |found| found.name);
    let is_cpp = spec.languages().any(|(_, language)| language == Language::Cpp);
    let (driver, linker) = (name_of(Language::C), is_cpp.then(|| name_of(Language::Cpp)));
    Ok(BuiltProgram { whole, spec, driver, calling, linker })
}
