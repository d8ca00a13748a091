//! Running the user's own shared objects: what a call returns, which exceptions it raises, and where.
//!
//! The code under test is never recompiled. A worker process loads one build and forks runners that call it, so that
//! a crash, an `exit` or an endless loop of the code under test ends a runner and is an observation. A driver loop
//! compiled for the signature calls the function and reads the status registers; a second path traces the exceptions of
//! one call through SIGFPE and single steps.
//!
//! ```standalone_crate
//! use std::ffi::OsString;
//! use std::process::{Command, ExitCode};
//!
//! use labrys_float::Flags;
//! use labrys_native::{
//!     Driver, Filling, Startup, Symbolizer, Tracing, Worker, WorkerConfig, WorkerLimits, worker_main,
//! };
//!
//! fn main() -> ExitCode {
//!     // This program is its own worker, as labrys is.
//!     let arguments: Vec<OsString> = std::env::args_os().skip(1).collect();
//!     match arguments.split_first() {
//!         Some((first, rest)) if first == "worker" => return worker_main(rest),
//!         _ => {}
//!     }
//!     let folder = tempfile::tempdir().unwrap();
//!     let [source, library] = ["inverse.c", "inverse.so"].map(|name| folder.path().join(name));
//!     std::fs::write(&source, "double inverse(double x) { return 1 / x; }\n").unwrap();
//!     let mut compiler = Command::new("gcc");
//!     assert!(compiler.args(["-g", "-shared", "-fPIC", "-o"]).args([&library, &source]).status().unwrap().success());
//!     let signature = labrys_program::parse_signature("double inverse(double x)", &Default::default()).unwrap();
//!
//!     let mut worker = Worker::spawn(WorkerConfig {
//!         command: vec![std::env::current_exe().unwrap().into(), "worker".into()],
//!         library: library.clone(),
//!         driver: Driver::compile(&signature, folder.path()).unwrap(),
//!         signature,
//!         address: None,
//!         init: None,
//!         binds_lazily: false,
//!         startup: Startup::Loaded,
//!         filling: Filling::Zeros,
//!         tracing: Tracing::TrapThenStep,
//!         limits: WorkerLimits::default(),
//!     })
//!     .unwrap();
//!     let observation = worker.trace(&0f64.to_le_bytes(), Flags::NOTABLE).unwrap();
//!     assert_eq!(observation.flags, Flags::DIVBYZERO);
//!     let symbolizer = Symbolizer::new(&library).unwrap();
//!     for event in observation.trace.iter().flat_map(|trace| &trace.events) {
//!         assert_eq!(symbolizer.locate_event(event).line, 1);
//!     }
//!     ExitCode::SUCCESS
//! }
//! ```

mod child;
mod config;
mod confirmation;
mod connection;
mod driver;
mod driver_text;
mod error;
mod filling;
mod job;
mod library;
mod observation;
mod processor;
mod protocol;
mod replay;
mod runner;
mod sandbox;
mod shared;
mod startup;
mod status;
mod support;
mod symbol;
mod symbolizer;
mod tracing;
mod worker;

pub use child::{confined_worker_main, worker_main};
pub use config::{Tracing, WorkerConfig, WorkerLimits};
pub use confirmation::{Confirmation, Confirmer, Variation};
pub use driver::Driver;
pub use error::NativeError;
pub use filling::Filling;
pub use observation::{Event, Observation, Outcome, Trace};
pub use processor::TracingSupport;
pub use replay::{
    Ending, EntryError, ErrorKind, Replay, ReplayBuild, ReplayInput, ReplayLimits, Sanitizers, entry_main, replay_main,
};
pub use startup::{Startup, StartupState};
pub use support::{tracing_support, trapping_available};
pub use symbolizer::{SourceFrame, Symbolizer};
pub use worker::Worker;
