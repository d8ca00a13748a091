//! Going through all assignments: batches against single values, runs of encodings against membership, answers against
//! enumeration by the exact evaluator.

use labrys_float::{Format, Packed};
use labrys_formulas::{Formula, Shape, Terms};
use labrys_term::{Evaluator, Model, Sort, Store, TermId, Value};
use rustc_hash::FxHashMap;

use super::super::allowed::Allowed;
use super::super::batch::LANES;
use super::super::bounds::Bounds;
use super::super::compile::{Compiled, compile};
use super::super::exhaust::{Exhaust, Outcome};
use super::super::random::Random;
use super::super::ranges;
use super::super::segments::Segments;
use super::super::wide::Table;
use super::random_terms::shape;
use crate::Budget;
use crate::domain::{BitVecDomain, FloatDomain};

#[test]
fn batches_compute_what_single_instructions_do() {
    for seed in 200..230 {
        let (grown, mut random) = (Terms::grown(seed, &shape(180)), Random::new(seed));
        let roots = grown.of_sort(&Sort::Bool);
        let Compiled { program, .. } = compile(&grown.store, &roots).unwrap();
        let mut table = Table::new(&program.literals);
        let mut columns: Vec<_> = program.initial.iter().map(|value| [*value; LANES]).collect();
        for (_, register) in &program.inputs {
            let bounds = Bounds::top(&program.kinds[*register as usize]);
            columns[*register as usize].iter_mut().for_each(|lane| *lane = bounds.sample(&mut random));
        }
        (0..columns.len()).for_each(|register| program.compute_batch(register as u32, &mut columns));
        for lane in 0..LANES {
            let values: Vec<u64> = columns.iter().map(|column| column[lane]).collect();
            for register in 0..values.len() {
                let single = program.compute(register as u32, &values, &mut table);
                assert_eq!(single, values[register], "{:?}", program.instructions[register]);
            }
        }
    }
}

#[test]
fn segments_are_the_members() {
    let format = Format::new(3, 4);
    let packed = Packed::new(format).unwrap();
    let mut random = Random::new(7);
    for _ in 0..200 {
        let (low, high) = (random.below(64) as i128 - 32, random.below(64) as i128 - 32);
        let mut domain = FloatDomain::empty(format);
        domain.insert(low.min(high), low.max(high));
        domain.nan = random.once_in(2);
        let members = |bounds: &Bounds, width: u32| -> Vec<u64> {
            (0..1 << width)
                .filter(|value| bounds.contains(*value) && (width == 8 || packed.canonical(*value) == *value))
                .collect()
        };
        for (bounds, width) in [
            (Bounds::Float(packed, domain), 7),
            (Bounds::Bits(BitVecDomain::between(8, low.unsigned_abs(), low.unsigned_abs() + 9)), 8),
        ] {
            let segments = Segments::of(&bounds);
            let mut listed: Vec<u64> = (0..segments.count()).map(|place| segments.at(place)).collect();
            let mut filled = vec![0; 20];
            for start in 0..listed.len() {
                let new = segments.fill(start as u128, &mut filled);
                assert_eq!(new, 20.min(listed.len() - start));
                assert_eq!(filled[..new], listed[start..start + new]);
            }
            listed.sort_unstable();
            assert_eq!(listed, members(&bounds, width));
        }
    }
}

/// Whether some assignment of the variables satisfies the terms, by the exact evaluator; `None` where a value is open.
fn enumerate(store: &Store, assertions: &[TermId]) -> Option<bool> {
    let variables = store.free_variables(assertions);
    let values = |sort: &Sort| -> Vec<Value> {
        match sort {
            Sort::BitVec(width) => (0..1u64 << width).map(|bits| Value::bit_vector(*width, bits)).collect(),
            Sort::Float(format) => {
                let packed = Packed::new(*format).unwrap();
                (0..1 << format.width()).map(|bits| Value::float(packed.decode(bits))).collect()
            }
            Sort::RoundingMode => labrys_float::RoundingMode::ALL.map(Value::RoundingMode).into(),
            _ => vec![Value::Bool(false), Value::Bool(true)],
        }
    };
    let sets: Vec<Vec<Value>> = variables.iter().map(|variable| values(store.variable_info(*variable).1)).collect();
    let count: usize = sets.iter().map(Vec::len).product();
    let mut satisfiable = false;
    for mut place in 0..count {
        let mut model = Model::new();
        for (variable, set) in variables.iter().zip(&sets) {
            model.set(*variable, set[place % set.len()].clone());
            place /= set.len();
        }
        let mut evaluator = Evaluator::new(store, &model);
        let mut is_model = true;
        for assertion in assertions {
            match evaluator.holds(*assertion) {
                Ok(true) => {}
                Ok(false) => {
                    is_model = false;
                    break;
                }
                Err(_) => return None,
            }
        }
        satisfiable |= is_model;
    }
    Some(satisfiable)
}

#[test]
fn answers_are_enumeration_s() {
    let small = Shape { formats: vec![(3, 4), (2, 3)], terms: 10..=25, ..Shape::tiny() };
    let (mut sat, mut unsat) = (0, 0);
    for seed in 300..1_100 {
        let Formula { store, assertions, .. } = Formula::free(seed, &small);
        let Some(expected) = enumerate(&store, &assertions) else { continue };
        let Compiled { program, .. } = compile(&store, &assertions).unwrap();
        let mut bounds = FxHashMap::default();
        ranges::narrow(&program, &mut bounds);
        let domains: Vec<Allowed> = program
            .inputs
            .iter()
            .map(|(_, register)| match bounds.get(register) {
                Some(bounds) => bounds.clone(),
                None => Allowed::top(&program.kinds[*register as usize]),
            })
            .collect();
        let Some(mut exhaust) = Exhaust::new(&program, &domains) else { continue };
        // In slices, so that going on after a pause is tested too.
        let outcome = loop {
            match exhaust.run(&Budget::unlimited(), exhaust.computed + 3000) {
                Outcome::Paused => {}
                other => break other,
            }
        };
        match outcome {
            Outcome::Found(values) => {
                let model = super::super::model::model(&program, &values, &Table::new(&program.literals));
                let mut evaluator = Evaluator::new(&store, &model);
                assert!(assertions.iter().all(|assertion| evaluator.holds(*assertion) == Ok(true)));
                assert!(expected, "seed {seed}");
                sat += 1;
            }
            Outcome::None => {
                assert!(!expected, "seed {seed}: there is a model");
                unsat += 1;
            }
            other => panic!("{other:?}"),
        }
    }
    assert!(sat >= 50 && unsat >= 50, "{sat} satisfiable, {unsat} not");
}
