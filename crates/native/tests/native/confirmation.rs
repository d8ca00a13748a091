//! Confirmation tells results that depend on garbage lanes from those that do not.

use crate::fixture::Fixture;
use labrys_float::Flags;
use labrys_native::{Confirmation, confirm};

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
