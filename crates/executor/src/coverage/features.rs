//! What a run of a program can cover.

use labrys_program::{
    BlockId, Callee, Constant, Function, FunctionId, Instruction, InstructionKind, IntrinsicKind, Operand, Program,
};
use num_traits::ToPrimitive;
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

/// What is covered.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum FeatureKind {
    /// The function is entered.
    Entry,
    /// Control goes from the block to this one.
    Edge(BlockId),
    /// The instruction at that place in the block chooses a value by a condition, without a branch: whether it held.
    Choice(u32, bool),
    /// The decision whose outcomes the instruction at that place counts: the number of its conditions' outcomes among all that can come
    /// together.
    Vector(u32, u32),
}

/// Something that a run can cover.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Feature {
    /// The function.
    pub function: FunctionId,
    /// Its block.
    pub block: BlockId,
    /// What happens there.
    pub kind: FeatureKind,
}

/// Everything that runs of a program can cover, numbered from 0.
#[derive(Clone, Debug, Default)]
pub struct Features {
    list: Vec<Feature>,
    functions: Vec<FunctionFeatures>,
}

/// The numbers of one function's features.
#[derive(Clone, Debug, Default)]
struct FunctionFeatures {
    entry: Option<usize>,
    /// For each block the number of its first edge, and where its edges lead.
    edges: Vec<(usize, SmallVec<[BlockId; 2]>)>,
    /// For instructions that count: the number of the first of their features, and how many they have.
    counts: FxHashMap<(BlockId, u32), (usize, u32)>,
}

impl Features {
    /// Those of a program.
    pub fn of(program: &Program) -> Features {
        let mut features = Features::default();
        for (index, function) in program.functions.iter().enumerate() {
            let of_function = features.of_function(FunctionId(index as u32), function);
            features.functions.push(of_function);
        }
        features
    }

    fn of_function(&mut self, id: FunctionId, function: &Function) -> FunctionFeatures {
        let mut found = FunctionFeatures::default();
        if function.blocks.is_empty() {
            return found;
        }
        found.entry = Some(self.add(id, BlockId(0), FeatureKind::Entry));
        for (index, block) in function.blocks.iter().enumerate() {
            let from = BlockId(index as u32);
            let mut targets = SmallVec::<[BlockId; 2]>::new();
            for target in block.terminator.successors() {
                if !targets.contains(&target) {
                    targets.push(target);
                }
            }
            let first = self.list.len();
            for &target in &targets {
                self.add(id, from, FeatureKind::Edge(target));
            }
            found.edges.push((first, targets));
        }
        let decisions = Decisions::of(function);
        for (index, block) in function.blocks.iter().enumerate() {
            let from = BlockId(index as u32);
            for (at, instruction) in block.instructions.iter().enumerate() {
                let Some(operands) = counted(instruction) else { continue };
                let (at, first) = (at as u32, self.list.len());
                let count = match operands {
                    [_, _, _, _, _] => 2,
                    _ => decisions.vectors(operands),
                };
                for value in 0..count {
                    let kind = match operands {
                        [_, _, _, _, _] => FeatureKind::Choice(at, value != 0),
                        _ => FeatureKind::Vector(at, value),
                    };
                    self.add(id, from, kind);
                }
                found.counts.insert((from, at), (first, count));
            }
        }
        found
    }

    fn add(&mut self, function: FunctionId, block: BlockId, kind: FeatureKind) -> usize {
        self.list.push(Feature { function, block, kind });
        self.list.len() - 1
    }

    /// All of them, by number.
    pub fn iter(&self) -> impl Iterator<Item = (usize, Feature)> {
        self.list.iter().copied().enumerate()
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.list.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// The feature of a number.
    pub fn get(&self, number: usize) -> Option<Feature> {
        self.list.get(number).copied()
    }

    /// The number of a function's entry.
    pub fn entry(&self, function: FunctionId) -> Option<usize> {
        self.functions.get(function.index())?.entry
    }

    /// The number of an edge.
    pub fn edge(&self, function: FunctionId, from: BlockId, to: BlockId) -> Option<usize> {
        let (first, targets) = self.functions.get(function.index())?.edges.get(from.index())?;
        Some(first + targets.iter().position(|target| *target == to)?)
    }

    /// The number of what an instruction counts.
    pub(crate) fn counted(&self, function: FunctionId, block: BlockId, at: u32, value: u32) -> Option<usize> {
        let (first, count) = *self.functions.get(function.index())?.counts.get(&(block, at))?;
        (value < count).then_some(first + value as usize)
    }

    /// The numbers of what leads into a block: edges, and the function's entry for its first block.
    pub fn into_block(&self, function: FunctionId, block: BlockId) -> impl Iterator<Item = usize> {
        let of = self.functions.get(function.index());
        let entry = of.filter(|_| block.index() == 0).and_then(|of| of.entry);
        let edges = of.into_iter().flat_map(|of| &of.edges);
        let edges = edges.filter_map(move |(first, targets)| Some(first + targets.iter().position(|to| *to == block)?));
        entry.into_iter().chain(edges)
    }
}

/// The operands of an instruction that counts what control does not show.
fn counted(instruction: &Instruction) -> Option<&[Operand]> {
    match &instruction.kind {
        InstructionKind::Call(Callee::Intrinsic(called), operands) if called.kind() == IntrinsicKind::Count => {
            matches!(operands.len(), 4 | 5).then_some(operands)
        }
        _ => None,
    }
}

/// Where the bits of each decision of a function begin: clang gives each as many bits as its conditions' outcomes can come together.
struct Decisions {
    starts: Vec<u32>,
}

/// More outcomes of one decision than that are not told apart.
const MAX_VECTORS: u32 = 1 << 10;

impl Decisions {
    fn of(function: &Function) -> Decisions {
        let mut starts = Vec::new();
        for instruction in function.blocks.iter().flat_map(|block| &block.instructions) {
            let InstructionKind::Call(Callee::Intrinsic(called), operands) = &instruction.kind else { continue };
            let is_total = called.name() == "llvm.instrprof.mcdc.parameters";
            if is_total || (called.kind() == IntrinsicKind::Count && operands.len() == 4) {
                starts.extend(operands.get(2).and_then(literal));
            }
        }
        starts.sort_unstable();
        starts.dedup();
        Decisions { starts }
    }

    fn vectors(&self, operands: &[Operand]) -> u32 {
        let Some(start) = operands.get(2).and_then(literal) else { return 0 };
        let end = self.starts.iter().find(|other| **other > start);
        end.map_or(0, |end| end - start).min(MAX_VECTORS)
    }
}

fn literal(operand: &Operand) -> Option<u32> {
    match operand {
        Operand::Constant(Constant::Int { value, .. }) => value.to_u32(),
        _ => None,
    }
}

/// A set of features, by their numbers.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FeatureSet {
    words: Vec<u64>,
}

impl FeatureSet {
    /// Adds a number; whether it is new.
    pub fn insert(&mut self, number: usize) -> bool {
        let (word, bit) = (number / 64, 1 << (number % 64));
        if word >= self.words.len() {
            self.words.resize(word + 1, 0);
        }
        let is_new = self.words[word] & bit == 0;
        self.words[word] |= bit;
        is_new
    }

    /// Takes a number out.
    pub fn remove(&mut self, number: usize) {
        if let Some(word) = self.words.get_mut(number / 64) {
            *word &= !(1 << (number % 64));
        }
    }

    /// Whether a number is in it.
    pub fn contains(&self, number: usize) -> bool {
        self.words.get(number / 64).is_some_and(|word| word >> (number % 64) & 1 != 0)
    }

    /// Adds all of another set.
    pub fn extend(&mut self, other: &FeatureSet) {
        if self.words.len() < other.words.len() {
            self.words.resize(other.words.len(), 0);
        }
        for (word, more) in self.words.iter_mut().zip(&other.words) {
            *word |= more;
        }
    }

    /// Takes out all of another set.
    pub fn subtract(&mut self, other: &FeatureSet) {
        for (word, less) in self.words.iter_mut().zip(&other.words) {
            *word &= !less;
        }
    }

    /// Whether some number is in both.
    pub fn meets(&self, other: &FeatureSet) -> bool {
        self.words.iter().zip(&other.words).any(|(a, b)| a & b != 0)
    }

    /// How many numbers it has.
    pub fn len(&self) -> usize {
        self.words.iter().map(|word| word.count_ones() as usize).sum()
    }

    /// Whether it has none.
    pub fn is_empty(&self) -> bool {
        self.words.iter().all(|word| *word == 0)
    }

    /// Its numbers, ascending.
    pub fn iter(&self) -> impl Iterator<Item = usize> {
        let bits = |(index, &word): (usize, &u64)| {
            (0..64).filter(move |bit| word >> bit & 1 != 0).map(move |bit| 64 * index + bit)
        };
        self.words.iter().enumerate().flat_map(bits)
    }
}

impl FromIterator<usize> for FeatureSet {
    fn from_iter<I: IntoIterator<Item = usize>>(numbers: I) -> FeatureSet {
        let mut set = FeatureSet::default();
        for number in numbers {
            set.insert(number);
        }
        set
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sets_are_those_of_numbers() {
        let mut set: FeatureSet = [3, 64, 200].into_iter().collect();
        assert!(!set.insert(64) && set.insert(65));
        assert_eq!(set.iter().collect::<Vec<_>>(), [3, 64, 65, 200]);
        assert_eq!((set.len(), set.contains(199), set.contains(5000)), (4, false, false));
        set.subtract(&[3, 65].into_iter().collect());
        set.remove(200);
        assert!(set.meets(&[64].into_iter().collect()) && !set.meets(&[200].into_iter().collect()));
        set.extend(&[1000].into_iter().collect());
        assert_eq!(set.iter().collect::<Vec<_>>(), [64, 1000]);
    }
}
