//! The numbers that stand in code.

use labrys_float::{Environment, Float, Format};
use labrys_interp::Int;
use labrys_program::{Constant, Function, Operand};
use labrys_solver::domain::FloatDomain;
use labrys_term::TermId;

/// Those of some functions, in their order, repeated where they are: integers of at most 64 bits as signed ones, and floats that are finite as doubles
/// next to them.
pub(crate) fn constants_of<'p>(functions: impl Iterator<Item = &'p Function>) -> (Vec<i128>, Vec<f64>) {
    let (mut ints, mut floats) = (Vec::new(), Vec::new());
    let mut see = |operand: &Operand| match operand {
        Operand::Constant(Constant::Int { bits, value }) if *bits <= 64 => {
            let value = u128::try_from(value).ok();
            ints.extend(value.and_then(|value| Int::<TermId>::new(*bits, value).signed()));
        }
        Operand::Constant(Constant::Float(value)) => floats.extend(double(value).filter(|double| double.is_finite())),
        _ => {}
    };
    for block in functions.flat_map(|function| &function.blocks) {
        block.instructions.iter().for_each(|instruction| instruction.kind.for_each_operand(&mut see));
        block.terminator.operand().into_iter().for_each(&mut see);
    }
    (ints, floats)
}

/// Between which doubles the numbers of a domain are; `None` where it has none, or beyond what is finite.
pub(crate) fn ends(domain: &FloatDomain) -> Option<[f64; 2]> {
    let ends = [double(&domain.min_member()?)?, double(&domain.max_member()?)?];
    ends.iter().all(|end| end.is_finite()).then_some(ends)
}

/// The double next to a float of any format.
pub(crate) fn double(value: &Float) -> Option<f64> {
    Environment::default().convert(value, Format::BINARY64).value.to_f64()
}
