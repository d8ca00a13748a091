//! How paths end in an induction: what goes wrong in a round, or behind a loop, and what that asks for.

use std::sync::Arc;

use super::checked::Violated;
use super::{Failure, Round};
use crate::driver::{Driver, PATIENCE};
use crate::ending::{Ending, stack};
use crate::oracle::{Feasible, conjuncts};
use crate::state::Execution;

impl<'s> Driver<'_, 's> {
    /// Records the end of a path.
    pub(crate) fn end_of_round(&mut self, execution: Execution<'s>, ending: Ending) {
        let is_violation = matches!(ending, Ending::Violation(_));
        let why: Arc<str> = match ending {
            Ending::Excluded => return self.exclude(&execution),
            Ending::Completed if execution.state.is_arbitrary => "an undefined value was frozen".into(),
            Ending::Completed if self.options.checks.cleanup && execution.state.memory.has_heap() => {
                "memory is allocated when the program ends".into()
            }
            Ending::Completed => match self.leaked(&execution) {
                Some(_) => "memory may be lost".into(),
                None => return self.outcome.paths.completed += 1,
            },
            Ending::Violation(kind) => {
                format!("what it has found to hold whenever a round begins does not exclude that {kind}").into()
            }
            Ending::Unexplored { why, .. } => why,
        };
        let path = execution.state.path.choices.condition;
        if execution.witness.is_none()
            && matches!(self.oracle.model(&mut self.machine.domain, path, PATIENCE), Feasible::No)
        {
            return;
        }
        if is_violation {
            return self.note_violation(&execution, &why);
        }
        self.fail(&execution, &why);
    }

    /// Something goes wrong where a path stands: in the round of a loop that is to be proved more may be asked of what it begins with.
    fn note_violation(&mut self, execution: &Execution<'s>, why: &str) {
        // The newest comes first.
        let path = conjuncts(self.machine.domain.store, execution.state.path.choices.condition);
        let why = self.words(execution, why);
        let Some(induction) = &mut self.induction else { return };
        let violated = Violated { why, path };
        let mut is_asked = false;
        for left in execution.left.iter_back() {
            is_asked |= induction.asked.note(&mut self.machine.domain, left, &violated);
        }
        induction.is_asked |= is_asked;
        let is_general = |round: &Round| induction.general.contains(&(round.function, round.header));
        if execution.rounds.iter_back().any(is_general) {
            induction.violated.get_or_insert(violated);
        } else if is_asked {
            induction.begins_anew = true;
        } else {
            induction.failed = Some(violated.why);
        }
    }

    /// There is no proof, for what happens where a path stands.
    pub(crate) fn fail(&mut self, execution: &Execution<'s>, why: &str) {
        let why = self.words(execution, why);
        if let Some(induction) = &mut self.induction {
            induction.failed = Some(why);
        }
    }

    pub(super) fn failure(&self, execution: &Execution<'s>, why: &str) -> Failure {
        Failure::Because(self.words(execution, why))
    }

    /// What happens, and at which line.
    fn words(&self, execution: &Execution<'s>, why: &str) -> Arc<str> {
        let stack = stack(self.program, execution);
        let location = stack.iter().find_map(|site| site.location).map(|at| &self.program.locations[at.index()]);
        let place = location.map_or_else(String::new, |at| format!(" at line {}", at.line));
        format!("{why}{place}").into()
    }
}
