//! Where in the source a divergence is made, by mending single places.
//!
//! **Claim.** Where no flag lets operations at the place that is told change, and all else is compiled as the variant is, nothing is left of the divergence on the witness:
//! the output that is told is the baseline's, and no exception that is told is raised by one build alone. What is told to be one of several does that together with others;
//! or it mends the output, and its exceptions have no place.
//! **Argument.** That was compiled and run, beside the same with no such place, which shows it.
//! **What is left open.** Several places may each do that: what differs first by the interpretation of both builds' IR is told where it is one of them, else the last
//! of the fewest first ones that do it together. Where none does it alone, one of a set without one to spare is told, and that it is one of several.

use labrys_program::OperationPlace;

use super::flags::Shown;
use super::trials::{Making, Mended, Trials};

/// So many places are looked for together at most.
const MOST_TOGETHER: usize = 6;

/// A place at which flags are needed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Needed {
    /// Its number.
    pub place: usize,
    /// Whether they are needed at others, too.
    pub is_of_several: bool,
}

/// At which of a function's operations, by their places in the order in which they are executed, a witness' divergence takes flags; `told` is the one that is taken for
/// it so far. `None` where that is not known of any.
pub(super) fn mended(
    trials: &mut Trials<'_>,
    Shown { text, units, said, .. }: &Shown,
    places: &[OperationPlace],
    told: Option<usize>,
    witness: usize,
) -> Option<Needed> {
    let making = |of: &[usize]| Making {
        strict_at: Some(of.iter().map(|place| places[*place].clone()).collect()),
        ..Making::of(text.with(said), text.flushes(said), units.clone())
    };
    if !trials.shows(&making(&[]), witness) {
        return None;
    }
    let mut among =
        |wanted| needed_among(places.len(), told, |of| Some(trials.mended(&making(of), witness)? >= wanted));
    if let Some(needed) = among(Mended::Whole) {
        return Some(needed);
    }
    among(Mended::Output).map(|needed| Needed { is_of_several: true, ..needed })
}

/// The place that mends alone, `told` before others; else one of several that mend together. `mends` says `None` where no more can be tried: then nothing is told.
fn needed_among(count: usize, told: Option<usize>, mut mends: impl FnMut(&[usize]) -> Option<bool>) -> Option<Needed> {
    if let Some(place) = told
        && mends(&[place])?
    {
        return Some(Needed { place, is_of_several: false });
    }
    let all: Vec<usize> = (0..count).collect();
    if !mends(&all)? {
        return None;
    }
    let mut needed = Vec::new();
    while needed.len() < MOST_TOGETHER {
        // What of the first ones do not mend it together with those that are needed, and do.
        let (mut without, mut with) = (0, needed.first().copied().unwrap_or(count));
        while with - without > 1 {
            let middle = without + (with - without) / 2;
            let is_enough = mends(&[&all[..middle], &needed[..]].concat())?;
            *(if is_enough { &mut with } else { &mut without }) = middle;
        }
        needed.insert(0, with.checked_sub(1)?);
        if mends(&needed)? {
            let place = told.filter(|told| needed.contains(told)).unwrap_or(needed[0]);
            return Some(Needed { place, is_of_several: needed.len() > 1 });
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::needed_among;

    /// What is found where each of some sets mends, and how many builds that takes.
    fn found(count: usize, told: Option<usize>, sets: &[&[usize]]) -> (Option<usize>, usize) {
        let mut builds = 0;
        let needed = needed_among(count, told, |of| {
            builds += 1;
            Some(sets.iter().any(|set| set.iter().all(|place| of.contains(place))))
        });
        let mends_alone = |place: usize| sets.iter().any(|set| *set == [place]);
        assert!(needed.is_none_or(|of| of.is_of_several != mends_alone(of.place)));
        (needed.map(|of| of.place), builds)
    }

    #[test]
    fn what_is_told_stays_where_it_mends() {
        assert_eq!(found(50, Some(7), &[&[3], &[7]]), (Some(7), 1));
    }

    #[test]
    fn the_place_that_mends_alone_is_found() {
        let (place, builds) = found(1000, Some(7), &[&[641]]);
        assert_eq!(place, Some(641));
        assert!(builds < 15, "{builds}");
        assert_eq!(found(1, None, &[&[0]]).0, Some(0));
        assert_eq!(found(2, None, &[&[1]]).0, Some(1));
    }

    #[test]
    fn of_places_that_mend_together_one_is_told() {
        assert_eq!(found(40, None, &[&[4, 17, 30]]).0, Some(4));
        assert_eq!(found(40, Some(17), &[&[4, 17, 30]]).0, Some(17));
        let many: Vec<usize> = (0..20).collect();
        assert_eq!(found(20, None, &[&many]).0, None);
    }

    #[test]
    fn where_no_more_can_be_tried_nothing_is_told() {
        let mut left = 4;
        let needed = needed_among(1000, None, |of| {
            left -= 1;
            (left >= 0).then(|| of.contains(&641))
        });
        assert_eq!(needed, None);
    }

    #[test]
    fn where_nothing_mends_nothing_is_told() {
        assert_eq!(found(10, Some(2), &[]), (None, 2));
        assert_eq!(found(0, None, &[]).0, None);
    }
}
