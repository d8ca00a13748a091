//! The theories' functions applied: arguments in, terms of the store's operators out.
//!
//! Functions that the store lacks are written by its operators, as their definitions in SMT-LIB's theories and logics
//! say; arithmetic on real literals is done at once, so that `(/ 1 3)` and `(- 0.1)` are literals.

use labrys_float::{Float, Format};
use num_bigint::BigUint;
use num_rational::BigRational;
use num_traits::Zero;

use super::builtins::{Builtin, Derived, Indexed, Plain};
use super::checks::{arguments, checked_width, mk};
use super::derived;
use super::error::Fault;
use crate::smtlib::literal::sort_text;
use crate::{Op, Sort, Store, TermId, Value};

/// Arithmetic on real literals with more bits than these in all is refused: squaring a literal a few dozen times in nested
/// `let`s would fill every memory.
const MAX_REAL_BITS: u64 = 1 << 18;

/// What stands first in an application.
#[derive(Clone, Debug)]
pub(super) enum Head {
    /// A function by its name.
    Builtin(Builtin),
    /// A function with its indices; those it lacks are 0.
    Indexed(Indexed, [u32; 2]),
    /// A defined function.
    Macro(u32),
    /// `(as const (Array I E))`: the whole sort.
    ConstArray(Sort),
}

/// A head that is not a defined function, applied.
pub(super) fn apply(store: &mut Store, head: &Head, args: &[TermId], at: usize) -> Result<TermId, Fault> {
    match head {
        Head::Builtin(builtin) => builtin_applied(store, *builtin, args, at),
        Head::Indexed(function, indices) => indexed(store, *function, *indices, args, at),
        Head::ConstArray(sort) => const_array(store, sort, args, at),
        Head::Macro(_) => Err(Fault::expected(at, "a function of the theories", "a defined one")),
    }
}

fn const_array(store: &mut Store, sort: &Sort, args: &[TermId], at: usize) -> Result<TermId, Fault> {
    match (sort, args) {
        (Sort::Array(sorts), [element]) if *store.sort(*element) == sorts.1 => {
            mk(store, Op::ConstArray(sorts.0.clone()), args, at)
        }
        (Sort::Array(sorts), _) => {
            Err(arguments(store, args, at, &format!("one argument of sort {}", sort_text(&sorts.1))))
        }
        _ => Err(Fault::expected(at, "an array's sort", &sort_text(sort))),
    }
}

fn builtin_applied(store: &mut Store, builtin: Builtin, args: &[TermId], at: usize) -> Result<TermId, Fault> {
    match builtin {
        // The standard wants two arguments; other readers take one as itself.
        Builtin::Plain(Plain::And | Plain::Or) if args.len() == 1 && *store.sort(args[0]) == Sort::Bool => Ok(args[0]),
        Builtin::Plain(Plain::Concat) if args.len() < 2 => Err(arguments(store, args, at, "2 or more bit vectors")),
        Builtin::Plain(plain) => mk(store, plain.op(), args, at),
        Builtin::Left(plain) => left(store, plain.op(), args, at),
        Builtin::Chain(plain) => chain(store, plain, args, at, false),
        Builtin::Flipped(plain) => chain(store, plain, args, at, true),
        Builtin::Negated(plain) => {
            let positive = mk(store, plain.op(), args, at)?;
            mk(store, Op::BvNot, &[positive], at)
        }
        Builtin::Implies => {
            let (Some((&last, rest)), true) = (args.split_last(), args.len() > 1) else {
                return Err(arguments(store, args, at, "2 or more Bool arguments for `=>`"));
            };
            rest.iter().rev().try_fold(last, |conclusion, &premise| mk(store, Op::Implies, &[premise, conclusion], at))
        }
        Builtin::Derived(function) => derived(store, function, args, at),
        Builtin::True | Builtin::False | Builtin::Mode(_) => {
            Err(Fault::expected(at, "a function", "a constant, which takes no arguments"))
        }
        Builtin::Indexed(_) => Err(Fault::expected(at, "`(_ ` before a function with indices", "its bare name")),
        Builtin::Unsupported => Err(Fault::unsupported(at, "functions on integers")),
    }
}

/// Grouped from the left; one argument is not enough.
pub(super) fn left(store: &mut Store, op: Op, args: &[TermId], at: usize) -> Result<TermId, Fault> {
    match args {
        [first, second, rest @ ..] => {
            let pair = mk(store, op.clone(), &[*first, *second], at)?;
            rest.iter().try_fold(pair, |whole, &next| mk(store, op.clone(), &[whole, next], at))
        }
        _ => mk(store, op, args, at),
    }
}

/// Each argument compared with the next.
fn chain(store: &mut Store, plain: Plain, args: &[TermId], at: usize, flipped: bool) -> Result<TermId, Fault> {
    let pair = |store: &mut Store, a: TermId, b: TermId| {
        let args = if flipped { [b, a] } else { [a, b] };
        mk(store, plain.op(), &args, at)
    };
    match args {
        [a, b] => pair(store, *a, *b),
        [_, _, ..] => {
            let pairs: Vec<TermId> =
                args.windows(2).map(|two| pair(store, two[0], two[1])).collect::<Result<_, _>>()?;
            mk(store, Op::And, &pairs, at)
        }
        _ => mk(store, plain.op(), args, at),
    }
}

fn derived(store: &mut Store, function: Derived, args: &[TermId], at: usize) -> Result<TermId, Fault> {
    match function {
        Derived::FloatFromFields => fields(store, args, at),
        Derived::SumOrProduct(product) => real(store, if product { Op::RealMul } else { Op::RealAdd }, args, at),
        Derived::Minus => match args {
            [_] => real(store, Op::RealNeg, args, at),
            _ => fold(store, &Op::RealSub, args, at),
        },
        Derived::Divide => fold(store, &Op::RealDiv, args, at),
        _ => derived::bit_vector(store, function, args, at),
    }
}

/// `(fp sign exponent fraction)`.
fn fields(store: &mut Store, args: &[TermId], at: usize) -> Result<TermId, Fault> {
    const TAKES: &str = "a bit vector of one bit, an exponent's and a fraction's for `fp`";
    let widths: Vec<u32> = args.iter().map_while(|&arg| derived::width(store, arg)).collect();
    let [1, exponent, fraction] = widths[..] else {
        return Err(arguments(store, args, at, TAKES));
    };
    if args.len() != 3 {
        return Err(arguments(store, args, at, TAKES));
    }
    let format = format(exponent, fraction.saturating_add(1), at)?;
    let literals: Option<Vec<BigUint>> = args
        .iter()
        .map(|&arg| match &store.node(arg).op {
            Op::BitVecConst(bits) => Some(bits.clone()),
            _ => None,
        })
        .collect();
    if let Some([sign, high, low]) = literals.as_deref() {
        let bits = (((sign << exponent) | high) << fraction) | low;
        return Ok(match Value::float(Float::from_bits(format, bits)) {
            Value::Float(value) => store.float_const(value),
            _ => return Err(arguments(store, args, at, TAKES)),
        });
    }
    let bits = mk(store, Op::Concat, args, at)?;
    mk(store, Op::FpFromBits(format), &[bits], at)
}

/// A format within what the exact arithmetic handles in sensible time.
pub(super) fn format(exponent: u32, precision: u32, at: usize) -> Result<Format, Fault> {
    const MAX_EXPONENT: u32 = 24;
    const MAX_PRECISION: u32 = 1 << 16;
    if exponent < 2 || precision < 2 {
        let found = format!("{exponent} and {precision}");
        return Err(Fault::expected(at, "2 or more bits of exponent and of significand", &found));
    }
    if exponent > MAX_EXPONENT || precision > MAX_PRECISION {
        return Err(Fault::unsupported(
            at,
            format!(
                "(_ FloatingPoint {exponent} {precision}); up to {MAX_EXPONENT} bits of exponent and {MAX_PRECISION} \
                 of significand are"
            ),
        ));
    }
    Ok(Format::new(exponent, precision))
}

fn as_real(store: &Store, term: TermId) -> Option<&BigRational> {
    match &store.node(term).op {
        Op::RealConst(value) => Some(value),
        _ => None,
    }
}

/// An operation on reals, done at once on literals.
fn real(store: &mut Store, op: Op, args: &[TermId], at: usize) -> Result<TermId, Fault> {
    let literals: Option<Vec<&BigRational>> = args.iter().map(|&arg| as_real(store, arg)).collect();
    // No result has more bits than its operands together, the carry of a sum apart.
    let bits = |value: &&BigRational| value.numer().bits() + value.denom().bits();
    if literals.iter().flatten().map(bits).sum::<u64>() > MAX_REAL_BITS {
        return Err(Fault::unsupported(at, format!("arithmetic on literals of more than {MAX_REAL_BITS} bits")));
    }
    let value = match (&op, literals.as_deref()) {
        (Op::RealNeg, Some([a])) => Some(-*a),
        (Op::RealSub, Some([a, b])) => Some(*a - *b),
        (Op::RealDiv, Some([a, b])) if !b.is_zero() => Some(*a / *b),
        (Op::RealAdd, Some(all @ [_, _, ..])) => Some(all.iter().copied().sum()),
        (Op::RealMul, Some(all @ [_, _, ..])) => Some(all.iter().copied().product()),
        (Op::RealAdd | Op::RealMul, _) if args.len() < 2 => {
            return Err(arguments(store, args, at, "2 or more Real arguments"));
        }
        _ => None,
    };
    match value {
        Some(value) => Ok(store.real_const(value)),
        None => mk(store, op, args, at),
    }
}

fn fold(store: &mut Store, op: &Op, args: &[TermId], at: usize) -> Result<TermId, Fault> {
    match args {
        [first, second, rest @ ..] => {
            let pair = real(store, op.clone(), &[*first, *second], at)?;
            rest.iter().try_fold(pair, |whole, &next| real(store, op.clone(), &[whole, next], at))
        }
        _ => mk(store, op.clone(), args, at),
    }
}

/// A function with indices.
fn indexed(
    store: &mut Store,
    function: Indexed,
    [first, second]: [u32; 2],
    args: &[TermId],
    at: usize,
) -> Result<TermId, Fault> {
    let target = |at| format(first, second, at);
    match function {
        Indexed::Extract => {
            let op = Op::Extract { high: first, low: second };
            match store.try_mk(op, args) {
                Ok(term) => Ok(term),
                Err(_) => {
                    let expected = format!("one bit vector of more than {first} bits, and {first} ≥ {second},");
                    Err(arguments(store, args, at, &format!("{expected} for `extract`")))
                }
            }
        }
        Indexed::ZeroExtend | Indexed::SignExtend if first == 0 => derived::only_bit_vector(store, args, at),
        Indexed::ZeroExtend => mk(store, Op::ZeroExtend(first), args, at),
        Indexed::SignExtend => mk(store, Op::SignExtend(first), args, at),
        Indexed::RotateLeft => derived::rotate(store, args, first, true, at),
        Indexed::RotateRight => derived::rotate(store, args, first, false, at),
        Indexed::Repeat => derived::repeat(store, args, first, at),
        Indexed::ToFp => {
            let format = target(at)?;
            let op = match args {
                [_] => Op::FpFromBits(format),
                [_, from] => match store.sort(*from) {
                    Sort::Real => Op::FpFromReal(format),
                    Sort::BitVec(_) => Op::FpFromSigned(format),
                    _ => Op::FpFromFloat(format),
                },
                [_, _, _] => return Err(Fault::unsupported(at, "`to_fp` with three arguments")),
                _ => Op::FpFromFloat(format),
            };
            mk(store, op, args, at)
        }
        Indexed::ToFpUnsigned => mk(store, Op::FpFromUnsigned(target(at)?), args, at),
        Indexed::ToUnsigned => mk(store, Op::FpToUnsigned(checked_width(first, at)?), args, at),
        Indexed::ToSigned => mk(store, Op::FpToSigned(checked_width(first, at)?), args, at),
        Indexed::Infinity(_) | Indexed::Zero(_) | Indexed::Nan => {
            Err(Fault::expected(at, "a function", "a constant, which takes no arguments"))
        }
    }
}
