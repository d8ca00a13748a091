//! Floating-point instructions: elementwise on vectors, each lane one operation of the domain.

use labrys_program::{FloatBinary, FloatPredicate, Operand};
use smallvec::SmallVec;

use crate::machine::{HaltOf, ScalarOf, ValueOf, float_of};
use crate::{Datum, Domain, FloatComparison, FloatOperation, Machine, Place, Scalar, State, Stop};

impl<D: Domain> Machine<'_, D> {
    /// One operation on scalars.
    pub(crate) fn operate(
        &mut self,
        state: &mut State<D>,
        place: &Place,
        operation: FloatOperation,
        operands: &[&ScalarOf<D>],
    ) -> Result<ScalarOf<D>, HaltOf<D>> {
        let mut floats: SmallVec<[D::Float; 3]> = SmallVec::new();
        let mut tainted = false;
        for operand in operands {
            floats.push(float_of(operand)?.clone());
            tainted |= operand.tainted;
        }
        let place = Place { tainted: tainted | place.tainted, ..*place };
        let result = match self.domain.float_operation(&mut state.path, &place, operation, &floats) {
            Ok(result) => result,
            Err(refused) => {
                let floats = self.regular(state, &floats, refused)?;
                self.domain.float_operation(&mut state.path, &place, operation, &floats)?
            }
        };
        Ok(Scalar { datum: Datum::Float(result), tainted })
    }

    /// Floats that the domain refused, none of them of an encoding that it refuses: paths on which some are end as it said.
    pub(crate) fn regular(
        &mut self,
        state: &State<D>,
        floats: &[D::Float],
        refused: Stop,
    ) -> Result<SmallVec<[D::Float; 3]>, HaltOf<D>> {
        let mut regular = SmallVec::new();
        let mut is_changed = false;
        for float in floats {
            let Some((is_irregular, same)) = self.domain.regular(float) else {
                regular.push(float.clone());
                continue;
            };
            if self.decide(state, &is_irregular)? {
                return Err(refused.into());
            }
            regular.push(same);
            is_changed = true;
        }
        if is_changed { Ok(regular) } else { Err(refused.into()) }
    }

    /// One operation, elementwise.
    pub(crate) fn operate_lanes(
        &mut self,
        state: &mut State<D>,
        place: &Place,
        operation: FloatOperation,
        operands: &[ValueOf<D>],
    ) -> Result<ValueOf<D>, HaltOf<D>> {
        let lanes = operands.iter().map(|operand| operand.len()).min().unwrap_or(0);
        let mut result = ValueOf::<D>::new();
        for lane in 0..lanes {
            let scalars: SmallVec<[&ScalarOf<D>; 3]> = operands.iter().map(|operand| &operand[lane]).collect();
            result.push(self.operate(state, &place.at_lane(lane), operation, &scalars)?);
        }
        Ok(result)
    }

    /// Ends a path on which it shows which instructions code generation makes of something.
    pub(crate) fn refuse_watched(&self, state: &State<D>, what: &str) -> Result<(), Stop> {
        match self.checks.accesses && self.domain.watches_instructions(&state.path) {
            true => Err(Stop::unsupported(format!("{what} where exceptions are read, or under another rounding mode"))),
            false => Ok(()),
        }
    }

    /// Ends a path on which it shows that a vector is shorter than a register: the lanes that are left over are computed, too, with whatever is in them.
    pub(crate) fn refuse_padded(&self, state: &State<D>, value: &ValueOf<D>) -> Result<(), Stop> {
        let [first, _, ..] = &value[..] else { return Ok(()) };
        let Datum::Float(float) = &first.datum else { return Ok(()) };
        let bits = value.len() as u32 * self.domain.float_format(float).width();
        if matches!(bits, 128 | 256 | 512) {
            Ok(())
        } else {
            self.refuse_watched(state, "vectors that fill no register")
        }
    }

    /// `fadd`, `fsub`, `fmul`, `fdiv`, `frem`.
    pub(crate) fn float_binary(
        &mut self,
        state: &mut State<D>,
        place: &Place,
        op: FloatBinary,
        lhs: &Operand,
        rhs: &Operand,
    ) -> Result<ValueOf<D>, HaltOf<D>> {
        let operands = [self.operand(state, lhs)?, self.operand(state, rhs)?];
        self.refuse_padded(state, &operands[0])?;
        self.operate_lanes(state, place, op.into(), &operands)
    }

    /// `fneg`.
    pub(crate) fn float_negate(
        &mut self,
        state: &mut State<D>,
        place: &Place,
        operand: &Operand,
    ) -> Result<ValueOf<D>, HaltOf<D>> {
        let operand = self.operand(state, operand)?;
        self.operate_lanes(state, place, FloatOperation::Neg, &[operand])
    }

    /// One comparison of scalars.
    pub(crate) fn compare_floats(
        &mut self,
        state: &mut State<D>,
        place: &Place,
        comparison: FloatComparison,
        lhs: &ScalarOf<D>,
        rhs: &ScalarOf<D>,
    ) -> Result<ScalarOf<D>, HaltOf<D>> {
        let tainted = lhs.tainted | rhs.tainted;
        let place = Place { tainted: tainted | place.tainted, ..*place };
        let (a, b) = (float_of(lhs)?, float_of(rhs)?);
        let bit = self.domain.float_compare(&mut state.path, &place, comparison, a, b)?;
        Ok(Scalar::int(bit).taint(tainted))
    }

    /// `fcmp`: quiet, as LLVM's default environment has it; where a program is executed as its machine code is, as that is.
    pub(crate) fn float_compare(
        &mut self,
        state: &mut State<D>,
        place: &Place,
        predicate: FloatPredicate,
        lhs: &Operand,
        rhs: &Operand,
    ) -> Result<ValueOf<D>, HaltOf<D>> {
        // Vectors are ordered by instructions to which every NaN is invalid, scalars by others.
        let is_vector = self.checks.accesses && self.operand_in(state, lhs)?.len() > 1;
        let signaling = is_vector && predicate.less != predicate.greater;
        self.compare_values(state, place, FloatComparison { predicate, signaling }, lhs, rhs)
    }

    /// A comparison, lane by lane.
    pub(crate) fn compare_values(
        &mut self,
        state: &mut State<D>,
        place: &Place,
        comparison: FloatComparison,
        lhs: &Operand,
        rhs: &Operand,
    ) -> Result<ValueOf<D>, HaltOf<D>> {
        let (a, b) = (self.operand(state, lhs)?, self.operand(state, rhs)?);
        self.refuse_padded(state, &a)?;
        let mut result = ValueOf::<D>::new();
        for (lane, (a, b)) in a.iter().zip(&b).enumerate() {
            result.push(self.compare_floats(state, &place.at_lane(lane), comparison, a, b)?);
        }
        Ok(result)
    }
}
