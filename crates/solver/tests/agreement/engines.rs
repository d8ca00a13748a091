//! The engines under test.

use std::time::{Duration, Instant};

use labrys_solver::bitblast::BitBlaster;
use labrys_solver::domain::{BoolDomain, Domain, Facts};
use labrys_solver::interval::{IntervalConfig, IntervalEngine, Propagation, propagate};
use labrys_solver::prepare::{PrepareConfig, prepare};
use labrys_solver::{
    Budget, Engine, FloatOutcome, Limits, LocalSearch, Portfolio, PortfolioConfig, Query, Verdict, Why,
};
use labrys_term::{Evaluator, Model, Value};
use num_traits::ToPrimitive;

use crate::formula::Formula;

/// How a formula is decided.
pub struct Decider {
    pub name: &'static str,
    /// Whether it must decide tiny formulas.
    pub complete: bool,
    pub decide: fn(&Formula) -> Verdict,
}

/// Engines behind preparation, for all formulas.
pub fn prepared_deciders() -> [Decider; 4] {
    [
        Decider { name: "portfolio", complete: true, decide: portfolio },
        Decider {
            name: "prepared, bit-blasting",
            complete: true,
            decide: |formula| prepared(&mut BitBlaster::new(), formula, true),
        },
        Decider {
            name: "prepared without rewriting, bit-blasting",
            complete: true,
            decide: |formula| prepared(&mut BitBlaster::new(), formula, false),
        },
        Decider {
            name: "prepared, intervals",
            complete: true,
            decide: |formula| prepared(&mut IntervalEngine::default(), formula, true),
        },
    ]
}

/// Engines by themselves, for guarded formulas; the quickest first.
pub fn deciders() -> [Decider; 4] {
    [
        Decider { name: "bit-blasting", complete: true, decide: |formula| run(&mut BitBlaster::new(), formula, false) },
        Decider {
            name: "bit-blasting with facts",
            complete: true,
            decide: |formula| run(&mut BitBlaster::new(), formula, true),
        },
        Decider {
            name: "intervals",
            complete: true,
            decide: |formula| run(&mut IntervalEngine::default(), formula, false),
        },
        Decider {
            name: "local search with facts",
            complete: false,
            decide: |formula| run(&mut LocalSearch::default(), formula, true),
        },
    ]
}

/// Tiny formulas need far less; what is larger may give up.
fn budget(milliseconds: u64) -> Budget {
    Budget { deadline: Some(Instant::now() + Duration::from_millis(milliseconds)), ..Budget::unlimited() }
}

/// What propagation knows; `None` where it knows that there is no model.
fn facts(formula: &Formula) -> Option<Facts> {
    let none = Facts::default();
    let query = Query { store: &formula.store, assertions: &formula.assertions, facts: &none };
    match propagate(&query, &budget(2_000), &IntervalConfig::default()) {
        Propagation::Contradiction => None,
        Propagation::Facts(facts) => Some(facts),
    }
}

fn run(engine: &mut dyn Engine, formula: &Formula, with_facts: bool) -> Verdict {
    let facts = if with_facts { facts(formula) } else { Some(Facts::default()) };
    let Some(facts) = facts else { return Verdict::Unsat };
    let query = Query { store: &formula.store, assertions: &formula.assertions, facts: &facts };
    let tiny = is_tiny(formula);
    // Local search never proves anything: a few milliseconds show whether its models are models.
    let milliseconds = match (engine.name(), tiny) {
        ("local", _) => 5,
        (_, true) => 20_000,
        (_, false) => 300,
    };
    engine.check(&query, &budget(milliseconds))
}

/// The whole way, with all engines.
fn portfolio(formula: &Formula) -> Verdict {
    let wall = Duration::from_millis(if is_tiny(formula) { 20_000 } else { 300 });
    let limits = Limits { work: 0, wall, memory_mib: 0 };
    let portfolio = Portfolio::new(PortfolioConfig::default());
    match portfolio.decide(&formula.store, &formula.assertions, &limits).outcome {
        FloatOutcome::Sat(model) => Verdict::Sat(model),
        FloatOutcome::Unsat(_) => Verdict::Unsat,
        FloatOutcome::Unknown(why) => Verdict::Unknown(why),
    }
}

/// Whether enumeration could decide it.
fn is_tiny(formula: &Formula) -> bool {
    let formats = formula.variables.iter().map(|&variable| formula.store.float_format(variable));
    formats.flatten().all(|format| format.width() <= 12)
}

/// Prepares, decides, and brings the model back.
fn prepared(engine: &mut dyn Engine, formula: &Formula, rewrite: bool) -> Verdict {
    let mut store = formula.store.clone();
    let config = if rewrite { PrepareConfig::default() } else { PrepareConfig::required() };
    let prepared = prepare(&mut store, &formula.assertions, &config);
    if let Some(why) = prepared.unsupported {
        return Verdict::Unknown(Why::Unsupported(why));
    }
    let verdict = match prepared.decided {
        Some(true) => Verdict::Sat(Model::new()),
        Some(false) => Verdict::Unsat,
        None => {
            let ready =
                Formula { store: store.clone(), assertions: prepared.assertions, variables: formula.variables.clone() };
            run(engine, &ready, true)
        }
    };
    match verdict {
        Verdict::Sat(model) => Verdict::Sat(prepared.reconstruction.model(&store, model)),
        other => other,
    }
}

/// Every value of a model lies in the domains that propagation found.
pub fn facts_hold(formula: &Formula, models: &[Model]) -> Result<(), String> {
    let Some(facts) = facts(formula) else {
        return if models.is_empty() {
            Ok(())
        } else {
            Err("propagation: a contradiction, though it has a model".into())
        };
    };
    for model in models {
        let mut evaluator = Evaluator::new(&formula.store, model);
        for (&term, domain) in &facts.domains {
            // Terms in branches that are not taken may have no value.
            let Ok(value) = evaluator.value(term) else { continue };
            let inside = match (domain, &value) {
                (Domain::Float(domain), Value::Float(value)) => domain.contains(value),
                (Domain::BitVec(domain), value) => {
                    value.as_bits().and_then(ToPrimitive::to_u128).is_none_or(|bits| domain.contains(bits))
                }
                (Domain::Bool(domain), Value::Bool(value)) => {
                    [BoolDomain::Any, BoolDomain::of(*value, !*value)].contains(domain)
                }
                (Domain::RoundingMode(domain), Value::RoundingMode(value)) => domain.modes().any(|mode| mode == *value),
                _ => false,
            };
            if !inside {
                return Err(format!("propagation: {value:?} outside of {domain:?} in {model:?}"));
            }
        }
    }
    Ok(())
}
