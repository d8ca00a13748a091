//! Conditions over the floats: exactly when an operation raises an exception, in IEEE 754's default modes (round to
//! nearest even, tininess after rounding as on x86, nothing flushed).
//!
//! With F the format, op_F(mode, …) the correctly rounded operation, and U a format of F's precision whose exponent range
//! holds every result of the operation as a normal number:
//!
//! - *Overflow*: op_F(RNE, …) is infinite, all operands are finite and no division by zero is the cause. (To nearest,
//!   the result is infinite exactly when the result rounded with an unbounded exponent is beyond Ω.) In other modes
//!   ([`RoundedOperation`]), |op_U(mode, …)| > Ω under the same conditions.
//! - *Inexact*: op_F(RTP, …) and op_F(RTN, …) differ. They are the neighbours in F of the exact result from above and
//!   below, equal exactly when it is in F; the two zeros count as equal.
//! - *Underflow*: inexact, and |op_U(RNE, …)| < ω. op_U rounds the exact result to F's precision as if the exponent were
//!   unbounded, which is IEEE 754's definition of tiny after rounding (section 7.5).
//! - *Invalid*: a NaN from operands none of which is a NaN, for arithmetic. Signaling NaNs are outside these terms.
//! - *Division by zero*: a zero divisor under a finite dividend that is not zero.
//!
//! Sums and differences never underflow: a tiny sum is exact. Tested exhaustively on tiny formats against
//! `labrys_float`'s flags.

use labrys_elementary::Sense;
use labrys_float::{Environment, Flags, Float, Format, RoundingMode};
use labrys_term::{Op, Sort, Store, TermId};
use num_bigint::BigInt;
use num_rational::BigRational;
use num_traits::One;

use super::{ConditionError, ElementaryCall, library_condition};
use crate::{LibraryOperator, SiteExecution, SiteOperator, unsigned_limit};

/// The exact condition under which `execution` is reached and raises `exception`, a single one, over the inputs' Float
/// terms.
///
/// `None` if the operation never raises it.
///
/// # Errors
///
/// [`ConditionError::Opaque`] for calls of library functions, whose exceptions depend on the libm called: see
/// [`float_condition_near`].
pub fn float_condition(
    store: &mut Store,
    execution: &SiteExecution,
    exception: Flags,
) -> Option<Result<TermId, ConditionError>> {
    if let SiteOperator::Library(function) = &execution.operation {
        return Some(Err(ConditionError::Opaque(function.name().into())));
    }
    let raised = raises(store, execution, exception)?;
    Some(Ok(on_path(store, execution, raised)))
}

/// The same with library calls: the condition under which one `may` raise, or `must`, whatever libm within `ulps` floats of the
/// correctly rounded results is called (`labrys_elementary::image` says what else is assumed). For other operations it is exact.
///
/// # Errors
///
/// [`ConditionError::Opaque`] for library functions that are not modelled.
pub fn float_condition_near(
    store: &mut Store,
    execution: &SiteExecution,
    exception: Flags,
    ulps: u32,
    sense: Sense,
) -> Option<Result<TermId, ConditionError>> {
    let SiteOperator::Library(function) = &execution.operation else {
        return float_condition(store, execution, exception);
    };
    if !execution.site.operator.possible().contains(exception) {
        return None;
    }
    let LibraryOperator::Elementary(function) = *function else {
        return Some(Err(ConditionError::Opaque(function.name().into())));
    };
    let SiteExecution { operands, result, format, .. } = execution;
    let call = ElementaryCall { function, operands, result: *result, format: *format };
    let raised = library_condition(store, &call, exception, ulps, sense)?;
    Some(Ok(on_path(store, execution, raised)))
}

fn on_path(store: &mut Store, execution: &SiteExecution, raised: TermId) -> TermId {
    let path = execution.path;
    if store.node(path).op == Op::BoolConst(true) { raised } else { store.and(&[path, raised]) }
}

fn raises(store: &mut Store, execution: &SiteExecution, exception: Flags) -> Option<TermId> {
    let operands = execution.operands.as_slice();
    let operation = match (&execution.operation, operands) {
        (SiteOperator::Add, &[_, _]) => Op::FpAdd,
        (SiteOperator::Sub, &[_, _]) => Op::FpSub,
        (SiteOperator::Mul, &[_, _]) => Op::FpMul,
        (SiteOperator::Div, &[_, _]) => Op::FpDiv,
        (SiteOperator::Fma, &[_, _, _]) => Op::FpFma,
        (SiteOperator::Sqrt, &[_]) => Op::FpSqrt,
        (SiteOperator::Convert { to, .. }, &[_]) => Op::FpFromFloat(*to),
        (SiteOperator::IntToFloat { signed: true, .. }, &[_]) => Op::FpFromSigned(execution.format),
        (SiteOperator::IntToFloat { signed: false, .. }, &[_]) => Op::FpFromUnsigned(execution.format),
        (SiteOperator::Rem | SiteOperator::IeeeRemainder, &[x, y]) => {
            return (exception == Flags::INVALID).then(|| remainder_is_invalid(store, x, y));
        }
        (SiteOperator::Compare { signaling: true }, &[x, y]) => {
            return (exception == Flags::INVALID).then(|| {
                let nans = [x, y].map(|operand| store.mk(Op::FpIsNan, &[operand]));
                store.or(&nans)
            });
        }
        (SiteOperator::FloatToInt { bits, signed }, &[x]) => return to_integer(store, x, *bits, *signed, exception),
        (SiteOperator::RoundToIntegral { mode, signals_inexact: true }, &[x]) if exception == Flags::INEXACT => {
            let mode = store.rounding_mode(*mode);
            let rounded = store.mk(Op::FpRoundToIntegral, &[mode, x]);
            return Some(changed(store, x, rounded));
        }
        _ => return None,
    };
    let sums = matches!(operation, Op::FpAdd | Op::FpSub);
    let quotients = operation == Op::FpDiv;
    let converts_integer = matches!(operation, Op::FpFromSigned(_) | Op::FpFromUnsigned(_));
    let mode = RoundingMode::NearestEven;
    let arithmetic = RoundedOperation { operation, operands, format: execution.format, mode };
    match exception {
        Flags::INVALID if !converts_integer && !matches!(arithmetic.operation, Op::FpFromFloat(_)) => {
            Some(arithmetic.invalid(store))
        }
        Flags::DIVBYZERO if quotients => Some(arithmetic.divides_by_zero(store)),
        Flags::OVERFLOW if arithmetic.operation != Op::FpSqrt => Some(arithmetic.overflows(store)),
        Flags::UNDERFLOW if !sums && !converts_integer && arithmetic.operation != Op::FpSqrt => {
            Some(arithmetic.underflows(store))
        }
        Flags::INEXACT => Some(arithmetic.inexact(store)),
        _ => None,
    }
}

/// An operation that rounds, and the conditions under which it raises exceptions in its rounding mode, operands being no signaling NaNs.
#[derive(Clone, Debug)]
pub struct RoundedOperation<'a> {
    /// The operator, which takes a rounding mode first.
    pub operation: Op,
    /// Its operands without the mode.
    pub operands: &'a [TermId],
    /// Format of the result.
    pub format: Format,
    /// The mode in which it is executed.
    pub mode: RoundingMode,
}

impl RoundedOperation<'_> {
    fn rounded(&self, store: &mut Store, mode: RoundingMode) -> TermId {
        let mut args = vec![store.rounding_mode(mode)];
        args.extend_from_slice(self.operands);
        store.mk(self.operation.clone(), &args)
    }

    fn float_operands(&self, store: &Store) -> Vec<TermId> {
        self.operands.iter().copied().filter(|operand| matches!(store.sort(*operand), Sort::Float(_))).collect()
    }

    /// A NaN from operands that are none.
    pub fn invalid(&self, store: &mut Store) -> TermId {
        let result = self.rounded(store, self.mode);
        let mut parts = vec![store.mk(Op::FpIsNan, &[result])];
        for operand in self.float_operands(store) {
            parts.push(is_not(store, Op::FpIsNan, operand));
        }
        store.and(&parts)
    }

    /// A zero divisor under a finite dividend that is not zero; of quotients.
    pub fn divides_by_zero(&self, store: &mut Store) -> TermId {
        let not_zero = is_not(store, Op::FpIsZero, self.operands[0]);
        let finite = is_finite(store, self.operands[0]);
        let zero = store.mk(Op::FpIsZero, &[self.operands[1]]);
        store.and(&[finite, not_zero, zero])
    }

    /// The result is beyond the largest finite number.
    pub fn overflows(&self, store: &mut Store) -> TermId {
        let mut parts = vec![match self.mode {
            RoundingMode::NearestEven => {
                let result = self.rounded(store, self.mode);
                store.mk(Op::FpIsInfinite, &[result])
            }
            _ => {
                let (wide, size) = self.unbounded_size(store);
                let environment = Environment::default();
                let largest = environment.convert(&Float::max_finite(self.format), wide).value;
                let largest = store.float_const(largest);
                store.mk(Op::FpLt, &[largest, size])
            }
        }];
        for operand in self.float_operands(store) {
            parts.push(is_finite(store, operand));
        }
        if self.operation == Op::FpDiv {
            parts.push(is_not(store, Op::FpIsZero, self.operands[1]));
        }
        store.and(&parts)
    }

    /// The result differs from the exact one.
    pub fn inexact(&self, store: &mut Store) -> TermId {
        let up = self.rounded(store, RoundingMode::TowardPositive);
        let down = self.rounded(store, RoundingMode::TowardNegative);
        let differ = {
            let equal = store.mk(Op::FpEq, &[up, down]);
            store.not(equal)
        };
        // Comparing NaNs says nothing; an operation that gives one is exact.
        let number = is_not(store, Op::FpIsNan, up);
        store.and(&[number, differ])
    }

    /// The result is inexact and tiny, seen after rounding.
    pub fn underflows(&self, store: &mut Store) -> TermId {
        let inexact = self.inexact(store);
        let (wide, size) = self.unbounded_size(store);
        let smallest_normal = power_of_two(store, wide, self.format.min_exponent());
        let tiny = store.mk(Op::FpLt, &[size, smallest_normal]);
        store.and(&[tiny, inexact])
    }

    /// The magnitude of the result rounded as if the exponent were unbounded, and its format.
    fn unbounded_size(&self, store: &mut Store) -> (Format, TermId) {
        let wide = unbounded(self.format, self.operands.iter().filter_map(|operand| store.float_format(*operand)));
        let (mode, nearest) = (store.rounding_mode(self.mode), store.rounding_mode(RoundingMode::NearestEven));
        let unrounded = match self.operation {
            Op::FpFromFloat(_) => store.mk(Op::FpFromFloat(wide), &[mode, self.operands[0]]),
            Op::FpFromSigned(_) => store.mk(Op::FpFromSigned(wide), &[mode, self.operands[0]]),
            Op::FpFromUnsigned(_) => store.mk(Op::FpFromUnsigned(wide), &[mode, self.operands[0]]),
            _ => {
                let mut args = vec![mode];
                for operand in self.operands {
                    // Exact: the wide format holds every number of the narrow one.
                    args.push(store.mk(Op::FpFromFloat(wide), &[nearest, *operand]));
                }
                store.mk(self.operation.clone(), &args)
            }
        };
        (wide, store.mk(Op::FpAbs, &[unrounded]))
    }
}

/// A format of `format`'s precision in which products, quotients and fused sums of numbers of the operands' formats, and
/// those numbers themselves, are neither tiny nor too large.
///
/// Their exponents are at most twice as far from zero as those of the operands' extreme numbers, subnormal ones included,
/// plus one for rounding and one for the fused sum; a fused sum that cancels is still a multiple of the smallest product.
fn unbounded(format: Format, operands: impl Iterator<Item = Format>) -> Format {
    let reach = |format: Format| format.max_exponent() + i64::from(format.precision());
    let reach = 2 * operands.map(reach).fold(reach(format), i64::max) + 2;
    let mut bits = format.exponent_bits();
    while Format::new(bits, format.precision()).min_exponent() > -reach {
        bits += 1;
    }
    Format::new(bits, format.precision())
}

fn remainder_is_invalid(store: &mut Store, x: TermId, y: TermId) -> TermId {
    let causes = [store.mk(Op::FpIsInfinite, &[x]), store.mk(Op::FpIsZero, &[y])];
    let cause = store.or(&causes);
    let numbers = [x, y].map(|operand| is_not(store, Op::FpIsNan, operand));
    store.and(&[cause, numbers[0], numbers[1]])
}

/// Truncation to an integer of `bits`: invalid where the truncated value is not one of them, or is so great that code generation makes
/// it so ([`unsigned_limit`]).
fn to_integer(store: &mut Store, x: TermId, bits: u32, signed: bool, exception: Flags) -> Option<TermId> {
    let format = store.float_format(x)?;
    let mode = store.rounding_mode(RoundingMode::TowardZero);
    let truncated = store.mk(Op::FpRoundToIntegral, &[mode, x]);
    // Powers of two: exact, or infinite where the format is too small to leave the integers' range.
    let (low, high) = match signed {
        true => (-(BigInt::one() << (bits - 1)), BigInt::one() << (bits - 1)),
        false if exception == Flags::INVALID => (BigInt::from(0), BigInt::one() << unsigned_limit(bits)),
        false => (BigInt::from(0), BigInt::one() << bits),
    };
    let mut bound = |value: BigInt| {
        let value = BigRational::from_integer(value);
        store.float_const(Float::from_rational(format, &value, RoundingMode::NearestEven))
    };
    let (low, high) = (bound(low), bound(high));
    let parts = [
        store.mk(Op::FpLe, &[low, truncated]),
        store.mk(Op::FpLt, &[truncated, high]),
        is_not(store, Op::FpIsInfinite, x),
    ];
    let valid = store.and(&parts);
    match exception {
        Flags::INVALID => Some(store.not(valid)),
        Flags::INEXACT => {
            let changed = changed(store, x, truncated);
            Some(store.and(&[valid, changed]))
        }
        _ => None,
    }
}

/// Whether a number was rounded to another one.
pub fn changed(store: &mut Store, x: TermId, rounded: TermId) -> TermId {
    let equal = store.mk(Op::FpEq, &[x, rounded]);
    let different = store.not(equal);
    let number = is_not(store, Op::FpIsNan, x);
    store.and(&[number, different])
}

fn power_of_two(store: &mut Store, format: Format, exponent: i64) -> TermId {
    let two = BigRational::from_integer(BigInt::from(2));
    let value = num_traits::Pow::pow(two, &BigInt::from(exponent));
    store.float_const(Float::from_rational(format, &value, RoundingMode::NearestEven))
}

/// Whether a term is not of a class.
pub(super) fn is_not(store: &mut Store, class: Op, x: TermId) -> TermId {
    let is = store.mk(class, &[x]);
    store.not(is)
}

/// Whether a term is neither a NaN nor an infinity.
pub(super) fn is_finite(store: &mut Store, x: TermId) -> TermId {
    let parts = [is_not(store, Op::FpIsNan, x), is_not(store, Op::FpIsInfinite, x)];
    store.and(&parts)
}
