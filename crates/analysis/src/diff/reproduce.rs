//! Reproducers: what each finding's ID.c is made of.

use labrys_report::{Claim, Finding, Report, Reproducer, ReproducerBuild, input_record};

use super::builds::{Made, Prepared};
use super::request::Request;
use crate::run::recipe::{Artifact, Recipe};

/// The reproducer of every finding, and the libraries that no command can make again.
pub fn artifacts(request: &Request, prepared: &Prepared, report: &Report) -> Vec<Artifact> {
    let recipe = |made: &Made| Recipe::of(&made.build, &made.compiler_to_call, &request.run.link);
    let recipes: Vec<Recipe> = prepared.builds.iter().map(recipe).collect();
    let libraries = prepared.builds.iter().zip(&recipes).filter_map(|(made, recipe)| recipe.artifact(&made.build));
    libraries.chain(reproducers(request, prepared, &recipes, (report, &report.findings))).collect()
}

/// The reproducers of findings of a function of a library: they load the libraries that the run built.
pub fn of_library(request: &Request, prepared: &Prepared, report: &Report, findings: &[Finding]) -> Vec<Artifact> {
    let recipes: Vec<Recipe> = prepared.builds.iter().map(|made| Recipe::given(&made.build.library)).collect();
    reproducers(request, prepared, &recipes, (report, findings))
}

fn reproducers(
    request: &Request,
    prepared: &Prepared,
    recipes: &[Recipe],
    (report, findings): (&Report, &[Finding]),
) -> Vec<Artifact> {
    let mut artifacts = Vec::new();
    let layout = prepared.signature.input_layout();
    for finding in findings {
        let role = |index: usize| prepared.builds[index].build.role.as_str();
        let Some(difference) = finding.difference() else { continue };
        let variant = prepared.builds.iter().position(|made| difference.between.last() == Some(&made.build.role));
        let Some(variant) = variant else { continue };
        // The witness was printed from a record of this signature.
        let Ok(record) = input_record(&layout, &finding.inputs) else { continue };
        let compared = [0, variant];
        let commands = compared.map(|index| recipes[index].commands(&finding.id, role(index)));
        let build = |slot: usize| ReproducerBuild {
            role: role(compared[slot]),
            library: recipes[compared[slot]].library(&commands[slot]),
        };
        let reproducer = Reproducer {
            report,
            finding,
            signature: &prepared.signature,
            input: &record,
            claim: Claim::Difference { watched: difference.compared, ulps: request.ulps },
            call_limit: request.run.call_timeout,
            memory_mib: None,
            local_symbol: prepared.is_local,
            // Several sources may have static functions of this name.
            address: prepared.builds[0].address.filter(|_| prepared.is_local),
            init: prepared.init.as_deref(),
            builds: &[build(0), build(1)],
        };
        artifacts.push(Artifact { name: format!("{}.c", finding.id), contents: reproducer.write() });
    }
    artifacts
}
