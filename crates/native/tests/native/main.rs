//! Native execution on small C sources.

mod confirmation;
mod fixture;
mod survival;
mod traces;
