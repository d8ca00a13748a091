//! `diff` over a library: it is built once for each build, then each matching function is compared, several at a time, resumably.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

use indexmap::IndexSet;
use labrys_program::{
    Build, BuildSpec, Fingerprints, Language, LibraryFunction, LibraryScript, control_spec, map_parameters, parse_build,
};
use labrys_report::{Analysis, BuildInfo, Counts, Finding, FunctionSummary, Report, Status};
use serde::{Deserialize, Serialize};

use super::asked::Askable;
use super::blame::Stage;
use super::builds::{Made, Prepared, role};
use super::compared::Compared;
use super::function::compare_builds;
use super::reproduce;
use super::request::{Request, Subject};
use super::shared;
use super::signatures::same_call;
use super::write_up::empty_report;
use crate::callers;
use crate::library::build::{Library, LibraryRequest, SCRIPT_LIMIT, folder_of, folder_of_replay, summary};
use crate::library::campaign::Outcome;
use crate::library::functions::{FunctionOutcome, Functions, Worked, shared_notes};
use crate::library::schedule::{Schedule, Task};
use crate::library::{Hash, extended};
use crate::run::clock::Clock;
use crate::run::options::of_option;
use crate::run::recipe::Artifact;
use crate::run::repeat::replay_file;
use crate::solving::second_opinion;
use crate::target::analysed::Analysed;
use crate::target::lengths;
use crate::target::subject::functions_of;
use crate::{AnalysisError, Done, Progress};

/// Of more sources than these the same is noted once.
const FEW_SOURCES: usize = 3;

/// Under a time limit, the hundredths of it by which functions have been compared; the rest is for trials of what to blame.
const COMPARING_ENDS: u32 = 75;
/// The same by which callers have been asked.
const ASKING_ENDS: u32 = 83;

/// What one function came to: what a library run keeps.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct FunctionResult {
    /// Its line in the list of functions.
    pub summary: FunctionSummary,
    /// What its comparison came to, where it was compared.
    pub compared: Option<Compared>,
}

impl FunctionResult {
    fn findings_mut(&mut self) -> &mut [Finding] {
        self.compared.as_mut().map_or(&mut [], |compared| &mut compared.findings)
    }
}

/// One build of the library.
pub struct LibraryVersion {
    /// Its role in reports.
    pub role: String,
    /// Its compiler and flags as a user writes them.
    pub flags: String,
    /// What was built.
    pub library: Library,
}

/// All builds of a library: the baseline's, the variants', the controls'.
pub struct Versions {
    /// The builds.
    pub all: Vec<LibraryVersion>,
    variants: usize,
    controls: Vec<Option<usize>>,
}

/// Compares the functions of a library.
///
/// # Errors
///
/// Where a build cannot be made, no function matches, or the output folder cannot be used.
pub fn run(
    request: &Request,
    (database, entries): (&Path, &[String]),
    folder: &Path,
    clock: &Clock,
    progress: &dyn Progress,
) -> Result<Outcome, AnalysisError> {
    let hung_on = (Analysis::Diff, &options(request));
    let schedule = Schedule::open(&request.run, hung_on, &request.schedule, clock, progress)?;
    progress.phase("building");
    let built = folder_of(&request.run, &request.schedule.campaign, folder);
    let versions = match Versions::build(request, (database, entries), &built, clock) {
        Err(error) if error.is_time_up() && clock.may_have_ended_it() && request.schedule.campaign.shard.is_none() => {
            return Ok(Done::cut_short(empty_report(request, clock), "the builds were").into());
        }
        versions => versions?,
    };
    let baseline = &versions.all[0].library;
    let functions = Functions { is_followed: request.blames, ..Functions::new(baseline, &schedule) };
    progress.phase("comparing");
    let compare = |_: usize, of: &LibraryFunction, clock: &Clock, progress: &dyn Progress| {
        let prepared = versions.prepared(of, folder)?;
        let compared = compare_builds(request, &prepared, clock, progress).map_err(|error| error.to_string())?;
        Ok(of_function(of, compared))
    };
    let pieces = functions.whole(versions.tasks(&functions.chosen));
    // Blaming comes after all comparisons, for a cause is told of one function.
    let may_ask = callers::Stage::<Askable<'_>>::may_ask(&functions);
    let phase = match (request.blames, may_ask) {
        (true, _) => clock.share(COMPARING_ENDS),
        (false, true) => clock.share(100 - 100 / callers::ASKING_PART),
        (false, false) => *clock,
    };
    let worked = functions.analyse(&pieces, &phase, &compare)?;
    let stage = Stage { request, versions: &versions, functions: &functions, pieces: &pieces, folder };
    let mut results = match worked {
        Worked::All(results) => results,
        Worked::Part(part) if request.blames => return stage.blame_part(part).map(Outcome::Part),
        Worked::Part(part) => return Ok(Outcome::Part(part)),
    };
    let tasks: Vec<Task> = pieces.iter().map(|piece| piece.task.clone()).collect();
    let until = if request.blames { clock.share(ASKING_ENDS) } else { *clock };
    let asks = Askable { request, versions: &versions, folder };
    let asking = callers::Stage { asks: &asks, functions: &functions, tasks: &tasks, clock: &until };
    asking.enter(&mut results.iter_mut().map(FunctionResult::findings_mut).collect::<Vec<_>>())?;
    if request.blames {
        stage.blame_all(&mut results)?;
    } else {
        shared::merge(&mut results);
    }
    Ok(report_of(request, database, &versions, folder, results, clock).into())
}

/// A library and one function of it, ready to be compared: to run a witness again.
///
/// # Errors
///
/// Where a build cannot be made, or the function is gone.
pub fn prepared_for(
    request: &Request,
    wanted: (&Path, &[String]),
    folder: &Path,
    function: Option<&str>,
    clock: &Clock,
) -> Result<(Versions, Prepared), AnalysisError> {
    let versions = Versions::build(request, wanted, &folder_of_replay(&request.run, folder), clock)?;
    let gone = || AnalysisError::Usage("the report does not say which function the finding is of".to_owned());
    let of = versions.all[0].library.function(function.ok_or_else(gone)?)?;
    let prepared = versions.prepared(of, folder).map_err(AnalysisError::Usage)?;
    Ok((versions, prepared))
}

/// Everything but the code that a result depends on.
fn options(request: &Request) -> BTreeMap<&'static str, String> {
    // A new option is to be added here, or does not compile.
    let Request {
        subject,
        run,
        baseline,
        variants,
        ulps,
        compare_traces,
        startup,
        every,
        init,
        schedule,
        blames: _,
        safe_flags: _,
        compare_random,
    } = request;
    let mut options = run.that_results_depend_on(schedule.function_time);
    options.insert("analysis", "diff".to_owned());
    options.insert("builds", format!("{} {variants:?}", of_option(baseline)));
    options.insert("compare random", compare_random.to_string());
    options.insert("compare traces", compare_traces.to_string());
    options.insert(
        "entries",
        match subject {
            Subject::Project { database, entries } => functions_of(database, entries),
            other => format!("{other:?}"),
        },
    );
    options.insert("every", every.to_string());
    options.insert("init", of_option(init));
    options.insert("startup", format!("{startup:?}"));
    options.insert("ulps", ulps.to_string());
    options
}

/// A build's compiler and flags in one text.
fn text_of(spec: &BuildSpec) -> String {
    let words = std::iter::once(&spec.compiler).chain(&spec.flags).map(String::as_str);
    shlex::try_join(words).unwrap_or_default()
}

impl Versions {
    /// Builds everything, each in a folder of its role below `folder`.
    ///
    /// # Errors
    ///
    /// Where a build cannot be made.
    pub fn build(
        request: &Request,
        (database, entries): (&Path, &[String]),
        folder: &Path,
        clock: &Clock,
    ) -> Result<Versions, AnalysisError> {
        let language = Language::C;
        let spec = |text: &str| -> Result<BuildSpec, AnalysisError> { Ok(parse_build(text, language)?) };
        let default = [language.default_variant().to_owned()];
        let variants = if request.variants.is_empty() { &default[..] } else { &request.variants };
        let baseline = request.baseline.as_deref().unwrap_or(language.default_baseline());
        let mut planned = vec![("baseline".to_owned(), text_of(&spec(baseline)?))];
        for (index, text) in variants.iter().enumerate() {
            planned.push((role("variant", index), text_of(&spec(text)?)));
        }
        // Variants at the same level share a control.
        let mut controls = Vec::new();
        let mut distinct: Vec<String> = Vec::new();
        for text in variants {
            let control = text_of(&control_spec(&spec(text)?, language));
            let index = distinct.iter().position(|known| *known == control).unwrap_or(distinct.len());
            if index == distinct.len() {
                distinct.push(control);
            }
            controls.push(Some(1 + variants.len() + index));
        }
        let first_control = planned.len();
        planned.extend(distinct.into_iter().enumerate().map(|(index, text)| (role("control", index), text)));
        let mut all = Vec::with_capacity(planned.len());
        for (role, flags) in planned {
            let wanted = LibraryRequest {
                run: &request.run,
                database,
                entries,
                flags: Some(&flags),
                is_control: all.len() >= first_control,
                init: request.init.as_deref(),
                jobs: request.schedule.jobs,
            };
            let products = folder.join(&role);
            // Only the baseline says how functions are called.
            let library = match all.is_empty() {
                true => Library::new(wanted, &products, clock)?,
                false => Library::built(wanted, &products, clock)?,
            };
            all.push(LibraryVersion { role, flags, library });
        }
        Ok(Versions { all, variants: variants.len(), controls })
    }

    /// A task for each function: its code in all builds.
    fn tasks(&self, functions: &[&LibraryFunction]) -> Vec<Task> {
        let fingerprints: Vec<Fingerprints<'_>> =
            self.all.iter().map(|version| Fingerprints::new(&version.library.program)).collect();
        let of = |function: &&LibraryFunction| {
            let mut fingerprint: Hash = Hash::default();
            for (version, fingerprints) in self.all.iter().zip(&fingerprints) {
                let here = version.library.build.functions.iter().find(|other| other.name == function.name);
                let code = version.library.fingerprint(fingerprints, here);
                fingerprint = extended(&fingerprint, &format!("{code:?}"));
            }
            Task { name: format!("diff {}", function.name), fingerprint }
        };
        functions.iter().map(of).collect()
    }

    /// A function of all builds, ready to be compared; or why it cannot be driven.
    ///
    /// # Errors
    ///
    /// A sentence for the user.
    pub fn prepared(&self, of: &LibraryFunction, drivers: &Path) -> Result<Prepared, String> {
        let baseline = &self.all[0].library;
        let unit = baseline.unit(of)?;
        let mut notes = [&unit.remarks[..], &unit.never_null()].concat();
        let mut builds = Vec::with_capacity(self.all.len());
        for version in &self.all {
            let here = version.library.build.functions.iter().find(|other| other.name == of.name);
            let here = here.ok_or_else(|| format!("the {} has no function {}", version.role, of.name))?;
            let other = here.signature.clone()?;
            let own = of.signature.clone()?;
            if !same_call(&lengths::without_guesses(&own), &lengths::without_guesses(&other)) {
                return Err(format!("it does not take and return the same in the baseline and the {}", version.role));
            }
            builds.push(version.made(here, &unit.signature, &mut notes));
        }
        Ok(Prepared {
            folder: drivers.to_owned(),
            builds,
            variants: self.variants,
            controls: self.controls.clone(),
            signature: unit.signature,
            init: unit.init,
            is_local: !of.is_public,
            notes,
        })
    }

    /// How they were built, by role.
    ///
    /// # Errors
    ///
    /// A compiler is gone.
    pub fn scripts(&self) -> Result<BTreeMap<String, LibraryScript>, AnalysisError> {
        let deadline = Instant::now() + SCRIPT_LIMIT;
        let of = |version: &LibraryVersion| Ok((version.role.clone(), version.library.build.script(deadline)?));
        self.all.iter().map(of).collect()
    }

    /// The reproducers of a function's findings.
    fn reproducers(
        &self,
        request: &Request,
        function: &str,
        drivers: &Path,
        report: &Report,
        findings: &[Finding],
    ) -> Vec<Artifact> {
        let of = self.all[0].library.function(function).ok();
        let prepared = of.and_then(|of| self.prepared(of, drivers).ok());
        prepared.map(|prepared| reproduce::of_library(request, &prepared, report, findings)).unwrap_or_default()
    }

    /// The builds, for reports.
    fn infos(&self, request: &Request, database: &Path, results: &[FunctionResult]) -> Vec<BuildInfo> {
        let startup = results.iter().find_map(|result| result.compared.as_ref()).map(|compared| &compared.startup);
        let info = |(index, version): (usize, &LibraryVersion)| BuildInfo {
            role: version.role.clone(),
            source: database.display().to_string(),
            compiler: version.library.build.compilers.join(", "),
            flags: shlex::split(&version.flags).unwrap_or_default().into_iter().skip(1).collect(),
            startup: startup.and_then(|startup| startup.get(index)).copied().unwrap_or_default(),
            executable: None,
            link: request.run.link.iter().map(|file| file.display().to_string()).collect(),
        };
        self.all.iter().enumerate().map(info).collect()
    }
}

impl LibraryVersion {
    /// One function of this build.
    fn made(&self, of: &LibraryFunction, signature: &labrys_program::Signature, notes: &mut Vec<String>) -> Made {
        let program = &self.library.program;
        let analysed = match map_parameters(signature, program, of.function) {
            Ok(binding) => Some(Arc::new(Analysed { program: Arc::clone(program), function: of.function, binding })),
            Err(error) => {
                notes.push(format!("{}: not analysed: {error}", self.role));
                None
            }
        };
        Made {
            build: Build {
                role: self.role.clone(),
                source: of.file.clone().into(),
                language: Language::SharedObject,
                compiler: self.library.build.compilers.join(", "),
                flags: shlex::split(&self.flags).unwrap_or_default().into_iter().skip(1).collect(),
                library: self.library.build.library.clone(),
                recipe: Vec::new(),
                notes: Vec::new(),
            },
            executable: String::new(),
            compiler_to_call: String::new(),
            symbol: of.symbol.clone(),
            address: Some(of.address),
            analysed,
        }
    }
}

fn of_function(of: &LibraryFunction, mut compared: Compared) -> FunctionResult {
    // Two functions may have the same name in the source, not in the library.
    shared::assign_ids(&of.name, &mut compared.findings);
    let summary = FunctionSummary {
        status: compared.status,
        findings: compared.findings.iter().map(|finding| finding.id.clone()).collect(),
        ..summary(of)
    };
    FunctionResult { summary, compared: Some(compared) }
}

impl FunctionOutcome for FunctionResult {
    fn unanalysed(summary: FunctionSummary) -> FunctionResult {
        FunctionResult { summary, compared: None }
    }
}

/// What was done in all.
fn counts(results: &[FunctionResult]) -> Counts {
    let mut all = Counts::default();
    results.iter().filter_map(|result| result.compared.as_ref()).for_each(|compared| all.add(&compared.counts));
    all
}

/// Notes on sources, `name: what`, each once, with one for all sources where the same is said of many.
fn by_source<'n>(notes: impl Iterator<Item = &'n String>) -> Vec<String> {
    // Several builds say the same of a source.
    let notes: IndexSet<&String> = notes.collect();
    let said = |note: &'n String| note.split_once(": ").map_or(&note[..], |(_, what)| what);
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    notes.iter().for_each(|note| *counts.entry(said(note)).or_default() += 1);
    let mut told = Vec::new();
    for note in notes {
        match counts.get_mut(said(note)) {
            Some(0) => {}
            Some(count) if *count > FEW_SOURCES => {
                told.push(format!("{count} sources: {}", said(note)));
                *count = 0;
            }
            _ => told.push(note.clone()),
        }
    }
    told
}

/// The report of a library.
fn report_of(
    request: &Request,
    database: &Path,
    versions: &Versions,
    drivers: &Path,
    results: Vec<FunctionResult>,
    clock: &Clock,
) -> Done {
    let mut report = empty_report(request, clock);
    if results.iter().any(|result| result.summary.status == Status::Limit) {
        report.status = Status::Limit;
    }
    report.target.builds = versions.infos(request, database, &results);
    report.counts = counts(&results);
    report.notes.extend(versions.all.first().and_then(|version| version.library.build.own_flags_in_words()));
    report.notes.extend(by_source(versions.all.iter().flat_map(|version| &version.library.build.notes)));
    let mut artifacts = Vec::new();
    let mut remarks: Vec<Vec<String>> = Vec::new();
    for FunctionResult { summary, compared } in results {
        report.notes.extend(summary.failure.iter().map(|why| format!("{}: {why}", summary.function)));
        if let Some(mut compared) = compared {
            for finding in &mut compared.findings {
                finding.command = request.run.output.as_deref().map(|folder| replay_file(folder, &finding.id));
            }
            if request.run.output.is_some() && !compared.findings.is_empty() {
                artifacts.extend(versions.reproducers(
                    request,
                    &summary.function,
                    drivers,
                    &report,
                    &compared.findings,
                ));
            }
            remarks.push(std::mem::take(&mut compared.notes));
            report.findings.append(&mut compared.findings);
            report.contradictions.append(&mut compared.contradictions);
        }
        report.functions.push(summary);
    }
    report.sort_findings();
    remarks.sort();
    report.notes.extend(shared_notes(remarks.iter().map(Vec::as_slice)));
    report.notes.extend(request.run.tracing.note());
    artifacts.extend(second_opinion::artifacts(&report.contradictions));
    Done { report, artifacts }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A diff of GSL's with gcc had two hundred lines on whose IR was analysed.
    #[test]
    fn what_is_said_of_many_sources_is_said_once() {
        let notes = ["a: clang's", "b: clang's", "c: own", "c: clang's", "d: clang's", "a: clang's", "alone"]
            .map(str::to_owned);
        assert_eq!(by_source(notes.iter()), ["4 sources: clang's", "c: own", "alone"]);
        assert_eq!(by_source(notes[..2].iter()), ["a: clang's", "b: clang's"]);
    }
}
