//! Control that leaves several activations at once: exceptions of C++, C's `longjmp`, the end of a program.
//!
//! Activations that are left die as those that return do: their local variables with them. What stands in the one that goes on is as it was left:
//! values of an activation are computed once each time that control passes them, so that those before a call of `setjmp` are still those, and those
//! behind it are computed again.

use labrys_program::{BlockId, Clause, FunctionId, InstructionKind, Landing};

use crate::machine::{HaltOf, ScalarOf, ValueOf};
use crate::state::single;
use crate::{Domain, Machine, ObjectId, ObjectKind, Pointer, Scalar, State, Stop};

/// A clause of a landing pad.
#[derive(Clone, Debug)]
pub enum LandingClause<S> {
    /// There is no activation so far outside.
    NoActivation,
    /// The activation's call has no landing pad, or no such clause.
    Absent,
    /// A handler of a type; the null pointer stands for any.
    Catch(S),
    /// A list of types that may pass.
    Filter,
    /// What is done on the way.
    Cleanup,
}

/// A place that `longjmp` can go back to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct JumpTarget {
    /// How many activations there are.
    pub depth: usize,
    /// The innermost one's function.
    pub function: FunctionId,
    /// Its block.
    pub block: BlockId,
    /// The call of `setjmp` in it.
    pub instruction: usize,
}

impl<'p, D: Domain> Machine<'p, D> {
    /// The landing pad to which an activation's call leads if it throws: `activation` 0 is the innermost one; `None` where there is no such
    /// activation.
    fn landing(&self, state: &State<D>, activation: usize) -> Option<Option<(BlockId, &'p Landing)>> {
        let frame = state.frames.iter_back().nth(activation)?;
        let function = self.program.functions.get(frame.function.index())?;
        let block = function.blocks.get(frame.block.index())?;
        // A caller stands behind its call, and an invoke's is the block's last instruction.
        let pad = block.unwind.filter(|_| frame.instruction == block.instructions.len());
        Some(pad.and_then(|pad| Some((pad, function.blocks.get(pad.index())?.landing.as_deref()?))))
    }

    /// A clause of the landing pad of an activation.
    ///
    /// # Errors
    ///
    /// A type's address is not understood.
    pub fn clause(
        &mut self,
        state: &State<D>,
        activation: usize,
        number: usize,
    ) -> Result<LandingClause<ScalarOf<D>>, HaltOf<D>> {
        Ok(match self.landing(state, activation) {
            None => LandingClause::NoActivation,
            Some(landing) => match landing.and_then(|(_, landing)| landing.clauses.get(number)) {
                None => LandingClause::Absent,
                Some(Clause::Filter) => LandingClause::Filter,
                Some(Clause::Cleanup) => LandingClause::Cleanup,
                Some(Clause::Catch(ty)) => {
                    let ty = self.constant(ty)?.into_iter().next();
                    LandingClause::Catch(ty.ok_or_else(|| Stop::unsupported("a handler of no type"))?)
                }
            },
        })
    }

    /// Leaves the activations within one, which goes on at its landing pad with an exception and a selector.
    ///
    /// # Errors
    ///
    /// It has no landing pad.
    pub fn land(
        &mut self,
        state: &mut State<D>,
        activation: usize,
        exception: ScalarOf<D>,
        selector: ScalarOf<D>,
    ) -> Result<(), HaltOf<D>> {
        let Some(Some((pad, landing))) = self.landing(state, activation) else {
            return Err(Stop::unsupported("an exception that lands nowhere").into());
        };
        self.unwind(state, state.depth() - activation);
        self.enter(state, pad)?;
        let mut value = single(exception);
        value.push(selector);
        state.define(landing.result, value);
        if let Some(frame) = state.frame_mut() {
            frame.instruction += 1;
        }
        Ok(())
    }

    /// Ends activations until there are so many.
    pub fn unwind(&mut self, state: &mut State<D>, depth: usize) {
        while state.depth() > depth {
            Self::end_activation(state);
        }
    }

    /// The place of the call that comes next, and an object that lives as long as its activation.
    ///
    /// # Errors
    ///
    /// There is no activation.
    pub fn jump_target(&mut self, state: &mut State<D>) -> Result<(JumpTarget, Pointer<D::Symbol>), HaltOf<D>> {
        let depth = state.depth();
        let frame = state.frame().ok_or_else(|| Stop::unsupported("setjmp outside any function"))?;
        let target = JumpTarget { depth, function: frame.function, block: frame.block, instruction: frame.instruction };
        let token = self.allocate(state, 1, 1, ObjectKind::Stack, None)?;
        let locals = state.frame().map(|frame| frame.locals.clone()).unwrap_or_default();
        let living = locals.into_iter().filter(|id| state.memory.lives(*id)).collect();
        if let crate::Base::Object { id, .. } = token.base
            && let Some(frame) = state.frame_mut()
        {
            frame.locals.push(id);
            frame.targets.push((id, living));
        }
        Ok((target, token))
    }

    /// Goes back to the call of `setjmp` for which `token` stands, and which comes next again. Variables of blocks that were left since live anew.
    ///
    /// # Errors
    ///
    /// There is no such call in the activation.
    pub fn jump(&mut self, state: &mut State<D>, target: JumpTarget, token: ObjectId) -> Result<(), HaltOf<D>> {
        let wild = || Stop::unsupported("longjmp to where setjmp was not called");
        if target.depth == 0 || target.depth > state.depth() {
            return Err(wild().into());
        }
        self.unwind(state, target.depth);
        let frame = state.frame_mut().filter(|frame| frame.function == target.function).ok_or_else(wild)?;
        frame.block = target.block;
        frame.instruction = target.instruction;
        let living = frame.targets.iter().find(|(known, _)| *known == token).map(|(_, living)| living.clone());
        for id in living.into_iter().flatten() {
            if !state.memory.lives(id) {
                state.memory.revive(id);
            }
        }
        let is_call = self.instruction(state).is_some_and(|of| matches!(of.kind, InstructionKind::Call(..)));
        if is_call { Ok(()) } else { Err(wild().into()) }
    }

    /// `resume`: what the library does behind a landing pad that has only cleaned up.
    pub(crate) fn resume(&mut self, state: &mut State<D>, value: ValueOf<D>) -> Result<(), HaltOf<D>> {
        /// In `scripts/libc/cxx_exceptions.c`, and in `rust_panics.c` beside it.
        const RESUMES: [&str; 2] = ["labrys_resume", "labrys_rust_resume"];
        let missing = || Stop::unsupported("an exception that goes on behind a landing pad");
        let function = match RESUMES.map(|name| self.program.function(name)) {
            [Some(function), None] | [None, Some(function)] => function,
            // Whose exception it is would have to be asked of it.
            _ => return Err(missing().into()),
        };
        let exception = value.into_iter().next().ok_or_else(missing)?;
        Ok(self.push_frame(state, function, vec![single(exception)], None)?)
    }

    /// Has a function without parameters called in the place of the call that comes next.
    ///
    /// # Errors
    ///
    /// It is not defined.
    pub fn call_instead(&mut self, state: &mut State<D>, function: FunctionId) -> Result<(), Stop> {
        if let Some(frame) = state.frame_mut() {
            frame.instruction += 1;
        }
        self.push_frame(state, function, Vec::new(), None)
    }

    /// `llvm.eh.typeid.for`: the number by which a landing pad knows a type; what the library computes, too.
    pub(crate) fn type_selector(&mut self, pointer: &ScalarOf<D>) -> Result<ScalarOf<D>, Stop> {
        let crate::Pointer { base, offset } = crate::machine::pointer_of(pointer)?.clone();
        let start = match base {
            crate::Base::Object { address, .. } => address,
            crate::Base::Absolute => 0,
            crate::Base::Function(_) => return Err(Stop::unsupported("a function as a type")),
        };
        let offset = offset.concrete().ok_or_else(|| Stop::unsupported("a type that is not known"))?;
        let address = (u128::from(start) + offset) as u64;
        Ok(Scalar::int(crate::Int::new(32, u128::from((address >> 4) as u32))))
    }
}
