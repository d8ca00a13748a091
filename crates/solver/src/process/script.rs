//! What is sent to a solver, and its models read.

use labrys_term::smtlib::{self, ModelValue};
use labrys_term::{Model, Sort, Store, TermId};

use super::{Answer, SmtProcess, reply};
use crate::{Core, FloatOutcome, FloatSolver, Limits, RealModel, RealOutcome, RealSolver, RealValue, Why};

/// z3's engine for nonlinear reals, nlsat, is chosen by this logic; it is fast on linear queries too.
pub(crate) const REAL_LOGIC: &str = "QF_NRA";

/// How z3 decides a query over the reals: the first two steps of its own strategy for that logic (z3 5.4,
/// `qfnra_tactic.cpp`). Its own one gives the first step ten seconds of wall-clock time and then tries others, so that on a busy
/// machine it finds other models, or none: turbine1 had 10 inputs from the solver instead of 12. On the 85 queries of that run all answers
/// are the same with both, models and all.
pub(crate) const CHECK_REALS: &str = "(check-sat-using (then simplify propagate-values \
    (or-else (then (using-params qfnra-nlsat :simple_check true) fail-if-undecided) qfnra-nlsat)))";

/// The smallest logic for a query over the floats.
pub fn float_logic(store: &Store, terms: &[TermId]) -> &'static str {
    let terms = store.reachable(terms);
    let any = |wanted: fn(&Sort) -> bool| terms.iter().any(|term| wanted(store.sort(*term)));
    if any(|sort| *sort == Sort::Real) {
        "ALL"
    } else if any(|sort| matches!(sort, Sort::Array(_))) {
        "QF_ABVFP"
    } else {
        "QF_BVFP"
    }
}

/// Declarations and assertions.
pub(crate) fn body(store: &Store, terms: &[TermId]) -> String {
    let options = smtlib::Options { logic: None, produce_models: false, check_sat: false };
    smtlib::print_script(store, terms, &options)
}

/// The command that asks for the query's variables. `(get-model)` would also print every definition of the script.
fn values_command(store: &Store, terms: &[TermId]) -> Option<String> {
    let names: Vec<String> =
        store.free_variables(terms).into_iter().map(|variable| smtlib::symbol(store, variable)).collect();
    (!names.is_empty()).then(|| format!("(get-value ({}))", names.join(" ")))
}

impl RealSolver for SmtProcess {
    fn check_once(&mut self, store: &Store, terms: &[TermId], limits: &Limits) -> RealOutcome {
        let foreign = |term: &&TermId| !matches!(store.sort(**term), Sort::Real | Sort::Bool);
        if let Some(term) = store.reachable(terms).iter().find(foreign) {
            let part = format!("a {:?} in a query over the reals", store.sort(*term));
            return RealOutcome::Unknown(Why::Unsupported(part));
        }
        let values = values_command(store, terms);
        let outcome = match self.ask(REAL_LOGIC, &body(store, terms), values.as_deref(), limits) {
            Ok(Answer::Unsat) => Ok(RealOutcome::NoCandidate),
            Ok(Answer::Sat(text)) => real_model(store, &text).map(RealOutcome::Candidate),
            Err(why) => Err(why),
        };
        outcome.unwrap_or_else(|why| self.unknown(why, RealOutcome::Unknown))
    }
}

impl FloatSolver for SmtProcess {
    fn check_once(&mut self, store: &Store, terms: &[TermId], limits: &Limits) -> FloatOutcome {
        let logic = float_logic(store, terms);
        let values = values_command(store, terms);
        let outcome = match self.ask(logic, &body(store, terms), values.as_deref(), limits) {
            // No core is asked for: tracking one keeps z3 from simplifying across assertions.
            Ok(Answer::Unsat) => Ok(FloatOutcome::Unsat(Core((0..terms.len()).collect()))),
            Ok(Answer::Sat(text)) => float_model(store, &text).map(FloatOutcome::Sat),
            Err(why) => Err(why),
        };
        outcome.unwrap_or_else(|why| self.unknown(why, FloatOutcome::Unknown))
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
