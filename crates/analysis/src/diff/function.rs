//! The comparison of one function's builds, from the first input to findings.
//!
//! 1. Native search at once: most differences show in a second (`judge`).
//! 2. Beside it, on a thread of its own, both programs are explored and conditions solved (`solving`).
//! 3. The solver's inputs, their neighbourhoods, and the rest of the search.
//! 4. Divergences are grouped (`ledger`), shrunk and confirmed (`distill`).

use std::time::{Duration, Instant};

use labrys_report::{FoundBy, Startup};
use rustc_hash::FxHashSet;

use super::blame::{Asked, Blaming, OfSource, enter_answered};
use super::builds::Prepared;
use super::compare::Policy;
use super::compared::{Compared, Facts, Times};
use super::distill::Distiller;
use super::findings::{Distilled, Findings};
use super::judge::{DiffJudge, DiffSearch, Nearby, PERSISTENCE, Scene, neighbourhoods};
use super::observers::{self, Observers};
use super::request::Request;
use super::solving::{self, Solving};
use super::write_up;
use crate::inputs::domain::Domain;
use crate::observation::start::call_limit;
use crate::observation::undefined::Defined;
use crate::run::clock::{Clock, Stop};
use crate::run::stage_times::StageTimes;
use crate::search::{Search, SearchSettings};
use crate::{AnalysisError, Progress};

/// Inputs that are drawn before anything is solved: they satisfy most conditions.
const SEED_INPUTS: usize = 1024;
/// Of the work, hundredths after which what was found by then is told to who listens. As much as the last of these is done before
/// the solver's inputs come, and while they are looked for.
const FIRST_SEARCHES: [u64; 4] = [1, 4, 15, 40];
/// Of the work, at most so many hundredths go to the neighbourhoods of solver inputs.
const NEIGHBOURHOOD_SHARE: u64 = 30;
/// Under a time limit, the hundredths of what building left by which each stage ends, so that the next ones have their part.
const SOLVING_ENDS: u32 = 40;
/// See [`SOLVING_ENDS`].
const SEARCH_ENDS: u32 = 75;
/// See [`SOLVING_ENDS`]: the rest is for confirming.
const SHRINKING_ENDS: u32 = 88;

/// The stack of the thread that solves, in bytes: as large as a program's first thread has, and more.
const SOLVER_STACK: usize = 1 << 26;

/// Compares the builds of one function.
///
/// # Errors
///
/// Where a worker cannot be started, or an assumption does not fit the function.
pub fn compare_builds(
    request: &Request,
    prepared: &Prepared,
    run: &Clock,
    progress: &dyn Progress,
) -> Result<Compared, AnalysisError> {
    let progress: &dyn Progress = &StageTimes::new(&prepared.signature.name, progress);
    let built = run.elapsed();
    let clock = &run.starting_now();
    let mut domain = Domain::new(&request.run.domain(), &prepared.signature)?;
    domain.know_literals(prepared.builds.iter().filter_map(|made| made.analysed.as_deref()));
    let domain = &domain;
    let mut observers = observers::start(request, prepared)?;
    let startup: Vec<Startup> = (0..prepared.builds.len()).map(|build| startup_of(&mut observers, build)).collect();
    let scene = Scene {
        space: &domain.space,
        inputs: &domain.inputs,
        outputs: &domain.outputs,
        policy: Policy {
            watched: request.run.watched,
            ulps: request.ulps,
            traces: request.compare_traces,
            results: true,
        },
        defined: Defined {
            analysed: prepared.builds[0].analysed.as_deref(),
            signature: &prepared.signature,
            init: None,
        },
        variants: (1..=prepared.variants).collect(),
        controls: &prepared.controls,
    };
    let comparison = Comparison {
        request,
        prepared,
        domain,
        scene: &scene,
        progress,
        solving_clock: clock.share(SOLVING_ENDS),
        search_clock: clock.share(SEARCH_ENDS),
        shrink_clock: clock.share(SHRINKING_ENDS),
        clock,
    };
    comparison.run(&mut observers, startup, built)
}

fn startup_of(observers: &mut Observers, build: usize) -> Startup {
    if observers.build(build).startup().ftz { Startup::Ftz } else { Startup::Default }
}

/// What all stages know.
struct Comparison<'a> {
    request: &'a Request,
    prepared: &'a Prepared,
    domain: &'a Domain,
    scene: &'a Scene<'a>,
    progress: &'a dyn Progress,
    solving_clock: Clock,
    search_clock: Clock,
    shrink_clock: Clock,
    clock: &'a Clock,
}

impl Comparison<'_> {
    fn run(
        &self,
        observers: &mut Observers,
        startup: Vec<Startup>,
        built: Duration,
    ) -> Result<Compared, AnalysisError> {
        let Comparison { request, prepared, progress, .. } = *self;
        let begun = self.clock.elapsed();
        observers.set_clocks(&self.search_clock, self.clock);
        let given = self.domain.given(&request.run.given)?;
        let solved;
        let mut search = self.search(observers, request.run.max_work);
        let (nearby, stop, solving) = if given.is_empty() {
            let solving;
            (solved, solving) = self.solve_and_search(&mut search, &startup)?;
            search.judge.watch_branches(solved.branches.as_ref());
            let (nearby, stop) = self.follow_and_search(&mut search, &solved)?;
            (nearby, stop, solving)
        } else {
            solved = Solving::default();
            (Nearby::default(), search.submit(given, FoundBy::Given, &self.search_clock)?, Duration::ZERO)
        };
        let (ledger, inputs) = (std::mem::take(&mut search.judge.ledger), search.inputs);
        let abnormal = search.abnormal - search.panicked;
        let (unsteady, undefined) = (search.judge.unsteady, search.judge.undefined);
        drop(search);
        let searching = self.clock.elapsed() - begun;

        progress.phase("shrinking and confirming");
        observers.set_clocks(&self.shrink_clock, self.clock);
        let roles = self.roles();
        let mut found: Findings = self.distiller(&roles).findings(&ledger, observers)?;
        progress.phase("blaming flags and passes");
        observers.set_clocks(self.clock, self.clock);
        self.blame(&mut found.findings, observers)?;
        let confirming = self.clock.elapsed() - begun - searching;
        let random = match request.compare_random && request.run.given.is_empty() {
            true => {
                progress.phase("sampling for comparison");
                observers.set_clocks(self.clock, self.clock);
                let mut sampler = self.search(observers, inputs);
                sampler.sample(self.clock)?;
                Some((std::mem::take(&mut sampler.judge.ledger), sampler.inputs))
            }
            false => None,
        };
        let facts =
            Facts { stop, solved: &solved, nearby, ledger: &ledger, inputs, abnormal, unsteady, undefined, random };
        let times = Times { built, solving, searching, confirming };
        Ok(write_up::compared(request, prepared, startup, found, &facts, times))
    }

    /// Finds out which flags and which pass each finding takes, worst first, where there is a file to build otherwise.
    fn blame(&self, found: &mut [Distilled], observers: &mut Observers) -> Result<(), AnalysisError> {
        let Comparison { request, prepared, scene, clock, progress, .. } = *self;
        let Some(maker) = OfSource::new(request, clock).filter(|_| request.blames) else { return Ok(()) };
        let blaming = Blaming {
            request,
            prepared,
            policy: scene.policy,
            inputs: scene.inputs,
            outputs: scene.outputs,
            maker: &maker,
            folder: &prepared.folder,
            locates: false,
            clock,
            progress,
        };
        let mut order: Vec<usize> = (0..found.len()).collect();
        order.sort_by_cached_key(|index| found[*index].finding.rank());
        let of = |index: &usize| {
            let Distilled { finding, variant, record, .. } = &found[*index];
            Some((*index, Asked::of(finding, *variant, record.clone())?))
        };
        let (indices, asked): (Vec<usize>, Vec<Asked>) = order.iter().filter_map(of).unzip();
        for (index, of) in indices.into_iter().zip(blaming.answers(&asked, observers)?) {
            enter_answered(&mut found[index].finding, of);
        }
        Ok(())
    }

    fn search<'s>(&'s self, observers: &'s mut Observers, max_inputs: u64) -> DiffSearch<'s> {
        let settings = SearchSettings {
            space: self.scene.space,
            inputs: self.scene.inputs,
            call_limit: call_limit(self.clock).min(self.request.run.call_timeout),
            seed: self.request.run.seed,
            max_inputs,
            persistence: PERSISTENCE,
            progress: self.progress,
        };
        Search::new(settings, DiffJudge::new(self.scene, observers))
    }

    fn roles(&self) -> Vec<String> {
        self.prepared.builds.iter().map(|made| made.build.role.clone()).collect()
    }

    fn distiller<'s>(&'s self, roles: &'s [String]) -> Distiller<'s> {
        Distiller {
            scene: self.scene,
            signature: &self.prepared.signature,
            of_crate: self.request.run.of_crate.as_deref(),
            builds: &self.prepared.builds,
            roles,
            every: self.request.every,
            shrinking: &self.shrink_clock,
            progress: self.progress,
            begun: Instant::now(),
        }
    }

    /// The first search, with the solvers beside it; what these came to, and how long they took.
    fn solve_and_search(
        &self,
        search: &mut DiffSearch<'_>,
        startup: &[Startup],
    ) -> Result<(Solving, Duration), AnalysisError> {
        let Comparison { request, prepared, domain, progress, .. } = *self;
        let clock = &self.solving_clock;
        let seeds = domain.seeds(request.run.seed, SEED_INPUTS)?;
        let flushes = startup.contains(&Startup::Ftz);
        let roles = self.roles();
        progress.phase("searching");
        let (solved, searched) = std::thread::scope(|scope| {
            let solving = || {
                let begun = clock.elapsed();
                let solved = solving::run(request, prepared, domain, &seeds, clock, progress, flushes);
                progress.phase_ends();
                (solved, clock.elapsed() - begun)
            };
            let solver = std::thread::Builder::new().stack_size(SOLVER_STACK).spawn_scoped(scope, solving);
            let mut searched = || -> Result<(), AnalysisError> {
                let mut told = FxHashSet::default();
                search.allow(FIRST_SEARCHES[FIRST_SEARCHES.len() - 1]);
                search.submit(seeds.clone(), FoundBy::Random, clock)?;
                for (salt, share) in (0..).zip(FIRST_SEARCHES) {
                    if progress.listens() {
                        let DiffJudge { ledger, observers, .. } = &mut search.judge;
                        self.distiller(&roles).tell_first(ledger, observers, &mut told)?;
                    }
                    search.allow(share);
                    search.guided(salt, clock)?;
                }
                Ok(())
            };
            let searched = searched();
            (solver.map(|solver| solver.join()), searched)
        });
        searched?;
        match solved {
            Ok(Ok(solved)) => Ok(solved),
            Ok(Err(_)) => Err(AnalysisError::Internal("the thread that solves died")),
            Err(_) => Err(AnalysisError::Internal("the system gives no thread to solve in")),
        }
    }

    /// The solver's inputs, their neighbourhoods, and the rest of the search.
    fn follow_and_search(
        &self,
        search: &mut DiffSearch<'_>,
        solved: &Solving,
    ) -> Result<(Nearby, Option<Stop>), AnalysisError> {
        let max_work = self.request.run.max_work;
        search.allow(100);
        let candidates: Vec<Vec<u8>> =
            solved.inputs.iter().chain(&solved.differential_inputs).chain(&solved.exact_inputs).cloned().collect();
        if let Some(stop) = search.submit(candidates.clone(), FoundBy::Solver, &self.search_clock)? {
            return Ok((Nearby::default(), Some(stop)));
        }
        let share = max_work.saturating_sub(search.inputs).min(max_work * NEIGHBOURHOOD_SHARE / 100);
        let nearby = neighbourhoods(search, self.scene.space, &candidates, share, &self.search_clock)?;
        if let Some(stop) = nearby.stop {
            return Ok((nearby, Some(stop)));
        }
        let stop = search.guided(FIRST_SEARCHES.len() as u64, &self.search_clock)?;
        Ok((nearby, stop))
    }
}
