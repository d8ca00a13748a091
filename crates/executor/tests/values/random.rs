//! Random programs, and random bit patterns that are special often.

use labrys_float::{Format, RoundingMode};
use labrys_interp::{ClassMask, FloatOperation};
use labrys_program::{FloatPredicate, IntBinary, IntPredicate};
use rand::RngExt;
use rand_pcg::Pcg64;

use crate::program::{Kind, Step, StraightLine};

/// The formats that programs use.
pub const FORMATS: [Format; 3] = [Format::BINARY64, Format::BINARY32, Format::X87];

/// Operations of a processor or of one library function on a format.
pub fn operations(format: Format) -> Vec<FloatOperation> {
    let mut all = vec![
        FloatOperation::Add,
        FloatOperation::Sub,
        FloatOperation::Mul,
        FloatOperation::Div,
        FloatOperation::Sqrt,
        FloatOperation::Neg,
        FloatOperation::Abs,
        FloatOperation::CopySign,
    ];
    if format != Format::BINARY16 {
        all.extend([
            FloatOperation::Rem,
            FloatOperation::IeeeRemainder,
            FloatOperation::Fma,
            FloatOperation::MinNum,
            FloatOperation::MaxNum,
            FloatOperation::Canonicalize,
            FloatOperation::RoundToIntegral { mode: None, inexact: true },
            FloatOperation::RoundToIntegral { mode: None, inexact: false },
        ]);
        let modes = [
            RoundingMode::NearestAway,
            RoundingMode::TowardPositive,
            RoundingMode::TowardNegative,
            RoundingMode::TowardZero,
        ];
        all.extend(modes.map(|mode| FloatOperation::RoundToIntegral { mode: Some(mode), inexact: false }));
    }
    if matches!(format, Format::BINARY32 | Format::BINARY64) {
        // clang 22 cannot compile these for x87's type.
        all.extend([FloatOperation::Minimum, FloatOperation::Maximum]);
        all.extend([FloatOperation::MinimumNumber, FloatOperation::MaximumNumber]);
    }
    for to in [Format::BINARY16, Format::BINARY32, Format::BINARY64, Format::X87] {
        if to != format {
            all.push(FloatOperation::Convert(to));
        }
    }
    all
}

/// True half of the time.
pub fn coin(random: &mut Pcg64) -> bool {
    random.random()
}

/// Bits of a float: any, special, near a power of two, small integers.
pub fn float_bits(random: &mut Pcg64, format: Format) -> u128 {
    let width = format.width();
    let mask = u128::MAX >> (128 - width);
    let stored = format.stored_significand_bits();
    let fraction = (1u128 << (format.precision() - 1)) - 1;
    let leading = if format.has_explicit_leading_bit() { 1u128 << (format.precision() - 1) } else { 0 };
    let top = (1u128 << format.exponent_bits()) - 1;
    let any: u128 = random.random();
    let sign = if random.random() { 1 << (width - 1) } else { 0 };
    let field = match random.random_range(0..8) {
        // Anything, invalid encodings included.
        0 => return any & mask,
        1 | 2 => top,
        3 => 0,
        4 => 1,
        5 => top - 1,
        _ => ((top >> 1) as i128 + random.random_range(-70..70i128)).clamp(0, top as i128) as u128,
    };
    let payload = match random.random_range(0..6) {
        0 => 0,
        1 => any & fraction,
        2 => fraction,
        3 => any & 7,
        4 => (fraction >> 1) + 1 + (any & 3),
        _ => fraction & !(fraction >> random.random_range(1..24)),
    };
    let normal = if field == 0 { 0 } else { leading };
    // Now and then one of x87's odd encodings.
    let odd = if leading != 0 && random.random_range(0..12) == 0 { leading } else { 0 };
    sign | field << stored | ((payload & fraction | normal) ^ odd)
}

/// Bits of an integer: any, small, near powers of two.
pub fn int_bits(random: &mut Pcg64, bits: u32) -> u128 {
    let mask = u128::MAX >> (128 - bits);
    let any: u128 = random.random();
    mask & match random.random_range(0..4) {
        0 => any,
        1 => any % 200,
        2 => (any % 200).wrapping_neg(),
        _ => (1u128 << random.random_range(0..bits)).wrapping_add(any % 5).wrapping_sub(2),
    }
}

pub fn bits(random: &mut Pcg64, kind: Kind) -> u128 {
    match kind {
        Kind::Int(bits) => int_bits(random, bits),
        Kind::Float(format) => float_bits(random, format),
    }
}

fn pick<T: Copy>(random: &mut Pcg64, all: &[T]) -> T {
    all[random.random_range(0..all.len())]
}

fn predicate(random: &mut Pcg64) -> FloatPredicate {
    FloatPredicate {
        less: random.random(),
        equal: random.random(),
        greater: random.random(),
        unordered: random.random(),
    }
}

/// A random program of so many steps over all formats; `with_flags` lets it read and change exception flags. Steps that are not
/// `modelled` are left out.
pub fn program(
    random: &mut Pcg64,
    steps: usize,
    with_flags: bool,
    modelled: impl Fn(&StraightLine) -> bool,
) -> StraightLine {
    let mut program = StraightLine { inputs: 8, ..StraightLine::default() };
    for format in [Format::BINARY64, Format::BINARY64, Format::BINARY32, Format::BINARY32, Format::X87, Format::X87] {
        program.kinds.push(Kind::Float(format));
    }
    program.kinds.extend([Kind::Int(32), Kind::Int(64)]);
    if with_flags {
        program.push(Step::ClearFlags(0x3d));
    }
    while program.steps.len() < steps {
        if let Some(step) = step(random, &program, with_flags) {
            program.push(step);
            if !modelled(&program) {
                program.pop();
            }
        }
    }
    if with_flags {
        program.push(Step::TestFlags(0x3d));
    }
    program
}

/// A slot of a kind, the last ones more often.
fn slot(random: &mut Pcg64, program: &StraightLine, fits: impl Fn(Kind) -> bool) -> Option<usize> {
    let found: Vec<usize> = (0..program.kinds.len()).filter(|&slot| fits(program.kinds[slot])).collect();
    if found.is_empty() {
        return None;
    }
    let from = if random.random() { found.len().saturating_sub(4) } else { 0 };
    Some(found[random.random_range(from..found.len())])
}

fn step(random: &mut Pcg64, program: &StraightLine, with_flags: bool) -> Option<Step> {
    let is_float = |kind: Kind| matches!(kind, Kind::Float(format) if format != Format::BINARY16);
    let is_int = |kind: Kind| matches!(kind, Kind::Int(8..=64));
    let is_word = |kind: Kind| matches!(kind, Kind::Int(8 | 16 | 32 | 64));
    Some(match random.random_range(0..30) {
        0..12 => {
            let a = slot(random, program, |kind| matches!(kind, Kind::Float(_)))?;
            let Kind::Float(format) = program.kinds[a] else { return None };
            let same = |kind: Kind| kind == Kind::Float(format);
            let (b, c) = (slot(random, program, same)?, slot(random, program, same)?);
            let all = operations(format);
            Step::Float(pick(random, &all), [a, b, c])
        }
        12 | 13 => {
            let a = slot(random, program, is_float)?;
            let b = slot(random, program, |kind| kind == program.kinds[a])?;
            Step::Compare(predicate(random), a, b)
        }
        // Code for classes may compare, and raise invalid for signaling NaNs, which LLVM leaves open.
        14 if !with_flags => {
            let sse = |kind: Kind| matches!(kind, Kind::Float(Format::BINARY32 | Format::BINARY64));
            Step::Class(ClassMask::from_bits_truncate(random.random_range(0..1024)), slot(random, program, sse)?)
        }
        15 | 16 => {
            let a = slot(random, program, is_float)?;
            let (bits, signed) = (pick(random, &[8, 16, 32, 64]), random.random());
            match program.kinds[a] {
                Kind::Float(Format::BINARY32 | Format::BINARY64) if random.random() => Step::Saturate(bits, signed, a),
                _ => Step::ToInt(bits, signed, a),
            }
        }
        17 => Step::Round(slot(random, program, is_float)?),
        18 | 19 => Step::FromInt(pick(random, &FORMATS), random.random(), slot(random, program, is_word)?),
        20 => Step::Bits(slot(random, program, |kind| is_float(kind) && kind.bits() != 80)?),
        21 => {
            let format = pick(random, &[Format::BINARY32, Format::BINARY64]);
            Step::FromBits(format, slot(random, program, |kind| kind == Kind::Int(format.width()))?)
        }
        22 => {
            let a = slot(random, program, |_| true)?;
            let b = slot(random, program, |kind| kind == program.kinds[a])?;
            Step::Select(slot(random, program, |kind| kind == Kind::Int(8))?, a, b)
        }
        23 => {
            let a = slot(random, program, is_int)?;
            let b = slot(random, program, |kind| kind == program.kinds[a])?;
            let all = [IntBinary::Add, IntBinary::Sub, IntBinary::Mul, IntBinary::And, IntBinary::Or, IntBinary::Xor];
            Step::Int(pick(random, &all), a, b)
        }
        24 => {
            let a = slot(random, program, is_int)?;
            let b = slot(random, program, |kind| kind == program.kinds[a])?;
            let all = [IntPredicate::Eq, IntPredicate::Ult, IntPredicate::Slt, IntPredicate::Sge, IntPredicate::Ule];
            Step::IntCompare(pick(random, &all), a, b)
        }
        25 => match random.random_range(0..2) {
            0 => Step::Extend(64, random.random(), slot(random, program, |kind| matches!(kind, Kind::Int(8 | 32)))?),
            _ => Step::Truncate(pick(random, &[8, 16, 32]), slot(random, program, |kind| kind == Kind::Int(64))?),
        },
        26 => {
            let n = slot(random, program, |kind| kind == Kind::Int(32))?;
            Step::Scale(slot(random, program, is_float)?, n)
        }
        27 => {
            let a = slot(random, program, is_float)?;
            match random.random_range(0..5) {
                0 => Step::Fraction(a),
                1 => Step::Exponent(a),
                2 => Step::Next(a, slot(random, program, |kind| kind == program.kinds[a])?),
                3 => Step::Logb(a),
                _ => Step::Ilogb(a),
            }
        }
        28 => Step::SetRounding(pick(random, &[0, 0x400, 0x800, 0xc00])),
        _ if with_flags => match random.random_range(0..4) {
            0 => Step::ClearFlags(pick(random, &[0x3d, 1, 4, 8, 0x10, 0x20, 0x21])),
            1 => Step::RaiseFlags(pick(random, &[1, 4, 8, 0x10, 0x20])),
            _ => Step::TestFlags(pick(random, &[0x3d, 1, 4, 8, 0x10, 0x20, 0x39])),
        },
        _ => return None,
    })
}
