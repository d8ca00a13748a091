//! The table of all functions, and what is wrong.

use anyhow::Result;

use super::compare::{Comparison, Contradiction, Fault};
use super::function::Function;

/// Prints a row for each function, sums, and each contradiction; false where there is one or a function could not be looked at.
pub fn print(functions: &[Function], results: Vec<Result<Comparison>>) -> bool {
    println!(
        "| function | calls | raised something | traced | proved | certain | contradicted | reachable | seen here | open | seen here |"
    );
    println!("|{}", "---|".repeat(11));
    let mut sums = [0_u64; 10];
    let mut compared = 0;
    for (function, result) in functions.iter().zip(&results) {
        let Ok(comparison) = result else { continue };
        let row = cells(comparison);
        sums.iter_mut().zip(row).for_each(|(sum, cell)| *sum += cell);
        compared += 1;
        println!("| {} | {} |", function.title(), row.map(|cell| cell.to_string()).join(" | "));
    }
    println!("| {compared} functions | {} |", sums.map(|sum| sum.to_string()).join(" | "));
    println!();
    let mut agreed = true;
    for (function, result) in functions.iter().zip(&results) {
        match result {
            Err(error) => {
                agreed = false;
                println!("{}: {error:#}", function.title());
            }
            Ok(comparison) => {
                if comparison.truth.incomplete > 0 {
                    let number = comparison.truth.incomplete;
                    println!(
                        "{}: on {number} inputs the instructions found do not explain the flags",
                        function.title()
                    );
                }
                agreed &= comparison.contradicted() == 0;
                for contradiction in &comparison.contradictions {
                    println!("{}: {}", function.title(), sentence(contradiction));
                    println!(
                        "  in {}: {} --input x={}",
                        function.folder.display(),
                        comparison.command,
                        value(&contradiction.count.input)
                    );
                }
            }
        }
    }
    agreed
}

fn cells(comparison: &Comparison) -> [u64; 10] {
    let number = |count: usize| count as u64;
    let truth = &comparison.truth;
    [
        truth.calls,
        truth.raising,
        truth.traced,
        number(comparison.proofs),
        number(comparison.certain),
        number(comparison.contradicted()),
        number(comparison.reachable),
        number(comparison.seen),
        number(comparison.open),
        number(comparison.open_seen),
    ]
}

/// What happened and should not have.
fn sentence(contradiction: &Contradiction) -> String {
    let Contradiction { fault, place, engines, exception, count } = contradiction;
    let place = place.as_ref().map_or_else(String::new, |(file, line, column)| format!("{file}:{line}:{column}"));
    let (input, number) = (&count.input, count.count);
    match fault {
        Fault::Site => format!(
            "{exception} at {place} is proved impossible ({engines}), and {input} raises it; so do {number} traced inputs"
        ),
        Fault::Function => {
            format!("{exception} is proved impossible everywhere, and {input} raises it, one of {number} inputs")
        }
        Fault::NoPair => {
            format!("{exception} at {place} is no pair, and {input} raises it; so do {number} traced inputs")
        }
    }
}

/// An encoding as a value that `--input` takes exactly.
fn value(encoding: &str) -> String {
    let bits = u32::from_str_radix(encoding.trim_start_matches("0x"), 16).unwrap_or(0);
    format!("{:e}", f64::from(f32::from_bits(bits)))
}
