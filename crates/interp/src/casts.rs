//! Conversions.

use labrys_program::{Cast, Operand, Type};

use crate::machine::{HaltOf, IntOf, ScalarOf, ValueOf, float_of, format_of, int_of, pointer_of};
use crate::{
    Base, Datum, Domain, FloatOperation, Machine, Place, Pointer, Scalar, ScalarKind, State, Stop, ToInteger, bits,
    cells, types,
};

impl<D: Domain> Machine<'_, D> {
    /// A cast to type `ty`.
    pub(crate) fn cast(
        &mut self,
        state: &mut State<D>,
        place: &Place,
        cast: Cast,
        operand: &Operand,
        ty: &Type,
    ) -> Result<ValueOf<D>, HaltOf<D>> {
        let value = self.operand(state, operand)?;
        if cast == Cast::BitCast {
            let from = self.type_of(state, operand)?;
            return Ok(self.bit_cast(state, &value, &from, ty)?);
        }
        let kind = types::element_kind(ty)?;
        let place = &Place { is_vector: value.len() > 1, ..*place };
        if place.is_vector && matches!(cast, Cast::FpToUi | Cast::FpToSi | Cast::UiToFp) {
            self.refuse_watched(state, "conversions of vectors")?;
        }
        let mut result = ValueOf::<D>::new();
        for (lane, scalar) in value.iter().enumerate() {
            result.push(self.cast_scalar(state, &place.at_lane(lane), cast, scalar, kind)?);
        }
        Ok(result)
    }

    fn cast_scalar(
        &mut self,
        state: &mut State<D>,
        place: &Place,
        cast: Cast,
        scalar: &ScalarOf<D>,
        kind: ScalarKind,
    ) -> Result<ScalarOf<D>, HaltOf<D>> {
        let width = match kind {
            ScalarKind::Int(bits) => bits,
            _ => 64,
        };
        let datum = match cast {
            Cast::Trunc | Cast::ZExt => Datum::Int(bits::zero_extend(&mut self.domain, int_of(scalar)?, width)),
            Cast::SExt => Datum::Int(bits::sign_extend(&mut self.domain, int_of(scalar)?, width)),
            Cast::FpTrunc | Cast::FpExt => {
                return self.operate(state, place, FloatOperation::Convert(format_of(kind)?), &[scalar]);
            }
            Cast::FpToUi | Cast::FpToSi => {
                let conversion = ToInteger {
                    bits: width,
                    signed: cast == Cast::FpToSi,
                    mode: Some(labrys_float::RoundingMode::TowardZero),
                    saturating: false,
                };
                return self.float_to_int(state, place, conversion, scalar);
            }
            Cast::UiToFp | Cast::SiToFp => {
                return self.int_to_float(state, place, scalar, cast == Cast::SiToFp, kind);
            }
            Cast::PtrToInt => {
                let address = cells::address(&mut self.domain, pointer_of(scalar)?);
                Datum::Int(bits::zero_extend(&mut self.domain, &address, width))
            }
            Cast::IntToPtr => {
                let address = bits::zero_extend(&mut self.domain, int_of(scalar)?, 64);
                Datum::Pointer(match self.known(state, &address) {
                    Some(address) => state.memory.pointer_at(address as u64),
                    None => Pointer { base: Base::Absolute, offset: address },
                })
            }
            Cast::AddrSpaceCast | Cast::BitCast => scalar.datum.clone(),
        };
        Ok(Scalar { datum, tainted: scalar.tainted })
    }

    /// One conversion from float to integer.
    pub(crate) fn float_to_int(
        &mut self,
        state: &mut State<D>,
        place: &Place,
        conversion: ToInteger,
        scalar: &ScalarOf<D>,
    ) -> Result<ScalarOf<D>, HaltOf<D>> {
        let place = Place { tainted: scalar.tainted | place.tainted, ..*place };
        let (int, poison) = self.domain.float_to_int(&mut state.path, &place, conversion, float_of(scalar)?)?;
        Ok(Scalar::int(int).taint(scalar.tainted | poison))
    }

    /// One conversion from integer to float.
    pub(crate) fn int_to_float(
        &mut self,
        state: &mut State<D>,
        place: &Place,
        scalar: &ScalarOf<D>,
        signed: bool,
        kind: ScalarKind,
    ) -> Result<ScalarOf<D>, HaltOf<D>> {
        let place = Place { tainted: scalar.tainted | place.tainted, ..*place };
        let int = int_of(scalar)?;
        let float = self.domain.int_to_float(&mut state.path, &place, int, signed, format_of(kind)?)?;
        Ok(Scalar::float(float).taint(scalar.tainted))
    }

    /// The same bits as another type of the same size. Lanes that correspond keep their shape; others are cut and
    /// joined, first lanes lowest.
    fn bit_cast(&mut self, state: &State<D>, value: &ValueOf<D>, from: &Type, to: &Type) -> Result<ValueOf<D>, Stop> {
        let (from, to, count) = (types::element_kind(from)?, types::element_kind(to)?, to.scalar_count());
        if count == value.len() {
            return Ok(value.iter().map(|scalar| self.reinterpret_scalar(state, scalar, to)).collect());
        }
        let (from_bits, to_bits) = (width_of(from), width_of(to));
        let mut result = ValueOf::<D>::new();
        for i in 0..count as u32 {
            let scalar = self.gather(value, from_bits, i * to_bits, to_bits)?;
            result.push(self.reinterpret_scalar(state, &scalar, to));
        }
        Ok(result)
    }

    /// A scalar as another kind of its size; integers that become pointers find their objects.
    fn reinterpret_scalar(&mut self, state: &State<D>, scalar: &ScalarOf<D>, kind: ScalarKind) -> ScalarOf<D> {
        let mut result = cells::reinterpret(&mut self.domain, scalar, kind);
        if let Datum::Pointer(pointer) = &result.datum
            && pointer.base == Base::Absolute
            && let Some(address) = pointer.offset.concrete()
        {
            result.datum = Datum::Pointer(state.memory.pointer_at(address as u64));
        }
        result
    }

    /// `width` bits from bit `first` on of lanes that have `lane_bits` each, as an integer.
    pub(crate) fn gather(
        &mut self,
        value: &ValueOf<D>,
        lane_bits: u32,
        first: u32,
        width: u32,
    ) -> Result<ScalarOf<D>, Stop> {
        let mut joined: Option<IntOf<D>> = None;
        let mut tainted = false;
        for lane in first / lane_bits..(first + width).div_ceil(lane_bits) {
            let scalar = value.get(lane as usize).ok_or_else(|| Stop::unsupported("a bitcast between sizes"))?;
            let whole = cells::encoding(&mut self.domain, &scalar.datum);
            let start = lane * lane_bits;
            let (low, high) = (first.max(start) - start, (first + width).min(start + lane_bits) - start);
            let piece = bits::extract(&mut self.domain, &whole, high - 1, low);
            tainted |= scalar.tainted;
            joined = Some(match joined {
                None => piece,
                Some(lower) => bits::concat(&mut self.domain, &piece, &lower),
            });
        }
        let int = joined.ok_or_else(|| Stop::unsupported("an empty bitcast"))?;
        Ok(Scalar::int(int).taint(tainted))
    }
}

/// A scalar's width in bits.
fn width_of(kind: ScalarKind) -> u32 {
    match kind {
        ScalarKind::Int(bits) => bits,
        ScalarKind::Float(format) => format.width(),
        ScalarKind::Pointer => 64,
    }
}
