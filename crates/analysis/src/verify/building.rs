//! The program that is executed.

use std::collections::BTreeMap;
use std::path::Path;

use labrys_program::{
    Compiler, Function, InputType, Language, RUST_NAMES, WholeError, WholeProgram, WholeSpec, build_whole, input_types,
};
use labrys_report::{SourcePlace, ViolationClass, ViolationDetails};
use labrys_testcase::write_headers;

use super::LONGEST;
use super::calling::{Calling, needs_memory};
use super::property::compiled_checks;
use super::request::Request;
use crate::run::clock::Clock;
use crate::run::files::must_be_readable;
use crate::whole::commands::own_commands;
use crate::whole::harness::ASIDE;
use crate::whole::library::find_library;
use crate::{AnalysisError, RunOptions};

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
    /// Commands for sources that are not a C compiler's.
    pub(super) own: Vec<(Language, Vec<String>)>,
}

impl BuiltProgram {
    /// The function that is entered.
    pub(super) fn entry(&self) -> &Function {
        &self.whole.program.functions[self.whole.entry.index()]
    }

    /// The types of its inputs. What labrys calls a function with has structs of its own, whose members are not called as the user's are.
    pub(super) fn input_types(&self) -> BTreeMap<String, InputType> {
        let mut types = input_types(&self.whole.program);
        for (name, ty) in self.calling.iter().flat_map(Calling::parameters) {
            if let Some(known) = types.get_mut(name) {
                known.variable = Some(ty);
            }
        }
        types
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
        (!self.is_entered_at_main()).then_some("the program is entered at another function than main")
    }

    /// Why a C file cannot show an error, if it cannot: in Fortran and Rust, which the compilers that users have do not instrument, only what ends the
    /// program without that, or what the allocator sees, is shown.
    pub(super) fn finding_obstacle(&self, details: &ViolationDetails) -> Option<&'static str> {
        use ViolationClass::{Abort, Assertion, DivisionByZero, DoubleFree, InvalidFree, Null};
        let ends_by_itself =
            matches!(details.kind, Assertion | Abort | DivisionByZero | DoubleFree | InvalidFree | Null);
        let language = details.place.file.as_deref().and_then(|file| Language::of(Path::new(file)).ok());
        let is_instrumented = matches!(language, Some(Language::C | Language::Cpp));
        let is_unseen = self.has_other_runtime() && !ends_by_itself && !is_instrumented;
        self.test_obstacle().or(is_unseen.then_some("only a sanitizer shows it, and flang and stable rustc have none"))
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
        flags: flags(request),
        checks: compiled_checks(&request.properties),
        headers,
        library: find_library(),
        entry: request.entry.clone(),
        aside: (request.entry != "main").then(|| ASIDE.to_owned()),
        coverage: None,
        origin: request.origin,
    })
}

/// The user's flags; for a function of Rust's also the names of functions, which would be others with sanitizers, for these are unstable options.
fn flags(request: &Request) -> Vec<String> {
    let is_rust = |source: &std::path::PathBuf| Language::of(source).is_ok_and(|of| of == Language::Rust);
    let is_called = request.entry != "main" && request.sources.iter().any(is_rust);
    request
        .flags
        .iter()
        .cloned()
        .chain(RUST_NAMES.iter().filter(|_| is_called).map(|word| (*word).to_owned()))
        .collect()
}

/// Compiles and links the request's program.
pub(super) fn build(request: &Request, folder: &Path, clock: &Clock) -> Result<BuiltProgram, AnalysisError> {
    let spec = spec(request, folder)?;
    let deadline = clock.deadline(LONGEST);
    let mut spec = spec;
    let first = build_whole(&spec, folder, deadline);
    // What calls a function of a crate stands before the crate.
    let is_of_rust = spec.languages().any(|(_, language)| language == Language::Rust);
    let is_called = |whole: &WholeProgram, run: &RunOptions| {
        let entry = &whole.program.functions[whole.entry.index()];
        entry.name != "main" && (is_of_rust || needs_memory(entry) || !run.assumptions.is_empty())
    };
    let calling = match (&request.calling, &first) {
        (Some(run), Ok(whole)) if is_called(whole, run) => Some(Calling::of(request, run, (folder, clock))?),
        // Named otherwise than by the name alone, or an instance of a template that the source does not make; or there is no such function.
        (Some(run), Err(WholeError::NoEntry { .. })) => match Calling::of(request, run, (folder, clock)) {
            Err(error) if error.is_time_up() || request.entry.contains('<') => return Err(error),
            called => called.ok(),
        },
        _ => None,
    };
    let whole = match &calling {
        Some(calling) => {
            spec = calling.extend(spec, folder)?;
            build_whole(&spec, folder, deadline)?
        }
        None => first?,
    };
    // Reports' compilers were looked at by now.
    let named = request.compiler.as_deref().unwrap_or(Language::C.default_compiler());
    let name_of =
        |language| Compiler::find(named, language, deadline).map_or_else(|_| named.to_owned(), |found| found.name);
    let is_cpp = spec.languages().any(|(_, language)| language == Language::Cpp);
    let (driver, linker) = (name_of(Language::C), is_cpp.then(|| name_of(Language::Cpp)));
    let own = own_commands(&spec, deadline)?;
    Ok(BuiltProgram { whole, spec, driver, calling, linker, own })
}
