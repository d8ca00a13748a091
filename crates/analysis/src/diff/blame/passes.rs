//! The first optimisation pass with which a divergence shows.

use labrys_program::{CratePart, Language, PassLimit};

use super::flags::Shown;
use super::trials::{Making, Trials};

/// A limit that no compilation comes to.
const ALL: u32 = i32::MAX as u32;

/// Whose passes are counted.
#[derive(Clone, Copy, Debug)]
pub(super) enum Counted {
    /// Those of a compiler of this language.
    Compiler(Language),
    /// Those of one part of a crate's function after the other.
    Crate,
}

/// The first pass with which a build of these flags shows a witness' divergence, later ones left out, and what it ran on. `None` where passes
/// make no difference, cannot be counted, or time is over.
pub(super) fn first(
    trials: &mut Trials<'_>,
    Shown { text, units, said, .. }: &Shown,
    counted: Counted,
    witness: usize,
) -> Option<String> {
    let making = |words: String, limit: Option<PassLimit>| Making {
        text: words,
        flushes: text.flushes(said),
        units: units.clone(),
        limit,
        strict_at: None,
    };
    match counted {
        Counted::Compiler(language) => {
            first_of(trials, witness, &|passes| making(text.bisected(said, language, passes), None))
        }
        Counted::Crate => [CratePart::Crate, CratePart::Glue].into_iter().find_map(|part| {
            first_of(trials, witness, &|passes| making(text.with(said), Some(PassLimit { part, passes })))
        }),
    }
}

/// The same among builds in which so many passes run.
fn first_of(trials: &mut Trials<'_>, witness: usize, limited: &dyn Fn(u32) -> Making) -> Option<String> {
    if !trials.shows(&limited(ALL), witness) || !trials.refutes(&limited(0), witness) {
        return None;
    }
    let names = passes_named(trials.words(&limited(ALL))?);
    let last = names.len().checked_sub(1)?;
    // It does not show with `before` passes, and shows with `with`.
    let (mut before, mut with) = (0, u32::try_from(last + 1).ok()?);
    while with - before > 1 {
        let middle = before + (with - before) / 2;
        if trials.shows(&limited(middle), witness) {
            with = middle;
        } else if trials.refutes(&limited(middle), witness) {
            before = middle;
        } else {
            return None;
        }
    }
    names.get(with as usize - 1).cloned()
}

/// What LLVM says it runs: the n-th pass, counted from one, is the n-th name.
fn passes_named(words: &str) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    for line in words.lines() {
        let Some(of) = line.strip_prefix("BISECT: running pass (") else { continue };
        let Some((number, name)) = of.split_once(") ") else { continue };
        // Several modules of one compilation count anew: what the numbers mean is then open.
        if number.parse() != Ok(names.len() + 1) {
            return Vec::new();
        }
        names.push(name.to_owned());
    }
    names
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn passes_have_their_numbers() {
        let words = "f.c:1:2: warning: x\nBISECT: running pass (1) inferattrs on [module]\n\
                     BISECT: running pass (2) instcombine on function (f)\n";
        assert_eq!(passes_named(words), ["inferattrs on [module]", "instcombine on function (f)"]);
        let twice = format!("{words}{words}");
        assert!(passes_named(&twice).is_empty());
    }
}
