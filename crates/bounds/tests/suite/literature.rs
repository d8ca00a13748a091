//! The literature's programs: their bounds are at most FPTaylor's.

use labrys_bounds::{Options, Outcome, bound};
use labrys_elementary::rug;
use labrys_formulas::Random;

use crate::observe::{error, evaluate};
use crate::random_terms::member;
use crate::source::Program;
use crate::table::TABLE;

#[test]
fn bounds_are_at_most_those_of_the_literature() {
    for (name, published, _) in TABLE {
        let program = Program::example(name);
        // The published bounds count elementary functions as correctly rounded.
        let options = Options { floats: 0, ..Options::default() };
        let Outcome::Proved(found) = bound(&program.request(), &options).expect("a valid request") else {
            panic!("{name}: nothing is proved")
        };
        assert!(found.upper <= published, "{name}: {:e} > {published:e}", found.upper);
        // What is proved is no more than the method's own maximum by the gap asked for, or a little.
        assert!(found.upper <= 1.05 * found.reached, "{name}: {:e}, {:e}", found.upper, found.reached);
    }
}

#[test]
fn errors_of_the_literatures_programs_are_within_their_bounds() {
    let mut random = Random::new(8);
    for (name, ..) in TABLE {
        let program = Program::example(name);
        for floats in [0, 4] {
            let options = Options { floats, ..Options::default() };
            let Outcome::Proved(found) = bound(&program.request(), &options).expect("a valid request") else {
                panic!("{name}: nothing is proved")
            };
            let result = program.paths[0].result;
            let mut largest = rug::Float::new(500);
            for _ in 0..1500 {
                let point: Vec<_> = program
                    .inputs
                    .iter()
                    .map(|input| (input.variable, member(&mut random, input.low, input.high)))
                    .collect();
                let values = evaluate(&program.store, &program.calls, &[result], &point, floats, &mut random);
                let (computed, exact) = values[&result].number();
                largest = largest.max(&error(computed, exact));
            }
            println!("{name} {floats}: {:.3e} of {:.3e}", largest.to_f64(), found.upper);
            assert!(largest <= found.upper, "{name}: {largest} > {:e}", found.upper);
            assert!(largest.to_f64() > 0.1 * found.upper, "{name}: {largest}, {:e}", found.upper);
        }
    }
}
