//! A list that grows and shrinks at its end, whose copies share what they have in common: call stacks, and what a path remembers in order.

use std::rc::Rc;

/// The list; a copy is one reference count.
#[derive(Debug)]
pub struct List<T>(Option<Rc<Link<T>>>);

#[derive(Clone, Debug)]
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
    /// Puts an item at the end.
    pub fn push(&mut self, item: T) {
        let length = self.len() + 1;
        let before = std::mem::take(self);
        self.0 = Some(Rc::new(Link { item, length, before }));
    }

    /// Drops the item at the end.
    pub fn drop_last(&mut self) {
        if let Some(link) = &self.0 {
            let before = link.before.clone();
            *self = before;
        }
    }

    /// How many items there are.
    pub fn len(&self) -> usize {
        self.0.as_ref().map_or(0, |link| link.length)
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.0.is_none()
    }

    /// The item at the end.
    pub fn last(&self) -> Option<&T> {
        self.0.as_ref().map(|link| &link.item)
    }

    /// The same, copied first if another list has it, too.
    pub fn last_mut(&mut self) -> Option<&mut T>
    where
        T: Clone,
    {
        self.0.as_mut().map(|link| &mut Rc::make_mut(link).item)
    }

    /// Whether two lists are the same but for their last items, as far as that is seen without a look at the items.
    pub fn shares_all_but_last(&self, other: &List<T>) -> bool {
        let before = |list: &List<T>| list.0.as_ref().and_then(|link| link.before.0.as_ref().map(Rc::as_ptr));
        before(self) == before(other)
    }

    /// The items, the latest first.
    pub fn iter_back(&self) -> impl Iterator<Item = &T> {
        let mut next = self.0.as_deref();
        std::iter::from_fn(move || {
            let link = next?;
            next = link.before.0.as_deref();
            Some(&link.item)
        })
    }

    /// The items in the order in which they were pushed.
    pub fn in_order(&self) -> Vec<&T> {
        let mut items: Vec<&T> = self.iter_back().collect();
        items.reverse();
        items
    }
}

/// Lists are long: they are not dropped by recursion.
impl<T> Drop for List<T> {
    fn drop(&mut self) {
        let mut next = self.0.take();
        while let Some(mut link) = next.and_then(Rc::into_inner) {
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
        assert!(!list.shares_all_but_last(&copy));
        *copy.last_mut().unwrap() = 5;
        let before = copy.clone();
        *copy.last_mut().unwrap() = 6;
        assert!(copy.shares_all_but_last(&before));
        copy.drop_last();
        assert_eq!((before.last(), copy.last(), copy.len()), (Some(&5), Some(&999_999), 1_000_000));
        drop(list);
        assert_eq!(copy.in_order()[7], &7);
    }
}
