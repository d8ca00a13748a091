//! Arrays, replaced by the elements that are read.
//!
//! **Reads.** A read over a write is an if-then-else on the indices, a read of a constant array is its element, and a
//! read of an array variable a at i is a new variable r(a, i), with i = j → r(a, i) = r(a, j) for all indices read. This is
//! Ackermann's reduction: values of the r's make an array, and the array that a model has gives them values. Where there are
//! few indices, there is one variable for each of them instead, and a read chooses among these by the bits of i, or by its value
//! where it is no vector: no two reads need to be compared.
//!
//! **Equality.** a = b becomes a new Bool variable e. Where e is false, a and b differ at a new index k. Where e is true they
//! agree at every index term of the query, and also *elsewhere*: an array has one further element that stands for all
//! indices whose values no index term has (of a write it is the written array's, of a constant array its element).
//! A model of the query gives that element the value at some index which is nobody's value; there is one, since there
//! are fewer index terms than indices. Where there are few indices, a = b is that they agree at each instead.
//! Conversely an array variable is built from its elements read and the one elsewhere, and then arrays that agree at
//! all index terms and elsewhere are the same map. (Bradley, Manna, Sipma, "What's Decidable About Arrays?", VMCAI 2006,
//! section 3: index sets and the element elsewhere.)

use labrys_float::RoundingMode;
use labrys_term::{Op, Sort, Store, TermId};
use rustc_hash::{FxHashMap, FxHashSet};

use super::fresh::fresh;
use super::reconstruct::Elements;

/// Index widths up to this are few indices, as truth values and rounding modes are: array variables have an element for each.
const FEW_BITS: u32 = 6;

/// Where an array is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Place {
    At(TermId),
    Elsewhere,
}

/// Two arrays of a sort, and the Bool variable that says whether they are equal.
#[derive(Clone, Debug)]
struct Equality {
    arrays: [TermId; 2],
    holds: TermId,
    sort: Sort,
    /// How many of the sort's index terms the two are known to agree at.
    agreed: usize,
}

/// The arrays met so far. All terms are expanded but for the arrays' own operators.
#[derive(Clone, Debug, Default)]
pub(super) struct Arrays {
    read: FxHashMap<(TermId, Place), TermId>,
    /// What is known of each array variable, in order of first reading; where each is.
    pub elements: Vec<Elements>,
    positions: FxHashMap<TermId, usize>,
    /// Index terms by array sort, each once, in order.
    indices: FxHashMap<Sort, Vec<TermId>>,
    is_index: FxHashSet<(TermId, Sort)>,
    equalities: Vec<Equality>,
    equal: FxHashMap<[TermId; 2], TermId>,
    count: usize,
}

impl Arrays {
    /// Notes that `index` is an index term of arrays of the sort of `array`.
    pub fn index(&mut self, store: &Store, array: TermId, index: TermId) {
        let sort = store.sort(array).clone();
        if self.is_index.insert((index, sort.clone())) {
            self.indices.entry(sort).or_default().push(index);
        }
    }

    /// The element of an array at an index.
    pub fn select(&mut self, store: &mut Store, array: TermId, index: TermId, constraints: &mut Vec<TermId>) -> TermId {
        self.index(store, array, index);
        self.element(store, array, Place::At(index), constraints)
    }

    fn element(&mut self, store: &mut Store, root: TermId, place: Place, constraints: &mut Vec<TermId>) -> TermId {
        let mut pending = vec![root];
        while let Some(&array) = pending.last() {
            if self.read.contains_key(&(array, place)) {
                pending.pop();
                continue;
            }
            let node = store.node(array).clone();
            let value = match node.op {
                Op::StoreAt => match overwritten(store, node.args[1], place) {
                    Some(true) => Some(node.args[2]),
                    Some(false) => self.known(node.args[0], place, &mut pending),
                    None => self.known(node.args[0], place, &mut pending).map(|below| {
                        let Place::At(index) = place else { return below };
                        let same = store.mk(Op::Eq, &[node.args[1], index]);
                        store.mk(Op::Ite, &[same, node.args[2], below])
                    }),
                },
                Op::Ite => {
                    let branches = [node.args[1], node.args[2]].map(|branch| self.known(branch, place, &mut pending));
                    match branches {
                        [Some(yes), Some(no)] => Some(store.mk(Op::Ite, &[node.args[0], yes, no])),
                        _ => None,
                    }
                }
                Op::ConstArray(_) => Some(node.args[0]),
                _ => Some(match one_of_few(store, array, place) {
                    Some((index, values)) => self.chosen(store, array, index, &values, constraints),
                    None => self.base(store, array, place, constraints),
                }),
            };
            if let Some(value) = value {
                self.read.insert((array, place), value);
                pending.pop();
            }
        }
        self.read[&(root, place)]
    }

    /// The element if it is known; else it is made first.
    fn known(&self, array: TermId, place: Place, pending: &mut Vec<TermId>) -> Option<TermId> {
        let known = self.read.get(&(array, place)).copied();
        if known.is_none() {
            pending.push(array);
        }
        known
    }

    /// The element of an array variable with few indices at an index that is no literal: chosen by the index's bits or value.
    fn chosen(
        &mut self,
        store: &mut Store,
        array: TermId,
        index: TermId,
        values: &[TermId],
        constraints: &mut Vec<TermId>,
    ) -> TermId {
        let mut level = Vec::with_capacity(values.len());
        for &value in values {
            let place = Place::At(value);
            let known = self.read.get(&(array, place)).copied();
            let element = known.unwrap_or_else(|| self.base(store, array, place, constraints));
            self.read.insert((array, place), element);
            level.push(element);
        }
        let &Sort::BitVec(width) = store.sort(index) else {
            // The index has one of the values: the first one, if none of the others.
            return values.iter().zip(&level).skip(1).fold(level[0], |rest, (&value, &element)| {
                let same = store.mk(Op::Eq, &[index, value]);
                store.mk(Op::Ite, &[same, element, rest])
            });
        };
        let one = store.bv_const(1, 1u8);
        for bit in 0..width {
            let bit = store.mk(Op::Extract { high: bit, low: bit }, &[index]);
            let is_set = store.mk(Op::Eq, &[bit, one]);
            level = level.chunks_exact(2).map(|pair| store.mk(Op::Ite, &[is_set, pair[1], pair[0]])).collect();
        }
        level[0]
    }

    /// The new variable that stands for an element of an array variable.
    fn base(&mut self, store: &mut Store, array: TermId, place: Place, constraints: &mut Vec<TermId>) -> TermId {
        let element_sort = match store.sort(array) {
            Sort::Array(sorts) => sorts.1.clone(),
            other => other.clone(),
        };
        let element = fresh(store, &mut self.count, "element", element_sort);
        let Some(variable) = store.as_variable(array) else { return element };
        let position = *self.positions.entry(array).or_insert_with(|| {
            self.elements.push(Elements { variable, elsewhere: None, reads: Vec::new() });
            self.elements.len() - 1
        });
        let known = &mut self.elements[position];
        let Place::At(index) = place else {
            known.elsewhere = Some(element);
            return element;
        };
        for &(other, value) in &known.reads {
            if !are_different(store, other, index) {
                let same = [[other, index], [value, element]].map(|pair| store.mk(Op::Eq, &pair));
                constraints.push(store.mk(Op::Implies, &same));
            }
        }
        known.reads.push((index, element));
        element
    }

    /// Whether two arrays are the same map, as a Bool term.
    pub fn equality(
        &mut self,
        store: &mut Store,
        mut arrays: [TermId; 2],
        constraints: &mut Vec<TermId>,
    ) -> Result<TermId, String> {
        arrays.sort_unstable();
        if arrays[0] == arrays[1] {
            return Ok(store.bool_const(true));
        }
        if let Some(&known) = self.equal.get(&arrays) {
            return Ok(known);
        }
        let sort = store.sort(arrays[0]).clone();
        let Sort::Array(sorts) = &sort else { return Err("equality of arrays of arrays".to_owned()) };
        if let Some(values) = few_values(store, &sorts.0) {
            let holds = self.equal_everywhere(store, arrays, &values, constraints);
            self.equal.insert(arrays, holds);
            return Ok(holds);
        }
        let holds = fresh(store, &mut self.count, "equal", Sort::Bool);
        let witness = fresh(store, &mut self.count, "difference", sorts.0.clone());
        self.index(store, arrays[0], witness);
        let at_witness = arrays.map(|array| self.element(store, array, Place::At(witness), constraints));
        let agree = store.mk(Op::Eq, &at_witness);
        let differ = store.not(agree);
        constraints.push(store.or(&[holds, differ]));
        let elsewhere = arrays.map(|array| self.element(store, array, Place::Elsewhere, constraints));
        let agree = store.mk(Op::Eq, &elsewhere);
        constraints.push(store.mk(Op::Implies, &[holds, agree]));
        self.equalities.push(Equality { arrays, holds, sort: sort.clone(), agreed: 0 });
        self.equal.insert(arrays, holds);
        Ok(holds)
    }

    /// That two arrays agree at each of few indices.
    fn equal_everywhere(
        &mut self,
        store: &mut Store,
        arrays: [TermId; 2],
        values: &[TermId],
        constraints: &mut Vec<TermId>,
    ) -> TermId {
        let mut agree = Vec::with_capacity(values.len());
        for &value in values {
            let place = Place::At(value);
            let elements = arrays.map(|array| self.element(store, array, place, constraints));
            agree.push(store.mk(Op::Eq, &elements));
        }
        store.and(&agree)
    }

    /// What equal arrays agree at, for all index terms met so far.
    pub fn close(&mut self, store: &mut Store, constraints: &mut Vec<TermId>) -> Result<(), String> {
        for i in 0..self.equalities.len() {
            let Equality { arrays, holds, ref sort, agreed } = self.equalities[i];
            let Sort::Array(sorts) = sort else { continue };
            let indices = self.indices.get(sort).cloned().unwrap_or_default();
            if !has_more_values(&sorts.0, indices.len()) {
                return Err(format!("comparing arrays at {} indices of so few", indices.len()));
            }
            for &index in &indices[agreed.min(indices.len())..] {
                let elements = arrays.map(|array| self.element(store, array, Place::At(index), constraints));
                let agree = store.mk(Op::Eq, &elements);
                constraints.push(store.mk(Op::Implies, &[holds, agree]));
            }
            self.equalities[i].agreed = indices.len();
        }
        Ok(())
    }
}

/// The index and all its sort's values, where an array variable with few indices is read at one that is no literal.
fn one_of_few(store: &mut Store, array: TermId, place: Place) -> Option<(TermId, Vec<TermId>)> {
    let Place::At(index) = place else { return None };
    store.as_variable(array)?;
    if matches!(store.node(index).op, Op::BitVecConst(_) | Op::BoolConst(_) | Op::RoundingModeConst(_)) {
        return None;
    }
    let sort = store.sort(index).clone();
    Some((index, few_values(store, &sort)?))
}

/// All values of a sort as literals, those of vectors in ascending order, where they are few.
fn few_values(store: &mut Store, sort: &Sort) -> Option<Vec<TermId>> {
    match *sort {
        Sort::BitVec(width) if width <= FEW_BITS => {
            Some((0u32..1 << width).map(|value| store.bv_const(width, value)).collect())
        }
        Sort::Bool => Some([false, true].map(|value| store.bool_const(value)).to_vec()),
        Sort::RoundingMode => Some(RoundingMode::ALL.map(|mode| store.rounding_mode(mode)).to_vec()),
        _ => None,
    }
}

/// Whether a sort certainly has more values than `count`.
fn has_more_values(sort: &Sort, count: usize) -> bool {
    match sort {
        Sort::BitVec(width) => *width >= usize::BITS || count < 1 << width,
        // A format of width w has more than 2^(w - 1) values: at most half of the encodings with one exponent are lost to NaN.
        Sort::Float(format) => format.width() > usize::BITS || count < 1 << (format.width() - 2),
        Sort::Bool => count < 2,
        Sort::RoundingMode => count < 5,
        _ => false,
    }
}

/// Whether a write at `written` decides the element at a place, as far as the terms alone tell.
fn overwritten(store: &Store, written: TermId, place: Place) -> Option<bool> {
    match place {
        Place::Elsewhere => Some(false),
        Place::At(index) if index == written => Some(true),
        Place::At(index) if are_different(store, index, written) => Some(false),
        Place::At(_) => None,
    }
}

/// Two literals that differ.
fn are_different(store: &Store, a: TermId, b: TermId) -> bool {
    match (&store.node(a).op, &store.node(b).op) {
        (Op::BitVecConst(a), Op::BitVecConst(b)) => a != b,
        (Op::FloatConst(a), Op::FloatConst(b)) => !a.same_value(b),
        (Op::BoolConst(a), Op::BoolConst(b)) => a != b,
        (Op::RoundingModeConst(a), Op::RoundingModeConst(b)) => a != b,
        _ => false,
    }
}
