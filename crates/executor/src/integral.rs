//! Floats that are integers, or multiples of a power of two, computed with as integers.
//!
//! Sums, products and remainders of such numbers are exact as long as they have no more bits than a significand. Circuits of
//! float operations do not show that; those of integers have nothing to round.
//!
//! **Claim.** The rewritten conjuncts have the same models as the given ones.
//!
//! **Argument.** Bounds of integers are read off the conjuncts that compare them with literals, which stay. Under these bounds a float term that
//! has a [`Fixed`] is the number n·2^s, with n within its bounds, up to the sign of zero, by induction: a converted integer of at most p bits is
//! exact; so is every result of at most p bits above the least subnormal number's place, in every rounding mode. Comparisons and conversions to
//! integers, which are what is replaced, do not tell zeros apart; divisors, which would, are literals that are not zero. Floats on a grid ([`crate::grid`]) are such numbers with
//! n = t·2^−s converted, which is exact; the conjuncts that say so stay.
//!
//! A sum, difference or product of such numbers that has more bits is n·2^s rounded. Rounding one way is monotone: of two such results in one mode the one of the greater
//! integer is not smaller, so that n ≤ m gives x ≤ y, n = m gives x = y, and x < y gives n < m, which is said beside the comparison itself.

use labrys_float::{Float, Format, RoundingMode};
use labrys_symex::{Range, signed_bounds};
use labrys_term::{Op, Sort, Store, TermId};
use num_bigint::BigUint;
use num_traits::ToPrimitive;
use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::SmallVec;

use crate::grid::{Grid, grids, power_of_two};

/// The widest integers that are made.
const MOST_BITS: u32 = 120;

/// A float term as n·2^scale.
#[derive(Clone, Copy, Debug)]
struct Fixed {
    /// A BitVec term, read as signed.
    n: TermId,
    low: i128,
    high: i128,
    scale: i64,
}

/// The conjuncts with comparisons of integers in the place of comparisons of such floats; `None` if there are none.
pub(crate) fn rewritten(store: &mut Store, conjuncts: &[TermId]) -> Option<Vec<TermId>> {
    let bounds = signed_bounds(store, conjuncts);
    let (grids, sources) = grids(store, conjuncts);
    let not_zero = conjuncts.iter().filter_map(|conjunct| not_zero(store, *conjunct)).collect();
    let mut rewriting = Rewriting {
        store,
        bounds,
        not_zero,
        ranges: FxHashMap::default(),
        fixed: FxHashMap::default(),
        grids,
        rounded: FxHashMap::default(),
        done: FxHashMap::default(),
    };
    let terms = rewriting.store.reachable(conjuncts);
    let mut has_replaced = false;
    for term in terms {
        let node = rewriting.store.node(term).clone();
        let args: SmallVec<[TermId; 4]> = node.args.iter().map(|arg| rewriting.done[arg]).collect();
        let replaced = rewriting.replaced(&node.op, &node.args, &node.sort);
        has_replaced |= replaced.is_some();
        let new = match replaced {
            Some(new) => new,
            None if args[..] == node.args[..] => term,
            None => rewriting.store.mk(node.op.clone(), &args),
        };
        rewriting.done.insert(term, new);
        match node.sort {
            Sort::BitVec(width) => {
                let range = rewriting.range(term, &node.op, &node.args, width);
                rewriting.ranges.insert(term, range);
            }
            Sort::Float(format) => {
                rewriting.read_float(term, &node.op, &node.args, format);
            }
            _ => {}
        }
    }
    let written = conjuncts.iter().map(|term| rewriting.done[term]);
    has_replaced.then(|| written.chain(sources).collect())
}

/// Whether there are operations among the terms that round.
pub(crate) fn rounds(store: &Store, conjuncts: &[TermId]) -> bool {
    let is_one = |term: &TermId| {
        matches!(
            store.node(*term).op,
            Op::FpAdd | Op::FpSub | Op::FpDiv | Op::FpFma | Op::FpSqrt | Op::FpRem | Op::FpFmod | Op::FpFromFloat(_)
        )
    };
    store.reachable(conjuncts).iter().any(is_one)
}

struct Rewriting<'a> {
    store: &'a mut Store,
    /// Of signed values, by the conjuncts.
    bounds: FxHashMap<TermId, Range>,
    /// Integers that are not zero.
    not_zero: FxHashSet<TermId>,
    /// Bounds of signed values; of integers that are too wide none.
    ranges: FxHashMap<TermId, Option<(i128, i128)>>,
    fixed: FxHashMap<TermId, Fixed>,
    /// Floats that conjuncts say are bounded multiples of powers of two.
    grids: FxHashMap<TermId, Grid>,
    /// Results that are an n·2^s rounded, and in which mode.
    rounded: FxHashMap<TermId, (Fixed, TermId)>,
    done: FxHashMap<TermId, TermId>,
}

/// The integer of which a conjunct says that it is not zero.
fn not_zero(store: &Store, conjunct: TermId) -> Option<TermId> {
    let Op::Not = store.node(conjunct).op else { return None };
    let node = store.node(store.node(conjunct).args[0]);
    let (Op::Eq, &[a, b]) = (&node.op, &node.args[..]) else { return None };
    let is_zero = |term: TermId| matches!(&store.node(term).op, Op::BitVecConst(value) if *value == BigUint::ZERO);
    match (is_zero(a), is_zero(b)) {
        (false, true) => Some(a),
        (true, false) => Some(b),
        _ => None,
    }
}

/// Bits of a signed integer between bounds.
fn bits(low: i128, high: i128) -> u32 {
    let of = |value: i128| 129 - if value < 0 { (!value).leading_zeros() } else { value.leading_zeros() };
    of(low).max(of(high))
}

/// Whether n·2^scale is a number of a format for every n between the bounds, with no more bits than a significand.
fn is_exact(format: Format, low: i128, high: i128, scale: i64) -> bool {
    let Some(most) = 1i128.checked_shl(format.precision()) else { return false };
    let within = low >= -most && high <= most;
    within && scale >= format.min_lsb_exponent() && scale + i64::from(format.precision()) + 1 < format.max_exponent()
}

/// A literal as n·2^scale with an odd n, or 0.
pub(crate) fn literal(value: &Float) -> Option<(i128, i64)> {
    let format = value.format();
    if value.is_nan() || value.is_infinite() {
        return None;
    }
    if value.is_zero() {
        return Some((0, 0));
    }
    let bits = value.abs().to_u128()?;
    let stored = format.stored_significand_bits();
    let (field, fraction) = (bits >> stored, bits & ((1 << stored) - 1));
    let hidden = if field != 0 && !format.has_explicit_leading_bit() { 1 << stored } else { 0 };
    let significand = (fraction | hidden) as i128;
    if significand == 0 {
        return None;
    }
    let lsb = (field.max(1) as i64) - format.max_exponent() - i64::from(format.precision()) + 1;
    let zeros = significand.trailing_zeros();
    let n = significand >> zeros;
    Some((if value.is_negative() { -n } else { n }, lsb + i64::from(zeros)))
}

impl Rewriting<'_> {
    /// The range of a BitVec term.
    fn range(&self, term: TermId, op: &Op, args: &[TermId], width: u32) -> Option<(i128, i128)> {
        if width > 64 {
            return None;
        }
        let all = (-(1i128 << (width - 1)), (1i128 << (width - 1)) - 1);
        let of = |index: usize| self.ranges.get(&args[index]).copied().flatten();
        let inside = |range: (i128, i128)| (range.0 >= all.0 && range.1 <= all.1).then_some(range);
        let built = match op {
            Op::BitVecConst(value) => value.to_u128().map(|value| {
                let shift = 128 - width;
                let value = ((value << shift) as i128) >> shift;
                (value, value)
            }),
            Op::SignExtend(_) => of(0),
            Op::ZeroExtend(by) => match of(0) {
                Some(range) if range.0 >= 0 => Some(range),
                _ if width > *by => Some((0, (1i128 << (width - by)) - 1)),
                _ => None,
            },
            Op::BvAdd => of(0).zip(of(1)).and_then(|(a, b)| inside((a.0 + b.0, a.1 + b.1))),
            Op::BvSub => of(0).zip(of(1)).and_then(|(a, b)| inside((a.0 - b.1, a.1 - b.0))),
            Op::BvMul => of(0).zip(of(1)).and_then(|(a, b)| inside(product(a, b))),
            Op::Ite => of(1).zip(of(2)).map(|(a, b)| (a.0.min(b.0), a.1.max(b.1))),
            _ => None,
        };
        let mut range = built.unwrap_or(all);
        if let Some((low, high)) = self.bounds.get(&term) {
            range = (range.0.max(*low), range.1.min(*high));
        }
        // Bounds that exclude everything are the conjuncts' contradiction; any range is right.
        Some(if range.0 <= range.1 { range } else { all })
    }

    fn of(&self, term: TermId) -> Option<Fixed> {
        self.fixed.get(&term).copied()
    }

    fn width(&self, term: TermId) -> u32 {
        match self.store.sort(term) {
            Sort::BitVec(width) => *width,
            _ => 1,
        }
    }

    /// An integer whose value fits, in another width.
    fn resized(&mut self, n: TermId, width: u32) -> TermId {
        let now = self.width(n);
        match now.cmp(&width) {
            std::cmp::Ordering::Equal => n,
            std::cmp::Ordering::Less => self.store.mk(Op::SignExtend(width - now), &[n]),
            std::cmp::Ordering::Greater => self.store.mk(Op::Extract { high: width - 1, low: 0 }, &[n]),
        }
    }

    fn number(&mut self, width: u32, value: i128) -> TermId {
        self.store.bv_const(width, (value as u128) & (u128::MAX >> (128 - width)))
    }

    /// The same number at a smaller scale.
    fn at(&mut self, fixed: Fixed, scale: i64) -> Option<Fixed> {
        let by = u32::try_from(fixed.scale - scale).ok().filter(|by| *by < MOST_BITS)?;
        if by == 0 {
            return Some(fixed);
        }
        let (low, high) = (fixed.low.checked_mul(1i128 << by)?, fixed.high.checked_mul(1i128 << by)?);
        let own = bits(fixed.low, fixed.high);
        let width = own + by;
        if width > MOST_BITS {
            return None;
        }
        // As a product, which sums are simplified with, where the factor has a place.
        let n = if own > 1 {
            let (n, factor) = (self.resized(fixed.n, width), self.number(width, 1i128 << by));
            self.store.mk(Op::BvMul, &[n, factor])
        } else {
            let (n, zeros) = (self.resized(fixed.n, own), self.number(by, 0));
            self.store.mk(Op::Concat, &[n, zeros])
        };
        Some(Fixed { n, low, high, scale })
    }

    /// Two numbers at one scale, in integers of one width that hold `more` bits more than each needs.
    fn aligned(&mut self, a: Fixed, b: Fixed, more: u32) -> Option<(Fixed, Fixed, u32)> {
        let scale = a.scale.min(b.scale);
        let (mut a, mut b) = (self.at(a, scale)?, self.at(b, scale)?);
        let width = bits(a.low.min(b.low), a.high.max(b.high)) + more;
        if width > MOST_BITS {
            return None;
        }
        a.n = self.resized(a.n, width);
        b.n = self.resized(b.n, width);
        Some((a, b, width))
    }

    /// Reads a float term as n·2^s, or as one that is rounded.
    fn read_float(&mut self, term: TermId, op: &Op, args: &[TermId], format: Format) {
        let made = self.fixed(op, args);
        let exact = made.filter(|fixed| is_exact(format, fixed.low, fixed.high, fixed.scale));
        if let Some(fixed) = exact.or_else(|| self.on_grid(term, format)) {
            self.fixed.insert(term, fixed);
        } else if let (Some(fixed), Op::FpAdd | Op::FpSub | Op::FpMul) = (made, op) {
            self.rounded.insert(term, (fixed, args[0]));
        }
    }

    /// A number on a grid.
    fn on_grid(&mut self, term: TermId, format: Format) -> Option<Fixed> {
        let Grid { scale, reach } = *self.grids.get(&term)?;
        let bits = u32::try_from(reach - scale).ok().filter(|bits| *bits <= format.precision())?;
        let (low, high) = (-(1i128 << bits), 1i128 << bits);
        let by = power_of_two(format, -scale)?;
        if !is_exact(format, low, high, scale) {
            return None;
        }
        let mode = self.store.rounding_mode(RoundingMode::TowardZero);
        let by = self.store.float_const(by);
        let scaled = self.store.mk(Op::FpMul, &[mode, self.done[&term], by]);
        let n = self.store.mk(Op::FpToSigned(bits + 2), &[mode, scaled]);
        Some(Fixed { n, low, high, scale })
    }

    /// What the comparison of two rounded numbers says beside itself, which is what it is made of already.
    fn rounded(&mut self, op: &Op, [a, b]: [TermId; 2]) -> Option<TermId> {
        let mode = [a, b].iter().find_map(|term| self.rounded.get(term)).map(|(_, mode)| *mode)?;
        let one_of = |term: TermId| match self.rounded.get(&term) {
            Some((fixed, own)) => (*own == mode).then_some(*fixed),
            None => self.of(term),
        };
        let (x, y) = (one_of(a)?, one_of(b)?);
        let (x, y, _) = self.aligned(x, y, 0)?;
        let itself = self.store.mk(op.clone(), &[self.done[&a], self.done[&b]]);
        let (of_integers, is_premise) = match op {
            Op::FpEq => (Op::Eq, true),
            Op::FpLe => (Op::BvSle, true),
            _ => (Op::BvSlt, false),
        };
        let of_integers = self.store.mk(of_integers, &[x.n, y.n]);
        Some(if is_premise { self.store.or(&[of_integers, itself]) } else { self.store.and(&[of_integers, itself]) })
    }

    /// A float term as n·2^s by its operands, before that is rounded.
    fn fixed(&mut self, op: &Op, args: &[TermId]) -> Option<Fixed> {
        match op {
            Op::FloatConst(value) => {
                let (n, scale) = literal(value)?;
                let term = self.number(bits(n, n), n);
                Some(Fixed { n: term, low: n, high: n, scale })
            }
            Op::FpFromSigned(_) | Op::FpFromUnsigned(_) => {
                let inner = args[1];
                let (mut low, mut high) = self.ranges.get(&inner).copied().flatten()?;
                let mut n = self.done[&inner];
                if matches!(op, Op::FpFromUnsigned(_)) && low < 0 {
                    let width = self.width(inner);
                    (low, high) = (0, (1i128 << width) - 1);
                    n = self.store.mk(Op::ZeroExtend(1), &[n]);
                }
                let n = self.resized(n, bits(low, high));
                Some(Fixed { n, low, high, scale: 0 })
            }
            Op::FpAdd | Op::FpSub => self.sum(*op == Op::FpSub, args),
            Op::FpMul => self.product(args),
            Op::FpDiv => {
                let (a, by) = (self.of(args[1])?, self.of(args[2])?);
                (by.low == 1 && by.high == 1).then_some(Fixed { scale: a.scale - by.scale, ..a })
            }
            Op::FpFmod => self.remainder(args),
            Op::FpNeg => {
                let a = self.of(args[0])?;
                let width = bits(-a.high, -a.low);
                let n = self.resized(a.n, width.max(self.width(a.n)));
                let n = self.store.mk(Op::BvNeg, &[n]);
                let n = self.resized(n, width);
                Some(Fixed { n, low: -a.high, high: -a.low, ..a })
            }
            Op::Ite => {
                let (a, b) = (self.of(args[1])?, self.of(args[2])?);
                let (a, b, _) = self.aligned(a, b, 0)?;
                let n = self.store.mk(Op::Ite, &[self.done[&args[0]], a.n, b.n]);
                Some(Fixed { n, low: a.low.min(b.low), high: a.high.max(b.high), scale: a.scale })
            }
            Op::FpFromFloat(_) => self.of(args[1]),
            Op::FpRoundToIntegral => self.of(args[1]).filter(|a| a.scale >= 0),
            _ => None,
        }
    }

    fn sum(&mut self, subtracts: bool, args: &[TermId]) -> Option<Fixed> {
        let (a, b) = (self.of(args[1])?, self.of(args[2])?);
        let (a, b, _) = self.aligned(a, b, 1)?;
        let op = if subtracts { Op::BvSub } else { Op::BvAdd };
        let n = self.store.mk(op, &[a.n, b.n]);
        let (low, high) = match subtracts {
            true => (a.low - b.high, a.high - b.low),
            false => (a.low + b.low, a.high + b.high),
        };
        Some(Fixed { n, low, high, scale: a.scale })
    }

    fn product(&mut self, args: &[TermId]) -> Option<Fixed> {
        let (a, b) = (self.of(args[1])?, self.of(args[2])?);
        let limit = 1i128 << 62;
        if [a.low, a.high, b.low, b.high].into_iter().any(|end| end.abs() > limit) {
            return None;
        }
        let (low, high) = product((a.low, a.high), (b.low, b.high));
        let width = bits(low, high).max(bits(a.low, a.high)).max(bits(b.low, b.high));
        if width > MOST_BITS {
            return None;
        }
        let factors = [self.resized(a.n, width), self.resized(b.n, width)];
        let n = self.store.mk(Op::BvMul, &factors);
        Some(Fixed { n, low, high, scale: a.scale + b.scale })
    }

    /// C's fmod, whose sign is the dividend's, a zero's too.
    fn remainder(&mut self, args: &[TermId]) -> Option<Fixed> {
        let (a, b) = (self.of(args[0])?, self.of(args[1])?);
        let is_apart = b.low > 0 || b.high < 0 || self.is_not_zero(args[1]);
        if !is_apart {
            return None;
        }
        let (a, b, _) = self.aligned(a, b, 0)?;
        let n = self.store.mk(Op::BvSrem, &[a.n, b.n]);
        let most = b.low.abs().max(b.high.abs()) - 1;
        let (low, high) = (if a.low < 0 { a.low.max(-most) } else { 0 }, if a.high > 0 { a.high.min(most) } else { 0 });
        Some(Fixed { n, low, high, scale: a.scale })
    }

    /// Whether a conjunct says that the integer that a float is made of is not zero.
    fn is_not_zero(&self, float: TermId) -> bool {
        let node = self.store.node(float);
        matches!(node.op, Op::FpFromSigned(_) | Op::FpFromUnsigned(_)) && self.not_zero.contains(&node.args[1])
    }

    /// What a comparison of floats or a conversion of one to an integer is, in integers.
    fn replaced(&mut self, op: &Op, args: &[TermId], sort: &Sort) -> Option<TermId> {
        match (op, args) {
            (Op::FpEq | Op::FpLt | Op::FpLe, &[a, b]) => {
                let (Some(a), Some(b)) = (self.of(a), self.of(b)) else { return self.rounded(op, [a, b]) };
                let (a, b, _) = self.aligned(a, b, 0)?;
                let op = match op {
                    Op::FpEq => Op::Eq,
                    Op::FpLt => Op::BvSlt,
                    _ => Op::BvSle,
                };
                Some(self.store.mk(op, &[a.n, b.n]))
            }
            (Op::FpIsNan | Op::FpIsInfinite, &[a]) => {
                self.of(a)?;
                Some(self.store.bool_const(false))
            }
            (Op::FpIsZero, &[a]) => {
                let a = self.of(a)?;
                let zero = self.number(self.width(a.n), 0);
                Some(self.store.mk(Op::Eq, &[a.n, zero]))
            }
            (Op::FpToSigned(_) | Op::FpToUnsigned(_), &[_, a]) => {
                let Sort::BitVec(width) = *sort else { return None };
                let a = self.of(a).filter(|a| a.scale >= 0)?;
                let a = self.at(a, 0)?;
                let fits = match op {
                    Op::FpToSigned(_) => bits(a.low, a.high) <= width,
                    _ => a.low >= 0 && bits(a.low, a.high) <= width + 1,
                };
                fits.then(|| self.resized(a.n, width))
            }
            _ => None,
        }
    }
}

/// The range of products.
fn product(a: (i128, i128), b: (i128, i128)) -> (i128, i128) {
    let corners = [a.0 * b.0, a.0 * b.1, a.1 * b.0, a.1 * b.1];
    let fold = |pick: fn(i128, i128) -> i128| corners.into_iter().fold(corners[0], pick);
    (fold(i128::min), fold(i128::max))
}

#[cfg(test)]
mod tests;
