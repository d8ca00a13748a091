//! Constants as C expressions, one for each scalar.

use labrys_float::{Class, Float};
use labrys_program::{Constant, Type};
use num_traits::ToPrimitive;

use crate::error::{Reason, Scalars};
use crate::kind::{Kind, Own, scalars};
use crate::module::Module;

impl Module<'_> {
    /// A constant's scalars. What it points to becomes part of the text.
    pub(crate) fn constant(&mut self, constant: &Constant) -> Scalars {
        let mut values = Vec::new();
        self.push_constant(constant, &mut values)?;
        Ok(values)
    }

    fn push_constant(&mut self, constant: &Constant, values: &mut Vec<String>) -> Result<(), Reason> {
        match constant {
            Constant::Int { bits, value } => {
                let Kind::Int(_) = self.kind(&Type::Int(*bits))? else { return Ok(()) };
                values.push(integer(*bits, value.to_u128().unwrap_or_default()));
            }
            Constant::Float(float) => {
                let own = Own::of(float.format()).ok_or("a constant of a format without shadows")?;
                values.push(format!("{}({})", own.function("exact"), literal(float)));
            }
            Constant::Null => values.push("(P)0".to_owned()),
            // Undefined values are any values.
            Constant::Zero(ty) | Constant::Undef(ty) | Constant::Poison(ty) => {
                for place in scalars(ty)? {
                    self.note(place.kind);
                    values.push(place.kind.zero());
                }
            }
            Constant::Aggregate(_, members) => {
                for member in members {
                    self.push_constant(member, values)?;
                }
            }
            Constant::Global(global, offset) => {
                let name = self.global(*global);
                values.push(format!("((P)&{name} + {offset})"));
            }
            Constant::GlobalAddress(global, offset) => {
                let name = self.global(*global);
                values.push(format!("(u64)(uint64_t)((P)&{name} + {offset})"));
            }
            Constant::Function(function) => {
                let address = self.address_of(*function);
                values.push(format!("((P){address})"));
            }
            Constant::Address(address) => values.push(format!("((P){address}u)")),
            Constant::Unsupported(_, what) => return Err(Reason::new(format!("the constant {what}"))),
        }
        Ok(())
    }
}

/// An integer's literal.
pub(crate) fn integer(bits: u32, value: u128) -> String {
    let (high, low) = ((value >> 64) as u64, value as u64);
    if high == 0 { format!("(u{bits}){low}u") } else { format!("(u{bits})((uint128_t){high}u << 64 | {low}u)") }
}

/// A number's literal: exact, since C reads hexadecimal ones without rounding where they fit.
pub(crate) fn literal(float: &Float) -> String {
    let own = Own::of(float.format());
    let suffix = match own {
        Some(Own::Single) => "f",
        Some(Own::Extended) => "l",
        _ => "",
    };
    let sign = if float.is_negative() { "-" } else { "" };
    let format = float.format();
    match float.class() {
        Class::Zero => format!("{sign}0.0{suffix}"),
        Class::Infinite => format!("{sign}__builtin_inf{suffix}()"),
        Class::Nan => {
            // The quiet bit is the builtin's own.
            let payload = float.to_u128().unwrap_or_default() & ((1 << (format.precision() - 2)) - 1);
            let quiet = if float.is_signaling_nan() { "nans" } else { "nan" };
            format!("{sign}__builtin_{quiet}{suffix}(\"{payload:#x}\")")
        }
        _ => {
            let bits = float.to_u128().unwrap_or_default();
            let stored = format.stored_significand_bits();
            let field = (bits >> stored) & ((1 << format.exponent_bits()) - 1);
            let fraction = bits & ((1 << stored) - 1);
            let is_implied = !format.has_explicit_leading_bit() && field != 0;
            let significand = fraction | u128::from(is_implied) << stored;
            let exponent = (field.max(1) as i64) - format.max_exponent() - i64::from(format.precision() - 1);
            format!("{sign}{significand:#x}p{exponent}{suffix}")
        }
    }
}
