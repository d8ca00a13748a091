//! MPFR's functions by MPFR's names: what the results of a program may be compared with.
//!
//! MPFR rounds each of them correctly at any precision (Fousse et al., "MPFR: a multiple-precision binary floating-point library with
//! correct rounding", TOMS 2007), so that the true value is within half a unit in the last place. MPFR cannot be interrupted, and some functions need
//! as many bits as their operands are large: where a call may take longer than about a second there is no value.

use std::cmp::Ordering;

use rug::Float;
use rug::float::Round;

use crate::Function;

/// What an operand is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operand {
    /// Any number.
    Number,
    /// An integer of 32 bits.
    Integer,
}

/// A function of MPFR.
#[derive(Clone, Copy, Debug)]
pub struct MpfrFunction(&'static Row);

type Value = (Float, Ordering);

/// How a value comes about.
#[derive(Clone, Copy, Debug)]
enum Evaluation {
    /// As libm's function does.
    Libm(Function),
    One(fn(&Float, u32) -> Value),
    Two(fn(&Float, &Float, u32) -> Value),
    Indexed(fn(i32, &Float, u32) -> Value),
}

#[derive(Debug)]
struct Row {
    /// MPFR's name without `mpfr_`.
    name: &'static str,
    evaluation: Evaluation,
    /// How large operands may be; for an index see [`MOST_INDEX`].
    reach: f64,
}

macro_rules! one {
    ($name:literal, $method:ident) => {
        one!($name, $method, f64::INFINITY)
    };
    ($name:literal, $method:ident, $reach:expr) => {
        Row {
            name: $name,
            evaluation: Evaluation::One(|x, precision| Float::with_val_round(precision, x.$method(), Round::Nearest)),
            reach: $reach,
        }
    };
}

macro_rules! two {
    ($name:literal, $method:ident, $reach:expr) => {
        Row {
            name: $name,
            evaluation: Evaluation::Two(|x, y, precision| {
                Float::with_val_round(precision, x.$method(y), Round::Nearest)
            }),
            reach: $reach,
        }
    };
}

macro_rules! indexed {
    ($name:literal, $method:ident) => {
        Row {
            name: $name,
            evaluation: Evaluation::Indexed(|n, x, precision| {
                Float::with_val_round(precision, x.$method(n), Round::Nearest)
            }),
            reach: f64::INFINITY,
        }
    };
}

const fn libm(name: &'static str, function: Function) -> Row {
    Row { name, evaluation: Evaluation::Libm(function), reach: f64::INFINITY }
}

/// In the order of MPFR's manual. The reaches are measured (`tests/mpfr.rs`): Ai needs some x^(3/2) bits, the incomplete gamma
/// function as many terms as its operands are large.
static TABLE: [Row; 66] = [
    one!("sqrt", sqrt_ref),
    one!("rec_sqrt", recip_sqrt_ref),
    libm("cbrt", Function::Cbrt),
    libm("hypot", Function::Hypot),
    libm("log", Function::Log),
    libm("log2", Function::Log2),
    libm("log10", Function::Log10),
    libm("log1p", Function::Log1p),
    one!("log2p1", log2_1p_ref),
    one!("log10p1", log10_1p_ref),
    libm("exp", Function::Exp),
    libm("exp2", Function::Exp2),
    libm("exp10", Function::Exp10),
    libm("expm1", Function::Expm1),
    one!("exp2m1", exp2_m1_ref),
    one!("exp10m1", exp10_m1_ref),
    libm("pow", Function::Pow),
    libm("cos", Function::Cos),
    libm("sin", Function::Sin),
    libm("tan", Function::Tan),
    one!("cospi", cos_pi_ref),
    one!("sinpi", sin_pi_ref),
    one!("tanpi", tan_pi_ref),
    one!("sec", sec_ref),
    one!("csc", csc_ref),
    one!("cot", cot_ref),
    libm("acos", Function::Acos),
    libm("asin", Function::Asin),
    libm("atan", Function::Atan),
    libm("atan2", Function::Atan2),
    one!("acospi", acos_pi_ref),
    one!("asinpi", asin_pi_ref),
    one!("atanpi", atan_pi_ref),
    two!("atan2pi", atan2_pi_ref, f64::INFINITY),
    libm("cosh", Function::Cosh),
    libm("sinh", Function::Sinh),
    libm("tanh", Function::Tanh),
    one!("sech", sech_ref),
    one!("csch", csch_ref),
    one!("coth", coth_ref),
    libm("acosh", Function::Acosh),
    libm("asinh", Function::Asinh),
    libm("atanh", Function::Atanh),
    one!("eint", eint_ref),
    one!("li2", li2_ref),
    libm("gamma", Function::Tgamma),
    two!("gamma_inc", gamma_inc_ref, 1e3),
    one!("lngamma", ln_gamma_ref),
    libm("lgamma", Function::Lgamma),
    one!("digamma", digamma_ref),
    one!("zeta", zeta_ref),
    libm("erf", Function::Erf),
    libm("erfc", Function::Erfc),
    libm("j0", Function::J0),
    libm("j1", Function::J1),
    indexed!("jn", jn_ref),
    libm("y0", Function::Y0),
    libm("y1", Function::Y1),
    indexed!("yn", yn_ref),
    two!("agm", agm_ref, f64::INFINITY),
    one!("ai", ai_ref, 200.0),
    one!("floor", floor_ref),
    one!("ceil", ceil_ref),
    one!("trunc", trunc_ref),
    one!("round", round_ref),
    one!("roundeven", round_even_ref),
];

/// The largest index of a Bessel function: with 4,096, and operands of some 10^5, 1,024 bits take many seconds.
const MOST_INDEX: i32 = 64;

impl MpfrFunction {
    /// The function that MPFR calls `mpfr_` and this.
    ///
    /// ```
    /// use labrys_elementary::{MpfrFunction, Operand, rug};
    ///
    /// let bessel = MpfrFunction::named("jn").unwrap();
    /// assert_eq!(bessel.operands(), [Operand::Integer, Operand::Number]);
    /// let [one, x] = [1.0, 2.0].map(|x| rug::Float::with_val(53, x));
    /// let (value, _) = bessel.value(&[one, x], 100).unwrap();
    /// assert!((value.to_f64() - 0.5767248077568734).abs() < 1e-15);
    /// ```
    pub fn named(name: &str) -> Option<MpfrFunction> {
        TABLE.iter().find(|row| row.name == name).map(MpfrFunction)
    }

    /// All names.
    pub fn names() -> impl Iterator<Item = &'static str> {
        TABLE.iter().map(|row| row.name)
    }

    /// MPFR's name, without `mpfr_`.
    pub fn name(self) -> &'static str {
        self.0.name
    }

    /// What it takes.
    pub fn operands(self) -> &'static [Operand] {
        match self.0.evaluation {
            Evaluation::Libm(function) if function.arity() == 2 => &[Operand::Number, Operand::Number],
            Evaluation::Libm(_) | Evaluation::One(_) => &[Operand::Number],
            Evaluation::Two(_) => &[Operand::Number, Operand::Number],
            Evaluation::Indexed(_) => &[Operand::Integer, Operand::Number],
        }
    }

    /// The value rounded to nearest at a precision in bits, and how it compares with the exact one; none where that may take too
    /// long, or operands are missing.
    pub fn value(self, operands: &[Float], precision: u32) -> Option<(Float, Ordering)> {
        let precision = precision.clamp(rug::float::prec_min(), rug::float::prec_max());
        let is_near = |x: &Float| x.is_nan() || x.is_infinite() || *x.as_abs() <= self.0.reach;
        if operands.len() != self.operands().len() || !operands.iter().all(is_near) {
            return None;
        }
        match (self.0.evaluation, operands) {
            (Evaluation::Libm(function), _) => Some(function.rounded(operands, precision, Round::Nearest)),
            (Evaluation::One(of), [x]) => Some(of(x, precision)),
            (Evaluation::Two(of), [x, y]) => Some(of(x, y, precision)),
            (Evaluation::Indexed(of), [n, x]) => {
                let index = n.to_integer().and_then(|n| n.to_i32()).filter(|index| *n == *index)?;
                (index.abs() <= MOST_INDEX).then(|| of(index, x, precision))
            }
            _ => None,
        }
    }
}
