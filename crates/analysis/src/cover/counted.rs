//! What Fortran's native runs covered: flang tells llvm-cov nothing, so that its code has counters of its own (`labrys_program::counters`), and this reads
//! them as what llvm-cov says of other languages.
//!
//! A line is covered where a block with an instruction on it was entered. A branch has the outcomes that its code has, named by the lines to which
//! they lead: `.and.` is one condition, for flang computes both sides, and `merge` is none. Loops go on or end by a branch, those of array expressions too.

use std::collections::{BTreeMap, HashMap};

use labrys_executor::Features;
use labrys_program::{BlockId, FunctionId, Program, counters};

use super::measured::{Branch, Measured, MeasuredFunction, Span};
use super::points::branches;

/// A profile of llvm-profdata's as text: for each function the number of its graph, and its counts.
fn profile(text: &str) -> HashMap<&str, (u64, Vec<u64>)> {
    let mut found = HashMap::new();
    let mut lines = text.lines().filter(|line| !line.starts_with(['#', ':']) && !line.trim().is_empty());
    while let Some(name) = lines.next() {
        let mut number = || lines.next().and_then(|line| line.trim().parse::<u64>().ok());
        let (Some(hash), Some(count)) = (number(), number()) else { break };
        let counts: Vec<u64> = (0..count).map_while(|_| number()).collect();
        if counts.len() as u64 != count {
            break;
        }
        found.insert(name, (hash, counts));
    }
    found
}

/// What runs counted of functions; of the names at the end nothing, for their code is not the one that was executed.
pub(super) fn counted(
    program: &Program,
    features: &Features,
    scope: &[FunctionId],
    text: &str,
) -> (Measured, Vec<String>) {
    let profile = profile(text);
    let (mut measured, mut others) = (Measured::default(), Vec::new());
    for &id in scope {
        let function = &program.functions[id.index()];
        let counters = counters(function);
        let counts = match profile.get(function.name.as_str()) {
            Some((hash, counts)) if *hash == counters.hash && counts.len() == counters.count => counts.clone(),
            Some(_) => {
                others.push(function.source_name.clone().unwrap_or_else(|| function.name.clone()));
                continue;
            }
            // What no run entered has no record.
            None => vec![0; counters.count],
        };
        let code = Code { program, id, counts: &counts };
        let Some((file, lines)) = code.lines() else { continue };
        let branch = |(block, place, _): (BlockId, (u32, u32), [usize; 2])| {
            let (_, counter) = counters.branches.iter().find(|(of, _)| *of == block)?;
            code.branch(block, place, *counter)
        };
        let (Some(first), Some(last)) = (lines.keys().next(), lines.keys().next_back()) else { continue };
        let whole_line = |line: u32| Span { start: (line, 0), end: (line, u32::MAX) };
        measured.functions.push(MeasuredFunction {
            symbol: function.name.clone(),
            file: file.clone(),
            span: Span { start: (*first, 0), end: (*last, u32::MAX) },
            count: counts.first().copied().unwrap_or(0),
            branches: branches(program, features, id).into_iter().filter_map(branch).collect(),
            decisions: Vec::new(),
            regions: lines.iter().map(|(line, count)| (whole_line(*line), *count)).collect(),
        });
        let all = measured.lines.entry(file).or_default();
        for (line, count) in lines {
            let known = all.entry(line).or_default();
            *known = count.max(*known);
        }
    }
    (measured, others)
}

/// A function and what it counted.
struct Code<'a> {
    program: &'a Program,
    id: FunctionId,
    counts: &'a [u64],
}

impl Code<'_> {
    /// The places of a block's code.
    fn places(&self, block: BlockId) -> impl Iterator<Item = (u32, u32)> {
        let block = &self.program.functions[self.id.index()].blocks[block.index()];
        let locations = block.instructions.iter().map(|of| of.location).chain([block.terminator_location]);
        let own = locations.flatten().filter_map(|id| self.program.locations.get(id.index()));
        own.filter(|of| of.line > 0 && of.inlined_at.is_none()).map(|of| (of.file, of.line))
    }

    /// The function's file, and how often its lines were executed.
    fn lines(&self) -> Option<(String, BTreeMap<u32, u64>)> {
        let blocks = self.program.functions[self.id.index()].blocks.len() as u32;
        let (file, _) = (0..blocks).find_map(|block| self.places(BlockId(block)).next())?;
        let mut lines: BTreeMap<u32, u64> = BTreeMap::new();
        for block in 0..blocks {
            let count = self.counts[block as usize];
            for (_, line) in self.places(BlockId(block)).filter(|(of, _)| *of == file) {
                let known = lines.entry(line).or_default();
                *known = count.max(*known);
            }
        }
        Some((self.program.files.get(file as usize)?.clone(), lines))
    }

    /// The branch at the end of a block.
    fn branch(&self, block: BlockId, place: (u32, u32), counter: usize) -> Option<Branch> {
        let span = Span { start: place, end: (place.0, place.1 + 1) };
        let yes = self.counts[counter];
        let no = self.counts[block.index()].saturating_sub(yes);
        let successors = self.program.functions[self.id.index()].blocks[block.index()].terminator.successors();
        let [to_yes, to_no] = <[BlockId; 2]>::try_from(successors).ok()?;
        let line = |to: BlockId| self.places(to).next().map(|(_, line)| line);
        let outcomes = match (line(to_yes), line(to_no)) {
            (Some(yes), Some(no)) if yes != no => [format!("to line {yes}"), format!("to line {no}")],
            _ => ["true", "false"].map(str::to_owned),
        };
        let (is_folded, is_of_system, is_case) = ([false; 2], false, false);
        Some(Branch { own: span, span, counts: [yes, no], outcomes, is_folded, is_of_system, is_case })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn profiles_are_read() {
        let text = "f_\n# Func Hash:\n77\n# Num Counters:\n3\n# Counter Values:\n2\n1\n0\n\n_QQmain\n# Func Hash:\n5\n# Num Counters:\n1\n# Counter Values:\n9\n";
        let found = profile(text);
        assert_eq!(found["f_"], (77, vec![2, 1, 0]));
        assert_eq!(found["_QQmain"], (5, vec![9]));
        // One that ends early says nothing.
        assert!(profile("f_\n77\n3\n2\n1\n").is_empty());
    }
}
