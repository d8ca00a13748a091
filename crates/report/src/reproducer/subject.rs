//! What a reproducer is made of.

use std::time::Duration;

use labrys_float::Flags;
use labrys_program::Signature;

use crate::{Finding, Report};

/// How a library under test comes into being. Paths are relative to the folder that ID.c is written into.
#[derive(Clone, Copy, Debug)]
pub enum Library<'a> {
    /// From C source that the reproducer holds.
    Embedded {
        /// The source, byte for byte.
        text: &'a [u8],
        /// Its path, for messages and debug information.
        path: &'a str,
        /// The compiler's executable.
        compiler: &'a str,
        /// The user's flags, with paths that hold in the reproducer's folder ([`crate::absolute_flags`]); the command adds what labrys adds (`-g`, `-Wl,-Bsymbolic`, for gcc also `-fno-semantic-interposition`).
        flags: &'a [String],
        /// Objects and libraries to link with.
        link: &'a [String],
        /// The folder that `#include "..."` starts from: the source's own.
        include: Option<&'a str>,
    },
    /// By commands for a shell.
    Built {
        /// The commands, in order.
        commands: &'a [String],
        /// The shared object that they make.
        path: &'a str,
    },
    /// It was given.
    Given {
        /// The shared object.
        path: &'a str,
    },
}

/// A build of the reproducer.
#[derive(Clone, Copy, Debug)]
pub struct ReproducerBuild<'a> {
    /// Its role, one of the report's builds.
    pub role: &'a str,
    /// How it is made.
    pub library: Library<'a>,
}

/// What a reproducer shows.
#[derive(Clone, Copy, Debug)]
pub enum Claim {
    /// Two builds differ.
    Difference {
        /// The exceptions that are compared.
        watched: Flags,
        /// Results of equal class differ where they are further apart than so many ulps.
        ulps: u64,
    },
    /// An exception is raised.
    Exception(Flags),
    /// An output is not what it should be.
    Error {
        /// Which output, by its leaf.
        output: usize,
        /// The encoding of the true value, rounded correctly.
        truth: u128,
        /// It is further from that than so many ulps.
        ulps: u64,
    },
}

/// Everything a reproducer is made of.
#[derive(Clone, Copy, Debug)]
pub struct Reproducer<'a> {
    /// The report that the finding belongs to: function, builds and their start-up.
    pub report: &'a Report,
    /// The finding.
    pub finding: &'a Finding,
    /// The function's signature.
    pub signature: &'a Signature,
    /// The witness: an input record of the signature.
    pub input: &'a [u8],
    /// What it shows.
    pub claim: Claim,
    /// A call that takes longer is a time-out.
    pub call_limit: Duration,
    /// The limit on the address space of a call in MiB, as it was when the finding was observed.
    pub memory_mib: Option<u64>,
    /// Whether the function is local to its library (`static`), so that it is looked up in the symbol table.
    pub local_symbol: bool,
    /// Where a given library has several local functions of this name: the function's offset in it.
    pub address: Option<u64>,
    /// The symbol of a function that is called once before, without arguments.
    pub init: Option<&'a str>,
    /// The builds that are compared, the baseline first; where nothing is compared the only build.
    pub builds: &'a [ReproducerBuild<'a>],
}
