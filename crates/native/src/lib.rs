//! Running the user's own shared objects: what a call returns, which exceptions it raises, and where.
//!
//! The code under test is never recompiled. A worker process loads one build and forks runners that call it, so that
//! a crash, an `exit` or an endless loop of the code under test ends a runner and is an observation. A driver loop
//! compiled for the signature calls the function and reads the status registers; a second path traces the exceptions of
//! one call through SIGFPE and single steps.
//!
//! ```no_run
//! use labrys_float::Flags;
//! use labrys_native::{Driver, Filling, Startup, Symbolizer, Tracing, Worker, WorkerConfig, WorkerLimits};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # let (signature, folder) = (labrys_program::parse_signature("double f(double x)", &Default::default())?, std::env::temp_dir());
//! let mut worker = Worker::spawn(WorkerConfig {
//!     command: vec!["labrys".into(), "__worker".into()],
//!     library: folder.join("libf.so"),
//!     driver: Driver::compile(&signature, &folder)?,
//!     signature,
//!     address: None,
//!     init: None,
//!     binds_lazily: false,
//!     startup: Startup::Loaded,
//!     filling: Filling::Zeros,
//!     tracing: Tracing::TrapThenStep,
//!     limits: WorkerLimits::default(),
//! })?;
//! let observation = worker.trace(&[0; 16], Flags::NOTABLE)?;
//! let symbolizer = Symbolizer::new(&folder.join("libf.so"))?;
//! for event in observation.trace.iter().flat_map(|trace| &trace.events) {
//!     println!("{:?} at line {}", event.exceptions.names(), symbolizer.locate_event(event).line);
//! }
//! # Ok(())
//! # }
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
pub use startup::{Startup, StartupState};
pub use support::{tracing_support, trapping_available};
pub use symbolizer::{SourceFrame, Symbolizer};
pub use worker::Worker;
