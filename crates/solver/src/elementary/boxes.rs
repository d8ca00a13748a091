//! Lemmas: operands in a box have results in its image.
//!
//! A lemma's premise speaks of both zeros, as comparisons do; so its box holds both where it holds one.

use labrys_float::Float;
use labrys_term::{Model, TermId};

use super::member::{implies, member, with_both_zeros};
use super::refinement::Refinement;
use crate::domain::FloatDomain;
use crate::domain::project::elementary::forward;

/// Combinations of the operands' classes that get a lemma each from the beginning.
const MOST_CLASSES: usize = 16;

/// Lemmas about equal operands of two calls, at most.
const MOST_PAIRS: usize = 24;

impl Refinement<'_> {
    /// One lemma for each combination of signs and classes of a call's operands, NaNs apart, and one for each two calls of a
    /// function: the same operands have the same result.
    pub(super) fn add_classes(&mut self) {
        for place in 0..self.calls.len() {
            self.add_nans(place);
            self.add_relations(place);
            let pieces: Vec<Vec<FloatDomain>> = self.domains[place].iter().map(pieces).collect();
            if pieces.iter().map(Vec::len).product::<usize>() <= MOST_CLASSES {
                for combination in combinations(&pieces) {
                    self.add_box(place, &combination);
                }
            }
        }
        let mut pairs = 0;
        for second in 0..self.calls.len() {
            for first in 0..second {
                if self.calls[first].function == self.calls[second].function && pairs < MOST_PAIRS {
                    self.add_equality(first, second);
                    pairs += 1;
                }
            }
        }
    }

    fn add_equality(&mut self, first: usize, second: usize) {
        let (one, other) = (self.calls[first].clone(), self.calls[second].clone());
        let store = &mut *self.store;
        let equal = |store: &mut labrys_term::Store, a: TermId, b: TermId| store.mk(labrys_term::Op::Eq, &[a, b]);
        let operands = one.operands.iter().zip(&other.operands);
        let premises: Vec<TermId> = operands.map(|(a, b)| equal(store, *a, *b)).collect();
        let premise = store.and(&premises);
        let conclusion = equal(store, one.variable, other.variable);
        let lemma = implies(store, premise, conclusion);
        self.add_lemma(lemma);
    }

    /// The lemma of a box; whether it is new.
    fn add_box(&mut self, place: usize, operands: &[FloatDomain]) -> bool {
        let call = self.calls[place].clone();
        let operands: Vec<FloatDomain> = operands.iter().map(|domain| with_both_zeros(*domain)).collect();
        let image = forward(call.function, &operands, self.ulps);
        let premises: Vec<TermId> =
            call.operands.iter().zip(&operands).map(|(operand, domain)| member(self.store, *operand, domain)).collect();
        let premise = self.store.and(&premises);
        let conclusion = member(self.store, call.variable, &image);
        let lemma = implies(self.store, premise, conclusion);
        self.add_lemma(lemma)
    }

    /// Lemmas that exclude the model's results of calls that are not the functions' values; false if none is new.
    pub(super) fn exclude(&mut self, model: &Model) -> bool {
        let mut is_new = false;
        for place in 0..self.calls.len() {
            let Some((operands, result)) = self.values(place, model) else { continue };
            let point: Vec<FloatDomain> = operands.iter().map(FloatDomain::only).collect();
            let function = self.calls[place].function;
            if forward(function, &point, self.ulps).contains(&result) || operands.iter().any(Float::is_nan) {
                continue;
            }
            for lemma in self.boxes_around(place, &operands, &result) {
                is_new |= self.add_box(place, &lemma);
            }
        }
        is_new
    }

    /// Boxes with the point in a corner: up to the ends of the domain's piece, which bound a monotone function by its
    /// value here; and the greatest ones whose image excludes the result, whole and in halves.
    fn boxes_around(&self, place: usize, point: &[Float], result: &Float) -> Vec<Vec<FloatDomain>> {
        let function = self.calls[place].function;
        let ranks: Vec<i128> = point.iter().filter_map(FloatDomain::rank_of).collect();
        let limits: Vec<(i128, i128)> = point
            .iter()
            .zip(&self.domains[place])
            .map(|(x, domain)| {
                let pieces = domain.pieces();
                let rank = FloatDomain::rank_of(x).unwrap_or(0);
                let around = pieces.as_slice().iter().find(|(low, high)| *low <= rank && rank <= *high);
                around.copied().unwrap_or((rank, rank))
            })
            .collect();
        let format = point[0].format();
        let interval = |low: i128, high: i128| {
            let mut domain = FloatDomain::empty(format);
            domain.insert(low, high);
            domain
        };
        let mut boxes = vec![point.iter().map(FloatDomain::only).collect::<Vec<_>>()];
        for corner in 0..1usize << point.len() {
            let side = |operand: usize| corner >> operand & 1 == 1;
            let far = |operand: usize| if side(operand) { limits[operand].1 } else { limits[operand].0 };
            let between = |operand: usize, end: i128| interval(ranks[operand].min(end), ranks[operand].max(end));
            boxes.push((0..point.len()).map(|operand| between(operand, far(operand))).collect());
            // Operand by operand as far as the image excludes the result, the ones to come at the point.
            let mut grown: Vec<FloatDomain> = point.iter().map(FloatDomain::only).collect();
            for operand in 0..point.len() {
                let (mut inside, mut outside) = (ranks[operand], far(operand));
                let excludes = |end: i128| {
                    let mut part = grown.clone();
                    part[operand] = with_both_zeros(between(operand, end));
                    !forward(function, &part, self.ulps).contains(result)
                };
                if excludes(outside) {
                    inside = outside;
                }
                while (outside - inside).abs() > 1 {
                    let middle = inside + (outside - inside) / 2;
                    if excludes(middle) { inside = middle } else { outside = middle }
                }
                let halfway = middle_value(format, ranks[operand], inside);
                let mut half = grown.clone();
                half[operand] = between(operand, halfway);
                boxes.push(half);
                grown[operand] = between(operand, inside);
            }
            boxes.push(grown);
        }
        boxes
    }
}

/// The number halfway between two by value, where that is one between them; else the middle of the ranks.
fn middle_value(format: labrys_float::Format, one: i128, other: i128) -> i128 {
    let at = |rank: i128| FloatDomain::empty(format).at_rank(rank).to_rational();
    let middle = at(one).zip(at(other)).map(|(one, other)| (one + other) / num_bigint::BigInt::from(2));
    let nearest = middle.map(|middle| Float::from_rational(format, &middle, labrys_float::RoundingMode::NearestEven));
    let rank = nearest.and_then(|nearest| FloatDomain::rank_of(&nearest));
    rank.filter(|rank| one.min(other) <= *rank && *rank <= one.max(other)).unwrap_or(one + (other - one) / 2)
}

fn pieces(domain: &FloatDomain) -> Vec<FloatDomain> {
    let intervals = domain.pieces();
    let of = |(low, high): &(i128, i128)| {
        let mut piece = FloatDomain::empty(domain.format);
        piece.insert(*low, *high);
        piece
    };
    intervals.as_slice().iter().map(of).collect()
}

fn combinations(pieces: &[Vec<FloatDomain>]) -> Vec<Vec<FloatDomain>> {
    pieces.iter().fold(vec![Vec::new()], |rows, operand| {
        rows.iter().flat_map(|row| operand.iter().map(move |piece| [row.as_slice(), &[*piece]].concat())).collect()
    })
}
