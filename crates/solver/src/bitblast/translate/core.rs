//! Circuits of the Core theory's operators. Words of any sort are equal where they are the same bits: floats have one
//! NaN.

use labrys_term::Op;

use crate::Why;
use crate::bitblast::vector::{self, Bits};
use crate::bitblast::{Gates, Lit};

/// The word of an operator's term, given the arguments' words; `None` for operators of other theories.
pub(super) fn word(gates: &mut Gates, op: &Op, args: &[&Bits]) -> Option<Result<Bits, Why>> {
    let bits = || args.iter().map(|arg| arg[0]);
    let lit = match op {
        Op::BoolConst(value) => Lit::of(*value),
        Op::Not => !args[0][0],
        Op::And => gates.all(&bits().collect::<Bits>()),
        Op::Or => gates.any(&bits().collect::<Bits>()),
        Op::Xor => bits().fold(Lit::FALSE, |parity, bit| gates.xor(parity, bit)),
        Op::Implies => gates.or(!args[0][0], args[1][0]),
        Op::Eq => vector::equal(gates, args[0], args[1]),
        Op::Distinct => distinct(gates, args),
        Op::Ite => return Some(Ok(vector::mux(gates, args[0][0], args[1], args[2]))),
        _ => return None,
    };
    Some(Ok(vec![lit]))
}

fn distinct(gates: &mut Gates, args: &[&Bits]) -> Lit {
    let mut differ = Vec::new();
    for (i, a) in args.iter().enumerate() {
        for b in &args[..i] {
            differ.push(!vector::equal(gates, a, b));
        }
    }
    gates.all(&differ)
}
