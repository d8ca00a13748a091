//! `cargo xtask table blame`: which flag and which pass `labrys diff` blames for divergences whose cause is known by construction.
//!
//! The functions are in `xtask/programs/blame/causes.c`, each below a line that says what makes it. A flag is named rightly where it is the only one besides the level
//! and what a compiler ignores it without; a pass where its name begins with the one that is expected.

mod gsl;

use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result, bail};
use clap::Args;
use serde_json::Value;

use crate::process::finish;

const SOURCE: &str = "xtask/programs/blame/causes.c";
/// How long one function may take.
const LIMIT: std::time::Duration = std::time::Duration::from_secs(300);
/// What compilers may ignore -fassociative-math without, and -O3 without which most flags do nothing.
const BESIDE: [&str; 3] = ["-fno-signed-zeros", "-fno-trapping-math", "-O3"];

/// What to measure.
#[derive(Args, Debug)]
pub struct Request {
    /// Only functions whose names contain this.
    #[arg(long, default_value = "")]
    only: String,
    /// How long blame takes for findings in GSL's folders poly and sys instead.
    #[arg(long)]
    gsl: bool,
}

/// A function and what makes its divergence.
#[derive(Debug)]
struct Case {
    function: String,
    flag: String,
    builds: [&'static str; 2],
    input: String,
    /// Empty where the pass is not known by construction.
    pass: String,
}

/// The baseline and the variant of a name.
fn builds(name: &str) -> Result<[&'static str; 2]> {
    Ok(match name {
        "FAST" | "ERRNO" => ["-O0", "-O3 -ffast-math"],
        "FUSED" => ["-O0 -mfma", "-O3 -ffast-math -mfma"],
        "MARCH" => ["-O2 -ffp-contract=fast", "-O2 -ffp-contract=fast -mfma"],
        "LOOPS" => ["-O3 -ffast-math -fno-vectorize", "-O3 -ffast-math"],
        "LEVEL" => ["-O0", "-O3"],
        "TRAPS" => ["-O3 -ftrapping-math", "-O3"],
        other => bail!("{SOURCE}: there are no builds {other}"),
    })
}

/// The functions of the source, in its order.
fn cases(text: &str) -> Result<Vec<Case>> {
    let mut cases = Vec::new();
    let mut lines = text.lines();
    while let Some(line) = lines.next() {
        let Some(said) = line.strip_prefix("/* CAUSE ").and_then(|line| line.strip_suffix("*/")) else { continue };
        let parts: Vec<&str> = said.split('|').map(str::trim).collect();
        let [flag, name, input, pass] = parts[..] else { bail!("{SOURCE}: not four parts: {line}") };
        let declared = lines.next().and_then(|line| line.split('(').next()).unwrap_or_default();
        let function = declared.rsplit([' ', '*']).next().unwrap_or_default().to_owned();
        let (flag, input, pass) = (flag.to_owned(), input.to_owned(), pass.to_owned());
        cases.push(Case { function, flag, builds: builds(name)?, input, pass });
    }
    Ok(cases)
}

/// What labrys blames: flags but those that go without saying, the pass, and why it blames none.
struct Blamed {
    flags: Vec<String>,
    pass: String,
    why: String,
}

fn blamed(root: &Path, case: &Case) -> Result<(Blamed, f64)> {
    let [baseline, variant] = case.builds;
    let mut command = Command::new(crate::labrys(root));
    command.current_dir(root).args(["diff", SOURCE, "-f", &case.function, "--baseline", baseline]);
    command.args(["--variant", variant, "--ulps", "0", "--all", "--format", "json", "--input", &case.input]);
    let ended = finish(command, LIMIT)?;
    let report: Value = serde_json::from_slice(&ended.output)
        .with_context(|| format!("{}: {}", case.function, String::from_utf8_lossy(&ended.errors)))?;
    let details = &report["findings"][0]["difference"];
    let flags = details["blame"]["flags"].as_array().cloned().unwrap_or_default();
    let flags = flags.iter().filter_map(Value::as_str).map(str::to_owned).collect();
    let pass = details["blame"]["pass"].as_str().unwrap_or_default().to_owned();
    let why = match report["findings"].as_array().map(Vec::len) {
        Some(0) | None => "no finding".to_owned(),
        Some(_) => details["unblamed"].as_str().unwrap_or_default().to_owned(),
    };
    Ok((Blamed { flags, pass, why }, ended.seconds))
}

/// Whether the flag is the only one that is named, besides those that go without saying.
fn is_right(case: &Case, flags: &[String]) -> bool {
    let is_besides = |flag: &&String| BESIDE.contains(&flag.as_str()) && **flag != case.flag;
    let said: Vec<&String> = flags.iter().filter(|flag| !is_besides(flag)).collect();
    let beside = |flag: &String| case.flag == "-fassociative-math" || flag == "-O3" || *flag == case.flag;
    said.len() == 1 && *said[0] == case.flag && flags.iter().all(beside)
}

/// Prints the table; false where a flag or a pass is named wrongly.
pub fn run(root: &Path, request: &Request) -> Result<bool> {
    if request.gsl {
        return gsl::run(root);
    }
    let text = std::fs::read_to_string(root.join(SOURCE)).with_context(|| format!("cannot read {SOURCE}"))?;
    println!("| function | made by | labrys says | pass | labrys says | seconds |\n|---|---|---|---|---|---|");
    let (mut flags, mut passes, mut all, mut with_pass) = (0, 0, 0, 0);
    for case in cases(&text)?.iter().filter(|case| case.function.contains(&request.only)) {
        let (blamed, seconds) = blamed(root, case)?;
        let is_flag = is_right(case, &blamed.flags);
        let is_pass = !case.pass.is_empty() && blamed.pass.to_lowercase().starts_with(&case.pass);
        flags += usize::from(is_flag);
        passes += usize::from(is_pass);
        all += 1;
        with_pass += usize::from(!case.pass.is_empty());
        let said = if blamed.flags.is_empty() { blamed.why.clone() } else { blamed.flags.join(" ") };
        let mark = |is_right: bool| if is_right { "" } else { " (wrong)" };
        println!(
            "| {} | {} | {said}{} | {} | {}{} | {seconds:.1} |",
            case.function,
            case.flag,
            mark(is_flag),
            case.pass,
            blamed.pass,
            mark(is_pass || case.pass.is_empty()),
        );
    }
    println!("\n{flags} of {all} flags and {passes} of {with_pass} passes named rightly");
    Ok(flags == all && passes == with_pass)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_source_says_what_makes_each_function() {
        let cases = cases(include_str!("../programs/blame/causes.c")).expect("it is read");
        assert!(cases.len() >= 30, "{}", cases.len());
        assert!(cases.iter().filter(|case| !case.pass.is_empty()).count() >= 10);
        for flag in [
            "-fno-honor-nans",
            "-fno-honor-infinities",
            "-fno-signed-zeros",
            "-fassociative-math",
            "-freciprocal-math",
            "-fapprox-func",
            "-ffp-contract=fast",
            "-fno-math-errno",
            "no -fno-vectorize",
            "no -ftrapping-math",
            "-mfma",
        ] {
            assert!(cases.iter().filter(|case| case.flag == flag).count() >= 3, "{flag}");
        }
        assert!(cases.iter().all(|case| case.function.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')));
    }

    #[test]
    fn only_the_flag_that_makes_it_is_right() {
        let case = |flag: &str| Case {
            function: String::new(),
            flag: flag.to_owned(),
            builds: ["", ""],
            input: String::new(),
            pass: String::new(),
        };
        let said = |flags: &[&str]| flags.iter().map(|flag| (*flag).to_owned()).collect::<Vec<_>>();
        let associative = case("-fassociative-math");
        assert!(is_right(
            &associative,
            &said(&["-O3", "-fassociative-math", "-fno-signed-zeros", "-fno-trapping-math"])
        ));
        assert!(is_right(&case("-fno-signed-zeros"), &said(&["-O3", "-fno-signed-zeros"])));
        assert!(!is_right(&case("-fno-signed-zeros"), &said(&["-O3"])));
        assert!(!is_right(&case("-fapprox-func"), &said(&["-O3", "-fapprox-func", "-fno-signed-zeros"])));
        assert!(!is_right(&case("-fapprox-func"), &said(&["-O3", "-freciprocal-math"])));
        assert!(is_right(&case("-O3"), &said(&["-O3"])));
        assert!(!is_right(&case("-O3"), &said(&[])));
    }
}
