//! Which of a build's operations is the first by which another build's results come to differ.
//!
//! **Definition.** Both builds were interpreted on one input, and every float knows what computed it. An operation of the baseline's is *kept* if the variant
//! computes the same from the same inputs, whatever stands where: operator, operands and theirs in turn. Operations at the same place of the source are each other's
//! counterparts, occurrence by occurrence; of what is not kept, an operation whose counterpart has the same result is the *same*, one whose counterpart has another
//! is *other*, one that has none is *missing*. Comparisons have the order of their operands for a result. Going back from the output that is told, and from comparisons and conversions that are
//! other, each operation that is neither kept nor the same leads on to those that computed its operands. What is come to
//! is the *flow* of the difference. Comparisons and conversions of what is kept are none of these: where loops go through their rounds in another order, they have counterparts of other rounds. Dead code is not in it, nor is what leads to other outputs or to kept operations alone.
//!
//! The first place of the flow whose operations are other, and by which the output comes to differ, is the answer: where they have the variant's results in the baseline ([`Effect`]), the output is nearer to the variant's than to its own; where no place does so
//! much, the first that does anything. What is missing has in this the operand for a result that the variant has in its place. An error that is absorbed further on is none that anybody sees. Where nothing has an effect of its own, the first operation of the flow that is other is the answer, unless its operands are others, too, because of a missing one before it, which then is: optimisers
//! move, merge and delete operations, so that a missing one counts where a result differs because of it, or no result of the flow differs. It does not count where the other operation itself
//! overflows, divides by zero or is invalid, and the baseline's does not. One that is its operand
//! whatever that is, as x · 1 is, has nothing to do with any difference. Comparisons that are missing count where outputs come from other places of the source: compilers make selections of branches, and minima of these.
//!
//! Of exceptions that one build alone raises the first operation that raises them is gone back from.
//!
//! Products and quotients of the same numbers are the same whatever their signs, which optimisers move. Where the flow has nothing to tell, what is the same leads on, too: partial sums in
//! another order may have equal values now and then.
//!
//! **What it may miss.** Floats that come from integers lead nowhere. Where the flow tells nothing, or operations were left out, the first operation that differs anywhere is told, or else the first that is missing.

use std::collections::VecDeque;

use labrys_float::Flags;
use labrys_interp::{Origin, TracedOperand, TracedOperation};
use rustc_hash::{FxHashMap, FxHashSet};

use super::counterparts::{Numbers, is_same, result_for};

/// Of so many places it is asked what they do to the output.
const TRIED_PLACES: usize = 12;
/// So many operations may be executed again for that.
const TRIED_OPERATIONS: usize = 40_000;

/// A place in the source, of operations of one kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Key<'p> {
    /// The file.
    pub file: &'p str,
    /// The line.
    pub line: u32,
    /// The column.
    pub column: u32,
    /// Which of the operations there it is.
    pub kind: Kind,
}

/// Operations that may be each other's counterparts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Kind {
    /// A comparison.
    Comparison,
    /// The product of a product and a sum that are one instruction, where there is none for both.
    Product,
    /// Any other product, or a quotient.
    Multiplication,
    /// A sum or a difference, of a product too.
    Addition,
    /// Any other.
    Other,
}

impl Kind {
    /// That of an operator.
    pub fn of(operator: &str) -> Kind {
        match operator {
            "fcmp" => Kind::Comparison,
            "fmul" | "fdiv" => Kind::Multiplication,
            "fadd" | "fsub" | "fma" => Kind::Addition,
            _ => Kind::Other,
        }
    }
}

/// An operation that a build computed.
#[derive(Clone, Copy, Debug)]
pub struct Computed<'p> {
    /// Where it stands; `None` where that is not known, or does not count.
    pub key: Option<Key<'p>>,
    /// What it computed.
    pub operation: &'p TracedOperation,
}

/// What is gone back from.
#[derive(Clone, Debug)]
pub enum Sought {
    /// An output that differs: where it is from in the baseline, and in the variant; an integer is from nowhere.
    Result([Origin; 2]),
    /// Exceptions that the baseline alone raises, and those that the variant alone does.
    Exceptions {
        /// The baseline's.
        of_ours: Flags,
        /// The variant's.
        of_theirs: Flags,
    },
}

/// What is said of the operation that is found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum First {
    /// It has another result.
    Differs,
    /// It raises what the other build does not.
    Raises,
}

/// What the output that is told does where some of the baseline's operations have the variant's results.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Effect {
    /// It stays as it is.
    None,
    /// It changes.
    Some,
    /// It comes as near to the variant's as to the baseline's, or nearer.
    Most,
}

/// Asks for the effect that the results have which some of the baseline's operations, by their indices, are given; `None` where that is not known.
pub type Ask<'a> = &'a dyn Fn(FxHashMap<usize, u128>) -> Option<Effect>;

/// What has become of an operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Fate {
    Kept,
    /// Its counterpart, by its index, has the same result.
    Same(usize),
    /// Its counterpart, by its index, has another result.
    Other(usize),
    Missing,
}

impl Fate {
    fn leads_on(self) -> bool {
        matches!(self, Fate::Other(_) | Fate::Missing)
    }
}

/// Which operations with the same result lead on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Through {
    Nothing,
    /// Products and quotients of another sign, which may have moved or make the difference.
    Signs,
    All,
}

/// The operations of two builds.
pub struct Flow<'r, 'p> {
    ours: &'r [Computed<'p>],
    theirs: &'r [Computed<'p>],
    fates: Vec<Fate>,
    is_whole: bool,
    effect: Ask<'r>,
}

impl<'r, 'p> Flow<'r, 'p> {
    /// What a baseline and a variant computed, each in its order: all of it, or the beginning.
    pub fn new(ours: &'r [Computed<'p>], theirs: &'r [Computed<'p>], is_whole: bool, effect: Ask<'r>) -> Flow<'r, 'p> {
        let mut of: FxHashMap<Key<'p>, VecDeque<usize>> = FxHashMap::default();
        for (index, computed) in theirs.iter().enumerate() {
            if let Some(key) = computed.key {
                of.entry(key).or_default().push_back(index);
            }
        }
        let mut numbers = Numbers::default();
        let anywhere: FxHashSet<usize> = numbers.of(theirs).into_iter().collect();
        let fate = |(computed, number): (&Computed<'p>, usize)| {
            let counterpart = computed.key.and_then(|key| of.get_mut(&key)?.pop_front());
            match counterpart {
                _ if anywhere.contains(&number) => Fate::Kept,
                Some(index) if is_same(computed.operation, theirs[index].operation) => Fate::Same(index),
                Some(index) => Fate::Other(index),
                None => Fate::Missing,
            }
        };
        let fates = ours.iter().zip(numbers.of(ours)).map(fate).collect();
        Flow { ours, theirs, fates, is_whole, effect }
    }

    /// The operation that is sought, one of the baseline's or of the variant's; `None` where nothing tells.
    pub fn first(&self, sought: Sought) -> Option<(First, &'r Computed<'p>)> {
        let output = match sought {
            Sought::Result(output) => output,
            Sought::Exceptions { of_ours, of_theirs } => return self.raising(of_ours, of_theirs),
        };
        let roots = self.roots(self.may_be_of_control(output));
        let flow = |through: Through| match self.is_whole {
            true => self.flow_through(&output[..1], &roots, self.ours.len(), through),
            false => Vec::new(),
        };
        // Partial sums in another order may have the same values now and then.
        let [flow, signs, through] = [Through::Nothing, Through::Signs, Through::All].map(flow);
        let counts = |of: &TracedOperation| !of.is_identity;
        let all: Vec<usize> = (0..self.ours.len()).filter(|index| self.fates[*index].leads_on()).collect();
        let found = self.by_effect(&signs).or_else(|| self.by_effect(&through));
        let found = found.or_else(|| self.chosen_of(&flow, counts)).or_else(|| self.chosen_of(&through, counts));
        let found = found.or_else(|| self.chosen(&through)).or_else(|| self.chosen(&all)).or_else(|| {
            let has_place = |index: &usize| self.ours[*index].key.is_some();
            all.iter().copied().find(has_place)
        });
        found.map(|index| (First::Differs, &self.ours[index]))
    }

    /// Whether an output may come from another place because control does: where both builds' come from one place, none that is missing has anything to do with it.
    fn may_be_of_control(&self, [ours, theirs]: [Origin; 2]) -> bool {
        let place = |of: Option<&Computed<'p>>| of.and_then(|of| of.key).map(|key| (key.file, key.line, key.column));
        match (ours, theirs) {
            (Origin::Operation(ours), Origin::Operation(theirs)) => {
                let places = (place(self.ours.get(ours)), place(self.theirs.get(theirs)));
                places.0.is_none() || places.0 != places.1
            }
            _ => true,
        }
    }

    /// Comparisons and conversions that are other, or missing where that counts: control and integers hang on them.
    fn roots(&self, missing_count: bool) -> Vec<usize> {
        // Of what only kept operations lead to, the order of operands differs because the counterpart is of another round.
        let mut is_led_to = vec![false; self.ours.len()];
        for (index, Computed { operation, .. }) in self.ours.iter().enumerate() {
            is_led_to[index] = operation.operands.iter().any(|operand| match operand.origin {
                Origin::Operation(before) => is_led_to[before] || self.fates[before].leads_on(),
                _ => false,
            });
        }
        let counts = |index: &usize| {
            let Computed { key, operation } = self.ours[*index];
            let is_gone = match self.fates[*index] {
                Fate::Other(_) => is_led_to[*index],
                Fate::Missing => missing_count,
                Fate::Kept | Fate::Same(_) => false,
            };
            is_gone && key.is_some() && matches!(operation.operator, "fcmp" | "fconvert")
        };
        (0..self.ours.len()).filter(counts).collect()
    }

    /// The operations before `end` that lead to where floats are from and to other operations, in their order: what computed the floats, if it is not kept, and
    /// of all else what leads on.
    fn flow(&self, origins: &[Origin], roots: &[usize], end: usize) -> Vec<usize> {
        self.flow_through(origins, roots, end, Through::Nothing)
    }

    /// The same; if so asked, what has the same result leads on, too.
    fn flow_through(&self, origins: &[Origin], roots: &[usize], end: usize, through: Through) -> Vec<usize> {
        let mut is_wanted = vec![false; end];
        let want = |origin: Origin, is_wanted: &mut [bool]| {
            if let Origin::Operation(index) = origin
                && let Some(wanted) = is_wanted.get_mut(index)
            {
                *wanted = true;
            }
        };
        origins.iter().for_each(|origin| want(*origin, &mut is_wanted));
        let own = is_wanted.clone();
        roots.iter().for_each(|index| want(Origin::Operation(*index), &mut is_wanted));
        let mut flow = Vec::new();
        for index in (0..end).rev() {
            let goes_back = match self.fates[index] {
                Fate::Same(_) if own[index] || through == Through::All => true,
                Fate::Same(counterpart) if through == Through::Signs => {
                    self.theirs[counterpart].operation.bits != self.ours[index].operation.bits
                }
                fate => fate.leads_on(),
            };
            if is_wanted[index] && goes_back {
                let operation = self.ours[index].operation;
                let matters = |of: &&TracedOperand| {
                    !operation.is_identity || of.bits == operation.bits || !self.is_missing(of.origin)
                };
                operation.operands.iter().filter(matters).for_each(|of| want(of.origin, &mut is_wanted));
                flow.push(index);
            }
        }
        flow.reverse();
        flow
    }

    /// Whether what computed a float is missing.
    fn is_missing(&self, origin: Origin) -> bool {
        matches!(origin, Origin::Operation(index) if self.fates[index] == Fate::Missing)
    }

    /// The first of some operations that is other, or the one before it that makes its operands others; else the first that is missing.
    fn chosen(&self, flow: &[usize]) -> Option<usize> {
        // What is added may be zero on this input alone.
        let is_folded = |of: &TracedOperation| of.is_identity && matches!(of.operator, "fmul" | "fdiv");
        self.chosen_of(flow, |of| !of.is_identity).or_else(|| self.chosen_of(flow, |of| !is_folded(of)))
    }

    /// The same among some.
    fn chosen_of(&self, flow: &[usize], may_be: impl Fn(&TracedOperation) -> bool) -> Option<usize> {
        let counts = |index: &usize| {
            let Computed { key, operation } = self.ours[*index];
            // Of a product and a sum that become one operation, the sum does something else, whatever is added.
            let is_other_operation = match self.fates[*index] {
                Fate::Other(counterpart) => self.theirs[counterpart].operation.operator != operation.operator,
                _ => false,
            };
            key.is_some() && self.fates[*index].leads_on() && (is_other_operation || may_be(operation))
        };
        let mut counting = flow.iter().copied().filter(counts);
        let other = counting.clone().find_map(|index| match self.fates[index] {
            Fate::Other(counterpart) => Some((index, counterpart)),
            _ => None,
        });
        let Some((index, counterpart)) = other else { return counting.next() };
        Some(self.missing_before((index, counterpart), counts))
    }

    /// The missing operation that makes one other than its counterpart by its operands; itself, if there is none that counts.
    fn missing_before(&self, (index, counterpart): (usize, usize), counts: impl Fn(&usize) -> bool) -> usize {
        let (own, of_theirs) = (self.ours[index].operation, self.theirs[counterpart].operation);
        if own.operator != of_theirs.operator {
            return index;
        }
        // What overflows there and not here is told where it does, whatever made its operands others.
        if (of_theirs.flags - own.flags).intersects(Flags::SEVERE) {
            return index;
        }
        let is_other = |of: &&TracedOperand| of_theirs.operands.iter().all(|theirs| theirs.bits != of.bits);
        let others: Vec<Origin> = own.operands.iter().filter(is_other).map(|of| of.origin).collect();
        let before = if self.is_whole { self.flow(&others, &[], index) } else { Vec::new() };
        let is_missing = |of: &usize| self.fates[*of] == Fate::Missing;
        before.into_iter().filter(counts).find(is_missing).unwrap_or(index)
    }

    /// Of operations that lead to the output that is told, the first at a place by which it comes to differ; see the top. `None` where nothing tells.
    fn by_effect(&self, flow: &[usize]) -> Option<usize> {
        let mut tried: Vec<(usize, FxHashMap<usize, u128>)> = Vec::new();
        let mut places: FxHashMap<Key<'p>, usize> = FxHashMap::default();
        for &index in flow {
            match (self.fates[index], self.ours[index].key) {
                (Fate::Other(counterpart), Some(key)) => {
                    let result = result_for(self.ours[index].operation, self.theirs[counterpart].operation);
                    let place = *places.entry(key).or_insert_with(|| {
                        tried.push((index, FxHashMap::default()));
                        tried.len() - 1
                    });
                    tried[place].1.insert(index, result);
                }
                (Fate::Missing, _) => {
                    if let (Some(result), Some(first)) = (self.instead_of(index), self.first_missing(index)) {
                        tried.push((first, FxHashMap::from_iter([(index, result)])));
                    }
                }
                _ => {}
            }
        }
        let most = TRIED_OPERATIONS.checked_div(self.ours.len()).unwrap_or(0).min(TRIED_PLACES);
        let mut some = None;
        for (index, results) in tried.iter().take(if tried.len() > 1 { most } else { 0 }) {
            match (self.effect)(results.clone()) {
                Some(Effect::Most) => return Some(self.told_for(*index)),
                Some(Effect::Some) => some = some.or(Some(self.told_for(*index))),
                Some(Effect::None) | None => {}
            }
        }
        some
    }

    /// The operation that is told for one that has an effect: what is missing before it, where nothing says what that alone does.
    fn told_for(&self, index: usize) -> usize {
        let Fate::Other(counterpart) = self.fates[index] else { return index };
        let counts = |of: &usize| {
            self.ours[*of].key.is_some() && !self.ours[*of].operation.is_identity && self.instead_of(*of).is_none()
        };
        self.missing_before((index, counterpart), counts)
    }

    /// What the variant has in the place of an operation's result that is missing: an operand of the counterpart of what uses it, if that is another number.
    fn instead_of(&self, missing: usize) -> Option<u128> {
        let own = self.ours[missing].operation;
        let uses = self.ours.iter().enumerate().skip(missing + 1).find_map(|(index, Computed { operation, .. })| {
            let place = operation.operands.iter().position(|of| of.origin == Origin::Operation(missing))?;
            match self.fates[index] {
                // Another operation has other operands.
                Fate::Other(counterpart) | Fate::Same(counterpart)
                    if self.theirs[counterpart].operation.operator == operation.operator =>
                {
                    Some((operation, place, counterpart))
                }
                _ => None,
            }
        });
        let (user, place, counterpart) = uses?;
        let theirs = &self.theirs[counterpart].operation.operands;
        let bits = match (&user.operands[..], &theirs[..]) {
            // Operands of sums and products may have changed places.
            ([a, b], [c, d]) if user.operator != "fdiv" => {
                let other = if place == 0 { b } else { a };
                let is_swapped = [c, d][place].bits == other.bits;
                [c, d][if is_swapped { 1 - place } else { place }].bits
            }
            _ => theirs.get(place)?.bits,
        };
        (bits != own.bits).then_some(bits)
    }

    /// The first missing operation with a place by which one that is missing comes about; itself, if there is none before it.
    fn first_missing(&self, missing: usize) -> Option<usize> {
        let flow = self.flow(&[Origin::Operation(missing)], &[], missing + 1);
        let is_told = |of: &usize| self.fates[*of] == Fate::Missing && self.ours[*of].key.is_some();
        flow.into_iter().find(is_told)
    }

    /// The first operation that raises what one build alone does, or what makes it another.
    fn raising(&self, of_ours: Flags, of_theirs: Flags) -> Option<(First, &'r Computed<'p>)> {
        let raises = |of: &Computed<'_>, flags: Flags| of.operation.flags.intersects(flags);
        if let Some(index) = self.ours.iter().position(|of| raises(of, of_ours)) {
            return Some(match self.fates[index] {
                Fate::Other(_) => (First::Differs, &self.ours[self.made_other(index)?]),
                Fate::Missing if self.ours[index].key.is_some() => {
                    let flow = self.behind(index);
                    let is_other = |of: &usize| matches!(self.fates[*of], Fate::Other(_));
                    match flow.iter().any(is_other).then(|| self.chosen(&flow)).flatten() {
                        Some(other) => (First::Differs, &self.ours[other]),
                        None => (First::Raises, &self.ours[index]),
                    }
                }
                _ => (First::Raises, self.ours.get(index).filter(|of| of.key.is_some())?),
            });
        }
        let index = self.theirs.iter().position(|of| raises(of, of_theirs))?;
        let ours = self.fates.iter().position(|fate| *fate == Fate::Other(index))?;
        Some((First::Differs, &self.ours[self.made_other(ours)?]))
    }

    /// The flow of an operation's operands.
    fn behind(&self, index: usize) -> Vec<usize> {
        let origins: Vec<Origin> = self.ours[index].operation.operands.iter().map(|of| of.origin).collect();
        self.flow(&origins, &[], index)
    }

    /// The operation by which one comes to have another result than its counterpart.
    fn made_other(&self, index: usize) -> Option<usize> {
        let mut flow = self.behind(index);
        flow.push(index);
        self.chosen(&flow)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// An operation at a line.
    #[derive(Clone, Debug)]
    struct At(u32, TracedOperation);

    /// An operand that is an input, known by its value.
    fn input(bits: u128) -> TracedOperand {
        TracedOperand { bits, origin: Origin::Input(bits as usize) }
    }

    fn literal(bits: u128) -> TracedOperand {
        TracedOperand { bits, origin: Origin::Value }
    }

    fn of(index: usize, bits: u128) -> TracedOperand {
        TracedOperand { bits, origin: Origin::Operation(index) }
    }

    fn at(line: u32, operator: &'static str, bits: u128, operands: &[TracedOperand]) -> At {
        let operands = operands.iter().copied().collect();
        let flags = Flags::empty();
        let (location, part, width, is_identity) = (None, 0, if operator == "fcmp" { 0 } else { 8 }, false);
        At(line, TracedOperation { location, part, operator, bits, width, operands, is_identity, flags })
    }

    fn computed(all: &[At]) -> Vec<Computed<'_>> {
        let kind = |of: &TracedOperation| Kind::of(of.operator);
        let key = |line, of| Key { file: "f.c", line, column: 3, kind: kind(of) };
        all.iter().map(|At(line, operation)| Computed { key: Some(key(*line, operation)), operation }).collect()
    }

    fn line(ours: &[At], theirs: &[At], sought: Sought) -> Option<(First, u32)> {
        let (ours, theirs) = (computed(ours), computed(theirs));
        let flow = Flow::new(&ours, &theirs, true, &|_| None);
        flow.first(sought).map(|(first, of)| (first, of.key.expect("a place").line))
    }

    /// The line that outputs differ by that two operations compute.
    fn differs(ours: &[At], theirs: &[At], outputs: [usize; 2]) -> Option<u32> {
        line(ours, theirs, Sought::Result(outputs.map(Origin::Operation))).map(|(_, line)| line)
    }

    #[test]
    fn the_first_result_that_differs_is_the_cause_whatever_the_order() {
        let ours = [
            at(1, "fadd", 10, &[input(1), input(2)]),
            at(2, "fadd", 20, &[input(2), input(3)]),
            at(2, "fadd", 21, &[of(1, 20), input(1)]),
            at(3, "fadd", 30, &[of(2, 21), input(4)]),
        ];
        assert_eq!(differs(&ours, &ours, [3, 3]), None);
        let reordered = [
            at(2, "fadd", 20, &[input(2), input(3)]),
            at(1, "fadd", 10, &[input(1), input(2)]),
            at(2, "fadd", 22, &[of(0, 20), input(9)]),
            at(3, "fadd", 31, &[of(2, 22), input(4)]),
        ];
        assert_eq!(differs(&ours, &reordered, [3, 3]), Some(2));
    }

    /// Most numbers of a simple witness are 0 and 1: the line of another output was told.
    #[test]
    fn equal_numbers_of_other_outputs_are_no_cause() {
        let ours = [
            at(1, "fmul", 1, &[input(1), input(2)]),
            at(1, "fadd", 0, &[of(0, 1), input(3)]),
            at(2, "fmul", 1, &[input(4), input(5)]),
            at(2, "fadd", 0, &[of(2, 1), input(6)]),
        ];
        let theirs =
            [at(1, "fma", 7, &[input(1), input(2), input(3)]), at(2, "fma", 7, &[input(4), input(5), input(6)])];
        assert_eq!(differs(&ours, &theirs, [1, 0]), Some(1));
        assert_eq!(differs(&ours, &theirs, [3, 1]), Some(2));
    }

    #[test]
    fn comparisons_lead_on_where_their_operands_lie_otherwise() {
        let values = |line, bits| at(line, "fadd", bits, &[input(1), input(2)]);
        let ours = [values(1, 5), at(2, "fcmp", 2, &[of(0, 5), literal(3)]), at(3, "fadd", 9, &[input(7), input(8)])];
        let output = |theirs: &[At], of_theirs| {
            line(&ours, theirs, Sought::Result([Origin::Operation(2), of_theirs])).map(|(_, line)| line)
        };
        // Mirrored it is the same, whatever is compared; of another order, what made it so is told.
        let other = at(9, "fma", 6, &[input(1), input(2), input(3)]);
        let mirrored = [other.clone(), at(2, "fcmp", 0, &[literal(3), of(0, 6)])];
        assert_eq!(output(&mirrored, Origin::Input(7)), Some(3));
        let otherwise = [other, at(2, "fcmp", 0, &[of(0, 6), literal(3)])];
        assert_eq!(output(&otherwise, Origin::Input(7)), Some(1));
        // What is compared is the same: it is another round's.
        let permuted = [values(1, 5), at(2, "fcmp", 0, &[of(0, 5), literal(3)])];
        assert_eq!(output(&permuted, Origin::Input(7)), Some(3));
        // A missing one is, where the output comes from another place.
        let gone = [values(1, 5), at(4, "fadd", 11, &[input(7), input(9)])];
        assert_eq!(output(&gone, Origin::Operation(1)), Some(2));
        let here = [values(1, 5), at(3, "fadd", 11, &[input(7), input(9)])];
        assert_eq!(output(&here, Origin::Operation(1)), Some(3));
    }

    /// `c * x - s * y` became (-s) * y beside a fused sum, and the product was told. Of a compensated sum the error, which was zero, was.
    #[test]
    fn moved_signs_and_zeros_that_are_added_are_no_causes() {
        let ours = [at(1, "fmul", 6, &[input(2), input(3)]), at(2, "fadd", 10, &[of(0, 6), input(4)])];
        let theirs = [at(1, "fmul", 0x86, &[input(0x82), input(3)]), at(2, "fadd", 11, &[of(0, 0x86), input(5)])];
        assert_eq!(differs(&ours, &theirs, [1, 1]), Some(2));
        let mut ours = [
            at(1, "fsub", 0, &[input(2), input(2)]),
            at(2, "fsub", 9, &[input(9), of(0, 0)]),
            at(3, "fadd", 12, &[of(1, 9), input(3)]),
        ];
        ours[1].1.is_identity = true;
        assert_eq!(differs(&ours, &[at(3, "fadd", 13, &[input(9), input(4)])], [2, 0]), Some(3));
    }

    /// `double u = a * a;` that nothing uses was dropped, and told.
    #[test]
    fn dead_code_is_no_cause() {
        let ours = [
            at(1, "fmul", 5, &[input(1), input(1)]),
            at(2, "fadd", 6, &[input(1), input(2)]),
            at(3, "fsub", 7, &[of(1, 6), input(1)]),
        ];
        let nothing = |theirs: &[At]| {
            line(&ours, theirs, Sought::Result([Origin::Operation(2), Origin::Value])).map(|(_, line)| line)
        };
        assert_eq!(nothing(&[]), Some(2));
        assert_eq!(nothing(&ours[1..2]), Some(3));
    }

    /// `double t = a * 1.0;` was told for what is made of t.
    #[test]
    fn what_is_its_operand_in_any_case_is_no_cause() {
        let mut ours = [
            at(1, "fmul", 1, &[input(1), literal(9)]),
            at(2, "fadd", 6, &[of(0, 1), input(2)]),
            at(3, "fsub", 7, &[of(1, 6), input(1)]),
        ];
        ours[0].1.is_identity = true;
        let sought = |index| Sought::Result([Origin::Operation(index), Origin::Value]);
        assert_eq!(line(&ours, &[], sought(2)), Some((First::Differs, 2)));
        // Nothing else tells.
        assert_eq!(line(&ours[..1], &[], sought(0)), Some((First::Differs, 1)));
    }

    /// A dependency's sum became one with its product, at a line of the library's; what doubles it was told.
    #[test]
    fn what_only_gets_other_operands_is_no_cause() {
        let product = at(1, "fmul", 5, &[input(1), input(2)]);
        let ours =
            [product.clone(), at(2, "fadd", 6, &[of(0, 5), input(3)]), at(3, "fmul", 12, &[of(1, 6), literal(9)])];
        let fused = |line| at(line, "fma", 7, &[input(1), input(2), input(3)]);
        let doubled = |index| at(3, "fmul", 14, &[of(index, 7), literal(9)]);
        assert_eq!(differs(&ours, &[fused(7), doubled(0)], [2, 1]), Some(1));
        // One that was moved is none, either.
        let moved = [at(9, "fmul", 5, &[input(1), input(2)]), at(8, "fadd", 7, &[of(0, 5), input(3)]), doubled(1)];
        assert_eq!(differs(&ours, &moved, [2, 2]), Some(2));
        // Where it is said to stand where the sum stood, the sum does something else, though it be one with zero.
        assert_eq!(differs(&ours, &[fused(2), doubled(0)], [2, 1]), Some(2));
        let mut with_zero = ours.clone();
        with_zero[1].1.is_identity = true;
        assert_eq!(differs(&with_zero, &[fused(2), doubled(0)], [2, 1]), Some(2));
    }

    /// `a / 2 + b / 2` overflows where the divisions come after the sum: the first division was told, and not the sum.
    #[test]
    fn what_overflows_in_the_other_build_is_told_itself() {
        let ours = [
            at(1, "fdiv", 5, &[input(1), literal(9)]),
            at(2, "fdiv", 6, &[input(2), literal(9)]),
            at(3, "fadd", 11, &[of(0, 5), of(1, 6)]),
        ];
        let mut whole = at(3, "fadd", 22, &[input(1), input(2)]);
        assert_eq!(differs(&ours, &[whole.clone()], [2, 0]), Some(1));
        whole.1.flags = Flags::OVERFLOW;
        assert_eq!(differs(&ours, &[whole], [2, 0]), Some(3));
    }

    #[test]
    fn an_operation_that_does_most_of_the_difference_is_told() {
        let runs = |a, b, sum| {
            [
                at(1, "fmul", a, &[input(1), input(2)]),
                at(2, "fmul", b, &[input(3), input(4)]),
                at(3, "fadd", sum, &[of(0, a), of(1, b)]),
            ]
        };
        let (ours, theirs) = (runs(5, 6, 7), runs(8, 9, 10));
        let told = |effects: [Option<Effect>; 3]| {
            let (ours, theirs) = (computed(&ours), computed(&theirs));
            let effect = |results: FxHashMap<usize, u128>| {
                let (index, result) = results.into_iter().next().expect("an operation");
                assert_eq!(result, theirs[index].operation.bits);
                effects[index]
            };
            let flow = Flow::new(&ours, &theirs, true, &effect);
            let (_, first) = flow.first(Sought::Result([Origin::Operation(2); 2])).expect("an operation");
            first.key.expect("a place").line
        };
        let (none, some, most) = (Some(Effect::None), Some(Effect::Some), Some(Effect::Most));
        assert_eq!(told([most, most, most]), 1);
        assert_eq!(told([none, most, most]), 2);
        assert_eq!(told([some, most, most]), 2);
        assert_eq!(told([none, some, some]), 2);
        assert_eq!(told([none, none, most]), 3);
        // What says nothing has no say.
        assert_eq!(told([none, none, none]), 1);
        assert_eq!(told([None, None, None]), 1);
    }

    /// 1/(x + 0) + (y + 0), of which nothing but 1/x + y is left: what is missing has the operand that is used in its place.
    #[test]
    fn a_missing_operation_is_told_if_what_stands_in_its_place_makes_the_difference() {
        let ours = [
            at(4, "fadd", 9, &[input(2), literal(0)]),
            at(5, "fadd", 1, &[input(3), literal(0)]),
            at(6, "fdiv", 7, &[literal(100), of(1, 1)]),
            at(7, "fadd", 20, &[of(2, 7), of(0, 9)]),
        ];
        let theirs = [at(6, "fdiv", 8, &[literal(100), input(3)]), at(7, "fadd", 21, &[of(0, 8), input(2)])];
        let told = |missing: usize| {
            let (ours, theirs) = (computed(&ours), computed(&theirs));
            let effect = |results: FxHashMap<usize, u128>| {
                let (index, result) = results.into_iter().next().expect("an operation");
                assert!([(0, 2), (1, 3), (2, 8), (3, 21)].contains(&(index, result)), "{index} {result}");
                Some(if index >= missing { Effect::Most } else { Effect::None })
            };
            let flow = Flow::new(&ours, &theirs, true, &effect);
            let output = [Origin::Operation(3), Origin::Operation(1)];
            flow.first(Sought::Result(output)).expect("an operation").1.key.expect("a place").line
        };
        assert_eq!([0, 1, 2, 3].map(told), [4, 5, 6, 7]);
    }

    #[test]
    fn what_raises_in_one_build_alone_is_told_unless_something_else_made_it_other() {
        let mut ours = [
            at(1, "fmul", 5, &[input(1), input(1)]),
            at(2, "fmul", 6, &[input(2), input(1)]),
            at(3, "fadd", 7, &[input(1), input(2)]),
        ];
        ours[1].1.flags = Flags::UNDERFLOW;
        let of_ours = |flags: Flags| Sought::Exceptions { of_ours: flags, of_theirs: Flags::empty() };
        assert_eq!(line(&ours, &ours[2..], of_ours(Flags::UNDERFLOW)), Some((First::Raises, 2)));
        assert_eq!(line(&ours, &ours[2..], of_ours(Flags::OVERFLOW)), None);
        // Another operand makes it another.
        let mut ours = [at(1, "fadd", 2, &[input(4), input(5)]), at(2, "fmul", 6, &[of(0, 2), input(1)])];
        ours[1].1.flags = Flags::UNDERFLOW;
        let theirs = [at(1, "fadd", 3, &[input(4), input(6)]), at(2, "fmul", 9, &[of(0, 3), input(1)])];
        assert_eq!(line(&ours, &theirs, of_ours(Flags::UNDERFLOW)), Some((First::Differs, 1)));
    }
}
