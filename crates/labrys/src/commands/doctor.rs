//! `labrys doctor`: what is installed, what is missing, how to get it.

use std::fmt::Write;
use std::time::{Duration, Instant};

use anstyle::{AnsiColor, Style};
use anyhow::Result;
use labrys_native::{TracingSupport, tracing_support};
use labrys_program::{Compiler, CoverageTools, Language};
use labrys_report::visible;

use super::output::write_out;
use crate::version::VERSION;

/// How long all compilers together may take to say their version.
const PATIENCE: Duration = Duration::from_secs(30);

/// The exit code where something is missing that no run goes without.
const UNUSABLE: u8 = 1;

/// What one part is for and how it comes.
struct Part {
    name: &'static str,
    needed_for: &'static str,
    /// Whether nothing goes without it.
    essential: bool,
    state: State,
}

enum State {
    /// Its version and where it is.
    Found { version: String, path: String },
    /// What is wrong and how to get it.
    Missing { reason: String },
}

fn compiler(
    name: &'static str,
    language: Language,
    needed_for: &'static str,
    essential: bool,
    deadline: Instant,
) -> Part {
    let state = match Compiler::find(name, language, deadline) {
        Ok(found) => {
            State::Found { version: found.version, path: visible(&found.executable.display().to_string()).into_owned() }
        }
        Err(error) => State::Missing { reason: visible(&error.to_string()).into_owned() },
    };
    Part { name, needed_for, essential, state }
}

fn z3() -> Part {
    const ADVICE: &str = "make setup, or set LABRYS_Z3 to the executable that PyPI's z3-solver ships";
    let state = match labrys_solver::find_z3() {
        None => State::Missing { reason: format!("z3 is not there: {ADVICE}") },
        Some(path) => match labrys_solver::z3_version(&path) {
            Ok(version) => State::Found { version, path: visible(&path.display().to_string()).into_owned() },
            Err(error) => State::Missing { reason: visible(&format!("{error}: {ADVICE}")).into_owned() },
        },
    };
    Part { name: "z3", needed_for: "inputs from solving; without it labrys only searches", essential: false, state }
}

fn c_library() -> Part {
    let state = match labrys_analysis::find_library().filter(|path| path.is_file()) {
        Some(path) => {
            State::Found { version: "musl 1.2.3".to_owned(), path: visible(&path.display().to_string()).into_owned() }
        }
        None => State::Missing { reason: format!("libc.bc is not there: {}", labrys_analysis::LIBRARY_ADVICE) },
    };
    Part { name: "libc.bc", needed_for: "C library functions in labrys verify and cover", essential: false, state }
}

fn llvm_cov(deadline: Instant) -> Part {
    let state = match CoverageTools::find(None, deadline) {
        Ok((compiler, tools)) => State::Found {
            version: format!("of {}", compiler.version),
            path: visible(&tools.llvm_cov().display().to_string()).into_owned(),
        },
        Err(error) => State::Missing { reason: visible(&error.to_string()).into_owned() },
    };
    Part { name: "llvm-cov", needed_for: "labrys cover", essential: false, state }
}

fn parts() -> Vec<Part> {
    let deadline = Instant::now() + PATIENCE;
    vec![
        compiler("clang-22", Language::C, "C, LLVM IR, the loop that calls the code under test", true, deadline),
        compiler("clang++-22", Language::Cpp, "C++", false, deadline),
        compiler("gcc", Language::C, "builds of C with gcc", false, deadline),
        compiler("g++", Language::Cpp, "builds of C++ with g++", false, deadline),
        compiler("flang-22", Language::Fortran, "Fortran", false, deadline),
        compiler("rustc", Language::Rust, "Rust", false, deadline),
        llvm_cov(deadline),
        z3(),
        c_library(),
    ]
}

/// Prints the table. The exit code is 1 where something that every run needs is missing.
pub fn run() -> Result<u8> {
    let parts = parts();
    let colour = crate::colour_wanted(&std::io::stdout());
    write_out(&table(&parts, tracing_support(), colour))?;
    let usable = parts.iter().all(|part| !part.essential || matches!(part.state, State::Found { .. }));
    Ok(if usable { 0 } else { UNUSABLE })
}

fn table(parts: &[Part], tracing: TracingSupport, colour: bool) -> String {
    let style = |style: Style| if colour { style } else { Style::new() };
    let good = style(AnsiColor::Green.on_default().bold());
    let bad = style(AnsiColor::Red.on_default().bold());
    let weak = style(AnsiColor::Yellow.on_default().bold());
    let faint = style(Style::new().dimmed());
    let mut text = format!("labrys {} on {}\n\n", *VERSION, std::env::consts::ARCH);
    let mut row = |style: Style, state: &str, name: &str, rest: &str, more: &str| {
        let gap = if more.is_empty() { "" } else { "  " };
        // Writing into a string cannot fail.
        let _ = writeln!(text, "  {style}{state:<7}{style:#}  {name:<10}  {rest}{gap}{faint}{more}{faint:#}");
    };
    for part in parts {
        match &part.state {
            State::Found { version, path } => row(good, "found", part.name, &format!("{version:<16}"), path),
            State::Missing { reason } => {
                row(
                    if part.essential { bad } else { weak },
                    "missing",
                    part.name,
                    &format!("for {}", part.needed_for),
                    "",
                );
                row(faint, "", "", reason, "");
            }
        }
    }
    match tracing {
        TracingSupport::Trap => row(good, "works", "traces", "exceptions are trapped on unmodified code", ""),
        TracingSupport::Step => {
            row(weak, "slow", "traces", "exceptions cannot be trapped here: traces step every instruction", "");
        }
        TracingSupport::None => {
            let without =
                "exceptions can be neither trapped nor stepped to here: traces come from interpreting LLVM IR";
            row(weak, "none", "traces", without, "");
        }
    }
    let missing = parts.iter().filter(|part| matches!(part.state, State::Missing { .. }));
    let (essential, optional): (Vec<&Part>, Vec<&Part>) = missing.partition(|part| part.essential);
    let names = |parts: &[&Part]| parts.iter().map(|part| part.name).collect::<Vec<_>>().join(", ");
    let verdict = match (&essential[..], &optional[..]) {
        ([], []) => "Everything is here.".to_owned(),
        ([], optional) => format!("labrys diff works; missing for some uses: {}.", names(optional)),
        (essential, _) => format!("labrys diff cannot run without {}.", names(essential)),
    };
    format!("{text}\n{verdict}\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn part(name: &'static str, essential: bool, found: bool) -> Part {
        let state = match found {
            true => State::Found { version: "gcc 12.2.0".to_owned(), path: "/usr/bin/gcc".to_owned() },
            false => State::Missing { reason: "apt-get install it".to_owned() },
        };
        Part { name, needed_for: "something", essential, state }
    }

    #[test]
    fn the_verdict_says_what_works() {
        let verdict =
            |parts: &[Part]| table(parts, TracingSupport::Trap, false).lines().last().unwrap_or_default().to_owned();
        assert_eq!(verdict(&[part("gcc", true, true)]), "Everything is here.");
        assert_eq!(
            verdict(&[part("gcc", true, true), part("z3", false, false)]),
            "labrys diff works; missing for some uses: z3."
        );
        assert_eq!(
            verdict(&[part("clang-22", true, false), part("z3", false, false)]),
            "labrys diff cannot run without clang-22."
        );
    }

    #[test]
    fn colour_only_where_wanted() {
        let parts = [part("gcc", true, true), part("z3", false, false)];
        assert!(!table(&parts, TracingSupport::Step, false).contains('\x1b'));
        assert!(table(&parts, TracingSupport::Step, true).contains('\x1b'));
    }

    /// On a machine that neither traps nor steps it promised steps.
    #[test]
    fn each_way_of_tracing_has_its_words() {
        let says = |tracing, words: &str| table(&[], tracing, false).contains(words);
        assert!(says(TracingSupport::Trap, "exceptions are trapped"));
        assert!(says(TracingSupport::Step, "traces step every instruction"));
        assert!(says(TracingSupport::None, "traces come from interpreting LLVM IR"));
    }
}
