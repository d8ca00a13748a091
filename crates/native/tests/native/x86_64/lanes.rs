//! Confirmation fills the lanes of vector registers that no argument occupies.

use crate::confirmation::varies;
use crate::fixture::{F64, Fixture};
use labrys_float::Flags;
use labrys_native::{Confirmation, confirm};
use labrys_program::{FloatType, ScalarType};

#[test]
fn a_stable_result_is_confirmed_with_its_trace() {
    let fixture = Fixture::new("double f(double x) { return 1 / x; }\n", &["-O2"]);
    let confirmed = confirm(&fixture.config, &fixture.record(&[0.0]), Flags::NOTABLE).expect("workers run");
    let Confirmation::Stable(observation) = confirmed else { panic!("{confirmed:?}") };
    assert_eq!(observation.flags, Flags::DIVBYZERO);
    assert_eq!(observation.trace.map(|trace| trace.events.len()), Some(1));
}

#[test]
fn a_result_that_depends_on_unused_lanes_varies() {
    // The upper half of the argument's register is nobody's: dividing it by itself is invalid only if it is zero.
    let source = "#include <emmintrin.h>\n__asm__(\".globl f\\nf:\\n\\tdivpd %xmm0, %xmm0\\n\\tret\\n\");\n";
    let fixture = Fixture::new(source, &["-O0"]);
    let confirmed = confirm(&fixture.config, &fixture.record(&[3.0]), Flags::NOTABLE).expect("workers run");
    let Confirmation::Varies(pair) = confirmed else { panic!("{confirmed:?}") };
    assert_eq!((pair.0.flags, pair.1.flags), (Flags::INVALID, Flags::empty()));
}

/// A function in assembly.
fn assembly(instruction: &str) -> String {
    format!("__asm__(\".globl f\\nf:\\n\\t{instruction}\\n\\tret\\n\");\n")
}

#[test]
fn every_unused_lane_is_filled() {
    let f32_ = ScalarType::Float(FloatType::F32);
    assert!(!varies(&assembly("divss %xmm0, %xmm0"), f32_), "no lane but the argument's");
    // A division by itself of the lane alone: the second lane of a float's register.
    assert!(varies(&assembly("shufps $0x55, %xmm0, %xmm0\\n\\tdivss %xmm0, %xmm0"), f32_));
    assert!(varies(&assembly("divpd %xmm9, %xmm9"), F64), "a register without an argument");
    if std::arch::is_x86_feature_detected!("avx") {
        assert!(varies(&assembly("vextractf128 $1, %ymm0, %xmm1\\n\\tdivpd %xmm1, %xmm1"), F64));
    }
    if std::arch::is_x86_feature_detected!("avx512vl") {
        assert!(varies(&assembly("vextractf64x4 $1, %zmm0, %ymm1\\n\\tvdivpd %ymm1, %ymm1, %ymm1"), F64));
        assert!(varies(&assembly("vdivpd %zmm30, %zmm30, %zmm30"), F64));
    }
}
