//! What propagation alone knows.

use labrys_term::{Store, TermId};

use super::decision::Portfolio;
use super::import::Import;
use crate::domain::Facts;
use crate::interval::{Propagation, propagate};
use crate::{Limits, Query, Why};

impl Portfolio {
    /// The domains of terms that propagating the conjunction of `terms` gives, without any search; `None` where it finds
    /// a contradiction. Terms that may have any value of their sort are left out, as are those without a domain of
    /// their own: arrays, reals, bit vectors and floats of more than 128 bits.
    ///
    /// # Errors
    ///
    /// What part of the query the engines do not read.
    pub fn domains(&self, store: &Store, terms: &[TermId], limits: &Limits) -> Result<Option<Facts>, Why> {
        let budget = self.budget(limits);
        let mut import = Import::default();
        let assertions = import.prepared(store, terms, budget.deadline).map_err(Why::Unsupported)?;
        let nothing = Facts::default();
        let query = Query { store: &import.store, assertions: &assertions, facts: &nothing };
        Ok(match propagate(&query, &budget, &self.config.interval) {
            Propagation::Contradiction => None,
            Propagation::Facts(facts) => {
                let known = import.pairs().filter_map(|(term, copy)| Some((term, *facts.domains.get(&copy)?)));
                Some(Facts { domains: known.collect() })
            }
        })
    }
}
