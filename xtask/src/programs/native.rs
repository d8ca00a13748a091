//! Programs as machine code, with sanitizers, on inputs that the runtime feeds them.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use anyhow::{Context, Result, bail};

use super::program::{Expectation, Program, folder};
use super::sanitizers::reported;
use crate::process::{self, Finished};

/// How long all random runs of a program may take.
const LIMIT: Duration = Duration::from_secs(300);

/// Of all random inputs.
const SEED: &str = "1";

/// How many random inputs.
#[derive(Clone, Copy, Debug)]
pub struct Amount {
    /// Inputs that fulfil the program's assumptions, if as many are found.
    pub wanted: u64,
    /// Inputs in all.
    pub tries: u64,
    /// The least number that has to fulfil the assumptions.
    pub least: u64,
}

/// Which sanitizers watch: the memory sanitizer knows uninitialised values and excludes the others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Sanitizers {
    AddressAndUndefined,
    Memory,
}

/// Checks a program's expectation natively; says what was seen, or why the expectation is not to be trusted.
pub fn check(root: &Path, scratch: &Path, program: &Program, amount: Amount) -> Result<String> {
    match &program.expectation {
        Expectation::Violated(expected) => {
            let sanitizers = match expected.kind.as_str() {
                "uninitialised" => Sanitizers::Memory,
                _ => Sanitizers::AddressAndUndefined,
            };
            let binary = compile(root, scratch, program, sanitizers)?;
            let input = scratch.join(format!("{}.input", program.name));
            fs::write(&input, program.inputs.join("\n") + "\n")?;
            let run = run(&binary, program, &["replay", &input.to_string_lossy()])?;
            let errors = String::from_utf8_lossy(&run.errors);
            match reported(&errors, &program.file()) {
                Some(seen) if seen == *expected => Ok(format!("{} at {}", seen.kind, seen.line)),
                Some(seen) => bail!("{} at {}, expected {} at {}", seen.kind, seen.line, expected.kind, expected.line),
                None => bail!("no error that is known here: {}\n{}", run.status, first_lines(&errors)),
            }
        }
        Expectation::Holds => {
            let mut seen = Vec::new();
            for sanitizers in [Sanitizers::AddressAndUndefined, Sanitizers::Memory] {
                let binary = compile(root, scratch, program, sanitizers)?;
                let [tries, wanted] = [amount.tries, amount.wanted].map(|number| number.to_string());
                let run = run(&binary, program, &["random", &tries, &wanted, SEED])?;
                if !run.in_time || !run.status.success() {
                    bail!("{}\n{}", run.status, first_lines(&String::from_utf8_lossy(&run.errors)));
                }
                let output = String::from_utf8_lossy(&run.output);
                let (_, fulfilled) = output.trim().rsplit_once(' ').context("the runtime printed no numbers")?;
                if fulfilled.parse::<u64>()? < amount.least {
                    bail!("only {fulfilled} of {} inputs fulfil the assumptions", amount.tries);
                }
                seen.push(fulfilled.to_owned());
            }
            Ok(format!("nothing, on {} inputs and, for uninitialised values, on {}", seen[0], seen[1]))
        }
    }
}

fn compile(root: &Path, scratch: &Path, program: &Program, sanitizers: Sanitizers) -> Result<PathBuf> {
    let binary = scratch.join(format!("{}-{sanitizers:?}", program.name));
    let mut command = Command::new("clang-22");
    command.args([
        "-std=gnu11",
        "-g",
        "-O0",
        "-Wall",
        "-Wextra",
        "-Wno-main",
        "-ffp-contract=off",
        "-Dmain=program_main",
    ]);
    // One suite's errors are seeded, and some of them clang sees.
    command.args(
        match program.expectation {
            Expectation::Holds => "-Werror",
            Expectation::Violated(_) => "-w",
        }
        .split(' '),
    );
    command.args(match sanitizers {
        Sanitizers::AddressAndUndefined => {
            &["-fsanitize=address,undefined", "-fno-sanitize-recover=all", "-fsanitize-address-use-after-return=always"]
                [..]
        }
        Sanitizers::Memory => &["-fsanitize=memory"],
    });
    let folder = folder(root);
    command.arg("-I").arg(folder.join("include")).arg(&program.path).arg(folder.join("runtime.c"));
    command.arg("-o").arg(&binary).arg("-lm");
    let compiled = process::finish(command, LIMIT)?;
    if !compiled.status.success() {
        bail!("clang: {}", first_lines(&String::from_utf8_lossy(&compiled.errors)));
    }
    Ok(binary)
}

fn run(binary: &Path, program: &Program, arguments: &[&str]) -> Result<Finished> {
    let mut command = Command::new(binary);
    command.args(arguments);
    let leaks = u8::from(program.checks("leaks"));
    let address =
        format!("detect_leaks={leaks}:detect_stack_use_after_return=1:handle_abort=1:allocator_may_return_null=1");
    command.env("ASAN_OPTIONS", address);
    for variable in ["ASAN_SYMBOLIZER_PATH", "MSAN_SYMBOLIZER_PATH"] {
        command.env(variable, "/usr/bin/llvm-symbolizer-22");
    }
    process::finish(command, LIMIT)
}

fn first_lines(text: &str) -> String {
    text.lines().take(12).collect::<Vec<_>>().join("\n")
}
