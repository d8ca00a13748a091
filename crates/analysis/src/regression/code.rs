//! How the code under test comes to a test.

use std::path::{Path, PathBuf};

use labrys_program::{Build, Language};
use labrys_report::{CodeUnderTest, absolute_flags};

/// The code of a build for tests called `stem`, and its shared object as a file beside them where no command makes it. A function that others
/// do not see is `included`; `link` is what the build is linked with.
pub(crate) fn code_under_test(
    build: &Build,
    (is_local, link): (bool, &[PathBuf]),
    stem: &str,
) -> (CodeUnderTest, Option<(String, Vec<u8>)>) {
    let here = std::env::current_dir().unwrap_or_default();
    let absolute = |path: &Path| path.canonicalize().unwrap_or_else(|_| here.join(path));
    let source = absolute(&build.source);
    match build.language {
        Language::C if is_local => {
            let compiler = build.recipe.first().cloned().unwrap_or_else(|| "cc".to_owned());
            let mut words = vec![compiler];
            words.extend(absolute_flags(&build.flags, &here));
            if let Some(folder) = source.parent() {
                words.extend(["-iquote".to_owned(), folder.display().to_string()]);
            }
            let link = link.iter().map(|file| absolute(file).display().to_string()).collect();
            (CodeUnderTest::Included { source, words, link }, None)
        }
        Language::SharedObject => (CodeUnderTest::Given(source), None),
        Language::Ir => {
            let name = format!("lib{stem}.so");
            let contents = std::fs::read(&build.library).unwrap_or_default();
            (CodeUnderTest::Given(PathBuf::from(&name)), Some((name, contents)))
        }
        Language::C | Language::Cpp | Language::Fortran | Language::Rust => {
            (CodeUnderTest::Built { words: build.recipe.clone(), folder: here }, None)
        }
    }
}
