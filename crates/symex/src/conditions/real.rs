//! Conditions over the reals (Barr, Vo, Le, Su: Automatic Detection of Floating-Point Exceptions, POPL 2013, section 3).
//!
//! With Ω the largest finite number of the site's format and ω its smallest normal one:
//!
//! | operation     | invalid       | division by zero | overflow       | underflow            |
//! |---------------|---------------|------------------|----------------|----------------------|
//! | x∘y, fma      |               |                  | Ω < \|x∘y\|    | 0 < \|x∘y\| < ω      |
//! | x/y           | x = 0 ∧ y = 0 | x ≠ 0 ∧ y = 0    | Ω·\|y\| < \|x\| | 0 < \|x\| < ω·\|y\| |
//! | √x            | x < 0         |                  |                |                      |
//! | fmod, remainder | y = 0       |                  |                |                      |
//! | narrowing     |               |                  | Ω < \|x\|      | 0 < \|x\| < ω        |
//! | to an integer | out of range  |                  |                |                      |
//!
//! [`Form::Draft`] is exactly this table, its formulas built the same way every time, so that hash-consing counts equal
//! ones of two programs once. [`Form::Tight`] wants inputs that stay inside the condition when the reals are replaced by
//! floats: results a 64th beyond Ω or below ω, divisors that are not zero, and sums that do not cancel by more than 40
//! bits, because floats keep 53.
//!
//! What this misses: reals have no infinities and no NaN, so that nothing is said of operations that come after another
//! exception; and a rounding error that grows is not seen.

use labrys_float::{Flags, Format};
use labrys_term::reals::{Abstraction, NotReal};
use labrys_term::{Op, Store, TermId};
use num_bigint::BigInt;
use num_rational::BigRational;
use num_traits::{One, Zero};

use super::number::{constant, integer, is_zero, largest, positive, smallest_normal};
use super::{ConditionError, library};
use crate::{LibraryOperator, SiteExecution, SiteOperator, unsigned_limit};

/// How a condition is stated over the reals.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Form {
    /// The table of the paper draft, unsimplified.
    Draft,
    /// With margins and guards that let a real solution survive rounding.
    Tight,
}

/// Sums are kept from cancelling by more than so many bits.
const CANCELLATION_BITS: u32 = 40;

/// The condition over the reals under which `execution` is reached and raises `exception`, one of
/// [`Flags::NOTABLE`].
///
/// `None` if the operation cannot raise it as far as the reals can tell, or if its operands are constants: what it raises
/// then, every run shows. The result is a Bool term over the
/// abstraction's Real variables; the abstraction's side conditions and the inputs' ranges are the caller's to add.
pub fn real_condition(
    store: &mut Store,
    abstraction: &mut Abstraction,
    execution: &SiteExecution,
    exception: Flags,
    form: Form,
) -> Option<Result<TermId, ConditionError>> {
    if !in_table(&execution.operation).contains(exception)
        || !execution.operands.iter().any(|term| store.has_variables(*term))
    {
        return None;
    }
    let site = match operation(store, abstraction, execution) {
        Ok(site) => site?,
        Err(error) => return Some(Err(error.into())),
    };
    let raised = match site.raises(store, exception, form) {
        Ok(raised) => raised?,
        Err(error) => return Some(Err(error)),
    };
    Some(with_path(store, abstraction, execution.path, raised).map_err(ConditionError::from))
}

/// The exceptions for which the table has a formula: those the operation can raise, and the paper's underflow of sums,
/// which floats do not have.
pub(super) fn in_table(operator: &SiteOperator) -> Flags {
    match operator {
        SiteOperator::Add | SiteOperator::Sub => operator.possible() | Flags::UNDERFLOW,
        _ => operator.possible(),
    }
}

/// `raised` on the given path. A path that is always taken leaves no trace, so that equal formulas stay equal.
pub(super) fn with_path(
    store: &mut Store,
    abstraction: &mut Abstraction,
    path: TermId,
    raised: TermId,
) -> Result<TermId, NotReal> {
    let path = abstraction.term(store, path)?;
    if store.node(path).op == Op::BoolConst(true) {
        return Ok(raised);
    }
    Ok(store.and(&[path, raised]))
}

/// A site's operation with its operands read over the reals.
pub(super) enum RealOperation {
    /// An operation with the given real result.
    Arithmetic { result: TermId, sum: Option<(TermId, TermId)>, format: Format },
    /// A quotient.
    Quotient { x: TermId, y: TermId, format: Format },
    /// Invalid where the operand is negative.
    SquareRoot { x: TermId },
    /// Invalid where the divisor is zero.
    Remainder { y: TermId },
    /// Invalid outside the open interval.
    ToInteger { x: TermId, above: BigInt, below: BigInt },
    /// A library function.
    Library { function: LibraryOperator, operands: Vec<TermId>, format: Format },
}

/// The real reading of an execution; `None` where the reals know no exception.
pub(super) fn operation(
    store: &mut Store,
    abstraction: &mut Abstraction,
    execution: &SiteExecution,
) -> Result<Option<RealOperation>, NotReal> {
    let format = execution.format;
    match &execution.operation {
        SiteOperator::Compare { .. } | SiteOperator::IntToFloat { .. } | SiteOperator::RoundToIntegral { .. } => {
            return Ok(None);
        }
        SiteOperator::Min | SiteOperator::Max | SiteOperator::Minimum | SiteOperator::Maximum => return Ok(None),
        _ => {}
    }
    let mut operands = Vec::new();
    for operand in &execution.operands {
        operands.push(abstraction.term(store, *operand)?);
    }
    // The result is built from the operands, whatever the symbolic execution has made of it: the same formula each time.
    let operation = match (&execution.operation, operands.as_slice()) {
        (SiteOperator::Add, &[x, y]) => {
            let result = store.mk(Op::RealAdd, &[x, y]);
            RealOperation::Arithmetic { result, sum: Some((x, y)), format }
        }
        (SiteOperator::Sub, &[x, y]) => {
            let result = store.mk(Op::RealSub, &[x, y]);
            RealOperation::Arithmetic { result, sum: Some((x, y)), format }
        }
        (SiteOperator::Mul, &[x, y]) => {
            let result = store.mk(Op::RealMul, &[x, y]);
            RealOperation::Arithmetic { result, sum: None, format }
        }
        (SiteOperator::Fma, &[x, y, z]) => {
            let product = store.mk(Op::RealMul, &[x, y]);
            let result = store.mk(Op::RealAdd, &[product, z]);
            RealOperation::Arithmetic { result, sum: Some((product, z)), format }
        }
        (SiteOperator::Convert { to, .. }, &[x]) => RealOperation::Arithmetic { result: x, sum: None, format: *to },
        (SiteOperator::Div, &[x, y]) => RealOperation::Quotient { x, y, format },
        (SiteOperator::Sqrt, &[x]) => RealOperation::SquareRoot { x },
        (SiteOperator::Rem | SiteOperator::IeeeRemainder, &[_, y]) => RealOperation::Remainder { y },
        (SiteOperator::FloatToInt { bits, signed }, &[x]) => {
            let power = |bits: u32| BigInt::one() << bits;
            let (above, below) = match signed {
                true => (-power(bits - 1) - 1, power(bits - 1)),
                // In vector lanes those to 32 bits raise it earlier; elsewhere a candidate below 2^32 would be in vain.
                false if *bits == 32 => (-BigInt::one(), power(32)),
                false => (-BigInt::one(), power(unsigned_limit(*bits))),
            };
            RealOperation::ToInteger { x, above, below }
        }
        (SiteOperator::Library(function), _) => {
            RealOperation::Library { function: function.clone(), operands: operands.clone(), format }
        }
        // An operator with a number of operands that it does not have: nothing to say of it.
        _ => return Ok(None),
    };
    Ok(Some(operation))
}

impl RealOperation {
    /// When the operation raises `exception`; `None` if never.
    pub(super) fn raises(
        &self,
        store: &mut Store,
        exception: Flags,
        form: Form,
    ) -> Result<Option<TermId>, ConditionError> {
        Ok(match self {
            RealOperation::Arithmetic { result, sum, format } => {
                let raised = match (exception, form) {
                    (Flags::OVERFLOW, Form::Draft) => {
                        let size = store.mk(Op::RealAbs, &[*result]);
                        let bound = constant(store, largest(*format));
                        store.mk(Op::RealLt, &[bound, size])
                    }
                    (Flags::UNDERFLOW, Form::Draft) => {
                        let size = store.mk(Op::RealAbs, &[*result]);
                        let bound = constant(store, smallest_normal(*format));
                        let parts = [positive(store, size), store.mk(Op::RealLt, &[size, bound])];
                        store.and(&parts)
                    }
                    (Flags::OVERFLOW, Form::Tight) => far(store, *result, *format),
                    (Flags::UNDERFLOW, Form::Tight) => {
                        let mut parts = vec![near(store, *result, *format)];
                        if let Some((x, y)) = *sum {
                            parts.push(no_cancellation(store, *result, x, y));
                        }
                        store.and(&parts)
                    }
                    _ => return Ok(None),
                };
                Some(raised)
            }
            RealOperation::Quotient { x, y, format } => Some(quotient(store, *x, *y, *format, exception, form)),
            RealOperation::SquareRoot { x } if exception == Flags::INVALID => {
                let zero = constant(store, BigRational::zero());
                Some(store.mk(Op::RealLt, &[*x, zero]))
            }
            RealOperation::Remainder { y } if exception == Flags::INVALID => Some(is_zero(store, *y)),
            RealOperation::ToInteger { x, above, below } if exception == Flags::INVALID => {
                let (above, below) = (integer(store, above.clone()), integer(store, below.clone()));
                let (low, high) = (store.mk(Op::RealLe, &[*x, above]), store.mk(Op::RealLe, &[below, *x]));
                Some(store.or(&[low, high]))
            }
            RealOperation::Library { function, operands, format } => {
                return library::raises(store, function, operands, *format, exception);
            }
            _ => None,
        })
    }

    /// The result over the reals; `None` where it is not a number that can be too large.
    pub(super) fn result(&self, store: &mut Store) -> Option<TermId> {
        match self {
            RealOperation::Arithmetic { result, .. } => Some(*result),
            RealOperation::Quotient { x, y, .. } => Some(store.mk(Op::RealDiv, &[*x, *y])),
            _ => None,
        }
    }
}

fn quotient(store: &mut Store, x: TermId, y: TermId, format: Format, exception: Flags, form: Form) -> TermId {
    let (x_is_zero, y_is_zero) = (is_zero(store, x), is_zero(store, y));
    match exception {
        Flags::INVALID => return store.and(&[x_is_zero, y_is_zero]),
        Flags::DIVBYZERO => {
            let x_is_not_zero = store.not(x_is_zero);
            return store.and(&[x_is_not_zero, y_is_zero]);
        }
        _ => {}
    }
    if form == Form::Tight {
        let result = store.mk(Op::RealDiv, &[x, y]);
        let defined = store.not(y_is_zero);
        let leaves = match exception {
            Flags::OVERFLOW => far(store, result, format),
            _ => near(store, result, format),
        };
        return store.and(&[defined, leaves]);
    }
    let (dividend, divisor) = (store.mk(Op::RealAbs, &[x]), store.mk(Op::RealAbs, &[y]));
    let bound = if exception == Flags::OVERFLOW { largest(format) } else { smallest_normal(format) };
    let bound = constant(store, bound);
    let scaled = store.mk(Op::RealMul, &[divisor, bound]);
    if exception == Flags::OVERFLOW {
        return store.mk(Op::RealLt, &[scaled, dividend]);
    }
    let parts = [positive(store, dividend), store.mk(Op::RealLt, &[dividend, scaled])];
    store.and(&parts)
}

/// The result is a 64th beyond Ω. By cases, not with |result|: solvers are faster on these.
fn far(store: &mut Store, result: TermId, format: Format) -> TermId {
    let bound = largest(format) * widening();
    let (low, high) = (constant(store, -bound.clone()), constant(store, bound));
    let sides = [store.mk(Op::RealLt, &[result, low]), store.mk(Op::RealLt, &[high, result])];
    store.or(&sides)
}

/// The result is not zero and a 64th below ω.
fn near(store: &mut Store, result: TermId, format: Format) -> TermId {
    let bound = smallest_normal(format) / widening();
    let (low, high) = (constant(store, -bound.clone()), constant(store, bound));
    let zero = is_zero(store, result);
    let parts = [store.mk(Op::RealLt, &[low, result]), store.mk(Op::RealLt, &[result, high]), store.not(zero)];
    store.and(&parts)
}

/// 1 + 1/64: what tight conditions keep from Ω and ω. Rounding errors stay far below it where nothing cancels; windows
/// that constant factors open between two builds (0.401 in the carbongas example) are far wider.
pub(super) fn widening() -> BigRational {
    BigRational::new(BigInt::from(65), BigInt::from(64))
}

/// |x + y| ≥ 2^-40·|x| and the same for y, `sum` being x + y or x − y.
pub(super) fn no_cancellation(store: &mut Store, sum: TermId, x: TermId, y: TermId) -> TermId {
    let size = store.mk(Op::RealAbs, &[sum]);
    let factor = constant(store, BigRational::new(BigInt::one(), BigInt::one() << CANCELLATION_BITS));
    let parts = [x, y].map(|operand| {
        let operand = store.mk(Op::RealAbs, &[operand]);
        let least = store.mk(Op::RealMul, &[factor, operand]);
        store.mk(Op::RealLe, &[least, size])
    });
    store.and(&parts)
}
