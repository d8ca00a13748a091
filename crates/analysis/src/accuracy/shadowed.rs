//! The function's shadow at work: true values of batches of inputs, estimated at the speed of machine code.
//!
//! A shadow guides and certifies nothing. Whatever goes wrong with one (it cannot be lowered or compiled, it crashes, it takes too long) costs its estimates:
//! the twin in arbitrary precision gives guesses instead.

use std::path::PathBuf;
use std::time::{Duration, Instant};

use labrys_float::Flags;
use labrys_native::{Driver, Filling, Outcome, Startup, Tracing, Worker, WorkerConfig, WorkerLimits};
use labrys_program::{FloatType, Leaf, ScalarType, TemporaryFolder};
use labrys_shadow::{DoubleWord, Shadow, ShadowRecord};

use crate::run::clock::Clock;
use crate::run::files::temporary_folder;
use crate::run::options::RunOptions;
use crate::target::analysed::Analysed;
use crate::target::unit::Unit;

/// The longest that compiling a shadow may take.
const COMPILE_LIMIT: Duration = Duration::from_secs(30);
/// Of a function's time, the hundredths by which its shadow must be compiled.
const COMPILED: u32 = 80;
/// What compiling takes beside the operations.
const LEAST_COMPILE: Duration = Duration::from_millis(200);
/// What an operation of a shadow takes to compile on an ordinary machine: 1.4 s for 1,000.
const COMPILE_EACH: Duration = Duration::from_micros(1500);
/// Calls of a shadow that did not return before it is looked at whether it is of any use.
const FAILURES: u64 = 64;
/// It is of none where one in so many calls does not return.
const MOST_FAILURES: u64 = 4;
/// By what power of two of itself a number is moved to see how much a result changes.
const STEP: f64 = 1.0 / (1u64 << 30) as f64;
/// The same of numbers of single precision.
const STEP_OF_SINGLE: f32 = 1.0 / (1u32 << 12) as f32;

/// A function's shadow in a worker.
pub struct Shadowed {
    shadow: Shadow,
    worker: Worker,
    inputs: Vec<Leaf>,
    /// For each leaf of the original's output record its place among the shadow's outputs.
    places: Vec<Option<usize>>,
    calls: u64,
    failures: u64,
    /// Why it gives no more estimates.
    ended: Option<String>,
    /// Where its library lies.
    _folder: TemporaryFolder,
}

impl Shadowed {
    /// Lowers, compiles and loads the shadow of a function that has the time of `clock`.
    ///
    /// # Errors
    ///
    /// Why there is none, as the end of a sentence.
    pub fn start(run: &RunOptions, unit: &Unit, analysed: &Analysed, clock: &Clock) -> Result<Shadowed, String> {
        let Analysed { program, function, binding } = analysed;
        let init = match &unit.init {
            Some(symbol) => Some(program.function(symbol).ok_or_else(|| format!("{symbol} has no IR"))?),
            None => None,
        };
        let words = |error: &dyn std::error::Error| match error.source() {
            Some(source) => format!("{error}: {}", source.to_string().lines().next().unwrap_or_default()),
            None => error.to_string(),
        };
        let shadow =
            labrys_shadow::lower(program, *function, binding, &unit.signature, init).map_err(|error| words(&error))?;
        let folder = temporary_folder().map_err(|error| words(&error))?;
        let expected = LEAST_COMPILE + COMPILE_EACH * u32::try_from(shadow.operations).unwrap_or(u32::MAX / 2048);
        if clock.left().is_some_and(|left| expected > left / 2) {
            return Err(format!("{} operations are too many to compile a shadow of in that time", shadow.operations));
        }
        // On a busy machine a compiler takes longer than it should.
        let end = clock.share(COMPILED).deadline(COMPILE_LIMIT);
        let link: Vec<PathBuf> = run.link.clone();
        // Both are compiled at a time.
        let (build, driver) = std::thread::scope(|scope| {
            let driver = scope.spawn(|| Driver::compile(&shadow.signature, folder.path()));
            (shadow.compile(folder.path(), &link, end), driver.join())
        });
        let build = build.map_err(|error| words(&error))?;
        let driver = driver.map_err(|_| "its driver was not compiled".to_owned())?.map_err(|error| words(&error))?;
        let worker = Worker::spawn(WorkerConfig {
            command: run.worker.clone(),
            library: build.library,
            signature: shadow.signature.clone(),
            driver,
            startup: Startup::Loaded,
            filling: Filling::Zeros,
            tracing: Tracing::Step,
            limits: WorkerLimits { call: run.call_timeout, ..WorkerLimits::default() },
            init: shadow.init.clone(),
            binds_lazily: true,
            address: None,
        })
        .map_err(|error| words(&error))?;
        let mut next = 0..;
        let is_float = |leaf: &Leaf| matches!(leaf.scalar, ScalarType::Float(_));
        let outputs = unit.signature.output_layout().leaves;
        Ok(Shadowed {
            worker,
            inputs: unit.signature.input_layout().leaves,
            places: outputs.iter().map(|leaf| if is_float(leaf) { next.next() } else { None }).collect(),
            calls: 0,
            failures: 0,
            ended: None,
            shadow,
            _folder: folder,
        })
    }

    /// Why it gives no more estimates, where that is so.
    pub fn ended(&self) -> Option<&str> {
        self.ended.as_deref()
    }

    /// Sets the time by which all calls must have ended.
    pub fn set_deadline(&mut self, deadline: Option<Instant>) {
        self.worker.set_deadline(deadline);
    }

    /// Sets the processor time that a call may take.
    pub fn set_call_limit(&mut self, limit: Duration) {
        self.worker.set_call_limit(limit);
    }

    /// What a record says of an output's leaf.
    pub fn output(&self, record: &ShadowRecord, leaf: usize) -> Option<DoubleWord> {
        record.outputs.get((*self.places.get(leaf)?)?).copied()
    }

    /// The records of those inputs on which the shadow returned, by their places.
    pub fn run(&mut self, inputs: &[Vec<u8>]) -> Vec<Option<ShadowRecord>> {
        if self.ended.is_some() {
            return Vec::new();
        }
        let observations = match self.worker.run_available(inputs, Flags::empty()) {
            Ok(observations) => observations,
            Err(error) => {
                self.ended = Some(error.to_string());
                return Vec::new();
            }
        };
        let returned = |outcome: &Outcome| *outcome == Outcome::Returned;
        self.calls += observations.len() as u64;
        self.failures += observations.iter().filter(|observation| !returned(&observation.outcome)).count() as u64;
        if self.failures >= FAILURES && self.failures * MOST_FAILURES >= self.calls {
            self.ended = Some(format!("{} of {} calls did not return", self.failures, self.calls));
        }
        let record = |observation: labrys_native::Observation| {
            returned(&observation.outcome).then(|| self.shadow.read(&observation.output))
        };
        observations.into_iter().map(record).collect()
    }

    /// Σ|x·∂f/∂x| over the float inputs for each output leaf, by differences of shadows, for inputs whose own records are known; none where a shadow did
    /// not return.
    pub fn slopes(&mut self, inputs: &[(&[u8], &ShadowRecord)]) -> Vec<Option<Vec<f64>>> {
        let moved: Vec<Vec<Moved>> = inputs.iter().map(|(input, _)| self.moved(input)).collect();
        let all: Vec<Vec<u8>> = moved.iter().flatten().map(|moved| moved.input.clone()).collect();
        let mut records = self.run(&all).into_iter();
        let mut slopes = Vec::with_capacity(inputs.len());
        for ((_, at), moved) in inputs.iter().zip(&moved) {
            let mut sums = vec![0.0; self.places.len()];
            let mut is_known = true;
            for Moved { share, .. } in moved {
                let Some(beside) = records.next().flatten() else {
                    is_known = false;
                    continue;
                };
                for (sum, place) in sums.iter_mut().zip(&self.places) {
                    let words = place.and_then(|place| Some((*at.outputs.get(place)?, *beside.outputs.get(place)?)));
                    let change = words.map_or(0.0, |(from, to)| super::estimate::difference(from, to));
                    *sum += (change / share).abs();
                }
            }
            slopes.push(is_known.then_some(sums));
        }
        slopes
    }

    /// Inputs in each of which one number is moved by a small part of itself.
    fn moved(&self, input: &[u8]) -> Vec<Moved> {
        let mut all = Vec::with_capacity(self.inputs.len());
        for leaf in &self.inputs {
            let bits = leaf.read(input);
            let (bits, share) = match leaf.scalar {
                ScalarType::Float(FloatType::F64) => {
                    let value = f64::from_bits(bits as u64);
                    let to = value * (1.0 + STEP);
                    (u128::from(to.to_bits()), (to - value) / value)
                }
                ScalarType::Float(FloatType::F32) => {
                    let value = f32::from_bits(bits as u32);
                    let to = value * (1.0 + STEP_OF_SINGLE);
                    (u128::from(to.to_bits()), f64::from(to - value) / f64::from(value))
                }
                // Without slopes of an input an excess is estimated too large, which certainty mends.
                _ => continue,
            };
            // Zeros, subnormal numbers and the largest ones have no number beside them that is moved by a part of itself.
            if !(share.is_finite() && share > 0.0) {
                continue;
            }
            let mut input = input.to_vec();
            leaf.write(&mut input, bits);
            all.push(Moved { input, share });
        }
        all
    }
}

/// An input of which one number is moved.
struct Moved {
    input: Vec<u8>,
    /// By what part of itself.
    share: f64,
}
