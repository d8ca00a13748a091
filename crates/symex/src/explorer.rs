//! The driver: runs states, splits them, and says what every path came to.

use std::time::Instant;

use labrys_interp::{Datum, Entry, Halt, Limits, Machine, Split, State, Step, Stop, ValueOf};
use labrys_program::{
    BlockId, FunctionId, IrBinding, Leaf, Length, ParameterType, Program, ScalarType, Signature, Terminator,
};
use labrys_term::{Op, Store, TermId};

use tracing::{Level, debug, enabled, trace};

use crate::cuts::{Cuts, Position};
use crate::goals::Goals;
use crate::int_facts::Choice;
use crate::path::TermPath;
use crate::schedule::{Schedule, Stack, Waiting};
use crate::terms::Terms;
use crate::{
    Arrival, Budget, Exploration, Feasibility, Options, PathEnd, StopReason, int_facts, int_terms, leaf_variable,
};

/// The name of this crate in the log.
const LOG: &str = "symex";

type TermMachine<'p, 's> = Machine<'p, Terms<'s, 'p>>;
type TermState<'p, 's> = State<Terms<'s, 'p>>;

/// Executes `function` on variables for the leaves of its signature's input record ([`crate::leaf_variable`]).
///
/// Operations are recorded in the order in which they are executed; where a path parts, one continuation is followed
/// to its end before the other, those first that lead to blocks not yet entered. The whole is deterministic unless the
/// deadline or `feasibility` cuts it short.
///
/// Integers that are lengths of array parameters are not symbolic: each value within the capacity makes paths of its own.
pub fn explore(
    program: &Program,
    function: FunctionId,
    binding: &IrBinding,
    signature: &Signature,
    store: &mut Store,
    options: &Options,
    feasibility: &mut dyn Feasibility,
) -> Exploration {
    let begun = Instant::now();
    let condition = store.bool_const(true);
    let limits = Limits { instructions: options.max_instructions, depth: options.max_depth, ..Limits::default() };
    let machine =
        Machine::new(program, Terms::new(store, program, options.loop_bound, options.keeps_roundings), limits);
    let mut explorer = Explorer {
        machine,
        options,
        feasibility,
        schedule: Schedule::default(),
        goals: options.wanted.clone().map(|interest| Goals::new(program, function, interest)),
        entry: None,
        learnt: 0,
        cuts: Cuts::default(),
        result: Exploration::default(),
    };
    explorer.start(TermPath::new(condition), function, binding, signature);
    explorer.run();
    let mut result = explorer.result;
    result.cuts = explorer.cuts.finish(program, function);
    result.allocates = explorer.machine.has_allocated();
    result.loop_cuts = explorer.machine.domain.loop_cuts();
    result.executions = explorer.machine.domain.executions;
    result.library_calls = explorer.machine.domain.library_calls;
    tell(&signature.name, &result, begun);
    result
}

/// Tells the log what became of the paths.
fn tell(function: &str, result: &Exploration, begun: Instant) {
    debug!(
        target: LOG,
        function,
        paths = result.paths.len(),
        executions = result.executions.len(),
        instructions = result.instructions,
        ruled_out = result.ruled_out,
        seconds = begun.elapsed().as_secs_f64(),
        "explored"
    );
    if enabled!(target: LOG, Level::DEBUG) {
        for (why, count) in result.stops() {
            debug!(target: LOG, function, "{count} paths: {why}");
        }
    }
}

struct Explorer<'p, 's, 'o> {
    machine: TermMachine<'p, 's>,
    options: &'o Options,
    feasibility: &'o mut dyn Feasibility,
    schedule: Schedule<TermState<'p, 's>>,
    goals: Option<Goals>,
    entry: Option<Entry>,
    /// How many of the library calls the feasibility oracle has heard of.
    learnt: usize,
    cuts: Cuts,
    result: Exploration,
}

impl<'p, 's> Explorer<'p, 's, '_> {
    /// Enters the function once for each choice of array lengths ([`length_choices`]).
    fn start(&mut self, path: TermPath, function: FunctionId, binding: &IrBinding, signature: &Signature) {
        let fixed = &self.options.fixed;
        let mut states = Vec::new();
        for choice in length_choices(signature, fixed, self.options.max_values) {
            let mut path = path.clone();
            for (leaf, value) in &choice {
                let store = &mut *self.machine.domain.store;
                let (variable, bits) = (leaf_variable(store, leaf), 8 * leaf.scalar.size() as u32);
                let value = store.bv_const(bits, *value);
                let condition = store.mk(Op::Eq, &[variable, value]);
                path.condition = self.conjunction(path.condition, condition);
            }
            let mut state = self.machine.state(path);
            if let Some(init) = self.options.init {
                if let Err(stop) = self.machine.prepare(&mut state, init) {
                    return self.end_at(&state, Position::new(), StopReason::Stopped(stop), None);
                }
                self.machine.domain.forget();
            }
            let entry = self.machine.enter_call(&mut state, function, binding, signature, &mut |domain, leaf| {
                let chosen = choice.iter().find(|(other, _)| other == leaf).map(|(_, value)| *value);
                let bits = chosen.or(fixed.iter().find(|(path, _)| *path == leaf.path).map(|(_, bits)| *bits));
                domain.input(leaf, bits)
            });
            match entry {
                // Objects are numbered in the order in which they are made: all states have the same entry.
                Ok(entry) => {
                    self.entry = Some(entry);
                    states.push(state);
                }
                Err(stop) => return self.end_at(&state, Position::new(), StopReason::Stopped(stop), None),
            }
        }
        for state in states.into_iter().rev() {
            self.wait(state, None);
        }
    }

    /// Puts a state among those that wait, if it can still reach something that is wanted. `goal` is the block to which
    /// its next step leads, where that is known.
    fn wait(&mut self, state: TermState<'p, 's>, goal: Option<(FunctionId, BlockId)>) {
        let mut stack: Stack = state.call_stack().collect();
        if let (Some(goal), Some(last)) = (goal, stack.last_mut()) {
            *last = goal;
        }
        if self.goals.as_ref().is_some_and(|goals| !goals.leads_on(&stack)) {
            return self.end(&state, StopReason::NothingOpen, None);
        }
        if self.schedule.len() >= self.options.max_states {
            return self.end_at(&state, position(&state, goal), StopReason::Budget(Budget::States), None);
        }
        let choices = state.path.choices;
        self.schedule.push(Waiting { state, stack, goal, choices });
    }

    fn next(&mut self) -> Option<Waiting<TermState<'p, 's>>> {
        match &mut self.goals {
            Some(goals) => {
                goals.refresh(&self.machine.domain.executed);
                self.schedule.next_towards(goals, self.options.max_states / 2)
            }
            None => self.schedule.next(&self.machine.domain.entered),
        }
    }

    fn run(&mut self) {
        while let Some(Waiting { state, goal, .. }) = self.next() {
            match self.exhausted() {
                Some(budget) => self.end_at(&state, position(&state, goal), StopReason::Budget(budget), None),
                None => self.follow(state),
            }
        }
    }

    /// The limit that has been reached, if one has.
    fn exhausted(&self) -> Option<Budget> {
        if self.result.paths.len() >= self.options.max_paths {
            Some(Budget::Paths)
        } else if self.result.instructions >= self.options.max_total_instructions {
            Some(Budget::Instructions)
        } else if self.options.deadline.is_some_and(|deadline| Instant::now() >= deadline) {
            Some(Budget::Deadline)
        } else {
            None
        }
    }

    /// Executes one state until it ends or splits.
    fn follow(&mut self, mut state: TermState<'p, 's>) {
        /// Instructions between two looks at the limits.
        const SLICE: u64 = 4096;
        loop {
            let before = state.instructions;
            let outcome = loop {
                match self.machine.step(&mut state) {
                    Ok(Step::Continue) if self.looked_for(&state).is_some() => break Ok(Step::Continue),
                    Ok(Step::Continue) if state.instructions - before < SLICE => {}
                    other => break other,
                }
            };
            self.result.instructions += state.instructions - before;
            match outcome {
                Ok(Step::Continue) => {
                    if let Some(function) = self.looked_for(&state) {
                        return self.arrive(&state, function);
                    }
                    if let Some(budget) = self.exhausted() {
                        return self.end(&state, StopReason::Budget(budget), None);
                    }
                }
                Ok(Step::Returned(value)) => return self.end(&state, StopReason::Returned, Some(value)),
                Err(Halt::Stop(stop)) => return self.end(&state, StopReason::Stopped(stop), None),
                Err(Halt::Split(split)) => return self.split(state, &split),
                Err(Halt::Call(_)) => {
                    let why = Stop::unsupported("a call that nobody answers");
                    return self.end(&state, StopReason::Stopped(why), None);
                }
            }
        }
    }

    /// The function that a state has just entered, if its calls are looked for.
    fn looked_for(&self, state: &TermState<'p, 's>) -> Option<FunctionId> {
        let until = &self.options.until;
        if until.is_empty() || state.depth() < 2 {
            return None;
        }
        state.entered().map(|frame| frame.function).filter(|function| until.contains(function))
    }

    /// Records the call with which a path ends.
    fn arrive(&mut self, state: &TermState<'p, 's>, function: FunctionId) {
        let Some(frame) = state.entered() else { return };
        let program = self.machine.program();
        let Some(parameters) = program.functions.get(function.index()).map(|function| &function.parameters) else {
            return;
        };
        let store = &mut *self.machine.domain.store;
        let arguments = parameters.iter().map(|parameter| match frame.value(parameter.value)?.as_slice() {
            [scalar] if !scalar.tainted => match &scalar.datum {
                Datum::Float(term) => Some(*term),
                Datum::Int(int) => Some(int_terms::as_bit_vector(store, int)),
                Datum::Pointer(_) => None,
            },
            _ => None,
        });
        let arguments = arguments.collect();
        self.result.arrivals.push(Arrival { function, path: state.path.condition, arguments });
        self.end(state, StopReason::Arrived, None);
    }

    /// Makes one state for each value that the symbol may have.
    fn split(&mut self, state: TermState<'p, 's>, split: &Split<TermId>) {
        let store = &*self.machine.domain.store;
        let all = Choice { symbol: split.symbol, bits: split.bits, values: split.candidates.clone() };
        let mut choice = int_facts::peel(store, all);
        let is_cut = choice.values.len() > self.options.max_values;
        choice.values.truncate(self.options.max_values);
        let is_exhaustive = !is_cut && (split.is_exhaustive || int_facts::is_exhaustive(store, &choice));
        let mask = int_facts::possible_ones(store, choice.symbol);
        choice.values.retain(|value| choice.bits == 1 || value & !mask == 0);

        let mut taken = Vec::new();
        let mut states = Vec::new();
        for &value in &choice.values {
            let condition = self.condition(&choice, value);
            taken.push(condition);
            if self.is_ruled_out(state.path.condition, condition) {
                continue;
            }
            let mut next = state.clone();
            let both = self.conjunction(state.path.condition, condition);
            next.path.choose(self.machine.domain.store, choice.symbol, value, both);
            states.push(next);
        }
        if !is_exhaustive {
            let store = &mut *self.machine.domain.store;
            let others: Vec<TermId> = taken.iter().map(|&condition| int_terms::not(store, condition)).collect();
            let others = store.and(&others);
            if !self.is_ruled_out(state.path.condition, others) {
                let mut last = state.clone();
                last.path.condition = self.conjunction(state.path.condition, others);
                let why = if is_cut { Stop::SymbolicValue } else { split.otherwise.clone() };
                self.end(&last, StopReason::Stopped(why), None);
            }
        }
        // The schedule takes what was pushed last first.
        for next in states.into_iter().rev() {
            // The choice may be about a part of what was split, such as the condition that it negates.
            let whole = int_facts::value_under(self.machine.domain.store, &next.path, split.symbol);
            let goal = whole.and_then(|value| self.goal(&next, value));
            self.wait(next, goal);
        }
    }

    /// The condition that a symbol has a value.
    fn condition(&mut self, choice: &Choice, value: u128) -> TermId {
        let store = &mut *self.machine.domain.store;
        if choice.bits == 1 {
            return if value != 0 { choice.symbol } else { int_terms::not(store, choice.symbol) };
        }
        let value = store.bv_const(choice.bits, value);
        store.mk(Op::Eq, &[choice.symbol, value])
    }

    fn is_ruled_out(&mut self, path: TermId, condition: TermId) -> bool {
        let calls = &self.machine.domain.library_calls;
        for call in &calls[self.learnt..] {
            self.feasibility.learn(call);
        }
        self.learnt = calls.len();
        let ruled_out = self.feasibility.rules_out(self.machine.domain.store, path, condition);
        self.result.ruled_out += usize::from(ruled_out);
        ruled_out
    }

    /// path ∧ condition; the condition alone at the start of a path.
    fn conjunction(&mut self, path: TermId, condition: TermId) -> TermId {
        let store = &mut *self.machine.domain.store;
        match store.node(path).op {
            Op::BoolConst(true) => condition,
            _ => store.and(&[path, condition]),
        }
    }

    /// The block to which a state's next step leads, where it is a conditional branch on the chosen value.
    fn goal(&self, state: &TermState<'p, 's>, value: u128) -> Option<(FunctionId, BlockId)> {
        let frame = state.frame()?;
        let function = self.machine.program().functions.get(frame.function.index())?;
        let block = &function.blocks[frame.block.index()];
        if frame.instruction < block.instructions.len() {
            return None;
        }
        match &block.terminator {
            Terminator::CondBranch(_, if_true, if_false) => {
                Some((frame.function, if value != 0 { *if_true } else { *if_false }))
            }
            _ => None,
        }
    }

    /// Records the end of a path at its state's position.
    fn end(&mut self, state: &TermState<'p, 's>, why: StopReason, value: Option<ValueOf<Terms<'s, 'p>>>) {
        self.end_at(state, state.positions().collect(), why, value);
    }

    /// The same for a state that is about to go on at `position`.
    fn end_at(
        &mut self,
        state: &TermState<'p, 's>,
        position: Position,
        why: StopReason,
        value: Option<ValueOf<Terms<'s, 'p>>>,
    ) {
        // What returned has nothing ahead, even if its result cannot be said.
        if value.is_none() {
            self.cuts.add(&why, position);
        }
        let (mut why, mut result, mut is_tainted) = (why, None, Vec::new());
        if let (Some(value), Some(entry)) = (value, &self.entry) {
            match self.machine.outputs(state, entry, &value) {
                Ok(scalars) => {
                    is_tainted = scalars.iter().map(|scalar| scalar.tainted).collect();
                    let store = &mut *self.machine.domain.store;
                    let terms = scalars.iter().map(|scalar| match &scalar.datum {
                        Datum::Float(term) => Some(*term),
                        Datum::Int(int) => Some(int_terms::as_bit_vector(store, int)),
                        Datum::Pointer(_) => None,
                    });
                    result = terms.collect::<Option<Vec<TermId>>>();
                    if result.is_none() {
                        why = StopReason::Stopped(Stop::unsupported("a pointer among the results"));
                    }
                }
                Err(stop) => why = StopReason::Stopped(stop),
            }
        }
        trace!(
            target: LOG,
            path = self.result.paths.len(),
            condition = state.path.condition.index(),
            instructions = state.instructions,
            "{why}"
        );
        self.result.paths.push(PathEnd {
            condition: state.path.condition,
            why,
            result,
            is_tainted,
            instructions: state.instructions,
        });
    }
}

/// Where a state goes on that waits: at the beginning of the block that its branch leads to, where that is known.
fn position(state: &TermState<'_, '_>, goal: Option<(FunctionId, BlockId)>) -> Position {
    let mut position: Position = state.positions().collect();
    if let (Some((function, block)), Some(last)) = (goal, position.last_mut()) {
        *last = (function, block, 0);
    }
    position
}

/// The values of the integers that are lengths of arrays: all combinations within the arrays' capacities, so that loops
/// over arrays are not split at every use of their length. Lengths with more values than `most` stay variables.
fn length_choices(signature: &Signature, fixed: &[(String, u128)], most: usize) -> Vec<Vec<(Leaf, u128)>> {
    let mut lengths: Vec<(usize, u64)> = Vec::new();
    for parameter in &signature.parameters {
        if let ParameterType::Pointer { length: Length::Parameter { index, max, .. }, .. } = parameter.ty {
            match lengths.iter_mut().find(|(known, _)| *known == index) {
                Some((_, least)) => *least = max.min(*least),
                None => lengths.push((index, max)),
            }
        }
    }
    let leaves = signature.input_layout().leaves;
    let mut choices = vec![Vec::new()];
    for (index, max) in lengths {
        let is_length = |leaf: &&Leaf| {
            leaf.parameter == Some(index)
                && matches!(leaf.scalar, ScalarType::Int { .. })
                && !fixed.iter().any(|(path, _)| *path == leaf.path)
        };
        let Some(leaf) = leaves.iter().find(is_length) else { continue };
        let values = usize::try_from(max).unwrap_or(usize::MAX).saturating_add(1);
        if choices.len().saturating_mul(values) > most {
            continue;
        }
        let with = |choice: &Vec<(Leaf, u128)>| {
            let choice = choice.clone();
            (0..=u128::from(max)).map(move |value| {
                let mut choice = choice.clone();
                choice.push((leaf.clone(), value));
                choice
            })
        };
        choices = choices.iter().flat_map(with).collect();
    }
    choices
}
