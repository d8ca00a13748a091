//! Two states of one path that parted at a branch and met again, made one.
//!
//! **Claim.** Where [`Machine::merge`] gives a state, executing it on an input does what executing `a` does if the condition holds on it, and
//! what executing `b` does if not.
//!
//! **Argument.** Both stand at the same place of the same activation, with the same callers. Values of the activation are those that dominate
//! the place, which neither side has defined, and those of the block's phis; others are never read behind it. Every other difference is one of
//! memory: objects with other contents, whose scalars are chosen one by one. What cannot be chosen (pointers to different
//! places, what one side left uninitialised, lives that only one side ended) has no merged state. Objects that one side alone
//! has made, and whose lives are over, are locals of calls that have returned: no pointer to them is chosen, since pointers must be equal.

use labrys_program::{BlockId, InstructionKind};

use crate::machine::{ScalarOf, ValueOf};
use crate::memory::FIRST_ADDRESS;
use crate::{Datum, Domain, Int, Machine, Scalar, State, bits};

/// Scalars that two states differ by at most.
const MOST_CHOICES: usize = 16;

/// How two states become one where they differ.
pub trait Join<D: Domain> {
    /// The scalar that stands for one of each; `None` where there is none.
    fn scalar(&mut self, domain: &mut D, a: &ScalarOf<D>, b: &ScalarOf<D>) -> Option<ScalarOf<D>>;

    /// Whether bytes may be uninitialised that only one state has not written, variables be out of their scopes that are in one state, and objects be
    /// over that only one has made; told whether it is the first that has them as the joined state does.
    fn forget(&mut self, _is_so_in_first: bool) -> bool {
        false
    }

    /// Whether what one state has written and the other has not is as in the second.
    fn takes_second(&self) -> bool {
        false
    }
}

/// The choice between two states.
struct Choice<S> {
    /// Whether the first is right.
    condition: S,
    /// Choices that may still be made.
    left: usize,
}

impl<D: Domain> Join<D> for Choice<D::Symbol>
where
    D::Float: PartialEq,
{
    /// The first where the condition holds, else the second.
    fn scalar(&mut self, domain: &mut D, a: &ScalarOf<D>, b: &ScalarOf<D>) -> Option<ScalarOf<D>> {
        if a == b {
            return Some(a.clone());
        }
        if a.tainted || b.tainted {
            return None;
        }
        self.left = self.left.checked_sub(1)?;
        let datum = match (&a.datum, &b.datum) {
            (Datum::Int(x), Datum::Int(y)) if x.bits() == y.bits() => {
                if is_address(domain, x) || is_address(domain, y) {
                    return None;
                }
                let condition = Int::symbolic(1, self.condition.clone());
                Datum::Int(bits::select(domain, &condition, x, y))
            }
            (Datum::Float(x), Datum::Float(y)) if domain.float_format(x) == domain.float_format(y) => {
                Datum::Float(domain.float_select(&self.condition, x, y))
            }
            _ => return None,
        };
        Some(Scalar { datum, tainted: false })
    }
}

/// Whether an integer may be a pointer's: where accesses go through it, it must be known which object is meant.
fn is_address<D: Domain>(domain: &D, int: &Int<D::Symbol>) -> bool {
    int.bits() == 64
        && match (int.concrete(), int.symbol()) {
            (Some(value), _) => value >= u128::from(FIRST_ADDRESS) && value < 1 << 47,
            (None, Some(symbol)) => domain.known_address(symbol).is_some(),
            (None, None) => false,
        }
}

impl<D: Domain> Machine<'_, D>
where
    D::Float: PartialEq,
{
    /// The state that is `a` where the condition, one bit, holds, and `b` where not, with what the path remembers. Both stand at the
    /// beginning of the block `meeting`, behind its phis, which every way from where they parted leads through. `None` where there is no such
    /// state.
    pub fn merge(
        &mut self,
        condition: &D::Symbol,
        states: (&State<D>, &State<D>),
        meeting: BlockId,
        path: D::Path,
    ) -> Option<State<D>> {
        self.join(&mut Choice { condition: condition.clone(), left: MOST_CHOICES }, states, meeting, path)
    }

    /// The state that stands for both, with what the path remembers, as `join` makes one of what they differ in. Both stand as in
    /// [`Machine::merge`].
    pub fn join(
        &mut self,
        join: &mut impl Join<D>,
        (a, b): (&State<D>, &State<D>),
        meeting: BlockId,
        path: D::Path,
    ) -> Option<State<D>> {
        let depth = a.frames.len();
        if depth != b.frames.len() || a.errno != b.errno || a.is_arbitrary || b.is_arbitrary {
            return None;
        }
        let (top_a, top_b) = (a.frames.last()?, b.frames.last()?);
        if !a.frames.shares_all_but_last(&b.frames)
            || top_a.function != top_b.function
            || top_a.block != meeting
            || top_b.block != meeting
            || top_a.instruction != top_b.instruction
            || top_a.locals != top_b.locals
            || top_a.targets != top_b.targets
        {
            return None;
        }
        let domain = &mut self.domain;
        let mut chosen = Vec::new();
        let block = self.program.functions.get(top_a.function.index())?.blocks.get(meeting.index())?;
        for instruction in &block.instructions {
            let (InstructionKind::Phi(_), Some(result)) = (&instruction.kind, instruction.result) else { break };
            let (x, y) = (top_a.value(result)?, top_b.value(result)?);
            if x.len() != y.len() {
                return None;
            }
            let value: Option<ValueOf<D>> = x.iter().zip(y).map(|(x, y)| join.scalar(domain, x, y)).collect();
            chosen.push((result, value?));
        }
        let memory = a.memory.joined(&b.memory, domain, join)?;
        let mut merged = State {
            frames: a.frames.clone(),
            memory,
            path,
            instructions: a.instructions.max(b.instructions),
            is_arbitrary: false,
            errno: a.errno,
        };
        for (result, value) in chosen {
            merged.define(result, value);
        }
        Some(merged)
    }
}
