//! The engines' race over two threads.
//!
//! One thread bit-blasts, which is complete and rarely quick to give up. The other takes turns between local search and
//! the interval engine, with shares of time that grow, since each is very fast where it is good and may run for ever
//! where it is not. Who answers first stops the other.
//!
//! **Head start.** A small query first gets a little local search alone, limited by work: what is easy needs no threads, and
//! has the same model in every run.
//!
//! **Reproducible runs.** Sat and Unsat are facts, but which model is found depends on who was first. In a reproducible
//! run the second thread's turns are limited by work, and its model is preferred: a model of the bit-blaster waits for
//! the turns to end. An Unsat never waits.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc;
use std::thread;
use std::time::{Duration, Instant};

use labrys_term::{Store, TermId};

use super::config::PortfolioConfig;
use super::engines::EngineChoice;
use super::statistics::Statistics;
use crate::bitblast::BitBlaster;
use crate::domain::Facts;
use crate::interval::{IntervalConfig, IntervalEngine};
use crate::local::{LocalQuery, LocalRun};
use crate::{Budget, Engine, Query, Verdict, Why};

/// The first turn of each engine of the second thread; each round's turns are twice as long as the last one's.
const FIRST_TURN: Duration = Duration::from_millis(100);

/// Work of the two engines in a reproducible run, in their own units: about half a second each.
const REPRODUCIBLE_WORK: u64 = 200_000;
const REPRODUCIBLE_INSTRUCTIONS: u64 = 20_000_000;

/// The head start, in local search's instructions: half a millisecond to a millisecond.
const HEAD_START: u64 = 20_000;
/// Terms of the largest query that has one: compiling it takes about as long.
const HEAD_START_TERMS: usize = 2_000;

/// How often the waiting thread looks whether somebody outside wants it to stop.
const LOOK: Duration = Duration::from_millis(20);

/// The bit-blaster's name.
const BLASTER: &str = "bitblast";

/// What an engine answered and did.
pub(super) struct Report {
    engine: &'static str,
    verdict: Verdict,
    counters: Vec<(&'static str, u64)>,
    took: Duration,
}

/// A query that outlives the call that asks it.
#[derive(Debug)]
pub(super) struct Subject {
    pub store: Arc<Store>,
    pub assertions: Vec<TermId>,
    pub facts: Facts,
}

impl Subject {
    pub(super) fn query(&self) -> Query<'_> {
        Query { store: &self.store, assertions: &self.assertions, facts: &self.facts }
    }
}

/// What a thread does: asks engines, and sends what they answer.
pub(super) type Runner = Box<dyn FnOnce(&Query<'_>, &Budget, &dyn Fn(Report)) + Send>;

/// A thread that asks one engine.
pub(super) fn asking(mut engine: impl Engine + 'static) -> Runner {
    Box::new(move |query, budget, send| send(ask(&mut engine, query, budget)))
}

/// Decides a query with the chosen engines.
pub(super) fn run(subject: Subject, budget: &Budget, config: &PortfolioConfig, statistics: &mut Statistics) -> Verdict {
    if let Some(mut engine) = config.engines.alone(config.interval) {
        let report = ask(engine.as_mut(), &subject.query(), budget);
        return record(report, statistics);
    }
    let races = config.engines == EngineChoice::Portfolio;
    if races
        && !config.reproducible
        && subject.store.len() <= HEAD_START_TERMS
        && let Ok(local) = LocalQuery::new(&subject.query())
    {
        let limited = Budget { work: HEAD_START, ..budget.clone() };
        let report = ask(&mut local.run(budget.seed), &subject.query(), &limited);
        if !matches!(report.verdict, Verdict::Unknown(_)) {
            return record(report, statistics);
        }
    }
    let PortfolioConfig { reproducible, interval, .. } = *config;
    let mut runners: Vec<Runner> = if races { vec![asking(BitBlaster::default())] } else { Vec::new() };
    runners.push(Box::new(move |query, budget, send| search(query, budget, reproducible, interval, send)));
    race(subject, runners, budget, reproducible, statistics)
}

/// The first answer of several threads. It does not wait for the others to notice.
pub(super) fn race(
    subject: Subject,
    runners: Vec<Runner>,
    budget: &Budget,
    reproducible: bool,
    statistics: &mut Statistics,
) -> Verdict {
    let stop = Arc::new(AtomicBool::new(false));
    let own = Budget { cancelled: Arc::clone(&stop), ..budget.clone() };
    let (sender, reports) = mpsc::channel();
    let subject = Arc::new(subject);
    for runner in runners {
        let (subject, sender, own) = (Arc::clone(&subject), sender.clone(), own.clone());
        thread::spawn(move || {
            runner(&subject.query(), &own, &|report| {
                // The receiver is gone once the race is decided.
                let _ = sender.send(report);
            });
        });
    }
    drop(sender);
    let verdict = judge(&reports, budget, reproducible, statistics);
    stop.store(true, Ordering::Relaxed);
    verdict
}

/// Waits for a decisive report.
fn judge(
    reports: &mpsc::Receiver<Report>,
    budget: &Budget,
    reproducible: bool,
    statistics: &mut Statistics,
) -> Verdict {
    let mut undecided: Option<Why> = None;
    let mut second_choice = None;
    loop {
        match reports.recv_timeout(LOOK) {
            Ok(report) => {
                let waits = reproducible && report.engine == BLASTER;
                match record(report, statistics) {
                    Verdict::Unknown(why) => undecided = undecided.filter(|why| *why != Why::Cancelled).or(Some(why)),
                    verdict @ Verdict::Sat(_) if waits => second_choice = Some(verdict),
                    verdict => return verdict,
                }
            }
            Err(mpsc::RecvTimeoutError::Timeout) => {
                if let Some(why) = budget.exhausted() {
                    return second_choice.unwrap_or(Verdict::Unknown(why));
                }
            }
            Err(mpsc::RecvTimeoutError::Disconnected) => {
                // A thread that says nothing has used up the budget or, in a reproducible run, its turns' work.
                let why = undecided.or_else(|| budget.exhausted()).unwrap_or(Why::Work);
                return second_choice.unwrap_or(Verdict::Unknown(why));
            }
        }
    }
}

pub(super) fn record(report: Report, statistics: &mut Statistics) -> Verdict {
    statistics.phases.push((report.engine, report.took));
    statistics.counters.extend(report.counters.into_iter().map(|(name, count)| (report.engine, name, count)));
    if !matches!(report.verdict, Verdict::Unknown(_)) {
        statistics.decided_by = Some(report.engine);
    }
    report.verdict
}

pub(super) fn ask(engine: &mut dyn Engine, query: &Query<'_>, budget: &Budget) -> Report {
    let begun = Instant::now();
    let verdict = engine.check(query, budget);
    Report { engine: engine.name(), verdict, counters: engine.statistics(), took: begun.elapsed() }
}

/// The second thread: turns of local search and of the interval engine.
fn search(query: &Query<'_>, budget: &Budget, reproducible: bool, interval: IntervalConfig, send: &dyn Fn(Report)) {
    // Local search goes on in its next turn; what it cannot read it takes no turns of.
    let local = LocalQuery::new(query).ok();
    let run = local.as_ref().map(|local| local.run(budget.seed));
    let ends_soon = run.as_ref().is_some_and(LocalRun::ends_soon);
    let mut engines: Vec<Box<dyn Engine + '_>> = Vec::new();
    engines.extend(run.map(|run| Box::new(run) as Box<dyn Engine + '_>));
    engines.push(Box::new(IntervalEngine::new(interval)));
    let mut turn = FIRST_TURN;
    let mut round = 0;
    while !engines.is_empty() && budget.exhausted().is_none() {
        let mut kept = Vec::new();
        for mut engine in engines {
            let is_local = engine.name() == "local";
            let work = if is_local { REPRODUCIBLE_INSTRUCTIONS } else { REPRODUCIBLE_WORK };
            let own = match is_local && ends_soon && round > 0 {
                true => budget.clone(),
                false => turn_of(budget, turn, round, reproducible.then_some(work)),
            };
            let report = ask(engine.as_mut(), query, &own);
            let gave_up = matches!(&report.verdict, Verdict::Unknown(why) if !matches!(why, Why::Wall | Why::Work | Why::Incomplete(_)));
            let decided = !matches!(report.verdict, Verdict::Unknown(_));
            if decided || gave_up || budget.exhausted().is_some() {
                send(report);
            }
            if decided {
                return;
            }
            if !gave_up {
                kept.push(engine);
            }
        }
        engines = kept;
        if reproducible {
            return;
        }
        turn *= 2;
        round += 1;
    }
}

/// The budget of one turn, by time or, in a reproducible run, by work.
fn turn_of(budget: &Budget, turn: Duration, round: u64, work: Option<u64>) -> Budget {
    let seed = budget.seed.wrapping_add(round);
    if let Some(work) = work {
        return Budget { work, seed, ..budget.clone() };
    }
    let end = Instant::now() + turn;
    Budget { deadline: Some(budget.deadline.map_or(end, |deadline| deadline.min(end))), seed, ..budget.clone() }
}

#[cfg(test)]
mod tests {
    use labrys_float::{Float, Format, RoundingMode};
    use labrys_term::{Op, Sort, Store};

    use crate::{FloatOutcome, Limits, Portfolio, PortfolioConfig};

    #[test]
    fn an_easy_model_needs_no_threads() {
        // Botella, Gotlieb, Michel, STVR 2006: 0 < x and x + 10¹² = 10¹² over the floats.
        let mut store = Store::new();
        let x = store.variable("x", Sort::Float(Format::BINARY32));
        let zero = store.float_const(Float::from_f32(0.0));
        let large = store.float_const(Float::from_f32(1e12));
        let mode = store.rounding_mode(RoundingMode::NearestEven);
        let sum = store.mk(Op::FpAdd, &[mode, x, large]);
        let terms = [store.mk(Op::FpLt, &[zero, x]), store.mk(Op::FpEq, &[sum, large])];
        let decision = Portfolio::new(PortfolioConfig::default()).decide(&store, &terms, &Limits::default());
        assert!(matches!(decision.outcome, FloatOutcome::Sat(_)));
        let engines: Vec<_> = decision.statistics.phases.iter().map(|(name, _)| *name).collect();
        assert_eq!(engines, ["prepare", "propagate", "local", "evaluate"]);
    }
}
