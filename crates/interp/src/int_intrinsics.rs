//! Intrinsics on integers, written with the total operations of [`crate::bits`], so that symbols come out as terms.

use labrys_program::{Extreme, Instruction, IntBinary, IntPredicate, IntegerCall, Operand, Wrapping};

use crate::intrinsics::malformed;
use crate::machine::{HaltOf, IntOf, ScalarOf, ValueOf, int_of};
use crate::state::single;
use crate::{Domain, Int, Machine, Scalar, State, Stop, bits};

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
            let tainted = values.iter().any(|value| value[lane].tainted);
            let ints = values.iter().map(|value| int_of(&value[lane]).cloned()).collect::<Result<Vec<_>, Stop>>()?;
            let int = if let IntegerCall::WithOverflow(operation) = call {
                let (int, overflow) = self.with_overflow(operation, &ints[0], &ints[1])?;
                overflows.push(Scalar::int(overflow).taint(tainted));
                int
            } else {
                let width = match crate::types::element_kind(&instruction.ty)? {
                    crate::ScalarKind::Int(bits) => bits,
                    _ => return Err(malformed(name).into()),
                };
                self.int_function(state, call, &ints, width)?
            };
            result.push(Scalar::int(int).taint(tainted));
        }
        result.extend(overflows);
        Ok(result)
    }

    fn int_function(
        &mut self,
        state: &State<D>,
        call: IntegerCall,
        ints: &[IntOf<D>],
        width: u32,
    ) -> Result<IntOf<D>, HaltOf<D>> {
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
                bits::select(&mut self.domain, &less, &Int::new(width, u128::MAX), &not_less)
            }
            _ => self.bit_count(state, call, a)?,
        })
    }

    /// Counts and permutations of bits; symbols are split where there is no short term.
    fn bit_count(&mut self, state: &State<D>, call: IntegerCall, a: &IntOf<D>) -> Result<IntOf<D>, HaltOf<D>> {
        let width = a.bits();
        if call == IntegerCall::SwapBytes {
            let mut swapped = bits::extract(&mut self.domain, a, 7, 0);
            for byte in 1..width / 8 {
                let next = bits::extract(&mut self.domain, a, 8 * byte + 7, 8 * byte);
                swapped = bits::concat(&mut self.domain, &swapped, &next);
            }
            return Ok(swapped);
        }
        let value = self.concrete(state, a, |_, _| (0..=16).collect())?;
        let result = match call {
            IntegerCall::CountOnes => u128::from(value.count_ones()),
            IntegerCall::LeadingZeros => u128::from(value.leading_zeros() - (128 - width)),
            IntegerCall::TrailingZeros => u128::from(value.trailing_zeros().min(width)),
            _ => value.reverse_bits() >> (128 - width),
        };
        Ok(Int::new(width, result))
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
        if 2 * width > crate::MAX_INT_BITS {
            return Err(Stop::unsupported("funnel shifts of more than 64 bits"));
        }
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
        if double > crate::MAX_INT_BITS {
            return Err(Stop::unsupported("overflow checks of more than 64 bits"));
        }
        let x = self.widen(a, double, signed);
        let y = self.widen(b, double, signed);
        let exact = bits::total(&mut self.domain, operation, &x, &y)?;
        let wrapped = bits::extract(&mut self.domain, &exact, width - 1, 0);
        let back = self.widen(&wrapped, double, signed);
        let overflow = bits::compare(&mut self.domain, IntPredicate::Ne, &exact, &back);
        Ok((wrapped, overflow))
    }

    fn saturating(&mut self, of: Wrapping, a: &IntOf<D>, b: &IntOf<D>) -> Result<IntOf<D>, Stop> {
        let width = a.bits();
        let (wrapped, overflow) = self.with_overflow(of, a, b)?;
        let limit = if of.signed {
            // A signed overflow has the sign of the first operand.
            let negative = bits::compare(&mut self.domain, IntPredicate::Slt, a, &Int::new(width, 0));
            let (least, greatest) = (1u128 << (width - 1), (1u128 << (width - 1)) - 1);
            bits::select(&mut self.domain, &negative, &Int::new(width, least), &Int::new(width, greatest))
        } else if of.operation == IntBinary::Sub {
            Int::new(width, 0)
        } else {
            Int::new(width, u128::MAX)
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
