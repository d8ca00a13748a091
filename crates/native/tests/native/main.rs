//! Native execution on small C sources.

mod confirmation;
mod fixture;
mod libraries;
#[cfg(feature = "portable")]
mod portable;
mod replay;
mod signatures;
mod survival;
#[cfg(all(target_arch = "x86_64", target_os = "linux", not(feature = "portable")))]
mod x86_64;
