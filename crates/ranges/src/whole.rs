//! Whole programs: from the entry on, for all inputs, with what verifiers' functions mean.
//!
//! **Claim.** What a run over a program records describes every run of the program, as long as that does nothing undefined, rounds to
//! nearest and keeps to [`crate::assumptions`]. **Argument.** Nothing runs that the entry does not call, or the program is refused; nothing in
//! it changes how the processor rounds. The rest is the argument of [`crate::machine`].

use std::rc::Rc;

use labrys_program::{
    CallGraph, Callee, EXITS, Function, FunctionId, Instruction, InstructionKind, IntPredicate, IntrinsicKind,
    KnownFunction, Operand, Program, VerifierCall,
};

use crate::calls::Called;
use crate::care::Care;
use crate::graph::{Domain, Graph, Value};
use crate::integer::IntDomain;
use crate::library::Library;
use crate::machine::Machine;
use crate::memory::{Cell, Content};
use crate::options::RangeOptions;
use crate::proof::{ASSERTION, ERROR};
use crate::refine;
use crate::snapshot::Snapshot;
use crate::state::State;
use crate::stop::{Stop, unsupported};
use crate::summary::Summaries;

/// What is known of functions that verifiers answer.
pub type VerifierCalls<'a> = dyn Fn(&Function) -> Option<VerifierCall> + Sync + 'a;

/// A program that is analysed as a whole.
pub(crate) struct Whole<'p> {
    program: &'p Program,
    entry: FunctionId,
    verifier: &'p VerifierCalls<'p>,
    calls: Rc<CallGraph>,
}

impl<'p> Whole<'p> {
    /// The program that begins with `entry`, unless code may run that it does not call, or rounding may be another.
    pub fn of(program: &'p Program, entry: FunctionId, verifier: &'p VerifierCalls<'p>) -> Result<Whole<'p>, Stop> {
        let calls = Rc::new(CallGraph::new(program));
        let reachable = calls.reachable(entry);
        match changes_modes(program, &reachable, verifier).or_else(|| runs_beside(program)) {
            Some(why) => Err(unsupported(why)),
            None => Ok(Whole { program, entry, verifier, calls }),
        }
    }

    /// The functions that can run.
    pub fn functions(&self) -> impl Iterator<Item = (FunctionId, &'p Function)> {
        let program = self.program;
        self.calls.reachable(self.entry).into_iter().map(|id| (id, &program.functions[id.index()]))
    }

    /// One run over the code, for any arguments of the entry, on a machine that `prepare` has set up.
    pub fn run(
        &self,
        care: Care,
        options: &RangeOptions<'_>,
        prepare: impl FnOnce(&mut Machine<'p>),
    ) -> Result<Machine<'p>, Stop> {
        let library = Library::new(options.ulps);
        let effort = care.effort(options);
        let mut machine = Machine::new(self.program, self.calls.clone(), library, Summaries::default(), effort);
        machine.verifier = Some(self.verifier);
        prepare(&mut machine);
        let branch = machine.graph.fork(Graph::ROOT);
        let snapshot = Snapshot { state: State::new(branch), values: Vec::new() };
        let mut arguments = Vec::new();
        for parameter in &self.program.functions[self.entry.index()].parameters {
            arguments.push(machine.unknown(&snapshot, &parameter.ty)?);
        }
        let returned = machine.run_function(self.entry, &arguments, snapshot)?;
        machine.completes |= !returned.is_empty();
        Ok(machine)
    }
}

/// Why the program may round otherwise than to nearest, if it may: assembly, functions of the environment and ones that are not known.
fn changes_modes(program: &Program, reachable: &[FunctionId], verifier: &VerifierCalls<'_>) -> Option<String> {
    reachable.iter().find_map(|id| {
        let function = &program.functions[id.index()];
        if function.blocks.is_empty() {
            let is_known = verifier(function).is_some()
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

impl Machine<'_> {
    /// The program ends, as it may.
    pub fn ended(&mut self) -> Called {
        self.completes = true;
        Called::Nothing
    }

    /// A call of a function that verifiers answer.
    pub fn verifier_call(
        &mut self,
        instruction: &Instruction,
        call: VerifierCall,
        operands: &[Operand],
        snapshot: &mut Snapshot,
    ) -> Result<Called, Stop> {
        match call {
            VerifierCall::Error => {
                self.may_fail(ERROR);
                Ok(Called::Nothing)
            }
            VerifierCall::Exit => Ok(self.ended()),
            VerifierCall::Exclude => {
                self.has_excluded = true;
                Ok(Called::Nothing)
            }
            VerifierCall::Value | VerifierCall::Nothing => self.unknown(snapshot, &instruction.ty).map(Called::Value),
            VerifierCall::Assume | VerifierCall::Assert => {
                let of = self.scalars(snapshot, operands, 1)?;
                let Domain::Int(set) = self.domain(snapshot, of[0]) else {
                    return Err(unsupported("an assumption that is no integer"));
                };
                if call == VerifierCall::Assert && set.contains(0) {
                    self.may_fail(ASSERTION);
                }
                let zero = IntDomain::only(set.bits, 0);
                let rest = IntDomain::compared(IntPredicate::Ne, &set, &zero);
                let mut assume = |rest| refine::assume(&self.graph, &mut snapshot.state, of[0], Domain::Int(rest));
                let holds = rest.is_some_and(|(rest, _)| assume(rest));
                self.has_excluded |= !holds;
                Ok(if holds { Called::Value(Value::new()) } else { Called::Nothing })
            }
            VerifierCall::Memory => {
                let of = self.scalars(snapshot, operands, 2)?;
                let byte = snapshot.state.opaque(&mut self.graph, Domain::Int(IntDomain::top(8)));
                let survives = self.set(snapshot, of[0], byte, of[1])?;
                if survives {
                    self.fill_scalar(snapshot, of[0], of[1])?;
                }
                Ok(if survives { Called::Value(Value::new()) } else { Called::Nothing })
            }
        }
    }

    /// A scalar that a verifier fills is one that was written, with any value: what it is a number of shows when it is read.
    fn fill_scalar(
        &mut self,
        snapshot: &mut Snapshot,
        to: crate::graph::NodeId,
        size: crate::graph::NodeId,
    ) -> Result<(), Stop> {
        let Some(size @ (1 | 2 | 4 | 8)) = self.known_size(snapshot, size) else { return Ok(()) };
        let places = self.places(snapshot, to, size)?.unwrap_or_default();
        let [of] = &places[..] else { return Ok(()) };
        let [offset] = of.offsets[..] else { return Ok(()) };
        let any = snapshot.state.opaque(&mut self.graph, Domain::Int(IntDomain::top(8 * size as u32)));
        if let Some(object) = snapshot.state.memory.object_mut(of.object).filter(|object| object.is_writable) {
            object.store(offset, Cell { size, content: Content::Node(any) });
        }
        Ok(())
    }
}
