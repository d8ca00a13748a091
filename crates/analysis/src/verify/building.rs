//! The program that is executed.

use std::path::Path;

use labrys_program::{Compiler, Function, Language, WholeProgram, WholeSpec, build_whole};
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
    /// The C or C++ compiler, as a user calls it.
    pub(super) driver: String,
    /// How the function is called, where that takes a `main` around it.
    pub(super) calling: Option<Calling>,
}

impl BuiltProgram {
    /// The function that is entered.
    pub(super) fn entry(&self) -> &Function {
        &self.whole.program.functions[self.whole.entry.index()]
    }

    /// Whether it is entered as a program is.
    pub(super) fn is_entered_at_main(&self) -> bool {
        self.entry().name == "main"
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
    let has_cpp = request.sources.iter().any(|source| Language::of(source).is_ok_and(|of| of == Language::Cpp));
    let language = if has_cpp { Language::Cpp } else { Language::C };
    let named = request.compiler.as_deref().unwrap_or(language.default_compiler());
    let driver = Compiler::find(named, language, deadline).map_or_else(|_| named.to_owned(), |found| found.name);
    Ok(BuiltProgram { whole, spec, driver, calling })
}
