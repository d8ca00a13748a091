//! `cargo xtask table textbook`: whom `labrys accuracy` blames of twenty pairs of a naive and a stable algorithm.
//!
//! The pairs are in `examples/accuracy/textbook.c`. A naive one is judged rightly where some finding blames it (lost, unstable, branch), a
//! stable one where none does.

use std::path::Path;

use anyhow::Result;
use clap::Args;
use serde_json::Value;

use crate::table_accuracy;

const SOURCE: &str = "examples/accuracy/textbook.c";

/// What to measure.
#[derive(Args, Debug)]
pub struct Request {
    /// Inputs that each function is run on.
    #[arg(long, default_value_t = 20_000)]
    work: u64,
    /// The seed of the search.
    #[arg(long, default_value_t = 0)]
    seed: u64,
    /// Only pairs whose names contain this.
    #[arg(long, default_value = "")]
    only: String,
}

/// The pairs, each with the options that say which inputs count.
const PAIRS: [(&str, &[&str]); 20] = [
    ("root", &["--range=p=1..1e8", "--range=q=1e-8..1"]),
    ("variance", &["--range=x=1e3..1e6", "--range=y=1e3..1e6", "--range=z=1e3..1e6"]),
    ("sum", &["--range=x=0..1e6"]),
    ("log1p", &["--range=x=1e-20..1e3"]),
    ("expm1", &["--range=x=-1..1"]),
    ("difference_of_squares", &["--range=x=0..1e6", "--range=y=0..1e6"]),
    ("hypot", &["--range=x=1e-200..1e200", "--range=y=1e-200..1e200"]),
    ("sinh", &["--range=x=-10..10"]),
    ("versine", &["--range=x=-1..1"]),
    ("recurrence", &["--range=scale=1..2"]),
    ("power", &["--range=x=0..4"]),
    ("sqrt_difference", &["--range=x=0..1e15"]),
    ("reciprocals", &["--range=x=1..1e12"]),
    ("tanh", &["--range=x=-10..10"]),
    ("atanh", &["--range=x=-0.9..0.9"]),
    ("exp_series", &["--range=x=0..20"]),
    ("relative_exp", &["--range=x=1e-15..1"]),
    (
        "triangle",
        &["--range=a=1..100", "--range=b=1..100", "--range=c=1..100", "--assume=a >= b && b >= c && a < b + c"],
    ),
    ("log_sum_exp", &["--range=x=-1000..1000", "--range=y=-1000..1000"]),
    ("log_ratio", &["--range=x=1e100..1e300", "--range=y=1e100..1e300", "--assume=x < 2*y && y < 2*x"]),
];

/// Prints the table; false where more than one function in forty is judged wrongly.
pub fn run(root: &Path, request: &Request) -> Result<bool> {
    println!("| function | findings: largest excess, bits of error | remedy | judged |\n|---|---|---|---|");
    let (mut right, mut all) = (0, 0);
    for (pair, options) in PAIRS.iter().filter(|(pair, _)| pair.contains(&request.only)) {
        for kind in ["naive", "stable"] {
            let function = format!("{pair}_{kind}");
            let mut words = vec![format!("--max-work={}", request.work), format!("--seed={}", request.seed)];
            words.extend(options.iter().map(|option| (*option).to_owned()));
            let report = table_accuracy::run(root, SOURCE, &function, &words)?;
            let findings = report["findings"].as_array().cloned().unwrap_or_default();
            let is_right = findings.iter().any(blames) == (kind == "naive");
            (right, all) = (right + usize::from(is_right), all + 1);
            let shown: Vec<String> = findings.iter().map(in_words).collect();
            let remedy = findings.iter().find_map(|finding| finding["accuracy"]["remedy"]["better"].as_str());
            let judged = if is_right { "rightly" } else { "wrongly" };
            println!("| {function} | {} | {} | {judged} |", shown.join("; "), remedy.unwrap_or_default());
        }
    }
    println!("\n{right} of {all} judged rightly");
    Ok(all - right <= all / 40)
}

fn blames(finding: &Value) -> bool {
    ["lost", "unstable", "branch"].iter().any(|severity| finding["severity"] == *severity)
}

/// `unstable: 9.0e15, 61.9`.
fn in_words(finding: &Value) -> String {
    let details = &finding["accuracy"];
    let number = |value: &Value, digits: usize| {
        value.as_f64().map_or("-".to_owned(), |value| match value.abs() {
            large if large >= 1e5 => format!("{value:.1e}"),
            _ => format!("{value:.digits$}"),
        })
    };
    let severity = finding["severity"].as_str().unwrap_or_default();
    format!("{severity}: {}, {}", number(&details["excess"], 2), number(&details["error"]["bits"], 1))
}
