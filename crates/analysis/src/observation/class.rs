//! The classes of outputs: what tells results apart at a glance.

use labrys_float::Class;
use labrys_program::Leaf;

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
