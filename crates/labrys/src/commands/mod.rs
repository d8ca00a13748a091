//! One module a command.

pub mod accuracy;
pub mod blame;
mod campaign;
pub mod cargo;
pub mod cover;
mod crate_report;
mod crate_run;
mod crate_tests;
pub mod diff;
pub mod doctor;
pub mod exceptions;
pub mod generated;
mod known;
pub mod made_folders;
pub mod merge;
pub mod output;
pub mod replay;
mod run_options;
pub mod slurm;
pub mod solve;
pub mod test;
pub mod verify;
pub mod wrapper;
