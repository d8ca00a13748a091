//! The model of libm and libc: what declared functions do, by name.
//!
//! A function that the program defines itself is executed, whatever its name. Functions that compute one correctly
//! rounded operation are that operation; other functions of libm are the domain's [`Elementary`] ones. libm's `float`
//! and `long double` versions share the entry of the double one, told apart by their operands.

use labrys_float::RoundingMode;
use labrys_program::Type;

use crate::machine::{HaltOf, ScalarOf, ValueOf};
use crate::memory_intrinsics::first;
use crate::state::single;
use crate::{
    ClassMask, Domain, Elementary, FloatOperation, Int, Machine, ObjectId, Place, Scalar, ScalarKind, State, Stop,
    ToInteger, library_memory, types,
};

/// What a function of libm does.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Model {
    /// One operation on so many operands.
    Operation(usize, FloatOperation),
    /// To an integer of the result's type.
    ToInteger(Option<RoundingMode>),
    /// x · 2^n.
    Scale,
    /// Nonzero if the operand is of one of the classes.
    Class(ClassMask),
    /// x − y where x > y, else +0.
    PositiveDifference,
    /// Integral part through a pointer, fraction as the result.
    SplitFraction,
    /// Exponent through a pointer, fraction as the result.
    SplitExponent,
    /// The quiet NaN.
    Nan,
}

const fn round(mode: RoundingMode) -> Model {
    Model::Operation(1, FloatOperation::RoundToIntegral { mode: Some(mode), inexact: false })
}

const MODELS: [(&str, Model); 45] = [
    ("sqrt", Model::Operation(1, FloatOperation::Sqrt)),
    ("fabs", Model::Operation(1, FloatOperation::Abs)),
    ("fma", Model::Operation(3, FloatOperation::Fma)),
    ("fmin", Model::Operation(2, FloatOperation::MinNum)),
    ("fmax", Model::Operation(2, FloatOperation::MaxNum)),
    ("fminimum", Model::Operation(2, FloatOperation::Minimum)),
    ("fmaximum", Model::Operation(2, FloatOperation::Maximum)),
    ("fminimum_num", Model::Operation(2, FloatOperation::MinimumNumber)),
    ("fmaximum_num", Model::Operation(2, FloatOperation::MaximumNumber)),
    ("copysign", Model::Operation(2, FloatOperation::CopySign)),
    ("fmod", Model::Operation(2, FloatOperation::Rem)),
    ("remainder", Model::Operation(2, FloatOperation::IeeeRemainder)),
    ("drem", Model::Operation(2, FloatOperation::IeeeRemainder)),
    ("floor", round(RoundingMode::TowardNegative)),
    ("ceil", round(RoundingMode::TowardPositive)),
    ("trunc", round(RoundingMode::TowardZero)),
    ("round", round(RoundingMode::NearestAway)),
    ("roundeven", round(RoundingMode::NearestEven)),
    ("rint", Model::Operation(1, FloatOperation::RoundToIntegral { mode: None, inexact: true })),
    ("nearbyint", Model::Operation(1, FloatOperation::RoundToIntegral { mode: None, inexact: false })),
    ("lrint", Model::ToInteger(None)),
    ("llrint", Model::ToInteger(None)),
    ("lround", Model::ToInteger(Some(RoundingMode::NearestAway))),
    ("llround", Model::ToInteger(Some(RoundingMode::NearestAway))),
    ("ldexp", Model::Scale),
    ("scalbn", Model::Scale),
    ("scalbln", Model::Scale),
    ("fdim", Model::PositiveDifference),
    ("modf", Model::SplitFraction),
    ("frexp", Model::SplitExponent),
    ("nan", Model::Nan),
    // Fortran's MOD, with its call's source position behind the operands.
    ("_FortranAModReal4", Model::Operation(2, FloatOperation::Rem)),
    ("_FortranAModReal8", Model::Operation(2, FloatOperation::Rem)),
    ("_FortranAModReal10", Model::Operation(2, FloatOperation::Rem)),
    ("isnan", Model::Class(ClassMask::NAN)),
    ("__isnan", Model::Class(ClassMask::NAN)),
    ("isinf", Model::Class(ClassMask::INFINITY)),
    ("__isinf", Model::Class(ClassMask::INFINITY)),
    ("finite", Model::Class(ClassMask::FINITE)),
    ("__finite", Model::Class(ClassMask::FINITE)),
    ("isfinite", Model::Class(ClassMask::FINITE)),
    ("isnormal", Model::Class(ClassMask::NORMAL)),
    ("__isnormal", Model::Class(ClassMask::NORMAL)),
    ("signbit", Model::Class(ClassMask::NEGATIVE)),
    ("__signbit", Model::Class(ClassMask::NEGATIVE)),
];

const fn function(name: &'static str, arity: usize, range: Option<(f64, f64)>) -> Elementary {
    Elementary { name, arity, range }
}

const NOT_NEGATIVE: Option<(f64, f64)> = Some((0.0, f64::INFINITY));

/// Ranges are those of the mathematical functions, widened where rounding to any format can leave them (π/2 and π, which
/// round up in binary32).
const ELEMENTARY: [Elementary; 33] = [
    function("sin", 1, Some((-1.0, 1.0))),
    function("cos", 1, Some((-1.0, 1.0))),
    function("tan", 1, None),
    function("asin", 1, Some((-1.6, 1.6))),
    function("acos", 1, Some((0.0, 3.2))),
    function("atan", 1, Some((-1.6, 1.6))),
    function("atan2", 2, Some((-3.2, 3.2))),
    function("sinh", 1, None),
    function("cosh", 1, Some((1.0, f64::INFINITY))),
    function("tanh", 1, Some((-1.0, 1.0))),
    function("asinh", 1, None),
    function("acosh", 1, NOT_NEGATIVE),
    function("atanh", 1, None),
    function("exp", 1, NOT_NEGATIVE),
    function("exp2", 1, NOT_NEGATIVE),
    function("exp10", 1, NOT_NEGATIVE),
    function("expm1", 1, Some((-1.0, f64::INFINITY))),
    function("log", 1, None),
    function("log2", 1, None),
    function("log10", 1, None),
    function("log1p", 1, None),
    function("logb", 1, None),
    function("pow", 2, None),
    function("cbrt", 1, None),
    function("hypot", 2, NOT_NEGATIVE),
    function("erf", 1, Some((-1.0, 1.0))),
    function("erfc", 1, Some((0.0, 2.0))),
    function("tgamma", 1, None),
    function("lgamma", 1, None),
    function("j0", 1, Some((-1.0, 1.0))),
    function("j1", 1, Some((-1.0, 1.0))),
    function("y0", 1, None),
    function("y1", 1, None),
];

/// The function without a model that a name of the double version means.
pub(crate) fn elementary(name: &str) -> Option<&'static Elementary> {
    ELEMENTARY.iter().find(|function| function.name == name)
}

/// The function without a model that the name of any version means.
pub(crate) fn elementary_named(name: &str) -> Option<&'static Elementary> {
    with_suffix(name, elementary)
}

/// The model of the function that the name of any version means.
pub(crate) fn model(name: &str) -> Option<Model> {
    with_suffix(name, |name| MODELS.iter().find(|(known, _)| *known == name).map(|(_, model)| *model))
}

/// Finds a name, or without its suffix `f` or `l`, by `find`; glibc's `__sin_finite` means `sin`.
fn with_suffix<T>(name: &str, find: impl Fn(&str) -> Option<T>) -> Option<T> {
    let name = name.strip_prefix("__").and_then(|name| name.strip_suffix("_finite")).unwrap_or(name);
    find(name).or_else(|| find(name.strip_suffix(['f', 'l'])?))
}

/// The global to which logarithms of the gamma function write the sign of gamma.
pub const SIGN_OF_GAMMA: &str = "signgam";

/// Whether a function of libm writes to [`SIGN_OF_GAMMA`].
pub fn reports_a_sign(name: &str) -> bool {
    matches!(name.strip_suffix(['f', 'l']).unwrap_or(name), "lgamma" | "gamma")
}

impl<D: Domain> Machine<'_, D> {
    /// A call of a function that is only declared.
    pub(crate) fn library_call(
        &mut self,
        state: &mut State<D>,
        place: &Place,
        name: &str,
        arguments: Vec<ValueOf<D>>,
        ty: &Type,
    ) -> Result<ValueOf<D>, HaltOf<D>> {
        if let Some(end) = library_memory::ending(name) {
            return Err(self.exit_status(end, &arguments).into());
        }
        if let Some(value) = self.memory_function(state, place, name, &arguments, ty)? {
            return Ok(value);
        }
        let scalars = arguments.iter().map(first::<D>).collect::<Result<Vec<_>, Stop>>()?;
        self.forget_reports(state, name);
        if let Some(model) = model(name) {
            return self.apply(state, place, name, model, &scalars, ty);
        }
        if let Some(function) = elementary_named(name)
            && scalars.len() == function.arity
        {
            return self.elementary_call(state, place, function, &scalars).map(single);
        }
        Err(Stop::UnknownFunction(name.into()).into())
    }

    /// What functions of libm write to besides their results is not known behind them.
    fn forget_reports(&mut self, state: &mut State<D>, name: &str) {
        if let Some(errno) = state.errno {
            state.memory.forget(&mut self.domain, errno, 0, 4);
        }
        if reports_a_sign(name)
            && let Some(index) = self.program.globals.iter().position(|global| global.name == SIGN_OF_GAMMA)
        {
            let size = self.program.globals[index].size;
            state.memory.forget(&mut self.domain, ObjectId(index as u32), 0, size);
        }
    }

    fn exit_status(&self, end: Stop, arguments: &[ValueOf<D>]) -> Stop {
        match (end, arguments.first().and_then(|value| value.first())) {
            (Stop::Exit(Some(_)), Some(Scalar { datum: crate::Datum::Int(status), .. })) => {
                Stop::Exit(status.signed().map(|status| status as i32))
            }
            (end, _) => end,
        }
    }

    fn apply(
        &mut self,
        state: &mut State<D>,
        place: &Place,
        name: &str,
        model: Model,
        operands: &[ScalarOf<D>],
        ty: &Type,
    ) -> Result<ValueOf<D>, HaltOf<D>> {
        let wanted = match model {
            Model::Operation(count, _) => count,
            Model::Scale | Model::PositiveDifference | Model::SplitFraction | Model::SplitExponent => 2,
            Model::ToInteger(_) | Model::Class(_) | Model::Nan => 1,
        };
        if operands.len() < wanted {
            return Err(crate::intrinsics::malformed(name).into());
        }
        let kind = types::element_kind(ty)?;
        let scalar = match model {
            Model::Operation(count, operation) => {
                let operands: Vec<&ScalarOf<D>> = operands[..count].iter().collect();
                self.operate(state, place, operation, &operands)?
            }
            Model::ToInteger(mode) => {
                let ScalarKind::Int(bits) = kind else { return Err(crate::intrinsics::malformed(name).into()) };
                let conversion = ToInteger { bits, signed: true, mode, saturating: false };
                self.float_to_int(state, place, conversion, &operands[0])?
            }
            Model::Scale => self.scale(state, place, &operands[0], &operands[1])?,
            Model::Class(mask) => {
                let bit = self.classify(&operands[0], mask)?;
                let width = match kind {
                    ScalarKind::Int(bits) => bits,
                    _ => 32,
                };
                let int = crate::machine::int_of(&bit)?;
                Scalar::int(crate::bits::zero_extend(&mut self.domain, int, width)).taint(bit.tainted)
            }
            Model::PositiveDifference => self.positive_difference(state, place, operands)?,
            Model::SplitFraction => self.split_fraction(state, place, operands, ty)?,
            Model::SplitExponent => {
                let word = Type::Int(32);
                self.locate(state, place, &operands[1], word.store_size(), true)?;
                let x = crate::machine::float_of(&operands[0])?;
                let tainted = operands[0].tainted;
                let (fraction, exponent) = self.domain.fraction_exponent(&mut state.path, place, x)?;
                let exponent = single(Scalar::int(exponent).taint(tainted));
                self.store_value(state, place, &operands[1], exponent, &word)?;
                Scalar::float(fraction).taint(tainted)
            }
            Model::Nan => {
                let nan = labrys_float::Float::nan(crate::machine::format_of(kind)?);
                Scalar::float(self.domain.float_constant(&nan))
            }
        };
        Ok(single(scalar))
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
        // Where x is at most y the difference is not taken, and raises nothing.
        let minuend = self.select_scalar(state, &at_most, &zero, &operands[0])?;
        let subtrahend = self.select_scalar(state, &at_most, &zero, &operands[1])?;
        self.operate(state, place, FloatOperation::Sub, &[&minuend, &subtrahend])
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn suffixes_are_stripped_only_where_the_name_itself_is_unknown() {
        let of = |name| with_suffix(name, elementary).map(|function| function.name);
        assert_eq!(of("sinf"), Some("sin"));
        assert_eq!(of("erf"), Some("erf"));
        assert_eq!(of("erff"), Some("erf"));
        assert_eq!(of("__exp_finite"), Some("exp"));
        assert_eq!(of("sinus"), None);
    }

    #[test]
    fn no_name_has_two_models() {
        for (name, _) in MODELS {
            assert!(elementary(name).is_none(), "{name}");
            assert_eq!(MODELS.iter().filter(|(other, _)| *other == name).count(), 1, "{name}");
        }
    }
}
