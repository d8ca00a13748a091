//! The tests of a function as calls, for test frameworks.

use labrys_native::Ending;
use labrys_report::{CallSuite, CallTest, Expectation};

use super::request::Request;
use super::runs::Ran;
use super::subject::Driven;
use super::write_up::test_name;
use crate::regression::code_under_test;

/// The tests that return, with what they computed; how many are left out.
pub(super) fn suite<'a>(request: &Request, driven: &'a Driven, tests: &[Ran]) -> (CallSuite<'a>, usize) {
    let unit = &driven.unit.unit;
    let (code, _) = code_under_test(&driven.unit.made, (!unit.is_public, &request.run.link), "tests");
    let harness = driven.harness();
    let layout = unit.signature.output_layout();
    let call = |(index, ran): (usize, &Ran)| {
        // Calls in other languages pass memory.
        if ran.replay.ending != Ending::Exited(0) || !harness.nulls(&ran.input).is_empty() {
            return None;
        }
        let recorded = ran.replay.outputs.iter().filter_map(|output| {
            let number = layout.leaves.iter().position(|leaf| leaf.path == output.name)?;
            let mut bytes = [0; 16];
            let count = output.bytes.len().min(16);
            bytes[..count].copy_from_slice(&output.bytes[..count]);
            let scalar = layout.leaves[number].scalar;
            Some(Expectation::recorded(number, scalar, u128::from_le_bytes(bytes), request.ulps))
        });
        let expectations: Vec<Expectation> = recorded.collect();
        (!expectations.is_empty()).then(|| CallTest {
            name: test_name(index),
            why: Vec::new(),
            signature: &unit.signature,
            input: harness.record(&ran.input),
            expectations,
        })
    };
    let calls: Vec<CallTest<'a>> = tests.iter().enumerate().filter_map(call).collect();
    let left_out = tests.len() - calls.len();
    let about = vec![format!(
        "Tests of {}, made by labrys: they cover its code, and say when what it computes changes.",
        unit.name
    )];
    (CallSuite { stem: "tests".to_owned(), about, code, init: unit.init.clone(), tests: calls }, left_out)
}
