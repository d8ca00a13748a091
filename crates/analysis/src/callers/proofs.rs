//! Proofs that a static function has from its callers.
//!
//! **Claim.** A static function whose address is not taken runs only where one of its callers calls it. So a pair of it is
//! unreachable if, on every chain of calls from a function that others can call, the analysis of some function of the chain proved
//! the pair: that analysis was for any arguments, with everything that it calls.
//!
//! Walking backwards from the function, a chain ends well at a function that proved the pair, and badly at one that did not and
//! that can be called from outside: a public one, or one whose address is taken. Calls among functions that are already being
//! walked through add no chain from outside.

use labrys_program::{CallGraph, FunctionId, Program};
use labrys_report::{Opinion, Verdict};
use rustc_hash::FxHashSet;

use super::routes::Callers;

/// What callers are known by.
pub struct CallerProofs<'p> {
    program: &'p Program,
    callers: &'p Callers,
    address_taken: FxHashSet<FunctionId>,
}

impl<'p> CallerProofs<'p> {
    /// The callers of a program.
    pub fn new(program: &'p Program, graph: &CallGraph, callers: &'p Callers) -> CallerProofs<'p> {
        CallerProofs { program, callers, address_taken: graph.address_taken().iter().copied().collect() }
    }

    /// The verdict that `owners`, the functions that a site stands in (several where a header's function has a copy in each file),
    /// have from their callers. `verdict_of` is what the analysis of a function said of the pair, if it had one.
    pub fn verdict<'v>(
        &self,
        owners: &[FunctionId],
        verdict_of: &dyn Fn(FunctionId) -> Option<&'v Verdict>,
    ) -> Option<Verdict> {
        let mut seen: FxHashSet<FunctionId> = owners.iter().copied().collect();
        let mut left: Vec<FunctionId> = owners.to_vec();
        let (mut engines, mut scopes): (Vec<&str>, Vec<&str>) = (Vec::new(), Vec::new());
        let mut rests_on: Vec<String> = Vec::new();
        let mut opinions: Vec<Option<Opinion>> = Vec::new();
        while let Some(current) = left.pop() {
            if let Some(Verdict::Unreachable { engine, scope, assumptions, opinion }) = verdict_of(current) {
                engines.push(engine);
                scopes.push(scope);
                opinions.push(opinion.clone());
                rests_on.extend(assumptions.iter().cloned());
                continue;
            }
            let is_external = self.program.functions.get(current.index()).is_none_or(|function| function.is_external);
            if is_external || self.address_taken.contains(&current) {
                return None;
            }
            left.extend(self.callers.of(current).iter().copied().filter(|caller| seen.insert(*caller)));
        }
        for list in [&mut engines, &mut scopes] {
            list.sort_unstable();
            list.dedup();
        }
        rests_on.sort_unstable();
        rests_on.dedup();
        if engines.is_empty() {
            return None;
        }
        rests_on.push(
            "its function is static, and called only by functions of this library, which were analysed".to_owned(),
        );
        let (engine, scope, opinion) = (engines.join(", "), scopes.join(", "), Opinion::of_all(opinions));
        Some(Verdict::Unreachable { engine, scope, assumptions: rests_on, opinion })
    }
}

#[cfg(test)]
mod tests {
    use rustc_hash::FxHashMap;

    use super::*;

    const LIBRARY: &str = "
        @table = constant ptr @pointed
        define internal void @leaf() { call void @leaf() ret void }
        define internal void @middle() { call void @leaf() call void @loop() ret void }
        define internal void @loop() { call void @middle() ret void }
        define internal void @pointed() { call void @other() ret void }
        define internal void @other() { ret void }
        define internal void @alone() { ret void }
        define void @near() { call void @leaf() ret void }
        define void @far() { call void @middle() ret void }";

    fn proved() -> Verdict {
        let (engine, scope) = ("ranges".to_owned(), "ir".to_owned());
        let opinion = Some(Opinion::Confirmed { by: "z3".to_owned() });
        Verdict::Unreachable { engine, scope, assumptions: vec!["a".to_owned()], opinion }
    }

    /// Whether `of` inherits a proof from the functions `by` that have one.
    fn inherits(of: &[&str], by: &[&str]) -> bool {
        let program = Program::from_bytes(LIBRARY.as_bytes(), "library.ll").unwrap();
        let graph = CallGraph::new(&program);
        let callers = Callers::new(&program, &graph);
        let id = |name: &&str| program.function(name).unwrap();
        let verdicts: FxHashMap<FunctionId, Verdict> = by.iter().map(|name| (id(name), proved())).collect();
        let owners: Vec<FunctionId> = of.iter().map(id).collect();
        let caller_proofs = CallerProofs::new(&program, &graph, &callers);
        caller_proofs.verdict(&owners, &|function| verdicts.get(&function)).is_some()
    }

    #[test]
    fn every_chain_from_outside_needs_a_proof() {
        assert!(inherits(&["leaf"], &["near", "far"]));
        assert!(inherits(&["leaf"], &["near", "middle"]));
        assert!(!inherits(&["leaf"], &["near"]));
        assert!(!inherits(&["leaf"], &["middle"]));
        assert!(inherits(&["middle"], &["far"]));
        assert!(!inherits(&["leaf", "other"], &["near", "far"]));
    }

    #[test]
    fn who_can_be_called_from_elsewhere_inherits_nothing() {
        assert!(!inherits(&["near"], &["far"]));
        assert!(!inherits(&["other"], &["far", "near"]));
        assert!(inherits(&["other"], &["pointed"]));
    }

    #[test]
    fn nobody_s_word_is_no_proof() {
        assert!(!inherits(&["alone"], &["near", "far"]));
    }

    #[test]
    fn it_says_what_it_rests_on() {
        let program = Program::from_bytes(LIBRARY.as_bytes(), "library.ll").unwrap();
        let graph = CallGraph::new(&program);
        let callers = Callers::new(&program, &graph);
        let proved = proved();
        let verdict = CallerProofs::new(&program, &graph, &callers)
            .verdict(&[program.function("middle").unwrap()], &|_| Some(&proved));
        let Some(Verdict::Unreachable { assumptions, opinion, .. }) = verdict else { panic!("{verdict:?}") };
        assert_eq!(opinion, Some(Opinion::Confirmed { by: "z3".to_owned() }));
        assert_eq!(assumptions.len(), 2);
        assert_eq!(assumptions[0], "a");
    }
}
