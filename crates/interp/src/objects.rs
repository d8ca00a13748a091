//! All objects that a memory has had, by their ids, which grow and are never used twice.
//!
//! **Claim.** What is kept of objects that are over, be they ever so many, is why they existed and, where none of their neighbours
//! lives, at which address the first of them began; that is all that an access through an old pointer is told apart by.
//!
//! Trees of sixteen ways whose copies share all but the ways to what changed, one for each number of digits that ids have: globals and what
//! `main` has are found in one or two steps, however much there was since. Sixteen objects at the bottom of which none can live again
//! leave one word behind, and sixteen such words that are equal leave one: a loop that calls a function ten million times leaves some dozens.

use std::rc::Rc;

use labrys_program::HeapFamily;

use crate::memory::{Object, ObjectKind};
use crate::value::ObjectId;

/// Bits of an id that a level looks at.
const BITS: u32 = 4;
const WAYS: usize = 1 << BITS;

/// Why sixteen neighbours existed that are over, three bits each; of more than sixteen, in turns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Over(u64);

impl Over {
    fn of(kinds: [ObjectKind; WAYS]) -> Over {
        Over(kinds.into_iter().rev().fold(0, |word, kind| word << 3 | code(kind)))
    }

    fn kind(self, id: ObjectId) -> ObjectKind {
        match self.0 >> (3 * (id.0 as usize % WAYS)) & 7 {
            0 => ObjectKind::Stack,
            1 => ObjectKind::Global,
            2 => ObjectKind::Argument,
            3 => ObjectKind::Heap(HeapFamily::Malloc),
            4 => ObjectKind::Heap(HeapFamily::New),
            5 => ObjectKind::Heap(HeapFamily::NewArray),
            _ => ObjectKind::Heap(HeapFamily::Rust),
        }
    }
}

fn code(kind: ObjectKind) -> u64 {
    match kind {
        ObjectKind::Stack => 0,
        ObjectKind::Global => 1,
        ObjectKind::Argument => 2,
        ObjectKind::Heap(HeapFamily::Malloc) => 3,
        ObjectKind::Heap(HeapFamily::New) => 4,
        ObjectKind::Heap(HeapFamily::NewArray) => 5,
        ObjectKind::Heap(HeapFamily::Rust) => 6,
    }
}

/// A subtree.
#[derive(Clone, Debug)]
enum Slot<F, S> {
    /// Of ids that nobody has yet.
    Empty,
    Over(Over),
    Node(Rc<Node<F, S>>),
}

/// Neighbours; of the last ones not all are there.
type Leaf<F, S> = [Option<Object<F, S>>; WAYS];

#[derive(Clone, Debug)]
enum Node<F, S> {
    Leaf(Leaf<F, S>),
    Branch([Child<F, S>; WAYS]),
}

#[derive(Clone, Debug)]
struct Child<F, S> {
    /// That of its first object.
    address: u64,
    slot: Slot<F, S>,
}

impl<F, S> Child<F, S> {
    /// Whether there is something, which begins at an address or before.
    fn is_before(&self, address: u64) -> bool {
        !matches!(self.slot, Slot::Empty) && self.address <= address
    }
}

/// What is known of an object.
#[derive(Debug)]
pub(crate) enum Known<'a, F, S> {
    Kept(&'a Object<F, S>),
    /// It is over, and existed for this.
    Over(ObjectKind),
}

/// The objects, ascending by address.
#[derive(Clone, Debug)]
pub(crate) struct Objects<F, S> {
    /// By the number of digits, less one, which is that of levels above the leaves.
    trees: [Child<F, S>; DIGITS],
    length: u32,
}

/// Ways that an id has at most.
const DIGITS: usize = (u32::BITS / BITS) as usize;

impl<F, S> Default for Objects<F, S> {
    fn default() -> Self {
        Objects { trees: std::array::from_fn(|_| Child { address: 0, slot: Slot::Empty }), length: 0 }
    }
}

/// Levels above the leaf that an object is in.
fn height(id: u32) -> u32 {
    (id | 1).ilog2() / BITS
}

fn way(id: u32, level: u32) -> usize {
    (id >> (BITS * level)) as usize % WAYS
}

impl<F, S> Slot<F, S> {
    /// A branch of nothing.
    fn branch() -> Slot<F, S> {
        Slot::Node(Rc::new(Node::Branch(std::array::from_fn(|_| Child { address: 0, slot: Slot::Empty }))))
    }

    /// A subtree of this one, one level further down.
    fn below(&self, way: usize) -> &Slot<F, S> {
        match self {
            Slot::Node(node) => match &**node {
                Node::Branch(children) => &children[way].slot,
                Node::Leaf(_) => &Slot::Empty,
            },
            // Turns are as long as a leaf.
            same => same,
        }
    }

    /// An object of this leaf.
    fn entry(&self, id: ObjectId) -> Option<Known<'_, F, S>> {
        match self {
            Slot::Empty => None,
            Slot::Over(over) => Some(Known::Over(over.kind(id))),
            Slot::Node(node) => match &**node {
                Node::Leaf(objects) => objects[way(id.0, 0)].as_ref().map(Known::Kept),
                Node::Branch(_) => None,
            },
        }
    }
}

impl<F: Clone, S: Clone> Slot<F, S> {
    /// Gives an object its place, which is above all others, in a subtree of so many levels.
    fn put(&mut self, level: u32, id: u32, object: Object<F, S>) {
        if matches!(self, Slot::Empty) {
            *self = match level {
                0 => Slot::Node(Rc::new(Node::Leaf(std::array::from_fn(|_| None)))),
                _ => Slot::branch(),
            };
        }
        let Slot::Node(node) = self else { return };
        match Rc::make_mut(node) {
            Node::Leaf(objects) => objects[way(id, 0)] = Some(object),
            Node::Branch(children) => {
                let child = &mut children[way(id, level)];
                if matches!(child.slot, Slot::Empty) {
                    child.address = object.address;
                }
                child.slot.put(level - 1, id, object);
            }
        }
    }
}

impl<F: Clone, S: Clone> Objects<F, S> {
    /// How many there have been.
    pub(crate) fn len(&self) -> u32 {
        self.length
    }

    /// What is known of one; `None` for ids that nobody has yet.
    #[inline]
    pub(crate) fn find(&self, id: ObjectId) -> Option<Known<'_, F, S>> {
        let mut level = height(id.0);
        let mut slot = &self.trees[level as usize].slot;
        loop {
            match slot {
                Slot::Empty => return None,
                Slot::Over(over) => return Some(Known::Over(over.kind(id))),
                Slot::Node(node) => match &**node {
                    Node::Leaf(objects) => return objects[way(id.0, 0)].as_ref().map(Known::Kept),
                    Node::Branch(children) => {
                        slot = &children[way(id.0, level)].slot;
                        level -= 1;
                    }
                },
            }
        }
    }

    /// One that is kept.
    #[inline]
    pub(crate) fn get(&self, id: ObjectId) -> Option<&Object<F, S>> {
        match self.find(id)? {
            Known::Kept(object) => Some(object),
            Known::Over(_) => None,
        }
    }

    /// The same, to be changed.
    #[inline]
    pub(crate) fn get_mut(&mut self, id: ObjectId) -> Option<&mut Object<F, S>> {
        let mut level = height(id.0);
        let mut slot = &mut self.trees[level as usize].slot;
        loop {
            let Slot::Node(node) = slot else { return None };
            match Rc::make_mut(node) {
                Node::Leaf(objects) => return objects[way(id.0, 0)].as_mut(),
                Node::Branch(children) => {
                    slot = &mut children[way(id.0, level)].slot;
                    level -= 1;
                }
            }
        }
    }

    /// A new one, above all others; its id.
    pub(crate) fn push(&mut self, object: Object<F, S>) -> ObjectId {
        let id = self.length;
        let height = height(id);
        let tree = &mut self.trees[height as usize];
        if matches!(tree.slot, Slot::Empty) {
            tree.address = object.address;
        }
        tree.slot.put(height, id, object);
        self.length += 1;
        ObjectId(id)
    }

    /// Has an object that is over be forgotten, where its neighbours are over, too.
    pub(crate) fn forget(&mut self, id: ObjectId) {
        let Slot::Node(leaf) = self.slot(id, 0) else { return };
        let Node::Leaf(objects) = &**leaf else { return };
        let mut kinds = [ObjectKind::Stack; WAYS];
        for (kind, object) in kinds.iter_mut().zip(objects) {
            match object {
                Some(object) if object.is_over() => *kind = object.kind,
                _ => return,
            }
        }
        let over = Over::of(kinds);
        for level in 0..=height(id.0) {
            self.replace(id, level, over);
            let Slot::Node(parent) = self.slot(id, level + 1) else { return };
            let Node::Branch(children) = &**parent else { return };
            if !children.iter().all(|child| matches!(child.slot, Slot::Over(other) if other == over)) {
                return;
            }
        }
    }

    /// The subtree of so many levels that an object is in; the whole tree if it has not so many.
    fn slot(&self, id: ObjectId, level: u32) -> &Slot<F, S> {
        let height = height(id.0);
        let mut slot = &self.trees[height as usize].slot;
        for above in (level + 1..=height).rev() {
            slot = slot.below(way(id.0, above));
        }
        slot
    }

    /// Has a subtree be over as a whole.
    fn replace(&mut self, id: ObjectId, level: u32, over: Over) {
        let height = height(id.0);
        let mut slot = &mut self.trees[height as usize].slot;
        for above in (level + 1..=height).rev() {
            let Slot::Node(node) = slot else { return };
            let Node::Branch(children) = Rc::make_mut(node) else { return };
            slot = &mut children[way(id.0, above)].slot;
        }
        *slot = Slot::Over(over);
    }

    /// The last object that begins at an address or before, or the first of those that are over and of which the address may be one's:
    /// its id, its address and what is known of it.
    pub(crate) fn at(&self, address: u64) -> Option<(ObjectId, u64, Known<'_, F, S>)> {
        let mut level = self.trees.iter().rposition(|tree| tree.is_before(address))?;
        let (mut slot, mut start) = (&self.trees[level].slot, self.trees[level].address);
        let mut id = 0;
        loop {
            match slot {
                Slot::Empty => return None,
                Slot::Over(over) => return Some((ObjectId(id), start, Known::Over(over.kind(ObjectId(id))))),
                Slot::Node(node) => match &**node {
                    Node::Leaf(objects) => {
                        let before = |object: &&Object<F, S>| object.address <= address;
                        let place = objects.iter().flatten().take_while(before).count().checked_sub(1)?;
                        let object = objects[place].as_ref()?;
                        return Some((ObjectId(id + place as u32), object.address, Known::Kept(object)));
                    }
                    Node::Branch(children) => {
                        let place = children.iter().rposition(|child| child.is_before(address))?;
                        (slot, start) = (&children[place].slot, children[place].address);
                        id += (place as u32) << (BITS * level as u32);
                        level -= 1;
                    }
                },
            }
        }
    }

    /// All that are kept, ascending.
    pub(crate) fn kept(&self) -> impl Iterator<Item = (ObjectId, &Object<F, S>)> {
        let mut pending: Vec<(&Slot<F, S>, u32, u32)> = Vec::new();
        pending.extend(self.trees.iter().enumerate().rev().map(|(level, tree)| (&tree.slot, level as u32, 0)));
        let mut leaf: Option<(&Leaf<F, S>, u32, usize)> = None;
        std::iter::from_fn(move || {
            loop {
                if let Some((objects, id, place)) = &mut leaf {
                    if let Some(Some(object)) = objects.get(*place) {
                        *place += 1;
                        return Some((ObjectId(*id + *place as u32 - 1), object));
                    }
                    leaf = None;
                }
                let (slot, level, id) = pending.pop()?;
                let Slot::Node(node) = slot else { continue };
                match &**node {
                    Node::Leaf(objects) => leaf = Some((objects, id, 0)),
                    Node::Branch(children) => {
                        pending.extend(
                            children.iter().enumerate().rev().map(|(place, child)| {
                                (&child.slot, level - 1, id + ((place as u32) << (BITS * level)))
                            }),
                        )
                    }
                }
            }
        })
    }

    /// Shows all objects of which two memories do not know the same, as far as that is seen without a look at their contents.
    pub(crate) fn differences<'a>(
        &'a self,
        other: &'a Objects<F, S>,
        show: &mut impl FnMut(ObjectId, [Option<Known<'a, F, S>>; 2]) -> Option<()>,
    ) -> Option<()> {
        let mut trees = (0..).zip(self.trees.iter().zip(&other.trees));
        trees.try_for_each(|(level, (a, b))| differences([&a.slot, &b.slot], level, 0, show))
    }
}

fn differences<'a, F, S>(
    [a, b]: [&'a Slot<F, S>; 2],
    level: u32,
    id: u32,
    show: &mut impl FnMut(ObjectId, [Option<Known<'a, F, S>>; 2]) -> Option<()>,
) -> Option<()> {
    let is_same = match (a, b) {
        (Slot::Node(x), Slot::Node(y)) => Rc::ptr_eq(x, y),
        (Slot::Over(x), Slot::Over(y)) => x == y,
        (Slot::Empty, Slot::Empty) => true,
        _ => false,
    };
    if is_same {
        return Some(());
    }
    for way in 0..WAYS {
        let id = id + ((way as u32) << (BITS * level));
        if level > 0 {
            differences([a.below(way), b.below(way)], level - 1, id, show)?;
            continue;
        }
        match [a.entry(ObjectId(id)), b.entry(ObjectId(id))] {
            [None, None] => {}
            known => show(ObjectId(id), known)?,
        }
    }
    Some(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cells::Cells;
    use crate::value::Never;

    type Tree = Objects<f64, Never>;

    fn object(address: u64, kind: ObjectKind) -> Object<f64, Never> {
        Object::new(8, kind, address, Rc::new(Cells::new(8, None)))
    }

    fn end(tree: &mut Tree, id: u32) {
        let nothing = Rc::new(Cells::new(0, None));
        tree.get_mut(ObjectId(id)).unwrap().end(nothing);
        tree.forget(ObjectId(id));
    }

    fn nodes(slot: &Slot<f64, Never>) -> usize {
        match slot {
            Slot::Node(node) => match &**node {
                Node::Leaf(_) => 1,
                Node::Branch(children) => 1 + children.iter().map(|child| nodes(&child.slot)).sum::<usize>(),
            },
            _ => 0,
        }
    }

    /// Of every third to live on, all others over: what is known of each is what a table knows.
    #[test]
    fn what_is_known_is_what_tables_know() {
        let kind = |id: u32| if id % 5 == 1 { ObjectKind::Heap(HeapFamily::New) } else { ObjectKind::Stack };
        for (count, every) in [(1, 3), (16, 3), (17, 40), (256, 70), (257, 1000), (5000, 300), (5000, 1)] {
            let mut tree = Tree::default();
            for id in 0..count {
                assert_eq!(tree.push(object(u64::from(id + 1) * 100, kind(id))), ObjectId(id));
            }
            let copy = tree.clone();
            (0..count).filter(|id| !id.is_multiple_of(every)).for_each(|id| end(&mut tree, id));
            assert!((0..count).all(|id| copy.get(ObjectId(id)).is_some_and(|object| !object.is_over())));
            let mut kept = Vec::new();
            for id in 0..count {
                match tree.find(ObjectId(id)).unwrap() {
                    Known::Kept(object) => {
                        assert_eq!((object.kind, object.is_over()), (kind(id), !id.is_multiple_of(every)));
                        kept.push(ObjectId(id));
                        let at = tree.at(u64::from(id + 1) * 100 + 99).unwrap();
                        assert_eq!((at.0, at.1), (ObjectId(id), u64::from(id + 1) * 100));
                    }
                    Known::Over(of) => {
                        assert_eq!(of, kind(id));
                        let at = tree.at(u64::from(id + 1) * 100).unwrap();
                        assert!(matches!(at.2, Known::Over(_)) && at.0 <= ObjectId(id), "{at:?}");
                        assert_eq!(at.1, u64::from(at.0.0 + 1) * 100);
                    }
                }
            }
            assert!(tree.kept().map(|(id, _)| id).eq(kept));
            assert!(tree.find(ObjectId(count)).is_none() && tree.at(99).is_none());
            let mut differ = Vec::new();
            let mut show = |id: ObjectId, _: [Option<Known<'_, f64, Never>>; 2]| {
                differ.push(id);
                Some(())
            };
            assert_eq!(tree.differences(&copy, &mut show), Some(()));
            let changed = |id: &u32| !id.is_multiple_of(every);
            assert!((0..count).filter(changed).all(|id| differ.contains(&ObjectId(id))));
        }
    }

    #[test]
    fn millions_of_calls_leave_little() {
        let mut tree = Tree::default();
        tree.push(object(100, ObjectKind::Stack));
        let heap = ObjectKind::Heap(HeapFamily::Malloc);
        for call in 0..1_000_000u32 {
            let id = tree.push(object(u64::from(call + 2) * 100, if call % 4 == 0 { heap } else { ObjectKind::Stack }));
            end(&mut tree, id.0);
        }
        let count: usize = tree.trees.iter().map(|tree| nodes(&tree.slot)).sum();
        assert!(count < 60, "{count}");
        assert!(matches!(tree.find(ObjectId(777_778)), Some(Known::Over(ObjectKind::Stack))));
        assert!(matches!(tree.find(ObjectId(777_777)), Some(Known::Over(kind)) if kind == heap));
        assert!(tree.get(ObjectId(0)).is_some());
    }

    #[test]
    fn what_one_side_alone_has_is_a_difference() {
        let mut tree = Tree::default();
        for id in 0..20u32 {
            tree.push(object(u64::from(id + 1) * 100, ObjectKind::Stack));
        }
        let mut longer = tree.clone();
        for id in 20..300u32 {
            longer.push(object(u64::from(id + 1) * 100, ObjectKind::Stack));
        }
        let mut seen = Vec::new();
        for (a, b, here) in [(&tree, &longer, 0), (&longer, &tree, 1)] {
            seen.clear();
            let mut show = |id: ObjectId, known: [Option<Known<'_, f64, Never>>; 2]| {
                assert!(id.0 < 20 || (known[here].is_none() && known[1 - here].is_some()));
                seen.push(id.0);
                Some(())
            };
            assert_eq!(a.differences(b, &mut show), Some(()));
            assert!((20..300).all(|id| seen.contains(&id)) && seen.iter().all(|id| *id >= 16), "{seen:?}");
        }
    }
}
