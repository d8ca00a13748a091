//! Whole programs: what variables can be at the heads of loops.
//!
//! **Claim.** Whenever a run of the program comes to a loop's head, each variable has a value of its range there, as long as the run does
//! nothing undefined, rounds to nearest and keeps to [`crate::assumptions`].
//!
//! **Argument.** Nothing runs that the entry does not call, or the program is refused. The rest is the argument of [`crate::machine`]: each state from which a round begins that is recorded is noted here, too, and rounds that are not
//! recorded are described by a state that is. What a function does that is not understood may enter any function that it reaches in any state:
//! those functions' variables have no ranges.

use std::rc::Rc;
use std::time::Instant;

use labrys_program::{
    BlockId, CallGraph, Callee, EXITS, Function, FunctionId, Instruction, InstructionKind, IntPredicate, IntrinsicKind,
    KnownFunction, Operand, Program, SourceVariable,
};
use labrys_solver::domain::FloatDomain;
use rustc_hash::FxHashMap;

use crate::analyse::on_large_stack;
use crate::calls::Called;
use crate::graph::{Domain, Graph, Value};
use crate::integer::IntDomain;
use crate::library::Library;
use crate::machine::{Activation, Effort, Machine};
use crate::memory::Found;
use crate::options::RangeOptions;
use crate::refine;
use crate::snapshot::Snapshot;
use crate::split::share;
use crate::state::State;
use crate::stop::{Stop, unsupported};
use crate::summary::Summaries;

/// What a function does that the program declares and leaves to who runs it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum External {
    /// Returns any value.
    Value,
    /// Does not return where its first argument is zero.
    Assume,
    /// Writes anything to its first argument, of as many bytes as the second says.
    Fill,
    /// Does not return.
    End,
    /// Does nothing that the program could see.
    Nothing,
}

/// What is known of functions that are only declared.
pub type Externals<'a> = dyn Fn(&Function) -> Option<External> + Sync + 'a;

/// The values that a variable can have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Values {
    /// Of a float.
    Float(FloatDomain),
    /// Of an integer, read as signed.
    Int {
        /// Its width.
        bits: u32,
        /// The least.
        low: i128,
        /// The greatest.
        high: i128,
    },
}

/// What is known at a loop's head.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LoopRange {
    /// The function.
    pub function: FunctionId,
    /// The loop among the function's ([`Function::loops`]).
    pub index: usize,
    /// For each of the loop's variables what it can be; `None` where nothing is known of it.
    pub variables: Vec<Option<Values>>,
}

/// What was seen at loops, by function and number: for each variable a set that has its values; `None` for any.
pub(crate) type Heads = FxHashMap<(FunctionId, usize), Vec<Option<Domain>>>;

/// Adds what was seen at a loop.
pub(crate) fn note(heads: &mut Heads, key: (FunctionId, usize), seen: &[Option<Domain>]) {
    match heads.get_mut(&key) {
        None => drop(heads.insert(key, seen.to_vec())),
        Some(known) => {
            for (known, new) in known.iter_mut().zip(seen) {
                *known = known.as_ref().zip(new.as_ref()).map(|(known, new)| known.hull(new));
            }
        }
    }
}

/// What variables can be at the heads of a whole program's loops, where the program begins with `entry`, whatever its arguments are. Loops that no
/// run comes to are left out.
///
/// # Errors
///
/// Why nothing is known.
pub fn loop_ranges(
    program: &Program,
    entry: FunctionId,
    externals: &Externals<'_>,
    deadline: Option<Instant>,
) -> Result<Vec<LoopRange>, String> {
    on_large_stack(|| found(program, entry, externals, deadline)).map_err(|stop| stop.to_string())
}

/// Why the program may round otherwise than to nearest, if it may: assembly, functions of the environment and ones that are not known.
fn changes_modes(program: &Program, reachable: &[FunctionId], externals: &Externals<'_>) -> Option<String> {
    reachable.iter().find_map(|id| {
        let function = &program.functions[id.index()];
        if function.blocks.is_empty() {
            let is_known = externals(function).is_some()
                || function.known.is_some_and(|known| !matches!(known, KnownFunction::Environment { .. }));
            return (!is_known).then(|| {
                format!("{} may change the rounding mode, and ranges are those of rounding to nearest", function.name)
            });
        }
        let instructions = function.blocks.iter().flat_map(|block| &block.instructions);
        let mut calls = instructions.filter_map(|instruction| match &instruction.kind {
            InstructionKind::Call(callee, _) => Some(callee),
            _ => None,
        });
        let is_unknown = |callee: &Callee| match callee {
            Callee::InlineAsm(text) => !text.is_empty(),
            Callee::Intrinsic(called) => called.kind() == IntrinsicKind::Unknown,
            Callee::Function(_) | Callee::Indirect(_) => false,
        };
        calls.any(is_unknown).then(|| {
            format!("{} may change the rounding mode, and ranges are those of rounding to nearest", function.name)
        })
    })
}

/// Why code of the program may run that its entry does not call: before it, or after it.
fn runs_beside(program: &Program) -> Option<String> {
    let lists = ["llvm.global_ctors", "llvm.global_dtors"];
    if program.globals.iter().any(|global| lists.contains(&global.name.as_str())) {
        return Some("functions run before the program or after it".to_owned());
    }
    let exits = program.functions.iter().find(|of| of.name == EXITS && !of.blocks.is_empty());
    exits.map(|_| "the program asks for functions to run at its end".to_owned())
}

/// Efforts, the most careful first, each with the part of the time that is left which it may take.
const EFFORTS: [(Effort, f64); 3] = {
    const fn effort(disjuncts: usize, unroll: u32, decided: u32, contexts: usize) -> Effort {
        Effort { disjuncts, unroll, depth: 48, steps: 2_000_000, deadline: None, decided, is_shared: false, contexts }
    }
    [(effort(6, 24, 1 << 12, 24), 0.3), (effort(2, 4, 1 << 8, 6), 0.5), (effort(1, 1, 1 << 4, 2), 1.0)]
};

fn found(
    program: &Program,
    entry: FunctionId,
    externals: &Externals<'_>,
    deadline: Option<Instant>,
) -> Result<Vec<LoopRange>, Stop> {
    let calls = Rc::new(CallGraph::new(program));
    let why_not = changes_modes(program, &calls.reachable(entry), externals).or_else(|| runs_beside(program));
    if let Some(why) = why_not {
        return Err(unsupported(why));
    }
    let mut last = Stop::Budget("no run".into());
    for (effort, part) in EFFORTS {
        let library = Library::new(RangeOptions::default().ulps);
        let deadline = share(deadline, part);
        let effort = Effort { deadline, ..effort };
        let mut machine = Machine::new(program, calls.clone(), library, Summaries::default(), effort);
        machine.externals = Some(externals);
        match machine.run_program(entry) {
            Ok(()) => return Ok(machine.loop_ranges()),
            Err(stop @ Stop::Unsupported(_)) => return Err(stop),
            Err(stop) => last = stop,
        }
    }
    Err(last)
}

impl Machine<'_> {
    /// Analyses a program from its entry, for any arguments.
    fn run_program(&mut self, entry: FunctionId) -> Result<(), Stop> {
        let branch = self.graph.fork(Graph::ROOT);
        let snapshot = Snapshot { state: State::new(branch), values: Vec::new() };
        let mut arguments = Vec::new();
        for parameter in &self.program.functions[entry.index()].parameters {
            arguments.push(self.unknown(&snapshot, &parameter.ty)?);
        }
        self.run_function(entry, &arguments, snapshot).map(drop)
    }

    /// Notes what variables are where a round of a loop begins.
    pub fn note_head(&mut self, activation: &Activation, head: BlockId, states: &[Snapshot]) {
        if self.externals.is_none() || !self.is_recording {
            return;
        }
        let program = self.program;
        let function = &program.functions[activation.function.index()];
        for (index, of) in function.loops.iter().enumerate().filter(|(_, of)| of.head == head) {
            for snapshot in states {
                let seen: Vec<Option<Domain>> =
                    of.variables.iter().map(|variable| self.seen(activation, function, variable, snapshot)).collect();
                note(&mut self.record.heads, (activation.function, index), &seen);
            }
        }
    }

    /// What is known of a variable in a state.
    fn seen(
        &self,
        activation: &Activation,
        function: &Function,
        variable: &SourceVariable,
        snapshot: &Snapshot,
    ) -> Option<Domain> {
        // Memory of variables is made when the function is entered.
        let instructions = &function.blocks.first()?.instructions;
        let place = instructions.iter().position(|instruction| instruction.result == Some(variable.memory))?;
        let InstructionKind::Alloca(ty, ..) = &instructions[place].kind else { return None };
        let object = activation.entry_locals.get(&(0, place as u32))?;
        let memory = snapshot.state.memory.objects.get(object)?;
        match memory.load(0, ty.store_size()) {
            Found::Node(node) => Some(self.domain(snapshot, node)),
            Found::Zero | Found::Unknown => None,
        }
    }

    /// Notes that variables of a function can be anything.
    pub fn note_anything(&mut self, id: FunctionId) {
        if self.externals.is_none() {
            return;
        }
        for (index, of) in self.program.functions[id.index()].loops.iter().enumerate() {
            note(&mut self.record.heads, (id, index), &vec![None; of.variables.len()]);
        }
    }

    /// What was noted, in order.
    fn loop_ranges(self) -> Vec<LoopRange> {
        let heads = self.record.heads.into_iter();
        let mut all: Vec<LoopRange> = heads
            .map(|((function, index), seen)| {
                let variables = seen.into_iter().map(|domain| values(&domain?)).collect();
                LoopRange { function, index, variables }
            })
            .collect();
        all.sort_by_key(|of| (of.function, of.index));
        all
    }

    /// A call of a function that who runs the program answers.
    pub fn external(
        &mut self,
        instruction: &Instruction,
        external: External,
        operands: &[Operand],
        snapshot: &mut Snapshot,
    ) -> Result<Called, Stop> {
        match external {
            External::End => Ok(Called::Nothing),
            External::Value | External::Nothing => self.unknown(snapshot, &instruction.ty).map(Called::Value),
            External::Assume => {
                let of = self.scalars(snapshot, operands, 1)?;
                let Domain::Int(set) = self.domain(snapshot, of[0]) else {
                    return Err(unsupported("an assumption that is no integer"));
                };
                let zero = IntDomain::only(set.bits, 0);
                let Some((rest, _)) = IntDomain::compared(IntPredicate::Ne, &set, &zero) else {
                    return Ok(Called::Nothing);
                };
                let holds = refine::assume(&self.graph, &mut snapshot.state, of[0], Domain::Int(rest));
                Ok(if holds { Called::Value(Value::new()) } else { Called::Nothing })
            }
            External::Fill => {
                let of = self.scalars(snapshot, operands, 2)?;
                let byte = snapshot.state.opaque(&mut self.graph, Domain::Int(IntDomain::top(8)));
                let survives = self.set(snapshot, of[0], byte, of[1])?;
                Ok(if survives { Called::Value(Value::new()) } else { Called::Nothing })
            }
        }
    }
}

/// The set of a domain, if it is one of numbers that says something.
fn values(domain: &Domain) -> Option<Values> {
    match domain {
        Domain::Float(set) => (*set != FloatDomain::top(set.format)).then_some(Values::Float(*set)),
        Domain::Int(IntDomain { bits, low, high, .. }) => {
            let top = IntDomain::top(*bits);
            ((top.low, top.high) != (*low, *high)).then_some(Values::Int { bits: *bits, low: *low, high: *high })
        }
        Domain::Pointer(_) => None,
    }
}
