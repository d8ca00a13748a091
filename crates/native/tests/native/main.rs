//! Native execution on small C sources.

mod confirmation;
mod fixture;
mod signatures;
mod survival;
mod traces;
