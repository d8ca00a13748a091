//! The program that is covered: a user's own, or a function with a `main` around it that asks for its arguments.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use labrys_program::{
    BuildError, CallGraph, CompilationDatabase, Compiler, Counted, CoverageTools, FunctionId, Language, Program,
    RUST_NAMES, Signature, WholeError, WholeProgram, WholeSpec, build_whole,
};
use labrys_report::Criterion;
use labrys_testcase::{TestInput, write_headers};

use super::request::{Request, Scope};
use crate::AnalysisError;
use crate::inputs::domain::Domain;
use crate::run::clock::Clock;
use crate::run::files::must_be_readable;
use crate::target::nullable::{nullable, of_pointers};
use crate::target::unit::{Built as BuiltUnit, UnitRequest, build_drivable};
use crate::whole::commands::own_commands;
use crate::whole::harness::{ASIDE, Harness, Target};
use crate::whole::library::find_library;

/// The longest that building may take where the user sets no limit.
const BUILD_LIMIT: Duration = Duration::from_secs(600);

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
    language: Language,
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

    /// What tests of it take for granted of pointers.
    pub(super) fn of_pointers(&self) -> Vec<String> {
        of_pointers(self.signature(), &self.nullable, self.language)
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
    /// The sources without a `main` that was made.
    pub(super) sources: Vec<PathBuf>,
    pub(super) tools: CoverageTools,
    /// The C compiler's name.
    pub(super) compiler: String,
    /// C++'s, where it links the tests.
    pub(super) linker: Option<String>,
    /// Commands for sources that are not a C compiler's.
    pub(super) own: Vec<(Language, Vec<String>)>,
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

    /// Whether its code has counters of its own, which llvm-cov does not know.
    pub(super) fn counts_itself(&self) -> bool {
        self.spec.sources.first().is_some_and(|source| Language::of(source).is_ok_and(|of| of == Language::Fortran))
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
    refuse_uncounted(request, language)?;
    let deadline = clock.deadline(BUILD_LIMIT);
    let (compiler, tools) = CoverageTools::find(None, deadline)?;
    let mut notes = Vec::new();
    let mut flags = Vec::new();
    if let Some(database) = &request.run.database {
        let project = CompilationDatabase::load(database)?.flags_for(&request.file)?;
        flags.extend(project.flags);
        notes.extend(project.notes);
    }
    flags.extend(request.run.common_flags.iter().cloned());
    let making = Making { request, language, folder, clock, deadline };
    let mut spec = making.spec(flags.clone())?;
    let mut sources = spec.sources.clone();
    let whole_program = making.whole_program(&spec)?;
    let is_driven = whole_program.is_none();
    let (whole, driven) = match whole_program {
        Some(whole) => (whole, None),
        None => {
            let driven = making.driven(&mut spec)?;
            sources.clone_from(&spec.sources);
            making.add_harness(&driven, &mut spec)?;
            notes.extend(driven.unit.notes.iter().chain(&driven.unit.unit.remarks).cloned());
            (build_whole(&executed(&spec, language), folder, deadline)?, Some(driven))
        }
    };
    let entry = match &driven {
        Some(driven) => {
            let symbol = &driven.signature().symbol;
            let missing =
                || AnalysisError::Usage(format!("{}: the program has no {symbol} of its own", request.file.display()));
            whole.program.function(symbol).ok_or_else(missing)?
        }
        None => whole.entry,
    };
    let in_file = InFile::of(&whole.program, &request.file);
    let scope = match request.scope {
        Scope::Function if in_file.holds(entry) || !is_driven => vec![entry],
        Scope::Function => in_file.first_of(entry),
        Scope::File => in_file.reached_from(entry),
    };
    let linker = match language {
        Language::Cpp => Some(Compiler::find(Language::Cpp.default_compiler(), Language::Cpp, deadline)?.name),
        _ => None,
    };
    let own = own_commands(&uncounted(&spec, language), deadline)?;
    let compiler = compiler.name;
    Ok(SubjectProgram { whole, spec, sources, tools, compiler, linker, own, flags, driven, scope, notes })
}

/// What a program is made of, and where.
struct Making<'a> {
    request: &'a Request,
    language: Language,
    folder: &'a Path,
    clock: &'a Clock,
    deadline: Instant,
}

impl Making<'_> {
    /// The program as it is, entered at its `main`.
    fn spec(&self, flags: Vec<String>) -> Result<WholeSpec, AnalysisError> {
        let Making { request, folder, .. } = self;
        let headers = folder.join("include");
        write_headers(&headers).map_err(|error| {
            AnalysisError::Usage(format!("cannot write the headers of programs into {}: {error}", headers.display()))
        })?;
        Ok(WholeSpec {
            sources: std::iter::once(&request.file).chain(&request.run.link).cloned().collect(),
            compiler: None,
            flags,
            checks: Vec::new(),
            headers,
            library: find_library(),
            entry: "main".to_owned(),
            aside: None,
            coverage: Some(if request.criterion == Criterion::Mcdc { Counted::Decisions } else { Counted::Branches }),
            origin: request.run.origin,
        })
    }

    /// The program, where its `main` is asked for, or no function is and there is a `main`.
    fn whole_program(&self, spec: &WholeSpec) -> Result<Option<WholeProgram>, AnalysisError> {
        let function = self.request.run.function.as_deref();
        if function.is_some_and(|name| name != "main") {
            return Ok(None);
        }
        match build_whole(&executed(spec, self.language), self.folder, self.deadline) {
            Ok(whole) => Ok(Some(whole)),
            Err(WholeError::NoEntry { .. }) if function.is_none() => Ok(None),
            // rustc makes no program without one, and says so.
            Err(WholeError::Build(BuildError::Refused { words, .. }))
                if function.is_none() && self.language == Language::Rust && words.contains(NO_MAIN) =>
            {
                Ok(None)
            }
            Err(WholeError::NoEntry { .. }) => {
                let file = self.request.file.display();
                Err(AnalysisError::Usage(format!("{file}: it defines no main; -f names a function of it")))
            }
            Err(error) => Err(error.into()),
        }
    }

    /// The function that is called, and what with; the sources are then those that define it.
    fn driven(&self, spec: &mut WholeSpec) -> Result<Driven, AnalysisError> {
        let Making { request, language, .. } = *self;
        if !request.arguments.is_empty() || request.any_arguments.most > 0 || request.standard_input > 0 {
            return Err(AnalysisError::Usage(
                "--argument, --sym-args and --stdin are for programs that are entered at main".to_owned(),
            ));
        }
        let unit = build_unit(request, language, (&spec.headers, self.folder), self.clock)?;
        let mut domain = Domain::new(&unit.asked.domain(), &unit.unit.signature)?;
        domain.know_literals(unit.unit.analysed.iter().map(|analysed| &**analysed));
        spec.sources = unit.program_sources(&spec.sources, 0);
        // rustc keeps private functions and lets clang's linker see them.
        let is_seen = unit.unit.is_public || language == Language::Rust;
        let included = if is_seen { None } else { Some(self.includable(&unit)?) };
        let nullable = match &unit.unit.analysed {
            Ok(analysed) => nullable(&analysed.program, analysed.function, &unit.unit.signature),
            Err(_) => Vec::new(),
        };
        Ok(Driven { unit, domain, class: request.run.inputs, included, nullable, language })
    }

    /// The file, for a harness to include because nothing else sees the function.
    fn includable(&self, unit: &BuiltUnit) -> Result<PathBuf, AnalysisError> {
        let file = &self.request.file;
        if self.language != Language::C {
            return Err(AnalysisError::Usage(format!(
                "{}: {} is not seen outside its file; cover calls such functions in C and Rust only",
                file.display(),
                unit.unit.name
            )));
        }
        let path = file.canonicalize().unwrap_or_else(|_| file.clone());
        if path.display().to_string().contains(['"', '\n']) {
            return Err(AnalysisError::Usage(format!("{}: a path that C cannot include", path.display())));
        }
        Ok(path)
    }

    /// Adds a `main` that calls the function.
    fn add_harness(&self, driven: &Driven, spec: &mut WholeSpec) -> Result<(), AnalysisError> {
        let suffix = if self.language == Language::Cpp { "cpp" } else { "c" };
        let file = self.folder.join(format!("labrys-harness.{suffix}"));
        std::fs::write(&file, driven.harness().text("main", self.language))
            .map_err(|error| AnalysisError::Usage(format!("cannot write {}: {error}", file.display())))?;
        if driven.is_included() {
            spec.sources[0] = file;
            return Ok(());
        }
        // A linker takes of an archive what was asked for before it.
        let place = if self.language == Language::Rust { 0 } else { spec.sources.len() };
        spec.sources.insert(place, file);
        spec.aside = Some(ASIDE.to_owned());
        Ok(())
    }
}

/// The program that counts nothing, with the names that it has when it does.
fn uncounted(spec: &WholeSpec, language: Language) -> WholeSpec {
    let names = RUST_NAMES.iter().filter(|_| language == Language::Rust).map(|word| (*word).to_owned());
    WholeSpec { coverage: None, flags: spec.flags.iter().cloned().chain(names).collect(), ..spec.clone() }
}

/// The program as it is executed: clang's counters tell which conditions' outcomes come together, rustc's nothing that control does not show.
fn executed(spec: &WholeSpec, language: Language) -> WholeSpec {
    if language == Language::Rust { uncounted(spec, language) } else { spec.clone() }
}

/// rustc's code for a program without a `main`.
const NO_MAIN: &str = "E0601";

/// Refuses what nothing counts the execution of.
fn refuse_uncounted(request: &Request, language: Language) -> Result<(), AnalysisError> {
    let file = request.file.display();
    let refused = |why: String| Err(AnalysisError::Usage(format!("{file}: {why}")));
    match language {
        Language::C | Language::Cpp => Ok(()),
        Language::Rust if request.criterion == Criterion::Mcdc => refused(
            "rustc counts no combinations of conditions, so that --goal mcdc is for C and C++; --goal branches counts each condition"
                .to_owned(),
        ),
        Language::Rust if unwinds(&request.run.common_flags) => refused(
            "-C panic=unwind: cover executes Rust whose panics end the program, as labrys compiles it without that flag".to_owned(),
        ),
        Language::Fortran if request.criterion == Criterion::Mcdc => refused(
            "flang computes both sides of .and. and .or. and counts neither, so that --goal mcdc is for C and C++".to_owned(),
        ),
        Language::Fortran if request.path.is_some() => refused(
            "flang's code does not say which way of a branch is a condition's true one, so that --path is for C, C++ and Rust"
                .to_owned(),
        ),
        Language::Rust | Language::Fortran => Ok(()),
        Language::Ir | Language::SharedObject => refused(format!(
            "cover counts the execution of sources in C, C++, Fortran and Rust; of {} there is no source to count in",
            language.name()
        )),
    }
}

/// Whether flags have rustc unwind the stack at panics.
fn unwinds(flags: &[String]) -> bool {
    flags.iter().any(|flag| flag.strip_prefix("-C").unwrap_or(flag).trim_start() == "panic=unwind")
}

/// The function's file as a library. One that does not compile may include the headers of inputs.
fn build_unit(
    request: &Request,
    language: Language,
    (headers, folder): (&Path, &Path),
    clock: &Clock,
) -> Result<BuiltUnit, AnalysisError> {
    let mut run = request.run.clone();
    // Where tests find what is made for the function.
    run.output = run.output.or_else(|| request.tests.as_ref().map(|tests| tests.folder.clone()));
    if language == Language::Rust {
        run.common_flags.extend(RUST_NAMES.map(str::to_owned));
    }
    let unit = UnitRequest { run: &run, ..request.unit() };
    let error = match build_drivable(unit, &request.file, folder, clock) {
        built if matches!(language, Language::Rust | Language::Fortran) => return built,
        Err(error) if !error.is_time_up() => error,
        built => return built,
    };
    let headers = headers.display().to_string();
    run.common_flags.extend(["-idirafter".to_owned(), headers.clone()]);
    let unit = UnitRequest { run: &run, ..request.unit() };
    let Ok(mut built) = build_drivable(unit, &request.file, folder, clock) else { return Err(error) };
    // Tests have them beside them.
    for word in built.made.flags.iter_mut().chain(&mut built.made.recipe).filter(|word| **word == headers) {
        "include".clone_into(word);
    }
    Ok(built)
}

/// The functions of a program whose code stands in a file.
struct InFile<'a> {
    program: &'a Program,
    files: BTreeSet<u32>,
}

impl<'a> InFile<'a> {
    fn of(program: &'a Program, file: &Path) -> InFile<'a> {
        let whole = |path: &Path| path.canonicalize().unwrap_or_else(|_| path.to_owned());
        let wanted = whole(file);
        let is_it = |name: &str| whole(Path::new(name)) == wanted;
        let files = program.files.iter().enumerate().filter(|(_, name)| is_it(name)).map(|(index, _)| index as u32);
        InFile { program, files: files.collect() }
    }

    fn holds(&self, id: FunctionId) -> bool {
        let blocks = &self.program.functions[id.index()].blocks;
        let mut locations = blocks.iter().flat_map(|block| &block.instructions).filter_map(|of| of.location);
        locations.any(|location| {
            let location = &self.program.locations[location.index()];
            location.inlined_at.is_none() && self.files.contains(&location.file)
        })
    }

    /// Those that can be come to.
    fn reached_from(&self, entry: FunctionId) -> Vec<FunctionId> {
        let reached = CallGraph::new(self.program).reachable(entry);
        let mut found: Vec<FunctionId> = reached.into_iter().filter(|id| self.holds(*id)).collect();
        found.sort_unstable();
        found
    }

    /// Those that a function elsewhere, which was made to call one of them, comes to first: no other of them calls them alone.
    fn first_of(&self, entry: FunctionId) -> Vec<FunctionId> {
        let graph = CallGraph::new(self.program);
        let (mut seen, mut waiting, mut found) = (BTreeSet::from([entry]), vec![entry], BTreeSet::new());
        while let Some(id) = waiting.pop() {
            if self.holds(id) {
                found.insert(id);
                continue;
            }
            waiting.extend(graph.callees(id).iter().copied().filter(|callee| seen.insert(*callee)));
        }
        found.into_iter().collect()
    }
}
