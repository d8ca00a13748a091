//! What a profile says of link-time optimisation.
//!
//! Read are the workspace's manifest and its `.cargo/config.toml`, the part of TOML that tables of profiles are written in: headers, keys, comments.

use std::path::Path;

/// Link-time optimisation over all crates.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Lto {
    Thin,
    Fat,
}

/// Profiles that inherit from each other are followed so far.
const DEPTH: usize = 8;

impl Lto {
    /// What a workspace's profile asks for, if it asks for any; the environment has the last word, as cargo reads it.
    pub(super) fn of(workspace: &Path, profile: &str) -> Option<Lto> {
        let variable = format!("CARGO_PROFILE_{}_LTO", profile.to_uppercase().replace('-', "_"));
        if let Ok(value) = std::env::var(variable) {
            return Lto::meant(&value);
        }
        let read = |file: &str| std::fs::read_to_string(workspace.join(file)).unwrap_or_default();
        Lto::in_texts(&[read(".cargo/config.toml"), read("Cargo.toml")], profile)
    }

    /// By the first text that says something of a profile, else by the profile that it inherits from.
    fn in_texts(texts: &[String], profile: &str) -> Option<Lto> {
        let mut profile = profile.to_owned();
        for _ in 0..DEPTH {
            let said = |key: &str| texts.iter().find_map(|text| value(text, &profile, key));
            if let Some(value) = said("lto") {
                return Lto::meant(&value);
            }
            profile = said("inherits")?;
        }
        None
    }

    fn meant(value: &str) -> Option<Lto> {
        match value {
            "true" | "fat" => Some(Lto::Fat),
            "thin" => Some(Lto::Thin),
            _ => None,
        }
    }

    /// Its name, as cargo and rustc have it.
    pub(super) fn name(self) -> &'static str {
        match self {
            Lto::Thin => "thin",
            Lto::Fat => "fat",
        }
    }
}

/// What a text says of a profile's key, without quotes.
fn value(text: &str, profile: &str, key: &str) -> Option<String> {
    let header = format!("[profile.{profile}]");
    let mut is_inside = false;
    for line in text.lines() {
        let line = line.split('#').next().unwrap_or_default().trim();
        if line.starts_with('[') {
            is_inside = line.replace([' ', '"', '\''], "") == header;
        } else if let Some((name, value)) = line.split_once('=').filter(|_| is_inside)
            && name.trim() == key
        {
            return Some(value.trim().trim_matches(['"', '\'']).to_owned());
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_profile_says_what_is_optimised_at_link_time() {
        let manifest = "[package]\nlto = true\n[profile.release]\nopt-level = 3\nlto = \"thin\" # fast\n[profile.dev]\nlto = false\n\
                        [profile.dist]\ninherits = \"release\"\n[profile.fast]\ninherits = 'dist'\nlto = true\n[profile.loop]\ninherits = \"loop\"\n";
        let of = |profile: &str| Lto::in_texts(&[String::new(), manifest.to_owned()], profile);
        assert_eq!(["release", "dist", "fast"].map(of), [Some(Lto::Thin), Some(Lto::Thin), Some(Lto::Fat)]);
        assert_eq!(["dev", "test", "loop"].map(of), [None; 3]);
        let config = "[profile.release]\nlto = \"off\"\n".to_owned();
        assert_eq!(Lto::in_texts(&[config, manifest.to_owned()], "release"), None);
    }
}
