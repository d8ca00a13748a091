//! How the layers are stacked, in one place.
//!
//! From the outside in: a query is asked for as a set of terms; its independent parts are asked one by one;
//! each model is evaluated before it is believed; what goes to the process is dumped if that is wanted.

use std::fs;
use std::path::PathBuf;

use crate::{Canonical, FloatSolver, Independence, Log, ProcessConfig, RealSolver, SmtProcess, SolverError, Validate};

/// What a stack is made from.
#[derive(Clone, Debug)]
pub struct StackConfig {
    /// The solver's process.
    pub process: ProcessConfig,
    /// The folder into which every query is written as SMT-LIB, if any.
    dump: Option<PathBuf>,
}

impl StackConfig {
    /// A stack on the given process.
    pub fn new(process: ProcessConfig) -> StackConfig {
        StackConfig { process, dump: None }
    }

    /// The same, writing every query into `folder`, which is made if it is not there.
    ///
    /// # Errors
    ///
    /// If the folder cannot be made or written.
    pub fn dumping_to(mut self, folder: PathBuf) -> Result<StackConfig, SolverError> {
        let probe = folder.join(".writable");
        fs::create_dir_all(&folder)
            .and_then(|()| fs::write(&probe, ""))
            .and_then(|()| fs::remove_file(&probe))
            .map_err(|source| SolverError::Dump { folder: folder.clone(), source })?;
        self.dump = Some(folder);
        Ok(self)
    }

    fn logged_process(&self) -> Log<SmtProcess> {
        Log::new(SmtProcess::new(self.process.clone()), self.dump.clone())
    }
}

/// The stack for queries over the reals.
pub fn real_stack(config: &StackConfig) -> Box<dyn RealSolver> {
    Box::new(Canonical::new(Independence::new(Validate::new(config.logged_process()))))
}

/// The stack for queries over the floats.
pub fn float_stack(config: &StackConfig) -> Box<dyn FloatSolver> {
    Box::new(Canonical::new(Independence::new(Validate::new(config.logged_process()))))
}
