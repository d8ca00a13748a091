//! The search domain.

use std::fmt;

use labrys_float::{Environment, Float, Format, RoundingMode};
use labrys_program::{FloatType, InputLayout, Leaf, Length, ParameterType, Signature};
use num_traits::ToPrimitive;

use crate::domain::{Domain, InputClass, Variable};

/// A predicate on input records.
type Predicate = Box<dyn Fn(&[u8]) -> bool + Send + Sync>;

/// The search domain of a function: which input records count.
pub struct Space {
    pub(crate) variables: Vec<Variable>,
    /// Numbers that the program has.
    pub(crate) literals: Vec<f64>,
    size: usize,
    predicate: Option<Predicate>,
}

impl fmt::Debug for Space {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Space").field("variables", &self.variables).field("size", &self.size).finish_non_exhaustive()
    }
}

impl Space {
    /// All inputs of a class. Integers that give an array's length keep within 0 and its capacity.
    pub fn new(signature: &Signature, class: InputClass) -> Space {
        let mut space = Space::of_layout(&signature.input_layout(), class);
        for parameter in &signature.parameters {
            let ParameterType::Pointer { length: Length::Parameter { index, max, .. }, .. } = parameter.ty else {
                continue;
            };
            for variable in &mut space.variables {
                if variable.leaf.parameter == Some(index) && !variable.is_float() {
                    variable.domain.intersect(0, i128::from(max));
                }
            }
        }
        space
    }

    /// All inputs of a class, where no input is another's length.
    pub fn of_layout(layout: &InputLayout, class: InputClass) -> Space {
        let variable = |leaf: &Leaf| Variable { leaf: leaf.clone(), domain: Domain::new(leaf.scalar, class) };
        Space {
            variables: layout.leaves.iter().map(variable).collect(),
            literals: Vec::new(),
            size: layout.size,
            predicate: None,
        }
    }

    /// Leaves floats the numbers of `grid`, where theirs are more: inputs that came from single precision. To be said before any
    /// bounds are.
    pub fn set_grid(&mut self, grid: FloatType) {
        for variable in &mut self.variables {
            variable.domain.set_grid(variable.leaf.scalar, grid);
        }
    }

    /// Keeps a leaf (an index into [`Space::leaves`]) within `low` and `high`, numbers of any format, both inclusive; an
    /// infinite or NaN one is no bound. A leaf that is given a bound is never a NaN. Bounds are intersected with earlier
    /// ones.
    pub fn restrict(&mut self, leaf: usize, low: &Float, high: &Float) {
        let Some(variable) = self.variables.get_mut(leaf) else { return };
        let place = |bound: &Float, direction| match variable.domain {
            Domain::Float { encoding, .. } => ordinal_of(bound, encoding.format(), direction),
            Domain::Int { .. } => integer_of(bound, direction),
        };
        let from = if low.is_nan() { i128::MIN } else { place(low, RoundingMode::TowardPositive) };
        let to = if high.is_nan() { i128::MAX } else { place(high, RoundingMode::TowardNegative) };
        variable.domain.intersect(from, to);
    }

    /// The values of a leaf, by its index: the encodings of the least and the greatest number, and whether it may be NaN.
    /// Where zero is the least number that is −0: both zeros are admitted wherever one is. Predicates aside. `None`: there is no
    /// such leaf, or it has no values.
    pub fn bounds(&self, leaf: usize) -> Option<(u128, u128, bool)> {
        let domain = &self.variables.get(leaf)?.domain;
        let (low, high) = domain.bounds();
        let nan = matches!(domain, Domain::Float { nan: true, .. });
        let least = match *domain {
            Domain::Float { encoding, .. } if low == 0 => encoding.negate(encoding.at(0)),
            _ => domain.at(low),
        };
        (low <= high).then(|| (least, domain.at(high), nan))
    }

    /// The least and the greatest place of a leaf's numbers: ordinals of floats, values of integers. `None`: there is no such leaf.
    pub fn places(&self, leaf: usize) -> Option<(i128, i128)> {
        self.variables.get(leaf).map(|variable| variable.domain.bounds())
    }

    /// A leaf's place in a record; `None` for NaNs, and where there is no such leaf.
    pub fn place(&self, leaf: usize, record: &[u8]) -> Option<i128> {
        self.variables.get(leaf)?.place(record)
    }

    /// Moves a leaf to the place nearest to `place` within its bounds.
    pub fn put(&self, leaf: usize, record: &mut [u8], place: i128) {
        if let Some(variable) = self.variables.get(leaf) {
            variable.put(record, place);
        }
    }

    /// Tells of numbers that stand in the program: inputs at and beside them are drawn now and then.
    pub fn know_literals(&mut self, literals: impl IntoIterator<Item = f64>) {
        self.literals.extend(literals.into_iter().filter(|literal| literal.is_finite()));
    }

    /// Adds a condition on whole records (`--assume`); all conditions must hold.
    pub fn assume(&mut self, condition: impl Fn(&[u8]) -> bool + Send + Sync + 'static) {
        self.predicate = Some(match self.predicate.take() {
            None => Box::new(condition),
            Some(earlier) => Box::new(move |record| earlier(record) && condition(record)),
        });
    }

    /// Whether a record is in the domain.
    pub fn admits(&self, record: &[u8]) -> bool {
        self.bounds_admit(record) && self.predicate.as_ref().is_none_or(|condition| condition(record))
    }

    /// Whether a record keeps to the bounds, conditions apart.
    fn bounds_admit(&self, record: &[u8]) -> bool {
        record.len() == self.size
            && self.variables.iter().all(|variable| variable.domain.admits(variable.leaf.read(record)))
    }

    /// Whether the bounds leave some leaf no value: then nothing is admitted.
    pub fn is_empty(&self) -> bool {
        self.variables.iter().any(|variable| variable.domain.is_empty())
    }

    /// Whether there are conditions beyond bounds.
    pub(crate) fn has_conditions(&self) -> bool {
        self.predicate.is_some()
    }

    /// The record with every leaf as near to zero as its bounds let it be. Conditions may refuse it.
    pub fn origin(&self) -> Vec<u8> {
        let mut record = vec![0; self.size];
        for variable in &self.variables {
            variable.leaf.write(&mut record, variable.domain.simplest());
        }
        record
    }

    /// Moves every leaf that is out of its bounds to the nearest bound, NaNs that are not admitted toward zero.
    pub fn clamp(&self, record: &mut [u8]) {
        for variable in &self.variables {
            let bits = variable.leaf.read(record);
            if !variable.domain.admits(bits) {
                variable.put(record, variable.domain.place(bits).unwrap_or(0));
            }
        }
    }

    /// The leaves, in call order.
    pub fn leaves(&self) -> impl ExactSizeIterator<Item = &Leaf> {
        self.variables.iter().map(|variable| &variable.leaf)
    }

    /// The size of a record in bytes.
    pub fn record_size(&self) -> usize {
        self.size
    }
}

/// The ordinal of the nearest number of a format on one side of a bound.
fn ordinal_of(bound: &Float, format: Format, direction: RoundingMode) -> i128 {
    let converted = Environment::with_rounding(direction).convert(bound, format).value;
    // The drivable formats have at most 80 bits, and a bound is no NaN.
    converted.ordinal().and_then(|ordinal| ordinal.to_i128()).unwrap_or(0)
}

/// The nearest integer on one side of a bound that is no NaN. Saturates: i128 holds every integer type's range.
fn integer_of(bound: &Float, direction: RoundingMode) -> i128 {
    let (integer, _) = Environment::default().to_integer(bound, direction, i128::BITS, true);
    let end = if bound.is_negative() { i128::MIN } else { i128::MAX };
    integer.and_then(|integer| integer.to_i128()).unwrap_or(end)
}
