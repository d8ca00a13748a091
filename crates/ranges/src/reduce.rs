//! Which states of one point are kept apart, and which are joined.
//!
//! States that agree on the known integers and pointers among their values (a status code, a loop's counter, a flag)
//! are joined first: what differs is then mostly a range of floats.

use crate::graph::{Domain, Graph};
use crate::images::Images;
use crate::snapshot::{Snapshot, join};

/// The known integers and pointers among a snapshot's values.
fn known(graph: &Graph, snapshot: &Snapshot) -> Vec<Option<i128>> {
    let nodes = snapshot.values.iter().flatten().flatten();
    nodes
        .map(|node| match snapshot.state.domain(graph, *node) {
            Domain::Int(set) => set.single(),
            _ => None,
        })
        .collect()
}

/// Joins states until at most `limit` are left.
pub(crate) fn reduce(graph: &mut Graph, images: &mut Images<'_>, states: Vec<Snapshot>, limit: usize) -> Vec<Snapshot> {
    let limit = limit.max(1);
    if states.len() <= limit {
        return states;
    }
    let mut groups: Vec<(Vec<Option<i128>>, Vec<Snapshot>)> = Vec::new();
    for snapshot in states {
        let key = known(graph, &snapshot);
        match groups.iter_mut().find(|(other, _)| *other == key) {
            Some((_, group)) => group.push(snapshot),
            None => groups.push((key, vec![snapshot])),
        }
    }
    let mut count: usize = groups.iter().map(|(_, group)| group.len()).sum();
    // Within the largest group first.
    while count > limit {
        let Some((_, group)) = groups.iter_mut().max_by_key(|(_, group)| group.len()) else { break };
        if group.len() < 2 {
            break;
        }
        if let (Some(b), Some(a)) = (group.pop(), group.pop()) {
            group.push(join(graph, images, &a, &b, None));
        }
        count -= 1;
    }
    let mut rest: Vec<Snapshot> = groups.into_iter().flat_map(|(_, group)| group).collect();
    while rest.len() > limit {
        let (Some(b), Some(a)) = (rest.pop(), rest.pop()) else { break };
        rest.push(join(graph, images, &a, &b, None));
    }
    rest
}
