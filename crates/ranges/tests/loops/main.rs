//! Whatever a variable is natively where the condition of a loop is evaluated, its range there has it: random programs, each run on thousands of inputs.
//!
//! `LABRYS_LOOP_PROGRAMS` sets the number of programs (60, in batches of 20), `LABRYS_LOOP_SEED` the first seed (0), for longer runs.
#![cfg(target_arch = "x86_64")]

mod generator;

use std::collections::HashMap;
use std::path::Path;
use std::process::Command;

use generator::{Batch, batch};
use labrys_float::{Environment, Float, Format};
use labrys_formulas::Random;
use labrys_program::{Function, Program, VerifierCall};
use labrys_ranges::{Values, loop_ranges};
use num_traits::ToPrimitive;

/// What was seen of a variable at a loop.
struct Seen {
    low: Float,
    high: Float,
    numbers: u64,
    nans: u64,
}

fn setting(name: &str, default: u64) -> u64 {
    std::env::var(name).ok().and_then(|value| value.parse().ok()).unwrap_or(default)
}

fn external(function: &Function) -> Option<VerifierCall> {
    match function.name.as_str() {
        "assume" => Some(VerifierCall::Assume),
        "seen" => Some(VerifierCall::Nothing),
        name => name.starts_with("any_").then_some(VerifierCall::Value),
    }
}

fn compile(folder: &Path, arguments: &[&str]) {
    let result = Command::new("clang-22").current_dir(folder).args(["-w", "-O0"]).args(arguments).output();
    let result = result.expect("clang-22 is installed");
    assert!(result.status.success(), "{}", String::from_utf8_lossy(&result.stderr));
}

/// A number of C's output, which is exactly an x87 one.
fn number(text: &str) -> Float {
    Environment::default().parse(Format::X87, text).unwrap_or_else(|| panic!("{text} is no number")).value
}

/// What runs see, by line and the variable's number.
fn run(folder: &Path) -> HashMap<(u32, usize), Seen> {
    let output = Command::new("./programs").current_dir(folder).output().expect("it runs");
    assert!(output.status.success(), "{output:?}");
    let text = String::from_utf8(output.stdout).expect("text");
    let line = |line: &str| {
        let words: Vec<&str> = line.split(' ').collect();
        let count = |place: usize| words[place].parse::<u64>().expect("a count");
        let seen = Seen { low: number(words[4]), high: number(words[5]), numbers: count(2), nans: count(3) };
        ((count(0) as u32, count(1) as usize), seen)
    };
    text.lines().map(line).collect()
}

/// Whether a range has the extremes of what was seen.
fn holds(values: &Values, seen: &Seen) -> bool {
    match values {
        Values::Float(set) => {
            // The extremes are numbers of the variable's format.
            let of_format = |value: &Float| Environment::default().convert(value, set.format).value;
            let is_le = |a: &Float, b: &Float| a.compare(b).is_some_and(|order| order.is_le());
            let hull = set.min_member().zip(set.max_member());
            let is_inside = |(low, high): (Float, Float)| {
                is_le(&low, &of_format(&seen.low)) && is_le(&of_format(&seen.high), &high)
            };
            (seen.nans == 0 || set.nan) && (seen.numbers == 0 || hull.is_some_and(is_inside))
        }
        Values::Int { bits, low, high } => [&seen.low, &seen.high].into_iter().all(|value| {
            let value = value.to_rational().and_then(|value| value.to_integer().to_i128()).expect("an integer");
            let signed = if value >= 1 << (bits - 1) { value - (1 << bits) } else { value };
            (*low..=*high).contains(&signed)
        }),
    }
}

#[test]
fn variables_are_in_their_ranges_at_every_loop() {
    const BATCH: u64 = 20;
    let (count, first) = (setting("LABRYS_LOOP_PROGRAMS", 60), setting("LABRYS_LOOP_SEED", 0));
    let (mut checked, mut unseen) = (0, 0);
    for seed in (first..first + count).step_by(BATCH as usize) {
        let folder = tempfile::tempdir().expect("a folder");
        let Batch { text, seen: numbers } = batch(&mut Random::new(seed), BATCH as usize);
        std::fs::write(folder.path().join("programs.c"), &text).expect("a file");
        std::fs::write(folder.path().join("runtime.c"), include_str!("runtime.c")).expect("a file");
        compile(folder.path(), &["-g", "-c", "-emit-llvm", "programs.c"]);
        compile(folder.path(), &["-o", "programs", "programs.c", "runtime.c", "-lm"]);
        let program = Program::from_bitcode_file(&folder.path().join("programs.bc")).expect("bitcode");
        let seen = run(folder.path());
        for entry in (0..BATCH).map(|number| program.function(&format!("p{number}")).expect("a program")) {
            let name = &program.functions[entry.index()].name;
            let found =
                loop_ranges(&program, entry, &external, None).unwrap_or_else(|why| panic!("{name}: {why}\n{text}"));
            for of in found {
                let source = &program.functions[of.function.index()].loops[of.index];
                let line = program.locations[source.location.index()].line;
                let named = source.variables.iter().zip(&of.variables);
                for (variable, values) in named.filter_map(|(variable, values)| Some((variable, values.as_ref()?))) {
                    // A variable cannot be named there, or it is in the generator's list.
                    let number = numbers.get(&(line, variable.name.clone()));
                    let number =
                        number.unwrap_or_else(|| panic!("seed {seed}: {} at line {line}\n{text}", variable.name));
                    let Some(seen) = seen.get(&(line, *number)) else {
                        unseen += 1;
                        continue;
                    };
                    checked += 1;
                    assert!(
                        holds(values, seen),
                        "seed {seed}: {name}: {} at line {line}: {values:?}\n{text}",
                        variable.name
                    );
                }
            }
        }
    }
    // The comparison means something only if there is something to compare.
    assert!(checked > 3 * count && unseen < checked / 2, "{checked} ranges, {unseen} of loops that no run came to");
}
