//! One row per operator: SMT-LIB name, arity, commutativity, sort rule and evaluator.

use std::sync::Arc;

use labrys_float::Format;

use crate::evaluate::{Argument, array, bit_vector, core, float, real};
use crate::{EvalError, Op, Sort, Value};

/// How many arguments an operator takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Arity {
    /// So many.
    Exactly(usize),
    /// So many or more.
    AtLeast(usize),
}

impl Arity {
    /// Whether `count` arguments fit.
    pub fn admits(self, count: usize) -> bool {
        match self {
            Arity::Exactly(wanted) => count == wanted,
            Arity::AtLeast(least) => count >= least,
        }
    }
}

/// Gives the sort of `op` applied to arguments of the given sorts, as many as the arity admits; `None` if they do not
/// fit.
pub(crate) type SortRule = fn(&Op, &[&Sort]) -> Option<Sort>;

/// How an operator's value comes from its arguments' values.
#[derive(Clone, Copy)]
pub(crate) enum Evaluate {
    /// A leaf: the evaluator itself knows.
    Leaf,
    /// From the arguments' values and the result's sort; `None` where the theory leaves the value open.
    Strict(fn(&Op, &Sort, &[&Value]) -> Option<Value>),
    /// Some arguments do not matter for some values of the others.
    Lenient(fn(&[Argument<'_>]) -> Result<Value, EvalError>),
}

/// An operator's row in the table.
#[derive(Clone, Copy)]
pub struct Operator {
    /// Its name in SMT-LIB 2.6, without indices; `None` for leaves and for operators that SMT-LIB lacks.
    pub name: Option<&'static str>,
    /// How many arguments it takes.
    pub arity: Arity,
    /// Whether the order of the arguments, the rounding mode apart, does not matter.
    pub commutative: bool,
    pub(crate) sort: SortRule,
    pub(crate) evaluate: Evaluate,
}

/// Row of an operator whose order of arguments matters.
const fn row(name: &'static str, arity: usize, sort: SortRule, evaluate: Evaluate) -> Operator {
    Operator { name: Some(name), arity: Arity::Exactly(arity), commutative: false, sort, evaluate }
}

impl Operator {
    const fn commutative(self) -> Operator {
        Operator { commutative: true, ..self }
    }

    const fn or_more(self) -> Operator {
        let (Arity::Exactly(least) | Arity::AtLeast(least)) = self.arity;
        Operator { arity: Arity::AtLeast(least), ..self }
    }

    const fn nameless(self) -> Operator {
        Operator { name: None, ..self }
    }
}

const fn leaf(sort: SortRule) -> Operator {
    row("", 0, sort, Evaluate::Leaf).nameless()
}

impl Op {
    /// The operator's row.
    pub fn operator(&self) -> Operator {
        use Evaluate::{Lenient, Strict};
        match self {
            // The sorts of these two are not functions of the operator alone: they have constructors of their own.
            Op::Variable(_) | Op::BitVecConst(_) => leaf(|_, _| None),
            Op::BoolConst(_) => leaf(|_, _| Some(Sort::Bool)),
            Op::FloatConst(_) => leaf(float_literal),
            Op::RoundingModeConst(_) => leaf(|_, _| Some(Sort::RoundingMode)),
            Op::RealConst(_) => leaf(|_, _| Some(Sort::Real)),

            Op::Not => row("not", 1, bools, Strict(core::not)),
            Op::And => row("and", 1, bools, Lenient(core::and)).or_more().commutative(),
            Op::Or => row("or", 1, bools, Lenient(core::or)).or_more().commutative(),
            Op::Xor => row("xor", 2, bools, Strict(core::xor)).or_more().commutative(),
            Op::Implies => row("=>", 2, bools, Lenient(core::implies)),
            Op::Eq => row("=", 2, same_sorts, Strict(core::equal)).commutative(),
            Op::Distinct => row("distinct", 2, same_sorts, Strict(core::distinct)).or_more().commutative(),
            Op::Ite => row("ite", 3, choice, Lenient(core::ite)),

            Op::BvNot => row("bvnot", 1, bit_vectors, Strict(bit_vector::not)),
            Op::BvNeg => row("bvneg", 1, bit_vectors, Strict(bit_vector::neg)),
            Op::BvAnd => row("bvand", 2, bit_vectors, Strict(bit_vector::and)).commutative(),
            Op::BvOr => row("bvor", 2, bit_vectors, Strict(bit_vector::or)).commutative(),
            Op::BvXor => row("bvxor", 2, bit_vectors, Strict(bit_vector::xor)).commutative(),
            Op::BvAdd => row("bvadd", 2, bit_vectors, Strict(bit_vector::add)).commutative(),
            Op::BvSub => row("bvsub", 2, bit_vectors, Strict(bit_vector::sub)),
            Op::BvMul => row("bvmul", 2, bit_vectors, Strict(bit_vector::mul)).commutative(),
            Op::BvUdiv => row("bvudiv", 2, bit_vectors, Strict(bit_vector::udiv)),
            Op::BvUrem => row("bvurem", 2, bit_vectors, Strict(bit_vector::urem)),
            Op::BvSdiv => row("bvsdiv", 2, bit_vectors, Strict(bit_vector::sdiv)),
            Op::BvSrem => row("bvsrem", 2, bit_vectors, Strict(bit_vector::srem)),
            Op::BvSmod => row("bvsmod", 2, bit_vectors, Strict(bit_vector::smod)),
            Op::BvShl => row("bvshl", 2, bit_vectors, Strict(bit_vector::shl)),
            Op::BvLshr => row("bvlshr", 2, bit_vectors, Strict(bit_vector::lshr)),
            Op::BvAshr => row("bvashr", 2, bit_vectors, Strict(bit_vector::ashr)),
            Op::BvUlt => row("bvult", 2, bit_vector_predicate, Strict(bit_vector::ult)),
            Op::BvUle => row("bvule", 2, bit_vector_predicate, Strict(bit_vector::ule)),
            Op::BvSlt => row("bvslt", 2, bit_vector_predicate, Strict(bit_vector::slt)),
            Op::BvSle => row("bvsle", 2, bit_vector_predicate, Strict(bit_vector::sle)),
            Op::Concat => row("concat", 1, concatenation, Strict(bit_vector::concat)).or_more(),
            Op::Extract { .. } => row("extract", 1, extraction, Strict(bit_vector::extract)),
            Op::ZeroExtend(_) => row("zero_extend", 1, extension, Strict(bit_vector::zero_extend)),
            Op::SignExtend(_) => row("sign_extend", 1, extension, Strict(bit_vector::sign_extend)),

            Op::FpAbs => row("fp.abs", 1, floats, Strict(float::abs)),
            Op::FpNeg => row("fp.neg", 1, floats, Strict(float::neg)),
            Op::FpAdd => row("fp.add", 3, rounded, Strict(float::add)).commutative(),
            Op::FpSub => row("fp.sub", 3, rounded, Strict(float::sub)),
            Op::FpMul => row("fp.mul", 3, rounded, Strict(float::mul)).commutative(),
            Op::FpDiv => row("fp.div", 3, rounded, Strict(float::div)),
            Op::FpFma => row("fp.fma", 4, rounded, Strict(float::fma)),
            Op::FpSqrt => row("fp.sqrt", 2, rounded, Strict(float::sqrt)),
            Op::FpRem => row("fp.rem", 2, floats, Strict(float::rem)),
            Op::FpFmod => row("", 2, floats, Strict(float::fmod)).nameless(),
            Op::FpRoundToIntegral => row("fp.roundToIntegral", 2, rounded, Strict(float::round_to_integral)),
            Op::FpMin => row("fp.min", 2, floats, Strict(float::min)),
            Op::FpMax => row("fp.max", 2, floats, Strict(float::max)),
            Op::FpEq => row("fp.eq", 2, float_predicate, Strict(float::eq)).commutative(),
            Op::FpLt => row("fp.lt", 2, float_predicate, Strict(float::lt)),
            Op::FpLe => row("fp.leq", 2, float_predicate, Strict(float::le)),
            Op::FpIsNormal => row("fp.isNormal", 1, float_predicate, Strict(float::is_normal)),
            Op::FpIsSubnormal => row("fp.isSubnormal", 1, float_predicate, Strict(float::is_subnormal)),
            Op::FpIsZero => row("fp.isZero", 1, float_predicate, Strict(float::is_zero)),
            Op::FpIsInfinite => row("fp.isInfinite", 1, float_predicate, Strict(float::is_infinite)),
            Op::FpIsNan => row("fp.isNaN", 1, float_predicate, Strict(float::is_nan)),
            Op::FpIsNegative => row("fp.isNegative", 1, float_predicate, Strict(float::is_negative)),
            Op::FpIsPositive => row("fp.isPositive", 1, float_predicate, Strict(float::is_positive)),
            Op::FpFromBits(_) => row("to_fp", 1, to_float, Strict(float::from_bits)),
            Op::FpFromFloat(_) => row("to_fp", 2, to_float, Strict(float::from_float)),
            Op::FpFromSigned(_) => row("to_fp", 2, to_float, Strict(float::from_signed)),
            Op::FpFromUnsigned(_) => row("to_fp_unsigned", 2, to_float, Strict(float::from_unsigned)),
            Op::FpFromReal(_) => row("to_fp", 2, to_float, Strict(float::from_real)),
            Op::FpToUnsigned(_) => row("fp.to_ubv", 2, to_integer, Strict(float::to_unsigned)),
            Op::FpToSigned(_) => row("fp.to_sbv", 2, to_integer, Strict(float::to_signed)),
            Op::FpToReal => {
                row("fp.to_real", 1, |_, sorts| is_float(sorts[0]).then_some(Sort::Real), Strict(float::to_real))
            }
            Op::FpToBits => row("", 1, float_to_bits, Strict(float::to_bits)).nameless(),

            Op::RealAdd => row("+", 1, reals, Strict(real::add)).or_more().commutative(),
            Op::RealSub => row("-", 2, reals, Strict(real::sub)),
            Op::RealMul => row("*", 1, reals, Strict(real::mul)).or_more().commutative(),
            Op::RealDiv => row("/", 2, reals, Strict(real::div)),
            Op::RealNeg => row("-", 1, reals, Strict(real::neg)),
            Op::RealAbs => row("", 1, reals, Strict(real::abs)).nameless(),
            Op::RealLt => row("<", 2, real_predicate, Strict(real::lt)),
            Op::RealLe => row("<=", 2, real_predicate, Strict(real::le)),

            Op::Select => row("select", 2, read, Strict(array::select)),
            Op::StoreAt => row("store", 3, write, Strict(array::store)),
            // Its text holds its sort, which the printer knows.
            Op::ConstArray(_) => row("", 1, everywhere, Strict(array::constant)).nameless(),
        }
    }

    /// The sort of the operator applied to arguments of the given sorts; `None` if arity or sorts do not fit.
    pub(crate) fn result_sort(&self, sorts: &[&Sort]) -> Option<Sort> {
        let operator = self.operator();
        if operator.arity.admits(sorts.len()) { (operator.sort)(self, sorts) } else { None }
    }
}

fn is_float(sort: &Sort) -> bool {
    matches!(sort, Sort::Float(_))
}

fn all_equal(sorts: &[&Sort]) -> bool {
    sorts.windows(2).all(|pair| pair[0] == pair[1])
}

fn float_literal(op: &Op, _: &[&Sort]) -> Option<Sort> {
    match op {
        Op::FloatConst(value) => Some(Sort::Float(value.format())),
        _ => None,
    }
}

fn bools(_: &Op, sorts: &[&Sort]) -> Option<Sort> {
    sorts.iter().all(|sort| **sort == Sort::Bool).then_some(Sort::Bool)
}

fn same_sorts(_: &Op, sorts: &[&Sort]) -> Option<Sort> {
    all_equal(sorts).then_some(Sort::Bool)
}

fn choice(_: &Op, sorts: &[&Sort]) -> Option<Sort> {
    (*sorts[0] == Sort::Bool && sorts[1] == sorts[2]).then(|| sorts[1].clone())
}

fn width(sort: &Sort) -> Option<u32> {
    match sort {
        Sort::BitVec(width) => Some(*width),
        _ => None,
    }
}

fn bit_vectors(_: &Op, sorts: &[&Sort]) -> Option<Sort> {
    width(sorts[0])?;
    all_equal(sorts).then(|| sorts[0].clone())
}

fn bit_vector_predicate(op: &Op, sorts: &[&Sort]) -> Option<Sort> {
    bit_vectors(op, sorts).map(|_| Sort::Bool)
}

fn concatenation(_: &Op, sorts: &[&Sort]) -> Option<Sort> {
    let total = sorts.iter().try_fold(0u32, |total, sort| total.checked_add(width(sort)?))?;
    Some(Sort::BitVec(total))
}

fn extraction(op: &Op, sorts: &[&Sort]) -> Option<Sort> {
    match *op {
        Op::Extract { high, low } if low <= high && high < width(sorts[0])? => Some(Sort::BitVec(high - low + 1)),
        _ => None,
    }
}

fn extension(op: &Op, sorts: &[&Sort]) -> Option<Sort> {
    match *op {
        Op::ZeroExtend(by) | Op::SignExtend(by) => Some(Sort::BitVec(width(sorts[0])?.checked_add(by)?)),
        _ => None,
    }
}

fn floats(_: &Op, sorts: &[&Sort]) -> Option<Sort> {
    (is_float(sorts[0]) && all_equal(sorts)).then(|| sorts[0].clone())
}

/// A rounding mode, then floats of one format.
fn rounded(op: &Op, sorts: &[&Sort]) -> Option<Sort> {
    if *sorts[0] == Sort::RoundingMode { floats(op, &sorts[1..]) } else { None }
}

fn float_predicate(op: &Op, sorts: &[&Sort]) -> Option<Sort> {
    floats(op, sorts).map(|_| Sort::Bool)
}

fn to_float(op: &Op, sorts: &[&Sort]) -> Option<Sort> {
    let rounds = sorts.len() == 2 && *sorts[0] == Sort::RoundingMode;
    let from = sorts[sorts.len() - 1];
    let (format, fits): (Format, bool) = match op {
        Op::FpFromBits(format) => (*format, *from == Sort::BitVec(format.width())),
        Op::FpFromFloat(format) => (*format, rounds && is_float(from)),
        Op::FpFromSigned(format) | Op::FpFromUnsigned(format) => (*format, rounds && width(from).is_some()),
        Op::FpFromReal(format) => (*format, rounds && *from == Sort::Real),
        _ => return None,
    };
    fits.then_some(Sort::Float(format))
}

fn to_integer(op: &Op, sorts: &[&Sort]) -> Option<Sort> {
    match op {
        Op::FpToUnsigned(width) | Op::FpToSigned(width) if *sorts[0] == Sort::RoundingMode && is_float(sorts[1]) => {
            Some(Sort::BitVec(*width))
        }
        _ => None,
    }
}

fn float_to_bits(_: &Op, sorts: &[&Sort]) -> Option<Sort> {
    match sorts[0] {
        Sort::Float(format) => Some(Sort::BitVec(format.width())),
        _ => None,
    }
}

fn reals(_: &Op, sorts: &[&Sort]) -> Option<Sort> {
    sorts.iter().all(|sort| **sort == Sort::Real).then_some(Sort::Real)
}

fn real_predicate(op: &Op, sorts: &[&Sort]) -> Option<Sort> {
    reals(op, sorts).map(|_| Sort::Bool)
}

fn read(_: &Op, sorts: &[&Sort]) -> Option<Sort> {
    match sorts[0] {
        Sort::Array(array) if array.0 == *sorts[1] => Some(array.1.clone()),
        _ => None,
    }
}

fn write(_: &Op, sorts: &[&Sort]) -> Option<Sort> {
    match sorts[0] {
        Sort::Array(array) if array.0 == *sorts[1] && array.1 == *sorts[2] => Some(sorts[0].clone()),
        _ => None,
    }
}

fn everywhere(op: &Op, sorts: &[&Sort]) -> Option<Sort> {
    match op {
        Op::ConstArray(index) => Some(Sort::Array(Arc::new((index.clone(), sorts[0].clone())))),
        _ => None,
    }
}
