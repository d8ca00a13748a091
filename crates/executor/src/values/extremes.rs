//! Minima and maxima.
//!
//! - `minsd` and `maxsd`: the second operand unless the first is strictly beyond it.
//! - `llvm.minnum` and `llvm.maxnum`, which clang makes of C's fmin and fmax: in SSE formats `minsd` with the operands exchanged,
//!   and the second operand where the first is a NaN; any NaN raises invalid, and none is quieted. For x87's type glibc's
//!   fminl and fmaxl are called, for _Float16 fminf and fmaxf.
//! - fmin and fmax where they are functions of glibc: the number where the other operand is a quiet NaN; two NaNs, or one whose quiet bit
//!   is clear, are added. Of x87's type invalid encodings are such NaNs.
//! - IEEE 754-2019's four, of SSE formats only: the operands are ordered by the first one's sign, so that `minsd`, which gives the
//!   second of two zeros, gives the right one; NaNs are not quieted either, but by glibc's functions, which add them.
//!
//! **Claim.** What is computed natively by clang's code of any source, and by glibc's functions, is among the values of the result.
//!
//! **Argument.** C leaves open which of two zeros fmin and fmax give. Code generation puts constants second, or takes the operand first that is
//! known to be a number; functions have an order of their own, and nothing here says which operand was a constant of the source. So the sign of the zero is open: one bit for each call,
//! which is false where the operands are as the IR has them. Code generation also computes with NaNs that are constants: where a NaN is known,
//! which of the operands is given, quieted or not, and whether it raises invalid, is open in the same way. All else is compared with the processor by tests.

use std::cmp::Ordering;

use labrys_float::{Flags, Float, Format, RoundingMode};
use labrys_interp::{FloatOperation, Int, IntOperation, Stop};
use labrys_symex::int_terms::{self, ite, not};
use labrys_term::{Op, Sort, TermId};

use super::concrete::{Computed, is_modelled, refuse};
use super::encoding::format;
use super::environment::{FloatEnvironment, Happened, Raising};
use super::nan::{Encoding, refuse_odd, refuse_unusual};
use super::{FloatValue, Values};

/// Whether an operation is one of these, and whether it looks for the smaller operand.
pub(super) fn is_minimum(operation: FloatOperation) -> Option<bool> {
    match operation {
        FloatOperation::X86Min | FloatOperation::MinNum | FloatOperation::Minimum | FloatOperation::MinimumNumber => {
            Some(true)
        }
        FloatOperation::X86Max | FloatOperation::MaxNum | FloatOperation::Maximum | FloatOperation::MaximumNumber => {
            Some(false)
        }
        _ => None,
    }
}

/// Whether it is C's fmin or fmax.
fn leaves_zeros_open(operation: FloatOperation) -> bool {
    matches!(operation, FloatOperation::MinNum | FloatOperation::MaxNum)
}

/// Whether it is an instruction of the processor.
fn is_instruction(operation: FloatOperation) -> bool {
    matches!(operation, FloatOperation::X86Min | FloatOperation::X86Max)
}

/// The extreme of two known floats, the operands as the IR has them, by a function of libm or by clang's code; `None` for other operations.
fn concrete(operation: FloatOperation, in_library: bool, format: Format, a: u128, b: u128) -> Option<Computed> {
    let wanted = if is_minimum(operation)? { Ordering::Less } else { Ordering::Greater };
    let encoding = Encoding::of(format);
    let order = Float::from_bits(format, a).compare(&Float::from_bits(format, b));
    let stored = encoding.leading != 0;
    let signaling = encoding.is_signaling(a) || encoding.is_signaling(b);
    let raises = if stored || in_library { signaling } else { order.is_none() };
    let flags = if raises { Flags::INVALID } else { Flags::empty() };
    let (a_is_nan, b_is_nan) = (encoding.is_nan(a), encoding.is_nan(b));
    let sum = || super::concrete::compute(FloatOperation::Add, RoundingMode::NearestEven, format, &[a, b]);
    let bits = match operation {
        FloatOperation::X86Min | FloatOperation::X86Max => {
            let flags = if order.is_none() { Flags::INVALID } else { Flags::empty() };
            return Some(Computed { bits: if order == Some(wanted) { a } else { b }, flags });
        }
        FloatOperation::MinNum | FloatOperation::MaxNum if stored || in_library => {
            let is_loud = |bits: u128| encoding.is_nan(bits) && bits & encoding.quiet == 0;
            if is_loud(a) || is_loud(b) || (a_is_nan && b_is_nan) {
                sum().ok()?.bits
            } else {
                let second = order == Some(Ordering::Equal) && (!stored || wanted == Ordering::Greater);
                if !a_is_nan && order != Some(wanted.reverse()) && !second { a } else { b }
            }
        }
        FloatOperation::MinNum | FloatOperation::MaxNum => {
            if !a_is_nan && order != Some(wanted.reverse()) {
                a
            } else {
                b
            }
        }
        _ => {
            let ignores_nan = matches!(operation, FloatOperation::MinimumNumber | FloatOperation::MaximumNumber);
            let is_added = if ignores_nan { a_is_nan && b_is_nan } else { a_is_nan || b_is_nan };
            if in_library && is_added {
                sum().ok()?.bits
            } else {
                let is_in_order = (a & encoding.sign != 0) == (wanted == Ordering::Greater);
                let (x, y) = if is_in_order { (a, b) } else { (b, a) };
                let order = if is_in_order { order } else { order.map(Ordering::reverse) };
                let nan = encoding.is_nan(if ignores_nan { y } else { x });
                if order == Some(wanted) || nan { x } else { y }
            }
        }
    };
    Some(Computed { bits, flags })
}

impl Values<'_> {
    /// A minimum or maximum, by a function of libm or by clang's code.
    pub(super) fn extreme(
        &mut self,
        environment: &mut FloatEnvironment,
        in_library: bool,
        operation: FloatOperation,
        operands: &[FloatValue],
    ) -> Result<FloatValue, Stop> {
        let &[x, y] = operands else { return Err(Stop::unsupported("a minimum of other than two operands")) };
        let is_computed = !in_library && !is_instruction(operation);
        if self.format_of(&x) != Format::BINARY16 {
            return self.extreme_of(environment, operation, [x, y], in_library, is_computed);
        }
        let half = Encoding::of(Format::BINARY16);
        if is_computed && operands.iter().any(|operand| half.is_known_nan(operand)) {
            return Err(Stop::unsupported("minima of a NaN of _Float16 that may be a constant"));
        }
        // clang calls fminf and fmaxf.
        let by_function = in_library || leaves_zeros_open(operation);
        let single = FloatOperation::Convert(Format::BINARY32);
        let wide = [self.operate(environment, single, &[x])?, self.operate(environment, single, &[y])?];
        let result = self.extreme_of(environment, operation, wide, by_function, is_computed)?;
        self.operate(environment, FloatOperation::Convert(Format::BINARY16), &[result])
    }

    /// The same of a format that the processor computes in. `is_computed` says that code generation has made of it what is executed.
    fn extreme_of(
        &mut self,
        environment: &mut FloatEnvironment,
        operation: FloatOperation,
        [x, y]: [FloatValue; 2],
        in_library: bool,
        is_computed: bool,
    ) -> Result<FloatValue, Stop> {
        let of = self.format_of(&x);
        if !is_modelled(of) {
            return Err(refuse(of));
        }
        refuse_unusual(operation, of)?;
        let (a, b) = (self.term(&x), self.term(&y));
        let encoding = Encoding::of(of);
        let has_known_nan = [&x, &y].into_iter().any(|operand| encoding.is_known_nan(operand));
        let quiet = !is_instruction(operation) && (in_library || encoding.leading != 0);
        let mut raises = !quiet || [&x, &y].into_iter().any(|operand| encoding.is_known_signaling(operand));
        let mut known = None;
        if let (FloatValue::Concrete { bits: p, .. }, FloatValue::Concrete { bits: q, .. }) = (x, y) {
            let Computed { bits, flags } = concrete(operation, in_library, of, p, q)
                .ok_or_else(|| Stop::unsupported("a minimum of these operands"))?;
            if !(is_computed && has_known_nan) {
                environment.raised |= flags;
            }
            raises = flags.contains(Flags::INVALID);
            known = Some(FloatValue::concrete(of, bits));
        } else if of.has_explicit_leading_bit()
            && is_small(&x, &y)
            && [a, b].iter().any(|&o| self.encodings.may_be_odd(self.store, o))
        {
            // Two encodings of one number, of which code generation may take the other.
            return Err(refuse_odd());
        }
        let natural = match known {
            Some(known) => self.term(&known),
            None => self.natural(operation, in_library, a, b),
        };
        let mut result = natural;
        if leaves_zeros_open(operation) {
            result = self.with_open_zero([&x, &y], [a, b], result);
        }
        if is_computed && has_known_nan {
            result = self.with_open_nan(&encoding, [&x, &y], [a, b], result);
            if self.reads_flags {
                let other = self.open_bit("invalid");
                let raises = if raises { not(self.store, other) } else { other };
                environment.push(Happened::Raised(Raising::Perhaps(Flags::INVALID, raises)));
            }
        } else if known.is_none() {
            self.note(environment, if quiet { Raising::Signaling(a, b) } else { Raising::Unordered(a, b) });
        }
        Ok(match known {
            Some(known) if result == natural => known,
            _ => self.float(result),
        })
    }

    /// The result, where two zeros of different signs may give either of them.
    fn with_open_zero(&mut self, values: [&FloatValue; 2], terms: [TermId; 2], result: TermId) -> TermId {
        let known = values.map(FloatValue::known);
        if known.iter().flatten().any(|number| !number.is_zero()) {
            return result;
        }
        let of = format(self.store, terms[0]);
        let [plus, minus] = [false, true].map(|negative| self.store.float_const(Float::zero(of, negative)));
        if let [Some(a), Some(b)] = &known {
            if a.is_negative() == b.is_negative() {
                return result;
            }
            let bit = self.open_bit("zero");
            let other = if result == plus { minus } else { plus };
            return ite(self.store, bit, other, result);
        }
        let is_negative = |values: &mut Self, index: usize| values.store.mk(Op::FpIsNegative, &[terms[index]]);
        let mut parts = Vec::new();
        for (index, number) in known.iter().enumerate() {
            if number.is_none() {
                parts.push(self.store.mk(Op::FpIsZero, &[terms[index]]));
            }
        }
        parts.push(match &known {
            [Some(number), None] | [None, Some(number)] => {
                let negative = is_negative(self, usize::from(known[0].is_some()));
                if number.is_negative() { not(self.store, negative) } else { negative }
            }
            _ => {
                let [p, q] = [0, 1].map(|index| is_negative(self, index));
                let (positive, negative) = (not(self.store, p), not(self.store, q));
                let (first, second) = (self.store.and(&[p, negative]), self.store.and(&[positive, q]));
                self.store.or(&[first, second])
            }
        });
        parts.push(self.open_bit("zero"));
        let is_other = self.store.and(&parts);
        // The zero that the operands as they are do not give.
        let is_minus = self.store.mk(Op::FpIsNegative, &[result]);
        let other = ite(self.store, is_minus, plus, minus);
        ite(self.store, is_other, other, result)
    }

    /// The result, where a NaN that is known may be a constant of the source.
    fn with_open_nan(
        &mut self,
        encoding: &Encoding,
        values: [&FloatValue; 2],
        terms: [TermId; 2],
        result: TermId,
    ) -> TermId {
        let [a, b] = terms;
        let other = self.open_bit("other");
        let mut parts = vec![other];
        if !values.iter().any(|value| encoding.is_known_signaling(value)) {
            // A quiet one matters where the other is a NaN, too.
            match values {
                [FloatValue::Concrete { .. }, FloatValue::Concrete { .. }] => {
                    if !values.iter().all(|value| encoding.is_known_nan(value)) {
                        return result;
                    }
                }
                [FloatValue::Concrete { .. }, _] => parts.push(self.store.mk(Op::FpIsNan, &[b])),
                _ => parts.push(self.store.mk(Op::FpIsNan, &[a])),
            }
        }
        let width = encoding.format.width();
        let payload = self.open_variable("payload", Sort::BitVec(width));
        let quiet = self.store.bv_const(width, encoding.infinity() | encoding.quiet);
        let payload = self.store.mk(Op::BvOr, &[payload, quiet]);
        let quiet = self.store.mk(Op::FpFromBits(encoding.format), &[payload]);
        let [raw, first] = ["raw", "first"].map(|what| self.open_bit(what));
        let operand = ite(self.store, first, a, b);
        let nan = ite(self.store, raw, operand, quiet);
        let is_other = self.store.and(&parts);
        ite(self.store, is_other, nan, result)
    }

    /// The term of the extreme, the operands as the IR has them.
    fn natural(&mut self, operation: FloatOperation, in_library: bool, a: TermId, b: TermId) -> TermId {
        let minimum = is_minimum(operation) == Some(true);
        let stored = format(self.store, a).has_explicit_leading_bit();
        let (a_nan, b_nan) = (self.store.mk(Op::FpIsNan, &[a]), self.store.mk(Op::FpIsNan, &[b]));
        let beyond = |values: &mut Self, x: TermId, y: TermId| {
            let args = if minimum { [x, y] } else { [y, x] };
            values.store.mk(Op::FpLt, &args)
        };
        match operation {
            FloatOperation::X86Min | FloatOperation::X86Max => {
                let first = beyond(self, a, b);
                ite(self.store, first, a, b)
            }
            FloatOperation::MinNum | FloatOperation::MaxNum => {
                // Which one of equal operands: these differ in the sign of zero alone.
                let chosen = if (in_library && !stored) || (stored && !minimum) {
                    let first = beyond(self, a, b);
                    let first = self.store.or(&[b_nan, first]);
                    ite(self.store, first, a, b)
                } else {
                    let second = beyond(self, b, a);
                    let second = self.store.or(&[a_nan, second]);
                    ite(self.store, second, b, a)
                };
                if !stored && !in_library {
                    return chosen;
                }
                let loud = [a, b].map(|operand| self.encodings.is_loud(self.store, operand));
                let both = self.store.and(&[a_nan, b_nan]);
                let added = self.store.or(&[loud[0], loud[1], both]);
                self.sum_where(added, a, b, chosen)
            }
            _ => {
                let negative = self.encodings.sign(self.store, a);
                let (with_sign, without) = if minimum { (b, a) } else { (a, b) };
                let x = ite(self.store, negative, with_sign, without);
                let y = ite(self.store, negative, without, with_sign);
                let first = beyond(self, x, y);
                let ignores_nan = matches!(operation, FloatOperation::MinimumNumber | FloatOperation::MaximumNumber);
                let nan = self.store.mk(Op::FpIsNan, &[if ignores_nan { y } else { x }]);
                let first = self.store.or(&[first, nan]);
                let chosen = ite(self.store, first, x, y);
                if !in_library {
                    return chosen;
                }
                let added = match ignores_nan {
                    true => self.store.and(&[a_nan, b_nan]),
                    false => self.store.or(&[a_nan, b_nan]),
                };
                self.sum_where(added, a, b, chosen)
            }
        }
    }

    /// The sum of the operands where a condition holds, which makes NaNs of NaNs.
    fn sum_where(&mut self, condition: TermId, a: TermId, b: TermId, otherwise: TermId) -> TermId {
        if self.store.node(condition).op == Op::BoolConst(false) {
            return otherwise;
        }
        let mode = self.store.rounding_mode(RoundingMode::NearestEven);
        let sum = self.store.mk(Op::FpAdd, &[mode, a, b]);
        ite(self.store, condition, sum, otherwise)
    }

    /// A bit that this machine's code has one value of, and other code another.
    pub(super) fn open_bit(&mut self, what: &str) -> TermId {
        self.open_variable(what, Sort::Bool)
    }

    /// An integer of which the same holds.
    pub(super) fn open_integer(&mut self, what: &str, bits: u32) -> Int<TermId> {
        let sort = if bits == 1 { Sort::Bool } else { Sort::BitVec(bits) };
        Int::symbolic(bits, self.open_variable(what, sort))
    }

    /// The first integer where a bit is set, else the second.
    pub(super) fn chosen_integer(&mut self, bit: &Int<TermId>, a: &Int<TermId>, b: &Int<TermId>) -> Int<TermId> {
        let operands = [bit.clone(), a.clone(), b.clone()];
        match (bit.concrete(), bit.symbol()) {
            (Some(0), _) => b.clone(),
            (None, Some(_)) => int_terms::operation(self.store, IntOperation::Select, &operands),
            _ => a.clone(),
        }
    }

    fn open_variable(&mut self, what: &str, sort: Sort) -> TermId {
        self.opened += 1;
        self.store.variable(&format!("open#{}:{what}", self.opened), sort)
    }
}

/// Whether one of the operands is known to be subnormal.
fn is_small(a: &FloatValue, b: &FloatValue) -> bool {
    [a, b]
        .into_iter()
        .any(|operand| operand.known().is_some_and(|number| number.class() == labrys_float::Class::Subnormal))
}

impl Encoding {
    /// Whether a value is known to be a NaN of this format.
    fn is_known_nan(&self, value: &FloatValue) -> bool {
        matches!(*value, FloatValue::Concrete { bits, .. } if self.is_nan(bits))
    }

    /// Whether it is known to be one that raises an exception.
    fn is_known_signaling(&self, value: &FloatValue) -> bool {
        matches!(*value, FloatValue::Concrete { bits, .. } if self.is_signaling(bits))
    }
}
