//! The peers' Python modules, in an environment of their own under target.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};

/// The environment's interpreter.
pub fn python(root: &Path) -> PathBuf {
    root.join("target/peers/bin/python")
}

/// Makes the environment, unless it holds what the list of requirements names already. PIP_FIND_LINKS may point at wheels at hand.
pub fn install(root: &Path) -> Result<()> {
    let requirements = root.join("xtask/peers/requirements.txt");
    let wanted = fs::read_to_string(&requirements)?;
    let folder = root.join("target/peers");
    let stamp = folder.join("installed.txt");
    if fs::read_to_string(&stamp).is_ok_and(|installed| installed == wanted) {
        return Ok(());
    }
    let made = Command::new("python3").args(["-m", "venv"]).arg(&folder).status().context("cannot run python3")?;
    let pip = ["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--require-hashes", "-r"];
    if !made.success() || !Command::new(python(root)).args(pip).arg(&requirements).status()?.success() {
        bail!("cannot install {}", requirements.display());
    }
    fs::write(stamp, wanted)?;
    Ok(())
}
