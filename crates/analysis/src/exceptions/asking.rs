//! The questions of one pair, one after the other, until they are answered or too many of them stay open.
//!
//! **Claim.** A question leaves a case only with an answer that is final: no input takes its path and raises the exception, or
//! one was found and run. Whatever ends it early, the clock or an error, leaves the others where they are, so that a case
//! without questions is one whose questions were all answered.

use super::cases::{Case, Question};
use super::reason::Reason;
use crate::run::clock::Stop;

/// What became of one question.
#[derive(Debug)]
pub enum Answered {
    /// No input raises the exception there.
    Impossible,
    /// An input was run, and showed the pair.
    Shown,
    /// An input was run, and did not show it, for this reason: the pair cannot be proved any more.
    Refuted(Reason),
    /// Nobody knows, for this reason.
    Open(Reason),
    /// The run is to stop.
    Stopped {
        /// Why.
        stop: Stop,
        /// How far the question had come.
        question: Standing,
    },
}

/// How far a question had come when the run was to stop.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Standing {
    /// It was not answered.
    Open,
    /// It has an input, which was not run to its end.
    Unconfirmed,
}

/// How asking ended.
#[derive(Debug, PartialEq, Eq)]
pub enum Ended {
    /// The pair was shown.
    Shown,
    /// The run is to stop.
    Stopped(Stop),
    /// All questions were asked, or too many stayed open. The reason is the last open question's, if one stayed open.
    Over(Option<Reason>),
}

impl Case {
    /// Asks the questions in order, until `patience` of them stay open. Answered ones are taken out.
    ///
    /// # Errors
    ///
    /// Those of `ask`; the question it was about stays.
    pub fn go_through<E>(
        &mut self,
        patience: usize,
        ask: &mut dyn FnMut(&Question) -> Result<Answered, E>,
    ) -> Result<Ended, E> {
        let (mut open, mut last) = (0, None);
        while let Some(question) = self.questions.get(open) {
            if open >= patience {
                break;
            }
            match ask(question)? {
                Answered::Open(why) => {
                    last = Some(why);
                    open += 1;
                    continue;
                }
                Answered::Stopped { stop, question } => {
                    if question == Standing::Unconfirmed {
                        self.obstacle = Some(Reason::time("the time limit, before the float solver's input was run"));
                    }
                    return Ok(Ended::Stopped(stop));
                }
                Answered::Shown => return Ok(Ended::Shown),
                Answered::Impossible => {}
                Answered::Refuted(why) => self.obstacle = Some(why),
            }
            self.questions.remove(open);
        }
        Ok(Ended::Over(last))
    }
}

#[cfg(test)]
mod tests {
    use std::convert::Infallible;

    use labrys_float::Flags;
    use labrys_report::SiteKey;
    use labrys_term::Store;

    use super::super::cases::Coverage;
    use super::*;

    /// A case of questions 0 to `count` - 1.
    fn case(count: usize) -> Case {
        let truth = Store::new().bool_const(true);
        let question = |execution| Question { execution, path: truth, raised: truth, age: execution };
        let site = SiteKey { function: "f".to_owned(), ..SiteKey::default() };
        Case {
            pair: (site, Flags::OVERFLOW),
            coverage: Coverage::Everything,
            ends_out_of_bounds: false,
            allocates: false,
            questions: (0..count).map(question).collect(),
            obstacle: None,
        }
    }

    /// Goes through the case with these answers, in order.
    fn asked(case: &mut Case, patience: usize, answers: &[fn() -> Answered]) -> Ended {
        let mut answers = answers.iter();
        let mut ask = |_: &Question| Ok::<_, Infallible>(answers.next().expect("an answer more")());
        match case.go_through(patience, &mut ask) {
            Ok(turn) => turn,
            Err(never) => match never {},
        }
    }

    fn left(case: &Case) -> Vec<usize> {
        case.questions.iter().map(|question| question.execution).collect()
    }

    const IMPOSSIBLE: fn() -> Answered = || Answered::Impossible;
    const OPEN: fn() -> Answered = || Answered::Open("too hard".into());

    #[test]
    fn only_answered_questions_are_taken_out() {
        let mut case = case(4);
        let refuted = || Answered::Refuted("not seen".into());
        assert_eq!(asked(&mut case, 9, &[IMPOSSIBLE, OPEN, refuted, IMPOSSIBLE]), Ended::Over(Some("too hard".into())));
        assert_eq!(left(&case), [1]);
        assert_eq!((case.is_provable(), case.obstacle.clone()), (false, Some("not seen".into())));
    }

    #[test]
    fn patience_ends_asking_and_loses_nothing() {
        let mut case = case(5);
        assert_eq!(asked(&mut case, 2, &[OPEN, IMPOSSIBLE, OPEN]), Ended::Over(Some("too hard".into())));
        assert_eq!(left(&case), [0, 2, 3, 4]);
        assert!(case.is_provable());
    }

    /// What once made a proof of nothing: the time was over while an input was run, and no question was left.
    #[test]
    fn a_stop_while_an_input_runs_leaves_its_question_and_all_after_it() {
        for (standing, is_provable) in [(Standing::Open, true), (Standing::Unconfirmed, false)] {
            let mut case = case(3);
            let mut answers =
                [Answered::Impossible, Answered::Stopped { stop: Stop::Time, question: standing }].into_iter();
            let mut ask = |_: &Question| Ok::<_, Infallible>(answers.next().expect("two answers"));
            assert_eq!(case.go_through(9, &mut ask), Ok(Ended::Stopped(Stop::Time)));
            assert_eq!((left(&case), case.is_provable()), (vec![1, 2], is_provable));
        }
    }

    #[test]
    fn an_error_leaves_the_question_it_was_about() {
        let mut case = case(2);
        let mut ask =
            |question: &Question| if question.execution == 0 { Ok(Answered::Impossible) } else { Err("gone") };
        assert_eq!(case.go_through(9, &mut ask), Err("gone"));
        assert_eq!(left(&case), [1]);
    }
}
