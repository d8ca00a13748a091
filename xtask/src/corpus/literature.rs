//! `cargo xtask corpus literature`: the programs of Guo, Rubio-González, ICSE 2020, of Meschach's and GSL's own sources as Debian 12 has
//! them, called by small drivers (`xtask/literature`).
//!
//! Meschach's sources are of 1994: K&R C with a machine.h that was configured then, which serves.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::Result;
use serde_json::{Value, json};

use super::debian::{FOLDER, SourcePackage};
use super::gsl;

const PACKAGE: SourcePackage = SourcePackage {
    name: "meschach",
    archive: "meschach_1.2b.orig.tar.gz",
    hash: "2b153bfdd619d84ad7df15ab7cab12a4655f3f61473ee3fe948d6c4e5b55a050",
};

/// Those of its sources that the drivers' calls reach, or that define what those name.
const SOURCES: [&str; 24] = [
    "bdfactor", "copy", "err", "hsehldr", "init", "iter0", "ivecop", "lufactor", "machine", "matop", "matrixio",
    "meminfo", "memory", "memstat", "norm", "pxop", "qrfactor", "solve", "sparse", "sprow", "submat", "vecop",
    "zmachine", "zmemory",
];

/// The folder of the sources and the database.
pub fn folder(root: &Path) -> PathBuf {
    PACKAGE.folder(root)
}

/// Fetches, checks and unpacks, unless that was done before, and writes the database.
pub fn run(root: &Path) -> Result<bool> {
    gsl::run(root)?;
    let database = Path::new("compile_commands.json");
    let (folder, _lock) = PACKAGE.unpack(root, database)?;
    let drivers = root.join("xtask/literature").canonicalize()?;
    let gsl = gsl::folder(root).canonicalize()?;
    let entry = |source: String, flags: &[&str], object: &str| -> Value {
        let arguments: Vec<&str> = [&["clang-22", "-g", "-c"][..], flags, &[&source, "-o", object]].concat();
        json!({ "directory": folder, "file": source, "arguments": arguments, "output": object })
    };
    let old = ["-std=gnu89", "-w", "-DHUGE=HUGE_VAL", "-I."];
    let mut entries: Vec<Value> =
        SOURCES.iter().map(|name| entry(format!("{name}.c"), &old, &format!("{name}.o"))).collect();
    let driver = |name: &str| drivers.join(name).display().to_string();
    entries.push(entry(driver("meschach.c"), &old, "drivers.o"));
    entries.push(entry(driver("sums.c"), &[], "sums.o"));
    let include = [format!("-I{}", gsl.display()), format!("-I{}/statistics", gsl.display())];
    let of_gsl: Vec<&str> = include.iter().map(String::as_str).collect();
    entries.push(entry(driver("statistics.c"), &of_gsl, "stock.o"));
    entries.push(entry(driver("narrow.c"), &of_gsl, "narrow.o"));
    let path = folder.join(database);
    let draft = path.with_extension("draft");
    fs::write(&draft, serde_json::to_vec_pretty(&entries)?)?;
    fs::rename(&draft, &path)?;
    println!("{} sources in {FOLDER}/{}/compile_commands.json", entries.len(), PACKAGE.name);
    Ok(true)
}
