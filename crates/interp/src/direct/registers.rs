//! The values of an activation while instructions are executed directly.
//!
//! A register is fetched from the activation when it is first read, and written back at the end if it was defined. What is left
//! from earlier runs is told apart by its stamp, so that a run begins without clearing anything.

use labrys_program::ValueId;

use super::{Code, Kind, Word};
use crate::state::single;
use crate::{Domain, Scalar, State};

/// One register.
#[derive(Clone, Copy, Debug)]
struct Register {
    word: Word,
    /// The run's stamp where it was fetched, one more where it was defined.
    stamp: u32,
}

/// The registers.
#[derive(Debug, Default)]
pub(crate) struct Registers {
    all: Vec<Register>,
    /// An even number above the stamps of all runs before.
    stamp: u32,
    /// Those that were defined, each once.
    defined: Vec<u32>,
}

impl Registers {
    /// Begins a run of a function of so many values.
    pub(super) fn begin(&mut self, values: usize) {
        self.defined.clear();
        self.stamp = self.stamp.wrapping_add(2);
        if self.stamp == 0 {
            self.all.clear();
            self.stamp = 2;
        }
        if self.all.len() < values {
            self.all.resize(values, Register { word: Word::new(0), stamp: 0 });
        }
    }

    /// A register that was fetched or defined in this run.
    #[inline]
    pub(super) fn get(&self, index: u32) -> Option<Word> {
        let register = self.all.get(index as usize)?;
        (register.stamp >= self.stamp).then_some(register.word)
    }

    /// The value of the activation that a register stands for; `None` where it is no word.
    #[cold]
    pub(super) fn fetch<D: Domain>(
        &mut self,
        domain: &D,
        state: &State<D>,
        index: u32,
        kind: Option<Kind>,
    ) -> Option<Word> {
        let [scalar] = state.frame()?.value(ValueId(index))?.as_slice() else { return None };
        if scalar.tainted {
            return None;
        }
        let word = Word::of(domain, &state.memory, &scalar.datum, kind?)?;
        *self.all.get_mut(index as usize)? = Register { word, stamp: self.stamp };
        Some(word)
    }

    /// Defines a register.
    #[inline]
    pub(super) fn set(&mut self, index: u32, word: Word) {
        let Some(register) = self.all.get_mut(index as usize) else { return };
        register.word = word;
        if register.stamp != self.stamp + 1 {
            register.stamp = self.stamp + 1;
            self.defined.push(index);
        }
    }

    /// Gives the activation the values that were defined.
    pub(super) fn write_back<D: Domain>(&mut self, domain: &mut D, state: &mut State<D>, code: &Code) {
        let State { frames, memory, .. } = state;
        if let Some(frame) = frames.last_mut().filter(|_| !self.defined.is_empty()) {
            for &index in &self.defined {
                let (Some(register), Some(Some(kind))) = (self.all.get(index as usize), code.kinds.get(index as usize))
                else {
                    continue;
                };
                let datum = register.word.datum(domain, memory, *kind);
                if let Some(slot) = frame.values.get_mut(index as usize) {
                    *slot = Some(single(Scalar { datum, tainted: false }));
                }
            }
        }
        self.defined.clear();
    }
}
