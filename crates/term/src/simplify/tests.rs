//! Every rule against the evaluator: random terms over tiny sorts, on all assignments of their variables where these
//! are few.

use std::collections::{BTreeMap, BTreeSet};

use labrys_float::{Float, Format, RoundingMode};
use labrys_formulas::Random;
use num_bigint::BigUint;
use num_rational::BigRational;

use super::rules::rules;
use super::*;
use crate::{Model, Op, Sort, Store, TermId, Value, VariableId, eval};

const NARROW: Format = Format::new(2, 3);
const WIDE: Format = Format::new(3, 4);

/// How many values a sort has.
fn count(sort: &Sort) -> usize {
    match sort {
        Sort::Bool => 2,
        Sort::BitVec(width) => 1 << width,
        Sort::Float(format) => 1 << format.width(),
        Sort::RoundingMode => 5,
        Sort::Real => 9,
        Sort::Array(_) => unreachable!("there are no rules of arrays"),
    }
}

fn nth(sort: &Sort, n: usize) -> Value {
    match sort {
        Sort::Bool => Value::Bool(n == 1),
        Sort::BitVec(width) => Value::bit_vector(*width, n),
        Sort::Float(format) => Value::float(Float::from_bits(*format, n)),
        Sort::RoundingMode => Value::RoundingMode(RoundingMode::ALL[n]),
        Sort::Real => Value::Real(BigRational::from_integer((n as i64 - 4).into())),
        Sort::Array(_) => unreachable!("there are no rules of arrays"),
    }
}

/// A literal that rules ask for.
fn special(store: &mut Store, sort: &Sort, random: &mut Random) -> TermId {
    let value = match sort {
        Sort::BitVec(width) => {
            let ones = (BigUint::from(1u8) << width) - 1u8;
            let value = match random.below(6) {
                0 => BigUint::ZERO,
                1 => BigUint::from(1u8),
                2 => ones,
                3 => ones >> 1,
                4 => BigUint::from(1u8) << random.below(*width as usize),
                _ => BigUint::from(random.below(1 << width)),
            };
            Value::bit_vector(*width, value)
        }
        Sort::Float(format) => {
            let negative = random.below(2) == 0;
            let two = Float::from_rational(*format, &BigRational::from_integer(2.into()), RoundingMode::NearestEven);
            let positive = match random.below(6) {
                0 => Float::zero(*format, false),
                1 => Float::one(*format),
                2 => Float::infinity(*format, false),
                3 => Float::nan(*format),
                4 => two,
                _ => Float::from_bits(*format, random.below(1 << format.width())),
            };
            Value::float(if negative { positive.neg() } else { positive })
        }
        sort => nth(sort, random.below(count(sort))),
    };
    store.literal(&value).expect("no array")
}

/// Operators to grow terms by, with indices that fit the sorts; slices get theirs later.
#[rustfmt::skip]
fn operators() -> Vec<Op> {
    vec![
        Op::Not, Op::And, Op::Or, Op::Xor, Op::Implies, Op::And,
        Op::Or, Op::BvNot, Op::BvNeg, Op::BvAnd, Op::BvOr, Op::BvXor,
        Op::BvAdd, Op::BvSub, Op::BvMul, Op::BvUdiv, Op::BvUrem, Op::BvSdiv,
        Op::BvSrem, Op::BvSmod, Op::BvShl, Op::BvLshr, Op::BvAshr, Op::BvUlt,
        Op::BvUle, Op::BvSlt, Op::BvSle, Op::Concat, Op::ZeroExtend(2), Op::SignExtend(2),
        Op::Extract { high: 0, low: 0 }, Op::FpAbs, Op::FpNeg, Op::FpAdd, Op::FpSub, Op::FpMul,
        Op::FpDiv, Op::FpFma, Op::FpSqrt, Op::FpRem, Op::FpFmod, Op::FpRoundToIntegral,
        Op::FpMin, Op::FpMax, Op::FpEq, Op::FpLt, Op::FpLe, Op::FpIsNormal,
        Op::FpIsSubnormal, Op::FpIsZero, Op::FpIsInfinite, Op::FpIsNan, Op::FpIsNegative, Op::FpIsPositive,
        Op::FpFromBits(NARROW), Op::FpFromFloat(WIDE), Op::FpFromFloat(NARROW), Op::FpFromSigned(WIDE), Op::FpFromUnsigned(WIDE), Op::FpToSigned(3),
        Op::FpToUnsigned(3), Op::FpToBits, Op::Eq, Op::Ite, Op::Eq, Op::Ite,
        Op::Distinct, Op::RealNeg, Op::RealAbs, Op::RealAdd, Op::RealMul, Op::RealLt,
        Op::RealLe, Op::FpIsNan, Op::FpNeg,
    ]
}

/// Terms by sort.
struct Terms(BTreeMap<Sort, Vec<TermId>>);

impl Terms {
    fn leaves(store: &mut Store) -> Terms {
        let sorts = [
            Sort::Bool,
            Sort::BitVec(1),
            Sort::BitVec(3),
            Sort::BitVec(5),
            Sort::Float(NARROW),
            Sort::Float(WIDE),
            Sort::RoundingMode,
            Sort::Real,
        ];
        let mut terms = Terms(BTreeMap::new());
        for (i, sort) in sorts.into_iter().enumerate() {
            let variables = (0..2).map(|j| store.variable(&format!("v{i}{j}"), sort.clone())).collect();
            terms.0.insert(sort, variables);
        }
        let bit = |store: &mut Store, name, first: u8| {
            let condition = store.variable(name, Sort::Bool);
            let branches = [store.bv_const(1, first), store.bv_const(1, 1 - first)];
            store.mk(Op::Ite, &[condition, branches[0], branches[1]])
        };
        let bits = [bit(store, "v00", 1), bit(store, "v01", 0)];
        terms.0.entry(Sort::BitVec(1)).or_default().extend(bits);
        terms
    }

    fn pick(&self, store: &mut Store, random: &mut Random, sort: &Sort) -> TermId {
        if random.below(4) == 0 {
            return special(store, sort, random);
        }
        match self.0.get(sort) {
            Some(terms) if random.below(3) > 0 => terms[terms.len() - 1 - random.below(terms.len().min(3))],
            Some(terms) => terms[random.below(terms.len())],
            None => special(store, sort, random),
        }
    }

    fn any_sort(&self, random: &mut Random) -> Sort {
        self.0.keys().nth(random.below(self.0.len())).expect("below the length").clone()
    }

    fn sort_where(&self, random: &mut Random, wanted: impl Fn(&Sort) -> bool) -> Sort {
        let sorts: Vec<&Sort> = self.0.keys().filter(|sort| wanted(sort)).collect();
        sorts[random.below(sorts.len())].clone()
    }

    /// One more term of a random operator.
    fn grow(&mut self, store: &mut Store, random: &mut Random) {
        let ops = operators();
        let op = ops[random.below(ops.len())].clone();
        let sorts = match &op {
            Op::Not => vec![Sort::Bool],
            Op::And | Op::Or => vec![Sort::Bool; 2 + random.below(2)],
            Op::Xor | Op::Implies => vec![Sort::Bool; 2],
            Op::Eq | Op::Distinct => vec![self.any_sort(random); 2],
            Op::Ite => {
                let sort = self.any_sort(random);
                vec![Sort::Bool, sort.clone(), sort]
            }
            Op::RealNeg | Op::RealAbs => vec![Sort::Real],
            Op::RealAdd | Op::RealMul | Op::RealLt | Op::RealLe => vec![Sort::Real; 2],
            Op::FpFromBits(format) => vec![Sort::BitVec(format.width())],
            Op::FpFromSigned(_) | Op::FpFromUnsigned(_) => {
                vec![Sort::RoundingMode, self.sort_where(random, |sort| matches!(sort, Sort::BitVec(_)))]
            }
            Op::FpFromFloat(_) | Op::FpToSigned(_) | Op::FpToUnsigned(_) | Op::FpSqrt | Op::FpRoundToIntegral => {
                vec![Sort::RoundingMode, self.sort_where(random, |sort| matches!(sort, Sort::Float(_)))]
            }
            Op::Concat => (0..2 + random.below(2))
                .map(|_| self.sort_where(random, |sort| matches!(sort, Sort::BitVec(width) if *width < 5)))
                .collect(),
            Op::BvNot | Op::BvNeg | Op::ZeroExtend(_) | Op::SignExtend(_) | Op::Extract { .. } => {
                vec![self.sort_where(random, |sort| matches!(sort, Sort::BitVec(_)))]
            }
            op if format!("{op:?}").starts_with("Bv") => {
                vec![self.sort_where(random, |sort| matches!(sort, Sort::BitVec(_))); 2]
            }
            op => {
                let float = self.sort_where(random, |sort| matches!(sort, Sort::Float(_)));
                let floats = match op {
                    Op::FpFma => 3,
                    Op::FpAdd | Op::FpSub | Op::FpMul | Op::FpDiv | Op::FpRem | Op::FpFmod => 2,
                    Op::FpMin | Op::FpMax | Op::FpEq | Op::FpLt | Op::FpLe => 2,
                    _ => 1,
                };
                let rounds = matches!(op, Op::FpAdd | Op::FpSub | Op::FpMul | Op::FpDiv | Op::FpFma);
                rounds.then_some(Sort::RoundingMode).into_iter().chain(vec![float; floats]).collect()
            }
        };
        let mut args: Vec<TermId> = sorts.iter().map(|sort| self.pick(store, random, sort)).collect();
        if args.len() >= 2 && sorts[args.len() - 2] == sorts[args.len() - 1] && random.below(6) == 0 {
            args[sorts.len() - 1] = args[sorts.len() - 2];
        }
        if op == Op::Ite
            && random.below(3) == 0
            && let Some([a, b]) = shape::operands(store, args[0], &Op::Eq)
        {
            (args[1], args[2]) = (a, b);
        }
        if matches!(op, Op::Eq | Op::BvUlt | Op::BvUle | Op::BvSlt | Op::BvSle) && random.below(6) == 0 {
            args = self.products(store, random);
        }
        let op = match (op, store.sort(args[0])) {
            (Op::Extract { .. }, Sort::BitVec(width)) => {
                let low = random.below(*width as usize) as u32;
                Op::Extract { high: low + random.below((*width - low) as usize) as u32, low }
            }
            (op, _) => op,
        };
        let term = store.mk(op, &args);
        let sort = store.sort(term).clone();
        if !matches!(sort, Sort::BitVec(width) if width > 10) && store.reachable(&[term]).len() < 14 {
            self.0.entry(sort).or_default().push(term);
        }
    }
}

impl Terms {
    /// Two products with a common factor, exact or not.
    fn products(&self, store: &mut Store, random: &mut Random) -> Vec<TermId> {
        let by = 1 + random.below(4) as u32;
        let [a, b, common] = [(); 3].map(|()| {
            let factor = self.pick(store, random, &Sort::BitVec(3));
            store.mk(Op::ZeroExtend(by), &[factor])
        });
        [[a, common], [common, b]].map(|factors| store.mk(Op::BvMul, &factors)).to_vec()
    }
}

/// The models to compare two terms on: all, if they are few.
fn models(store: &Store, terms: &[TermId], random: &mut Random) -> Vec<Model> {
    let variables = store.free_variables(terms);
    let sizes: Vec<usize> = variables.iter().map(|variable| count(store.variable_info(*variable).1)).collect();
    let total = sizes.iter().try_fold(1usize, |total, size| total.checked_mul(*size)).unwrap_or(usize::MAX);
    let model = |mut code: usize| {
        let mut value = |(variable, size): (&VariableId, &usize)| {
            let value = nth(store.variable_info(*variable).1, code % size);
            code /= size;
            (*variable, value)
        };
        variables.iter().zip(&sizes).map(&mut value).collect::<Model>()
    };
    if total <= 256 { (0..total).map(model).collect() } else { (0..40).map(|_| model(random.below(total))).collect() }
}

fn assert_equal(store: &Store, name: &str, term: TermId, result: TermId, random: &mut Random) {
    assert_eq!(store.sort(term), store.sort(result), "{name}");
    for model in models(store, &[term, result], random) {
        if let Ok(value) = eval(store, term, &model) {
            let simple = eval(store, result, &model);
            assert!(
                simple.as_ref().is_ok_and(|simple| simple.same(&value)),
                "{name}: {value:?} {simple:?} under {model:?}: {:?} {:?}",
                nodes(store, term),
                nodes(store, result),
            );
        }
    }
}

fn nodes(store: &Store, term: TermId) -> Vec<(TermId, &crate::Node)> {
    store.reachable(&[term]).into_iter().map(|term| (term, store.node(term))).collect()
}

/// Each rule alone and all together; and there is none that never matches.
#[test]
fn rules_keep_values() {
    let mut random = Random::new(0x9e37_79b9_7f4a_7c15);
    let mut matched: BTreeMap<&str, usize> = BTreeMap::new();
    let mut checked = BTreeSet::new();
    for _ in 0..2000 {
        let mut store = Store::new();
        let mut terms = Terms::leaves(&mut store);
        for _ in 0..40 {
            terms.grow(&mut store, &mut random);
        }
        let all: Vec<TermId> = terms.0.values().flatten().copied().collect();
        let mut simplifier = Simplifier::new();
        for term in all {
            let node = store.node(term);
            let Some(&first) = node.args.first() else { continue };
            let op = node.op.clone();
            for rule in rules(&op, &store.sort(first).clone()) {
                let Some(result) = rule.apply(&mut store, term) else { continue };
                let times = matched.entry(rule.name).or_default();
                *times += 1;
                // Common rules are not checked for ever.
                if *times < 200 || times.is_multiple_of(16) {
                    assert_equal(&store, rule.name, term, result, &mut random);
                }
            }
            let result = simplifier.term(&mut store, term);
            if random.below(4) == 0 {
                assert_equal(&store, "all", term, result, &mut random);
            }
            checked.insert(simplifier.term(&mut store, result) == result);
        }
    }
    let never: Vec<&str> = RULES
        .iter()
        .flat_map(|rules| rules.iter())
        .map(|rule| rule.name)
        .filter(|name| !matched.contains_key(name))
        .collect();
    assert!(never.is_empty(), "never matched: {never:?}");
    assert_eq!(checked, BTreeSet::from([true]), "simplified terms are simple");
}

#[test]
fn shared_and_deep_terms_take_linear_time() {
    let mut store = Store::new();
    let (p, v) = (store.variable("p", Sort::Bool), store.variable("v", Sort::BitVec(8)));
    let (mut deep, mut shared) = (p, v);
    for _ in 0..100_000 {
        deep = store.not(deep);
        shared = store.mk(Op::BvMul, &[shared, shared]);
    }
    let mut simplifier = Simplifier::new();
    assert_eq!(simplifier.term(&mut store, deep), p);
    assert_eq!(simplifier.term(&mut store, shared), shared);
    assert_eq!(simplifier.applied().collect::<Vec<_>>(), [("not-not", 1)], "p and ¬p are known then");
}

/// What is too great for a format becomes its greatest number in some modes, and that need not be an integer.
#[test]
fn converted_integers_are_rounded_again_where_the_greatest_number_is_no_integer() {
    let mut store = Store::new();
    let n = store.variable("n", Sort::BitVec(8));
    let mode = store.rounding_mode(RoundingMode::TowardZero);
    for (format, is_integral) in [(Format::new(2, 9), false), (Format::new(4, 8), true), (Format::new(4, 9), false)] {
        let converted = store.mk(Op::FpFromUnsigned(format), &[mode, n]);
        let rounded = store.mk(Op::FpRoundToIntegral, &[mode, converted]);
        let result = Simplifier::new().term(&mut store, rounded);
        assert_eq!(result == converted, is_integral, "{format:?}");
    }
}

/// A number shifted by itself is its sign, and a product with that is a choice: 84 bits of both, `bvsmulo` over them, took the
/// solver more than 10 s as a circuit.
#[test]
fn products_with_a_sign_are_no_products() {
    let mut store = Store::new();
    let x = store.variable("x", Sort::BitVec(84));
    let sign = store.mk(Op::BvAshr, &[x, x]);
    let wide = [x, sign].map(|factor| store.mk(Op::SignExtend(1), &[factor]));
    let product = store.mk(Op::BvMul, &wide);
    let gone = store.mk(Op::BvLshr, &[x, x]);
    let mut simplifier = Simplifier::new();
    let simple = simplifier.term(&mut store, product);
    assert!(store.reachable(&[simple]).iter().all(|term| store.node(*term).op != Op::BvMul));
    let zero = store.bv_const(84, 0u8);
    assert_eq!(simplifier.term(&mut store, gone), zero);
}
