//! Operations that the IR does before it is known whether their results are needed.
//!
//! Optimisers make a quotient and a `select` of `n > 1 ? m / (n - 1) : 0`, and vectorisers of every branch in a loop. What such a quotient raises for n = 1 no
//! path of the source does. It is an exception of this build all the same; and where code generation makes a branch of the `select` again, the
//! IR has an exception that the machine has not.
//!
//! **Claim.** Where a site is here, its operation's result is used by nothing but `select`s that may choose another value, through moves of lanes at most.
//! Who computes a value first and then chooses in the source has such IR, too: that there was a branch is not known.

use labrys_program::{Function, InstructionKind, Operand, Program, ValueId};
use labrys_symex::Site;
use rustc_hash::{FxHashMap, FxHashSet};

/// Those of some sites whose operations are done before they are known to be needed.
pub fn speculated<'s>(program: &Program, sites: &'s [Site]) -> FxHashSet<&'s Site> {
    let mut of: FxHashMap<&str, Uses<'_>> = FxHashMap::default();
    let mut found = FxHashSet::default();
    for site in sites {
        let Some(function) = program.function(&site.function).and_then(|id| program.functions.get(id.index())) else {
            continue;
        };
        let result = function.blocks.get(site.block as usize).and_then(|block| {
            let instruction = block.instructions.get(site.instruction as usize)?;
            instruction.result
        });
        let uses = of.entry(&site.function).or_insert_with(|| Uses::of(function));
        if result.is_some_and(|value| uses.are_choices(value)) {
            found.insert(site);
        }
    }
    found
}

/// What uses a function's values.
struct Uses<'p> {
    users: FxHashMap<ValueId, Vec<User<'p>>>,
    known: FxHashMap<ValueId, bool>,
}

/// A use of a value.
#[derive(Clone, Copy)]
enum User<'p> {
    /// An instruction, and what it defines.
    Instruction(&'p InstructionKind, Option<ValueId>),
    /// The end of a block.
    End,
}

impl<'p> Uses<'p> {
    fn of(function: &'p Function) -> Uses<'p> {
        let mut users: FxHashMap<ValueId, Vec<User<'p>>> = FxHashMap::default();
        for block in &function.blocks {
            for instruction in &block.instructions {
                instruction.kind.for_each_operand(|operand| {
                    if let Operand::Value(value) = operand {
                        let user = User::Instruction(&instruction.kind, instruction.result);
                        users.entry(*value).or_default().push(user);
                    }
                });
            }
            if let Some(Operand::Value(value)) = block.terminator.operand() {
                users.entry(*value).or_default().push(User::End);
            }
        }
        Uses { users, known: FxHashMap::default() }
    }

    /// Whether a value is used, and only to be chosen or not. Without phis, uses of uses come to an end.
    fn are_choices(&mut self, value: ValueId) -> bool {
        if let Some(known) = self.known.get(&value) {
            return *known;
        }
        let users = self.users.get(&value).cloned().unwrap_or_default();
        let are = !users.is_empty() && users.into_iter().all(|user| self.is_choice(value, user));
        self.known.insert(value, are);
        are
    }

    fn is_choice(&mut self, value: ValueId, user: User<'_>) -> bool {
        let is = |operand: &Operand| matches!(operand, Operand::Value(other) if *other == value);
        match user {
            User::Instruction(InstructionKind::Select(condition, ..), _) => !is(condition),
            User::Instruction(
                InstructionKind::ShuffleVector(..)
                | InstructionKind::ExtractElement(..)
                | InstructionKind::InsertElement(..)
                | InstructionKind::Freeze(_),
                Some(result),
            ) => self.are_choices(result),
            _ => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use labrys_symex::static_sites;

    use super::*;

    #[test]
    fn only_what_may_not_be_chosen_is_speculated() {
        let text = r"
            define double @f(double %x, i1 %c, <2 x i1> %d) {
              %chosen = fdiv double 1.0, %x
              %one = select i1 %c, double %chosen, double 0.0
              %used = fmul double %x, %x
              %two = select i1 %c, double %used, double %one
              %sum = fadd double %two, %used
              %a = insertelement <2 x double> zeroinitializer, double %x, i32 1
              %lanes = fsub <2 x double> <double 1.0, double 2.0>, %a
              %turned = shufflevector <2 x double> %lanes, <2 x double> poison, <2 x i32> <i32 1, i32 0>
              %of = select <2 x i1> %d, <2 x double> zeroinitializer, <2 x double> %turned
              %first = extractelement <2 x double> %of, i32 0
              %compared = fcmp olt double %first, 1.0
              %last = select i1 %compared, double %sum, double 0.0
              ret double %last
            }";
        let program = Program::from_bytes(text.as_bytes(), "f.ll").expect("IR");
        let sites = static_sites(&program, program.function("f").expect("f"));
        let mut found: Vec<String> =
            speculated(&program, &sites).into_iter().map(|site| format!("{} {}", site.operator, site.lane)).collect();
        found.sort();
        assert_eq!(found, ["fadd 0", "fdiv 0", "fsub 0", "fsub 1"]);
    }
}
