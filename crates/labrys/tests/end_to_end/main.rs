//! The built binary as a user meets it.

mod accuracy;
mod bad_input;
mod callers;
mod choices;
mod doctor;
mod enumeration;
mod examples;
mod exceptions;
mod exceptions_output;
mod harness;
mod killed_run;
mod known_differences;
mod languages;
mod leftovers;
mod libraries;
mod logging;
mod readme;
mod references;
mod reports;
mod searching;
mod second_opinions;
mod solve;
mod solver_failures;
mod strangers;
mod temporary_files;
mod time_limit;
