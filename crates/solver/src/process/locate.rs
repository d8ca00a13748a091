//! Where the z3 executable is, and which one it is.

use std::env;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

use wait_timeout::ChildExt;

use crate::SolverError;

/// The z3 executable to use, if there is one: `$LABRYS_Z3`, then `tools/z3` in a folder above the running executable,
/// then `lib/labrys/z3` beside the folder that it is in, as packages have it, then `labrys/z3` in `$XDG_DATA_HOME` (default `~/.local/share`), then `z3`
/// in `$PATH`.
///
/// `$LABRYS_Z3` is believed even where it names nothing, so that a typing error shows instead of silently giving another
/// solver.
pub fn find_z3() -> Option<PathBuf> {
    let in_path = || {
        let path = env::var_os("PATH").unwrap_or_default();
        env::split_paths(&path).map(|folder| folder.join("z3")).find(|candidate| is_executable(candidate))
    };
    find_tool("LABRYS_Z3", "z3", is_executable).or_else(in_path)
}

/// A file that the set-up installs, if it is there and `fits`: the one that an environment variable names, whether it is there or not; `tools/NAME` in a
/// folder above the running executable; `lib/labrys/NAME` beside the folder that it is in (of `/usr/bin/labrys`, `/usr/lib/labrys/NAME`); `labrys/NAME`
/// in `$XDG_DATA_HOME` (default `~/.local/share`).
pub fn find_tool(variable: &str, name: &str, fits: fn(&Path) -> bool) -> Option<PathBuf> {
    let value = |name: &str| env::var_os(name).map(PathBuf::from);
    find_with(value, env::current_exe().ok().as_deref(), (variable, name), fits)
}

fn find_with(
    variable: impl Fn(&str) -> Option<PathBuf>,
    executable: Option<&Path>,
    (named, name): (&str, &str),
    fits: fn(&Path) -> bool,
) -> Option<PathBuf> {
    let variable = |name: &str| variable(name).filter(|value| !value.as_os_str().is_empty());
    if let Some(path) = variable(named) {
        return Some(path);
    }
    let folders = executable.into_iter().flat_map(|path| path.ancestors().skip(1));
    let above = folders.map(|folder| folder.join("tools").join(name));
    let installed =
        executable.and_then(|path| path.parent()?.parent()).map(|prefix| prefix.join("lib/labrys").join(name));
    let data = variable("XDG_DATA_HOME").or_else(|| variable("HOME").map(|home| home.join(".local/share")));
    let data = data.map(|folder| folder.join("labrys").join(name));
    above.chain(installed).chain(data).find(|candidate| fits(candidate))
}

fn is_executable(path: &Path) -> bool {
    path.metadata().is_ok_and(|metadata| metadata.is_file() && metadata.permissions().mode() & 0o111 != 0)
}

/// The version that a z3 executable gives of itself: `5.4.0`.
///
/// # Errors
///
/// If it cannot be started, does not answer within ten seconds, or says something else.
pub fn z3_version(executable: &Path) -> Result<String, SolverError> {
    let failed = |reason: String| SolverError::Version { executable: executable.to_owned(), reason };
    let mut child = Command::new(executable)
        .arg("--version")
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .map_err(|error| failed(error.to_string()))?;
    let status = child.wait_timeout(Duration::from_secs(10)).map_err(|error| failed(error.to_string()))?;
    if status.is_none() {
        let _ = child.kill();
        let _ = child.wait();
        return Err(failed("no answer within ten seconds".to_owned()));
    }
    let output = child.wait_with_output().map_err(|error| failed(error.to_string()))?;
    let text = String::from_utf8_lossy(&output.stdout);
    let mut words = text.split_whitespace();
    match (words.next(), words.next(), words.next()) {
        (Some("Z3"), Some("version"), Some(version)) => Ok(version.to_owned()),
        _ => Err(failed(format!("it answered {:?}", text.chars().take(80).collect::<String>()))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    fn executable(path: &Path) -> PathBuf {
        fs::create_dir_all(path.parent().expect("test paths have parents")).expect("a writable temporary folder");
        fs::write(path, "#!/bin/sh\n").expect("a writable temporary folder");
        fs::set_permissions(path, fs::Permissions::from_mode(0o755)).expect("a writable temporary folder");
        path.to_owned()
    }

    #[test]
    fn places_are_tried_in_the_documented_order() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let root = folder.path();
        let variables = |name: &str| match name {
            "HOME" => Some(root.join("home")),
            _ => None,
        };
        let program = root.join("repository/target/release/labrys");
        let find = |variables: &dyn Fn(&str) -> Option<PathBuf>| {
            find_with(variables, Some(&program), ("LABRYS_Z3", "z3"), is_executable)
        };
        assert_eq!(find(&variables), None);
        let in_home = executable(&root.join("home/.local/share/labrys/z3"));
        assert_eq!(find(&variables), Some(in_home));
        let in_package = executable(&root.join("repository/target/lib/labrys/z3"));
        assert_eq!(find(&variables), Some(in_package));
        let in_tools = executable(&root.join("repository/tools/z3"));
        assert_eq!(find(&variables), Some(in_tools));
        let named = |name: &str| if name == "LABRYS_Z3" { Some(root.join("nowhere")) } else { variables(name) };
        assert_eq!(find(&named), Some(root.join("nowhere")));
    }

    #[test]
    fn a_file_that_cannot_be_executed_is_passed_over() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let data = folder.path().join("labrys");
        fs::create_dir_all(&data).expect("a writable temporary folder");
        fs::write(data.join("z3"), "").expect("a writable temporary folder");
        let variables = |name: &str| (name == "XDG_DATA_HOME").then(|| folder.path().to_owned());
        assert_eq!(find_with(variables, None, ("LABRYS_Z3", "z3"), is_executable), None);
        assert!(find_with(variables, None, ("LABRYS_Z3", "z3"), Path::is_file).is_some());
    }

    #[test]
    fn an_executable_that_is_no_z3_has_no_version() {
        assert!(z3_version(Path::new("/bin/echo")).is_err());
        assert!(z3_version(Path::new("/nowhere/z3")).is_err());
    }
}
