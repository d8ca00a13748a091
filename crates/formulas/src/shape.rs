//! What formulas may hold, and how much of it.

use std::ops::RangeInclusive;

use labrys_float::Format;

/// Bounds of the random choices.
#[derive(Clone, Debug)]
pub struct Shape {
    /// Formats as exponent bits and precision; a formula has one or two of them.
    pub formats: Vec<(u32, u32)>,
    /// Widths of bit vectors; a formula has up to three of them, and those that operators make.
    pub widths: Vec<u32>,
    /// No bit vector is wider, whatever operators could make.
    pub widest: u32,
    /// Whether there may be arrays.
    pub arrays: bool,
    /// Whether values that the standard leaves open may matter: minima of different zeros, conversions out of range.
    pub open: bool,
    /// How many terms are grown.
    pub terms: RangeInclusive<usize>,
    /// Bits of all variables together at most.
    pub variable_bits: u32,
    /// Widths of floats up to which remainders are taken: their circuits are as long as the range of exponents.
    pub remainders: u32,
}

/// Formats of few enough values to enumerate.
const TINY: [(u32, u32); 7] = [(2, 2), (2, 3), (3, 2), (3, 3), (3, 4), (2, 5), (4, 3)];

/// Formats that other solvers take, too.
const COMMON: [(u32, u32); 4] = [(5, 11), (8, 24), (11, 53), (15, 113)];

/// Odd ones: all exponent, all fraction, as wide as no hardware.
const ODD: [(u32, u32); 10] = [(2, 2), (3, 3), (2, 9), (7, 2), (4, 4), (8, 8), (9, 7), (5, 20), (12, 40), (15, 64)];

/// Around the widths of machine words, of floats and their parts, and of the engines' own words.
const WIDTHS: [u32; 36] = [
    1, 1, 2, 3, 4, 4, 5, 7, 8, 8, 9, 11, 12, 16, 16, 23, 24, 31, 32, 32, 33, 52, 53, 63, 64, 64, 65, 80, 96, 113, 127,
    128, 129, 160, 191, 192,
];

/// Of `_BitInt`: more than the engines' words have, a few of each beside ordinary ones.
const WIDE: [u32; 12] = [1, 8, 32, 64, 129, 200, 255, 256, 257, 384, 511, 512];

impl Shape {
    /// Few enough bits to try all assignments; what the engines read by themselves.
    pub fn tiny() -> Shape {
        Shape {
            formats: TINY.to_vec(),
            widths: vec![1, 2, 3, 4, 5],
            widest: 16,
            arrays: false,
            open: false,
            terms: 3..=14,
            variable_bits: 12,
            remainders: 16,
        }
    }

    /// The same with arrays and open values.
    pub fn tiny_open() -> Shape {
        Shape { arrays: true, open: true, ..Shape::tiny() }
    }

    /// The formats and widths that other solvers take.
    pub fn common() -> Shape {
        Shape {
            formats: COMMON.to_vec(),
            widths: WIDTHS.to_vec(),
            widest: 192,
            variable_bits: u32::MAX,
            ..Shape::tiny()
        }
    }

    /// Every format, every width up to 192 bits, arrays and open values.
    pub fn full() -> Shape {
        Shape {
            formats: [&TINY[..], &COMMON, &ODD].concat(),
            widths: WIDTHS.to_vec(),
            widest: 192,
            arrays: true,
            open: true,
            terms: 3..=24,
            variable_bits: u32::MAX,
            remainders: 16,
        }
    }

    /// The same without arrays and open values: what engines read without preparation.
    pub fn guarded() -> Shape {
        Shape { arrays: false, open: false, ..Shape::full() }
    }

    /// Integers of up to 512 bits and the formats of x86-64.
    pub fn wide() -> Shape {
        Shape { formats: COMMON.to_vec(), widths: WIDE.to_vec(), widest: 512, terms: 3..=14, ..Shape::guarded() }
    }

    /// The formats themselves.
    pub(crate) fn format(&self, index: usize) -> Format {
        let (exponent, precision) = self.formats[index % self.formats.len()];
        Format::new(exponent, precision)
    }
}
