//! What values an operator has on a box: a set for each argument.
//!
//! One rule serves nearly all operators: arguments are cut into pieces on which the operator is monotone in each argument, rounding
//! included, and there its extreme values are those at the corners, which exact arithmetic computes. What is not monotone has a
//! bound of its own or none. So that little can be wrong, nothing here is sharper than it must be.

use labrys_float::{Format, Packed, RoundingMode};
use labrys_term::{Op, Sort, Value};
use smallvec::{SmallVec, smallvec};

use super::set::{Set, Shape};
use crate::domain::float::infinity_magnitude;

/// An argument's shape and what it may be.
pub(super) type Argument = (Shape, Set);

/// A value: its place, none for NaN.
type Point = Option<i128>;

/// A part of an argument: the values at its ends.
type Piece = SmallVec<[Point; 2]>;

/// Boxes of at most so many points are evaluated point by point.
const FEW: u128 = 16;
/// Combinations of pieces beyond this are not looked at.
const MOST_COMBINATIONS: usize = 1024;

/// Computes images and counts its work.
#[derive(Debug, Default)]
pub(super) struct Images {
    /// Evaluations of operators at points.
    pub evaluations: u64,
}

impl Images {
    /// All values that `op`, of this sort, has where its arguments lie in these sets, and perhaps more.
    pub fn image(&mut self, op: &Op, sort: &Sort, args: &[Argument]) -> Set {
        let to = Shape::of(sort);
        if args.iter().any(|(_, set)| set.is_empty()) {
            return Set::EMPTY;
        }
        self.evaluations += 1;
        if let Some(set) = logical(op, args) {
            return set;
        }
        if to == Shape::Other || args.iter().any(|(shape, _)| *shape == Shape::Other) {
            return to.top();
        }
        let points = args.iter().fold(1u128, |points, (_, set)| points.saturating_mul(set.count()));
        if points <= FEW {
            let points: Vec<Vec<Piece>> = args.iter().map(|arg| single_points(arg.1)).collect();
            return self.corners(op, sort, args, &points, false);
        }
        if let Some(set) = bounded(op, args) {
            return set.unwrap_or(to.top());
        }
        match pieces(op, args) {
            Some(pieces) => self.corners(op, sort, args, &pieces, is_signed(op)),
            None => to.top(),
        }
    }

    /// The hull of the values at all corners of all combinations of pieces.
    fn corners(&mut self, op: &Op, sort: &Sort, args: &[Argument], pieces: &[Vec<Piece>], signed: bool) -> Set {
        let points = Points::new(op, sort, args);
        let to = points.to;
        let combinations = pieces.iter().try_fold(1usize, |all, of| all.checked_mul(of.len()));
        if combinations.is_none_or(|all| all > MOST_COMBINATIONS) {
            return to.top();
        }
        let mut hull = Set::EMPTY;
        let counts: SmallVec<[usize; 4]> = pieces.iter().map(Vec::len).collect();
        let mut chosen: SmallVec<[usize; 4]> = smallvec![0; pieces.len()];
        loop {
            let combination: SmallVec<[&Piece; 4]> = pieces.iter().zip(&chosen).map(|(of, at)| &of[*at]).collect();
            let ends: SmallVec<[usize; 4]> = combination.iter().map(|piece| piece.len()).collect();
            let mut corner: SmallVec<[usize; 4]> = smallvec![0; pieces.len()];
            loop {
                let values: SmallVec<[Point; 4]> =
                    combination.iter().zip(&corner).map(|(piece, at)| piece[*at]).collect();
                self.evaluations += 1;
                let Some(set) = points.value(&values) else { return to.top() };
                hull = if signed { signed_hull(to, hull, set) } else { hull.hull(set) };
                if !advance(&mut corner, &ends) {
                    break;
                }
            }
            if hull == to.top() || !advance(&mut chosen, &counts) {
                return hull;
            }
        }
    }
}

/// Counts up; whether there was another combination.
fn advance(digits: &mut [usize], bases: &[usize]) -> bool {
    for (digit, base) in digits.iter_mut().zip(bases) {
        *digit += 1;
        if *digit < *base {
            return true;
        }
        *digit = 0;
    }
    false
}

/// An operator at points.
struct Points<'o> {
    op: &'o Op,
    sort: &'o Sort,
    shapes: SmallVec<[Shape; 4]>,
    to: Shape,
    /// The formats of arguments and result, where both are formats of floats of at most 64 bits.
    packed: Option<(Packed, Packed)>,
}

impl<'o> Points<'o> {
    fn new(op: &'o Op, sort: &'o Sort, args: &[Argument]) -> Points<'o> {
        let to = Shape::of(sort);
        let format = |shape: Option<Shape>| match shape {
            Some(Shape::Float(format)) => Packed::new(format),
            _ => None,
        };
        let packed = format(args.last().map(|arg| arg.0)).zip(format(Some(to)));
        Points { op, sort, shapes: args.iter().map(|arg| arg.0).collect(), to, packed }
    }

    /// The value there, as a set; the zeros of both signs where it is a zero whose sign is left open.
    fn value(&self, points: &[Point]) -> Option<Set> {
        if let Some(set) = self.rounded(points) {
            return Some(set);
        }
        let values: Option<SmallVec<[Value; 4]>> = self
            .shapes
            .iter()
            .zip(points)
            .map(|(shape, point)| point.map_or(shape.nan(), |at| shape.value(at)))
            .collect();
        let values = values?;
        let values: SmallVec<[&Value; 4]> = values.iter().collect();
        if self.op.has_open_zero(&values) {
            return Some(Set::numbers(-1, 0));
        }
        Some(self.to.only(&self.op.strict_value(self.sort, &values)?))
    }

    /// The same of operators that round to at most 64 bits, by the soft-float for these.
    fn rounded(&self, points: &[Point]) -> Option<Set> {
        let (from, to) = self.packed.as_ref()?;
        let (first, floats) = points.split_first()?;
        let (Shape::Mode, Some(mode)) = (self.shapes[0], first) else { return None };
        let mode = *RoundingMode::ALL.get(usize::try_from(*mode).ok()?)?;
        let sign = 1u64 << (from.format().width() - 1);
        let encoded = |point: &Point| match point {
            None => from.nan(),
            Some(rank) if *rank < 0 => sign | !*rank as u64,
            Some(rank) => *rank as u64,
        };
        let floats: SmallVec<[u64; 3]> = floats.iter().map(encoded).collect();
        let value = match (self.op, floats.as_slice()) {
            (Op::FpAdd, [a, b]) => to.add(mode, *a, *b),
            (Op::FpSub, [a, b]) => to.sub(mode, *a, *b),
            (Op::FpMul, [a, b]) => to.mul(mode, *a, *b),
            (Op::FpDiv, [a, b]) => to.div(mode, *a, *b),
            (Op::FpFma, [a, b, c]) => to.fma(mode, *a, *b, *c),
            (Op::FpSqrt, [a]) => to.sqrt(mode, *a),
            (Op::FpFromFloat(_), [a]) => from.convert(mode, *a, to),
            (Op::FpRoundToIntegral, [a]) => to.round_to_integral(mode, *a),
            _ => return None,
        };
        if to.is_nan(value) {
            return Some(Set { nan: true, ..Set::EMPTY });
        }
        let sign = 1u64 << (to.format().width() - 1);
        let magnitude = i128::from(value & !sign);
        let rank = if value & sign != 0 { !magnitude } else { magnitude };
        Some(Set::numbers(rank, rank))
    }
}

/// The hull of results that are monotone as signed numbers, and whose places are unsigned.
fn signed_hull(to: Shape, hull: Set, value: Set) -> Set {
    let Shape::Bits(width) = to else { return to.top() };
    let sign = 1i128 << (width - 1);
    let both = hull.hull(value);
    if !hull.has_numbers() || (hull.high < sign) == (value.low < sign) { both } else { to.top() }
}

/// Whether results are monotone as signed numbers only.
fn is_signed(op: &Op) -> bool {
    matches!(op, Op::FpToSigned(_) | Op::BvSdiv)
}

/// Each value a piece of its own.
fn single_points(set: Set) -> Vec<Piece> {
    let places = (set.low..=set.high).map(Some);
    places.chain(set.nan.then_some(None)).map(|point| smallvec![point]).collect()
}

fn piece(low: i128, high: i128) -> Piece {
    if low == high { smallvec![Some(low)] } else { smallvec![Some(low), Some(high)] }
}

/// The parts of an argument between cuts: each cut is the first place of a part.
fn cut((_, set): Argument, cuts: &[i128]) -> Vec<Piece> {
    let mut parts = Vec::new();
    if set.has_numbers() {
        let mut low = set.low;
        for &cut in cuts.iter().filter(|cut| set.low < **cut && **cut <= set.high) {
            parts.push(piece(low, cut - 1));
            low = cut;
        }
        parts.push(piece(low, set.high));
    }
    if set.nan {
        parts.push(smallvec![None]);
    }
    parts
}

/// Where floats change sign or stop being finite.
fn signs_of(format: Format) -> SmallVec<[i128; 8]> {
    let infinity = infinity_magnitude(format) as i128;
    smallvec![!infinity + 1, -1, 0, 1, infinity]
}

/// Where floats change their class.
fn classes_of(format: Format) -> SmallVec<[i128; 8]> {
    let infinity = infinity_magnitude(format) as i128;
    let normal = 1i128 << (format.precision() - 1);
    smallvec![!infinity + 1, !normal + 1, -1, 0, 1, normal, infinity]
}

/// Where an encoding's value changes its sign or is no number.
fn encodings_of(format: Format) -> SmallVec<[i128; 8]> {
    let infinity = infinity_magnitude(format) as i128;
    let sign = 1i128 << (format.width() - 1);
    smallvec![infinity + 1, sign, sign + infinity + 1]
}

/// The arguments cut into pieces on which the operator is monotone in each; `None` where there are none.
fn pieces(op: &Op, args: &[Argument]) -> Option<Vec<Vec<Piece>>> {
    let each = |cuts: fn(Shape) -> SmallVec<[i128; 8]>| -> Option<Vec<Vec<Piece>>> {
        Some(args.iter().map(|arg| cut(*arg, &cuts(arg.0))).collect())
    };
    match op {
        Op::FpAdd
        | Op::FpSub
        | Op::FpMul
        | Op::FpDiv
        | Op::FpFma
        | Op::FpSqrt
        | Op::FpRoundToIntegral
        | Op::FpMin
        | Op::FpMax
        | Op::FpFromFloat(_)
        | Op::FpToUnsigned(_)
        | Op::FpToSigned(_)
        | Op::FpToBits => each(|shape| match shape {
            Shape::Float(format) => signs_of(format),
            shape => whole_modes(shape),
        }),
        Op::FpIsNormal
        | Op::FpIsSubnormal
        | Op::FpIsZero
        | Op::FpIsInfinite
        | Op::FpIsNan
        | Op::FpIsNegative
        | Op::FpIsPositive => each(|shape| match shape {
            Shape::Float(format) => classes_of(format),
            _ => SmallVec::new(),
        }),
        Op::BvNot | Op::ZeroExtend(_) | Op::BvLshr => each(|_| SmallVec::new()),
        Op::FpFromUnsigned(_) => each(whole_modes),
        Op::FpFromSigned(_) | Op::BvSlt | Op::BvSle | Op::SignExtend(_) => each(|shape| match shape {
            Shape::Bits(width) => smallvec![1i128 << (width - 1)],
            shape => whole_modes(shape),
        }),
        Op::BvAshr => Some(vec![cut(args[0], &sign_of(args[0].0)), cut(args[1], &[])]),
        Op::BvNeg => each(|_| smallvec![1]),
        Op::BvUdiv => Some(vec![cut(args[0], &[]), cut(args[1], &[1])]),
        Op::BvSdiv => {
            // The quotient of the least number by −1 is no number of this width.
            let Shape::Bits(width) = args[0].0 else { return None };
            let overflows = args[0].1.contains(1 << (width - 1)) && args[1].1.contains((1 << width) - 1);
            let sign = 1i128 << (width - 1);
            (!overflows).then_some(())?;
            Some(vec![cut(args[0], &[sign]), cut(args[1], &[1, sign])])
        }
        Op::FpFromBits(format) => Some(vec![cut(args[0], &encodings_of(*format))]),
        _ => None,
    }
}

/// Each rounding mode is a piece; other arguments stay whole.
fn whole_modes(shape: Shape) -> SmallVec<[i128; 8]> {
    match shape {
        Shape::Mode => smallvec![1, 2, 3, 4],
        _ => SmallVec::new(),
    }
}

fn sign_of(shape: Shape) -> SmallVec<[i128; 8]> {
    match shape {
        Shape::Bits(width) => smallvec![1i128 << (width - 1)],
        _ => SmallVec::new(),
    }
}

/// Connectives, equalities and orders.
fn logical(op: &Op, args: &[Argument]) -> Option<Set> {
    let can_be = |truth: bool| args.iter().any(|(_, set)| set.contains(i128::from(truth)));
    let any_must_be = |truth: bool| args.iter().any(|(_, set)| !set.contains(i128::from(!truth)));
    Some(match (op, args) {
        (Op::Not, [(_, set)]) => Set::numbers(1 - set.high, 1 - set.low),
        (Op::And, _) => truths(!any_must_be(false), can_be(false)),
        (Op::Or, _) => truths(can_be(true), !any_must_be(true)),
        (Op::Xor, _) if args.iter().all(|(_, set)| set.is_single()) => {
            let odd = args.iter().fold(0, |sum, (_, set)| sum ^ set.low);
            Set::numbers(odd, odd)
        }
        (Op::Xor, _) => truths(true, true),
        (Op::Implies, [(_, from), (_, to)]) => {
            truths(from.contains(0) || to.contains(1), from.contains(1) && to.contains(0))
        }
        (Op::Ite, [(_, guard), (_, then), (_, otherwise)]) => match (guard.contains(1), guard.contains(0)) {
            (true, true) => then.hull(*otherwise),
            (true, false) => *then,
            _ => *otherwise,
        },
        (Op::Eq, [a, b]) => truths(can_equal(*a, *b), !must_equal(*a, *b)),
        (Op::Distinct, _) => {
            let pairs = || (1..args.len()).flat_map(|b| (0..b).map(move |a| (args[a], args[b])));
            truths(!pairs().any(|(a, b)| must_equal(a, b)), pairs().any(|(a, b)| can_equal(a, b)))
        }
        (Op::FpEq, [a, b]) => {
            let (zero, [x, y]) = (Set::numbers(-1, 0), [a.1.without_nan(), b.1.without_nan()]);
            let both_zero = x.meets(zero) && y.meets(zero);
            let surely = |x: Set| !x.nan && zero.low <= x.low && x.high <= zero.high;
            let same = must_equal(*a, *b) && !a.1.nan;
            truths(x.meets(y) || both_zero, !(same || surely(a.1) && surely(b.1)))
        }
        (Op::FpLt | Op::FpLe, [a, b]) => {
            // −0 and +0 are equal.
            let [x, y] =
                [a.1, b.1].map(|set| Set { low: unsigned_zero(set.low), high: unsigned_zero(set.high), ..set });
            let both = a.1.has_numbers() && b.1.has_numbers();
            let (with_true, always) = ordered(*op == Op::FpLt, x, y);
            truths(both && with_true, x.nan || y.nan || !always)
        }
        (Op::BvUlt | Op::BvUle, [a, b]) if a.0 != Shape::Other => {
            let (with_true, always) = ordered(*op == Op::BvUlt, a.1, b.1);
            truths(with_true, !always)
        }
        _ => return None,
    })
}

fn unsigned_zero(rank: i128) -> i128 {
    if rank == -1 { 0 } else { rank }
}

/// Whether some number of `x` is less than one of `y` (or not greater, if not `strictly`), and whether all are.
fn ordered(strictly: bool, x: Set, y: Set) -> (bool, bool) {
    if strictly { (x.low < y.high, x.high < y.low) } else { (x.low <= y.high, x.high <= y.low) }
}

fn truths(with_true: bool, with_false: bool) -> Set {
    Set::numbers(i128::from(!with_false), i128::from(with_true))
}

fn can_equal((shape, a): Argument, (_, b): Argument) -> bool {
    shape == Shape::Other || a.meets(b)
}

fn must_equal((shape, a): Argument, (_, b): Argument) -> bool {
    shape != Shape::Other && a.is_single() && a == b
}

/// Operators with bounds of their own: their set, or `Some(None)` where it is not bounded.
fn bounded(op: &Op, args: &[Argument]) -> Option<Option<Set>> {
    let set = |at: usize| args[at].1;
    let width = match args.first().map(|arg| arg.0) {
        Some(Shape::Bits(width)) => width,
        _ => 0,
    };
    let greatest = |width: u32| (1i128 << width) - 1;
    Some(match op {
        Op::BvAdd => modulo(set(0).low + set(1).low, set(0).high + set(1).high, width),
        Op::BvSub => modulo(set(0).low - set(1).high, set(0).high - set(1).low, width),
        Op::BvMul => {
            let high = set(0).high.checked_mul(set(1).high).filter(|high| *high <= greatest(width));
            high.map(|high| Set::numbers(set(0).low * set(1).low, high))
        }
        Op::BvUrem if set(1).contains(0) => Some(Set::numbers(0, set(0).high)),
        Op::BvUrem if set(0).high < set(1).low => Some(set(0)),
        Op::BvUrem => Some(Set::numbers(0, set(0).high.min(set(1).high - 1))),
        Op::BvShl => shifted_left(set(0), set(1), width),
        Op::BvAnd | Op::BvOr | Op::BvXor => Some(bitwise(op, set(0), set(1), width)),
        Op::Concat => Some(args.iter().fold(Set::numbers(0, 0), |whole, (shape, part)| {
            let width = if let Shape::Bits(width) = shape { *width } else { 0 };
            Set::numbers(whole.low << width | part.low, whole.high << width | part.high)
        })),
        Op::Extract { high, low } => modulo(set(0).low >> low, set(0).high >> low, high - low + 1),
        Op::FpNeg => Some(negated(set(0))),
        Op::FpAbs if set(0).low >= 0 || !set(0).has_numbers() => Some(set(0)),
        Op::FpAbs if set(0).high < 0 => Some(negated(set(0))),
        Op::FpAbs => Some(Set { low: 0, high: set(0).high.max(!set(0).low), ..set(0) }),
        Op::FpRem | Op::FpFmod => Some(remainder(op, set(0), set(1))),
        _ => return None,
    })
}

/// The numbers with the other sign: a rank's complement is the rank of the number with the other sign.
fn negated(set: Set) -> Set {
    if set.has_numbers() { Set { low: !set.high, high: !set.low, ..set } } else { set }
}

/// The numbers from `low` to `high` modulo 2^`width`, where they do not wrap around in between.
fn modulo(low: i128, high: i128, width: u32) -> Option<Set> {
    let modulus = 1i128 << width;
    let same = low.div_euclid(modulus) == high.div_euclid(modulus);
    same.then(|| Set::numbers(low.rem_euclid(modulus), high.rem_euclid(modulus)))
}

fn shifted_left(x: Set, by: Set, width: u32) -> Option<Set> {
    let most = u32::try_from(by.high).ok().filter(|most| *most < width)?;
    let greatest = (1i128 << width) - 1;
    (x.high <= greatest >> most).then(|| Set::numbers(x.low << by.low, x.high << most))
}

/// What is known of the bits above the highest one in which the bounds differ, and the bounds themselves.
fn bitwise(op: &Op, a: Set, b: Set, width: u32) -> Set {
    let all = (1u128 << width) - 1;
    let known = |set: Set| {
        let (low, high) = (set.low as u128, set.high as u128);
        let unknown = (1u128 << (128 - (low ^ high).leading_zeros())) - 1;
        (low & !unknown, !high & !unknown & all)
    };
    let ((a_ones, a_zeros), (b_ones, b_zeros)) = (known(a), known(b));
    let (ones, zeros) = match op {
        Op::BvAnd => (a_ones & b_ones, a_zeros | b_zeros),
        Op::BvOr => (a_ones | b_ones, a_zeros & b_zeros),
        _ => (a_ones & b_zeros | a_zeros & b_ones, a_ones & b_ones | a_zeros & b_zeros),
    };
    let by_bits = Set::numbers(ones as i128, (all & !zeros) as i128);
    match op {
        Op::BvAnd => Set { high: by_bits.high.min(a.high).min(b.high), ..by_bits },
        Op::BvOr => Set { low: by_bits.low.max(a.low).max(b.low), ..by_bits },
        _ => by_bits,
    }
}

/// Remainders are no greater than either operand in magnitude; that of C's fmod has the dividend's sign.
fn remainder(op: &Op, x: Set, y: Set) -> Set {
    let magnitude = |set: Set| if set.has_numbers() { set.high.max(!set.low) } else { 0 };
    let most = magnitude(x).min(magnitude(y));
    let (negative, positive) = match op {
        Op::FpFmod => (x.low < 0, x.high >= 0),
        _ => (true, true),
    };
    let numbers = Set::numbers(if negative { !most } else { 0 }, if positive { most } else { -1 });
    Set { nan: true, ..numbers }
}
