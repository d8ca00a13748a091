//! Checks certificates of `labrys-bounds`: proofs of upper bounds of rounding errors.
//!
//! Shares no code with the crate that makes them. Values are enclosed by MPFR's numbers; the argument is that of [`pass`]. For each leaf of the tree the bound that it states is derived
//! again, as a sum over the box or by the mean-value form; where that fails, the box is divided a few times more. The leaves cover the
//! doubles (or integers) of the inputs' ranges because the tree divides them, and the bound is that of the greatest leaf.

mod check;
mod functions;
mod guards;
mod interval;
mod pass;
mod statement;
#[cfg(test)]
mod tests;

use std::path::PathBuf;

use anyhow::{Context, Result};

use check::check;

/// Which certificates to check.
#[derive(Debug, clap::Args)]
pub(crate) struct Request {
    /// Files.
    #[arg(required = true)]
    files: Vec<PathBuf>,
}

/// Checks each file; false where one is refused.
pub(crate) fn run(request: &Request) -> Result<bool> {
    let mut all = true;
    for file in &request.files {
        let text = std::fs::read_to_string(file).with_context(|| file.display().to_string())?;
        match check(&text) {
            Ok(boxes) => println!("{}: proved, {boxes} boxes", file.display()),
            Err(error) => {
                all = false;
                println!("{}: refused: {error:#}", file.display());
            }
        }
    }
    Ok(all)
}

/// Whether a file is a certificate that holds.
pub(crate) fn is_proof(file: &std::path::Path) -> Result<bool> {
    let text = std::fs::read_to_string(file).with_context(|| file.display().to_string())?;
    Ok(check(&text).is_ok())
}
