//! Where control parts in the code that is executed, and in which lines of the source that is.
//!
//! A branch's own location in clang's debug information can be an operator's or a loop's. The instruction that computes its condition stands in
//! the condition itself, so that is the place by which a branch is found in the source.

use std::collections::HashMap;

use labrys_executor::{FeatureKind, Features};
use labrys_program::{
    BlockId, Callee, Function, FunctionId, Instruction, InstructionKind, IntrinsicKind, LocationId, Operand, Program,
    Terminator, ValueId,
};

/// What parts control.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum PointKind {
    /// A condition.
    Condition,
    /// A switch, and whether each of its cases leads elsewhere.
    Switch {
        /// No two cases lead to one block.
        is_distinct: bool,
        /// The number of the way that is taken where no case is.
        default: Option<usize>,
    },
    /// The outcomes of a decision's conditions, counted together.
    Vectors,
}

/// A place at which control parts.
#[derive(Clone, Debug)]
pub(super) struct Point {
    pub(super) kind: PointKind,
    /// Line and column.
    pub(super) place: (u32, u32),
    /// The numbers of what can happen there.
    pub(super) features: Vec<usize>,
}

/// A function's code, by places of its source.
#[derive(Clone, Debug, Default)]
pub(super) struct Code {
    pub(super) points: Vec<Point>,
    /// The places of the instructions of each block.
    pub(super) places: Vec<(BlockId, Vec<(u32, u32)>)>,
}

/// Reads a function.
pub(super) fn code(program: &Program, features: &Features, id: FunctionId) -> Code {
    let function = &program.functions[id.index()];
    let reader = Reader { program, function, defined: defined(function) };
    let mut code = Code::default();
    let mut counted: HashMap<(BlockId, u32), Vec<usize>> = HashMap::new();
    for (number, feature) in features.iter().filter(|(_, feature)| feature.function == id) {
        match feature.kind {
            FeatureKind::Choice(at, _) | FeatureKind::Vector(at, _) => {
                counted.entry((feature.block, at)).or_default().push(number);
            }
            FeatureKind::Entry | FeatureKind::Edge(_) => {}
        }
    }
    for (index, block) in function.blocks.iter().enumerate() {
        let from = BlockId(index as u32);
        let edges = |targets: &[BlockId]| {
            let mut numbers: Vec<usize> = targets.iter().filter_map(|to| features.edge(id, from, *to)).collect();
            numbers.sort_unstable();
            numbers.dedup();
            numbers
        };
        let found = match &block.terminator {
            Terminator::CondBranch(condition, yes, no) => {
                reader.of_condition(condition).map(|place| (PointKind::Condition, place, edges(&[*yes, *no])))
            }
            Terminator::Switch { value, cases, default } => {
                let targets: Vec<BlockId> = cases.iter().map(|(_, target)| *target).chain([*default]).collect();
                let numbers = edges(&targets);
                let is_distinct = numbers.len() == targets.len();
                let kind = PointKind::Switch { is_distinct, default: features.edge(id, from, *default) };
                let place = reader.of_condition(value).or_else(|| reader.place(block.terminator_location));
                Some((kind, place.unwrap_or((0, 0)), numbers))
            }
            _ => None,
        };
        code.points.extend(found.map(|(kind, place, features)| Point { kind, place, features }));
        for (at, instruction) in block.instructions.iter().enumerate() {
            let Some(numbers) = counted.remove(&(from, at as u32)) else { continue };
            let InstructionKind::Call(_, operands) = &instruction.kind else { continue };
            let found = match operands.as_slice() {
                [_, _, _, _, step] => reader.of_condition(step).map(|place| (PointKind::Condition, place)),
                _ => reader.place(instruction.location).map(|place| (PointKind::Vectors, place)),
            };
            code.points.extend(found.map(|(kind, place)| Point { kind, place, features: numbers }));
        }
        let places = block.instructions.iter().filter(|of| !is_counter(of)).map(|of| of.location);
        let places = places.chain([block.terminator_location]).filter_map(|location| reader.place(location)).collect();
        code.places.push((from, places));
    }
    code
}

/// The two-way branches of a function on a condition that stands somewhere: their blocks, the condition's place, and the numbers of the edges that are taken where it is 1
/// and where it is 0. Several may have one place.
pub(super) fn branches(
    program: &Program,
    features: &Features,
    id: FunctionId,
) -> Vec<(BlockId, (u32, u32), [usize; 2])> {
    let function = &program.functions[id.index()];
    let reader = Reader { program, function, defined: defined(function) };
    let branch = |(index, block): (usize, &labrys_program::Block)| {
        let Terminator::CondBranch(condition, yes, no) = &block.terminator else { return None };
        let from = BlockId(index as u32);
        let edge = |to: &BlockId| features.edge(id, from, *to);
        let edges = [edge(yes)?, edge(no)?];
        reader.of_condition(condition).filter(|_| edges[0] != edges[1]).map(|place| (from, place, edges))
    };
    function.blocks.iter().enumerate().filter_map(branch).collect()
}

/// Whether an instruction only counts: it has the location of whatever comes before.
fn is_counter(instruction: &Instruction) -> bool {
    match &instruction.kind {
        InstructionKind::Call(Callee::Intrinsic(called), _) => {
            called.kind() == IntrinsicKind::Count || called.name().starts_with("llvm.instrprof")
        }
        _ => false,
    }
}

fn defined(function: &Function) -> HashMap<ValueId, &Instruction> {
    let instructions = function.blocks.iter().flat_map(|block| &block.instructions);
    instructions.filter_map(|instruction| Some((instruction.result?, instruction))).collect()
}

struct Reader<'a> {
    program: &'a Program,
    function: &'a Function,
    defined: HashMap<ValueId, &'a Instruction>,
}

impl Reader<'_> {
    /// The place of what computes a condition. `None`: it is known, or made of several conditions, each of which has its own branch.
    fn of_condition(&self, condition: &Operand) -> Option<(u32, u32)> {
        let mut operand = condition;
        // Conversions without a location are looked through.
        for _ in 0..4 {
            let Operand::Value(value) = operand else { return None };
            let instruction = self.defined.get(value)?;
            match &instruction.kind {
                InstructionKind::Phi(_) => return None,
                InstructionKind::Cast(_, of) | InstructionKind::Freeze(of) => {
                    let inner = match of {
                        Operand::Value(value) => self.defined.get(value).map(|of| &of.kind),
                        Operand::Constant(_) => None,
                    };
                    // The outcome of several conditions, as an integer.
                    if matches!(inner, Some(InstructionKind::Phi(_))) {
                        return None;
                    }
                    match self.place(instruction.location) {
                        Some(place) if self.function.values.get(value.index()).is_some_and(is_bit) => {
                            return Some(place);
                        }
                        _ => operand = of,
                    }
                }
                _ => return self.place(instruction.location),
            }
        }
        None
    }

    fn place(&self, location: Option<LocationId>) -> Option<(u32, u32)> {
        let location = self.program.locations.get(location?.index())?;
        (location.line > 0).then_some((location.line, location.column))
    }
}

fn is_bit(ty: &labrys_program::Type) -> bool {
    matches!(ty, labrys_program::Type::Int(1))
}
