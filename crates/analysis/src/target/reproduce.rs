//! Reproducers of findings about one build: what each one's ID.c is made of.

use std::collections::HashMap;

use labrys_program::{LibraryBuild, LibraryFunction, Signature};
use labrys_report::{Claim, Details, Finding, Report, Reproducer, ReproducerBuild, input_record};

use crate::run::options::RunOptions;
use crate::run::recipe::{Artifact, Recipe};
use crate::target::unit::{Built, ROLE};

/// The function that a reproducer calls.
struct Subject<'a> {
    signature: &'a Signature,
    is_local: bool,
    /// Its offset in a library that is there.
    address: Option<u64>,
    /// What is called once before it.
    init: Option<&'a str>,
}

/// The reproducers of one function's findings, and the library where no command can make it again.
pub fn of_source(run: &RunOptions, built: &Built, report: &Report) -> Vec<Artifact> {
    let compiler = built.made.recipe.first().map(String::as_str).unwrap_or("clang-22");
    let recipe = Recipe::of(&built.made, compiler, &run.link);
    let unit = &built.unit;
    let subject =
        Subject { signature: &unit.signature, is_local: !unit.is_public, address: None, init: unit.init.as_deref() };
    let reproducers = report.findings.iter().filter_map(|finding| one(run, report, finding, &recipe, &subject));
    recipe.artifact(&built.made).into_iter().chain(reproducers).collect()
}

/// The reproducers of a library's findings: they load the library that the run built.
pub fn of_library(run: &RunOptions, init: Option<&str>, build: &LibraryBuild, report: &Report) -> Vec<Artifact> {
    let recipe = Recipe::given(&build.library);
    let functions: HashMap<&str, &LibraryFunction> =
        build.functions.iter().map(|function| (function.name.as_str(), function)).collect();
    let mut units: HashMap<&str, &LibraryFunction> = HashMap::new();
    for summary in &report.functions {
        if let Some(function) = functions.get(summary.function.as_str()) {
            units.extend(summary.findings.iter().map(|id| (id.as_str(), *function)));
        }
    }
    let of_finding = |finding: &Finding| {
        let function = units.get(finding.id.as_str())?;
        let mut signature = function.signature.clone().ok()?;
        signature.name.clone_from(&function.source_name);
        signature.symbol.clone_from(&function.symbol);
        let subject = Subject {
            signature: &signature,
            is_local: !function.is_public,
            // Several sources may have static functions of this name.
            address: (!function.is_public).then_some(function.address),
            init,
        };
        one(run, report, finding, &recipe, &subject)
    };
    report.findings.iter().filter_map(of_finding).collect()
}

/// A finding's ID.c.
fn one(
    run: &RunOptions,
    report: &Report,
    finding: &Finding,
    recipe: &Recipe,
    subject: &Subject<'_>,
) -> Option<Artifact> {
    let claim = claim(finding, subject.signature)?;
    // The witness was printed from a record of this signature.
    let record = input_record(&subject.signature.input_layout(), &finding.inputs).ok()?;
    let commands = recipe.commands(&finding.id, ROLE);
    let reproducer = Reproducer {
        report,
        finding,
        signature: subject.signature,
        input: &record,
        claim,
        call_limit: run.call_timeout,
        memory_mib: None,
        local_symbol: subject.is_local,
        address: subject.address,
        init: subject.init,
        builds: &[ReproducerBuild { role: ROLE, library: recipe.library(&commands) }],
    };
    Some(Artifact { name: format!("{}.c", finding.id), contents: reproducer.write() })
}

/// What a finding claims of one build.
fn claim(finding: &Finding, signature: &Signature) -> Option<Claim> {
    match &finding.details {
        Details::Exception(details) => Some(Claim::Exception(details.exception)),
        Details::Accuracy(details) => {
            let leaves = signature.output_layout().leaves;
            let output = leaves.iter().position(|leaf| leaf.path == details.output)?;
            let truth = u128::from_str_radix(details.rounded_truth.strip_prefix("0x")?, 16).ok()?;
            // Another libm may do a little better.
            let ulps = details.error.ulps.map_or(0, |ulps| (ulps / 2.0) as u64);
            Some(Claim::Error { output, truth, ulps })
        }
        Details::Difference(_) | Details::Violation(_) => None,
    }
}
