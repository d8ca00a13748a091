//! A library, built once, and its functions as units that can be run and analysed.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use labrys_program::{
    CallGraph, ChangingGlobals, Fingerprints, FunctionFilter, FunctionId, LibraryBuild, LibraryError, LibraryFunction,
    LibraryOptions, Program, SignatureError, build_library, choose_function, functions_in, map_parameters, parse_build,
    with_directions,
};
use labrys_report::{BuildInfo, FunctionSummary, Target};

use super::campaign::CampaignOptions;
use super::store::Hash;
use crate::AnalysisError;
use crate::run::clock::Clock;
use crate::run::options::RunOptions;
use crate::run::record::from_here;
use crate::target::analysed::Analysed;
use crate::target::lengths::{self, LengthTrials, make_room};
use crate::target::names::FunctionNames;
use crate::target::unit::{ROLE, Unit, UnitRequest, first_call, must_take_nothing, parameters};
use crate::whole::library::find_library;

/// The longest that building may take where the user sets no limit.
const BUILD_LIMIT: Duration = Duration::from_secs(3600);

/// The longest that asking compilers for their versions may take.
pub const SCRIPT_LIMIT: Duration = Duration::from_secs(60);

/// What is asked of a library.
#[derive(Clone, Copy)]
pub struct LibraryRequest<'a> {
    /// What every analysis is told.
    pub run: &'a RunOptions,
    /// The folder of `compile_commands.json`.
    pub database: &'a Path,
    /// Patterns of functions' names; `*` and `?` as in a shell.
    pub entries: &'a [String],
    /// The build's flags, compiler first; `None`: without optimisation.
    pub flags: Option<&'a str>,
    /// Whether it is a control: without what weakens floats, whoever asks for that.
    pub is_control: bool,
    /// A function that is called once before the one under test.
    pub init: Option<&'a str>,
    /// How many compilers run at a time.
    pub jobs: usize,
}

impl<'a> LibraryRequest<'a> {
    /// As a function of a file would be asked for, of the functions in `database` that match `entries`.
    pub fn new(
        UnitRequest { run, flags, init }: UnitRequest<'a>,
        (database, entries): (&'a Path, &'a [String]),
        jobs: usize,
    ) -> LibraryRequest<'a> {
        LibraryRequest { run, database, entries, flags, is_control: false, init, jobs }
    }
}

/// A library that was built.
pub struct Library {
    /// The build; its program is below.
    pub build: LibraryBuild,
    /// Its IR.
    pub program: Arc<Program>,
    /// Functions' names in the source by their names in the IR.
    pub names: Arc<FunctionNames>,
    /// Who calls whom.
    pub graph: CallGraph,
    /// What calls leave behind.
    pub changing: ChangingGlobals,
    /// The function that runs first, and its symbol.
    pub init: Option<(FunctionId, String)>,
    filter: FunctionFilter,
}

impl Library {
    /// Builds a library in `folder`.
    ///
    /// # Errors
    ///
    /// Where the database cannot be read, nothing compiles, or no function matches.
    pub fn new(request: LibraryRequest<'_>, folder: &Path, clock: &Clock) -> Result<Library, AnalysisError> {
        let mut library = Library::built(request, folder, clock)?;
        let Library { build, program, init, filter, .. } = &mut library;
        let chosen = build.functions.iter_mut().filter(|function| filter.matches(function));
        settle_lengths(request.run, program, init.as_ref().map(|(id, _)| *id), chosen);
        if library.chosen().next().is_none() {
            return Err(AnalysisError::Usage(library.why_none(request)));
        }
        Ok(library)
    }

    /// Why no function matches: there is none of such a name, or its source was left out.
    fn why_none(&self, request: LibraryRequest<'_>) -> String {
        let (database, entries) = (request.database.display(), request.entries.join(", "));
        if let Some(inlined) = self.inlined(request.entries) {
            return format!("{database}: {inlined}");
        }
        let mut words = match (self.build.functions.is_empty(), request.entries.is_empty()) {
            (true, _) => format!("what was built of {database} has no function that could be analysed"),
            (false, true) => format!("{database} has no function that others can call"),
            (false, false) => format!("no function of {database} matches {entries}"),
        };
        let near: Vec<String> = request.entries.iter().flat_map(|entry| self.build.near_names(entry)).collect();
        if !near.is_empty() {
            words.push_str(&format!("; there are {}", near.join(", ")));
        }
        let mut left_out = self.build.notes.iter().filter(|note| note.contains(" is left out: "));
        if let Some(first) = left_out.next() {
            let more = match left_out.count() {
                0 => String::new(),
                more => format!(" (and {more} more are left out)"),
            };
            words.push_str(&format!("; {}{more}", first.lines().next().unwrap_or_default()));
        }
        words
    }

    /// What is said of the first pattern that is the name of a function of which the compiler kept no code.
    fn inlined(&self, entries: &[String]) -> Option<String> {
        let functions = functions_in(&self.build.library).ok()?;
        let of = |entry: &String| match choose_function(&functions, Some(entry)) {
            Err(error @ (SignatureError::Inlined { .. } | SignatureError::Changed { .. })) => Some(error.to_string()),
            _ => None,
        };
        entries.iter().find_map(of)
    }

    /// The same with lengths of pointers as debug information has them, where no function need match.
    ///
    /// # Errors
    ///
    /// Where the database cannot be read or nothing compiles.
    pub fn built(request: LibraryRequest<'_>, folder: &Path, clock: &Clock) -> Result<Library, AnalysisError> {
        let run = request.run;
        let mut options = LibraryOptions::new(clock.deadline(BUILD_LIMIT));
        options.runtime = find_library();
        if let Some(text) = request.flags {
            let spec = parse_build(text, labrys_program::Language::C)?;
            let names_compiler = text.split_whitespace().next().is_some_and(|word| !word.starts_with('-'));
            options.compiler = names_compiler.then_some(spec.compiler);
            options.flags = spec.flags;
        }
        options.flags.extend(run.common_flags.iter().cloned());
        options.is_control = request.is_control;
        options.link.clone_from(&run.link);
        options.lengths = lengths::said(run)?;
        options.jobs = request.jobs;
        options.origin = run.origin;
        let mut build = build_library(request.database, &options, folder).map_err(|error| match error {
            LibraryError::Build(error) => error.into(),
            error => AnalysisError::Usage(error.to_string()),
        })?;
        let filter =
            FunctionFilter::new(request.entries).map_err(|why| AnalysisError::Usage(format!("--entry: {why}")))?;
        let program = Arc::new(std::mem::take(&mut build.program));
        let init = init_function(request.init, &program)?;
        Ok(Library {
            names: Arc::new(names(&program, &build.functions)),
            graph: CallGraph::new(&program),
            changing: ChangingGlobals::new(&program),
            build,
            program,
            init,
            filter,
        })
    }

    /// The functions that match the patterns.
    pub fn chosen(&self) -> impl Iterator<Item = &LibraryFunction> {
        self.build.functions.iter().filter(|function| self.filter.matches(function))
    }

    /// A function, ready to run; or why it cannot be driven.
    ///
    /// # Errors
    ///
    /// A sentence for the user.
    pub fn unit(&self, of: &LibraryFunction) -> Result<Unit, String> {
        let mut signature = of.signature.clone()?;
        signature.name.clone_from(&of.source_name);
        signature.symbol.clone_from(&of.symbol);
        let mut assumptions = lengths::assumptions(&signature, &of.guessed);
        let first = first_call(&self.program, &self.changing, &self.graph.reachable(of.function));
        let uses_state = first.is_some();
        assumptions.extend(first);
        let analysed = of.binding.as_ref().map(|binding| {
            Arc::new(Analysed { program: Arc::clone(&self.program), function: of.function, binding: binding.clone() })
        });
        Ok(Unit {
            name: of.name.clone(),
            file: Some(of.file.clone()),
            line: of.line,
            is_public: of.is_public,
            analysed: analysed.ok_or_else(|| "its parameters in the IR are not understood".to_owned()),
            library: self.build.library.clone(),
            address: Some(of.address),
            names: Arc::clone(&self.names),
            init: self.init.as_ref().map(|(_, symbol)| symbol.clone()),
            uses_state,
            assumptions,
            remarks: lengths::remarks(&signature, &of.guessed),
            signature,
        })
    }

    /// A function by its name in reports.
    ///
    /// # Errors
    ///
    /// Where there is none.
    pub fn function(&self, name: &str) -> Result<&LibraryFunction, AnalysisError> {
        let of = self.build.functions.iter().find(|function| function.name == name);
        of.ok_or_else(|| AnalysisError::Usage(format!("the library has no function `{name}` any more")))
    }

    /// The code of a function, where there is one, and of what runs first.
    pub fn fingerprint(&self, fingerprints: &Fingerprints<'_>, of: Option<&LibraryFunction>) -> Hash {
        let init = self.init.as_ref().map(|(id, _)| *id);
        let roots: Vec<FunctionId> = of.map(|of| of.function).into_iter().chain(init).collect();
        fingerprints.of(&roots)
    }

    /// How many instructions a function can reach.
    pub fn size(&self, of: &LibraryFunction) -> usize {
        let instructions = |id: FunctionId| {
            let function = self.program.functions.get(id.index());
            function.map_or(0, |function| function.blocks.iter().map(|block| block.instructions.len()).sum())
        };
        self.graph.reachable(of.function).into_iter().map(instructions).sum()
    }

    /// What is analysed, for the report: the whole library.
    pub fn target(&self, request: LibraryRequest<'_>) -> Target {
        Target {
            file: request.database.display().to_string(),
            builds: vec![self.info(request, ROLE)],
            ..Target::default()
        }
    }

    /// The build, for reports.
    pub fn info(&self, request: LibraryRequest<'_>, role: &str) -> BuildInfo {
        BuildInfo {
            role: role.to_owned(),
            source: request.database.display().to_string(),
            compiler: self.build.compilers.join(", "),
            flags: without_compiler(request.flags).chain(request.run.common_flags.iter().cloned()).collect(),
            executable: None,
            link: request.run.link.iter().map(|file| file.display().to_string()).collect(),
            ..BuildInfo::default()
        }
    }
}

/// The words of a build behind its compiler, where it names one: that is told with its version.
fn without_compiler(text: Option<&str>) -> impl Iterator<Item = String> {
    let words = text.map(|text| shlex::split(text).unwrap_or_else(|| vec![text.to_owned()])).unwrap_or_default();
    let names_one = words.first().is_some_and(|word| !word.starts_with('-'));
    words.into_iter().skip(usize::from(names_one))
}

/// The folder in which a run's library is built: the one that is shared with others, or below the output folder, where what is built stays for the
/// next run.
pub fn folder_of(run: &RunOptions, campaign: &CampaignOptions, otherwise: &Path) -> PathBuf {
    campaign.products.clone().unwrap_or_else(|| run.output.as_deref().unwrap_or(otherwise).join("build"))
}

/// The folder in which it is built again to run witnesses: that of the run, where only what has changed is built, if it is still there.
pub fn folder_of_replay(run: &RunOptions, otherwise: &Path) -> PathBuf {
    let built = run.output.as_ref().map(|output| output.join("build")).filter(|built| built.is_dir());
    built.unwrap_or_else(|| otherwise.join("build"))
}

/// Gives pointers whose lengths were guessed those that trial runs show, and all of them room for what is asked for.
fn settle_lengths<'f>(
    run: &RunOptions,
    program: &Program,
    init: Option<FunctionId>,
    functions: impl Iterator<Item = &'f mut LibraryFunction>,
) {
    let mut trials = None;
    for of in functions {
        let Ok(signature) = &mut of.signature else { continue };
        let before = signature.clone();
        if !of.guessed.is_empty()
            && let Some(trials) = trials.get_or_insert_with(|| LengthTrials::new(program, init))
        {
            trials.settle(of.function, signature, &of.guessed, &lengths::room(signature, run));
        }
        make_room(signature, run);
        if *signature == before {
            continue;
        }
        *signature = with_directions(signature.clone(), program, of.function);
        of.binding = map_parameters(signature, program, of.function).ok();
    }
}

/// The function that runs first.
fn init_function(name: Option<&str>, program: &Program) -> Result<Option<(FunctionId, String)>, AnalysisError> {
    let Some(name) = name else { return Ok(None) };
    match program.function(name) {
        Some(function) => must_take_nothing(program, name).map(|()| Some((function, name.to_owned()))),
        None => Err(AnalysisError::Usage(format!("--init {name}: the library has no such function"))),
    }
}

/// Functions' names in the source by their names in the IR.
fn names(program: &Program, functions: &[LibraryFunction]) -> FunctionNames {
    let name = |function: &LibraryFunction| {
        let ir = program.functions.get(function.function.index())?;
        Some((ir.name.clone(), function.source_name.clone()))
    };
    FunctionNames::new(functions.iter().filter_map(name), Some(program))
}

/// A function's line in the list of a report's functions, as long as nothing is known of it.
pub fn summary(of: &LibraryFunction) -> FunctionSummary {
    FunctionSummary {
        function: of.name.clone(),
        file: Some(from_here(of.file.clone())),
        line: of.line,
        is_public: of.is_public,
        parameters: of.signature.as_ref().map(parameters).unwrap_or_default(),
        ..FunctionSummary::default()
    }
}

#[cfg(test)]
mod tests {
    use super::without_compiler;

    /// It stood behind its own version.
    #[test]
    fn a_compiler_is_no_flag() {
        let of = |text: Option<&str>| without_compiler(text).collect::<Vec<_>>();
        assert_eq!(of(Some("clang-22 -O2 -DX='a b'")), ["-O2", "-DX=a b"]);
        assert_eq!(of(Some("-O2")), ["-O2"]);
        assert!(of(None).is_empty() && of(Some("gcc")).is_empty());
    }
}
