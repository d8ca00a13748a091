//! Queries asked, and answers read.

use std::time::Instant;

use labrys_term::smtlib::{self, ModelValue};
use labrys_term::{Model, Sort, Store, TermId};

use super::reply;
use super::script::{LINEAR_LOGIC, REAL_LOGIC, body, float_logic, values_command};
use super::solver::{Answer, SmtProcess};
use crate::{Core, FloatOutcome, FloatSolver, Limits, RealModel, RealOutcome, RealSolver, RealValue, Why, told};

impl RealSolver for SmtProcess {
    fn check_once(&mut self, store: &Store, terms: &[TermId], limits: &Limits) -> RealOutcome {
        self.check_reals(REAL_LOGIC, store, terms, limits)
    }
}

impl SmtProcess {
    /// The same for terms in which no two unknowns are multiplied, by the solver's engine for these.
    pub(crate) fn check_linear(&mut self, store: &Store, terms: &[TermId], limits: &Limits) -> RealOutcome {
        self.check_reals(LINEAR_LOGIC, store, terms, limits)
    }

    fn check_reals(&mut self, logic: &str, store: &Store, terms: &[TermId], limits: &Limits) -> RealOutcome {
        let begun = Instant::now();
        let foreign = |term: &&TermId| !matches!(store.sort(**term), Sort::Real | Sort::Bool);
        if let Some(term) = store.reachable(terms).iter().find(foreign) {
            let part = format!("a {:?} in a query over the reals", store.sort(*term));
            return RealOutcome::Unknown(Why::Unsupported(part));
        }
        let values = values_command(store, terms);
        let outcome = match self.ask(logic, &body(store, terms), values.as_deref(), limits) {
            Ok(Answer::Unsat) => Ok(RealOutcome::NoCandidate),
            Ok(Answer::Sat(text)) => real_model(store, &text).map(RealOutcome::Candidate),
            Err(why) => Err(why),
        };
        let outcome = outcome.unwrap_or_else(|why| self.unknown(why, RealOutcome::Unknown));
        told::by_process(&self.config.executable.display(), (store, terms), limits, begun, &outcome);
        outcome
    }
}

impl FloatSolver for SmtProcess {
    fn check_once(&mut self, store: &Store, terms: &[TermId], limits: &Limits) -> FloatOutcome {
        let begun = Instant::now();
        let logic = float_logic(store, terms);
        let values = values_command(store, terms);
        let outcome = match self.ask(logic, &body(store, terms), values.as_deref(), limits) {
            // No core is asked for: tracking one keeps z3 from simplifying across assertions.
            Ok(Answer::Unsat) => Ok(FloatOutcome::Unsat(Core((0..terms.len()).collect()))),
            Ok(Answer::Sat(text)) => float_model(store, &text).map(FloatOutcome::Sat),
            Err(why) => Err(why),
        };
        let outcome = outcome.unwrap_or_else(|why| self.unknown(why, FloatOutcome::Unknown));
        told::by_process(&self.config.executable.display(), (store, terms), limits, begun, &outcome);
        outcome
    }
}

impl SmtProcess {
    /// After an answer that makes no sense the process is not trusted with another query.
    fn unknown<A>(&mut self, why: Why, outcome: fn(Why) -> A) -> A {
        if matches!(why, Why::Garbage(_)) {
            self.connection = None;
        }
        outcome(why)
    }
}

fn parsed(store: &Store, text: &str) -> Result<smtlib::ModelValues, Why> {
    let nonsense = |words: &str| Why::Garbage(reply::beginning(words));
    if text.trim_start().starts_with("(error") {
        return Err(nonsense(text));
    }
    smtlib::parse_values(text, store).map_err(|error| nonsense(&error.to_string()))
}

fn real_model(store: &Store, text: &str) -> Result<RealModel, Why> {
    let mut model = RealModel::default();
    for (variable, value) in parsed(store, text)? {
        let value = match value {
            ModelValue::Algebraic(number) => RealValue::Algebraic(number),
            ModelValue::Value(value) => match value.as_real() {
                Some(value) => RealValue::Rational(value.clone()),
                // A Bool of the query; its value follows from the reals' or is free.
                None => continue,
            },
        };
        model.values.insert(variable, value);
    }
    Ok(model)
}

fn float_model(store: &Store, text: &str) -> Result<Model, Why> {
    let mut model = Model::new();
    for (variable, value) in parsed(store, text)? {
        match value {
            ModelValue::Value(value) => model.set(variable, value),
            ModelValue::Algebraic(_) => return Err(Why::Unsupported("an irrational number in a model".to_owned())),
        }
    }
    Ok(model)
}
