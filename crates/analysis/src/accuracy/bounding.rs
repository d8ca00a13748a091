//! Proved bounds of errors over the whole search domain.
//!
//! **Claim.** On every input of the search domain the value that the IR computes, read strictly and with libm within the request's floats of
//! the correctly rounded values, lies at most so far from what the same operations give without rounding, the truth choosing its own
//! way at each branch. All paths were followed to their ends, but for those that neither the program nor the truth takes, by ranges of both over the whole
//! domain; [`labrys_bounds`] has the argument for each. Operations on constants that round stay operations. It is a claim about the IR: what
//! is observed on native code beyond it contradicts it.

use std::time::{Duration, Instant};

use labrys_bounds::{
    Bound, Call, Input, Measure, Options as BoundOptions, Outcome, Path, Request as Question, bound, decide,
};
use labrys_float::{Environment, Float, Format, RoundingMode};
use labrys_interp::precise::splittings;
use labrys_program::{BlockId, FloatCall, Leaf, Program, ScalarType};
use labrys_report::ErrorBound;
use labrys_solver::elementary::CallTerm;
use labrys_symex::{
    Exploration, Feasibility, LibraryCall, Options, Site, SiteExecution, SiteOperator, StopReason, leaf_variable,
};
use labrys_term::{Op, Store, TermId, Truth};
use num_traits::ToPrimitive;

use super::request::Request;
use super::unproved::Context;
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
    let options = paths::options(&request.run, clock.deadline(EXPLORATION_LIMIT));
    let options = Options { init, keeps_roundings: true, ..options };
    let inputs = inputs(domain, &mut store);
    let mut possible =
        PossiblePaths { inputs: inputs.as_deref().unwrap_or_default().to_vec(), calls: Vec::new(), request };
    let exploration = paths::follow(analysed, &unit.signature, &mut store, &options, &mut possible);
    let outputs = domain.outputs.leaves.iter().enumerate();
    let is_float = |leaf: &Leaf| matches!(leaf.scalar, ScalarType::Float(_));
    let prepared = inputs.and_then(|inputs| prepare(request, unit, analysed, domain, &exploration, &mut store, inputs));
    outputs
        .filter(|(_, leaf)| is_float(leaf))
        .take(MOST_OUTPUTS)
        .map(|(index, leaf)| {
            let begun = Instant::now();
            let mut bounded = match &prepared {
                Ok(prepared) => prepared.bound(request, analysed, &store, &exploration, index, clock),
                Err(why) => unknown(why.clone()),
            };
            bounded.bound.output.clone_from(&leaf.path);
            bounded.bound.function.clone_from(&unit.name);
            bounded.bound.seconds = begun.elapsed().as_secs_f64();
            bounded
        })
        .collect()
}

/// Rules out what neither the program nor the truth does, by ranges of both.
struct PossiblePaths<'a> {
    inputs: Vec<Input>,
    calls: Vec<Call>,
    request: &'a Request,
}

impl Feasibility for PossiblePaths<'_> {
    fn rules_out(&mut self, store: &mut Store, _: TermId, condition: TermId) -> bool {
        let question = Question { store, inputs: &self.inputs, calls: &self.calls, paths: &[] };
        decide(&question, condition, &options(self.request, Measure::Absolute)) == Ok(Truth::False)
    }

    fn learn(&mut self, call: &LibraryCall) {
        if let FloatCall::Elementary(function) = call.call {
            let (variable, operands) = (call.variable, call.operands.clone());
            self.calls.push(Call { variable, function, operands });
        }
    }
}

/// What is asked of libm.
fn options(request: &Request, measure: Measure) -> BoundOptions {
    BoundOptions {
        measure,
        floats: request.libm_ulps.unwrap_or(LIBM_FLOATS),
        own_floats: request.libm_ulps.is_none(),
        ..BoundOptions::default()
    }
}

/// The inputs' ranges.
fn inputs(domain: &Domain, store: &mut Store) -> Result<Vec<Input>, String> {
    let leaves = domain.inputs.leaves.iter().enumerate();
    let input = |(index, leaf): (usize, &Leaf)| {
        let (low, high) = ends(domain, index, leaf)?;
        Ok(Input { variable: leaf_variable(store, leaf), low, high })
    };
    leaves.map(input).collect()
}

/// What is the same for all outputs.
struct Prepared {
    /// Their names.
    names: Vec<String>,
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
    analysed: &Analysed,
    domain: &Domain,
    exploration: &Exploration,
    store: &mut Store,
    inputs: Vec<Input>,
) -> Result<Prepared, String> {
    let context = Context { program: &analysed.program, exploration, store, inputs: &[] };
    let cut = exploration.paths.iter().find(|path| !matches!(path.why, StopReason::Returned));
    if let Some(cut) = cut {
        return Err(context.of_path(&cut.why));
    }
    if let Some(sum) = rounds_on_purpose(exploration, store) {
        let sum = context.operation(sum);
        return Err(format!(
            "{sum} is one with a constant that is added to round: the truth rounds there too, and no bound is known of that"
        ));
    }
    if let Some(split) = splits(&analysed.program, exploration) {
        let split = context.operation(split);
        return Err(format!(
            "{split} is part of a splitting of a number's digits: the truth rounds there too, and no bound is known of that"
        ));
    }
    let call = |CallTerm { variable, function, operands }: CallTerm| Call { variable, function, operands };
    let calls = floats::calls(exploration).into_iter().map(call).collect();
    let libm = (!exploration.library_calls.is_empty()).then(|| {
        let floats = request.libm_ulps.unwrap_or(LIBM_FLOATS);
        let known = if request.libm_ulps.is_none() { ", or as many as are known of one" } else { "" };
        format!("libm's functions are within {floats} floats of the correctly rounded value{known}")
    });
    let mut assumptions = paths::assumptions(unit.init.is_some(), libm, exploration.allocates);
    assumptions.extend(unit.assumptions.iter().cloned().chain(unit.never_null()));
    let names = domain.inputs.leaves.iter().map(|leaf| leaf.path.clone()).collect();
    Ok(Prepared { names, inputs, calls, guards: floats::constraints(&request.run, domain, store), assumptions })
}

/// A sum with a constant that it is meant to be rounded by, 1.5·2^k or 2^52 and its like: in the truth it is rounded, too
/// (`interp/src/precise/rounding.rs`), and has another value than the sum.
fn rounds_on_purpose(exploration: &Exploration, store: &Store) -> Option<TermId> {
    let is_large = |term: &TermId| {
        let Op::FloatConst(value) = &store.node(*term).op else { return false };
        let (Some(exponent), Some(format)) = (value.exponent(), store.float_format(*term)) else { return false };
        let (exponent, precision) = (exponent + 1, i64::from(format.precision()));
        let significand = Environment::default().scale(&value.abs(), 1 - exponent).value.to_f64();
        let is_power = significand == Some(1.0) && (precision..=precision + 1).contains(&exponent);
        is_power || (significand == Some(1.5) && exponent >= precision / 2)
    };
    let is_sum = |operation: &SiteOperator| matches!(operation, SiteOperator::Add | SiteOperator::Sub);
    let executions = exploration.executions.iter().filter(|execution| is_sum(&execution.operation));
    let mut large = executions.filter(|execution| execution.operands.iter().any(is_large));
    large.next().map(|execution| execution.result)
}

/// An operation of a splitting, which the truth rounds (`interp/src/precise/splits.rs`).
fn splits(program: &Program, exploration: &Exploration) -> Option<TermId> {
    let splittings = splittings(program);
    let is_of_one = |execution: &&SiteExecution| {
        let Site { function, block, instruction, .. } = &execution.site;
        program
            .function(function)
            .is_some_and(|function| splittings.contains(&(function, BlockId(*block), *instruction)))
    };
    exploration.executions.iter().filter(|_| !splittings.is_empty()).find(is_of_one).map(|execution| execution.result)
}

/// The least and the greatest value of an input as doubles, rounded outwards.
fn ends(domain: &Domain, index: usize, leaf: &Leaf) -> Result<(f64, f64), String> {
    let none = || format!("{0} has no range of finite numbers: give it one, as --range {0}=-1..1", leaf.path);
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
        analysed: &Analysed,
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
            unstable: paths.len() > 1,
            time: clock.deadline(LIMIT).saturating_duration_since(Instant::now()),
            ..options(request, measure)
        };
        let context = Context { program: &analysed.program, exploration, store, inputs: &self.names };
        let absolute = match bound(&question, &options(Measure::Absolute)) {
            Ok(Outcome::Proved(bound)) => bound,
            Ok(Outcome::Unknown(why)) => return unknown(context.of_bound(&why)),
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
