//! The state of one path: call stack, memory and what the domain remembers.

use std::fmt;

use labrys_program::{BlockId, FunctionId, ValueId};
use smallvec::SmallVec;

use crate::chunks::Chunks;
use crate::{Domain, List, Memory, ObjectId, Scalar, Value};

/// One activation of a function.
#[derive(Clone, Debug)]
pub struct Frame<F, S> {
    /// The function.
    pub function: FunctionId,
    /// The block that is being executed.
    pub block: BlockId,
    /// The next instruction of the block; its number of instructions for the terminator.
    pub instruction: usize,
    /// The values computed so far.
    pub(crate) values: Chunks<Option<Value<F, S>>>,
    /// Local variables, which die with the frame.
    pub(crate) locals: SmallVec<[ObjectId; 8]>,
    /// Where `longjmp` may come back to, by the objects that stand for it, and which locals lived there.
    pub(crate) targets: Vec<(ObjectId, Box<[ObjectId]>)>,
    /// Arguments beyond the declared parameters.
    pub(crate) rest: Box<[Value<F, S>]>,
    /// Where the caller wants the result.
    pub(crate) result_to: Option<ValueId>,
}

impl<F, S> Frame<F, S> {
    fn position(&self) -> (FunctionId, BlockId, u32) {
        (self.function, self.block, self.instruction as u32)
    }
}

impl<F: Clone, S: Clone> Frame<F, S> {
    /// A value of this activation; `None` where it was not computed yet.
    pub fn value(&self, value: ValueId) -> Option<&Value<F, S>> {
        self.values.get(value.index())?.as_ref()
    }
}

/// The state of one path. Cloning shares frames and memory contents until they are written.
pub struct State<D: Domain> {
    /// The call stack, outermost first; empty once the path has returned.
    pub(crate) frames: List<Frame<D::Float, D::Symbol>>,
    /// Memory.
    pub memory: Memory<D::Float, D::Symbol>,
    /// The domain's own.
    pub path: D::Path,
    /// Instructions executed so far.
    pub instructions: u64,
    /// Whether an undefined value was frozen: from here on anything may depend on an arbitrary choice.
    pub is_arbitrary: bool,
    /// The object behind C's `errno`, once somebody asked for it.
    pub(crate) errno: Option<ObjectId>,
}

impl<D: Domain> Clone for State<D> {
    fn clone(&self) -> Self {
        State {
            frames: self.frames.clone(),
            memory: self.memory.clone(),
            path: self.path.clone(),
            instructions: self.instructions,
            is_arbitrary: self.is_arbitrary,
            errno: self.errno,
        }
    }
}

impl<D: Domain> fmt::Debug for State<D> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("State").field("frames", &self.frames).field("path", &self.path).finish_non_exhaustive()
    }
}

impl<D: Domain> State<D> {
    /// The innermost activation; `None` once the path has returned.
    pub fn frame(&self) -> Option<&Frame<D::Float, D::Symbol>> {
        self.frames.last()
    }

    /// The innermost activation where it has just begun: nothing of it was executed yet.
    pub fn entered(&self) -> Option<&Frame<D::Float, D::Symbol>> {
        self.frame().filter(|frame| frame.block == BlockId(0) && frame.instruction == 0)
    }

    /// The functions of the activations and the blocks they are in, outermost first.
    pub fn call_stack(&self) -> impl Iterator<Item = (FunctionId, BlockId)> {
        self.frames.in_order().into_iter().map(|frame| (frame.function, frame.block))
    }

    /// The call stack with each activation's next instruction; in a block of n instructions the n-th is the terminator.
    pub fn positions(&self) -> impl Iterator<Item = (FunctionId, BlockId, u32)> {
        self.frames.in_order().into_iter().map(Frame::position)
    }

    /// The same, the innermost activation first.
    pub fn positions_back(&self) -> impl Iterator<Item = (FunctionId, BlockId, u32)> {
        self.frames.iter_back().map(Frame::position)
    }

    /// The scalars in the local variables of the innermost activation.
    pub fn local_scalars(&self) -> impl Iterator<Item = &Scalar<D::Float, D::Symbol>> {
        let locals = self.frame().into_iter().flat_map(|frame| &frame.locals);
        locals.filter_map(|&local| self.memory.object(local)).flat_map(|object| object.scalars())
    }

    /// How many activations there are.
    pub fn depth(&self) -> usize {
        self.frames.len()
    }

    pub(crate) fn frame_mut(&mut self) -> Option<&mut Frame<D::Float, D::Symbol>> {
        self.frames.last_mut()
    }

    /// Sets a value of the innermost activation.
    pub(crate) fn define(&mut self, value: ValueId, content: Value<D::Float, D::Symbol>) {
        if let Some(frame) = self.frame_mut()
            && let Some(slot) = frame.values.get_mut(value.index())
        {
            *slot = Some(content);
        }
    }
}

/// A value of one scalar.
pub(crate) fn single<F, S>(scalar: Scalar<F, S>) -> Value<F, S> {
    smallvec::smallvec![scalar]
}
