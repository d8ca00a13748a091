//! Refutation on boxes: Taylor models of the floats, on ever smaller boxes of the inputs.
//!
//! What Newton's method leaves of a residual, or a solver of differential equations of an invariant, is small because large terms of one input cancel, in ways that no
//! linear formula and no interval knows. A Taylor model knows what its float is as a polynomial of the inputs near a point; what it does not know is of a higher order of the box's size. So
//! few boxes do where intervals take billions, while inputs are few.
//!
//! **Claim.** [`refutes`] is true only if the conjunction has no model. **Argument.** In a model each input is in its range, which the boxes cover; on each of them an assertion is false
//! ([`evaluation`]).

mod evaluation;
mod model;

use std::time::Instant;

use labrys_bounds::Interval;
use tracing::debug;

use crate::Limits;
use crate::relaxation::Measured;
use crate::told::LOG;
use evaluation::Expression;
use model::Shape;

/// Degrees of the polynomials for one input, two and so on. More inputs are not looked at.
const DEGREES: [u8; 4] = [6, 4, 3, 2];

/// Boxes at most, and how often one is halved.
const MOST_BOXES: usize = 200_000;
const DEEPEST: i32 = 64;

/// The part of the time that boxes have in any case, and the part after which they should be done as fast as they went so far to go on.
const SHARE: u32 = 4;
const MOST: f64 = 0.75;

/// Whether the conjunction has no model, by boxes of its inputs; in a part of the time, most of it where that is enough.
pub(crate) fn refutes(measured: &Measured, limits: &Limits) -> bool {
    let expression = Expression::new(measured);
    let count = expression.variables.len();
    let Some(degree) = count.checked_sub(1).and_then(|place| DEGREES.get(place)) else { return false };
    let shape = Shape::new(count, *degree);
    let begun = Instant::now();
    let all: Vec<Interval> = expression.variables.iter().map(|variable| expression.range(*variable)).collect();
    let mut pending = vec![(all, 0)];
    let mut boxes = 0;
    let mut is_refuted = true;
    // The part of all inputs that is done, each half of a box a half of it.
    let mut done = 0.0;
    let has_time = |done: f64| {
        let elapsed = begun.elapsed();
        elapsed < limits.wall / SHARE || elapsed.as_secs_f64() < done * MOST * limits.wall.as_secs_f64()
    };
    while let Some((ranges, depth)) = pending.pop() {
        let values = expression.evaluate(&shape, &ranges);
        boxes += 1;
        if values.are_impossible {
            done += 0.5_f64.powi(depth);
            continue;
        }
        let effect = |place: &usize| expression.effect(&values, *place);
        let widest = (0..count).filter(|place| !is_point(ranges[*place]));
        let split = widest
            .max_by(|a, b| effect(a).total_cmp(&effect(b)).then(ranges[*a].width().total_cmp(&ranges[*b].width())));
        let Some(split) = split.filter(|_| depth < DEEPEST && boxes < MOST_BOXES && has_time(done)) else {
            is_refuted = false;
            break;
        };
        for half in halves(ranges[split]) {
            let mut ranges = ranges.clone();
            ranges[split] = half;
            pending.push((ranges, depth + 1));
        }
    }
    let outcome = if is_refuted { "unsat" } else { "unknown" };
    let seconds = begun.elapsed().as_secs_f64();
    debug!(target: LOG, inputs = count, boxes, done, seconds, "Taylor models on boxes: {outcome}");
    is_refuted
}

/// Whether nothing is between the ends.
fn is_point(range: Interval) -> bool {
    range.low().next_up() >= range.high()
}

/// The numbers below the middle and those above, the middle in both. Of positive numbers of many sizes it is that of the sizes.
fn halves(range: Interval) -> [Interval; 2] {
    let (low, high) = (range.low(), range.high());
    let middle = match () {
        () if low > 0.0 && high / low > 4.0 => low.sqrt() * high.sqrt(),
        () if high < 0.0 && low / high > 4.0 => -((-low).sqrt() * (-high).sqrt()),
        () => range.middle(),
    };
    let middle = middle.clamp(low, high);
    [Interval::new(low, middle), Interval::new(middle, high)]
}
