//! From the request to builds: shared objects that are observed, programs that are analysed, one signature for all.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use labrys_program::{
    Build, BuildError, BuildSpec, CompilationDatabase, Language, OperationPlace, Product, Program, Signature,
    VariantOptions, build_shared, build_shared_telling, build_without_flags_at, control_spec, emit_ir, fast_variant,
    make_modules, map_parameters, parse_build, same_ir,
};

use super::request::{Request, Subject};
use super::signatures::find_signature;
use crate::error::AnalysisError;
use crate::run::clock::Clock;
use crate::run::files::must_be_readable;
use crate::target::analysed::Analysed;
use crate::target::glue;
use crate::target::nullable::never_null;
use crate::whole::library::find_library;

/// The longest that building may take where the user sets no limit.
pub const BUILD_LIMIT: Duration = Duration::from_secs(600);

/// One build: what runs, and its IR where there is one.
pub struct Made {
    /// The shared object and how it came to be. Its `source` and `flags` are the user's words.
    pub build: Build,
    /// The compiler's executable as the user wrote it.
    pub executable: String,
    /// The compiler's executable as a shell finds it.
    pub compiler_to_call: String,
    /// The symbol of the function in this build.
    pub symbol: String,
    /// The function's address in the shared object, where symbols are shared.
    pub address: Option<u64>,
    /// The analysed program and how the call maps to it.
    pub analysed: Option<Arc<Analysed>>,
}

/// Everything that is compared.
pub struct Prepared {
    /// Where drivers lie.
    pub folder: PathBuf,
    /// The baseline, then the variants, then the controls.
    pub builds: Vec<Made>,
    /// How many variants there are: builds 1..=variants.
    pub variants: usize,
    /// The control of each variant, if it has one.
    pub controls: Vec<Option<usize>>,
    /// The function's signature.
    pub signature: Signature,
    /// What is called once before the function: its symbol.
    pub init: Option<String>,
    /// Whether the function is not exported (`static`).
    pub is_local: bool,
    /// Remarks for the report.
    pub notes: Vec<String>,
}

/// What is to be built: a specification and a source that need not be the user's own file.
struct Plan {
    spec: BuildSpec,
    /// The file as the user named it.
    source: PathBuf,
    /// The file that is compiled.
    input: PathBuf,
    /// The user's words, where they are not what compiles `input`.
    shown_flags: Option<Vec<String>>,
    /// Whether its IR is analysed.
    analysed: bool,
}

/// As [`prepare`]; where the function cannot be driven as it is, with a caller that was made for it. The request is then another one.
///
/// # Errors
///
/// As [`prepare`].
pub fn prepare_drivable(request: &Request, folder: &Path, clock: &Clock) -> Result<(Request, Prepared), AnalysisError> {
    let mut request = request.clone();
    let mut prepared = prepare(&request, folder, clock);
    let mut remarks = Vec::new();
    for _ in 0..glue::MOST {
        let (Err(error), Subject::Source(source)) = (&prepared, &request.subject) else { break };
        let library = folder.join("baseline.so");
        match glue::instead(&glue::Failed { run: &request.run, source, library: &library, error }) {
            None => break,
            Some(instead) => {
                let instead = instead?;
                request = Request { run: instead.run.clone(), ..request.clone() };
                prepared = instead.or_before(prepared, prepare(&request, folder, clock));
                remarks.push(instead.remark);
            }
        }
    }
    let mut prepared = prepared?;
    prepared.notes.splice(0..0, remarks);
    Ok((request, prepared))
}

/// Builds everything in `folder`.
///
/// # Errors
///
/// Where a source is missing or does not compile, a compiler is missing, or the function cannot be found or driven.
pub fn prepare(request: &Request, folder: &Path, clock: &Clock) -> Result<Prepared, AnalysisError> {
    for file in &request.run.link {
        must_be_readable(file)?;
    }
    let deadline = clock.deadline(BUILD_LIMIT);
    let mut notes = Vec::new();
    let (plans, variants, controls) = plan(request, folder, deadline)?;
    notes.extend(database_notes(request, &plans)?);
    if let (Some(database), Subject::Source(source)) = (&request.run.database, &request.subject)
        && Language::of(source)? == Language::Fortran
    {
        make_modules(&CompilationDatabase::load(database)?, source, &plans[0].spec, folder, deadline)?;
    }
    let made = build_all(&plans, folder, deadline)?;
    let mut builds = Vec::with_capacity(made.len());
    let mut irs = Vec::with_capacity(made.len());
    for (built, plan) in made.into_iter().zip(&plans) {
        notes.extend(built.notes);
        let mut build = built.build;
        notes.append(&mut build.notes);
        build.source.clone_from(&plan.source);
        if let Some(flags) = &plan.shown_flags {
            build.flags.clone_from(flags);
        }
        irs.push(built.program);
        let compiler_to_call = build.recipe.first().cloned().unwrap_or_else(|| plan.spec.compiler.clone());
        builds.push(Made {
            build,
            executable: plan.spec.compiler.clone(),
            compiler_to_call,
            symbol: String::new(),
            address: None,
            analysed: None,
        });
    }
    let (signature, is_local) = find_signature(request, &mut builds, irs[0].as_ref(), &mut notes)?;
    for (made, program) in builds.iter_mut().zip(irs) {
        made.analysed = program.and_then(|program| bind(&signature, made, program, &mut notes)).map(Arc::new);
    }
    if let Some(analysed) = builds.first().and_then(|made| made.analysed.as_ref()) {
        notes.extend(never_null(&analysed.program, analysed.function, &signature));
    }
    notes.dedup();
    Ok(Prepared { folder: folder.to_owned(), builds, variants, controls, signature, init: None, is_local, notes })
}

/// Builds the one variant that `text` says in `folder`, to be run and not analysed; with what its compiler said.
///
/// # Errors
///
/// Where it cannot be built.
pub fn build_variant(
    request: &Request,
    text: &str,
    folder: &Path,
    clock: &Clock,
) -> Result<(Build, String), AnalysisError> {
    let deadline = clock.deadline(BUILD_LIMIT);
    let request = Request { variants: vec![text.to_owned()], ..request.clone() };
    let (plans, _, _) = plan(&request, folder, deadline)?;
    let plan = plans.get(1).ok_or(AnalysisError::Internal("a variant has no plan"))?;
    Ok(build_shared_telling(&plan.spec, &plan.input, folder, deadline)?)
}

/// The same of a file of C, C++ or Fortran, but that no flag lets operations at these places change.
///
/// # Errors
///
/// As [`build_variant`], and where its compiler is none of LLVM's.
pub fn build_variant_strict_at(
    request: &Request,
    text: &str,
    places: &[OperationPlace],
    folder: &Path,
    clock: &Clock,
) -> Result<Build, AnalysisError> {
    let deadline = clock.deadline(BUILD_LIMIT);
    let request = Request { variants: vec![text.to_owned()], ..request.clone() };
    let (plans, _, _) = plan(&request, folder, deadline)?;
    let Plan { spec, source, input, .. } = plans.get(1).ok_or(AnalysisError::Internal("a variant has no plan"))?;
    let library = build_without_flags_at(spec, (input, Product::SharedObject), places, folder, deadline)?;
    Ok(Build {
        role: spec.role.clone(),
        source: source.clone(),
        language: Language::of(source)?,
        compiler: spec.compiler.clone(),
        flags: spec.user_flags(),
        library,
        recipe: Vec::new(),
        notes: Vec::new(),
    })
}

/// The role of the `index`-th of several: `variant`, `variant2`, …
pub fn role(of: &str, index: usize) -> String {
    if index == 0 { of.to_owned() } else { format!("{of}{}", index + 1) }
}

type Plans = (Vec<Plan>, usize, Vec<Option<usize>>);

fn plan(request: &Request, folder: &Path, deadline: Instant) -> Result<Plans, AnalysisError> {
    match &request.subject {
        Subject::Source(source) => {
            must_be_readable(source)?;
            match Language::of(source)? {
                Language::Ir => plan_ir(request, source, folder, deadline),
                Language::SharedObject => Err(AnalysisError::Usage(format!(
                    "{}: one shared object cannot be compared with itself; give two with --baseline-lib and --variant-lib",
                    source.display()
                ))),
                language => plan_source(request, source, language),
            }
        }
        Subject::Pair(old, new) => plan_pair(request, old, new),
        Subject::Project { .. } => Err(AnalysisError::Internal("a library is not built as a file")),
        Subject::Libraries { baseline, variants } => {
            let plain = |role: String, file: &Path| -> Result<Plan, AnalysisError> {
                must_be_readable(file)?;
                if Language::of(file)? != Language::SharedObject {
                    return Err(AnalysisError::Usage(format!("{}: not a shared object", file.display())));
                }
                let spec = shared_object(request, role)?;
                Ok(Plan { spec, source: file.to_owned(), input: file.to_owned(), shown_flags: None, analysed: false })
            };
            let mut plans = vec![plain("baseline".to_owned(), baseline)?];
            for (index, variant) in variants.iter().enumerate() {
                plans.push(plain(role("variant", index), variant)?);
            }
            Ok((plans, variants.len(), vec![None; variants.len()]))
        }
    }
}

/// What the project, and the user for all builds, say to the compiler of a source before what is compared.
pub fn project_flags(request: &Request) -> Vec<String> {
    match &request.subject {
        Subject::Source(source) => common_flags(request, source).unwrap_or_default(),
        _ => request.run.common_flags.clone(),
    }
}

fn common_flags(request: &Request, source: &Path) -> Result<Vec<String>, AnalysisError> {
    let mut flags = match &request.run.database {
        Some(folder) => CompilationDatabase::load(folder)?.flags_for(source)?.flags,
        None => Vec::new(),
    };
    flags.extend(request.run.common_flags.iter().cloned());
    Ok(flags)
}

/// A specification with the request's common parts; what a report may not ask for is refused here, before anything runs.
fn spec(
    request: &Request,
    text: &str,
    role: String,
    language: Language,
    source: &Path,
) -> Result<BuildSpec, AnalysisError> {
    let mut spec = parse_build(text, language)?;
    spec.role = role;
    spec.common_flags = common_flags(request, source)?;
    spec.link.clone_from(&request.run.link);
    spec.origin = request.run.origin;
    spec.of_crate.clone_from(&request.run.of_crate);
    spec.check(language)?;
    Ok(spec)
}

/// That of a shared object, which needs no compiler.
fn shared_object(request: &Request, role: String) -> Result<BuildSpec, AnalysisError> {
    let spec = BuildSpec {
        role,
        compiler: String::new(),
        flags: Vec::new(),
        common_flags: Vec::new(),
        link: Vec::new(),
        origin: request.run.origin,
        of_crate: None,
    };
    spec.check(Language::SharedObject)?;
    Ok(spec)
}

/// Remarks on the flags that the sources of `plans` have in a compilation database.
fn database_notes(request: &Request, plans: &[Plan]) -> Result<Vec<String>, AnalysisError> {
    let Some(folder) = &request.run.database else { return Ok(Vec::new()) };
    let database = CompilationDatabase::load(folder)?;
    let mut notes: Vec<String> = Vec::new();
    for plan in plans.iter().filter(|plan| Language::of(&plan.source).is_ok_and(|of| of != Language::SharedObject)) {
        let new = database.flags_for(&plan.source)?.notes;
        notes.extend(new.into_iter().filter(|note| !notes.contains(note)).collect::<Vec<_>>());
    }
    Ok(notes)
}

fn plan_source(request: &Request, source: &Path, language: Language) -> Result<Plans, AnalysisError> {
    let input = request.run.input.as_deref().unwrap_or(source);
    let plain =
        |spec| Plan { spec, source: source.to_owned(), input: input.to_owned(), shown_flags: None, analysed: true };
    let baseline = request.baseline.as_deref().unwrap_or(language.default_baseline());
    let mut plans = vec![plain(spec(request, baseline, "baseline".to_owned(), language, source)?)];
    let default = [language.default_variant().to_owned()];
    let texts = if request.variants.is_empty() { &default[..] } else { &request.variants };
    for (index, text) in texts.iter().enumerate() {
        plans.push(plain(spec(request, text, role("variant", index), language, source)?));
    }
    // Variants at the same level share a control.
    let mut controls = Vec::new();
    let mut distinct: Vec<BuildSpec> = Vec::new();
    for plan in &plans[1..=texts.len()] {
        let control = control_spec(&plan.spec, language);
        let same = |other: &BuildSpec| other.compiler == control.compiler && other.flags == control.flags;
        let index = distinct.iter().position(same).unwrap_or(distinct.len());
        if index == distinct.len() {
            distinct.push(BuildSpec { role: role("control", index), ..control });
        }
        controls.push(Some(1 + texts.len() + index));
    }
    plans.extend(distinct.into_iter().map(|spec| Plan { analysed: false, ..plain(spec) }));
    Ok((plans, texts.len(), controls))
}

/// Two files compare as given: both with the baseline's flags, unless a variant says otherwise. There is no control: the
/// difference is meant to be in the files.
fn plan_pair(request: &Request, old: &Path, new: &Path) -> Result<Plans, AnalysisError> {
    let mut plans = Vec::new();
    let given = request.variants.first();
    if request.variants.len() > 1 {
        return Err(AnalysisError::Usage("two files are two builds: give at most one --variant".to_owned()));
    }
    for (role, file, text) in
        [("baseline", old, request.baseline.as_ref()), ("variant", new, given.or(request.baseline.as_ref()))]
    {
        must_be_readable(file)?;
        let language = Language::of(file)?;
        let text = text.map_or(language.default_baseline(), String::as_str);
        let spec = match language {
            Language::SharedObject => shared_object(request, role.to_owned())?,
            _ => spec(request, text, role.to_owned(), language, file)?,
        };
        plans.push(Plan {
            spec,
            source: file.to_owned(),
            input: file.to_owned(),
            shown_flags: None,
            analysed: language != Language::SharedObject,
        });
    }
    Ok((plans, 1, vec![None]))
}

/// One file of IR: the baseline is the file, each variant is LLVM's pipeline with fast flags on it, and its control the
/// same pipeline without.
fn plan_ir(request: &Request, source: &Path, folder: &Path, deadline: Instant) -> Result<Plans, AnalysisError> {
    let text = request.baseline.as_deref().unwrap_or("");
    let plain = |spec, input: PathBuf, shown_flags, analysed| Plan {
        spec,
        source: source.to_owned(),
        input,
        shown_flags,
        analysed,
    };
    let baseline = spec(request, text, "baseline".to_owned(), Language::Ir, source)?;
    let mut plans = vec![plain(baseline, source.to_owned(), None, true)];
    let default = [Language::Ir.default_variant().to_owned()];
    let texts = if request.variants.is_empty() { &default[..] } else { &request.variants };
    let mut controls = Vec::new();
    let mut control_plans: Vec<Plan> = Vec::new();
    for (index, text) in texts.iter().enumerate() {
        let named = spec(request, text, role("variant", index), Language::Ir, source)?;
        let flags = named.user_flags();
        let options = VariantOptions::from_flags(&flags, deadline)?;
        let product = folder.join(format!("{}-ir.bc", named.role));
        fast_variant(source, &product, &options)?;
        if same_ir(source, &product)? {
            return Err(AnalysisError::Usage(format!(
                "the variant \"{text}\" changes nothing in the IR of {}",
                source.display()
            )));
        }
        let control_role = role("control", index);
        let control_product = folder.join(format!("{control_role}-ir.bc"));
        let strict = VariantOptions { fast_math: labrys_program::FastMath::default(), ..options };
        fast_variant(source, &control_product, &strict)?;
        let strict_flags = control_spec(&named, Language::Ir).user_flags();
        controls.push(Some(1 + texts.len() + index));
        // The IR is optimised already: the back end gets no flags but its own.
        let bare = BuildSpec { flags: Vec::new(), common_flags: Vec::new(), ..named };
        let control = BuildSpec { role: control_role, ..bare.clone() };
        control_plans.push(plain(control, control_product, Some(strict_flags), false));
        plans.push(plain(bare, product, Some(flags), true));
    }
    plans.extend(control_plans);
    Ok((plans, texts.len(), controls))
}

struct Built {
    build: Build,
    program: Option<Program>,
    notes: Vec<String>,
}

/// Compiles all plans, at the same time.
fn build_all(plans: &[Plan], folder: &Path, deadline: Instant) -> Result<Vec<Built>, AnalysisError> {
    let results: Vec<_> = thread::scope(|scope| {
        let running: Vec<_> = plans.iter().map(|plan| scope.spawn(move || build_one(plan, folder, deadline))).collect();
        running.into_iter().map(|thread| thread.join()).collect()
    });
    results
        .into_iter()
        .map(|result| {
            result.map_err(|_| AnalysisError::Internal("a thread that builds died"))?.map_err(AnalysisError::from)
        })
        .collect()
}

fn build_one(plan: &Plan, folder: &Path, deadline: Instant) -> Result<Built, BuildError> {
    let build = build_shared(&plan.spec, &plan.input, folder, deadline)?;
    let mut notes = Vec::new();
    let mut program = None;
    if plan.analysed {
        // Without IR the search still runs: what is missing is said.
        match emit_ir(&plan.spec, &plan.input, folder, deadline) {
            Ok((file, said)) => {
                notes.extend(said);
                match Program::from_ir_file_with(&file, find_library().as_deref()) {
                    Ok(mut loaded) => {
                        loaded.fuse_contractions();
                        program = Some(loaded);
                    }
                    Err(error) => notes.push(format!("{}: not analysed: {error}", plan.spec.role)),
                }
            }
            Err(error) => notes.push(format!("{}: not analysed: {}", plan.spec.role, error.in_a_line())),
        }
    }
    Ok(Built { build, program, notes })
}

fn bind(signature: &Signature, made: &Made, program: Program, notes: &mut Vec<String>) -> Option<Analysed> {
    let Some(function) = program.function(&made.symbol) else {
        notes.push(format!("{}: not analysed: its IR has no function {}", made.build.role, made.symbol));
        return None;
    };
    match map_parameters(signature, &program, function) {
        Ok(binding) => Some(Analysed { program: Arc::new(program), function, binding }),
        Err(error) => {
            notes.push(format!("{}: not analysed: {error}", made.build.role));
            None
        }
    }
}
