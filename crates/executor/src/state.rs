//! One path on its way: the machine's state and what the driver remembers of it.

use std::rc::Rc;

use labrys_interp::{List, State};
use labrys_program::{BlockId, FunctionId};

use crate::groups::Groups;
use crate::induction::{Left, Round};
use crate::inputs::InputRecord;
use crate::witness::Witness;
use crate::{Decision, Values};

/// One path. A copy shares what it has in common with the original.
pub(crate) struct Execution<'s> {
    /// Call stack, memory, path condition.
    pub(crate) state: State<Values<'s>>,
    /// What the program has asked for so far.
    pub(crate) inputs: List<InputRecord>,
    /// What the inputs have decided so far.
    pub(crate) decisions: List<Decision>,
    /// The path's condition, taken apart.
    pub(crate) groups: Groups,
    /// Inputs that take this path; `None` where the solver did not decide whether there are any.
    pub(crate) witness: Option<Rc<Witness>>,
    /// The block to which the next step leads, where that is known.
    pub(crate) goal: Option<(FunctionId, BlockId)>,
    /// How many steps it has taken of a path that is looked for.
    pub(crate) steps: usize,
    /// In an induction, the loops that it is in, the innermost last.
    pub(crate) rounds: List<Round>,
    /// How many branches' ways were merged on it.
    pub(crate) merged: u32,
    /// In an induction, the loops that it has left.
    pub(crate) left: List<Rc<Left>>,
    /// How many instructions it had executed when an induction looked at it last.
    pub(crate) looked_at: u64,
}

impl Clone for Execution<'_> {
    fn clone(&self) -> Self {
        Execution {
            state: self.state.clone(),
            inputs: self.inputs.clone(),
            decisions: self.decisions.clone(),
            groups: self.groups.clone(),
            witness: self.witness.clone(),
            goal: self.goal,
            steps: self.steps,
            rounds: self.rounds.clone(),
            merged: self.merged,
            left: self.left.clone(),
            looked_at: self.looked_at,
        }
    }
}
