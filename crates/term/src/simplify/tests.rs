use labrys_float::{Float, Format};
use num_rational::BigRational;
use proptest::prelude::*;

use super::*;

const DOUBLE: Sort = Sort::Float(Format::BINARY64);

/// Terms of four sorts, built from few leaves so that rules match often.
struct Terms {
    bools: Vec<TermId>,
    reals: Vec<TermId>,
    bits: Vec<TermId>,
    floats: Vec<TermId>,
}

impl Terms {
    fn leaves(store: &mut Store) -> Terms {
        let real = |store: &mut Store, n: i64| store.real_const(BigRational::from_integer(n.into()));
        Terms {
            bools: vec![store.variable("p", Sort::Bool), store.bool_const(true), store.bool_const(false)],
            reals: vec![store.variable("x", Sort::Real), real(store, 0), real(store, 1), real(store, -2)],
            bits: vec![store.variable("v", Sort::BitVec(3)), store.bv_const(3, 0u8), store.bv_const(3, 5u8)],
            floats: vec![
                store.variable("f", DOUBLE),
                store.float_const(Float::from_f64(-0.0)),
                store.float_const(Float::nan(Format::BINARY64)),
            ],
        }
    }

    fn grow(&mut self, store: &mut Store, kind: u8, i: u8, j: u8) {
        let at = |terms: &[TermId], i: u8| terms[terms.len() - 1 - i as usize % terms.len()];
        let (p, q) = (at(&self.bools, i), at(&self.bools, j));
        let (x, y) = (at(&self.reals, i), at(&self.reals, j));
        let (v, w) = (at(&self.bits, i), at(&self.bits, j));
        let (f, g) = (at(&self.floats, i), at(&self.floats, j));
        match kind % 32 {
            0 | 1 => self.bools.push(store.mk(Op::Not, &[p])),
            2 => self.bools.push(store.mk(Op::And, &[p, q])),
            3 => self.bools.push(store.mk(Op::Or, &[p, q, p])),
            4 => self.bools.push(store.mk(Op::Eq, &[p, q])),
            5 => self.bools.push(store.mk(Op::Ite, &[p, q, p])),
            6 => self.bools.push(store.mk(Op::RealLt, &[x, y])),
            7 => self.bools.push(store.mk(Op::RealLe, &[x, y])),
            8 => self.bools.push(store.mk(Op::BvUlt, &[v, w])),
            9 => self.bools.push(store.mk(Op::BvSle, &[v, w])),
            10 => self.bools.push(store.mk(Op::FpLt, &[f, g])),
            11 => self.bools.push(store.mk(Op::FpLe, &[f, g])),
            12 => self.bools.push(store.mk(Op::FpEq, &[f, g])),
            13 => self.bools.push(store.mk(Op::FpIsNan, &[f])),
            14 => self.bools.push(store.mk(Op::FpIsZero, &[f])),
            15 => self.bools.push(store.mk(Op::Eq, &[f, g])),
            16 => self.bools.push(store.mk(Op::Distinct, &[v, w])),
            17 => self.reals.push(store.mk(Op::RealNeg, &[x])),
            18 => self.reals.push(store.mk(Op::RealAbs, &[x])),
            19 => self.reals.push(store.mk(Op::RealAdd, &[x, y])),
            20 => self.reals.push(store.mk(Op::RealMul, &[x, y])),
            21 => self.reals.push(store.mk(Op::RealDiv, &[x, y])),
            22 => self.reals.push(store.mk(Op::Ite, &[p, x, y])),
            23 => self.bits.push(store.mk(Op::BvNot, &[v])),
            24 => self.bits.push(store.mk(Op::BvNeg, &[v])),
            25 => self.bits.push(store.mk(Op::BvAdd, &[v, w])),
            26 => self.floats.push(store.mk(Op::FpNeg, &[f])),
            27 => self.floats.push(store.mk(Op::FpAbs, &[f])),
            28 => self.floats.push(store.mk(Op::FpMin, &[f, g])),
            29 => self.bools.push(store.mk(Op::FpIsInfinite, &[f])),
            30 => self.bools.push(store.mk(Op::BvUle, &[v, w])),
            _ => self.bools.push(store.mk(Op::BvSlt, &[v, w])),
        }
    }

    fn all(&self) -> impl Iterator<Item = TermId> {
        [&self.bools, &self.reals, &self.bits, &self.floats].into_iter().flatten().copied()
    }
}

fn models(store: &mut Store) -> Vec<Model> {
    let names = [("p", Sort::Bool), ("x", Sort::Real), ("v", Sort::BitVec(3)), ("f", DOUBLE)];
    let variables = names.map(|(name, sort)| store.variable(name, sort));
    let floats = [0.0, -0.0, 1.5, -3.0, f64::NAN, f64::INFINITY, f64::NEG_INFINITY, 5e-324];
    let models = (0..8i32).map(|i| {
        let values = [
            Value::Bool(i % 2 == 0),
            Value::Real(BigRational::from_integer((i - 3).into())),
            Value::bit_vector(3, i as u32),
            Value::Float(Float::from_f64(floats[i as usize])),
        ];
        variables.iter().zip(values).map(|(&term, value)| (store.as_variable(term).unwrap(), value)).collect()
    });
    models.collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    /// Each rule alone, and all together, on random terms under models that cover the special values.
    #[test]
    fn rewriting_keeps_values(choices in prop::collection::vec((any::<u8>(), any::<u8>(), any::<u8>()), 1..40)) {
        let mut store = Store::new();
        let mut terms = Terms::leaves(&mut store);
        for (kind, i, j) in choices {
            terms.grow(&mut store, kind, i, j);
        }
        let models = models(&mut store);
        let mut simplifier = Simplifier::new();
        for term in terms.all() {
            let mut rewritten: Vec<(&str, TermId)> = vec![("all", simplifier.term(&mut store, term))];
            for (name, rule) in RULES {
                rewritten.extend(rule(&mut store, term).map(|result| (name, result)));
            }
            for (name, result) in rewritten {
                prop_assert_eq!(store.sort(term), store.sort(result), "{}", name);
                for model in &models {
                    if let Ok(value) = eval(&store, term, model) {
                        let simple = eval(&store, result, model);
                        prop_assert!(simple.as_ref().is_ok_and(|simple| simple.same(&value)), "{}: {:?} {:?}", name, value, simple);
                    }
                }
            }
        }
    }
}

/// No rule is dead: each matches its textbook example and gives the textbook result.
#[test]
fn each_rule_has_its_example() {
    let mut store = Store::new();
    let terms = Terms::leaves(&mut store);
    let (p, yes, no) = (terms.bools[0], terms.bools[1], terms.bools[2]);
    let (x, zero, one, f, v) = (terms.reals[0], terms.reals[1], terms.reals[2], terms.floats[0], terms.bits[1]);
    let q = store.variable("q", Sort::Bool);
    let not_p = store.not(p);
    let less = store.mk(Op::RealLt, &[x, one]);
    let at_least = store.mk(Op::RealLe, &[one, x]);
    let (p_and_q, minus) = (store.and(&[p, q]), store.mk(Op::RealNeg, &[x]));
    let negated = store.mk(Op::FpNeg, &[f]);
    let is_nan = store.mk(Op::FpIsNan, &[f]);
    let three = store.and(&[p, q, yes]);
    let flat = store.and(&[p, q, not_p]);
    let bits = store.mk(Op::BvNot, &[v]);
    let ones = store.bv_const(3, 7u8);
    let mut examples: Vec<(&str, TermId, TermId)> = vec![("constant-fold", bits, ones)];
    let mut example = |store: &mut Store, rule, op: Op, args: &[TermId], result| {
        let term = store.mk(op, args);
        examples.push((rule, term, result));
    };
    example(&mut store, "not-not", Op::Not, &[not_p], p);
    example(&mut store, "not-comparison", Op::Not, &[less], at_least);
    example(&mut store, "connective-units", Op::And, &[p, q, yes], p_and_q);
    example(&mut store, "connective-flatten", Op::And, &[p_and_q, not_p], flat);
    example(&mut store, "connective-duplicates", Op::And, &[p, q, p], p_and_q);
    example(&mut store, "connective-complement", Op::Or, &[p, q, not_p], yes);
    example(&mut store, "equal-to-itself", Op::Eq, &[f, f], yes);
    example(&mut store, "equal-to-truth", Op::Eq, &[no, p], not_p);
    example(&mut store, "ite-decided", Op::Ite, &[p, x, x], x);
    example(&mut store, "negation-twice", Op::RealNeg, &[minus], x);
    example(&mut store, "real-units", Op::RealAdd, &[zero, x], x);
    example(&mut store, "real-units", Op::RealMul, &[x, zero], zero);
    example(&mut store, "compare-with-itself", Op::FpLt, &[f, f], no);
    example(&mut store, "classify-negation", Op::FpIsNan, &[negated], is_nan);
    for (rule, _) in RULES {
        assert!(examples.iter().any(|(name, ..)| *name == rule), "{rule} has no example");
    }
    for (name, term, result) in examples {
        let (_, rule) = RULES.iter().find(|(rule, _)| *rule == name).unwrap();
        assert_eq!(rule(&mut store, term), Some(result), "{name}");
    }
    let mut simplifier = Simplifier::new();
    assert_eq!(simplifier.term(&mut store, three), p_and_q);
    assert_eq!(simplifier.applied().collect::<Vec<_>>(), [("connective-units", 1)]);
}

#[test]
fn depth_does_not_matter() {
    let mut store = Store::new();
    let p = store.variable("p", Sort::Bool);
    let mut term = p;
    for _ in 0..100_000 {
        term = store.not(term);
    }
    assert_eq!(Simplifier::new().term(&mut store, term), p);
}
