//! The smallest set of flags that still shows a divergence.

use labrys_program::FlagText;

use super::trials::{Making, Trials};

/// Further sets of flags that are told of a divergence.
const MOST_OTHERS: usize = 2;

/// A set of flags that shows a divergence.
pub(super) struct Shown {
    /// The flags that it is a set of, without companions that do nothing here.
    pub text: FlagText,
    /// The same with all companions.
    whole: FlagText,
    /// Of a library the units that are made so.
    pub units: Vec<usize>,
    /// Which elements.
    pub said: Vec<bool>,
}

impl Shown {
    /// Its flags but for a level.
    pub(super) fn said_flags(&self) -> Vec<String> {
        let all = self.text.elements.iter().zip(&self.said);
        all.filter(|(element, said)| **said && !element.is_level).map(|(element, _)| element.name.clone()).collect()
    }
}

/// Elements of one of these texts with which a witness diverges and without any one of which it does not; with the text, and of these units
/// of a library as few as show it with all elements. The first text is taken with which all elements together show it; from it go companions of
/// elements that do nothing here.
///
/// Most divergences take one flag, at the variant's level: these sets are tried first, together, for builds are made several at a time.
///
/// # Errors
///
/// Why there is no such set.
pub(super) fn smallest(
    trials: &mut Trials<'_>,
    texts: &[FlagText],
    witness: usize,
    units: Vec<usize>,
) -> Result<Shown, String> {
    let all = |text: &FlagText, units: &[usize]| making(text, &vec![true; text.elements.len()], units);
    let Some(whole) = texts.iter().find(|text| trials.shows(&all(text, &units), witness)) else {
        let last = texts.last().ok_or_else(|| "there are no flags".to_owned())?;
        return Err(trials.why_not(&all(last, &units), witness));
    };
    let text = whole;
    let units = fewest(units, |units| trials.shows(&all(text, units), witness));
    let count = text.elements.len();
    let level = text.elements.iter().position(|element| element.is_level);
    let only = |chosen: &[usize]| (0..count).map(|index| chosen.contains(&index)).collect::<Vec<bool>>();
    let mut few = vec![only(&[])];
    few.extend(level.map(|level| only(&[level])));
    let singles = (0..count).filter(|index| Some(*index) != level);
    few.extend(singles.map(|index| only(&level.into_iter().chain([index]).collect::<Vec<usize>>())));
    trials.make(few.iter().map(|said| making(text, said, &units)).collect());
    let shown = few.into_iter().find(|said| trials.shows(&making(text, said, &units), witness));
    let mut said = shown.unwrap_or_else(|| vec![true; count]);
    // An umbrella flag shows whatever some of its parts show together: they are named where they do.
    if let Some(parts) = parts_of_umbrella(text, &said)
        && let Some(shown) = parts.into_iter().find(|said| trials.shows(&making(text, said, &units), witness))
    {
        said = shown;
    }
    thin(text, &mut said, |said| trials.shows(&making(text, said, &units), witness));
    let mut text = text.clone();
    for index in (0..count).filter(|index| said[*index]) {
        for companion in text.elements[index].companions().to_vec().iter().rev() {
            let fewer = text.without(index, companion);
            let tried = making(&fewer, &said, &units);
            if trials.shows(&tried, witness) {
                text = fewer;
            } else if !trials.refutes(&tried, witness) {
                return Err(format!("whether it takes {companion} is open: {}", trials.why_open(&tried, witness)));
            }
        }
    }
    // One whose removal failed before others went need not be needed any more, and time may have ended the trials.
    let mut index = 0;
    while index < count {
        let mut fewer = said.clone();
        fewer[index] = false;
        let without = making(&text, &fewer, &units);
        if said[index] && trials.shows(&without, witness) {
            (said, index) = (fewer, 0);
            continue;
        }
        if said[index] && !trials.refutes(&without, witness) {
            let name = &text.elements[index].name;
            return Err(format!("whether it takes {name} is open: {}", trials.why_open(&without, witness)));
        }
        index += 1;
    }
    Ok(Shown { text, whole: whole.clone(), units, said })
}

/// That set of flags among this one and [`others`] by which the output that is told has the variant's bits: what makes another number makes not this one.
pub(super) fn exact(trials: &mut Trials<'_>, shown: Shown, witness: usize) -> Shown {
    let making = |of: &Shown| making(&of.text, &of.said, &of.units);
    if trials.shows_exactly(&making(&shown), witness) {
        return shown;
    }
    let others = others(trials, &shown, witness);
    others.into_iter().find(|of| trials.shows_exactly(&making(of), witness)).unwrap_or(shown)
}

/// Other sets of flags with which a witness diverges: each without the flags of those before, and none of its own to spare. What is open is left out.
pub(super) fn others(trials: &mut Trials<'_>, shown: &Shown, witness: usize) -> Vec<Shown> {
    let Shown { whole: text, units, .. } = shown;
    let is_level = |index: usize| text.elements[index].is_level;
    let mut left: Vec<bool> = text.elements.iter().map(|element| !element.is_umbrella).collect();
    let (mut said, mut found) = (shown.said.clone(), Vec::new());
    while found.len() < MOST_OTHERS && said.contains(&true) {
        // A level that others stand beside makes nothing by itself.
        let is_level_alone = (0..said.len()).all(|index| !said[index] || is_level(index));
        let gone: Vec<usize> =
            (0..said.len()).filter(|index| said[*index] && (is_level_alone || !is_level(*index))).collect();
        for (index, left) in left.iter_mut().enumerate() {
            let brings = |of: &usize| text.elements[index].on.contains(&text.elements[*of].name);
            *left &= !gone.contains(&index) && !gone.iter().any(brings);
        }
        if !left.contains(&true) || !trials.shows(&making(text, &left, units), witness) {
            break;
        }
        said.clone_from(&left);
        thin(text, &mut said, |said| trials.shows(&making(text, said, units), witness));
        let is_least = (0..said.len()).filter(|index| said[*index]).collect::<Vec<_>>().into_iter().all(|index| {
            let mut without = said.clone();
            without[index] = false;
            trials.refutes(&making(text, &without, units), witness)
        });
        if !is_least {
            break;
        }
        found.push(Shown { text: text.clone(), whole: text.clone(), units: units.clone(), said: said.clone() });
    }
    found
}

/// Takes away elements one by one that are not needed. What brings others with it stands behind them and goes first; the level last: without it most flags do
/// nothing.
fn thin(text: &FlagText, said: &mut [bool], mut shows: impl FnMut(&[bool]) -> bool) {
    let is_level = |index: &usize| text.elements[*index].is_level;
    let (levels, others): (Vec<usize>, Vec<usize>) = (0..said.len()).rev().partition(is_level);
    for index in others.into_iter().chain(levels) {
        if said[index] {
            said[index] = false;
            said[index] = !shows(said);
        }
    }
}

/// All elements but an umbrella flag that is said, without start-up code and with it; `None` where none is said.
fn parts_of_umbrella(text: &FlagText, said: &[bool]) -> Option<[Vec<bool>; 2]> {
    let is_said = text.elements.iter().zip(said).any(|(element, said)| element.is_umbrella && *said);
    let all = |flushes: bool| text.elements.iter().map(|of| !of.is_umbrella && (flushes || !of.flushes)).collect();
    is_said.then(|| [false, true].map(all))
}

/// As few of these units as still show it, taken away one by one; those that stand first are kept longest.
fn fewest(mut units: Vec<usize>, mut shows: impl FnMut(&[usize]) -> bool) -> Vec<usize> {
    let mut at = units.len();
    while at > 0 && units.len() > 1 {
        at -= 1;
        let mut without = units.clone();
        without.remove(at);
        if shows(&without) {
            units = without;
        }
    }
    units
}

/// A build with these elements.
fn making(text: &FlagText, said: &[bool], units: &[usize]) -> Making {
    Making::of(text.with(said), text.flushes(said), units.to_vec())
}

#[cfg(test)]
mod tests {
    use super::fewest;

    #[test]
    fn units_that_are_not_needed_go() {
        let takes = |needed: &'static [usize]| move |units: &[usize]| needed.iter().all(|unit| units.contains(unit));
        assert_eq!(fewest(vec![3, 1, 4, 2], takes(&[4])), [4]);
        assert_eq!(fewest(vec![3, 1, 4, 2], takes(&[3, 2])), [3, 2]);
        assert_eq!(fewest(vec![3, 1], |_| true), [3]);
        assert_eq!(fewest(Vec::new(), |_| true), [0; 0]);
    }
}
