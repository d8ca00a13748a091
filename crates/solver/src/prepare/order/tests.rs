//! The abstraction against enumeration of tiny formats, and what it is for.

use labrys_float::{Float, Format};
use labrys_formulas::Random;
use labrys_term::{Evaluator, Model, Op, Sort, Store, TermId, Value, VariableId};

use super::*;
use crate::prepare::reconstruct::Reconstruction;

/// 32 floats, 8 of them NaN.
const TINY: Format = Format::new(3, 2);

/// Random terms over three float variables and a Bool, of operators that classes may have.
fn conjuncts(store: &mut Store, random: &mut Random) -> Vec<TermId> {
    let mut floats: Vec<TermId> = ["x", "y", "z"].iter().map(|name| store.variable(name, Sort::Float(TINY))).collect();
    let mut truths = vec![store.variable("p", Sort::Bool)];
    for _ in 0..random.below(3) {
        let bits = random.below(1 << TINY.width()) as u32;
        floats.push(store.float_const(Float::from_bits(TINY, bits)));
    }
    // Some formulas change signs, some tell zeros apart, some do neither.
    let (kinds, classes) = ([4, 6][random.below(2)], [5, 7][random.below(2)]);
    for _ in 0..4 + random.below(12) {
        let (a, b, p) = (random.pick(&floats), random.pick(&floats), random.pick(&truths));
        match random.below(4) {
            0 | 1 => {
                let made = match random.below(kinds) {
                    0 => store.mk(Op::FpMin, &[a, b]),
                    1 => store.mk(Op::FpMax, &[a, b]),
                    2 | 3 => store.mk(Op::Ite, &[p, a, b]),
                    4 => store.mk(Op::FpNeg, &[a]),
                    _ => store.mk(Op::FpAbs, &[a]),
                };
                floats.push(made);
            }
            2 => {
                let relations = [Op::FpLt, Op::FpLe, Op::FpEq, Op::Eq];
                let relation = relations[random.below(if classes == 7 { 4 } else { 3 })].clone();
                truths.push(store.mk(relation, &[a, b]));
            }
            _ => {
                let class = [
                    Op::FpIsZero,
                    Op::FpIsNan,
                    Op::FpIsInfinite,
                    Op::FpIsNormal,
                    Op::FpIsSubnormal,
                    Op::FpIsNegative,
                    Op::FpIsPositive,
                ][random.below(classes)]
                .clone();
                truths.push(store.mk(class, &[a]));
            }
        }
    }
    let count = 1 + random.below(4);
    (0..count)
        .map(|_| {
            let truth = random.pick(&truths);
            if random.below(2) == 0 { truth } else { store.not(truth) }
        })
        .collect()
}

/// The first of all assignments that satisfies the terms. Zeros' minima are `zeros`.
fn enumerate(store: &Store, terms: &[TermId], zeros: &Model) -> Option<Model> {
    let variables = store.free_variables(terms);
    let size = |variable: &VariableId| match store.variable_info(*variable).1 {
        Sort::Float(format) => 1u64 << format.width(),
        Sort::BitVec(width) => 1 << width,
        _ => 2,
    };
    let total: u64 = variables.iter().map(size).product();
    (0..total).find_map(|mut code| {
        let mut model = zeros.clone();
        for variable in &variables {
            let (bits, size) = (code % size(variable), size(variable));
            code /= size;
            model.set(
                *variable,
                match store.variable_info(*variable).1 {
                    Sort::Float(format) => Value::float(Float::from_bits(*format, bits)),
                    Sort::BitVec(width) => Value::bit_vector(*width, bits),
                    _ => Value::Bool(bits == 1),
                },
            );
        }
        let mut evaluator = Evaluator::new(store, &model);
        terms.iter().all(|&term| evaluator.holds(term) == Ok(true)).then_some(model)
    })
}

/// A choice of what minima and maxima of two zeros are.
fn zeros(choice: usize) -> Model {
    let mut model = Model::new();
    for (i, op) in [Op::FpMin, Op::FpMin, Op::FpMax, Op::FpMax].into_iter().enumerate() {
        let args = [i % 2 == 0, i % 2 == 1].map(|negative| Value::Float(Float::zero(TINY, negative)));
        let value = Value::Float(Float::zero(TINY, choice >> i & 1 == 1));
        model.set_open(op, args.to_vec(), value);
    }
    model
}

#[test]
fn random_orders_over_a_tiny_format_agree_with_enumeration() {
    let mut random = Random::new(0x9e37_79b9_7f4a_7c15);
    let (mut abstracted_ones, mut satisfiable) = (0, 0);
    for formula in 0..300 {
        let mut store = Store::new();
        let terms = conjuncts(&mut store, &mut random);
        // What sees a minimum's zero is not the abstraction's business.
        let unseen = crate::prepare::zero_sign::unseen(&store, &terms);
        if !crate::prepare::zero_sign::is_unseen(&store, &terms, &all_choices()) {
            continue;
        }
        let (mut count, mut steps) = (0, Vec::new());
        let Some(words) = abstracted(&mut store, &terms, &mut count, &mut steps) else { continue };
        let width: u32 = store.free_variables(&words).iter().map(|v| bits(&store, *v)).sum();
        if width > 14 {
            continue;
        }
        abstracted_ones += 1;
        let open = zeros(random.below(16));
        let original = enumerate(&store, &terms, &open);
        let found = enumerate(&store, &words, &zeros(random.below(16)));
        assert_eq!(found.is_some(), original.is_some(), "formula {formula}");
        let Some(found) = found else { continue };
        satisfiable += 1;
        let way = Reconstruction { after: steps, unseen: unseen.into_iter().collect(), ..Reconstruction::default() };
        let mut back = way.model(&store, found);
        back.complete(&store, &terms);
        let mut evaluator = Evaluator::new(&store, &back);
        assert!(terms.iter().all(|&term| evaluator.holds(term) == Ok(true)), "formula {formula}: not a model");
    }
    assert!(
        abstracted_ones > 40 && satisfiable > 20 && satisfiable < abstracted_ones,
        "{abstracted_ones}, {satisfiable}"
    );
}

fn all_choices() -> crate::prepare::zero_sign::Unseen {
    [Op::FpMin, Op::FpMax].into_iter().map(|op| (op, TINY)).collect()
}

fn bits(store: &Store, variable: VariableId) -> u32 {
    match store.variable_info(variable).1 {
        Sort::BitVec(width) => *width,
        Sort::Float(format) => format.width(),
        _ => 1,
    }
}

/// Floats that are added are no mere order, nor are those that are compared with them.
#[test]
fn arithmetic_keeps_its_floats() {
    let mut store = Store::new();
    let [x, y, z, u, v] = ["x", "y", "z", "u", "v"].map(|name| store.variable(name, Sort::Float(Format::BINARY64)));
    let mode = store.rounding_mode(labrys_float::RoundingMode::NearestEven);
    let sum = store.mk(Op::FpAdd, &[mode, x, y]);
    let one = store.float_const(Float::one(Format::BINARY64));
    let terms = [
        store.mk(Op::FpLt, &[sum, z]),
        store.mk(Op::FpLt, &[u, v]),
        store.mk(Op::FpLt, &[one, u]),
        store.mk(Op::FpLt, &[one, z]),
    ];
    let (mut count, mut steps) = (0, Vec::new());
    let words = abstracted(&mut store, &terms, &mut count, &mut steps).expect("u and v are only compared");
    assert_eq!(words[0], terms[0]);
    assert_eq!(words[3], terms[3]);
    let free = store.free_variables(&words);
    let kept = [x, y, z].map(|term| store.as_variable(term).expect("a variable"));
    assert!(kept.iter().all(|variable| free.contains(variable)));
    assert!([u, v].iter().all(|&term| !free.contains(&store.as_variable(term).expect("a variable"))));
    assert_eq!(steps.len(), 2);
    let (mut count, mut steps) = (0, Vec::new());
    assert!(abstracted(&mut store, &[terms[0], terms[3]], &mut count, &mut steps).is_none());
}
