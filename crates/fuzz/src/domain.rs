//! What one scalar of an input may be.

use labrys_program::{FloatType, Leaf, ScalarType};

use crate::encoding::Encoding;

/// Which values float inputs take.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum InputClass {
    /// Finite values, ±0, ±∞ and quiet NaNs.
    #[default]
    All,
    /// Finite values only.
    Finite,
}

/// The values one leaf takes. Floats are bounded in ordinals (see `encoding`), integers by value; bounds are inclusive.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Domain {
    /// Numbers between two ordinals, and perhaps quiet NaNs.
    Float { encoding: Encoding, low: i128, high: i128, nan: bool },
    /// Integers of a width in bits.
    Int { bits: u32, signed: bool, low: i128, high: i128 },
}

impl Domain {
    /// All that the class admits.
    pub fn new(scalar: ScalarType, class: InputClass) -> Domain {
        match scalar {
            ScalarType::Float(float) => {
                let encoding = Encoding::of(float);
                let finite = class == InputClass::Finite;
                let high = encoding.infinity() - i128::from(finite);
                Domain::Float { encoding, low: -high, high, nan: !finite }
            }
            ScalarType::Int { bits, signed: true } => {
                let half = 1i128 << (bits - 1);
                Domain::Int { bits, signed: true, low: -half, high: half - 1 }
            }
            ScalarType::Int { bits, signed: false } => {
                Domain::Int { bits, signed: false, low: 0, high: (1 << bits) - 1 }
            }
            ScalarType::Bool => Domain::Int { bits: 8, signed: false, low: 0, high: 1 },
        }
    }

    /// Leaves a float whose bounds nobody has narrowed yet the numbers of `grid`.
    pub fn set_grid(&mut self, scalar: ScalarType, grid: FloatType) {
        if let (Domain::Float { encoding, low, high, .. }, ScalarType::Float(float)) = (self, scalar) {
            let with_infinities = *high == encoding.infinity();
            *encoding = Encoding::on_grid(float, grid);
            *high = encoding.infinity() - i128::from(!with_infinities);
            *low = -*high;
        }
    }

    /// The bounds.
    pub fn bounds(&self) -> (i128, i128) {
        match *self {
            Domain::Float { low, high, .. } | Domain::Int { low, high, .. } => (low, high),
        }
    }

    /// Narrows the bounds; a bounded float is no NaN.
    pub fn intersect(&mut self, from: i128, to: i128) {
        match self {
            Domain::Float { low, high, nan, .. } => {
                *nan = false;
                (*low, *high) = ((*low).max(from), (*high).min(to));
            }
            Domain::Int { low, high, .. } => (*low, *high) = ((*low).max(from), (*high).min(to)),
        }
    }

    /// Whether nothing is left.
    pub fn is_empty(&self) -> bool {
        let (low, high) = self.bounds();
        low > high
    }

    /// An encoding's place on the domain's scale: a float's ordinal, an integer's value; `None` for NaNs.
    pub fn place(&self, bits: u128) -> Option<i128> {
        match *self {
            Domain::Float { encoding, .. } => encoding.ordinal(bits),
            Domain::Int { bits: width, signed, .. } => {
                let unused = 128 - width;
                let value = (bits << unused) as i128;
                Some(if signed { value >> unused } else { (value as u128 >> unused) as i128 })
            }
        }
    }

    /// The encoding at the place nearest to `place` within the bounds.
    pub fn at(&self, place: i128) -> u128 {
        let (low, high) = self.bounds();
        let place = place.min(high).max(low);
        match *self {
            Domain::Float { encoding, .. } => encoding.at(place),
            Domain::Int { bits, .. } => place as u128 & ((1 << bits) - 1),
        }
    }

    /// The member nearest to a number, as doubles tell.
    pub fn near(&self, value: f64) -> u128 {
        match *self {
            Domain::Float { encoding, .. } => self.at(encoding.nearest(value)),
            Domain::Int { .. } => self.at(value.round() as i128),
        }
    }

    /// The bounds as doubles.
    pub fn values(&self) -> (f64, f64) {
        let (low, high) = self.bounds();
        match *self {
            Domain::Float { encoding, .. } => (encoding.approximation(low), encoding.approximation(high)),
            Domain::Int { .. } => (low as f64, high as f64),
        }
    }

    /// Whether an encoding is a member.
    pub fn admits(&self, bits: u128) -> bool {
        match (self, self.place(bits)) {
            (Domain::Float { encoding, nan, .. }, None) => *nan && encoding.is_quiet_nan(bits),
            (_, None) => false,
            (_, Some(place)) => {
                let (low, high) = self.bounds();
                low <= place && place <= high
            }
        }
    }

    /// The member nearest to zero.
    pub fn simplest(&self) -> u128 {
        self.at(0)
    }

    /// How many members there are; both zeros count, and every payload of a quiet NaN.
    pub fn count(&self) -> u128 {
        let (low, high) = self.bounds();
        if low > high {
            return 0;
        }
        // Bounds are within twice 2^79: no sum overflows.
        let numbers = (high - low) as u128 + 1;
        match *self {
            Domain::Float { encoding, nan, .. } => {
                numbers + u128::from(self.has_zeros()) + if nan { 2 * encoding.quiet_nans() } else { 0 }
            }
            Domain::Int { .. } => numbers,
        }
    }

    /// The member of this number, below [`Domain::count`]: numbers upwards, then the negative zero, then NaNs.
    pub fn member(&self, index: u128) -> u128 {
        let (low, high) = self.bounds();
        let numbers = (high - low) as u128 + 1;
        if index < numbers {
            return self.at(low + index as i128);
        }
        let rest = index - numbers;
        match *self {
            Domain::Float { encoding, .. } => match (self.has_zeros(), rest) {
                (true, 0) => encoding.negate(encoding.at(0)),
                (has_zeros, rest) => {
                    let rest = rest - u128::from(has_zeros);
                    let nan = encoding.quiet_nan(rest / 2);
                    if rest % 2 == 0 { nan } else { encoding.negate(nan) }
                }
            },
            Domain::Int { .. } => self.at(high),
        }
    }

    /// Whether a float's bounds admit the zeros, which are two members at one place.
    fn has_zeros(&self) -> bool {
        matches!(*self, Domain::Float { low, high, .. } if low <= 0 && 0 <= high)
    }

    /// Members that programs treat specially, plainest first; duplicates are possible.
    pub fn specials(&self) -> Vec<u128> {
        let (low, high) = self.bounds();
        let mut list = match *self {
            Domain::Float { encoding, .. } => {
                let power = |k| encoding.power_of_two(k);
                let (emax, fraction) = (encoding.max_exponent(), i64::from(encoding.fraction_bits()));
                let one = power(0);
                let largest = encoding.infinity() - 1;
                let magnitudes = [one, encoding.infinity(), largest, power(1 - emax), 1, power(1), power(-1)];
                let rarer = [one + 1, one - 1, power(emax / 2), power(-emax / 2), power(fraction), power(-fraction)];
                let mut list = vec![encoding.at(0), encoding.negate(encoding.at(0)), encoding.nan()];
                for magnitude in magnitudes.into_iter().chain(rarer) {
                    list.extend([encoding.at(magnitude), encoding.at(-magnitude)]);
                }
                list
            }
            Domain::Int { bits, .. } => {
                let places = [0, 1, -1, 2, 3, 10, 1 << (bits / 2), (1 << (bits / 2)) - 1];
                places.into_iter().filter(|place| (low..=high).contains(place)).map(|place| self.at(place)).collect()
            }
        };
        list.extend([self.at(low), self.at(high)]);
        list.retain(|bits| self.admits(*bits));
        list
    }
}

/// A leaf and its domain.
#[derive(Clone, Debug)]
pub(crate) struct Variable {
    pub leaf: Leaf,
    pub domain: Domain,
}

impl Variable {
    /// Its place in a record; `None` for NaNs.
    pub fn place(&self, record: &[u8]) -> Option<i128> {
        self.domain.place(self.leaf.read(record))
    }

    /// Moves it to the place nearest to `place` within its bounds.
    pub fn put(&self, record: &mut [u8], place: i128) {
        self.leaf.write(record, self.domain.at(place));
    }

    /// Whether it is a float.
    pub fn is_float(&self) -> bool {
        matches!(self.domain, Domain::Float { .. })
    }
}
