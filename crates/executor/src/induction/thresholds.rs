//! The constants of a program, along which bounds are weakened: widening with thresholds.

use labrys_float::{Environment, Float, Format};
use labrys_interp::Int;
use labrys_program::Function;
use labrys_term::TermId;

use crate::constants::constants_of;

/// Integers that bounds are taken from.
const MOST_CONSTANTS: usize = 256;

/// The constants of a program around a loop.
#[derive(Clone, Debug, Default)]
pub(super) struct Constants {
    /// As signed numbers, ascending.
    ints: Vec<i128>,
    /// Ascending.
    floats: Vec<f64>,
}

impl Constants {
    pub(super) fn of<'p>(functions: impl Iterator<Item = &'p Function>) -> Constants {
        let mut all = Constants { ints: vec![-1, 0, 1, 127, 255, 32767, 65535], floats: vec![0.0, 1.0] };
        let (ints, floats) = constants_of(functions);
        all.ints.extend(ints.into_iter().flat_map(|value| [value - 1, value, value + 1]));
        all.floats.extend(floats);
        // Of many the small ones, by which things are counted.
        all.ints.sort_unstable_by_key(|value| (value.unsigned_abs(), *value));
        all.ints.dedup();
        all.ints.truncate(MOST_CONSTANTS);
        all.ints.sort_unstable();
        all.floats.extend(all.floats.clone().iter().map(|value| -value));
        all.floats.push(f64::MAX);
        all.floats.push(f64::MIN);
        all.floats.sort_by(f64::total_cmp);
        all.floats.dedup();
        all
    }

    /// Takes further numbers for floats.
    pub(super) fn extend(&mut self, floats: impl IntoIterator<Item = f64>) {
        self.floats.extend(floats);
        self.floats.sort_by(f64::total_cmp);
        self.floats.dedup();
    }

    /// The first constant at or beyond a value; none where it is the last of its type.
    pub(super) fn next_int(&self, bits: u32, is_signed: bool, is_upper: bool, value: u128) -> Option<u128> {
        let mask = u128::MAX >> (128 - bits);
        let fits = |constant: i128| {
            let low = if bits >= 127 { i128::MIN } else { -(1i128 << (bits - 1)) };
            let high = if bits >= 127 { i128::MAX } else { (1i128 << bits) - 1 };
            (low..=high).contains(&constant)
        };
        let all = self.ints.iter().copied().filter(|constant| fits(*constant)).map(|constant| constant as u128 & mask);
        if is_signed {
            let value = signed(bits, value);
            let all = all.map(|constant| signed(bits, constant));
            let next = match is_upper {
                true => all.filter(|constant| *constant >= value).min(),
                false => all.filter(|constant| *constant <= value).max(),
            };
            return next.map(|next| next as u128 & mask);
        }
        match is_upper {
            true => all.filter(|constant| *constant >= value).min(),
            false => all.filter(|constant| *constant <= value && *constant > 0).max(),
        }
    }

    /// The same of floats.
    pub(super) fn next_float(&self, format: Format, is_upper: bool, value: &Float) -> Option<Float> {
        let convert = |constant: &f64| Environment::default().convert(&Float::from_f64(*constant), format).value;
        let mut converted = self.floats.iter().map(convert);
        let is_beyond = |constant: &Float| match constant.compare(value) {
            Some(order) if is_upper => order.is_ge(),
            Some(order) => order.is_le(),
            None => false,
        };
        let fits = |constant: &Float| constant.is_finite() && is_beyond(constant);
        if is_upper { converted.find(fits) } else { converted.rfind(fits) }
    }
}

/// A number below 2^bits as two's complement, of at most 128 bits.
pub(super) fn signed(bits: u32, value: u128) -> i128 {
    Int::<TermId>::new(bits, value).signed().unwrap_or_default()
}
