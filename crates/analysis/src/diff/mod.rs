//! `diff`: inputs on which two builds of a function behave differently.
//!
//! 1. Build the shared objects that run and the IR that is analysed (`builds`).
//! 2. Explore both programs symbolically; every site's exceptions become conditions over the reals (`conditions`).
//! 3. Solve: known inputs first, then z3 (`candidates`).
//! 4. Search: the candidates, their neighbourhoods, mutation under feedback (`search`), all on native code.
//! 5. Group divergences by severity, exceptions and sites (`ledger`), shrink and confirm them (`distill`).
//!
//! After the method of E. T. Barr, T. Vo, V. Le, Z. Su, "Automatic Detection of Floating-Point Exceptions", POPL 2013,
//! section 3, applied to two programs at once.

mod branches;
mod builds;
mod candidates;
mod compare;
mod conditions;
mod distill;
mod event_order;
mod exact;
mod float_queries;
mod ledger;
mod observers;
mod replay;
mod reproduce;
mod request;
mod search;
mod solving;
mod write_up;

pub use replay::{Replayed, replay};
pub use request::{Request, StartupChoice, Subject};
pub use write_up::Done;

use compare::Policy;
use distill::Distiller;
use search::{Scene, Search};

use crate::inputs::domain::Domain;
use crate::inputs::origin::Origin;
use crate::run::clock::{Clock, Stop};
use crate::{AnalysisError, Progress};

/// Inputs that are run before anything is solved: they satisfy most conditions.
const SEED_INPUTS: usize = 1024;
/// Of the work, at most so many hundredths go to the neighbourhoods of solver inputs.
const NEIGHBOURHOOD_SHARE: u64 = 50;
/// Under a time limit, the hundredths of it by which each stage ends, so that the next ones have their part.
const SOLVING_ENDS: u32 = 40;
/// See [`SOLVING_ENDS`].
const SEARCH_ENDS: u32 = 75;
/// See [`SOLVING_ENDS`]: the rest is for confirming.
const SHRINKING_ENDS: u32 = 88;

/// Compares the builds of a request.
///
/// # Errors
///
/// What keeps the comparison from being made at all: see [`AnalysisError`].
pub fn diff(request: &Request, progress: &dyn Progress) -> Result<Done, AnalysisError> {
    let clock = Clock::start(request.run.time);
    progress.phase("building");
    let prepared = match builds::prepare(request, &clock) {
        Err(error) if error.is_time_up() && clock.is_over() => return Ok(write_up::cut_short(request, &clock)),
        prepared => prepared?,
    };
    let domain = Domain::new(&request.run.domain(), &prepared.signature)?;
    let mut observers = observers::start(request, &prepared)?;
    let (solving_clock, search_clock, shrink_clock) =
        (clock.share(SOLVING_ENDS), clock.share(SEARCH_ENDS), clock.share(SHRINKING_ENDS));
    let roles: Vec<String> = prepared.builds.iter().map(|made| made.build.role.clone()).collect();
    let scene = Scene {
        space: &domain.space,
        inputs: &domain.inputs,
        outputs: &domain.outputs,
        policy: Policy { watched: request.run.watched, ulps: request.ulps, traces: request.compare_traces },
        variants: (1..=prepared.variants).collect(),
        seed: request.run.seed,
        clock: &search_clock,
        progress,
    };
    let given = domain.given(&request.run.given)?;
    let built = clock.elapsed();

    let seeds = if given.is_empty() { domain.seeds(request.run.seed, SEED_INPUTS)? } else { Vec::new() };
    let solved = if given.is_empty() {
        progress.phase("solving");
        let flushes = (0..prepared.builds.len()).any(|build| observers.build(build).startup().ftz);
        solving::run(request, &prepared, &domain, &seeds, &solving_clock, progress, flushes)
    } else {
        solving::Solving::default()
    };
    let solved_at = clock.elapsed();

    progress.phase("searching");
    observers.set_deadlines(search_clock.limit(), clock.limit());
    let mut search = Search::new(&scene, &mut observers, request.run.max_work, solved.branches.as_ref());
    let nearby;
    let stop;
    if given.is_empty() {
        (nearby, stop) = run_search(&mut search, &solved, seeds, request.run.max_work)?;
    } else {
        nearby = search::Nearby::default();
        stop = search.submit(given, Origin::Given)?;
    }
    let (ledger, inputs) = (search.ledger, search.inputs);
    let searched_at = clock.elapsed();

    progress.phase("shrinking and confirming");
    observers.set_deadlines(shrink_clock.limit(), clock.limit());
    let distiller = Distiller {
        scene: &scene,
        signature: &prepared.signature,
        roles: &roles,
        controls: &prepared.controls,
        shrinking: &shrink_clock,
        progress,
    };
    let harvest = distiller.harvest(&ledger, &mut observers)?;
    let sampled = match request.compare_random && request.run.given.is_empty() {
        true => {
            progress.phase("sampling for comparison");
            let mut sampler = Search::new(&scene, &mut observers, inputs, None);
            sampler.sample()?;
            Some(sampler)
        }
        false => None,
    };
    let random = sampled.map(|sampler| (sampler.ledger, sampler.inputs));
    let facts = write_up::Facts { stop, solved: &solved, nearby, ledger: &ledger, inputs, random };
    let times = write_up::Times { built, solved: solved_at, searched: searched_at, done: clock.elapsed() };
    Ok(write_up::report(request, &prepared, &mut observers, harvest, facts, times))
}

/// Runs everything in its order: seeds, the solver's inputs, their neighbourhoods, mutation.
fn run_search(
    search: &mut Search<'_>,
    solved: &solving::Solving,
    seeds: Vec<Vec<u8>>,
    max_work: u64,
) -> Result<(search::Nearby, Option<Stop>), AnalysisError> {
    let mut nearby = search::Nearby::default();
    // The solver's inputs come first, so that what they find is known as theirs.
    let candidates: Vec<Vec<u8>> =
        solved.inputs.iter().chain(&solved.differential_inputs).chain(&solved.exact_inputs).cloned().collect();
    if let Some(stop) = search.submit(candidates.clone(), Origin::Solver)? {
        return Ok((nearby, Some(stop)));
    }
    if let Some(stop) = search.submit(seeds, Origin::Random)? {
        return Ok((nearby, Some(stop)));
    }
    let share = search.left().min(max_work * NEIGHBOURHOOD_SHARE / 100);
    nearby = search.neighbourhoods(&candidates, share)?;
    if let Some(stop) = nearby.stop {
        return Ok((nearby, Some(stop)));
    }
    let stop = search.guided()?;
    Ok((nearby, stop))
}
