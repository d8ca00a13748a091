//! The analysis of one call for one box of inputs: blocks in order, loops unrolled and then widened.
//!
//! Small functions are analysed in their callers, with all that is known there, others by themselves ([`crate::callee`]). States that meet
//! at a block stay apart as long as they are few (trace partitioning: Rival, Mauborgne, "The trace partitioning abstract
//! domain", TOPLAS 2007), else they are joined.
//!
//! **Claim.** The sites recorded, with their exceptions, are a superset of what every run from the given inputs
//! executes and raises, as long as the run keeps to the assumptions of [`crate::Ranges::assumptions`].
//!
//! **Argument.** Each step's results describe all successors of the states it starts from. Loops: iterations are
//! followed one by one; if they do not end, the states at the head are joined and widened until a round leads to
//! nothing new ([`crate::snapshot::includes`]), so that the last state describes every later arrival at the head; what
//! happens in the body is recorded in a last round from that state.

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;
use std::time::Instant;

use labrys_program::{BlockId, CallGraph, FunctionId, Program};
use rustc_hash::FxHashMap;

use crate::cfg::{Cfg, Loop};
use crate::graph::{Graph, Value};
use crate::images::Images;
use crate::library::Library;
use crate::pointer::ObjectId;
use crate::proof::Checked;
use crate::record::{At, Record};
use crate::snapshot::{Snapshot, includes, join, reduce};
use crate::stop::{Stop, unsupported};
use crate::summary::Summaries;
use crate::whole::VerifierCalls;
use crate::widening::Thresholds;

/// How much is tried.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Effort {
    /// States of one block that are kept apart.
    pub disjuncts: usize,
    /// Rounds of a loop that are followed one by one although its end is not decided.
    pub unroll: u32,
    /// Depth of calls.
    pub depth: usize,
    /// Instructions.
    pub steps: u64,
    pub deadline: Option<Instant>,
    /// Rounds of a loop that are followed one by one as long as its end is decided.
    pub decided: u32,
    /// Whether a call may use up only a part of what is left, and else may do anything.
    pub is_shared: bool,
    /// Arguments with which a function is analysed in one run before larger sets of them are taken.
    pub contexts: usize,
}

/// What may be used up at most, by all or by one call.
#[derive(Clone, Copy, Debug)]
struct Limit {
    steps: u64,
    deadline: Option<Instant>,
}

/// One analysis.
pub(crate) struct Machine<'p> {
    pub program: &'p Program,
    pub graph: Graph,
    pub images: Images<'p>,
    pub calls: Rc<CallGraph>,
    pub effort: Effort,
    pub record: Record,
    /// Whether sites are recorded: not while a loop's states still grow.
    pub is_recording: bool,
    pub assumptions: BTreeSet<&'static str>,
    /// What calls came to in this run and in others of the same effort.
    pub summaries: Summaries,
    pub stack: Vec<FunctionId>,
    /// What verifiers' functions do, where a whole program is analysed.
    pub verifier: Option<&'p VerifierCalls<'p>>,
    /// What is looked at, where it is asked whether anything goes wrong.
    pub checked: Option<Checked>,
    /// The instruction that is executed.
    pub at: At,
    /// Whether an assumption has ended a state.
    pub has_excluded: bool,
    /// Whether a state came to where no assumption can end it any more: to the end of the program, or round a loop that runs forever.
    pub completes: bool,
    /// A function that is analysed for all arguments: what happens in calls of it is told there.
    pub covered: Option<FunctionId>,
    pub next_object: u32,
    steps: u64,
    limit: Limit,
    /// When the run began and must end.
    started: Option<(Instant, Instant)>,
    /// Which functions may throw.
    pub throwing: FxHashMap<FunctionId, bool>,
    cfgs: FxHashMap<FunctionId, Rc<Cfg>>,
    thresholds: FxHashMap<FunctionId, Rc<Thresholds>>,
}

/// One call of a function.
pub(crate) struct Activation {
    pub function: FunctionId,
    pub cfg: Rc<Cfg>,
    /// The objects of its stack memory; those of the entry block have one each for all states.
    pub locals: Vec<ObjectId>,
    pub entry_locals: FxHashMap<(u32, u32), ObjectId>,
}

/// What comes of a part of a function.
#[derive(Default)]
pub(crate) struct Outcome {
    /// Arrivals at the head of the loop.
    back: Vec<Snapshot>,
    /// Ways out of the loop.
    exits: Vec<(BlockId, Snapshot)>,
    /// Returned states, whose only value is the function's.
    returns: Vec<Snapshot>,
}

/// Rounds of widening; domains have few thresholds, so that more are never needed.
const MAX_ROUNDS: usize = 120;

impl<'p> Machine<'p> {
    /// Nothing has been analysed.
    pub fn new(
        program: &'p Program,
        calls: Rc<CallGraph>,
        library: Library,
        summaries: Summaries,
        effort: Effort,
    ) -> Machine<'p> {
        Machine {
            program,
            graph: Graph::new(library),
            images: Images::new(program),
            calls,
            effort,
            record: Record::default(),
            is_recording: true,
            assumptions: BTreeSet::new(),
            summaries,
            stack: Vec::new(),
            verifier: None,
            checked: None,
            at: (FunctionId(0), BlockId(0), 0),
            has_excluded: false,
            completes: false,
            covered: None,
            next_object: 0,
            steps: 0,
            started: effort.deadline.map(|deadline| (Instant::now(), deadline.max(Instant::now()))),
            limit: Limit { steps: effort.steps, deadline: effort.deadline },
            throwing: FxHashMap::default(),
            cfgs: FxHashMap::default(),
            thresholds: FxHashMap::default(),
        }
    }

    /// Counts a step.
    pub fn step(&mut self) -> Result<(), Stop> {
        self.steps += 1;
        let Limit { steps, deadline } = self.limit;
        let is_late = || self.steps.is_multiple_of(4) && deadline.is_some_and(|deadline| Instant::now() >= deadline);
        if self.steps <= steps && self.graph.len() <= MAX_NODES && !is_late() {
            return Ok(());
        }
        let whole = self.effort;
        let is_over = self.steps > whole.steps
            || self.graph.len() > MAX_NODES
            || whole.deadline.is_some_and(|deadline| Instant::now() >= deadline);
        Err(if is_over {
            Stop::Budget("time or steps of range analysis".into())
        } else {
            unsupported("too long a call")
        })
    }

    /// Runs a call within its part of what is left.
    fn within_limit<T>(&mut self, run: impl FnOnce(&mut Self) -> Result<T, Stop>) -> Result<T, Stop> {
        let outer = self.limit;
        if self.effort.is_shared && !self.stack.is_empty() {
            let now = Instant::now();
            // The function's own code comes first: at the end there is no time for calls.
            let is_late = self.started.is_some_and(|(start, end)| now >= start + (end - start) * 2 / 3);
            if is_late || self.steps > self.effort.steps / 3 * 2 {
                return Err(unsupported("too long a call"));
            }
            let part = |deadline: Instant| now + deadline.saturating_duration_since(now) / 8;
            self.limit = Limit {
                steps: self.steps + outer.steps.saturating_sub(self.steps) / 8,
                deadline: outer.deadline.map(part),
            };
        }
        let result = run(self);
        self.limit = outer;
        result
    }

    /// How many states are kept apart here: fewer the deeper the call.
    fn disjuncts(&self) -> usize {
        (self.effort.disjuncts >> self.stack.len().saturating_sub(1).min(8)).max(self.effort.disjuncts.min(2))
    }

    pub fn cfg(&mut self, function: FunctionId) -> Rc<Cfg> {
        let program = self.program;
        let make = || Rc::new(Cfg::of(&program.functions[function.index()]));
        self.cfgs.entry(function).or_insert_with(make).clone()
    }

    fn thresholds(&mut self, function: FunctionId) -> Rc<Thresholds> {
        let program = self.program;
        let make = || Rc::new(Thresholds::of(&program.functions[function.index()]));
        self.thresholds.entry(function).or_insert_with(make).clone()
    }

    /// Joins states until they are few enough.
    pub fn reduced(&mut self, states: Vec<Snapshot>) -> Vec<Snapshot> {
        let limit = self.disjuncts();
        reduce(&mut self.graph, &mut self.images, states, limit)
    }

    fn joined(&mut self, states: Vec<Snapshot>) -> Option<Snapshot> {
        reduce(&mut self.graph, &mut self.images, states, 1).pop()
    }

    /// Calls a defined function with a state and its arguments; the states in which it returns, with its result as the
    /// only value.
    pub fn run_function(
        &mut self,
        function: FunctionId,
        arguments: &[Value],
        mut snapshot: Snapshot,
    ) -> Result<Vec<Snapshot>, Stop> {
        let cfg = self.cfg(function);
        if cfg.is_irreducible {
            return Err(unsupported("irreducible control flow"));
        }
        let definition = &self.program.functions[function.index()];
        if definition.features.flushes_denormals {
            return Err(unsupported("subnormals are flushed"));
        }
        let mut values = vec![None; definition.values.len()];
        for (parameter, argument) in definition.parameters.iter().zip(arguments) {
            values[parameter.value.index()] = Some(argument.clone());
        }
        snapshot.values = values;
        let mut activation = Activation { function, cfg, locals: Vec::new(), entry_locals: FxHashMap::default() };
        let outcome = self.within_limit(|machine| {
            machine.stack.push(function);
            let outcome = machine.run_region(&mut activation, None, BlockId(0), vec![snapshot]);
            machine.stack.pop();
            outcome
        });
        let mut returns = outcome?.returns;
        for snapshot in &mut returns {
            for local in &activation.locals {
                snapshot.state.memory.objects.remove(local);
            }
        }
        Ok(self.reduced(returns))
    }

    /// Runs a function, or one round of a loop's body, from a block on.
    fn run_region(
        &mut self,
        activation: &mut Activation,
        scope: Option<usize>,
        start: BlockId,
        entry: Vec<Snapshot>,
    ) -> Result<Outcome, Stop> {
        let cfg = activation.cfg.clone();
        let mut outcome = Outcome::default();
        let mut waiting: BTreeMap<u32, (BlockId, Vec<Snapshot>)> = BTreeMap::new();
        waiting.insert(cfg.order[start.index()], (start, entry));
        let limit = self.disjuncts();
        let mut is_first = true;
        while let Some((_, (block, states))) = waiting.pop_first() {
            let states = self.reduced(states);
            let inner = cfg.loop_of[block.index()].filter(|_| !(is_first && scope.is_some()));
            is_first = false;
            let found = match inner {
                Some(inner) => self.run_loop(activation, inner, states)?,
                None => self.run_block(activation, block, states)?,
            };
            outcome.returns.extend(found.returns);
            for (target, snapshot) in found.exits {
                match scope.map(|scope| &cfg.loops[scope]) {
                    Some(scope) if scope.head == target => outcome.back.push(snapshot),
                    Some(scope) if !scope.body[target.index()] => outcome.exits.push((target, snapshot)),
                    _ => {
                        let place = cfg.order[target.index()];
                        let (_, states) = waiting.entry(place).or_insert_with(|| (target, Vec::new()));
                        states.push(snapshot);
                        if states.len() > 4 * limit {
                            let all = std::mem::take(states);
                            *states = reduce(&mut self.graph, &mut self.images, all, limit);
                        }
                    }
                }
            }
            if outcome.returns.len() > 4 * self.disjuncts() {
                outcome.returns = self.reduced(std::mem::take(&mut outcome.returns));
            }
        }
        Ok(outcome)
    }

    /// All rounds of a loop from states at its head.
    fn run_loop(&mut self, activation: &mut Activation, index: usize, entry: Vec<Snapshot>) -> Result<Outcome, Stop> {
        let Loop { head, has_end, .. } = activation.cfg.loops[index];
        let mut all = Outcome::default();
        let mut states = entry;
        let (mut undecided, mut rounds) = (0, 0);
        while !states.is_empty() {
            if undecided >= self.effort.unroll || rounds >= self.effort.decided {
                self.run_widened(activation, index, states, &mut all)?;
                break;
            }
            for snapshot in &mut states {
                snapshot.state.branch = self.graph.fork(snapshot.state.branch);
            }
            self.note_head(activation, head, &states);
            let round = self.run_region(activation, Some(index), head, states)?;
            // What never ends is never decided.
            let is_decided = has_end && round.exits.is_empty() && round.returns.is_empty();
            undecided += u32::from(!is_decided);
            rounds += 1;
            all.exits.extend(round.exits);
            all.returns.extend(round.returns);
            self.reduce_exits(&mut all);
            states = self.reduced(round.back);
        }
        Ok(all)
    }

    fn reduce_exits(&mut self, outcome: &mut Outcome) {
        if outcome.exits.len() <= 4 * self.disjuncts() {
            return;
        }
        let mut by_block: BTreeMap<BlockId, Vec<Snapshot>> = BTreeMap::new();
        for (block, snapshot) in std::mem::take(&mut outcome.exits) {
            by_block.entry(block).or_default().push(snapshot);
        }
        for (block, states) in by_block {
            outcome.exits.extend(self.reduced(states).into_iter().map(|snapshot| (block, snapshot)));
        }
    }

    /// The rounds of a loop that does not end by itself, all at once.
    fn run_widened(
        &mut self,
        activation: &mut Activation,
        index: usize,
        states: Vec<Snapshot>,
        all: &mut Outcome,
    ) -> Result<(), Stop> {
        let Loop { head, has_end, .. } = activation.cfg.loops[index];
        let thresholds = self.thresholds(activation.function);
        let Some(first) = self.joined(states) else { return Ok(()) };
        let was_recording = std::mem::replace(&mut self.is_recording, false);
        let stable = self.stabilised(activation, index, head, &first, &thresholds);
        self.is_recording = was_recording;
        let stable = stable?;
        self.note_head(activation, head, std::slice::from_ref(&stable));
        let round = self.round(activation, index, head, &stable)?;
        self.completes |= !has_end && !round.back.is_empty();
        all.exits.extend(round.exits);
        all.returns.extend(round.returns);
        Ok(())
    }

    /// One round from a state at the head.
    fn round(
        &mut self,
        activation: &mut Activation,
        index: usize,
        head: BlockId,
        snapshot: &Snapshot,
    ) -> Result<Outcome, Stop> {
        let mut snapshot = snapshot.clone();
        snapshot.state.branch = self.graph.fork(snapshot.state.branch);
        self.run_region(activation, Some(index), head, vec![snapshot])
    }

    /// A state at a loop's head that describes `first` and every state that a round from it leads to.
    fn stabilised(
        &mut self,
        activation: &mut Activation,
        index: usize,
        head: BlockId,
        first: &Snapshot,
        thresholds: &Thresholds,
    ) -> Result<Snapshot, Stop> {
        let mut stable = first.clone();
        // No node is its own: what the state has is older.
        stable.state.branch = self.graph.fork(stable.state.branch);
        for round in 0..MAX_ROUNDS {
            let back = self.round(activation, index, head, &stable)?.back;
            let Some(back) = self.joined(back) else { return Ok(stable) };
            if includes(&self.graph, &stable, &back) {
                return self.narrowed(activation, index, head, first, stable, back);
            }
            // The first rounds find what changes at all.
            let widening = (round > 1).then_some(thresholds);
            stable = join(&mut self.graph, &mut self.images, &stable, &back, widening);
        }
        Err(unsupported("a loop without a fixed point"))
    }

    /// The first state joined with the last arrivals, where that is stable too: widening's jumps are taken back.
    fn narrowed(
        &mut self,
        activation: &mut Activation,
        index: usize,
        head: BlockId,
        first: &Snapshot,
        mut stable: Snapshot,
        mut back: Snapshot,
    ) -> Result<Snapshot, Stop> {
        for _ in 0..2 {
            let candidate = join(&mut self.graph, &mut self.images, first, &back, None);
            let next = self.round(activation, index, head, &candidate)?.back;
            let Some(next) = self.joined(next) else { return Ok(candidate) };
            if !includes(&self.graph, &candidate, &next) {
                break;
            }
            (stable, back) = (candidate, next);
        }
        Ok(stable)
    }
}

/// Nodes of one analysis: about two gigabytes would be ten times as many.
const MAX_NODES: usize = 3_000_000;

impl Outcome {
    /// Control goes on at a block.
    pub fn exit(&mut self, target: BlockId, snapshot: Snapshot) {
        self.exits.push((target, snapshot));
    }

    /// The function returns.
    pub fn finish(&mut self, snapshot: Snapshot) {
        self.returns.push(snapshot);
    }
}
