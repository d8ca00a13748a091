//! Whom to ask: `--second-opinion`.

use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

/// Who is asked for second opinions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OpinionChoice {
    /// z3, where there is one.
    pub z3: bool,
    /// The solver's own branch and prune, which shares little with its other engines.
    pub prune: bool,
    /// Native runs inside what value ranges cover.
    pub sampling: bool,
    /// Bitwuzla's executable, or a folder into which queries are written for it.
    pub bitwuzla: Option<PathBuf>,
}

impl Default for OpinionChoice {
    /// Everybody who needs no path.
    fn default() -> OpinionChoice {
        OpinionChoice { z3: true, prune: true, sampling: true, bitwuzla: None }
    }
}

/// What `--second-opinion` takes, for messages.
const CHOICES: &str = "off, z3, prune, all, bitwuzla-file:PATH, or several of the latter four with commas";

impl OpinionChoice {
    /// Nobody.
    pub fn off() -> OpinionChoice {
        OpinionChoice { z3: false, prune: false, sampling: false, bitwuzla: None }
    }

    /// Reads `off`, or a list of `z3`, `prune`, `all` and `bitwuzla-file:PATH`.
    ///
    /// # Errors
    ///
    /// A sentence for the user.
    pub fn parse(text: &str) -> Result<OpinionChoice, String> {
        let mut choice = OpinionChoice::off();
        if text == "off" {
            return Ok(choice);
        }
        for word in text.split(',') {
            match (word, word.strip_prefix("bitwuzla-file:")) {
                ("off", _) => return Err("`off` asks nobody, and stands alone".to_owned()),
                ("z3", _) => choice.z3 = true,
                ("prune", _) => choice.prune = true,
                ("all", _) => (choice.z3, choice.prune, choice.sampling) = (true, true, true),
                (_, Some(path)) if !path.is_empty() && choice.bitwuzla.is_none() => {
                    choice.bitwuzla = Some(PathBuf::from(path));
                }
                _ => return Err(format!("`{word}` is nobody to ask: it is {CHOICES}")),
            }
        }
        Ok(choice)
    }

    /// Whether nobody is asked.
    pub fn is_off(&self) -> bool {
        *self == OpinionChoice::off()
    }

    /// Whether the path given for Bitwuzla can be meant: a program, or a folder. One that is not there yet is a folder where it ends
    /// with a slash: a name that was mistyped is none.
    ///
    /// # Errors
    ///
    /// A sentence for the user.
    pub fn check(&self) -> Result<(), String> {
        let Some(path) = &self.bitwuzla else { return Ok(()) };
        let is_new_folder = path.as_os_str().as_encoded_bytes().ends_with(b"/");
        let why = match path.metadata() {
            Ok(metadata) if metadata.is_dir() || is_executable(path) => return Ok(()),
            Err(_) if is_new_folder => return Ok(()),
            Ok(_) => "it is neither a program nor a folder",
            Err(_) => "there is no such program; a folder that is to be made ends with a slash",
        };
        Err(format!("--second-opinion bitwuzla-file:{}: {why}", path.display()))
    }

    /// The folder into which queries are written for Bitwuzla: the path, unless it is an executable file.
    pub fn folder(&self) -> Option<&Path> {
        self.bitwuzla.as_deref().filter(|path| !is_executable(path))
    }

    /// Bitwuzla's executable.
    pub fn executable(&self) -> Option<&Path> {
        self.bitwuzla.as_deref().filter(|path| is_executable(path))
    }
}

fn is_executable(path: &Path) -> bool {
    path.metadata().is_ok_and(|metadata| metadata.is_file() && metadata.permissions().mode() & 0o111 != 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn choices_are_read() {
        let parsed = |text: &str| OpinionChoice::parse(text).expect("a choice");
        assert!(parsed("off").is_off());
        assert_eq!(parsed("all"), OpinionChoice::default());
        assert_eq!(parsed("z3"), OpinionChoice { z3: true, ..OpinionChoice::off() });
        assert_eq!(parsed("prune"), OpinionChoice { prune: true, ..OpinionChoice::off() });
        let path = Some(PathBuf::from("/a b/q"));
        assert_eq!(parsed("bitwuzla-file:/a b/q"), OpinionChoice { bitwuzla: path.clone(), ..OpinionChoice::off() });
        assert_eq!(parsed("all,bitwuzla-file:/a b/q"), OpinionChoice { bitwuzla: path, ..OpinionChoice::default() });
        for wrong in ["z3,off", "off,z3"] {
            assert!(OpinionChoice::parse(wrong).is_err_and(|why| why.contains("stands alone")));
        }
        for wrong in ["", "cvc5", "bitwuzla-file:", "bitwuzla-file:a,bitwuzla-file:b", "Z3"] {
            let why = OpinionChoice::parse(wrong).expect_err(wrong);
            assert!(why.contains("off, z3, prune, all"), "{why}");
        }
    }

    #[test]
    fn a_path_is_an_executable_or_a_folder() {
        let of = |path: &Path| OpinionChoice { bitwuzla: Some(path.to_owned()), ..OpinionChoice::off() };
        let shell = of(Path::new("/bin/sh"));
        assert_eq!((shell.folder(), shell.executable()), (None, Some(Path::new("/bin/sh"))));
        let folder = of(Path::new("/nowhere/yet"));
        assert_eq!((folder.folder(), folder.executable()), (Some(Path::new("/nowhere/yet")), None));
        assert_eq!(of(Path::new("/tmp")).folder(), Some(Path::new("/tmp")));
        for good in ["/bin/sh", "/tmp", "/nowhere/yet/"] {
            assert_eq!(of(Path::new(good)).check(), Ok(()));
        }
        for wrong in ["/etc/passwd", "/nowhere/bitwuzzla"] {
            assert!(of(Path::new(wrong)).check().is_err_and(|why| why.contains(wrong)));
        }
    }
}
