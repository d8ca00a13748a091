//! The engines under test, each alone.

use std::time::{Duration, Instant};

use labrys_formulas::Formula;
use labrys_solver::bitblast::{BitBlaster, CertifyingBitBlaster, IncrementalBitBlaster, IncrementalVerdict};
use labrys_solver::domain::{BoolDomain, Domain, Facts};
use labrys_solver::interval::{IntervalConfig, IntervalEngine, Propagation, propagate};
use labrys_solver::prepare::{PrepareConfig, prepare};
use labrys_solver::prune::BranchAndPrune;
use labrys_solver::{
    Answer, Budget, Engine, FloatOutcome, Limits, LocalSearch, Portfolio, PortfolioConfig, Query, Session, Verdict, Why,
};
use labrys_term::{Evaluator, Model, Value};
use num_traits::ToPrimitive;

/// Which engine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EngineKind {
    BitBlast,
    Interval,
    Local,
    /// The bit-blaster for many queries: one conjunct more at each check, on levels of their own.
    Incremental,
    /// The bit-blaster whose proofs are checked.
    Certify,
    /// The same with facts that branch and prune proved.
    CertifyFacts,
    /// Branch and prune.
    Prune,
}

/// What the engine is given.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Way {
    /// The formula as it is.
    Raw,
    /// The formula and what propagation knows of it.
    Facts,
    /// The formula after these steps of preparation, and what propagation knows of that.
    Prepared(PrepareConfig),
}

/// How a formula is decided.
#[derive(Clone, Copy, Debug)]
pub enum Decider {
    /// One engine.
    Alone(EngineKind, Way),
    /// All engines, as users get them.
    Portfolio,
    /// All engines, one conjunct more at each check.
    Session,
}

/// Engines behind preparation, for all formulas.
pub fn prepared_deciders() -> Vec<Decider> {
    let (all, required) = (Way::Prepared(PrepareConfig::default()), Way::Prepared(REQUIRED));
    vec![
        Decider::Portfolio,
        Decider::Alone(EngineKind::BitBlast, all),
        Decider::Alone(EngineKind::BitBlast, required),
        Decider::Alone(EngineKind::Interval, all),
    ]
}

/// Engines by themselves, for guarded formulas; the quickest first.
pub fn deciders() -> Vec<Decider> {
    vec![
        Decider::Alone(EngineKind::BitBlast, Way::Raw),
        Decider::Alone(EngineKind::BitBlast, Way::Facts),
        Decider::Alone(EngineKind::Interval, Way::Raw),
        Decider::Alone(EngineKind::Prune, Way::Raw),
        Decider::Alone(EngineKind::Certify, Way::Raw),
        Decider::Alone(EngineKind::CertifyFacts, Way::Raw),
        Decider::Alone(EngineKind::Local, Way::Facts),
    ]
}

/// None of the steps of preparation that need not be.
const REQUIRED: PrepareConfig =
    PrepareConfig { rewrite: false, substitute: false, unconstrained: false, order: false, until: None };

/// None, and each step alone.
pub const PREPARATIONS: [PrepareConfig; 5] = [
    REQUIRED,
    PrepareConfig { rewrite: true, ..REQUIRED },
    PrepareConfig { substitute: true, ..REQUIRED },
    PrepareConfig { unconstrained: true, ..REQUIRED },
    PrepareConfig { order: true, ..REQUIRED },
];

/// Bytes of a proof at most.
const MOST_PROOF_BYTES: u64 = 1 << 28;

/// How long a decider may take.
#[derive(Clone, Copy, Debug)]
pub struct Patience {
    pub engine: Duration,
    /// Local search hardly ever proves anything: a few milliseconds show whether its models are models.
    pub local: Duration,
}

impl Patience {
    /// Tiny formulas need far less.
    pub const TINY: Patience = Patience { engine: Duration::from_secs(20), local: Duration::from_millis(5) };
    /// What is larger may give up.
    pub const COMMON: Patience = Patience { engine: Duration::from_millis(300), local: Duration::from_millis(5) };

    fn of(self, kind: EngineKind) -> Budget {
        let limit = if kind == EngineKind::Local { self.local } else { self.engine };
        Budget { deadline: Some(Instant::now() + limit), ..Budget::unlimited() }
    }
}

impl Decider {
    /// Whether it must decide tiny formulas.
    pub fn is_complete(self) -> bool {
        !matches!(self, Decider::Alone(EngineKind::Local | EngineKind::Prune, _))
    }

    /// The decider's answer; a model is one of the formula's own variables.
    pub fn decide(self, formula: &Formula, patience: Patience) -> Verdict {
        let limits = Limits { work: 0, wall: patience.engine, memory_mib: 0 };
        match self {
            Decider::Portfolio => {
                let portfolio = Portfolio::new(PortfolioConfig::default());
                match portfolio.decide(&formula.store, &formula.assertions, &limits).outcome {
                    FloatOutcome::Sat(model) => Verdict::Sat(model),
                    FloatOutcome::Unsat(_) => Verdict::Unsat,
                    FloatOutcome::Unknown(why) => Verdict::Unknown(why),
                }
            }
            Decider::Session => session(formula, &limits),
            Decider::Alone(kind, Way::Raw) => run(kind, formula, &Facts::default(), patience),
            Decider::Alone(kind, Way::Facts) => match facts(formula, patience) {
                None => Verdict::Unsat,
                Some(facts) => run(kind, formula, &facts, patience),
            },
            Decider::Alone(kind, Way::Prepared(config)) => prepared(kind, formula, &config, patience),
        }
    }
}

/// What propagation knows; `None` where it knows that there is no model.
fn facts(formula: &Formula, patience: Patience) -> Option<Facts> {
    let none = Facts::default();
    let query = Query { store: &formula.store, assertions: &formula.assertions, facts: &none };
    match propagate(&query, &patience.of(EngineKind::Interval), &IntervalConfig::default()) {
        Propagation::Contradiction => None,
        Propagation::Facts(facts) => Some(facts),
    }
}

fn run(kind: EngineKind, formula: &Formula, facts: &Facts, patience: Patience) -> Verdict {
    let query = Query { store: &formula.store, assertions: &formula.assertions, facts };
    let budget = patience.of(kind);
    match kind {
        EngineKind::BitBlast => BitBlaster::new().check(&query, &budget),
        EngineKind::Interval => IntervalEngine::default().check(&query, &budget),
        EngineKind::Local => LocalSearch::default().check(&query, &budget),
        EngineKind::Incremental => incremental(formula, &budget),
        EngineKind::Certify => CertifyingBitBlaster::new(MOST_PROOF_BYTES).check(&query, &budget),
        EngineKind::CertifyFacts => CertifyingBitBlaster::new(MOST_PROOF_BYTES).proving_facts().check(&query, &budget),
        EngineKind::Prune => BranchAndPrune::default().check(&query, &budget),
    }
}

/// One conjunct more at each check, then each under assumption, then the first ones again.
fn incremental(formula: &Formula, budget: &Budget) -> Verdict {
    let mut blaster = IncrementalBitBlaster::new(0);
    let mut last = Verdict::Unknown(Why::Work);
    for &assertion in &formula.assertions {
        let assumed = verdict(blaster.check(&formula.store, &[assertion], budget));
        blaster.push();
        blaster.assert(assertion);
        last = verdict(blaster.check(&formula.store, &[], budget));
        match (&assumed, &last) {
            (Verdict::Unsat, Verdict::Unsat) => return last,
            (Verdict::Unsat, Verdict::Sat(_)) => panic!("unsat under an assumption, and sat when it is asserted"),
            (Verdict::Sat(_), Verdict::Unsat) => panic!("sat under an assumption, and unsat when it is asserted"),
            (_, Verdict::Unknown(_)) => return last,
            _ => {}
        }
    }
    for _ in &formula.assertions {
        blaster.pop();
        if let Verdict::Unsat = verdict(blaster.check(&formula.store, &[], budget)) {
            return Verdict::Unsat;
        }
    }
    last
}

fn verdict(verdict: IncrementalVerdict) -> Verdict {
    match verdict {
        IncrementalVerdict::Sat(model) => Verdict::Sat(model),
        IncrementalVerdict::Unsat { .. } => Verdict::Unsat,
        IncrementalVerdict::Unknown(why) => Verdict::Unknown(why),
    }
}

fn session(formula: &Formula, limits: &Limits) -> Verdict {
    let mut session = Session::new(Portfolio::new(PortfolioConfig::default()));
    for &assertion in &formula.assertions {
        session.push();
        session.assert(&formula.store, assertion);
        match session.check(&formula.store, &[], limits) {
            Answer::Sat => {}
            Answer::Unsat => return Verdict::Unsat,
            Answer::Unknown(why) => return Verdict::Unknown(why),
        }
    }
    session.model().map_or(Verdict::Unknown(Why::Work), |model| Verdict::Sat(model.clone()))
}

/// Prepares, decides, and brings the model back.
fn prepared(kind: EngineKind, formula: &Formula, config: &PrepareConfig, patience: Patience) -> Verdict {
    let mut store = formula.store.clone();
    let prepared = prepare(&mut store, &formula.assertions, config);
    if let Some(why) = prepared.unsupported {
        return Verdict::Unknown(Why::Unsupported(why));
    }
    let verdict = match prepared.decided {
        Some(true) => Verdict::Sat(Model::new()),
        Some(false) => Verdict::Unsat,
        None => {
            let ready = Formula { store: store.clone(), assertions: prepared.assertions, ..formula.clone() };
            match facts(&ready, patience) {
                None => Verdict::Unsat,
                Some(facts) => run(kind, &ready, &facts, patience),
            }
        }
    };
    match verdict {
        Verdict::Sat(model) => Verdict::Sat(prepared.reconstruction.model(&store, model)),
        other => other,
    }
}

/// Every value of a model lies in the domains that propagation found.
pub fn facts_hold(formula: &Formula, models: &[Model], patience: Patience) -> Result<(), String> {
    let Some(facts) = facts(formula, patience) else {
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
