//! Conversions between tiny formats, and to and from short integers.

use labrys_float::{Format, Packed, RoundingMode};

use super::{Bench, tiny};
use crate::bitblast::Gates;
use crate::bitblast::float::{Bits, FloatCircuits, ModeBits};

#[test]
fn formats() {
    for from in tiny().into_iter().chain([Format::new(4, 5)]) {
        for to in tiny().into_iter().chain([Format::new(4, 5)]) {
            let (source, target) = (Packed::new(from).unwrap(), Packed::new(to).unwrap());
            for mode in RoundingMode::ALL {
                let mut bench = Bench::new(from, 1);
                let Bench { gates, circuits, operands, .. } = &mut bench;
                let result = circuits.convert(gates, &ModeBits::constant(mode), &operands[0], to, None);
                let outputs = circuits.to_bits(gates, &result);
                bench.exhaust(&outputs, |input, output| {
                    assert_eq!(output, source.convert(mode, input, &target), "{from:?} {to:?} {mode:?} {input:x}");
                });
            }
        }
    }
}

#[test]
fn integers_to_numbers() {
    for (to, width) in tiny().into_iter().flat_map(|format| [1usize, 2, 3, 5, 8].map(|width| (format, width))) {
        let target = Packed::new(to).unwrap();
        for mode in RoundingMode::ALL {
            for signed in [false, true] {
                let (mut gates, mut circuits) = (Gates::new(), FloatCircuits::new());
                let inputs: Bits = (0..width).map(|_| gates.input()).collect();
                let bits = ModeBits::constant(mode);
                let number = if signed {
                    circuits.from_signed(&mut gates, &bits, &inputs, to, None)
                } else {
                    circuits.from_unsigned(&mut gates, &bits, &inputs, to, None)
                };
                let outputs = circuits.to_bits(&mut gates, &number);
                let bench = Bench { gates, circuits, inputs, operands: Vec::new() };
                bench.exhaust(&outputs, |input, output| {
                    let signed_value = (input as i64) << (64 - width) >> (64 - width);
                    let expected = if signed {
                        target.from_signed(mode, i128::from(signed_value))
                    } else {
                        target.from_unsigned(mode, u128::from(input))
                    };
                    assert_eq!(output, expected, "{to:?} {mode:?} {signed} {width} {input:x}");
                });
            }
        }
    }
}

#[test]
fn numbers_to_integers() {
    for (from, width) in tiny().into_iter().flat_map(|format| [1u32, 2, 3, 5, 8].map(|width| (format, width))) {
        let source = Packed::new(from).unwrap();
        for mode in RoundingMode::ALL {
            let mut bench = Bench::new(from, 1);
            let Bench { gates, circuits, operands, .. } = &mut bench;
            let bits = ModeBits::constant(mode);
            let mut outputs = circuits.to_unsigned(gates, &bits, &operands[0], width);
            outputs.extend(circuits.to_signed(gates, &bits, &operands[0], width));
            bench.exhaust(&outputs, |input, output| {
                let (low, high) = (output & ((1 << width) - 1), output >> width);
                if let Some(expected) = source.to_unsigned(mode, input, width) {
                    assert_eq!(u128::from(low), expected, "{from:?} {mode:?} {width} {input:x} unsigned");
                }
                if let Some(expected) = source.to_signed(mode, input, width) {
                    assert_eq!(u128::from(high), expected, "{from:?} {mode:?} {width} {input:x} signed");
                }
            });
        }
    }
}
