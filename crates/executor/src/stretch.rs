//! A stretch of a path: instructions between two looks at the limits.

use labrys_interp::{HaltOf, Machine, State, Step};

use crate::Values;

/// Instructions in a stretch.
const LENGTH: u64 = 8192;

/// Executes a path up to the end of a stretch, where it ends or parts, or once something was covered that somebody waits for.
pub(crate) fn follow_stretch<'s>(
    machine: &mut Machine<'_, Values<'s>>,
    state: &mut State<Values<'s>>,
) -> Result<Step<Values<'s>>, HaltOf<Values<'s>>> {
    let end = state.instructions + LENGTH;
    loop {
        machine.run_direct(state, end.saturating_sub(state.instructions))?;
        if machine.domain.has_found() {
            return Ok(Step::Continue);
        }
        match machine.step(state)? {
            Step::Continue if state.instructions < end && !machine.domain.has_found() => {}
            other => return Ok(other),
        }
    }
}
