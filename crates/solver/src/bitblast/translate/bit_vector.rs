//! Circuits of the operators on bit vectors.

use labrys_term::Op;

use crate::Why;
use crate::bitblast::vector::{self, Bits};
use crate::bitblast::{Gates, Lit};

/// Products and quotients of words this wide have about as many gates as the square; beyond it nothing good comes.
const WIDEST_SQUARE: usize = 4096;

/// The word of an operator's term, given the arguments' words; `None` for operators of other theories.
pub(super) fn word(gates: &mut Gates, op: &Op, args: &[&Bits]) -> Option<Result<Bits, Why>> {
    let square = matches!(op, Op::BvMul | Op::BvUdiv | Op::BvUrem | Op::BvSdiv | Op::BvSrem | Op::BvSmod);
    if square && args[0].len() > WIDEST_SQUARE {
        return Some(Err(Why::Unsupported(format!("{op:?} of {} bits as a circuit", args[0].len()))));
    }
    let word = match op {
        Op::BvNot => vector::not(args[0]),
        Op::BvNeg => vector::negate(gates, args[0]),
        Op::BvAnd => vector::bitwise(gates, args[0], args[1], Gates::and),
        Op::BvOr => vector::bitwise(gates, args[0], args[1], Gates::or),
        Op::BvXor => vector::bitwise(gates, args[0], args[1], Gates::xor),
        Op::BvAdd => vector::add(gates, args[0], args[1], Lit::FALSE).0,
        Op::BvSub => vector::sub(gates, args[0], args[1]).0,
        Op::BvMul => vector::multiply(gates, args[0], args[1], args[0].len()),
        Op::BvUdiv => vector::divide(gates, args[0], args[1]).0,
        Op::BvUrem => vector::divide(gates, args[0], args[1]).1,
        Op::BvSdiv => vector::signed_divide(gates, args[0], args[1]),
        Op::BvSrem => vector::signed_remainder(gates, args[0], args[1]),
        Op::BvSmod => vector::signed_modulo(gates, args[0], args[1]),
        Op::BvShl => vector::shift_left(gates, args[0], args[1]),
        Op::BvLshr => vector::shift_right(gates, args[0], args[1], Lit::FALSE),
        Op::BvAshr => vector::shift_right(gates, args[0], args[1], vector::sign(args[0])),
        Op::BvUlt => vec![vector::less(gates, args[0], args[1], Lit::FALSE)],
        Op::BvUle => vec![vector::less(gates, args[0], args[1], Lit::TRUE)],
        Op::BvSlt => vec![vector::signed_less(gates, args[0], args[1], Lit::FALSE)],
        Op::BvSle => vec![vector::signed_less(gates, args[0], args[1], Lit::TRUE)],
        // The first argument is the highest.
        Op::Concat => args.iter().rev().flat_map(|arg| arg.iter().copied()).collect(),
        Op::Extract { high, low } => args[0][*low as usize..=*high as usize].to_vec(),
        Op::ZeroExtend(by) => vector::resize(args[0], args[0].len() + *by as usize, Lit::FALSE),
        Op::SignExtend(by) => vector::resize(args[0], args[0].len() + *by as usize, vector::sign(args[0])),
        _ => return None,
    };
    Some(Ok(word))
}
