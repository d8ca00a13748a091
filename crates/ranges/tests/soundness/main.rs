//! Whatever a concrete run raises, range analysis allows: random programs, executed on random inputs by the interpreter.

mod generator;

use generator::{double, program};
use labrys_float::{Environment, Flags, Float};
use labrys_formulas::Random;
use labrys_interp::{Int, Limits, Scalar, interpret};
use labrys_program::{FunctionId, LengthOptions, Program, map_parameters, parse_signature};
use labrys_ranges::{RangeOptions, Ranges, analyse, any_input};
use smallvec::smallvec;

/// Runs the program on inputs and compares; how many exceptions were raised, and how many pairs are excluded.
fn check(text: &str, program: &Program, options: &RangeOptions<'_>, random: &mut Random, seed: u64) -> (usize, usize) {
    let function = program.function("f").unwrap();
    let signature = parse_signature("double f(double x, double y, int n)", &LengthOptions::default()).unwrap();
    let binding = map_parameters(&signature, program, function).unwrap();
    let ranges = analyse(program, function, &binding, &signature, &any_input, options);
    assert_eq!(ranges.incomplete, None, "seed {seed}\n{text}");
    let mut raised = 0;
    for _ in 0..25 {
        let (x, y) = (double(random), double(random));
        let n = if random.below(4) == 0 { random.bits() as u32 } else { random.below(9) as u32 };
        raised += run(text, program, function, &ranges, (x, y, n), seed);
    }
    let excluded = ranges.sites.iter().map(|site| (site.site.operator.possible() - site.may_raise).bits().count_ones());
    (raised, excluded.sum::<u32>() as usize)
}

fn run(
    text: &str,
    program: &Program,
    function: FunctionId,
    ranges: &Ranges,
    input: (f64, f64, u32),
    seed: u64,
) -> usize {
    let (x, y, n) = input;
    let arguments = vec![
        smallvec![Scalar::float(Float::from_f64(x))],
        smallvec![Scalar::float(Float::from_f64(y))],
        smallvec![Scalar::int(Int::new(32, u128::from(n)))],
    ];
    let limits = Limits { instructions: 60_000, ..Limits::default() };
    let execution = interpret(program, function, arguments, &Environment::default(), &limits);
    for event in &execution.events {
        let name = &program.functions[event.function.index()].name;
        let matching = ranges.sites.iter().filter(|range| {
            range.site.function == *name
                && (range.site.block, range.site.instruction) == (event.block.0, event.instruction)
                && range.site.operator.to_string() == event.operator
        });
        let allowed =
            matching.filter(|range| range.is_reached).fold(Flags::empty(), |all, range| all | range.may_raise);
        let missed = (event.flags & Flags::NOTABLE) - allowed;
        assert!(
            missed.is_empty(),
            "seed {seed}: f({x:e}, {y:e}, {n}) raises {:?} at {name} block {} instruction {} ({})\n{text}",
            missed.names(),
            event.block.0,
            event.instruction,
            event.operator
        );
    }
    execution.events.len()
}

fn check_seeds(seeds: std::ops::Range<u64>, options: &RangeOptions<'_>) {
    let (mut raised, mut excluded) = (0, 0);
    for seed in seeds {
        let mut random = Random::new(seed);
        let text = program(&mut random);
        let loaded = if seed % 2 == 0 {
            Program::from_bytes(text.as_bytes(), "f.ll")
        } else {
            Program::from_bytes_promoted(text.as_bytes(), "f.ll")
        };
        let loaded = loaded.unwrap_or_else(|error| panic!("seed {seed}: {error}\n{text}"));
        let (more, out) = check(&text, &loaded, options, &mut random, seed);
        raised += more;
        excluded += out;
    }
    // The comparison means something only if there is something to compare.
    assert!(raised > 100 && excluded > 100, "{raised} raised, {excluded} excluded");
}

#[test]
fn unsplit_analysis_allows_what_runs_raise() {
    check_seeds(0..50, &RangeOptions { max_boxes: 1, loop_unroll: 3, ..RangeOptions::default() });
}

#[test]
fn split_analysis_allows_what_runs_raise() {
    check_seeds(1000..1015, &RangeOptions { max_boxes: 12, loop_unroll: 8, ..RangeOptions::default() });
}

#[test]
fn callees_analysed_for_larger_sets_of_states_allow_what_runs_raise() {
    check_seeds(3000..3025, &RangeOptions { max_boxes: 4, call_states: 1, ..RangeOptions::default() });
}
