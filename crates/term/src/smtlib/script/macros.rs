//! Defined functions with parameters: expanded where they are applied.
//!
//! A definition's body is read once, over variables of its own for the parameters. Terms that contain one of these are
//! younger than the variables, which are new; those terms, in their order, are the steps to repeat on other arguments.

use rustc_hash::FxHashMap;

use super::checks::{arguments, mk};
use super::error::Fault;
use crate::smtlib::literal::sort_text;
use crate::{Op, Sort, Store, TermId};

/// An argument of a step.
#[derive(Clone, Copy, Debug)]
enum Source {
    /// A parameter or the result of a step: parameters count first.
    Local(u32),
    /// A term without parameters.
    Outside(TermId),
}

/// A defined function.
#[derive(Clone, Debug)]
pub(super) struct Macro {
    parameters: Vec<Sort>,
    steps: Vec<(Op, Vec<Source>)>,
    result: Source,
}

impl Macro {
    /// The function whose body is `body` over the variables `parameters`, which no older term contains.
    pub(super) fn new(store: &Store, parameters: &[TermId], body: TermId) -> Macro {
        let first = parameters.iter().min().copied();
        let mut locals: FxHashMap<TermId, u32> =
            parameters.iter().enumerate().map(|(index, &parameter)| (parameter, index as u32)).collect();
        let mut steps = Vec::new();
        for term in younger(store, body, first) {
            let node = store.node(term);
            if locals.contains_key(&term) || !node.args.iter().any(|arg| locals.contains_key(arg)) {
                continue;
            }
            let args = node.args.iter().map(|arg| source(&locals, *arg)).collect();
            locals.insert(term, (parameters.len() + steps.len()) as u32);
            steps.push((node.op.clone(), args));
        }
        let result = source(&locals, body);
        Macro { parameters: parameters.iter().map(|&term| store.sort(term).clone()).collect(), steps, result }
    }

    /// The function applied.
    pub(super) fn applied(&self, store: &mut Store, args: &[TermId], at: usize) -> Result<TermId, Fault> {
        let fits = args.len() == self.parameters.len()
            && args.iter().zip(&self.parameters).all(|(&arg, sort)| store.sort(arg) == sort);
        if !fits {
            let sorts: Vec<String> = self.parameters.iter().map(sort_text).collect();
            let expected = format!("arguments of sorts {} for this function", sorts.join(", "));
            return Err(arguments(store, args, at, &expected));
        }
        let mut locals: Vec<TermId> = args.to_vec();
        let get = |locals: &[TermId], source: Source| match source {
            Source::Local(index) => locals[index as usize],
            Source::Outside(term) => term,
        };
        let mut step_args = Vec::new();
        for (op, sources) in &self.steps {
            step_args.clear();
            step_args.extend(sources.iter().map(|&source| get(&locals, source)));
            locals.push(mk(store, op.clone(), &step_args, at)?);
        }
        Ok(get(&locals, self.result))
    }
}

fn source(locals: &FxHashMap<TermId, u32>, term: TermId) -> Source {
    locals.get(&term).map_or(Source::Outside(term), |&local| Source::Local(local))
}

/// The terms of `root` that are not older than `first`, arguments before the terms that use them.
fn younger(store: &Store, root: TermId, first: Option<TermId>) -> Vec<TermId> {
    let Some(first) = first else { return Vec::new() };
    let mut seen = rustc_hash::FxHashSet::default();
    let mut pending = vec![root];
    let mut found = Vec::new();
    while let Some(term) = pending.pop() {
        if term >= first && seen.insert(term) {
            found.push(term);
            pending.extend_from_slice(&store.node(term).args);
        }
    }
    found.sort_unstable();
    found
}
