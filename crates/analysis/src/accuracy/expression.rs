//! What a function computes along the path that an input takes, as FPCore, for Herbie and its like.
//!
//! The path is followed symbolically with an oracle that evaluates each choice at the input, so that loops cost one path however often they
//! run. Integers among the inputs are what they are there: FPCore has none, and loops over arrays are then as long as they are. Where control hangs on a function of libm its value is the correctly rounded one; a libm that is a float off may take another way there.

use std::time::Duration;

use labrys_elementary::evaluate;
use labrys_float::Float;
use labrys_program::FloatCall;
use labrys_report::input_values;
use labrys_symex::{Exploration, Feasibility, LibraryCall, Options, StopReason, explore, leaf_variable};
use labrys_term::fpcore::{Definition, print};
use labrys_term::{Evaluator, Model, Op, Store, TermId, Value};
use rustc_hash::FxHashMap;

use super::findings::Findings;
use crate::solving::floats;

/// The longest that following one path may take.
const LIMIT: Duration = Duration::from_secs(5);
/// How often a loop may run on it.
const LOOP_BOUND: u32 = 100_000;

/// The FPCore of an output along the path that the input `record` takes.
///
/// # Errors
///
/// Why there is none, in words.
pub fn along(of: &Findings<'_>, record: &[u8], output: usize) -> Result<String, String> {
    let domain = of.domain;
    let mut store = Store::new();
    let mut oracle = Along { model: Model::new(), pending: Vec::new() };
    let mut inputs = Vec::new();
    let mut fixed = Vec::new();
    for leaf in &domain.inputs.leaves {
        let Some(value) = leaf.float(record) else {
            fixed.push((leaf.path.clone(), leaf.read(record)));
            continue;
        };
        let variable = leaf_variable(&mut store, leaf);
        oracle.model.set_term(&store, variable, Value::float(value));
        inputs.push((leaf.path.as_str(), variable));
    }
    let analysed = of.analysed;
    let init = of.init.and_then(|symbol| analysed.program.function(symbol));
    let options = Options {
        loop_bound: LOOP_BOUND,
        deadline: Some(of.clock.deadline(LIMIT)),
        fixed,
        init,
        keeps_roundings: true,
        ..Options::default()
    };
    let (program, function) = (&analysed.program, analysed.function);
    let exploration = explore(program, function, &analysed.binding, of.signature, &mut store, &options, &mut oracle);
    let [path] = exploration.paths.as_slice() else {
        return Err(several(&exploration));
    };
    let StopReason::Returned = path.why else { return Err(format!("its path ends: {}", path.why)) };
    let result = path.result.as_ref().and_then(|leaves| leaves.get(output));
    let &result = result.ok_or_else(|| "its path has no such output".to_owned())?;
    let mut conditions = floats::constraints(&of.request.run, domain, &mut store);
    conditions.push(path.condition);
    let conditions = conjuncts(&store, conditions);
    let calls: FxHashMap<TermId, (&'static str, Vec<TermId>)> = floats::calls(&exploration)
        .into_iter()
        .map(|call| (call.variable, (call.function.name(), call.operands)))
        .collect();
    let description = format!("{} of {}{}", domain.outputs.leaves[output].path, of.name, integers(of, record));
    let definition =
        Definition { description: &description, inputs: &inputs, calls: &calls, conditions: &conditions, result };
    print(&store, &definition).map_err(|error| error.to_string())
}

/// What integers among the inputs are: `, n = 4`.
fn integers(of: &Findings<'_>, record: &[u8]) -> String {
    let is_integer = |name: &str| {
        let mut leaves = of.domain.inputs.leaves.iter();
        leaves.any(|leaf| leaf.path == name && leaf.float(record).is_none())
    };
    let values = input_values(of.signature, record);
    let of_value = |value: &labrys_report::Value| {
        let (name, decimal) = (value.name.as_deref()?, value.decimal.as_deref()?);
        is_integer(name).then(|| format!(", {name} = {decimal}"))
    };
    values.iter().flat_map(labrys_report::Value::scalars).filter_map(of_value).collect()
}

/// The parts of conjunctions, each once.
fn conjuncts(store: &Store, terms: Vec<TermId>) -> Vec<TermId> {
    let mut parts = Vec::new();
    let mut pending: Vec<TermId> = terms.into_iter().rev().collect();
    while let Some(term) = pending.pop() {
        let node = store.node(term);
        match node.op {
            Op::And => pending.extend(node.args.iter().rev()),
            _ if parts.contains(&term) => {}
            _ => parts.push(term),
        }
    }
    parts
}

/// Why an input takes no one path.
fn several(exploration: &Exploration) -> String {
    match exploration.library_calls.iter().find(|call| !matches!(call.call, FloatCall::Elementary(_))) {
        Some(call) => format!("which path it takes hangs on {:?}", call.call),
        None => format!("{} paths could not be told apart", exploration.paths.len()),
    }
}

/// Follows the path of one input alone.
struct Along {
    /// The input, and the values of calls.
    model: Model,
    /// Calls whose values are not known yet, the oldest first.
    pending: Vec<LibraryCall>,
}

impl Along {
    fn learn_values(&mut self, store: &Store) {
        for call in std::mem::take(&mut self.pending) {
            let FloatCall::Elementary(function) = call.call else { continue };
            let mut evaluator = Evaluator::new(store, &self.model);
            let operands = call.operands.iter().map(|&operand| evaluator.value(operand).ok()?.as_float().cloned());
            let operands: Option<Vec<Float>> = operands.collect();
            if let Some(operands) = operands {
                self.model.set_term(store, call.variable, Value::float(evaluate(function, &operands).value));
            }
        }
    }
}

impl Feasibility for Along {
    fn rules_out(&mut self, store: &mut Store, _: TermId, condition: TermId) -> bool {
        self.learn_values(store);
        Evaluator::new(store, &self.model).holds(condition) == Ok(false)
    }

    fn learn(&mut self, call: &LibraryCall) {
        self.pending.push(call.clone());
    }
}
