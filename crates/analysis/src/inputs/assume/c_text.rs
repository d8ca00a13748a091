//! Assumptions as C.
//!
//! What is computed in binary64 is so in C. Comparisons of inputs that it does not hold exactly are made in x87's format, which holds every
//! input: literals are rounded to its nearest number on the side on which the comparison stays the same. Only
//! arithmetic on such inputs needs `__float128`.

use labrys_float::{Environment, Float, Format, RoundingMode};

use super::assumption::Assumption;
use super::literal::Literal;
use super::precision::Precision;
use super::syntax::{Arithmetic, Number, Relation, Truth};

impl Assumption {
    /// A C expression that is 1 where the assumption holds, and 0 elsewhere; `leaf` writes an input of the layout by its index. It has no
    /// branches, and says what [`Assumption::holds`] says.
    pub fn c_text(&self, leaf: &dyn Fn(usize) -> String) -> String {
        self.truth.c_text(leaf)
    }
}

/// The type in which C computes.
#[derive(Clone, Copy, PartialEq, Eq)]
enum CType {
    Double,
    LongDouble,
    Float128,
}

impl CType {
    fn of(precision: Precision, numbers: &[&Number]) -> CType {
        match precision {
            Precision::Double => CType::Double,
            Precision::Quadruple if numbers.iter().any(|number| number.has_arithmetic()) => CType::Float128,
            Precision::Quadruple => CType::LongDouble,
        }
    }

    fn name(self) -> &'static str {
        match self {
            CType::Double => "double",
            CType::LongDouble => "long double",
            CType::Float128 => "__float128",
        }
    }

    fn suffix(self) -> &'static str {
        match self {
            CType::Double => "",
            CType::LongDouble => "L",
            CType::Float128 => "Q",
        }
    }
}

impl Truth {
    fn c_text(&self, leaf: &dyn Fn(usize) -> String) -> String {
        match self {
            Truth::Compare(precision, relation, a, b) => {
                compare(CType::of(*precision, &[a, b]), *relation, (a, b), leaf)
            }
            // Of NaN and the infinities no difference to themselves is zero.
            Truth::Finite(precision, of) => {
                let of = of.c_text(CType::of(*precision, &[of]), leaf);
                format!("({of} - {of} == 0)")
            }
            Truth::Not(of) => format!("(!{})", of.c_text(leaf)),
            Truth::And(a, b) => format!("({} & {})", a.c_text(leaf), b.c_text(leaf)),
            Truth::Or(a, b) => format!("({} | {})", a.c_text(leaf), b.c_text(leaf)),
        }
    }
}

fn compare(ty: CType, relation: Relation, (a, b): (&Number, &Number), leaf: &dyn Fn(usize) -> String) -> String {
    let (up, down) = (RoundingMode::TowardPositive, RoundingMode::TowardNegative);
    // To which side a literal on the right, or on the left, goes.
    let (sign, right, left) = match relation {
        Relation::Less => ("<", up, down),
        Relation::LessEqual => ("<=", down, up),
        Relation::Greater => (">", down, up),
        Relation::GreaterEqual => (">=", up, down),
        Relation::Equal => ("==", up, up),
        Relation::NotEqual => ("!=", up, up),
    };
    if ty != CType::LongDouble {
        return format!("({} {sign} {})", a.c_text(ty, leaf), b.c_text(ty, leaf));
    }
    let of = |number: &Number, side: RoundingMode| match number.as_literal() {
        None => Some(number.c_text(ty, leaf)),
        Some(value) => {
            let rounded = in_x87(&value, side);
            let is_equality = matches!(relation, Relation::Equal | Relation::NotEqual);
            let is_exact = value.is_nan() || rounded == in_x87(&value, left_of(side));
            (is_exact || !is_equality).then(|| text(&rounded, ty))
        }
    };
    match (of(a, left), of(b, right)) {
        (Some(a), Some(b)) => format!("({a} {sign} {b})"),
        // No input is a number that the format lacks.
        _ => u8::from(relation == Relation::NotEqual).to_string(),
    }
}

/// The other side.
fn left_of(side: RoundingMode) -> RoundingMode {
    if side == RoundingMode::TowardPositive { RoundingMode::TowardNegative } else { RoundingMode::TowardPositive }
}

fn in_x87(value: &Float, side: RoundingMode) -> Float {
    Environment::with_rounding(side).convert(value, Format::X87).value
}

impl Number {
    fn has_arithmetic(&self) -> bool {
        match self {
            Number::Literal(_) | Number::Leaf(_) => false,
            Number::Negate(of) | Number::Abs(of) => of.has_arithmetic(),
            Number::Binary(..) => true,
        }
    }

    /// The value of a literal, with signs before it.
    fn as_literal(&self) -> Option<Float> {
        match self {
            Number::Literal(value) => Some(exact(value)),
            Number::Negate(of) => of.as_literal().map(|value| value.neg()),
            Number::Abs(of) => of.as_literal().map(|value| value.abs()),
            Number::Leaf(_) | Number::Binary(..) => None,
        }
    }

    fn c_text(&self, ty: CType, leaf: &dyn Fn(usize) -> String) -> String {
        let of = |number: &Number| number.c_text(ty, leaf);
        match self {
            Number::Literal(value) if ty == CType::Double => text(&value.float(Precision::Double), ty),
            Number::Literal(value) => text(&exact(value), ty),
            Number::Leaf(index) => format!("({}){}", ty.name(), leaf(*index)),
            Number::Negate(number) => format!("(-{})", of(number)),
            Number::Abs(number) => {
                let function = match ty {
                    CType::Double => "__builtin_fabs",
                    CType::LongDouble => "__builtin_fabsl",
                    CType::Float128 => "__builtin_fabsf128",
                };
                format!("{function}({})", of(number))
            }
            Number::Binary(op, a, b) => {
                let op = match op {
                    Arithmetic::Add => '+',
                    Arithmetic::Sub => '-',
                    Arithmetic::Mul => '*',
                    Arithmetic::Div => '/',
                };
                format!("({} {op} {})", of(a), of(b))
            }
        }
    }
}

/// The value that comparisons of wide inputs have of a literal.
fn exact(value: &Literal) -> Float {
    value.float(Precision::Quadruple)
}

/// A number as C's literal.
fn text(value: &Float, ty: CType) -> String {
    if value.is_nan() {
        return format!("({})__builtin_nan(\"\")", ty.name());
    }
    if value.is_infinite() {
        let sign = if value.is_negative() { "-" } else { "" };
        return format!("({sign}({})__builtin_inf())", ty.name());
    }
    format!("{}{}", value.to_hex(), ty.suffix())
}
