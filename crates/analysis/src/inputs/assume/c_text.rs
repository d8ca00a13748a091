//! Assumptions as C.

use labrys_float::Float;

use super::assumption::Assumption;
use super::precision::Precision;
use super::syntax::{Arithmetic, Number, Relation, Truth};

impl Assumption {
    /// A C expression that is 1 where the assumption holds, and 0 elsewhere; `leaf` writes an input of the layout by its index. It has no
    /// branches, and says what [`Assumption::holds`] says.
    pub fn c_text(&self, leaf: &dyn Fn(usize) -> String) -> String {
        self.truth.c_text(leaf)
    }
}

impl Truth {
    fn c_text(&self, leaf: &dyn Fn(usize) -> String) -> String {
        match self {
            Truth::Compare(precision, relation, a, b) => {
                let relation = match relation {
                    Relation::Less => "<",
                    Relation::LessEqual => "<=",
                    Relation::Greater => ">",
                    Relation::GreaterEqual => ">=",
                    Relation::Equal => "==",
                    Relation::NotEqual => "!=",
                };
                format!("({} {relation} {})", a.c_text(*precision, leaf), b.c_text(*precision, leaf))
            }
            // Of NaN and the infinities no difference to themselves is zero.
            Truth::Finite(precision, of) => {
                let of = of.c_text(*precision, leaf);
                format!("({of} - {of} == 0)")
            }
            Truth::Not(of) => format!("(!{})", of.c_text(leaf)),
            Truth::And(a, b) => format!("({} & {})", a.c_text(leaf), b.c_text(leaf)),
            Truth::Or(a, b) => format!("({} | {})", a.c_text(leaf), b.c_text(leaf)),
        }
    }
}

impl Number {
    fn c_text(&self, precision: Precision, leaf: &dyn Fn(usize) -> String) -> String {
        let of = |number: &Number| number.c_text(precision, leaf);
        match self {
            Number::Literal(value) => literal(&value.float(precision), precision),
            Number::Leaf(index) => format!("({}){}", c_type(precision), leaf(*index)),
            Number::Negate(number) => format!("(-{})", of(number)),
            Number::Abs(number) => match precision {
                Precision::Double => format!("__builtin_fabs({})", of(number)),
                Precision::Quadruple => format!("__builtin_fabsf128({})", of(number)),
            },
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

fn c_type(precision: Precision) -> &'static str {
    match precision {
        Precision::Double => "double",
        Precision::Quadruple => "__float128",
    }
}

fn literal(value: &Float, precision: Precision) -> String {
    if value.is_nan() {
        return format!("({})__builtin_nan(\"\")", c_type(precision));
    }
    if value.is_infinite() {
        let sign = if value.is_negative() { "-" } else { "" };
        return format!("({sign}({})__builtin_inf())", c_type(precision));
    }
    match precision {
        Precision::Double => value.to_hex(),
        Precision::Quadruple => format!("{}Q", value.to_hex()),
    }
}
