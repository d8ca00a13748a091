//! The smallest set of flags that still shows a divergence.

use labrys_program::FlagText;

use super::trials::{Making, Trials};

/// Elements of one of these texts with which a witness diverges and without any one of which it does not; with the text. The first text is
/// taken with which all elements together show it. `None` where none does, or time is over.
///
/// Most divergences take one flag, at the variant's level: these sets are tried first, together, for builds are made several at a time.
pub(super) fn smallest<'t>(
    trials: &mut Trials<'_>,
    texts: &'t [FlagText; 2],
    witness: usize,
) -> Option<(&'t FlagText, Vec<bool>)> {
    let text = texts.iter().find(|text| trials.shows(&making(text, &vec![true; text.elements.len()]), witness))?;
    let count = text.elements.len();
    let level = text.elements.iter().position(|element| element.is_level);
    let only = |chosen: &[usize]| (0..count).map(|index| chosen.contains(&index)).collect::<Vec<bool>>();
    let mut few = vec![only(&[])];
    few.extend(level.map(|level| only(&[level])));
    let singles = (0..count).filter(|index| Some(*index) != level);
    few.extend(singles.map(|index| only(&level.into_iter().chain([index]).collect::<Vec<usize>>())));
    trials.make(few.iter().map(|said| making(text, said)).collect());
    let shown = few.into_iter().find(|said| trials.shows(&making(text, said), witness));
    let mut said = shown.unwrap_or_else(|| vec![true; count]);
    // The level last: without it most flags do nothing.
    let others = (0..count).filter(|index| Some(*index) != level);
    for index in others.chain(level).filter(|index| said[*index]).collect::<Vec<_>>() {
        said[index] = false;
        said[index] = !trials.shows(&making(text, &said), witness);
    }
    // One whose removal failed before others went need not be needed any more, and time may have ended the trials.
    let needed = (0..count).filter(|index| said[*index]).collect::<Vec<_>>();
    let is_least = needed.iter().all(|index| {
        let mut without = said.clone();
        without[*index] = false;
        trials.refutes(&making(text, &without), witness)
    });
    (is_least && trials.shows(&making(text, &said), witness)).then_some((text, said))
}

/// A build with these elements.
fn making(text: &FlagText, said: &[bool]) -> Making {
    Making { text: text.with(said), flushes: text.flushes(said) }
}
