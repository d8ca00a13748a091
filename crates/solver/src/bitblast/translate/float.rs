//! Circuits of the operators on floats.

use labrys_float::RoundingMode;
use labrys_term::{Op, Sort, Store, TermId};

use super::Translator;
use crate::Why;
use crate::bitblast::float::{FloatCircuit, ModeBits};
use crate::bitblast::vector::Bits;
use crate::bitblast::{Gates, Lit};
use crate::domain::FloatDomain;

/// Significands this long have about as many gates as the square in a product; beyond it nothing good comes.
const LONGEST_SIGNIFICAND: u32 = 2048;

impl Translator {
    /// The circuit of a Float term, whose arguments have theirs and of which `known` is known.
    pub(super) fn number(
        &mut self,
        store: &Store,
        known: Option<&FloatDomain>,
        term: TermId,
    ) -> Result<FloatCircuit, Why> {
        let node = store.node(term);
        let Sort::Float(format) = node.sort else { return Err(unsupported(&node.op)) };
        if format.precision() > LONGEST_SIGNIFICAND {
            return Err(Why::Unsupported(format!("significands of {} bits as circuits", format.precision())));
        }
        let (gates, circuits) = (&mut self.gates, &mut self.circuits);
        let number = match &node.op {
            Op::Variable(variable) => {
                self.variables.push((*variable, term));
                return Ok(circuits.variable(gates, format, known));
            }
            Op::FloatConst(value) => return Ok(circuits.constant(gates, value)),
            Op::FpFromBits(format) => {
                let bits = self.words.get(&node.args[0]).ok_or_else(|| unsupported(&node.op))?;
                return Ok(circuits.from_bits(gates, bits, *format, known));
            }
            _ => Operands::of(gates, &self.words, &self.floats, &node.args),
        };
        let Operands { mode, condition, word, numbers } = number;
        let mode = &mode;
        Ok(match (&node.op, numbers.as_slice(), word) {
            (Op::Ite, [yes, no], _) => circuits.mux(gates, condition, yes, no, known),
            (Op::FpAbs, [a], _) => circuits.abs(a),
            (Op::FpNeg, [a], _) => circuits.neg(a),
            (Op::FpAdd, [a, b], _) => circuits.add(gates, mode, a, b, known),
            (Op::FpSub, [a, b], _) => circuits.sub(gates, mode, a, b, known),
            (Op::FpMul, [a, b], _) => circuits.mul(gates, mode, a, b, known),
            (Op::FpDiv, [a, b], _) => circuits.div(gates, mode, a, b, known),
            (Op::FpFma, [a, b, c], _) => circuits.fma(gates, mode, a, b, c, known),
            (Op::FpSqrt, [a], _) => circuits.sqrt(gates, mode, a, known),
            (Op::FpRem, [a, b], _) => circuits.rem(gates, a, b, known),
            (Op::FpFmod, [a, b], _) => circuits.fmod(gates, a, b, known),
            (Op::FpRoundToIntegral, [a], _) => circuits.round_to_integral(gates, mode, a, known),
            (Op::FpMin, [a, b], _) => circuits.min(gates, a, b, known),
            (Op::FpMax, [a, b], _) => circuits.max(gates, a, b, known),
            (Op::FpFromFloat(to), [a], _) => circuits.convert(gates, mode, a, *to, known),
            (Op::FpFromSigned(to), _, Some(bits)) => circuits.from_signed(gates, mode, bits, *to, known),
            (Op::FpFromUnsigned(to), _, Some(bits)) => circuits.from_unsigned(gates, mode, bits, *to, known),
            (op, ..) => return Err(unsupported(op)),
        })
    }

    /// The word of a term of another sort that reads floats; `None` if it reads none.
    pub(super) fn word_of_floats(&mut self, store: &Store, term: TermId) -> Option<Result<Bits, Why>> {
        let node = store.node(term);
        let (gates, circuits) = (&mut self.gates, &mut self.circuits);
        if !node.args.iter().any(|arg| self.floats.contains_key(arg)) {
            return None;
        }
        let Operands { mode, numbers, .. } = Operands::of(gates, &self.words, &self.floats, &node.args);
        let lit = match (&node.op, numbers.as_slice()) {
            (Op::FpToUnsigned(width), [a]) => return Some(Ok(circuits.to_unsigned(gates, &mode, a, *width))),
            (Op::FpToSigned(width), [a]) => return Some(Ok(circuits.to_signed(gates, &mode, a, *width))),
            (Op::FpToBits, [a]) => return Some(Ok(circuits.to_bits(gates, a))),
            (Op::Eq, [a, b]) => circuits.same(gates, a, b),
            (Op::Distinct, numbers) => {
                let mut differ = Vec::new();
                for (i, a) in numbers.iter().enumerate() {
                    for b in &numbers[..i] {
                        differ.push(!circuits.same(gates, a, b));
                    }
                }
                gates.all(&differ)
            }
            (Op::FpEq, [a, b]) => circuits.ieee_equal(gates, a, b),
            (Op::FpLt, [a, b]) => circuits.less(gates, a, b),
            (Op::FpLe, [a, b]) => circuits.less_equal(gates, a, b),
            (Op::FpIsNormal, [a]) => circuits.is_normal(gates, a),
            (Op::FpIsSubnormal, [a]) => circuits.is_subnormal(gates, a),
            (Op::FpIsZero, [a]) => circuits.is_zero(a),
            (Op::FpIsInfinite, [a]) => circuits.is_infinite(a),
            (Op::FpIsNan, [a]) => circuits.is_nan(a),
            (Op::FpIsNegative, [a]) => circuits.is_negative(gates, a),
            (Op::FpIsPositive, [a]) => circuits.is_positive(gates, a),
            (op, _) => return Some(Err(unsupported(op))),
        };
        Some(Ok(vec![lit]))
    }
}

fn unsupported(op: &Op) -> Why {
    Why::Unsupported(format!("{op:?} as a circuit"))
}

/// The arguments of an operator by what they are.
struct Operands<'a> {
    /// The rounding mode, if there is one: else to nearest, which nothing then reads.
    mode: ModeBits,
    /// The first bit of the first word: the condition of an if-then-else.
    condition: Lit,
    /// The last word, if there is one.
    word: Option<&'a Bits>,
    numbers: Vec<&'a FloatCircuit>,
}

impl<'a> Operands<'a> {
    fn of(
        gates: &mut Gates,
        words: &'a rustc_hash::FxHashMap<TermId, Bits>,
        floats: &'a rustc_hash::FxHashMap<TermId, FloatCircuit>,
        args: &[TermId],
    ) -> Operands<'a> {
        let given: Vec<&Bits> = args.iter().filter_map(|arg| words.get(arg)).collect();
        let mode = match given.first().map(|word| word.as_slice()) {
            Some(&[low, middle, high]) => ModeBits::decode(gates, [low, middle, high]),
            _ => ModeBits::constant(RoundingMode::NearestEven),
        };
        Operands {
            mode,
            condition: given.first().and_then(|word| word.first()).copied().unwrap_or(Lit::FALSE),
            word: given.last().copied(),
            numbers: args.iter().filter_map(|arg| floats.get(arg)).collect(),
        }
    }
}
