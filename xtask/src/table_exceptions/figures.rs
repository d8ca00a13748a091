//! The figures of a library run, from its report.

use std::collections::BTreeMap;

use serde_json::Value;

/// The exceptions in the paper's order.
const CLASSES: [&str; 4] = ["overflow", "underflow", "invalid", "divbyzero"];

/// What exceptions do to results, worst first.
const EFFECTS: [&str; 5] = ["lost", "inaccurate", "unclassified", "honest", "harmless"];

/// Reasons for which proofs were not confirmed that are printed.
const REASONS: usize = 12;

/// Findings of one exception.
#[derive(Debug, Default, PartialEq)]
struct Class {
    /// Distinct sites.
    sites: usize,
    /// Inputs that reached one of them, summed over the sites.
    inputs: u64,
    /// Sites where the true result is known to be in range or not.
    classified: usize,
    /// Of these, where it is a normal number.
    avoidable: usize,
}

/// What the table shows.
#[derive(Debug, Default)]
pub struct Figures {
    /// Functions of the run.
    pub functions: usize,
    /// Functions that were not analysed, and why.
    pub failures: Vec<(String, String)>,
    /// Functions whose planned work was done in time.
    complete: usize,
    /// Of these, those of which every path was followed.
    all_paths: usize,
    /// Of these, those without any exception.
    clean: usize,
    /// Queries over the reals: with a model, without one, left open by z3, and of these solved by the paper's method.
    queries: [u64; 4],
    classes: [Class; 4],
    /// Pairs of a site and an exception by verdict.
    verdicts: BTreeMap<String, u64>,
    /// Proofs by the solver and its intervals, of these those that a second opinion confirmed, and those it contradicted.
    proofs: [u64; 3],
    /// The other proofs by the reasons for which nobody confirmed them.
    unconfirmed: BTreeMap<String, u64>,
    /// Wall-clock time of second opinions in seconds, all functions' together.
    opinion_seconds: f64,
    /// Findings by effect.
    effects: BTreeMap<String, usize>,
    findings: usize,
    /// Findings that occur from some public function.
    public: usize,
    /// Wall-clock time in seconds.
    pub wall_seconds: f64,
}

impl Figures {
    /// Reads a report.
    pub fn of(report: &Value) -> Figures {
        let array = |name: &str| report[name].as_array().map(Vec::as_slice).unwrap_or_default();
        let count = |name: &str| report["counts"][name].as_u64().unwrap_or(0);
        let mut figures = Figures {
            queries: [count("sat"), count("unsat"), count("unknown"), count("solved_by_method")],
            wall_seconds: report["timing"]["wall_s"].as_f64().unwrap_or(0.0),
            opinion_seconds: report["timing"]["second_opinions_s"].as_f64().unwrap_or(0.0),
            proofs: [0, 0, array("contradictions").len() as u64],
            ..Figures::default()
        };
        array("functions").iter().for_each(|function| figures.add_function(function));
        array("findings").iter().for_each(|finding| figures.add_finding(finding));
        let grounds = report["tables"]["grounds"].as_array().map(Vec::as_slice).unwrap_or_default();
        for site in array("sites") {
            *figures.verdicts.entry(site["verdict"].as_str().unwrap_or_default().to_owned()).or_default() += 1;
            // A library's report has once what verdicts rest on.
            let index = site["grounds"].as_u64().and_then(|index| usize::try_from(index).ok());
            figures.add_proof(index.and_then(|index| grounds.get(index)).unwrap_or(site));
        }
        figures
    }

    fn add_function(&mut self, function: &Value) {
        self.functions += 1;
        if let Some(why) = function["failure"].as_str() {
            self.failures.push((function["function"].as_str().unwrap_or_default().to_owned(), why.to_owned()));
            return;
        }
        let complete = function["status"] == "complete";
        let all_paths = complete && function["all_paths"] == true;
        let clean = all_paths && function["findings"].as_array().is_none_or(Vec::is_empty);
        self.complete += usize::from(complete);
        self.all_paths += usize::from(all_paths);
        self.clean += usize::from(clean);
    }

    fn add_proof(&mut self, site: &Value) {
        let Some(engine) = site["engine"].as_str().filter(|engine| *engine != "ranges") else { return };
        let opinion = site["opinion"].as_str().unwrap_or_default();
        self.proofs[0] += 1;
        if opinion.starts_with("confirmed") {
            self.proofs[1] += 1;
        } else {
            let inherited = if engine.contains(',') { " (several proofs)" } else { "" };
            *self.unconfirmed.entry(format!("{opinion}{inherited}")).or_default() += 1;
        }
    }

    /// Proofs that a second opinion contradicted.
    pub fn contradicted(&self) -> u64 {
        self.proofs[2]
    }

    fn add_finding(&mut self, finding: &Value) {
        self.findings += 1;
        *self.effects.entry(finding["severity"].as_str().unwrap_or_default().to_owned()).or_default() += 1;
        let details = &finding["exception"];
        self.public += usize::from(details["reachable_from"].as_array().is_some_and(|routes| !routes.is_empty()));
        let Some(class) = CLASSES.iter().position(|class| details["exception"] == *class) else { return };
        let class = &mut self.classes[class];
        class.sites += 1;
        class.inputs += finding["count"].as_u64().unwrap_or(0);
        class.classified += usize::from(details["avoidable"].is_boolean());
        class.avoidable += usize::from(details["avoidable"] == true);
    }

    /// Functions that were analysed.
    pub fn analysed(&self) -> usize {
        self.functions - self.failures.len()
    }

    fn verdict(&self, name: &str) -> u64 {
        self.verdicts.get(name).copied().unwrap_or(0)
    }

    fn pairs(&self) -> u64 {
        self.verdicts.values().sum()
    }

    /// The share of pairs with an input or a proof without a loop bound; 0 where there are none.
    pub fn decided_share(&self) -> f64 {
        share(self.verdict("reachable") + self.verdict("unreachable"), self.pairs()).unwrap_or(0.0)
    }

    /// Prints both tables.
    pub fn print(&self, asked: usize, loop_bound: Option<u32>) {
        println!("As the paper's table 5 counts; its digits are lost in our copy, but for 467 functions of GSL 1.14.");
        println!(
            "Exceptions: distinct sites : inputs that reached them. Avoidable: of those whose true result is known."
        );
        println!();
        println!(
            "| loop bound | functions | no time-out | all paths | no exception | sat | unsat | unknown | solved of z3's unknowns | overflow | underflow | invalid | divbyzero | avoidable overflow | avoidable underflow | total time |"
        );
        println!("|{}", "---|".repeat(16));
        let [sat, unsat, unknown, solved] = self.queries;
        let mut cells = vec![loop_bound.map_or("default".to_owned(), |bound| bound.to_string())];
        cells.extend([asked, self.complete, self.all_paths, self.clean].map(|count| count.to_string()));
        cells.extend([sat, unsat, unknown].map(|count| count.to_string()));
        cells.push(percent(share(solved, unknown)));
        cells.extend(self.classes.iter().map(|class| format!("{}:{}", class.sites, class.inputs)));
        cells.extend(
            self.classes[..2].iter().map(|class| percent(share(class.avoidable as u64, class.classified as u64))),
        );
        cells.push(format!("{:.0} s", self.wall_seconds));
        println!("| {} |", cells.join(" | "));
        println!();
        println!(
            "| pairs | decided | reachable | unreachable, proved | unreachable within the bound | unknown | findings | from the public API | lost | inaccurate | unclassified | honest | harmless |"
        );
        println!("|{}", "---|".repeat(13));
        let mut cells = vec![self.pairs().to_string(), format!("{:.1} %", 100.0 * self.decided_share())];
        cells.extend(
            ["reachable", "unreachable", "unreachable_within_bound", "unknown"]
                .map(|name| self.verdict(name).to_string()),
        );
        cells.extend([self.findings, self.public].map(|count| count.to_string()));
        cells.extend(EFFECTS.map(|name| self.effects.get(name).copied().unwrap_or(0).to_string()));
        println!("| {} |", cells.join(" | "));
        self.print_opinions();
    }

    /// Prints what second opinions came to.
    fn print_opinions(&self) {
        let [proofs, confirmed, contradicted] = self.proofs;
        println!();
        println!("| proofs by the solver | confirmed by two | share | contradicted | time of second opinions |");
        println!("|{}", "---|".repeat(5));
        let confirmed_share = percent(share(confirmed, proofs));
        println!(
            "| {proofs} | {confirmed} | {confirmed_share} | {contradicted} | {:.1} s of all workers |",
            self.opinion_seconds
        );
        let mut reasons: Vec<_> = self.unconfirmed.iter().collect();
        reasons.sort_by_key(|(_, count)| std::cmp::Reverse(**count));
        for (reason, count) in reasons.iter().take(REASONS) {
            println!("  {count:>6}  {reason}");
        }
    }
}

fn share(part: u64, whole: u64) -> Option<f64> {
    (whole > 0).then(|| part as f64 / whole as f64)
}

fn percent(share: Option<f64>) -> String {
    share.map_or("-".to_owned(), |share| format!("{:.1} %", 100.0 * share))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn figures_are_read_from_a_report() {
        let report = json!({
            "counts": { "sat": 5, "unsat": 2, "unknown": 4, "solved_by_method": 3 },
            "functions": [
                { "function": "f", "status": "complete", "all_paths": true, "findings": ["a"] },
                { "function": "g", "status": "complete", "all_paths": true, "findings": [] },
                { "function": "h", "status": "limit", "all_paths": true, "findings": [] },
                { "function": "i", "failure": "no driver", "status": "complete", "all_paths": false, "findings": [] }
            ],
            "findings": [
                { "severity": "lost", "count": 7, "exception": { "exception": "overflow", "avoidable": true, "reachable_from": [{}] } },
                { "severity": "honest", "count": 2, "exception": { "exception": "overflow", "avoidable": false, "reachable_from": [] } },
                { "severity": "honest", "count": 1, "exception": { "exception": "invalid", "reachable_from": [] } }
            ],
            "sites": [
                { "verdict": "reachable" }, { "verdict": "unreachable", "engine": "ranges" },
                { "verdict": "unreachable", "grounds": 1 },
                { "verdict": "unreachable_within_bound", "engine": "intervals", "opinion": "by one: not asked" },
                { "verdict": "unknown" }
            ],
            "tables": { "grounds": [{}, { "engine": "portfolio", "opinion": "confirmed by two (z3 5.4.0)" }] },
            "contradictions": [{}],
            "timing": { "wall_s": 12.5 }
        });
        let figures = Figures::of(&report);
        assert_eq!((figures.functions, figures.analysed()), (4, 3));
        assert_eq!((figures.complete, figures.all_paths, figures.clean), (2, 2, 1));
        assert_eq!(figures.queries, [5, 2, 4, 3]);
        assert_eq!(figures.classes[0], Class { sites: 2, inputs: 9, classified: 2, avoidable: 1 });
        assert_eq!(figures.classes[2], Class { sites: 1, inputs: 1, classified: 0, avoidable: 0 });
        assert_eq!(figures.decided_share(), 0.6);
        assert_eq!((figures.proofs, figures.contradicted()), ([2, 1, 1], 1));
        assert_eq!(figures.unconfirmed.get("by one: not asked"), Some(&1));
        assert_eq!((figures.findings, figures.public), (3, 1));
        assert_eq!(figures.effects.get("honest"), Some(&2));
    }
}
