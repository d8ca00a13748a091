//! The IR of a function under test.

use std::sync::Arc;

use labrys_program::{CallGraph, Constant, FunctionId, IrBinding, Operand, Program, points_of};
use labrys_symex::holds_signaling_nan;
use num_traits::ToPrimitive;

/// A program and the function under test in it.
pub struct Analysed {
    /// The program.
    pub program: Arc<Program>,
    /// The function.
    pub function: FunctionId,
    /// How the signature's call maps to the IR's.
    pub binding: IrBinding,
}

impl Analysed {
    /// Whether a signaling NaN stands in the function, in what it calls or in what globals begin with.
    pub fn holds_signaling_nan(&self) -> bool {
        holds_signaling_nan(&self.program, &CallGraph::new(&self.program).reachable(self.function))
    }
}

/// The numbers that stand in a function and in those that it calls, as doubles, each magnitude once, in order of the text; behind them those at which
/// the functions of libm that it calls have values that programs compare with.
pub fn literals(program: &Program, function: FunctionId) -> Vec<f64> {
    let mut literals: Vec<f64> = Vec::new();
    let mut see = |operand: &Operand| {
        let value = match operand {
            Operand::Constant(Constant::Float(float)) => float.to_rational().and_then(|value| value.to_f64()),
            // Small integers are conditions' and loops' bounds as often as sizes and indices.
            Operand::Constant(Constant::Int { value, .. }) => value.to_u16().map(f64::from),
            _ => None,
        };
        let value = value.map(f64::abs).filter(|value| value.is_finite());
        literals.extend(value.filter(|value| !literals.contains(value)));
    };
    let reachable = CallGraph::new(program).reachable(function);
    for &id in &reachable {
        let blocks = program.functions.get(id.index()).into_iter().flat_map(|function| &function.blocks);
        blocks
            .flat_map(|block| &block.instructions)
            .for_each(|instruction| instruction.kind.for_each_operand(&mut see));
    }
    let points = points_of(program, reachable);
    literals.extend(points.into_iter().filter(|point| !literals.contains(point)).collect::<Vec<_>>());
    literals
}
