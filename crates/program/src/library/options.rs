//! What is said of a library before it is built.

use std::path::PathBuf;
use std::time::Instant;

use crate::{LengthOptions, Origin};

/// How a library is built.
#[derive(Clone, Debug)]
pub struct LibraryOptions {
    /// The compiler of all sources, a name or a path; `None` for the default one of each source's language.
    pub compiler: Option<String>,
    /// Flags that come last and therefore win over the database's. `-O0` by default.
    pub flags: Vec<String>,
    /// Whether it is the control ([`crate::control_spec`]): the database's flags, too, lose what weakens floats.
    pub is_control: bool,
    /// Flags that stand between the database's and these.
    pub common_flags: Vec<String>,
    /// Objects and libraries that are linked in.
    pub link: Vec<PathBuf>,
    /// How much memory is behind pointers, for functions that have parameters of such names.
    pub lengths: LengthOptions,
    /// When everything must have been built.
    pub deadline: Instant,
    /// How many compilers run at a time; at least one.
    pub jobs: usize,
    /// Who wrote all this.
    pub origin: Origin,
    /// The IR of flang's runtime, which Fortran's whole arrays need.
    pub runtime: Option<PathBuf>,
}

impl LibraryOptions {
    /// `-O0`, one compiler at a time.
    pub fn new(deadline: Instant) -> LibraryOptions {
        LibraryOptions {
            compiler: None,
            flags: vec!["-O0".to_owned()],
            is_control: false,
            common_flags: Vec::new(),
            link: Vec::new(),
            lengths: LengthOptions::default(),
            deadline,
            jobs: 1,
            origin: Origin::User,
            runtime: None,
        }
    }
}
