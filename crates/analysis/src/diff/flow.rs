//! Which of a build's operations is the first by which another build's results come to differ.
//!
//! **Definition.** Both builds were interpreted on one input. Operations at the same place of the source are each other's counterparts, occurrence by
//! occurrence. An operation of the baseline's is *kept* if its counterpart has the same result, or the variant has the same operation on the same operands somewhere;
//! it is *other* if its counterpart has another result, *missing* if it has none. Going back from the outputs that differ, and from comparisons and
//! conversions that are other or missing, each operation that is not kept leads on to those whose results it computes with. What is come to
//! is the *flow* of the difference. Dead code is not in it, nor is what leads to kept operations alone.
//!
//! The first operation of the flow that is other is the answer, unless its operands are others, too, because of a missing one before it, which then is: optimisers
//! move, merge and delete operations, so that a missing one counts where a result differs because of it, or no result of the flow differs. It does not count where the other operation itself
//! overflows, divides by zero or is invalid, and the baseline's does not. One that is its operand
//! whatever that is, as x · 1 is, has nothing to do with any difference.
//!
//! Of exceptions that one build alone raises the first operation that raises them is gone back from.
//!
//! **What it may miss.** Results lead on by their values, not by registers, to the last operation before that has them: another one may be taken for it that happens to
//! have the same result. What floats are as integers is not followed. Where the flow tells nothing, or results were left out, the first operation that differs anywhere is told, or else the first that is missing.

use std::collections::VecDeque;

use labrys_float::Flags;
use labrys_interp::SoftResult;
use rustc_hash::{FxHashMap, FxHashSet};

/// A place in the source, and whether it is a comparison's.
pub type Key<'p> = (&'p str, u32, u32, bool);

/// An operation that a build computed.
#[derive(Clone, Copy, Debug)]
pub struct Computed<'p> {
    /// Where it stands; `None` where that is not known, or does not count.
    pub key: Option<Key<'p>>,
    /// What it computed.
    pub result: &'p SoftResult,
}

/// What is gone back from.
#[derive(Clone, Debug)]
pub enum Sought {
    /// The baseline's values of outputs that differ.
    Results(Vec<u128>),
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

/// What has become of an operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Fate {
    Kept,
    /// Its counterpart, by its index, has another result.
    Other(usize),
    Missing,
}

/// The operations of two builds.
pub struct Flow<'r, 'p> {
    ours: &'r [Computed<'p>],
    theirs: &'r [Computed<'p>],
    fates: Vec<Fate>,
    is_whole: bool,
}

impl<'r, 'p> Flow<'r, 'p> {
    /// What a baseline and a variant computed, each in its order: all of it, or the beginning.
    pub fn new(ours: &'r [Computed<'p>], theirs: &'r [Computed<'p>], is_whole: bool) -> Flow<'r, 'p> {
        let mut of: FxHashMap<Key<'p>, VecDeque<usize>> = FxHashMap::default();
        for (index, computed) in theirs.iter().enumerate() {
            if let Some(key) = computed.key {
                of.entry(key).or_default().push_back(index);
            }
        }
        let anywhere: FxHashSet<_> = theirs.iter().map(|of| same(of.result)).collect();
        let fate = |computed: &Computed<'p>| {
            let counterpart = computed.key.and_then(|key| of.get_mut(&key)?.pop_front());
            let is_kept = |of: &usize| theirs[*of].result.bits == computed.result.bits;
            match counterpart {
                Some(index) if is_kept(&index) => Fate::Kept,
                Some(index) => Fate::Other(index),
                None if anywhere.contains(&same(computed.result)) => Fate::Kept,
                None => Fate::Missing,
            }
        };
        Flow { ours, theirs, fates: ours.iter().map(fate).collect(), is_whole }
    }

    /// The operation that is sought, one of the baseline's or of the variant's; `None` where nothing tells.
    pub fn first(&self, sought: Sought) -> Option<(First, &'r Computed<'p>)> {
        let (values, roots) = match sought {
            Sought::Results(values) => (values, self.roots()),
            Sought::Exceptions { of_ours, of_theirs } => return self.raising(of_ours, of_theirs),
        };
        let flow = if self.is_whole { self.flow(&values, &roots, self.ours.len()) } else { Vec::new() };
        let all: Vec<usize> = (0..self.ours.len()).filter(|index| self.fates[*index] != Fate::Kept).collect();
        let found = self.chosen(&flow).or_else(|| self.chosen(&all)).or_else(|| {
            let has_place = |index: &usize| self.ours[*index].key.is_some();
            all.iter().copied().find(has_place)
        });
        found.map(|index| (First::Differs, &self.ours[index]))
    }

    /// Comparisons and conversions that are not kept: control and integers hang on them.
    fn roots(&self) -> Vec<usize> {
        let counts = |index: &usize| {
            let Computed { key, result } = self.ours[*index];
            key.is_some() && matches!(result.operator, "fcmp" | "fconvert") && self.fates[*index] != Fate::Kept
        };
        (0..self.ours.len()).filter(counts).collect()
    }

    /// The operations before `end` that lead to values and to other operations, in their order: none that is kept. Of several with one result the last counts, or as
    /// many as one operation computes with.
    fn flow(&self, values: &[u128], roots: &[usize], end: usize) -> Vec<usize> {
        let mut wanted: FxHashMap<u128, usize> = FxHashMap::default();
        want(&mut wanted, values);
        let roots: FxHashSet<usize> = roots.iter().copied().collect();
        let mut flow = Vec::new();
        for (index, Computed { result, .. }) in self.ours.iter().enumerate().take(end).rev() {
            let count = wanted.get_mut(&result.bits).filter(|count| **count > 0 && result.operator != "fcmp");
            let is_wanted = count.map(|count| *count -= 1).is_some();
            if (is_wanted || roots.contains(&index)) && self.fates[index] != Fate::Kept {
                want(&mut wanted, &result.operands);
                flow.push(index);
            }
        }
        flow.reverse();
        flow
    }

    /// The first of some operations that is other, or the one before it that makes its operands others; else the first that is missing.
    fn chosen(&self, flow: &[usize]) -> Option<usize> {
        // What is added may be zero on this input alone.
        let is_folded = |of: &SoftResult| of.is_identity && matches!(of.operator, "fmul" | "fdiv");
        self.chosen_of(flow, |of| !of.is_identity).or_else(|| self.chosen_of(flow, |of| !is_folded(of)))
    }

    /// The same among some.
    fn chosen_of(&self, flow: &[usize], may_be: impl Fn(&SoftResult) -> bool) -> Option<usize> {
        let counts = |index: &usize| self.ours[*index].key.is_some() && may_be(self.ours[*index].result);
        let mut counting = flow.iter().copied().filter(counts);
        let other = counting.clone().find_map(|index| match self.fates[index] {
            Fate::Other(counterpart) => Some((index, counterpart)),
            _ => None,
        });
        let Some((index, counterpart)) = other else { return counting.next() };
        let (own, of_theirs) = (self.ours[index].result, self.theirs[counterpart].result);
        // Of a product and a sum that become one operation, the sum does something else.
        if own.operator != of_theirs.operator {
            return Some(index);
        }
        // What overflows there and not here is told where it does, whatever made its operands others.
        if (of_theirs.flags - own.flags).intersects(Flags::SEVERE) {
            return Some(index);
        }
        let others: Vec<u128> = own.operands.iter().copied().filter(|of| !of_theirs.operands.contains(of)).collect();
        let before = if self.is_whole { self.flow(&others, &[], index) } else { Vec::new() };
        let is_missing = |of: &usize| self.fates[*of] == Fate::Missing;
        Some(before.into_iter().filter(counts).find(is_missing).unwrap_or(index))
    }

    /// The first operation that raises what one build alone does, or what makes it another.
    fn raising(&self, of_ours: Flags, of_theirs: Flags) -> Option<(First, &'r Computed<'p>)> {
        let raises = |of: &Computed<'_>, flags: Flags| of.result.flags.intersects(flags);
        if let Some(index) = self.ours.iter().position(|of| raises(of, of_ours)) {
            return Some(match self.fates[index] {
                Fate::Other(_) => (First::Differs, &self.ours[self.made_other(index)?]),
                Fate::Missing if self.ours[index].key.is_some() => {
                    let flow = self.flow(&self.ours[index].result.operands, &[], index);
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

    /// The operation by which one comes to have another result than its counterpart.
    fn made_other(&self, index: usize) -> Option<usize> {
        let mut flow = self.flow(&self.ours[index].result.operands, &[], index);
        flow.push(index);
        self.chosen(&flow)
    }
}

/// Counts values that one operation computes with among those that are gone back to.
fn want(wanted: &mut FxHashMap<u128, usize>, operands: &[u128]) {
    for value in operands {
        let count = operands.iter().filter(|other| *other == value).count();
        let all = wanted.entry(*value).or_default();
        *all = count.max(*all);
    }
}

/// What is computed, wherever it stands: operands in either order.
fn same(result: &SoftResult) -> (&'static str, u128, Vec<u128>) {
    let mut operands = result.operands.to_vec();
    operands.sort_unstable();
    (result.operator, result.bits, operands)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// An operation at a line: its operator, its result and what it computes with.
    fn of(operator: &'static str, bits: u128, operands: &[u128]) -> SoftResult {
        let operands = operands.iter().copied().collect();
        SoftResult { location: None, operator, bits, operands, is_identity: false, flags: Flags::empty() }
    }

    fn at<'p>(line: u32, result: &'p SoftResult) -> Computed<'p> {
        Computed { key: Some(("f.c", line, 3, result.operator == "fcmp")), result }
    }

    fn line(ours: &[Computed<'_>], theirs: &[Computed<'_>], sought: Sought) -> Option<(First, u32)> {
        let (first, of) = Flow::new(ours, theirs, true).first(sought)?;
        Some((first, of.key.expect("a place").1))
    }

    fn differs(ours: &[Computed<'_>], theirs: &[Computed<'_>], value: u128) -> Option<u32> {
        line(ours, theirs, Sought::Results(vec![value])).map(|(_, line)| line)
    }

    #[test]
    fn the_first_result_that_differs_is_the_cause_whatever_the_order() {
        let [a, b, c, d] = [(10, 1), (20, 2), (21, 20), (30, 21)].map(|(bits, of_what)| of("fadd", bits, &[of_what]));
        let compared = of("fcmp", 1, &[30]);
        let ours = [at(1, &a), at(2, &b), at(2, &c), at(3, &d), at(4, &compared)];
        assert_eq!(differs(&ours, &ours, 30), None);
        let [other, after] = [of("fadd", 22, &[20]), of("fadd", 31, &[22])];
        let otherwise = of("fcmp", 0, &[31]);
        let reordered = [at(2, &b), at(4, &otherwise), at(1, &a), at(2, &other), at(3, &after)];
        assert_eq!(differs(&ours, &reordered, 30), Some(2));
        let other_branch = [at(1, &a), at(2, &b), at(2, &c), at(3, &d), at(4, &otherwise)];
        assert_eq!(differs(&ours, &other_branch, 99), Some(4));
    }

    /// `double u = a * a;` that nothing uses was dropped, and told.
    #[test]
    fn dead_code_is_no_cause() {
        let [dead, sum, difference] = [of("fmul", 5, &[1]), of("fadd", 6, &[1, 2]), of("fsub", 7, &[6, 1])];
        let ours = [at(1, &dead), at(2, &sum), at(3, &difference)];
        assert_eq!(differs(&ours, &[], 7), Some(2));
        assert_eq!(differs(&ours, &[at(2, &sum)], 7), Some(3));
    }

    /// `double t = a * 1.0;` was told for what is made of t.
    #[test]
    fn what_is_its_operand_in_any_case_is_no_cause() {
        let nothing = SoftResult { is_identity: true, ..of("fmul", 1, &[1, 9]) };
        let [sum, difference] = [of("fadd", 6, &[1, 2]), of("fsub", 7, &[6, 1])];
        assert_eq!(differs(&[at(1, &nothing), at(2, &sum), at(3, &difference)], &[], 7), Some(2));
        // Nothing else tells.
        assert_eq!(differs(&[at(1, &nothing)], &[], 1), Some(1));
    }

    /// A dependency's sum became one with its product, at a line of the library's; what doubles it was told.
    #[test]
    fn what_only_gets_other_operands_is_no_cause() {
        let [product, sum, doubled] = [of("fmul", 5, &[1, 2]), of("fadd", 6, &[5, 3]), of("fmul", 12, &[6, 9])];
        let [fused, of_fused] = [of("fma", 7, &[1, 2, 3]), of("fmul", 14, &[7, 9])];
        let ours = [at(1, &product), at(2, &sum), at(3, &doubled)];
        assert_eq!(differs(&ours, &[at(7, &fused), at(3, &of_fused)], 12), Some(1));
        // One that was moved is none, either.
        let other_sum = of("fadd", 7, &[5, 3]);
        assert_eq!(differs(&ours, &[at(9, &product), at(8, &other_sum), at(3, &of_fused)], 12), Some(2));
        // Where it is said to stand where the sum stood, the sum does something else.
        assert_eq!(differs(&ours, &[at(2, &fused), at(3, &of_fused)], 12), Some(2));
    }

    /// `a / 2 + b / 2` overflows where the divisions come after the sum: the first division was told, and not the sum.
    #[test]
    fn what_overflows_in_the_other_build_is_told_itself() {
        let [half, other_half] = [of("fdiv", 5, &[1, 9]), of("fdiv", 6, &[2, 9])];
        let sum = of("fadd", 11, &[5, 6]);
        let ours = [at(1, &half), at(2, &other_half), at(3, &sum)];
        let whole = of("fadd", 22, &[1, 2]);
        assert_eq!(differs(&ours, &[at(3, &whole)], 11), Some(1));
        let overflowing = SoftResult { flags: Flags::OVERFLOW, ..whole };
        assert_eq!(differs(&ours, &[at(3, &overflowing)], 11), Some(3));
    }

    /// A dead product that underflowed to zero was taken for the zero that a difference came to, behind it.
    #[test]
    fn of_equal_results_the_last_leads_on() {
        let [dead, sum, difference] = [of("fmul", 0, &[1]), of("fadd", 6, &[1, 2]), of("fsub", 0, &[6, 1])];
        let quotient = of("fdiv", 7, &[0, 3]);
        let ours = [at(1, &dead), at(2, &sum), at(3, &difference), at(4, &quotient)];
        assert_eq!(differs(&ours, &[], 7), Some(2));
        // Zeros that are added are no constants.
        let [folded, sum] = [("fmul", [0, 1]), ("fadd", [0, 0])]
            .map(|(name, with)| SoftResult { is_identity: true, ..of(name, 0, &with) });
        assert_eq!(differs(&[at(1, &folded), at(2, &sum)], &[], 0), Some(2));
    }

    #[test]
    fn what_raises_in_one_build_alone_is_told_unless_something_else_made_it_other() {
        let exact = of("fmul", 5, &[1]);
        let tiny = SoftResult { flags: Flags::UNDERFLOW, ..of("fmul", 6, &[2]) };
        let sum = of("fadd", 7, &[1, 2]);
        let of_ours = |flags: Flags| Sought::Exceptions { of_ours: flags, of_theirs: Flags::empty() };
        let ours = [at(1, &exact), at(2, &tiny), at(3, &sum)];
        assert_eq!(line(&ours, &[at(3, &sum)], of_ours(Flags::UNDERFLOW)), Some((First::Raises, 2)));
        assert_eq!(line(&ours, &[at(3, &sum)], of_ours(Flags::OVERFLOW)), None);
        // Another operand makes it another.
        let [before, other] = [of("fadd", 2, &[4]), of("fadd", 3, &[4])];
        let large = of("fmul", 9, &[3]);
        let ours = [at(1, &before), at(2, &tiny)];
        assert_eq!(line(&ours, &[at(1, &other), at(2, &large)], of_ours(Flags::UNDERFLOW)), Some((First::Differs, 1)));
    }
}
