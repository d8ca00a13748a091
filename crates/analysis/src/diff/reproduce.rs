//! Reproducers: what each finding's ID.c is made of.

use labrys_report::{Report, Reproducer, ReproducerBuild};

use super::builds::Prepared;
use super::distill::Distilled;
use super::request::Request;
use crate::run::recipe::{Artifact, Recipe};

/// The reproducer of every finding, and the libraries that no command can make again.
pub fn artifacts(request: &Request, prepared: &Prepared, report: &Report, findings: &[Distilled]) -> Vec<Artifact> {
    let recipes: Vec<Recipe> =
        prepared.builds.iter().map(|made| Recipe::of(&made.build, &made.compiler_to_call, &request.run.link)).collect();
    let libraries = prepared.builds.iter().zip(&recipes).filter_map(|(made, recipe)| recipe.artifact(&made.build));
    let mut artifacts: Vec<Artifact> = libraries.collect();
    for (distilled, finding) in findings.iter().zip(&report.findings) {
        let role = |index: usize| prepared.builds[index].build.role.as_str();
        let compared = [0, distilled.variant];
        let commands = compared.map(|index| recipes[index].commands(&finding.id, role(index)));
        let build = |slot: usize| ReproducerBuild {
            role: role(compared[slot]),
            library: recipes[compared[slot]].library(&commands[slot]),
        };
        let reproducer = Reproducer {
            report,
            finding,
            signature: &prepared.signature,
            input: &distilled.record,
            watched: distilled.watched,
            ulps: request.ulps,
            call_limit: request.run.call_timeout,
            memory_mib: None,
            local_symbol: prepared.is_local,
            address: None,
            init: None,
            builds: &[build(0), build(1)],
        };
        artifacts.push(Artifact { name: format!("{}.c", finding.id), contents: reproducer.write() });
    }
    artifacts
}
