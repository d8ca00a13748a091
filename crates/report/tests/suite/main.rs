//! Tests of the public interface, on hand-made reports.

mod accuracy;
mod baseline;
mod browser;
mod coverage;
mod details;
mod devtools;
mod exceptions;
mod library;
mod model;
mod reproducers;
mod samples;
mod sarif;
mod services;
mod tables;
mod terminal;
mod violation;
