//! Whole programs against the processor: random C programs run natively and executed on the same inputs agree bit for bit in a hash of
//! everything that they compute; and the input of every path that is followed takes that path natively, by a trace of its branches.
//!
//! `LABRYS_PROGRAMS` sets the number of programs (60), `LABRYS_WIDE_PROGRAMS` that of programs over `_BitInt` (20), `LABRYS_PROGRAMS_SEED` the first seed (0), for longer runs; `LABRYS_PROGRAMS_FOLDER` a
//! folder for their texts.
#![cfg(target_arch = "x86_64")]

mod generator;
mod native;
mod wide;

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use generator::{Generator, INPUTS, Kind};
use labrys_executor::{Options, Outcome, Violation, execute, replay};
use labrys_testcase::{InputObject, TestInput};
use native::{Programs, RECORD, Shown};
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64;
use wide::WideGenerator;

/// Programs of one file, so that compilers are not started for each.
const BATCH: u64 = 20;
/// Inputs that each program runs on.
const INPUTS_EACH: usize = 4;
/// Paths that are followed of a program, and how long.
const MOST_PATHS: usize = 12;
const MOST_WAYS: usize = 4096;
const PATIENCE: Duration = Duration::from_millis(2500);

fn setting(name: &str, default: u64) -> u64 {
    std::env::var(name).ok().and_then(|value| value.parse().ok()).unwrap_or(default)
}

/// What came of all programs.
#[derive(Default)]
struct Tally {
    programs: u64,
    runs: u64,
    paths: u64,
    without_input: u64,
    /// Paths of inputs that lead down others, too.
    open: u64,
    /// Reasons for which execution on known inputs ended early.
    given_up: BTreeMap<String, u64>,
    /// The same with unknown inputs: time is one.
    unexplored: BTreeMap<String, u64>,
    disagreements: Vec<String>,
}

/// A record of inputs: special floats and small numbers often.
fn record(random: &mut Pcg64) -> [u8; RECORD] {
    let mut record = [0; RECORD];
    for (place, (_, kind)) in INPUTS.into_iter().enumerate() {
        let any: u64 = random.random();
        let small = random.random_range(-4..9i64);
        let special = [0.0, -0.0, 1.0, 0.1, -2.5, 1e308, -1e-310, f64::INFINITY, f64::NAN, 1e10, 3.0];
        let float = match random.random_range(0..4) {
            0 => f64::from_bits(any),
            1 => small as f64 / 2.0,
            _ => special[random.random_range(0..special.len())],
        };
        let slot = &mut record[16 * place..16 * place + 16];
        match kind {
            Kind::Int(..) => {
                slot[..8].copy_from_slice(&if any.is_multiple_of(2) { small as u64 } else { any }.to_le_bytes())
            }
            Kind::Float(32) => slot[..4].copy_from_slice(&(float as f32).to_le_bytes()),
            Kind::Float(64) => slot[..8].copy_from_slice(&float.to_le_bytes()),
            // Any encoding, the invalid ones included, or a number.
            Kind::Float(_) if any.is_multiple_of(4) => slot[..10].copy_from_slice(&any.to_le_bytes().repeat(2)[..10]),
            Kind::Float(_) => {
                slot[..8].copy_from_slice(&(any | 1 << 63).to_le_bytes());
                slot[8..10].copy_from_slice(&((16383 + small) as u16 | (any as u16 & 1) << 15).to_le_bytes());
            }
        }
        slot[kind.bytes()..].fill(0);
    }
    record
}

/// A record's slots in hexadecimal.
fn hex(record: &[u8; RECORD]) -> String {
    let slot = |slot: &[u8]| format!("{:#x}", u128::from_le_bytes(slot.try_into().expect("sixteen bytes")));
    record.chunks(16).map(slot).collect::<Vec<_>>().join(" ")
}

fn objects(record: &[u8; RECORD]) -> Vec<InputObject> {
    let object = |(place, (name, kind)): (usize, (&str, Kind))| InputObject {
        name: name.to_owned(),
        bytes: record[16 * place..16 * place + kind.bytes()].to_vec(),
    };
    INPUTS.into_iter().enumerate().map(object).collect()
}

fn options(entry: String) -> Options {
    Options {
        entry,
        deadline: Some(Instant::now() + PATIENCE),
        max_paths: MOST_PATHS,
        // A path is one way through the branches.
        merges: false,
        ..Options::default()
    }
}

/// How a program is executed on known inputs: all ways that compilers and libm leave open are followed.
fn on_known(entry: String) -> Options {
    Options { max_paths: MOST_WAYS, ..options(entry) }
}

/// Executes a program on a record and compares its hash: what went wrong; `None` where it was not followed to its end.
fn agrees(
    programs: &Programs,
    number: usize,
    record: &[u8; RECORD],
    hash: u64,
    tally: &mut Tally,
) -> Option<Result<(), String>> {
    let mut objects = objects(record);
    objects.push(InputObject { name: "expected".to_owned(), bytes: hash.to_le_bytes().to_vec() });
    let input = TestInput { arguments: Vec::new(), objects };
    let outcome = replay(&programs.bitcode, &on_known(format!("check{number}")), &input);
    for reason in &outcome.unexplored {
        *tally.given_up.entry(reason.why.to_string()).or_default() += 1;
    }
    // Of what compilers and libm may do in several ways all are followed, and the machine does one of them; else there is one path.
    if outcome.paths.completed > 0 {
        return Some(Ok(()));
    }
    // The way of the machine may be among those that were not followed.
    let violation = outcome.violations.first().filter(|_| outcome.unexplored.is_empty());
    violation.map(|violation| Err(told(programs, violation)))
}

/// A violation and its line.
fn told(programs: &Programs, violation: &Violation) -> String {
    let locations = &programs.bitcode.locations;
    let lines = violation.stack.iter().filter_map(|site| Some(locations[site.location?.index()].line));
    format!("{:?} at lines {:?}", violation.kind, lines.collect::<Vec<_>>())
}

/// Whether an input leads down a path and the machine's, for it hangs on what compilers and libm may do in several ways.
fn is_open(programs: &Programs, number: usize, record: &[u8; RECORD], path: &str, native: &str) -> bool {
    let input = TestInput { arguments: Vec::new(), objects: objects(record) };
    let outcome = replay(&programs.bitcode, &on_known(format!("follow{number}")), &input);
    let told = |trace: &str| outcome.tests.iter().any(|test| test.objects.last().is_some_and(|of| of.name == trace));
    // The machine's may be one that was not followed to its end.
    told(path) && (told(native) || !outcome.unexplored.is_empty())
}

/// Every path's input takes that path.
fn follow(programs: &Programs, number: usize, seed: u64, tally: &mut Tally) {
    let outcome: Outcome = execute(&programs.bitcode, &options(format!("follow{number}")));
    for reason in &outcome.unexplored {
        *tally.unexplored.entry(reason.why.to_string()).or_default() += 1;
    }
    for violation in &outcome.violations {
        tally.disagreements.push(format!("seed {seed}: {}: no error of the program", told(programs, violation)));
    }
    tally.without_input += outcome.paths.completed - outcome.tests.len() as u64;
    for test in outcome.tests.iter() {
        tally.paths += 1;
        let mut record = [0; RECORD];
        for (place, object) in test.objects.iter().take(INPUTS.len()).enumerate() {
            record[16 * place..16 * place + object.bytes.len()].copy_from_slice(&object.bytes);
        }
        let shown = programs.run(number, &record);
        let told = test.objects.last().map(|object| object.name.clone()).unwrap_or_default();
        if told != shown.name() && is_open(programs, number, &record, &told, &shown.name()) {
            tally.open += 1;
        } else if told != shown.name() {
            tally.disagreements.push(format!("seed {seed}: a path's input takes another path: {test:?}"));
        }
        if let Some(Err(what)) = agrees(programs, number, &record, shown.hash, tally) {
            tally.disagreements.push(format!("seed {seed}: {what} on {}", hex(&record)));
        }
    }
}

#[test]
fn programs_do_what_the_processor_does() {
    do_what_the_processor_does(setting("LABRYS_PROGRAMS", 60), |random, number| Generator::new(random).program(number));
}

#[test]
fn wide_integers_are_what_the_processor_computes() {
    do_what_the_processor_does(setting("LABRYS_WIDE_PROGRAMS", 20), |random, number| {
        WideGenerator::new(random, number).program()
    });
}

/// Compares programs: natively run, on known inputs, and along paths.
fn do_what_the_processor_does(count: u64, program: impl Fn(&mut Pcg64, usize) -> String) {
    let first = setting("LABRYS_PROGRAMS_SEED", 0);
    let mut tally = Tally::default();
    let (mut noticed, mut missed, mut told) = (0, 0, 0);
    for start in (first..first + count).step_by(BATCH as usize) {
        let seeds: Vec<u64> = (start..(start + BATCH).min(first + count)).collect();
        let text = |(number, seed): (usize, &u64)| program(&mut Pcg64::seed_from_u64(*seed), number);
        let texts = seeds.iter().enumerate().map(text).collect::<Vec<_>>();
        if let Some(folder) = std::env::var_os("LABRYS_PROGRAMS_FOLDER") {
            let file = std::path::Path::new(&folder).join(format!("programs-{start}.c"));
            std::fs::write(file, generator::PRELUDE.to_owned() + &texts.concat()).unwrap();
        }
        let programs = Programs::compile(&texts);
        for (number, seed) in seeds.into_iter().enumerate() {
            let mut random = Pcg64::seed_from_u64(seed ^ 0x5eed << 32);
            tally.programs += 1;
            for _ in 0..INPUTS_EACH {
                let record = record(&mut random);
                let Shown { hash, .. } = programs.run(number, &record);
                match agrees(&programs, number, &record, hash, &mut tally) {
                    Some(Ok(())) => tally.runs += 1,
                    Some(Err(what)) => tally.disagreements.push(format!("seed {seed}: {what} on {}", hex(&record))),
                    None => {}
                }
                // The comparison notices a result that is another, where its time is enough.
                match agrees(&programs, number, &record, !hash, &mut Tally::default()) {
                    Some(Err(_)) => noticed += 1,
                    Some(Ok(())) => {
                        eprintln!("seed {seed}: any result agrees on {}", hex(&record));
                        missed += 1;
                    }
                    None => {}
                }
            }
            follow(&programs, number, seed, &mut tally);
            // A long run tells at once what it finds.
            for disagreement in tally.disagreements.iter().skip(told) {
                eprintln!("{disagreement}");
            }
            told = tally.disagreements.len();
        }
    }
    let Tally { programs, runs, paths, without_input, open, given_up, unexplored, disagreements } = tally;
    println!(
        "{programs} programs, {runs} runs on known inputs agree, {paths} paths take themselves natively, {open} of which an input may take others, {without_input} without input"
    );
    println!("not followed on known inputs: {given_up:#?}\nnot followed on all: {unexplored:#?}");
    assert!(disagreements.is_empty(), "{} disagreements: {disagreements:#?}", disagreements.len());
    assert!(open <= paths / 10, "{open} of {paths} paths hang on what is open");
    // Lanes of vectors that are converted out of their range may be anything.
    assert!(missed <= runs / 100 && noticed > runs / 2, "{noticed} wrong results noticed in {runs} runs, {missed} not");
}
