//! Reproducers: what each finding's ID.c is made of.

use labrys_report::{Report, Reproducer, ReproducerBuild, input_record};

use super::builds::Prepared;
use super::request::Request;
use crate::run::recipe::{Artifact, Recipe};

/// The reproducer of every finding, and the libraries that no command can make again.
pub fn artifacts(request: &Request, prepared: &Prepared, report: &Report) -> Vec<Artifact> {
    let recipes: Vec<Recipe> =
        prepared.builds.iter().map(|made| Recipe::of(&made.build, &made.compiler_to_call, &request.run.link)).collect();
    let libraries = prepared.builds.iter().zip(&recipes).filter_map(|(made, recipe)| recipe.artifact(&made.build));
    let mut artifacts: Vec<Artifact> = libraries.collect();
    let layout = prepared.signature.input_layout();
    for finding in &report.findings {
        let role = |index: usize| prepared.builds[index].build.role.as_str();
        let variant = prepared.builds.iter().position(|made| finding.between.last() == Some(&made.build.role));
        // The witness was printed from a record of this signature.
        let (Some(variant), Some(difference)) = (variant, &finding.difference) else { continue };
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
            watched: difference.compared,
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
