//! LLVM's intrinsics that are not operations on floats.

use labrys_program::{
    Constant, Extreme, Instruction, IntBinary, IntegerCall, Intrinsic, IntrinsicKind, Operand, Wrapping,
};
use num_traits::ToPrimitive;

use crate::error::{Reason, Scalars};
use crate::function::Writer;
use crate::integer::binary;
use crate::kind::{Kind, element};
use crate::module::signed;

impl Writer<'_, '_> {
    /// An intrinsic.
    pub(crate) fn intrinsic(
        &mut self,
        instruction: &Instruction,
        intrinsic: &Intrinsic,
        arguments: &[Operand],
    ) -> Scalars {
        let first = arguments.first().ok_or("an intrinsic without its operand");
        match intrinsic.kind() {
            IntrinsicKind::Hint | IntrinsicKind::Assume | IntrinsicKind::StackSave | IntrinsicKind::Count => {
                let places = self.module.scalars(&instruction.ty)?;
                Ok(places.iter().map(|place| place.kind.zero()).collect())
            }
            IntrinsicKind::Identity => self.operand(first?),
            IntrinsicKind::Float(call) => self.float_call(instruction, call, arguments),
            IntrinsicKind::Class => {
                let own = self.own(first?)?;
                let lanes = self.operand(first?)?;
                let mask = self.scalar(arguments.get(1).ok_or("a class without its mask")?)?;
                Ok(lanes.iter().map(|a| format!("(u1){}({a}.v, (unsigned){mask})", own.function("class"))).collect())
            }
            IntrinsicKind::Integer(call) => self.int_call(call, arguments),
            IntrinsicKind::Copy | IntrinsicKind::Fill => {
                let [to, what, length, ..] = arguments else { return Err("a copy without its length".into()) };
                let (to, what, length) = (self.scalar(to)?, self.scalar(what)?, self.scalar(length)?);
                match intrinsic.kind() {
                    IntrinsicKind::Copy => self.copy(&to, &what, &length),
                    _ => self.fill(&to, &what, &length),
                }
                Ok(Vec::new())
            }
            IntrinsicKind::MaskedLoad | IntrinsicKind::Gather => self.masked_load(arguments, &instruction.ty),
            IntrinsicKind::MaskedStore => self.masked_store(arguments),
            IntrinsicKind::Trap => {
                self.line("__builtin_trap();");
                Ok(Vec::new())
            }
            IntrinsicKind::IsConstant => Ok(vec!["(u1)0".to_owned()]),
            // To nearest.
            IntrinsicKind::Rounding => Ok(vec!["(u32)1".to_owned()]),
            IntrinsicKind::ObjectSize => {
                let Kind::Int(bits) = element(&instruction.ty)? else { return Err("a size that is no integer".into()) };
                let is_least = matches!(arguments.get(1), Some(Operand::Constant(Constant::Int { value, .. })) if value.to_u8() == Some(1));
                Ok(vec![format!("(u{bits}){}", if is_least { "0" } else { "-1" })])
            }
            IntrinsicKind::MaskAddress
            | IntrinsicKind::BeginArguments
            | IntrinsicKind::CopyArguments
            | IntrinsicKind::Computation
            | IntrinsicKind::Unknown => Err(Reason::new(format!("the intrinsic {}", intrinsic.name()))),
        }
    }

    /// An operation on integers.
    fn int_call(&mut self, call: IntegerCall, arguments: &[Operand]) -> Scalars {
        let first = arguments.first().ok_or("an intrinsic without its operand")?;
        let bits = self.width(first)?;
        let a = self.operand(first)?;
        if let IntegerCall::Reduction(op) = call {
            return self.int_reduction(bits, &a, |x, y| binary(op, bits, x, y));
        }
        if let IntegerCall::ExtremeLane(which) = call {
            return self.int_reduction(bits, &a, |x, y| extreme(which, bits, x, y));
        }
        let mut operands = Vec::new();
        for argument in arguments.get(..call.arity()).ok_or("an intrinsic without its operands")? {
            operands.push(self.operand(argument)?);
        }
        let lane = |lane: usize, operand: usize| operands.get(operand).and_then(|scalars| scalars.get(lane)).cloned();
        let mut results = Vec::new();
        let mut overflows = Vec::new();
        for index in 0..a.len() {
            let a = lane(index, 0).unwrap_or_default();
            let b = lane(index, 1).unwrap_or_default();
            results.push(match call {
                IntegerCall::WithOverflow(wrapping) => {
                    let (result, overflow) = self.with_overflow(wrapping, bits, &a, &b)?;
                    overflows.push(overflow);
                    result
                }
                IntegerCall::Saturating(wrapping) => saturating(wrapping, bits, &a, &b)?,
                IntegerCall::Extreme(which) => extreme(which, bits, &a, &b),
                IntegerCall::Compare { signed: is_signed } => {
                    let read = |x: &str| if is_signed { signed(bits, x) } else { x.to_owned() };
                    let (x, y) = (read(&a), read(&b));
                    format!("({x} < {y} ? -1 : {x} > {y})")
                }
                IntegerCall::FunnelShift { left } => {
                    let by = lane(index, 2).unwrap_or_default();
                    let by = format!("({by} % (u{bits}){bits})");
                    let (up, down) = if left {
                        (by.clone(), format!("({bits} - {by})"))
                    } else {
                        (format!("({bits} - {by})"), by.clone())
                    };
                    let none = if left { &a } else { &b };
                    format!("({by} == 0 ? {none} : (u{bits})({a} << {up} | {b} >> {down}))")
                }
                _ => bit_count(call, bits, &a)?,
            });
        }
        results.extend(overflows);
        Ok(results)
    }

    fn int_reduction(&mut self, bits: u32, lanes: &[String], join: impl Fn(&str, &str) -> String) -> Scalars {
        let mut rest = lanes.iter();
        let mut result = rest.next().ok_or("a reduction of nothing")?.clone();
        for lane in rest {
            result = self.temporary(&format!("u{bits}"), &join(&result, lane));
        }
        Ok(vec![result])
    }

    /// The result modulo 2^bits and whether it is another than the exact one.
    fn with_overflow(
        &mut self,
        Wrapping { operation, signed: is_signed }: Wrapping,
        bits: u32,
        a: &str,
        b: &str,
    ) -> Result<(String, String), Reason> {
        if bits > 64 {
            return Err("overflow of wide integers".into());
        }
        let exact = exact(operation, bits, is_signed, a, b);
        let sign = if is_signed { "int" } else { "uint" };
        let exact = self.temporary(&format!("{sign}128_t"), &exact);
        let result = format!("(u{bits}){exact}");
        let back = if is_signed { signed(bits, &format!("({result})")) } else { format!("({result})") };
        Ok((result, format!("(u1)((({sign}128_t){back}) != {exact})")))
    }
}

/// Sum, difference or product in 128 bits, of integers of 64 at most.
fn exact(operation: IntBinary, bits: u32, is_signed: bool, a: &str, b: &str) -> String {
    let read = |x: &str| {
        if is_signed { format!("(int128_t){}", signed(bits, x)) } else { format!("(uint128_t){x}") }
    };
    let symbol = match operation {
        IntBinary::Sub => "-",
        IntBinary::Mul => "*",
        _ => "+",
    };
    format!("({} {symbol} {})", read(a), read(b))
}

/// A sum or difference, the nearest number where it is out of range.
fn saturating(
    Wrapping { operation, signed: is_signed }: Wrapping,
    bits: u32,
    a: &str,
    b: &str,
) -> Result<String, Reason> {
    if bits > 64 {
        return Err("saturation of wide integers".into());
    }
    // A difference of unsigned ones below zero is one that is negative in 128 bits.
    let read = |x: &str| {
        if is_signed { format!("(int128_t){}", signed(bits, x)) } else { format!("(int128_t)(uint128_t){x}") }
    };
    let symbol = if operation == IntBinary::Sub { "-" } else { "+" };
    let exact = format!("({} {symbol} {})", read(a), read(b));
    let one = "(int128_t)1";
    let (least, most) = if is_signed {
        (format!("(-({one} << {}))", bits - 1), format!("(({one} << {}) - 1)", bits - 1))
    } else {
        ("(int128_t)0".to_owned(), format!("(({one} << {bits}) - 1)"))
    };
    Ok(format!("(u{bits})({exact} < {least} ? {least} : {exact} > {most} ? {most} : {exact})"))
}

/// The lesser or greater.
fn extreme(Extreme { signed: is_signed, greatest }: Extreme, bits: u32, a: &str, b: &str) -> String {
    let read = |x: &str| if is_signed { signed(bits, x) } else { x.to_owned() };
    let symbol = if greatest { ">" } else { "<" };
    format!("({} {symbol} {} ? {a} : {b})", read(a), read(b))
}

/// Counts and permutations of bits.
fn bit_count(call: IntegerCall, bits: u32, a: &str) -> Result<String, Reason> {
    let of = format!("u{bits}");
    if call == IntegerCall::Abs {
        return Ok(format!("({} < 0 ? ({of})(0 - {a}) : {a})", signed(bits, a)));
    }
    if bits > 64 {
        return Err("counting the bits of wide integers".into());
    }
    let wide = format!("(uint64_t){a}");
    Ok(match call {
        IntegerCall::CountOnes => format!("({of})__builtin_popcountll({wide})"),
        IntegerCall::LeadingZeros => format!("({a} ? ({of})(__builtin_clzll({wide}) - {}) : ({of}){bits})", 64 - bits),
        IntegerCall::TrailingZeros => format!("({a} ? ({of})__builtin_ctzll({wide}) : ({of}){bits})"),
        IntegerCall::SwapBytes => format!("({of})(__builtin_bswap64({wide}) >> {})", 64 - bits),
        _ => format!("({of})(__builtin_bitreverse64({wide}) >> {})", 64 - bits),
    })
}
