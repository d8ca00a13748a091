//! Second opinions on proofs, and contradictions between two opinions.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::Value;

/// The beginnings of the two texts that an opinion is written as.
const CONFIRMED: &str = "confirmed by two (";
const ALONE: &str = "by one: ";

/// Whether anybody else says of a proof what its engine says. In JSON it is a text: `confirmed by two (z3 5.4.0)`, or
/// `by one: ` and why.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(into = "String", from = "String")]
pub enum Opinion {
    /// Each of the proof's queries was asked again as it was before any preparation, and answered alike.
    Confirmed {
        /// By whom, with the version.
        by: String,
    },
    /// The proof stands on one engine's word.
    Alone {
        /// Why nobody confirmed it.
        why: String,
    },
}

impl Opinion {
    /// Nobody confirmed it, for this reason.
    pub fn alone(why: impl Into<String>) -> Opinion {
        Opinion::Alone { why: why.into() }
    }

    /// Whether somebody else said the same.
    pub fn is_confirmed(&self) -> bool {
        matches!(self, Opinion::Confirmed { .. })
    }

    /// The opinion of what rests on several proofs: confirmed where each of them is; else the first that is not.
    pub fn of_all(opinions: impl IntoIterator<Item = Option<Opinion>>) -> Option<Opinion> {
        let mut by: Vec<String> = Vec::new();
        for opinion in opinions {
            match opinion {
                Some(Opinion::Confirmed { by: one }) if by.contains(&one) => {}
                Some(Opinion::Confirmed { by: one }) => by.push(one),
                other => return other,
            }
        }
        (!by.is_empty()).then(|| Opinion::Confirmed { by: by.join(", ") })
    }
}

impl fmt::Display for Opinion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Opinion::Confirmed { by } => write!(f, "{CONFIRMED}{by})"),
            Opinion::Alone { why } => write!(f, "{ALONE}{why}"),
        }
    }
}

impl From<Opinion> for String {
    fn from(opinion: Opinion) -> String {
        opinion.to_string()
    }
}

impl From<String> for Opinion {
    fn from(text: String) -> Opinion {
        match text.strip_prefix(CONFIRMED).and_then(|rest| rest.strip_suffix(')')) {
            Some(by) => Opinion::Confirmed { by: by.to_owned() },
            None => Opinion::alone(text.strip_prefix(ALONE).unwrap_or(&text)),
        }
    }
}

/// A proof that somebody contradicts: another solver, on a query on which it rested, or the native code, which raised what was proved
/// impossible. The proof's verdict is withdrawn.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Contradiction {
    /// What was held for proved, a sentence's beginning: `overflow of fmul at f.c:3:9 in f`.
    pub claim: String,
    /// Who held it for proved: `portfolio`.
    pub engine: String,
    /// Who says otherwise: another solver, with the version, or `native code`.
    pub by: String,
    /// Why it is not sure who is wrong; absent where the other's model satisfies the query, evaluated exactly, so that the proof was.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub doubt: Option<String>,
    /// The input that the other's model describes, where there is one, or that was run.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub inputs: Vec<Value>,
    /// The file with the query, in the output folder or, where there is none, in the current one; empty where the native code
    /// contradicts.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub file: String,
    /// What stands in it: both answers, and the query in SMT-LIB.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub query: String,
}

impl Contradiction {
    /// Native code raised on these inputs what an engine had proved impossible.
    pub fn observed(claim: String, engine: &str, inputs: Vec<Value>) -> Contradiction {
        let (by, none) = ("native code".to_owned(), String::new);
        Contradiction { claim, engine: engine.to_owned(), by, doubt: None, inputs, file: none(), query: none() }
    }

    /// What happened and what it means, in a sentence.
    pub fn words(&self) -> String {
        let Contradiction { claim, engine, by, doubt, file, .. } = self;
        if file.is_empty() {
            return format!(
                "contradicted: {claim} was proved impossible ({engine}), and then observed on {by}: an error of labrys, or an \
                 exception that code generation adds; the verdict is withdrawn, please report it"
            );
        }
        let who = match doubt {
            None => "whose model satisfies the query, so that the proof was wrong: an error of labrys".to_owned(),
            Some(doubt) => format!("{doubt}: an error of one of the two"),
        };
        format!(
            "contradicted: {claim} was proved impossible ({engine}), but not to {by}, {who}; the verdict is withdrawn, the query \
             is in {file}, please report it"
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn confirmed(by: &str) -> Option<Opinion> {
        Some(Opinion::Confirmed { by: by.to_owned() })
    }

    #[test]
    fn opinions_are_texts() {
        for (opinion, text) in [
            (Opinion::Confirmed { by: "z3 5.4.0".to_owned() }, "confirmed by two (z3 5.4.0)"),
            (Opinion::alone("not asked (budget)"), "by one: not asked (budget)"),
        ] {
            assert_eq!(serde_json::to_value(&opinion).expect("serialises"), text);
            assert_eq!(serde_json::from_value::<Opinion>(text.into()).expect("reads"), opinion);
        }
        assert_eq!(Opinion::from("anything".to_owned()), Opinion::alone("anything"));
    }

    #[test]
    fn what_native_code_contradicts_has_no_file() {
        let observed = Contradiction::observed("overflow of fmul at f.c:3:9 in f".to_owned(), "ranges", Vec::new());
        assert!(observed.words().contains("proved impossible (ranges), and then observed on native code"));
        let json = serde_json::to_value(&observed).expect("serialises");
        assert!(json.get("file").is_none() && json.get("query").is_none());
        assert_eq!(serde_json::from_value::<Contradiction>(json).expect("reads"), observed);
    }

    #[test]
    fn a_chain_is_as_strong_as_its_weakest_proof() {
        assert_eq!(Opinion::of_all([confirmed("z3"), confirmed("z3")]), confirmed("z3"));
        assert_eq!(Opinion::of_all([confirmed("z3"), confirmed("bitwuzla")]), confirmed("z3, bitwuzla"));
        let alone = Some(Opinion::alone("z3: work limit"));
        assert_eq!(Opinion::of_all([confirmed("z3"), alone.clone(), None]), alone);
        assert_eq!(Opinion::of_all([confirmed("z3"), None]), None);
        assert_eq!(Opinion::of_all([]), None);
    }
}
