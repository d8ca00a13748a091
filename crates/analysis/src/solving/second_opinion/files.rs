//! Queries of proofs as SMT-LIB files: for somebody to ask who is not here, and for whoever looks into a contradiction.

use std::io;
use std::path::Path;

use labrys_report::{Contradiction, Value, write_whole};
use labrys_solver::float_logic;
use labrys_term::{Store, TermId, smtlib};
use sha2::{Digest, Sha256};

use super::Dissent;
use crate::Artifact;

/// What is written beside the queries.
const README: &str = "\
Queries on which proofs of labrys rest: each is unsatisfiable, if labrys is right. Any solver for floating-point arithmetic may be
asked whether it says so too:

    for query in proof-*.smt2; do echo \"$query $(bitwuzla --lang smt2 \"$query\")\"; done

Every line should end with `unsat`. An answer `sat` contradicts a proof; please report it. Where a query has variables for results
of libm's functions, facts about these functions are a part of it, which holds for every libm that labrys' proofs assume.
";

/// The query as a script, with what its status is held for.
pub fn script(store: &Store, terms: &[TermId], status: &str) -> String {
    let options = smtlib::Options { logic: None, produce_models: false, check_sat: true };
    let logic = float_logic(store, terms);
    let body = smtlib::print_script(store, terms, &options);
    format!("(set-info :smt-lib-version 2.6)\n(set-info :status {status})\n(set-logic {logic})\n{body}")
}

/// A short name of a text: equal texts have equal ones.
pub fn name_of(text: &str) -> String {
    Sha256::digest(text.as_bytes()).iter().take(8).map(|byte| format!("{byte:02x}")).collect()
}

/// Writes a proof's query into a folder, which is made where it is missing.
///
/// # Errors
///
/// If the folder or the file cannot be written.
pub fn write_proof(folder: &Path, store: &Store, terms: &[TermId]) -> io::Result<()> {
    std::fs::create_dir_all(folder)?;
    let text = script(store, terms, "unsat");
    let write = |name: &str, text: &str| write_whole(&folder.join(name), text.as_bytes()).map_err(io::Error::other);
    let readme = folder.join("README.md");
    if !readme.exists() {
        write("README.md", README)?;
    }
    write(&format!("proof-{}.smt2", name_of(&text)), &text)
}

/// A contradiction for the report, whose file is in the output folder, or in the current one.
pub fn contradiction(
    store: &Store,
    dissent: &Dissent,
    (claim, engine): (String, &str),
    inputs: Vec<Value>,
    output: Option<&Path>,
) -> Contradiction {
    let query = script(store, &dissent.terms, "unknown");
    let name = format!("contradiction-{}.smt2", name_of(&query));
    let file = match output {
        Some(folder) => folder.join(name).display().to_string(),
        None => format!("labrys-{name}"),
    };
    let said = dissent.doubt.as_deref().unwrap_or("whose model satisfies the query, evaluated exactly");
    let mut text =
        format!("; labrys {}: {claim}\n; {engine}: unsat\n; {}: sat, {said}\n", env!("CARGO_PKG_VERSION"), dissent.by);
    for (variable, value) in dissent.model.iter().flat_map(|model| model.iter()) {
        let name = store.variable_info(variable).0;
        text.push_str(&format!("; {name} = {}\n", smtlib::value_text(value)));
    }
    text.push_str(&query);
    let (by, doubt) = (dissent.by.clone(), dissent.doubt.clone());
    Contradiction { claim, engine: engine.to_owned(), by, doubt, inputs, file, query: text }
}

/// The files of contradictions.
pub fn artifacts(contradictions: &[Contradiction]) -> Vec<Artifact> {
    let of = |contradiction: &Contradiction| {
        let name = Path::new(&contradiction.file).file_name()?.to_str()?.to_owned();
        Some(Artifact { name, contents: contradiction.query.clone().into_bytes() })
    };
    contradictions.iter().filter_map(of).collect()
}
