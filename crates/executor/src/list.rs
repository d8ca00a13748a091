//! A list that only grows, whose copies share what they have in common: what a path remembers in order.

use std::sync::Arc;

/// The list; a copy is one reference count.
#[derive(Debug)]
pub(crate) struct List<T>(Option<Arc<Link<T>>>);

#[derive(Debug)]
struct Link<T> {
    item: T,
    /// How many items there are up to this one.
    length: usize,
    before: List<T>,
}

impl<T> Clone for List<T> {
    fn clone(&self) -> Self {
        List(self.0.clone())
    }
}

impl<T> Default for List<T> {
    fn default() -> Self {
        List(None)
    }
}

impl<T> List<T> {
    pub(crate) fn push(&mut self, item: T) {
        let length = self.len() + 1;
        let before = std::mem::take(self);
        self.0 = Some(Arc::new(Link { item, length, before }));
    }

    pub(crate) fn len(&self) -> usize {
        self.0.as_ref().map_or(0, |link| link.length)
    }

    /// The items, the latest first.
    pub(crate) fn iter_back(&self) -> impl Iterator<Item = &T> {
        let mut next = self.0.as_deref();
        std::iter::from_fn(move || {
            let link = next?;
            next = link.before.0.as_deref();
            Some(&link.item)
        })
    }

    /// The items in the order in which they were pushed.
    pub(crate) fn in_order(&self) -> Vec<&T> {
        let mut items: Vec<&T> = self.iter_back().collect();
        items.reverse();
        items
    }
}

/// Lists are long: they are not dropped by recursion.
impl<T> Drop for List<T> {
    fn drop(&mut self) {
        let mut next = self.0.take();
        while let Some(mut link) = next.and_then(Arc::into_inner) {
            next = link.before.0.take();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn copies_share_and_long_lists_are_dropped() {
        let mut list = List::default();
        for i in 0..1_000_000 {
            list.push(i);
        }
        let mut copy = list.clone();
        copy.push(-1);
        assert_eq!((list.len(), copy.len()), (1_000_000, 1_000_001));
        assert_eq!(copy.iter_back().take(2).copied().collect::<Vec<i32>>(), [-1, 999_999]);
        drop(list);
        assert_eq!(copy.in_order()[7], &7);
    }
}
