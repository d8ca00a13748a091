//! Which package of a workspace is meant.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Instant;

use serde_json::Value;

use super::{CargoOptions, CrateError};
use crate::compile::process;

/// A package with a library.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Member {
    /// The package's name.
    pub(super) package: String,
    /// The library's name in paths.
    pub(super) library: String,
    /// Its `Cargo.toml`.
    pub(super) manifest: PathBuf,
    /// The library's first source.
    pub(super) source: PathBuf,
    /// The workspace's folder.
    pub(super) workspace: PathBuf,
    /// The folders of the workspace's packages.
    pub(super) packages: Vec<PathBuf>,
    /// The workspace's target folder.
    pub(super) target: PathBuf,
}

/// The executable that is cargo: of the one that called us, else the one in `PATH`.
pub(super) fn cargo() -> Command {
    Command::new(std::env::var_os("CARGO").filter(|path| !path.is_empty()).unwrap_or_else(|| "cargo".into()))
}

/// The library that the first name of a path is in.
pub(super) fn choose(options: &CargoOptions, crate_name: &str, deadline: Instant) -> Result<Member, CrateError> {
    let folder = std::env::current_dir().unwrap_or_default();
    let no_crate = |words: &str| CrateError::NoCrate {
        folder: options.manifest.clone().unwrap_or_else(|| folder.clone()),
        words: first_error(words),
    };
    let manifest = match &options.manifest {
        Some(manifest) => manifest.clone(),
        None => {
            let mut command = cargo();
            command.args(["locate-project", "--message-format", "plain"]);
            let finished = process::run(&mut command, "cargo", deadline)?;
            if !finished.status.success() {
                let words = first_error(&finished.stderr);
                let words = format!("{words}: go to a crate's folder, or say where it is with --manifest-path");
                return Err(CrateError::NoCrate { folder, words });
            }
            PathBuf::from(finished.stdout.trim())
        }
    };
    let mut command = cargo();
    command.args(["metadata", "--no-deps", "--format-version", "1", "--manifest-path"]).arg(&manifest);
    command.args(&options.lock);
    let finished = process::run(&mut command, "cargo", deadline)?;
    if !finished.status.success() {
        return Err(no_crate(&finished.stderr));
    }
    let metadata: Value = serde_json::from_str(&finished.stdout).map_err(|error| no_crate(&error.to_string()))?;
    let packages = metadata["packages"].as_array().map(Vec::as_slice).unwrap_or_default();
    let package = choose_package(packages, options, &manifest, crate_name)?;
    library_of(package, packages, &metadata)
}

/// The first line of an error that cargo or rustc printed, without what it begins with. Of an error that cargo explains by what
/// a program said, that program's.
pub(super) fn first_error(words: &str) -> String {
    let mut lines = words.lines().map(str::trim).filter(|line| !line.is_empty());
    let is_error = |line: &&str| line.starts_with("error");
    let cause = lines.clone().skip_while(|line| *line != "--- stderr").find(is_error);
    let line = cause.or_else(|| lines.clone().find(is_error)).or_else(|| lines.next()).unwrap_or("no reason is given");
    let line = line.strip_prefix("error: ").unwrap_or(line);
    line.chars().take(400).collect()
}

fn text<'v>(value: &'v Value, key: &str) -> &'v str {
    value[key].as_str().unwrap_or_default()
}

fn choose_package<'v>(
    packages: &'v [Value],
    options: &CargoOptions,
    manifest: &Path,
    crate_name: &str,
) -> Result<&'v Value, CrateError> {
    let names = || packages.iter().map(|package| text(package, "name").to_owned()).collect::<Vec<_>>();
    if let Some(name) = &options.package {
        let named = packages.iter().find(|package| text(package, "name") == name);
        return named.ok_or_else(|| CrateError::NoPackage { name: name.clone(), members: names() });
    }
    let manifest = manifest.canonicalize().unwrap_or_else(|_| manifest.to_owned());
    let here = packages.iter().find(|package| Path::new(text(package, "manifest_path")) == manifest);
    let has_name =
        |package: &&Value| library_target(package).is_some_and(|target| ident(text(target, "name")) == crate_name);
    // The folder's own package, unless the path names the library of another member.
    let named: Vec<&Value> = packages.iter().filter(has_name).collect();
    let alone = |of: &[&'v Value]| if let [one] = of { Some(*one) } else { None };
    match alone(&named).or(here).or_else(|| alone(&packages.iter().collect::<Vec<_>>())) {
        Some(package) => Ok(package),
        None => Err(CrateError::SeveralMembers { crate_name: crate_name.to_owned(), members: names() }),
    }
}

impl Member {
    /// Whether a source is of a package outside of the workspace: the nearest `Cargo.toml` above it is not one of the workspace's.
    pub(super) fn is_of_dependency(&self, file: &Path) -> bool {
        let package = file.ancestors().skip(1).find(|folder| folder.join("Cargo.toml").is_file());
        package.is_some_and(|folder| folder != self.workspace && !self.packages.iter().any(|own| own == folder))
    }
}

/// A target's name in paths.
fn ident(name: &str) -> String {
    name.replace('-', "_")
}

fn kinds(target: &Value) -> Vec<&str> {
    target["kind"].as_array().map(|kinds| kinds.iter().filter_map(Value::as_str).collect()).unwrap_or_default()
}

fn library_target(package: &Value) -> Option<&Value> {
    const LIBRARIES: [&str; 5] = ["lib", "rlib", "dylib", "cdylib", "staticlib"];
    package["targets"].as_array()?.iter().find(|target| kinds(target).iter().any(|kind| LIBRARIES.contains(kind)))
}

fn library_of(package: &Value, packages: &[Value], metadata: &Value) -> Result<Member, CrateError> {
    let name = text(package, "name").to_owned();
    let Some(target) = library_target(package) else {
        let targets = package["targets"].as_array().map(Vec::as_slice).unwrap_or_default();
        let has = |kind: &str| targets.iter().any(|target| kinds(target).contains(&kind));
        let hint = if has("proc-macro") {
            ": it is of macros, which run in the compiler"
        } else if has("bin") {
            ": it is of programs; move the function to a library (src/lib.rs) beside them"
        } else {
            ""
        };
        return Err(CrateError::NoLibrary { package: name, hint: hint.to_owned() });
    };
    let folder = |of: &Value| Path::new(text(of, "manifest_path")).parent().map(Path::to_owned);
    Ok(Member {
        package: name,
        library: ident(text(target, "name")),
        manifest: PathBuf::from(text(package, "manifest_path")),
        source: PathBuf::from(text(target, "src_path")),
        workspace: PathBuf::from(text(metadata, "workspace_root")),
        packages: packages.iter().filter_map(folder).collect(),
        target: PathBuf::from(text(metadata, "target_directory")),
    })
}
