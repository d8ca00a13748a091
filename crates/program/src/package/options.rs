//! What cargo is told.

use std::path::PathBuf;

/// Options of cargo's that say what is built, by its own names.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CargoOptions {
    /// `-p`: the package; `None`: that of the folder, or the only one whose library has the path's first name.
    pub package: Option<String>,
    /// `--features`: lists as cargo takes them.
    pub features: Vec<String>,
    /// `--all-features`.
    pub all_features: bool,
    /// `--no-default-features`.
    pub no_default_features: bool,
    /// `--profile`: its name; `release` where the user says nothing.
    pub profile: String,
    /// `--manifest-path`; `None`: the one of the folder or above it.
    pub manifest: Option<PathBuf>,
    /// `--target-dir`; `None`: `labrys` in the workspace's own.
    pub target: Option<PathBuf>,
    /// `--locked`, `--offline` or `--frozen`, as given.
    pub lock: Vec<String>,
}

impl CargoOptions {
    /// The words that choose features, a profile and what may be fetched.
    pub(super) fn words(&self) -> Vec<String> {
        let mut words = vec!["--profile".to_owned(), self.profile.clone()];
        for list in &self.features {
            words.extend(["--features".to_owned(), list.clone()]);
        }
        words.extend(self.all_features.then(|| "--all-features".to_owned()));
        words.extend(self.no_default_features.then(|| "--no-default-features".to_owned()));
        words.extend(self.lock.iter().cloned());
        words
    }
}
