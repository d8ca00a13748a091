//! What operators on wide vectors compute: the exact evaluator's values.

use labrys_term::Value;
use smallvec::SmallVec;

use super::Table;
use crate::local::model::value;
use crate::local::program::{Kind, Program, Register};

impl Program {
    /// The value of an [`Operation::Exact`](crate::local::program::Operation::Exact) over its arguments' values in `values`;
    /// 0 where the theory leaves it open.
    ///
    /// A function of its own, so that narrow programs do not pay for its variables.
    #[inline(never)]
    pub fn compute_exact(&self, register: Register, values: &[u64], table: &mut Table) -> u64 {
        table.count();
        let result = &self.kinds[register as usize];
        let computed = self.exact.get(&register).and_then(|exact| {
            let arguments = self.arguments(register);
            let kind = |argument: &Register| &self.kinds[*argument as usize];
            // Wide vectors are in the table already.
            let narrow: SmallVec<[Option<Value>; 4]> = arguments
                .iter()
                .map(|argument| match kind(argument) {
                    Kind::Wide(_) => None,
                    kind => Some(value(kind, values[*argument as usize], table)),
                })
                .collect();
            let operands: Option<SmallVec<[&Value; 4]>> = arguments
                .iter()
                .zip(&narrow)
                .map(|(argument, narrow)| narrow.as_ref().or_else(|| table.get(values[*argument as usize])))
                .collect();
            exact.op.strict_value(&exact.sort, &operands?)
        });
        match (computed, result) {
            (Some(Value::Bool(truth)), _) => u64::from(truth),
            (Some(Value::BitVec { bits, .. }), Kind::Bits(_)) => bits.iter_u64_digits().next().unwrap_or(0),
            (Some(vector @ Value::BitVec { .. }), _) => table.insert(vector),
            (Some(Value::Float(float)), Kind::Float(packed)) => packed.encode(&float).unwrap_or(0),
            (_, Kind::Wide(width)) => table.insert(Value::bit_vector(*width, 0u8)),
            _ => 0,
        }
    }
}
