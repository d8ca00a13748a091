//! What an analysis has seen of sites.

use std::collections::{BTreeMap, BTreeSet};

use labrys_float::Flags;
use labrys_program::{BlockId, FunctionId};
use labrys_symex::SiteOperator;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::heads::{Heads, note};
use crate::summary::Summary;

/// An execution of a site as the machine names it: function, block, instruction, lane, operator.
pub(crate) type SiteKey = (FunctionId, u32, u32, u32, SiteOperator);

/// An instruction: function, block, position; a terminator stands behind all others.
pub(crate) type At = (FunctionId, BlockId, u32);

/// What was seen to be executed.
#[derive(Default)]
pub(crate) struct Record {
    pub sites: FxHashMap<SiteKey, Flags>,
    /// Functions that were taken to do anything, and why.
    pub opaque: BTreeMap<FunctionId, String>,
    /// What was seen at loops' heads.
    pub heads: Heads,
    /// Blocks that are entered.
    pub entered: FxHashSet<(FunctionId, BlockId)>,
    /// What may go wrong, and at which instruction.
    pub failing: BTreeSet<(&'static str, At)>,
    /// Summaries whose records are part of this one.
    pub included: FxHashSet<u32>,
}

impl Record {
    /// Adds what another analysis has seen.
    pub fn add(&mut self, Summary { sites, opaque, heads, failing, entered, .. }: &Summary) {
        self.failing.extend(failing);
        self.entered.extend(entered);
        for ((function, index), seen) in heads {
            note(&mut self.heads, (*function, *index), seen);
        }
        for (key, flags) in sites {
            match self.sites.get_mut(key) {
                Some(known) => *known |= *flags,
                None => {
                    self.sites.insert(key.clone(), *flags);
                }
            }
        }
        for (function, why) in opaque {
            self.opaque.entry(*function).or_insert_with(|| why.clone());
        }
    }
}
