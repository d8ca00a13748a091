//! Control flow of a function: the order of its blocks, its loops, and which values are live.

use labrys_program::{BlockId, Function, InstructionKind, Operand, Terminator, ValueId};

/// A natural loop.
#[derive(Clone, Debug)]
pub(crate) struct Loop {
    pub head: BlockId,
    /// Its blocks, by number.
    pub body: Vec<bool>,
    /// Whether a way out of it leads on to a return. A loop that runs forever is left at most by what ends the program.
    pub has_end: bool,
}

/// A function's control flow.
#[derive(Clone, Debug)]
pub(crate) struct Cfg {
    /// Each block's place in an order in which blocks follow their predecessors but for back edges, and what follows a
    /// loop comes after its body; `u32::MAX` for blocks that are never entered.
    pub order: Vec<u32>,
    /// The loop that a block is the head of.
    pub loop_of: Vec<Option<usize>>,
    pub loops: Vec<Loop>,
    /// Whether some cycle has no head that dominates it.
    pub is_irreducible: bool,
    /// Whether more than one edge leads to a block.
    pub is_join: Vec<bool>,
    /// For each block, the values that are read in it or later, phis' operands apart.
    live: Vec<Vec<u64>>,
}

impl Cfg {
    /// Works out a function's control flow; it has a body.
    pub fn of(function: &Function) -> Cfg {
        let count = function.blocks.len();
        let next: Vec<Vec<BlockId>> = function.blocks.iter().map(|block| block.terminator.successors()).collect();
        let mut before: Vec<Vec<usize>> = vec![Vec::new(); count];
        for (from, targets) in next.iter().enumerate() {
            for target in targets {
                before[target.index()].push(from);
            }
        }
        let first = postorder(&next, None);
        let (mut loops, is_irreducible) = loops(&first, &next, &before);
        let returns = returning(function, &before);
        for of in &mut loops {
            let blocks = (0..count).filter(|block| of.body[*block]);
            let mut targets = blocks.flat_map(|block| &next[block]);
            of.has_end = targets.any(|target| !of.body[target.index()] && returns[target.index()]);
        }
        let order = postorder(&next, Some(&loops));
        let mut loop_of = vec![None; count];
        for (index, found) in loops.iter().enumerate() {
            loop_of[found.head.index()] = Some(index);
        }
        let is_join = before.iter().map(|from| from.len() > 1).collect();
        let live = liveness(function, &next);
        Cfg { order, loop_of, loops, is_irreducible, is_join, live }
    }

    /// Whether a value may be read at the start of a block or later.
    pub fn is_live(&self, block: BlockId, value: usize) -> bool {
        self.live[block.index()].get(value / 64).is_some_and(|word| word >> (value % 64) & 1 == 1)
    }
}

/// For each block whether control may go from it to a return.
fn returning(function: &Function, before: &[Vec<usize>]) -> Vec<bool> {
    let mut returns = vec![false; before.len()];
    let is_end = |of: &labrys_program::Block| matches!(of.terminator, Terminator::Return(_));
    let mut pending: Vec<usize> =
        function.blocks.iter().enumerate().filter(|(_, of)| is_end(of)).map(|(block, _)| block).collect();
    while let Some(block) = pending.pop() {
        if !std::mem::replace(&mut returns[block], true) {
            pending.extend(&before[block]);
        }
    }
    returns
}

/// Reverse postorder numbers. Of two ways, the one that leaves a loop is gone first, so that it comes last.
fn postorder(next: &[Vec<BlockId>], loops: Option<&Vec<Loop>>) -> Vec<u32> {
    let inside = |from: usize, to: BlockId| {
        loops.map_or(0, |loops| loops.iter().filter(|l| l.body[from] && l.body[to.index()]).count())
    };
    let sorted = |from: usize| {
        let mut targets = next[from].clone();
        targets.sort_by_key(|to| inside(from, *to));
        targets
    };
    let mut order = vec![u32::MAX; next.len()];
    let mut seen = vec![false; next.len()];
    let mut finished = Vec::new();
    let mut stack = vec![(0, sorted(0), 0)];
    seen[0] = true;
    while let Some((block, targets, at)) = stack.last_mut() {
        if let Some(target) = targets.get(*at).map(|target| target.index()) {
            *at += 1;
            if !seen[target] {
                seen[target] = true;
                stack.push((target, sorted(target), 0));
            }
        } else {
            finished.push(*block);
            stack.pop();
        }
    }
    for (place, block) in finished.into_iter().rev().enumerate() {
        order[block] = place as u32;
    }
    order
}

/// The natural loops, one a head, and whether an edge goes back to a block that does not dominate its start.
fn loops(order: &[u32], next: &[Vec<BlockId>], before: &[Vec<usize>]) -> (Vec<Loop>, bool) {
    let dominators = dominators(order, before);
    let mut loops: Vec<Loop> = Vec::new();
    let mut is_irreducible = false;
    for (from, targets) in next.iter().enumerate().filter(|(from, _)| order[*from] != u32::MAX) {
        for target in targets.iter().filter(|target| order[target.index()] <= order[from]) {
            if !dominates(&dominators, order, target.index(), from) {
                is_irreducible = true;
                continue;
            }
            let index = match loops.iter().position(|known| known.head == *target) {
                Some(index) => index,
                None => {
                    let mut body = vec![false; next.len()];
                    body[target.index()] = true;
                    loops.push(Loop { head: *target, body, has_end: false });
                    loops.len() - 1
                }
            };
            let body = &mut loops[index].body;
            let mut work = vec![from];
            while let Some(block) = work.pop() {
                if !std::mem::replace(&mut body[block], true) {
                    work.extend(before[block].iter().filter(|block| order[**block] != u32::MAX));
                }
            }
        }
    }
    (loops, is_irreducible)
}

/// Immediate dominators: Cooper, Harvey, Kennedy, "A simple, fast dominance algorithm", 2001.
fn dominators(order: &[u32], before: &[Vec<usize>]) -> Vec<usize> {
    let mut blocks: Vec<usize> = (0..order.len()).filter(|block| order[*block] != u32::MAX).collect();
    blocks.sort_by_key(|block| order[*block]);
    let mut above = vec![usize::MAX; order.len()];
    above[0] = 0;
    let mut changed = true;
    while changed {
        changed = false;
        for &block in blocks.iter().skip(1) {
            let known = before[block].iter().copied().filter(|from| above[*from] != usize::MAX);
            let new = known.reduce(|mut a, mut b| {
                while a != b {
                    while order[a] > order[b] {
                        a = above[a];
                    }
                    while order[b] > order[a] {
                        b = above[b];
                    }
                }
                a
            });
            if let Some(new) = new
                && above[block] != new
            {
                above[block] = new;
                changed = true;
            }
        }
    }
    above
}

fn dominates(above: &[usize], order: &[u32], a: usize, mut b: usize) -> bool {
    while order[b] > order[a] {
        b = above[b];
    }
    a == b
}

/// Backward liveness by rounds over the blocks; a phi's operand is live at the end of the predecessor.
fn liveness(function: &Function, next: &[Vec<BlockId>]) -> Vec<Vec<u64>> {
    let words = function.values.len().div_ceil(64);
    let mut live = vec![vec![0u64; words]; function.blocks.len()];
    let set = |set: &mut Vec<u64>, value: ValueId| {
        if let Some(word) = set.get_mut(value.index() / 64) {
            *word |= 1 << (value.index() % 64);
        }
    };
    let set_operand = |live: &mut Vec<u64>, operand: &Operand| {
        if let Operand::Value(value) = operand {
            set(live, *value);
        }
    };
    let mut changed = true;
    while changed {
        changed = false;
        for (index, block) in function.blocks.iter().enumerate().rev() {
            let mut now = vec![0u64; words];
            for target in &next[index] {
                for (word, other) in now.iter_mut().zip(&live[target.index()]) {
                    *word |= other;
                }
                for instruction in &function.blocks[target.index()].instructions {
                    let InstructionKind::Phi(incoming) = &instruction.kind else { break };
                    for (from, operand) in incoming {
                        if let (true, Operand::Value(value)) = (from.index() == index, operand) {
                            set(&mut now, *value);
                        }
                    }
                }
            }
            block.terminator.operand().into_iter().for_each(|operand| set_operand(&mut now, operand));
            for instruction in block.instructions.iter().rev() {
                if !matches!(instruction.kind, InstructionKind::Phi(_)) {
                    if let Some(result) = instruction.result
                        && let Some(word) = now.get_mut(result.index() / 64)
                    {
                        *word &= !(1 << (result.index() % 64));
                    }
                    instruction.kind.for_each_operand(|operand| set_operand(&mut now, operand));
                } else if let Some(result) = instruction.result {
                    // A snapshot at the start of a block has its phis' values already.
                    set(&mut now, result);
                }
            }
            if now != live[index] {
                live[index] = now;
                changed = true;
            }
        }
    }
    live
}

#[cfg(test)]
mod tests {
    use super::*;

    fn function(ir: &str) -> Function {
        let text = format!("define double @f(double %x, i32 %n) {{ {ir} }}");
        let program = labrys_program::Program::from_bytes(text.as_bytes(), "f.ll").unwrap();
        program.functions[0].clone()
    }

    #[test]
    fn what_follows_a_loop_comes_after_its_body() {
        let function = function(
            "entry: br label %head
             head: %i = phi i32 [0, %entry], [%j, %body]
             %c = icmp slt i32 %i, %n
             br i1 %c, label %body, label %done
             body: %j = add i32 %i, 1
             br label %head
             done: ret double %x",
        );
        let cfg = Cfg::of(&function);
        assert!(!cfg.is_irreducible);
        assert_eq!(cfg.loops.len(), 1);
        assert_eq!(cfg.loops[0].body, [false, true, true, false]);
        assert!(cfg.order[2] < cfg.order[3]);
        assert!(cfg.is_live(BlockId(3), 0) && !cfg.is_live(BlockId(3), 1) && cfg.is_live(BlockId(1), 1));
    }

    #[test]
    fn two_entries_into_a_cycle_are_irreducible() {
        let function = function(
            "entry: %c = icmp slt i32 %n, 0
             br i1 %c, label %a, label %b
             a: br label %b
             b: %d = icmp slt i32 %n, 5
             br i1 %d, label %a, label %done
             done: ret double %x",
        );
        assert!(Cfg::of(&function).is_irreducible);
    }
}
