//! Compiler flags that mean the same from another folder.

use std::path::Path;

/// Flags of clang and gcc that take a path, attached or as the next word.
const PATH_FLAGS: [&str; 13] = [
    "-I",
    "-L",
    "-B",
    "-isystem",
    "-iquote",
    "-idirafter",
    "-include",
    "-imacros",
    "-isysroot",
    "--sysroot=",
    "-fprofile-use=",
    "-fprofile-instr-use=",
    "-fplugin=",
];

/// The flags with relative paths made absolute from `folder`, so that they mean the same wherever they are used. A path is
/// what stands behind a flag that takes one, or a word without a dash, if there is such a file or folder.
pub fn absolute_flags(flags: &[String], folder: &Path) -> Vec<String> {
    let absolute = |path: &str| {
        let joined = folder.join(path);
        if path.is_empty() || !joined.exists() { path.to_owned() } else { joined.display().to_string() }
    };
    let attached = |word: &str| {
        let known = PATH_FLAGS.iter().find_map(|flag| word.strip_prefix(flag).map(|path| (flag, path)));
        known.map(|(flag, path)| format!("{flag}{}", absolute(path)))
    };
    flags
        .iter()
        .map(|word| if word.starts_with('-') { attached(word).unwrap_or_else(|| word.clone()) } else { absolute(word) })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::absolute_flags;

    #[test]
    fn relative_paths_are_made_absolute_where_they_are_paths() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        std::fs::create_dir(folder.path().join("include")).expect("writable");
        std::fs::write(folder.path().join("extra.o"), "").expect("writable");
        let here = folder.path().display();
        let flags =
            "-O3 -Iinclude -I include -isysteminclude -I/usr/include -Imissing -DN=include extra.o -march=native";
        let flags: Vec<String> = flags.split(' ').map(str::to_owned).collect();
        let wanted = format!(
            "-O3 -I{here}/include -I {here}/include -isystem{here}/include -I/usr/include -Imissing -DN=include {here}/extra.o -march=native"
        );
        assert_eq!(absolute_flags(&flags, folder.path()).join(" "), wanted);
    }
}
