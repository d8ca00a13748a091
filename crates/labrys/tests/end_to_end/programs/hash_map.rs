use std::collections::{HashMap, HashSet};

extern "C" {
    fn __VERIFIER_nondet_uint() -> u32;
}

fn count<'a>(words: &'a str) -> HashMap<&'a str, u32> {
    let mut counts = HashMap::new();
    for word in words.split(' ') {
        *counts.entry(word).or_insert(0) += 1;
    }
    counts
}

fn main() {
    let counts = count("a b a c a");
    let k = unsafe { __VERIFIER_nondet_uint() } % 4;
    let word = ["a", "b", "c", "d"][k as usize];
    let seen: HashSet<&str> = ["a", "b"].into_iter().collect();
    if seen.contains(word) { //BUG:    if counts.len() == 3 {
        assert!(counts[word] == 3 || k == 1);
    }
    assert_eq!(counts.get("d"), None);
}
