//! The symbolic executor against the processor: random C functions (the interpreter's generator makes them), compiled by
//! clang-22 at -O0, run natively, and followed symbolically along the path that the same input takes. The result's terms
//! must have the native result's bits, and the conditions of the sites on the path must hold for exactly the flags that
//! the native run raised.
//!
//! `LABRYS_EXECUTOR_PROGRAMS` sets the number of functions (200), `LABRYS_EXECUTOR_SEED` the seed (0), for longer runs:
//! `cargo xtask agree --executor`.
#![cfg(target_arch = "x86_64")]

#[path = "../../../interp/tests/native/generator.rs"]
mod generator;
#[path = "../../../interp/tests/native/subject.rs"]
mod subject;

use std::sync::Arc;

use generator::Arguments;
use labrys_float::{Flags, Float};
use labrys_interp::{ScalarKind, leaf_kind};
use labrys_program::{InstructionKind, OutputLayout, ScalarType, Type};
use labrys_symex::float_terms::settle_nans;
use labrys_symex::{
    EveryPath, Exploration, Feasibility, Intervals, OpenSites, Options, Site, SiteExecution, StopReason, explore,
    float_condition, leaf_variable, static_sites,
};
use labrys_term::{Evaluator, Model, Store, TermId, Value};
use num_traits::ToPrimitive;
use rand::{SeedableRng, rngs::StdRng};
use rustc_hash::FxHashMap;
use subject::{Outcome, Subject};

const FUNCTIONS_PER_FILE: usize = 50;
const CALLS: usize = 3;

/// Rules out every path but the one that an input takes. The intervals are asked too: they must not rule that out.
struct Follow {
    model: Model,
    intervals: Intervals,
}

impl Feasibility for Follow {
    fn rules_out(&mut self, store: &mut Store, path: TermId, condition: TermId) -> bool {
        settle_nans(store, &mut self.model);
        let taken = Evaluator::new(store, &self.model).holds(condition).expect("all variables are inputs");
        assert!(!(taken && self.intervals.rules_out(store, path, condition)), "a path that is taken was ruled out");
        !taken
    }
}

struct Run {
    store: Store,
    model: Model,
    found: Exploration,
    layout: OutputLayout,
}

fn follow(subject: &Subject, name: &str, arguments: &Arguments) -> Run {
    let (function, binding, signature) = subject.function(name);
    let (mut store, mut model) = (Store::new(), Model::new());
    let inputs = signature.input_layout().leaves;
    for (leaf, bits) in inputs.iter().zip(subject::leaves(arguments)) {
        let value = match leaf_kind(leaf.scalar) {
            ScalarKind::Float(format) => Value::float(Float::from_bits(format, bits)),
            ScalarKind::Int(width) => Value::bit_vector(width, bits),
            ScalarKind::Pointer => Value::bit_vector(64, bits),
        };
        let variable = leaf_variable(&mut store, leaf);
        assert!(model.set_term(&store, variable, value));
    }
    let mut oracle = Follow { model: model.clone(), intervals: Intervals::default() };
    let program = &subject.program;
    let options = Options::default();
    let found = explore(program, function, &binding, &signature, &mut store, &options, &mut oracle);
    // Who is only interested in sites sees the same ones: no path is left before its last one.
    let sites = OpenSites::new(static_sites(program, function));
    let options = Options { wanted: Some(Arc::new(sites)), ..options };
    let towards = explore(program, function, &binding, &signature, &mut store, &options, &mut oracle);
    let executed = |found: &Exploration| found.executions.iter().map(|of| of.site.clone()).collect::<Vec<_>>();
    assert_eq!(executed(&found), executed(&towards), "{name}");
    settle_nans(&store, &mut model);
    Run { store, model, found, layout: signature.output_layout() }
}

impl Run {
    /// The outcome of the path that the input takes; `None` where undefined values reach it.
    fn outcome(&mut self, context: &str) -> Option<Outcome> {
        let evaluate = |term| Evaluator::new(&self.store, &self.model).value(term).expect("all variables are inputs");
        let taken: Vec<_> =
            self.found.paths.iter().filter(|path| evaluate(path.condition) == Value::Bool(true)).collect();
        let [path] = taken.as_slice() else { panic!("{} paths are taken: {context}", taken.len()) };
        assert_eq!(path.why, StopReason::Returned, "{context}");
        if path.is_tainted.contains(&true) {
            return None;
        }
        let result = path.result.as_ref().expect("it returned");
        let bits: Vec<u128> = self
            .layout
            .leaves
            .iter()
            .zip(result)
            .map(|(leaf, term)| match (evaluate(*term), leaf.scalar) {
                (Value::Float(float), ScalarType::Float(_)) => float.to_u128().expect("binary64 or binary32"),
                (Value::BitVec { bits, .. }, _) => bits.to_u128().expect("at most 64 bits"),
                (other, scalar) => panic!("{other:?} for {scalar:?}"),
            })
            .collect();
        let flags = self.flags();
        Some(Outcome {
            result: f64::from_bits(bits[0] as u64),
            v: std::array::from_fn(|i| f64::from_bits(bits[1 + i] as u64)),
            w: std::array::from_fn(|i| bits[5 + i] as i32),
            flags,
        })
    }

    /// What the sites on the path raise, by their conditions. What is raised the intervals must not rule out.
    fn flags(&mut self) -> Flags {
        let mut raised = Flags::empty();
        let mut intervals = Intervals::default().looking_into(40, 400);
        let truth = self.store.bool_const(true);
        for execution in &self.found.executions {
            for exception in [Flags::INVALID, Flags::DIVBYZERO, Flags::OVERFLOW, Flags::UNDERFLOW, Flags::INEXACT] {
                if raised.contains(exception) {
                    continue;
                }
                let Some(condition) = float_condition(&mut self.store, execution, exception) else { continue };
                let condition = condition.expect("no opaque calls");
                if Evaluator::new(&self.store, &self.model).holds(condition).expect("all variables are inputs") {
                    raised |= exception;
                    let alone = SiteExecution { path: truth, ..execution.clone() };
                    let alone = float_condition(&mut self.store, &alone, exception).and_then(Result::ok);
                    let alone = alone.expect("it has a condition on its path");
                    let ruled_out = intervals.rules_out(&mut self.store, execution.path, alone);
                    assert!(!ruled_out, "{exception:?} is raised by {execution:?} and was ruled out");
                }
            }
        }
        raised
    }
}

/// Explores with limits that are soon met, and checks that executions on the path that the input takes are all there, or their
/// site is behind a cut.
fn check_cuts(subject: &Subject, name: &str, run: &mut Run) {
    let (function, binding, signature) = subject.function(name);
    let options = Options { loop_bound: 1, max_paths: 3, max_instructions: 300, ..Options::default() };
    let Run { store, model, found, .. } = run;
    let program = &subject.program;
    let limited = explore(program, function, &binding, &signature, store, &options, &mut EveryPath);
    let count = |executions: &[SiteExecution]| {
        let mut evaluator = Evaluator::new(store, model);
        let mut counts: FxHashMap<Site, usize> = FxHashMap::default();
        for execution in executions {
            if evaluator.holds(execution.path).expect("all variables are inputs") {
                *counts.entry(execution.site.clone()).or_default() += 1;
            }
        }
        counts
    };
    let (all, there) = (count(&found.executions), count(&limited.executions));
    for (site, times) in all {
        let is_cut = limited.cuts_before(&site).next().is_some();
        assert!(is_cut || there.get(&site) == Some(&times), "{site:?} of {name} in {}", subject.source.display());
    }
}

/// The functions without signaling NaNs, which Float terms do not have: the only way to make one is `unbits`.
fn without_signaling(text: &str) -> String {
    const PLAIN: &str = "double x; memcpy(&x, &b, 8); return x == x ? x : 1.5;";
    assert!(text.contains(PLAIN), "the generator's prelude has changed");
    text.replace(PLAIN, "if (b << 1 > 0xffe0000000000000u) b = 0; double x; memcpy(&x, &b, 8); return x;")
}

/// Whether a function has a selection between floats, as clang makes it of `c ? 7.0 : 2.0`. With a comparison for its
/// condition it becomes x86's CMPSD, which raises invalid for quiet NaNs where the comparison alone, UCOMISD, does not.
fn selects_floats(subject: &Subject, name: &str) -> bool {
    let function = &subject.program.functions[subject.function(name).0.index()];
    let mut instructions = function.blocks.iter().flat_map(|block| &block.instructions);
    instructions.any(|it| matches!((&it.kind, &it.ty), (InstructionKind::Select(..), Type::Float(_))))
}

fn setting(name: &str, default: u64) -> u64 {
    std::env::var(name).ok().and_then(|value| value.parse().ok()).unwrap_or(default)
}

/// Calls of a file's functions, and of these how many have no undefined value: they have the results and flags of native code.
fn agree(seed: u64, first: usize, count: usize) -> (usize, usize) {
    let (mut calls, mut defined) = (0, 0);
    let text = generator::file(seed.wrapping_mul(1_000_003).wrapping_add(first as u64 + 7_000_000), count);
    let text = without_signaling(&text);
    let subject = Subject::compile(&text, &["-O0"]);
    for index in 0..count {
        let name = format!("f{index}");
        let mut random = StdRng::seed_from_u64(seed ^ (first + index) as u64);
        for _ in 0..CALLS {
            let arguments = generator::arguments(&mut random);
            let native = subject.native(&name, &arguments);
            let context = format!("file {first} {name}({arguments:?}) in {}", subject.source.display());
            calls += 1;
            let mut run = follow(&subject, &name, &arguments);
            let Some(symbolic) = run.outcome(&context) else { continue };
            check_cuts(&subject, &name, &mut run);
            defined += 1;
            let flags_agree = native.flags == symbolic.flags
                || (native.flags == symbolic.flags | Flags::INVALID && selects_floats(&subject, &name));
            assert!(
                native.agrees(&symbolic) && flags_agree,
                "{context}\nnative      {native:?}\nsymbolic    {symbolic:?}\nevents      {:?}\n{text}",
                subject.interpreted(&name, &arguments).1.events,
            );
        }
    }
    (calls, defined)
}

#[test]
fn random_programs_have_the_results_and_flags_of_native_code() {
    let seed = setting("LABRYS_EXECUTOR_SEED", 0);
    let total = setting("LABRYS_EXECUTOR_PROGRAMS", 200) as usize;
    // The only test here: it takes two processors, which would be idle but for one.
    let part = |of: usize| {
        let firsts = (0..total).step_by(FUNCTIONS_PER_FILE).skip(of).step_by(2);
        let counts = firsts.map(|first| agree(seed, first, FUNCTIONS_PER_FILE.min(total - first)));
        counts.fold((0, 0), |sum, of| (sum.0 + of.0, sum.1 + of.1))
    };
    let (even, odd) = std::thread::scope(|scope| {
        let odd = scope.spawn(|| part(1));
        (part(0), odd.join().expect("the other half agrees"))
    });
    let (calls, defined) = (even.0 + odd.0, even.1 + odd.1);
    assert!(defined * 10 > calls * 9, "only {defined} of {calls} calls were without undefined values");
}
