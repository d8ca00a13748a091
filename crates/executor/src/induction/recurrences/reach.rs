//! What linear recurrences with bounded disturbances come to.
//!
//! **Claim.** Of every sequence x(0), x(1), … with x(0) in the start and x(k + 1) = A·x(k) + B·u + c + d for one of the maps, |d| ≤ D and u in its box, all members are in [`reach`]'s box.
//! **Argument.** With one map, let w(0) be a row of the identity and w(i + 1) = w(i)·A − r(i) with any r(i), what rounding loses. Then w(0)·x(k) is
//! w(n)·x(k − n) and the sum of w(i)·(B·u + c + d) + r(i)·x(k − i − 1) over all i < n, for every n ≤ k. By strong induction over k: let all earlier members have at most
//! the sizes `most`. For k up to some n the sum goes to the start, and beyond n steps back to a member, of which w(n) weighs little. Both come to
//! at most `most`, which is checked. Nothing is weighed with the sizes of a product of matrices, which grow where the product does not. Of several maps |x(k + 1)| ≤ B·|x(k)| + E where B and E are the
//! greatest magnitudes of each entry, which is one map. The box is as tight as can be where each disturbance may have both signs in each step, but for what is forgotten.

use labrys_bounds::Interval;

/// Steps that are evaluated at most.
const MOST_STEPS: usize = 8192;

/// How much the last weights are of all where what they weigh is forgotten.
const FORGOTTEN: f64 = 1e-9;

/// How small the size that is to be shown of a variable is at least, beside the greatest one.
const LEAST: f64 = 1e-6;

/// x to A·x + B·u + c + d, |d| ≤ D, u in a box.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Map {
    /// A, by rows.
    pub matrix: Vec<Vec<f64>>,
    /// B, by rows.
    pub inputs: Vec<Vec<f64>>,
    /// The box of u.
    pub ranges: Vec<Interval>,
    /// c.
    pub center: Vec<f64>,
    /// D.
    pub radius: Vec<f64>,
}

impl Map {
    /// What there is beside variables, but for the disturbance.
    pub(super) fn beside(&self, row: usize) -> Interval {
        let center = Interval::point(self.center[row]);
        self.inputs[row].iter().zip(&self.ranges).fold(center, |sum, (times, range)| sum + range.scaled(*times))
    }

    /// Whether a variable is what one was, but for the disturbance.
    pub(super) fn is_copy(&self, row: usize) -> bool {
        let entries = || self.matrix[row].iter().filter(|entry| **entry != 0.0);
        let has_input = self.inputs[row].iter().any(|times| *times != 0.0);
        self.center[row] == 0.0 && !has_input && entries().count() == 1 && entries().all(|entry| *entry == 1.0)
    }
}

/// Where sequences begin.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Start {
    /// The box.
    pub bounds: Vec<Interval>,
    /// By variable, the first one that begins with the same value.
    pub same: Vec<usize>,
}

impl Start {
    /// What weighed variables come to.
    fn weighed(&self, weights: &[f64]) -> Interval {
        let mut sums = vec![Interval::ZERO; weights.len()];
        for (weight, same) in weights.iter().zip(&self.same) {
            sums[*same] = sums[*same] + Interval::point(*weight);
        }
        dot(&sums, &self.bounds)
    }
}

/// A box that no sequence leaves; `None` where none is found.
pub(super) fn reach(maps: &[Map], start: &Start) -> Option<Vec<Interval>> {
    match maps {
        [] => None,
        [map, others @ ..] if others.iter().all(|other| other == map) => reach_of(map, start),
        _ => {
            let count = start.bounds.len();
            let greatest = |of: &dyn Fn(&Map) -> f64| maps.iter().map(of).fold(0.0, f64::max);
            let entry = |row: usize, column: usize| greatest(&|map| map.matrix[row][column].abs());
            let matrix = (0..count).map(|row| (0..count).map(|column| entry(row, column)).collect()).collect();
            let size = |map: &Map, row: usize| map.beside(row).widened(map.radius[row]).magnitude();
            let radius = (0..count).map(|row| greatest(&|map| size(map, row))).collect();
            // Sizes of sums are at most the sums of sizes, also of variables that are the same.
            let bounds = start.bounds.iter().map(|of| Interval::symmetric(of.magnitude())).collect();
            let start = Start { bounds, same: (0..count).collect() };
            let inputs = vec![Vec::new(); count];
            reach_of(&Map { matrix, inputs, ranges: Vec::new(), center: vec![0.0; count], radius }, &start)
        }
    }
}

fn reach_of(map: &Map, start: &Start) -> Option<Vec<Interval>> {
    let all: Vec<Unrolled> = (0..start.bounds.len()).map(|of| unrolled(map, start, of)).collect::<Option<_>>()?;
    // What all sizes may be, which is to be shown of each step from what it is before; of what is nearly nothing beside others a bit of these.
    let sizes: Vec<f64> = all.iter().map(|of| of.first.magnitude().max(of.later.magnitude())).collect();
    let least = LEAST * sizes.iter().copied().fold(0.0, f64::max);
    let most: Vec<Interval> = sizes.iter().map(|size| Interval::point((2.0 * size).max(least))).collect();
    let mut reached = Vec::with_capacity(all.len());
    for (of, most_of) in all.iter().zip(&most) {
        let lost = dot(&of.lost, &most);
        let first = of.first.widened(lost.high());
        let later = of.later.widened((lost + dot(&of.left, &most)).high());
        let both = first.hull(later);
        if !both.is_bounded() || both.magnitude() > most_of.low() {
            return None;
        }
        reached.push(both);
    }
    Some(reached)
}

/// A variable after some steps, by what it was before.
struct Unrolled {
    /// What it is in the first n steps, but for what is lost.
    first: Interval,
    /// What it is after more of them, but for what is lost or left of what was n steps before.
    later: Interval,
    /// What rounding has lost of the weights of each variable.
    lost: Vec<Interval>,
    /// The sizes of the last weights.
    left: Vec<Interval>,
}

fn unrolled(map: &Map, start: &Start, of: usize) -> Option<Unrolled> {
    let count = start.bounds.len();
    let points = |all: &[f64]| -> Vec<Interval> { all.iter().copied().map(Interval::point).collect() };
    let (center, radius) = (points(&map.center), points(&map.radius));
    let transposed = |of: &[Vec<f64>], columns: usize| -> Vec<Vec<f64>> {
        (0..columns).map(|column| of.iter().map(|row| row[column]).collect()).collect()
    };
    let (columns, inputs) = (transposed(&map.matrix, count), transposed(&map.inputs, map.ranges.len()));
    let mut weights = vec![0.0; count];
    weights[of] = 1.0;
    let mut lost = vec![Interval::ZERO; count];
    let (mut drift, mut spread, mut first) = (Interval::ZERO, Interval::ZERO, start.bounds[of]);
    let mut all_weights = 0.0;
    for _ in 0..MOST_STEPS {
        let exact = points(&weights);
        let sizes: Vec<Interval> = exact.iter().map(|weight| weight.abs()).collect();
        drift = drift + dot(&exact, &center);
        for (column, range) in inputs.iter().zip(&map.ranges) {
            drift = drift + dot(&exact, &points(column)) * *range;
        }
        spread = spread + dot(&sizes, &radius);
        let next: Vec<f64> =
            columns.iter().map(|column| weights.iter().zip(column).map(|(w, a)| w * a).sum()).collect();
        for ((lost, column), next) in lost.iter_mut().zip(&columns).zip(&next) {
            *lost = *lost + (dot(&exact, &points(column)) - Interval::point(*next)).abs();
        }
        all_weights += weights.iter().map(|weight| weight.abs()).sum::<f64>();
        weights = next;
        first = first.hull((start.weighed(&weights) + drift).widened(spread.high()));
        let left: f64 = weights.iter().map(|weight| weight.abs()).sum();
        if !first.is_bounded() || !left.is_finite() {
            return None;
        }
        if left <= FORGOTTEN * all_weights {
            break;
        }
    }
    let left = points(&weights).iter().map(|weight| weight.abs()).collect();
    Some(Unrolled { first, later: drift.widened(spread.high()), lost, left })
}

fn dot(a: &[Interval], b: &[Interval]) -> Interval {
    a.iter().zip(b).fold(Interval::ZERO, |sum, (a, b)| sum + *a * *b)
}

#[cfg(test)]
mod tests {
    use rand::{RngExt, SeedableRng};
    use rand_pcg::Pcg64;

    use super::*;

    fn map(matrix: &[&[f64]], center: &[f64], radius: &[f64]) -> Map {
        Map {
            matrix: matrix.iter().map(|row| row.to_vec()).collect(),
            inputs: vec![Vec::new(); matrix.len()],
            ranges: Vec::new(),
            center: center.to_vec(),
            radius: radius.to_vec(),
        }
    }

    fn from(bounds: &[Interval]) -> Start {
        Start { bounds: bounds.to_vec(), same: (0..bounds.len()).collect() }
    }

    /// Sums of geometric series, and a filter's impulse response, whose sizes are known.
    #[test]
    fn boxes_are_tight() {
        let half = map(&[&[0.5]], &[0.0], &[1.0]);
        let all = reach(std::slice::from_ref(&half), &from(&[Interval::ZERO])).expect("a box")[0];
        assert!(all.high() >= 2.0 && all.high() < 2.000_001 && all.low() <= -2.0, "{all:?}");
        // From 10 on it falls, whatever the disturbance.
        let all = reach(std::slice::from_ref(&half), &from(&[Interval::point(10.0)])).expect("a box")[0];
        assert!(all.high() == 10.0 && all.low() > -2.000_02, "{all:?}");
        let offset = map(&[&[0.5]], &[3.0], &[0.0]);
        let all = reach(std::slice::from_ref(&offset), &from(&[Interval::ZERO])).expect("a box")[0];
        assert!(all.low() == 0.0 && all.high() < 6.000_001 && all.high() >= 6.0, "{all:?}");
        // Of both in any order.
        let all = reach(&[half, offset], &from(&[Interval::ZERO])).expect("a box")[0];
        assert!(all.high() >= 6.0 && all.high() < 6.000_001 && all.low() > -6.000_001, "{all:?}");
        // y' = 1.4 y − 0.7 y₁ + u: no norm of the matrix is below 1.
        let filter = map(&[&[1.4, -0.7], &[1.0, 0.0]], &[0.0, 0.0], &[1.0, 0.0]);
        let all = reach(&[filter], &from(&[Interval::ZERO, Interval::ZERO])).expect("a box");
        let (mut y, mut before, mut sum) = (1.0, 0.0, 0.0_f64);
        for _ in 0..1000 {
            sum += f64::abs(y);
            (y, before) = (1.4 * y - 0.7 * before, y);
        }
        assert!(all.iter().all(|of| of.high() >= sum && of.high() < sum * 1.000_001), "{all:?} {sum}");
    }

    /// What variables that begin with one value come to, where each makes up for the other.
    #[test]
    fn what_begins_alike_stays_so() {
        let difference = map(&[&[0.0, 1.0, -1.0], &[0.0, 0.5, 0.0], &[0.0, 0.0, 0.5]], &[0.0; 3], &[0.0; 3]);
        let bounds = vec![Interval::ZERO, Interval::symmetric(1.0), Interval::symmetric(1.0)];
        let apart = reach(std::slice::from_ref(&difference), &from(&bounds)).expect("a box")[0];
        let alike = reach(&[difference], &Start { bounds, same: vec![0, 1, 1] }).expect("a box")[0];
        assert!(apart.high() == 2.0 && alike.magnitude() < 0.001, "{apart:?} {alike:?}");
    }

    /// What is read moves several variables at once: here by as much in the two whose difference is taken.
    #[test]
    fn inputs_are_the_same_for_all() {
        let matrix: &[&[f64]] = &[&[0.0, 1.0, -1.0], &[0.0, 0.5, 0.0], &[0.0, 0.0, 0.5]];
        let shared = Map {
            inputs: vec![vec![0.0], vec![1.0], vec![1.0]],
            ranges: vec![Interval::new(-1.0, 3.0)],
            ..map(matrix, &[0.0; 3], &[0.0; 3])
        };
        let all = reach(&[shared], &from(&[Interval::ZERO; 3])).expect("a box");
        assert!(all[0].magnitude() < 0.001 && all[1].high() >= 6.0 && all[1].high() < 6.001, "{all:?}");
    }

    #[test]
    fn what_grows_has_no_box() {
        for matrix in [[1.0], [-1.0], [1.01]] {
            assert_eq!(reach(&[map(&[&matrix], &[0.0], &[1.0])], &from(&[Interval::ZERO])), None);
        }
        let turning = map(&[&[0.0, 1.0], &[-1.0, 0.0]], &[0.0, 0.0], &[0.0, 0.1]);
        assert_eq!(reach(&[turning], &from(&[Interval::ONE, Interval::ZERO])), None);
        assert_eq!(reach(&[], &from(&[Interval::ONE])), None);
    }

    /// Random systems with random disturbances, at their ends mostly, stay in their boxes.
    #[test]
    fn sequences_stay_in_their_boxes() {
        let mut random = Pcg64::seed_from_u64(7);
        let mut boxes = 0;
        for _ in 0..300 {
            let count = random.random_range(1..4);
            let mut entries = |size: f64, count: usize| -> Vec<f64> {
                (0..count).map(|_| random.random_range(-size..size)).collect()
            };
            let several = entries(1.0, 1)[0] > 0.5;
            let mut maps = Vec::new();
            for _ in 0..if several { 2 } else { 1 } {
                let matrix: Vec<Vec<f64>> = (0..count).map(|_| entries(0.8, count)).collect();
                let radius = entries(1.0, count).iter().map(|of| of.abs()).collect();
                let inputs = (0..count).map(|_| entries(1.0, 1)).collect();
                let ranges = entries(1.0, 1).iter().map(|of| Interval::new(*of, *of + 1.0)).collect();
                maps.push(Map { matrix, inputs, ranges, center: entries(1.0, count), radius });
            }
            let start: Vec<Interval> = entries(3.0, count).iter().map(|of| Interval::new(*of, *of + 0.5)).collect();
            let Some(all) = reach(&maps, &from(&start)) else { continue };
            boxes += 1;
            let mut now: Vec<f64> = start.iter().map(|of| random.random_range(of.low()..of.high())).collect();
            for _ in 0..200 {
                assert!(now.iter().zip(&all).all(|(x, of)| of.widened(1e-9).contains(*x)), "{now:?} {all:?} {maps:?}");
                let map = &maps[random.random_range(0..maps.len())];
                let sign = |random: &mut Pcg64| [-1.0, 1.0, 0.3][random.random_range(0..3)];
                let input = if random.random_bool(0.5) { map.ranges[0].low() } else { map.ranges[0].high() };
                now = (0..count)
                    .map(|row| {
                        let sum: f64 = map.matrix[row].iter().zip(&now).map(|(a, x)| a * x).sum();
                        sum + map.inputs[row][0] * input + map.center[row] + sign(&mut random) * map.radius[row]
                    })
                    .collect();
            }
        }
        assert!(boxes > 100, "{boxes}");
    }
}
