//! The paper's own method on what z3 leaves open, or on models of z3's that are no floats: concretising, isolating roots.
//!
//! Barr, Vo, Le, Su, POPL 2013, sections 3.2 to 3.4; `solver/src/nonlinear` has it. Here is what it has to know of a function.

use labrys_elementary::Function;
use labrys_float::{Float, Format, RoundingMode};
use labrys_program::{InputLayout, ScalarType};
use labrys_solver::nonlinear::{Dependent, NonlinearConfig, NonlinearSteps, solve, solve_near};
use labrys_solver::{Limits, RealModel, RealOutcome};
use labrys_symex::Exploration;
use labrys_term::reals::Abstraction;
use labrys_term::{Store, TermId, VariableId};
use num_rational::BigRational;
use rustc_hash::FxHashMap;

use crate::inputs::variables::Variables;

/// What the method knows of one exploration.
pub struct Method {
    dependents: Vec<Dependent>,
    formats: FxHashMap<VariableId, Format>,
}

impl Method {
    /// The results of functions and the inputs' formats.
    pub fn new(
        store: &mut Store,
        abstraction: &Abstraction,
        exploration: &Exploration,
        variables: &Variables,
        inputs: &InputLayout,
    ) -> Method {
        let of_leaf = |(variable, leaf): (VariableId, usize)| match inputs.leaves[leaf].scalar {
            ScalarType::Float(float) => Some((variable, float.format())),
            _ => None,
        };
        let dependents = dependents(store, abstraction, exploration);
        Method { dependents, formats: variables.leaves().filter_map(of_leaf).collect() }
    }

    /// Floats that satisfy a query, looked for from the beginning or from a model of z3's; and what it took.
    pub fn solve(
        &self,
        store: &Store,
        query: &[TermId],
        start: Option<&RealModel>,
        seed: u64,
        limits: Limits,
    ) -> (Option<RealModel>, NonlinearSteps) {
        let config = NonlinearConfig { seed, limits, ..NonlinearConfig::default() };
        let format = |variable| self.formats.get(&variable).copied();
        let (outcome, steps) = match start {
            None => solve(store, query, &self.dependents, &mut evaluated, &format, &config),
            Some(start) => solve_near(store, query, &self.dependents, &mut evaluated, &format, &config, start),
        };
        match outcome {
            RealOutcome::Candidate(model) => (Some(model), steps),
            RealOutcome::NoCandidate | RealOutcome::Unknown(_) => (None, steps),
        }
    }
}

/// The paper's table T: the variables that stand for results of elementary functions, with their operands.
fn dependents(store: &mut Store, abstraction: &Abstraction, exploration: &Exploration) -> Vec<Dependent> {
    let mut abstraction = abstraction.clone();
    let mut table = Vec::new();
    for call in &exploration.library_calls {
        let Ok(variable) = abstraction.term(store, call.variable) else { continue };
        let Some(variable) = store.as_variable(variable) else { continue };
        let operands: Result<Vec<TermId>, _> =
            call.operands.iter().map(|operand| abstraction.term(store, *operand)).collect();
        if let Ok(operands) = operands {
            table.push(Dependent { variable, operands, function: call.call.operator().into() });
        }
    }
    table
}

/// An elementary function's value at rational operands, as a double has it.
fn evaluated(dependent: &Dependent, operands: &[BigRational]) -> Option<BigRational> {
    let function = Function::named(&dependent.function)?;
    let operands: Vec<Float> =
        operands.iter().map(|value| Float::from_rational(Format::BINARY64, value, RoundingMode::NearestEven)).collect();
    labrys_elementary::evaluate(function, &operands).value.to_rational()
}
