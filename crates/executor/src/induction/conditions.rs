//! What may hold of a loop's variables whenever a round begins: guesses, each of which is weakened or dropped until what is left holds.
//!
//! After C. Flanagan and K. R. M. Leino, "Houdini, an Annotation Assistant for ESC/Java", FME 2001; bounds are weakened along the constants of
//! the program, as in widening with thresholds.

use labrys_float::{Float, Format};
use labrys_interp::{Datum, Int};
use labrys_program::{FunctionId, Program};
use labrys_term::{Evaluator, Model, Op, TermId, Value};
use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::SmallVec;

use super::cases::{Cases, Held};
use super::checked::{self, Meanings};
use super::combinations::{combined, is_more};
use super::guesses::{Guess, Order, bits_term, literal, value_of};
use super::recurrences::{Moment, Recurrence, Steps};
use super::rows::leave_out_many_valued;
use super::thresholds::{Constants, signed};
use super::variables::{Variables, term_of};
use crate::constants::double;
use crate::{FloatValue, Values};

pub(super) type DatumOf = Datum<FloatValue, TermId>;

/// Variables that are compared with each other.
const MOST_COMPARED: usize = 10;

/// Variables of which three may have a sum that does not change.
const MOST_SUMMED: usize = 7;

/// Variables of which it is listed what they are together, at most.
const MOST_TOGETHER: usize = 12;

/// Conditions that rounds check, and terms in one of them, at most.
const MOST_CHECKED: usize = 16;
pub(super) const MOST_TERMS: usize = 48;

/// Integers that do not change and that others are compared with.
const MOST_FIXED: usize = 6;

/// Bits of which the lowest are known: multiples of up to 16.
const MOST_LOW_BITS: u32 = 4;

/// Bounds of variables by their number, read as integers with a sign or not, and upper ones or lower.
pub(crate) type Bounds = FxHashMap<(usize, bool, bool), u128>;

/// The conditions of a loop.
#[derive(Debug, Default)]
pub(crate) struct Conditions {
    guesses: Vec<Guess>,
    constants: Constants,
    /// So many variables have been guessed about.
    seen: usize,
    /// Integers that do not change: their widths and terms.
    fixed: Vec<(u32, TermId)>,
    /// Variables of the path to the loop: no round is asked for them again.
    known: FxHashSet<TermId>,
    /// Bounds of integers that held when the loop was proved before, with less known.
    held: Bounds,
    /// Variables with too many values to be listed with others.
    many_valued: FxHashSet<usize>,
    /// What rounds check and was guessed, whatever became of it.
    checked: FxHashSet<TermId>,
    /// Variables that were guessed to be a recurrence, whatever became of it.
    recurrences: Vec<Vec<usize>>,
    /// Values of variables under which others were guessed to have bounds; `None` while they are not.
    cases: Option<Cases>,
}

impl Conditions {
    /// None yet, of a loop whose values are compared with the constants of these functions, and with these integers that may not change; `known` are the variables of
    /// the path to it.
    pub(crate) fn new(
        program: &Program,
        around: impl Iterator<Item = FunctionId>,
        fixed: impl Iterator<Item = Int<TermId>>,
        known: FxHashSet<TermId>,
    ) -> Conditions {
        let functions = around.filter_map(|id| program.functions.get(id.index()));
        let mut all: Vec<(u32, TermId)> =
            fixed.filter(|int| int.bits() > 1).filter_map(|int| Some((int.bits(), *int.symbol()?))).collect();
        all.sort_unstable();
        all.dedup();
        all.truncate(MOST_FIXED);
        Conditions { constants: Constants::of(functions), fixed: all, known, ..Conditions::default() }
    }

    /// Begins with bounds that held before, instead of weakening them step by step.
    pub(crate) fn begin_with(&mut self, held: Bounds) {
        self.held = held;
    }

    /// Has bounds of floats be weakened to what they are compared with, too, where integers are at the bounds that held: to 6 · 1000, where a sum is asked to be at
    /// most 6 · i.
    fn take_ends(&mut self, values: &Values<'_>, variables: &Variables, asked: &[TermId]) {
        for is_upper in [false, true] {
            let mut model = Model::default();
            for (of, variable) in variables.all.iter().enumerate() {
                let Datum::Int(int) = &variable.any else { continue };
                if let (Some(term), Some(bound)) = (int.symbol(), self.held.get(&(of, true, is_upper))) {
                    model.set_term(values.store, *term, Value::BitVec { width: int.bits(), bits: (*bound).into() });
                }
            }
            let is_float =
                |term: &TermId| values.store.float_format(*term).is_some() && values.store.has_variables(*term);
            let floats: Vec<TermId> = values.store.reachable(asked).into_iter().filter(is_float).collect();
            let mut evaluator = Evaluator::new(values.store, &model);
            let numbers = floats.into_iter().filter_map(|term| double(evaluator.value(term).ok()?.as_float()?));
            let numbers: Vec<f64> = numbers.filter(|number| number.is_finite()).collect();
            self.constants.extend(numbers);
        }
    }

    /// The bounds of integers.
    pub(crate) fn bounds(&self) -> Bounds {
        let bound = |guess: &Guess| match guess {
            Guess::Bound { of, is_signed, is_upper, bound } => Some(((*of, *is_signed, *is_upper), *bound)),
            _ => None,
        };
        self.guesses.iter().filter_map(bound).collect()
    }

    /// What holds as far as is known.
    pub(crate) fn all(&self) -> impl std::fmt::Debug + '_ {
        &self.guesses
    }

    /// None yet, of the same loop.
    pub(crate) fn anew(&self) -> Conditions {
        let Conditions { constants, fixed, known, many_valued, cases, .. } = self;
        Conditions {
            cases: cases.as_ref().map(|_| Cases::default()),
            constants: constants.clone(),
            fixed: fixed.clone(),
            known: known.clone(),
            many_valued: many_valued.clone(),
            ..Conditions::default()
        }
    }

    /// Guesses all anew beside what rounds check: with more of that known, what was weakened or dropped may hold.
    pub(crate) fn guess_again(&mut self, values: &mut Values<'_>, variables: &Variables) {
        self.guesses.retain(|guess| matches!(guess, Guess::Checked { .. }));
        self.seen = 0;
        self.many_valued.clear();
        self.recurrences.clear();
        self.cases = self.cases.as_ref().map(|_| Cases::default());
        self.guess(values, variables);
    }

    /// Guesses about variables that there were none about. Values before the first round are the strongest of bounds.
    pub(crate) fn guess(&mut self, values: &mut Values<'_>, variables: &Variables) {
        let all = &variables.all;
        for of in self.seen..all.len() {
            match &all[of].first {
                Datum::Int(int) => self.guess_int(of, int.bits(), int.concrete()),
                Datum::Pointer(pointer) => self.guess_int(of, 64, pointer.offset.concrete()),
                Datum::Float(float) => self.guess_float(of, values.format_of(float), float.known()),
            }
            let near = all.len().min(MOST_COMPARED);
            if of < near {
                (0..near).filter(|other| *other < of).for_each(|other| self.guess_pair(values, variables, other, of));
            }
        }
        if self.seen < all.len() {
            self.guess_together(values, variables);
        }
        self.seen = all.len();
    }

    /// What the variables are together, of those that are known before the first round and have not many values.
    fn guess_together(&mut self, values: &mut Values<'_>, variables: &Variables) {
        self.guesses.retain(|guess| !matches!(guess, Guess::Together { .. }));
        let known = variables.all.iter().enumerate().filter(|(of, _)| !self.many_valued.contains(of));
        let row: Vec<(usize, Value)> = known
            .filter_map(|(of, variable)| {
                let first = term_of(values, &variable.first);
                Some((of, literal(values.store, first)?))
            })
            .take(MOST_TOGETHER)
            .collect();
        if row.len() > 1 {
            let (of, row) = row.into_iter().unzip();
            self.guesses.push(Guess::Together { of, rows: vec![row] });
        }
    }

    fn guess_int(&mut self, of: usize, bits: u32, first: Option<u128>) {
        if bits > 128 {
            return;
        }
        if first != Some(0) && bits > 1 {
            self.guesses.push(Guess::NotZero(of));
        }
        // Of one that is not known bounds are weakened outwards from zero.
        let bound = first.unwrap_or_default();
        for (is_signed, is_upper) in [(true, false), (true, true), (false, false), (false, true)] {
            if bits > 1 {
                let bound = self.held.get(&(of, is_signed, is_upper)).copied().unwrap_or(bound);
                self.guesses.push(Guess::Bound { of, is_signed, is_upper, bound });
            }
        }
        for &(_, bound) in self.fixed.iter().filter(|(of, _)| *of == bits) {
            for (is_signed, is_upper) in [(true, false), (true, true), (false, false), (false, true)] {
                self.guesses.push(Guess::Fixed { of, is_signed, is_upper, bound });
            }
        }
        if let Some(first) = first {
            self.guesses.push(Guess::Values { of, values: vec![first] });
            for count in 1..=MOST_LOW_BITS.min(bits.saturating_sub(1)) {
                self.guesses.push(Guess::LowBits { of, count, value: first & ((1 << count) - 1) });
            }
        }
    }

    fn guess_float(&mut self, of: usize, format: Format, first: Option<Float>) {
        self.guesses.push(Guess::Number(of));
        self.guesses.extend(first.clone().map(|first| Guess::FloatValues { of, values: vec![first] }));
        let first = first.filter(|first| !first.is_nan());
        let bound = first.unwrap_or_else(|| Float::zero(format, false));
        let is_integral = double(&bound).is_some_and(|bound| bound.fract() == 0.0);
        self.guesses.extend([false, true].map(|is_upper| Guess::FloatBound { of, is_upper, bound: bound.clone() }));
        self.guesses.extend(is_integral.then_some(Guess::Integral(of)));
    }

    fn guess_pair(&mut self, values: &mut Values<'_>, variables: &Variables, i: usize, j: usize) {
        let (a, b) = (&variables.all[i].first, &variables.all[j].first);
        match (a, b, width(a), width(b)) {
            (.., Some(bits), Some(other)) if bits == other && bits > 1 => {
                for (low, high) in [(i, j), (j, i)] {
                    for op in [Op::BvUle, Op::BvSle] {
                        self.guesses.push(Guess::Order { low, high, op });
                    }
                }
                for times in [1, u128::MAX] {
                    self.guess_combined(values, variables, &[(i, 1), (j, times)]);
                }
            }
            (Datum::Float(x), Datum::Float(y), ..) => {
                let format = values.format_of(x);
                if format == values.format_of(y) {
                    for (low, high, is_equal) in [(i, j, false), (j, i, false), (i, j, true)] {
                        self.guesses.push(Guess::FloatOrder { low, high, is_equal });
                    }
                }
            }
            (Datum::Float(_), Datum::Int(int), ..) if int.bits() > 1 => self.guess_converted(variables, i, j, 1),
            (Datum::Int(int), Datum::Float(_), ..) if int.bits() > 1 => self.guess_converted(variables, j, i, 1),
            _ => {}
        }
    }

    /// That so many times some integers each keep a sum.
    fn guess_combined(&mut self, values: &mut Values<'_>, variables: &Variables, of: &[(usize, u128)]) {
        let firsts: Vec<(TermId, u128)> =
            of.iter().map(|(of, times)| (term_of(values, &variables.all[*of].first), *times)).collect();
        let guess = combined(values.store, &firsts).map(|sum| Guess::Combined { of: SmallVec::from_slice(of), sum });
        self.guesses.extend(guess.filter(|guess| !self.guesses.contains(guess)));
    }

    /// Guesses from how much variables, by their numbers, have changed in a round: that one has changed so many times as much as another one, or that the
    /// changes of three make up for each other.
    pub(crate) fn guess_steps(
        &mut self,
        values: &mut Values<'_>,
        variables: &Variables,
        mut step: impl FnMut(&Values<'_>, usize) -> Option<i128>,
    ) {
        /// So many times at most.
        const MOST_TIMES: u128 = 1 << 16;
        let near = variables.all.len().min(MOST_COMPARED);
        let steps: Vec<Option<i128>> = (0..near).map(|of| step(values, of).filter(|step| *step != 0)).collect();
        for i in 0..near {
            for j in 0..near {
                let (Some(x), Some(y)) = (steps[i], steps[j]) else { continue };
                let is_known = x.checked_rem(y) != Some(0) || x.unsigned_abs() / y.unsigned_abs() <= 1;
                if i == j || is_known || x.unsigned_abs() / y.unsigned_abs() > MOST_TIMES {
                    continue;
                }
                let widths = [i, j].map(|of| width(&variables.all[of].first));
                match widths {
                    [Some(x), Some(y)] if x != y => {}
                    [Some(_), Some(_)] => {
                        self.guess_combined(values, variables, &[(i, 1), (j, (-(x / y)) as u128)]);
                    }
                    [None, Some(_)] => self.guess_converted(variables, i, j, (x / y) as u128),
                    _ => {}
                }
            }
        }
        let is_int = |of: &usize| width(&variables.all[*of].first).is_some();
        let near: Vec<usize> = (0..near.min(MOST_SUMMED)).filter(is_int).collect();
        for (place, &i) in near.iter().enumerate() {
            for (j, k) in pairs(&near[place + 1..]) {
                for signs in [[1, 1], [1, -1], [-1, 1], [-1, -1]] {
                    let [x, y, z] = [i, j, k].map(|of| steps[of].unwrap_or_default());
                    let changed = [x, y, z].into_iter().filter(|step| *step != 0).count();
                    let sum = y.checked_mul(signs[0]).zip(z.checked_mul(signs[1]));
                    if changed >= 2 && sum.and_then(|(y, z)| x.checked_add(y)?.checked_add(z)) == Some(0) {
                        let parts = [(i, 1), (j, signs[0] as u128), (k, signs[1] as u128)];
                        self.guess_combined(values, variables, &parts);
                    }
                }
            }
        }
    }

    fn guess_converted(&mut self, variables: &Variables, float: usize, int: usize, times: u128) {
        let [first, other] = [float, int].map(|of| &variables.all[of].first);
        let offset = match (first, other) {
            (Datum::Float(first), Datum::Int(other)) => {
                let first = first.known().and_then(|first| double(&first)).filter(|first| first.fract() == 0.0);
                let other = other.concrete().map(|value| signed(other.bits(), value));
                first
                    .zip(other)
                    .map(|(first, other)| (first as i128 as u128).wrapping_sub((other as u128).wrapping_mul(times)))
            }
            _ => None,
        };
        let offset = offset.unwrap_or_default();
        for is_signed in [true, false] {
            self.guesses.push(Guess::Converted { float, int, is_signed, times, offset, order: Order::Same });
        }
    }

    /// Guesses that what a path's condition says of the values with which its round ends holds whenever one does, where they are the variables' after it;
    /// whether there are new ones.
    pub(crate) fn guess_checked(
        &mut self,
        values: &mut Values<'_>,
        variables: &Variables,
        conjuncts: &[TermId],
    ) -> bool {
        if self.checked.len() >= MOST_CHECKED {
            return false;
        }
        let mut meanings = Meanings::default();
        let mut all = Vec::with_capacity(variables.all.len());
        for variable in &variables.all {
            let any = [term_of(values, &variable.any), bits_term(values, &variable.any)];
            let next = variable.next.as_ref().unwrap_or(&variable.any);
            let next = [term_of(values, next), bits_term(values, next)];
            meanings.extend(next.into_iter().zip(any).filter(|(next, _)| values.store.has_variables(*next)));
            all.push(variable.any.clone());
        }
        let known = self.terms(values, &all, Moment::Round);
        let all: Vec<(usize, DatumOf)> = all.into_iter().enumerate().collect();
        let before = self.guesses.len();
        for condition in checked::conditions(values.store, conjuncts, &meanings, &self.known) {
            let is_new = !known.contains(&condition) && !checked::is_bound_of_integer(values.store, condition);
            if is_new && self.checked.len() < MOST_CHECKED && self.checked.insert(condition) {
                self.guesses.push(Guess::Checked { condition, of: all.clone() });
            }
        }
        self.guesses.len() > before
    }

    /// Guesses what is asked of the variables themselves; whether there are new ones.
    pub(crate) fn guess_asked(&mut self, values: &mut Values<'_>, variables: &Variables, asked: &[TermId]) -> bool {
        self.take_ends(values, variables, asked);
        let mut unchanged = variables.clone();
        unchanged.all.iter_mut().for_each(|variable| variable.next = None);
        self.guess_checked(values, &unchanged, asked)
    }

    /// Has bounds be guessed of variables under each value of one that has few; whether they were not.
    pub(crate) fn allow_cases(&mut self) -> bool {
        let is_new = self.cases.is_none();
        self.cases.get_or_insert_default();
        is_new
    }

    /// Guesses such bounds, if they may be guessed; whether there are new ones.
    pub(crate) fn guess_cases(&mut self, variables: &Variables) -> bool {
        let Some(cases) = &mut self.cases else { return false };
        let mut listed: Vec<(usize, Vec<Held>)> = Vec::new();
        for guess in &self.guesses {
            match guess {
                Guess::Values { of, values } => listed.push((*of, values.iter().map(|of| Held::Int(*of)).collect())),
                Guess::FloatValues { of, values } => {
                    listed.push((*of, values.iter().cloned().map(Held::Float).collect()));
                }
                _ => {}
            }
        }
        let new = cases.of(&listed, variables);
        self.guesses.retain(|guess| !matches!(guess, Guess::Case(case) if !case.is_of(&listed)));
        let is_new = !new.is_empty();
        self.guesses.extend(new.into_iter().map(Guess::Case));
        is_new
    }

    /// Guesses what sequences variables go through by what a round has done, and has those that were guessed go on so; whether they are others.
    pub(crate) fn guess_recurrences(&mut self, values: &Values<'_>, variables: &Variables, steps: &Steps) -> bool {
        let mut has_changed = false;
        self.guesses.retain_mut(|guess| match guess {
            Guess::Recurrence(of) => {
                let extended = of.extend(steps);
                has_changed |= extended != Some(false);
                extended.is_some()
            }
            _ => true,
        });
        let new = Recurrence::all(values, variables, steps, &mut self.recurrences);
        has_changed |= !new.is_empty();
        self.guesses.extend(new.into_iter().map(|of| Guess::Recurrence(Box::new(of))));
        has_changed
    }

    /// Whether one of them, by its place, is about a sequence.
    pub(crate) fn is_recurrence(&self, place: usize) -> bool {
        matches!(self.guesses.get(place), Some(Guess::Recurrence(_)))
    }

    /// Whether one of them, by its place, is checked by the program.
    pub(crate) fn is_checked(&self, place: usize) -> bool {
        matches!(self.guesses.get(place), Some(Guess::Checked { .. }))
    }

    /// All of them as terms at a moment, in their order, where the variables are these.
    pub(crate) fn terms(&self, values: &mut Values<'_>, variables: &[DatumOf], moment: Moment) -> Vec<TermId> {
        let term = |guess: &Guess| match guess {
            // What holds in all cases is said once.
            Guess::Case(case) if self.guesses.iter().any(|general| general.implies(case)) => {
                values.store.bool_const(true)
            }
            guess => guess.term(values, variables, moment),
        };
        self.guesses.iter().map(term).collect()
    }

    /// Weakens those of which it is said that they do not hold, so that they do where a variable has a value; what cannot be is dropped.
    pub(crate) fn weaken(&mut self, fails: &[bool], mut value: impl FnMut(usize) -> Option<Value>) {
        let (constants, many_valued) = (&self.constants, &mut self.many_valued);
        let mut fails = fails.iter();
        self.guesses.retain_mut(|guess| match (fails.next(), &mut *guess) {
            (Some(true), Guess::Converted { float, int, is_signed, times, offset, order }) => {
                let both = value(*float).zip(value(*int));
                let is_more = both.and_then(|(float, int)| is_more(&float, &int, *is_signed, (*times, *offset)));
                let new = is_more.map(|is_more| if is_more { Order::AtLeast } else { Order::AtMost });
                let is_left = *order == Order::Same && new.is_some();
                *order = new.unwrap_or(*order);
                is_left
            }
            (Some(true), Guess::Together { of, rows }) => {
                let row: Option<Vec<Value>> = of.iter().map(|of| value(*of)).collect();
                row.is_some_and(|row| {
                    rows.push(row);
                    leave_out_many_valued(of, rows, many_valued);
                    of.len() > 1
                })
            }
            (Some(true), guess) => {
                value_of(guess).and_then(&mut value).is_some_and(|value| guess.weaken(constants, &value))
            }
            _ => true,
        });
    }
}

/// All pairs of some numbers, in their order.
fn pairs(all: &[usize]) -> impl Iterator<Item = (usize, usize)> + '_ {
    all.iter().enumerate().flat_map(|(place, &first)| all[place + 1..].iter().map(move |&second| (first, second)))
}

/// The width of an integer, or of an offset; `None` of a float.
fn width(datum: &DatumOf) -> Option<u32> {
    match datum {
        Datum::Int(int) => Some(int.bits()),
        Datum::Pointer(_) => Some(64),
        Datum::Float(_) => None,
    }
}
