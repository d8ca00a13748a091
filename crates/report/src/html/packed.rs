//! JSON in which nothing is written twice, compressed.
//!
//! Reports repeat themselves: findings of one function have traces in common, all sites of a file its name, and proofs their
//! assumptions. So every distinct value is one node of a directed acyclic graph. Nodes stand in an order in which parts come
//! before what they are part of; the last one is the whole:
//!
//! - a string, number, boolean or null is itself;
//! - `[0, a, b, ...]` is an array of the nodes with these numbers;
//! - `[s, a, b, ...]` is an object: `shapes[s - 1]` has its keys, the numbers are the nodes of its values.
//!
//! The page's script (`load.js`) makes of each node one value that all its users refer to, so that memory is saved too.

use std::fmt::Write;

use indexmap::IndexSet;
use miniz_oxide::deflate::compress_to_vec_zlib;
use serde::Serialize;
use serde_json::Value;

use super::base64;
use crate::ReportError;

/// How hard compression tries, of 10.
const LEVEL: u8 = 9;

/// Distinct values.
#[derive(Default)]
pub(super) struct Graph {
    /// Keys of objects.
    shapes: IndexSet<String>,
    /// Nodes as JSON: an array's text begins with a bracket, no other's does.
    nodes: IndexSet<String>,
}

impl Graph {
    /// The number of a value's node.
    pub(super) fn add(&mut self, value: &impl Serialize) -> Result<usize, ReportError> {
        Ok(self.value(&serde_json::to_value(value).map_err(ReportError::Serialise)?))
    }

    /// That of an array of values, which are turned into JSON one after the other: all at once need ten times the memory.
    pub(super) fn list<T: Serialize>(
        &mut self,
        values: impl IntoIterator<Item = Result<T, ReportError>>,
    ) -> Result<usize, ReportError> {
        let nodes = values.into_iter().map(|value| self.add(&value?)).collect::<Result<Vec<_>, _>>()?;
        Ok(self.parts(0, &nodes))
    }

    /// That of an object.
    pub(super) fn object(&mut self, members: &[(&str, usize)]) -> usize {
        let shape = self.shape(members.iter().map(|(key, _)| *key));
        self.parts(shape, &members.iter().map(|(_, node)| *node).collect::<Vec<_>>())
    }

    fn value(&mut self, value: &Value) -> usize {
        match value {
            Value::Array(elements) => {
                let nodes: Vec<usize> = elements.iter().map(|element| self.value(element)).collect();
                self.parts(0, &nodes)
            }
            Value::Object(members) => {
                let shape = self.shape(members.keys().map(String::as_str));
                let nodes: Vec<usize> = members.values().map(|member| self.value(member)).collect();
                self.parts(shape, &nodes)
            }
            scalar => self.nodes.insert_full(scalar.to_string()).0,
        }
    }

    /// The shape of an object with these keys.
    fn shape<'k>(&mut self, keys: impl Iterator<Item = &'k str>) -> usize {
        let keys: Vec<String> = keys.map(|key| Value::from(key).to_string()).collect();
        self.shapes.insert_full(format!("[{}]", keys.join(","))).0 + 1
    }

    fn parts(&mut self, shape: usize, nodes: &[usize]) -> usize {
        let mut text = format!("[{shape}");
        for node in nodes {
            // Writing into a text does not fail.
            let _ = write!(text, ",{node}");
        }
        text.push(']');
        self.nodes.insert_full(text).0
    }

    /// The graph as JSON.
    fn write(&self) -> String {
        let list = |texts: &IndexSet<String>| texts.iter().map(String::as_str).collect::<Vec<_>>().join(",");
        format!("{{\"shapes\":[{}],\"nodes\":[{}]}}", list(&self.shapes), list(&self.nodes))
    }

    /// The text for a page: base 64 of the graph, compressed as RFC 1950 has it, with a checksum.
    pub(super) fn packed(&self) -> String {
        base64::encode(&compress_to_vec_zlib(self.write().as_bytes(), LEVEL))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    /// What `load.js` does, in other words.
    fn unfold(graph: &str) -> Value {
        let graph: Value = serde_json::from_str(graph).expect("JSON");
        let list = |of: &str| graph[of].as_array().expect("an array").clone();
        let shapes = list("shapes");
        let mut values: Vec<Value> = Vec::new();
        for node in list("nodes") {
            let Value::Array(numbers) = node else {
                values.push(node);
                continue;
            };
            let numbers: Vec<usize> = numbers.iter().map(|of| of.as_u64().expect("a number") as usize).collect();
            let parts = numbers[1..].iter().map(|part| values[*part].clone());
            values.push(match numbers[0].checked_sub(1) {
                None => parts.collect(),
                Some(shape) => {
                    let keys = shapes[shape].as_array().expect("keys").iter();
                    keys.map(|key| key.as_str().expect("a key").to_owned()).zip(parts).collect()
                }
            });
        }
        values.pop().expect("a node")
    }

    #[test]
    fn every_value_comes_back() {
        let values = [
            json!(null),
            json!([]),
            json!({}),
            json!([[], {}, [[]], "[1]", "[]", 1, "1", 1.0, -0.5, 1e300, u64::MAX, true, "true"]),
            json!({"a": {"b": [1, 2]}, "b": {"b": [1, 2]}, "\"quoted\"\n": "</script>", "c": [{"b": 1}, {"a": 1}]}),
        ];
        for value in values {
            let mut graph = Graph::default();
            graph.add(&value).expect("adds");
            assert_eq!(unfold(&graph.write()), value);
            let lists = [graph.list([Ok(&value), Ok(&value)]).expect("adds"), graph.list::<()>([]).expect("adds")];
            graph.object(&[("lists", lists[0]), ("\"none\"", lists[1])]);
            assert_eq!(unfold(&graph.write()), json!({"lists": [value, value], "\"none\"": []}));
        }
    }

    #[test]
    fn what_is_equal_is_written_once() {
        let event = json!({"file": "average.c", "line": 3, "exceptions": ["overflow"]});
        let mut graph = Graph::default();
        graph.list(std::iter::repeat_n(&event, 1000).map(Ok)).expect("adds");
        assert_eq!(graph.shapes.len(), 1);
        // Two strings, a number, a list of exceptions, an event and the list of events.
        assert_eq!(graph.nodes.len(), 6);
        assert!(graph.write().len() < 2200);
    }
}
