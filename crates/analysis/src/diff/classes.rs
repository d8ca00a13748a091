//! Divergences by what causes them.
//!
//! Most have an operation or a comparison that differs first (`cause`). Where an input breaks what a flag of the variant promises, that there are
//! neither NaNs nor infinities, each operation that meets one may do something else, so that one broken promise looks like a
//! dozen causes. Causes that show on such inputs alone are therefore one: the flag's, for each way in which the first output differs.

use indexmap::IndexMap;
use labrys_report::{Cause, Change, DifferenceDetails, finite_math_word};
use rustc_hash::FxBuildHasher;

use super::builds::Made;
use super::cause::CauseKey;
use super::ledger::{Group, GroupKey};

/// Divergences of one cause.
#[derive(Debug, Default)]
pub struct Class<'l> {
    /// Worst first.
    pub groups: Vec<(&'l GroupKey, &'l Group)>,
    /// The flag that allows all of them.
    pub licence: Option<String>,
}

/// Classes by their cause; one whose cause is not known by a number.
pub type Classes<'l> = IndexMap<Result<CauseKey, usize>, Class<'l>, FxBuildHasher>;

impl Class<'_> {
    /// Blames the flag that allows the class for what is told of one of its divergences, if one does; the cause's key is then the
    /// answer.
    pub fn blame(&self, details: &mut DifferenceDetails) -> Option<CauseKey> {
        let variant = self.groups.first()?.0.variant;
        let flag = self.licence.as_deref().filter(|_| !details.baseline_clean && !details.in_control)?;
        let cause = Cause::licence(flag);
        let known = CauseKey::new(variant, &cause, details.change);
        (details.cause, details.is_grouped) = (Some(cause), true);
        Some(known)
    }

    /// Whether a divergence is one that `-ffinite-math-only` allows; see [`finite_math_word`].
    fn is_outside_contract(&self) -> bool {
        self.groups.iter().all(|(key, _)| !key.baseline_clean && key.outcomes.is_none())
    }
}

/// The same with one class for all causes that show only on inputs of which a flag of the variant promises that there are none.
pub fn with_licences<'l>(classes: Classes<'l>, builds: &[Made]) -> Vec<Class<'l>> {
    let flag = |variant: usize| builds.get(variant).and_then(|made| finite_math_word(&made.build.flags));
    merged(classes, &flag)
}

fn merged<'l, 'f>(classes: Classes<'l>, flag: &dyn Fn(usize) -> Option<&'f str>) -> Vec<Class<'l>> {
    let mut merged: IndexMap<Result<(usize, Change), usize>, Class<'l>, FxBuildHasher> = IndexMap::default();
    for (index, (known, class)) in classes.into_iter().enumerate() {
        let licence = match &known {
            Ok(known) if class.is_outside_contract() => flag(known.variant),
            _ => None,
        };
        let of = match (known, licence) {
            (Ok(known), Some(_)) => Ok((known.variant, known.change)),
            _ => Err(index),
        };
        let into = merged.entry(of).or_default();
        into.groups.extend(class.groups);
        into.licence = licence.map(str::to_owned);
    }
    let mut merged: Vec<Class<'l>> = merged.into_values().collect();
    merged.iter_mut().for_each(|class| class.groups.sort_by_key(|(key, _)| (!key.baseline_clean, key.severity)));
    merged
}

#[cfg(test)]
mod tests {
    use labrys_float::Flags;
    use labrys_report::{CauseKind, FoundBy, SourcePlace};

    use super::*;
    use crate::diff::compare::{Difference, SeverityRank};
    use crate::diff::parts::Part;

    fn divergence(baseline_clean: bool) -> (GroupKey, Group) {
        let difference = Difference {
            severity: SeverityRank::Masked,
            baseline_clean,
            baseline_flags: Flags::INVALID,
            variant_flags: Flags::empty(),
            outcomes: None,
            classes: Vec::new(),
            distant: Vec::new(),
        };
        let key = GroupKey::new(1, &difference, (Vec::new(), Vec::new()));
        let group = Group {
            difference,
            part: Part::WHOLE,
            record: Vec::new(),
            found_by: FoundBy::Random,
            count: 1,
            worst: (0.0, Vec::new()),
            others: Vec::new(),
            cause: None,
            followed: (0, 0),
        };
        (key, group)
    }

    fn key(line: u32, operator: &str, change: Change) -> Result<CauseKey, usize> {
        let cause = Cause {
            kind: CauseKind::Operation,
            place: SourcePlace { file: Some("f.c".to_owned()), line: Some(line), column: Some(9) },
            operator: operator.to_owned(),
        };
        Ok(CauseKey::new(1, &cause, change))
    }

    /// A weighted variance had fifteen causes outside the contract, one for each operation that meets a NaN.
    #[test]
    fn what_only_broken_promises_show_is_the_flags_doing() {
        let (clean, broken) = (divergence(true), divergence(false));
        let class = |of: &[&'static str]| -> Vec<&'static str> { of.to_vec() };
        let divergences = |of: &[&str]| -> Class<'_> {
            let groups = of.iter().map(|of| if *of == "clean" { (&clean.0, &clean.1) } else { (&broken.0, &broken.1) });
            Class { groups: groups.collect(), licence: None }
        };
        let classes = || -> Classes<'_> {
            [
                (key(3, "fmul", Change::Nan), class(&["clean", "broken"])),
                (key(4, "fmul", Change::Nan), class(&["broken"])),
                (key(5, "fadd", Change::Nan), class(&["broken", "broken"])),
                (key(5, "fadd", Change::Number), class(&["broken"])),
                (Err(4), class(&["broken"])),
            ]
            .into_iter()
            .map(|(key, of)| (key, divergences(&of)))
            .collect()
        };
        let sizes = |flag: Option<&'static str>| -> Vec<(usize, bool)> {
            let merged = merged(classes(), &|_| flag);
            merged.iter().map(|class| (class.groups.len(), class.licence.is_some())).collect()
        };
        assert_eq!(sizes(Some("-ffast-math")), [(2, false), (3, true), (1, true), (1, false)]);
        assert_eq!(sizes(None), [(2, false), (1, false), (2, false), (1, false), (1, false)]);
        let merged = merged(classes(), &|_| Some("-ffast-math"));
        let mut details = DifferenceDetails { change: Change::Nan, ..DifferenceDetails::default() };
        assert!(merged[0].blame(&mut details).is_none() && details.cause.is_none());
        assert!(merged[1].blame(&mut details).is_some());
        assert_eq!(details.cause, Some(Cause::licence("-ffast-math")));
        let mut inside = DifferenceDetails { baseline_clean: true, ..DifferenceDetails::default() };
        assert!(merged[1].blame(&mut inside).is_none(), "what confirmed may be another divergence");
    }

    /// The product and the sum of `x += a * b` stand at one place, and either may differ first.
    #[test]
    fn operations_at_one_place_are_one_cause() {
        assert_eq!(key(3, "fmul", Change::Nan), key(3, "fadd", Change::Nan));
        assert_ne!(key(3, "fmul", Change::Nan), key(4, "fmul", Change::Nan));
        assert_ne!(key(3, "fmul", Change::Nan), key(3, "fmul", Change::Sign));
        // Which of these comes out hangs on the input.
        assert_eq!(key(3, "fmul", Change::Nan), key(3, "fmul", Change::Infinity));
        assert_eq!(key(3, "fmul", Change::Sign), key(3, "fmul", Change::Number));
    }
}
