//! Functions of the mathematical library: what they return and raise on sets, by the enclosures of `labrys-elementary`.

use std::cell::RefCell;
use std::rc::Rc;

use labrys_elementary::{Function, Range};
use labrys_float::{Flags, Format};
use labrys_solver::domain::FloatDomain;
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

type Key = (Function, SmallVec<[FloatDomain; 2]>);

/// Results and exceptions worked out so far: MPFR is slow beside everything else here.
#[derive(Clone, Debug, Default)]
pub(crate) struct Library {
    known: Rc<RefCell<FxHashMap<Key, (FloatDomain, Flags)>>>,
    /// Results lie at most so many floats from the correctly rounded ones; 0 for each function's own bound.
    ulps: u32,
}

/// How many results are remembered.
const MAX_KNOWN: usize = 1 << 16;

impl Library {
    /// A libm of so many ulps.
    pub fn new(ulps: u32) -> Library {
        Library { ulps, ..Library::default() }
    }

    /// What a call returns and raises, inexact left out.
    pub fn call(&self, function: Function, args: &[FloatDomain]) -> (FloatDomain, Flags) {
        let key: Key = (function, args.iter().copied().collect());
        if let Some(known) = self.known.borrow().get(&key) {
            return *known;
        }
        let result = self.compute(function, args);
        let mut known = self.known.borrow_mut();
        if known.len() < MAX_KNOWN {
            known.insert(key, result);
        }
        result
    }

    fn compute(&self, function: Function, args: &[FloatDomain]) -> (FloatDomain, Flags) {
        let format = args.first().map_or(Format::BINARY64, |arg| arg.format);
        if args.len() != function.arity() || args.iter().any(|arg| arg.format != format) {
            return (FloatDomain::top(format), Flags::NOTABLE);
        }
        let ulps = if self.ulps == 0 { function.ulps() } else { self.ulps.max(function.ulps()) };
        let mut result = FloatDomain::empty(format);
        let mut flags = Flags::empty();
        // Quiet NaNs give NaN and raise nothing, but where the other operand decides alone (pow, hypot).
        result.nan = args.iter().any(|arg| arg.nan);
        if result.nan && args.len() == 2 {
            result = FloatDomain::top(format);
        }
        let parts: Vec<Vec<Range>> = args.iter().map(ranges).collect();
        let mut add = |operands: &[Range]| {
            let image = labrys_elementary::image(function, operands, ulps);
            flags |= image.flags;
            result.nan |= image.nan;
            for range in &image.ranges {
                result = result.hull(&FloatDomain::between(range.low(), range.high()));
            }
        };
        match &parts[..] {
            [xs] => xs.iter().for_each(|x| add(std::slice::from_ref(x))),
            [xs, ys] => {
                for x in xs {
                    ys.iter().for_each(|y| add(&[x.clone(), y.clone()]));
                }
            }
            _ => return (FloatDomain::top(format), Flags::NOTABLE),
        }
        (result, flags & Flags::NOTABLE)
    }
}

/// The numbers of a set as ranges of consecutive floats.
fn ranges(set: &FloatDomain) -> Vec<Range> {
    let mut all = Vec::new();
    let mut push = |part: FloatDomain| {
        if let (Some(low), Some(high)) = (part.min_member(), part.max_member()) {
            all.extend(Range::new(low, high));
        }
    };
    let negative = set.clip(i128::MIN, -1);
    let positive = set.clip(0, i128::MAX);
    for half in [negative, positive] {
        let finite = crate::float::nonzero(&half);
        push(finite);
        push(FloatDomain { negative: None, positive: None, minus_infinity: false, plus_infinity: false, ..half });
        push(FloatDomain { negative: None, positive: None, minus_zero: false, plus_zero: false, ..half });
    }
    all
}
