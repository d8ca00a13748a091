//! Paths that end with a violation: an input is looked for, and the program executed on it.

use std::time::{Duration, Instant};

use labrys_elementary::Function;
use labrys_program::Program;
use labrys_solver::Why;
use labrys_solver::elementary::CallTerm;
use labrys_term::Model;
use labrys_testcase::TestInput;

use crate::driver::{Driver, PATIENCE};
use crate::ending::stack;
use crate::execute::replay;
use crate::inputs::{Source, test_input};
use crate::library_requests::ANY_NUMBER;
use crate::oracle::Feasible;
use crate::state::Execution;
use crate::values::ULPS;
use crate::{CallSite, Options, Outcome, Unexplored, Violation, ViolationKind};

impl<'s> Driver<'_, 's> {
    /// A path that ended with a violation: its input is looked for and tried out.
    pub(crate) fn violate(&mut self, mut execution: Execution<'s>, kind: ViolationKind, patience: Duration) {
        let stack = stack(self.program, &execution);
        let key = (kind.without_sizes(), stack.first().cloned());
        if self.seen.contains(&key) {
            // Whether this input leads there, too, adds nothing.
            self.outcome.paths.violated += 1;
            return;
        }
        if execution.witness.is_none() {
            let path = execution.state.path.choices.condition;
            match self.oracle.model(&mut self.machine.domain, path, patience) {
                Feasible::Yes(witness) => execution.witness = witness,
                Feasible::No => return,
                Feasible::Unknown(why) => {
                    self.try_out_near(&execution, &stack);
                    return self.undecided.push((execution, kind, self.words_of(&why)));
                }
            }
        }
        let Some(witness) = execution.witness.clone() else {
            let why = self.words_of(&Why::WrongModel);
            return self.undecided.push((execution, kind, why));
        };
        let input = test_input(&self.options.arguments, &execution.inputs, &witness.model());
        let kind = match self.source {
            Source::Fixed(_) | Source::Made(_) => kind,
            Source::Symbolic => match self.replayed(&input, &kind, &stack) {
                Ok(exact) => exact,
                Err(elsewhere) => {
                    let why = match self.options.watch.as_ref().and_then(|watch| watch.stopped()) {
                        Some(end) => end.words().to_owned(),
                        None if self.rests_on_any_number(&execution) => {
                            "it hangs on a number that is not computed, such as what printf returns, or the time"
                                .to_owned()
                        }
                        None => match self.other_libm(&execution, &witness.model()) {
                            Some(functions) => format!(
                                "the input that was found leads there with another libm than this machine's: {functions}; with this machine's, {elsewhere}"
                            ),
                            None => format!("the input that was found does not lead there: {elsewhere}"),
                        },
                    };
                    return self.give_up(&execution, format!("{}: {why}", kind.question()).into(), false);
                }
            },
        };
        self.seen.insert(key);
        self.outcome.paths.violated += 1;
        let decisions = execution.decisions.in_order().into_iter().cloned().collect();
        let violation = Violation { kind, stack, input, decisions };
        if let Some(watch) = &self.options.watch {
            watch.tell_violation(&violation);
        }
        self.outcome.violations.push(violation);
    }

    /// Whether a path's condition is about numbers that no input decides.
    fn rests_on_any_number(&self, execution: &Execution<'s>) -> bool {
        let store = &self.machine.domain.store;
        let variables = store.free_variables(&[execution.state.path.choices.condition]);
        variables.into_iter().any(|variable| store.variable_info(variable).0.starts_with(ANY_NUMBER))
    }

    /// What is taken for granted of the functions of libm whose results in a model are not those of this machine's libm; `None` where all are.
    fn other_libm(&self, execution: &Execution<'s>, model: &Model) -> Option<String> {
        let domain = &self.machine.domain;
        let variables = domain.store.free_variables(&[execution.state.path.choices.condition]);
        let calls = domain.libm.among(&variables);
        let is_other = |call: &&CallTerm| {
            let variable = domain.store.as_variable(call.variable);
            variable.is_some_and(|variable| {
                let host = domain.libm.host(domain.store, model, variable);
                host.is_some_and(|host| model.get(variable) != Some(&host))
            })
        };
        let taken = |call: &CallTerm| assumed_of(call.function);
        let mut all: Vec<String> = calls.iter().filter(is_other).map(taken).collect();
        all.sort();
        all.dedup();
        (!all.is_empty()).then(|| all.join(", and "))
    }

    /// What the program, run on an input, violates at this place, if it is of this kind. Sizes are then those of the run. Else where the run leads.
    fn replayed(&self, input: &TestInput, kind: &ViolationKind, stack: &[CallSite]) -> Result<ViolationKind, String> {
        let watch = self.options.watch.as_ref().map(|watch| watch.quiet());
        let outcome = replay(self.program, &Options { watch, ..self.options.on(&input.arguments) }, input);
        match outcome.violations.first() {
            Some(violation) if violation.kind.without_sizes() == kind.without_sizes() && violation.stack == stack => {
                Ok(violation.kind.clone())
            }
            _ => Err(end_of_run(self.program, &outcome)),
        }
    }

    /// Why the solver did not answer, for users.
    pub(crate) fn words_of(&self, why: &Why) -> String {
        let ended = self.options.watch.as_ref().and_then(|watch| watch.stopped());
        match (why, ended) {
            (Why::Cancelled, Some(end)) => end.words().to_owned(),
            (Why::Wall, _) => "the solver did not decide it in its time".to_owned(),
            (Why::Memory, _) => "the solver did not decide it in its memory (--memory)".to_owned(),
            (why, _) => format!("the solver did not decide it ({why})"),
        }
    }

    /// Looks once more for inputs of violations that were not decided, with all the time that is left.
    pub(crate) fn settle(&mut self) {
        let undecided = std::mem::take(&mut self.undecided);
        let count = undecided.len() as u32;
        for (place, (execution, kind, _)) in undecided.into_iter().enumerate() {
            let left = match self.options.deadline {
                _ if self.is_stopped() => Duration::ZERO,
                Some(deadline) => {
                    let wall = deadline.saturating_duration_since(Instant::now()) / (count - place as u32);
                    wall.div_f64(self.options.slowdown)
                }
                None => 6 * PATIENCE,
            };
            self.violate(execution, kind, left);
        }
        for (execution, kind, why) in std::mem::take(&mut self.undecided) {
            let why = format!("{}: {why}", kind.question());
            let stack = stack(self.program, &execution);
            self.leave(&execution, Unexplored { is_question: true, ..Unexplored::at(why.into(), stack, false) });
        }
    }
}

/// How far results of a function may lie from the true ones, as proofs have it.
fn assumed_of(function: Function) -> String {
    format!(
        "{} is taken as any function within {} floats of the correctly rounded one",
        function.name(),
        function.steps(ULPS)
    )
}

/// How a run on one input ended and where, in words.
fn end_of_run(program: &Program, outcome: &Outcome) -> String {
    let at = |stack: &[CallSite]| {
        let location = stack.iter().find_map(|site| site.location).map(|location| &program.locations[location.index()]);
        let file = |index: u32| program.files.get(index as usize).map_or("?", String::as_str);
        location.map_or_else(String::new, |of| format!(" at {}:{}:{}", file(of.file), of.line, of.column))
    };
    if let Some(violation) = outcome.violations.first() {
        format!("on it {}{}", violation.kind, at(&violation.stack))
    } else if let Some(unexplored) = outcome.unexplored.first() {
        format!("its run was given up{}: {}", at(&unexplored.stack), unexplored.why)
    } else if outcome.paths.excluded > 0 {
        let place = outcome.exclusions.first().map(|site| at(std::slice::from_ref(site))).unwrap_or_default();
        format!("it breaks an assumption{place}")
    } else {
        "on it the program ends without an error".to_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_taken_for_granted_of_libm_is_told_in_words() {
        assert_eq!(
            assumed_of(Function::Exp),
            "exp is taken as any function within 4 floats of the correctly rounded one"
        );
    }

    /// A choice among what runs come to: they all begin alike, and end by the value of an input that is not there, which is zero.
    fn end(body: &str) -> String {
        let text = format!(
            "define i32 @main() {{\n%x = call i32 @__VERIFIER_nondet_int(){body}\nret i32 0\n}}\n\
             declare i32 @__VERIFIER_nondet_int()\ndeclare void @__VERIFIER_assume(i32)\ndeclare void @abort()\ndeclare void @strange(ptr)\n"
        );
        let program = Program::from_bytes(text.as_bytes(), "end.ll").unwrap();
        end_of_run(&program, &replay(&program, &Options::default(), &TestInput::default()))
    }

    /// That an input does not lead where it should was all that was said.
    #[test]
    fn how_a_run_ended_is_said() {
        assert_eq!(end(""), "on it the program ends without an error");
        assert_eq!(end("\ncall void @abort()"), "on it the program aborts");
        assert_eq!(end("\n%y = sdiv i32 1, %x"), "on it an integer is divided by zero");
        assert_eq!(end("\ncall void @__VERIFIER_assume(i32 %x)"), "it breaks an assumption");
        let given_up = end("\ncall void @strange(ptr null)");
        assert!(given_up.starts_with("its run was given up: call of strange"), "{given_up}");
    }
}
