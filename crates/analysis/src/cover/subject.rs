//! The program that is covered: a user's own, or a function with a `main` around it that asks for its arguments.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use labrys_program::{
    CallGraph, CompilationDatabase, CoverageTools, FunctionId, Language, Program, Signature, WholeError, WholeProgram,
    WholeSpec, build_whole, coverage_flags,
};
use labrys_report::Criterion;
use labrys_testcase::{TestInput, write_headers};

use super::request::{Request, Scope};
use crate::AnalysisError;
use crate::inputs::domain::Domain;
use crate::run::clock::Clock;
use crate::run::files::must_be_readable;
use crate::target::unit::{Built as BuiltUnit, UnitRequest, build_source};
use crate::whole::harness::{ASIDE, Harness, Target};
use crate::whole::library::find_library;
use crate::whole::nullable::nullable;

/// The longest that building may take where the user sets no limit.
const BUILD_LIMIT: std::time::Duration = std::time::Duration::from_secs(600);

/// Inputs that are drawn from the search domain and run before anything is solved.
const DRAWN: usize = 3000;

/// A function that is called by a `main` made for it.
pub(super) struct Driven {
    pub(super) unit: BuiltUnit,
    pub(super) domain: Domain,
    class: labrys_fuzz::InputClass,
    /// The file that is included, where the function is not seen by others.
    included: Option<PathBuf>,
    /// The pointer parameters that may be null.
    nullable: Vec<usize>,
}

impl Driven {
    /// How it is called.
    pub(super) fn signature(&self) -> &Signature {
        &self.unit.unit.signature
    }

    /// The `main` around it.
    pub(super) fn harness(&self) -> Harness<'_> {
        let target = self.included.as_deref().map_or(Target::Symbol, Target::Included);
        Harness {
            signature: self.signature(),
            domain: &self.domain,
            class: self.class,
            target,
            alignment: 64,
            nullable: &self.nullable,
            ends_at_length: false,
        }
    }

    /// Whether the harness includes the function's file.
    pub(super) fn is_included(&self) -> bool {
        self.included.is_some()
    }
}

/// The program that is covered.
pub(super) struct SubjectProgram {
    pub(super) whole: WholeProgram,
    pub(super) spec: WholeSpec,
    pub(super) tools: CoverageTools,
    /// The C compiler's name.
    pub(super) compiler: String,
    /// The user's flags, for the commands that build tests.
    pub(super) flags: Vec<String>,
    /// `None`: it is entered at its own `main`.
    pub(super) driven: Option<Driven>,
    /// The functions whose code is to be covered: those of the file that the entry can come to.
    pub(super) scope: Vec<FunctionId>,
    /// What was noticed while it was built.
    pub(super) notes: Vec<String>,
}

impl SubjectProgram {
    /// The function as users know it.
    pub(super) fn name(&self) -> String {
        self.driven.as_ref().map_or_else(|| "main".to_owned(), |driven| driven.unit.unit.name.clone())
    }

    /// Inputs to begin with.
    pub(super) fn seeds(&self, seed: u64) -> Vec<TestInput> {
        let Some(driven) = &self.driven else { return Vec::new() };
        let records = driven.domain.mixed(seed, DRAWN);
        let harness = driven.harness();
        records.iter().map(|record| harness.input(record)).collect()
    }
}

/// Builds the request's program.
pub(super) fn build(request: &Request, folder: &Path, clock: &Clock) -> Result<SubjectProgram, AnalysisError> {
    must_be_readable(&request.file)?;
    let language = Language::of(&request.file)?;
    if !matches!(language, Language::C | Language::Cpp) {
        let why = match language {
            Language::Fortran => "flang does not tell llvm-cov what it compiles",
            Language::Rust => "what rustc tells llvm-cov has no conditions",
            _ => "there is no source to count in",
        };
        return Err(AnalysisError::Usage(format!(
            "{}: cover measures coverage with clang and llvm-cov, for C and C++ and not for {}: {why}",
            request.file.display(),
            language.name()
        )));
    }
    let deadline = clock.deadline(BUILD_LIMIT);
    let (compiler, tools) = CoverageTools::find(None, deadline)?;
    let headers = folder.join("include");
    write_headers(&headers).map_err(|error| {
        AnalysisError::Usage(format!("cannot write the headers of programs into {}: {error}", headers.display()))
    })?;
    let mut notes = Vec::new();
    let mut flags = Vec::new();
    if let Some(database) = &request.run.database {
        let project = CompilationDatabase::load(database)?.flags_for(&request.file)?;
        flags.extend(project.flags);
        notes.extend(project.notes);
    }
    flags.extend(request.run.common_flags.iter().cloned());
    let mut spec = WholeSpec {
        sources: std::iter::once(&request.file).chain(&request.run.link).cloned().collect(),
        compiler: None,
        flags: flags.iter().cloned().chain(coverage_flags(request.criterion == Criterion::Mcdc)).collect(),
        checks: Vec::new(),
        headers,
        library: find_library(),
        entry: "main".to_owned(),
        origin: request.run.origin,
    };
    let finish = |spec: WholeSpec, whole: WholeProgram, driven: Option<Driven>, notes: Vec<String>| {
        let entry = match &driven {
            Some(driven) => whole.program.function(&driven.signature().symbol).unwrap_or(whole.entry),
            None => whole.entry,
        };
        let scope = match request.scope {
            Scope::Function => vec![entry],
            Scope::File => scope(&whole.program, entry, &request.file),
        };
        SubjectProgram { whole, spec, tools, compiler: compiler.name, flags, driven, scope, notes }
    };
    if request.run.function.as_deref().is_none_or(|name| name == "main") {
        match build_whole(&spec, folder, deadline) {
            Ok(whole) => return Ok(finish(spec, whole, None, notes)),
            Err(WholeError::NoEntry { .. }) if request.run.function.is_none() => {}
            Err(WholeError::NoEntry { .. }) => {
                let file = request.file.display();
                return Err(AnalysisError::Usage(format!("{file}: it defines no main; -f names a function of it")));
            }
            Err(error) => return Err(error.into()),
        }
    }
    if !request.arguments.is_empty() || request.any_arguments.most > 0 || request.standard_input > 0 {
        return Err(AnalysisError::Usage(
            "--argument, --sym-args and --stdin are for programs that are entered at main".to_owned(),
        ));
    }
    let unit = build_unit(request, &spec.headers, folder, clock)?;
    let mut domain = Domain::new(&request.run.domain(), &unit.unit.signature)?;
    domain.know_literals(unit.unit.analysed.iter().map(|analysed| &**analysed));
    let mut included = None;
    if !unit.unit.is_public {
        if language == Language::Cpp {
            return Err(AnalysisError::Usage(format!(
                "{}: {} is not seen outside its file; cover calls such functions in C only",
                request.file.display(),
                unit.unit.name
            )));
        }
        let path = request.file.canonicalize().unwrap_or_else(|_| request.file.clone());
        if path.display().to_string().contains(['"', '\n']) {
            return Err(AnalysisError::Usage(format!("{}: a path that C cannot include", path.display())));
        }
        included = Some(path);
    }
    let nullable = match &unit.unit.analysed {
        Ok(analysed) => nullable(&analysed.program, analysed.function, &unit.unit.signature),
        Err(_) => Vec::new(),
    };
    let driven = Driven { unit, domain, class: request.run.inputs, included, nullable };
    let suffix = if language == Language::Cpp { "cpp" } else { "c" };
    let file = folder.join(format!("labrys-harness.{suffix}"));
    std::fs::write(&file, driven.harness().text("main", language))
        .map_err(|error| AnalysisError::Usage(format!("cannot write {}: {error}", file.display())))?;
    match driven.is_included() {
        true => spec.sources[0] = file,
        false => {
            spec.sources.push(file);
            spec.flags.push(format!("-Dmain={ASIDE}"));
        }
    }
    let whole = build_whole(&spec, folder, deadline)?;
    notes.extend(driven.unit.notes.iter().cloned());
    notes.extend(driven.unit.unit.remarks.iter().cloned());
    Ok(finish(spec, whole, Some(driven), notes))
}

/// The function's file as a library. One that does not compile may include the headers of inputs.
fn build_unit(request: &Request, headers: &Path, folder: &Path, clock: &Clock) -> Result<BuiltUnit, AnalysisError> {
    let error = match build_source(request.unit(), &request.file, folder, clock) {
        Err(error) if !error.is_time_up() => error,
        built => return built,
    };
    let headers = headers.display().to_string();
    let mut run = request.run.clone();
    run.common_flags.extend(["-idirafter".to_owned(), headers.clone()]);
    let unit = UnitRequest { run: &run, ..request.unit() };
    let Ok(mut built) = build_source(unit, &request.file, folder, clock) else { return Err(error) };
    // Tests have them beside them.
    for word in built.made.flags.iter_mut().chain(&mut built.made.recipe).filter(|word| **word == headers) {
        "include".clone_into(word);
    }
    Ok(built)
}

/// The functions of a file that can be come to.
fn scope(program: &Program, entry: FunctionId, file: &Path) -> Vec<FunctionId> {
    let whole = |path: &Path| path.canonicalize().unwrap_or_else(|_| path.to_owned());
    let wanted = whole(file);
    let is_in_file: BTreeSet<u32> = program
        .files
        .iter()
        .enumerate()
        .filter(|(_, name)| whole(Path::new(name)) == wanted)
        .map(|(index, _)| index as u32)
        .collect();
    let stands_in_file = |id: &FunctionId| {
        let blocks = &program.functions[id.index()].blocks;
        let mut locations = blocks.iter().flat_map(|block| &block.instructions).filter_map(|of| of.location);
        locations.any(|location| {
            let location = &program.locations[location.index()];
            location.inlined_at.is_none() && is_in_file.contains(&location.file)
        })
    };
    let mut found: Vec<FunctionId> =
        CallGraph::new(program).reachable(entry).into_iter().filter(stands_in_file).collect();
    found.sort_unstable();
    found
}
