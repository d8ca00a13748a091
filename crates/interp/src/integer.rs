//! Integer arithmetic, comparisons (of pointers too) and `select`.

use labrys_program::{IntBinary, IntPredicate, Operand};

use crate::machine::{HaltOf, ScalarOf, ValueOf, int_of};
use crate::{Datum, Domain, Int, Machine, Pointer, Scalar, State, bits};

impl<D: Domain> Machine<'_, D> {
    /// `add`, `sub`, …
    pub(crate) fn int_binary(
        &mut self,
        state: &mut State<D>,
        op: IntBinary,
        lhs: &Operand,
        rhs: &Operand,
    ) -> Result<ValueOf<D>, HaltOf<D>> {
        let (a, b) = (self.operand_in(state, lhs)?, self.operand_in(state, rhs)?);
        a.iter().zip(&*b).map(|(a, b)| self.int_binary_scalar(state, op, a, b)).collect()
    }

    /// One lane of `int_binary`.
    pub(crate) fn int_binary_scalar(
        &mut self,
        state: &State<D>,
        op: IntBinary,
        a: &ScalarOf<D>,
        b: &ScalarOf<D>,
    ) -> Result<ScalarOf<D>, HaltOf<D>> {
        let (x, y) = (int_of(a)?, int_of(b)?);
        if bits::is_division(op) {
            self.refuse_undefined_division(state, op, a, b)?;
            if !x.is_known() || !y.is_known() {
                self.refuse_division(state, op, x, y)?;
            }
        }
        if self.checks.shifts && bits::is_shift(op) && !self.is_in_library(state) {
            if b.tainted {
                return Err(crate::Stop::Undefined.into());
            }
            self.refuse_shift(state, x, y)?;
        }
        if op == IntBinary::And && a.tainted != b.tainted {
            // Bits that the mask removes do not matter.
            let (undefined, mask) = if a.tainted { (x, y) } else { (y, x) };
            if mask.is_known()
                && let Some(any) = self.domain.undefined(undefined.bits())
            {
                let masked = bits::total(&mut self.domain, op, &any, mask)?;
                return Ok(Scalar::int(masked));
            }
        }
        let (result, poison) = bits::binary(&mut self.domain, op, x, y)?;
        Ok(Scalar::int(result).taint(a.tainted | b.tainted | poison))
    }

    /// Splits off divisions of which it hangs on memory that was never written whether they trap: by such a divisor, or of such a number by -1.
    fn refuse_undefined_division(
        &mut self,
        state: &State<D>,
        op: IntBinary,
        a: &ScalarOf<D>,
        b: &ScalarOf<D>,
    ) -> Result<(), HaltOf<D>> {
        if !self.checks.accesses || !(a.tainted || b.tainted) {
            return Ok(());
        }
        let is_signed = matches!(op, IntBinary::SDiv | IntBinary::SRem);
        let y = int_of(b)?;
        let minus_one = Int::minus_one(y.bits());
        let minus_one = bits::compare(&mut self.domain, IntPredicate::Eq, y, &minus_one);
        let hangs = b.tainted || (is_signed && self.decide(state, &minus_one)?);
        if hangs { Err(crate::Stop::Undefined.into()) } else { Ok(()) }
    }

    /// Splits off the operands for which a division traps.
    fn refuse_division(
        &mut self,
        state: &State<D>,
        op: IntBinary,
        x: &Int<D::Symbol>,
        y: &Int<D::Symbol>,
    ) -> Result<(), HaltOf<D>> {
        let width = x.bits();
        let zero = bits::compare(&mut self.domain, IntPredicate::Eq, y, &Int::new(width, 0));
        if self.goes_wrong(state, &zero)? {
            return Err(crate::Stop::IntegerDivision.into());
        }
        if matches!(op, IntBinary::SDiv | IntBinary::SRem) && !self.is_safe(state) {
            let minus_one = bits::compare(&mut self.domain, IntPredicate::Eq, y, &Int::minus_one(width));
            let least = bits::compare(&mut self.domain, IntPredicate::Eq, x, &Int::least(width));
            if self.decide(state, &minus_one)? && self.decide(state, &least)? {
                return Err(crate::Stop::IntegerDivision.into());
            }
        }
        Ok(())
    }

    /// `icmp`.
    pub(crate) fn int_compare(
        &mut self,
        state: &mut State<D>,
        predicate: IntPredicate,
        lhs: &Operand,
        rhs: &Operand,
    ) -> Result<ValueOf<D>, HaltOf<D>> {
        let (a, b) = (self.operand_in(state, lhs)?, self.operand_in(state, rhs)?);
        let mut result = ValueOf::<D>::new();
        for (a, b) in a.iter().zip(&*b) {
            let bit = match (&a.datum, &b.datum) {
                (Datum::Int(x), Datum::Int(y)) => bits::compare(&mut self.domain, predicate, x, y),
                (Datum::Pointer(x), Datum::Pointer(y)) => self.compare_pointers(state, predicate, x, y)?,
                _ => return Err(crate::Stop::unsupported("icmp of different types").into()),
            };
            result.push(Scalar::int(bit).taint(a.tainted | b.tainted));
        }
        Ok(result)
    }

    /// `select`, whole or by lanes.
    pub(crate) fn select(
        &mut self,
        state: &mut State<D>,
        condition: &Operand,
        if_true: &Operand,
        if_false: &Operand,
    ) -> Result<ValueOf<D>, HaltOf<D>> {
        let condition = self.operand(state, condition)?;
        let (a, b) = (self.operand(state, if_true)?, self.operand(state, if_false)?);
        let mut result = ValueOf::<D>::new();
        for (lane, (a, b)) in a.iter().zip(&b).enumerate() {
            // A scalar condition chooses for all lanes.
            let condition = if condition.len() == 1 { &condition[0] } else { &condition[lane] };
            result.push(self.select_scalar(state, condition, a, b)?);
        }
        Ok(result)
    }

    /// One lane of `select`.
    pub(crate) fn select_scalar(
        &mut self,
        state: &State<D>,
        condition: &ScalarOf<D>,
        a: &ScalarOf<D>,
        b: &ScalarOf<D>,
    ) -> Result<ScalarOf<D>, HaltOf<D>> {
        let bit = int_of(condition)?;
        if let Some(value) = self.known(state, bit) {
            let chosen = if value != 0 { a } else { b };
            return Ok(chosen.clone().taint(condition.tainted));
        }
        let Some(symbol) = bit.symbol().cloned() else { return Ok(b.clone()) };
        if self.checks.accesses && a.tainted != b.tainted && !condition.tainted {
            // What one side leaves undefined, optimised code mostly asks for on the other alone: the path must choose.
            return Ok(if self.decide(state, bit)? { a.clone() } else { b.clone() });
        }
        let datum = match (&a.datum, &b.datum) {
            (Datum::Float(x), Datum::Float(y)) => Datum::Float(self.domain.float_select(&symbol, x, y)),
            (Datum::Int(x), Datum::Int(y)) => Datum::Int(bits::select(&mut self.domain, bit, x, y)),
            (Datum::Pointer(x), Datum::Pointer(y)) if x.base == y.base => {
                let offset = bits::select(&mut self.domain, bit, &x.offset, &y.offset);
                Datum::Pointer(Pointer { base: x.base, offset })
            }
            // Pointers into different objects: the path must choose.
            _ => return Ok(if self.decide(state, bit)? { a.clone() } else { b.clone() }),
        };
        Ok(Scalar { datum, tainted: a.tainted | b.tainted | condition.tainted })
    }
}
