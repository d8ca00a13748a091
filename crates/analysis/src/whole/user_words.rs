//! Reasons as users read them: functions by the names that they have in the source.

use labrys_program::demangled;

/// A reason with the names of C++ and Rust functions as their sources have them.
pub(crate) fn user_words(reason: &str) -> String {
    user_words_with(reason, &demangled)
}

/// A reason with its names as `known` has them, which others are left as they are by.
pub(crate) fn user_words_with(reason: &str, known: &dyn Fn(&str) -> Option<String>) -> String {
    let is_of_name = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '$' | '.');
    let mut words = String::with_capacity(reason.len());
    let mut rest = reason;
    while let Some(start) = rest.find(is_of_name) {
        let (before, name) = rest.split_at(start);
        let end = name.find(|c| !is_of_name(c)).unwrap_or(name.len());
        // A sentence's full stop is none of a name.
        let end = name[..end].trim_end_matches('.').len().max(1);
        words.push_str(before);
        words.push_str(&known(&name[..end]).unwrap_or_else(|| name[..end].to_owned()));
        rest = &name[end..];
    }
    words + rest
}

#[cfg(test)]
mod tests {
    use super::user_words;

    #[test]
    fn mangled_names_are_those_of_the_source() {
        let reason = "call of _ZN3foo3barEid, which is neither defined nor modelled";
        assert_eq!(user_words(reason), "call of foo::bar(int, double), which is neither defined nor modelled");
        assert_eq!(user_words("f(_Z1gv)."), "f(g()).");
        for plain in ["", "the time was over", "x < 0.5 at f.c:3:1", "_Z is no name..."] {
            assert_eq!(user_words(plain), plain);
        }
    }
}
