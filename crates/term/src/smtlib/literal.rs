//! Literals: values written, and read from solvers' replies.

use labrys_float::{Environment, Float, Format, RoundingMode};
use num_bigint::{BigInt, BigUint, Sign};
use num_rational::BigRational;
use num_traits::{One, ToPrimitive, Zero};

use crate::sexpr::{Kind, Sexpr};
use crate::{AlgebraicNumber, ArrayValue, Sort, Value};

/// A value in a model of a solver.
#[derive(Clone, Debug, PartialEq)]
pub enum ModelValue {
    /// A value.
    Value(Value),
    /// An irrational number.
    Algebraic(AlgebraicNumber),
}

/// A sort. x87's format is the interchange format of the same precision: its stored leading bit carries no value.
pub fn sort_text(sort: &Sort) -> String {
    match sort {
        Sort::Bool => "Bool".to_owned(),
        Sort::BitVec(width) => format!("(_ BitVec {width})"),
        Sort::Float(format) => format!("(_ FloatingPoint {} {})", format.exponent_bits(), format.precision()),
        Sort::RoundingMode => "RoundingMode".to_owned(),
        Sort::Real => "Real".to_owned(),
        Sort::Array(sorts) => format!("(Array {} {})", sort_text(&sorts.0), sort_text(&sorts.1)),
    }
}

/// `#b` and `width` digits.
pub(super) fn bits_text(width: u32, bits: &BigUint) -> String {
    format!("#b{:0>1$}", bits.to_str_radix(2), width as usize)
}

/// The format as solvers have it: without a stored leading bit.
fn interchange(format: Format) -> Format {
    Format::new(format.exponent_bits(), format.precision())
}

pub(super) fn float_text(value: &Float) -> String {
    let format = value.format();
    let indices = format!("{} {}", format.exponent_bits(), format.precision());
    if value.is_nan() {
        return format!("(_ NaN {indices})");
    }
    // The same precision and range: nothing is rounded.
    let value = Environment::default().convert(value, interchange(format)).value;
    let fraction_bits = format.precision() - 1;
    let fraction = Value::bit_vector(fraction_bits, value.bits().clone());
    let exponent = Value::bit_vector(format.exponent_bits(), value.bits() >> fraction_bits);
    let text = |value: &Value| match value {
        Value::BitVec { width, bits } => bits_text(*width, bits),
        _ => String::new(),
    };
    format!("(fp #b{} {} {})", u8::from(value.is_negative()), text(&exponent), text(&fraction))
}

pub(super) fn mode_text(mode: RoundingMode) -> &'static str {
    match mode {
        RoundingMode::NearestEven => "RNE",
        RoundingMode::NearestAway => "RNA",
        RoundingMode::TowardPositive => "RTP",
        RoundingMode::TowardNegative => "RTN",
        RoundingMode::TowardZero => "RTZ",
    }
}

pub(super) fn real_text(value: &BigRational) -> String {
    let (numerator, denominator) = (value.numer().magnitude(), value.denom());
    let magnitude =
        if denominator.is_one() { format!("{numerator}.0") } else { format!("(/ {numerator}.0 {denominator}.0)") };
    if value.numer().sign() == Sign::Minus { format!("(- {magnitude})") } else { magnitude }
}

/// The literal of a value that is not an array.
pub(super) fn scalar_text(value: &Value) -> Option<String> {
    Some(match value {
        Value::Bool(value) => value.to_string(),
        Value::BitVec { width, bits } => bits_text(*width, bits),
        Value::Float(value) => float_text(value),
        Value::RoundingMode(mode) => mode_text(*mode).to_owned(),
        Value::Real(value) => real_text(value),
        Value::Array(_) => return None,
    })
}

/// The literal of a value; arrays as writes into a constant one.
pub fn value_text(value: &Value) -> String {
    // Arrays of arrays are as deep as their sort, which readers bound.
    match value {
        Value::Array(array) => {
            let (sort, default) = (sort_text(&value.sort()), value_text(&array.default));
            let mut text = "(store ".repeat(array.entries().count());
            text.push_str(&format!("((as const {sort}) {default})"));
            for (index, element) in array.entries() {
                text.push_str(&format!(" {} {})", value_text(index), value_text(element)));
            }
            text
        }
        _ => scalar_text(value).unwrap_or_default(),
    }
}

/// Reads a literal of a sort; `None` if it is none.
pub(super) fn read(sexpr: Sexpr<'_>, sort: &Sort) -> Option<ModelValue> {
    let value = match sort {
        Sort::Bool => match sexpr.symbol()? {
            "true" => Value::Bool(true),
            "false" => Value::Bool(false),
            _ => return None,
        },
        Sort::BitVec(width) => Value::BitVec { width: *width, bits: read_bits(sexpr, *width)? },
        Sort::Float(format) => Value::float(read_float(sexpr, *format)?),
        Sort::RoundingMode => Value::RoundingMode(read_mode(sexpr.symbol()?)?),
        Sort::Real => {
            if let Some(root) = read_root(sexpr) {
                return Some(ModelValue::Algebraic(root));
            }
            Value::Real(read_real(sexpr)?)
        }
        Sort::Array(sorts) => read_array(sexpr, &sorts.0, &sorts.1)?,
    };
    Some(ModelValue::Value(value))
}

/// `#b`, `#x` or `(_ bvN w)`.
fn read_bits(sexpr: Sexpr<'_>, width: u32) -> Option<BigUint> {
    if let Kind::Bits(found, bits) = sexpr.kind() {
        return (*found == width).then(|| bits.clone());
    }
    let [underscore, value, found] = items(sexpr)?;
    let fits = underscore.is_symbol("_") && found.numeral()?.to_u32()? == width;
    let bits = BigUint::parse_bytes(value.symbol()?.strip_prefix("bv")?.as_bytes(), 10)?;
    (fits && bits.bits() <= u64::from(width)).then_some(bits)
}

/// A list's items, if there are so many.
fn items<'a, const N: usize>(sexpr: Sexpr<'a>) -> Option<[Sexpr<'a>; N]> {
    sexpr.items().collect::<Vec<_>>().try_into().ok()
}

fn read_float(sexpr: Sexpr<'_>, format: Format) -> Option<Float> {
    let [head, first, second, third] = items(sexpr)?;
    if head.is_symbol("_") {
        let fits =
            second.numeral()?.to_u32()? == format.exponent_bits() && third.numeral()?.to_u32()? == format.precision();
        return match first.symbol()? {
            _ if !fits => None,
            "+oo" => Some(Float::infinity(format, false)),
            "-oo" => Some(Float::infinity(format, true)),
            "+zero" => Some(Float::zero(format, false)),
            "-zero" => Some(Float::zero(format, true)),
            "NaN" => Some(Float::nan(format)),
            _ => None,
        };
    }
    if !head.is_symbol("fp") {
        return None;
    }
    let fraction_bits = format.precision() - 1;
    let sign = read_bits(first, 1)?;
    let exponent = read_bits(second, format.exponent_bits())?;
    let fraction = read_bits(third, fraction_bits)?;
    let bits = (((sign << format.exponent_bits()) | exponent) << fraction_bits) | fraction;
    Some(Environment::default().convert(&Float::from_bits(interchange(format), bits), format).value)
}

fn read_mode(name: &str) -> Option<RoundingMode> {
    Some(match name {
        "RNE" | "roundNearestTiesToEven" => RoundingMode::NearestEven,
        "RNA" | "roundNearestTiesToAway" => RoundingMode::NearestAway,
        "RTP" | "roundTowardPositive" => RoundingMode::TowardPositive,
        "RTN" | "roundTowardNegative" => RoundingMode::TowardNegative,
        "RTZ" | "roundTowardZero" => RoundingMode::TowardZero,
        _ => return None,
    })
}

/// A natural number or a decimal.
fn read_unsigned(sexpr: Sexpr<'_>) -> Option<BigRational> {
    match sexpr.kind() {
        Kind::Numeral(number) => Some(BigRational::from_integer(number.clone().into())),
        Kind::Decimal(digits, places) => Some(BigRational::new(digits.clone().into(), BigInt::from(10u8).pow(*places))),
        _ => None,
    }
}

/// A number or its negation.
fn read_signed(sexpr: Sexpr<'_>) -> Option<BigRational> {
    if !sexpr.is_list() {
        return read_unsigned(sexpr);
    }
    let [minus, number] = items(sexpr)?;
    if minus.is_symbol("-") { Some(-read_unsigned(number)?) } else { None }
}

/// `n`, `(- n)`, `(/ n d)` with signs on either, `(- (/ n d))`.
fn read_real(sexpr: Sexpr<'_>) -> Option<BigRational> {
    let fraction = |sexpr| -> Option<BigRational> {
        let [slash, numerator, denominator] = items(sexpr)?;
        let denominator = read_signed(denominator).filter(|denominator| !denominator.is_zero())?;
        if slash.is_symbol("/") { Some(read_signed(numerator)? / denominator) } else { None }
    };
    if let Some(value) = read_signed(sexpr).or_else(|| fraction(sexpr)) {
        return Some(value);
    }
    let [minus, inner] = items(sexpr)?;
    if minus.is_symbol("-") { fraction(inner).map(|value| -value) } else { None }
}

/// The degree beyond which a polynomial is refused: isolating its roots would take longer than anybody waits.
const MAX_DEGREE: usize = 2000;

/// z3's `(root-obj (+ (* 10 (^ x 3)) (* (- 25) x) (- 70)) 1)`.
fn read_root(sexpr: Sexpr<'_>) -> Option<AlgebraicNumber> {
    let [head, polynomial, index] = items(sexpr)?;
    if !head.is_symbol("root-obj") {
        return None;
    }
    let mut coefficients: Vec<BigInt> = Vec::new();
    let mut add = |monomial: Sexpr<'_>| -> Option<()> {
        let (coefficient, degree) = read_monomial(monomial)?;
        if degree > MAX_DEGREE || !coefficient.is_integer() {
            return None;
        }
        if coefficients.len() <= degree {
            coefficients.resize(degree + 1, BigInt::zero());
        }
        coefficients[degree] += coefficient.to_integer();
        Some(())
    };
    if polynomial.item(0).is_some_and(|plus| plus.is_symbol("+")) {
        polynomial.items().skip(1).try_for_each(add)?;
    } else {
        add(polynomial)?;
    }
    AlgebraicNumber::new(coefficients, index.numeral()?.to_usize()?).ok()
}

/// Coefficient and degree.
fn read_monomial(sexpr: Sexpr<'_>) -> Option<(BigRational, usize)> {
    if let Some(constant) = read_signed(sexpr) {
        return Some((constant, 0));
    }
    if let Some(degree) = read_power(sexpr) {
        return Some((BigRational::one(), degree));
    }
    if let Some([minus, power]) = items(sexpr)
        && minus.is_symbol("-")
    {
        return Some((-BigRational::one(), read_power(power)?));
    }
    let [times, coefficient, power] = items(sexpr)?;
    if times.is_symbol("*") { Some((read_signed(coefficient)?, read_power(power)?)) } else { None }
}

/// The degree of `x` or `(^ x n)`.
fn read_power(sexpr: Sexpr<'_>) -> Option<usize> {
    if sexpr.symbol().is_some() {
        return Some(1);
    }
    let [power, variable, degree] = items(sexpr)?;
    if power.is_symbol("^") && variable.symbol().is_some() { degree.numeral()?.to_usize() } else { None }
}

/// `(store (store ((as const (Array I E)) e) i e) i e)`.
fn read_array(sexpr: Sexpr<'_>, index: &Sort, element: &Sort) -> Option<Value> {
    let plain = |sexpr, sort: &Sort| match read(sexpr, sort)? {
        ModelValue::Value(value) => Some(value),
        ModelValue::Algebraic(_) => None,
    };
    let mut writes = Vec::new();
    let mut rest = sexpr;
    while rest.item(0).is_some_and(|head| head.is_symbol("store")) {
        let [_, inner, at, value] = items(rest)?;
        writes.push((plain(at, index)?, plain(value, element)?));
        rest = inner;
    }
    let [constant, default] = items(rest)?;
    let [head, name, _] = items(constant)?;
    if !head.is_symbol("as") || !name.is_symbol("const") {
        return None;
    }
    let mut array = ArrayValue::constant(index.clone(), plain(default, element)?);
    for (at, value) in writes.into_iter().rev() {
        array.set(at, value);
    }
    Some(Value::Array(Box::new(array)))
}
