//! `LABRYS_LOG`: what goes on inside, on stderr, for whoever works on labrys.
//!
//! `LABRYS_LOG=solver=debug,symex=trace` names crates and how much they are to tell; `LABRYS_LOG=debug` is all of them. Nothing
//! is told unless it is set. No result depends on it, and stdout has nothing of it. Worker processes tell nothing:
//! what they do is told by the process that asked for it.

use std::fs::File;
use std::io::Write;
use std::os::fd::AsFd;
use std::sync::Arc;

use labrys_report::visible;
use tracing::level_filters::LevelFilter;
use tracing_subscriber::filter::Targets;
use tracing_subscriber::fmt;
use tracing_subscriber::fmt::time::uptime;
use tracing_subscriber::layer::SubscriberExt;
use tracing_subscriber::util::SubscriberInitExt;

use crate::commands::output::tell;

/// The variable.
const VARIABLE: &str = "LABRYS_LOG";
/// Who has something to tell: crates by their names without `labrys-`.
const TARGETS: [&str; 7] = ["analysis", "executor", "native", "program", "ranges", "solver", "symex"];

/// Begins to tell what the variable asks for. A wrong one is said in a line, and nothing is told.
pub fn begin() {
    let Some(text) = std::env::var_os(VARIABLE) else { return };
    match parse(&text.to_string_lossy()) {
        Ok(targets) => {
            // A descriptor of its own: the child of `solve` has a file in stderr's place, in which its last words are looked for.
            let Ok(stderr) = std::io::stderr().as_fd().try_clone_to_owned() else { return };
            let stderr = Arc::new(File::from(stderr));
            let lines = move || Lines(Arc::clone(&stderr));
            let lines = fmt::layer().with_writer(lines).with_ansi(false).with_timer(uptime());
            // Fails only if somebody has begun before, and nobody has.
            let _ = tracing_subscriber::registry().with(lines).with(targets).try_init();
        }
        Err(why) => tell(&format!("labrys: {VARIABLE} is ignored: {why}")),
    }
}

/// Whether anything is told: then no progress line is drawn over it.
pub fn is_on() -> bool {
    LevelFilter::current() != LevelFilter::OFF
}

/// Who is to tell how much.
fn parse(text: &str) -> Result<Targets, String> {
    let wanted = "a level (error, warn, info, debug, trace, off), or CRATE=LEVEL with commas between";
    let targets: Targets = text.trim().parse().map_err(|_| format!("`{}` is not {wanted}", visible(text)))?;
    let unknown = targets.iter().find(|(name, _)| !TARGETS.contains(name));
    match unknown {
        Some((name, _)) => {
            Err(format!("there is no `{}`; it takes {wanted}; crates: {}", visible(name), TARGETS.join(", ")))
        }
        None => Ok(targets),
    }
}

/// Writes each event as a line in which nothing speaks to the terminal: events hold names from the code under test.
struct Lines(Arc<File>);

impl Write for Lines {
    fn write(&mut self, event: &[u8]) -> std::io::Result<usize> {
        let text = String::from_utf8_lossy(event);
        let line = format!("{}\n", visible(text.trim_end_matches('\n')));
        // Without a terminal there may be nobody to read it.
        let _ = (&*self.0).write_all(line.as_bytes());
        Ok(event.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::parse;

    #[test]
    fn levels_and_crates_are_read_and_others_refused() {
        for text in ["debug", "solver=debug", "solver=debug,symex=trace", " info ", "info,native=off", "solver"] {
            assert!(parse(text).is_ok(), "{text}");
        }
        for (text, named) in [("solver=loud", "solver=loud"), ("solvr=debug", "solvr"), ("a\x1b[2J=debug", "a\\x1b[2J")]
        {
            let why = parse(text).expect_err(text);
            assert!(why.contains(named) && why.lines().count() == 1, "{why}");
        }
    }
}
