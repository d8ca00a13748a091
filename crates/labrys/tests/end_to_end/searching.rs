//! What `labrys diff` finds first and how it tells it: ordinary inputs, distances, causes.

use serde_json::Value;

use crate::harness::Bench;

const HIMMELBLAU: &str = "\
    double himmelblau(double x, double y) {\n\
        return (x*x + y - 11.0)*(x*x + y - 11.0) + (x + y*y - 7.0)*(x + y*y - 7.0);\n\
    }\n";
const INVERSE: &str = "\
    void inverse3(const double a[9], double r[9]) {\n\
        double d = a[0]*(a[4]*a[8]-a[5]*a[7]) - a[1]*(a[3]*a[8]-a[5]*a[6]) + a[2]*(a[3]*a[7]-a[4]*a[6]);\n\
        double k = 1.0/d;\n\
        r[0] = (a[4]*a[8]-a[5]*a[7])*k; r[1] = (a[2]*a[7]-a[1]*a[8])*k; r[2] = (a[1]*a[5]-a[2]*a[4])*k;\n\
        r[3] = (a[5]*a[6]-a[3]*a[8])*k; r[4] = (a[0]*a[8]-a[2]*a[6])*k; r[5] = (a[2]*a[3]-a[0]*a[5])*k;\n\
        r[6] = (a[3]*a[7]-a[4]*a[6])*k; r[7] = (a[1]*a[6]-a[0]*a[7])*k; r[8] = (a[0]*a[4]-a[1]*a[3])*k;\n\
    }\n";

fn ulps(finding: &Value) -> f64 {
    finding["difference"]["ulps"].as_f64().unwrap_or(0.0)
}

/// Sampling of magnitudes alone found no difference between the builds at all.
#[test]
fn differences_are_climbed_whatever_the_seed() {
    let bench = Bench::new(&[("f.c", HIMMELBLAU)]);
    for seed in ["0", "1", "2"] {
        let arguments = ["diff", "f.c", "--max-work", "40000", "--max-paths", "1", "--seed", seed, "--format", "json"];
        let run = bench.labrys(&arguments);
        run.expect_code(1);
        let finding =
            run.finding("of hundreds of ulps", |finding| finding["severity"] == "ulps" && ulps(finding) >= 300.0);
        assert_eq!(finding["difference"]["cause"]["line"], 2, "{finding:#}");
        assert!(finding["summary"].as_str().is_some_and(|text| text.contains("ulps apart")), "{finding:#}");
    }
}

#[test]
fn one_cause_is_one_finding_and_all_are_told_if_asked_for() {
    let bench = Bench::new(&[("f.c", INVERSE)]);
    let found = |more: &[&str]| {
        let arguments = ["diff", "f.c", "--max-work", "12000", "--max-paths", "1", "--format", "json"];
        let report = bench.labrys(&[&arguments, more].concat()).json();
        report["findings"].as_array().cloned().unwrap_or_default()
    };
    let (causes, every) = (found(&[]), found(&["--all"]));
    assert!((1..=10).contains(&causes.len()), "{} causes", causes.len());
    assert!(every.len() > 2 * causes.len(), "{} of {}", causes.len(), every.len());
    let stands_for = |finding: &Value| finding["difference"]["divergences"].as_u64().unwrap_or(1);
    assert!(causes.iter().map(stands_for).sum::<u64>() > causes.len() as u64);
    assert!(causes.iter().all(|finding| finding["difference"]["cause"]["kind"].is_string()), "{causes:#?}");
    let ids: std::collections::BTreeSet<&str> = causes.iter().filter_map(|finding| finding["id"].as_str()).collect();
    assert!(ids.len() == causes.len() && ids.iter().all(|id| id.len() == 12), "{ids:?}");
    let text = bench.labrys(&["diff", "f.c", "--max-work", "12000", "--max-paths", "1"]).stdout;
    assert!(text.contains("because: ") && text.contains("this cause; --all tells each"), "{text}");
}
