//! Operations that the machine's code has where the source has none of their kind.
//!
//! An optimiser that does a quotient before it is needed takes its place in the source away, and code generation gives it that of what stands before it:
//! the division of `if x == 0.0 { … } else { y / x }` is then at the comparison. What is analysed need not have that, for it is compiled with other
//! code around.
//!
//! **Claim.** Where an operation of the machine is said to be a site's, it computes what stands there. **Argument.** Divisions and square roots come of
//! nothing but the source's own, and the function's IR has one site of this kind: there is no other one of which it could come. Functions without IR,
//! which have operations of their own, are not meant.

use labrys_report::{SiteKey, SourcePlace};
use rustc_hash::{FxHashMap, FxHashSet};

/// Operators that code generation makes of no others.
const OWN: [&str; 2] = ["fdiv", "fsqrt"];

/// What the IR has one of.
#[derive(Debug, Default)]
pub struct Moved {
    /// The sites of operators that only one site has.
    only: FxHashMap<String, SiteKey>,
    /// The functions that the IR has code of.
    functions: FxHashSet<String>,
    /// Where the machine's code has a site's operation; the first place that was seen.
    pub places: FxHashMap<SiteKey, SourcePlace>,
}

impl Moved {
    /// Of the sites of some IR and its functions.
    pub fn new<'s>(sites: impl Iterator<Item = &'s SiteKey>, functions: FxHashSet<String>) -> Moved {
        let mut found: FxHashMap<&str, Option<&SiteKey>> = FxHashMap::default();
        for site in sites.filter(|site| OWN.contains(&site.operator.as_str())) {
            let known = found.entry(&site.operator).or_insert(Some(site));
            *known = known.filter(|known| *known == site);
        }
        // Of one without a place in the source, the machine's code tells one at least.
        let placed = |(operator, site): (&str, Option<&'s SiteKey>)| {
            let site = site.filter(|site| site.place.line.is_some())?;
            Some((operator.to_owned(), site.clone()))
        };
        let only = found.into_iter().filter_map(placed);
        Moved { only: only.collect(), functions, places: FxHashMap::default() }
    }

    /// The site that an operation in a function must be, where nothing of its kind stands at its place.
    pub fn only(&self, function: &str, operator: &str) -> Option<&SiteKey> {
        self.only.get(operator).filter(|_| self.functions.contains(function))
    }

    /// Whether a line is one where a site's operation was moved to.
    pub fn is_at(&self, site: &SiteKey, line: u32) -> bool {
        site.place.line != Some(line) && self.places.contains_key(site)
    }

    /// Says where a site's operation was seen.
    pub fn note(&mut self, site: &SiteKey, place: SourcePlace) {
        self.places.entry(site.clone()).or_insert(place);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_there_is_one_of_can_have_been_moved() {
        let site = |line, operator: &str| SiteKey {
            place: SourcePlace::new(None, line, 1),
            function: "f".to_owned(),
            operator: operator.to_owned(),
        };
        let sites = [site(1, "fdiv"), site(1, "fdiv"), site(2, "fsqrt"), site(3, "fsqrt"), site(4, "fadd")];
        let functions = || FxHashSet::from_iter(["f".to_owned(), "g".to_owned()]);
        let moved = Moved::new(sites.iter(), functions());
        assert_eq!(moved.only("g", "fdiv"), Some(&sites[0]));
        assert_eq!([moved.only("f", "fsqrt"), moved.only("f", "fadd"), moved.only("elsewhere", "fdiv")], [None; 3]);
    }
}
