//! Intrinsics on integers, written with the total operations of [`crate::bits`], so that symbols come out as terms.

use labrys_program::{Constant, Extreme, Instruction, IntBinary, IntPredicate, IntegerCall, Operand, Wrapping};
use num_bigint::BigUint;
use num_traits::One;

use crate::intrinsics::malformed;
use crate::machine::{HaltOf, IntOf, ScalarOf, ValueOf, int_of};
use crate::state::single;
use crate::value::WORD_BITS;
use crate::{Domain, Int, Machine, Scalar, State, Stop, bits, wide};

/// 1, 2, 4, … below a width.
fn doubling(width: u32) -> impl Iterator<Item = u32> {
    std::iter::successors(Some(1), |step| Some(2 * step)).take_while(move |step| *step < width)
}

/// Every second field of so many bits of an integer, the lowest one first.
fn fields<S>(bits: u32, width: u32) -> Int<S> {
    let field = (BigUint::one() << bits) - 1u8;
    let places = (0..width.div_ceil(2 * bits)).map(|i| 2 * bits * i);
    Int::number(width, places.fold(BigUint::ZERO, |fields, place| fields | &field << place))
}

/// A count or permutation of a known integer's bits.
fn known_bits<S>(call: IntegerCall, a: &Int<S>) -> Option<Int<S>> {
    let width = a.bits();
    let Some(value) = a.concrete() else { return wide::known_bits(call, a) };
    Some(match call {
        IntegerCall::CountOnes => Int::new(width, value.count_ones().into()),
        IntegerCall::LeadingZeros => Int::new(width, (value.leading_zeros() - (WORD_BITS - width)).into()),
        IntegerCall::TrailingZeros => Int::new(width, value.trailing_zeros().min(width).into()),
        _ => Int::new(width, value.reverse_bits() >> (WORD_BITS - width)),
    })
}

impl<D: Domain> Machine<'_, D> {
    /// Executes an intrinsic on integers.
    pub(crate) fn int_intrinsic(
        &mut self,
        state: &mut State<D>,
        instruction: &Instruction,
        (name, call): (&str, IntegerCall),
        operands: &[Operand],
    ) -> Result<ValueOf<D>, HaltOf<D>> {
        if matches!(call, IntegerCall::Reduction(_) | IntegerCall::ExtremeLane(_)) {
            return self.int_reduction(state, name, call, operands);
        }
        let values = self.values(state, operands, call.arity())?;
        let mut result = ValueOf::<D>::new();
        let mut overflows = ValueOf::<D>::new();
        for lane in 0..values.iter().map(|value| value.len()).min().unwrap_or(0) {
            let ints = values.iter().map(|value| int_of(&value[lane]).cloned()).collect::<Result<Vec<_>, Stop>>()?;
            let mut tainted = values.iter().any(|value| value[lane].tainted);
            tainted |= !tainted && self.counts_zeros_of_zero(state, call, &ints[0], operands)?;
            let int = if let IntegerCall::WithOverflow(operation) = call {
                let (int, overflow) = self.with_overflow(operation, &ints[0], &ints[1])?;
                overflows.push(Scalar::int(overflow).taint(tainted));
                int
            } else {
                let width = match crate::types::element_kind(&instruction.ty)? {
                    crate::ScalarKind::Int(bits) => bits,
                    _ => return Err(malformed(name).into()),
                };
                self.int_function(call, &ints, width)?
            };
            result.push(Scalar::int(int).taint(tainted));
        }
        result.extend(overflows);
        Ok(result)
    }

    fn int_function(&mut self, call: IntegerCall, ints: &[IntOf<D>], width: u32) -> Result<IntOf<D>, HaltOf<D>> {
        let a = &ints[0];
        let bits_of = a.bits();
        Ok(match call {
            IntegerCall::Abs => {
                let zero = Int::new(bits_of, 0);
                let negated = bits::total(&mut self.domain, IntBinary::Sub, &zero, a)?;
                let negative = bits::compare(&mut self.domain, IntPredicate::Slt, a, &zero);
                bits::select(&mut self.domain, &negative, &negated, a)
            }
            IntegerCall::Extreme(extreme) => self.extreme(extreme, a, &ints[1]),
            IntegerCall::Saturating(operation) => self.saturating(operation, a, &ints[1])?,
            IntegerCall::FunnelShift { left } => self.funnel_shift(left, ints)?,
            IntegerCall::Compare { signed } => {
                let (less, greater) = match signed {
                    true => (IntPredicate::Slt, IntPredicate::Sgt),
                    false => (IntPredicate::Ult, IntPredicate::Ugt),
                };
                let less = bits::compare(&mut self.domain, less, a, &ints[1]);
                let greater = bits::compare(&mut self.domain, greater, a, &ints[1]);
                let not_less = bits::select(&mut self.domain, &greater, &Int::new(width, 1), &Int::new(width, 0));
                bits::select(&mut self.domain, &less, &Int::minus_one(width), &not_less)
            }
            _ => self.bit_count(call, a)?,
        })
    }

    /// Counts and permutations of bits.
    ///
    /// Of symbols in logarithmically many steps: H. S. Warren, "Hacker's Delight", 2nd edition 2012, sections 5-1 (sums of fields that double in
    /// width), 5-3 and 5-4 (counts of zeros as counts of ones), 7-1 (fields that change places).
    fn bit_count(&mut self, call: IntegerCall, a: &IntOf<D>) -> Result<IntOf<D>, Stop> {
        let width = a.bits();
        if call != IntegerCall::SwapBytes
            && let Some(known) = known_bits(call, a)
        {
            return Ok(known);
        }
        Ok(match call {
            IntegerCall::SwapBytes => {
                let mut swapped = bits::extract(&mut self.domain, a, 7, 0);
                for byte in 1..width / 8 {
                    let next = bits::extract(&mut self.domain, a, 8 * byte + 7, 8 * byte);
                    swapped = bits::concat(&mut self.domain, &swapped, &next);
                }
                swapped
            }
            IntegerCall::CountOnes => self.count_ones(a)?,
            IntegerCall::LeadingZeros => {
                // All bits below the highest one are set, too.
                let mut below = a.clone();
                for step in doubling(width) {
                    let shifted = self.shifted(IntBinary::LShr, &below, step)?;
                    below = bits::total(&mut self.domain, IntBinary::Or, &below, &shifted)?;
                }
                let above = bits::total(&mut self.domain, IntBinary::Xor, &below, &Int::minus_one(width))?;
                self.count_ones(&above)?
            }
            IntegerCall::TrailingZeros => {
                let before = bits::total(&mut self.domain, IntBinary::Sub, a, &Int::new(width, 1))?;
                let clear = bits::total(&mut self.domain, IntBinary::Xor, a, &Int::minus_one(width))?;
                let below = bits::total(&mut self.domain, IntBinary::And, &clear, &before)?;
                self.count_ones(&below)?
            }
            _ => self.reverse_bits(a)?,
        })
    }

    /// An integer shifted by some places, fewer than it has.
    fn shifted(&mut self, shift: IntBinary, a: &IntOf<D>, by: u32) -> Result<IntOf<D>, Stop> {
        bits::total(&mut self.domain, shift, a, &Int::new(a.bits(), by.into()))
    }

    /// How many bits of a symbol are set: of fields, each as long as what is counted in two that lie side by side.
    fn count_ones(&mut self, a: &IntOf<D>) -> Result<IntOf<D>, Stop> {
        let mut counts = a.clone();
        for step in doubling(a.bits()) {
            let mask = fields(step, a.bits());
            let even = bits::total(&mut self.domain, IntBinary::And, &counts, &mask)?;
            let odd = self.shifted(IntBinary::LShr, &counts, step)?;
            let odd = bits::total(&mut self.domain, IntBinary::And, &odd, &mask)?;
            counts = bits::total(&mut self.domain, IntBinary::Add, &even, &odd)?;
        }
        Ok(counts)
    }

    fn reverse_bits(&mut self, a: &IntOf<D>) -> Result<IntOf<D>, Stop> {
        let width = a.bits();
        if !width.is_power_of_two() {
            let mut reversed = bits::extract(&mut self.domain, a, 0, 0);
            for bit in 1..width {
                let next = bits::extract(&mut self.domain, a, bit, bit);
                reversed = bits::concat(&mut self.domain, &reversed, &next);
            }
            return Ok(reversed);
        }
        let mut reversed = a.clone();
        for step in doubling(width) {
            let mask = fields(step, width);
            let low = bits::total(&mut self.domain, IntBinary::And, &reversed, &mask)?;
            let low = self.shifted(IntBinary::Shl, &low, step)?;
            let high = self.shifted(IntBinary::LShr, &reversed, step)?;
            let high = bits::total(&mut self.domain, IntBinary::And, &high, &mask)?;
            reversed = bits::total(&mut self.domain, IntBinary::Or, &low, &high)?;
        }
        Ok(reversed)
    }

    /// Whether zeros are counted of a zero where that is said not to be: clang says so of `__builtin_ctz`, and processors give anything.
    fn counts_zeros_of_zero(
        &mut self,
        state: &State<D>,
        call: IntegerCall,
        a: &IntOf<D>,
        operands: &[Operand],
    ) -> Result<bool, HaltOf<D>> {
        let is_said = match operands.get(1) {
            Some(Operand::Constant(Constant::Int { value, .. })) => *value != 0u8.into(),
            _ => false,
        };
        if !is_said || !matches!(call, IntegerCall::LeadingZeros | IntegerCall::TrailingZeros) {
            return Ok(false);
        }
        let is_zero = bits::compare(&mut self.domain, IntPredicate::Eq, a, &Int::new(a.bits(), 0));
        self.decide(state, &is_zero)
    }

    fn extreme(&mut self, Extreme { signed, greatest }: Extreme, a: &IntOf<D>, b: &IntOf<D>) -> IntOf<D> {
        let predicate = match (signed, greatest) {
            (true, false) => IntPredicate::Slt,
            (true, true) => IntPredicate::Sgt,
            (false, false) => IntPredicate::Ult,
            (false, true) => IntPredicate::Ugt,
        };
        let first = bits::compare(&mut self.domain, predicate, a, b);
        bits::select(&mut self.domain, &first, a, b)
    }

    /// `fshl`, `fshr`: the operands concatenated, shifted modulo the width, half kept.
    fn funnel_shift(&mut self, left: bool, ints: &[IntOf<D>]) -> Result<IntOf<D>, Stop> {
        let width = ints[0].bits();
        let by = bits::total(&mut self.domain, IntBinary::URem, &ints[2], &Int::new(width, u128::from(width)))?;
        let by = bits::zero_extend(&mut self.domain, &by, 2 * width);
        let joined = bits::concat(&mut self.domain, &ints[0], &ints[1]);
        Ok(if left {
            let shifted = bits::total(&mut self.domain, IntBinary::Shl, &joined, &by)?;
            bits::extract(&mut self.domain, &shifted, 2 * width - 1, width)
        } else {
            let shifted = bits::total(&mut self.domain, IntBinary::LShr, &joined, &by)?;
            bits::extract(&mut self.domain, &shifted, width - 1, 0)
        })
    }

    /// The wrapped result of `sadd`, `umul`, …, and whether it differs from the exact one, which is computed twice as
    /// wide.
    fn with_overflow(
        &mut self,
        Wrapping { operation, signed }: Wrapping,
        a: &IntOf<D>,
        b: &IntOf<D>,
    ) -> Result<(IntOf<D>, IntOf<D>), Stop> {
        let width = a.bits();
        let double = 2 * width;
        if double > WORD_BITS && width <= WORD_BITS {
            return self.with_wide_overflow(operation, signed, a, b);
        }
        let x = self.widen(a, double, signed);
        let y = self.widen(b, double, signed);
        let exact = bits::total(&mut self.domain, operation, &x, &y)?;
        let wrapped = bits::extract(&mut self.domain, &exact, width - 1, 0);
        let back = self.widen(&wrapped, double, signed);
        let overflow = bits::compare(&mut self.domain, IntPredicate::Ne, &exact, &back);
        Ok((wrapped, overflow))
    }

    /// The same of integers that are words, and whose exact results are none: a product of twice as many bits is four times the circuit. A sum is too great where it is less than what it was made of, or where its sign is neither
    /// operand's; a product, of magnitudes, where dividing it does not give back what was multiplied, or where it is beyond its sign's limit.
    pub(crate) fn with_wide_overflow(
        &mut self,
        operation: IntBinary,
        signed: bool,
        a: &IntOf<D>,
        b: &IntOf<D>,
    ) -> Result<(IntOf<D>, IntOf<D>), Stop> {
        let width = a.bits();
        let (zero, one) = (Int::new(width, 0), Int::new(width, 1));
        let wrapped = bits::total(&mut self.domain, operation, a, b)?;
        let overflow = match (operation, signed) {
            (IntBinary::Add, false) => bits::compare(&mut self.domain, IntPredicate::Ult, &wrapped, a),
            (IntBinary::Sub, false) => bits::compare(&mut self.domain, IntPredicate::Ult, a, b),
            (IntBinary::Add | IntBinary::Sub, true) => {
                // Of a − b: signs that differ, and a result of the second one's.
                let other = if operation == IntBinary::Add { &wrapped } else { b };
                let from = if operation == IntBinary::Add { b } else { a };
                let first = bits::total(&mut self.domain, IntBinary::Xor, a, other)?;
                let second = bits::total(&mut self.domain, IntBinary::Xor, from, &wrapped)?;
                let both = bits::total(&mut self.domain, IntBinary::And, &first, &second)?;
                bits::compare(&mut self.domain, IntPredicate::Slt, &both, &zero)
            }
            (IntBinary::Mul, _) => {
                let [(x, x_negative), (y, y_negative)] = [self.magnitude(a, signed)?, self.magnitude(b, signed)?];
                let product = bits::total(&mut self.domain, IntBinary::Mul, &x, &y)?;
                let is_zero = bits::compare(&mut self.domain, IntPredicate::Eq, &x, &zero);
                let divisor = bits::select(&mut self.domain, &is_zero, &one, &x);
                let quotient = bits::total(&mut self.domain, IntBinary::UDiv, &product, &divisor)?;
                let is_other = bits::compare(&mut self.domain, IntPredicate::Ne, &quotient, &y);
                let wraps = bits::select(&mut self.domain, &is_zero, &Int::bool(false), &is_other);
                if !signed {
                    return Ok((wrapped, wraps));
                }
                let negative = bits::total(&mut self.domain, IntBinary::Xor, &x_negative, &y_negative)?;
                let limit = bits::select(&mut self.domain, &negative, &Int::least(width), &Int::greatest(width));
                let is_beyond = bits::compare(&mut self.domain, IntPredicate::Ugt, &product, &limit);
                bits::select(&mut self.domain, &wraps, &Int::bool(true), &is_beyond)
            }
            _ => return Err(Stop::unsupported("an overflow check of another operation")),
        };
        Ok((wrapped, overflow))
    }

    /// An integer without its sign, and whether it is negative.
    fn magnitude(&mut self, a: &IntOf<D>, signed: bool) -> Result<(IntOf<D>, IntOf<D>), Stop> {
        if !signed {
            return Ok((a.clone(), Int::bool(false)));
        }
        let zero = Int::new(a.bits(), 0);
        let negative = bits::compare(&mut self.domain, IntPredicate::Slt, a, &zero);
        let negated = bits::total(&mut self.domain, IntBinary::Sub, &zero, a)?;
        Ok((bits::select(&mut self.domain, &negative, &negated, a), negative))
    }

    fn saturating(&mut self, of: Wrapping, a: &IntOf<D>, b: &IntOf<D>) -> Result<IntOf<D>, Stop> {
        let width = a.bits();
        let (wrapped, overflow) = self.with_overflow(of, a, b)?;
        let limit = if of.signed {
            // A signed overflow has the sign of the first operand.
            let negative = bits::compare(&mut self.domain, IntPredicate::Slt, a, &Int::new(width, 0));
            bits::select(&mut self.domain, &negative, &Int::least(width), &Int::greatest(width))
        } else if of.operation == IntBinary::Sub {
            Int::new(width, 0)
        } else {
            Int::minus_one(width)
        };
        Ok(bits::select(&mut self.domain, &overflow, &limit, &wrapped))
    }

    fn widen(&mut self, int: &IntOf<D>, width: u32, signed: bool) -> IntOf<D> {
        if signed {
            bits::sign_extend(&mut self.domain, int, width)
        } else {
            bits::zero_extend(&mut self.domain, int, width)
        }
    }

    /// Integer reductions.
    fn int_reduction(
        &mut self,
        state: &State<D>,
        name: &str,
        call: IntegerCall,
        operands: &[Operand],
    ) -> Result<ValueOf<D>, HaltOf<D>> {
        let values = self.values(state, operands, 1)?;
        let mut lanes = values[0].iter();
        let mut result: ScalarOf<D> = lanes.next().cloned().ok_or_else(|| malformed(name))?;
        for scalar in lanes {
            let (a, b) = (int_of(&result)?, int_of(scalar)?);
            let int = match call {
                IntegerCall::Reduction(operation) => bits::total(&mut self.domain, operation, a, b)?,
                IntegerCall::ExtremeLane(extreme) => self.extreme(extreme, a, b),
                _ => return Err(malformed(name).into()),
            };
            result = Scalar::int(int).taint(result.tainted | scalar.tainted);
        }
        Ok(single(result))
    }
}
