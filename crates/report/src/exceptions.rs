//! Sets of exceptions as JSON: an array of names in the fixed order divbyzero, invalid, overflow, underflow, inexact.

use labrys_float::Flags;
use serde::de::Error;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// Writes the names.
pub fn serialize<S: Serializer>(flags: &Flags, serializer: S) -> Result<S::Ok, S::Error> {
    flags.names().serialize(serializer)
}

/// Reads names in any order; an unknown one is an error.
pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Flags, D::Error> {
    let names = Vec::<String>::deserialize(deserializer)?;
    names.iter().try_fold(Flags::empty(), |set, name| {
        let flag = Flags::all().iter().find(|flag| flag.names() == [name.as_str()]);
        flag.map(|flag| set | flag).ok_or_else(|| D::Error::custom(format!("unknown exception `{name}`")))
    })
}

/// A set of exactly one exception as its name.
pub mod one {
    use super::*;

    /// Writes the name.
    pub fn serialize<S: Serializer>(flag: &Flags, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(flag.names().first().copied().unwrap_or_default())
    }

    /// Reads a name; an unknown one is an error.
    pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Flags, D::Error> {
        let name = String::deserialize(deserializer)?;
        let flag = Flags::all().iter().find(|flag| flag.names() == [name.as_str()]);
        flag.ok_or_else(|| D::Error::custom(format!("unknown exception `{name}`")))
    }
}

/// The exceptions in the order in which reports show them, worst first.
pub const CLASSES: [Flags; 5] = [Flags::INVALID, Flags::DIVBYZERO, Flags::OVERFLOW, Flags::UNDERFLOW, Flags::INEXACT];

/// The place of an exception among [`CLASSES`].
pub fn class(exception: Flags) -> usize {
    CLASSES.iter().position(|class| exception.intersects(*class)).unwrap_or(CLASSES.len())
}

/// The names with commas between them; `none` for the empty set.
pub fn listed(flags: Flags) -> String {
    if flags.is_empty() { "none".to_owned() } else { flags.names().join(", ") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Debug, PartialEq, Serialize, Deserialize)]
    struct Holder {
        #[serde(with = "super")]
        flags: Flags,
    }

    #[test]
    fn every_set_survives_a_round_trip() {
        for bits in 0..=Flags::all().bits() {
            let holder = Holder { flags: Flags::from_bits_truncate(bits) };
            let text = serde_json::to_string(&holder).expect("serialises");
            assert_eq!(serde_json::from_str::<Holder>(&text).expect("reads"), holder);
        }
        assert!(serde_json::from_str::<Holder>(r#"{"flags":["denormal"]}"#).is_err());
    }

    #[test]
    fn lists_are_words() {
        assert_eq!(listed(Flags::OVERFLOW | Flags::DIVBYZERO), "divbyzero, overflow");
        assert_eq!(listed(Flags::empty()), "none");
    }
}
