//! Which sites an exploration is for.

use std::fmt;
use std::sync::Mutex;

use rustc_hash::FxHashSet;

use crate::Site;

/// Says which sites are worth reaching. Symbolic execution goes first where open sites are that it has not executed yet,
/// and leaves a path as soon as no open site lies ahead.
///
/// A site may be closed while the exploration runs; once closed it stays so.
pub trait Interest: fmt::Debug + Send + Sync {
    /// Whether something is still to be decided at the site.
    fn is_open(&self, site: &Site) -> bool;
}

/// A set of open sites that can be closed from outside.
#[derive(Debug, Default)]
pub struct OpenSites {
    open: Mutex<FxHashSet<Site>>,
}

impl OpenSites {
    /// These sites are open, all others closed.
    pub fn new(sites: impl IntoIterator<Item = Site>) -> OpenSites {
        OpenSites { open: Mutex::new(sites.into_iter().collect()) }
    }

    /// Closes a site.
    pub fn close(&self, site: &Site) {
        // A thread that panicked while it held the lock has left a valid set.
        self.open.lock().unwrap_or_else(|poisoned| poisoned.into_inner()).remove(site);
    }
}

impl Interest for OpenSites {
    fn is_open(&self, site: &Site) -> bool {
        self.open.lock().unwrap_or_else(|poisoned| poisoned.into_inner()).contains(site)
    }
}
