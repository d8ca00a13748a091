//! What calls ask of a domain's floats, known without executing them: for lists of the operations in a program.

use labrys_float::RoundingMode;

use crate::float_intrinsics::{self, plain_name};
use crate::library::{self, Model};
use crate::{Elementary, FloatOperation};

/// The operator of a site that is a power of a float by an integer, which is products and perhaps a quotient.
pub const INTEGER_POWER: &str = "powi";

/// The float operations behind a call of an intrinsic or of a declared function.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum FloatCall {
    /// One operation on so many operands, elementwise.
    Operation(usize, FloatOperation),
    /// A function without a model, elementwise.
    Elementary(&'static Elementary),
    /// Sine and cosine.
    SineCosine,
    /// `fmuladd`: fused where the target has the instruction, else a product and a sum.
    MultiplyAdd,
    /// `powi`: products, and a quotient where the exponent is negative.
    IntegerPower,
    /// x · 2^n.
    Scale,
    /// C's frexp.
    FractionExponent,
    /// C's fdim: a difference.
    PositiveDifference,
    /// To the format of the result.
    Convert,
    /// To an integer of the result's type.
    ToInteger {
        /// Whether it is signed.
        signed: bool,
        /// Rounding; `None` for the current mode.
        mode: Option<RoundingMode>,
    },
    /// From an integer of the operand's type.
    FromInteger {
        /// Whether it is signed.
        signed: bool,
    },
    /// A reduction by an operation, lane after lane.
    Reduction(FloatOperation),
}

/// What a call of an LLVM intrinsic (`llvm.fma`) does; `None` if nothing to floats.
pub fn intrinsic_float_call(name: &str) -> Option<FloatCall> {
    let plain = plain_name(name);
    if let Some(operation) = float_intrinsics::reduction_operation(name) {
        return Some(FloatCall::Reduction(operation));
    }
    if let Some((count, operation)) = float_intrinsics::operation(plain) {
        return Some(FloatCall::Operation(count, operation));
    }
    if let Some(function) = library::elementary(plain)
        && name != plain
    {
        return Some(FloatCall::Elementary(function));
    }
    Some(match plain {
        "fmuladd" => FloatCall::MultiplyAdd,
        "powi" => FloatCall::IntegerPower,
        "ldexp" => FloatCall::Scale,
        "sincos" => FloatCall::SineCosine,
        "frexp" => FloatCall::FractionExponent,
        "fpext" | "fptrunc" => FloatCall::Convert,
        "sitofp" | "uitofp" => FloatCall::FromInteger { signed: plain == "sitofp" },
        "lrint" | "llrint" | "lround" | "llround" | "fptosi.sat" | "fptoui.sat" | "fptosi" | "fptoui" => {
            FloatCall::ToInteger {
                signed: !plain.starts_with("fptoui"),
                mode: float_intrinsics::integer_rounding(plain),
            }
        }
        _ => return None,
    })
}

/// What a call of a function of libm by this name does, where the program does not define it; `None` if it is not known
/// or does nothing to floats.
pub fn library_float_call(name: &str) -> Option<FloatCall> {
    match library::model(name) {
        Some(Model::Operation(count, operation)) => Some(FloatCall::Operation(count, operation)),
        Some(Model::ToInteger(mode)) => Some(FloatCall::ToInteger { signed: true, mode }),
        Some(Model::Scale) => Some(FloatCall::Scale),
        Some(Model::SplitExponent) => Some(FloatCall::FractionExponent),
        Some(Model::PositiveDifference) => Some(FloatCall::PositiveDifference),
        Some(Model::Class(_) | Model::SplitFraction | Model::Nan) => None,
        None => library::elementary_named(name).map(FloatCall::Elementary),
    }
}

/// Whether what a function of the library does with floats is known, whether or not it can raise something.
pub fn is_modelled(name: &str) -> bool {
    library::model(name).is_some() || library::elementary_named(name).is_some()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_lead_to_operations() {
        assert_eq!(library_float_call("sqrtf"), Some(FloatCall::Operation(1, FloatOperation::Sqrt)));
        assert!(matches!(library_float_call("logl"), Some(FloatCall::Elementary(log)) if log.name == "log"));
        assert_eq!(library_float_call("isnan"), None);
        assert_eq!(library_float_call("malloc"), None);
        assert_eq!(intrinsic_float_call("llvm.fmuladd"), Some(FloatCall::MultiplyAdd));
        assert_eq!(intrinsic_float_call("llvm.vector.reduce.fadd"), Some(FloatCall::Reduction(FloatOperation::Add)));
        assert_eq!(intrinsic_float_call("llvm.memcpy"), None);
    }
}
