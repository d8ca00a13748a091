//! Random formulas over every operator.
//!
//! A pool of terms begins with variables and literals and grows by operators on random members; the assertions are made of its last
//! formulas. In a guarded formula, values that the standard leaves open are kept out: fp.min and fp.max of zeros of different signs, and
//! conversions to integers out of range, stand in the branch of an if-then-else that is taken only where they are defined. An open formula
//! has them as they come, and arrays.

use std::sync::Arc;

use labrys_float::{Float, Format, RoundingMode};
use labrys_term::{Op, Sort, Store, TermId};
use num_bigint::BigUint;
use num_rational::BigRational;
use num_traits::One;
use rand::{Rng, RngExt, SeedableRng};
use rand_pcg::Pcg64;

/// Small enough to enumerate.
pub const TINY: [(u32, u32); 7] = [(2, 2), (2, 3), (3, 2), (3, 3), (3, 4), (2, 5), (4, 3)];

/// What other solvers take, too.
pub const COMMON: [(u32, u32); 4] = [(5, 11), (8, 24), (11, 53), (15, 113)];

/// A conjunction and its variables.
pub struct Formula {
    pub store: Store,
    pub assertions: Vec<TermId>,
    pub variables: Vec<TermId>,
}

/// What a formula may hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Flavour {
    /// What engines read.
    Guarded,
    /// What is prepared first.
    Open,
}

/// Makes the formula of a seed, with formats of a list and literals of bit vectors of at most `longest` bits.
pub fn formula(seed: u64, flavour: Flavour, formats: &[(u32, u32)], longest: u32) -> Formula {
    let mut random = Pcg64::seed_from_u64(seed);
    let mut formats: Vec<Format> = (0..2)
        .map(|_| formats[random.random_range(0..formats.len())])
        .map(|(exponent, significand)| Format::new(exponent, significand))
        .collect();
    formats.dedup();
    let mut maker = Maker { random, store: Store::new(), pool: Vec::new(), flavour, formats, longest };
    let variables = maker.variables();
    maker.literals();
    for _ in 0..maker.random.random_range(3..14) {
        maker.grow();
    }
    let assertions = maker.assertions();
    Formula { store: maker.store, assertions, variables }
}

/// Four elements of two bits.
fn array_sort() -> Sort {
    Sort::Array(Arc::new((Sort::BitVec(2), Sort::BitVec(2))))
}

struct Maker {
    random: Pcg64,
    store: Store,
    pool: Vec<TermId>,
    flavour: Flavour,
    formats: Vec<Format>,
    longest: u32,
}

impl Maker {
    fn below(&mut self, bound: usize) -> usize {
        self.random.random_range(0..bound)
    }

    /// Floats first; together few enough bits that tiny formats can be enumerated.
    fn variables(&mut self) -> Vec<TermId> {
        let mut sorts = vec![Sort::Float(self.formats[0])];
        if self.formats[0].width() <= 5 || self.longest > 8 {
            sorts.push(Sort::Float(*self.formats.last().expect("one or two formats")));
        }
        match self.below(4) {
            0 => sorts.push(Sort::RoundingMode),
            1 => sorts.push(Sort::BitVec(self.random.random_range(1..=self.longest.min(3)))),
            2 => sorts.push(Sort::Bool),
            _ if self.flavour == Flavour::Open => sorts.extend([array_sort(), Sort::BitVec(2)]),
            _ => {}
        }
        let named: Vec<TermId> = sorts
            .into_iter()
            .enumerate()
            .map(|(index, sort)| self.store.variable(&format!("v{index}"), sort))
            .collect();
        self.pool.extend_from_slice(&named);
        named
    }

    fn literals(&mut self) {
        for mode in RoundingMode::ALL {
            if self.below(3) == 0 {
                let mode = self.store.rounding_mode(mode);
                self.pool.push(mode);
            }
        }
        for format in self.formats.clone() {
            for _ in 0..=self.below(3) {
                let value = self.float(format);
                let literal = self.store.float_const(value);
                self.pool.push(literal);
            }
        }
        let width = self.random.random_range(1..=self.longest);
        let bits = self.random.next_u64() & (u64::MAX >> (64 - width.min(64)));
        let literal = self.store.bv_const(width, bits);
        self.pool.push(literal);
    }

    /// Half of them special, a quarter of small exponent, a quarter any encoding.
    fn float(&mut self, format: Format) -> Float {
        let negative = self.below(2) == 0;
        let value = match self.below(12) {
            0 => Float::zero(format, false),
            1 => Float::infinity(format, false),
            2 => Float::nan(format),
            3 => Float::max_finite(format),
            4 => Float::min_normal(format),
            5 => Float::min_subnormal(format),
            6..=8 => {
                let quarters = BigRational::new(self.random.random_range(0..40).into(), 4.into());
                Float::from_rational(format, &quarters, RoundingMode::NearestEven)
            }
            _ => {
                let width = format.width();
                let bits = (BigUint::from(self.random.next_u64()) << 64) + self.random.next_u64();
                Float::from_bits(format, bits % (BigUint::one() << width))
            }
        };
        // One NaN: others read as it, but are not its literal.
        let value = if value.is_nan() { Float::nan(format) } else { value };
        if negative && !value.is_nan() { value.neg() } else { value }
    }

    /// A member of the pool of a sort, later ones more often; a literal where there is none.
    fn member(&mut self, wanted: &Sort) -> TermId {
        let fitting: Vec<TermId> = self.pool.iter().copied().filter(|&term| self.store.sort(term) == wanted).collect();
        if fitting.is_empty() || self.below(12) == 0 {
            return match wanted {
                Sort::Float(format) => {
                    let value = self.float(*format);
                    self.store.float_const(value)
                }
                Sort::BitVec(width) => {
                    let bits = self.random.next_u64() & (u64::MAX >> (64 - (*width).min(64)));
                    self.store.bv_const(*width, bits)
                }
                Sort::RoundingMode => {
                    let mode = RoundingMode::ALL[self.below(RoundingMode::ALL.len())];
                    self.store.rounding_mode(mode)
                }
                Sort::Array(sorts) => {
                    let element = self.member(&sorts.1);
                    self.store.mk(Op::ConstArray(sorts.0.clone()), &[element])
                }
                _ => {
                    let value = self.below(2) == 0;
                    self.store.bool_const(value)
                }
            };
        }
        let (one, other) = (self.below(fitting.len()), self.below(fitting.len()));
        fitting[one.max(other)]
    }

    fn any_float(&mut self) -> (TermId, Format) {
        let index = self.below(self.formats.len());
        let format = self.formats[index];
        (self.member(&Sort::Float(format)), format)
    }

    fn any_bits(&mut self) -> (TermId, u32) {
        let widths: Vec<u32> = self
            .pool
            .iter()
            .filter_map(|&term| if let Sort::BitVec(width) = self.store.sort(term) { Some(*width) } else { None })
            .collect();
        let width = widths[self.below(widths.len())];
        (self.member(&Sort::BitVec(width)), width)
    }

    fn grow(&mut self) {
        let term = match self.below(16) {
            0..=4 => self.arithmetic(),
            5 => self.one_float(),
            6..=8 => self.predicate(),
            9 | 10 => self.conversion(),
            11 => self.integer(),
            12 => self.least_or_greatest(),
            13 => self.bits(),
            14 => self.core(),
            _ if self.flavour == Flavour::Open && self.below(2) == 0 => self.array(),
            _ => self.choice(),
        };
        self.pool.push(term);
    }

    /// A read, a write, an array that is one element everywhere.
    fn array(&mut self) -> TermId {
        let (index, element) = (self.member(&Sort::BitVec(2)), self.member(&Sort::BitVec(2)));
        let array = self.pool.iter().copied().rfind(|&term| *self.store.sort(term) == array_sort());
        match (array, self.below(3)) {
            (Some(array), 0) => self.store.mk(Op::Select, &[array, index]),
            (Some(array), 1) => self.store.mk(Op::StoreAt, &[array, index, element]),
            (Some(array), _) => {
                let constant = self.store.mk(Op::ConstArray(Sort::BitVec(2)), &[element]);
                self.store.mk(Op::Eq, &[array, constant])
            }
            (None, _) => self.store.mk(Op::ConstArray(Sort::BitVec(2)), &[element]),
        }
    }

    fn arithmetic(&mut self) -> TermId {
        let (a, format) = self.any_float();
        let sort = Sort::Float(format);
        let (mode, b) = (self.member(&Sort::RoundingMode), self.member(&sort));
        match self.below(9) {
            0 => self.store.mk(Op::FpAdd, &[mode, a, b]),
            1 => self.store.mk(Op::FpSub, &[mode, a, b]),
            2 => self.store.mk(Op::FpMul, &[mode, a, b]),
            3 => self.store.mk(Op::FpDiv, &[mode, a, b]),
            4 => {
                let c = self.member(&sort);
                self.store.mk(Op::FpFma, &[mode, a, b, c])
            }
            5 => self.store.mk(Op::FpSqrt, &[mode, a]),
            6 => self.store.mk(Op::FpRoundToIntegral, &[mode, a]),
            // The remainder's circuit is as long as the range of exponents.
            7 if format.width() <= 16 => self.store.mk(Op::FpFmod, &[a, b]),
            _ if format.width() <= 16 => self.store.mk(Op::FpRem, &[a, b]),
            _ => self.store.mk(Op::FpAdd, &[mode, b, b]),
        }
    }

    fn one_float(&mut self) -> TermId {
        let (a, _) = self.any_float();
        let op = if self.below(2) == 0 { Op::FpAbs } else { Op::FpNeg };
        self.store.mk(op, &[a])
    }

    fn predicate(&mut self) -> TermId {
        let (a, format) = self.any_float();
        let b = self.member(&Sort::Float(format));
        let unary = [
            Op::FpIsNormal,
            Op::FpIsSubnormal,
            Op::FpIsZero,
            Op::FpIsInfinite,
            Op::FpIsNan,
            Op::FpIsNegative,
            Op::FpIsPositive,
        ];
        match self.below(10) {
            0 | 1 => self.store.mk(Op::FpLt, &[a, b]),
            2 | 3 => self.store.mk(Op::FpLe, &[a, b]),
            4 | 5 => self.store.mk(Op::FpEq, &[a, b]),
            6 | 7 => self.store.mk(Op::Eq, &[a, b]),
            _ => {
                let op = unary[self.below(unary.len())].clone();
                self.store.mk(op, &[a])
            }
        }
    }

    fn conversion(&mut self) -> TermId {
        let mode = self.member(&Sort::RoundingMode);
        let index = self.below(self.formats.len());
        let target = self.formats[index];
        match self.below(5) {
            0 => {
                let (a, _) = self.any_float();
                self.store.mk(Op::FpFromFloat(target), &[mode, a])
            }
            1 => {
                let (bits, _) = self.any_bits();
                self.store.mk(Op::FpFromSigned(target), &[mode, bits])
            }
            2 => {
                let (bits, _) = self.any_bits();
                self.store.mk(Op::FpFromUnsigned(target), &[mode, bits])
            }
            3 => {
                let (a, _) = self.any_float();
                self.store.mk(Op::FpToBits, &[a])
            }
            _ => {
                let bits = self.member(&Sort::BitVec(target.width()));
                self.store.mk(Op::FpFromBits(target), &[bits])
            }
        }
    }

    /// The conversion, where the rounded value is in range.
    fn integer(&mut self) -> TermId {
        let (a, format) = self.any_float();
        let width = self.random.random_range(1..=self.longest);
        let mode = self.member(&Sort::RoundingMode);
        let signed = self.below(2) == 0;
        let op = if signed { Op::FpToSigned(width) } else { Op::FpToUnsigned(width) };
        let converted = self.store.mk(op, &[mode, a]);
        if self.flavour == Flavour::Open {
            return converted;
        }
        let limit = BigRational::from_integer((BigUint::one() << (width - u32::from(signed))).into());
        let mut bound = |value: BigRational, mode| {
            let bound = Float::from_rational(format, &value, mode);
            self.store.float_const(bound)
        };
        // A power of two is a value of the format, or beyond its largest: then infinity bounds what the other conjuncts allow.
        let high = bound(limit.clone(), RoundingMode::TowardPositive);
        let low = if signed {
            bound(-limit, RoundingMode::TowardNegative)
        } else {
            bound(BigRational::from_integer(0.into()), RoundingMode::TowardZero)
        };
        let rounded = self.store.mk(Op::FpRoundToIntegral, &[mode, a]);
        let infinite = self.store.mk(Op::FpIsInfinite, &[a]);
        let finite = self.store.not(infinite);
        let above = self.store.mk(Op::FpLe, &[low, rounded]);
        let below = self.store.mk(Op::FpLt, &[rounded, high]);
        let defined = self.store.and(&[finite, above, below]);
        let otherwise = self.member(&Sort::BitVec(width));
        self.store.mk(Op::Ite, &[defined, converted, otherwise])
    }

    /// The smaller or larger one, where not both are zeros.
    fn least_or_greatest(&mut self) -> TermId {
        let (a, format) = self.any_float();
        let b = self.member(&Sort::Float(format));
        let op = if self.below(2) == 0 { Op::FpMin } else { Op::FpMax };
        let chosen = self.store.mk(op, &[a, b]);
        if self.flavour == Flavour::Open {
            return chosen;
        }
        let (a_zero, b_zero) = (self.store.mk(Op::FpIsZero, &[a]), self.store.mk(Op::FpIsZero, &[b]));
        let zeros = self.store.and(&[a_zero, b_zero]);
        self.store.mk(Op::Ite, &[zeros, a, chosen])
    }

    fn bits(&mut self) -> TermId {
        let (a, width) = self.any_bits();
        let b = self.member(&Sort::BitVec(width));
        let binary = [
            Op::BvAnd,
            Op::BvOr,
            Op::BvXor,
            Op::BvAdd,
            Op::BvSub,
            Op::BvMul,
            Op::BvUdiv,
            Op::BvUrem,
            Op::BvSdiv,
            Op::BvSrem,
            Op::BvSmod,
            Op::BvShl,
            Op::BvLshr,
            Op::BvAshr,
            Op::BvUlt,
            Op::BvUle,
            Op::BvSlt,
            Op::BvSle,
        ];
        match self.below(8) {
            0 => self.store.mk(Op::BvNot, &[a]),
            1 => self.store.mk(Op::BvNeg, &[a]),
            2 if width * 2 <= self.longest * 2 => self.store.mk(Op::Concat, &[a, b]),
            3 => {
                let high = self.random.random_range(0..width);
                let low = self.random.random_range(0..=high);
                self.store.mk(Op::Extract { high, low }, &[a])
            }
            4 => self.store.mk(Op::ZeroExtend(2), &[a]),
            5 => self.store.mk(Op::SignExtend(3), &[a]),
            _ => {
                let op = binary[self.below(binary.len())].clone();
                self.store.mk(op, &[a, b])
            }
        }
    }

    fn core(&mut self) -> TermId {
        let (a, b, c) = (self.member(&Sort::Bool), self.member(&Sort::Bool), self.member(&Sort::Bool));
        match self.below(6) {
            0 => self.store.not(a),
            1 => self.store.mk(Op::And, &[a, b, c]),
            2 => self.store.mk(Op::Or, &[a, b, c]),
            3 => self.store.mk(Op::Xor, &[a, b]),
            4 => self.store.mk(Op::Implies, &[a, b]),
            _ => {
                let (x, format) = self.any_float();
                let (y, z) = (self.member(&Sort::Float(format)), self.member(&Sort::Float(format)));
                self.store.mk(Op::Distinct, &[x, y, z])
            }
        }
    }

    fn choice(&mut self) -> TermId {
        let condition = self.member(&Sort::Bool);
        let index = self.below(self.pool.len());
        let like = self.pool[index];
        let sort = self.store.sort(like).clone();
        let other = self.member(&sort);
        self.store.mk(Op::Ite, &[condition, like, other])
    }

    /// Comparisons of what the pool ends with, and formulas that it holds, some negated.
    fn assertions(&mut self) -> Vec<TermId> {
        let count = 1 + self.below(3);
        (0..count)
            .map(|_| {
                let truth = match self.below(3) {
                    0 => self.member(&Sort::Bool),
                    1 => self.predicate(),
                    _ => {
                        let back = self.below(self.pool.len().min(3));
                        let last = self.pool[self.pool.len() - 1 - back];
                        let sort = self.store.sort(last).clone();
                        let other = self.member(&sort);
                        self.store.mk(Op::Eq, &[last, other])
                    }
                };
                if self.below(3) == 0 { self.store.not(truth) } else { truth }
            })
            .collect()
    }
}
