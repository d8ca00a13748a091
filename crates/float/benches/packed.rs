//! Nanoseconds an operation of the packed kernel takes, on binary32, binary64 and a format no machine has.
//!
//! Operands are moderate and random; each figure is for one pass over a table of 1024 triples, so that throughput is read
//! off as operations a second.

use std::hint::black_box;

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use labrys_float::{Format, Packed, RoundingMode};

/// Triples a pass goes over.
const TRIPLES: usize = 1024;

/// A deterministic table of operands within a factor of 2^32 of one.
fn table(packed: &Packed) -> Vec<[u64; 3]> {
    let mut state = 0x2545_f491_4f6c_dd1du64;
    let mut next = || {
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        let integer = i128::from((state >> 33) as i32 as i64) << 32 | i128::from(state >> 32);
        let scale = packed.from_unsigned(RoundingMode::NearestEven, 1 << (state >> 60));
        packed.div(RoundingMode::NearestEven, packed.from_signed(RoundingMode::NearestEven, integer >> 40), scale)
    };
    (0..TRIPLES).map(|_| [next(), next(), next()]).collect()
}

fn operations(criterion: &mut Criterion) {
    type Operation = fn(&Packed, RoundingMode, [u64; 3]) -> u64;
    let operations: [(&str, Operation); 8] = [
        ("add", |packed, mode, [a, b, _]| packed.add(mode, a, b)),
        ("mul", |packed, mode, [a, b, _]| packed.mul(mode, a, b)),
        ("div", |packed, mode, [a, b, _]| packed.div(mode, a, b)),
        ("sqrt", |packed, mode, [a, _, _]| packed.sqrt(mode, packed.abs(a))),
        ("fma", |packed, mode, [a, b, c]| packed.fma(mode, a, b, c)),
        ("remainder", |packed, _, [a, b, _]| packed.remainder(a, b)),
        ("less", |packed, _, [a, b, _]| u64::from(packed.less(a, b))),
        ("integral", |packed, mode, [a, _, _]| packed.round_to_integral(mode, a)),
    ];
    for (name, format) in
        [("binary32", Format::BINARY32), ("binary64", Format::BINARY64), ("custom 11/50", Format::new(11, 50))]
    {
        let Some(packed) = Packed::new(format) else { continue };
        let table = table(&packed);
        let mut group = criterion.benchmark_group(name);
        group.throughput(Throughput::Elements(TRIPLES as u64)).sample_size(20);
        for mode in [RoundingMode::NearestEven, RoundingMode::TowardPositive] {
            for (operation, run) in operations {
                group.bench_function(BenchmarkId::new(operation, format!("{mode:?}")), |bencher| {
                    bencher.iter(|| {
                        black_box(&table).iter().fold(0u64, |sum, triple| sum.wrapping_add(run(&packed, mode, *triple)))
                    });
                });
            }
        }
        group.finish();
    }
}

criterion_group!(benches, operations);
criterion_main!(benches);
