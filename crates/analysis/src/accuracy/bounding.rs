//! Proved bounds of errors over the whole search domain.
//!
//! **Claim.** On every input of the search domain the value that the IR computes, read strictly and with libm within the request's floats of
//! the correctly rounded values, lies at most so far from what the same operations give without rounding, the truth choosing its own
//! way at each branch. All paths were followed to their ends; [`labrys_bounds`] has the argument for each. It is a claim about the IR: what
//! is observed on native code beyond it contradicts it.

use std::time::{Duration, Instant};

use labrys_bounds::{Bound, Call, Input, Measure, Options as BoundOptions, Outcome, Path, Request as Question, bound};
use labrys_float::{Environment, Flags, Float, Format, RoundingMode};
use labrys_program::{Leaf, ScalarType};
use labrys_report::ErrorBound;
use labrys_solver::elementary::CallTerm;
use labrys_symex::{EveryPath, Exploration, Options, SiteExecution, StopReason, float_condition, leaf_variable};
use labrys_term::{Evaluator, Model, Store, TermId};
use num_traits::ToPrimitive;

use super::request::Request;
use crate::inputs::domain::Domain;
use crate::run::clock::Clock;
use crate::solving::{floats, paths};
use crate::target::analysed::Analysed;
use crate::target::unit::Unit;

/// The longest that following paths may take.
const EXPLORATION_LIMIT: Duration = Duration::from_secs(20);
/// The longest that bounding one output may take.
const LIMIT: Duration = Duration::from_secs(20);
/// How far libm's functions may be from the correctly rounded value where nothing more is known of one.
const LIBM_FLOATS: u32 = 4;
/// More outputs than these are not bounded.
const MOST_OUTPUTS: usize = 64;

/// An output's bound, and its certificates.
pub struct Bounded {
    /// What is proved.
    pub bound: ErrorBound,
    /// The certificates' texts.
    pub certificates: Vec<String>,
}

/// Bounds the errors of a function's outputs.
pub fn bounds(request: &Request, unit: &Unit, analysed: &Analysed, domain: &Domain, clock: &Clock) -> Vec<Bounded> {
    let mut store = Store::new();
    let init = unit.init.as_deref().and_then(|symbol| analysed.program.function(symbol));
    let options = Options { init, ..paths::options(&request.run, clock.deadline(EXPLORATION_LIMIT)) };
    let exploration = paths::follow(analysed, &unit.signature, &mut store, &options, &mut EveryPath);
    let outputs = domain.outputs.leaves.iter().enumerate();
    let is_float = |leaf: &Leaf| matches!(leaf.scalar, ScalarType::Float(_));
    let prepared = prepare(request, unit, domain, &exploration, &mut store);
    outputs
        .filter(|(_, leaf)| is_float(leaf))
        .take(MOST_OUTPUTS)
        .map(|(index, leaf)| {
            let begun = Instant::now();
            let mut bounded = match &prepared {
                Ok(prepared) => prepared.bound(request, &store, &exploration, index, clock),
                Err(why) => unknown(why.clone()),
            };
            bounded.bound.output.clone_from(&leaf.path);
            bounded.bound.function.clone_from(&unit.name);
            bounded.bound.seconds = begun.elapsed().as_secs_f64();
            bounded
        })
        .collect()
}

/// What is the same for all outputs.
struct Prepared {
    inputs: Vec<Input>,
    calls: Vec<Call>,
    /// What the user said of the inputs.
    guards: Vec<TermId>,
    /// What is proved rests on these.
    assumptions: Vec<String>,
}

/// The box and the calls; or why nothing can be proved.
fn prepare(
    request: &Request,
    unit: &Unit,
    domain: &Domain,
    exploration: &Exploration,
    store: &mut Store,
) -> Result<Prepared, String> {
    let cut = exploration.paths.iter().find(|path| !matches!(path.why, StopReason::Returned));
    if let Some(cut) = cut {
        return Err(format!("not every path was followed: {}", cut.why));
    }
    if let Some(why) = rounded_constant(exploration, store) {
        return Err(why);
    }
    let mut inputs = Vec::new();
    for (index, leaf) in domain.inputs.leaves.iter().enumerate() {
        let (low, high) = ends(domain, index, leaf)?;
        inputs.push(Input { variable: leaf_variable(store, leaf), low, high });
    }
    let call = |CallTerm { variable, function, operands }: CallTerm| Call { variable, function, operands };
    let calls = floats::calls(exploration).into_iter().map(call).collect();
    let libm = (!exploration.library_calls.is_empty()).then(|| {
        let floats = request.libm_ulps.unwrap_or(LIBM_FLOATS);
        let known = if request.libm_ulps.is_none() { ", or as many as are known of one" } else { "" };
        format!("libm's functions are within {floats} floats of the correctly rounded value{known}")
    });
    let mut assumptions = paths::assumptions(unit.init.is_some(), libm, exploration.allocates);
    assumptions.extend(unit.assumptions.iter().cloned());
    Ok(Prepared { inputs, calls, guards: floats::constraints(&request.run, domain, store), assumptions })
}

/// Why the terms' constants are not the truth's: an operation on constants is folded to its rounded result, and what is proved of a term would
/// take that for exact. None where no such operation rounds.
fn rounded_constant(exploration: &Exploration, store: &mut Store) -> Option<String> {
    let truth = store.bool_const(true);
    for execution in &exploration.executions {
        if execution.operands.iter().any(|term| store.has_variables(*term)) {
            continue;
        }
        let alone = SiteExecution { path: truth, ..execution.clone() };
        let is_exact = match float_condition(store, &alone, Flags::INEXACT) {
            None => true,
            Some(Ok(raised)) => Evaluator::new(store, &Model::new()).holds(raised) == Ok(false),
            Some(Err(_)) => false,
        };
        if !is_exact {
            return Some(format!("{} of constants rounds: its exact result is no term's", execution.site.operator));
        }
    }
    None
}

/// The least and the greatest value of an input as doubles, rounded outwards.
fn ends(domain: &Domain, index: usize, leaf: &Leaf) -> Result<(f64, f64), String> {
    let none = || format!("{} has no range of finite numbers", leaf.path);
    let (low, high, nan) = domain.space.bounds(index).ok_or_else(none)?;
    match leaf.scalar {
        ScalarType::Float(float) => {
            let value = |bits: u128, direction| {
                let number = Float::from_bits(float.format(), bits);
                let double = Environment::with_rounding(direction).convert(&number, Format::BINARY64).value;
                f64::from_bits(double.to_u128().unwrap_or_default() as u64)
            };
            let (low, high) = (value(low, RoundingMode::TowardNegative), value(high, RoundingMode::TowardPositive));
            if nan || !low.is_finite() || !high.is_finite() { Err(none()) } else { Ok((low, high)) }
        }
        ScalarType::Int { bits, signed: true } => {
            let value = |bits_of: u128| ((bits_of << (128 - bits)) as i128 >> (128 - bits)).to_f64();
            value(low).zip(value(high)).ok_or_else(none)
        }
        ScalarType::Int { .. } | ScalarType::Bool => low.to_f64().zip(high.to_f64()).ok_or_else(none),
    }
}

impl Prepared {
    fn bound(
        &self,
        request: &Request,
        store: &Store,
        exploration: &Exploration,
        output: usize,
        clock: &Clock,
    ) -> Bounded {
        let mut paths = Vec::new();
        for path in &exploration.paths {
            let result = path.result.as_ref().and_then(|result| result.get(output));
            let Some(&result) = result else { return unknown("a path has no such output".to_owned()) };
            if path.is_tainted.get(output) != Some(&false) {
                return unknown("poison or undefined values may reach it".to_owned());
            }
            let guards = std::iter::once(path.condition).chain(self.guards.iter().copied()).collect();
            paths.push(Path { guards, result });
        }
        let question = Question { store, inputs: &self.inputs, calls: &self.calls, paths: &paths };
        let options = |measure| BoundOptions {
            measure,
            floats: request.libm_ulps.unwrap_or(LIBM_FLOATS),
            own_floats: request.libm_ulps.is_none(),
            unstable: paths.len() > 1,
            time: clock.deadline(LIMIT).saturating_duration_since(Instant::now()),
            ..BoundOptions::default()
        };
        let absolute = match bound(&question, &options(Measure::Absolute)) {
            Ok(Outcome::Proved(bound)) => bound,
            Ok(Outcome::Unknown(why)) => return unknown(why.to_string()),
            Err(error) => return unknown(error.to_string()),
        };
        let relative = match bound(&question, &options(Measure::Relative)) {
            Ok(Outcome::Proved(bound)) => Some(bound),
            _ => None,
        };
        let texts = |bound: &Bound| -> Vec<String> {
            bound.cases.iter().map(|case| case.certificate.as_str().to_owned()).collect()
        };
        let mut certificates = texts(&absolute);
        certificates.extend(relative.iter().flat_map(&texts));
        let bound = ErrorBound {
            absolute: Some(absolute.upper),
            relative: relative.map(|relative| relative.upper),
            assumptions: self.assumptions.clone(),
            ..ErrorBound::default()
        };
        Bounded { bound, certificates }
    }
}

fn unknown(why: String) -> Bounded {
    Bounded { bound: ErrorBound { why: Some(why), ..ErrorBound::default() }, certificates: Vec::new() }
}
