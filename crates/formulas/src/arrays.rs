//! Memory: reads, writes, and bytes joined to words and floats.

use labrys_term::{Op, Sort, TermId};

use crate::maker::Maker;

/// Bytes of the longest word that is read.
const MOST_BYTES: u32 = 16;

impl Maker<'_> {
    /// A term about an array, if there is one; else about bits.
    pub(crate) fn memory(&mut self) -> TermId {
        let arrays: Vec<TermId> =
            self.pool.iter().copied().filter(|&term| matches!(self.store.sort(term), Sort::Array(_))).collect();
        if arrays.is_empty() {
            return self.vector_shape();
        }
        let array = self.one_of(&arrays);
        let Sort::Array(sorts) = self.store.sort(array).clone() else { return array };
        let (index, element) = (self.index(&sorts.0), self.member(&sorts.1));
        match self.below(7) {
            0 => self.mk(Op::Select, &[array, index]),
            1 | 2 => self.mk(Op::StoreAt, &[array, index, element]),
            3 => {
                let other = self.member(&Sort::Array(sorts));
                self.mk(Op::Eq, &[array, other])
            }
            _ if sorts.1 == Sort::BitVec(8) => self.word(array, &sorts.0),
            _ => self.mk(Op::Select, &[array, index]),
        }
    }

    /// An index: near zero more often than not.
    fn index(&mut self, sort: &Sort) -> TermId {
        match sort {
            Sort::BitVec(width) if self.chance(2) => {
                let place = self.below(8) as u64;
                self.store.bv_const(*width, place)
            }
            Sort::BitVec(width) => self.of_width(*width),
            sort => self.member(sort),
        }
    }

    /// The bytes from an index on, joined to a word of either order of bytes, and to a float where one is as long.
    fn word(&mut self, array: TermId, index: &Sort) -> TermId {
        let format = self.one_of(&self.formats.clone());
        let whole = format.width().is_multiple_of(8) && format.width() <= 8 * MOST_BYTES;
        let bytes = if whole { format.width() / 8 } else { self.one_of(&[2, 4, 8]) };
        let base = self.index(index);
        let Sort::BitVec(width) = *index else { return base };
        let mut parts: Vec<TermId> = (0..bytes)
            .map(|place| {
                let offset = self.store.bv_const(width, place);
                let at = if place == 0 { base } else { self.mk(Op::BvAdd, &[base, offset]) };
                self.mk(Op::Select, &[array, at])
            })
            .collect();
        let byte = self.one_of(&parts);
        self.pool.push(byte);
        if self.chance(2) {
            parts.reverse();
        }
        let word = self.joined(&parts);
        if whole && self.width(word) == Some(format.width()) && self.chance(2) {
            self.pool.push(word);
            return self.mk(Op::FpFromBits(format), &[word]);
        }
        word
    }
}
