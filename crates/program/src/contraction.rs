//! Contractions that only code generation makes, done in the arena.
//!
//! With `contract` on a product and on the sum that uses it, LLVM's instruction selection fuses them where the target has
//! the instruction, after the last IR that anybody sees. An analysis that wants to know what will run has to do the same.
//!
//! **Claim.** The rewritten function computes what the machine code does wherever instruction selection fuses: a product
//! with one use, in the block of its sum, the left operand first where both are products. It may miss what later passes
//! (the machine combiner) choose by latency.

use crate::{
    Callee, FastMath, FloatBinary, Function, Instruction, InstructionKind, Intrinsic, Operand, Program, ValueId,
};

impl Program {
    /// Fuses products with sums as code generation will; how many. Only in functions whose target has the instruction.
    pub fn fuse_contractions(&mut self) -> usize {
        self.functions.iter_mut().filter(|function| function.features.fma).map(fuse).sum()
    }
}

fn fuse(function: &mut Function) -> usize {
    let uses = uses(function);
    let mut fused = 0;
    for block in 0..function.blocks.len() {
        let mut index = 0;
        while index < function.blocks[block].instructions.len() {
            let instructions = &function.blocks[block].instructions;
            let Some((product, plan)) = contraction(&instructions[..index], &instructions[index], &uses) else {
                index += 1;
                continue;
            };
            fused += 1;
            let instructions = &mut function.blocks[block].instructions;
            let FusedSum { factors: (mut left, right), mut addend, negated } = plan;
            if let Some(which) = negated {
                let negative = ValueId(function.values.len() as u32);
                let sum = &instructions[index];
                function.values.push(sum.ty.clone());
                let operand = if which == Negated::Factor { &mut left } else { &mut addend };
                let negation = Instruction {
                    result: Some(negative),
                    kind: InstructionKind::FloatNegate(std::mem::replace(operand, Operand::Value(negative))),
                    ..sum.clone()
                };
                instructions.insert(index, negation);
                index += 1;
            }
            instructions[index].kind =
                InstructionKind::Call(Callee::Intrinsic(Intrinsic::named("llvm.fma")), vec![left, right, addend]);
            instructions.remove(product);
        }
    }
    fused
}

/// Which operand of a fused sum a difference negates.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Negated {
    Factor,
    Addend,
}

struct FusedSum {
    factors: (Operand, Operand),
    addend: Operand,
    negated: Option<Negated>,
}

/// The product among `before` that `sum` fuses with, and what they become.
fn contraction(before: &[Instruction], sum: &Instruction, uses: &[u32]) -> Option<(usize, FusedSum)> {
    let InstructionKind::FloatBinary(op @ (FloatBinary::Add | FloatBinary::Sub), left, right) = &sum.kind else {
        return None;
    };
    if !contracts(sum.fast_math) {
        return None;
    }
    for (operand, other, is_left) in [(left, right, true), (right, left, false)] {
        let Operand::Value(value) = operand else { continue };
        let Some(index) = before.iter().position(|candidate| candidate.result == Some(*value)) else { continue };
        let InstructionKind::FloatBinary(FloatBinary::Mul, a, b) = &before[index].kind else { continue };
        if !contracts(before[index].fast_math) || uses.get(value.index()) != Some(&1) {
            continue;
        }
        let negated = match (op, is_left) {
            (FloatBinary::Add, _) => None,
            (_, true) => Some(Negated::Addend),
            (_, false) => Some(Negated::Factor),
        };
        return Some((index, FusedSum { factors: (a.clone(), b.clone()), addend: other.clone(), negated }));
    }
    None
}

fn contracts(flags: FastMath) -> bool {
    flags.allow_contract
}

/// How often each value is used.
fn uses(function: &Function) -> Vec<u32> {
    let mut uses = vec![0; function.values.len()];
    let mut count = |operand: &Operand| {
        if let Operand::Value(value) = operand
            && let Some(of_value) = uses.get_mut(value.index())
        {
            *of_value += 1;
        }
    };
    for block in &function.blocks {
        block.instructions.iter().for_each(|instruction| instruction.kind.for_each_operand(&mut count));
        block.terminator.operand().into_iter().for_each(&mut count);
    }
    uses
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The text of `f` after fusing, and how often that was done.
    fn fused(body: &str) -> (String, usize) {
        let ir = format!(
            "define double @f(double %a, double %b, double %c, double %d) #0 {{\n{body}\n}}\nattributes #0 = {{ \"target-features\"=\"+fma\" }}"
        );
        let mut program = Program::from_bytes(ir.as_bytes(), "f.ll").expect("valid IR");
        let count = program.fuse_contractions();
        let kinds = program.functions[0].blocks[0].instructions.iter().map(|instruction| match &instruction.kind {
            InstructionKind::Call(Callee::Intrinsic(name), _) => name.to_string(),
            InstructionKind::FloatBinary(op, ..) => format!("{op:?}"),
            InstructionKind::FloatNegate(_) => "Neg".to_owned(),
            other => format!("{other:?}"),
        });
        (kinds.collect::<Vec<_>>().join(" "), count)
    }

    #[test]
    fn only_products_with_one_use_that_may_contract_are_fused() {
        let sum = |op: &str, operands: &str| {
            format!("%p = fmul contract double %a, %b\n%s = {op} contract double {operands}\nret double %s")
        };
        assert_eq!(fused(&sum("fadd", "%p, %c")), ("llvm.fma".to_owned(), 1));
        assert_eq!(fused(&sum("fadd", "%c, %p")), ("llvm.fma".to_owned(), 1));
        assert_eq!(fused(&sum("fsub", "%p, %c")), ("Neg llvm.fma".to_owned(), 1));
        assert_eq!(fused(&sum("fsub", "%c, %p")), ("Neg llvm.fma".to_owned(), 1));
        assert_eq!(fused(&sum("fadd", "%p, %p")), ("Mul Add".to_owned(), 0));
        assert_eq!(fused(&sum("fadd", "%p, %c").replace("fmul contract", "fmul")), ("Mul Add".to_owned(), 0));
        assert_eq!(fused(&sum("fadd", "%p, %c").replace("fadd contract", "fadd")), ("Mul Add".to_owned(), 0));
        let two = "%p = fmul contract double %a, %b\n%q = fmul contract double %c, %d\n\
                   %s = fadd contract double %p, %q\nret double %s";
        assert_eq!(fused(two), ("Mul llvm.fma".to_owned(), 1));
    }

    #[test]
    fn a_target_without_the_instruction_fuses_nothing() {
        let ir = "define double @f(double %a) {\n%p = fmul contract double %a, %a\n\
                  %s = fadd contract double %p, %a\nret double %s\n}";
        assert_eq!(Program::from_bytes(ir.as_bytes(), "f.ll").expect("valid IR").fuse_contractions(), 0);
    }
}
