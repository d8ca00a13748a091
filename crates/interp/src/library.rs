//! What declared functions do: those of libm, libc and compilers that the program calls and does not define.
//!
//! A function that the program defines itself is executed, whatever its name. Which declaration declares what,
//! `labrys_program` says ([`KnownFunction`]). Functions that compute one correctly rounded operation are that operation; other
//! functions of libm are the domain's.

use labrys_float::RoundingMode;
use labrys_program::{Ending, FloatCall, Function, Instruction, KnownFunction, SIGN_OF_GAMMA, Truth, Type};

use crate::machine::{HaltOf, ScalarOf, ValueOf};
use crate::memory_intrinsics::first;
use crate::state::single;
use crate::{
    ClassMask, Datum, Domain, FloatOperation, Int, Machine, ObjectId, Place, Scalar, ScalarKind, State, Stop,
    ToInteger, bits, types,
};

impl<D: Domain> Machine<'_, D> {
    /// A call of a function that is only declared.
    pub(crate) fn library_call(
        &mut self,
        state: &mut State<D>,
        place: &Place,
        instruction: &Instruction,
        callee: &Function,
        arguments: Vec<ValueOf<D>>,
    ) -> Result<ValueOf<D>, HaltOf<D>> {
        let unknown = || self.unknown_function(state, callee);
        let known = callee.known.ok_or_else(unknown)?;
        let (name, ty) = (callee.name.as_str(), &instruction.ty);
        let reads_reports = self.checks.accesses && self.program.may_read_reports(known);
        if reads_reports
            && known.sets_sign_of_gamma()
            && self.program.globals.iter().any(|global| global.name == SIGN_OF_GAMMA)
        {
            return Err(Stop::unsupported(format!("{SIGN_OF_GAMMA} behind {name}")).into());
        }
        let value = match known {
            KnownFunction::End(ending) => return Err(stop_of(ending, arguments.first()).into()),
            KnownFunction::Float(call) => {
                let scalars = arguments.iter().map(first::<D>).collect::<Result<Vec<_>, Stop>>()?;
                // glibc reports overflows that give no infinity, too.
                if reads_reports
                    && matches!(call, FloatCall::Elementary(_))
                    && self.domain.rounding(&state.path) != RoundingMode::NearestEven
                {
                    return Err(Stop::unsupported(format!("errno behind {name} in this rounding mode")).into());
                }
                let result = self.float_function(state, place, name, call, &scalars, ty)?;
                if reads_reports {
                    self.report_error(state, call, &scalars, &result)?;
                }
                single(result)
            }
            KnownFunction::Class(mask, truth) => {
                let operand = arguments.first().ok_or_else(|| crate::intrinsics::malformed(name))?;
                single(self.class_function(state, &first::<D>(operand)?, mask, truth, types::element_kind(ty)?)?)
            }
            KnownFunction::Nan => {
                let nan = labrys_float::Float::nan(crate::machine::format_of(types::element_kind(ty)?)?);
                single(Scalar::float(self.domain.float_constant(&nan)))
            }
            // What it reads is not checked here.
            KnownFunction::Print { .. } if self.checks.accesses => return Err(unknown().into()),
            KnownFunction::Print { .. } => {
                if !self.program.only_prints(self.function(place.function)?, instruction, known) {
                    return Err(Stop::unsupported(format!("a call of {name} that may write to memory")).into());
                }
                // How much was written, or whether anything was, is not known.
                self.nothing(ty)?.into_iter().map(|scalar| scalar.taint(true)).collect()
            }
            KnownFunction::Nothing => self.nothing(ty)?,
            KnownFunction::LogGammaWithSign
            | KnownFunction::Classification
            | KnownFunction::Complex
            | KnownFunction::CompareTexts
            | KnownFunction::WriteText
            | KnownFunction::Environment { .. } => return Err(unknown().into()),
            memory => self.memory_function(state, place, memory, name, &arguments)?,
        };
        self.forget_reports(state, known);
        Ok(value)
    }

    /// That a function is not known. What a library's code calls (`feraiseexcept` in `clog`) is none of the program's calls, and calls
    /// nothing of the program: the function that the program called is told. Where whole programs are executed the name is what helps.
    fn unknown_function(&self, state: &State<D>, callee: &Function) -> Stop {
        let mut functions = state.positions().filter_map(|(function, ..)| self.program.functions.get(function.index()));
        let entered = functions.find(|function| function.is_library && !self.checks.accesses);
        match entered {
            Some(function) => Stop::unsupported(format!("all that {} does", function.name)),
            None => Stop::UnknownFunction(callee.name.as_str().into()),
        }
    }

    /// What functions of the library write to besides their results is not known behind them.
    fn forget_reports(&mut self, state: &mut State<D>, known: KnownFunction) {
        if let Some(errno) = state.errno.filter(|_| known.sets_errno() && !self.checks.accesses) {
            state.memory.forget(&mut self.domain, errno, 0, 4);
        }
        if known.sets_sign_of_gamma()
            && let Some(index) = self.program.globals.iter().position(|global| global.name == SIGN_OF_GAMMA)
        {
            let size = self.program.globals[index].size;
            state.memory.forget(&mut self.domain, ObjectId(index as u32), 0, size);
        }
    }

    fn float_function(
        &mut self,
        state: &mut State<D>,
        place: &Place,
        name: &str,
        call: FloatCall,
        operands: &[ScalarOf<D>],
        ty: &Type,
    ) -> Result<ScalarOf<D>, HaltOf<D>> {
        let writes = matches!(call, FloatCall::FractionExponent | FloatCall::FractionIntegral);
        if operands.len() < call.arity() + usize::from(writes) {
            return Err(crate::intrinsics::malformed(name).into());
        }
        Ok(match call {
            FloatCall::Operation(operation) => {
                let operands: Vec<&ScalarOf<D>> = operands[..operation.arity()].iter().collect();
                let place = if self.checks.accesses { place.in_library() } else { *place };
                self.operate(state, &place, operation, &operands)?
            }
            FloatCall::Elementary(function) => {
                self.elementary_call(state, place, function, &operands[..function.arity()])?
            }
            FloatCall::ToInteger { signed, mode, saturating } => {
                let ScalarKind::Int(bits) = types::element_kind(ty)? else {
                    return Err(crate::intrinsics::malformed(name).into());
                };
                let conversion = ToInteger { bits, signed, mode, saturating };
                self.float_to_int(state, place, conversion, &operands[0])?
            }
            FloatCall::Scale => self.scale(state, place, &operands[0], &operands[1])?,
            FloatCall::IntegerPower => {
                let exponent = self.known_exponent(state, &operands[1])?;
                self.power(state, place, &operands[0], exponent)?
            }
            FloatCall::PositiveDifference => self.positive_difference(state, place, operands)?,
            FloatCall::FractionIntegral => self.split_fraction(state, place, operands, ty)?,
            FloatCall::FractionExponent => self.split_exponent(state, place, operands)?,
            FloatCall::SineCosine
            | FloatCall::MultiplyAdd
            | FloatCall::Convert
            | FloatCall::FromInteger { .. }
            | FloatCall::Reduction(_) => return Err(crate::intrinsics::malformed(name).into()),
        })
    }

    /// An integer that is not zero where the operand is of one of the classes.
    fn class_function(
        &mut self,
        state: &State<D>,
        operand: &ScalarOf<D>,
        mask: ClassMask,
        truth: Truth,
        kind: ScalarKind,
    ) -> Result<ScalarOf<D>, HaltOf<D>> {
        let width = match kind {
            ScalarKind::Int(bits) => bits,
            _ => 32,
        };
        let tainted = operand.tainted;
        let int = match truth {
            Truth::One => {
                let bit = self.classify(operand, mask)?;
                bits::zero_extend(&mut self.domain, crate::machine::int_of(&bit)?, width)
            }
            Truth::Sign => {
                let positive = self.classify(operand, mask - ClassMask::NEGATIVE)?;
                let negative = self.classify(operand, mask & ClassMask::NEGATIVE)?;
                let one = bits::zero_extend(&mut self.domain, crate::machine::int_of(&positive)?, width);
                let negative = crate::machine::int_of(&negative)?;
                bits::select(&mut self.domain, negative, &Int::new(width, u128::MAX), &one)
            }
            Truth::NotZero | Truth::NotZeroButOfNan => {
                let open = if truth == Truth::NotZero { mask } else { mask | ClassMask::NAN };
                let bit = self.classify(operand, open)?;
                if bit.tainted {
                    return Err(Stop::Undefined.into());
                }
                // Which number it is, nobody says.
                let is_arbitrary = self.decide(state, crate::machine::int_of(&bit)?)?;
                if is_arbitrary && self.checks.accesses {
                    return Err(Stop::unsupported("a number of which only is known that it is not zero").into());
                }
                return Ok(Scalar::int(Int::new(width, u128::from(is_arbitrary))).taint(is_arbitrary));
            }
        };
        Ok(Scalar::int(int).taint(tainted))
    }

    /// C's frexp with its pointer.
    fn split_exponent(
        &mut self,
        state: &mut State<D>,
        place: &Place,
        operands: &[ScalarOf<D>],
    ) -> Result<ScalarOf<D>, HaltOf<D>> {
        let word = Type::Int(32);
        self.locate(state, place, &operands[1], word.store_size(), true)?;
        let x = crate::machine::float_of(&operands[0])?;
        let tainted = operands[0].tainted;
        let (fraction, exponent) = self.domain.fraction_exponent(&mut state.path, place, x)?;
        let exponent = single(Scalar::int(exponent).taint(tainted));
        self.store_value(state, place, &operands[1], exponent, &word)?;
        Ok(Scalar::float(fraction).taint(tainted))
    }

    /// C's fdim: the difference where it is positive or not a number, else +0.
    fn positive_difference(
        &mut self,
        state: &mut State<D>,
        place: &Place,
        operands: &[ScalarOf<D>],
    ) -> Result<ScalarOf<D>, HaltOf<D>> {
        let predicate = labrys_program::FloatPredicate { less: true, equal: true, greater: false, unordered: false };
        let comparison = crate::FloatComparison { predicate, signaling: false };
        let inside = place.in_library();
        let at_most = self.compare_floats(state, &inside, comparison, &operands[0], &operands[1])?;
        let format = self.domain.float_format(crate::machine::float_of(&operands[0])?);
        let zero = self.zero(ScalarKind::Float(format));
        // Where x is at most y the difference is not taken, and raises nothing; toward −∞ that of two zeros would be −0.
        let minuend = self.select_scalar(state, &at_most, &zero, &operands[0])?;
        let subtrahend = self.select_scalar(state, &at_most, &zero, &operands[1])?;
        let difference = self.operate(state, place, FloatOperation::Sub, &[&minuend, &subtrahend])?;
        if self.domain.rounding(&state.path) != RoundingMode::TowardNegative {
            return Ok(difference);
        }
        self.select_scalar(state, &at_most, &zero, &difference)
    }

    /// C's modf with its pointer.
    fn split_fraction(
        &mut self,
        state: &mut State<D>,
        place: &Place,
        operands: &[ScalarOf<D>],
        ty: &Type,
    ) -> Result<ScalarOf<D>, HaltOf<D>> {
        self.locate(state, place, &operands[1], ty.store_size(), true)?;
        let (fraction, integral) = self.split_number(state, place, &operands[0], types::element_kind(ty)?)?;
        self.store_value(state, place, &operands[1], single(integral), ty)?;
        Ok(fraction)
    }

    /// C's modf: fraction and integral part with x = integral + fraction, both of x's sign; the fraction of an infinity
    /// is a zero.
    pub(crate) fn split_number(
        &mut self,
        state: &mut State<D>,
        place: &Place,
        x: &ScalarOf<D>,
        kind: ScalarKind,
    ) -> Result<(ScalarOf<D>, ScalarOf<D>), HaltOf<D>> {
        let inside = place.in_library();
        let truncate = FloatOperation::RoundToIntegral { mode: Some(RoundingMode::TowardZero), inexact: false };
        let integral = self.operate(state, &inside, truncate, &[x])?;
        let is_infinite = self.classify(x, ClassMask::INFINITY)?;
        let zero = self.zero(kind);
        // ∞ − ∞ would be invalid: an infinity's fraction is computed from zero.
        let minuend = self.select_scalar(state, &is_infinite, &zero, x)?;
        let subtrahend = self.select_scalar(state, &is_infinite, &zero, &integral)?;
        let fraction = self.operate(state, &inside, FloatOperation::Sub, &[&minuend, &subtrahend])?;
        let fraction = self.operate(state, &inside, FloatOperation::CopySign, &[&fraction, x])?;
        Ok((fraction, integral))
    }

    /// A result that says "nothing happened": zero, or nothing for `void`.
    pub(crate) fn nothing(&mut self, ty: &Type) -> Result<ValueOf<D>, Stop> {
        match ty {
            Type::Void => Ok(ValueOf::<D>::new()),
            ty => Ok(single(self.zero(types::element_kind(ty)?))),
        }
    }

    /// A known integer as a value.
    pub(crate) fn number(&self, bits: u32, value: u128) -> ValueOf<D> {
        single(Scalar::int(Int::new(bits, value)))
    }
}

/// How a call of a function that does not return ends the path.
fn stop_of<F, S>(ending: Ending, argument: Option<&crate::Value<F, S>>) -> Stop {
    match ending {
        Ending::Exit => match argument.and_then(|value| value.first()) {
            Some(Scalar { datum: Datum::Int(status), .. }) => Stop::Exit(status.signed().map(|status| status as i32)),
            _ => Stop::Exit(Some(0)),
        },
        Ending::Abort => Stop::Exit(None),
        Ending::Assertion => Stop::AssertionFailed("assert".into()),
        Ending::Panic => Stop::AssertionFailed(crate::PANIC.into()),
    }
}

/// Why a call of a function ends the path whatever its arguments are: a failure's message need not be understood.
pub(crate) fn failure(callee: &Function) -> Option<Stop> {
    match callee.known? {
        KnownFunction::End(ending @ (Ending::Assertion | Ending::Panic)) => Some(stop_of::<(), ()>(ending, None)),
        _ => None,
    }
}
