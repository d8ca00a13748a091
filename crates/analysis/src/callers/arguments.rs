//! Arguments on which a called function was seen to do something, and the conditions that a caller passes them, or some near them.

use labrys_float::Float;
use labrys_program::{IrParameter, Leaf, LibraryFunction, ScalarType};
use labrys_report::{Value, input_record};
use labrys_symex::Arrival;
use labrys_term::{Op, Sort, Store, TermId};
use num_bigint::BigInt;
use num_traits::{One, Signed};

/// One argument that is a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Argument {
    /// Position among the IR function's parameters.
    pub parameter: usize,
    /// Its type.
    pub scalar: ScalarType,
    /// Its encoding.
    pub bits: u128,
}

/// How near an argument has to be to the one that is wanted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Nearness {
    /// The same number.
    Same,
    /// With its sign, and within so many binades divided by 64; integers are the same.
    Close(u32),
    /// With its sign, and within so many binades; integers are anything.
    Wide(u32),
}

/// Which arguments are asked for at a time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Together {
    /// All of them.
    All,
    /// Each by itself.
    Each,
}

/// The arguments of a call with these inputs that are numbers passed by value; `None` where there are none.
pub fn arguments(function: &LibraryFunction, inputs: &[Value]) -> Option<Vec<Argument>> {
    let (signature, binding) = (function.signature.as_ref().ok()?, function.binding.as_ref()?);
    let layout = signature.input_layout();
    let record = input_record(&layout, inputs).ok()?;
    let mut arguments = Vec::new();
    for (parameter, how) in binding.parameters.iter().enumerate() {
        let IrParameter::Leaves(parts) = how else { continue };
        // A parameter that carries several scalars is a struct's.
        let [part] = parts.as_slice() else { continue };
        let is_whole =
            |leaf: &&Leaf| part.bit == 0 && leaf.offset == part.offset && leaf.scalar.size() == part.bytes as u64;
        if let Some(leaf) = layout.leaves.iter().find(is_whole) {
            arguments.push(Argument { parameter, scalar: leaf.scalar, bits: leaf.read(&record) });
        }
    }
    (!arguments.is_empty()).then_some(arguments)
}

/// The conditions that a call passes what is wanted, or nearly: of all arguments together, or of each. An argument that is the
/// same on every input of the path asks for nothing.
pub fn passes(
    store: &mut Store,
    arrival: &Arrival,
    wanted: &[Argument],
    nearness: Nearness,
    together: Together,
) -> Vec<TermId> {
    let mut conditions = Vec::new();
    let mut is_passed = false;
    for wanted in wanted {
        let Some(term) = arrival.arguments.get(wanted.parameter).copied().flatten() else { continue };
        is_passed = true;
        if !matches!(store.node(term).op, Op::FloatConst(_) | Op::BitVecConst(_)) {
            conditions.extend(is_near(store, term, wanted, nearness));
        }
    }
    match together {
        Together::Each => conditions,
        // Any input of the path will do.
        Together::All if conditions.is_empty() && is_passed => vec![store.bool_const(true)],
        Together::All if conditions.is_empty() => Vec::new(),
        Together::All => vec![store.and(&conditions)],
    }
}

/// The condition that a term is near a number; `None` where anything is near enough.
pub fn is_near(store: &mut Store, term: TermId, wanted: &Argument, nearness: Nearness) -> Option<TermId> {
    let ScalarType::Float(float) = wanted.scalar else {
        let width = match store.sort(term) {
            Sort::BitVec(width) => *width,
            _ => return None,
        };
        if matches!(nearness, Nearness::Wide(_)) {
            return None;
        }
        let mask = if width >= u128::BITS { u128::MAX } else { (1 << width) - 1 };
        let value = store.bv_const(width, wanted.bits & mask);
        return Some(store.mk(Op::Eq, &[term, value]));
    };
    if store.float_format(term) != Some(float.format()) {
        return None;
    }
    let value = Float::from_bits(float.format(), wanted.bits);
    if value.is_nan() {
        return Some(store.mk(Op::FpIsNan, &[term]));
    }
    let (low, high) = match nearness {
        Nearness::Close(parts) => around(&value, BigInt::from(parts) << (value.format().precision().saturating_sub(7))),
        Nearness::Wide(binades) => around(&value, BigInt::from(binades) << (value.format().precision() - 1)),
        Nearness::Same => (value.clone(), value),
    };
    let (low, high) = (store.float_const(low), store.float_const(high));
    if low == high {
        return Some(store.mk(Op::Eq, &[term, low]));
    }
    let bounds = [store.mk(Op::FpLe, &[low, term]), store.mk(Op::FpLe, &[term, high])];
    Some(store.and(&bounds))
}

/// The least and the greatest finite number of the same sign within so many steps of a number; zeros and infinities stand alone.
fn around(value: &Float, steps: BigInt) -> (Float, Float) {
    let format = value.format();
    let Some(place) = value.ordinal().filter(|_| value.is_finite() && !value.is_zero()) else {
        return (value.clone(), value.clone());
    };
    // Beyond the greatest finite number stands an infinity.
    let greatest = Float::infinity(format, false).next_down().ordinal().unwrap_or_else(BigInt::one);
    let nearest = (place.abs() - &steps).max(BigInt::one());
    let farthest = (place.abs() + steps).min(greatest);
    match value.is_negative() {
        false => (Float::from_ordinal(format, &nearest), Float::from_ordinal(format, &farthest)),
        true => (Float::from_ordinal(format, &-farthest), Float::from_ordinal(format, &-nearest)),
    }
}

#[cfg(test)]
mod tests {
    use labrys_float::Format;
    use labrys_program::FunctionId;

    use super::*;

    #[test]
    fn what_is_around_a_number_has_its_sign_and_is_finite() {
        let bounds = |value: f64, steps: u64| {
            let (low, high) = around(&Float::from_f64(value), BigInt::from(steps));
            [low, high].map(|bound| f64::from_bits(bound.to_u128().unwrap_or_default() as u64))
        };
        let binade = 1 << 52;
        assert_eq!(bounds(8.0, binade), [4.0, 16.0]);
        assert_eq!(bounds(-8.0, binade), [-16.0, -4.0]);
        assert_eq!(bounds(5e-324, binade), [5e-324, f64::from_bits(1 + binade)]);
        assert_eq!(bounds(-f64::MAX, 1), [-f64::MAX, (-f64::MAX).next_up()]);
        assert_eq!(bounds(f64::INFINITY, binade), [f64::INFINITY; 2]);
        assert_eq!(bounds(-0.0, 1).map(f64::to_bits), [(-0.0f64).to_bits(); 2]);
    }

    #[test]
    fn integers_are_met_exactly_or_not_at_all() {
        let mut store = Store::new();
        let n = store.variable("n", Sort::BitVec(32));
        let wanted =
            Argument { parameter: 0, scalar: ScalarType::Int { bits: 32, signed: true }, bits: (-1i128) as u128 };
        let condition = is_near(&mut store, n, &wanted, Nearness::Close(1)).unwrap();
        let all_ones = store.bv_const(32, u32::MAX);
        assert_eq!(condition, store.mk(Op::Eq, &[n, all_ones]));
        assert_eq!(is_near(&mut store, n, &wanted, Nearness::Wide(4)), None);
        let x = store.variable("x", Sort::Float(Format::BINARY64));
        assert_eq!(is_near(&mut store, x, &wanted, Nearness::Same), None);
    }

    #[test]
    fn arguments_that_a_path_fixes_ask_for_nothing() {
        let mut store = Store::new();
        let x = store.variable("x", Sort::Float(Format::BINARY64));
        let y = store.variable("y", Sort::Float(Format::BINARY64));
        let sign = store.float_const(Float::from_f64(-1.0));
        let path = store.bool_const(true);
        let scalar = ScalarType::Float(labrys_program::FloatType::F64);
        let argument = |parameter, value: f64| Argument { parameter, scalar, bits: value.to_bits().into() };
        let function = FunctionId(0);
        let wanted = [argument(0, 2.0), argument(1, 1.0), argument(2, 3.0)];
        let arrival = Arrival { function, path, arguments: vec![Some(x), Some(sign), Some(y)] };
        let mut conditions =
            |arrival: &Arrival, together| passes(&mut store, arrival, &wanted, Nearness::Same, together);
        assert_eq!(conditions(&arrival, Together::All).len(), 1);
        assert_eq!(conditions(&arrival, Together::Each).len(), 2);
        let fixed = Arrival { arguments: vec![None, Some(sign)], ..arrival.clone() };
        assert_eq!(conditions(&fixed, Together::All), [path]);
        let unknown = Arrival { arguments: vec![None, None], ..arrival };
        assert!(conditions(&unknown, Together::All).is_empty());
    }
}
