//! From where a call came to an operation: the lines that called the function which it stands in.
//!
//! **Claim.** Each line told is one at which the call, executed with this input as the IR says, was when it came to an operation that is
//! sought: the innermost of the lines around it that are asked for, those that it was inlined into before those that call its function.
//!
//! **What it may miss.** Whatever follows where the interpreter stops: what it does not know, or the limit.

use labrys_float::Flags;
use labrys_program::{BlockId, FunctionId, InstructionKind, LocationId, Program};

use crate::interpret::datum_of;
use crate::machine::Step;
use crate::{Limits, Machine, RecordCall, Soft, SoftPath};

/// An operation that a call came to, by the line that led there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reached {
    /// The innermost line around it that was asked for.
    pub from: LocationId,
    /// What the operation raised there, all executions from this line together.
    pub raised: Flags,
}

impl RecordCall<'_> {
    /// The lines from which a call with this input came to operations at the places that are sought, each once, in the order in which
    /// it came from them.
    pub fn reached(
        &self,
        domain: Soft,
        input: &[u8],
        limits: &Limits,
        is_sought: &dyn Fn(LocationId) -> bool,
        is_told: &dyn Fn(LocationId) -> bool,
    ) -> Vec<Reached> {
        let mut reached: Vec<Reached> = Vec::new();
        let mut machine = Machine::new(self.program, Soft { max_events: 0, ..domain }, *limits);
        let mut state = machine.state(SoftPath::default());
        if self.init.is_some_and(|init| machine.prepare(&mut state, init).is_err()) {
            return reached;
        }
        let entered = machine
            .enter_call(&mut state, self.function, self.binding, self.signature, &mut |_, leaf| datum_of(leaf, input));
        if entered.is_err() {
            return reached;
        }
        loop {
            let here = state.positions_back().next().and_then(|at| location(self.program, at));
            let from = here.filter(|here| is_sought(*here)).and_then(|here| {
                let calls = state.positions_back().skip(1).filter_map(|at| calls_at(self.program, at));
                let mut around = std::iter::once(here).chain(calls);
                around.find_map(|at| outwards(self.program, at).find(|at| is_told(*at)))
            });
            // Flags are sticky: what this one raises is seen where none is set.
            state.path.flags = Flags::empty();
            let step = machine.step(&mut state);
            if let Some(from) = from {
                match reached.iter_mut().find(|known| known.from == from) {
                    Some(known) => known.raised |= state.path.flags,
                    None => reached.push(Reached { from, raised: state.path.flags }),
                }
            }
            if !matches!(step, Ok(Step::Continue)) {
                return reached;
            }
        }
    }
}

/// The place of the instruction at a position.
fn location(program: &Program, (function, block, next): (FunctionId, BlockId, u32)) -> Option<LocationId> {
    let block = program.functions.get(function.index())?.blocks.get(block.index())?;
    block.instructions.get(next as usize)?.location
}

/// The place of the call that an activation waits for: it stands behind it.
pub(crate) fn calls_at(program: &Program, (function, block, next): (FunctionId, BlockId, u32)) -> Option<LocationId> {
    let block = program.functions.get(function.index())?.blocks.get(block.index())?;
    let call = block.instructions.get((next as usize).checked_sub(1)?)?;
    call.location.filter(|_| matches!(call.kind, InstructionKind::Call(..)))
}

/// A place, what it was inlined into, and so on.
fn outwards(program: &Program, at: LocationId) -> impl Iterator<Item = LocationId> {
    std::iter::successors(Some(at), |at| program.locations.get(at.index())?.inlined_at)
}
