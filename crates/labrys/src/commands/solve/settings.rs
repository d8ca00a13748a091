//! Options that scripts set, and what they are told about the solver.

use std::time::Duration;

/// What `set-option` sets.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Settings {
    /// Whether commands without another answer say `success`.
    pub print_success: bool,
    /// Whether models may be asked for: always, but the value is remembered.
    pub models: bool,
    /// Whether cores of named assertions may be asked for.
    pub cores: bool,
    /// Whether cores of assumptions may be asked for.
    pub unsat_assumptions: bool,
    /// Whether the texts of assertions are kept.
    pub assertions: bool,
    /// Whether truth values of named terms may be asked for.
    pub assignments: bool,
    /// Whether declarations outlive their level: the reader of scripts acts on it.
    pub global_declarations: bool,
    /// The seed, if the script sets one.
    pub seed: Option<u64>,
    /// A bound on each check.
    pub timeout: Option<Duration>,
    /// How talkative: nothing is said either way.
    pub verbosity: u64,
    /// Whether standard error is the regular channel.
    pub regular_to_stderr: bool,
    /// Whether standard output is the diagnostic channel: nothing is written there.
    pub diagnostic_to_stdout: bool,
}

impl Default for Settings {
    /// The standard's defaults, but `success` is not printed, as everywhere.
    fn default() -> Settings {
        Settings {
            print_success: false,
            models: true,
            cores: false,
            unsat_assumptions: false,
            assertions: false,
            assignments: false,
            global_declarations: false,
            seed: None,
            timeout: None,
            verbosity: 0,
            regular_to_stderr: false,
            diagnostic_to_stdout: false,
        }
    }
}

/// Why an option was not set.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Refused {
    /// There is no such option.
    Unknown,
    /// It takes another value: which.
    Value(&'static str),
}

impl Settings {
    fn flag(&mut self, keyword: &str) -> Option<&mut bool> {
        Some(match keyword {
            "print-success" => &mut self.print_success,
            "produce-models" => &mut self.models,
            "produce-unsat-cores" => &mut self.cores,
            "produce-unsat-assumptions" => &mut self.unsat_assumptions,
            "produce-assertions" | "interactive-mode" => &mut self.assertions,
            "produce-assignments" => &mut self.assignments,
            "global-declarations" => &mut self.global_declarations,
            _ => return None,
        })
    }

    /// Sets an option, by its keyword without the colon.
    pub fn set(&mut self, keyword: &str, value: &str) -> Result<(), Refused> {
        if let Some(flag) = self.flag(keyword) {
            *flag = match value {
                "true" => true,
                "false" => false,
                _ => return Err(Refused::Value("true or false")),
            };
            return Ok(());
        }
        let number = value.parse::<u64>().map_err(|_| Refused::Value("a numeral"));
        match keyword {
            "random-seed" | "seed" => self.seed = Some(number?),
            // z3's, cvc5's and Bitwuzla's names for milliseconds a check.
            "timeout" | "tlimit-per" | "time-limit-per" => {
                let milliseconds = number?;
                self.timeout = (milliseconds > 0).then(|| Duration::from_millis(milliseconds));
            }
            "verbosity" => self.verbosity = number?,
            "regular-output-channel" => self.regular_to_stderr = channel(value)?,
            "diagnostic-output-channel" => self.diagnostic_to_stdout = !channel(value)?,
            _ => return Err(Refused::Unknown),
        }
        Ok(())
    }

    /// An option's value, by its keyword without the colon.
    pub fn get(&self, keyword: &str) -> Option<String> {
        if let Some(flag) = self.clone().flag(keyword) {
            return Some(flag.to_string());
        }
        let channel = |stderr: bool| if stderr { "\"stderr\"" } else { "\"stdout\"" }.to_owned();
        Some(match keyword {
            "random-seed" | "seed" => self.seed.unwrap_or(0).to_string(),
            "timeout" | "tlimit-per" | "time-limit-per" => {
                self.timeout.map_or(0, |timeout| timeout.as_millis()).to_string()
            }
            "verbosity" => self.verbosity.to_string(),
            "regular-output-channel" => channel(self.regular_to_stderr),
            "diagnostic-output-channel" => channel(!self.diagnostic_to_stdout),
            _ => return None,
        })
    }
}

/// Whether a channel's name is that of standard error; files are not written.
fn channel(name: &str) -> Result<bool, Refused> {
    match name {
        "\"stderr\"" => Ok(true),
        "\"stdout\"" => Ok(false),
        _ => Err(Refused::Value("\"stdout\" or \"stderr\"")),
    }
}

/// What `get-info` says that does not depend on the run.
pub fn information(keyword: &str) -> Option<String> {
    Some(match keyword {
        "name" => "\"labrys\"".to_owned(),
        "version" => format!("\"{}\"", env!("CARGO_PKG_VERSION")),
        "authors" => "\"the authors of labrys\"".to_owned(),
        "error-behavior" => "immediate-exit".to_owned(),
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_are_remembered_or_refused() {
        let mut settings = Settings::default();
        assert_eq!(settings.set("produce-unsat-cores", "true"), Ok(()));
        assert_eq!(settings.get("produce-unsat-cores").as_deref(), Some("true"));
        assert_eq!(settings.set("timeout", "2500"), Ok(()));
        assert_eq!(settings.timeout, Some(Duration::from_millis(2500)));
        assert_eq!(settings.set("regular-output-channel", "\"stderr\""), Ok(()));
        assert!(settings.regular_to_stderr);
        assert_eq!(settings.set("produce-models", "1"), Err(Refused::Value("true or false")));
        assert_eq!(settings.set("random-seed", "-1"), Err(Refused::Value("a numeral")));
        assert_eq!(settings.set("auto-config", "false"), Err(Refused::Unknown));
        assert_eq!(settings.get("auto-config"), None);
    }
}
