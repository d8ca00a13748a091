//! What is expected of a call.

use labrys_float::{Flags, Float};
use labrys_program::{OutputLayout, ScalarType};

/// Distances in more ulps are told by the numbers at their ends.
const MOST_COUNTED: u64 = 100_000;

/// What a test expects of a call. Outputs are named by their index among the leaves of the output record.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Expectation {
    /// None of these exceptions is raised.
    NotRaised(Flags),
    /// A float is finite.
    Finite(usize),
    /// A float is NaN.
    Nan(usize),
    /// An output is that of an encoding: an infinity, an integer, or a float with its sign.
    Equal(usize, u128),
    /// A float is finite and at most so many floats away from that of an encoding, which is finite. Both zeros are counted.
    Within(usize, u128, u64),
}

/// The place of an encoding among the floats of its width in order. Negative zero is one before positive zero; NaNs lie at the ends.
pub(super) fn place(bits: u128, width: u32) -> i128 {
    let sign = 1u128 << (width - 1);
    if bits & sign == 0 { bits as i128 } else { -((bits & (sign - 1)) as i128) - 1 }
}

/// The encoding at a place.
fn encoding(place: i128, width: u32) -> u128 {
    let sign = 1u128 << (width - 1);
    if place >= 0 { (place as u128).min(sign - 1) } else { sign | (-(place + 1)).unsigned_abs().min(sign - 1) }
}

/// Whether all of a float's exponent is ones.
pub(super) fn is_special(scalar: ScalarType, bits: u128) -> bool {
    let ScalarType::Float(float) = scalar else { return false };
    let value = Float::from_bits(float.format(), bits);
    value.is_nan() || value.is_infinite()
}

impl Expectation {
    /// That an output is as recorded, floats within so many ulps.
    pub fn recorded(output: usize, scalar: ScalarType, bits: u128, ulps: u64) -> Expectation {
        match scalar {
            ScalarType::Float(float) => {
                let value = Float::from_bits(float.format(), bits);
                if value.is_nan() {
                    Expectation::Nan(output)
                } else if value.is_infinite() || ulps == 0 {
                    Expectation::Equal(output, bits)
                } else {
                    Expectation::Within(output, bits, ulps)
                }
            }
            _ => Expectation::Equal(output, bits),
        }
    }

    /// Whether a call that raised these exceptions and left this output record is as expected.
    pub fn is_met(&self, layout: &OutputLayout, flags: Flags, record: &[u8]) -> bool {
        let read = |output: usize| {
            let leaf = layout.leaves.get(output)?;
            Some((leaf.scalar, leaf.scalar.read(record, leaf.offset)))
        };
        match self {
            Expectation::NotRaised(unwanted) => !flags.intersects(*unwanted),
            Expectation::Finite(output) => read(*output).is_some_and(|(scalar, bits)| !is_special(scalar, bits)),
            Expectation::Nan(output) => read(*output).is_some_and(|(scalar, bits)| match scalar {
                ScalarType::Float(float) => Float::from_bits(float.format(), bits).is_nan(),
                _ => false,
            }),
            Expectation::Equal(output, wanted) => read(*output).is_some_and(|(_, bits)| bits == *wanted),
            Expectation::Within(output, wanted, ulps) => read(*output).is_some_and(|(scalar, bits)| {
                let width = scalar.value_bytes() as u32 * 8;
                let apart = place(bits, width).abs_diff(place(*wanted, width));
                !is_special(scalar, bits) && apart <= u128::from(*ulps)
            }),
        }
    }

    /// The output that it is about.
    pub fn output(&self) -> Option<usize> {
        match self {
            Expectation::NotRaised(_) => None,
            Expectation::Finite(output)
            | Expectation::Nan(output)
            | Expectation::Equal(output, _)
            | Expectation::Within(output, ..) => Some(*output),
        }
    }

    /// It in words.
    pub(super) fn words(&self, layout: &OutputLayout) -> String {
        let path = self.output().and_then(|output| layout.leaves.get(output));
        let name = path.map_or("", |leaf| leaf.path.as_str());
        let shown = |bits: u128| {
            let Some(leaf) = path else { return String::new() };
            let value = crate::Value::scalar(None, leaf.scalar, bits);
            let (decimal, hex) = (value.decimal.unwrap_or_default(), value.hex.unwrap_or_default());
            if matches!(leaf.scalar, ScalarType::Float(_)) && hex != decimal {
                format!("{hex} ({decimal})")
            } else {
                decimal
            }
        };
        match self {
            Expectation::NotRaised(flags) => format!("no {} is raised", listed(*flags)),
            Expectation::Finite(_) => format!("{name} is finite"),
            Expectation::Nan(_) => format!("{name} is NaN"),
            Expectation::Equal(_, bits) => format!("{name} is {}", shown(*bits)),
            Expectation::Within(_, bits, 1) => format!("{name} is within 1 ulp of {}", shown(*bits)),
            // So many floats say nothing to anybody.
            Expectation::Within(output, bits, ulps) if *ulps > MOST_COUNTED => {
                let width = layout.leaves.get(*output).map_or(64, |leaf| leaf.scalar.value_bytes() as u32 * 8);
                let ends =
                    [-1, 1].map(|sign| encoding(place(*bits, width).saturating_add(sign * i128::from(*ulps)), width));
                format!("{name} is between {} and {}", shown(ends[0]), shown(ends[1]))
            }
            Expectation::Within(_, bits, ulps) => format!("{name} is within {ulps} ulps of {}", shown(*bits)),
        }
    }
}

fn listed(flags: Flags) -> String {
    let word = |name: &'static str| if name == "divbyzero" { "division by zero" } else { name };
    flags.names().into_iter().map(word).collect::<Vec<_>>().join(" and no ")
}

#[cfg(test)]
mod tests {
    use labrys_program::{FloatType, LengthOptions, parse_signature};

    use super::*;

    #[test]
    fn places_are_in_order_and_count_both_zeros() {
        let order = [-f64::MAX, -1.0, -5e-324, -0.0, 0.0, 5e-324, 1.0, f64::MAX];
        let places: Vec<i128> = order.iter().map(|value| place(value.to_bits().into(), 64)).collect();
        assert!(places.is_sorted_by(|a, b| a < b), "{places:?}");
        assert_eq!(places[3..6], [-1, 0, 1]);
        assert_eq!(place(0xffff_0000, 32), -0x7fff_0001);
        assert!(order.iter().zip(&places).all(|(of, place)| encoding(*place, 64) == u128::from(of.to_bits())));
    }

    #[test]
    fn recorded_floats_are_met_by_themselves_and_their_neighbours() {
        let layout = parse_signature("double f(double x)", &LengthOptions::default()).expect("C").output_layout();
        let double = ScalarType::Float(FloatType::F64);
        let met = |wanted: f64, ulps, is: f64| {
            let expectation = Expectation::recorded(0, double, wanted.to_bits().into(), ulps);
            let mut record = vec![0; layout.size];
            record[..8].copy_from_slice(&is.to_le_bytes());
            expectation.is_met(&layout, Flags::empty(), &record)
        };
        assert!(met(1.0, 0, 1.0) && !met(1.0, 0, 1.0f64.next_up()) && met(1.0, 1, 1.0f64.next_up()));
        assert!(!met(1.0, 1, 1.0f64.next_up().next_up()) && met(0.0, 1, -0.0) && !met(0.0, 0, -0.0));
        assert!(met(f64::NAN, 0, -f64::NAN) && !met(f64::NAN, 9, 1.0) && !met(1.0, u64::MAX, f64::NAN));
        assert!(met(f64::INFINITY, 5, f64::INFINITY) && !met(f64::INFINITY, 5, f64::MAX));
        assert!(!met(f64::MAX, 5, f64::INFINITY), "one ulp apart, and not finite");
    }
}
