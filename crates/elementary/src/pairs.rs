//! Functions of two operands on boxes: atan2, hypot and pow.

use labrys_float::{Environment, Flags, Float, Format, RoundingMode};

use crate::parts::{Part, parts};
use crate::range::{rank, ranked};
use crate::{Function, Image, Range, evaluate};

/// Adds what the function may return on the box.
pub(crate) fn add(image: &mut Image, function: Function, x: &Range, y: &Range, ulps: u32) {
    let plane = Plane { function, format: x.format(), ulps };
    let seconds = parts(y);
    for first in parts(x) {
        for second in &seconds {
            match function {
                Function::Pow => plane.power(image, &first, second),
                _ => plane.monotone(image, &first, second),
            }
        }
    }
}

struct Plane {
    function: Function,
    format: Format,
    ulps: u32,
}

impl Plane {
    fn ends(&self, part: &Part) -> [Float; 2] {
        match part {
            Part::Special(value) => [value.clone(), value.clone()],
            Part::Finite(low, high) => [ranked(self.format, *low), ranked(self.format, *high)],
        }
    }

    /// A box on which the function is monotone in each operand, whatever the other: its corners decide.
    ///
    /// hypot rises with either magnitude. The angle of (x, y) in the upper half plane falls as x rises; as y rises it rises in the right
    /// half plane and falls in the left one; zeros belong to the quadrant of their sign.
    fn monotone(&self, image: &mut Image, first: &Part, second: &Part) {
        let mut corners = Vec::new();
        for x in self.ends(first) {
            for y in self.ends(second) {
                corners.push(evaluate(self.function, &[x.clone(), y]));
            }
        }
        let is_special = |part: &Part| matches!(part, Part::Special(_));
        // hypot(x, 0) is |x| and infinities are infinite; the angle of a positive number is zero.
        let is_exact = match self.function {
            Function::Atan2 => corners.iter().all(|corner| corner.value.is_zero() && corner.flags.is_empty()),
            _ => is_special(first) || is_special(second),
        };
        let key = |corner: &&labrys_float::Rounded| rank(&corner.value);
        let (Some(least), Some(greatest)) = (corners.iter().min_by_key(key), corners.iter().max_by_key(key)) else {
            return;
        };
        if is_exact {
            image.flags |= least.flags | greatest.flags;
            image.ranges.extend(Range::new(least.value.clone(), greatest.value.clone()));
        } else {
            image.add_between(self.function, &least.value, &greatest.value, self.ulps);
        }
    }

    fn power(&self, image: &mut Image, base: &Part, exponent: &Part) {
        match (base, exponent) {
            (_, Part::Special(y)) if y.is_zero() => image.ranges.extend(Range::only(Float::one(self.format))),
            (Part::Special(x), _) => self.power_of_special(image, x, exponent),
            (Part::Finite(low, high), _) if *low > 0 => self.power_of_positive(image, (*low, *high), exponent, false),
            (Part::Finite(low, high), Part::Special(_)) => {
                self.power_of_positive(image, (!*high, !*low), exponent, false);
            }
            (Part::Finite(low, high), Part::Finite(least, greatest)) => {
                let (least, greatest) = self.integers(image, *least, *greatest);
                if least > greatest {
                    return;
                }
                let (even, odd) = self.parities(least, greatest);
                let exponents = Part::Finite(least, greatest);
                for negative in [(even, false), (odd, true)].into_iter().filter(|(some, _)| *some).map(|(_, sign)| sign)
                {
                    self.power_of_positive(image, (!*high, !*low), &exponents, negative);
                }
            }
        }
    }

    /// A zero or infinite base: zeros, infinities and poles, negative where the exponent is an odd integer. C leaves it
    /// open whether 0^−∞ is a pole.
    fn power_of_special(&self, image: &mut Image, base: &Float, exponent: &Part) {
        for y in self.ends(exponent) {
            if base.is_zero() && y.is_infinite() && y.is_negative() {
                image.flags |= Flags::DIVBYZERO;
            }
            image.add_exactly(&evaluate(Function::Pow, &[base.abs(), y]));
        }
        if let (true, Part::Finite(low, high)) = (base.is_negative(), exponent) {
            let mut ignored = Image::default();
            let (least, greatest) = self.integers(&mut ignored, *low, *high);
            if least <= greatest && self.parities(least, greatest).1 {
                let mut result = evaluate(Function::Pow, &[base.abs(), ranked(self.format, least)]);
                result.value = result.value.neg();
                image.add_exactly(&result);
            }
        }
    }

    /// x^y = exp(y ln x) for the magnitudes `low..=high` and a one-signed y: y ln x has its extrema in corners.
    fn power_of_positive(&self, image: &mut Image, (low, high): (i128, i128), exponent: &Part, negative: bool) {
        let one = rank(&Float::one(self.format)).unwrap_or(0);
        let signed = |value: Float| if negative { value.neg() } else { value };
        let is_exact = matches!(exponent, Part::Special(_));
        for (low, high) in [(low, high.min(one - 1)), (low.max(one), high.min(one)), (low.max(one + 1), high)] {
            if low > high {
                continue;
            }
            if low == one && high == one && !negative {
                image.ranges.extend(Range::only(Float::one(self.format)));
                continue;
            }
            let mut corners = Vec::new();
            for y in self.ends(exponent) {
                for x in [low, high] {
                    corners.push(signed(evaluate(Function::Pow, &[ranked(self.format, x), y.clone()]).value));
                }
            }
            let (least, greatest) =
                (corners.iter().min_by_key(|value| rank(value)), corners.iter().max_by_key(|value| rank(value)));
            let (Some(least), Some(greatest)) = (least, greatest) else { continue };
            if is_exact {
                image.ranges.extend(Range::new(least.clone(), greatest.clone()));
            } else {
                image.add_between(Function::Pow, least, greatest, self.ulps);
            }
        }
    }

    /// The integers among exponents of one sign, by rank; other exponents of a negative base are invalid.
    fn integers(&self, image: &mut Image, low: i128, high: i128) -> (i128, i128) {
        let to = |place: i128, mode: RoundingMode| {
            let integral = Environment::default().round_to_integral(&ranked(self.format, place), mode, false).value;
            rank(&integral).unwrap_or(place)
        };
        let (least, greatest) = (to(low, RoundingMode::TowardPositive), to(high, RoundingMode::TowardNegative));
        // Every float from 2^(p−1) on is an integer.
        let whole = i128::from(self.format.precision() - 1) + self.format.max_exponent() as i128;
        let whole = whole << (self.format.precision() - 1);
        let are_all_integers = low.max(!high) >= whole || low == high && least == low;
        if !are_all_integers {
            image.add_invalid();
        }
        // Rounding may have reached a zero, which has a part of its own.
        if low > 0 { (least.max(1), greatest) } else { (least, greatest.min(-2)) }
    }

    /// Whether even and odd integers are among exponents whose ends are integers of one sign.
    fn parities(&self, least: i128, greatest: i128) -> (bool, bool) {
        let environment = Environment::default();
        let two = environment.from_integer(&2.into(), self.format).value;
        let is_even = |place: i128| environment.fmod(&ranked(self.format, place), &two).value.is_zero();
        if least == greatest {
            return (is_even(least), !is_even(least));
        }
        // Floats from 2^p on are even.
        let even = i128::from(self.format.precision()) + self.format.max_exponent() as i128;
        let even = even << (self.format.precision() - 1);
        (true, least.max(!greatest) < even)
    }
}
