//! Pruning boxes, and branching where that is not enough.

use std::collections::VecDeque;

use labrys_term::{Op, Sort, Store, TermId};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use super::image::{Argument, Images};
use super::set::{Set, Shape, middle};
use crate::domain::Facts;
use crate::{Budget, Query, Why};

/// How often one term's set may shrink in one propagation: slow convergence ends here.
const MOST_UPDATES: u16 = 64;
/// Operators are looked at so often between two looks at the clock.
const BETWEEN_LOOKS: u64 = 64;

/// There is no model in the box.
pub(super) struct Contradiction;

/// A formula whose boxes are pruned.
pub(super) struct Tree<'a> {
    store: &'a Store,
    budget: &'a Budget,
    terms: Vec<TermId>,
    /// A term's arguments, and the terms that it is an argument of, as places in `terms`.
    args: Vec<SmallVec<[usize; 4]>>,
    users: Vec<Vec<usize>>,
    shapes: Vec<Shape>,
    images: Images,
    looks: u64,
    /// Boxes that were pruned.
    pub boxes: u64,
}

/// A box: a set for each term.
pub(super) type Sets = Vec<Set>;

impl<'a> Tree<'a> {
    pub fn new(query: &Query<'a>, budget: &'a Budget) -> Tree<'a> {
        let store = query.store;
        let terms = store.reachable(query.assertions);
        let places: FxHashMap<TermId, usize> = terms.iter().enumerate().map(|(place, term)| (*term, place)).collect();
        let args: Vec<SmallVec<[usize; 4]>> =
            terms.iter().map(|term| store.node(*term).args.iter().map(|arg| places[arg]).collect()).collect();
        let mut users = vec![Vec::new(); terms.len()];
        for (user, args) in args.iter().enumerate() {
            for &arg in args {
                if users[arg].last() != Some(&user) {
                    users[arg].push(user);
                }
            }
        }
        let shapes = terms.iter().map(|term| Shape::of(store.sort(*term))).collect();
        Tree { store, budget, terms, args, users, shapes, images: Images::default(), looks: 0, boxes: 0 }
    }

    /// Evaluations of operators so far.
    pub fn evaluations(&self) -> u64 {
        self.images.evaluations
    }

    /// The box of all values, under the assertions, pruned.
    pub fn root(&mut self, assertions: &[TermId]) -> Result<Result<Sets, Contradiction>, Why> {
        let mut sets: Sets = self.shapes.iter().map(|shape| shape.top()).collect();
        for (place, term) in self.terms.iter().enumerate() {
            if let Some(value) = constant(&self.store.node(*term).op, self.store.sort(*term)) {
                sets[place] = self.shapes[place].only(&value);
            }
        }
        for assertion in assertions {
            // All assertions are among the terms.
            let Ok(place) = self.terms.binary_search(assertion) else { continue };
            sets[place] = sets[place].intersect(Set::numbers(1, 1));
            if sets[place].is_empty() {
                return Ok(Err(Contradiction));
            }
        }
        let all: Vec<usize> = (0..self.terms.len()).collect();
        Ok(self.prune(&mut sets, &all)?.map(|()| sets))
    }

    /// Shrinks sets until nothing changes any more, beginning with these terms.
    fn prune(&mut self, sets: &mut Sets, first: &[usize]) -> Result<Result<(), Contradiction>, Why> {
        self.boxes += 1;
        let mut waiting: VecDeque<usize> = first.iter().copied().collect();
        let mut is_waiting = vec![false; sets.len()];
        first.iter().for_each(|place| is_waiting[*place] = true);
        let mut updates = vec![0u16; sets.len()];
        while let Some(place) = waiting.pop_front() {
            is_waiting[place] = false;
            self.look()?;
            let mut changed: SmallVec<[usize; 8]> = SmallVec::new();
            if self.project(sets, place, &mut changed).is_err() {
                return Ok(Err(Contradiction));
            }
            for changed in changed {
                updates[changed] += 1;
                if updates[changed] > MOST_UPDATES {
                    continue;
                }
                // What the operator itself has just done needs no second look at it.
                let next = std::iter::once(changed).chain(self.users[changed].iter().copied());
                for next in next.filter(|next| *next != place) {
                    if !std::mem::replace(&mut is_waiting[next], true) {
                        waiting.push_back(next);
                    }
                }
            }
        }
        Ok(Ok(()))
    }

    fn look(&mut self) -> Result<(), Why> {
        self.looks += 1;
        if self.budget.work > 0 && self.evaluations() > self.budget.work {
            return Err(Why::Work);
        }
        if self.looks.is_multiple_of(BETWEEN_LOOKS) { self.budget.exhausted().map_or(Ok(()), Err) } else { Ok(()) }
    }

    /// Shrinks a term's set to what its arguments allow, and theirs to what it allows.
    fn project(
        &mut self,
        sets: &mut Sets,
        place: usize,
        changed: &mut SmallVec<[usize; 8]>,
    ) -> Result<(), Contradiction> {
        let node = self.store.node(self.terms[place]);
        let places = self.args[place].clone();
        if places.is_empty() {
            return Ok(());
        }
        let mut args: SmallVec<[Argument; 4]> = places.iter().map(|arg| (self.shapes[*arg], sets[*arg])).collect();
        shrink(sets, place, self.images.image(&node.op, &node.sort, &args), changed)?;
        let allowed = sets[place];
        if allowed == self.shapes[place].top() {
            return Ok(());
        }
        if matches!(node.op, Op::And | Op::Or) {
            return connective(matches!(node.op, Op::And), allowed, &places, sets, changed);
        }
        let mut narrows = false;
        for (at, &arg) in places.iter().enumerate() {
            // A term that is an argument twice has one value.
            if sets[arg].is_single() || self.shapes[arg] == Shape::Other || places[..at].contains(&arg) {
                continue;
            }
            let before = sets[arg];
            let mut narrowed = Narrowing { images: &mut self.images, node, allowed, places: &places, arg };
            let after = narrowed.narrow(before, &mut args);
            for (other, argument) in places.iter().zip(args.iter_mut()) {
                if *other == arg {
                    argument.1 = after;
                }
            }
            shrink(sets, arg, after, changed)?;
            narrows |= after != before;
        }
        if narrows {
            // Ends were moved one argument at a time: what is left together may give less, or nothing.
            shrink(sets, place, self.images.image(&node.op, &node.sort, &args), changed)?;
        }
        Ok(())
    }

    /// Whether no box below this one has a model. A box is cut in two until each part is refuted, or `most` boxes were looked at.
    pub fn is_refuted(&mut self, root: Sets, most: u64) -> Result<bool, Why> {
        let last = self.boxes + most;
        let mut splits = vec![0u32; self.terms.len()];
        let mut pending = vec![root];
        while let Some(sets) = pending.pop() {
            let Some(place) = self.branching(&sets, &splits) else { return Ok(false) };
            splits[place] += 1;
            for part in parts(self.shapes[place], sets[place]) {
                if self.boxes >= last {
                    return Err(Why::Work);
                }
                let mut sets = sets.clone();
                sets[place] = part;
                let first: Vec<usize> = std::iter::once(place).chain(self.users[place].iter().copied()).collect();
                if self.prune(&mut sets, &first)?.is_ok() {
                    pending.push(sets);
                }
            }
        }
        Ok(true)
    }

    /// The term whose set is cut next: what connectives wait for, else the variable or number that was cut least often. Among these
    /// numbers that are used several times come first, since what is known of one use is lost in the others, then those with
    /// most values.
    fn branching(&self, sets: &Sets, splits: &[u32]) -> Option<usize> {
        let open = |place: &usize| !sets[*place].is_single() && self.shapes[*place] != Shape::Other;
        let waits = |place: &usize| {
            let op = &self.store.node(self.terms[*place]).op;
            let args = &self.args[*place];
            match op {
                Op::Or if sets[*place] == Set::numbers(1, 1) => args.iter().copied().find(open),
                Op::And if sets[*place] == Set::numbers(0, 0) => args.iter().copied().find(open),
                Op::Ite => args.first().copied().filter(open),
                _ => None,
            }
        };
        let places = 0..self.terms.len();
        places.clone().find_map(|place| waits(&place)).or_else(|| {
            let is_variable = |place: &usize| matches!(self.store.node(self.terms[*place]).op, Op::Variable(_));
            let is_shared = |place: &usize| self.users[*place].len() > 1 && self.shapes[*place] != Shape::Bool;
            let key = |place: &usize| (splits[*place], !is_shared(place), std::cmp::Reverse(sets[*place].count()));
            places.filter(|place| is_variable(place) || is_shared(place)).filter(open).min_by_key(key)
        })
    }

    /// What a box says, as engines share it.
    pub fn facts(&self, sets: &Sets) -> Facts {
        let domains = self.terms.iter().zip(sets).zip(&self.shapes);
        let domains = domains.filter_map(|((term, set), shape)| Some((*term, shape.domain(*set)?)));
        Facts { domains: domains.collect() }
    }
}

/// The value of a literal.
fn constant(op: &Op, sort: &Sort) -> Option<labrys_term::Value> {
    use labrys_term::Value;
    Some(match (op, sort) {
        (Op::BoolConst(value), _) => Value::Bool(*value),
        (Op::RoundingModeConst(mode), _) => Value::RoundingMode(*mode),
        (Op::FloatConst(value), _) => Value::float(value.clone()),
        (Op::BitVecConst(bits), Sort::BitVec(width)) => Value::bit_vector(*width, bits.clone()),
        _ => return None,
    })
}

/// Leaves of a term's set what lies in another, too.
fn shrink(sets: &mut Sets, place: usize, within: Set, changed: &mut SmallVec<[usize; 8]>) -> Result<(), Contradiction> {
    let after = sets[place].intersect(within);
    if after.is_empty() {
        return Err(Contradiction);
    }
    if after != sets[place] {
        sets[place] = after;
        changed.push(place);
    }
    Ok(())
}

/// What a conjunction (or disjunction) of this value leaves to its arguments.
fn connective(
    is_and: bool,
    allowed: Set,
    places: &[usize],
    sets: &mut Sets,
    changed: &mut SmallVec<[usize; 8]>,
) -> Result<(), Contradiction> {
    let truth = |truth: bool| Set::numbers(i128::from(truth), i128::from(truth));
    // A true conjunction has only true arguments; a false one has a false argument, which is known if there is only one open.
    let whole = truth(is_and);
    if allowed == whole {
        for &arg in places {
            shrink(sets, arg, whole, changed)?;
        }
    } else if allowed == truth(!is_and) {
        let mut open = places.iter().filter(|arg| sets[**arg] != whole);
        if let (Some(&only), None) = (open.next(), open.find(|_| true))
            && !sets[only].is_single()
        {
            sets[only] = allowed;
            changed.push(only);
        }
    }
    Ok(())
}

/// The two parts that a set is cut into. NaN, the infinities and zeros, which operators treat each in its own way, are parts by
/// themselves; then numbers of different signs; else halves.
fn parts(shape: Shape, set: Set) -> [Set; 2] {
    if set.nan {
        return [set.without_nan(), Set { nan: true, ..Set::EMPTY }];
    }
    let infinity = if let Shape::Float(_) = shape { shape.top().high } else { i128::MAX };
    let (low, high) = (set.low, set.high);
    let last = match shape {
        Shape::Float(_) if low == !infinity => low,
        Shape::Float(_) if high == infinity => high - 1,
        Shape::Float(_) if low < 0 && high >= 0 => -1,
        Shape::Float(_) if low == 0 => low,
        Shape::Float(_) if high == -1 => high - 1,
        _ => middle(low, high),
    };
    [Set::numbers(low, last), Set::numbers(last + 1, high)]
}

/// Removing values of one argument with which an operator has none of its allowed values.
struct Narrowing<'t, 'p> {
    images: &'t mut Images,
    node: &'t labrys_term::Node,
    allowed: Set,
    places: &'p [usize],
    arg: usize,
}

impl Narrowing<'_, '_> {
    /// Whether the operator has an allowed value where the argument lies in this part.
    fn is_possible(&mut self, part: Set, args: &mut [Argument]) -> bool {
        for (place, argument) in self.places.iter().zip(args.iter_mut()) {
            if *place == self.arg {
                argument.1 = part;
            }
        }
        self.images.image(&self.node.op, &self.node.sort, args).meets(self.allowed)
    }

    /// The set without what is refuted at its ends, and without a refuted NaN.
    fn narrow(&mut self, set: Set, args: &mut [Argument]) -> Set {
        let mut left = set;
        left.nan = set.nan && self.is_possible(Set { nan: true, ..Set::EMPTY }, args);
        if !set.has_numbers() {
            return left;
        }
        if !self.is_possible(Set::numbers(set.low, set.low), args) {
            if !self.is_possible(set.without_nan(), args) {
                return Set { nan: left.nan, ..Set::EMPTY };
            }
            let (mut refuted, mut open) = (set.low, set.high);
            while let next = middle(refuted, open)
                && next != refuted
            {
                if self.is_possible(Set::numbers(set.low, next), args) { open = next } else { refuted = next }
            }
            left.low = open;
        }
        if left.low < left.high && !self.is_possible(Set::numbers(left.high, left.high), args) {
            let (mut open, mut refuted) = (left.low, left.high);
            while let next = middle(open, refuted)
                && next != open
            {
                if self.is_possible(Set::numbers(next, left.high), args) { open = next } else { refuted = next }
            }
            left.high = refuted - 1;
        }
        left
    }
}
