//! Integer instructions. Integers are unsigned `_BitInt`s of their widths, which wrap and are not promoted.

use labrys_program::{IntBinary, IntPredicate, Operand, Type};

use crate::error::Scalars;
use crate::function::Writer;
use crate::kind::{Kind, element};
use crate::module::signed;

impl Writer<'_, '_> {
    /// Integer arithmetic, lane by lane.
    pub(crate) fn int_binary(&mut self, op: IntBinary, a: &Operand, b: &Operand) -> Scalars {
        let bits = self.width(a)?;
        let (a, b) = (self.operand(a)?, self.operand(b)?);
        Ok(a.iter().zip(&b).map(|(a, b)| binary(op, bits, a, b)).collect())
    }

    /// `icmp`, lane by lane.
    pub(crate) fn int_compare(&mut self, predicate: IntPredicate, a: &Operand, b: &Operand) -> Scalars {
        use IntPredicate::*;
        let kind = element(&self.type_of(a)?)?;
        let (a, b) = (self.operand(a)?, self.operand(b)?);
        let is_signed = matches!(predicate, Sgt | Sge | Slt | Sle);
        let symbol = match predicate {
            Eq => "==",
            Ne => "!=",
            Ugt | Sgt => ">",
            Uge | Sge => ">=",
            Ult | Slt => "<",
            Ule | Sle => "<=",
        };
        let read = |value: &String| match kind {
            Kind::Int(bits) if is_signed => signed(bits, value),
            Kind::Pointer if is_signed => format!("(int64_t){value}"),
            Kind::Pointer => format!("(uint64_t){value}"),
            _ => value.clone(),
        };
        Ok(a.iter().zip(&b).map(|(a, b)| format!("(u1)({} {symbol} {})", read(a), read(b))).collect())
    }

    /// `select`, whole or by lanes.
    pub(crate) fn select(&mut self, condition: &Operand, a: &Operand, b: &Operand) -> Scalars {
        let by_lane = matches!(self.type_of(condition)?, Type::Vector(..));
        let condition = self.operand(condition)?;
        let (a, b) = (self.operand(a)?, self.operand(b)?);
        let choose = |lane: usize| condition.get(if by_lane { lane } else { 0 });
        (a.iter().zip(&b).enumerate())
            .map(|(lane, (a, b))| {
                let condition = choose(lane).ok_or("a select without its condition")?;
                Ok(format!("{condition} ? {a} : {b}"))
            })
            .collect()
    }
}

/// One operation. What LLVM calls poison is any value here; what traps on the machine traps.
pub(crate) fn binary(op: IntBinary, bits: u32, a: &str, b: &str) -> String {
    let symbol = match op {
        IntBinary::Add => "+",
        IntBinary::Sub => "-",
        IntBinary::Mul => "*",
        IntBinary::And => "&",
        IntBinary::Or => "|",
        IntBinary::Xor => "^",
        IntBinary::Shl => "<<",
        IntBinary::LShr | IntBinary::AShr => ">>",
        IntBinary::UDiv | IntBinary::SDiv => "/",
        IntBinary::URem | IntBinary::SRem => "%",
    };
    let of = format!("u{bits}");
    match op {
        IntBinary::UDiv | IntBinary::URem => {
            format!("({b} == 0 ? (division_trap(), ({of})0) : ({of})({a} {symbol} {b}))")
        }
        IntBinary::SDiv | IntBinary::SRem => {
            let least = format!("({of})(({of})1 << {})", bits - 1);
            let (x, y) = (signed(bits, a), signed(bits, b));
            let traps = format!("({b} == 0 || ({a} == {least} && {b} == ({of})-1))");
            format!("({traps} ? (division_trap(), ({of})0) : ({of})({x} {symbol} {y}))")
        }
        IntBinary::AShr => format!("({of})({} {symbol} {b})", signed(bits, a)),
        _ => format!("({of})({a} {symbol} {b})"),
    }
}
