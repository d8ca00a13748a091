//! Domains as people read them: `[1.5, 3] ∪ {+oo, NaN}`, bounds included, in shortest decimals.

use std::fmt;

use labrys_float::{Float, Format};
use num_bigint::BigUint;

use super::bit_vector::BitVecDomain;
use super::facts::Domain;
use super::float::{FloatDomain, Range};
use super::mode::ModeDomain;
use super::truth::BoolDomain;

impl fmt::Display for Domain {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Domain::Bool(domain) => domain.fmt(f),
            Domain::Float(domain) => domain.fmt(f),
            Domain::BitVec(domain) => domain.fmt(f),
            Domain::RoundingMode(domain) => domain.fmt(f),
        }
    }
}

impl fmt::Display for BoolDomain {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            BoolDomain::Empty => "{}",
            BoolDomain::True => "{true}",
            BoolDomain::False => "{false}",
            BoolDomain::Any => "{true, false}",
        })
    }
}

impl fmt::Display for ModeDomain {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<String> = self.modes().map(|mode| format!("{mode:?}")).collect();
        write!(f, "{{{}}}", names.join(", "))
    }
}

/// An interval, or its only member.
fn interval(format: Format, range: Range, negative: bool) -> String {
    let number = |magnitude: u128| {
        let value = Float::from_bits(format, BigUint::from(magnitude));
        let value = if negative { value.neg() } else { value };
        value.to_shortest_decimal()
    };
    let (first, last) = if negative { (range.high, range.low) } else { (range.low, range.high) };
    if first == last { format!("{{{}}}", number(first)) } else { format!("[{}, {}]", number(first), number(last)) }
}

impl fmt::Display for FloatDomain {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut parts = Vec::new();
        parts.extend(self.negative.map(|range| interval(self.format, range, true)));
        parts.extend(self.positive.map(|range| interval(self.format, range, false)));
        let special = [
            (self.minus_zero, "-0"),
            (self.plus_zero, "+0"),
            (self.minus_infinity, "-oo"),
            (self.plus_infinity, "+oo"),
            (self.nan, "NaN"),
        ];
        let names: Vec<&str> = special.iter().filter(|(member, _)| *member).map(|(_, name)| *name).collect();
        if !names.is_empty() || parts.is_empty() {
            parts.push(format!("{{{}}}", names.join(", ")));
        }
        f.write_str(&parts.join(" ∪ "))
    }
}

impl fmt::Display for BitVecDomain {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.low > self.high {
            return f.write_str("{}");
        }
        if self.low == self.high {
            return write!(f, "{{{}}}", self.low);
        }
        write!(f, "[{}, {}]", self.low, self.high)?;
        if self.ones | self.zeros != 0 {
            f.write_str(", bits ")?;
            for place in (0..self.width.min(128)).rev() {
                let known = (self.ones >> place & 1 == 1, self.zeros >> place & 1 == 1);
                f.write_str(match known {
                    (true, _) => "1",
                    (false, true) => "0",
                    (false, false) => "?",
                })?;
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn domains_are_readable() {
        let [low, high] = [1.5, 3.0].map(Float::from_f64);
        let positive = FloatDomain::between(&low, &high);
        assert_eq!(positive.to_string(), "[1.5, 3]");
        let both = positive.hull(&FloatDomain::only(&low.neg()));
        let with_nan = FloatDomain { nan: true, minus_zero: true, ..both };
        assert_eq!(with_nan.to_string(), "{-1.5} ∪ [1.5, 3] ∪ {-0, NaN}");
        assert_eq!(FloatDomain::empty(Format::BINARY64).to_string(), "{}");
        assert_eq!(BitVecDomain::only(8, 7).to_string(), "{7}");
        let bits = BitVecDomain::bits(4, 0b0010, 0b1000);
        assert_eq!(bits.to_string(), "[2, 7], bits 0?1?");
        assert_eq!(Domain::Bool(BoolDomain::True).to_string(), "{true}");
    }
}
