//! Tests of the public interface, on hand-made reports.

mod model;
mod reproducers;
mod samples;
mod sarif;
mod terminal;
