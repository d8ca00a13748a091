//! The driver: runs states, splits them, and says what every path came to.

use std::time::Instant;

use labrys_interp::{Datum, Entry, Halt, Limits, Machine, Split, State, Step, Stop, ValueOf};
use labrys_program::{FunctionId, IrBinding, Program, Signature};
use labrys_term::{Op, Store, TermId};

use crate::path::TermPath;
use crate::schedule::Schedule;
use crate::terms::Terms;
use crate::{Budget, Exploration, Feasibility, Options, PathEnd, StopReason, int_terms};

type TermMachine<'p, 's> = Machine<'p, Terms<'s, 'p>>;
type TermState<'p, 's> = State<Terms<'s, 'p>>;

/// Executes `function` on variables for the leaves of its signature's input record ([`crate::leaf_variable`]).
///
/// Operations are recorded in the order in which they are executed; where a path parts, one continuation is followed
/// to its end before the other, those first that lead to blocks not yet entered. The whole is deterministic unless the
/// deadline or `feasibility` cuts it short.
pub fn explore(
    program: &Program,
    function: FunctionId,
    binding: &IrBinding,
    signature: &Signature,
    store: &mut Store,
    options: &Options,
    feasibility: &mut dyn Feasibility,
) -> Exploration {
    let condition = store.bool_const(true);
    let limits = Limits { instructions: options.max_instructions, depth: options.max_depth, ..Limits::default() };
    let machine = Machine::new(program, Terms::new(store, program, options.loop_bound), limits);
    let mut explorer = Explorer {
        machine,
        options,
        feasibility,
        schedule: Schedule::default(),
        entry: None,
        result: Exploration::default(),
    };
    explorer.start(TermPath::new(condition), function, binding, signature);
    explorer.run();
    let mut result = explorer.result;
    result.executions = explorer.machine.domain.executions;
    result.library_calls = explorer.machine.domain.library_calls;
    result
}

struct Explorer<'p, 's, 'o> {
    machine: TermMachine<'p, 's>,
    options: &'o Options,
    feasibility: &'o mut dyn Feasibility,
    schedule: Schedule<TermState<'p, 's>>,
    entry: Option<Entry>,
    result: Exploration,
}

impl<'p, 's> Explorer<'p, 's, '_> {
    fn start(&mut self, path: TermPath, function: FunctionId, binding: &IrBinding, signature: &Signature) {
        let mut state = self.machine.state(path);
        let fixed = &self.options.fixed;
        let entry = self.machine.enter_call(&mut state, function, binding, signature, &mut |domain, leaf| {
            let bits = fixed.iter().find(|(path, _)| *path == leaf.path).map(|(_, bits)| *bits);
            domain.input(leaf, bits)
        });
        match entry {
            Ok(entry) => {
                self.entry = Some(entry);
                self.schedule.push(state, None);
            }
            Err(stop) => self.end(&state, StopReason::Stopped(stop), None),
        }
    }

    fn run(&mut self) {
        while let Some(state) = self.schedule.next(&self.machine.domain.entered) {
            match self.exhausted() {
                Some(budget) => self.end(&state, StopReason::Budget(budget), None),
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
                    Ok(Step::Continue) if state.instructions - before < SLICE => {}
                    other => break other,
                }
            };
            self.result.instructions += state.instructions - before;
            match outcome {
                Ok(Step::Continue) => {
                    if let Some(budget) = self.exhausted() {
                        return self.end(&state, StopReason::Budget(budget), None);
                    }
                }
                Ok(Step::Returned(value)) => return self.end(&state, StopReason::Returned, Some(value)),
                Err(Halt::Stop(stop)) => return self.end(&state, StopReason::Stopped(stop), None),
                Err(Halt::Split(split)) => return self.split(state, &split),
            }
        }
    }

    /// Makes one state for each value that the symbol may have.
    fn split(&mut self, state: TermState<'p, 's>, split: &Split<TermId>) {
        let candidates = &split.candidates[..split.candidates.len().min(self.options.max_values)];
        let mut rest = Vec::new();
        let mut states = Vec::new();
        for &value in candidates {
            let condition = self.choice(split, value);
            rest.push(condition);
            if self.is_ruled_out(state.path.condition, condition) {
                continue;
            }
            let mut next = state.clone();
            let both = self.conjunction(state.path.condition, condition);
            next.path.choose(split.symbol, value, both);
            states.push((next, value));
        }
        if !split.is_exhaustive || candidates.len() < split.candidates.len() {
            let store = &mut *self.machine.domain.store;
            let others: Vec<TermId> = rest.iter().map(|&condition| int_terms::not(store, condition)).collect();
            let others = store.and(&others);
            if !self.is_ruled_out(state.path.condition, others) {
                let mut last = state.clone();
                last.path.condition = self.conjunction(state.path.condition, others);
                self.end(&last, StopReason::Stopped(split.otherwise.clone()), None);
            }
        }
        // The schedule takes what was pushed last first.
        for (next, value) in states.into_iter().rev() {
            if self.schedule.len() >= self.options.max_states {
                self.end(&next, StopReason::Budget(Budget::States), None);
                continue;
            }
            let goal = self.goal(&next, value);
            self.schedule.push(next, goal);
        }
    }

    /// The condition that a symbol has a value.
    fn choice(&mut self, split: &Split<TermId>, value: u128) -> TermId {
        let store = &mut *self.machine.domain.store;
        if split.bits == 1 {
            return if value != 0 { split.symbol } else { int_terms::not(store, split.symbol) };
        }
        let value = store.bv_const(split.bits, value);
        store.mk(Op::Eq, &[split.symbol, value])
    }

    fn is_ruled_out(&mut self, path: TermId, condition: TermId) -> bool {
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
    fn goal(&self, state: &TermState<'p, 's>, value: u128) -> Option<(FunctionId, labrys_program::BlockId)> {
        let frame = state.frame()?;
        let function = self.machine.program().functions.get(frame.function.index())?;
        let block = &function.blocks[frame.block.index()];
        if frame.instruction < block.instructions.len() {
            return None;
        }
        match &block.terminator {
            labrys_program::Terminator::CondBranch(_, if_true, if_false) => {
                Some((frame.function, if value != 0 { *if_true } else { *if_false }))
            }
            _ => None,
        }
    }

    /// Records the end of a path.
    fn end(&mut self, state: &TermState<'p, 's>, why: StopReason, value: Option<ValueOf<Terms<'s, 'p>>>) {
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
        self.result.paths.push(PathEnd {
            condition: state.path.condition,
            why,
            result,
            is_tainted,
            instructions: state.instructions,
        });
    }
}
