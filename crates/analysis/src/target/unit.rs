//! One function, ready to run and to be analysed.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use labrys_program::{
    Build, BuildError, CallGraph, ChangingGlobals, CompilationDatabase, FunctionId, FunctionInfo, Language, Program,
    Signature, SignatureError, build_shared, choose_function, emit_ir, functions_in, make_modules, map_parameters,
    parse_build, parse_signature, signature_with_guesses, with_directions,
};
use labrys_report::{BuildInfo, FunctionSummary, ParameterInfo, Startup, Target, parameter_type};

use crate::AnalysisError;
use crate::run::clock::Clock;
use crate::run::files::must_be_readable;
use crate::run::options::RunOptions;
use crate::run::record::from_here;
use crate::target::analysed::Analysed;
use crate::target::declared::settle_declared;
use crate::target::glue;
use crate::target::lengths::{self, make_room, settle_lengths};
use crate::target::names::FunctionNames;
use crate::target::nullable::never_null;
use crate::whole::library::find_library;

/// The longest that building may take where the user sets no limit.
const BUILD_LIMIT: Duration = Duration::from_secs(600);
/// The role of the only build.
pub const ROLE: &str = "baseline";

/// One function of one build.
#[derive(Clone)]
pub struct Unit {
    /// The function's name as users know it.
    pub name: String,
    /// The file that defines it.
    pub file: Option<String>,
    /// The line of its definition.
    pub line: Option<u32>,
    /// Whether other objects can call it.
    pub is_public: bool,
    /// How it is called.
    pub signature: Signature,
    /// Its IR, where there is some that can be analysed; or why not.
    pub analysed: Result<Arc<Analysed>, String>,
    /// The shared object that runs.
    pub library: PathBuf,
    /// The function's address in it, where symbols are shared.
    pub address: Option<u64>,
    /// What functions are called.
    pub names: Arc<FunctionNames>,
    /// What is called once before it: its symbol.
    pub init: Option<String>,
    /// Whether calls leave behind what later ones use.
    pub uses_state: bool,
    /// What every proof of it rests on, a sentence each.
    pub assumptions: Vec<String>,
    /// What was guessed of its parameters, a sentence each.
    pub remarks: Vec<String>,
}

impl Unit {
    /// Its line in the list of a report's functions, as long as nothing is known of it.
    pub fn summary(&self) -> FunctionSummary {
        FunctionSummary {
            function: self.name.clone(),
            file: self.file.clone().map(from_here),
            line: self.line,
            is_public: self.is_public,
            parameters: parameters(&self.signature),
            ..FunctionSummary::default()
        }
    }

    /// What calls with memory behind every pointer leave out, a sentence each.
    pub fn never_null(&self) -> Vec<String> {
        let Ok(Analysed { program, function, .. }) = self.analysed.as_deref() else { return Vec::new() };
        never_null(program, *function, &self.signature)
    }
}

/// A unit, the build it comes from, and remarks.
pub struct Built {
    /// The function.
    pub unit: Unit,
    /// The build, for the report.
    pub build: BuildInfo,
    /// The build, for reproducers.
    pub made: Build,
    /// Remarks for the report.
    pub notes: Vec<String>,
    /// What was asked in the end: for a function that cannot be driven as it is, what calls it.
    pub asked: RunOptions,
}

impl Built {
    /// The sources of a program with the function, of those that the user named: a caller that was made for it is linked with the source at `place`, or
    /// includes it and takes its place.
    pub fn program_sources(&self, sources: &[PathBuf], place: usize) -> Vec<PathBuf> {
        let mut sources = sources.to_vec();
        if let (Some(input), Some(source)) = (&self.asked.input, sources.get_mut(place)) {
            source.clone_from(input);
        }
        let made = self.asked.link.iter().filter(|file| !sources.contains(file)).cloned().collect::<Vec<_>>();
        sources.extend(made);
        sources
    }

    /// What is analysed, for the report.
    pub fn target(&self) -> Target {
        let source = &self.build.source;
        let (file, line) = match (&self.unit.file, self.asked.of_crate.is_some()) {
            (Some(file), true) => (file, self.unit.line),
            // What a source includes has lines of its own.
            (Some(file), false) => (source, self.unit.line.filter(|_| same_name(file, source))),
            (None, _) => (source, None),
        };
        Target {
            file: file.clone(),
            function: self.unit.name.clone(),
            line,
            parameters: parameters(&self.unit.signature),
            builds: vec![self.build.clone()],
        }
    }
}

/// Whether two paths end in one file's name.
fn same_name(a: &str, b: &str) -> bool {
    Path::new(a).file_name() == Path::new(b).file_name()
}

/// How one function of a source file is built.
#[derive(Clone, Copy)]
pub struct UnitRequest<'a> {
    /// What every analysis is told.
    pub run: &'a RunOptions,
    /// The build's flags, compiler first; `None`: the language's default without optimisation.
    pub flags: Option<&'a str>,
    /// A function that is called once before the one under test.
    pub init: Option<&'a str>,
}

/// As [`build_source`]; where the function cannot be driven as it is, with a caller that was made for it.
///
/// # Errors
///
/// As [`build_source`].
pub fn build_drivable(
    request: UnitRequest<'_>,
    source: &Path,
    folder: &Path,
    clock: &Clock,
) -> Result<Built, AnalysisError> {
    let mut remarks = Vec::new();
    let mut built = build_source(request, source, folder, clock);
    let mut run = request.run.clone();
    for _ in 0..glue::MOST {
        let Err(error) = &built else { break };
        let library = folder.join(format!("{ROLE}.so"));
        match glue::instead(&glue::Failed { run: &run, source, library: &library, error }) {
            None => break,
            Some(instead) => {
                let instead = instead?;
                let again = build_source(UnitRequest { run: &instead.run, ..request }, source, folder, clock);
                built = instead.or_before(built, again);
                run = instead.run;
                remarks.push(instead.remark);
            }
        }
    }
    let mut built = built?;
    built.notes.splice(0..0, remarks);
    Ok(built)
}

/// Builds a source file and finds the function in it.
///
/// # Errors
///
/// Where the source is missing or does not compile, the compiler is missing, or the function cannot be found or driven.
pub fn build_source(
    request: UnitRequest<'_>,
    source: &Path,
    folder: &Path,
    clock: &Clock,
) -> Result<Built, AnalysisError> {
    let deadline = clock.deadline(BUILD_LIMIT);
    must_be_readable(source)?;
    request.run.link.iter().try_for_each(|file| must_be_readable(file))?;
    let language = Language::of(source)?;
    if language == Language::SharedObject {
        return Err(AnalysisError::Usage(format!("{}: a shared object has no IR to analyse", source.display())));
    }
    let mut spec = parse_build(request.flags.unwrap_or(language.default_baseline()), language)?;
    spec.role = ROLE.to_owned();
    spec.origin = request.run.origin;
    spec.of_crate.clone_from(&request.run.of_crate);
    let mut notes = Vec::new();
    spec.flags.extend(request.run.common_flags.iter().cloned());
    if let Some(database) = &request.run.database {
        let database = CompilationDatabase::load(database)?;
        let project = database.flags_for(source)?;
        spec.common_flags = project.flags;
        notes.extend(project.notes);
        if language == Language::Fortran {
            make_modules(&database, source, &spec, folder, deadline)?;
        }
    }
    spec.link.clone_from(&request.run.link);
    let input = request.run.input.as_deref().unwrap_or(source);
    let build = build_shared(&spec, input, folder, deadline)?;
    notes.extend(build.notes.iter().cloned());
    let program = load_ir(&spec, input, folder, deadline, &mut notes)?;
    let unit = find(request, source, &build, program, &mut notes)?;
    let info = BuildInfo {
        role: ROLE.to_owned(),
        source: source.display().to_string(),
        compiler: build.compiler.clone(),
        flags: build.flags.clone(),
        startup: Startup::Default,
        executable: Some(spec.compiler.clone()),
        link: request.run.link.iter().map(|file| file.display().to_string()).collect(),
    };
    Ok(Built { unit, build: info, made: build, notes, asked: request.run.clone() })
}

/// The IR of the build, its local variables promoted; or why there is none. A compiler that the time stopped is no reason: nothing of what follows has
/// time either, and its results would look like those of a run that came to its end.
fn load_ir(
    spec: &labrys_program::BuildSpec,
    source: &Path,
    folder: &Path,
    deadline: Instant,
    notes: &mut Vec<String>,
) -> Result<Result<Program, String>, BuildError> {
    let first_line = |words: String| words.lines().next().unwrap_or_default().to_owned();
    let (file, said) = match emit_ir(spec, source, folder, deadline) {
        Err(error @ BuildError::TimedOut { .. }) => return Err(error),
        Err(error) => return Ok(Err(error.in_a_line())),
        Ok(made) => made,
    };
    notes.extend(said);
    let runtime = find_library();
    let loaded =
        Program::from_ir_file_promoted_with(&file, runtime.as_deref()).map_err(|error| first_line(error.to_string()));
    Ok(loaded.map(|mut program| {
        program.fuse_contractions();
        if let Some(of) = &spec.of_crate {
            of.beginning().settle(&mut program);
        }
        program
    }))
}

fn find(
    request: UnitRequest<'_>,
    source: &Path,
    build: &Build,
    program: Result<Program, String>,
    notes: &mut Vec<String>,
) -> Result<Unit, AnalysisError> {
    let of_source = |error| AnalysisError::of_function(error, source);
    let functions = functions_in(&build.library)?;
    let chosen = choose_function(&functions, request.run.function.as_deref()).map_err(of_source)?;
    let (signature, guessed) = signature_of(request, build, chosen, program.as_ref().ok(), &of_source)?;
    let init = match request.init {
        Some(name) => Some(choose_function(&functions, Some(name)).map_err(of_source)?.symbol.clone()),
        None => None,
    };
    if let (Some(symbol), Ok(program)) = (&init, &program) {
        must_take_nothing(program, symbol)?;
    }
    let remarks = lengths::remarks(&signature, &guessed);
    let mut assumptions = lengths::assumptions(&signature, &guessed);
    let mut uses_state = false;
    if let Ok(program) = &program
        && let Some(function) = program.function(&chosen.symbol)
    {
        let changing = ChangingGlobals::new(program);
        let first = first_call(program, &changing, &CallGraph::new(program).reachable(function));
        uses_state = first.is_some();
        assumptions.extend(first);
    }
    let known = functions.iter().map(|function| (function.symbol.clone(), function.name.clone()));
    let names = Arc::new(FunctionNames::new(known, program.as_ref().ok()));
    let analysed = program.and_then(|program| bind(&signature, Arc::new(program)));
    if let Err(why) = &analysed {
        notes.push(format!("not analysed, only run: {why}"));
    }
    let (file, line) = match &request.run.of_crate {
        Some(of) => {
            // What calls a crate's function is nobody's source.
            let (file, line) = of.source_place();
            (Some(file.display().to_string()), line)
        }
        None => (chosen.file.clone(), chosen.line),
    };
    Ok(Unit {
        name: request.run.name_of(&chosen.name),
        file,
        line,
        is_public: chosen.external,
        signature,
        analysed: analysed.map(Arc::new),
        library: build.library.clone(),
        address: None,
        names,
        init,
        uses_state,
        assumptions,
        remarks,
    })
}

/// The function's signature, and the parameters whose lengths were guessed.
fn signature_of(
    request: UnitRequest<'_>,
    build: &Build,
    chosen: &FunctionInfo,
    ir: Option<&Program>,
    of_source: &dyn Fn(SignatureError) -> AnalysisError,
) -> Result<(Signature, Vec<usize>), AnalysisError> {
    let lengths = lengths::said(request.run)?;
    let (mut signature, guessed) = match &request.run.signature {
        Some(text) => (parse_signature(text, &lengths)?, Vec::new()),
        None => {
            let (mut signature, guessed) =
                signature_with_guesses(&build.library, &chosen.symbol, &lengths, ir).map_err(of_source)?;
            let guessed = match (&chosen.file, chosen.language) {
                (Some(file), Some(Language::C | Language::Cpp)) => {
                    settle_declared(Path::new(file), &chosen.name, &mut signature, guessed)
                }
                _ => guessed,
            };
            if let Some((program, function)) = ir.and_then(|program| Some((program, program.function(&chosen.symbol)?)))
            {
                settle_lengths(program, function, &mut signature, &guessed, request.run);
                signature = with_directions(signature, program, function);
            }
            (signature, guessed)
        }
    };
    signature.name = request.run.name_of(&chosen.name);
    signature.symbol.clone_from(&chosen.symbol);
    make_room(&mut signature, request.run);
    Ok((signature, guessed))
}

/// Whether a function can run first: nobody has arguments for it.
///
/// # Errors
///
/// [`AnalysisError::Usage`]: it takes some.
pub fn must_take_nothing(program: &Program, symbol: &str) -> Result<(), AnalysisError> {
    let function = program.function(symbol).and_then(|id| program.functions.get(id.index()));
    match function {
        Some(function) if !function.parameters.is_empty() => {
            Err(AnalysisError::Usage(format!("--init {symbol}: it takes arguments; name a function that takes none")))
        }
        _ => Ok(()),
    }
}

/// That no earlier call counts, where these functions use what calls leave behind.
pub fn first_call(program: &Program, changing: &ChangingGlobals, functions: &[FunctionId]) -> Option<String> {
    const NAMED: usize = 4;
    let names = changing.used_by(program, functions);
    let more = match names.len().saturating_sub(NAMED) {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    let named = names.iter().take(NAMED).copied().collect::<Vec<_>>().join(", ");
    (!names.is_empty()).then(|| format!("no earlier call has changed {named}{more}"))
}

/// The function in a program, and how the signature's call maps to it.
pub fn bind(signature: &Signature, program: Arc<Program>) -> Result<Analysed, String> {
    let function =
        program.function(&signature.symbol).ok_or_else(|| format!("the IR has no function {}", signature.symbol))?;
    let binding = map_parameters(signature, &program, function).map_err(|error| error.to_string())?;
    Ok(Analysed { program, function, binding })
}

/// The parameters as reports list them.
pub fn parameters(signature: &Signature) -> Vec<ParameterInfo> {
    let of = |parameter: &labrys_program::Parameter| ParameterInfo {
        name: parameter.name.clone(),
        type_name: parameter_type(&parameter.ty),
    };
    signature.parameters.iter().map(of).collect()
}
