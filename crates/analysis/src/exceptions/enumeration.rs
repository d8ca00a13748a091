//! Small search domains are run whole: then pairs are decided by looking.
//!
//! **Claim.** A pair that is proved here is raised by no call of the build that ran, on this machine, with inputs of the search
//! domain. **Argument.** All inputs were run, every call returned, and what the function does depends on its inputs alone
//! ([`dependence`]), so that a call raises what it was seen to raise. An exception that no call raised is raised at no site. Of
//! calls that raised it every one was traced, and interpreted beside: the machine's trace and the IR's are both whole, both
//! agree with the flags and the result observed, and the site is in neither. The machine's says where the debug information puts
//! what was raised; the IR's does not depend on what code generation merges or moves. Where one of them is not to be had, or they
//! name sites that are none of the IR's, pairs of the exceptions raised there are left to others.
//!
//! Running them takes a moment, tracing them may take minutes. So what no call raised is proved first ([`Enumeration::run`]); all calls
//! that raised an exception are traced only where some pair of it is open when abstract interpretation had its turn
//! ([`Enumeration::settle`]).
//!
//! All inputs are run a second time with ones in unused registers, the stack and new heap memory, where the first time was zeros
//! or what other calls left. If any call then does something else nothing is concluded. That memory which nobody wrote never
//! counts is an assumption all the same, and is listed as one.
//!
//! **What it does not say.** What the IR would raise that the machine does not: an operation whose result nobody needs may be gone.
//! And nothing of other code that the function is inlined into.

use std::time::{Duration, Instant};

use labrys_float::Flags;
use labrys_native::{Observation, Outcome};
use labrys_report::{FoundBy, grouped};
use rustc_hash::FxHashSet;

use super::pairs::{PairKey, Proof, Scope};
use super::search::ExceptionSearch;
use super::self_contained::dependence;
use crate::inputs::domain::Domain;
use crate::observation::interpreted::{Interpreted, agree};
use crate::run::clock::Clock;
use crate::target::unit::Unit;
use crate::{AnalysisError, Progress, Snapshot};

/// What proofs by looking are called in reports.
pub const ENGINE: &str = "enumeration";
/// Inputs run at a time: many, for each batch waits for two processes.
const BATCH: usize = 1 << 14;
/// Inputs traced at a time.
const TRACED: usize = 512;
/// After so many inputs it is worth estimating how long all of them take; more than a batch.
const ESTIMATED: u64 = 2 * BATCH as u64;
/// Calls that did not return before the rest is not worth the processes that they cost.
const ABNORMAL: u64 = 256;
/// Events of one interpreted call that are kept.
const EVENTS: usize = 10_000;

/// All inputs of one function, where they are few.
pub struct Enumeration<'a> {
    /// The function.
    pub unit: &'a Unit,
    /// Its search domain.
    pub domain: &'a Domain,
    /// The exceptions that are asked about.
    pub watched: Flags,
    /// How many inputs are few.
    pub most: u64,
    /// When to stop.
    pub clock: &'a Clock,
    /// Who listens.
    pub progress: &'a dyn Progress,
}

/// What came of running all inputs.
#[derive(Default)]
pub struct Enumerated {
    /// Inputs run.
    pub inputs: u64,
    /// A remark for the report, where there were few enough to begin.
    pub note: Option<String>,
    /// What all calls did, where something can be concluded of it.
    pub calls: Option<Calls>,
}

/// What is known of all calls so far.
#[derive(Clone)]
pub struct Calls {
    /// The inputs that raised something, and what.
    raising: Vec<(Vec<u8>, Flags)>,
    /// How many inputs were run.
    inputs: u64,
    /// What any of them raised.
    raised: Flags,
    /// Of [`Calls::raised`], what was raised by a call of which it is not known where.
    unplaced: Flags,
    /// The pairs that the IR's traces show.
    in_ir: FxHashSet<PairKey>,
}

impl Enumeration<'_> {
    /// Runs all inputs if they are few, enters some of what is seen, and proves what no call raises.
    ///
    /// # Errors
    ///
    /// Where the worker cannot be kept running.
    pub fn run(&self, search: &mut ExceptionSearch<'_>) -> Result<Enumerated, AnalysisError> {
        if self.domain.space.size() > u128::from(self.most) {
            return Ok(Enumerated::default());
        }
        let Ok(analysed) = &self.unit.analysed else { return Ok(Enumerated::default()) };
        if let Some(why) = dependence(analysed) {
            let note = format!("running all inputs would prove nothing: {why}");
            return Ok(Enumerated { note: Some(note), ..Enumerated::default() });
        }
        self.progress.phase("running all inputs");
        search.judge.observer.set_deadline(self.clock.limit());
        let (calls, why_not) = match self.run_all(search) {
            Ok(run) => run,
            Err(error) if error.is_time_up() => (Calls::new(), Some("the time limit".to_owned())),
            Err(error) => return Err(error),
        };
        if let Some(why) = why_not {
            let note = format!("running all inputs proves nothing: {why}");
            return Ok(Enumerated { inputs: calls.inputs, note: Some(note), calls: None });
        }
        search.end_search();
        // It is not known yet of any where it was raised.
        self.conclude(search, &Calls { unplaced: calls.raised, in_ir: FxHashSet::default(), ..calls.clone() });
        let note = format!("all {} inputs were run", grouped(calls.inputs));
        Ok(Enumerated { inputs: calls.inputs, note: Some(note), calls: Some(calls) })
    }

    /// Traces all calls that raised what some open pair asks about, and decides these pairs.
    ///
    /// # Errors
    ///
    /// Where the worker cannot be kept running.
    pub fn settle(&self, search: &mut ExceptionSearch<'_>, mut calls: Calls) -> Result<(), AnalysisError> {
        if search.judge.pairs.open_exceptions().is_empty() {
            return Ok(());
        }
        self.progress.phase("tracing what inputs raise");
        search.judge.observer.set_deadline(self.clock.limit());
        if self.place(search, &mut calls)? {
            self.conclude(search, &calls);
        }
        Ok(())
    }

    /// Runs all inputs, and traces what raises something; why nothing is to be concluded, if so.
    fn run_all(&self, search: &mut ExceptionSearch<'_>) -> Result<(Calls, Option<String>), AnalysisError> {
        // Time for the calls alone: traces are few, and most of them are among the first.
        let (mut calls, mut busy) = (Calls::new(), Duration::ZERO);
        let mut members = self.domain.space.members();
        let (mut abnormal, mut garbage) = (0, false);
        loop {
            let batch: Vec<Vec<u8>> = members.by_ref().take(BATCH).collect();
            if batch.is_empty() {
                break;
            }
            if self.clock.stop(self.progress).is_some() || self.is_too_slow(&calls, busy) {
                return Ok((calls, Some("the time limit".to_owned())));
            }
            let begun = Instant::now();
            let seen = search.judge.observer.run(&batch, self.watched)?;
            calls.inputs += seen.len() as u64;
            let returned = seen.iter().filter(|observation| observation.outcome == Outcome::Returned).count();
            abnormal += (seen.len() - returned) as u64;
            if seen.len() < batch.len() {
                return Ok((calls, Some("the time limit".to_owned())));
            }
            search.abnormal += (seen.len() - returned) as u64;
            search.panicked += seen.iter().filter(|observation| observation.outcome == Outcome::Panic).count() as u64;
            // What does not return is not asked twice: it proves nothing either way.
            if abnormal == 0 {
                let again = search.judge.observer.run_with_ones(&batch, self.watched)?;
                garbage |= !self.are_alike(&seen, &again);
            }
            // The first batch waits for a process to start.
            if calls.inputs > BATCH as u64 {
                busy += begun.elapsed();
            }
            self.enter(search, &mut calls, &batch, &seen)?;
            self.update(search, &calls);
            if abnormal >= ABNORMAL {
                break;
            }
        }
        let why_not = match (abnormal, garbage) {
            (0, false) => None,
            (0, true) => Some("what the function does depends on registers or memory that nobody wrote".to_owned()),
            (1, _) => Some("a call did not return".to_owned()),
            (count, _) => Some(format!("{count} calls did not return")),
        };
        Ok((calls, why_not))
    }

    /// Whether all inputs would take longer than there is time, by how long the first ones took.
    fn is_too_slow(&self, calls: &Calls, busy: Duration) -> bool {
        let Some(time) = self.clock.left().filter(|_| calls.inputs >= ESTIMATED) else { return false };
        let timed = calls.inputs - BATCH as u64;
        let left = self.domain.space.size().saturating_sub(u128::from(calls.inputs));
        busy.mul_f64(left as f64 / timed as f64) > time
    }

    fn update(&self, search: &ExceptionSearch<'_>, calls: &Calls) {
        self.progress.update(&Snapshot {
            inputs: calls.inputs,
            planned_inputs: u64::try_from(self.domain.space.size()).unwrap_or(u64::MAX),
            divergences: search.judge.pairs.witnessed(),
            ..Snapshot::default()
        });
    }

    /// Enters what calls raised, and traces those that are new at a glance.
    fn enter(
        &self,
        search: &mut ExceptionSearch<'_>,
        calls: &mut Calls,
        batch: &[Vec<u8>],
        seen: &[Observation],
    ) -> Result<(), AnalysisError> {
        let mut traced = Vec::new();
        let (corpus, judge) = search.corpus_and_judge();
        for (record, observation) in batch.iter().zip(seen) {
            let raised = observation.flags & self.watched;
            calls.raised |= raised;
            if !raised.is_empty() {
                if corpus.offer(record, &[judge.behaviour(observation)]) {
                    traced.push(record.clone());
                }
                calls.raising.push((record.clone(), raised));
            }
        }
        judge.trace(&traced, FoundBy::Enumeration, corpus)?;
        Ok(())
    }

    /// Whether the same calls did the same twice.
    fn are_alike(&self, seen: &[Observation], again: &[Observation]) -> bool {
        let outputs = &self.domain.outputs;
        seen.len() == again.len()
            && seen.iter().zip(again).all(|(one, other)| {
                one.outcome == other.outcome && one.flags == other.flags && agree(outputs, &one.output, &other.output)
            })
    }

    /// Traces the calls that raised something, on the machine and over the IR; whether there was time for all.
    fn place(&self, search: &mut ExceptionSearch<'_>, calls: &mut Calls) -> Result<bool, AnalysisError> {
        let analysed = self.unit.analysed.as_ref().ok().cloned();
        let interpreted = Interpreted::new(analysed, self.unit.signature.clone(), search.judge.observer.startup());
        let mut interpreted = interpreted.after(self.unit.init.clone()).at_most(EVENTS);
        let known = search.judge.pairs.of_ir();
        let raising = std::mem::take(&mut calls.raising);
        for batch in raising.chunks(TRACED) {
            // What nobody asks about any more need not be traced, and proves nothing then.
            let asked = search.judge.pairs.open_exceptions();
            let (batch, passed): (Vec<_>, Vec<_>) = batch.iter().partition(|(_, raised)| raised.intersects(asked));
            calls.unplaced |= passed.iter().fold(Flags::empty(), |all, (_, raised)| all | *raised);
            if self.clock.stop(self.progress).is_some() {
                return Ok(false);
            }
            let records: Vec<Vec<u8>> = batch.iter().map(|(record, _)| record.clone()).collect();
            let (corpus, judge) = search.corpus_and_judge();
            let traced = match judge.trace(&records, FoundBy::Enumeration, corpus) {
                Err(error) if error.is_time_up() => return Ok(false),
                traced => traced?,
            };
            for ((record, raised), observation) in batch.into_iter().zip(&traced) {
                self.place_one(search, calls, &known, &mut interpreted, (record, *raised), observation);
            }
            self.update(search, calls);
        }
        Ok(true)
    }

    /// Enters where the IR raises what one call raised, if that is known.
    fn place_one(
        &self,
        search: &mut ExceptionSearch<'_>,
        calls: &mut Calls,
        known: &FxHashSet<PairKey>,
        interpreted: &mut Interpreted,
        (record, raised): (&[u8], Flags),
        observation: &Observation,
    ) {
        if calls.unplaced.contains(raised) {
            return;
        }
        let is_whole = |trace: &labrys_native::Trace| trace.complete;
        let trace = interpreted.trace(record, observation, self.watched);
        if observation.flags & self.watched != raised
            || !observation.trace.as_ref().is_some_and(is_whole)
            || !trace.complete
        {
            calls.unplaced |= raised;
            return;
        }
        for event in &trace.events {
            let Some(frame) = interpreted.frame(event).cloned() else { continue };
            for exception in (event.exceptions & self.watched).iter() {
                let pair = (search.judge.pairs.site_of(&frame, exception), exception);
                if known.contains(&pair) {
                    calls.in_ir.insert(pair);
                } else {
                    calls.unplaced |= exception;
                }
            }
        }
    }

    /// Proves the pairs that no call raised.
    fn conclude(&self, search: &mut ExceptionSearch<'_>, calls: &Calls) {
        let known = search.judge.pairs.of_ir();
        for pair in search.judge.pairs.unproved() {
            if !known.contains(&pair) || calls.unplaced.contains(pair.1) || calls.in_ir.contains(&pair) {
                continue;
            }
            let assumptions = vec![
                "the build is the one that ran, on this machine, and is called by itself".to_owned(),
                "registers without arguments and memory that nobody wrote do not count".to_owned(),
            ];
            let scope = Scope::Native { inputs: calls.inputs };
            search.judge.pairs.prove(&pair, Proof { engine: ENGINE, scope, assumptions, loop_bound: None });
        }
    }
}

impl Calls {
    fn new() -> Calls {
        Calls {
            raising: Vec::new(),
            inputs: 0,
            raised: Flags::empty(),
            unplaced: Flags::empty(),
            in_ir: FxHashSet::default(),
        }
    }
}
