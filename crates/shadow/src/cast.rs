//! Conversions.

use labrys_program::{Cast, Operand, Type};

use crate::error::{Reason, Scalars};
use crate::function::Writer;
use crate::kind::{Kind, Own, Place, element};
use crate::module::signed;

impl Writer<'_, '_> {
    /// A cast to a type, lane by lane but for changes of type alone.
    pub(crate) fn cast(&mut self, cast: Cast, operand: &Operand, to: &Type) -> Scalars {
        let from = self.type_of(operand)?;
        if cast == Cast::BitCast {
            return self.bit_cast(operand, &from, to);
        }
        let (source, target) = (element(&from)?, element(to)?);
        self.module.note(target);
        let scalars = self.operand(operand)?;
        scalars.iter().map(|scalar| self.cast_scalar(cast, scalar, source, target)).collect()
    }

    fn cast_scalar(&mut self, cast: Cast, a: &str, source: Kind, target: Kind) -> Result<String, Reason> {
        let to = target.c_type();
        Ok(match (cast, source, target) {
            (Cast::Trunc | Cast::ZExt, ..) => format!("({to}){a}"),
            (Cast::SExt, Kind::Int(bits), _) => format!("({to}){}", signed(bits, a)),
            (Cast::FpTrunc | Cast::FpExt, Kind::Float(from), Kind::Float(to)) => {
                let a = self.temporary(from.number(), a);
                self.convert(from, to, &a)
            }
            (Cast::FpToUi | Cast::FpToSi, Kind::Float(own), Kind::Int(bits)) => {
                let a = self.temporary(own.number(), a);
                self.float_to_integer(own, &a, bits, cast == Cast::FpToSi, 2)
            }
            (Cast::UiToFp | Cast::SiToFp, Kind::Int(bits), Kind::Float(own)) => {
                from_integer(a, bits, cast == Cast::SiToFp, own)
            }
            (Cast::PtrToInt, ..) => format!("({to})(uint64_t){a}"),
            (Cast::IntToPtr, ..) => format!("(P)(uint64_t){a}"),
            (Cast::AddrSpaceCast, ..) => a.to_owned(),
            _ => return Err("a conversion between types that it does not convert between".into()),
        })
    }

    /// A float to an integer by its own value, rounded by C's cast to zero, or already integral.
    pub(crate) fn float_to_integer(&mut self, own: Own, a: &str, bits: u32, is_signed: bool, mode: u32) -> String {
        let site = self.site("fconvert");
        let check = own.function("to_integer");
        self.line(&format!("{check}({a}, {mode}, {site});"));
        // A narrow integer is cut from a wider one, as the machine does it.
        let wide = if bits > 64 {
            128
        } else if bits > 32 || !is_signed {
            64
        } else {
            32
        };
        let sign = if is_signed { "int" } else { "uint" };
        format!("(u{bits})({sign}{wide}_t){a}.v")
    }

    /// A change of type alone: the bits of the one are those of the other.
    fn bit_cast(&mut self, operand: &Operand, from: &Type, to: &Type) -> Scalars {
        let (source, target) = (crate::kind::in_memory(from)?, crate::kind::in_memory(to)?);
        let same = source.len() == target.len() && source.iter().zip(&target).all(|(a, b)| a.kind == b.kind);
        let scalars = self.operand(operand)?;
        if same {
            return Ok(scalars);
        }
        target.iter().for_each(|place| self.module.note(place.kind));
        let buffer = self.buffer(from.alloc_size().max(to.alloc_size()), 16);
        for (scalar, place) in scalars.iter().zip(&source) {
            let statement = store_own(&format!("({buffer} + {})", place.offset), *place, scalar);
            self.line(&statement);
        }
        let read = |place: &Place| load_own(&format!("({buffer} + {})", place.offset), *place);
        Ok(target.iter().map(read).collect())
    }
}

/// An integer to a float: its shadow is exact up to 106 bits.
pub(crate) fn from_integer(a: &str, bits: u32, is_signed: bool, own: Own) -> String {
    let (wide, word) = match (bits > 64, is_signed) {
        (false, true) => ("int64_t", "word_of_signed"),
        (false, false) => ("uint64_t", "word_of_unsigned"),
        (true, true) => ("int128_t", "word_of_wide"),
        (true, false) => ("uint128_t", "word_of_unsigned_wide"),
    };
    let integer = if is_signed { format!("({wide}){}", signed(bits, a)) } else { format!("({wide}){a}") };
    format!("{}(({})({integer}), {word}({integer}), 0)", own.function("settle"), own.c_type())
}

/// Writes a scalar's own value to memory that has no shadows.
pub(crate) fn store_own(address: &str, place: Place, value: &str) -> String {
    match place.kind {
        Kind::Float(own) => {
            format!("__builtin_memcpy({address}, &(({}){{{value}.v}}), {});", own.c_type(), own.bytes())
        }
        kind => store_word(address, kind, value),
    }
}

/// Reads a scalar whose shadow is its own value from such memory.
pub(crate) fn load_own(address: &str, place: Place) -> String {
    match place.kind {
        Kind::Float(own) => format!("{}({}({address}).v)", own.function("foreign"), own.function("load_constant")),
        kind => load_word(address, kind),
    }
}

/// Writes an integer or an address.
pub(crate) fn store_word(address: &str, kind: Kind, value: &str) -> String {
    match kind {
        Kind::Pointer => format!("*(MP *){address} = {value};"),
        Kind::Int(bits @ (8 | 16 | 32 | 64 | 128)) => format!("*(M{bits} *){address} = {value};"),
        Kind::Int(bits) => format!("store_bytes({address}, {value}, {});", bits.div_ceil(8)),
        Kind::Float(_) => String::new(),
    }
}

/// Reads an integer or an address.
pub(crate) fn load_word(address: &str, kind: Kind) -> String {
    match kind {
        Kind::Pointer => format!("*(MP *){address}"),
        Kind::Int(bits @ (8 | 16 | 32 | 64 | 128)) => format!("(u{bits})*(M{bits} *){address}"),
        Kind::Int(bits) => format!("(u{bits})load_bytes({address}, {})", bits.div_ceil(8)),
        Kind::Float(_) => String::new(),
    }
}
