//! The stages of a function's analysis between listing its pairs and distilling findings.

use std::sync::Arc;
use std::time::Duration;

use labrys_report::{Contradiction, FoundBy, Opinion};
use labrys_symex::{EveryPath, Exploration, Feasibility, OpenSites, Options};
use labrys_term::Store;
use rustc_hash::FxHashSet;

use super::caller_goal::Assignment;
use super::cases;
use super::directed::DirectedSearch;
use super::enumeration::Enumeration;
use super::evidence::Evidence;
use super::exact::{Exact, ExactSteps, QUICK, THOROUGH};
use super::opinions::{Opinions, Refuted};
use super::pairs::PairKey;
use super::range_proofs;
use super::reals::{Asking, RealSteps};
use super::reason::Reason;
use super::request::Request;
use super::sampled::Sampled;
use super::search::ExceptionSearch;
use super::work::Work;
use crate::inputs::domain::Domain;
use crate::run::clock::{Clock, Stop};
use crate::solving::{floats, paths};
use crate::target::unit::Unit;
use crate::{AnalysisError, Progress};

/// Of the inputs that may be run, the hundredths for the first search, and for it and solvers' candidates together.
const FIRST_SEARCH_INPUTS: u64 = 50;
/// See [`FIRST_SEARCH_INPUTS`].
const SOLVERS_INPUTS: u64 = 80;
/// Inputs drawn before anything is solved.
const SEED_INPUTS: usize = 2048;
/// Inputs as people use them that follow, the code's own numbers among them: what hangs on `x == 3.25` no draw from all floats shows.
const ORDINARY_INPUTS: usize = 1024;
/// Of a function's time, the hundredths by which a small search domain must have been run whole.
const ENUMERATION_ENDS: u32 = 25;
/// See [`ENUMERATION_ENDS`]. What its inputs raise must have been traced.
const SETTLING_ENDS: u32 = 60;
/// Of a function's time, the hundredths by which each stage ends.
const FIRST_SEARCH_ENDS: u32 = 12;
/// See [`FIRST_SEARCH_ENDS`].
const RANGES_END: u32 = 40;
/// See [`FIRST_SEARCH_ENDS`]. Where a function is asked for what others were seen to raise, calls come first.
const DIRECTED_SEARCH_ENDS: u32 = 40;
/// See [`FIRST_SEARCH_ENDS`].
const CALLER_RANGES_END: u32 = 55;
/// See [`FIRST_SEARCH_ENDS`]. Inputs that contradict value ranges are looked for until then.
const DOUBTS_END: u32 = 57;
/// Of the inputs that may be run, one in so many is for doubting proofs.
const SAMPLED_PART: u64 = 16;
/// Of what is then left until [`EXACT_ENDS`], the hundredths for exploring paths; of what is left after that, those for quick
/// proofs; and again those for candidates over the reals.
const EXPLORING_SHARE: u32 = 35;
/// See [`EXPLORING_SHARE`].
const QUICK_SHARE: u32 = 40;
/// See [`EXPLORING_SHARE`].
const REALS_SHARE: u32 = 40;
/// See [`FIRST_SEARCH_ENDS`].
const EXACT_ENDS: u32 = 76;
/// See [`FIRST_SEARCH_ENDS`]. Confirming comes next.
const SEARCH_ENDS: u32 = 82;
/// See [`FIRST_SEARCH_ENDS`]. Second opinions have a tenth of the time at most.
const OPINIONS_END: u32 = 92;
/// How far libm's functions may be from the correctly rounded value where the user does not say.
const DEFAULT_LIBM_ULPS: u32 = 4;
/// The longest that exploring may take where the user sets no limit.
const EXPLORATION_LIMIT: Duration = Duration::from_secs(60);
/// The longest that value ranges may take where the user sets no limit.
const RANGES_LIMIT: Duration = Duration::from_secs(60);

/// The stages between listing the pairs and distilling findings.
pub struct Stages<'a> {
    /// What the user asks.
    pub request: &'a Request,
    /// The function.
    pub unit: &'a Unit,
    /// What of it is looked at.
    pub assignment: &'a Assignment,
    /// The search domain.
    pub domain: &'a Domain,
    /// The function's time.
    pub clock: &'a Clock,
    /// Who listens.
    pub progress: &'a dyn Progress,
    /// Remarks for the report.
    pub notes: &'a mut Vec<String>,
    /// What was done.
    pub work: &'a mut Work,
    /// Proofs that somebody contradicted.
    pub contradictions: &'a mut Vec<Contradiction>,
}

impl Stages<'_> {
    /// Runs all stages; why they ended early, and whether every path was followed to its end.
    pub fn run(&mut self, search: &mut ExceptionSearch<'_>) -> Result<(Option<Stop>, bool), AnalysisError> {
        let time = self.clock.share(ENUMERATION_ENDS);
        let enumerated = self.enumeration(&time).run(search)?;
        self.work.enumerated = enumerated.inputs;
        self.notes.extend(enumerated.note);

        self.progress.phase("searching");
        let seeds = self.domain.seeds(self.request.run.seed, SEED_INPUTS)?;
        let first = self.clock.share(FIRST_SEARCH_ENDS);
        search.allow(FIRST_SEARCH_INPUTS);
        search.submit(self.assignment.goal.known.clone(), FoundBy::Guided, &first)?;
        search.submit(seeds, FoundBy::Random, &first)?;
        search.submit(self.domain.ordinary(self.request.run.seed, ORDINARY_INPUTS), FoundBy::Random, &first)?;
        search.guided(0, &first)?;

        self.search_directed(search)?;
        self.progress.phase("bounding values");
        let ranges_end = if self.assignment.goal.calls.is_empty() { RANGES_END } else { CALLER_RANGES_END };
        let deadline = self.clock.share(ranges_end).deadline(RANGES_LIMIT);
        let before = search.judge.pairs.unproved();
        let said = range_proofs::prove(self.request, self.unit, self.domain, &mut search.judge.pairs, Some(deadline));
        self.notes.extend(said);
        let after: FxHashSet<PairKey> = search.judge.pairs.unproved().into_iter().collect();
        let proved: Vec<PairKey> = before.into_iter().filter(|pair| !after.contains(pair)).collect();
        self.work.proved_by_ranges = proved.len() as u64;
        self.doubt(search, &proved)?;

        if let Some(calls) = enumerated.calls {
            let time = self.clock.share(SETTLING_ENDS);
            self.enumeration(&time).settle(search, calls)?;
        }

        let mut all_paths = false;
        let mut refuted: Option<Refuted> = None;
        search.allow(SOLVERS_INPUTS);
        if search.judge.pairs.open_exceptions().is_empty() || self.unit.analysed.is_err() {
            all_paths = self.unit.analysed.is_ok();
        } else {
            self.progress.phase("following paths");
            let mut store = Store::new();
            let exploration = self.explore(&mut store, search);
            all_paths |= exploration.as_ref().is_some_and(Exploration::is_complete);
            if let Some(exploration) = exploration {
                let evidence = self.solve(&mut store, &exploration, search)?;
                refuted = Some(Refuted { store, calls: floats::calls(&exploration), evidence });
            }
        }

        self.progress.phase("searching");
        let last = self.clock.share(SEARCH_ENDS);
        search.allow(100);
        let stop = search.guided(1, &last)?;
        if let Some(refuted) = refuted {
            self.second_opinions(refuted, search)?;
        }
        Ok((stop, all_paths))
    }

    fn enumeration<'r>(&'r self, clock: &'r Clock) -> Enumeration<'r> {
        Enumeration {
            unit: self.unit,
            domain: self.domain,
            watched: self.request.run.watched,
            most: self.request.whole_space,
            clock,
            progress: self.progress,
        }
    }

    /// Looks for inputs that contradict proofs by value ranges; what they show is entered.
    fn doubt(&mut self, search: &mut ExceptionSearch<'_>, proved: &[PairKey]) -> Result<(), AnalysisError> {
        if proved.is_empty() || search.is_over() || !self.request.run.second_opinion.sampling {
            return Ok(());
        }
        self.progress.phase("doubting proofs");
        let sampled = Sampled {
            domain: self.domain,
            watched: self.request.run.watched,
            seed: self.request.run.seed,
            most: self.request.run.max_work / SAMPLED_PART,
            clock: &self.clock.share(DOUBTS_END),
            progress: self.progress,
        };
        let inputs = sampled.doubt(search, proved)?;
        let said = Opinion::alone(format!("inputs of the search domain were run and none raised it, {inputs} of them"));
        proved.iter().for_each(|key| search.judge.pairs.second(key, said.clone()));
        Ok(())
    }

    /// Looks for inputs that lead to the calls which the caller's goal wants.
    fn search_directed(&mut self, search: &mut ExceptionSearch<'_>) -> Result<(), AnalysisError> {
        if self.assignment.goal.calls.is_empty() {
            return Ok(());
        }
        self.progress.phase("following paths to calls");
        search.allow(SOLVERS_INPUTS);
        let clock = self.clock.share(DIRECTED_SEARCH_ENDS);
        let exact = Exact { request: self.request, domain: self.domain, clock: &clock, progress: self.progress };
        let (steps, _) = DirectedSearch { exact: &exact, unit: self.unit, goal: &self.assignment.goal }.run(search)?;
        self.work.add_float_steps(&steps);
        Ok(())
    }

    fn explore(&mut self, store: &mut Store, search: &ExceptionSearch<'_>) -> Option<Exploration> {
        let analysed = self.unit.analysed.as_ref().ok()?;
        let init = self.unit.init.as_deref().and_then(|symbol| analysed.program.function(symbol));
        let time = self.clock.share(EXACT_ENDS).part_left(EXPLORING_SHARE);
        let options = Options {
            init,
            wanted: Some(Arc::new(OpenSites::new(search.judge.pairs.open_sites()))),
            ..paths::options(&self.request.run, time.deadline(EXPLORATION_LIMIT))
        };
        // The oracle takes libm to be as good as glibc says; who asks for proofs about a worse one gets no pruning.
        let mut oracle: Box<dyn Feasibility> = match self.request.libm_ulps <= DEFAULT_LIBM_ULPS {
            true => Box::new(paths::oracle(self.domain, store)),
            false => Box::new(EveryPath),
        };
        let exploration = paths::follow(analysed, &self.unit.signature, store, &options, &mut *oracle);
        self.work.paths = exploration.paths.len() as u64;
        self.notes.extend(paths::early_ends(&exploration));
        for cut in &exploration.loop_cuts {
            let location = cut.location.and_then(|id| analysed.program.locations.get(id.index()));
            let line =
                location.filter(|location| location.line > 0).map(|location| format!(" at line {}", location.line));
            let function = self.unit.names.get(&cut.function).unwrap_or(&cut.function);
            self.notes.push(format!(
                "the loop{} of {function} was followed for {} rounds and then cut, on {} paths",
                line.unwrap_or_default(),
                self.request.run.loop_bound,
                cut.paths
            ));
        }
        Some(exploration)
    }

    fn solve(
        &mut self,
        store: &mut Store,
        exploration: &Exploration,
        search: &mut ExceptionSearch<'_>,
    ) -> Result<Evidence, AnalysisError> {
        let (request, domain, progress) = (self.request, self.domain, self.progress);
        let end = self.clock.share(EXACT_ENDS);
        let mut cases = cases::collect(request, domain, store, exploration, &search.judge.pairs, &end);
        cases.settle(&mut search.judge.pairs, request, !exploration.library_calls.is_empty());

        progress.phase("solving over the floats");
        let quick = end.part_left(QUICK_SHARE);
        let exact = Exact { request, domain, clock: &quick, progress };
        let (mut float_steps, _): (ExactSteps, _) = exact.run(&QUICK, store, exploration, &mut cases, search)?;

        progress.phase("solving over the reals");
        let time = end.part_left(REALS_SHARE);
        let asking = Asking { request, domain, clock: &time, progress };
        let (steps, _): (RealSteps, _) = asking.run(store, exploration, &cases, search, self.notes)?;
        steps.write_to(self.work);

        progress.phase("solving over the floats");
        let exact = Exact { request, domain, clock: &end, progress };
        let (steps, stop) = exact.run(&THOROUGH, store, exploration, &mut cases, search)?;
        float_steps += steps;
        self.work.add_float_steps(&float_steps);
        if stop.is_some() {
            // A first answer may be there; the thorough question was not asked.
            for case in &cases.cases {
                search.judge.pairs.cut(&case.pair);
            }
            for pair in search.judge.pairs.open() {
                search.judge.pairs.leave_unexplained(&pair, Reason::time("the time limit of the solvers"));
            }
        }
        Ok(cases.evidence)
    }

    /// Asks others about what the solver proved.
    fn second_opinions(&mut self, refuted: Refuted, search: &mut ExceptionSearch<'_>) -> Result<(), AnalysisError> {
        self.progress.phase("asking for second opinions");
        let clock = self.clock.share(OPINIONS_END);
        let begun = clock.elapsed();
        let exact = Exact { request: self.request, domain: self.domain, clock: &clock, progress: self.progress };
        let opinions = Opinions { exact: &exact, questions: self.work.float_queries }.ask(refuted, search)?;
        self.notes.extend(opinions.notes);
        self.contradictions.extend(opinions.contradictions);
        self.work.opinion_seconds = (clock.elapsed() - begun).as_secs_f64();
        Ok(())
    }
}
