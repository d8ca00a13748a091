//! The analysis of one function: search for large errors, certainty about them, whose fault they are.
//!
//! 1. A search on native code, guided by guesses of true values (`judge`): inputs of all magnitudes, ordinary ones, moves from those of
//!    the largest errors, bisection to where sums cancel.
//! 2. The inputs with the largest errors again, in fresh processes, against certified truths (`confirmed`).
//! 3. Whose fault each is (`fault`), and which operations made it (`causes`).

use labrys_interp::Limits;
use labrys_native::Driver;

use super::candidates::{Candidate, Group};
use super::confirmed::{ConfirmedErrors, confirm};
use super::judge::{AccuracyJudge, FRUITLESS_ROUNDS, NEIGHBOURS};
use super::request::Request;
use crate::inputs::domain::{Domain, DomainRequest};
use crate::inputs::origin::Origin;
use crate::observation::start::{call_limit, start};
use crate::run::clock::{Clock, Stop};
use crate::search::{Search, SearchSettings};
use crate::target::unit::Unit;
use crate::truth::Oracle;
use crate::{AnalysisError, Progress};

/// Inputs drawn before anything else.
const SEED_INPUTS: usize = 1024;
/// Of a function's time, the hundredths by which the search ends.
const SEARCH_ENDS: u32 = 70;
/// Candidates of each group that are confirmed.
const CONFIRMED: usize = 6;
/// Instructions that a run in arbitrary precision executes at most: some hundredths of a second.
const LIMITS: Limits = Limits { instructions: 200_000, depth: 256, object: 1 << 26 };

/// What one function came to.
pub struct Accuracy {
    /// The search domain.
    pub domain: Domain,
    /// What is certain.
    pub confirmed: ConfirmedErrors,
    /// Inputs run.
    pub inputs: u64,
    /// Inputs that did not return.
    pub abnormal: u64,
    /// Inputs without a guess of a true value, and why the first has none.
    pub unresolved: u64,
    /// See `unresolved`.
    pub why_unresolved: Option<String>,
    /// Why it ended early.
    pub stop: Option<Stop>,
}

/// Analyses one function.
///
/// # Errors
///
/// Where its worker cannot be started, an assumption does not fit it, or there is no IR to compute true values with.
pub fn analyse(
    request: &Request,
    unit: &Unit,
    driver: &Driver,
    clock: &Clock,
    progress: &dyn Progress,
) -> Result<Accuracy, AnalysisError> {
    let analysed = unit
        .analysed
        .as_deref()
        .map_err(|why| AnalysisError::Usage(format!("{} has no IR to compute true values with: {why}", unit.name)))?;
    let domain_request = DomainRequest { grid: request.grid, ..request.run.domain() };
    let mut domain = Domain::new(&domain_request, &unit.signature)?;
    domain.know_literals(std::iter::once(analysed));
    let mut observer = start(&request.run, unit, driver)?;
    let init = unit.init.as_deref().and_then(|symbol| analysed.program.function(symbol));
    let oracle = Oracle::new(analysed, &unit.signature, init, LIMITS);
    let settings = SearchSettings {
        space: &domain.space,
        inputs: &domain.inputs,
        call_limit: call_limit(clock),
        seed: request.run.seed,
        max_inputs: request.run.max_work,
        fruitless_rounds: FRUITLESS_ROUNDS,
        neighbours: NEIGHBOURS,
        progress,
    };
    let judge = AccuracyJudge::new(&mut observer, oracle, &domain.outputs, request.metric);
    let mut search = Search::new(settings, judge);
    progress.phase("searching");
    let stop = if request.run.given.is_empty() {
        let searching = clock.share(SEARCH_ENDS);
        let seeds = domain.seeds(request.run.seed, SEED_INPUTS)?;
        match search.submit(seeds, Origin::Random, &searching)? {
            Some(stop) => Some(stop),
            None => search.guided(0, &searching)?,
        }
    } else {
        search.submit(domain.given(&request.run.given)?, Origin::Given, clock)?
    };
    progress.phase("confirming");
    let chosen: Vec<(Group, Candidate)> = search
        .judge
        .candidates
        .iter()
        .flat_map(|(group, kept)| kept.iter().take(CONFIRMED).map(|candidate| (group.clone(), candidate.clone())))
        .collect();
    let confirmed = confirm(&mut search.judge, &chosen, request.metric, clock, &domain.outputs.leaves)?;
    let (inputs, abnormal) = (search.inputs, search.abnormal);
    let AccuracyJudge { unresolved, why_unresolved, .. } = search.judge;
    Ok(Accuracy { domain, confirmed, inputs, abnormal, unresolved, why_unresolved, stop })
}
