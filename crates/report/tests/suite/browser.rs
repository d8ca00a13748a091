//! The HTML page as a browser sees it: opened from disk, searched, filtered, linked into, narrow and wide, light and dark.

use std::path::PathBuf;

use labrys_report::{Baseline, NotSeen, Report, Route, Sources, html, write_json};

use super::devtools::Browser;
use super::{accuracy, library, samples};

/// A page in a folder of its own, and a browser.
struct Bench {
    folder: tempfile::TempDir,
    browser: Browser,
}

impl Bench {
    fn new() -> Bench {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let browser = Browser::start(&folder.path().join("profile"));
        Bench { folder, browser }
    }

    fn page(&self, name: &str, report: &Report, sources: &Sources) -> PathBuf {
        let path = self.folder.path().join(name);
        std::fs::write(&path, html(report, sources).expect("renders")).expect("writable");
        path
    }

    fn text(&mut self, expression: &str) -> String {
        self.browser.evaluate(expression).as_str().unwrap_or_default().to_owned()
    }

    fn number(&mut self, expression: &str) -> u64 {
        self.browser.evaluate(expression).as_u64().unwrap_or(u64::MAX)
    }

    /// How many a filter's button promises.
    fn counter(&mut self, value: &str) -> String {
        self.text(&format!("document.querySelector('button[data-value={value}] .count').textContent"))
    }

    #[track_caller]
    fn expect_shown(&mut self, text: &str) {
        self.browser.wait(&format!("document.getElementById('shown').textContent.startsWith({text:?})"));
    }

    /// Nothing stands out of the window to its right, and the page complained of nothing.
    #[track_caller]
    fn expect_sound(&mut self) {
        let overflow = "document.documentElement.scrollWidth - document.documentElement.clientWidth";
        assert_eq!(self.number(overflow), 0, "the page is wider than the window");
        assert_eq!(self.browser.complaints, Vec::<String>::new());
    }
}

/// How many elements of a selector can be seen.
fn visible(selector: &str) -> String {
    format!("[...document.querySelectorAll({selector:?})].filter((of) => of.checkVisibility()).length")
}

#[test]
fn a_library_is_searched_and_filtered() {
    let mut report = library::library(210);
    Baseline::of(&library::library(70)).mark(&mut report);
    let mut bench = Bench::new();
    let page = bench.page("library.html", &report, &library::library_sources(210));
    for (width, scheme) in [(1400, "light"), (360, "dark")] {
        bench.browser.open(&page, "", width, scheme);
        bench.expect_shown("180 findings · 900 pairs of site and exception · 210 functions");
        assert_eq!(bench.number(&visible(".group")), 100, "a part of them");
        assert_eq!(bench.number(&visible(".finding")), 0, "nothing is built before it is looked at");
        bench.expect_sound();

        // The list grows where it is read.
        bench.browser.evaluate("document.querySelector('.more').scrollIntoView()");
        bench.browser.wait(&format!("{} === 200", visible(".group")));
        bench.browser.evaluate("document.querySelector('.more').click()");
        assert_eq!(bench.number(&visible(".group")), 210);
        bench.browser.evaluate("scrollTo(0, 0)");

        // The search, from the keyboard.
        bench.browser.press("/", 191, "/");
        bench.browser.insert("average_13 fadd");
        bench.expect_shown("8 findings");
        bench.browser.press("Escape", 27, "");
        bench.expect_shown("180 findings");

        // Filters, one within the other.
        bench.browser.evaluate("document.querySelector('button[data-value=lost]').click()");
        bench.expect_shown("36 findings · 36 pairs of site and exception · 36 functions");
        assert_eq!(bench.counter("overflow"), "9", "of those that are shown");
        assert_eq!(bench.counter("harmless"), "36", "were it chosen instead");
        bench.browser.evaluate("document.querySelector('button[data-value=overflow]').click()");
        bench.expect_shown("9 findings");
        assert_eq!(bench.text("location.hash"), "#effect=lost&exception=overflow");
        bench.browser.evaluate("document.querySelector('button[data-flag=fresh]').click()");
        bench.expect_shown("6 findings");
        let pressed = bench.number("document.querySelectorAll('button[aria-pressed=true]').length");
        assert_eq!(pressed, 3);

        // A function's findings, opened.
        bench.browser.evaluate("[...document.querySelectorAll('.group')].find((of) => of.checkVisibility()).querySelector('summary').click()");
        bench.browser.wait(&format!("{} === 1", visible(".finding")));
        bench.browser.evaluate("document.querySelector('.finding > summary').click()");
        bench.browser.wait("document.querySelector('.finding mark')?.textContent === '+'");
        bench.expect_sound();

        bench.browser.evaluate("document.getElementById('clear').click()");
        bench.expect_shown("180 findings");
        bench.browser.evaluate("document.querySelector('button[data-value=unknown]').click()");
        bench.expect_shown("0 findings · 180 pairs");
        assert_eq!([bench.counter("lost"), bench.counter("underflow")], ["0", "180"]);
        bench.browser.evaluate("document.getElementById('search').focus()");
        bench.browser.insert("nowhere to be found");
        bench.browser.wait("document.getElementById('nothing').checkVisibility()");
        bench.expect_sound();
    }
}

#[test]
fn addresses_name_findings_functions_and_filters() {
    let report = library::library(50);
    let mut bench = Bench::new();
    let page = bench.page("library.html", &report, &library::library_sources(50));
    let finding = &report.findings[30];
    bench.browser.open(&page, &format!("finding={}", finding.id), 1400, "light");
    assert_eq!(bench.number(&visible(".finding.target > .body")), 1);
    let inside = "(({top, bottom}) => top >= 0 && bottom <= innerHeight)(document.querySelector('.finding.target > summary').getBoundingClientRect())";
    bench.browser.wait(inside);
    let text = bench.text("document.querySelector('.finding.target').textContent");
    let function = &finding.exception().expect("an exception").site.function;
    assert!(text.contains(&finding.summary) && text.contains(&format!("Witness for {function}")), "{text}");
    assert!(text.contains("0x1.ab36d48e1acfp+1023") && text.contains("0x7feab36d48e1acf0"), "{text}");

    bench.browser.open(&page, "effect=harmless&text=average_1", 1400, "light");
    bench.expect_shown("2 findings");
    assert_eq!(bench.text("document.getElementById('search').value"), "average_1");
    bench.browser.open(&page, "order=name", 1400, "light");
    let names = "[...document.querySelectorAll('.group .name')].slice(0, 3).map((of) => of.textContent).join(' ')";
    assert_eq!(bench.text(names), "average_0 average_1 average_10");
    bench.browser.open(&page, "function=average_6", 1400, "light");
    let text = bench.text("document.querySelector('.group[open]').textContent");
    assert!(text.contains("a function pointer cannot be made up"), "{text}");

    // From a site's verdict to its finding.
    bench.browser.open(&page, "function=average_0", 1400, "light");
    bench.browser.evaluate("document.querySelector('.sites > summary').click()");
    bench.browser.wait("document.querySelector('.sites a') !== null");
    let verdicts = bench.text(
        "[...document.querySelectorAll('.sites .pairs')].map((of) => of.innerText.replaceAll('\\n', ' ')).join('; ')",
    );
    assert!(verdicts.starts_with("invalid unreachable by ranges; overflow reachable; "), "{verdicts}");
    bench.browser.evaluate("document.querySelector('.sites a').click()");
    bench.browser.wait("document.querySelector('.finding.target > .body')?.checkVisibility()");
    bench.expect_sound();
}

#[test]
fn one_function_is_open_at_once() {
    let mut sources = Sources::default();
    sources.insert("average.c", library::SOURCE.into());
    sources.insert("f.c", samples::SOURCE.into());
    let mut bench = Bench::new();
    let mut report = library::report();
    let (entry, chain) = ("mean".to_owned(), vec!["mean".to_owned(), "average".to_owned()]);
    report.findings[0].exception_mut().expect("an exception").not_seen_from =
        vec![NotSeen { entry, chain, verdict: library::unreachable() }];
    report.findings[0].exception_mut().expect("an exception").output = Some("r.val".to_owned());
    let page = bench.page("one.html", &report, &sources);
    let difference = bench.page("diff.html", &samples::report(), &sources);
    for (width, scheme) in [(1400, "dark"), (360, "light")] {
        bench.browser.open(&page, "", width, scheme);
        let body = bench.text("document.querySelector('.finding > .body').innerText");
        for part in [
            "double sum = x + y;",
            "true r.val\n1.25e308\n",
            "yes: the true r.val is a finite number",
            "overflow: fadd at average.c:3:20 in average",
            "mean → average: proved impossible (ranges)",
            "labrys replay",
        ] {
            assert!(body.contains(part), "`{part}` is missing in {body}");
        }
        assert!(bench.text("document.getElementById('overview').innerText").contains("60.0 % of 5 pairs"));
        assert!(bench.text("document.getElementById('overview').textContent").contains("libm is within 4 ulps"));
        let ground = bench.text("getComputedStyle(document.body).backgroundColor");
        assert_eq!(ground == "rgb(255, 255, 255)", scheme == "light", "{ground}");
        bench.expect_sound();

        bench.browser.open(&difference, "", width, scheme);
        let body = bench.text("document.querySelector('.finding > .body').innerText");
        for part in ["return x / x * y;", "clang 22.1.8 -O3 -ffast-math", "Trace of variant"] {
            assert!(body.contains(part), "`{part}` is missing in {body}");
        }
        assert_eq!(bench.number("document.querySelectorAll('tr.differs').length"), 2);
        bench.expect_sound();
    }
}

#[test]
fn the_worst_operations_are_shown_with_their_lines() {
    let mut sources = Sources::default();
    sources.insert("f.c", samples::SOURCE.into());
    let mut bench = Bench::new();
    let page = bench.page("accuracy.html", &accuracy::report(), &sources);
    for (width, scheme) in [(1400, "light"), (360, "dark")] {
        bench.browser.open(&page, "", width, scheme);
        assert_eq!(bench.number("document.querySelectorAll('.operations tbody tr').length"), 10);
        let first = bench.text("document.querySelector('.operations tbody tr').innerText");
        for part in ["30 %", "fmul at f.c:3:18", "return x / x * y;", "1 error, cancels up to 52 bits"] {
            assert!(first.contains(part), "`{part}` is missing in {first}");
        }
        let overview = bench.text("document.getElementById('overview').innerText");
        assert!(overview.contains("In 1 other error no operation"), "{overview}");
        // The bar is as long as the share.
        let share = "(([part, bar]) => Math.round(100 * part / bar))([...document.querySelector('.operations .bar').children, document.querySelector('.operations .bar')].map((of) => of.getBoundingClientRect().width))";
        assert!((28..=33).contains(&bench.number(share)));
        let body = bench.text("document.querySelector('.finding > .body').innerText");
        assert!(
            body.contains("backward error of all 4 outputs") && body.contains("infinite: no change of the inputs"),
            "{body}"
        );
        bench.expect_sound();
        // From the operation to the finding that has it.
        bench.browser.evaluate("document.querySelector('.operations a').click()");
        bench.browser.wait("document.querySelector('.finding.target > .body')?.checkVisibility()");
    }
}

#[test]
fn errors_whose_fault_is_not_known_say_why_on_the_page() {
    let mut bench = Bench::new();
    let page = bench.page("unclassified.html", &accuracy::unclassified(), &Sources::default());
    bench.browser.open(&page, "", 1400, "light");
    let body = bench.text("document.querySelector('.finding > .body').innerText");
    assert!(body.contains("not known: there was no time for its derivatives"), "{body}");
    bench.expect_sound();
}

#[test]
fn a_report_cannot_inject_markup_or_widen_the_page() {
    let mut report = library::report();
    let evil = "<img src=x onerror=\"document.title='owned'\"></script><script>document.title='owned'</script>";
    report.findings[0].summary = evil.to_owned();
    report.notes.push(evil.to_owned());
    // Nor do long names make the page wider than a narrow window.
    let long = "a_function_with_a_long_name_".repeat(6);
    let finding = &mut report.findings[0];
    finding.exception_mut().expect("an exception").site.function.clone_from(&long);
    finding.observations[0].trace[0].function = Some(long.clone());
    finding.exception_mut().expect("an exception").reachable_from =
        vec![Route { entry: long.clone(), chain: vec![long.clone(), long], inputs: finding.inputs.clone() }];
    let mut sources = Sources::default();
    sources.insert("average.c", evil.repeat(3).replace("><", ">\n<").into_bytes());
    let mut bench = Bench::new();
    let page = bench.page("evil.html", &report, &sources);
    bench.browser.open(&page, "", 360, "light");
    assert_eq!(bench.text("document.title"), "exceptions: average");
    assert_eq!(bench.number("document.images.length"), 0);
    assert!(bench.text("document.querySelector('.finding').textContent").contains(evil));
    bench.expect_sound();
}

#[test]
fn what_is_hidden_in_names_is_shown_by_the_page() {
    let mut report = library::report();
    report.notes.push("note\x1b[2J\u{202e}\u{9b}".to_owned());
    report.findings[0].summary = "summary\x0b\u{2066}\u{e0041}".to_owned();
    report.target.file = "lib\x1b\u{202e}".to_owned();
    report.target.function = String::new();
    let mut sources = Sources::default();
    sources.insert("average.c", "x\x1b\u{202e}y\n".repeat(40).into_bytes());
    let mut bench = Bench::new();
    let page = bench.page("hidden.html", &report, &sources);
    let html = std::fs::read_to_string(&page).expect("a page");
    assert!(html.contains("<title>exceptions: lib\\x1b\\u{202e}</title>"), "the frame");
    bench.browser.open(&page, "", 800, "light");
    let titles = "[...document.querySelectorAll('.finding > summary')].map((of) => of.title).join(' ')";
    assert!(bench.text(titles).contains("summary\\x0b\\u{2066}\\u{e0041}"));
    assert!(bench.text("document.body.textContent").contains("note\\x1b[2J\\u{202e}\\u{9b}"));
    let hidden = "/[\\x00-\\x08\\x0b-\\x1f\\u202e]/.test(document.querySelector('main').outerHTML)";
    assert_eq!(bench.text(&format!("String({hidden})")), "false");
    bench.expect_sound();
}

/// 3,429 findings with 48 events each: a page as large as its differences, and elements for what is looked at.
#[test]
fn large_libraries_stay_small_and_usable() {
    let report = library::with_traces(library::library(4000), 48);
    let mut bench = Bench::new();
    let page = bench.page("large.html", &report, &library::library_sources(4000));
    let (json, html) = (write_json(&report).expect("serialises").len() as u64, page.metadata().expect("written").len());
    assert!(html < 700_000 && html * 5 < json, "{html} bytes for {json} of JSON");
    bench.browser.open(&page, "", 1400, "light");
    bench.expect_shown("3,429 findings · 17,145 pairs of site and exception · 4,000 functions");
    let elements = "document.querySelectorAll('*').length";
    let few = bench.number(elements);
    assert!(few < 3_000, "{few} elements");

    // The last one of all by its address.
    let last = &report.findings[report.findings.len() - 1];
    bench.browser.evaluate(&format!("location.hash = 'finding={}'", last.id));
    bench.browser.wait("document.querySelector('.finding.target > .body')?.checkVisibility()");
    let text = bench.text("document.querySelector('.finding.target').textContent");
    assert!(text.contains(&last.summary) && text.contains("in callee_47"), "{text}");

    bench.browser.press("/", 191, "/");
    bench.browser.insert("average_39 fadd");
    bench.expect_shown("95 findings");
    bench.browser.evaluate("document.querySelector('button[data-value=lost]').click()");
    bench.expect_shown("19 findings");
    assert_eq!(bench.number(&visible(".group")), 19);
    bench.browser.evaluate("document.querySelector('.group > summary').click()");
    bench.browser.wait(&format!("{} === 1", visible(".finding")));
    bench.expect_sound();
}

/// As many findings and pairs as the special functions of GSL have. What others do on the machine meanwhile does not count.
#[test]
fn the_page_of_a_large_library_opens_in_less_than_two_seconds() {
    let report = library::with_traces(library::library(9800), 48);
    let mut bench = Bench::new();
    let page = bench.page("large.html", &report, &library::library_sources(9800));
    let bytes = page.metadata().expect("written").len();
    assert!(report.findings.len() >= 8_400 && report.sites.len() >= 40_466, "{}", report.sites.len());
    assert!(bytes < 5_000_000, "{bytes} bytes");
    let before = bench.browser.processor_seconds();
    bench.browser.open(&page, "", 1400, "light");
    bench.expect_shown("8,400 findings");
    let took = bench.browser.processor_seconds() - before;
    println!("{bytes} bytes, {took:.2} s of processors");
    assert!(took > 0.0 && took < 2.0, "{took:.2} s");
}

/// A function with many findings and sites shows them part by part, and leads to each of them.
#[test]
fn long_lists_are_shown_in_parts() {
    let report = library::crowded(250);
    let mut bench = Bench::new();
    let page = bench.page("crowded.html", &report, &library::library_sources(1));
    bench.browser.open(&page, "function=average_0", 360, "light");
    bench.expect_shown("250 findings");
    assert_eq!(bench.number(&visible(".finding")), 100);
    let more = bench.text("document.querySelector('.group .more').textContent");
    assert!(["150 sites more", "150 findings more"].contains(&more.as_str()), "{more}");
    bench.browser.open(&page, &format!("finding={}", report.findings[249].id), 360, "light");
    bench.browser.wait("document.querySelector('.finding.target > .body')?.checkVisibility()");
    assert_eq!(bench.number(&visible(".finding")), 250);
    bench.expect_sound();
    // The source in a finding's line has room in every window.
    for width in [360, 700, 1100, 1200, 1600] {
        bench.browser.open(&page, "function=average_0", width, "light");
        let room = bench.number("Math.floor(document.querySelector('.finding .text').getBoundingClientRect().width)");
        assert!((230..2000).contains(&room), "{room} of {width} pixels");
        bench.expect_sound();
    }
}

#[test]
fn what_cannot_be_unpacked_is_said() {
    let report = library::report();
    let mut bench = Bench::new();
    let page = bench.page("old.html", &report, &Sources::default());
    // The check of what is unpacked stands at its end.
    let text = std::fs::read_to_string(&page).expect("written");
    let begin = text.find("id=\"data\">").expect("data") + 10;
    let end = begin + text[begin..].find('<').expect("an end");
    let damaged = bench.folder.path().join("damaged.html");
    std::fs::write(&damaged, format!("{}AAAA{}", &text[..end - 12], &text[end - 8..])).expect("writable");
    bench.browser.open(&damaged, "", 360, "light");
    let problem = "document.getElementById('problem').textContent";
    let said = bench.text(problem);
    assert!(said.starts_with("The page's data are damaged") && said.contains("report.json"), "{said}");

    let without = serde_json::json!({"source": "delete globalThis.DecompressionStream"});
    bench.browser.send("Page.addScriptToEvaluateOnNewDocument", without);
    bench.browser.open(&page, "", 360, "light");
    let said = bench.text(problem);
    assert!(said.contains("it has no DecompressionStream") && said.contains("report.json"), "{said}");
}
