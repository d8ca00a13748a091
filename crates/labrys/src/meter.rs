//! The progress line on stderr, shown on a terminal only.

use std::io::IsTerminal;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressStyle};
use labrys_analysis::{Progress, Snapshot};
use labrys_report::visible;

use crate::commands::output::tell;

/// How often the line is drawn.
const REDRAW: Duration = Duration::from_millis(100);

/// Signals within this time of the first are the same interrupt.
const ONE_INTERRUPT: Duration = Duration::from_millis(500);

/// A progress line with the phase, conditions solved, inputs per second, divergences and time left.
pub struct Meter {
    bar: Option<ProgressBar>,
    state: Mutex<State>,
    interrupted: Arc<AtomicBool>,
    limit: Option<Duration>,
}

struct State {
    phase: String,
    phase_begun: Instant,
    begun: Instant,
    /// When inputs began to be run, and how many had been by then.
    first_inputs: Option<(Instant, u64)>,
    /// When the first function of a library was done.
    first_function: Option<Instant>,
    drawn: Option<Instant>,
}

impl Meter {
    /// A meter that ends at `limit`, if there is one. Interrupts (Ctrl-C) end the run early, with its findings.
    pub fn new(limit: Option<Duration>) -> Meter {
        let bar = (std::io::stderr().is_terminal() && !crate::log::is_on()).then(|| {
            let bar = ProgressBar::new_spinner();
            if let Ok(style) = ProgressStyle::with_template("{spinner} {wide_msg}") {
                bar.set_style(style);
            }
            bar
        });
        let interrupted = Arc::new(AtomicBool::new(false));
        let flag = Arc::clone(&interrupted);
        let mut first: Option<Instant> = None;
        // Where a handler can't be set the run just ends at the first Ctrl-C.
        let _ = ctrlc::set_handler(move || {
            flag.store(true, Ordering::SeqCst);
            match first {
                None => {
                    first = Some(Instant::now());
                    if std::io::stderr().is_terminal() {
                        tell("labrys: stopping, with a report of what was found; another Ctrl-C ends it at once");
                    }
                }
                // `timeout` and shells signal a process and its group: these are one interrupt.
                Some(first) if first.elapsed() > ONE_INTERRUPT => {
                    labrys_analysis::remove_temporary_folders();
                    crate::commands::made_folders::remove_empty();
                    std::process::exit(130);
                }
                Some(_) => {}
            }
        });
        let state = State {
            phase: String::new(),
            phase_begun: Instant::now(),
            begun: Instant::now(),
            first_inputs: None,
            first_function: None,
            drawn: None,
        };
        Meter { bar, state: Mutex::new(state), interrupted, limit }
    }

    /// Clears the line.
    pub fn finish(&self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }

    fn line(&self, state: &mut State, snapshot: &Snapshot) -> String {
        let mut parts = vec![state.phase.clone()];
        if snapshot.functions > 0 {
            parts.push(format!("{}/{} functions", snapshot.functions_done, snapshot.functions));
            let since = *state.first_function.get_or_insert_with(Instant::now);
            if let Some(left) = left(since.elapsed(), snapshot.functions_done, snapshot.functions) {
                parts.push(format!("about {} left", shown(left)));
            }
        }
        if snapshot.conditions > 0 {
            parts.push(format!("{}/{} conditions", snapshot.conditions_decided, snapshot.conditions));
        }
        if snapshot.instructions > 0 {
            parts.extend(self.execution(state, snapshot));
        }
        if snapshot.inputs > 0 {
            let (since, before) = *state.first_inputs.get_or_insert_with(|| (Instant::now(), snapshot.inputs));
            let seconds = since.elapsed().as_secs_f64();
            let rate = if seconds > 0.05 { (snapshot.inputs - before) as f64 / seconds } else { 0.0 };
            parts.push(format!("{} inputs, {}/s", grouped(snapshot.inputs), grouped(rate as u64)));
            parts.push(format!("{} divergences", snapshot.divergences));
            if let Some(left) = self.time_left(state, snapshot, rate) {
                parts.push(format!("{} s left", left.as_secs()));
            }
        }
        parts.join(" · ")
    }

    /// How far the execution of a program is.
    fn execution(&self, state: &State, snapshot: &Snapshot) -> Vec<String> {
        let mut parts = Vec::new();
        if snapshot.features > 0 {
            parts.push(format!("{}/{} covered", grouped(snapshot.covered), grouped(snapshot.features)));
        }
        parts.push(format!("{} paths, {} waiting", grouped(snapshot.paths), grouped(snapshot.paths_waiting)));
        let seconds = state.phase_begun.elapsed().as_secs_f64().max(0.05);
        parts.push(format!("{} instructions/s", grouped((snapshot.instructions as f64 / seconds) as u64)));
        parts.push(format!("solver {:.0} %", (100.0 * snapshot.solving.as_secs_f64() / seconds).min(100.0)));
        let left = self.limit.and_then(|limit| limit.checked_sub(state.begun.elapsed()));
        parts.extend(left.map(|left| format!("{} left", shown(left))));
        parts
    }

    fn time_left(&self, state: &State, snapshot: &Snapshot, rate: f64) -> Option<Duration> {
        let by_work = (rate > 1.0).then(|| {
            let inputs = snapshot.planned_inputs.saturating_sub(snapshot.inputs);
            Duration::from_secs_f64(inputs as f64 / rate)
        });
        // On a busy machine the run goes on beyond: waiting for processors does not count.
        let by_limit = self.limit.and_then(|limit| limit.checked_sub(state.begun.elapsed()));
        by_work.into_iter().chain(by_limit).min()
    }
}

impl Progress for Meter {
    fn phase(&self, name: &str) {
        if let (Some(bar), Ok(mut state)) = (&self.bar, self.state.lock()) {
            state.phase = visible(name).into_owned();
            state.phase_begun = Instant::now();
            bar.set_message(state.phase.clone());
            bar.tick();
        }
    }

    fn update(&self, snapshot: &Snapshot) {
        let (Some(bar), Ok(mut state)) = (&self.bar, self.state.lock()) else { return };
        if state.drawn.is_some_and(|drawn| drawn.elapsed() < REDRAW) {
            return;
        }
        state.drawn = Some(Instant::now());
        let line = self.line(&mut state, snapshot);
        bar.set_message(line);
        bar.tick();
    }

    fn listens(&self) -> bool {
        self.bar.is_some()
    }

    fn found(&self, severity: &str, summary: &str) {
        if let Some(bar) = &self.bar {
            bar.println(visible(&format!("{severity}: {summary}")));
        }
    }

    fn interrupted(&self) -> bool {
        self.interrupted.load(Ordering::SeqCst)
    }
}

/// The time that the rest takes, if it goes on as since the first was done.
fn left(since_first: Duration, done: usize, all: usize) -> Option<Duration> {
    let done = u32::try_from(done.checked_sub(1)?).ok().filter(|done| *done > 0)?;
    let rest = u32::try_from(all.saturating_sub(done as usize + 1)).ok()?;
    Some(since_first / done * rest)
}

/// Seconds below two minutes, else minutes.
fn shown(time: Duration) -> String {
    match time.as_secs() {
        seconds @ 0..120 => format!("{seconds} s"),
        seconds => format!("{} min", seconds / 60),
    }
}

/// 1234567 as 1,234,567.
fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_rest_takes_as_long_as_what_was_done() {
        use std::time::Duration;
        assert_eq!(super::left(Duration::from_secs(10), 1, 5), None);
        assert_eq!(super::left(Duration::from_secs(10), 2, 5), Some(Duration::from_secs(30)));
        assert_eq!(super::left(Duration::from_secs(10), 5, 5), Some(Duration::ZERO));
        assert_eq!(super::shown(Duration::from_secs(119)), "119 s");
        assert_eq!(super::shown(Duration::from_secs(300)), "5 min");
    }

    #[test]
    fn numbers_are_grouped_by_thousands() {
        let shown: Vec<String> = [0, 999, 1000, 1_234_567].into_iter().map(super::grouped).collect();
        assert_eq!(shown, ["0", "999", "1,000", "1,234,567"]);
    }
}
