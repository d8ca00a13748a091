//! The open sites of an exploration: which were executed, how far away the others are.

use std::sync::Arc;

use labrys_program::{BlockId, CallGraph, FunctionId, Program};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::distance::{BlockGraph, Distances, UNREACHABLE};
use crate::{Interest, Site, static_sites_in};

/// A site's instruction.
pub(crate) type SiteAt = (FunctionId, BlockId, u32);

/// How often the scheduler is asked between two looks at what has been closed or executed since.
const PATIENCE: u32 = 32;

/// The open sites.
#[derive(Debug)]
pub(crate) struct Goals {
    interest: Arc<dyn Interest>,
    graph: BlockGraph,
    /// The sites that were open at the last look.
    open: Vec<(SiteAt, Site)>,
    /// To blocks with open sites.
    to_open: Distances,
    /// To blocks with open sites that were not executed.
    to_new: Distances,
    /// Calls of [`Goals::refresh`] since the last look.
    age: u32,
    /// How many instructions with sites had been executed at the last look.
    executed: usize,
}

impl Goals {
    /// The open sites of what `function` can call.
    pub(crate) fn new(program: &Program, function: FunctionId, interest: Arc<dyn Interest>) -> Goals {
        let calls = CallGraph::new(program);
        let functions = calls.reachable(function);
        let names: FxHashMap<&str, FunctionId> =
            functions.iter().map(|id| (program.functions[id.index()].name.as_str(), *id)).collect();
        let open = static_sites_in(program, &functions)
            .into_iter()
            .filter(|site| interest.is_open(site))
            .map(|site| ((names[site.function.as_str()], BlockId(site.block), site.instruction), site))
            .collect();
        let graph = BlockGraph::new(program, &functions, &calls);
        let nowhere = || graph.distances([]);
        let (to_open, to_new) = (nowhere(), nowhere());
        let mut goals = Goals { interest, graph, open, to_open, to_new, age: 0, executed: 0 };
        goals.measure(&FxHashSet::default());
        goals
    }

    /// Looks again at what is open and was executed, if it is time to.
    pub(crate) fn refresh(&mut self, executed: &FxHashSet<SiteAt>) {
        self.age += 1;
        if self.age >= PATIENCE || executed.len() != self.executed {
            self.measure(executed);
        }
    }

    fn measure(&mut self, executed: &FxHashSet<SiteAt>) {
        let interest = &self.interest;
        self.open.retain(|(_, site)| interest.is_open(site));
        let block = |at: &SiteAt| (at.0, at.1);
        self.to_open = self.graph.distances(self.open.iter().map(|(at, _)| block(at)));
        let new = self.open.iter().filter(|(at, _)| !executed.contains(at));
        self.to_new = self.graph.distances(new.map(|(at, _)| block(at)));
        (self.age, self.executed) = (0, executed.len());
    }

    /// How far a call stack is from an open site that was not executed; `None` if it leads to none.
    pub(crate) fn distance(&self, stack: &[(FunctionId, BlockId)]) -> Option<u32> {
        Some(self.graph.of_stack(&self.to_new, stack)).filter(|distance| *distance != UNREACHABLE)
    }

    /// Whether a call stack leads to an open site.
    pub(crate) fn leads_on(&self, stack: &[(FunctionId, BlockId)]) -> bool {
        self.graph.of_stack(&self.to_open, stack) != UNREACHABLE
    }
}
