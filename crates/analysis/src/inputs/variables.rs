//! Real variables beside input records: from a model to inputs, and back.

use labrys_float::{Float, Format};
use labrys_program::{InputLayout, ScalarType};
use labrys_solver::{RealModel, RealValue};
use labrys_symex::{Domain as RealDomain, domain_conditions};
use labrys_term::approx::ExtendedReal;
use labrys_term::reals::Abstraction;
use labrys_term::{Op, Sort, Store, TermId, VariableId};

use crate::inputs::integers::Integers;

/// The real variables and how they relate to input records.
pub struct Variables {
    /// Each float leaf's real variable, in the order of the leaves.
    variables: Vec<(VariableId, TermId, usize, Format)>,
    /// The record whose values stand where a model says nothing.
    base: Vec<u8>,
}

impl Variables {
    /// The variables of all float leaves.
    pub fn new(store: &mut Store, abstraction: &mut Abstraction, inputs: &InputLayout, base: Vec<u8>) -> Variables {
        let mut variables = Vec::new();
        for (leaf, of) in inputs.leaves.iter().enumerate() {
            let ScalarType::Float(float) = of.scalar else { continue };
            let variable = store.variable(&of.path, Sort::Float(float.format()));
            if let Ok(term) = abstraction.term(store, variable)
                && let Op::Variable(id) = store.node(term).op
            {
                variables.push((id, term, leaf, float.format()));
            }
        }
        Variables { variables, base }
    }

    /// The leaf that a real variable stands for.
    pub fn leaf_of(&self, variable: VariableId) -> Option<usize> {
        self.variables.iter().find(|(known, ..)| *known == variable).map(|(_, _, leaf, _)| *leaf)
    }

    /// The real variables and the indices of their leaves.
    pub fn leaves(&self) -> impl Iterator<Item = (VariableId, usize)> {
        self.variables.iter().map(|(variable, _, leaf, _)| (*variable, *leaf))
    }

    /// Bounds and preferences of all variables.
    pub fn domain(&self, store: &mut Store) -> RealDomain {
        let pairs: Vec<(TermId, Format)> = self.variables.iter().map(|(_, term, _, format)| (*term, *format)).collect();
        domain_conditions(store, &pairs)
    }

    /// The records around a model: every value to the nearest float, all down, all up, with these integers. Values beyond
    /// the largest float become it.
    pub fn records(
        &self,
        inputs: &InputLayout,
        model: &RealModel,
        integers: &Integers,
        values: &[u128],
    ) -> Vec<Vec<u8>> {
        let mut base = self.base.clone();
        integers.write(inputs, values, &mut base);
        let mut records: Vec<Vec<u8>> = vec![base; 3];
        for (variable, _, leaf, format) in &self.variables {
            let Some(value) = model.values.get(variable) else { continue };
            let (below, above) = value.round_both(*format);
            let nearest = nearest(value, &below, &above);
            for (record, float) in records.iter_mut().zip([nearest, below, above]) {
                if let Some(bits) = clamped(float, *format).to_u128() {
                    inputs.leaves[*leaf].write(record, bits);
                }
            }
        }
        records.dedup();
        records
    }

    /// The values of a record for an evaluator.
    pub fn values(&self, inputs: &InputLayout, order: &[VariableId], record: &[u8]) -> Vec<ExtendedReal> {
        let value = |wanted: &VariableId| {
            let found = self.variables.iter().find(|(variable, ..)| variable == wanted);
            let float = found.and_then(|(_, _, leaf, _)| inputs.leaves[*leaf].float(record));
            float.map_or(ExtendedReal::UNKNOWN, |float| ExtendedReal::from_float(&float))
        };
        order.iter().map(value).collect()
    }
}

fn nearest(value: &RealValue, below: &Float, above: &Float) -> Float {
    let middle = value.approximation();
    match (below.to_rational(), above.to_rational()) {
        (Some(low), Some(high)) if &middle - &low <= &high - &middle => below.clone(),
        (Some(_), None) => below.clone(),
        _ => above.clone(),
    }
}

fn clamped(float: Float, format: Format) -> Float {
    match (float.is_finite(), float.is_negative()) {
        (true, _) => float,
        (false, true) => Float::max_finite(format).neg(),
        (false, false) => Float::max_finite(format),
    }
}
