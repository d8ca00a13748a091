//! Calls, returns and local variables: what makes and ends activations while instructions are executed directly.

use labrys_program::{FunctionId, ValueId};
use smallvec::SmallVec;

use super::code::{Op, Source};
use super::execute::{Cursor, Run};
use super::{Kind, Word};
use crate::machine::ValueOf;
use crate::state::single;
use crate::{Base, Domain, Machine, ObjectKind, Scalar};

impl<D: Domain> Run<'_, '_, D> {
    /// A call or a return. Whether another activation is the innermost now; if not, nothing was done.
    pub(super) fn change_activation(&mut self, cursor: &mut Cursor, op: &Op) -> Option<()> {
        match *op {
            Op::Call { function, first, count, to } => self.call(cursor, function, (first, count), to),
            Op::Return { value } => self.give_back(value),
            _ => None,
        }
    }

    fn call(
        &mut self,
        cursor: &mut Cursor,
        function: FunctionId,
        (first, count): (u32, u32),
        to: Option<u32>,
    ) -> Option<()> {
        if self.state.depth() >= self.machine.limits.depth {
            return None;
        }
        let code = self.code;
        let given = code.arguments.get(first as usize..(first + count) as usize)?;
        let mut words: SmallVec<[(Word, Kind); 4]> = SmallVec::new();
        for &(source, kind) in given {
            words.push((self.get(source)?, kind));
        }
        let arguments: SmallVec<[ValueOf<D>; 4]> =
            words.into_iter().map(|(word, kind)| self.value(word, kind)).collect();
        self.registers.write_back(&mut self.machine.domain, self.state, code);
        cursor.at += 1;
        cursor.leave(self.state, code);
        if self.machine.push_frame(self.state, function, arguments, to.map(ValueId)).is_err() {
            cursor.at -= 1;
            return None;
        }
        Some(())
    }

    fn give_back(&mut self, value: Option<(Source, Kind)>) -> Option<()> {
        // The outermost function's value goes to whoever runs the machine.
        if self.state.depth() < 2 {
            return None;
        }
        let value = match value {
            Some((source, kind)) => {
                let word = self.get(source)?;
                self.value(word, kind)
            }
            None => ValueOf::<D>::new(),
        };
        Machine::leave(self.state, value);
        Some(())
    }

    fn value(&mut self, word: Word, kind: Kind) -> ValueOf<D> {
        let datum = word.datum(&mut self.machine.domain, &self.state.memory, kind);
        single(Scalar { datum, tainted: false })
    }

    /// A new local variable.
    pub(super) fn allocate(&mut self, size: u64, align: u64, to: u32) -> Option<()> {
        if self.state.memory.is_full() {
            return None;
        }
        let Base::Object { id, .. } = self.state.memory.allocate(size, align, ObjectKind::Stack, None).base else {
            return None;
        };
        self.state.frame_mut()?.locals.push(id);
        self.registers.set(to, Word { bits: 0, object: id.0 });
        Some(())
    }
}
