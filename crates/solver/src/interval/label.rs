//! Labelling: which variable the search narrows next, and to what.
//!
//! Truth values first, the ones in recent conflicts before others (Chaff's order). Then the query's own variables over
//! numbers: cut in half by places, which for floats is by exponent rather than by value, or pushed to one value at a
//! time, bounds, zeros and former values first (Botella, Gotlieb, Michel, STVR 2006, section 5, and Zitoun, Michel,
//! Rueher, Michel, "Search strategies for floating point constraint systems", CP 2017).

use super::graph::Graph;
use super::literal::{Literal, Var};
use super::places::{self, Set};
use crate::domain::Domain;

/// Which variable over numbers is narrowed next.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub enum Order {
    /// The one in the most recent conflicts; the largest domain among equals.
    #[default]
    Conflicts,
    /// The one with the most values left.
    LargestDomain,
    /// The one with the fewest values left.
    SmallestDomain,
    /// The one with the most operators.
    MostConstrained,
    /// The first declared.
    Declared,
}

/// How a variable over numbers is narrowed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Style {
    /// In halves.
    Halve,
    /// To one value.
    Dive,
}

/// What the labelling remembers.
#[derive(Debug)]
pub(crate) struct Labelling {
    order: Order,
    activity: Vec<f64>,
    increment: f64,
    /// Each variable's place when it last had only one.
    saved: Vec<Option<u128>>,
    /// The state of the random choices.
    random: u64,
}

impl Labelling {
    /// Nothing remembered.
    pub fn new(order: Order, variables: usize, seed: u64) -> Labelling {
        Labelling {
            order,
            activity: vec![0.0; variables],
            increment: 1.0,
            saved: vec![None; variables],
            random: seed ^ 0x9e37_79b9_7f4a_7c15,
        }
    }

    /// A variable was involved in a conflict.
    pub fn bump(&mut self, var: Var) {
        let activity = &mut self.activity[var as usize];
        *activity += self.increment;
        if *activity > 1e100 {
            self.activity.iter_mut().for_each(|activity| *activity *= 1e-100);
            self.increment *= 1e-100;
        }
    }

    /// Conflicts until now count less.
    pub fn decay(&mut self) {
        self.increment /= 0.95;
    }

    /// A domain is given up: its value, if it was one, is tried again.
    pub fn undone(&mut self, var: Var, domain: &Domain) {
        if let Some(place) = places::single(domain) {
            self.saved[var as usize] = Some(place);
        }
    }

    /// The next number of a linear congruential sequence (Knuth's MMIX), its upper half.
    fn random(&mut self) -> u64 {
        self.random = self.random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        self.random >> 32
    }

    /// What to try next; `None` if every Bool term and every input has one value.
    pub fn next(&mut self, graph: &Graph, domains: &[Domain], style: Style) -> Option<Literal> {
        let open = |var: &Var| places::single(&domains[*var as usize]).is_none();
        let is_bool = |var: &Var| matches!(domains[*var as usize], Domain::Bool(_));
        let bools = graph.atoms.iter().chain(graph.inputs.iter().filter(|var| is_bool(var))).copied();
        let most_active =
            |a: &Var, b: &Var| self.activity[*a as usize].total_cmp(&self.activity[*b as usize]).then(b.cmp(a));
        if let Some(var) = bools.filter(open).max_by(most_active) {
            let value = self.saved[var as usize].is_some_and(|place| place == 1);
            return Some(Literal::truth(var, value));
        }
        let numbers = graph.inputs.iter().copied().filter(|var| !is_bool(var) && open(var));
        let count = |var: &Var| places::count(&domains[*var as usize]);
        let var = match self.order {
            Order::Conflicts => numbers.max_by(|a, b| {
                let activity = |var: &Var| self.activity[*var as usize];
                activity(a).total_cmp(&activity(b)).then(count(a).cmp(&count(b))).then(b.cmp(a))
            }),
            Order::LargestDomain => numbers.max_by_key(|var| (count(var), std::cmp::Reverse(*var))),
            Order::SmallestDomain => numbers.min_by_key(|var| (count(var), *var)),
            Order::MostConstrained => {
                numbers.max_by_key(|var| (graph.users[*var as usize].len(), std::cmp::Reverse(*var)))
            }
            Order::Declared => numbers.min(),
        }?;
        Some(match style {
            Style::Halve => self.halve(var, &domains[var as usize]),
            Style::Dive => self.dive(var, &domains[var as usize]),
        })
    }

    /// One half of a domain of more than one value: the half with the former value, or any.
    fn halve(&mut self, var: Var, domain: &Domain) -> Literal {
        if let Domain::BitVec(vector) = domain
            && vector.count() <= (vector.high - vector.low) / 2
        {
            // Bits say more than bounds here: the highest unknown one.
            let unknown = !vector.known() & crate::domain::BitVecDomain::top(vector.width).high;
            let place = 127 - unknown.leading_zeros().min(127);
            let value = self.saved[var as usize].map_or(self.random() & 1 == 1, |saved| saved >> place & 1 == 1);
            return Literal { var, set: Set::Bit { place, value } };
        }
        let cut = middle(domain);
        let lower = match self.saved[var as usize] {
            Some(place) => place <= cut,
            None => self.random() & 1 == 0,
        };
        self.half(var, domain, cut, lower)
    }

    /// The places up to `cut`, or those above.
    fn half(&self, var: Var, domain: &Domain, cut: u128, lower: bool) -> Literal {
        let set = match lower {
            true => Set::Within { low: 0, high: cut },
            false => Set::Within { low: cut + 1, high: places::last_place(domain) },
        };
        Literal { var, set }
    }

    /// Towards one value: first everything above it goes, then everything below.
    fn dive(&mut self, var: Var, domain: &Domain) -> Literal {
        let parts = places::intervals(domain);
        let (Some(first), Some(last)) = (parts.first(), parts.last()) else {
            return Literal { var, set: Set::Within { low: 0, high: 0 } };
        };
        let (low, high) = (first.0, last.1);
        let saved = self.saved[var as usize].filter(|place| parts.iter().any(|(a, b)| a <= place && place <= b));
        let target = match (saved, self.random() % 8) {
            (Some(place), 0..=4) => place,
            (_, 0 | 5) => low,
            (_, 1 | 6) => high,
            (_, 2) => middle(domain),
            _ => {
                let (low, high) = parts[self.random() as usize % parts.len()];
                let wide = u128::from(self.random()) << 96 | u128::from(self.random()) << 64;
                let wide = wide | u128::from(self.random()) << 32 | u128::from(self.random());
                low + wide % (high - low).saturating_add(1).max(1)
            }
        };
        self.saved[var as usize] = Some(target);
        // A target below the greatest place is cut off from above first.
        if target < high { self.half(var, domain, target, true) } else { self.half(var, domain, target - 1, false) }
    }
}

/// A place below the greatest and not below the least: half of the values are at most there, or the first hole.
fn middle(domain: &Domain) -> u128 {
    let parts = places::intervals(domain);
    match parts[..] {
        [] => 0,
        [(low, high)] => low + (high - low) / 2,
        // Signs, zeros and NaN apart first.
        [(_, high), ..] => high,
    }
}
