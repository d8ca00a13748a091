//! Calls of libm and intrinsics on floats: the own value by libm itself or one operation, the shadow by double words or
//! binary128.

use labrys_elementary::Function as Elementary;
use labrys_program::{
    FloatCall, FloatOperation, Function, FunctionId, Instruction, KnownFunction, Operand, reduction_steps,
};

use crate::arithmetic::mode;
use crate::cast::from_integer;
use crate::error::{Reason, Scalars};
use crate::function::Writer;
use crate::kind::{Kind, Own, element};
use crate::module::signed;

impl Writer<'_, '_> {
    /// A function of libm that is declared.
    pub(crate) fn library(
        &mut self,
        instruction: &Instruction,
        (function, known): (&Function, KnownFunction),
        call: FloatCall,
        arguments: &[Operand],
    ) -> Scalars {
        if let FloatCall::Elementary(elementary) = call {
            let own = self.own(arguments.first().ok_or("a function without its operand")?)?;
            let operands = self.scalars_of(arguments)?;
            return Ok(vec![self.elementary(own, elementary, &function.name, &operands)?]);
        }
        // For what the function reports beside its result.
        if self.module.program.may_read_reports(known)
            && let Some(id) = self.module.program.function(&function.name)
        {
            let call = self.system(instruction, id, arguments)?;
            if let Some(call) = call.first() {
                self.line(&format!("(void)({call});"));
            }
        }
        match call {
            FloatCall::FractionExponent => self.fraction_exponent_call(arguments),
            FloatCall::FractionIntegral => self.fraction_integral_call(arguments),
            _ => self.float_call(instruction, call, arguments),
        }
    }

    /// Operands of one scalar each, in variables.
    fn scalars_of(&mut self, arguments: &[Operand]) -> Scalars {
        arguments.iter().map(|argument| self.scalar(argument)).collect()
    }

    /// An elementary function on scalars; `symbol` computes own values.
    fn elementary(
        &mut self,
        own: Own,
        function: Elementary,
        symbol: &str,
        operands: &[String],
    ) -> Result<String, Reason> {
        let operands = operands.get(..function.arity()).ok_or("a function without its operands")?;
        let of = own.c_type();
        let value = self.module.external(symbol, of, &vec![of; operands.len()].join(", "));
        let word = self.module.elementary(function);
        let own_values: Vec<String> = operands.iter().map(|operand| format!("{operand}.v")).collect();
        let shadows: Vec<String> =
            operands.iter().map(|operand| format!("{}({operand})", own.function("shadow"))).collect();
        let settle = own.function("settle");
        Ok(format!("{settle}({value}({}), {word}({}), 0)", own_values.join(", "), shadows.join(", ")))
    }

    /// A call on floats, lane by lane.
    pub(crate) fn float_call(&mut self, instruction: &Instruction, call: FloatCall, arguments: &[Operand]) -> Scalars {
        let arguments = arguments.get(..call.arity()).ok_or("a function without its operands")?;
        if let FloatCall::FromInteger { signed } = call {
            let (bits, Kind::Float(own)) = (self.width(&arguments[0])?, element(&instruction.ty)?) else {
                return Err("a conversion to no float".into());
            };
            return Ok(self.operand(&arguments[0])?.iter().map(|a| from_integer(a, bits, signed, own)).collect());
        }
        let own = self.own(&arguments[0])?;
        if let FloatCall::Reduction(operation) = call {
            return self.reduction(own, operation, arguments, instruction.fast_math.allow_reassociation);
        }
        let mut lanes = Vec::new();
        for argument in arguments {
            lanes.push(self.operand(argument)?);
        }
        let mut results = Vec::new();
        let mut further = Vec::new();
        for lane in 0..lanes[0].len() {
            // An exponent may stand for all lanes.
            let operands: Vec<String> =
                lanes.iter().filter_map(|scalars| scalars.get(lane).or(scalars.first()).cloned()).collect();
            let (result, other) = self.lane(instruction, own, call, arguments, &operands)?;
            results.push(result);
            further.extend(other);
        }
        results.extend(further);
        Ok(results)
    }

    /// One lane: its result, and a second one of those calls that return two.
    fn lane(
        &mut self,
        instruction: &Instruction,
        own: Own,
        call: FloatCall,
        arguments: &[Operand],
        operands: &[String],
    ) -> Result<(String, Option<String>), Reason> {
        let suffix = own.suffix();
        let all: Vec<&String> = operands.iter().collect();
        let a = &operands[0];
        let one = match call {
            FloatCall::Operation(operation) => self.operate(own, operation, &all)?,
            FloatCall::Elementary(function) => {
                self.elementary(own, function, &format!("{}{suffix}", function.name()), operands)?
            }
            FloatCall::SineCosine => {
                let sine = self.elementary(own, Elementary::Sin, &format!("sin{suffix}"), operands)?;
                let cosine = self.elementary(own, Elementary::Cos, &format!("cos{suffix}"), operands)?;
                return Ok((sine, Some(cosine)));
            }
            FloatCall::MultiplyAdd => self.multiply_add(own, &all)?,
            FloatCall::IntegerPower => {
                let n = signed(self.width(&arguments[1])?, &operands[1]);
                format!("{}({a}, (int){n})", own.function("power"))
            }
            FloatCall::Scale => {
                let n = signed(self.width(&arguments[1])?, &operands[1]);
                let n = self.temporary("int64_t", &format!("(int64_t){n}"));
                let clamped = format!("({n} > 100000 ? 100000 : {n} < -100000 ? -100000 : (int){n})");
                format!("{}({a}, __builtin_ldexp{suffix}({a}.v, {clamped}), {n})", own.function("scale"))
            }
            FloatCall::PositiveDifference => {
                let site = self.site(call.operator());
                format!("{}({a}, {}, {site})", own.function("difference"), operands[1])
            }
            FloatCall::Convert => match element(&instruction.ty)? {
                Kind::Float(to) => self.convert(own, to, a),
                _ => return Err("a conversion to no float".into()),
            },
            FloatCall::ToInteger { signed, mode: rounding, saturating } => {
                let Kind::Int(bits) = element(&instruction.ty)? else {
                    return Err("a conversion to no integer".into());
                };
                let wide = call.converted_bits(bits);
                let converted = self.rounded_integer(own, a, (wide, signed), mode(rounding), saturating)?;
                if wide > bits { format!("(u{bits}){converted}") } else { converted }
            }
            FloatCall::FractionExponent => {
                let (fraction, exponent) = self.fraction_exponent(own, a);
                return Ok((fraction, Some(exponent)));
            }
            FloatCall::FractionIntegral => {
                let (fraction, integral) = self.fraction_integral(own, a)?;
                return Ok((fraction, Some(integral)));
            }
            FloatCall::FromInteger { .. } | FloatCall::Reduction(_) => return Err("a call of another shape".into()),
        };
        Ok((one, None))
    }

    /// An integer of a rounded float; out of range it saturates, or is what the machine makes of it.
    fn rounded_integer(
        &mut self,
        own: Own,
        a: &str,
        (bits, is_signed): (u32, bool),
        mode: u32,
        saturating: bool,
    ) -> Result<String, Reason> {
        let a = self.temporary(own.number(), a);
        let plain = self.float_to_integer(own, &a, bits, is_signed, mode);
        let name = ["floor", "ceil", "trunc", "roundeven", "round"][mode as usize % 5];
        let rounded = format!("__builtin_{name}{}({a}.v)", own.suffix());
        let cast = plain.replace(&format!("{a}.v"), &rounded);
        if !saturating {
            return Ok(cast);
        }
        if bits > 64 {
            return Err("conversions to integers of 128 bits that saturate, as Rust's `as` does".into());
        }
        let (low, high, least, most) = if is_signed {
            let half = format!("((u{bits})1 << {})", bits - 1);
            (format!("-0x1p{}", bits - 1), format!("0x1p{}", bits - 1), half.clone(), format!("(u{bits})~{half}"))
        } else {
            ("0".to_owned(), format!("0x1p{bits}"), format!("(u{bits})0"), format!("(u{bits})-1"))
        };
        Ok(format!("({a}.v != {a}.v ? (u{bits})0 : {a}.v <= {low} ? {least} : {a}.v >= {high} ? {most} : {cast})"))
    }

    /// frexp: the fraction and the exponent. The shadow has the own exponent.
    fn fraction_exponent(&mut self, own: Own, a: &str) -> (String, String) {
        let (settle, shadow, suffix) = (own.function("settle"), own.function("shadow"), own.suffix());
        let exponent = self.temporary("int", "0");
        let value = self.temporary(own.c_type(), &format!("__builtin_frexp{suffix}({a}.v, &{exponent})"));
        (format!("{settle}({value}, word_scale({shadow}({a}), -(long){exponent}), 0)"), format!("(u32){exponent}"))
    }

    /// modf: the fraction and the integral part, each of the shadow itself.
    fn fraction_integral(&mut self, own: Own, a: &str) -> Result<(String, String), Reason> {
        let truncation =
            FloatOperation::RoundToIntegral { mode: Some(labrys_float::RoundingMode::TowardZero), inexact: false };
        let a = self.temporary(own.number(), a);
        let integral = self.operate(own, truncation, &[&a])?;
        let integral = self.temporary(own.number(), &integral);
        let (settle, shadow, suffix) = (own.function("settle"), own.function("shadow"), own.suffix());
        let of = own.c_type();
        let value = format!("__builtin_modf{suffix}({a}.v, &({of}){{0}})");
        let word = format!("word_add({shadow}({a}), word_negate({shadow}({integral})))");
        Ok((format!("{settle}({value}, {word}, 0)"), integral))
    }

    /// C's frexp with its pointer.
    fn fraction_exponent_call(&mut self, arguments: &[Operand]) -> Scalars {
        let [a, pointer, ..] = arguments else { return Err("frexp without its pointer".into()) };
        let own = self.own(a)?;
        let (a, pointer) = (self.scalar(a)?, self.scalar(pointer)?);
        let (fraction, exponent) = self.fraction_exponent(own, &a);
        self.store_scalar(&format!("({pointer})"), Kind::Int(32), &exponent);
        Ok(vec![fraction])
    }

    /// C's modf with its pointer.
    fn fraction_integral_call(&mut self, arguments: &[Operand]) -> Scalars {
        let [a, pointer, ..] = arguments else { return Err("modf without its pointer".into()) };
        let own = self.own(a)?;
        let (a, pointer) = (self.scalar(a)?, self.scalar(pointer)?);
        let (fraction, integral) = self.fraction_integral(own, &a)?;
        let fraction = self.temporary(own.number(), &fraction);
        self.store_scalar(&format!("({pointer})"), Kind::Float(own), &integral);
        Ok(vec![fraction])
    }

    /// A reduction.
    fn reduction(
        &mut self,
        own: Own,
        operation: FloatOperation,
        arguments: &[Operand],
        may_reassociate: bool,
    ) -> Scalars {
        let (mut all, mut lanes) = (Vec::new(), 0);
        for argument in arguments {
            let scalars = self.operand(argument)?;
            lanes = scalars.len();
            all.extend(scalars);
        }
        for (into, other) in reduction_steps(lanes, arguments.len() > 1, may_reassociate) {
            let next = self.operate(own, operation, &[&all[into], &all[other]])?;
            all[into] = self.temporary(own.number(), &next);
        }
        all.truncate(1);
        if all.is_empty() { Err("a reduction of nothing".into()) } else { Ok(all) }
    }

    /// lgamma_r: the sign by the function itself.
    pub(crate) fn log_gamma(&mut self, instruction: &Instruction, id: FunctionId, arguments: &[Operand]) -> Scalars {
        let Kind::Float(own) = element(&instruction.ty)? else { return Err("a logarithm that is no float".into()) };
        let operand = self.scalar(arguments.first().ok_or("a function without its operand")?)?;
        let word = self.module.elementary(Elementary::Lgamma);
        let value = self.system(instruction, id, arguments)?;
        let Some(value) = value.first() else { return Ok(Vec::new()) };
        let (settle, shadow) = (own.function("settle"), own.function("shadow"));
        Ok(vec![format!("{settle}({value}.v, {word}({shadow}({operand})), 0)")])
    }

    /// A product or quotient of complex numbers, as compilers call them.
    pub(crate) fn complex(&mut self, instruction: &Instruction, name: &str, arguments: &[Operand]) -> Scalars {
        let places = self.module.scalars(&instruction.ty)?;
        let own = match (arguments.len(), places.as_slice()) {
            (4, [one, two]) if one.kind == two.kind => self.own(&arguments[0])?,
            _ => return Err(Reason::new(format!("a call of {name}"))),
        };
        let operands = self.scalars_of(arguments)?;
        let of = own.c_type();
        let symbol = self.module.external(name, &format!("_Complex {of}"), &[of; 4].join(", "));
        let values: Vec<String> = operands.iter().map(|operand| format!("{operand}.v")).collect();
        let value = self.temporary(&format!("_Complex {of}"), &format!("{symbol}({})", values.join(", ")));
        let quads: Vec<String> = operands
            .iter()
            .map(|operand| self.temporary("Q", &format!("quad_of({}({operand}))", own.function("shadow"))))
            .collect();
        let [a, b, c, d] = &quads[..] else { return Err("a product without its operands".into()) };
        let (real, imaginary) = if name.starts_with("__mul") {
            (format!("{a} * {c} - {b} * {d}"), format!("{a} * {d} + {b} * {c}"))
        } else {
            let norm = self.temporary("Q", &format!("{c} * {c} + {d} * {d}"));
            (format!("({a} * {c} + {b} * {d}) / {norm}"), format!("({b} * {c} - {a} * {d}) / {norm}"))
        };
        let settle = own.function("settle");
        Ok(vec![
            format!("{settle}(__real__ {value}, word_of_quad({real}), 0)"),
            format!("{settle}(__imag__ {value}, word_of_quad({imaginary}), 0)"),
        ])
    }
}
