//! Branch and bound: the global maximum of the sum of errors over a box.
//!
//! **Claim.** [`Searched::upper`] is at least the measured error at every input of the box that satisfies the guards: the leaves of the tree
//! cover the box, each is outside or has a bound, and `upper` is the greatest of them. That holds whenever the search stops.
//!
//! Halves do not share an end, since inputs are doubles, or integers within ±2^53: so a single input at which all is different can be set apart.
//! Where a guard compares an input, a box is first divided at what the guard says of it.
//!
//! Boxes are divided in order of their bounds, the greatest first, until that is within a gap of the largest sum found at a point, or
//! the budget is used up. A box on which nothing is known counts as unbounded; where even a single point of it fails, no division helps.

use std::cmp::Ordering;
use std::collections::BinaryHeap;
use std::time::Instant;

use crate::bounder::{Bounder, Cut, Verdict};
use crate::expression::Expression;
use crate::functions::Table;
use crate::unknown::{Failure, Why};
use crate::{Interval, Measure, Unknown};

/// Why a search ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stop {
    /// The bound is within the gap of the largest sum found.
    Gap,
    /// The budget of boxes was used up.
    Boxes,
    /// The time was over.
    Time,
    /// The box with the greatest bound is a single input.
    Resolution,
}

/// A node of the tree of boxes.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Branch {
    /// The error is at most this.
    Leaf(f64),
    /// No input satisfies the guards.
    Outside,
    /// Divided after a value of an input: the lower half ends there, the upper one begins with the next double, or integer. The place of the two halves in the tree, and the bound that was had undivided.
    Split { input: usize, at: f64, halves: [usize; 2], upper: f64 },
}

/// What a search found.
#[derive(Clone, Debug)]
pub(crate) struct Searched {
    /// The bound; 0 where all boxes are outside.
    pub upper: f64,
    /// The largest sum found at an input.
    pub reached: f64,
    /// Whether some box is not outside.
    pub is_reachable: bool,
    pub boxes: u64,
    pub stop: Stop,
    /// The first is the whole box.
    pub tree: Vec<Branch>,
}

/// How long to search.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Limits {
    pub gap: f64,
    pub boxes: u64,
    pub deadline: Option<Instant>,
}

/// A leaf that may be divided.
#[derive(Debug)]
struct Open {
    upper: f64,
    place: usize,
    split: usize,
    cut: Option<Cut>,
    region: Box<[Interval]>,
    failed: Option<Failure>,
}

impl PartialEq for Open {
    fn eq(&self, other: &Open) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Open {}

impl PartialOrd for Open {
    fn partial_cmp(&self, other: &Open) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Open {
    /// By bound; among equals the older first, so that results do not depend on the heap.
    fn cmp(&self, other: &Open) -> Ordering {
        self.upper.total_cmp(&other.upper).then(other.place.cmp(&self.place))
    }
}

/// Points at which the sum is tried before boxes are divided.
const SAMPLES: u32 = 128;

/// Nodes that are evaluated for these points at most, in all.
const SAMPLED_NODES: u32 = 1 << 18;

struct Search<'a> {
    expression: &'a Expression,
    bounder: Bounder<'a>,
    limits: Limits,
    open: BinaryHeap<Open>,
    tree: Vec<Branch>,
    reached: f64,
    boxes: u64,
    random: u64,
    point: Vec<Interval>,
}

/// Bounds the measured error over a region.
pub(crate) fn search(
    expression: &Expression,
    measure: Measure,
    table: &Table,
    region: &[Interval],
    limits: Limits,
) -> Result<Searched, Unknown> {
    let bounder = Bounder::new(expression, measure, table, region);
    let (open, tree, point) = (BinaryHeap::new(), Vec::new(), Vec::new());
    let mut search = Search { expression, bounder, limits, open, tree, reached: 0.0, boxes: 0, random: 1, point };
    search.sample(region);
    search.tree.push(Branch::Outside);
    search.look(0, region.into())?;
    let stop = search.divide()?;
    let top = search.open.peek();
    if let Some(Open { failed: Some(failure), region, .. }) = top {
        let unknown = unknown(expression, *failure, region);
        let is_of_values =
            |why| matches!(why, Why::DivisionByZero | Why::Overflow | Why::Domain | Why::ZeroTruth | Why::Unbounded);
        return Err(match stop {
            Stop::Boxes if !is_of_values(failure.why) => Why::Boxes.into(),
            Stop::Time if !is_of_values(failure.why) => Why::Time.into(),
            _ => unknown,
        });
    }
    let (upper, is_reachable) = (top.map_or(0.0, |open| open.upper), top.is_some());
    // At a point each derivative takes its largest value under perturbations by itself, so that the sum there may be above the bound a little.
    let reached = search.reached.min(upper);
    let Search { tree, boxes, .. } = search;
    Ok(Searched { upper, reached, is_reachable, boxes, stop, tree })
}

/// A failure as the caller hears of it.
fn unknown(expression: &Expression, failure: Failure, region: &[Interval]) -> Unknown {
    let term = expression.origins.get(failure.place as usize).copied().flatten();
    Unknown { why: failure.why, term, near: region.iter().map(|side| side.middle()).collect() }
}

impl Search<'_> {
    /// Tries points of a low-discrepancy sequence (additive recurrence with powers of the root of x^(d+1) = x + 1).
    fn sample(&mut self, region: &[Interval]) {
        // Newton's steps from above, in arithmetic that is the same everywhere.
        let mut root: f64 = 2.0;
        for _ in 0..60 {
            let power = region.iter().fold(1.0, |power, _| power * root);
            root -= (power * root - root - 1.0) / ((region.len() as f64 + 1.0) * power - 1.0);
        }
        let nodes = self.bounder.nodes().max(1) as u32;
        for number in 1..=SAMPLES.min(SAMPLED_NODES / nodes) {
            if self.is_late() {
                return;
            }
            let mut step = 1.0;
            let point: Vec<Interval> = region
                .iter()
                .map(|side| {
                    step /= root;
                    let share = (0.5 + step * f64::from(number)).fract();
                    let value = side.low() * (1.0 - share) + side.high() * share;
                    Interval::point(value.clamp(side.low(), side.high()))
                })
                .collect();
            if let Ok(Some(sum)) = self.bounder.at(&point) {
                self.reached = self.reached.max(sum);
            }
        }
    }

    /// Tries a point inside a box: sums jump where a result crosses a power of two, so that centres and corners may lie on the wrong side.
    fn try_inside(&mut self, region: &[Interval]) {
        self.point.clear();
        for side in region {
            // Knuth's linear congruential generator; the upper bits are random enough to choose points by.
            self.random = self.random.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            let share = (self.random >> 11) as f64 / (1u64 << 53) as f64;
            let value = side.low() + share * (side.high() - side.low());
            self.point.push(Interval::point(value.clamp(side.low(), side.high())));
        }
        if let Ok(Some(sum)) = self.bounder.at(&self.point) {
            self.reached = self.reached.max(sum);
        }
    }

    fn is_late(&self) -> bool {
        self.limits.deadline.is_some_and(|deadline| Instant::now() >= deadline)
    }

    /// What the bound need not be below.
    fn wanted(&self) -> f64 {
        self.reached * (1.0 + self.limits.gap)
    }

    /// Bounds a box and puts it into the tree.
    fn look(&mut self, place: usize, region: Box<[Interval]>) -> Result<(), Unknown> {
        self.boxes += 1;
        let wanted = self.wanted();
        let verdict = self.bounder.bound(&region, wanted);
        let cut = self.bounder.cut(&region);
        let (upper, split, failed) = match verdict {
            Verdict::Outside => return Ok(()),
            Verdict::Bounded { upper, reached, split } => {
                self.reached = self.reached.max(reached.unwrap_or(0.0));
                if upper > self.wanted() {
                    self.try_inside(&region);
                }
                (upper, split, None)
            }
            Verdict::Failed(why) => {
                let middle: Vec<Interval> = region.iter().map(|side| Interval::point(side.middle())).collect();
                if cut.is_none()
                    && let Err(failure) = self.bounder.at(&middle)
                {
                    return Err(unknown(self.expression, failure, &middle));
                }
                (f64::INFINITY, self.bounder.widest(&region), Some(why))
            }
        };
        self.tree[place] = Branch::Leaf(upper);
        self.open.push(Open { upper, place, split, cut, region, failed });
        Ok(())
    }

    fn divide(&mut self) -> Result<Stop, Unknown> {
        loop {
            let Some(open) = self.open.peek() else { return Ok(Stop::Gap) };
            if open.upper <= self.wanted() {
                return Ok(Stop::Gap);
            }
            if self.boxes >= self.limits.boxes {
                return Ok(Stop::Boxes);
            }
            if self.is_late() {
                return Ok(Stop::Time);
            }
            let is_whole = &self.expression.inputs;
            let divided = open.cut.or_else(|| divisible(&open.region, open.split, open.failed.is_some(), is_whole));
            let Some((input, at)) = divided else {
                return match open.failed {
                    Some(failure) => Err(unknown(self.expression, failure, &open.region)),
                    None => Ok(Stop::Resolution),
                };
            };
            let Some(open) = self.open.pop() else { return Ok(Stop::Gap) };
            let side = open.region[input];
            let mut halves = [open.region.clone(), open.region];
            halves[0][input] = Interval::new(side.low(), at);
            let next = if self.expression.inputs[input] { at + 1.0 } else { at.next_up() };
            halves[1][input] = Interval::new(next, side.high());
            let first = self.tree.len();
            self.tree.extend([Branch::Outside, Branch::Outside]);
            self.tree[open.place] = Branch::Split { input, at, halves: [first, first + 1], upper: open.upper };
            let [lower, upper] = halves;
            self.look(first, lower)?;
            self.look(first + 1, upper)?;
        }
    }
}

/// Where to divide a region, preferably at an input: the greatest double of the lower half, or integer where an input is one (`is_whole`). Where
/// something `failed`, zero is set apart first: most domains end there.
fn divisible(region: &[Interval], preferred: usize, failed: bool, is_whole: &[bool]) -> Option<Cut> {
    let before_zero = 0f64.next_down();
    let inside = |input: usize| {
        let side = region.get(input)?;
        let middle = side.middle();
        let at = match (failed, side.low(), side.high()) {
            (true, low, high) if low <= 0.0 && high > 0.0 => 0.0,
            (true, low, 0.0) if low < 0.0 => before_zero,
            (_, low, high) => {
                if middle < high {
                    middle
                } else {
                    low
                }
            }
        };
        let at = if is_whole[input] { at.floor() } else { at };
        (side.low() <= at && at < side.high()).then_some((input, at))
    };
    inside(preferred).or_else(|| (0..region.len()).find_map(inside))
}

/// Prunes a tree: where a box was had within the bound undivided, its halves are not needed. The result begins with the root,
/// halves follow what they are halves of, the lower one first.
pub(crate) fn pruned(tree: &[Branch], upper: f64) -> Vec<Branch> {
    let mut kept = Vec::new();
    let mut pending = vec![0];
    while let Some(place) = pending.pop() {
        match tree.get(place) {
            Some(Branch::Split { upper: undivided, .. }) if *undivided <= upper => kept.push(Branch::Leaf(*undivided)),
            Some(Branch::Split { input, at, halves, upper }) => {
                pending.extend([halves[1], halves[0]]);
                kept.push(Branch::Split { input: *input, at: *at, halves: *halves, upper: *upper });
            }
            Some(branch) => kept.push(branch.clone()),
            None => {}
        }
    }
    kept
}
