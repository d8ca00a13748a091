//! Operators whose value SMT-LIB leaves open for some arguments, made total.
//!
//! The standard lets an interpretation choose the value of `fp.min` and `fp.max` of zeros of different signs (either
//! zero), and of `fp.to_ubv` and `fp.to_sbv` of NaN, infinities and numbers that round out of range (any bit vector). The
//! choice is a *function*: equal arguments, equal values.
//!
//! **Claim.** An application f(a) becomes if-then-else of "f is specified at a", f(a), v with v a term over new variables.
//! An interpretation of f gives v a value; conversely values of the v's make an interpretation if they agree wherever
//! arguments do, which the new constraints say. For the zeros there are only two arguments at which a choice is free, so that
//! two Bool variables for each operator and format are the whole function.

use std::collections::BTreeMap;

use labrys_float::{Environment, Float, Format, RoundingMode};
use labrys_term::{Op, Sort, Store, TermId};
use num_bigint::BigInt;
use num_traits::{One, Zero};
use rustc_hash::FxHashMap;

use super::fresh::fresh;
use super::reconstruct::OpenValue;
use super::zero_sign::Unseen;

/// With so many earlier conversions each is compared: with all, a thousand of them were half a million constraints. What is left out can make a model wrong, which is seen where it is
/// evaluated, and no query unsatisfiable.
const MOST_COMPARED: usize = 48;

/// The format of the real numbers that stand for open values of `fp.to_real`.
///
/// What a query can say of such a number is how it compares with floats, with other such numbers (three for each
/// format), and with literals; and what it rounds to, which is how it compares with halves of ulps. All these compared
/// values are numbers of [`COMPARED`]. Between any two of them, and beyond the outermost, this format has more numbers
/// than there are open ones, so that whatever order real numbers could have, these can.
pub(super) const OPEN_REAL: Format = Format::new(18, 192);

/// The numbers that open real numbers are compared with; see [`OPEN_REAL`].
pub(super) const COMPARED: Format = Format::new(17, 184);

/// Whether a format's numbers, and those half-way between two of them, are in [`COMPARED`].
pub(super) fn is_comparable(format: Format) -> bool {
    format.exponent_bits() < COMPARED.exponent_bits() && format.precision() < COMPARED.precision()
}

/// The open functions met so far.
#[derive(Clone, Debug, Default)]
pub(super) struct OpenFunctions {
    /// Minima and maxima that may give either zero.
    pub unseen: Unseen,
    /// Values of minima and maxima: of −0 and +0, of +0 and −0.
    zeros: FxHashMap<(Op, Format), [TermId; 2]>,
    /// Conversions to integers: rounding mode, argument, value.
    integers: FxHashMap<(Op, Format), Vec<[TermId; 3]>>,
    /// Values of `fp.to_real`: of +∞, −∞ and NaN.
    reals: FxHashMap<Format, [TermId; 3]>,
    ranges: BTreeMap<(Format, RoundingMode, u32, bool), [Float; 2]>,
    count: usize,
    /// Everything that a model must say.
    pub values: Vec<OpenValue>,
}

impl OpenFunctions {
    /// A minimum or maximum of two expanded terms.
    pub fn minimum(&mut self, store: &mut Store, op: &Op, args: [TermId; 2]) -> TermId {
        let plain = store.mk(op.clone(), &args);
        let Some(format) = store.float_format(args[0]) else { return plain };
        let is_free = args[0] == args[1] || args.iter().any(|&arg| is_never_zero(store, arg));
        if is_free || self.unseen.contains(&(op.clone(), format)) {
            return plain;
        }
        let [minus_first, plus_first] = self.zeros(store, op, format);
        let mut guards: Vec<TermId> = args.iter().map(|&arg| store.mk(Op::FpIsZero, &[arg])).collect();
        let same = store.mk(Op::Eq, &args);
        guards.push(store.not(same));
        let guard = store.and(&guards);
        let is_minus_first = store.mk(Op::FpIsNegative, &[args[0]]);
        let value = store.mk(Op::Ite, &[is_minus_first, minus_first, plus_first]);
        store.mk(Op::Ite, &[guard, value, plain])
    }

    fn zeros(&mut self, store: &mut Store, op: &Op, format: Format) -> [TermId; 2] {
        if let Some(&known) = self.zeros.get(&(op.clone(), format)) {
            return known;
        }
        let minus = store.float_const(Float::zero(format, true));
        let plus = store.float_const(Float::zero(format, false));
        let values = [[minus, plus], [plus, minus]].map(|args| {
            let choice = fresh(store, &mut self.count, "zero", Sort::Bool);
            let value = store.mk(Op::Ite, &[choice, minus, plus]);
            self.values.push(OpenValue { op: op.clone(), args: args.to_vec(), value });
            value
        });
        self.zeros.insert((op.clone(), format), values);
        values
    }

    /// A conversion of an expanded term to an integer; `constraints` grows by what makes its open value a function.
    pub fn integer(&mut self, store: &mut Store, op: &Op, args: [TermId; 2], constraints: &mut Vec<TermId>) -> TermId {
        let plain = store.mk(op.clone(), &args);
        let (Some(format), Sort::BitVec(width)) = (store.float_format(args[1]), store.sort(plain).clone()) else {
            return plain;
        };
        let guard = self.is_in_range(store, args, format, width, matches!(op, Op::FpToSigned(_)));
        if store.node(guard).op == Op::BoolConst(true) {
            return plain;
        }
        let value = fresh(store, &mut self.count, "integer", Sort::BitVec(width));
        let earlier = self.integers.entry((op.clone(), format)).or_default();
        for &[mode, argument, other] in earlier.iter().rev().take(MOST_COMPARED) {
            let same = [[mode, args[0]], [argument, args[1]], [other, value]].map(|pair| store.mk(Op::Eq, &pair));
            let same_args = store.and(&same[..2]);
            constraints.push(store.mk(Op::Implies, &[same_args, same[2]]));
        }
        earlier.push([args[0], args[1], value]);
        self.values.push(OpenValue { op: op.clone(), args: args.to_vec(), value });
        store.mk(Op::Ite, &[guard, plain, value])
    }

    /// The real number that an infinite or NaN term is, as a float of [`OPEN_REAL`]; `constraints` grows by its being
    /// finite.
    pub fn real(
        &mut self,
        store: &mut Store,
        argument: TermId,
        format: Format,
        constraints: &mut Vec<TermId>,
    ) -> TermId {
        let [plus, minus, nan] = match self.reals.get(&format) {
            Some(&known) => known,
            None => {
                let special = [Float::infinity(format, false), Float::infinity(format, true), Float::nan(format)];
                let values = special.map(|special| {
                    let number = fresh(store, &mut self.count, "real", Sort::Float(OPEN_REAL));
                    for class in [Op::FpIsNan, Op::FpIsInfinite] {
                        let is_special = store.mk(class, &[number]);
                        constraints.push(store.not(is_special));
                    }
                    let (argument, value) = (store.float_const(special), store.mk(Op::FpToReal, &[number]));
                    self.values.push(OpenValue { op: Op::FpToReal, args: vec![argument], value });
                    number
                });
                self.reals.insert(format, values);
                values
            }
        };
        let is_nan = store.mk(Op::FpIsNan, &[argument]);
        let is_negative = store.mk(Op::FpIsNegative, &[argument]);
        let infinite = store.mk(Op::Ite, &[is_negative, minus, plus]);
        store.mk(Op::Ite, &[is_nan, nan, infinite])
    }

    /// Whether the argument, rounded, is an integer that fits.
    fn is_in_range(
        &mut self,
        store: &mut Store,
        [mode, argument]: [TermId; 2],
        format: Format,
        width: u32,
        signed: bool,
    ) -> TermId {
        if let Op::RoundingModeConst(mode) = store.node(mode).op {
            return self.is_within(store, argument, (format, mode, width, signed));
        }
        let cases: Vec<TermId> = RoundingMode::ALL
            .iter()
            .map(|&candidate| {
                let literal = store.rounding_mode(candidate);
                let is_candidate = store.mk(Op::Eq, &[mode, literal]);
                let is_within = self.is_within(store, argument, (format, candidate, width, signed));
                store.and(&[is_candidate, is_within])
            })
            .collect();
        store.or(&cases)
    }

    fn is_within(&mut self, store: &mut Store, argument: TermId, key: (Format, RoundingMode, u32, bool)) -> TermId {
        if let Op::FloatConst(value) = &store.node(argument).op {
            let (format, mode, width, signed) = key;
            debug_assert_eq!(value.format(), format);
            let fits = Environment::default().to_integer(value, mode, width, signed).0.is_some();
            return store.bool_const(fits);
        }
        let [low, high] = self.ranges.entry(key).or_insert_with(|| range(key)).clone();
        let (low, high) = (store.float_const(low), store.float_const(high));
        let bounds = [store.mk(Op::FpLe, &[low, argument]), store.mk(Op::FpLe, &[argument, high])];
        store.and(&bounds)
    }
}

/// A literal that is not a zero: most minima have one.
fn is_never_zero(store: &Store, term: TermId) -> bool {
    matches!(&store.node(term).op, Op::FloatConst(value) if !value.is_zero())
}

/// The least and the greatest float that convert. Rounding is monotone, so that all between them do, and 0 does.
fn range((format, mode, width, signed): (Format, RoundingMode, u32, bool)) -> [Float; 2] {
    let fits = |ordinal: &BigInt| {
        let value = Float::from_ordinal(format, ordinal);
        Environment::default().to_integer(&value, mode, width, signed).0.is_some()
    };
    [true, false].map(|negative| {
        let infinity = Float::infinity(format, negative).ordinal().unwrap_or_default();
        // Invariant: `inside` fits, `outside` does not.
        let (mut inside, mut outside) = (BigInt::zero(), infinity);
        while (&outside - &inside).magnitude() > &num_bigint::BigUint::one() {
            let middle = (&inside + &outside) / 2;
            if fits(&middle) { inside = middle } else { outside = middle }
        }
        Float::from_ordinal(format, &inside)
    })
}
