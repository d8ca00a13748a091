//! Options that scripts set, and what they are told about the solver.

use std::time::Duration;

use super::channel::Channel;
use super::text::quoted;

/// Options of SMT-LIB 2.0 and later for what labrys does not do.
const NEVER: [&str; 5] = [
    "expand-definitions",
    "produce-proofs",
    "produce-interpolants",
    "produce-unsat-model-interpolants",
    "produce-abducts",
];

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
    /// A bound on each check in the engines' own steps: conflicts, moves, nodes.
    pub resource_limit: u64,
    /// Where answers go.
    pub regular: Channel,
    /// Where statistics go.
    pub diagnostic: Channel,
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
            resource_limit: 0,
            regular: Channel::Stdout,
            diagnostic: Channel::Stderr,
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
            "reproducible-resource-limit" => self.resource_limit = number?,
            "regular-output-channel" => self.regular = channel(value)?,
            "diagnostic-output-channel" => self.diagnostic = channel(value)?,
            // What cannot be done may well be declined.
            _ if NEVER.contains(&keyword) && value == "false" => {}
            _ => return Err(Refused::Unknown),
        }
        Ok(())
    }

    /// An option's value, by its keyword without the colon.
    pub fn get(&self, keyword: &str) -> Option<String> {
        if let Some(flag) = self.clone().flag(keyword) {
            return Some(flag.to_string());
        }
        Some(match keyword {
            "random-seed" | "seed" => self.seed.unwrap_or(0).to_string(),
            "timeout" | "tlimit-per" | "time-limit-per" => {
                self.timeout.map_or(0, |timeout| timeout.as_millis()).to_string()
            }
            "verbosity" => self.verbosity.to_string(),
            "reproducible-resource-limit" => self.resource_limit.to_string(),
            "regular-output-channel" => quoted(&self.regular.name()),
            "diagnostic-output-channel" => quoted(&self.diagnostic.name()),
            _ if NEVER.contains(&keyword) => "false".to_owned(),
            _ => return None,
        })
    }
}

/// A channel by its name, a string.
fn channel(value: &str) -> Result<Channel, Refused> {
    let name = value.strip_prefix('"').and_then(|value| value.strip_suffix('"')).filter(|name| !name.is_empty());
    name.map(|name| Channel::named(&name.replace("\"\"", "\"")))
        .ok_or(Refused::Value("\"stdout\", \"stderr\" or a file's name"))
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
        assert_eq!(settings.regular, Channel::Stderr);
        assert_eq!(settings.set("regular-output-channel", "\"a b.txt\""), Ok(()));
        assert_eq!(settings.get("regular-output-channel").as_deref(), Some("\"a b.txt\""));
        for wrong in ["stdout", "\"\"", "", "1"] {
            assert!(matches!(settings.set("diagnostic-output-channel", wrong), Err(Refused::Value(_))), "{wrong}");
        }
        assert_eq!(settings.set("reproducible-resource-limit", "7"), Ok(()));
        assert_eq!(settings.get("reproducible-resource-limit").as_deref(), Some("7"));
        assert_eq!(settings.set("expand-definitions", "false"), Ok(()));
        assert_eq!(settings.set("expand-definitions", "true"), Err(Refused::Unknown));
        assert_eq!(settings.get("produce-proofs").as_deref(), Some("false"));
        // SMT-LIB 2.0's name of :produce-assertions.
        assert_eq!(settings.set("interactive-mode", "true"), Ok(()));
        assert_eq!(settings.get("produce-assertions").as_deref(), Some("true"));
        assert_eq!(settings.set("produce-models", "1"), Err(Refused::Value("true or false")));
        assert_eq!(settings.set("random-seed", "-1"), Err(Refused::Value("a numeral")));
        assert_eq!(settings.set("auto-config", "false"), Err(Refused::Unknown));
        assert_eq!(settings.get("auto-config"), None);
    }
}
