//! Values of symbolic execution against the processor: programs over every operation, format and rounding mode, run natively, on
//! known values and on terms that are evaluated afterwards. All three agree bit for bit, NaN payloads and exception flags
//! included.
//!
//! `LABRYS_RANDOM_PROGRAMS` sets the number of random programs (60), `LABRYS_RANDOM_SEED` the seed (0), for longer runs.
#![cfg(target_arch = "x86_64")]

mod native;
mod open;
mod program;
mod random;

use labrys_executor::{FloatValue, Path, Values};
use labrys_float::{Format, RoundingMode};
use labrys_interp::{ClassMask, Domain, FloatOperation, Int, Stop, ToInteger};
use labrys_term::{Evaluator, Model, Store, TermId, Value as TermValue};
use native::Native;
use num_traits::ToPrimitive;
use program::{Flags, Kind, Step, StraightLine, Value, execute};
use rand::SeedableRng;
use rand_pcg::Pcg64;

impl Flags for Values<'_> {
    fn set_rounding(&mut self, path: &mut Path, mode: u32) {
        assert!(path.environment.set_rounding(mode));
    }

    fn test(&mut self, path: &mut Path, mask: u32) -> Result<Int<TermId>, Stop> {
        self.test_exceptions(&path.environment, &Int::new(32, mask.into()))
    }

    fn clear(&mut self, path: &mut Path, mask: u32) -> Result<(), Stop> {
        self.clear_exceptions(&mut path.environment, &Int::new(32, mask.into()))
    }

    fn raise(&mut self, path: &mut Path, mask: u32) -> Result<(), Stop> {
        self.raise_exceptions(&mut path.environment, &Int::new(32, mask.into()))
    }

    fn next(&mut self, path: &mut Path, x: &FloatValue, y: &FloatValue) -> Result<FloatValue, Stop> {
        self.next_number(&mut path.environment, x, y).map(|(next, _)| next)
    }

    fn logb(&mut self, path: &mut Path, x: &FloatValue) -> Result<FloatValue, Stop> {
        self.logarithm_of_base(&mut path.environment, x)
    }

    fn ilogb(&mut self, path: &mut Path, x: &FloatValue) -> Result<Int<TermId>, Stop> {
        self.integral_logarithm(&mut path.environment, x).map(|(exponent, _)| exponent)
    }
}

fn setting(name: &str, default: u64) -> u64 {
    std::env::var(name).ok().and_then(|value| value.parse().ok()).unwrap_or(default)
}

fn name(slot: usize) -> String {
    format!("in{slot}")
}

/// A slot's encoding as an integer.
fn encoding(values: &mut Values<'_>, value: &Value<FloatValue, TermId>) -> Int<TermId> {
    match value {
        Value::Int(int) => int.clone(),
        Value::Float(float) => values.float_to_bits(float),
    }
}

/// All slots of a run on known values.
fn concrete(program: &StraightLine, inputs: &[u128]) -> Result<Vec<u128>, Stop> {
    let mut store = Store::new();
    let mut path = Path::new(store.bool_const(true));
    let mut values = Values::new(&mut store, true);
    let ints: Vec<Int<TermId>> =
        inputs.iter().zip(&program.kinds).map(|(&bits, kind)| Int::new(kind.bits(), bits)).collect();
    let slots = execute(&mut values, &mut path, program, &ints)?;
    let ints: Vec<Int<TermId>> = slots.iter().map(|value| encoding(&mut values, value)).collect();
    Ok(assigned(values.store, Model::new(), &ints))
}

/// The terms of all slots of a run on variables.
fn symbolic(store: &mut Store, program: &StraightLine) -> Result<Vec<Int<TermId>>, Stop> {
    let mut path = Path::new(store.bool_const(true));
    let mut values = Values::new(store, true);
    let inputs: Vec<Int<TermId>> =
        (0..program.inputs).map(|slot| values.input(&name(slot), program.kinds[slot].bits())).collect();
    let slots = execute(&mut values, &mut path, program, &inputs)?;
    Ok(slots.iter().map(|value| encoding(&mut values, value)).collect())
}

/// The terms' values under inputs.
fn evaluated(store: &Store, program: &StraightLine, terms: &[Int<TermId>], inputs: &[u128]) -> Vec<u128> {
    let mut model = Model::new();
    for (slot, &bits) in inputs.iter().enumerate() {
        let variable = store.find_variable(&name(slot)).unwrap();
        model.set(variable, TermValue::bit_vector(program.kinds[slot].bits(), bits));
    }
    assigned(store, model, terms)
}

/// The same under a model. What clang's code or libm may do in one way or another is done as the IR has it: those variables are zero.
fn assigned(store: &Store, mut model: Model, terms: &[Int<TermId>]) -> Vec<u128> {
    let symbols: Vec<TermId> = terms.iter().filter_map(|int| int.symbol().copied()).collect();
    model.complete(store, &symbols);
    let mut evaluator = Evaluator::new(store, &model);
    terms
        .iter()
        .map(|int| match (int.concrete(), int.symbol()) {
            (Some(known), _) => known,
            (None, Some(&term)) => match evaluator.value(term).unwrap() {
                TermValue::Bool(value) => u128::from(value),
                TermValue::BitVec { bits, .. } => bits.to_u128().unwrap(),
                other => panic!("{other:?}"),
            },
            (None, None) => unreachable!(),
        })
        .collect()
}

/// Says which step differs first, if one does.
fn difference(program: &StraightLine, native: &[u128], other: &[u128], what: &str) -> Option<String> {
    let slot = (0..native.len()).find(|&slot| native[slot] != other[slot])?;
    let step = slot.checked_sub(program.inputs).map(|index| program.steps[index]);
    let operands: Vec<String> =
        (0..slot).map(|slot| format!("{slot}: {:?} {:x}", program.kinds[slot], native[slot])).collect();
    Some(format!(
        "{what} slot {slot} {step:?}: native {:x}, here {:x}\n{}\n{}",
        native[slot],
        other[slot],
        operands.join("\n"),
        program.steps[..=slot.saturating_sub(program.inputs)]
            .iter()
            .enumerate()
            .map(|(index, step)| format!("  {} = {step:?}", index + program.inputs))
            .collect::<Vec<_>>()
            .join("\n")
    ))
}

/// Compares programs on inputs; the messages of those that disagree.
fn compare(programs: &[StraightLine], inputs: usize, seed: u64, with_terms: bool) -> Vec<String> {
    let native = Native::compile(programs);
    let mut wrong = Vec::new();
    for (index, program) in programs.iter().enumerate() {
        let mut random = Pcg64::seed_from_u64(seed.wrapping_mul(1_000_003) ^ index as u64);
        let mut store = Store::new();
        let terms = with_terms.then(|| symbolic(&mut store, program));
        for _ in 0..inputs {
            let inputs: Vec<u128> =
                program.kinds[..program.inputs].iter().map(|&kind| random::bits(&mut random, kind)).collect();
            let expected = native.run(index, program, &inputs);
            let mut found = match concrete(program, &inputs) {
                Ok(known) => difference(program, &expected, &known, "concrete"),
                // What is not modelled says so.
                Err(_) => None,
            };
            if let Some(Ok(terms)) = &terms {
                let values = evaluated(&store, program, terms, &inputs);
                found = found.or(difference(program, &expected, &values, "symbolic"));
            }
            if let Some(found) = found {
                wrong.push(found);
                break;
            }
        }
    }
    wrong
}

fn report(wrong: &[String]) {
    assert!(wrong.is_empty(), "{} wrong\n{}", wrong.len(), wrong[..wrong.len().min(25)].join("\n\n"));
}

/// Programs of one operation between a clearing and a reading of the flags, in every rounding mode.
fn single_operations() -> Vec<StraightLine> {
    let mut programs = Vec::new();
    let mut classes = Vec::new();
    let mut add = |kinds: Vec<Kind>, step: Step, mode: u32| {
        let mut program = StraightLine { inputs: kinds.len(), kinds, steps: Vec::new() };
        program.push(Step::SetRounding(mode));
        program.push(Step::ClearFlags(0x3d));
        program.push(step);
        program.push(Step::TestFlags(0x3d));
        programs.push(program);
    };
    for mode in [0, 0x400, 0x800, 0xc00] {
        for format in [Format::BINARY64, Format::BINARY32, Format::X87, Format::BINARY16] {
            let float = Kind::Float(format);
            for operation in random::operations(format) {
                let kinds = vec![float; operation.arity()];
                add(kinds, Step::Float(operation, [0, 1, 2].map(|slot: usize| slot.min(operation.arity() - 1))), mode);
            }
            for bits in [8, 16, 32, 64] {
                for signed in [false, true] {
                    add(vec![float], Step::ToInt(bits, signed, 0), mode);
                    add(vec![Kind::Int(bits)], Step::FromInt(format, signed, 0), mode);
                    if matches!(format, Format::BINARY32 | Format::BINARY64) {
                        add(vec![float], Step::Saturate(bits, signed, 0), mode);
                    }
                }
            }
            for mask in (0..10).map(|bit| 1 << bit).chain([3, 264, 504, 516, 144, 96, 768, 0x3fc]) {
                classes.push((float, ClassMask::from_bits_truncate(mask)));
            }
            if format != Format::BINARY16 {
                add(vec![float], Step::Round(0), mode);
                add(vec![float, Kind::Int(32)], Step::Scale(0, 1), mode);
                add(vec![float], Step::Fraction(0), mode);
                add(vec![float], Step::Exponent(0), mode);
                add(vec![float; 2], Step::Next(0, 1), mode);
                add(vec![float], Step::Logb(0), mode);
                add(vec![float], Step::Ilogb(0), mode);
            }
        }
    }
    for (float, mask) in classes {
        let mut program = StraightLine { inputs: 1, kinds: vec![float], steps: Vec::new() };
        program.push(Step::Class(mask, 0));
        programs.push(program);
    }
    programs
}

#[test]
fn operations_give_the_processors_bits_and_flags() {
    let programs = single_operations();
    let wrong = compare(&programs, setting("LABRYS_RANDOM_INPUTS", 600) as usize, 1, false);
    report(&wrong);
}

#[test]
fn terms_of_operations_give_the_processors_bits_and_flags() {
    let programs = single_operations();
    let wrong = compare(&programs, setting("LABRYS_RANDOM_INPUTS", 600) as usize / 6, 2, true);
    report(&wrong);
}

#[test]
fn random_programs_agree() {
    let seed = setting("LABRYS_RANDOM_SEED", 0);
    let mut random = Pcg64::seed_from_u64(seed);
    let count = setting("LABRYS_RANDOM_PROGRAMS", 60);
    let modelled = |program: &StraightLine| symbolic(&mut Store::new(), program).is_ok();
    let programs: Vec<StraightLine> = (0..count)
        .map(|index| random::program(&mut random, 12 + (index as usize % 5) * 8, index % 2 == 0, modelled))
        .collect();
    report(&compare(&programs, 20, seed, true));
}

#[test]
fn nearly_all_operations_are_modelled() {
    // A domain that refuses everything would agree, too.
    let modelled = single_operations().iter().filter(|program| symbolic(&mut Store::new(), program).is_ok()).count();
    assert!(modelled * 20 > single_operations().len() * 19, "{modelled}");
}

/// What a path's flags are after a division whose operands are inputs and calls with symbolic masks.
#[test]
fn symbolic_masks_do_what_known_ones_do() {
    const BITS: [u32; 5] = [1, 4, 8, 0x10, 0x20];
    let doubles = [0.0f64, 1.0, 3.0, f64::MAX, f64::MIN_POSITIVE, f64::NAN];
    let run = |values: &mut Values<'_>, inputs: [Int<TermId>; 5]| {
        let [a, b, set, mask, word] = inputs;
        let mut path = Path::new(values.store.bool_const(true));
        let [a, b] = [a, b].map(|bits| values.float_from_bits(&bits, Format::BINARY64));
        values.float_operation(&mut path, &program::place(), FloatOperation::Div, &[a, b]).unwrap();
        values.raise_exceptions(&mut path.environment, &set).unwrap();
        let first = values.test_exceptions(&path.environment, &mask).unwrap();
        values.set_exceptions(&mut path.environment, &mask, &word).unwrap();
        let second = values.test_exceptions(&path.environment, &Int::new(32, 0x3d)).unwrap();
        values.clear_exceptions(&mut path.environment, &word).unwrap();
        [first, second, values.test_exceptions(&path.environment, &Int::new(32, 0x3d)).unwrap()]
    };
    let mut store = Store::new();
    let mut values = Values::new(&mut store, true);
    let names = [("in0", 64), ("in1", 64), ("in2", 32), ("in3", 32), ("in4", 32)];
    let variables = names.map(|(name, bits)| values.input(name, bits));
    let terms = run(&mut values, variables);
    let program =
        StraightLine { inputs: 5, kinds: names.map(|(_, bits)| Kind::Int(bits)).to_vec(), ..StraightLine::default() };
    let mut random = Pcg64::seed_from_u64(3);
    let mut flags = || BITS.iter().filter(|_| random::coin(&mut random)).sum::<u32>();
    for a in doubles {
        for b in doubles {
            for _ in 0..20 {
                let inputs = [a.to_bits().into(), b.to_bits().into(), flags().into(), flags().into(), flags().into()];
                let mut known_store = Store::new();
                let mut values = Values::new(&mut known_store, true);
                let known: [Int<TermId>; 5] = std::array::from_fn(|index| Int::new(names[index].1, inputs[index]));
                let known = run(&mut values, known).map(|int| int.concrete().unwrap());
                assert_eq!(evaluated(&store, &program, &terms, &inputs), known, "{inputs:x?}");
            }
        }
    }
}

/// Whether a conversion is out of range is the same question of a term and of its value.
#[test]
fn conversions_out_of_range_are_told() {
    let mut random = Pcg64::seed_from_u64(4);
    for format in random::FORMATS {
        for (bits, signed) in [8, 16, 32, 64].into_iter().flat_map(|bits| [(bits, false), (bits, true)]) {
            let conversion = ToInteger { bits, signed, mode: Some(RoundingMode::TowardZero), saturating: false };
            let ask = |values: &mut Values<'_>, input: Int<TermId>| {
                let path = Path::new(values.store.bool_const(true));
                let value = values.float_from_bits(&input, format);
                values.is_out_of_range(&path.environment, conversion, &value).unwrap()
            };
            let mut store = Store::new();
            let mut values = Values::new(&mut store, false);
            let input = values.input(&name(0), format.width());
            let term = ask(&mut values, input);
            let program = StraightLine { inputs: 1, kinds: vec![Kind::Float(format)], ..StraightLine::default() };
            let mut seen = [false; 2];
            for _ in 0..200 {
                let input = random::float_bits(&mut random, format);
                let known = ask(&mut Values::new(&mut Store::new(), false), Int::new(format.width(), input));
                let known = known.concrete().unwrap();
                seen[known as usize] = true;
                assert_eq!(evaluated(&store, &program, std::slice::from_ref(&term), &[input]), [known], "{input:x}");
            }
            assert_eq!(seen, [true; 2]);
        }
    }
}

/// Figures, not a test: `cargo test --release -p labrys-executor --test values -- --ignored --nocapture speed`.
#[test]
#[ignore = "prints figures"]
fn speed() {
    const COUNT: u32 = 10_000_000;
    for reads_flags in [false, true] {
        let mut store = Store::new();
        let mut path = Path::new(store.bool_const(true));
        let mut values = Values::new(&mut store, reads_flags);
        let (mut sum, step) = (FloatValue::concrete(Format::BINARY64, 0), 0.1f64.to_bits());
        let step = FloatValue::concrete(Format::BINARY64, step.into());
        let start = std::time::Instant::now();
        for _ in 0..COUNT {
            sum = values.float_operation(&mut path, &program::place(), FloatOperation::Add, &[sum, step]).unwrap();
        }
        let rate = f64::from(COUNT) / start.elapsed().as_secs_f64() / 1e6;
        println!("flags {reads_flags}: {rate:.1} million additions a second, {sum:?}");
    }
    for choices in [10, 1000] {
        let mut store = Store::new();
        let mut path = Path::new(store.bool_const(true));
        let variables: Vec<TermId> =
            (0..choices + 1).map(|n| store.variable(&format!("c{n}"), labrys_term::Sort::Bool)).collect();
        for &variable in &variables[..choices] {
            path.choices.choose(&store, variable, 1, variable);
        }
        let start = std::time::Instant::now();
        let mut kept = Vec::new();
        for _ in 0..100_000 {
            let mut fork = path.clone();
            fork.choices.choose(&store, variables[choices], 1, variables[choices]);
            kept.push(fork);
        }
        let rate = kept.len() as f64 / start.elapsed().as_secs_f64() / 1e6;
        println!("{choices} choices: {rate:.2} million forks a second");
    }
}
