//! From a request to a proved bound.

use std::time::Instant;

use labrys_term::{TermId, Truth};

use crate::certificate::Certificate;
use crate::compile::Compiler;
use crate::evaluation::Evaluation;
use crate::expression::{Expression, FormulaIndex, Gap, NodeIndex};
use crate::functions::Table;
use crate::search::{Limits, Searched, search};
use crate::{BoundError, Interval, Options, Request, Stop, Unknown, Why};

/// What came of a request.
#[derive(Clone, Debug, PartialEq)]
pub enum Outcome {
    /// A bound, proved.
    Proved(Bound),
    /// No bound, and why.
    Unknown(Unknown),
}

/// A proved bound.
#[derive(Clone, Debug, PartialEq)]
pub struct Bound {
    /// At least the measured error (absolute: in the result's unit; relative: a pure number) at every input of the box that takes one of the paths.
    pub upper: f64,
    /// The largest value found of the sum of errors whose maximum `upper` bounds; no error that was observed.
    pub reached: f64,
    /// Boxes looked at.
    pub boxes: u64,
    /// Why the search ended; of several paths, of the one that decides the bound.
    pub stop: Stop,
    /// What the bound is of, one for each path, or pair of paths, that some input may take.
    pub cases: Vec<Case>,
}

/// One path, or one pair of paths, of a bound.
#[derive(Clone, Debug, PartialEq)]
pub struct Case {
    /// The path that the program takes: its place in the request.
    pub computed: usize,
    /// The path that the truth takes; the same where branches are stable.
    pub exact: usize,
    /// The bound of this case alone.
    pub upper: f64,
    /// Its proof.
    pub certificate: Certificate,
}

/// A path compiled.
struct Compiled {
    guards: Vec<FormulaIndex>,
    result: NodeIndex,
}

/// Bounds the error of the request's expression over its box.
///
/// # Errors
///
/// If the request makes no sense: [`BoundError`]. That nothing could be proved is an [`Outcome`].
///
/// ```
/// use labrys_bounds::{Input, Options, Outcome, Path, Request, bound};
/// use labrys_float::{Float, Format, RoundingMode};
/// use labrys_term::{Op, Sort, Store};
///
/// // t/(t + 1) for t from 0 to 999.
/// let mut store = Store::new();
/// let t = store.variable("t", Sort::Float(Format::BINARY64));
/// let mode = store.rounding_mode(RoundingMode::NearestEven);
/// let one = store.float_const(Float::from_f64(1.0));
/// let sum = store.mk(Op::FpAdd, &[mode, t, one]);
/// let result = store.mk(Op::FpDiv, &[mode, t, sum]);
/// let inputs = [Input { variable: t, low: 0.0, high: 999.0 }];
/// let paths = [Path { guards: vec![], result }];
/// let request = Request { store: &store, inputs: &inputs, calls: &[], paths: &paths };
/// let Outcome::Proved(bound) = bound(&request, &Options::default()).unwrap() else { panic!() };
/// assert!(bound.upper < 1.7e-16 && bound.upper >= bound.reached);
/// ```
pub fn bound(request: &Request<'_>, options: &Options) -> Result<Outcome, BoundError> {
    let deadline = Instant::now().checked_add(options.time);
    let limits = Limits { gap: options.gap.max(0.0), boxes: options.boxes, deadline };
    let mut compiler = Compiler::new(request.store, request.inputs, request.calls, options)?;
    if request.paths.is_empty() {
        return Err(BoundError::NoPath);
    }
    let mut paths = Vec::new();
    for path in request.paths {
        let guards = path.guards.iter().map(|guard| compiler.formula(*guard)).collect::<Result<Vec<_>, _>>()?;
        match compiler.float(path.result)? {
            Ok(result) => paths.push(Compiled { guards, result }),
            Err(why) => return Ok(Outcome::Unknown(why)),
        }
    }
    let region: Vec<Interval> = request.inputs.iter().map(|input| Interval::new(input.low, input.high)).collect();
    let found = bound_all(&mut compiler, &paths, &region, options, limits);
    Ok(found.map_or_else(Outcome::Unknown, Outcome::Proved))
}

/// Whether a condition holds of the computed values and of the exact ones wherever inputs lie in their ranges: certain only if of both.
///
/// # Errors
///
/// As [`bound`].
pub fn decide(request: &Request<'_>, condition: TermId, options: &Options) -> Result<Truth, BoundError> {
    let mut compiler = Compiler::new(request.store, request.inputs, request.calls, options)?;
    let formula = compiler.formula(condition)?;
    let region: Vec<Interval> = request.inputs.iter().map(|input| Interval::new(input.low, input.high)).collect();
    let mut pass = Evaluation::default();
    pass.run(compiler.whole(), &Table::default(), &region, None);
    Ok(pass.truths.get(formula as usize).copied().unwrap_or_default())
}

/// Bounds every case: paths alone, and where branches may be unstable, pairs.
fn bound_all(
    compiler: &mut Compiler<'_>,
    paths: &[Compiled],
    region: &[Interval],
    options: &Options,
    limits: Limits,
) -> Result<Bound, Unknown> {
    let table = Table::default();
    let mut total = Bound { upper: 0.0, reached: 0.0, boxes: 0, stop: Stop::Gap, cases: Vec::new() };
    let mut add = |expression: &Expression, computed: usize, exact: usize| {
        if limits.deadline.is_some_and(|deadline| Instant::now() >= deadline) {
            return Err(Unknown::from(Why::Time));
        }
        let searched = search(expression, options.measure, &table, region, limits)?;
        total.boxes += searched.boxes;
        if searched.is_reachable {
            add_case(&mut total, expression, options, region, &searched, (computed, exact));
        }
        Ok(())
    };
    for (place, path) in paths.iter().enumerate() {
        add(&compiler.finish([&path.guards; 2], path.result, None), place, place)?;
    }
    if options.unstable {
        for (computed, path) in paths.iter().enumerate() {
            for (exact, other) in paths.iter().enumerate().filter(|(exact, _)| *exact != computed) {
                let difference = compiler.difference(path.result, other.result);
                let gap = Gap { difference, truth: other.result };
                add(&compiler.finish([&path.guards, &other.guards], path.result, Some(gap)), computed, exact)?;
            }
        }
    }
    if total.cases.is_empty() { Err(Why::NoInputs.into()) } else { Ok(total) }
}

fn add_case(
    total: &mut Bound,
    expression: &Expression,
    options: &Options,
    region: &[Interval],
    searched: &Searched,
    (computed, exact): (usize, usize),
) {
    if searched.upper >= total.upper {
        total.stop = searched.stop;
    }
    total.upper = total.upper.max(searched.upper);
    total.reached = total.reached.max(searched.reached);
    let certificate = Certificate::new(expression, options.measure, region, searched);
    total.cases.push(Case { computed, exact, upper: searched.upper, certificate });
}
