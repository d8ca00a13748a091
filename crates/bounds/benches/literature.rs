//! Bounds of the literature's programs and what they cost: FPBench's, in `examples/bounds`.
//!
//! `cargo bench -p labrys-bounds --bench literature -- [FOLDER] [--gap PART] [--floats K [--any-function]] [--rounded-constants]`; into the folder, if one is named, certificates are written.

#[path = "../tests/suite/source.rs"]
mod source;
#[path = "../tests/suite/table.rs"]
mod table;

use std::path::PathBuf;
use std::time::Instant;

use labrys_bounds::{Options, Outcome, bound};

use source::Program;
use table::TABLE;

fn main() {
    let mut options = Options { floats: 0, ..Options::default() };
    let mut folder = None;
    let mut words = std::env::args().skip(1);
    while let Some(word) = words.next() {
        let mut number = || words.next().and_then(|word| word.parse::<f64>().ok()).expect("a number");
        match word.as_str() {
            "--gap" => options.gap = number(),
            "--floats" => options.floats = number() as u32,
            "--any-function" => options.own_floats = false,
            "--rounded-constants" => options.rounded_constants = true,
            "--bench" => {}
            _ => folder = Some(PathBuf::from(word)),
        }
    }
    println!("| program | bound | FPTaylor's | largest sum found | boxes | ms |");
    println!("|---|---|---|---|---|---|");
    for (name, published, _) in TABLE {
        let program = Program::example(name);
        let start = Instant::now();
        let outcome = bound(&program.request(), &options).expect("a valid request");
        let took = start.elapsed().as_secs_f64() * 1e3;
        match outcome {
            Outcome::Proved(found) => {
                println!(
                    "| {name} | {:.3e} | {published:.2e} | {:.3e} | {} | {took:.1} |",
                    found.upper, found.reached, found.boxes
                );
                for (folder, case) in folder.iter().zip(&found.cases) {
                    let file = folder.join(format!("{name}.bounds"));
                    std::fs::write(&file, case.certificate.as_str()).unwrap_or_else(|error| panic!("{error}"));
                }
            }
            Outcome::Unknown(unknown) => println!("| {name} | {} | {published:.2e} | | | {took:.1} |", unknown.why),
        }
    }
}
