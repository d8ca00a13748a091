//! Where functions of libm have values that programs compare with: zeros, extremes, exact points, and where they leave a format.

use std::f64::consts::{E, FRAC_PI_2, FRAC_PI_4, LN_2, PI};

use labrys_elementary::Function;

use super::{FloatCall, IntrinsicKind, KnownFunction};
use crate::{Callee, FunctionId, InstructionKind, Program};

/// Doubles at which, or at whose negatives, a function has such a value. Chance does not meet them: sin is 1 at one double in some 10^16, and nearest to 0
/// at the one next to π.
fn points(call: FloatCall) -> &'static [f64] {
    let FloatCall::Elementary(function) = call else {
        return match call {
            FloatCall::SineCosine => &[0.0, FRAC_PI_4, FRAC_PI_2, PI, 3.0 * FRAC_PI_2, 2.0 * PI],
            _ => &[],
        };
    };
    match function {
        Function::Sin | Function::Cos | Function::Tan => &[0.0, FRAC_PI_4, FRAC_PI_2, PI, 3.0 * FRAC_PI_2, 2.0 * PI],
        Function::Asin | Function::Acos | Function::Atanh => &[0.0, 0.5, 1.0],
        Function::Atan | Function::Asinh => &[0.0, 1.0],
        Function::Atan2 | Function::Hypot => &[0.0, 1.0, 3.0, 4.0],
        Function::Sinh | Function::Cosh => &[0.0, 710.475_860_073_943_9],
        // Rounded to 1 from there on.
        Function::Tanh => &[0.0, 22.0],
        Function::Acosh => &[1.0],
        Function::Exp | Function::Expm1 => &[0.0, LN_2, 1.0, 709.782_712_893_384, 745.133_219_101_941_1],
        Function::Exp2 => &[0.0, 1.0, 1024.0, 1074.0],
        Function::Exp10 => &[0.0, 1.0, 2.0, 308.254_715_559_916_75],
        Function::Log | Function::Log1p => &[0.0, 1.0, E, E - 1.0],
        Function::Log2 | Function::Logb => &[0.0, 1.0, 2.0, 8.0],
        Function::Log10 => &[0.0, 1.0, 10.0, 1000.0],
        Function::Pow => &[0.0, 0.5, 1.0, 2.0],
        Function::Cbrt => &[0.0, 1.0, 8.0, 27.0],
        Function::Erf | Function::Erfc => &[0.0, 6.0, 27.3],
        Function::Tgamma => &[0.0, 1.0, 2.0, 171.624_376_956_302_7],
        Function::Lgamma => &[0.0, 1.0, 2.0, 2.457_024_738_220_800_6],
        Function::J0 => &[0.0, 2.404_825_557_695_773],
        Function::J1 => &[0.0, 3.831_705_970_207_512_3],
        Function::Y0 => &[0.0, 0.893_576_966_279_167_5],
        Function::Y1 => &[0.0, 2.197_141_326_031_017],
    }
}

/// Those of all functions of libm that some functions are, declarations among them, or call as intrinsics; each once.
///
/// ```
/// use labrys_program::{FunctionId, Program, points_of};
/// let text = "declare double @sin(double) define double @f(double %x) { %y = call double @sin(double %x) ret double %y }";
/// let program = Program::from_bytes(text.as_bytes(), "f.ll").unwrap();
/// let points = points_of(&program, (0..2).map(FunctionId));
/// assert!(points.iter().any(|x| x.sin() == 1.0));
/// ```
pub fn points_of(program: &Program, functions: impl IntoIterator<Item = FunctionId>) -> Vec<f64> {
    let mut all: Vec<f64> = Vec::new();
    let mut add = |call: FloatCall| {
        for point in points(call) {
            if !all.contains(point) {
                all.push(*point);
            }
        }
    };
    for function in functions.into_iter().filter_map(|id| program.functions.get(id.index())) {
        if let Some(KnownFunction::Float(call)) = function.known {
            add(call);
        }
        for instruction in function.blocks.iter().flat_map(|block| &block.instructions) {
            if let InstructionKind::Call(Callee::Intrinsic(called), _) = &instruction.kind
                && let IntrinsicKind::Float(call) = called.kind()
            {
                add(call);
            }
        }
    }
    all
}
