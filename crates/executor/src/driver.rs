//! The driver: follows paths, parts them, and says what each came to.

use std::sync::Arc;
use std::time::Duration;

use indexmap::IndexSet;
use labrys_interp::{Checks, Halt, Int, Limits, Machine, Pointer, Split, Step, Stop};
use labrys_program::{BlockId, FunctionId, KnownFunction, Program, Terminator};
use labrys_solver::Why;
use labrys_symex::back_edges;
use labrys_symex::int_facts::{self, Choice};
use labrys_symex::int_terms;
use labrys_term::{Op, Store, TermId};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::characters::Table;
use crate::covering::Guide;
use crate::diamonds::Diamonds;
use crate::ending::{Ending, ending, stack};
use crate::externals::{Answer, External};
use crate::inputs::{InputRecord, Source, test_input};
use crate::limits::{INTERRUPTED, Limit};
use crate::list::List;
use crate::oracle::{Feasible, Oracle};
use crate::schedule::Schedule;
use crate::state::Execution;
use crate::stretch::follow_stretch;
use crate::values::{ASSUMPTIONS, HOST_ASSUMPTION, LIBM_ASSUMPTIONS};
use crate::{CallSite, Decision, Moment, Options, Outcome, Unexplored, Values, ViolationKind};

/// Calls on one path at most. A native stack of 8 MiB holds some 100,000 small frames; deeper paths are given up.
const MAX_DEPTH: usize = 20_000;

/// How long the solver looks for an input of one violation before the others are followed up.
pub(crate) const PATIENCE: Duration = Duration::from_secs(10);

/// Instructions that a path executes at a stretch where others may be nearer to what is looked for.
const TURN: u64 = 1 << 19;

/// Values that one path parts over at most.
const MAX_VALUES: usize = 1024;

/// Follows the paths of one program.
pub(crate) struct Driver<'p, 's> {
    pub(crate) program: &'p Program,
    pub(crate) options: &'p Options,
    pub(crate) machine: Machine<'p, Values<'s>>,
    pub(crate) source: Source,
    pub(crate) externals: FxHashMap<FunctionId, External>,
    /// Whether the program asks for `errno`.
    pub(crate) reads_errno: bool,
    /// Numbers that no input decides, so far.
    pub(crate) numbers: u64,
    /// glibc's tables of characters, where the program asks for them.
    pub(crate) tables: FxHashMap<Table, Pointer<TermId>>,
    pub(crate) oracle: Oracle,
    schedule: Schedule<Execution<'s>>,
    /// What leads paths to what no run has covered, where that is what is asked for.
    pub(crate) guide: Option<Box<Guide<'s>>>,
    /// On a replay, what the program asked for.
    pub(crate) asked: List<InputRecord>,
    limit: Limit,
    /// Whether ways of branches that meet again are made one.
    pub(crate) merges: bool,
    pub(crate) diamonds: Diamonds,
    /// Violations found, by kind and innermost place.
    pub(crate) seen: FxHashSet<(ViolationKind, Option<CallSite>)>,
    unexplored: IndexSet<Unexplored>,
    /// Violations for which the solver has found no input in time, with where they are.
    pub(crate) undecided: Vec<(Execution<'s>, ViolationKind, Why)>,
    pub(crate) outcome: Outcome,
}

impl<'p, 's> Driver<'p, 's> {
    pub(crate) fn new(program: &'p Program, options: &'p Options, source: Source, store: &'s mut Store) -> Self {
        let limits = Limits { instructions: u64::MAX, depth: MAX_DEPTH, ..Limits::default() };
        let reads_flags = Values::may_read_flags(program);
        let mut values = Values::new(store, reads_flags);
        if let Some(bound) = options.loop_bound {
            values.bound_loops(bound, program.functions.iter().map(back_edges).collect());
        }
        let mut machine = Machine::new(program, values, limits);
        machine.set_checks(Checks {
            accesses: true,
            shifts: options.checks.shift,
            signed_overflow: options.checks.signed_overflow,
        });
        if options.is_direct {
            machine.set_direct();
        }
        let mut externals = FxHashMap::default();
        for (index, function) in program.functions.iter().enumerate() {
            if let Some(external) = External::of(function) {
                externals.insert(FunctionId(index as u32), external);
            }
        }
        machine.answers(|function| External::of(function).is_some());
        Driver {
            program,
            options,
            machine,
            source,
            externals,
            reads_errno: program.functions.iter().any(|function| function.known == Some(KnownFunction::ErrorNumber)),
            numbers: 0,
            tables: FxHashMap::default(),
            oracle: Oracle::new(options.deadline, options.memory_mib, options.seed),
            schedule: Schedule::default(),
            guide: None,
            asked: List::default(),
            limit: Limit::new(options),
            merges: options.merges && options.loop_bound.is_none(),
            diamonds: Diamonds::default(),
            seen: FxHashSet::default(),
            unexplored: IndexSet::default(),
            undecided: Vec::new(),
            outcome: Outcome::default(),
        }
    }

    /// Follows everything, and says what was found.
    pub(crate) fn run(mut self) -> Outcome {
        self.follow_all();
        self.settle();
        self.conclude()
    }

    /// Follows all paths, as long as the limits allow; why there are none, if the program cannot be entered.
    pub(crate) fn follow_all(&mut self) -> Option<Arc<str>> {
        match self.enter() {
            Ok(execution) => self.wait(execution, None),
            Err(why) => {
                self.unexplored.insert(Unexplored::at(why.clone(), Vec::new(), false));
                return Some(why);
            }
        }
        while let Some(execution) = self.next_waiting() {
            if let Some(why) = self.limit_reached() {
                self.outcome.paths.waiting = self.waiting() + 1;
                self.stop_here(execution, &why);
                break;
            }
            self.follow(execution);
        }
        None
    }

    /// The limit that has been reached, if one has.
    fn limit_reached(&mut self) -> Option<Arc<str>> {
        self.tell();
        self.limit.reached(&self.outcome.paths)
    }

    /// Tells who looks on how far the run is.
    pub(crate) fn tell(&self) {
        let Some(watch) = &self.options.watch else { return };
        let paths = &self.outcome.paths;
        watch.tell(Moment {
            paths: paths.completed + paths.violated + paths.given_up,
            waiting: self.waiting(),
            instructions: self.outcome.instructions,
            covered: self.guide.as_ref().map(|guide| guide.covered()),
            solving: self.oracle.solving,
        });
    }

    /// Whether who looks on has ended the run.
    pub(crate) fn is_stopped(&self) -> bool {
        self.options.watch.as_ref().is_some_and(|watch| watch.is_stopped())
    }

    /// What was found, and what it rests on.
    pub(crate) fn conclude(&mut self) -> Outcome {
        self.assume_aloud();
        self.outcome.unexplored = std::mem::take(&mut self.unexplored).into_iter().collect();
        std::mem::take(&mut self.outcome)
    }

    /// Has a path wait, whose next step leads to `goal` where that is known.
    fn wait(&mut self, execution: Execution<'s>, goal: Option<(FunctionId, BlockId)>) {
        match &mut self.guide {
            Some(guide) => guide.push(execution),
            None => self.schedule.push(execution, goal),
        }
    }

    fn next_waiting(&mut self) -> Option<Execution<'s>> {
        match &mut self.guide {
            Some(guide) => guide.next(),
            None => self.schedule.next(),
        }
    }

    /// How many paths wait.
    fn waiting(&self) -> u64 {
        self.guide.as_ref().map_or(self.schedule.len(), |guide| guide.len()) as u64
    }

    /// Says that a limit ended the run while this path, and those that wait, were on their way.
    fn stop_here(&mut self, execution: Execution<'s>, why: &Arc<str>) {
        self.asked = execution.inputs.clone();
        let stack = stack(self.program, &execution);
        self.unexplored.insert(Unexplored::at(why.clone(), stack, false));
        let Some(guide) = &mut self.guide else { return };
        let why: Arc<str> = match &**why {
            INTERRUPTED => "paths were not followed to their ends: the run was interrupted".into(),
            why => format!("paths were not followed to their ends: the run had no {why} left").into(),
        };
        guide.leave_open(&execution, why.clone());
        while let Some(execution) = guide.next() {
            guide.leave_open(&execution, why.clone());
        }
    }

    /// Says what a proof takes for granted.
    fn assume_aloud(&mut self) {
        let mut say = |text: &str| self.outcome.assumptions.push(text.to_owned());
        say("one thread, no signals");
        ASSUMPTIONS.into_iter().for_each(&mut say);
        if !self.machine.domain.libm.is_empty() {
            LIBM_ASSUMPTIONS.into_iter().for_each(&mut say);
        }
        if self.machine.domain.libm.has_called_host {
            say(HOST_ASSUMPTION);
        }
        say("the stack is as large as the program needs");
        say("accesses are checked against whole objects, not against members of structs and rows of arrays");
        if self.program.functions.iter().any(|function| function.is_library) {
            say(
                "functions of the C library that work on memory are musl's, those of files find none, time() is any time",
            );
        }
        say("objects lie apart, in the order in which they were made, at multiples of 16");
        say(
            "local variables whose end the IR does not mark (arrays of variable length, bitcode of -O0) live until their function returns",
        );
        if self.machine.has_allocated() {
            say("malloc, calloc and realloc never run out of memory");
        }
    }

    pub(crate) fn store(&mut self) -> &mut Store {
        self.machine.domain.store
    }

    /// Executes one path until it ends or parts.
    fn follow(&mut self, mut execution: Execution<'s>) {
        let begun = execution.state.instructions;
        loop {
            let before = execution.state.instructions;
            let halted = follow_stretch(&mut self.machine, &mut execution.state);
            self.outcome.instructions += execution.state.instructions - before;
            if let Some(found) = self.machine.domain.take_found()
                && !self.pursue(&mut execution, found)
            {
                return;
            }
            let halt = match halted {
                Ok(Step::Continue) => match self.limit_reached() {
                    // Whoever takes it out comes to the same conclusion.
                    Some(_) => return self.wait(execution, None),
                    None if self.guide.is_some() && execution.state.instructions - begun > TURN => {
                        return self.wait(execution, None);
                    }
                    None => continue,
                },
                Ok(Step::Returned(_)) => return self.end(execution, Ending::Completed),
                Err(Halt::Call(function)) => match self.answer(&mut execution, function) {
                    Ok(Answer::Value(value)) => {
                        self.machine.answer(&mut execution.state, value);
                        continue;
                    }
                    Ok(Answer::End(ending)) => return self.end(execution, ending),
                    Err(halt) => halt,
                },
                Err(halt) => halt,
            };
            match halt {
                Halt::Stop(stop) => {
                    let ending = ending(&mut self.machine, &execution, &self.options.checks, &stop);
                    return self.end(execution, ending);
                }
                Halt::Split(split) => match self.part(execution, &split) {
                    Some(only) => execution = only,
                    None => return,
                },
                Halt::Call(_) => {
                    return self.end(execution, Ending::unexplored("a call that was answered by a call"));
                }
            }
        }
    }

    /// Adds a truth to a path's condition.
    pub(crate) fn choose(&mut self, execution: &mut Execution<'s>, symbol: TermId, value: u128, condition: TermId) {
        let store = self.store();
        let choices = &mut execution.state.path.choices;
        let both = match store.node(choices.condition).op {
            Op::BoolConst(true) => condition,
            _ => store.and(&[choices.condition, condition]),
        };
        choices.choose(store, symbol, value, both);
    }

    /// Restricts a path to inputs for which a one-bit integer is 1; false if there are none.
    pub(crate) fn assume(&mut self, execution: &mut Execution<'s>, bit: &Int<TermId>) -> bool {
        if let Some(value) = self.machine.known(&execution.state, bit) {
            return value != 0;
        }
        let Some(&symbol) = bit.symbol() else { return true };
        match self.ask(execution, symbol) {
            Feasible::No => return false,
            Feasible::Yes(witness) => execution.witness = witness,
            Feasible::Unknown(_) => execution.witness = None,
        }
        self.choose(execution, symbol, 1, symbol);
        true
    }

    fn ask(&mut self, execution: &Execution<'s>, condition: TermId) -> Feasible {
        let path = execution.state.path.choices.condition;
        self.oracle.ask(&mut self.machine.domain, path, execution.witness.as_ref(), condition)
    }

    /// Parts a path by the values of a symbol. Where only one of them is possible the path is given back, else its parts wait.
    fn part(&mut self, execution: Execution<'s>, split: &Split<TermId>) -> Option<Execution<'s>> {
        if self.machine.domain.has_undefined_bits(split.symbol) {
            let ending = ending(&mut self.machine, &execution, &self.options.checks, &Stop::Undefined);
            self.end(execution, ending);
            return None;
        }
        if let Some(frame) = execution.state.frame() {
            self.schedule.enter((frame.function, frame.block));
        }
        if let Some(merged) = self.merged(&execution, split) {
            return Some(merged);
        }
        let all = Choice { symbol: split.symbol, bits: split.bits, values: split.candidates.clone() };
        let store = self.store();
        let mut choice = int_facts::peel(store, all);
        let is_cut = choice.values.len() > MAX_VALUES;
        choice.values.truncate(MAX_VALUES);
        let is_exhaustive = !is_cut && (split.is_exhaustive || int_facts::is_exhaustive(store, &choice));
        let conditions: Vec<TermId> = choice.values.iter().map(|&value| self.condition(&choice, value)).collect();

        let mut possible = Vec::new();
        let mut is_certain = true;
        for (&value, &condition) in choice.values.iter().zip(&conditions) {
            if !self.is_of_use(&execution, (&choice, value), split.symbol) {
                is_certain = false;
                continue;
            }
            match self.ask(&execution, condition) {
                Feasible::No => {}
                Feasible::Yes(witness) => possible.push((value, condition, witness)),
                Feasible::Unknown(_) => {
                    is_certain = false;
                    possible.push((value, condition, None));
                }
            }
        }
        let has_rest = !is_exhaustive && self.part_rest(&execution, split, &conditions, is_cut);
        if possible.is_empty() && !has_rest && is_certain && execution.witness.is_some() {
            // Some value must be possible where the path is.
            self.give_up(&execution, "the solver contradicts itself".into(), false);
            return None;
        }
        // The path's condition implies the only possible value: nothing is added to it.
        let is_implied = is_exhaustive && possible.len() == 1 && is_certain;
        let mut only = None;
        for (value, condition, witness) in possible {
            let mut next = execution.clone();
            if is_implied {
                let condition = next.state.path.choices.condition;
                let store = self.store();
                next.state.path.choices.choose(store, choice.symbol, value, condition);
            } else {
                self.choose(&mut next, choice.symbol, value, condition);
                next.witness = witness;
                let site = self.site(&next);
                next.decisions.push(Decision { site, value });
            }
            next.goal = self.goal(&next, split.symbol);
            if is_implied {
                only = Some(next);
            } else {
                let goal = next.goal;
                self.wait(next, goal);
            }
        }
        only
    }

    /// The path on which a symbol has none of the values that it was parted by; whether there may be one.
    fn part_rest(
        &mut self,
        execution: &Execution<'s>,
        split: &Split<TermId>,
        conditions: &[TermId],
        is_cut: bool,
    ) -> bool {
        let store = self.store();
        let others: Vec<TermId> = conditions.iter().map(|&condition| int_terms::not(store, condition)).collect();
        let others = store.and(&others);
        let mut last = execution.clone();
        match self.ask(execution, others) {
            Feasible::No => return false,
            Feasible::Yes(witness) => last.witness = witness,
            Feasible::Unknown(_) => last.witness = None,
        }
        self.choose(&mut last, others, 1, others);
        let stop = if is_cut { Stop::SymbolicValue } else { split.otherwise.clone() };
        let ending = ending(&mut self.machine, &last, &self.options.checks, &stop);
        self.end(last, ending);
        true
    }

    /// The condition that a symbol has a value.
    fn condition(&mut self, choice: &Choice, value: u128) -> TermId {
        let store = self.store();
        if choice.bits == 1 {
            return if value != 0 { choice.symbol } else { int_terms::not(store, choice.symbol) };
        }
        let value = store.bv_const(choice.bits, value);
        store.mk(Op::Eq, &[choice.symbol, value])
    }

    /// The block to which a path's next step leads, where it is a conditional branch on a known symbol.
    fn goal(&self, execution: &Execution<'s>, symbol: TermId) -> Option<(FunctionId, BlockId)> {
        let frame = execution.state.frame()?;
        let block = &self.program.functions.get(frame.function.index())?.blocks.get(frame.block.index())?;
        if frame.instruction < block.instructions.len() {
            return None;
        }
        match &block.terminator {
            Terminator::CondBranch(_, if_true, if_false) => {
                let value = int_facts::value_under(self.machine.domain.store, &execution.state.path.choices, symbol)?;
                Some((frame.function, if value != 0 { *if_true } else { *if_false }))
            }
            _ => None,
        }
    }

    /// Whether it matters what a path does where a symbol has a value: not where a guide knows that nothing new lies there.
    fn is_of_use(&mut self, execution: &Execution<'s>, (choice, value): (&Choice, u128), symbol: TermId) -> bool {
        if self.guide.is_none() {
            return true;
        }
        let mut next = execution.clone();
        let condition = next.state.path.choices.condition;
        next.state.path.choices.choose(self.store(), choice.symbol, value, condition);
        let Some(goal) = self.goal(&next, symbol) else { return true };
        self.guide.as_mut().is_none_or(|guide| guide.is_block_of_use(execution, goal))
    }

    fn site(&self, execution: &Execution<'s>) -> CallSite {
        let innermost = stack(self.program, execution).into_iter().next();
        innermost.unwrap_or(CallSite { function: FunctionId(0), location: None })
    }

    /// Records the end of a path.
    fn end(&mut self, execution: Execution<'s>, ending: Ending) {
        if self.guide.is_some() {
            return self.end_led(execution, ending);
        }
        self.asked = execution.inputs.clone();
        match ending {
            Ending::Excluded => {}
            Ending::Completed => match self.leaked(&execution) {
                Some(bytes) => self.violate(execution, ViolationKind::Leak(bytes), PATIENCE),
                None if self.options.checks.cleanup && execution.state.memory.has_heap() => {
                    self.give_up(
                        &execution,
                        "memory is allocated when the program ends, which no native run tells".into(),
                        false,
                    );
                }
                None => self.complete(execution),
            },
            Ending::Violation(kind) => self.violate(execution, kind, PATIENCE),
            Ending::Unexplored { why, is_bound } => self.give_up(&execution, why, is_bound),
        }
    }

    /// Bytes that the program has lost, where that is asked for.
    fn leaked(&self, execution: &Execution<'s>) -> Option<u64> {
        if !self.options.checks.leaks || execution.state.is_arbitrary {
            return None;
        }
        Some(execution.state.memory.leaked()).filter(|bytes| *bytes > 0)
    }

    fn complete(&mut self, execution: Execution<'s>) {
        if execution.state.is_arbitrary {
            return self.give_up(&execution, "an undefined value was frozen: anything may follow".into(), false);
        }
        self.outcome.paths.completed += 1;
        if let Some(witness) = &execution.witness {
            let store = &*self.machine.domain.store;
            let test = test_input(store, &self.options.arguments, &execution.inputs, witness);
            self.outcome.tests.push(test);
        }
    }

    pub(crate) fn give_up(&mut self, execution: &Execution<'s>, why: Arc<str>, is_bound: bool) {
        self.outcome.paths.given_up += 1;
        self.asked = execution.inputs.clone();
        if let Some(guide) = &mut self.guide {
            guide.leave_open(execution, format!("a path was not followed to its end: {why}").into());
        }
        let stack = stack(self.program, execution);
        self.unexplored.insert(Unexplored::at(why, stack, is_bound));
    }
}
