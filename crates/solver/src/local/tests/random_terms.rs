//! The program, its distances and its changes against the exact evaluator, on random terms over all operators.

use labrys_formulas::{Shape, Terms};
use labrys_term::{Evaluator, Sort};

use super::super::allowed::Allowed;
use super::super::compile::{Compiled, compile};
use super::super::model::{model, value};
use super::super::program::Kind;
use super::super::random::Random;
use super::super::state::State;

/// The same with vectors of more than 64 bits.
pub(super) fn wide_shape(terms: usize) -> Shape {
    Shape { widths: vec![1, 8, 32, 64, 65, 80, 127, 128, 160, 192], widest: 192, ..shape(terms) }
}

/// Terms over the formats and widths that programs have, of every operator.
pub(super) fn shape(terms: usize) -> Shape {
    Shape {
        formats: vec![(3, 4), (5, 11), (8, 24), (11, 53)],
        widths: vec![1, 7, 16, 32, 64],
        widest: 64,
        terms: terms..=terms,
        open: true,
        variable_bits: u32::MAX,
        remainders: 64,
        ..Shape::tiny()
    }
}

#[test]
fn every_register_has_the_exact_evaluator_s_value() {
    let mut compared = 0u32;
    for seed in 0..120 {
        let shape = if seed < 60 { shape(150) } else { wide_shape(150) };
        let (grown, mut random) = (Terms::grown(seed, &shape), Random::new(seed));
        let roots = grown.of_sort(&Sort::Bool);
        let Compiled { program, registers } = compile(&grown.store, &roots).unwrap();
        if program.inputs.is_empty() {
            continue;
        }
        let mut state = State::new(&program);
        for round in 0..40 {
            // The last of a few changes is taken back, so that both ways are compared.
            for turn in 0..4 {
                let input = random.index(program.inputs.len());
                let kind = program.kinds[program.inputs[input].1 as usize];
                let value = Allowed::top(&kind).sample(&mut state.table, &mut random);
                let mark = state.mark();
                state.set(input, value);
                if turn == 3 {
                    state.undo(mark);
                }
            }
            let values: Vec<u64> =
                program.inputs.iter().map(|(_, register)| state.values[*register as usize]).collect();
            let model = model(&program, &values, &state.table);
            let mut evaluator = Evaluator::new(&grown.store, &model);
            for (term, register) in &registers {
                // Open values are the program's business.
                let Ok(expected) = evaluator.value(*term) else { continue };
                let bits = state.values[*register as usize];
                let ours = value(&program.kinds[*register as usize], bits, &state.table);
                let node = grown.store.node(*term);
                assert!(
                    ours == expected,
                    "seed {seed} round {round}: {:?} of {:?}: {ours:?}, {expected:?}",
                    node.op,
                    node.args
                );
                compared += 1;
            }
        }
    }
    assert!(compared > 200_000, "{compared}");
}

#[test]
fn distances_are_zero_exactly_at_the_truth_and_costs_are_their_sum() {
    for seed in 100..160 {
        let shape = if seed < 130 { shape(120) } else { wide_shape(120) };
        let (grown, mut random) = (Terms::grown(seed, &shape), Random::new(seed));
        let roots = grown.of_sort(&Sort::Bool);
        let Compiled { program, .. } = compile(&grown.store, &roots).unwrap();
        if program.inputs.is_empty() {
            continue;
        }
        let mut state = State::new(&program);
        for weight in &mut state.weights {
            *weight = 1.0 + random.below(5) as f64;
        }
        state.weigh();
        for _ in 0..200 {
            let input = random.index(program.inputs.len());
            let kind = program.kinds[program.inputs[input].1 as usize];
            let value = Allowed::top(&kind).sample(&mut state.table, &mut random);
            let mark = state.mark();
            state.set(input, value);
            for (register, kind) in program.kinds.iter().enumerate() {
                let [to_true, to_false] = state.distances[register];
                if *kind == Kind::Bool {
                    let truth = state.values[register] != 0;
                    assert_eq!(
                        (to_true == 0.0, to_false == 0.0),
                        (truth, !truth),
                        "{:?}",
                        program.instructions[register]
                    );
                    assert!(to_true >= 0.0 && to_false >= 0.0);
                }
            }
            if random.once_in(3) {
                state.undo(mark);
            }
            let cost = state.cost;
            state.weigh();
            assert!((cost - state.cost).abs() <= 1e-9 * (1.0 + cost), "{cost} {}", state.cost);
            let wrong: Vec<usize> = (0..program.assertions.len())
                .filter(|assertion| state.values[program.assertions[*assertion] as usize] == 0)
                .collect();
            let mut listed: Vec<usize> = state.violated().iter().map(|assertion| *assertion as usize).collect();
            listed.sort_unstable();
            assert_eq!(wrong, listed);
            if random.once_in(2) {
                let values = state.values.clone();
                state.refresh();
                assert_eq!(values, state.values);
            }
        }
    }
}
