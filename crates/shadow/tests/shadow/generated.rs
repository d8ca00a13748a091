//! Random C programs: the shadow's own values are those of the compiled program, bit by bit.
//!
//! `LABRYS_RANDOM_PROGRAMS` sets the number of functions (4), `LABRYS_RANDOM_SEED` the seed (0), for longer runs.

use labrys_interp::precise::Marks;
use rand::{RngExt, SeedableRng, rngs::StdRng};

use crate::fixture::Source;
use crate::generator;

const CALLS: usize = 40;

fn setting(name: &str, default: u64) -> u64 {
    std::env::var(name).ok().and_then(|value| value.parse().ok()).unwrap_or(default)
}

/// The fields of the arguments in the order of the leaves, as bits.
fn record(layout: &labrys_program::InputLayout, arguments: &generator::Arguments) -> Vec<u8> {
    let generator::Arguments { x, y, s, n, m, v, w } = arguments;
    let mut bits = vec![x.to_bits(), y.to_bits(), u64::from(s.to_bits()), *n as u32 as u64, *m as u64];
    bits.extend(v.iter().map(|value| value.to_bits()));
    bits.extend(w.iter().map(|value| *value as u32 as u64));
    let mut record = vec![0; layout.size];
    for (leaf, bits) in layout.leaves.iter().zip(bits) {
        leaf.write(&mut record, u128::from(bits));
    }
    record
}

fn own_values_agree(flags: &[&str], first: u64, count: usize) -> (usize, usize) {
    let text = generator::file(first, count);
    let source = Source::of("clang-22", "f.c", &text, flags);
    let (mut compared, mut precise) = (0, 0);
    for index in 0..count {
        let prototype = format!("double f{index}(double x, double y, float s, int n, long m, double v[4], int w[4])");
        let mut subject = source.subject(&prototype);
        let layout = subject.signature.input_layout();
        let mut random = StdRng::seed_from_u64(first ^ index as u64);
        let inputs: Vec<Vec<u8>> = (0..CALLS)
            .map(|call| {
                let mut arguments = generator::arguments(&mut random);
                // Every other call has ordinary numbers: most others leave the range somewhere.
                if call % 2 == 1 {
                    let doubles = [&mut arguments.x, &mut arguments.y].into_iter().chain(&mut arguments.v);
                    doubles.for_each(|value| *value = random.random_range(-10.0..10.0));
                    arguments.s = random.random_range(-10.0..10.0);
                }
                record(&layout, &arguments)
            })
            .collect();
        for (input, call) in inputs.iter().zip(subject.run(&inputs)) {
            assert!(
                subject.own_is_plain(&call),
                "{flags:?} {first} f{index}\n{input:?}\n{:?}\n{:?}",
                call.plain,
                subject.shadow.own(&call.shadowed.output)
            );
            compared += 1;
            let marks = call.record.marks;
            let doubtful = marks.not_finite || marks.subnormal || marks.forgotten || marks.opaque;
            if doubtful || call.record.parted_at.is_some() || call.record.cancelled_bits > 8 {
                continue;
            }
            let execution = subject.precise(input);
            // What radii leave open is no matter where the twin's own figures are compared.
            let marks = Marks { undecided: false, ..execution.marks };
            if execution.outputs.is_err() || marks != Marks::default() {
                continue;
            }
            let bits = subject.bits(&call, &execution);
            assert!(bits.iter().all(|bits| *bits > 80.0), "{flags:?} {first} f{index}\n{input:?}\n{bits:?}");
            precise += 1;
        }
    }
    (compared, precise)
}

#[test]
fn own_values_of_unoptimised_programs_agree() {
    let count = setting("LABRYS_RANDOM_PROGRAMS", 4) as usize;
    let (compared, precise) = own_values_agree(&["-O0"], 1_000_003 * setting("LABRYS_RANDOM_SEED", 0), count);
    assert!(compared == count * CALLS && precise > 0, "{precise} of {compared} beside the twin");
}

#[test]
fn own_values_of_optimised_programs_agree() {
    let count = setting("LABRYS_RANDOM_PROGRAMS", 4) as usize / 2;
    own_values_agree(&["-O2"], 77 + setting("LABRYS_RANDOM_SEED", 0), count);
}

#[test]
fn own_values_of_vectorised_programs_agree() {
    if std::arch::is_x86_feature_detected!("fma") && std::arch::is_x86_feature_detected!("avx2") {
        own_values_agree(&["-O3", "-march=haswell"], 177 + setting("LABRYS_RANDOM_SEED", 0), 2);
    }
}
