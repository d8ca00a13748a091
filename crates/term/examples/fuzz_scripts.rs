//! Fuzzes the reader of SMT-LIB scripts: `fuzz_scripts RUNS [SEED] [CORPUS]`.
//!
//! A text that breaks a rule, or that makes the reader panic, is written to `fuzz-found.smt2`.

use std::panic::catch_unwind;
use std::path::PathBuf;
use std::process::ExitCode;

use labrys_formulas::Random;
use labrys_term::smtlib::script::{fuzz_once, mutated};

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let number =
        |index: usize, default: u64| arguments.get(index).and_then(|text| text.parse().ok()).unwrap_or(default);
    let (runs, seed) = (number(0, 10_000), number(1, 0));
    let folder = arguments.get(2).map_or(PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/corpus")), PathBuf::from);
    let mut corpus: Vec<(PathBuf, Vec<u8>)> = std::fs::read_dir(&folder)
        .into_iter()
        .flatten()
        .filter_map(|entry| Some(entry.ok()?.path()))
        .filter_map(|path| Some((path.clone(), std::fs::read(path).ok()?)))
        .collect();
    corpus.sort();
    let corpus: Vec<Vec<u8>> = corpus.into_iter().map(|(_, text)| text).collect();
    if corpus.is_empty() {
        eprintln!("fuzz_scripts: no corpus in {}", folder.display());
        return ExitCode::from(2);
    }
    for run in 0..runs {
        let mut random = Random::new(seed.wrapping_add(run));
        let text = mutated(&corpus, &mut |bound| random.below(bound));
        let broken = match catch_unwind(|| fuzz_once(&text)) {
            Ok(Ok(())) => continue,
            Ok(Err(rule)) => rule,
            Err(_) => "a panic".to_owned(),
        };
        let _ = std::fs::write("fuzz-found.smt2", &text);
        eprintln!("fuzz_scripts: run {run}: {broken}; the text is in fuzz-found.smt2");
        return ExitCode::FAILURE;
    }
    println!("{runs} runs from seed {seed} over {} texts: nothing found", corpus.len());
    ExitCode::SUCCESS
}
