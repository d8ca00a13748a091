//! All members of small spaces, each once.

use std::collections::HashSet;

use crate::signatures::{F32, F64, I8, restrict, signature, value};
use labrys_float::Float;
use labrys_fuzz::{InputClass, Space};
use labrys_program::{FloatType, ScalarType, Signature};

const F16: ScalarType = ScalarType::Float(FloatType::F16);
const U16: ScalarType = ScalarType::Int { bits: 16, signed: false };

/// The records of two bytes, those that the space admits.
fn admitted(space: &Space) -> HashSet<Vec<u8>> {
    let size = space.record_size();
    let record = |bits: u16| [&bits.to_le_bytes()[..], &vec![0; size - 2]].concat();
    (0..=u16::MAX).map(record).filter(|record| space.admits(record)).collect()
}

fn must_be_all(space: &Space, count: u128) {
    let members: Vec<Vec<u8>> = space.members().collect();
    let distinct: HashSet<Vec<u8>> = members.iter().cloned().collect();
    assert_eq!(distinct.len(), members.len());
    assert_eq!(distinct, admitted(space));
    assert_eq!(space.size(), count);
}

fn one(scalar: ScalarType) -> Signature {
    signature(vec![value("x", scalar)])
}

#[test]
fn sixteen_bits_are_counted_through() {
    // Two zeros, 63,488 finite numbers in all, two infinities; 512 payloads of a quiet NaN with either sign.
    must_be_all(&Space::new(&one(F16), InputClass::Finite), 63_488);
    must_be_all(&Space::new(&one(F16), InputClass::All), 63_490 + 1024);
    must_be_all(&Space::new(&one(U16), InputClass::All), 65_536);
    must_be_all(&Space::new(&one(ScalarType::Int { bits: 16, signed: true }), InputClass::All), 65_536);
}

#[test]
fn bounds_and_conditions_leave_fewer() {
    let mut space = Space::new(&one(F16), InputClass::All);
    restrict(&mut space, 0, -1e-6, 1e-6);
    // Multiples of 2^-24 up to 16 of them, two zeros.
    must_be_all(&space, 34);
    let mut positive = Space::new(&one(F16), InputClass::All);
    restrict(&mut positive, 0, 1.0, 2.0);
    must_be_all(&positive, 1025);
    let mut even = Space::new(&one(U16), InputClass::All);
    even.assume(|record| record[0] % 2 == 0);
    assert_eq!(even.members().count(), 32_768);
    let mut empty = Space::new(&one(U16), InputClass::All);
    restrict(&mut empty, 0, 1.25, 1.75);
    assert_eq!((empty.size(), empty.members().count()), (0, 0));
}

#[test]
fn products_of_leaves_are_counted_through() {
    let of = |low: f64, high: f64| {
        let mut space = Space::new(
            &signature(vec![value("x", F32), value("c", I8), value("b", ScalarType::Bool)]),
            InputClass::All,
        );
        restrict(&mut space, 0, low, high);
        space
    };
    // Steps of 2^-23 above 1.
    let step = f64::from(f32::EPSILON);
    let small = of(1.0, 1.0 + 4.0 * step);
    let members: HashSet<Vec<u8>> = small.members().collect();
    assert_eq!((members.len(), small.size()), (5 * 256 * 2, 5 * 256 * 2));
    assert!(members.iter().all(|record| small.admits(record)));
    assert_eq!(of(1.0, 1.0 + 2047.0 * step).size(), 1 << 20);
    assert_eq!(of(1.0, 1.0 + 2048.0 * step).size(), (1 << 20) + 512);
    // Too many to count are no fewer.
    let doubles = signature((0..40).map(|i| value(&format!("x{i}"), F64)).collect());
    assert_eq!(Space::new(&doubles, InputClass::All).size(), u128::MAX);
    assert_eq!(Space::new(&signature(Vec::new()), InputClass::All).members().count(), 1);
    let zero = Float::from_f64(0.0);
    let mut only = Space::new(&one(F64), InputClass::All);
    only.restrict(0, &zero, &zero);
    assert_eq!(only.members().count(), 2);
}
