use globset::{Glob, GlobSet, GlobSetBuilder};

use super::functions::LibraryFunction;
use crate::dwarf::scoped_name;

/// Patterns over functions' names, as `--entry` gives them: `gsl_sf_*`, `*_e`, `airy.c:*`, `*/specfunc/*:*`. `*` is any text,
/// also across `/` and `:`, `?` one character, `[ab]` one of some, `{a,b}` one of several texts.
#[derive(Clone, Debug)]
pub struct FunctionFilter {
    patterns: GlobSet,
}

impl FunctionFilter {
    /// Reads the patterns. None at all mean every function.
    ///
    /// # Errors
    ///
    /// The pattern that is none, and why.
    ///
    /// ```
    /// use labrys_program::FunctionFilter;
    /// let filter = FunctionFilter::new(&["gsl_sf_*".to_owned()]).unwrap();
    /// assert!(filter.matches_name("gsl_sf_exp", None));
    /// assert!(!filter.matches_name("exp_impl", Some("exp.c")));
    /// assert!(FunctionFilter::new(&["[".to_owned()]).is_err());
    /// ```
    pub fn new(patterns: &[String]) -> Result<FunctionFilter, String> {
        let mut set = GlobSetBuilder::new();
        let all = ["*".to_owned()];
        for pattern in if patterns.is_empty() { &all } else { patterns } {
            set.add(Glob::new(pattern).map_err(|error| error.to_string())?);
        }
        Ok(FunctionFilter { patterns: set.build().map_err(|error| error.to_string())? })
    }

    /// Whether a pattern matches the function: its name (of C++ with or without the parameters, of Fortran's module procedures `m%f` or
    /// `m::f`), its name in the source, or that with its file before it, with or without the file's path (`airy.c:airy_deriv`).
    pub fn matches(&self, function: &LibraryFunction) -> bool {
        self.patterns.is_match(&function.name)
            || self.patterns.is_match(scoped_name(&function.name))
            || self.patterns.is_match(function.name.replace('%', "::"))
            || self.matches_name(&function.source_name, Some(&function.file))
            || self.matches_name(&function.source_name, function.file.rsplit('/').next())
    }

    /// Whether a pattern matches a name, or the name with its file before it.
    pub fn matches_name(&self, name: &str, file: Option<&str>) -> bool {
        self.patterns.is_match(name) || file.is_some_and(|file| self.patterns.is_match(format!("{file}:{name}")))
    }
}
