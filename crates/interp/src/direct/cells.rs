//! Words in memory: accesses to whole cells of objects that may be accessed so. Everything else is left to `step`.

use super::{Kind, Word};
use crate::cells::Held;
use crate::memory::Object;
use crate::{Domain, Memory, MemoryFaultKind, ObjectId, Scalar};

impl<F: Clone, S: Clone> Memory<F, S> {
    /// The word at an offset.
    pub(super) fn word<D>(&self, domain: &D, object: u32, offset: u64, kind: Kind) -> Option<Word>
    where
        D: Domain<Float = F, Symbol = S>,
    {
        let object = self.object(ObjectId(object)).filter(|object| admits(object, offset, kind, false))?;
        match object.held(offset, kind.size())? {
            Held::Scalar(scalar) if !scalar.tainted => {
                let word = Word::of(domain, self, &scalar.datum, kind)?;
                // An address that was made of an integer may be one of an object.
                let is_plain = kind != Kind::Pointer || word.object != Word::NOWHERE || word.bits == 0;
                is_plain.then_some(word)
            }
            Held::Scalar(_) => None,
            Held::Fill(byte) => {
                let bits = u64::from_le_bytes([byte; 8]);
                match kind {
                    Kind::Int(width) => Some(Word::new(super::words::cut(width, bits))),
                    Kind::Single => Some(Word::new(super::words::cut(32, bits))),
                    Kind::Double => Some(Word::new(bits)),
                    Kind::Pointer => (byte == 0).then_some(Word::new(0)),
                }
            }
        }
    }

    /// Puts a word where there is a cell of its size; whether there is.
    pub(super) fn set_word<D>(&mut self, domain: &mut D, object: u32, offset: u64, kind: Kind, word: Word) -> bool
    where
        D: Domain<Float = F, Symbol = S>,
    {
        let id = ObjectId(object);
        let Some(found) = self.object(id).filter(|object| admits(object, offset, kind, true)) else { return false };
        let Some(cell) = found.cell(offset, kind.size()) else { return false };
        let datum = word.datum(domain, self, kind);
        self.set_cell(id, cell, Scalar { datum, tainted: false });
        true
    }
}

/// Whether a word may be accessed at an offset of an object.
#[inline]
fn admits<F, S>(object: &Object<F, S>, offset: u64, kind: Kind, is_write: bool) -> bool {
    object.outside() != MemoryFaultKind::Undeclared && object.check(offset, kind.size(), is_write).is_ok()
}
