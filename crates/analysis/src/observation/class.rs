//! The classes of outputs: what tells results apart at a glance.

use labrys_float::Class;
use labrys_program::{InputLayout, Leaf, OutputLayout};
use rustc_hash::FxHashMap;

/// The class of one output scalar.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum OutputClass {
    /// A float's class and whether it is negative; NaNs are never negative.
    Float(Class, bool),
    /// An integer's value.
    Int(u128),
}

/// The class of one output.
pub fn output_class(leaf: &Leaf, record: &[u8]) -> OutputClass {
    match leaf.float(record) {
        Some(float) if float.is_nan() => OutputClass::Float(Class::Nan, false),
        Some(float) => OutputClass::Float(float.class(), float.is_negative()),
        None => OutputClass::Int(leaf.read(record)),
    }
}

/// Integers as whether they are zero, so that a counter is not a feature for each of its values.
pub fn coarse(classes: &[OutputClass]) -> Vec<OutputClass> {
    let coarse = |class: &OutputClass| match class {
        OutputClass::Int(value) => OutputClass::Int(u128::from(*value != 0)),
        float => *float,
    };
    classes.iter().map(coarse).collect()
}

/// The classes of what calls wrote. What a function left as it was given says nothing of what the function did, and is no input's business.
pub struct WrittenClasses<'l> {
    outputs: &'l OutputLayout,
    /// For each output the input of its name: what memory that is read and written held before.
    given: Vec<Option<&'l Leaf>>,
}

impl<'l> WrittenClasses<'l> {
    /// Those of calls with these inputs and outputs.
    pub fn new(inputs: &'l InputLayout, outputs: &'l OutputLayout) -> WrittenClasses<'l> {
        let by_path: FxHashMap<&str, &Leaf> = inputs.leaves.iter().map(|leaf| (leaf.path.as_str(), leaf)).collect();
        let given = outputs.leaves.iter().map(|leaf| {
            // A result is no parameter, even one that is called so.
            let given = leaf.parameter.and_then(|_| by_path.get(leaf.path.as_str()).copied());
            given.filter(|given| given.parameter == leaf.parameter)
        });
        WrittenClasses { outputs, given: given.collect() }
    }

    /// Those of one call, coarsely; none of an output that is what it was given. `None` where the call did not return.
    pub fn of(&self, input: &[u8], output: &[u8]) -> Option<Vec<Option<OutputClass>>> {
        if output.len() < self.outputs.size {
            return None;
        }
        let class = |(leaf, given): (&Leaf, &Option<&Leaf>)| {
            let is_left = given.is_some_and(|given| given.read(input) == leaf.read(output));
            (!is_left).then(|| coarse(&[output_class(leaf, output)])[0])
        };
        Some(self.outputs.leaves.iter().zip(&self.given).map(class).collect())
    }
}

#[cfg(test)]
mod tests {
    use labrys_program::{LengthOptions, parse_signature};

    use super::*;

    /// An element that a function never touched kept every witness from being simpler, for as 0 it came out of another class.
    #[test]
    fn what_is_left_as_it_was_given_has_no_class() {
        let signature =
            parse_signature("void(double x[2], double *y)", &LengthOptions::default()).expect("a signature");
        let (inputs, outputs) = (signature.input_layout(), signature.output_layout());
        let written = WrittenClasses::new(&inputs, &outputs);
        let record = |layout: &[Leaf], size: usize, values: &[f64]| {
            let mut record = vec![0; size];
            layout.iter().zip(values).for_each(|(leaf, value)| leaf.write(&mut record, u128::from(value.to_bits())));
            record
        };
        let of = |before: [f64; 3], after: [f64; 3]| {
            written.of(&record(&inputs.leaves, inputs.size, &before), &record(&outputs.leaves, outputs.size, &after))
        };
        let normal = Some(OutputClass::Float(Class::Normal, false));
        assert_eq!(of([1.0, 2.0, 3.0], [1.0, 5.0, 3.0]), Some(vec![None, normal, None]));
        assert_eq!(of([1.0, 2.0, 3.0], [1.0, 5.0, 3.0]), of([0.0, 2.0, -3.0], [0.0, 7.0, -3.0]));
        assert_ne!(of([1.0, 2.0, 3.0], [1.0, 5.0, 3.0]), of([1.0, 2.0, 3.0], [1.0, -5.0, 3.0]));
        assert_eq!(written.of(&record(&inputs.leaves, inputs.size, &[1.0; 3]), &[]), None);
    }
}
