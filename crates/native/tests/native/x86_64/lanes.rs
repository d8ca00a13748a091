//! Confirmation fills the lanes of vector registers that no argument occupies.

use crate::confirmation::varies;
use crate::fixture::{F64, Fixture};
use crate::signatures::{F32, U64, pointer, signature, structure, value};
use labrys_float::Flags;
use labrys_native::{Filling, Worker, WorkerConfig};
use labrys_program::{Access, Length, Pointee, ResultType, Signature};

#[test]
fn a_stable_result_is_confirmed_with_its_trace() {
    let fixture = Fixture::new("double f(double x) { return 1 / x; }\n", &["-O2"]);
    let confirmed = fixture.confirm(&[0.0]);
    assert_eq!(confirmed.variations, []);
    assert_eq!(confirmed.observation.flags, Flags::DIVBYZERO);
    assert_eq!(confirmed.observation.trace.map(|trace| trace.events.len()), Some(1));
}

#[test]
fn a_result_that_depends_on_unused_lanes_varies() {
    // The upper half of the argument's register is nobody's: dividing it by itself is invalid only if it is zero or signals.
    let fixture = Fixture::new(&assembly("divpd %xmm0, %xmm0"), &["-O0"]);
    let confirmed = fixture.confirm(&[3.0]);
    assert!(confirmed.has_one_result());
    assert_eq!((confirmed.observation.flags, confirmed.certain()), (Flags::INVALID, Flags::empty()));
    assert_eq!((confirmed.possible(), confirmed.varying()), (Flags::INVALID, Flags::INVALID));
    let quiet: Vec<Filling> = confirmed.variations.iter().map(|variation| variation.filling).collect();
    assert_eq!(quiet, [Filling::Ones, Filling::Subnormals, Filling::Huge, Filling::SignallingFloats]);
}

/// A function in assembly.
fn assembly(instruction: &str) -> String {
    format!("__asm__(\".globl f\\nf:\\n\\t{instruction}\\n\\tret\\n\");\n")
}

#[test]
fn every_unused_lane_is_filled() {
    assert!(!varies(&assembly("divss %xmm0, %xmm0"), F32), "no lane but the argument's");
    // A division by itself of the lane alone: the second lane of a float's register.
    assert!(varies(&assembly("shufps $0x55, %xmm0, %xmm0\\n\\tdivss %xmm0, %xmm0"), F32));
    assert!(varies(&assembly("divpd %xmm9, %xmm9"), F64), "a register without an argument");
    if std::arch::is_x86_feature_detected!("avx") {
        assert!(varies(&assembly("vextractf128 $1, %ymm0, %xmm1\\n\\tdivpd %xmm1, %xmm1"), F64));
    }
    if std::arch::is_x86_feature_detected!("avx512vl") {
        assert!(varies(&assembly("vextractf64x4 $1, %zmm0, %ymm1\\n\\tvdivpd %ymm1, %ymm1, %ymm1"), F64));
        assert!(varies(&assembly("vdivpd %zmm30, %zmm30, %zmm30"), F64));
    }
}

/// Vector registers of this processor that the driver loop knows of, and 64-bit lanes of each.
fn registers() -> (usize, usize) {
    if std::arch::is_x86_feature_detected!("avx512f") && std::arch::is_x86_feature_detected!("avx512vl") {
        (32, 8)
    } else if std::arch::is_x86_feature_detected!("avx") {
        (16, 4)
    } else {
        (16, 2)
    }
}

/// A function that stores all vector registers at its pointer, and with AVX-512 the first four masks behind them.
fn dump() -> String {
    let (count, lanes) = registers();
    let (store, name) = match lanes {
        8 => ("vmovups", "zmm"),
        4 => ("vmovups", "ymm"),
        _ => ("movups", "xmm"),
    };
    let mut body: Vec<String> = (0..count).map(|n| format!("{store} %{name}{n}, {}(%rdi)", n * lanes * 8)).collect();
    if lanes == 8 {
        body.extend((0..4).map(|n| format!("kmovw %k{n}, {}(%rdi)", count * lanes * 8 + n * 2)));
    }
    assembly(&body.join("\\n\\t"))
}

/// Calls with every filling a function of these arguments, whose floats are all 3, and checks each bit of each register:
/// `arguments` has the bits of the argument registers that are floats' and what they are.
fn check(parameters: &[Pointee], arguments: &[[(u64, u64); 2]]) {
    let (count, lanes) = registers();
    let stored = pointer(U64, Length::Fixed((count * lanes + 1) as u64), Access::Out);
    let parameters = parameters.iter().map(|of| value(of.clone())).chain([stored]).collect();
    let of: Signature = signature(parameters, ResultType::Void);
    let fixture = Fixture::of_signature("clang-22", &dump(), of, &["-O0"]);
    let mut worker =
        Worker::spawn(WorkerConfig { filling: Filling::Ones, ..fixture.config.clone() }).expect("a worker");
    let record = fixture.record(&vec![3.0; fixture.inputs.leaves.len()]);
    for filling in Filling::others() {
        let seen = worker.run_filled(&record, Flags::NOTABLE, filling).expect("the worker runs");
        let words: Vec<u64> =
            seen.output.chunks_exact(8).map(|bytes| u64::from_le_bytes(bytes.try_into().expect("eight"))).collect();
        for (at, word) in words[..count * lanes].iter().enumerate() {
            let (register, lane) = (at / lanes, at % lanes);
            let (mask, bits) = arguments.get(register).and_then(|of| of.get(lane)).copied().unwrap_or((0, 0));
            let expected = bits | filling.lanes() & !mask;
            assert_eq!(*word, expected, "{filling:?}, register {register}, lane {lane}: {word:#x}");
        }
        if lanes == 8 {
            let mask = filling.lanes() >> 16 & 0xffff;
            assert_eq!(words[count * lanes], mask * 0x0001_0001_0001_0001, "{filling:?}");
        }
    }
}

#[test]
fn each_filling_reaches_every_register_around_every_shape_of_argument() {
    let three = u64::from(3.0_f32.to_bits());
    let low = (u64::from(u32::MAX), three);
    let (float, double) = (Pointee::Scalar(F32), Pointee::Scalar(F64));
    let (pair, none) = ((u64::MAX, three << 32 | three), (0, 0));
    let whole = (u64::MAX, 3.0_f64.to_bits());
    check(std::slice::from_ref(&float), &[[low, none]]);
    check(&[double.clone(), float.clone()], &[[whole, none], [low, none]]);
    let vec3 = structure(&[(float.clone(), None), (float.clone(), None), (float.clone(), None)]);
    check(std::slice::from_ref(&vec3), &[[pair, none], [low, none]]);
    let vec4 = structure(&[(float.clone(), Some(4))]);
    check(
        &[vec3.clone(), vec4, vec3.clone()],
        &[[pair, none], [low, none], [pair, none], [pair, none], [pair, none], [low, none]],
    );
    let padded = structure(&[(float.clone(), None), (double.clone(), None)]);
    check(&[padded], &[[low, none], [whole, none]]);
    let open = structure(&[(double.clone(), None), (float.clone(), None)]);
    check(&[open.clone(), open], &[[whole, none], [low, none], [whole, none], [low, none]]);
    let single = structure(&[(float.clone(), None)]);
    // What is larger than two registers is in memory.
    let large = structure(&[(float, Some(5))]);
    check(&[large, single], &[[low, none]]);
}
