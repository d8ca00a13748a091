//! Rounded operations as monotone functions of ranks, and what projections need to know of them.

use labrys_float::RoundingMode;

use super::arithmetic::Arithmetic;
use crate::domain::FloatDomain;

/// An interval of ranks of one sign and one class.
pub(super) type Piece = (i128, i128);

/// How guesses are rounded: the way that the hardware rounds.
const NEAREST: RoundingMode = RoundingMode::NearestEven;

/// A rounded operation of `N` operands that is monotone in each, as long as each keeps its sign.
pub(super) trait Operation<const N: usize> {
    /// The result's rank; `None` for NaN. Whether it is NaN depends on the operands' signs and classes (zero, finite,
    /// infinite) alone.
    fn apply(&self, mode: RoundingMode, args: [i128; N]) -> Option<i128>;

    /// Whether the result grows with operand `place`, where `negative` tells each operand's sign bit.
    fn increases(&self, place: usize, negative: [bool; N]) -> bool;

    /// The value of operand `place`, rounded, for which the result before rounding is `target`, if the others are `args`;
    /// searches start there, so that it need not be right.
    fn solve(&self, place: usize, target: i128, args: [i128; N]) -> Option<i128>;

    /// The operands' arithmetic.
    fn arithmetic(&self) -> &Arithmetic;

    /// Adds to `results` those on pieces whose least and greatest result is `image`'s.
    fn insert(&self, _: RoundingMode, _: &[Piece; N], image: Piece, results: &mut FloatDomain) {
        results.insert(image.0, image.1);
    }
}

/// The rank of −x.
pub(super) fn negated(rank: i128) -> i128 {
    !rank
}

/// fp.add
pub(super) struct Add(pub Arithmetic);

impl Operation<2> for Add {
    fn apply(&self, mode: RoundingMode, [a, b]: [i128; 2]) -> Option<i128> {
        self.0.add(mode, a, b)
    }

    fn increases(&self, _: usize, _: [bool; 2]) -> bool {
        true
    }

    fn solve(&self, place: usize, target: i128, args: [i128; 2]) -> Option<i128> {
        self.0.add(NEAREST, target, negated(args[1 - place]))
    }

    fn arithmetic(&self) -> &Arithmetic {
        &self.0
    }

    /// Where finite numbers of different signs cancel, the positive result nearest to zero is the step to the least positive
    /// operand that is above a negative one's magnitude, and likewise the negative result. The result is zero only if they have
    /// a magnitude in common; then its sign depends on the mode alone.
    fn insert(&self, mode: RoundingMode, [a, b]: &[Piece; 2], image: Piece, results: &mut FloatDomain) {
        let (negative, positive) = if a.0 < 0 { (a, b) } else { (b, a) };
        let finite = negative.0 > !self.0.infinity && positive.1 < self.0.infinity;
        if !finite || negative.1 >= -1 || positive.0 <= 0 {
            return results.insert(image.0, image.1);
        }
        let (near, far) = (!negative.1, !negative.0);
        results.insert(image.0, image.1.min(!self.0.last_place(positive.0.max(near - 1))));
        results.insert(image.0.max(self.0.last_place(near.max(positive.0 - 1))), image.1);
        if near <= positive.1 && positive.0 <= far {
            let zero = if mode == RoundingMode::TowardNegative { -1 } else { 0 };
            results.insert(zero, zero);
        }
    }
}

/// fp.mul
pub(super) struct Mul(pub Arithmetic);

impl Operation<2> for Mul {
    fn apply(&self, mode: RoundingMode, [a, b]: [i128; 2]) -> Option<i128> {
        self.0.mul(mode, a, b)
    }

    fn increases(&self, place: usize, negative: [bool; 2]) -> bool {
        !negative[1 - place]
    }

    fn solve(&self, place: usize, target: i128, args: [i128; 2]) -> Option<i128> {
        self.0.div(NEAREST, target, args[1 - place])
    }

    fn arithmetic(&self) -> &Arithmetic {
        &self.0
    }
}

/// fp.div
pub(super) struct Div(pub Arithmetic);

impl Operation<2> for Div {
    fn apply(&self, mode: RoundingMode, [a, b]: [i128; 2]) -> Option<i128> {
        self.0.div(mode, a, b)
    }

    fn increases(&self, place: usize, negative: [bool; 2]) -> bool {
        // A quotient of positive numbers falls as the divisor grows, and so does one by negative numbers.
        if place == 0 { !negative[1] } else { negative[0] }
    }

    fn solve(&self, place: usize, target: i128, [a, b]: [i128; 2]) -> Option<i128> {
        if place == 0 { self.0.mul(NEAREST, target, b) } else { self.0.div(NEAREST, a, target) }
    }

    fn arithmetic(&self) -> &Arithmetic {
        &self.0
    }
}

/// fp.fma
pub(super) struct Fma(pub Arithmetic);

impl Operation<3> for Fma {
    fn apply(&self, mode: RoundingMode, [a, b, c]: [i128; 3]) -> Option<i128> {
        self.0.fma(mode, a, b, c)
    }

    fn increases(&self, place: usize, negative: [bool; 3]) -> bool {
        place == 2 || !negative[1 - place]
    }

    fn solve(&self, place: usize, target: i128, [a, b, c]: [i128; 3]) -> Option<i128> {
        match place {
            0 => self.0.div(NEAREST, self.0.add(NEAREST, target, negated(c))?, b),
            1 => self.0.div(NEAREST, self.0.add(NEAREST, target, negated(c))?, a),
            _ => self.0.fma(NEAREST, negated(a), b, target),
        }
    }

    fn arithmetic(&self) -> &Arithmetic {
        &self.0
    }
}

/// fp.sqrt
pub(super) struct Sqrt(pub Arithmetic);

impl Operation<1> for Sqrt {
    fn apply(&self, mode: RoundingMode, [a]: [i128; 1]) -> Option<i128> {
        self.0.sqrt(mode, a)
    }

    fn increases(&self, _: usize, _: [bool; 1]) -> bool {
        true
    }

    fn solve(&self, _: usize, target: i128, _: [i128; 1]) -> Option<i128> {
        self.0.mul(NEAREST, target, target)
    }

    fn arithmetic(&self) -> &Arithmetic {
        &self.0
    }
}

/// fp.roundToIntegral
pub(super) struct RoundToIntegral(pub Arithmetic);

impl Operation<1> for RoundToIntegral {
    fn apply(&self, mode: RoundingMode, [a]: [i128; 1]) -> Option<i128> {
        self.0.round_to_integral(mode, a)
    }

    fn increases(&self, _: usize, _: [bool; 1]) -> bool {
        true
    }

    fn solve(&self, _: usize, target: i128, _: [i128; 1]) -> Option<i128> {
        Some(target)
    }

    fn arithmetic(&self) -> &Arithmetic {
        &self.0
    }

    /// Between the zeros and ±1 there is nothing.
    fn insert(&self, _: RoundingMode, _: &[Piece; 1], image: Piece, results: &mut FloatDomain) {
        let one = self.0.round_integer(RoundingMode::NearestEven, false, 1).unwrap_or(1);
        results.insert(image.0, image.1.min(!one));
        results.insert(image.0.max(-1), image.1.min(0));
        results.insert(image.0.max(one), image.1);
    }
}

/// to_fp of another format
pub(super) struct Convert {
    pub from: Arithmetic,
    pub to: Arithmetic,
}

impl Operation<1> for Convert {
    fn apply(&self, mode: RoundingMode, [a]: [i128; 1]) -> Option<i128> {
        self.from.convert(mode, a, &self.to)
    }

    fn increases(&self, _: usize, _: [bool; 1]) -> bool {
        true
    }

    fn solve(&self, _: usize, target: i128, _: [i128; 1]) -> Option<i128> {
        self.to.convert(NEAREST, target, &self.from)
    }

    fn arithmetic(&self) -> &Arithmetic {
        &self.from
    }
}
