//! How many functions of a library have shadows: `LABRYS_SHADOW_DATABASE` names its compilation database, and
//! `LABRYS_SHADOW_COMPILED` how many of the texts are compiled (all by default), or `LABRYS_SHADOW_ONLY` which one.

use std::collections::BTreeMap;
use std::path::Path;
use std::time::{Duration, Instant};

use labrys_float::{Environment, Flags};
use labrys_interp::precise::Twin;
use labrys_interp::{Datum, Limits};
use labrys_native::Outcome;
use labrys_program::{LibraryBuild, LibraryFunction, LibraryOptions, ScalarType, build_library};
use labrys_shadow::{Shadow, ShadowError, lower};
use rand::{RngExt, SeedableRng, rngs::StdRng};

use crate::fixture::{PRECISION, agreement, own_is_plain, worker};

#[test]
#[ignore = "takes minutes, and a library's sources"]
fn functions_of_a_library() {
    let Some(database) = std::env::var_os("LABRYS_SHADOW_DATABASE") else { return };
    let folder = std::env::temp_dir().join("labrys-shadow-library");
    std::fs::create_dir_all(&folder).unwrap();
    let mut options = LibraryOptions::new(Instant::now() + Duration::from_secs(1200));
    options.jobs = 2;
    let build = build_library(database.as_ref(), &options, &folder).unwrap();
    let compiled_at_most: usize =
        std::env::var("LABRYS_SHADOW_COMPILED").ok().and_then(|count| count.parse().ok()).unwrap_or(usize::MAX);
    let (mut all, mut lowered, mut refused) = (0, Vec::new(), BTreeMap::<String, usize>::new());
    for function in &build.functions {
        let (Ok(signature), Some(binding)) = (&function.signature, &function.binding) else { continue };
        if !function.is_public {
            continue;
        }
        all += 1;
        match lower(&build.program, function.function, binding, signature, None) {
            Ok(shadow) => lowered.push((function, shadow)),
            Err(ShadowError::Unsupported { reason, .. }) => *refused.entry(reason).or_default() += 1,
            Err(other) => panic!("{other}"),
        }
    }
    println!("{} of {all} functions have a text", lowered.len());
    let mut refused: Vec<(usize, String)> = refused.into_iter().map(|(reason, count)| (count, reason)).collect();
    refused.sort_by(|a, b| b.cmp(a));
    for (count, reason) in refused {
        println!("{count:6} {reason}");
    }
    if let Ok(only) = std::env::var("LABRYS_SHADOW_ONLY") {
        lowered.retain(|(function, _)| function.name == only);
    }
    let step = (lowered.len() / compiled_at_most.max(1)).max(1);
    let (mut compiled, mut tried, begun) = (0, 0, Instant::now());
    let mut seen = Seen::default();
    for (function, shadow) in lowered.iter().step_by(step) {
        tried += 1;
        match shadow.compile(&folder, &[], Instant::now() + Duration::from_secs(60)) {
            Ok(made) => {
                compiled += 1;
                seen.run(&build, function, shadow, &made.library, &folder);
            }
            Err(error) => {
                let words = std::error::Error::source(&error).map(ToString::to_string).unwrap_or_default();
                let line = words.lines().find(|line| line.contains("error")).unwrap_or(&words).to_owned();
                println!("{}: {line} ({} bytes)", function.name, shadow.text.len());
            }
        }
    }
    println!(
        "{compiled} of {tried} compile, {:.2} s each with their calls",
        begun.elapsed().as_secs_f64() / f64::from(tried.max(1))
    );
    println!("{seen:?}");
}

/// What calls of functions and their shadows showed.
#[derive(Debug, Default)]
struct Seen {
    calls: usize,
    /// The same values, or the same crash.
    agree: usize,
    /// Functions with a call that ended otherwise or had other values.
    others: Vec<String>,
    opaque: usize,
    parted: usize,
    not_finite: usize,
    forgotten: usize,
    /// Calls beside the twin, without marks and partings, and how many of them have 80 bits in every output.
    beside_twin: usize,
    near_twin: usize,
    far: Vec<String>,
}

/// Calls of each function, of which the first few are made by the twin, too.
const CALLS: usize = 20;
const TWINS: usize = 4;

impl Seen {
    fn run(&mut self, build: &LibraryBuild, function: &LibraryFunction, shadow: &Shadow, made: &Path, folder: &Path) {
        let (Ok(signature), Some(binding)) = (&function.signature, &function.binding) else { return };
        let layout = signature.input_layout();
        let mut random = StdRng::seed_from_u64(7);
        let inputs: Vec<Vec<u8>> = (0..CALLS)
            .map(|_| {
                let mut record = vec![0; layout.size];
                for leaf in &layout.leaves {
                    let number = random.random_range(-1.0..1.0) * 10f64.powi(random.random_range(-2..3));
                    leaf.write(
                        &mut record,
                        match leaf.scalar {
                            ScalarType::Float(float) => {
                                let number = labrys_float::Float::from_f64(number);
                                Environment::default().convert(&number, float.format()).value.to_u128().unwrap()
                            }
                            _ => random.random_range(0..3),
                        },
                    );
                }
                record
            })
            .collect();
        let mut plain = worker(&build.library, signature, folder, (None, Some(function.address)));
        let mut shadowed = worker(made, &shadow.signature, folder, (None, None));
        let (plain, shadowed) =
            (plain.run(&inputs, Flags::empty()).unwrap(), shadowed.run(&inputs, Flags::empty()).unwrap());
        let mut twin = Twin::new(&build.program, None, Limits::default());
        for (index, ((input, plain), shadowed)) in inputs.iter().zip(&plain).zip(&shadowed).enumerate() {
            self.calls += 1;
            if own_is_plain(shadow, signature, plain, shadowed) {
                self.agree += 1;
            } else if !self.others.contains(&format!("{} {:?} {:?}", function.name, plain.outcome, shadowed.outcome)) {
                self.others.push(format!("{} {:?} {:?}", function.name, plain.outcome, shadowed.outcome));
            }
            if shadowed.outcome != Outcome::Returned {
                continue;
            }
            let record = shadow.read(&shadowed.output);
            self.opaque += usize::from(record.marks.opaque);
            self.parted += usize::from(record.parted_at.is_some());
            self.not_finite += usize::from(record.marks.not_finite);
            self.forgotten += usize::from(record.marks.forgotten);
            if record.marks != Default::default() || record.parted_at.is_some() || index >= TWINS {
                continue;
            }
            let execution = twin.call(function.function, binding, signature, input, PRECISION);
            let Ok(outputs) = &execution.outputs else { continue };
            let floats = outputs.iter().filter_map(|scalar| match &scalar.datum {
                Datum::Float(value) => Some(value.value().clone()),
                _ => None,
            });
            self.beside_twin += 1;
            let worst = floats
                .zip(&record.outputs)
                .map(|(truth, word)| agreement(&truth, word.high, word.low))
                .fold(f64::INFINITY, f64::min);
            if worst + f64::from(record.cancelled_bits.min(80)) > 80.0 {
                self.near_twin += 1;
            } else {
                self.far.push(format!("{} {worst:.0} bits", function.name));
            }
        }
    }
}
