//! What is proved of the errors of one output.

use serde::{Deserialize, Serialize};

/// A proved upper bound of an output's error over the whole search domain, beside the largest error seen.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ErrorBound {
    /// The function.
    pub function: String,
    /// The output: `result`, `out[3]`.
    pub output: String,
    /// At least |r − t| on every input. Absent where nothing is proved.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub absolute: Option<f64>,
    /// At least |r − t| / |t| on every input. Absent where nothing is proved: where the truth may be zero there is none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub relative: Option<f64>,
    /// The largest |r − t| that was observed and is certain.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seen: Option<f64>,
    /// Why nothing is proved.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub why: Option<String>,
    /// What the proof rests on.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub assumptions: Vec<String>,
    /// Files with the certificates, where there is an output folder.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub certificates: Vec<String>,
    /// Seconds that proving took.
    #[serde(default, skip_serializing)]
    pub seconds: f64,
}

impl ErrorBound {
    /// It in one line: `result: the error is between 9.5e-14 (seen) and 1.1e-13 (proved), a factor of 1.2`.
    pub fn words(&self) -> String {
        let output = &self.output;
        let seen = self.seen.map(|seen| format!("{seen:.3e} (seen)"));
        let Some(absolute) = self.absolute else {
            let why = self.why.as_deref().unwrap_or("nothing was tried");
            let least = seen.map(|seen| format!("; it is at least {seen}")).unwrap_or_default();
            return format!("{output}: no bound of the error is proved: {why}{least}");
        };
        // Which error it is has to be said where there is no bound of the other.
        let (the, relative) = match self.relative {
            Some(relative) => ("the", format!("; relative at most {relative:.3e}")),
            None => ("the absolute", String::new()),
        };
        match (seen, self.seen.filter(|seen| *seen > 0.0)) {
            (Some(seen), Some(least)) => {
                let factor = match absolute / least {
                    factor if factor < 1e4 => format!("{factor:.2}"),
                    factor => format!("{factor:.2e}"),
                };
                format!(
                    "{output}: {the} error is between {seen} and {absolute:.3e} (proved), a factor of {factor}{relative}"
                )
            }
            _ => format!("{output}: {the} error is at most {absolute:.3e} (proved){relative}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A factor had 125 digits, and a bound of the absolute error stood beside relative ones without a word.
    #[test]
    fn bounds_are_told_in_few_digits_with_what_they_are_of() {
        let bound =
            ErrorBound { output: "result".to_owned(), absolute: Some(1e125), seen: Some(1.0), ..ErrorBound::default() };
        let words = "result: the absolute error is between 1.000e0 (seen) and 1.000e125 (proved), a factor of 1.00e125";
        assert_eq!(bound.words(), words);
        let bound = ErrorBound { absolute: Some(3.0), seen: Some(2.0), relative: Some(0.5), ..bound };
        let words = "result: the error is between 2.000e0 (seen) and 3.000e0 (proved), a factor of 1.50; relative at most 5.000e-1";
        assert_eq!(bound.words(), words);
        let bound = ErrorBound { seen: None, relative: None, ..bound };
        assert_eq!(bound.words(), "result: the absolute error is at most 3.000e0 (proved)");
    }
}
