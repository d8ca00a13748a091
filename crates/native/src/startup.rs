//! The control registers that the code under test starts with, and what they are after loading.

/// The control registers that the code under test starts with.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Startup {
    /// What loading the build leaves.
    #[default]
    Loaded,
    /// The default environment.
    Default,
    /// The default environment with FTZ and DAZ set.
    Ftz,
}

impl Startup {
    /// All of them, with the word that a worker is told.
    const NAMES: [(Startup, &str); 3] =
        [(Startup::Loaded, "loaded"), (Startup::Default, "default"), (Startup::Ftz, "ftz")];

    /// The word for it.
    pub(crate) fn name(self) -> &'static str {
        Startup::NAMES.iter().find(|(startup, _)| *startup == self).map_or("", |(_, name)| name)
    }

    /// What a word stands for.
    pub(crate) fn named(word: &str) -> Option<Startup> {
        Startup::NAMES.iter().find(|(_, name)| *name == word).map(|(startup, _)| *startup)
    }
}

/// The control registers after loading.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StartupState {
    /// MXCSR, sticky bits cleared; on another processor, what it would be.
    pub mxcsr: u32,
    /// The x87 control word; on another processor, its default.
    pub x87_control: u16,
    /// Whether tiny results are flushed to zero.
    pub ftz: bool,
    /// Whether subnormal operands are read as zeros.
    pub daz: bool,
}
