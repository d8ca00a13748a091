//! The interpreter against the processor: random C functions, compiled by clang-22, run natively and interpreted from
//! their IR, must agree in results and memory, and unoptimised ones in status flags too.
//!
//! `LABRYS_RANDOM_PROGRAMS` sets the number of functions (200, half as many optimised), `LABRYS_RANDOM_SEED` the seed
//! (0), for longer runs.
#![cfg(target_arch = "x86_64")]

mod generator;
mod subject;

use labrys_float::Flags;
use rand::{SeedableRng, rngs::StdRng};
use subject::Subject;

const FUNCTIONS_PER_FILE: usize = 50;
const CALLS: usize = 12;

fn setting(name: &str, default: u64) -> u64 {
    std::env::var(name).ok().and_then(|value| value.parse().ok()).unwrap_or(default)
}

/// Runs a share (one in so many) of the functions, compiled with `flags`; `compared` are the status flags that must agree.
fn agree(flags: &[&str], share: usize, compared: Flags) {
    let seed = setting("LABRYS_RANDOM_SEED", 0);
    let total = setting("LABRYS_RANDOM_PROGRAMS", 200) as usize / share;
    let (mut calls, mut defined) = (0, 0);
    for first in (0..total).step_by(FUNCTIONS_PER_FILE) {
        let count = FUNCTIONS_PER_FILE.min(total - first);
        let text = generator::file(seed.wrapping_mul(1_000_003).wrapping_add(first as u64), count);
        let subject = Subject::compile(&text, flags);
        for index in 0..count {
            let name = format!("f{index}");
            let mut random = StdRng::seed_from_u64(seed ^ (first + index) as u64);
            for _ in 0..CALLS {
                let arguments = generator::arguments(&mut random);
                let native = subject.native(&name, &arguments);
                let (interpreted, execution) = subject.interpreted(&name, &arguments);
                calls += 1;
                if execution.is_defined.contains(&false) {
                    continue;
                }
                defined += 1;
                let flags_agree = native.flags & compared == interpreted.flags & compared;
                assert!(
                    native.agrees(&interpreted) && flags_agree,
                    "{flags:?} file {first}: {name}({arguments:?})\nnative      {native:?}\ninterpreted {interpreted:?}\n\
                     events {:?}\n{}",
                    execution.events,
                    keep(&subject, &name)
                );
            }
        }
    }
    assert!(defined * 10 > calls * 9, "only {defined} of {calls} calls were without undefined values");
}

/// The text of a function that disagrees.
fn keep(subject: &Subject, name: &str) -> String {
    let text = std::fs::read_to_string(&subject.source).unwrap_or_default();
    let start = text.find(&format!("double {name}(")).unwrap_or(0);
    let end = text[start..].find("\ndouble f").map_or(text.len(), |end| start + end);
    text[start..end].to_owned()
}

#[test]
fn unoptimised_functions_agree_in_results_and_flags() {
    agree(&["-O0"], 1, Flags::all());
}

#[test]
fn optimised_functions_agree_in_results() {
    agree(&["-O1"], 2, Flags::empty());
}

#[test]
fn vectorised_functions_with_fma_agree_in_results() {
    if std::arch::is_x86_feature_detected!("fma") && std::arch::is_x86_feature_detected!("avx2") {
        agree(&["-O3", "-march=haswell"], 2, Flags::empty());
    }
}
