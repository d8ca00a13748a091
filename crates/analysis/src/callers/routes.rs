//! From which public functions a function is called, and how.
//!
//! A maintainer's first answer to Ariadne's reports was that a function's callers never pass such values (Barr, Vo, Le, Su,
//! POPL 2013, section 6). A route is where to look for the answer: whether an exception still occurs when the public
//! function at its start is called, with all checks on the way, is a matter of running that function.

use std::collections::VecDeque;

use labrys_program::{CallGraph, FunctionId, Program};

/// Who calls whom, backwards.
#[derive(Clone, Debug)]
pub struct Callers {
    /// For each function those that can call it, ascending.
    callers: Vec<Vec<FunctionId>>,
}

impl Callers {
    /// Turns a program's call graph round.
    pub fn new(program: &Program, graph: &CallGraph) -> Callers {
        let mut callers = vec![Vec::new(); program.functions.len()];
        for index in 0..program.functions.len() {
            let caller = FunctionId(index as u32);
            for callee in graph.callees(caller) {
                callers[callee.index()].push(caller);
            }
        }
        Callers { callers }
    }

    /// The functions that can call `function` directly, ascending.
    pub fn of(&self, function: FunctionId) -> &[FunctionId] {
        self.callers.get(function.index()).map_or(&[], Vec::as_slice)
    }

    /// Chains of calls from public functions to `function`, one of the shortest for each public function, both ends
    /// included. Short chains come first; at most `limit`. A public `function` is reached from itself, by a chain of one.
    pub fn routes(
        &self,
        function: FunctionId,
        is_public: &dyn Fn(FunctionId) -> bool,
        limit: usize,
    ) -> Vec<Vec<FunctionId>> {
        // For each function found the next one on its way to `function`; breadth first, so that ways are shortest.
        let mut next: Vec<Option<FunctionId>> = vec![None; self.callers.len()];
        let mut found = VecDeque::from([function]);
        let mut routes = Vec::new();
        while let Some(current) = found.pop_front() {
            if routes.len() >= limit {
                break;
            }
            if is_public(current) {
                let chain = std::iter::successors(Some(current), |id| next.get(id.index()).copied().flatten());
                routes.push(chain.collect());
            }
            for &caller in self.of(current) {
                let is_new = caller != function && next.get(caller.index()).is_some_and(Option::is_none);
                if is_new {
                    next[caller.index()] = Some(current);
                    found.push_back(caller);
                }
            }
        }
        routes
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn routes(text: &str, to: &str, limit: usize) -> Vec<String> {
        let program = Program::from_bytes(text.as_bytes(), "routes.ll").unwrap();
        let callers = Callers::new(&program, &CallGraph::new(&program));
        let name = |id: &FunctionId| program.functions[id.index()].name.clone();
        let is_public = |id: FunctionId| program.functions[id.index()].is_external;
        let chains = callers.routes(program.function(to).unwrap(), &is_public, limit);
        chains.iter().map(|chain| chain.iter().map(name).collect::<Vec<_>>().join(" ")).collect()
    }

    #[test]
    fn every_public_caller_has_one_shortest_chain() {
        let text = "
            define internal void @leaf() { ret void }
            define internal void @middle() { call void @leaf() ret void }
            define void @near() { call void @middle() call void @leaf() ret void }
            define void @far() { call void @near() ret void }
            define void @other() { call void @middle() ret void }
            define void @stranger() { ret void }";
        assert_eq!(routes(text, "leaf", 9), ["near leaf", "other middle leaf", "far near leaf"]);
        assert_eq!(routes(text, "leaf", 1), ["near leaf"]);
        assert_eq!(routes(text, "near", 9), ["near", "far near"]);
        assert!(routes("define internal void @alone() { ret void }", "alone", 9).is_empty());
    }

    #[test]
    fn recursion_ends() {
        let text = "
            define internal void @even() { call void @odd() ret void }
            define internal void @odd() { call void @even() call void @odd() ret void }
            define void @entry() { call void @even() ret void }";
        assert_eq!(routes(text, "odd", 9), ["entry even odd"]);
        assert_eq!(routes(text, "even", 9), ["entry even"]);
    }

    #[test]
    fn functions_whose_address_is_taken_are_called_through_pointers() {
        let text = "
            @table = constant ptr @callback
            define internal double @callback(double %x) { ret double %x }
            define double @apply(ptr %f, double %x) { %r = call double %f(double %x) ret double %r }";
        assert_eq!(routes(text, "callback", 9), ["apply callback"]);
    }
}
