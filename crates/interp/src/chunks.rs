//! A list whose copies share what they have in common: states fork often and change little.
//!
//! Elements are kept in chunks; a copy of the list shares them all, and changing an element copies its chunk first if
//! somebody else has it too. With chunks of 32 a copy of n elements costs n/32 reference counts.

use std::rc::Rc;

use smallvec::SmallVec;

/// Elements in a chunk.
const CHUNK: usize = 32;

/// The list.
#[derive(Clone, Debug)]
pub(crate) struct Chunks<T> {
    /// All full but the last.
    chunks: SmallVec<[Rc<[T]>; 2]>,
}

impl<T: Clone> Chunks<T> {
    /// `length` times the same element.
    pub(crate) fn filled(element: T, length: usize) -> Chunks<T> {
        let mut chunks = SmallVec::with_capacity(length.div_ceil(CHUNK));
        let chunk = |length| Rc::from_iter(std::iter::repeat_n(element.clone(), length));
        if length >= CHUNK {
            chunks.resize(length / CHUNK, chunk(CHUNK));
        }
        if !length.is_multiple_of(CHUNK) {
            chunks.push(chunk(length % CHUNK));
        }
        Chunks { chunks }
    }

    pub(crate) fn get(&self, index: usize) -> Option<&T> {
        self.chunks.get(index / CHUNK)?.get(index % CHUNK)
    }

    pub(crate) fn get_mut(&mut self, index: usize) -> Option<&mut T> {
        Rc::make_mut(self.chunks.get_mut(index / CHUNK)?).get_mut(index % CHUNK)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn copies_are_independent() {
        for length in [0, 1, 15, 16, 17, 100] {
            let mut list = Chunks::filled(0, length);
            for i in 0..length {
                *list.get_mut(i).unwrap() = 2 * i;
            }
            let mut copy = list.clone();
            if length > 0 {
                *copy.get_mut(length / 2).unwrap() = 7;
                assert_eq!(copy.get(length / 2), Some(&7));
            }
            assert!((0..length).all(|i| list.get(i) == Some(&(2 * i))));
            assert!((0..length).all(|i| i == length / 2 || copy.get(i) == Some(&(2 * i))));
            assert_eq!((list.get(length), copy.get_mut(length)), (None, None));
        }
    }
}
