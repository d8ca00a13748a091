//! The report as one HTML page that opens from disk: no other file, no network.
//!
//! The page holds the report, compressed ([`packed`]), and a script that makes elements of what is looked at: a library's
//! report is 80 MB of JSON, and a browser slows down by elements rather than by data. Texts of the report become
//! text nodes only, never HTML; a content security policy lets nothing run or load but the page's own style and script,
//! which it names by their hashes. Timing is left out, so that equal runs give equal bytes.

mod base64;
mod data;
mod packed;
mod verdicts;

use minijinja::{Environment, context};
use sha2::{Digest, Sha256};

use crate::visible::visible;
use crate::{Report, ReportError, Sources};
use data::data;

const PAGE: &str = include_str!("page.html");
const STYLE: &str = include_str!("page.css");
/// One script, a module: definitions first, what runs last.
const SCRIPTS: [&str; 10] = [
    include_str!("elements.js"),
    include_str!("load.js"),
    include_str!("groups.js"),
    include_str!("curve.js"),
    include_str!("finding.js"),
    include_str!("function.js"),
    include_str!("filter.js"),
    include_str!("overview.js"),
    include_str!("coverage.js"),
    include_str!("page.js"),
];

/// What a content security policy names a text by.
fn policy_hash(text: &str) -> String {
    base64::encode(&Sha256::digest(text.as_bytes()))
}

fn title(report: &Report) -> String {
    let of = if report.target.function.is_empty() { &report.target.file } else { &report.target.function };
    format!("{}: {of}", report.analysis.name())
}

/// The report as an HTML page, with source lines where `sources` has them.
pub fn html(report: &Report, sources: &Sources) -> Result<String, ReportError> {
    let script = SCRIPTS.concat();
    let mut environment = Environment::new();
    environment.add_template("page.html", PAGE).map_err(ReportError::Template)?;
    let page = environment.get_template("page.html").map_err(ReportError::Template)?;
    page.render(context! {
        title => visible(&title(report)),
        subtitle => visible(&report.command.join(" ")),
        version => &report.version,
        style => STYLE,
        style_hash => policy_hash(STYLE),
        script_hash => policy_hash(&script),
        script => script,
        data => data(report, sources)?.packed(),
    })
    .map_err(ReportError::Template)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_text_of_a_report_ends_the_script_element() {
        let mut report = Report::default();
        report.notes.push("</script><script>alert(1)</script><!--".to_owned());
        report.target.function = "operator<<".to_owned();
        let page = html(&report, &Sources::default()).expect("renders");
        assert_eq!(page.matches("</script>").count(), 2, "the data's and the script's");
        assert!(page.contains("<title>diff: operator&lt;&lt;</title>"));
        assert_eq!(SCRIPTS.iter().filter(|script| script.contains("</script")).count(), 0);
        assert!(SCRIPTS.iter().all(|script| !script.contains("innerHTML")));
    }
}
