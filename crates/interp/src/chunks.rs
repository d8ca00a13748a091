//! A list whose copies share what they have in common: states fork often and change little.
//!
//! Elements are kept in chunks; a copy of the list shares them all, and changing an element copies its chunk first if
//! somebody else has it too. With chunks of 32 a copy of n elements costs n/32 reference counts.

use std::ops::{Index, IndexMut};
use std::sync::Arc;

/// Elements in a chunk.
const CHUNK: usize = 32;

/// The list.
#[derive(Clone, Debug)]
pub(crate) struct Chunks<T> {
    /// All full but the last.
    chunks: Vec<Arc<Vec<T>>>,
    length: usize,
}

impl<T> Default for Chunks<T> {
    fn default() -> Self {
        Chunks { chunks: Vec::new(), length: 0 }
    }
}

impl<T: Clone> Chunks<T> {
    /// `length` times the same element.
    pub(crate) fn filled(element: T, length: usize) -> Chunks<T> {
        let mut chunks = Vec::with_capacity(length.div_ceil(CHUNK));
        if length >= CHUNK {
            chunks.resize(length / CHUNK, Arc::new(vec![element.clone(); CHUNK]));
        }
        if !length.is_multiple_of(CHUNK) {
            chunks.push(Arc::new(vec![element; length % CHUNK]));
        }
        Chunks { chunks, length }
    }

    pub(crate) fn len(&self) -> usize {
        self.length
    }

    /// Whether two lists have the element of an index in common, as far as that is known without a look at it.
    pub(crate) fn shares(&self, other: &Chunks<T>, index: usize) -> bool {
        match (self.chunks.get(index / CHUNK), other.chunks.get(index / CHUNK)) {
            (Some(a), Some(b)) => Arc::ptr_eq(a, b),
            _ => false,
        }
    }

    pub(crate) fn get(&self, index: usize) -> Option<&T> {
        self.chunks.get(index / CHUNK)?.get(index % CHUNK)
    }

    pub(crate) fn get_mut(&mut self, index: usize) -> Option<&mut T> {
        Arc::make_mut(self.chunks.get_mut(index / CHUNK)?).get_mut(index % CHUNK)
    }

    pub(crate) fn push(&mut self, element: T) {
        match self.chunks.last_mut() {
            Some(last) if last.len() < CHUNK => Arc::make_mut(last).push(element),
            _ => {
                let mut chunk = Vec::with_capacity(CHUNK);
                chunk.push(element);
                self.chunks.push(Arc::new(chunk));
            }
        }
        self.length += 1;
    }

    /// The number of elements at the start for which `is_before` holds; it holds for no element after one for which it
    /// does not.
    pub(crate) fn partition_point(&self, is_before: impl Fn(&T) -> bool) -> usize {
        let full = self.chunks.partition_point(|chunk| chunk.last().is_some_and(&is_before));
        let rest = self.chunks.get(full).map_or(0, |chunk| chunk.partition_point(&is_before));
        // The last chunk may count as full with fewer elements.
        (full * CHUNK + rest).min(self.length)
    }
}

impl<T> Index<usize> for Chunks<T> {
    type Output = T;

    fn index(&self, index: usize) -> &T {
        &self.chunks[index / CHUNK][index % CHUNK]
    }
}

impl<T: Clone> IndexMut<usize> for Chunks<T> {
    fn index_mut(&mut self, index: usize) -> &mut T {
        &mut Arc::make_mut(&mut self.chunks[index / CHUNK])[index % CHUNK]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn copies_are_independent_and_share_the_rest() {
        let mut list = Chunks::default();
        for i in 0..100 {
            list.push(i);
        }
        let mut copy = list.clone();
        *copy.get_mut(40).unwrap() = -1;
        copy.push(7);
        assert_eq!((list.get(40), copy.get(40)), (Some(&40), Some(&-1)));
        assert_eq!((list.len(), copy.len()), (100, 101));
        assert!(list.shares(&copy, 3) && !list.shares(&copy, 40) && !list.shares(&copy, 200));
        assert_eq!(list.get(100), None);
    }

    #[test]
    fn positions_are_found_at_every_place() {
        for length in [0, 1, 31, 32, 33, 64, 70] {
            let mut list = Chunks::filled(0, length);
            for i in 0..length {
                *list.get_mut(i).unwrap() = 2 * i;
            }
            for x in 0..2 * length + 2 {
                assert_eq!(list.partition_point(|&element| element < x), x.div_ceil(2).min(length));
            }
        }
    }
}
